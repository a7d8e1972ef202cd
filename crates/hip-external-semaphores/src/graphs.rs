//! Refuses external-semaphore nodes in graphs. HIP for Linux accepts them but they do nothing, so that work after a
//! wait would not wait.

use crate::functions::next;
use crate::log::log;
use crate::native;
use hip_sys::*;
use std::ffi::c_void;

/// What HIP says, where it has external semaphores itself.
fn refuse(of_hip: impl FnOnce() -> hipError_t) -> hipError_t {
    if native::has_semaphores() {
        return of_hip();
    }
    log!("refused: a node of a graph that waits for semaphores or signals them");
    native::remember(hipError_t::hipErrorNotSupported);
    hipError_t::hipErrorNotSupported
}

/// Refused, where HIP would make a node that does nothing.
///
/// # Safety
/// That of HIP's function.
pub unsafe fn add_signal_node(
    node: *mut hipGraphNode_t,
    graph: hipGraph_t,
    after: *const hipGraphNode_t,
    count: usize,
    params: *const hipExternalSemaphoreSignalNodeParams,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    refuse(|| unsafe { next::hipGraphAddExternalSemaphoresSignalNode(node, graph, after, count, params) })
}

/// Refused, where HIP would make a node that does nothing.
///
/// # Safety
/// That of HIP's function.
pub unsafe fn add_wait_node(
    node: *mut hipGraphNode_t,
    graph: hipGraph_t,
    after: *const hipGraphNode_t,
    count: usize,
    params: *const hipExternalSemaphoreWaitNodeParams,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    refuse(|| unsafe { next::hipGraphAddExternalSemaphoresWaitNode(node, graph, after, count, params) })
}

/// Refused for such nodes, and HIP's for all others.
///
/// # Safety
/// That of HIP's function; `params` begin with the node's kind, as `hipGraphNodeParams` do.
pub unsafe fn add_node(
    node: *mut hipGraphNode_t,
    graph: hipGraph_t,
    after: *const hipGraphNode_t,
    count: usize,
    params: *mut c_void,
) -> hipError_t {
    use hipGraphNodeType as Kind;
    // SAFETY: as promised by the caller, where it is not null.
    let kind = (!params.is_null()).then(|| unsafe { params.cast::<Kind>().read() });
    // SAFETY: as promised by the caller.
    let of_hip = || unsafe { next::hipGraphAddNode(node, graph, after, count, params) };
    if [Kind::hipGraphNodeTypeExtSemaphoreSignal, Kind::hipGraphNodeTypeExtSemaphoreWait].map(Some).contains(&kind) {
        return refuse(of_hip);
    }
    of_hip()
}

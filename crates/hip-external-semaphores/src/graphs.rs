//! Nodes of graphs, which are refused. HIP has them on Linux too, and there they do nothing: work behind a wait would not wait.

use crate::log::log;
use crate::next;
use hip_sys::*;
use std::ffi::c_void;

fn refuse() -> hipError_t {
    log!("refused: a node of a graph that waits for semaphores or signals them");
    next::remember(hipError_t::hipErrorNotSupported);
    hipError_t::hipErrorNotSupported
}

/// Refused.
///
/// # Safety
/// Any values may be given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGraphAddExternalSemaphoresSignalNode(
    _node: *mut hipGraphNode_t,
    _graph: hipGraph_t,
    _after: *const hipGraphNode_t,
    _count: usize,
    _params: *const hipExternalSemaphoreSignalNodeParams,
) -> hipError_t {
    refuse()
}

/// Refused.
///
/// # Safety
/// Any values may be given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGraphAddExternalSemaphoresWaitNode(
    _node: *mut hipGraphNode_t,
    _graph: hipGraph_t,
    _after: *const hipGraphNode_t,
    _count: usize,
    _params: *const hipExternalSemaphoreWaitNodeParams,
) -> hipError_t {
    refuse()
}

/// Refused for such nodes, and HIP's for all others.
///
/// # Safety
/// That of HIP's function; `params` begin with the node's kind, as `hipGraphNodeParams` do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipGraphAddNode(
    node: *mut hipGraphNode_t,
    graph: hipGraph_t,
    after: *const hipGraphNode_t,
    count: usize,
    params: *mut c_void,
) -> hipError_t {
    use hipGraphNodeType as Kind;
    // SAFETY: as promised by the caller, where it is not null.
    let kind = (!params.is_null()).then(|| unsafe { params.cast::<Kind>().read() });
    if [Kind::hipGraphNodeTypeExtSemaphoreSignal, Kind::hipGraphNodeTypeExtSemaphoreWait].map(Some).contains(&kind) {
        return refuse();
    }
    // SAFETY: as promised by the caller.
    unsafe { next::hipGraphAddNode(node, graph, after, count, params) }
}

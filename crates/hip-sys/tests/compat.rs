//! The same calls on libraries that behave as HIP 5 and as HIP 6 do.
use hip_sys::compat::{CallError, memory_type_from_library, memory_type_to_library};
use hip_sys::*;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

unsafe extern "C" fn version_5(version: *mut c_int) -> hipError_t {
    // SAFETY: the test passes a valid pointer.
    unsafe { *version = 50_731_921 };
    hipError_t::hipSuccess
}
unsafe extern "C" fn version_6(version: *mut c_int) -> hipError_t {
    // SAFETY: as above.
    unsafe { *version = 60_443_484 };
    hipError_t::hipSuccess
}
unsafe extern "C" fn version_7(version: *mut c_int) -> hipError_t {
    // SAFETY: as above.
    unsafe { *version = 70_253_211 };
    hipError_t::hipSuccess
}
unsafe extern "C" fn properties_5(properties: *mut hipDeviceProp_tR0000, device: c_int) -> hipError_t {
    if device != 0 {
        return hipError_t::hipErrorInvalidDevice;
    }
    // SAFETY: as above.
    let properties = unsafe { &mut *properties };
    properties.multiProcessorCount = 120;
    properties.totalGlobalMem = 32 << 30;
    properties.pciBusID = 3;
    properties.isLargeBar = 1;
    hipError_t::hipSuccess
}
unsafe extern "C" fn properties_6(properties: *mut hipDeviceProp_tR0600, _device: c_int) -> hipError_t {
    // SAFETY: as above.
    let properties = unsafe { &mut *properties };
    properties.multiProcessorCount = 104;
    properties.asyncEngineCount = 2;
    hipError_t::hipSuccess
}
/// A device pointer, by HIP 5's number and by HIP 6's.
unsafe extern "C" fn attributes_5(attributes: *mut hipPointerAttribute_t, _pointer: *const c_void) -> hipError_t {
    // SAFETY: as above.
    unsafe { (*attributes).type_ = hipMemoryType(1) };
    hipError_t::hipSuccess
}
unsafe extern "C" fn attributes_6(attributes: *mut hipPointerAttribute_t, _pointer: *const c_void) -> hipError_t {
    // SAFETY: as above.
    unsafe { (*attributes).type_ = hipMemoryType(2) };
    hipError_t::hipSuccess
}
/// Succeeds if the struct is HIP 5's, with the values of the test.
unsafe extern "C" fn memcpy_3d_5(copy: *const HIP_MEMCPY3D_HIP5) -> hipError_t {
    // SAFETY: as above.
    let copy = unsafe { &*copy };
    let sizes = [copy.srcXInBytes, copy.dstPitch, copy.WidthInBytes, copy.Depth];
    if sizes == [1, 2, 3, 4] && copy.srcMemoryType.0 == 0 && copy.dstMemoryType.0 == 1 {
        hipError_t::hipSuccess
    } else {
        hipError_t::hipErrorInvalidValue
    }
}

unsafe extern "C" fn memcpy_3d_async_5(copy: *const HIP_MEMCPY3D_HIP5, stream: hipStream_t) -> hipError_t {
    assert_eq!(stream.addr(), 0x70);
    // SAFETY: as above.
    unsafe { memcpy_3d_5(copy) }
}
/// Succeeds if the struct is HIP 6's, with the values of the test.
unsafe extern "C" fn set_6(
    _: hipGraphExec_t,
    _: hipGraphNode_t,
    parameters: *const HIP_MEMSET_NODE_PARAMS,
    _: hipCtx_t,
) -> hipError_t {
    // SAFETY: as above.
    let p = unsafe { &*parameters };
    expected(p.dst, [p.pitch, p.width, p.height], [p.value, p.elementSize])
}
/// The same for HIP 7's.
unsafe extern "C" fn set_7(
    _: hipGraphExec_t,
    _: hipGraphNode_t,
    parameters: *const hipMemsetParams,
    _: hipCtx_t,
) -> hipError_t {
    // SAFETY: as above.
    let p = unsafe { &*parameters };
    expected(p.dst, [p.pitch, p.width, p.height], [p.value, p.elementSize])
}
unsafe extern "C" fn add_6(
    node: *mut hipGraphNode_t,
    graph: hipGraph_t,
    dependencies: *const hipGraphNode_t,
    count: usize,
    parameters: *const HIP_MEMSET_NODE_PARAMS,
    context: hipCtx_t,
) -> hipError_t {
    // SAFETY: as above.
    unsafe {
        assert_eq!((graph.addr(), count, (*dependencies.add(1)).addr(), context.addr()), (0x10, 2, 0x30, 0x40));
        *node = 0x50 as hipGraphNode_t;
        set_6(std::ptr::null_mut(), *node, parameters, context)
    }
}
unsafe extern "C" fn add_7(
    node: *mut hipGraphNode_t,
    graph: hipGraph_t,
    dependencies: *const hipGraphNode_t,
    count: usize,
    parameters: *const hipMemsetParams,
    context: hipCtx_t,
) -> hipError_t {
    // SAFETY: as above.
    unsafe {
        assert_eq!((graph.addr(), count, (*dependencies.add(1)).addr(), context.addr()), (0x10, 2, 0x30, 0x40));
        *node = 0x50 as hipGraphNode_t;
        set_7(std::ptr::null_mut(), *node, parameters, context)
    }
}
fn expected(dst: *mut c_void, sizes: [usize; 3], numbers: [u32; 2]) -> hipError_t {
    match (dst.addr(), sizes, numbers) {
        (0x7000, [64, 5, 3], [0xab, 4]) => hipError_t::hipSuccess,
        _ => hipError_t::hipErrorInvalidValue,
    }
}
unsafe extern "C" fn max_width(width: *mut usize, format: *const hipChannelFormatDesc, device: c_int) -> hipError_t {
    // SAFETY: as above.
    unsafe { *width = 1 << (*format).x };
    if device == 0 { hipError_t::hipSuccess } else { hipError_t::hipErrorInvalidDevice }
}

fn hip(functions: &'static [(&'static str, usize)]) -> Hip {
    let resolve = |name: &str| {
        let (_, address) = functions.iter().find(|(known, _)| *known == name)?;
        NonNull::new(*address as *mut c_void)
    };
    // SAFETY: the functions have the types that the two versions give them.
    unsafe { Hip::from_resolver("a library of the test's own", resolve) }
}

fn hip_5() -> Hip {
    hip(Box::leak(Box::new([
        ("hipRuntimeGetVersion", version_5 as *const () as usize),
        ("hipGetDeviceProperties", properties_5 as *const () as usize),
        ("hipPointerGetAttributes", attributes_5 as *const () as usize),
        ("hipDrvMemcpy3D", memcpy_3d_5 as *const () as usize),
        ("hipDrvMemcpy3DAsync", memcpy_3d_async_5 as *const () as usize),
    ])))
}

fn hip_6() -> Hip {
    hip(Box::leak(Box::new([
        ("hipRuntimeGetVersion", version_6 as *const () as usize),
        // HIP 6 has the old function too; it must not be the one that is called.
        ("hipGetDeviceProperties", properties_5 as *const () as usize),
        ("hipGetDevicePropertiesR0600", properties_6 as *const () as usize),
        ("hipPointerGetAttributes", attributes_6 as *const () as usize),
        ("hipDrvGraphAddMemsetNode", add_6 as *const () as usize),
        ("hipDrvGraphExecMemsetNodeSetParams", set_6 as *const () as usize),
        ("hipDeviceGetTexture1DLinearMaxWidth", max_width as *const () as usize),
    ])))
}

fn hip_7() -> Hip {
    hip(Box::leak(Box::new([
        ("hipRuntimeGetVersion", version_7 as *const () as usize),
        ("hipDrvGraphAddMemsetNode", add_7 as *const () as usize),
        ("hipDrvGraphExecMemsetNodeSetParams", set_7 as *const () as usize),
        ("hipDeviceGetTexture1DLinearMaxWidth", max_width as *const () as usize),
    ])))
}

#[test]
fn properties_have_one_form() {
    let old = hip_5().device_properties(0).unwrap();
    assert_eq!((old.multiProcessorCount, old.totalGlobalMem, old.pciBusID, old.isLargeBar), (120, 32 << 30, 3, 1));
    assert_eq!(old.asyncEngineCount, 0);
    let new = hip_6().device_properties(0).unwrap();
    assert_eq!((new.multiProcessorCount, new.asyncEngineCount), (104, 2));
}

#[test]
fn an_error_names_the_function_and_the_code() {
    let error = hip_5().device_properties(7).unwrap_err();
    assert!(matches!(error, CallError::Hip { error: hipError_t::hipErrorInvalidDevice, .. }), "{error:?}");
    assert_eq!(error.to_string(), "hipGetDeviceProperties returned hipErrorInvalidDevice (101)");
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn memory_types_have_one_numbering() {
    use hipMemoryType as T;
    for hip in [hip_5(), hip_6()] {
        assert_eq!(hip.pointer_attributes(std::ptr::null()).unwrap().type_, T::hipMemoryTypeDevice);
    }
    for known in [
        T::hipMemoryTypeHost,
        T::hipMemoryTypeDevice,
        T::hipMemoryTypeArray,
        T::hipMemoryTypeUnified,
        T::hipMemoryTypeManaged,
    ] {
        for major in [5, 6, 7] {
            let there = memory_type_to_library(known, major).unwrap();
            assert_eq!(memory_type_from_library(there, major), Some(known));
        }
    }
    assert_eq!(memory_type_to_library(T::hipMemoryTypeManaged, 5), Some(hipMemoryType(4)));
    assert_eq!(memory_type_to_library(T::hipMemoryTypeUnregistered, 5), None);
    assert_eq!(memory_type_from_library(hipMemoryType(9), 5), None);
}

#[test]
fn copies_are_laid_out_as_the_library_reads_them() {
    let mut copy = HIP_MEMCPY3D {
        srcXInBytes: 1,
        dstPitch: 2,
        WidthInBytes: 3,
        Depth: 4,
        srcMemoryType: hipMemoryType::hipMemoryTypeHost,
        dstMemoryType: hipMemoryType::hipMemoryTypeDevice,
        ..Default::default()
    };
    // SAFETY: the function only looks at the struct.
    unsafe { hip_5().drv_memcpy_3d(&copy) }.unwrap();
    // SAFETY: as above.
    unsafe { hip_5().drv_memcpy_3d_async(&copy, 0x70 as hipStream_t) }.unwrap();
    copy.dstPitch = 1 << 32;
    // SAFETY: as above.
    let error = unsafe { hip_5().drv_memcpy_3d(&copy) }.unwrap_err();
    assert_eq!(error.to_string(), "hipDrvMemcpy3D: dstPitch 4294967296 cannot be expressed to HIP 5");
}

#[test]
fn a_value_that_no_header_knows_is_a_number() {
    assert_eq!(format!("{:?}", hipError_t(123_456)), "hipError_t(123456)");
    assert_eq!(format!("{:?}", hipError_t::hipErrorNoDevice), "hipErrorNoDevice");
    assert_eq!(hipError_t(123_456).name(), None);
}

#[test]
fn memset_nodes_have_one_form() {
    let dst = 0x7000 as *mut c_void;
    let parameters = hipMemsetParams { dst, elementSize: 4, height: 3, pitch: 64, value: 0xab, width: 5 };
    let dependencies = [0x20, 0x30].map(|address| address as hipGraphNode_t);
    for hip in [hip_6(), hip_7()] {
        let mut node = std::ptr::null_mut();
        let (graph, context) = (0x10 as hipGraph_t, 0x40 as hipCtx_t);
        // SAFETY: the functions of this test only look at their arguments.
        unsafe { hip.drv_graph_add_memset_node(&mut node, graph, &dependencies, &parameters, context) }.unwrap();
        assert_eq!(node.addr(), 0x50);
        let graph = std::ptr::null_mut();
        // SAFETY: as above.
        unsafe { hip.drv_graph_exec_memset_node_set_params(graph, node, &parameters, context) }.unwrap();
        // SAFETY: as above.
        let error =
            unsafe { hip.drv_graph_exec_memset_node_set_params(graph, node, &hipMemsetParams::default(), context) };
        assert!(matches!(error, Err(CallError::Hip { error: hipError_t::hipErrorInvalidValue, .. })), "{error:?}");
    }
}

#[test]
fn the_widest_texture_is_asked_for_with_a_format() {
    let format = hipChannelFormatDesc { x: 27, ..Default::default() };
    assert_eq!(hip_7().texture_1d_linear_max_width(&format, 0).unwrap(), 1 << 27);
    let error = hip_7().texture_1d_linear_max_width(&format, 1).unwrap_err();
    assert_eq!(error.to_string(), "hipDeviceGetTexture1DLinearMaxWidth returned hipErrorInvalidDevice (101)");
    let error = hip_6().texture_1d_linear_max_width(&format, 0).unwrap_err();
    assert_eq!(error.to_string(), "hipDeviceGetTexture1DLinearMaxWidth: a channel format cannot be expressed to HIP 6");
}

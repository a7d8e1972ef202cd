//! One form for functions and structs whose binary layout or parameters changed between major versions of HIP under the
//! same name.
//!
//! | | HIP 5 | HIP 6 and 7 | here |
//! |---|---|---|---|
//! | `hipDeviceProp_t` | [`hipDeviceProp_tR0000`], filled in by `hipGetDeviceProperties` | [`hipDeviceProp_tR0600`], by `hipGetDevicePropertiesR0600` | [`Hip::device_properties`] |
//! | `hipMemoryType` | host 0, device 1, array 2, unified 3, managed 4 | unregistered 0, host 1, device 2, managed 3, array 10, unified 11 | [`memory_type_to_library`], [`memory_type_from_library`], [`Hip::pointer_attributes`], [`Hip::memcpy_param_2d`] |
//! | `HIP_MEMCPY3D` | sizes are `unsigned int` | sizes are `size_t` | [`Hip::drv_memcpy_3d`], [`Hip::drv_memcpy_3d_async`] |
//!
//! | | HIP 5 and 6 | HIP 7 | here |
//! |---|---|---|---|
//! | `hipDrvGraphAddMemsetNode`, `hipDrvGraphExecMemsetNodeSetParams` | take `HIP_MEMSET_NODE_PARAMS` | take [`hipMemsetParams`], which has the same fields elsewhere: an older library would take the pitch for the element's size | [`Hip::drv_graph_add_memset_node`], [`Hip::drv_graph_exec_memset_node_set_params`] |
//! | `hipDeviceGetTexture1DLinearMaxWidth` | declared by HIP 6.4, without a format and with another result | takes a format | [`Hip::texture_1d_linear_max_width`] |
//!
//! The generator of this crate fails at any other function whose parameters changed without a new name.
//!
//! Not covered: `hipExternalSemaphoreSignalParams` and `hipExternalSemaphoreWaitParams` (other offsets in HIP 5),
//! `hipMemAllocationProp` (other offsets in HIP 5.2) and the values of `hipGraphNodeType` (other numbers in HIP 5.2).
//! Their types here are those of HIP 7.2; do not use them with these older libraries.
//!
//! Which of the two a library has is asked of the library ([`Hip::major_version`]), never guessed from its file name.
use crate::*;
use std::ffi::{c_int, c_uint, c_void};
use std::fmt;

/// Why a call of this module did not succeed.
#[non_exhaustive]
pub enum CallError {
    /// The library lacks a function.
    Load(LoadError),
    /// The function returned an error.
    Hip {
        /// The function.
        function: &'static str,
        /// What it returned.
        error: hipError_t,
    },
    /// An argument that this library's version cannot express.
    Unrepresentable {
        /// The function.
        function: &'static str,
        /// The field and its value.
        field: String,
        /// The library's major version.
        major: c_int,
    },
}

/// The text of `Display`, as `main` prints an error by this.
impl fmt::Debug for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::Hip { function, error } => write!(f, "{function} returned {error:?} ({})", error.0),
            Self::Unrepresentable { function, field, major } => {
                write!(f, "{function}: {field} cannot be expressed to HIP {major}")
            }
        }
    }
}

// No `source`: the text of a `LoadError` is quoted already.
impl std::error::Error for CallError {}

impl From<LoadError> for CallError {
    fn from(error: LoadError) -> Self {
        Self::Load(error)
    }
}

fn check(function: &'static str, error: hipError_t) -> Result<(), CallError> {
    if error == hipError_t::hipSuccess { Ok(()) } else { Err(CallError::Hip { function, error }) }
}

/// The number that a library of this major version gives to a memory type of the newest header; `None` if it has none.
pub fn memory_type_to_library(memory_type: hipMemoryType, major: c_int) -> Option<hipMemoryType> {
    if major >= 6 {
        return Some(memory_type);
    }
    HIP5_MEMORY_TYPES.iter().position(|known| *known == memory_type).map(|number| hipMemoryType(number as c_uint))
}

/// The newest header's form of a memory type that a library of this major version returned; `None` if its header does
/// not know it.
pub fn memory_type_from_library(memory_type: hipMemoryType, major: c_int) -> Option<hipMemoryType> {
    if major >= 6 { Some(memory_type) } else { HIP5_MEMORY_TYPES.get(memory_type.0 as usize).copied() }
}

/// By their numbers in HIP 5.
const HIP5_MEMORY_TYPES: [hipMemoryType; 5] = [
    hipMemoryType::hipMemoryTypeHost,
    hipMemoryType::hipMemoryTypeDevice,
    hipMemoryType::hipMemoryTypeArray,
    hipMemoryType::hipMemoryTypeUnified,
    hipMemoryType::hipMemoryTypeManaged,
];

impl Hip {
    /// The library's version: major (5, 6, 7), minor, and patch.
    ///
    /// # Errors
    /// What `hipRuntimeGetVersion` returns; it needs no device.
    pub fn version(&self) -> Result<(c_int, c_int, c_int), CallError> {
        let mut version = 0;
        // SAFETY: the pointer is valid for one c_int.
        check("hipRuntimeGetVersion", unsafe { self.hipRuntimeGetVersion(&mut version) }?)?;
        Ok((version / 10_000_000, version / 100_000 % 100, version % 100_000))
    }

    /// The library's major version: 5, 6, 7.
    ///
    /// # Errors
    /// As of [`version`](Self::version).
    pub fn major_version(&self) -> Result<c_int, CallError> {
        Ok(self.version()?.0)
    }

    /// Properties of a device in the form of HIP 6. From a HIP 5 library, fields that HIP 5 does not have are zero.
    ///
    /// # Errors
    /// What `hipGetDeviceProperties` returns, `hipErrorInvalidDevice` for an ordinal that is none.
    pub fn device_properties(&self, device: c_int) -> Result<hipDeviceProp_tR0600, CallError> {
        let mut new = hipDeviceProp_tR0600::default();
        // SAFETY: the pointer is valid for the struct of the function of this name.
        match unsafe { self.hipGetDevicePropertiesR0600(&mut new, device) } {
            Ok(error) => check("hipGetDevicePropertiesR0600", error)?,
            Err(LoadError::FunctionMissing { .. }) => {
                let mut old = hipDeviceProp_tR0000::default();
                // SAFETY: a library without the R0600 function is one of HIP 5, whose function fills in this struct.
                check("hipGetDeviceProperties", unsafe { self.hipGetDeviceProperties(&mut old, device) }?)?;
                new = upgrade(&old);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(new)
    }

    /// Attributes of a pointer, with the memory type numbered as in the newest header.
    ///
    /// # Errors
    /// What `hipPointerGetAttributes` returns: `hipErrorInvalidValue` for a pointer that HIP 5 does not know, where HIP
    /// 6 says `hipMemoryTypeUnregistered`.
    #[expect(clippy::not_unsafe_ptr_arg_deref, reason = "HIP looks the address up and does not read what it points to")]
    pub fn pointer_attributes(&self, pointer: *const c_void) -> Result<hipPointerAttribute_t, CallError> {
        const FUNCTION: &str = "hipPointerGetAttributes";
        let major = self.major_version()?;
        let mut attributes = hipPointerAttribute_t::default();
        // SAFETY: the result is valid for one struct, which all versions lay out alike; the pointer is only looked up.
        check(FUNCTION, unsafe { self.hipPointerGetAttributes(&mut attributes, pointer) }?)?;
        let raw = attributes.type_;
        attributes.type_ = memory_type_from_library(raw, major).ok_or_else(|| CallError::Unrepresentable {
            function: FUNCTION,
            field: format!("the answer, memory type {},", raw.0),
            major,
        })?;
        Ok(attributes)
    }

    /// `hipMemcpyParam2D`, with memory types numbered as in the newest header.
    ///
    /// # Errors
    /// What `hipMemcpyParam2D` returns, or [`CallError::Unrepresentable`].
    ///
    /// # Safety
    /// The addresses must be valid for the copy.
    pub unsafe fn memcpy_param_2d(&self, copy: &hip_Memcpy2D) -> Result<(), CallError> {
        const FUNCTION: &str = "hipMemcpyParam2D";
        let major = self.major_version()?;
        let mut copy = *copy;
        copy.srcMemoryType = to_library(FUNCTION, copy.srcMemoryType, major)?;
        copy.dstMemoryType = to_library(FUNCTION, copy.dstMemoryType, major)?;
        // SAFETY: the caller's promise.
        check(FUNCTION, unsafe { self.hipMemcpyParam2D(&copy) }?)
    }

    /// `hipDrvMemcpy3D`, with the struct of HIP 6 and memory types numbered as in the newest header.
    ///
    /// # Errors
    /// What `hipDrvMemcpy3D` returns, or [`CallError::Unrepresentable`] if a size is too large for HIP 5.
    ///
    /// # Safety
    /// The addresses must be valid for the copy.
    pub unsafe fn drv_memcpy_3d(&self, copy: &HIP_MEMCPY3D) -> Result<(), CallError> {
        // SAFETY: the caller's promise; what is passed is the struct that this library reads.
        unsafe { self.with_memcpy_3d("hipDrvMemcpy3D", copy, |copy| self.hipDrvMemcpy3D(copy)) }
    }

    /// `hipDrvMemcpy3DAsync`, likewise. The struct is read before this returns.
    ///
    /// # Errors
    /// As [`drv_memcpy_3d`](Self::drv_memcpy_3d).
    ///
    /// # Safety
    /// The addresses must be valid until the copy is done.
    pub unsafe fn drv_memcpy_3d_async(&self, copy: &HIP_MEMCPY3D, stream: hipStream_t) -> Result<(), CallError> {
        // SAFETY: as above.
        unsafe { self.with_memcpy_3d("hipDrvMemcpy3DAsync", copy, |copy| self.hipDrvMemcpy3DAsync(copy, stream)) }
    }

    /// # Safety
    /// `call` must be sound for a pointer to what this library's version has as `HIP_MEMCPY3D`.
    unsafe fn with_memcpy_3d(
        &self,
        function: &'static str,
        copy: &HIP_MEMCPY3D,
        call: impl FnOnce(*const HIP_MEMCPY3D) -> Result<hipError_t, LoadError>,
    ) -> Result<(), CallError> {
        let major = self.major_version()?;
        let mut copy = *copy;
        copy.srcMemoryType = to_library(function, copy.srcMemoryType, major)?;
        copy.dstMemoryType = to_library(function, copy.dstMemoryType, major)?;
        let error = if major >= 6 {
            call(&copy)?
        } else {
            // HIP 5 reads its own struct through the pointer.
            let old = downgrade(function, &copy, major)?;
            call((&raw const old).cast())?
        };
        check(function, error)
    }

    /// `hipDrvGraphAddMemsetNode`, with the parameters of HIP 7.
    ///
    /// # Errors
    /// What `hipDrvGraphAddMemsetNode` returns.
    ///
    /// # Safety
    /// As HIP says of the function.
    pub unsafe fn drv_graph_add_memset_node(
        &self,
        node: &mut hipGraphNode_t,
        graph: hipGraph_t,
        dependencies: &[hipGraphNode_t],
        parameters: &hipMemsetParams,
        context: hipCtx_t,
    ) -> Result<(), CallError> {
        let call = |parameters| {
            // SAFETY: the caller's promise; the parameters are what this library reads.
            unsafe {
                self.hipDrvGraphAddMemsetNode(
                    node,
                    graph,
                    dependencies.as_ptr(),
                    dependencies.len(),
                    parameters,
                    context,
                )
            }
        };
        self.with_memset("hipDrvGraphAddMemsetNode", parameters, call)
    }

    /// `hipDrvGraphExecMemsetNodeSetParams`, with the parameters of HIP 7.
    ///
    /// # Errors
    /// What `hipDrvGraphExecMemsetNodeSetParams` returns.
    ///
    /// # Safety
    /// As HIP says of the function.
    pub unsafe fn drv_graph_exec_memset_node_set_params(
        &self,
        graph: hipGraphExec_t,
        node: hipGraphNode_t,
        parameters: &hipMemsetParams,
        context: hipCtx_t,
    ) -> Result<(), CallError> {
        // SAFETY: the caller's promise; the parameters are what this library reads.
        let call = |parameters| unsafe { self.hipDrvGraphExecMemsetNodeSetParams(graph, node, parameters, context) };
        self.with_memset("hipDrvGraphExecMemsetNodeSetParams", parameters, call)
    }

    /// Gives `call` a pointer to the parameters as this library's version has them.
    fn with_memset(
        &self,
        function: &'static str,
        parameters: &hipMemsetParams,
        call: impl FnOnce(*const hipMemsetParams) -> Result<hipError_t, LoadError>,
    ) -> Result<(), CallError> {
        if self.major_version()? >= 7 {
            return check(function, call(parameters)?);
        }
        let hipMemsetParams { dst, elementSize, height, pitch, value, width } = *parameters;
        let old = HIP_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height };
        check(function, call((&raw const old).cast())?)
    }

    /// `hipDeviceGetTexture1DLinearMaxWidth`: the most elements of this format that a linear texture of one dimension
    /// has.
    ///
    /// # Errors
    /// What the function returns, or [`CallError::Unrepresentable`] with a library older than HIP 7, whose function, if
    /// it has one, takes no format.
    pub fn texture_1d_linear_max_width(
        &self,
        format: &hipChannelFormatDesc,
        device: c_int,
    ) -> Result<usize, CallError> {
        const FUNCTION: &str = "hipDeviceGetTexture1DLinearMaxWidth";
        let major = self.major_version()?;
        if major < 7 {
            let field = "a channel format".to_owned();
            return Err(CallError::Unrepresentable { function: FUNCTION, field, major });
        }
        let mut width = 0;
        // SAFETY: both pointers are valid for what HIP 7 reads and writes.
        check(FUNCTION, unsafe { self.hipDeviceGetTexture1DLinearMaxWidth(&mut width, format, device) }?)?;
        Ok(width)
    }
}

fn to_library(function: &'static str, memory_type: hipMemoryType, major: c_int) -> Result<hipMemoryType, CallError> {
    memory_type_to_library(memory_type, major).ok_or_else(|| CallError::Unrepresentable {
        function,
        field: format!("{memory_type:?}"),
        major,
    })
}

fn downgrade(function: &'static str, new: &HIP_MEMCPY3D, major: c_int) -> Result<HIP_MEMCPY3D_HIP5, CallError> {
    let mut old = HIP_MEMCPY3D_HIP5 {
        srcMemoryType: new.srcMemoryType,
        srcHost: new.srcHost,
        srcDevice: new.srcDevice,
        srcArray: new.srcArray,
        dstMemoryType: new.dstMemoryType,
        dstHost: new.dstHost,
        dstDevice: new.dstDevice,
        dstArray: new.dstArray,
        ..Default::default()
    };
    macro_rules! sizes {
        ($($field:ident)*) => {$(
            old.$field = new.$field.try_into().map_err(|_| CallError::Unrepresentable {
                function,
                field: format!(concat!(stringify!($field), " {}"), new.$field),
                major,
            })?;
        )*};
    }
    sizes!(srcXInBytes srcY srcZ srcLOD srcPitch srcHeight dstXInBytes dstY dstZ dstLOD dstPitch dstHeight WidthInBytes Height Depth);
    Ok(old)
}

fn upgrade(old: &hipDeviceProp_tR0000) -> hipDeviceProp_tR0600 {
    macro_rules! same {
        ($($field:ident)*) => { hipDeviceProp_tR0600 { $($field: old.$field,)* ..Default::default() } };
    }
    same!(name totalGlobalMem sharedMemPerBlock regsPerBlock warpSize maxThreadsPerBlock maxThreadsDim maxGridSize clockRate
        memoryClockRate memoryBusWidth totalConstMem major minor multiProcessorCount l2CacheSize maxThreadsPerMultiProcessor
        computeMode clockInstructionRate arch concurrentKernels pciDomainID pciBusID pciDeviceID maxSharedMemoryPerMultiProcessor
        isMultiGpuBoard canMapHostMemory gcnArchName integrated cooperativeLaunch cooperativeMultiDeviceLaunch maxTexture1DLinear
        maxTexture1D maxTexture2D maxTexture3D hdpMemFlushCntl hdpRegFlushCntl memPitch textureAlignment texturePitchAlignment
        kernelExecTimeoutEnabled ECCEnabled tccDriver cooperativeMultiDeviceUnmatchedFunc cooperativeMultiDeviceUnmatchedGridDim
        cooperativeMultiDeviceUnmatchedBlockDim cooperativeMultiDeviceUnmatchedSharedMem isLargeBar asicRevision managedMemory
        directManagedMemAccessFromHost concurrentManagedAccess pageableMemoryAccess pageableMemoryAccessUsesHostPageTables)
}

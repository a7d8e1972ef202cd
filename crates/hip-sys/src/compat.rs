//! What changed its binary layout under the same name between HIP 5 and HIP 6, in one form for both.
//!
//! | | HIP 5 | HIP 6 and 7 | here |
//! |---|---|---|---|
//! | `hipDeviceProp_t` | [`hipDeviceProp_tR0000`], filled in by `hipGetDeviceProperties` | [`hipDeviceProp_tR0600`], by `hipGetDevicePropertiesR0600` | [`Hip::device_properties`] |
//! | `hipMemoryType` | host 0, device 1, array 2, unified 3, managed 4 | unregistered 0, host 1, device 2, managed 3, array 10, unified 11 | [`memory_type_to_library`], [`memory_type_from_library`], [`Hip::pointer_attributes`], [`Hip::memcpy_param_2d`] |
//! | `HIP_MEMCPY3D` | sizes are `unsigned int` | sizes are `size_t` | [`Hip::drv_memcpy_3d`] |
//!
//! Not covered: `hipExternalSemaphoreSignalParams` and `hipExternalSemaphoreWaitParams` (other offsets in HIP 5), `hipMemAllocationProp` (other offsets in
//! HIP 5.2) and the values of `hipGraphNodeType` (other numbers in HIP 5.2). Their types here are those of HIP 7.1; do not use them with these older libraries.
//!
//! Which of the two a library has is asked of the library ([`Hip::major_version`]), never guessed from its file name.
use crate::*;
use std::ffi::{c_int, c_uint, c_void};
use std::fmt;

/// Why a call of this module did not succeed.
#[derive(Debug)]
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
        what: String,
        /// The library's major version.
        major: c_int,
    },
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::Hip { function, error } => write!(f, "{function} returned {error:?} ({})", error.0),
            Self::Unrepresentable { function, what, major } => {
                write!(f, "{function}: {what} cannot be expressed to HIP {major}")
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

/// The newest header's form of a memory type that a library of this major version returned; `None` if its header does not know it.
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
    /// The library's major version: 5, 6, 7.
    ///
    /// # Errors
    /// What `hipRuntimeGetVersion` returns; it needs no device.
    pub fn major_version(&self) -> Result<c_int, CallError> {
        let mut version = 0;
        // SAFETY: the pointer is valid for one c_int.
        check("hipRuntimeGetVersion", unsafe { self.hipRuntimeGetVersion(&mut version) }?)?;
        Ok(version / 10_000_000)
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
    /// What `hipPointerGetAttributes` returns: `hipErrorInvalidValue` for a pointer that HIP 5 does not know, where HIP 6 says
    /// `hipMemoryTypeUnregistered`.
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
            what: format!("the answer, memory type {},", raw.0),
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
        const FUNCTION: &str = "hipDrvMemcpy3D";
        let major = self.major_version()?;
        let mut copy = *copy;
        copy.srcMemoryType = to_library(FUNCTION, copy.srcMemoryType, major)?;
        copy.dstMemoryType = to_library(FUNCTION, copy.dstMemoryType, major)?;
        let error = if major >= 6 {
            // SAFETY: the caller's promise.
            unsafe { self.hipDrvMemcpy3D(&copy) }?
        } else {
            let old = downgrade(&copy, major)?;
            // SAFETY: the caller's promise; HIP 5 reads its own struct through the pointer.
            unsafe { self.hipDrvMemcpy3D((&raw const old).cast()) }?
        };
        check(FUNCTION, error)
    }
}

fn to_library(function: &'static str, memory_type: hipMemoryType, major: c_int) -> Result<hipMemoryType, CallError> {
    memory_type_to_library(memory_type, major).ok_or_else(|| CallError::Unrepresentable {
        function,
        what: format!("{memory_type:?}"),
        major,
    })
}

fn downgrade(new: &HIP_MEMCPY3D, major: c_int) -> Result<HIP_MEMCPY3D_HIP5, CallError> {
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
                function: "hipDrvMemcpy3D",
                what: format!(concat!(stringify!($field), " {}"), new.$field),
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

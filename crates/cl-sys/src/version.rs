//! Finds the OpenCL version that an object's platform implements.
use crate::*;
use std::ffi::CStr;
use std::fmt;

/// Why a function of OpenCL was not called.
#[non_exhaustive]
pub enum CallError {
    /// The loader lacks it.
    Load(LoadError),
    /// It belongs to a newer version of OpenCL than the object's platform implements, and must not be called.
    VersionTooOld {
        /// The function.
        function: &'static str,
        /// The version that has it.
        needed: String,
        /// The version at hand.
        found: String,
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
            Self::VersionTooOld { function, needed, found } => write!(
                f,
                "{function} needs {needed}, but this is {found}: do without the function, or use another implementation"
            ),
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

/// Functions newer than OpenCL 2.0 are called only if the platform of their first argument has them.
macro_rules! check_version {
    ($self:ident, $name:ident, "2.1", $object:ident $($rest:tt)*) => {
        $self.require(stringify!($name), (2, 1), $object)?
    };
    ($self:ident, $name:ident, "2.2", $object:ident $($rest:tt)*) => {
        $self.require(stringify!($name), (2, 2), $object)?
    };
    ($self:ident, $name:ident, "3.0", $object:ident $($rest:tt)*) => {
        $self.require(stringify!($name), (3, 0), $object)?
    };
    ($($older:tt)*) => {};
}

/// A handle that leads to its platform.
pub(crate) trait Object: Copy {
    fn is_null(self) -> bool;
    /// The platform, or null if the implementation does not say.
    ///
    /// # Safety
    /// The handle must be valid.
    unsafe fn platform(self, cl: &Cl) -> Result<cl_platform_id, CallError>;
}

/// Queries a handle through one of the `clGet*Info` functions.
macro_rules! handle {
    ($cl:ident.$get:ident($object:expr, $what:ident) -> $handle:ty) => {{
        let mut handle: $handle = std::ptr::null_mut();
        let room = std::mem::size_of::<$handle>();
        // SAFETY: the object is valid by the caller's promise, and the result has room for one handle.
        unsafe { $cl.$get($object, $what, room, (&raw mut handle).cast(), std::ptr::null_mut()) }?;
        handle
    }};
}

impl Object for cl_device_id {
    fn is_null(self) -> bool {
        self.is_null()
    }
    unsafe fn platform(self, cl: &Cl) -> Result<cl_platform_id, CallError> {
        Ok(handle!(cl.clGetDeviceInfo(self, CL_DEVICE_PLATFORM) -> cl_platform_id))
    }
}

impl Object for cl_context {
    fn is_null(self) -> bool {
        self.is_null()
    }
    unsafe fn platform(self, cl: &Cl) -> Result<cl_platform_id, CallError> {
        let mut size = 0;
        // SAFETY: only the size is asked for.
        unsafe { cl.clGetContextInfo(self, CL_CONTEXT_DEVICES, 0, std::ptr::null_mut(), &mut size) }?;
        let mut devices: Vec<cl_device_id> = vec![std::ptr::null_mut(); size / size_of::<cl_device_id>()];
        let room = std::mem::size_of_val(devices.as_slice());
        let result = devices.as_mut_ptr().cast();
        // SAFETY: `devices` has the room it is said to have.
        unsafe { cl.clGetContextInfo(self, CL_CONTEXT_DEVICES, room, result, std::ptr::null_mut()) }?;
        match devices.first() {
            // SAFETY: a device of a valid context is valid. All devices of a context are of one platform.
            Some(device) if !device.is_null() => unsafe { device.platform(cl) },
            _ => Ok(std::ptr::null_mut()),
        }
    }
}

/// Objects that belong to a context.
macro_rules! of_context {
    ($object:ty, $get:ident, $what:ident) => {
        impl Object for $object {
            fn is_null(self) -> bool {
                self.is_null()
            }
            unsafe fn platform(self, cl: &Cl) -> Result<cl_platform_id, CallError> {
                let context = handle!(cl.$get(self, $what) -> cl_context);
                if context.is_null() {
                    return Ok(std::ptr::null_mut());
                }
                // SAFETY: an object keeps its context.
                unsafe { context.platform(cl) }
            }
        }
    };
}
of_context!(cl_command_queue, clGetCommandQueueInfo, CL_QUEUE_CONTEXT);
of_context!(cl_program, clGetProgramInfo, CL_PROGRAM_CONTEXT);
of_context!(cl_kernel, clGetKernelInfo, CL_KERNEL_CONTEXT);

impl Cl {
    /// Refuses if the platform of `object` is older than `needed`. A null object passes: the loader itself refuses it.
    pub(crate) fn require(
        &self,
        function: &'static str,
        needed: (u32, u32),
        object: impl Object,
    ) -> Result<(), CallError> {
        if object.is_null() {
            return Ok(());
        }
        // SAFETY: the caller of the function that is being checked promises that its arguments are valid.
        let platform = unsafe { object.platform(self) }?;
        let found = self.platform_version(platform)?;
        if parse(&found).is_some_and(|version| version >= needed) {
            return Ok(());
        }
        let needed = format!("OpenCL {}.{}", needed.0, needed.1);
        Err(CallError::VersionTooOld { function, needed, found })
    }

    fn platform_version(&self, platform: cl_platform_id) -> Result<String, CallError> {
        let mut text = [0u8; 256];
        if !platform.is_null() {
            let result = text.as_mut_ptr().cast();
            // SAFETY: the platform came from the loader, and `text` has the room it is said to have, one byte more for
            // the end.
            unsafe {
                self.clGetPlatformInfo(platform, CL_PLATFORM_VERSION, text.len() - 1, result, std::ptr::null_mut())
            }?;
        }
        let text = CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy();
        Ok(if text.is_empty() { "a platform that does not tell its version".into() } else { text.into_owned() })
    }
}

/// `OpenCL 2.1 AMD-APP (3513.0)` is (2, 1).
fn parse(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.strip_prefix("OpenCL ")?.split(' ').next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn platform_versions_are_read() {
        assert_eq!(parse("OpenCL 2.1 AMD-APP (3513.0)"), Some((2, 1)));
        assert_eq!(parse("OpenCL 3.0 PoCL 3.1+debian"), Some((3, 0)));
        assert_eq!(parse("OpenCL 3.0"), Some((3, 0)));
        assert_eq!(parse("a platform that does not tell its version"), None);
        assert_eq!(parse("OpenCL three"), None);
    }
}

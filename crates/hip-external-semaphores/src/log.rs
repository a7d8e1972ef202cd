//! The log file of the library.

use interposition::log::Log;

/// `HIP_EXTERNAL_SEMAPHORES_LOG` names it.
pub static LOG: Log = Log::new("HIP_EXTERNAL_SEMAPHORES_LOG", "hip-external-semaphores");

/// Appends a line to the log if there is one.
macro_rules! log {
    ($($text:tt)*) => {
        $crate::log::LOG.append(format_args!($($text)*))
    };
}
pub(crate) use log;

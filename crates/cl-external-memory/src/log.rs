//! The log file of the layer.

use interposition::log::Log;

/// `CL_EXTERNAL_MEMORY_LOG` names it.
pub static LOG: Log = Log::new("CL_EXTERNAL_MEMORY_LOG", "cl-external-memory");

/// Appends a line to the log if there is one.
macro_rules! log {
    ($($text:tt)*) => {
        $crate::log::LOG.append(format_args!($($text)*))
    };
}
pub(crate) use log;

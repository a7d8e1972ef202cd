//! The preloaded library `librocm_trace.so`: functions that replace those of the program's libraries and record the
//! calls.
//!
//! Each function records its call and passes it on to the next library's function of its name, with the arguments as
//! they came. So the library can be preloaded in front of another that stands for a device.

pub mod calls;
pub mod dlsym;
#[macro_use]
pub mod functions;
pub mod hooks;
pub mod kernels;
pub mod packets;
mod readable;
pub mod system;

use crate::recorder;

/// Runs before the program's own code, so that whatever is made once is there before that handles signals. Constructors
/// of the libraries that it is linked with run earlier, and may have threads by now.
extern "C" fn initialise() {
    dlsym::resolve();
    system::LIBC.resolve();
    recorder::enabled();
}

#[used]
#[unsafe(link_section = ".init_array")]
static INITIALISE: extern "C" fn() = initialise;

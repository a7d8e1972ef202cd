//! What stands in front of a program's libraries when `librocm_trace.so` is preloaded.
//!
//! Each function records its call and passes it on to the next library's function of its name, with the arguments as they came. So the
//! library can be preloaded in front of another that stands for a device.

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

/// Runs when the library is loaded, so that whatever is made once is there before the program has threads, forks or handles signals.
extern "C" fn initialise() {
    dlsym::resolve();
    system::resolve();
    recorder::initialise();
}

#[used]
#[unsafe(link_section = ".init_array")]
static INITIALISE: extern "C" fn() = initialise;

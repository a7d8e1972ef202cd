//! What the code of a region is called with.

use crate::jit::x64::avx2::Frame;
use crate::machine::bus::Window;
use crate::machine::memory::WINDOWS;
use gcn_alu::wave::Lanes;

/// What the code is called with. It reads these fields by their offsets.
#[repr(C)]
pub(crate) struct Context {
    pub sgpr: *mut u32,
    pub vgpr: *mut Lanes,
    pub scc: *mut bool,
    pub lds: *mut u8,
    pub lds_bytes: usize,
    pub windows: *const [Window; WINDOWS],
    /// Instructions that are left of the turn.
    pub left: u64,
    /// The turn ends where the wave waits for vector memory.
    pub leaving: bool,
    /// What code without AVX-512 has registers and masks in.
    pub frame: *mut Frame,
}

//! Names of kernels for the trace, found by their code, because a dispatch packet has only its address.

use super::access::Memory;
use super::symbols::Image;
use crate::hardware::gpu::Gpu;
use crate::trace::Fields;
use gcn::bus::MemoryFault;

/// Bytes from the kernel's entry that make its digest.
const LENGTH: u64 = 256;

/// Kernels by which AMD's runtimes copy and fill, by digest: ROCr's own, and those that HIP compiles when it starts.
/// They were found by tracing programs that do nothing else, on ROCr 5.2, 6.1 and 6.4 and HIP 5.2, 5.7 and 6.4.
const KNOWN: &[(u64, &str)] = &[
    (0xaef2_6b74_f59c_065f, "ROCr: copy, aligned"),
    (0x14f3_ff5e_3bf2_e13b, "ROCr: copy, misaligned"),
    (0x2675_d295_031d_319f, "ROCr: copy, aligned"),
    (0x6cfc_f063_a5ed_fefb, "ROCr: copy, misaligned"),
    (0x6da6_d169_d633_84fd, "HIP: copy"),
    (0xbc0b_eb71_5a4e_8016, "HIP: fill"),
    (0x9b3d_f4ea_8023_366d, "HIP: copy"),
    (0x45dc_2fa5_a744_1ebc, "HIP: fill"),
    (0x66dd_da3f_4370_5509, "HIP: copy"),
    (0x591f_f2d3_435c_bd7a, "HIP: fill"),
];

/// Adds a description of the kernel whose descriptor is at `object`.
pub fn describe<'f>(gpu: &Gpu, object: u64, line: &'f mut Fields) -> &'f mut Fields {
    let Ok(digest) = digest(&Memory::enter(gpu), object) else { return line };
    line.address("code", digest);
    match named(digest) {
        Some(name) => line.text("kernel", name),
        None => line,
    }
}

/// The name of the kernel whose descriptor is at `object`, if it is one of these.
pub fn name(memory: &Memory, object: u64) -> Option<&'static str> {
    named(digest(memory, object).ok()?)
}

/// Device address of the first instruction of the kernel whose descriptor is at `object`.
pub fn entry(memory: &Memory, object: u64) -> Result<u64, MemoryFault> {
    // KERNEL_CODE_ENTRY_BYTE_OFFSET of the descriptor.
    Ok(object.wrapping_add(memory.load_u64(object.wrapping_add(16))?))
}

/// The name of the kernel whose descriptor is at `object`, from its code object or from the known kernels.
pub fn kernel(memory: &Memory, object: u64) -> Option<String> {
    let entry = entry(memory, object).ok()?;
    let function = Image::around(memory, entry).and_then(|image| image.function(entry));
    function.map(|(name, _)| name).or_else(|| name(memory, object).map(str::to_owned))
}

fn named(digest: u64) -> Option<&'static str> {
    KNOWN.iter().find(|(known, _)| *known == digest).map(|(_, name)| *name)
}

/// FNV-1a of the code, as far as its page goes: what is behind a short kernel there is part of what was loaded with it.
fn digest(memory: &Memory, object: u64) -> Result<u64, MemoryFault> {
    let entry = entry(memory, object)?;
    let mut code = [0; LENGTH as usize];
    let length = LENGTH.min(crate::backing::PAGE - entry % crate::backing::PAGE) as usize;
    memory.read(entry, &mut code[..length])?;
    let fnv = |digest: u64, byte: &u8| (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    Ok(code[..length].iter().fold(0xcbf2_9ce4_8422_2325, fnv))
}

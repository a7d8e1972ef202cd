//! Names of functions in loaded code objects.
//!
//! Nothing tells a GPU what it runs. But loaders put the segments of a code object (an ELF file) into memory as they
//! are, and the first one has the file's header and its dynamic symbols (AMDGPUUsage, "Code Object"; the linker lays it
//! out so). So they can be looked for from the code downwards. All of it is the program's memory: none of it is
//! believed.

use super::access::Memory;
use crate::backing::PAGE;
use gcn::bus::Access;

/// How far below the code its file's header is looked for, in bytes. What is linked for a GPU has 4 GiB at most, and
/// mostly less than this.
const REACH: u64 = 1 << 30;
/// Program headers, entries of the dynamic table, symbols and bytes of a name that are looked at.
const HEADERS: u64 = 128;
const ENTRIES: u64 = 256;
const SYMBOLS: u32 = 1 << 20;
const NAME: u64 = 4096;

// The ELF specification (gABI), "Program Header", "Dynamic Section", "Symbol Table".
const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const DT_NULL: u64 = 0;
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const STT_FUNC: u8 = 2;
/// Bytes of a symbol.
const SYMBOL: u64 = 24;

/// Memory that has code.
struct Mapped<'a> {
    memory: &'a Memory<'a>,
    start: u64,
    end: u64,
}

impl Mapped<'_> {
    fn read<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes)?;
        Some(bytes)
    }

    fn fill(&self, at: u64, bytes: &mut [u8]) -> Option<()> {
        let is_within = at >= self.start && at.checked_add(bytes.len() as u64)? <= self.end;
        if is_within { self.memory.read(at, bytes).ok() } else { None }
    }
}

/// A code object in memory.
pub struct Image<'a> {
    mapped: Mapped<'a>,
    /// What its addresses count from.
    base: u64,
    strings: u64,
    symbols: u64,
    count: u32,
}

/// The start of the file of a code object: 64 bits, little-endian, `ELFOSABI_AMDGPU_HSA`.
fn is_header(bytes: &[u8; 64]) -> bool {
    const EM_AMDGPU: [u8; 2] = [0xe0, 0];
    bytes[..8] == *b"\x7fELF\x02\x01\x01\x40" && bytes[18..20] == EM_AMDGPU
}

impl<'a> Image<'a> {
    /// The address in the code object's own addresses, if it is in the same memory.
    pub fn offset(&self, address: u64) -> Option<u64> {
        (self.mapped.start..self.mapped.end).contains(&address).then(|| address.wrapping_sub(self.base))
    }

    /// The code object that has the code at `address`.
    pub fn around(memory: &'a Memory<'a>, address: u64) -> Option<Image<'a>> {
        let (start, end) = memory.mapping(address, Access::Read)?;
        let lowest = start.max(address.saturating_sub(REACH));
        let mut page = address & !(PAGE - 1);
        while page >= lowest {
            let mapped = Mapped { memory, start, end };
            if let Some(header) = mapped.read(page).filter(is_header)
                && let Some(image) = Image::at(mapped, page, &header)
                && image.function(address).is_some()
            {
                return Some(image);
            }
            page = page.checked_sub(PAGE)?;
        }
        None
    }

    fn at(mapped: Mapped<'a>, start: u64, header: &[u8; 64]) -> Option<Image<'a>> {
        let half = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let [headers] = quads(header, [32]);
        let (size, count) = (half(54), half(56).min(HEADERS));
        let (mut base, mut dynamic) = (None, None);
        for index in 0..count {
            let bytes: [u8; 56] = mapped.read(start.wrapping_add(headers).wrapping_add(index * size))?;
            let [offset, address] = quads(&bytes, [8, 16]);
            match u32::from_le_bytes(*bytes.first_chunk()?) {
                PT_LOAD if offset == 0 => base = Some(start.wrapping_sub(address)),
                PT_DYNAMIC => dynamic = Some(address),
                _ => {}
            }
        }
        let (base, dynamic) = (base?, base?.wrapping_add(dynamic?));
        let (mut hash, mut strings, mut symbols) = (None, None, None);
        for index in 0..ENTRIES {
            let [tag, value] = quads(&mapped.read::<16>(dynamic.wrapping_add(16 * index))?, [0, 8]);
            let value = base.wrapping_add(value);
            match tag {
                DT_NULL => break,
                DT_HASH => hash = Some(value),
                DT_STRTAB => strings = Some(value),
                DT_SYMTAB => symbols = Some(value),
                _ => {}
            }
        }
        // The second word of the hash table is the number of chains, one for each symbol.
        let count = u32::from_le_bytes(mapped.read(hash?.wrapping_add(4))?).min(SYMBOLS);
        Some(Image { mapped, base, strings: strings?, symbols: symbols?, count })
    }

    /// The function that has the instruction at `address`, and how far in it that is, in bytes.
    pub fn function(&self, address: u64) -> Option<(String, u64)> {
        for index in 0..self.count {
            let symbol: [u8; SYMBOL as usize] =
                self.mapped.read(self.symbols.wrapping_add(SYMBOL * u64::from(index)))?;
            let [value, size] = quads(&symbol, [8, 16]);
            let offset = address.wrapping_sub(self.base.wrapping_add(value));
            if symbol[4] & 15 == STT_FUNC && offset < size {
                let name = u64::from(u32::from_le_bytes(*symbol.first_chunk()?));
                return Some((self.name(self.strings.wrapping_add(name))?, offset));
            }
        }
        None
    }

    fn name(&self, at: u64) -> Option<String> {
        let mut bytes = vec![0; NAME.min(self.mapped.end.checked_sub(at)?) as usize];
        self.mapped.fill(at, &mut bytes)?;
        let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        (length > 0).then(|| String::from_utf8_lossy(&bytes[..length]).into_owned())
    }
}

/// The 64-bit numbers at these places.
fn quads<const N: usize>(bytes: &[u8], at: [usize; N]) -> [u64; N] {
    at.map(|at| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i])))
}

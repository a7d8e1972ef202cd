//! A device of plain memory that runs code objects: loader, argument segment, dispatch.

// The benchmarks use a part of this.
#![allow(dead_code)]

use crate::program::{Arg, Format, Kind, Picture};
use gcn::bus::{Access, Bus, MemoryFault, Window};
use gcn::exec::{Code, Compile, Exception, Launch, LaunchParameters, Order, Outcome, Scratch, View, Workgroup};
use gcn::target::Target;
use object::{Object, ObjectSegment, ObjectSymbol};
use std::sync::atomic::{AtomicU64, Ordering};

pub const SHARED_BASE: u64 = 1 << 48;
pub const PRIVATE_BASE: u64 = 2 << 48;

/// Memory of the device. Addresses are not host addresses, and between allocations nothing is mapped.
#[derive(Default)]
pub struct Memory {
    ranges: Vec<Range>,
    clock: AtomicU64,
}

struct Range {
    start: u64,
    /// Owns the memory; used through `host` only, from `map` on.
    _words: Box<[u64]>,
    host: *mut u8,
    bytes: u64,
}

// SAFETY: the pointers lead to memory that `Range` owns; it is accessed with atomics only while a kernel runs.
unsafe impl Sync for Memory {}

impl Memory {
    /// Maps `content` rounded up to 8 bytes; its device address, at which an image's largest blocks can begin.
    pub fn map(&mut self, content: &[u8]) -> u64 {
        let start = self.ranges.last().map_or(0x10_0000_0000, |r| (r.start + r.bytes + 0x2_0000) & !0xffff);
        let mut words: Box<[u64]> = content
            .chunks(8)
            .map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            })
            .collect();
        let (host, bytes) = (words.as_mut_ptr().cast(), words.len() as u64 * 8);
        self.ranges.push(Range { start, _words: words, host, bytes });
        start
    }

    /// The first `length` bytes at `address`, which [`Memory::map`] returned.
    pub fn read(&self, address: u64, length: usize) -> Vec<u8> {
        let Some(range) = self.ranges.iter().find(|r| r.start == address) else { return Vec::new() };
        assert!(length as u64 <= range.bytes);
        // SAFETY: inside the range, and no kernel runs.
        unsafe { std::slice::from_raw_parts(range.host, length) }.to_vec()
    }
}

// SAFETY: windows lead to memory that `self` owns and does not free or move while it is borrowed.
unsafe impl Bus for Memory {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        let range = self.ranges.iter().find(|r| address >= r.start && address - r.start < r.bytes);
        let range = range.ok_or(MemoryFault { address, access, protection: false })?;
        Ok(Window { start: range.start, end: range.start + range.bytes, host: range.host, writable: true })
    }

    fn realtime(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    fn memtime(&self) -> u64 {
        self.clock.fetch_add(15, Ordering::Relaxed)
    }

    fn interrupt(&self, _: u32, _: bool) {}
}

/// A kernel of a loaded code object, with its arguments in device memory.
pub struct Loaded {
    pub memory: Memory,
    pub code: Code,
    pub parameters: LaunchParameters,
    /// Where the buffers and images among the arguments are.
    buffers: Vec<Stored>,
}

/// Rows of a buffer (one) or an image in device memory.
struct Stored {
    address: u64,
    rows: usize,
    row: usize,
    pitch: usize,
}

/// Copies the texels to device memory, in rows of multiples of 256 bytes, and makes the resource for them: its address,
/// and the rows.
fn map_image(memory: &mut Memory, picture: &Picture) -> (u64, Stored) {
    let [width, height, depth] = picture.size;
    let row = width as usize * picture.format.bytes();
    let pitch = row.next_multiple_of(256);
    let rows = (height * depth) as usize;
    let mut bytes = vec![0; pitch * rows];
    for (to, from) in bytes.chunks_mut(pitch).zip(picture.texels.chunks(row)) {
        to[..row].copy_from_slice(from);
    }
    let address = memory.map(&bytes);
    let (data, number) = match picture.format {
        Format::RgbaUnorm8 | Format::BgraUnorm8 => (10, 0),
        Format::RgbaUint8 => (10, 4),
        Format::RgbaSint16 => (12, 5),
        Format::RgbaHalf => (12, 7),
        Format::RUint32 => (4, 4),
        Format::RgbaFloat => (14, 7),
    };
    let select = match picture.format {
        Format::RUint32 => [4, 0, 0, 1],
        Format::BgraUnorm8 => [6, 5, 4, 7],
        _ => [4, 5, 6, 7],
    };
    let select: u32 = select.into_iter().enumerate().map(|(i, s): (usize, u32)| s << (3 * i)).sum();
    let kind = match picture.kind {
        Kind::Plane => 9,
        Kind::Volume => 10,
        Kind::Planes => 13,
    };
    // Behind the resource are the format's numbers in HSA, which these kernels do not ask for, and the width.
    let resource: [u32; 11] = [
        (address >> 8) as u32,
        (address >> 40) as u32 | data << 20 | number << 26,
        (width - 1) | (height - 1) << 14,
        select | kind << 28,
        (depth - 1) | ((pitch / picture.format.bytes()) as u32 - 1) << 13,
        0,
        0,
        0,
        0,
        0,
        width,
    ];
    let resource: Vec<u8> = resource.iter().flat_map(|word| word.to_le_bytes()).collect();
    (memory.map(&resource), Stored { address, rows, row, pitch })
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

impl Loaded {
    /// Loads the segments of `object`, and lays out `args` and the implicit arguments of code object v5.
    pub fn new(object: &[u8], kernel: &str, global: [u32; 3], local: [u32; 3], args: &[Arg]) -> Loaded {
        let mut memory = Memory::default();
        let file = object::File::parse(object).expect("clang makes ELF files");
        let end = file.segments().map(|s| s.address() + s.size()).max().expect("a code object has segments");
        let mut image = vec![0; (end as usize).next_multiple_of(4096)];
        for segment in file.segments() {
            put(&mut image, segment.address() as usize, segment.data().expect("segments have data"));
        }
        let name = format!("{kernel}.kd");
        let symbol = file.symbols().find(|s| s.name() == Ok(&name)).expect("the kernel has a descriptor");
        let offset = symbol.address() as usize;
        let descriptor: [u8; 64] = image[offset..offset + 64].try_into().expect("64 bytes");
        let base = memory.map(&image);

        let (mut kernarg, mut buffers, mut lds) = (Vec::new(), Vec::new(), 0u32);
        let fixed_lds = u32::from_le_bytes(descriptor[0..4].try_into().expect("4 bytes"));
        lds += fixed_lds;
        for arg in args {
            let bytes = match arg {
                Arg::Buffer(content) => {
                    let at = memory.map(content);
                    buffers.push(Stored { address: at, rows: 1, row: content.len(), pitch: content.len() });
                    at.to_le_bytes().to_vec()
                }
                Arg::Image(picture) => {
                    let (resource, stored) = map_image(&mut memory, picture);
                    buffers.push(stored);
                    resource.to_le_bytes().to_vec()
                }
                Arg::Value(value) => value.clone(),
                Arg::Local(size) => {
                    let at = lds.next_multiple_of(16);
                    lds = at + size;
                    at.to_le_bytes().to_vec()
                }
            };
            kernarg.resize(kernarg.len().next_multiple_of(bytes.len()), 0);
            kernarg.extend(bytes);
        }
        kernarg.resize(kernarg.len().next_multiple_of(8), 0);
        let implicit = kernarg.len();
        kernarg.resize(implicit + 256, 0);
        for i in 0..3 {
            put(&mut kernarg, implicit + i * 4, &(global[i] / local[i]).to_le_bytes());
            put(&mut kernarg, implicit + 12 + i * 2, &(local[i] as u16).to_le_bytes());
            put(&mut kernarg, implicit + 18 + i * 2, &((global[i] % local[i]) as u16).to_le_bytes());
        }
        let dimensions = if global[2] > 1 {
            3
        } else if global[1] > 1 {
            2
        } else {
            1u16
        };
        put(&mut kernarg, implicit + 64, &dimensions.to_le_bytes());
        put(&mut kernarg, implicit + 192, &((PRIVATE_BASE >> 32) as u32).to_le_bytes());
        put(&mut kernarg, implicit + 196, &((SHARED_BASE >> 32) as u32).to_le_bytes());
        let kernarg = memory.map(&kernarg);

        let private_bytes = u32::from_le_bytes(descriptor[4..8].try_into().expect("4 bytes"));
        let mut packet = [0; 64];
        put(&mut packet, 0, &2u16.to_le_bytes());
        put(&mut packet, 2, &dimensions.to_le_bytes());
        for i in 0..3 {
            put(&mut packet, 4 + i * 2, &(local[i] as u16).to_le_bytes());
            put(&mut packet, 12 + i * 4, &global[i].to_le_bytes());
        }
        put(&mut packet, 24, &private_bytes.to_le_bytes());
        put(&mut packet, 28, &lds.to_le_bytes());
        put(&mut packet, 32, &(base + offset as u64).to_le_bytes());
        put(&mut packet, 40, &kernarg.to_le_bytes());
        let packet_address = memory.map(&packet);
        let scratch_bytes = Launch::scratch_bytes(&packet, 2).expect("sizes that the hardware has");
        let scratch = Scratch { base: memory.map(&vec![0; scratch_bytes as usize]), bytes: scratch_bytes };
        let parameters = LaunchParameters {
            packet,
            packet_address,
            dispatch_id: 0,
            queue_address: 0,
            descriptor,
            scratch,
            shared_base: SHARED_BASE,
            private_base: PRIVATE_BASE,
            sram_ecc: true,
        };
        let flags = object.get(48..52).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes);
        let target = Target::from_elf_flags(flags).expect("a code object of a chip that we know");
        Loaded { memory, code: Code::new(target), parameters, buffers }
    }

    /// The same, with code that is compiled when `compile` says.
    pub fn compiled(self, compile: Compile) -> Loaded {
        Loaded { code: Code::compiled(self.code.target(), compile), ..self }
    }

    /// Runs the whole grid in this thread, and counts the instructions. Two work-groups at a time take turns.
    pub fn run(&self, order: &mut Order) -> Result<u64, Exception> {
        let launch = Launch::new(&self.parameters, &self.code).expect("the packet is valid");
        let count = launch.workgroups();
        let mut ids =
            (0..count[2]).flat_map(|z| (0..count[1]).flat_map(move |y| (0..count[0]).map(move |x| [x, y, z])));
        let mut slots = [(Workgroup::new(), false), (Workgroup::new(), false)];
        let mut executed = 0;
        loop {
            let mut any = false;
            for (i, (group, running)) in slots.iter_mut().enumerate() {
                if !*running {
                    let Some(id) = ids.next() else { continue };
                    group.start(&launch, id, i as u32);
                    *running = true;
                }
                any = true;
                match group.run(&mut View::new(&self.memory, &self.code), 100_000, order) {
                    Outcome::Done => {
                        *running = false;
                        executed += group.executed();
                    }
                    Outcome::Yielded => {}
                    Outcome::Trapped(exception) | Outcome::Faulted(exception) | Outcome::Exception(exception) => {
                        return Err(exception);
                    }
                }
            }
            if !any {
                return Ok(executed);
            }
        }
    }

    /// The contents of the buffers and images among the arguments.
    pub fn buffers(&self) -> Vec<Vec<u8>> {
        let rows = |stored: &Stored| {
            let all = self.memory.read(stored.address, stored.rows * stored.pitch);
            all.chunks(stored.pitch).flat_map(|row| &row[..stored.row]).copied().collect()
        };
        self.buffers.iter().map(rows).collect()
    }
}

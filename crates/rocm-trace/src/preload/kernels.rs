//! Names and argument sizes of kernels, from the calls by which they are loaded.

use crate::raw::{CHUNK_BYTES, KERNARG_BYTES, KernelArgument, Kind, words};
use crate::{clock, recorder};
use amdgpu_code_object::{CodeObject, Kernel, ValueKind};
use hsa_sys::hsa_executable_symbol_info_t;
use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicU64, Ordering};

/// The places of a table where something of this key may be.
pub fn places(key: u64, count: usize) -> impl Iterator<Item = usize> {
    let first = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize >> 32;
    (0..16).map(move |step| (first + step) % count)
}

/// What is known of a kernel under some key: its name's hash, its symbol, or its kernel object. 0 is not known.
struct Known {
    key: AtomicU64,
    /// Bytes of the kernarg segment, with a bit on top: 0 bytes are known too.
    bytes: AtomicU64,
}

const KERNELS: usize = 1 << 14;
const KNOWN: u64 = 1 << 32;
static NAMES: [Known; KERNELS] = [const { Known::new() }; KERNELS];
static SYMBOLS: [Known; KERNELS] = [const { Known::new() }; KERNELS];
static OBJECTS: [Known; KERNELS] = [const { Known::new() }; KERNELS];

impl Known {
    const fn new() -> Known {
        Known { key: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// The entry of `key`, if there is one.
    fn find(table: &'static [Known; KERNELS], key: u64) -> Option<&'static Known> {
        for place in places(key, KERNELS) {
            match table[place].key.load(Ordering::Acquire) {
                0 => return None,
                found if found == key => return Some(&table[place]),
                _ => {}
            }
        }
        None
    }

    /// The entry of `key`, made if there is room for it.
    fn make(table: &'static [Known; KERNELS], key: u64) -> Option<&'static Known> {
        for place in places(key, KERNELS) {
            let entry = &table[place];
            match entry.key.compare_exchange(0, key, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(entry),
                Err(other) if other == key => return Some(entry),
                Err(_) => {}
            }
        }
        None
    }
}

/// Bytes to keep of the kernarg segment of a kernel, 0 if its size is not known.
pub fn kernarg_bytes(kernel_object: u64) -> usize {
    let bytes = Known::find(&OBJECTS, kernel_object).map_or(0, |known| known.bytes.load(Ordering::Acquire));
    (bytes as u32 as usize).min(KERNARG_BYTES)
}

fn hash(name: &[u8]) -> u64 {
    // FNV-1a
    let hash = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    hash.max(1)
}

/// `hsa_code_object_reader_create_from_memory` succeeded.
pub fn code_read(arguments: &[u64], _: *mut u8) {
    let (code, bytes) = (arguments[0] as *const u8, arguments[1] as usize);
    // SAFETY: the program gives a code object there.
    let code = unsafe { std::slice::from_raw_parts(code, bytes) };
    // What this reader does not understand is none the less the runtime's to load.
    let Ok(object) = CodeObject::parse(code) else { return };
    for kernel in object.kernels() {
        let symbol = hash(kernel.metadata().symbol.as_bytes());
        if let Some(known) = Known::make(&NAMES, symbol) {
            // Of two kernels of one name, the one with fewer arguments: more than there is must not be read.
            let size = u64::from(kernel.kernarg_bytes()) | KNOWN;
            let old = known.bytes.swap(size, Ordering::AcqRel);
            if old != 0 && old < size {
                known.bytes.store(old, Ordering::Release);
            }
        }
        record(kernel);
    }
}

fn record(kernel: &Kernel) {
    let mut text = kernel.name().to_owned();
    for argument in kernel.metadata().args.iter().filter(|argument| !argument.value_kind.is_hidden()) {
        let clean = |text: &Option<String>| text.as_deref().unwrap_or_default().replace(['\t', '\n'], " ");
        let argument = KernelArgument {
            offset: argument.offset as usize,
            bytes: argument.size as usize,
            address: !matches!(argument.value_kind, ValueKind::ByValue | ValueKind::DynamicSharedPointer),
            ty: clean(&argument.type_name),
            name: clean(&argument.name),
        };
        text.push_str(&format!("\n{argument}"));
    }
    if text.len() > CHUNK_BYTES / 2 {
        return;
    }
    recorder::record(Kind::Metadata, kernel.kernarg_bytes(), 3 + words(text.len()), |record| {
        record[0] = clock::now();
        recorder::put_text(&mut record[1..], text.as_bytes());
    });
}

/// `hsa_executable_get_symbol_by_name` succeeded.
pub fn symbol_found(arguments: &[u64], _: *mut u8) {
    // SAFETY: the function read the name, and gave a handle.
    let (name, symbol) = unsafe { (CStr::from_ptr(arguments[1] as *const c_char), *(arguments[3] as *const u64)) };
    let known = Known::find(&NAMES, hash(name.to_bytes()));
    if let (Some(known), Some(entry)) = (known, Known::make(&SYMBOLS, symbol)) {
        entry.bytes.store(known.bytes.load(Ordering::Acquire), Ordering::Release);
    }
}

/// `hsa_executable_symbol_get_info` succeeded.
pub fn symbol_info(arguments: &[u64], _: *mut u8) {
    let [symbol, attribute, value] = *arguments else { return };
    let attribute = hsa_executable_symbol_info_t(attribute as u32);
    if attribute != hsa_executable_symbol_info_t::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT {
        return;
    }
    // SAFETY: the function gave a value of this type there.
    let object = unsafe { *(value as *const u64) };
    let bytes = Known::find(&SYMBOLS, symbol).map_or(0, |known| known.bytes.load(Ordering::Acquire));
    if let Some(entry) = Known::make(&OBJECTS, object) {
        entry.bytes.store(bytes, Ordering::Release);
    }
    recorder::record(Kind::Kernel, 0, 5, |record| {
        record.copy_from_slice(&[clock::now(), symbol, object, u64::from(bytes as u32)]);
    });
}

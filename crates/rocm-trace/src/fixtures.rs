//! Hand-made recordings for the tests of readers.

use crate::clock::Moment;
use crate::preload::calls::RESULT;
use crate::raw::{CHUNK_BYTES, ChunkHeader, Header, Kind, MAGIC, first_word, words};
use crate::reader::ProcessFile;
use crate::tables;
use std::ffi::CStr;
use std::sync::atomic::AtomicU64;

/// The file of a process that was made at `made` nanoseconds; its threads have these numbers and records, whose times
/// are nanoseconds.
pub fn process(pid: u32, made: u64, threads: &[(u32, &[Vec<u64>])]) -> ProcessFile {
    ProcessFile::parse(file(tables::digest(), pid, made, threads).leak()).expect("a file of this build")
}

/// The words of that file, of the build whose tables have this digest.
pub fn file(tables: u64, pid: u32, made: u64, threads: &[(u32, &[Vec<u64>])]) -> Vec<u64> {
    let chunks = 1 + threads.len();
    let mut file = vec![0_u64; chunks * CHUNK_BYTES / 8];
    let header = Header {
        magic: MAGIC,
        tables,
        pid: pid.into(),
        parent: 1,
        counter: 0,
        made: Moment { ticks: made, raw_ns: made, monotonic_ns: made, real_ns: made },
        chunks: chunks as u64,
        next: AtomicU64::new(chunks as u64),
        lost: AtomicU64::new(0),
        full: AtomicU64::new(0),
        command_bytes: 0,
        command: [0; 4096],
    };
    // SAFETY: a chunk has room for the header, and words are aligned as it is.
    unsafe { file.as_mut_ptr().cast::<Header>().write(header) };
    for ((tid, records), chunk) in threads.iter().zip(file.chunks_exact_mut(CHUNK_BYTES / 8).skip(1)) {
        (chunk[0], chunk[1]) = ((*tid).into(), 0x7f00 + u64::from(*tid));
        let records = records.concat();
        chunk[size_of::<ChunkHeader>() / 8..][..records.len()].copy_from_slice(&records);
    }
    file
}

/// A call from `start` to `end` (0: it did not return), with its first result and first arguments of a word each.
pub fn call(name: &CStr, start: u64, end: u64, result: u64, arguments: &[u64]) -> Vec<u64> {
    let (id, function) = tables::find(name).expect("a function that is recorded");
    let results = usize::from(function.results);
    let taken: usize = function.args.iter().map(|field| words(field.bytes)).sum();
    let mut record = vec![0; RESULT + results + taken + usize::from(function.outs)];
    (record[0], record[1], record[2]) = (first_word(record.len(), Kind::Call, id.0), start, end);
    if results > 0 {
        record[RESULT] = result;
    }
    record[RESULT + results..][..arguments.len()].copy_from_slice(arguments);
    record
}

/// A queue is made, at this address.
pub fn queue(ns: u64, address: u64, doorbell: u64) -> Vec<u64> {
    vec![first_word(7, Kind::Queue, 0), ns, address, 0x1_0000 + address, doorbell, 64, 0]
}

/// A packet of the queue at an address, with its index, header and completion signal.
pub fn packet(ns: u64, queue: u64, index: u64, header: u16, completion: u64) -> Vec<u64> {
    let mut record = vec![first_word(12, Kind::Packet, 0), ns, queue, index, header.into()];
    record.extend([0, 0, 0, 0x1040, 0, 0, completion]);
    record
}

//! Reads packets from the ring immediately before the doorbell rings, because afterwards the GPU may consume them.

use super::kernels::{kernarg_bytes, places};
use super::readable::is_readable;
use crate::raw::{Kind, words};
use crate::{clock, recorder};
use hsa_sys::hsa_queue_t;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a packet.
const PACKET_BYTES: usize = aql::PACKET_BYTES;
/// Where `amd_queue_t` has `write_dispatch_id` and `read_dispatch_id`; `amd_hsa_queue.h`.
const WRITE_INDEX: usize = std::mem::offset_of!(hsa_sys::amd_queue_t, write_dispatch_id);
const READ_INDEX: usize = std::mem::offset_of!(hsa_sys::amd_queue_t, read_dispatch_id);
/// Where `amd_signal_t` has `start_ts`; `amd_hsa_signal.h`.
const START_TICKS: usize = 32;

/// A queue, found by the handle of its doorbell's signal; 0 is an unused place.
struct Queue {
    doorbell: AtomicU64,
    queue: AtomicU64,
    /// Index behind the last packet that was recorded.
    seen: AtomicU64,
    /// Index of the first before that which was not, because its slot was not written yet.
    hole: AtomicU64,
}

const QUEUES: usize = 1024;
static TABLE: [Queue; QUEUES] = [const {
    Queue {
        doorbell: AtomicU64::new(0),
        queue: AtomicU64::new(0),
        seen: AtomicU64::new(0),
        hole: AtomicU64::new(NO_HOLE),
    }
}; QUEUES];
const NO_HOLE: u64 = u64::MAX;
/// A queue that is gone: others may be behind it.
const GONE: u64 = 1;
/// A place that a queue is about to have.
const CLAIMED: u64 = 2;

impl Queue {
    /// Takes the place for a queue whose doorbell is `doorbell`, unless another has it.
    fn claim(&self, doorbell: u64) -> bool {
        let old = self.doorbell.load(Ordering::Relaxed);
        (old == 0 || old == GONE || old == doorbell)
            && self.doorbell.compare_exchange(old, CLAIMED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}

fn find(doorbell: u64) -> Option<&'static Queue> {
    for place in places(doorbell, QUEUES) {
        match TABLE[place].doorbell.load(Ordering::Acquire) {
            0 => return None,
            found if found == doorbell => return Some(&TABLE[place]),
            _ => {}
        }
    }
    None
}

/// `hsa_queue_create` succeeded.
pub fn queue_made(arguments: &[u64], _: *mut u8) {
    // SAFETY: the function succeeded, so it gave a queue there.
    let (address, queue) = unsafe {
        let address = *(arguments[7] as *const *const hsa_queue_t);
        (address as u64, &*address)
    };
    let doorbell = queue.doorbell_signal.handle;
    recorder::record(Kind::Queue, 0, 7, |record| {
        record.copy_from_slice(&[
            clock::now(),
            address,
            queue.base_address as u64,
            doorbell,
            queue.size.into(),
            queue.id,
        ]);
    });
    for place in places(doorbell, QUEUES) {
        let place = &TABLE[place];
        if place.claim(doorbell) {
            place.queue.store(address, Ordering::Relaxed);
            place.seen.store(0, Ordering::Relaxed);
            place.hole.store(NO_HOLE, Ordering::Relaxed);
            place.doorbell.store(doorbell, Ordering::Release);
            return;
        }
    }
}

/// `hsa_queue_destroy` is called.
pub fn queue_ends(arguments: &[u64], _: u64) {
    let queue = arguments[0] as *const hsa_queue_t;
    // SAFETY: the caller gives a queue.
    if let Some(place) = unsafe { queue.as_ref() }.and_then(|queue| find(queue.doorbell_signal.handle)) {
        place.doorbell.store(GONE, Ordering::Release);
    }
}

/// A signal is about to be stored to: if it is a doorbell, the packets up to `value` are complete.
pub fn signal_stored(arguments: &[u64], now: u64) {
    let [signal, value] = *arguments else { return };
    let Some(place) = find(signal) else { return };
    let queue = place.queue.load(Ordering::Relaxed) as *const hsa_queue_t;
    let counter = |offset: usize| {
        // SAFETY: the queue was not destroyed when its doorbell was found; a program that rings it meanwhile is wrong
        // without the recorder too.
        unsafe { AtomicU64::from_ptr(queue.byte_add(offset).cast::<u64>().cast_mut()) }
    };
    // SAFETY: as above.
    let (ring, size) = unsafe { ((*queue).base_address as *const u64, u64::from((*queue).size)) };
    let written = counter(WRITE_INDEX).load(Ordering::Acquire);
    let end = value.wrapping_add(1);
    // Not a packet's index: the program writes nonsense, or counts in another way.
    if end > written || size == 0 {
        return;
    }
    let seen = place.seen.fetch_max(end, Ordering::Relaxed);
    let packets = if seen < end {
        seen..end
    } else {
        // A doorbell that others have overtaken. Its packets may have been written since, and there may be more of them
        // than this one.
        let hole = place.hole.swap(NO_HOLE, Ordering::Relaxed);
        if hole <= value {
            hole..seen
        } else {
            place.hole.fetch_min(hole, Ordering::Relaxed);
            value..end
        }
    };
    // Slots of those before may have other packets by now.
    for index in packets.start.max(written.saturating_sub(size))..packets.end {
        // SAFETY: the index is within the ring.
        let packet = read_packet(unsafe { ring.byte_add((index % size) as usize * PACKET_BYTES) });
        // The GPU empties a slot, too, and then counts on.
        let empty = packet[0] as u8 == aql::PacketType::Invalid as u8;
        if empty && index != value && index >= counter(READ_INDEX).load(Ordering::Acquire) {
            place.hole.fetch_min(index, Ordering::Relaxed);
        } else {
            record_packet(now, queue as u64, index, packet);
        }
    }
}

const WORDS: usize = words(PACKET_BYTES);

fn read_packet(packet: *const u64) -> [u64; WORDS] {
    // SAFETY: the packet is in the ring. Another thread or the GPU may be writing it.
    std::array::from_fn(|at| unsafe { packet.add(at).read_volatile() })
}

fn record_packet(now: u64, queue: u64, index: u64, bytes: [u64; WORDS]) {
    let (kernel, kernarg) = (bytes[4], bytes[5]);
    let is_dispatch = bytes[0] as u8 <= 2 && bytes[0] as u8 >= 1;
    let mut kernarg_bytes = if is_dispatch && kernarg != 0 { kernarg_bytes(kernel) } else { 0 };
    // What the packet says may be wrong, and then it is for the GPU to find out.
    if !is_readable(kernarg, kernarg_bytes) {
        kernarg_bytes = 0;
    }
    recorder::record(Kind::Packet, kernarg_bytes as u32, 4 + WORDS + words(kernarg_bytes), |record| {
        record[..3].copy_from_slice(&[now, queue, index]);
        record[3..][..WORDS].copy_from_slice(&bytes);
        // SAFETY: it was just found readable, and the program keeps the kernarg segment of a packet until that is done.
        unsafe {
            let to = record[3 + WORDS..].as_mut_ptr().cast::<u8>();
            std::ptr::copy_nonoverlapping(kernarg as *const u8, to, kernarg_bytes);
        }
    });
}

/// A wait for a signal has ended: the GPU left there when the work began and ended, if the queue is asked to.
pub fn signal_waited(arguments: &[u64], _: *mut u8) {
    record_ticks(arguments[0]);
}

/// `hsa_amd_profiling_get_dispatch_time` succeeded.
pub fn times_asked(arguments: &[u64], _: *mut u8) {
    record_ticks(arguments[1]);
}

fn record_ticks(signal: u64) {
    // SAFETY: the program gave the signal, which on AMD's runtime is the address of an `amd_signal_t`.
    let [start, end] = unsafe { ((signal as usize + START_TICKS) as *const [u64; 2]).read_volatile() };
    if start != 0 && end != 0 {
        recorder::record(Kind::Ticks, 0, 5, |record| {
            record.copy_from_slice(&[clock::now(), signal, start, end]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_claimed_by_one_queue() {
        for free in [0, GONE] {
            let place = &TABLE[0];
            place.doorbell.store(free, Ordering::Relaxed);
            assert!(place.claim(0x1000) && !place.claim(0x2000) && !place.claim(0x1000));
            place.doorbell.store(0x1000, Ordering::Release);
            assert!(!place.claim(0x2000) && place.claim(0x1000));
        }
    }
}

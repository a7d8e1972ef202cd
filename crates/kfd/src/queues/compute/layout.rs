//! What a compute queue of gfx9 is made of: sizes as the driver computes them, and `amd_queue_t`.

use std::mem::offset_of;
use std::sync::atomic::AtomicU64;

use crate::driver::PAGE;
use crate::family::{
    END_OF_PIPE, Family, LDS_PER_CU, MAX_SCRATCH_UNITS, MAX_SCRATCH_WAVES, REGISTERS_PER_CU, SCRATCH_DESCRIPTOR,
    SCRATCH_UNIT, SGPRS_PER_CU,
};
use crate::{Error, Node, Result};

/// Sizes of a queue's buffers, which the driver compares with its own since Linux 6.12 (`kfd_queue_acquire_buffers` of
/// `kfd_queue.c`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// End-of-pipe events.
    pub end_of_pipe: usize,
    /// What a wave's place in the control stack takes, for all waves.
    pub control_stack: u32,
    /// Where waves are saved when the queue is taken off the GPU, control stack included.
    pub context_save: u32,
    /// The same with the debugger's memory, for all partitions of the GPU: what is allocated.
    pub context_save_whole: usize,
}

/// `SIZEOF_HSA_USER_CONTEXT_SAVE_AREA_HEADER`, `CNTL_STACK_BYTES_PER_WAVE`, `DEBUGGER_BYTES_PER_WAVE` and the rest of
/// `kfd_queue.c`.
const HEADER: u64 = 40;
const CONTROL_STACK_PER_WAVE: u64 = 8;
const DEBUGGER_PER_WAVE: u64 = 32;
const DEBUGGER_ALIGN: u64 = 64;

impl Sizes {
    /// As the driver says where it does (`cwsr_size` and `ctl_stack_size`, in Linux 6.12.y and later), else as its
    /// `kfd_queue_ctx_save_restore_size` computes them, for gfx950 that of later versions, which asks for more. It
    /// never says what debuggers need.
    pub fn of(node: &Node, family: &Family) -> Result<Sizes> {
        let partitions = u64::from(node.value("num_xcc").max(1));
        let units = u64::from(node.compute_units()) / partitions;
        let engines = node.value("array_count").checked_div(node.value("simd_arrays_per_engine"));
        let (Some(engines), true) = (engines, units > 0) else {
            let path = format!("nodes/{}/properties", node.number());
            return Err(
                kfd_topology::Error::File { path, subject: "no compute units or no shader engines".into() }.into()
            );
        };
        let waves = (units * 40).min(u64::from(engines) * 512);
        let lds = if family.saves_all_lds { u64::from(node.group_bytes()) } else { LDS_PER_CU };
        let page = PAGE as u64;
        let property = |name| node.property(name).filter(|bytes| *bytes != 0);
        let too_large = |bytes: u64| Error::Unsupported {
            subject: "this node",
            why: format!("its context save area of {bytes} bytes is larger than a queue can say"),
        };
        let value = |bytes: u64| u32::try_from(bytes).map_err(|_| too_large(bytes));
        let control_stack = value(
            property("ctl_stack_size")
                .unwrap_or_else(|| (HEADER + waves * CONTROL_STACK_PER_WAVE + 8).next_multiple_of(page)),
        )?;
        let context_save = value(property("cwsr_size").unwrap_or_else(|| {
            (units * (family.vgprs_per_cu + SGPRS_PER_CU + lds + REGISTERS_PER_CU)).next_multiple_of(page)
                + u64::from(control_stack)
        }))?;
        let debugger = (waves * DEBUGGER_PER_WAVE).next_multiple_of(DEBUGGER_ALIGN);
        let whole = (u64::from(context_save) + debugger).checked_mul(partitions);
        let whole = whole.and_then(|bytes| bytes.checked_next_multiple_of(page)).ok_or(too_large(u64::MAX))?;
        Ok(Sizes { end_of_pipe: END_OF_PIPE, control_stack, context_save, context_save_whole: whole as usize })
    }
}

/// `amd_queue_t` of ROCr's `amd_hsa_queue.h`: what the command processor and kernels read of an AQL queue. The driver
/// wants it in a page of its own, as it holds both indices.
#[repr(C, align(64))]
#[derive(Debug)]
pub(crate) struct AmdQueue {
    queue_type: u32,
    features: u32,
    base_address: u64,
    doorbell_signal: u64,
    size: u32,
    reserved1: u32,
    id: u64,
    reserved2: [u32; 4],
    pub write_dispatch_id: AtomicU64,
    group_segment_aperture_base_hi: u32,
    private_segment_aperture_base_hi: u32,
    max_cu_id: u32,
    max_wave_id: u32,
    max_legacy_doorbell: u64,
    legacy_doorbell_lock: u32,
    reserved3: [u32; 9],
    pub read_dispatch_id: AtomicU64,
    read_dispatch_id_field_base_byte_offset: u32,
    compute_tmpring_size: u32,
    scratch_resource_descriptor: [u32; 4],
    scratch_backing_memory_location: u64,
    scratch_backing_memory_byte_size: u64,
    scratch_wave64_lane_byte_size: u32,
    queue_properties: u32,
    scratch_last_used_index: u64,
    queue_inactive_signal: u64,
    reserved4: [u32; 14],
}

const _: () = {
    assert!(size_of::<AmdQueue>() == 256);
    assert!(offset_of!(AmdQueue, write_dispatch_id) == 0x38);
    assert!(offset_of!(AmdQueue, group_segment_aperture_base_hi) == 0x40);
    assert!(offset_of!(AmdQueue, read_dispatch_id) == 0x80);
    assert!(offset_of!(AmdQueue, compute_tmpring_size) == 0x8c);
    assert!(offset_of!(AmdQueue, scratch_backing_memory_location) == 0xa0);
    assert!(offset_of!(AmdQueue, queue_properties) == 0xb4);
    assert!(offset_of!(AmdQueue, queue_inactive_signal) == 0xc0);
};

/// `HSA_QUEUE_FEATURE_KERNEL_DISPATCH`.
const KERNEL_DISPATCH: u32 = 1;
/// `AMD_QUEUE_PROPERTIES_IS_PTR64`.
const IS_PTR64: u32 = 1 << 1;
/// `AMD_QUEUE_PROPERTIES_ENABLE_PROFILING`: completion signals get the times of their dispatch.
const ENABLE_PROFILING: u32 = 1 << 3;

impl AmdQueue {
    /// A queue without packets.
    pub fn new(
        node: &Node,
        ring: u64,
        packets: u32,
        (lds_base, scratch_base): (u32, u32),
        scratch: &Scratch,
        inactive_signal: u64,
    ) -> AmdQueue {
        AmdQueue {
            queue_type: 0,
            features: KERNEL_DISPATCH,
            base_address: ring,
            doorbell_signal: 0,
            size: packets,
            reserved1: 0,
            id: 0,
            reserved2: [0; 4],
            write_dispatch_id: AtomicU64::new(0),
            group_segment_aperture_base_hi: lds_base,
            private_segment_aperture_base_hi: scratch_base,
            max_cu_id: node.compute_units().saturating_sub(1),
            max_wave_id: node.value("max_waves_per_simd").saturating_mul(node.value("simd_per_cu")).saturating_sub(1),
            max_legacy_doorbell: 0,
            legacy_doorbell_lock: 0,
            reserved3: [0; 9],
            read_dispatch_id: AtomicU64::new(0),
            // By this the command processor finds the structure from the address of the read index.
            read_dispatch_id_field_base_byte_offset: offset_of!(AmdQueue, read_dispatch_id) as u32,
            compute_tmpring_size: scratch.ring_size(),
            scratch_resource_descriptor: scratch.descriptor(),
            scratch_backing_memory_location: scratch.address,
            // Of one partition (`AqlQueue::InitScratchSRD` of ROCr: "report size per XCC"). Debuggers read it, the
            // command processor does not.
            scratch_backing_memory_byte_size: scratch.partition_bytes(),
            scratch_wave64_lane_byte_size: (scratch.wave_bytes / 64) as u32,
            queue_properties: IS_PTR64 | ENABLE_PROFILING,
            scratch_last_used_index: 0,
            queue_inactive_signal: inactive_signal,
            reserved4: [0; 14],
        }
    }
}

/// How the scratch memory of a queue is divided. By default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scratch {
    pub address: u64,
    /// Bytes of a wave of 64 work-items, a multiple of 1024.
    wave_bytes: u64,
    /// Waves that may run at a time on a partition (XCC) of the GPU.
    waves: u64,
    /// Each has a part of the memory.
    partitions: u64,
    /// Shader engines of a partition, among which its waves are divided.
    engines: u64,
}

impl Scratch {
    /// What a wave can have.
    pub const MAX_WAVE_BYTES: u64 = MAX_SCRATCH_UNITS * SCRATCH_UNIT;

    /// For work-items of `private_bytes` on as many waves as the GPU has places for.
    pub fn for_all_waves(node: &Node, private_bytes: u32) -> Scratch {
        let value = |name| u64::from(node.value(name));
        let partitions = value("num_xcc").max(1);
        let engines = value("array_count").checked_div(value("simd_arrays_per_engine")).unwrap_or(1);
        let engines = (engines / partitions).max(1);
        let wave_bytes = (u64::from(private_bytes) * 64).next_multiple_of(SCRATCH_UNIT);
        let places = u64::from(node.compute_units()) / partitions * value("max_slots_scratch_cu");
        // The buffer descriptor says the size of a partition's part in 32 bits.
        let addressable = u64::from(u32::MAX) / wave_bytes.max(1);
        Scratch { address: 0, wave_bytes, waves: 0, partitions, engines }
            .with_waves(places.min(MAX_SCRATCH_WAVES).min(addressable))
    }

    /// For at most so many waves at a time: as many on each engine (asserted by `AqlQueue::FillComputeTmpRingSize` of
    /// ROCr).
    fn with_waves(self, waves: u64) -> Scratch {
        Scratch { waves: waves - waves % self.engines, ..self }
    }

    /// For half as many waves, if each engine then has those of the largest work-group.
    pub fn halved(self) -> Option<Scratch> {
        const WAVES_OF_GROUP: u64 = 16;
        Some(self.with_waves(self.waves / 2)).filter(|half| half.waves >= WAVES_OF_GROUP * self.engines)
    }

    /// What it takes in all.
    pub fn bytes(&self) -> u64 {
        self.partition_bytes().saturating_mul(self.partitions)
    }

    fn partition_bytes(&self) -> u64 {
        self.wave_bytes * self.waves
    }

    /// The largest private segment of a work-item that fits.
    pub fn private_bytes(&self) -> u64 {
        self.wave_bytes / 64
    }

    /// `COMPUTE_TMPRING_SIZE`, of each partition.
    fn ring_size(&self) -> u32 {
        (self.waves | (self.wave_bytes / SCRATCH_UNIT) << 12) as u32
    }

    /// The buffer resource (V#) through which kernels access scratch: a partition's part.
    fn descriptor(&self) -> [u32; 4] {
        let [swizzle, elements] = SCRATCH_DESCRIPTOR;
        [self.address as u32, (self.address >> 32) as u32 & 0xffff | swizzle, self.partition_bytes() as u32, elements]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A GPU with this instruction set, of so many compute units in so many partitions, as Linux describes it.
    fn gpu(version: u64, units: u64, partitions: u64, engines: u64, lds_kib: u64) -> Node {
        Node::from_properties(properties(version, units, partitions, engines, lds_kib))
    }

    fn properties(version: u64, units: u64, partitions: u64, engines: u64, lds_kib: u64) -> [(&'static str, u64); 8] {
        [
            ("gfx_target_version", version),
            ("simd_count", units * 4),
            ("simd_per_cu", 4),
            ("array_count", engines),
            ("simd_arrays_per_engine", 1),
            ("num_xcc", partitions),
            ("max_slots_scratch_cu", 32),
            ("lds_size_in_kb", lds_kib),
        ]
    }

    fn sizes(node: &Node) -> Result<Sizes> {
        Sizes::of(node, Family::of(node.gfx_version()).unwrap())
    }

    fn mi100() -> Node {
        gpu(90008, 120, 1, 8, 64)
    }

    fn mi300x() -> Node {
        gpu(90402, 304, 8, 32, 64)
    }

    #[test]
    fn sizes_are_those_of_the_driver() {
        // Worked out by hand from `kfd_queue_ctx_save_restore_size` of Linux.
        for (node, control_stack, context_save, context_save_whole) in [
            (mi100(), 36864, 73_273_344, 73_404_416),
            (gpu(90010, 110, 1, 8, 64), 36864, 67_170_304, 67_301_376),
            (mi300x(), 12288, 23_203_840, 186_019_840),
            (gpu(90500, 256, 8, 32, 160), 12288, 22_687_744, 181_829_632),
        ] {
            let expected = Sizes { end_of_pipe: 4096, control_stack, context_save, context_save_whole };
            assert_eq!(sizes(&node).unwrap(), expected, "{node:?}");
        }
    }

    #[test]
    fn sizes_are_those_that_the_driver_says() {
        let of = |control_stack, area| {
            let reported = [("cwsr_size", area), ("ctl_stack_size", control_stack)];
            sizes(&Node::from_properties(properties(90008, 120, 1, 8, 64).into_iter().chain(reported))).unwrap()
        };
        let computed = sizes(&mi100()).unwrap();
        assert_eq!(of(0, 0), computed, "as drivers do that have none");
        let reported = of(40960, 80_000_000);
        assert_eq!((reported.control_stack, reported.context_save), (40960, 80_000_000));
        // 4096 waves with 32 bytes each for debuggers.
        assert_eq!(reported.context_save_whole, (80_000_000_usize + 4096 * 32).next_multiple_of(4096));
    }

    /// sysfs may have any numbers: of a driver that is not known yet, or of a file system that stands in for it.
    #[test]
    fn numbers_that_no_gpu_has_are_errors_or_large_sizes() {
        const NAMES: [&str; 11] = [
            "gfx_target_version",
            "simd_count",
            "simd_per_cu",
            "array_count",
            "simd_arrays_per_engine",
            "num_xcc",
            "max_slots_scratch_cu",
            "max_waves_per_simd",
            "lds_size_in_kb",
            "cwsr_size",
            "ctl_stack_size",
        ];
        let values = [0, 1, 4096, u64::from(u32::MAX), u64::MAX];
        for (name, value) in NAMES.into_iter().flat_map(|name| values.map(|value| (name, value))) {
            for others in values {
                let all = NAMES.map(|other| (other, if other == name { value } else { others }));
                let node = Node::from_properties(all);
                _ = Sizes::of(&node, Family::of((9, 5, 0)).unwrap());
                _ = AmdQueue::new(&node, 0, 64, (0, 0), &Scratch::for_all_waves(&node, 131_056), 0);
            }
        }
    }

    #[test]
    fn each_partition_has_its_part_of_the_scratch_memory() {
        let scratch = Scratch::for_all_waves(&mi300x(), 4096);
        // 38 compute units of a partition with 32 places each.
        let (waves, wave_bytes) = (38 * 32, 4096 * 64);
        assert_eq!(scratch.bytes(), 8 * waves * wave_bytes);
        assert_eq!(u64::from(scratch.ring_size()), waves | (wave_bytes / 1024) << 12);
        assert_eq!(u64::from(scratch.descriptor()[2]), waves * wave_bytes);
        // The fields of `SQ_BUF_RSRC_WORD3` as `InitScratchSRD` of ROCr sets them.
        assert_eq!(scratch.descriptor()[3], 0x00ea_4fac);
        let queue = AmdQueue::new(&mi300x(), 0, 64, (0, 0), &scratch, 0);
        assert_eq!(queue.scratch_backing_memory_byte_size, waves * wave_bytes, "of one partition");
    }

    proptest! {
        #[test]
        fn scratch_memory_is_what_hardware_can_have(
            private_bytes in 1..=(Scratch::MAX_WAVE_BYTES / 64) as u32,
            node in prop_oneof![Just((mi100(), 8)), Just((mi300x(), 4)), Just((gpu(90008, 110, 1, 7, 64), 7))],
        ) {
            let (node, engines) = node;
            let mut next = Some(Scratch::for_all_waves(&node, private_bytes));
            while let Some(scratch) = next {
                // ROCr asserts this of what it writes (`AqlQueue::FillComputeTmpRingSize`).
                prop_assert_eq!(scratch.waves % engines, 0, "{:?}", scratch);
                prop_assert!(scratch.waves >= 16 * engines && scratch.waves <= 0xfff, "{:?}", scratch);
                prop_assert!(scratch.private_bytes() >= u64::from(private_bytes));
                let of_partition = u64::from(scratch.descriptor()[2]);
                prop_assert_eq!(of_partition, scratch.waves * scratch.wave_bytes);
                prop_assert_eq!(of_partition * u64::from(node.value("num_xcc")), scratch.bytes());
                next = scratch.halved();
                prop_assert!(next.is_none_or(|next| next.waves < scratch.waves));
            }
        }
    }
}

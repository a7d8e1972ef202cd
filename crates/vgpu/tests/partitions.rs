//! A card that is divided into partitions, as programs see it that use the driver directly.
mod common;

use common::queues::{queue, try_queue_with};
use common::*;
use kfd_sys::*;
use std::os::fd::AsFd;

const MIB: u64 = 1 << 20;
/// An eighth of the card's memory, without what the driver keeps.
const FREE: u64 = 206_141_652_992 / 8 - 8 * MIB;
const CARD: &str = "/sys/bus/pci/devices/0000:23:00.0";

#[test]
fn partitions_have_their_shares_of_one_memory() {
    on_models("mi300x:cpx", "partitions_have_their_shares_of_one_memory", || {
        let device = Device::open(8);
        let free = || (0..8).map(|gpu| device.available(gpu)).collect::<Vec<u64>>();
        assert!(free().iter().all(|free| *free == FREE / (2 * MIB) * (2 * MIB)), "{:?}", free());
        let sizes = [64 * MIB, 0, 0, 32 * MIB, 0, 0, 0, 16 * MIB];
        let before = free();
        for (gpu, size) in sizes.into_iter().enumerate().filter(|(_, size)| *size != 0) {
            device.alloc(gpu, reserve(size as usize), size, VRAM, 0).unwrap();
        }
        let taken: Vec<u64> = before.iter().zip(free()).map(|(before, free)| before - free).collect();
        assert_eq!(taken, sizes);
        // One has no more than its share, though the others' is free.
        assert_eq!(errno(device.alloc(1, 0x10_0000_0000, FREE + 4096, VRAM, 0)), libc::ENOMEM);
        let file = |name: &str| std::fs::read_to_string(format!("{CARD}/{name}")).unwrap();
        assert_eq!(file("mem_info_vram_used"), format!("{}\n", 112 * MIB));
        assert_eq!(file("mem_info_vram_total"), "206141652992\n");
    });
}

#[test]
fn partitions_map_each_others_memory() {
    on_models("mi300x:dpx,mi300x", "partitions_map_each_others_memory", || {
        let device = Device::open(3);
        let vram = device.alloc(0, reserve(4096), 4096, VRAM, 0).unwrap();
        assert_eq!(device.map(vram.handle, &device.gpu_ids).unwrap(), 3);
    });
}

/// Links are between cards.
#[test]
fn partitions_map_each_others_memory_where_cards_are_not_linked() {
    on_unlinked_models("mi300x:dpx,mi300x", "partitions_map_each_others_memory_where_cards_are_not_linked", || {
        let device = Device::open(3);
        let vram = device.alloc(0, reserve(4096), 4096, VRAM, 0).unwrap();
        assert_eq!(device.map(vram.handle, &device.gpu_ids[..2]).unwrap(), 2);
        assert_eq!(errno(device.map(vram.handle, &device.gpu_ids[2..])), libc::EINVAL);
    });
}

#[test]
fn each_partition_has_a_render_node_of_its_own() {
    on_models("mi300x:cpx", "each_partition_has_a_render_node_of_its_own", || {
        let device = Device::without_vm(8);
        for (own, gpu_id) in device.gpu_ids.iter().enumerate() {
            let other = device.render[(own + 1) % 8].as_fd();
            assert_eq!(errno(device.acquire_vm(*gpu_id, other)), libc::EINVAL, "{own}");
            device.acquire_vm(*gpu_id, device.render[own].as_fd()).unwrap();
        }
    });
}

/// Two copy engines of 16 are left for each of eight partitions, both for PCI Express.
#[test]
fn a_partition_has_its_share_of_the_copy_engines() {
    on_models("mi300x:cpx", "a_partition_has_its_share_of_the_copy_engines", || {
        let device = Device::open(8);
        queue(&device, KFD_IOC_QUEUE_TYPE_SDMA);
        assert_eq!(errno(try_queue_with(&device, KFD_IOC_QUEUE_TYPE_SDMA_XGMI, |_| {})), libc::ENOMEM);
        let by_number =
            |engine| try_queue_with(&device, KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, |args| args.sdma_engine_id = engine);
        by_number(1).unwrap();
        assert_eq!(errno(by_number(2)), libc::EINVAL);
        queue(&device, KFD_IOC_QUEUE_TYPE_COMPUTE_AQL);
    });
}

#[test]
fn the_mode_stays_as_it_is() {
    on_models("mi300x:qpx", "the_mode_stays_as_it_is", || {
        let file = format!("{CARD}/current_compute_partition");
        assert_eq!(errno(std::fs::write(&file, "SPX")), libc::EACCES);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "QPX\n");
    });
}

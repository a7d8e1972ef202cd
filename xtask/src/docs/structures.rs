//! The tables of the pages on data structures, against the bindings.
use std::collections::BTreeMap;

use kfd::code::KernelDescriptor;

use super::stack_pages::read;
use crate::vgpu;

/// A structure: bytes in all; offset and bytes of each field.
struct Layout {
    bytes: usize,
    fields: Fields<'static>,
}

/// The layout of structures by the page's names. A field that is left out here does not compile.
macro_rules! layouts {
    ($($name:literal = $structure:path { $($field:ident $(as $shown:literal)?),+ $(,)? })+) => {
        BTreeMap::from([$({
            let value = std::mem::MaybeUninit::<$structure>::zeroed();
            // SAFETY: the structures are of integers and pointers, for which zero is a value.
            let value = unsafe { value.assume_init_ref() };
            let $structure { $($field: _),+ } = value;
            let fields = BTreeMap::from([$((
                [stringify!($field), $($shown)?].last().copied().unwrap_or_default(),
                (std::mem::offset_of!($structure, $field), std::mem::size_of_val(&value.$field)),
            )),+]);
            ($name, Layout { bytes: size_of::<$structure>(), fields })
        }),+])
    };
}

fn layouts() -> BTreeMap<&'static str, Layout> {
    layouts! {
        "hsa_kernel_dispatch_packet_t" = hsa_sys::hsa_kernel_dispatch_packet_s {
            header, setup, workgroup_size_x, workgroup_size_y, workgroup_size_z, reserved0, grid_size_x, grid_size_y,
            grid_size_z, private_segment_size, group_segment_size, kernel_object, kernarg_address, reserved2,
            completion_signal,
        }
        "hsa_barrier_and_packet_t" = hsa_sys::hsa_barrier_and_packet_s {
            header, reserved0, reserved1, dep_signal, reserved2, completion_signal,
        }
        "hsa_barrier_or_packet_t" = hsa_sys::hsa_barrier_or_packet_s {
            header, reserved0, reserved1, dep_signal, reserved2, completion_signal,
        }
        "hsa_amd_barrier_value_packet_t" = hsa_sys::hsa_amd_barrier_value_packet_s {
            header, reserved0, signal, value, mask, cond, reserved1, reserved2, reserved3, completion_signal,
        }
        "hsa_queue_t" = hsa_sys::hsa_queue_s {
            type_, features, base_address, doorbell_signal, size, reserved1, id,
        }
        "amd_queue_t" = hsa_sys::amd_queue_s {
            hsa_queue, caps, reserved1, write_dispatch_id, group_segment_aperture_base_hi,
            private_segment_aperture_base_hi, max_cu_id, max_wave_id, max_legacy_doorbell_dispatch_id_plus_1,
            legacy_doorbell_lock, reserved2, read_dispatch_id, read_dispatch_id_field_base_byte_offset,
            compute_tmpring_size, scratch_resource_descriptor, scratch_backing_memory_location, reserved3,
            scratch_wave64_lane_byte_size, queue_properties, reserved4, queue_inactive_signal, reserved5,
        }
        "amd_signal_t" = hsa_sys::amd_signal_s {
            kind, __bindgen_anon_1 as "value`, `hardware_doorbell_ptr", event_mailbox_ptr, event_id, reserved1, start_ts,
            end_ts, __bindgen_anon_2 as "queue_ptr`, `reserved2", reserved3,
        }
        "kfd_ioctl_get_version_args" = kfd_sys::kfd_ioctl_get_version_args { major_version, minor_version }
        "kfd_ioctl_get_process_apertures_new_args" = kfd_sys::kfd_ioctl_get_process_apertures_new_args {
            kfd_process_device_apertures_ptr, num_of_nodes, pad,
        }
        "kfd_process_device_apertures" = kfd_sys::kfd_process_device_apertures {
            lds_base, lds_limit, scratch_base, scratch_limit, gpuvm_base, gpuvm_limit, gpu_id, pad,
        }
        "kfd_ioctl_acquire_vm_args" = kfd_sys::kfd_ioctl_acquire_vm_args { drm_fd, gpu_id }
        "kfd_ioctl_set_memory_policy_args" = kfd_sys::kfd_ioctl_set_memory_policy_args {
            alternate_aperture_base, alternate_aperture_size, gpu_id, default_policy, alternate_policy,
            misc_process_flag,
        }
        "kfd_ioctl_runtime_enable_args" = kfd_sys::kfd_ioctl_runtime_enable_args {
            r_debug, mode_mask, capabilities_mask,
        }
        "kfd_ioctl_set_xnack_mode_args" = kfd_sys::kfd_ioctl_set_xnack_mode_args { xnack_enabled }
        "kfd_ioctl_set_trap_handler_args" = kfd_sys::kfd_ioctl_set_trap_handler_args { tba_addr, tma_addr, gpu_id, pad }
        "kfd_ioctl_alloc_memory_of_gpu_args" = kfd_sys::kfd_ioctl_alloc_memory_of_gpu_args {
            va_addr, size, handle, mmap_offset, gpu_id, flags,
        }
        "kfd_ioctl_map_memory_to_gpu_args" = kfd_sys::kfd_ioctl_map_memory_to_gpu_args {
            handle, device_ids_array_ptr, n_devices, n_success,
        }
        "kfd_ioctl_unmap_memory_from_gpu_args" = kfd_sys::kfd_ioctl_unmap_memory_from_gpu_args {
            handle, device_ids_array_ptr, n_devices, n_success,
        }
        "kfd_ioctl_free_memory_of_gpu_args" = kfd_sys::kfd_ioctl_free_memory_of_gpu_args { handle }
        "kfd_ioctl_svm_args" = kfd_sys::kfd_ioctl_svm_args { start_addr, size, op, nattr, attrs }
        "kfd_ioctl_svm_attribute" = kfd_sys::kfd_ioctl_svm_attribute { type_, value }
        "kfd_ioctl_create_queue_args" = kfd_sys::kfd_ioctl_create_queue_args {
            ring_base_address, write_pointer_address, read_pointer_address, doorbell_offset, ring_size, gpu_id,
            queue_type, queue_percentage, queue_priority, queue_id, eop_buffer_address, eop_buffer_size,
            ctx_save_restore_address, ctx_save_restore_size, ctl_stack_size, sdma_engine_id, metadata_ring_size,
        }
        "kfd_ioctl_update_queue_args" = kfd_sys::kfd_ioctl_update_queue_args {
            ring_base_address, queue_id, ring_size, queue_percentage, queue_priority,
        }
        "kfd_ioctl_set_cu_mask_args" = kfd_sys::kfd_ioctl_set_cu_mask_args { queue_id, num_cu_mask, cu_mask_ptr }
        "kfd_ioctl_create_event_args" = kfd_sys::kfd_ioctl_create_event_args {
            event_page_offset, event_trigger_data, event_type, auto_reset, node_id, event_id, event_slot_index,
        }
        "kfd_ioctl_set_event_args" = kfd_sys::kfd_ioctl_set_event_args { event_id, pad }
        "kfd_ioctl_wait_events_args" = kfd_sys::kfd_ioctl_wait_events_args {
            events_ptr, num_events, wait_for_all, timeout, wait_result,
        }
        "kfd_event_data" = kfd_sys::kfd_event_data {
            __bindgen_anon_1 as "signal_event_data`, `memory_exception_data`, `hw_exception_data", kfd_event_data_ext,
            event_id, pad,
        }
        "kfd_ioctl_destroy_queue_args" = kfd_sys::kfd_ioctl_destroy_queue_args { queue_id, pad }
    }
}

/// Offset and bytes of each field.
type Fields<'a> = BTreeMap<&'a str, (usize, usize)>;

/// The page's tables, by the structure that the paragraph above them names, and how many bytes it says that structure
/// has.
fn tables(page: &str) -> BTreeMap<&str, (usize, Fields<'_>)> {
    let mut tables = BTreeMap::new();
    let mut structure = None;
    for line in page.lines() {
        if let Some((name, rest)) = line.strip_prefix('`').and_then(|rest| rest.split_once("`, "))
            && let Some(bytes) = rest.split(' ').next().and_then(|bytes| bytes.parse().ok())
        {
            tables.insert(name, (bytes, BTreeMap::new()));
            structure = Some(name);
        } else if line.starts_with('#') {
            structure = None;
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", offset, bytes, field, meaning, ""] = cells[..] else { continue };
        let (Ok(offset), Ok(bytes)) = (offset.parse(), bytes.parse()) else { continue };
        assert!(!meaning.is_empty(), "{field} has no meaning");
        let structure = structure.unwrap_or_else(|| panic!("{line}: of which structure?"));
        let (_, fields) = tables.get_mut(structure).expect("inserted above");
        let earlier = fields.insert(field.trim_matches('`'), (offset, bytes));
        assert!(earlier.is_none(), "{structure} has two rows of {field}");
    }
    tables
}

#[test]
fn tables_place_fields_where_the_bindings_do() {
    let pages =
        ["structures.md", "structures-driver.md"].map(|page| read(&vgpu::root().join("docs/src/stack").join(page)));
    let mut tables: BTreeMap<_, _> = pages.iter().flat_map(|page| tables(page)).collect();
    for (name, layout) in layouts() {
        let (bytes, shown) = tables.remove(name).unwrap_or_else(|| panic!("no table of {name}"));
        let mut fields = layout.fields;
        fields.retain(|field, _| !field.starts_with("reserved") && *field != "pad");
        assert_eq!((bytes, shown), (layout.bytes, fields), "{name}");
    }
    let left: Vec<_> = tables.into_keys().collect();
    assert_eq!(left, ["KernelDescriptor"], "tables that nothing is compared with");
}

#[test]
fn the_table_of_the_kernel_descriptor_is_how_it_is_read() {
    let page = read(&vgpu::root().join("docs/src/stack/structures.md"));
    let (size, mut rows) = tables(&page).remove("KernelDescriptor").expect("its table");
    assert_eq!(size, KernelDescriptor::BYTES);
    let bytes: [u8; KernelDescriptor::BYTES] = std::array::from_fn(|at| at as u8);
    let descriptor = KernelDescriptor::from_bytes(&bytes);
    let mut check = |field: &str, value: u64, width: usize| {
        let (offset, bytes_of_field) = rows.remove(field).unwrap_or_else(|| panic!("no row of {field}"));
        assert_eq!(bytes_of_field, width, "{field}");
        let there = bytes[offset..offset + width].iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        assert_eq!(there, value, "{field} is not at {offset}");
    };
    macro_rules! check {
        ($($field:ident),+) => {$(
            check(stringify!($field), descriptor.$field as u64, size_of_val(&descriptor.$field));
        )+};
    }
    check!(group_segment_fixed_size, private_segment_fixed_size, kernarg_size, kernel_code_entry_byte_offset);
    check!(compute_pgm_rsrc3, compute_pgm_rsrc1, compute_pgm_rsrc2, kernel_code_properties, kernarg_preload);
    assert!(rows.is_empty(), "rows of no field: {rows:?}");
}

//! The kernel's drivers (amdkfd and amdgpu) for one process: `/dev/kfd`, render nodes and the GPUs' files in `/sys`.
//!
//! Makes GPUs and queues of [`crate::hardware`] and handles their interrupts. Gives files and errnos to what stands in
//! front of libc.

pub mod accounts;
pub mod at_exit;
pub mod config;
pub mod device;
pub mod drm;
pub mod events;
pub mod files;
pub mod interrupt_handler;
pub mod kfd;
pub mod metadata;
pub mod support_table;
pub mod sysfs;
pub mod user;

//! The hardware queue of a copy engine: creation, ring, destruction.

use std::sync::atomic::{AtomicU64, Ordering};

use aql::{Doorbell, MmioDoorbell};
use kfd_sys::*;

use super::ring::Ring;
use crate::driver::{PAGE, request};
use crate::memory::{Memory, Placement};
use crate::queues::compute::{destroy, destroy_unfinished};
use crate::queues::device::Gpu;
use crate::{Error, Result};

/// Bytes of the ring: as AMD's runtime has it, and enough for a copy of more than 100 GiB.
pub(crate) const RING_BYTES: usize = 1 << 20;

/// Which copy engine a queue is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// One of those for PCIe and the GPU's own memory, which the driver chooses.
    #[default]
    Any,
    /// One of those for xGMI, between GPUs. A partition of a card in mode CPX has none: there [`Engine::Any`] copies
    /// between GPUs too.
    Xgmi,
    /// The one of this number, PCIe engines first (from version 1.17 of the driver's interface on).
    Number(u32),
}

impl Engine {
    /// The type of queue that CREATE_QUEUE is asked for, and the engine's number, which is 0 where the driver chooses.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for an engine that this GPU or driver does not have for us.
    pub(crate) fn queue_type(self, gpu: &Gpu) -> Result<(u32, u32)> {
        /// `KFD_IOCTL_MINOR_VERSION` of the kernel that added KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID.
        const BY_NUMBER: u32 = 17;
        if !gpu.node().has_host_atomics() {
            let why = "the way to the host lets no atomic operations of PCI Express through (HSA_IOLINK_FLAGS_NO_ATOMICS_64_BIT), by which \
                       engines count; use Queue::copy or a Copier";
            return Err(Error::Unsupported { subject: "a copy engine", why: why.into() });
        }
        match self {
            Engine::Any => Ok((KFD_IOC_QUEUE_TYPE_SDMA, 0)),
            Engine::Xgmi if gpu.node().property("num_sdma_xgmi_engines") == Some(0) => {
                let why = "this GPU has none (num_sdma_xgmi_engines is 0); Engine::Any copies between GPUs too";
                Err(Error::Unsupported { subject: "a copy engine for xGMI", why: why.into() })
            }
            Engine::Xgmi => Ok((KFD_IOC_QUEUE_TYPE_SDMA_XGMI, 0)),
            Engine::Number(number) if gpu.driver.minor() >= BY_NUMBER => {
                Ok((KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID, number))
            }
            Engine::Number(_) => {
                let why = format!(
                    "the driver's interface is 1.{}, engines have numbers from 1.{BY_NUMBER} on",
                    gpu.driver.minor()
                );
                Err(Error::Unsupported { subject: "a copy engine by number", why })
            }
        }
    }
}

/// A queue of the driver with all that it uses.
pub(crate) struct Hardware {
    pub id: u32,
    /// In `ring_memory`.
    ring: Ring,
    ring_memory: Memory,
    /// A page with both pointers.
    pointers: Memory,
    doorbell: MmioDoorbell,
}

/// Where the pointers are in their page.
const WRITE_POINTER: usize = 0;
const READ_POINTER: usize = 64;

impl Hardware {
    /// Makes one, empty, of what [`Engine::queue_type`] returned.
    pub fn new(gpu: &'static Gpu, (queue_type, sdma_engine_id): (u32, u32)) -> Result<Hardware> {
        let mut ring_memory = Memory::new(gpu, RING_BYTES, Placement::HOST.with_executable(true))?;
        // SAFETY: the queue has the memory as long as this, and nobody else writes it.
        let ring = unsafe { Ring::new(ring_memory.host()?.cast(), RING_BYTES as u64, gpu.family().least_submission) };
        let mut pointers = Memory::new(gpu, PAGE, Placement::HOST)?;
        let host = pointers.host()?;
        for offset in [WRITE_POINTER, READ_POINTER] {
            // SAFETY: inside the page, aligned, and nobody else has it yet.
            unsafe { host.add(offset).cast::<u64>().write(0) };
        }
        let mut args = kfd_ioctl_create_queue_args {
            ring_base_address: ring_memory.address(),
            write_pointer_address: pointers.address() + WRITE_POINTER as u64,
            read_pointer_address: pointers.address() + READ_POINTER as u64,
            ring_size: RING_BYTES as u32,
            gpu_id: gpu.id(),
            queue_type,
            queue_percentage: KFD_MAX_QUEUE_PERCENTAGE,
            // As AMD's runtime: copies come first.
            queue_priority: KFD_MAX_QUEUE_PRIORITY,
            sdma_engine_id,
            ..Default::default()
        };
        request!(gpu.driver, AMDKFD_IOC_CREATE_QUEUE, amdkfd_ioc_create_queue, "a copy queue", &mut args)?;
        let register = match gpu.doorbell(args.doorbell_offset) {
            Ok(register) => register,
            Err(error) => {
                let forget = || [&mut ring_memory, &mut pointers].into_iter().for_each(Memory::forget);
                destroy_unfinished(gpu, args.queue_id, forget);
                return Err(error);
            }
        };
        // SAFETY: the driver maps the register for as long as the queue is there.
        let doorbell = unsafe { MmioDoorbell::new(register) };
        Ok(Hardware { id: args.queue_id, ring, ring_memory, pointers, doorbell })
    }

    /// Writes a packet behind the last one. The engine does not have it before [`submit`](Self::submit), and
    /// [`used_bytes`](Self::used_bytes) says whether there is room.
    pub fn put(&mut self, packet: &[u32]) {
        self.ring.put(packet);
    }

    /// Hands the engine what was written, by the write pointer and the doorbell.
    pub fn submit(&mut self) {
        let end = self.ring.submit();
        // Release: the engine that reads the pointer finds the packets. It counts bytes.
        self.pointer(WRITE_POINTER).store(end, Ordering::Release);
        self.doorbell.ring(end);
    }

    /// Bytes of the ring that the engine has not read yet.
    pub fn used_bytes(&self) -> u64 {
        self.ring.written().saturating_sub(self.pointer(READ_POINTER).load(Ordering::Acquire))
    }

    /// Destroys it. When this returns without an error, nothing of it runs. After an error it still may, and nothing
    /// that it uses is ever given back.
    pub fn end(&mut self, gpu: &Gpu) -> Result<()> {
        destroy(gpu, self.id).inspect_err(|error| {
            [&mut self.ring_memory, &mut self.pointers].into_iter().for_each(Memory::forget);
            tracing::error!(%error, queue = self.id, "a copy queue was not destroyed");
        })
    }

    fn pointer(&self, offset: usize) -> &AtomicU64 {
        let address = self.pointers.address() as usize + offset;
        // SAFETY: in the page with the pointers, which is mapped as long as the queue lives, aligned; the engine
        // changes it atomically.
        unsafe { &*std::ptr::with_exposed_provenance(address) }
    }
}

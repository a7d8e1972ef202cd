//! The OpenCL code as it was before, with the crate `opencl3`: it knows nothing of HIP.
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_GPU, Device, get_all_devices};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;

use super::Failure;
use super::reference::{ANTENNAS, BYTES, Complex, MATRIX, SAMPLES};

/// Batches in flight.
pub const SLOTS: usize = 4;

const UNPACK: &str = "kernel void unpack(global const short2 *packet, global float2 *samples) {
    samples[get_global_id(0)] = convert_float2(packet[get_global_id(0)]) / 32768.0f;
}";

/// The buffers of one batch.
struct Slot {
    packet: Buffer<u8>,
    samples: Buffer<Complex>,
    matrix: Buffer<Complex>,
}

pub struct Existing {
    pub device: Device,
    pub context: Context,
    pub queue: CommandQueue,
    unpack: Mutex<Kernel>,
    slots: Vec<Mutex<Slot>>,
}

impl Existing {
    pub fn new() -> Result<Existing, Failure> {
        let device = Device::new(*get_all_devices(CL_DEVICE_TYPE_GPU)?.first().ok_or("no GPU that OpenCL sees")?);
        let context = Context::from_device(&device)?;
        let program = Program::create_and_build_from_source(&context, UNPACK, "")?;
        // SAFETY: the context's own device; no host pointers.
        unsafe {
            let queue = CommandQueue::create_with_properties(&context, device.id(), 0, 0)?;
            let slot = || -> Result<_, Failure> {
                Ok(Mutex::new(Slot {
                    packet: Buffer::create(&context, CL_MEM_READ_WRITE, BYTES, null_mut())?,
                    samples: Buffer::create(&context, CL_MEM_READ_WRITE, ANTENNAS * SAMPLES, null_mut())?,
                    matrix: Buffer::create(&context, CL_MEM_READ_WRITE, MATRIX, null_mut())?,
                }))
            };
            let slots = (0..SLOTS).map(|_| slot()).collect::<Result<_, _>>()?;
            let unpack = Mutex::new(Kernel::create(&program, "unpack")?);
            Ok(Existing { device, context, queue, unpack, slots })
        }
    }

    /// The buffers that HIP is to use, as OpenCL's handles: samples and matrix of each slot.
    pub fn buffers(&self) -> impl Iterator<Item = [*mut c_void; 2]> {
        self.slots.iter().map(|slot| {
            let slot = slot.lock().expect("nobody panics with it");
            [slot.samples.get(), slot.matrix.get()]
        })
    }

    /// Brings a packet to the GPU and unpacks it there; returns when that is enqueued.
    pub fn unpack(&self, index: usize, packet: &[u8]) -> Result<(), Failure> {
        let mut slot = self.slots[index].lock().expect("nobody panics with it");
        let kernel = self.unpack.lock().expect("nobody panics with it");
        // SAFETY: the packet fits and is copied when the call returns; one work-item an element.
        unsafe {
            self.queue.enqueue_write_buffer(&mut slot.packet, CL_BLOCKING, 0, packet, &[])?;
            ExecuteKernel::new(&kernel)
                .set_arg(&slot.packet)
                .set_arg(&slot.samples)
                .set_global_work_size(ANTENNAS * SAMPLES)
                .enqueue_nd_range(&self.queue)?;
        }
        Ok(())
    }

    /// Reads the slot's matrix.
    pub fn read(&self, index: usize, matrix: &mut [Complex]) -> Result<(), Failure> {
        let slot = self.slots[index].lock().expect("nobody panics with it");
        // SAFETY: it fits, and the call blocks.
        unsafe { self.queue.enqueue_read_buffer(&slot.matrix, CL_BLOCKING, 0, matrix, &[]) }?;
        Ok(())
    }
}

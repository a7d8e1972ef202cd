//! The same kernel by PoCL on the CPU.

// The benchmarks use a part of this.
#![allow(dead_code)]

use crate::program::{Arg, Run};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_uchar};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// OpenCL 1.2: PoCL 3.1 rejects many of its own functions in OpenCL C 2.0.
const OPTIONS: &str = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";

/// One test at a time: each has a context, and their memory adds up.
static TURN: Mutex<()> = Mutex::new(());

/// PoCL, ready to build and run kernels.
pub struct Pocl {
    context: Context,
    queue: CommandQueue,
    _turn: MutexGuard<'static, ()>,
}

/// A built kernel with its buffers.
pub struct Built<'a> {
    pocl: &'a Pocl,
    kernel: Kernel,
    _program: Program,
    buffers: Vec<(Buffer<cl_uchar>, usize)>,
    run: Run,
}

impl Pocl {
    /// `None` if PoCL is not installed.
    pub fn new() -> Option<Pocl> {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let platforms = get_platforms().ok()?;
        let platform = platforms.iter().find(|p| p.name().is_ok_and(|n| n.contains("Portable Computing")))?;
        let device = Device::new(*platform.get_devices(CL_DEVICE_TYPE_ALL).ok()?.first()?);
        let context = Context::from_device(&device).ok()?;
        let queue = CommandQueue::create_default_with_properties(&context, 0, 0).ok()?;
        Some(Pocl { context, queue, _turn: turn })
    }

    /// Builds the kernel and copies its buffers.
    pub fn build(&self, run: &Run) -> Result<Built<'_>, String> {
        let program = Program::create_and_build_from_source(&self.context, &run.source, OPTIONS)
            .map_err(|log| format!("PoCL: {log}\n{}", run.source))?;
        let kernel = Kernel::create(&program, run.kernel).map_err(|e| e.to_string())?;
        let mut buffers = Vec::new();
        for arg in &run.args {
            if let Arg::Buffer(content) = arg {
                // SAFETY: no host memory is used by the buffer.
                let buffer = unsafe {
                    Buffer::<cl_uchar>::create(&self.context, CL_MEM_READ_WRITE, content.len(), std::ptr::null_mut())
                };
                let mut buffer = buffer.map_err(|e| e.to_string())?;
                // SAFETY: blocking, so `content` outlives the copy.
                unsafe { self.queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, content, &[]) }
                    .map_err(|e| e.to_string())?;
                buffers.push((buffer, content.len()));
            }
        }
        Ok(Built { pocl: self, kernel, _program: program, buffers, run: run.clone() })
    }
}

impl Built<'_> {
    /// Runs it once, to the end.
    pub fn run(&self) -> Result<(), String> {
        let mut execute = ExecuteKernel::new(&self.kernel);
        let mut next = self.buffers.iter();
        for arg in &self.run.args {
            // SAFETY: sizes and kinds are those of the kernel's parameters; the tests see to that.
            unsafe {
                match arg {
                    Arg::Buffer(_) => execute.set_arg(&next.next().expect("one buffer per argument").0),
                    Arg::Local(size) => execute.set_arg_local_buffer(*size as usize),
                    Arg::Value(bytes) => match bytes.len() {
                        1 => execute.set_arg(&bytes[0]),
                        2 => execute.set_arg(&[bytes[0], bytes[1]]),
                        4 => execute.set_arg(&<[u8; 4]>::try_from(&bytes[..]).expect("4 bytes")),
                        8 => execute.set_arg(&<[u8; 8]>::try_from(&bytes[..]).expect("8 bytes")),
                        _ => execute.set_arg(&<[u8; 16]>::try_from(&bytes[..]).expect("16 bytes")),
                    },
                };
            }
        }
        execute.set_global_work_sizes(&self.run.global.map(|n| n as usize));
        execute.set_local_work_sizes(&self.run.local.map(|n| n as usize));
        // SAFETY: as above; the kernels stay inside their buffers.
        let event = unsafe { execute.enqueue_nd_range(&self.pocl.queue) }.map_err(|e| e.to_string())?;
        event.wait().map_err(|e| e.to_string())
    }

    /// The contents of the buffers.
    pub fn buffers(&self) -> Result<Vec<Vec<u8>>, String> {
        let mut contents = Vec::new();
        for (buffer, length) in &self.buffers {
            let mut content = vec![0; *length];
            // SAFETY: blocking, so `content` outlives the copy.
            unsafe { self.pocl.queue.enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut content, &[]) }
                .map_err(|e| e.to_string())?;
            contents.push(content);
        }
        Ok(contents)
    }
}

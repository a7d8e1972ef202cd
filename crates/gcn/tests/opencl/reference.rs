//! The same kernel by PoCL on the CPU.

// The benchmarks use a part of this.
#![allow(dead_code)]

use crate::program::{Arg, Format, Kind, Picture, Run};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{
    Buffer, CL_BGRA, CL_FLOAT, CL_HALF_FLOAT, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D, CL_MEM_READ_WRITE, CL_R, CL_RGBA, CL_SIGNED_INT16, CL_UNORM_INT8, CL_UNSIGNED_INT8,
    CL_UNSIGNED_INT32, Image,
};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_image_desc, cl_image_format, cl_uchar};
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
    buffers: Vec<Object>,
    run: Run,
}

/// A memory object and what it takes to read it.
enum Object {
    Buffer(Buffer<cl_uchar>, usize),
    Image(Image, [usize; 3], usize),
}

fn create_image(context: &Context, picture: &Picture) -> Result<Image, String> {
    let (image_channel_order, image_channel_data_type) = match picture.format {
        Format::RgbaUnorm8 => (CL_RGBA, CL_UNORM_INT8),
        Format::RgbaUint8 => (CL_RGBA, CL_UNSIGNED_INT8),
        Format::BgraUnorm8 => (CL_BGRA, CL_UNORM_INT8),
        Format::RgbaSint16 => (CL_RGBA, CL_SIGNED_INT16),
        Format::RgbaHalf => (CL_RGBA, CL_HALF_FLOAT),
        Format::RUint32 => (CL_R, CL_UNSIGNED_INT32),
        Format::RgbaFloat => (CL_RGBA, CL_FLOAT),
    };
    let format = cl_image_format { image_channel_order, image_channel_data_type };
    let [width, height, depth] = picture.size.map(|size| size as usize);
    let (image_type, height, depth, slices) = match picture.kind {
        Kind::Plane => (CL_MEM_OBJECT_IMAGE2D, height, 0, 0),
        Kind::Volume => (CL_MEM_OBJECT_IMAGE3D, height, depth, 0),
        Kind::Planes => (CL_MEM_OBJECT_IMAGE2D_ARRAY, height, 0, depth),
    };
    let desc = cl_image_desc {
        image_type,
        image_width: width,
        image_height: height,
        image_depth: depth,
        image_array_size: slices,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    };
    // SAFETY: no host memory is used by the image.
    unsafe { Image::create(context, CL_MEM_READ_WRITE, &format, &desc, std::ptr::null_mut()) }
        .map_err(|e| format!("{picture:?}: {e}"))
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
            if let Arg::Image(picture) = arg {
                let mut image = create_image(&self.context, picture)?;
                let region = picture.size.map(|size| size as usize);
                let (origin, texels) = ([0usize; 3], picture.texels.as_ptr().cast_mut().cast());
                // SAFETY: blocking, so `texels`, which are as many as the image has, outlive the copy.
                unsafe {
                    self.queue.enqueue_write_image(
                        &mut image,
                        CL_BLOCKING,
                        origin.as_ptr(),
                        region.as_ptr(),
                        0,
                        0,
                        texels,
                        &[],
                    )
                }
                .map_err(|e| e.to_string())?;
                buffers.push(Object::Image(image, region, picture.texels.len()));
            }
            if let Arg::Buffer(content) = arg {
                // SAFETY: no host memory is used by the buffer.
                let buffer = unsafe {
                    Buffer::<cl_uchar>::create(&self.context, CL_MEM_READ_WRITE, content.len(), std::ptr::null_mut())
                };
                let mut buffer = buffer.map_err(|e| e.to_string())?;
                // SAFETY: blocking, so `content` outlives the copy.
                unsafe { self.queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, content, &[]) }
                    .map_err(|e| e.to_string())?;
                buffers.push(Object::Buffer(buffer, content.len()));
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
                    Arg::Buffer(_) | Arg::Image(_) => match next.next().expect("one object per argument") {
                        Object::Buffer(buffer, _) => execute.set_arg(buffer),
                        Object::Image(image, ..) => execute.set_arg(image),
                    },
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

    /// The contents of the buffers and images.
    pub fn buffers(&self) -> Result<Vec<Vec<u8>>, String> {
        let read = |object: &Object| {
            let (Object::Buffer(_, length) | Object::Image(_, _, length)) = object;
            let mut content = vec![0; *length];
            let queue = &self.pocl.queue;
            let origin = [0usize; 3];
            // SAFETY: blocking, so `content`, which is as large as the object, outlives the copy.
            let result = unsafe {
                match object {
                    Object::Buffer(buffer, _) => queue.enqueue_read_buffer(buffer, CL_BLOCKING, 0, &mut content, &[]),
                    Object::Image(image, region, _) => {
                        let to = content.as_mut_ptr().cast();
                        queue.enqueue_read_image(image, CL_BLOCKING, origin.as_ptr(), region.as_ptr(), 0, 0, to, &[])
                    }
                }
            };
            result.map(|_| content).map_err(|e| e.to_string())
        };
        self.buffers.iter().map(read).collect()
    }
}

//! All that is between the OpenCL code of the example `receiver` and HIP, by the calls of both APIs.
use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;

use hip_sys::{Hip, Hiprtc, hipError_t, hipFunction_t, hipMemcpyKind, hipModule_t, hipStream_t, hiprtcResult};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;

use crate::receiver::blas::Blas;
use crate::receiver::existing::Existing;
use crate::receiver::reference::{ANTENNAS, Complex, SAMPLES, window};
use crate::receiver::{Between, Failure};

const WEIGH: &CStr = cr#"extern "C" __global__ void weigh(float2 *samples, const float *window, unsigned antennas) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    samples[i].x *= window[i / antennas];
    samples[i].y *= window[i / antennas];
}"#;
const ADDRESS: &str = "kernel void address_of(global char *b, global ulong *out) { *out = (ulong)b; }";

/// Dropped in this order: rocBLAS waits for the stream.
pub struct Raw {
    blas: Blas,
    hip: Hip,
    device: i32,
    stream: hipStream_t,
    module: hipModule_t,
    weigh: hipFunction_t,
    window: *mut c_void,
    queue: *mut c_void,
    _code: Vec<u8>,
}

// SAFETY: HIP's and OpenCL's handles belong to no thread.
unsafe impl Send for Raw {}
// SAFETY: their functions are thread-safe.
unsafe impl Sync for Raw {}

/// Addresses of the GPU, and the objects that have them.
pub struct Slot {
    samples: *mut c_void,
    matrix: *mut c_void,
    objects: [*mut c_void; 2],
}

// SAFETY: as above.
unsafe impl Send for Slot {}
// SAFETY: as above.
unsafe impl Sync for Slot {}

impl Drop for Slot {
    fn drop(&mut self) {
        for object in self.objects {
            // SAFETY: retained by `new`.
            if let Err(code) = unsafe { opencl3::memory::release_mem_object(object) } {
                eprintln!("clReleaseMemObject: {code}");
            }
        }
    }
}

fn hip_call(hip: &Hip, name: &str, code: Result<hipError_t, impl std::fmt::Display>) -> Result<(), Failure> {
    match code.map_err(|error| error.to_string())? {
        hipError_t::hipSuccess => Ok(()),
        code => {
            // SAFETY: HIP has a text for each code.
            let text = unsafe { CStr::from_ptr(hip.hipGetErrorString(code).map_err(|error| error.to_string())?) };
            Err(format!("{name}: {}", text.to_string_lossy()).into())
        }
    }
}

macro_rules! hip {
    ($hip:expr, $function:ident ( $($argument:expr),* )) => { hip_call($hip, stringify!($function), $hip.$function($($argument),*)) };
}

fn rtc_call(name: &str, code: Result<hiprtcResult, impl std::fmt::Display>) -> Result<(), Failure> {
    match code.map_err(|error| error.to_string())? {
        hiprtcResult::HIPRTC_SUCCESS => Ok(()),
        code => Err(format!("{name}: {code:?}").into()),
    }
}

macro_rules! rtc {
    ($rtc:expr, $function:ident ( $($argument:expr),* )) => { rtc_call(stringify!($function), $rtc.$function($($argument),*)) };
}

fn compile(architecture: &str) -> Result<Vec<u8>, Failure> {
    let rtc = Hiprtc::load()?;
    let option = CString::new(format!("--offload-arch={architecture}"))?;
    let (mut program, mut option) = (null_mut(), option.as_ptr());
    // SAFETY: texts that end in 0, and places as large as the functions say.
    unsafe {
        rtc!(rtc, hiprtcCreateProgram(&mut program, WEIGH.as_ptr(), c"weigh".as_ptr(), 0, null_mut(), null_mut()))?;
        let compiled = rtc!(rtc, hiprtcCompileProgram(program, 1, &mut option));
        let mut size = 0;
        if let Err(error) = compiled {
            rtc!(rtc, hiprtcGetProgramLogSize(program, &mut size))?;
            let mut log = vec![0u8; size];
            rtc!(rtc, hiprtcGetProgramLog(program, log.as_mut_ptr().cast()))?;
            rtc!(rtc, hiprtcDestroyProgram(&mut program))?;
            return Err(format!("{error}\n{}", String::from_utf8_lossy(&log)).into());
        }
        rtc!(rtc, hiprtcGetCodeSize(program, &mut size))?;
        let mut code = vec![0u8; size];
        rtc!(rtc, hiprtcGetCode(program, code.as_mut_ptr().cast()))?;
        rtc!(rtc, hiprtcDestroyProgram(&mut program))?;
        Ok(code)
    }
}

/// HIP's device at this PCI address, and its architecture.
fn find_device(hip: &Hip, existing: &Existing) -> Result<(i32, String), Failure> {
    let topology = existing.device.topology_amd()?;
    let wanted = (topology.bus, topology.device, topology.function);
    let mut count = 0;
    // SAFETY: writes one number.
    unsafe { hip!(hip, hipGetDeviceCount(&mut count)) }?;
    for device in 0..count {
        let mut text = [0u8; 32];
        // SAFETY: room for as many bytes as it is told.
        unsafe { hip!(hip, hipDeviceGetPCIBusId(text.as_mut_ptr().cast(), text.len() as i32, device)) }?;
        let text = CStr::from_bytes_until_nul(&text)?.to_str()?;
        let [_, bus, rest] = text.split(':').collect::<Vec<_>>()[..] else { continue };
        let (slot, function) = rest.split_once('.').ok_or("a PCI address")?;
        let number = |text| u8::from_str_radix(text, 16);
        if (number(bus)?, number(slot)?, number(function)?) == wanted {
            return Ok((device, existing.device.name()?));
        }
    }
    Err("HIP does not see OpenCL's GPU".into())
}

/// What kernels get as the addresses of buffer objects, for which OpenCL has no query.
fn addresses(existing: &Existing) -> Result<Vec<Slot>, Failure> {
    let program = Program::create_and_build_from_source(&existing.context, ADDRESS, "")?;
    let kernel = Kernel::create(&program, "address_of")?;
    // SAFETY: no host pointer.
    let told = unsafe { Buffer::<u64>::create(&existing.context, CL_MEM_READ_WRITE, 1, null_mut()) }?;
    let address_of = |object: *mut c_void| -> Result<*mut c_void, Failure> {
        let mut address = [0u64];
        // SAFETY: arguments as the kernel declares; the read blocks.
        unsafe {
            let mut launch = ExecuteKernel::new(&kernel);
            launch.set_arg(&object).set_arg(&told.get()).set_global_work_size(1);
            launch.enqueue_nd_range(&existing.queue)?;
            existing.queue.enqueue_read_buffer(&told, CL_BLOCKING, 0, &mut address, &[])?;
        }
        Ok(std::ptr::with_exposed_provenance_mut(address[0] as usize))
    };
    let slot = |objects: [*mut c_void; 2]| -> Result<Slot, Failure> {
        for object in objects {
            // SAFETY: a live object.
            unsafe { opencl3::memory::retain_mem_object(object) }
                .map_err(|code| format!("clRetainMemObject: {code}"))?;
        }
        let mut slot = Slot { samples: null_mut(), matrix: null_mut(), objects };
        (slot.samples, slot.matrix) = (address_of(objects[0])?, address_of(objects[1])?);
        Ok(slot)
    };
    existing.buffers().map(slot).collect()
}

impl Between for Raw {
    type Slot = Slot;

    fn new(existing: &Existing) -> Result<(Raw, Vec<Slot>), Failure> {
        let hip = Hip::load()?;
        let (device, architecture) = find_device(&hip, existing)?;
        let code = compile(&architecture)?;
        let table = window();
        let (mut stream, mut module, mut weigh, mut window) = (null_mut(), null_mut(), null_mut(), null_mut());
        let kind = hipMemcpyKind::hipMemcpyHostToDevice;
        let bytes = size_of_val(&table[..]);
        // SAFETY: each writes one handle or pointer; the code stays as long as the module, and the table is as long as
        // is said.
        let blas = unsafe {
            hip!(&hip, hipSetDevice(device))?;
            hip!(&hip, hipStreamCreate(&mut stream))?;
            hip!(&hip, hipModuleLoadData(&mut module, code.as_ptr().cast()))?;
            hip!(&hip, hipModuleGetFunction(&mut weigh, module, c"weigh".as_ptr()))?;
            hip!(&hip, hipMalloc(&mut window, bytes))?;
            hip!(&hip, hipMemcpy(window, table.as_ptr().cast(), bytes, kind))?;
            Blas::new(stream.cast())?
        };
        let queue = existing.queue.get();
        // SAFETY: a live queue.
        unsafe { opencl3::command_queue::retain_command_queue(queue) }
            .map_err(|code| format!("clRetainCommandQueue: {code}"))?;
        let raw = Raw { blas, hip, device, stream, module, weigh, window, queue, _code: code };
        Ok((raw, addresses(existing)?))
    }

    fn compute(&self, slot: Slot) -> Result<Slot, Failure> {
        opencl3::command_queue::finish(self.queue).map_err(|code| format!("clFinish: {code}"))?;
        let (mut samples, mut window, mut antennas) = (slot.samples, self.window, ANTENNAS as u32);
        let mut arguments: [*mut c_void; 3] =
            [(&raw mut samples).cast(), (&raw mut window).cast(), (&raw mut antennas).cast()];
        let (groups, arguments) = ((ANTENNAS * SAMPLES / 64) as u32, arguments.as_mut_ptr());
        // SAFETY: what the kernel declares, one work-item an element; both are as long as rocBLAS is told.
        unsafe {
            hip!(&self.hip, hipSetDevice(self.device))?;
            let none = null_mut();
            hip!(
                &self.hip,
                hipModuleLaunchKernel(self.weigh, groups, 1, 1, 64, 1, 1, 0, self.stream, arguments, none)
            )?;
            self.blas.covariance(slot.samples.cast::<Complex>(), slot.matrix.cast())?;
            hip!(&self.hip, hipStreamSynchronize(self.stream))?;
        }
        Ok(slot)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: made by `new`, given back once; the stream's work was waited for.
        let outcomes = unsafe {
            [
                hip!(&self.hip, hipStreamSynchronize(self.stream)),
                hip!(&self.hip, hipModuleUnload(self.module)),
                hip!(&self.hip, hipFree(self.window)),
            ]
        };
        outcomes.into_iter().filter_map(Result::err).for_each(|error| eprintln!("{error}"));
        // SAFETY: retained by `new`.
        if let Err(code) = unsafe { opencl3::command_queue::release_command_queue(self.queue) } {
            eprintln!("clReleaseCommandQueue: {code}");
        }
    }
}

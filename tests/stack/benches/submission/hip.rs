//! Kernels of HIP, behind one that runs until a burst is submitted.
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hip_sys::{Hip, hipError_t, hipFunction_t, hipModule_t, hipStream_t, hiprtcResult};
use rocm_interop::Libraries;

use crate::empty;

/// Launches of a burst: few enough for HIP's queue and its pool of kernel arguments to have room.
pub const BURST: u64 = 512;

/// Compiles a program and loads it. Returns the code object too.
pub fn load(libraries: &Libraries, source: &str) -> (hipModule_t, Vec<u8>) {
    let (hip, compiler) = (&libraries.hip, &libraries.hiprtc);
    let source = CString::new(source).expect("no 0");
    let rtc = |code: Result<hiprtcResult, _>| assert_eq!(code.expect("hiprtc"), hiprtcResult::HIPRTC_SUCCESS);
    let (mut program, mut size, mut module) = (null_mut(), 0, null_mut());
    // SAFETY: strings end in 0, outputs have their types, and the code has the size asked for.
    unsafe {
        ok(hip.hipSetDevice(0));
        rtc(compiler.hiprtcCreateProgram(&mut program, source.as_ptr(), null(), 0, null_mut(), null_mut()));
        rtc(compiler.hiprtcCompileProgram(program, 0, null_mut()));
        rtc(compiler.hiprtcGetCodeSize(program, &mut size));
        let mut code = vec![0u8; size];
        rtc(compiler.hiprtcGetCode(program, code.as_mut_ptr().cast()));
        rtc(compiler.hiprtcDestroyProgram(&mut program));
        ok(hip.hipModuleLoadData(&mut module, code.as_ptr().cast()));
        (module, code)
    }
}

/// A kernel of a module.
pub fn function(hip: &Hip, module: hipModule_t, name: &str) -> hipFunction_t {
    let name = CString::new(name).expect("no 0");
    let mut function = null_mut();
    // SAFETY: a live module, a string that ends in 0, an output of its type.
    ok(unsafe { hip.hipModuleGetFunction(&mut function, module, name.as_ptr()) });
    function
}

/// A kernel that holds a stream back until it is told to end.
pub struct Hold<'l> {
    hip: &'l Hip,
    function: hipFunction_t,
    /// Memory that host and GPU see; the kernel runs while it is 0.
    gate: &'l AtomicU32,
}

impl<'l> Hold<'l> {
    pub const SOURCE: &'static str = "
extern \"C\" __global__ void hold(unsigned *gate) {
    while (!__hip_atomic_load(gate, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)) __builtin_amdgcn_s_sleep(127);
}
";

    /// Of a module that has [`SOURCE`](Self::SOURCE).
    pub fn new(hip: &'l Hip, module: hipModule_t) -> Self {
        let mut gate: *mut c_void = null_mut();
        // SAFETY: writes one pointer.
        ok(unsafe { hip.hipHostMalloc(&mut gate, 64, 0) });
        // SAFETY: memory of the process's life, aligned to pages, that only this type and its kernel use.
        let gate = unsafe { AtomicU32::from_ptr(gate.cast()) };
        Hold { hip, function: function(hip, module, "hold"), gate }
    }

    /// Holds back what is submitted to the stream from now on.
    pub fn close(&self, stream: hipStream_t) {
        self.gate.store(0, Ordering::Release);
        let mut argument = std::ptr::from_ref(self.gate);
        let arguments = (&raw mut argument).cast::<c_void>();
        // SAFETY: one pointer, as the kernel declares; HIP copies it during the call.
        ok(unsafe {
            let (hold, arguments) = (self.function, &mut [arguments]);
            self.hip.hipModuleLaunchKernel(hold, 1, 1, 1, 1, 1, 1, 0, stream, arguments.as_mut_ptr(), null_mut())
        });
    }

    /// Lets the stream run, which was held until now.
    pub fn open(&self, stream: hipStream_t) {
        // SAFETY: a live stream.
        let state = unsafe { self.hip.hipStreamQuery(stream) }.expect("HIP");
        assert_eq!(state, hipError_t::hipErrorNotReady, "the kernel did not hold the burst");
        self.gate.store(1, Ordering::Release);
    }
}

/// The kernel, the one that holds it back, and a stream for both.
pub struct Launcher<'l> {
    libraries: &'l Libraries,
    function: hipFunction_t,
    hold: Hold<'l>,
    stream: hipStream_t,
}

impl<'l> Launcher<'l> {
    pub fn new(libraries: &'l Libraries) -> Self {
        let (module, _) = load(libraries, &format!("{}{}", empty::SOURCE, Hold::SOURCE));
        let function = function(&libraries.hip, module, empty::NAME);
        Launcher { libraries, function, hold: Hold::new(&libraries.hip, module), stream: stream(&libraries.hip) }
    }

    /// Submits the kernel.
    pub fn launch(&self) {
        let (function, stream, none) = (self.function, self.stream, null_mut());
        // SAFETY: a kernel without arguments.
        let code = unsafe {
            self.libraries.hip.hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, none, null_mut())
        };
        ok(code);
    }

    /// Waits until the GPU has run all that was submitted.
    pub fn synchronize(&self) {
        // SAFETY: a live stream.
        ok(unsafe { self.libraries.hip.hipStreamSynchronize(self.stream) });
    }

    /// Time of this many launches, in bursts; the GPU works a burst off while the clock stands.
    pub fn time(&self, launches: u64) -> Duration {
        let mut spent = Duration::ZERO;
        let mut left = launches;
        while left > 0 {
            let burst = left.min(BURST);
            self.hold.close(self.stream);
            let started = Instant::now();
            (0..burst).for_each(|_| self.launch());
            spent += started.elapsed();
            self.hold.open(self.stream);
            self.synchronize();
            left -= burst;
        }
        spent
    }
}

/// A new stream.
pub fn stream(hip: &Hip) -> hipStream_t {
    let mut stream = null_mut();
    // SAFETY: writes one pointer.
    ok(unsafe { hip.hipStreamCreate(&mut stream) });
    stream
}

pub fn ok(code: Result<hipError_t, hip_sys::LoadError>) {
    assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
}

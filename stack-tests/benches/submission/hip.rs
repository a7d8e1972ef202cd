//! An empty kernel launched by HIP, behind one that runs until a burst is submitted.
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hip_sys::{hipError_t, hipFunction_t, hipStream_t, hiprtcResult};
use rocm_interop::Libraries;

use crate::empty;

/// Launches of a burst: few enough for HIP's queue and its pool of kernel arguments to have room.
const BURST: u64 = 512;

const HOLD: &str = "
extern \"C\" __global__ void hold(unsigned *gate) {
    while (!__hip_atomic_load(gate, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM)) __builtin_amdgcn_s_sleep(127);
}
";

/// The kernel, the one that holds it back, and a stream for both.
pub struct Launcher<'l> {
    libraries: &'l Libraries,
    function: hipFunction_t,
    hold: hipFunction_t,
    /// Memory that host and GPU see; `hold` runs while it is 0.
    gate: &'l AtomicU32,
    stream: hipStream_t,
}

impl<'l> Launcher<'l> {
    pub fn new(libraries: &'l Libraries) -> Self {
        let (hip, compiler) = (&libraries.hip, &libraries.hiprtc);
        let source = CString::new(format!("{}{HOLD}", empty::SOURCE)).expect("no 0");
        let name = CString::new(empty::NAME).expect("no 0");
        let rtc = |code: Result<hiprtcResult, _>| assert_eq!(code.expect("hiprtc"), hiprtcResult::HIPRTC_SUCCESS);
        let (mut program, mut size) = (null_mut(), 0);
        let (mut module, mut function, mut hold, mut stream) = (null_mut(), null_mut(), null_mut(), null_mut());
        let mut gate: *mut c_void = null_mut();
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
            ok(hip.hipModuleGetFunction(&mut function, module, name.as_ptr()));
            ok(hip.hipModuleGetFunction(&mut hold, module, c"hold".as_ptr()));
            ok(hip.hipStreamCreate(&mut stream));
            ok(hip.hipHostMalloc(&mut gate, 64, 0));
        }
        // SAFETY: memory of the process's life, aligned to pages, that only this type and its kernel use.
        let gate = unsafe { AtomicU32::from_ptr(gate.cast()) };
        Launcher { libraries, function, hold, gate, stream }
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
        let (hip, stream) = (&self.libraries.hip, self.stream);
        let mut spent = Duration::ZERO;
        let mut left = launches;
        while left > 0 {
            let burst = left.min(BURST);
            self.gate.store(0, Ordering::Release);
            let mut argument = std::ptr::from_ref(self.gate);
            let arguments = (&raw mut argument).cast::<c_void>();
            // SAFETY: one pointer, as the kernel declares; HIP copies it during the call.
            ok(unsafe {
                hip.hipModuleLaunchKernel(self.hold, 1, 1, 1, 1, 1, 1, 0, stream, [arguments].as_mut_ptr(), null_mut())
            });
            let started = Instant::now();
            (0..burst).for_each(|_| self.launch());
            spent += started.elapsed();
            // SAFETY: a live stream.
            let state = unsafe { hip.hipStreamQuery(stream) }.expect("HIP");
            assert_eq!(state, hipError_t::hipErrorNotReady, "the kernel did not hold the burst");
            self.gate.store(1, Ordering::Release);
            self.synchronize();
            left -= burst;
        }
        spent
    }
}

fn ok(code: Result<hipError_t, hip_sys::LoadError>) {
    assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
}

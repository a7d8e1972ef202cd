//! An empty kernel launched by HIP.
use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use hip_sys::{hipError_t, hipFunction_t, hipStream_t, hiprtcResult};
use rocm_interop::Libraries;

/// Launches of a burst: few enough for HIP's queue and its pool of kernel arguments to have room.
const BURST: u64 = 512;

/// The kernel and a stream for it.
pub struct Launcher<'l> {
    libraries: &'l Libraries,
    function: hipFunction_t,
    stream: hipStream_t,
}

impl<'l> Launcher<'l> {
    pub fn new(libraries: &'l Libraries, source: &str, name: &str) -> Self {
        let (hip, compiler) = (&libraries.hip, &libraries.hiprtc);
        let (source, name) = (CString::new(source).expect("no 0"), CString::new(name).expect("no 0"));
        let rtc = |code: Result<hiprtcResult, _>| assert_eq!(code.expect("hiprtc"), hiprtcResult::HIPRTC_SUCCESS);
        let (mut program, mut size) = (null_mut(), 0);
        let (mut module, mut function, mut stream) = (null_mut(), null_mut(), null_mut());
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
            ok(hip.hipStreamCreate(&mut stream));
        }
        Launcher { libraries, function, stream }
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

    /// Time of this many launches, in bursts; the clock stands while the GPU works off a burst.
    pub fn time(&self, launches: u64) -> Duration {
        let mut spent = Duration::ZERO;
        let mut left = launches;
        while left > 0 {
            let burst = left.min(BURST);
            let started = Instant::now();
            (0..burst).for_each(|_| self.launch());
            spent += started.elapsed();
            self.synchronize();
            left -= burst;
        }
        spent
    }
}

fn ok(code: Result<hipError_t, hip_sys::LoadError>) {
    assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
}

//! What is measured of HIP.
use std::ffi::c_void;
use std::ptr::{from_ref, null_mut};
use std::time::{Duration, Instant};

use hip_sys::{Hip, hipEvent_t, hipEventDisableTiming, hipFunction_t, hipMemcpyKind, hipModule_t, hipStream_t};
use rocm_interop::Libraries;

use crate::hip::{Hold, function, load, ok, stream};
use crate::{BURST, ITEMS, SAXPY, pattern, x};

/// `y = x + y`, so that `y` tells how often it ran.
struct Saxpy<'l> {
    hip: &'l Hip,
    function: hipFunction_t,
    x: *mut f32,
    y: *mut f32,
}

impl<'l> Saxpy<'l> {
    fn new(hip: &'l Hip, module: hipModule_t) -> Self {
        let buffer = || pinned(hip, ITEMS * size_of::<f32>()).cast::<f32>();
        let (x, y) = (buffer(), buffer());
        // SAFETY: memory of that many values, which nobody else has.
        (0..ITEMS).for_each(|i| unsafe { x.add(i).write(crate::x(i)) });
        Saxpy { hip, function: function(hip, module, "saxpy"), x, y }
    }

    fn clear(&self) {
        // SAFETY: memory of that many values, which no kernel uses now.
        unsafe { self.y.write_bytes(0, ITEMS) };
    }

    #[inline]
    fn launch(&self, stream: hipStream_t) {
        let (n, a) = (ITEMS as i32, 1.0f32);
        let mut arguments: [*mut c_void; 4] = [
            from_ref(&n).cast_mut().cast(),
            from_ref(&a).cast_mut().cast(),
            from_ref(&self.x).cast_mut().cast(),
            from_ref(&self.y).cast_mut().cast(),
        ];
        let (kernel, arguments) = (self.function, arguments.as_mut_ptr());
        // SAFETY: the kernel's four arguments, which HIP copies during the call; both buffers have `ITEMS` values.
        ok(unsafe { self.hip.hipModuleLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, stream, arguments, null_mut()) });
    }

    /// What it computed by that many runs, which are done.
    fn check(&self, runs: u64) {
        // SAFETY: as in `clear`.
        let y = unsafe { std::slice::from_raw_parts(self.y, ITEMS) };
        assert!(y.iter().enumerate().all(|(i, &y)| y == runs as f32 * x(i)), "{runs} runs: {y:?}");
    }
}

/// Two streams, of which the first can be held back.
pub struct Streams<'l> {
    saxpy: Saxpy<'l>,
    hold: Hold<'l>,
    first: hipStream_t,
    second: hipStream_t,
    events: Vec<hipEvent_t>,
    /// The code object, for a process that has no compiler.
    pub code: Vec<u8>,
}

impl<'l> Streams<'l> {
    pub fn new(libraries: &'l Libraries) -> Self {
        let (module, code) = load(libraries, &format!("{SAXPY}{}", Hold::SOURCE));
        let hip = &libraries.hip;
        let event = |_| {
            let mut event = null_mut();
            // SAFETY: writes one handle.
            ok(unsafe { hip.hipEventCreateWithFlags(&mut event, hipEventDisableTiming) });
            event
        };
        let events = (0..BURST / 2).map(event).collect();
        let (first, second) = (stream(hip), stream(hip));
        Streams { saxpy: Saxpy::new(hip, module), hold: Hold::new(hip, module), first, second, events, code }
    }

    pub fn launches(&self, count: u64) -> Duration {
        self.saxpy.clear();
        let spent = self.bursts(count, BURST, |_| self.saxpy.launch(self.first));
        self.saxpy.check(count);
        spent
    }

    /// An event recorded in one stream, for which the other waits.
    pub fn dependencies(&self, count: u64) -> Duration {
        let hip = self.saxpy.hip;
        self.bursts(count, self.events.len() as u64, |index| {
            let event = self.events[index as usize];
            // SAFETY: live events and streams.
            ok(unsafe { hip.hipEventRecord(event, self.first) });
            // SAFETY: as above.
            ok(unsafe { hip.hipStreamWaitEvent(self.second, event, 0) });
        })
    }

    /// Time of submitting so often, at most `most` at a time; the GPU works them off while the clock stands.
    fn bursts(&self, count: u64, most: u64, submit: impl Fn(u64)) -> Duration {
        let (mut spent, mut left) = (Duration::ZERO, count);
        while left > 0 {
            let burst = left.min(most);
            self.hold.close(self.first);
            let started = Instant::now();
            (0..burst).for_each(&submit);
            spent += started.elapsed();
            self.hold.open(self.first);
            for stream in [self.first, self.second] {
                // SAFETY: a live stream.
                ok(unsafe { self.saxpy.hip.hipStreamSynchronize(stream) });
            }
            left -= burst;
        }
        spent
    }
}

/// Copies of pinned memory to the device's. The bytes are checked after the first.
pub struct Copies<'l> {
    hip: &'l Hip,
    bytes: usize,
    host: *mut c_void,
    device: *mut c_void,
}

impl<'l> Copies<'l> {
    pub fn new(hip: &'l Hip, bytes: usize) -> Self {
        let host = pinned(hip, bytes);
        let mut device = null_mut();
        // SAFETY: writes one pointer.
        ok(unsafe { hip.hipMalloc(&mut device, bytes) });
        let copies = Copies { hip, bytes, host, device };
        // SAFETY: that many bytes, which nobody else has.
        (0..bytes).for_each(|i| unsafe { host.cast::<u8>().add(i).write(pattern(i)) });
        copies.copy();
        let mut back = vec![0u8; bytes];
        let (to, kind) = (back.as_mut_ptr().cast(), hipMemcpyKind::hipMemcpyDeviceToHost);
        // SAFETY: both sides have that many bytes.
        ok(unsafe { hip.hipMemcpy(to, device, bytes, kind) });
        assert!(back.iter().enumerate().all(|(i, &byte)| byte == pattern(i)), "the copy is wrong");
        copies
    }

    pub fn copy(&self) {
        let kind = hipMemcpyKind::hipMemcpyHostToDevice;
        // SAFETY: both sides have that many bytes.
        ok(unsafe { self.hip.hipMemcpy(self.device, self.host, self.bytes, kind) });
    }
}

impl Drop for Copies<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`; errors have nobody to go to.
        _ = unsafe { (self.hip.hipFree(self.device), self.hip.hipHostFree(self.host)) };
    }
}

/// What a child does: the kernel of the parent's code object, run once.
pub fn first_result(code: &[u8]) {
    let hip = Hip::load().expect("HIP");
    let mut module = null_mut();
    // SAFETY: a code object of the parent's compiler; an output of its type.
    ok(unsafe { hip.hipModuleLoadData(&mut module, code.as_ptr().cast()) });
    let saxpy = Saxpy::new(&hip, module);
    saxpy.clear();
    saxpy.launch(null_mut());
    // SAFETY: the stream is the one that always is.
    ok(unsafe { hip.hipStreamSynchronize(null_mut()) });
    saxpy.check(1);
}

fn pinned(hip: &Hip, bytes: usize) -> *mut c_void {
    let mut memory = null_mut();
    // SAFETY: writes one pointer.
    ok(unsafe { hip.hipHostMalloc(&mut memory, bytes, 0) });
    memory
}

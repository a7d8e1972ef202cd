//! The little of HSA and hiprtc that the example needs. What it makes lives until the process ends, and so does the HSA
//! runtime: with a queue left, it could not be shut down and initialised again.

use std::error::Error;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{NonNull, null, null_mut};

use hip_sys::hiprtcResult;
use hsa_sys::*;
use rocm_interop::Libraries;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A GPU and the pool of host memory that it reads and writes.
pub struct Gpu {
    libraries: &'static Libraries,
    agent: hsa_agent_t,
    pool: hsa_amd_memory_pool_t,
}

/// What a dispatch packet says of its kernel.
pub struct Kernel {
    pub object: u64,
    pub private_segment: u32,
    pub group_segment: u32,
}

fn ok(call: &str, outcome: std::result::Result<hsa_status_t, LoadError>) -> Result<()> {
    match outcome? {
        hsa_status_t::HSA_STATUS_SUCCESS => Ok(()),
        error => Err(format!("{call}: {error:?}").into()),
    }
}

fn rtc(call: &str, outcome: std::result::Result<hiprtcResult, hip_sys::LoadError>) -> Result<()> {
    match outcome? {
        hiprtcResult::HIPRTC_SUCCESS => Ok(()),
        error => Err(format!("{call}: {error:?}").into()),
    }
}

unsafe extern "C" fn push<T>(handle: T, list: *mut c_void) -> hsa_status_t {
    // SAFETY: `list` is the vector that the caller of the iteration passed.
    unsafe { (*list.cast::<Vec<T>>()).push(handle) };
    hsa_status_t::HSA_STATUS_SUCCESS
}

impl Gpu {
    /// The first GPU.
    pub fn first() -> Result<Gpu> {
        let libraries = Box::leak(Box::new(Libraries::load()?));
        let (agent, _) = *libraries.hsa_gpus()?.first().ok_or("no GPU")?;
        let hsa = &libraries.hsa;
        let (mut agents, mut pools) = (Vec::<hsa_agent_t>::new(), Vec::<hsa_amd_memory_pool_t>::new());
        // SAFETY: the callback matches its list.
        unsafe {
            ok("hsa_iterate_agents", hsa.hsa_iterate_agents(Some(push::<hsa_agent_t>), (&raw mut agents).cast()))?;
            for agent in agents {
                let mut device = 0u32;
                let info = hsa_agent_info_t::HSA_AGENT_INFO_DEVICE;
                ok("hsa_agent_get_info", hsa.hsa_agent_get_info(agent, info, (&raw mut device).cast()))?;
                if hsa_device_type_t(device) == hsa_device_type_t::HSA_DEVICE_TYPE_CPU {
                    let list = (&raw mut pools).cast();
                    let found =
                        hsa.hsa_amd_agent_iterate_memory_pools(agent, Some(push::<hsa_amd_memory_pool_t>), list);
                    ok("hsa_amd_agent_iterate_memory_pools", found)?;
                }
            }
        }
        // The pool for kernel arguments is fine-grained: both sides see each other's writes.
        let kernarg = hsa_amd_memory_pool_global_flag_t::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT.0;
        for pool in pools {
            let mut flags = 0u32;
            let info = hsa_amd_memory_pool_info_t::HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS;
            // SAFETY: the attribute is a u32.
            ok("hsa_amd_memory_pool_get_info", unsafe {
                hsa.hsa_amd_memory_pool_get_info(pool, info, (&raw mut flags).cast())
            })?;
            if flags & kernarg != 0 {
                return Ok(Gpu { libraries, agent, pool });
            }
        }
        Err("no memory pool for kernel arguments".into())
    }

    /// Compiles `source` and loads its kernel `name`.
    pub fn load(&self, source: &str, name: &str) -> Result<Kernel> {
        let (compiler, hsa) = (&self.libraries.hiprtc, &self.libraries.hsa);
        let source = CString::new(source)?;
        let symbol_name = CString::new(format!("{name}.kd"))?;
        let (mut program, mut size) = (null_mut(), 0);
        let (mut reader, mut executable, mut symbol) = Default::default();
        // SAFETY: strings end in 0, outputs have their types, the code has the size asked for and is kept for the
        // loader.
        unsafe {
            let created =
                compiler.hiprtcCreateProgram(&mut program, source.as_ptr(), null(), 0, null_mut(), null_mut());
            rtc("hiprtcCreateProgram", created)?;
            let mut isa = [0u8; 64];
            let info = hsa_agent_info_t::HSA_AGENT_INFO_NAME;
            ok("hsa_agent_get_info", hsa.hsa_agent_get_info(self.agent, info, isa.as_mut_ptr().cast()))?;
            let isa = CStr::from_bytes_until_nul(&isa)?.to_str()?;
            let option = CString::new(format!("--offload-arch={isa}"))?;
            let mut options = [option.as_ptr()];
            let compiled = compiler.hiprtcCompileProgram(program, 1, options.as_mut_ptr());
            rtc("hiprtcCompileProgram", compiled)?;
            rtc("hiprtcGetCodeSize", compiler.hiprtcGetCodeSize(program, &mut size))?;
            let code = vec![0u8; size].leak();
            rtc("hiprtcGetCode", compiler.hiprtcGetCode(program, code.as_mut_ptr().cast()))?;
            rtc("hiprtcDestroyProgram", compiler.hiprtcDestroyProgram(&mut program))?;

            let made = hsa.hsa_code_object_reader_create_from_memory(code.as_ptr().cast(), size, &mut reader);
            ok("hsa_code_object_reader_create_from_memory", made)?;
            let rounding = hsa_default_float_rounding_mode_t::HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT;
            let profile = hsa_profile_t::HSA_PROFILE_FULL;
            let made = hsa.hsa_executable_create_alt(profile, rounding, null(), &mut executable);
            ok("hsa_executable_create_alt", made)?;
            let loaded = hsa.hsa_executable_load_agent_code_object(executable, self.agent, reader, null(), null_mut());
            ok("hsa_executable_load_agent_code_object", loaded)?;
            ok("hsa_executable_freeze", hsa.hsa_executable_freeze(executable, null()))?;
            let found =
                hsa.hsa_executable_get_symbol_by_name(executable, symbol_name.as_ptr(), &self.agent, &mut symbol);
            ok("hsa_executable_get_symbol_by_name", found)?;
        }
        use hsa_executable_symbol_info_t as Info;
        let (mut object, mut private_segment, mut group_segment) = (0u64, 0u32, 0u32);
        let get = |info, value| {
            // SAFETY: the attributes below have the types of their variables.
            ok("hsa_executable_symbol_get_info", unsafe { hsa.hsa_executable_symbol_get_info(symbol, info, value) })
        };
        get(Info::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, (&raw mut object).cast())?;
        get(Info::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, (&raw mut private_segment).cast())?;
        get(Info::HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, (&raw mut group_segment).cast())?;
        Ok(Kernel { object, private_segment, group_segment })
    }

    /// Zeroed host memory that the GPU may use.
    #[expect(clippy::mut_from_ref, reason = "every call returns memory of its own")]
    pub fn allocate<T>(&self, len: usize) -> Result<&mut [T]> {
        let hsa = &self.libraries.hsa;
        let bytes = len * size_of::<T>();
        let mut memory = null_mut();
        // SAFETY: fresh memory of the size asked for, zeroed; the example's types are valid as zeros.
        unsafe {
            ok("hsa_amd_memory_pool_allocate", hsa.hsa_amd_memory_pool_allocate(self.pool, bytes, 0, &mut memory))?;
            ok("hsa_amd_agents_allow_access", hsa.hsa_amd_agents_allow_access(1, &self.agent, null(), memory))?;
            memory.cast::<u8>().write_bytes(0, bytes);
            Ok(std::slice::from_raw_parts_mut(memory.cast(), len))
        }
    }

    /// A signal with this value.
    pub fn signal(&self, value: i64) -> Result<hsa_signal_t> {
        let mut signal = Default::default();
        // SAFETY: no consumers listed; writes one handle.
        ok("hsa_signal_create", unsafe { self.libraries.hsa.hsa_signal_create(value, 0, null(), &mut signal) })?;
        Ok(signal)
    }

    /// A queue of `packets` packets, for one producer or for several. It stays the runtime's pointer: behind the
    /// `hsa_queue_t` are the parts of the queue that `aql` uses, and a reference would not reach them.
    pub fn queue(&self, packets: u32, kind: hsa_queue_type_t) -> Result<NonNull<hsa_queue_t>> {
        let mut queue = null_mut();
        let kind = kind.0;
        let any = u32::MAX;
        // SAFETY: no callback; writes one pointer.
        ok("hsa_queue_create", unsafe {
            self.libraries.hsa.hsa_queue_create(self.agent, packets, kind, None, null_mut(), any, any, &mut queue)
        })?;
        NonNull::new(queue).ok_or_else(|| "hsa_queue_create made no queue".into())
    }

    /// Sleeps until the signal is 0, ten seconds at most.
    pub fn wait(&self, signal: hsa_signal_t) -> Result<()> {
        let (equal, blocked) =
            (hsa_signal_condition_t::HSA_SIGNAL_CONDITION_EQ, hsa_wait_state_t::HSA_WAIT_STATE_BLOCKED);
        let started = std::time::Instant::now();
        while started.elapsed().as_secs() < 10 {
            // SAFETY: a live signal. The hint is in ticks of the system clock, and only a hint: hence the loop.
            if unsafe { self.libraries.hsa.hsa_signal_wait_scacquire(signal, equal, 0, 1_000_000_000, blocked) }? == 0 {
                return Ok(());
            }
        }
        Err("the kernel did not finish within ten seconds".into())
    }
}

//! AMD's OpenCL library and the HSA runtime that it uses.

use cl_sys::cl_platform_id;
use hsa_sys::{hsa_agent_info_t, hsa_agent_t, hsa_amd_memory_pool_t, hsa_device_type_t, hsa_status_t};
use std::ffi::{CStr, c_int, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::imports;
use super::slots::{Library, Slot};
use crate::log::log;

pub const SUCCESS: hsa_status_t = hsa_status_t::HSA_STATUS_SUCCESS;

pub type Allocate = unsafe extern "C" fn(hsa_amd_memory_pool_t, usize, u32, *mut *mut c_void) -> hsa_status_t;
pub type Free = unsafe extern "C" fn(*mut c_void) -> hsa_status_t;
type Map = unsafe extern "C" fn(
    u32,
    *mut hsa_agent_t,
    c_int,
    u32,
    *mut usize,
    *mut *mut c_void,
    *mut usize,
    *mut *const c_void,
) -> hsa_status_t;
type AgentCallback = unsafe extern "C" fn(hsa_agent_t, *mut c_void) -> hsa_status_t;
type PoolCallback = unsafe extern "C" fn(hsa_amd_memory_pool_t, *mut c_void) -> hsa_status_t;

type IterateAgents = unsafe extern "C" fn(AgentCallback, *mut c_void) -> hsa_status_t;
type AgentInfo = unsafe extern "C" fn(hsa_agent_t, hsa_agent_info_t, *mut c_void) -> hsa_status_t;
type IteratePools = unsafe extern "C" fn(hsa_agent_t, PoolCallback, *mut c_void) -> hsa_status_t;

/// AMD's OpenCL library, and what the layer calls of the HSA runtime that it is linked with.
pub struct Runtime {
    library: Library,
    /// Where the library keeps the addresses of [`ALLOCATE`] and [`FREE`].
    allocations: Vec<Slot>,
    frees: Vec<Slot>,
    pub allocate: Allocate,
    pub free: Free,
    pub map: Map,
    pub unmap: Free,
    iterate_agents: IterateAgents,
    agent_info: AgentInfo,
    iterate_pools: IteratePools,
}

const ALLOCATE: &CStr = c"hsa_amd_memory_pool_allocate";
const FREE: &CStr = c"hsa_amd_memory_pool_free";

static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();

impl Runtime {
    /// The runtime of AMD's platform.
    ///
    /// # Errors
    /// Why the layer can do nothing for it.
    ///
    /// # Safety
    /// `platform` is a platform of AMD's: the address of an object that begins with the address of its implementation's
    /// table of functions.
    pub unsafe fn of(platform: cl_platform_id) -> Result<&'static Runtime, String> {
        // SAFETY: as promised by the caller.
        let table = unsafe { *platform.cast::<*const c_void>() };
        let runtime = RUNTIME.get_or_init(|| Self::look(table)).as_ref().map_err(Clone::clone)?;
        // Two of them would need to be told apart in calls that do not say whose they are.
        match Library::of(table).is_some_and(|library| library.is(&runtime.library)) {
            true => Ok(runtime),
            false => Err(format!("another AMD OpenCL of this process is served, {}", runtime.library.file())),
        }
    }

    /// The runtime in use, if there is one.
    pub fn in_use() -> Option<&'static Runtime> {
        RUNTIME.get()?.as_ref().ok()
    }

    fn look(table: *const c_void) -> Result<Runtime, String> {
        let library = Library::of(table).ok_or("its library cannot be found")?;
        let slots = |name: &CStr| {
            let slots = library.slots(name);
            let missing = || format!("{} does not import {}", library.file(), name.to_string_lossy());
            if slots.is_empty() { Err(missing()) } else { Ok(slots) }
        };
        let (allocations, frees) = (slots(ALLOCATE)?, slots(FREE)?);
        let find = |name: &CStr| {
            let missing = || format!("{} has no {}", library.file(), name.to_string_lossy());
            library.function(name).ok_or_else(missing)
        };
        macro_rules! function {
            ($name:expr, $type:ty) => {
                // SAFETY: HSA's function of this name has this type.
                unsafe { std::mem::transmute::<*mut c_void, $type>(find($name)?) }
            };
        }
        let (allocate, free) = (function!(ALLOCATE, Allocate), function!(FREE, Free));
        let map = function!(c"hsa_amd_interop_map_buffer", Map);
        let unmap = function!(c"hsa_amd_interop_unmap_buffer", Free);
        let iterate_agents = function!(c"hsa_iterate_agents", IterateAgents);
        let agent_info = function!(c"hsa_agent_get_info", AgentInfo);
        let iterate_pools = function!(c"hsa_amd_agent_iterate_memory_pools", IteratePools);
        log!("{} gets cl_khr_external_memory_dma_buf", library.file());
        Ok(Runtime {
            library,
            allocations,
            frees,
            allocate,
            free,
            map,
            unmap,
            iterate_agents,
            agent_info,
            iterate_pools,
        })
    }

    /// Makes AMD's OpenCL call [`imports::allocate`] and [`imports::free`] instead of HSA's functions from now on. Call
    /// it before each import, because [a hook can be lost](Slot::set).
    pub fn hook(&self) -> Result<(), String> {
        static HOOKING: Mutex<bool> = Mutex::new(false);
        let mut before = HOOKING.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_hooked() {
            return Ok(());
        }
        for (slot, function) in self.hooks() {
            // SAFETY: both functions have the type of HSA's, and this library is never unloaded (build.rs).
            unsafe { slot.set(function) }.map_err(|error| format!("cannot change {}: {error}", self.library.file()))?;
        }
        let again = if std::mem::replace(&mut *before, true) { ", again: they were bound meanwhile" } else { "" };
        log!("calls of {} to HSA's memory pools are seen from now on{again}", self.library.file());
        Ok(())
    }

    /// Whether AMD's OpenCL calls the layer's functions.
    pub fn is_hooked(&self) -> bool {
        self.hooks().all(|(slot, function)| slot.get() == function)
    }

    fn hooks(&self) -> impl Iterator<Item = (&Slot, *mut c_void)> {
        let free = imports::free as Free as *mut c_void;
        let allocate = imports::allocate as Allocate as *mut c_void;
        // Who frees first: what is allocated by the layer is never freed by HSA.
        let frees = self.frees.iter().map(move |slot| (slot, free));
        frees.chain(self.allocations.iter().map(move |slot| (slot, allocate)))
    }

    /// The GPU that a pool is of; none for pools of the host.
    pub fn gpu_of(&self, pool: hsa_amd_memory_pool_t) -> Option<hsa_agent_t> {
        struct Search<'a> {
            runtime: &'a Runtime,
            pool: u64,
            agent: hsa_agent_t,
            found: bool,
        }
        unsafe extern "C" fn pool_of(pool: hsa_amd_memory_pool_t, search: *mut c_void) -> hsa_status_t {
            // SAFETY: what is passed below.
            let search = unsafe { &mut *search.cast::<Search<'_>>() };
            search.found |= pool.handle == search.pool;
            if search.found { hsa_status_t::HSA_STATUS_INFO_BREAK } else { SUCCESS }
        }
        unsafe extern "C" fn agent(agent: hsa_agent_t, data: *mut c_void) -> hsa_status_t {
            // SAFETY: what is passed below.
            let search = unsafe { &mut *data.cast::<Search<'_>>() };
            let mut kind = hsa_device_type_t::HSA_DEVICE_TYPE_CPU;
            let info = hsa_agent_info_t::HSA_AGENT_INFO_DEVICE;
            // SAFETY: an agent, and a place for its kind.
            let code = unsafe { (search.runtime.agent_info)(agent, info, (&raw mut kind).cast()) };
            if code != SUCCESS || kind != hsa_device_type_t::HSA_DEVICE_TYPE_GPU {
                return SUCCESS;
            }
            search.agent = agent;
            // SAFETY: an agent, and the callback gets what it expects. What was found says how it ended.
            _ = unsafe { (search.runtime.iterate_pools)(agent, pool_of, data) };
            if search.found { hsa_status_t::HSA_STATUS_INFO_BREAK } else { SUCCESS }
        }
        let mut search = Search { runtime: self, pool: pool.handle, agent: hsa_agent_t { handle: 0 }, found: false };
        // SAFETY: the callback gets what it expects. What was found says how it ended.
        _ = unsafe { (self.iterate_agents)(agent, (&raw mut search).cast()) };
        search.found.then_some(search.agent)
    }
}

//! Code objects in device memory.

use std::sync::Arc;

use aql::{Control, Geometry, Kernarg, KernelDispatch};
use kfd_sys::*;

use crate::code::{self, KernelKind, Symbol, SymbolKind, TargetId};
use crate::driver::PAGE;
use crate::driver::request;
use crate::memory::{Memory, Part, Placement};
use crate::queues::device::Gpu;
use crate::{Device, Error, Result};
use kfd_sys::Errno;

/// Zeroes behind an image, mapped for the GPU. gfx90a and gfx94x fetch up to 16 cache lines of 64 bytes ahead of what
/// waves execute, and a fetch of a page that is not mapped is a memory fault (Mesa,
/// `ac_align_shader_binary_for_prefetch`). LLVM puts as many bytes of NOPs behind code for these chips, other compilers
/// and assemblers may not.
const FETCHED_AHEAD: usize = 16 * 64;

/// A code object, loaded on a device. It stays loaded while a [`Kernel`] of it or a launch needs it.
#[derive(Debug)]
pub struct Module {
    code: Arc<Code>,
    kernels: Vec<code::Kernel>,
    variables: Vec<Symbol>,
}

/// What LLVM's AMDGPU back end puts behind a kernel's name for its descriptor.
const DESCRIPTOR_SUFFIX: &str = ".kd";

/// The image of a code object.
#[derive(Debug)]
pub(crate) struct Code {
    gpu: &'static Gpu,
    memory: Memory,
}

impl Code {
    pub fn gpu(&self) -> &'static Gpu {
        self.gpu
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // In a forked child the lock may have been held.
        if !self.gpu.driver.is_forked() {
            let start = self.memory.address();
            self.gpu.forget_kernels(start..start + self.memory.bytes() as u64);
        }
    }
}

/// A kernel of a [`Module`].
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) code: Arc<Code>,
    pub(crate) described: code::Kernel,
    pub(crate) object: aql::KernelObject,
}

/// How a code object is loaded.
#[must_use = "`with_...` returns the changed value"]
#[derive(Clone, Copy, Debug)]
pub struct ModuleOptions {
    excess_bytes: u64,
}

impl Default for ModuleOptions {
    fn default() -> ModuleOptions {
        ModuleOptions { excess_bytes: ModuleOptions::EXCESS_BYTES }
    }
}

impl ModuleOptions {
    /// What is allowed without [`with_excess_bytes`](Self::with_excess_bytes): 256 MiB. Variables without a value
    /// seldom have more than a few MiB.
    pub const EXCESS_BYTES: u64 = 256 << 20;

    /// By how many bytes the image in device memory may be larger than the file
    /// ([`CodeObject::excess_bytes`](code::CodeObject::excess_bytes)). They are allocated and zeroed, however small the
    /// file. The format ends at 4 GiB.
    pub fn with_excess_bytes(mut self, bytes: u64) -> ModuleOptions {
        self.excess_bytes = bytes;
        self
    }
}

impl Module {
    /// Loads a code object: the ELF file that a compiler made for this GPU, or an offload bundle with one, compressed
    /// or not. It takes as much device memory as the file has bytes, 1 KiB for what GPUs fetch ahead, and
    /// [`ModuleOptions::EXCESS_BYTES`] more at most.
    ///
    /// # Errors
    /// [`Error::Code`] for what is no code object, one for another GPU, one with constructors or destructors of global
    /// variables, or one that needs more memory; [`Error::Request`], [`Error::Lost`], [`Error::Forked`].
    #[doc(alias = "hipModuleLoadData")]
    #[doc(alias = "hsa_executable_load_agent_code_object")]
    pub fn load(device: Device, bytes: &[u8]) -> Result<Module> {
        Module::load_with(device, bytes, ModuleOptions::default())
    }

    /// As [`load`](Self::load), with options.
    ///
    /// # Errors
    /// As of [`load`](Self::load).
    pub fn load_with(device: Device, bytes: &[u8], options: ModuleOptions) -> Result<Module> {
        let gpu = device.0;
        // Before all locks.
        gpu.check_usable()?;
        let version = gpu.node().value("gfx_target_version");
        let bytes = code::unpack(bytes)?;
        let object = code::find(&bytes, &TargetId::of_device(version, Some(sramecc(gpu)), Some(xnack(gpu)?)))?;
        if let Some(kernel) = object.kernels().iter().find(|kernel| kernel.metadata().kind != KernelKind::Normal) {
            return Err(code::Error::Constructors { kernel: kernel.name().to_owned() }.into());
        }
        let (image_bytes, excess_bytes, limit) = (object.image_bytes(), object.excess_bytes(), options.excess_bytes);
        if excess_bytes > limit {
            return Err(code::Error::ImageExcess { image_bytes, excess_bytes, limit }.into());
        }
        let size = usize::try_from(image_bytes).unwrap_or(usize::MAX);
        let align = usize::try_from(object.image_align()).unwrap_or(usize::MAX).max(PAGE);
        // VRAM if the host can write it, as it is fetched often.
        let writable = gpu.node().has_visible_vram() && gpu.open_host_path()?;
        let placement = if writable { Placement::VISIBLE } else { Placement::HOST };
        let memory = Memory::aligned(gpu, size.saturating_add(FETCHED_AHEAD), align, placement.with_executable(true))?;
        let host = memory.host()?;
        // SAFETY: as many bytes as were allocated, which no GPU uses yet.
        let all = unsafe { std::slice::from_raw_parts_mut(host.as_ptr(), size + FETCHED_AHEAD) };
        let (image, behind) = all.split_at_mut(size);
        object.write_image(memory.address(), image)?;
        behind.fill(0);
        gpu.flush_host_writes();
        gpu.note_new_code();
        let named = |kernel: &code::Kernel| (memory.address() + kernel.descriptor_offset(), kernel.name().to_owned());
        gpu.note_kernels(object.kernels().iter().map(named));
        // A kernel's descriptor is an object too.
        let is_variable =
            |symbol: &&Symbol| symbol.kind == SymbolKind::Object && !symbol.name.ends_with(DESCRIPTOR_SUFFIX);
        let variables = object.symbols().iter().filter(is_variable).cloned().collect();
        Ok(Module { code: Arc::new(Code { gpu, memory }), kernels: object.kernels().to_vec(), variables })
    }

    /// A kernel by its name in the source.
    ///
    /// # Errors
    /// [`Error::Code`] names those that there are.
    #[doc(alias = "hsa_executable_get_symbol_by_name")]
    #[doc(alias = "hipModuleGetFunction")]
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let Some(described) = self.kernels.iter().find(|kernel| kernel.name() == name) else {
            let present = self.kernel_names().map(str::to_owned).collect();
            return Err(code::Error::NoKernel { name: name.to_owned(), present }.into());
        };
        let address = self.code.memory.address() + described.descriptor_offset();
        let Ok(object) = aql::KernelObject::new(address) else {
            return Err(Error::Value {
                subject: "a kernel descriptor's address",
                value: address,
                expected: "aligned to 64 bytes",
            });
        };
        Ok(Kernel { code: self.code.clone(), described: described.clone(), object })
    }

    /// Where a global variable is in device memory, by its name as the compiler mangles it. It is there while the
    /// module is, a [`Kernel`] of it, or a launch. Kernels and [`raw`](crate::raw) commands read and write it.
    ///
    /// Only variables that other modules see have names here: `__device__` ones of HIP without `static`, those of
    /// OpenCL C with `__attribute__((visibility("protected")))`.
    ///
    /// # Errors
    /// [`Error::Code`] names those that there are.
    pub fn variable(&self, name: &str) -> Result<Part> {
        const MAX_NAMES: usize = 16;
        match self.variables.iter().find(|variable| variable.name == name) {
            Some(Symbol { offset, bytes, .. }) => {
                Ok(Part { address: self.code.memory.address() + offset, bytes: *bytes })
            }
            None => {
                let present = self.variables.iter().take(MAX_NAMES).map(|variable| variable.name.clone()).collect();
                Err(code::Error::NoVariable { name: name.to_owned(), present }.into())
            }
        }
    }

    /// The names of its kernels.
    pub fn kernel_names(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| kernel.name())
    }
}

impl Kernel {
    /// The device that it is loaded on.
    pub fn device(&self) -> Device {
        Device(self.code.gpu)
    }

    /// What the code object says about it.
    pub fn description(&self) -> &code::Kernel {
        &self.described
    }

    /// As packets name it.
    pub fn object(&self) -> aql::KernelObject {
        self.object
    }

    /// Checks a launch against what the code object says and the device has, and writes its arguments to `host`, memory
    /// that the device has at `address`. Returns the packet, with barrier bit and fences of system scope, and the
    /// memory that it says the kernel needs: the queue has to have the private bytes
    /// ([`raw::Queue::reserve_private_bytes`](crate::raw::Queue::reserve_private_bytes)).
    ///
    /// # Errors
    /// [`Error::Launch`] for arguments or a grid that do not fit the kernel, or too few bytes; [`Error::Value`] for an
    /// address that is no multiple of 16.
    #[inline]
    pub fn prepare(
        &self,
        launch: &code::Launch<'_>,
        address: u64,
        host: &mut [u8],
    ) -> Result<(KernelDispatch, code::Segments)> {
        let segments = self.described.prepare(&launch.with_limits(self.code.gpu.limits), host)?;
        Ok((self.packet(launch.geometry(), address, segments)?, segments))
    }

    /// The packet of a launch that was checked, with its arguments at `address`.
    #[inline]
    pub(crate) fn packet(&self, geometry: Geometry, address: u64, segments: code::Segments) -> Result<KernelDispatch> {
        let Ok(kernarg) = Kernarg::new(address) else {
            return Err(Error::Value {
                subject: "an address of arguments",
                value: address,
                expected: "aligned to 16 bytes",
            });
        };
        Ok(KernelDispatch::new(self.object, geometry)
            .with_kernarg(kernarg)
            .with_private_segment(segments.private_bytes)
            .with_group_segment(segments.group_bytes)
            .with_control(Control::SYSTEM))
    }
}

/// Whether the GPU's SRAM has error correction: a bit of the topology node's `capability`.
fn sramecc(gpu: &Gpu) -> bool {
    gpu.node().value("capability") & HSA_CAP_SRAM_EDCSUPPORTED != 0
}

/// Whether memory faults of the process's code are retried, which code is compiled for or against.
fn xnack(gpu: &Gpu) -> Result<bool> {
    /// The version from which on the driver has AMDKFD_IOC_SET_XNACK_MODE: that of shared virtual memory.
    const XNACK: u32 = 5;
    if gpu.driver.minor() < XNACK {
        return Ok(false);
    }
    // A negative mode is a question.
    let mut args = kfd_ioctl_set_xnack_mode_args { xnack_enabled: -1 };
    let subject = "whether memory faults are retried";
    match request!(gpu.driver, AMDKFD_IOC_SET_XNACK_MODE, amdkfd_ioc_set_xnack_mode, subject, &mut args) {
        // Linux without CONFIG_HSA_AMD_SVM refuses the question too (`kfd_ioctl_set_xnack_mode`), and never retries.
        Err(Error::Request { errno: Errno(libc::EPERM), .. }) => Ok(false),
        other => other.map(|()| args.xnack_enabled > 0),
    }
}

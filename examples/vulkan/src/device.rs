//! As much of Vulkan as the example uses, by `ash`: a device of the CPU (Mesa's lavapipe), buffers in the program's own
//! pages, a compute shader, and a timeline semaphore that the host waits for and signals.
use std::ffi::CStr;
use std::slice::from_ref;

use ash::{ext, khr, vk};

use super::pages::Pages;

/// How long anything may take.
const LIMIT_NS: u64 = 60_000_000_000;

/// A device of the CPU, with a queue that computes.
pub struct Vulkan {
    // Loaded as long as the instance lives.
    _entry: ash::Entry,
    /// What its extensions are asked of.
    pub instance: ash::Instance,
    /// The device, as the instance knows it.
    pub physical: vk::PhysicalDevice,
    /// The device, as it was opened.
    pub device: ash::Device,
    queue: vk::Queue,
    commands: vk::CommandPool,
    /// What the device calls itself.
    pub name: String,
    /// Addresses and sizes of imported host memory are multiples of it.
    pub alignment: usize,
}

impl Vulkan {
    /// `None` if this machine has no Vulkan, or no device of the CPU.
    pub fn on_cpu() -> Option<Vulkan> {
        // SAFETY: Vulkan's loader, whose initialisers are those of any program that links it.
        let entry = unsafe { ash::Entry::load() }.ok()?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        // SAFETY: no pointers beside those to locals.
        let instance =
            unsafe { entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None) }
                .expect("a Vulkan instance");
        // SAFETY: a live instance.
        let devices = unsafe { instance.enumerate_physical_devices() }.expect("Vulkan's devices");
        let mut of_cpu = devices.into_iter().filter_map(|physical| {
            let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut host);
            // SAFETY: of the instance.
            unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
            let properties = properties.properties;
            let name = properties.device_name_as_c_str().ok()?.to_string_lossy().into_owned();
            let alignment = host.min_imported_host_pointer_alignment as usize;
            (properties.device_type == vk::PhysicalDeviceType::CPU).then_some((physical, name, alignment))
        });
        let (physical, name, alignment) = of_cpu.next()?;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
        let extensions: [&CStr; 3] =
            [khr::external_memory_fd::NAME, ext::external_memory_dma_buf::NAME, ext::external_memory_host::NAME];
        // SAFETY: of the instance.
        let known = unsafe { instance.enumerate_device_extension_properties(physical) }.expect("extensions");
        let is_known = |name: &&CStr| known.iter().any(|known| known.extension_name_as_c_str() == Ok(name));
        let extensions: Vec<_> = extensions.iter().filter(|name| is_known(name)).map(|name| name.as_ptr()).collect();
        let mut features = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut features);
        // SAFETY: of the instance; lavapipe's one family of queues does everything.
        let (device, queue, commands) = unsafe {
            let device = instance.create_device(physical, &create, None).expect("a device with external memory");
            let commands =
                device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).expect("a command pool");
            let queue = device.get_device_queue(0, 0);
            (device, queue, commands)
        };
        Some(Vulkan { _entry: entry, instance, physical, device, queue, commands, name, alignment })
    }

    /// A buffer for memory that others have too, and what it needs of that.
    pub fn storage_buffer(
        &self,
        bytes: usize,
        handle_type: vk::ExternalMemoryHandleTypeFlags,
    ) -> (vk::Buffer, vk::MemoryRequirements) {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle_type);
        let create = vk::BufferCreateInfo::default()
            .size(bytes as u64)
            .usage(vk::BufferUsageFlags::STORAGE_BUFFER)
            .push_next(&mut external);
        // SAFETY: a live device.
        unsafe {
            let buffer = self.device.create_buffer(&create, None).expect("a buffer");
            (buffer, self.device.get_buffer_memory_requirements(buffer))
        }
    }

    /// Binds the buffer to memory that `allocate` makes for it; gives the buffer up if it cannot.
    pub fn bind(
        &self,
        buffer: vk::Buffer,
        allocate: impl FnOnce() -> Result<vk::DeviceMemory, vk::Result>,
    ) -> Result<Buffer<'_>, vk::Result> {
        let bound = allocate().map(|memory| {
            // SAFETY: the memory was made for the buffer.
            unsafe { self.device.bind_buffer_memory(buffer, memory, 0) }.expect("memory for the buffer");
            Buffer { vulkan: self, buffer, memory }
        });
        if bound.is_err() {
            // SAFETY: made by the caller, used by nothing.
            unsafe { self.device.destroy_buffer(buffer, None) };
        }
        bound
    }

    /// A buffer in the program's own memory.
    ///
    /// # Safety
    /// The pages live longer than the buffer.
    pub unsafe fn on_host<T>(&self, pages: &Pages<T>) -> Buffer<'_> {
        let (pages, bytes) = (pages.start(), pages.bytes);
        let kind = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;
        let (buffer, requirements) = self.storage_buffer(bytes, kind);
        let mut of_pages = vk::MemoryHostPointerPropertiesEXT::default();
        let host = ext::external_memory_host::Device::new(&self.instance, &self.device);
        // SAFETY: the caller's promise.
        unsafe {
            let ask = host.fp().get_memory_host_pointer_properties_ext;
            ask(host.device(), kind, pages, &mut of_pages).result().expect("memory to import");
        }
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(kind).host_pointer(pages);
        let allocate = vk::MemoryAllocateInfo::default()
            .allocation_size(bytes as u64)
            .memory_type_index((requirements.memory_type_bits & of_pages.memory_type_bits).trailing_zeros())
            .push_next(&mut import);
        // SAFETY: the caller's promise.
        self.bind(buffer, || unsafe { self.device.allocate_memory(&allocate, None) }).expect("imported host memory")
    }

    /// A counter that the host and the queue wait for and set.
    pub fn timeline(&self) -> Timeline<'_> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        // SAFETY: a live device.
        let semaphore =
            unsafe { self.device.create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None) };
        Timeline { vulkan: self, semaphore: semaphore.expect("a timeline semaphore") }
    }

    /// The entry point `main` of a shader in WGSL, with storage buffers at bindings from 0.
    pub fn shader<'v>(&'v self, wgsl: &str, buffers: &[&Buffer<'v>]) -> Shader<'v> {
        let module = naga::front::wgsl::parse_str(wgsl).expect("WGSL");
        let mut validator = naga::valid::Validator::new(Default::default(), Default::default());
        let info = validator.validate(&module).expect("a valid shader");
        let words = naga::back::spv::write_vec(&module, &info, &Default::default(), None).expect("SPIR-V");
        let (device, count) = (&self.device, buffers.len() as u32);
        let storage = vk::DescriptorType::STORAGE_BUFFER;
        let bindings: Vec<_> = (0..count)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(storage)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let room = [vk::DescriptorPoolSize::default().ty(storage).descriptor_count(count)];
        // SAFETY: what the calls are given lives as long as they take, and is of this device.
        unsafe {
            let code = vk::ShaderModuleCreateInfo::default().code(&words);
            let code = device.create_shader_module(&code, None).expect("a shader");
            let set_layout = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = device.create_descriptor_set_layout(&set_layout, None).expect("a set's layout");
            let layout = vk::PipelineLayoutCreateInfo::default().set_layouts(from_ref(&set_layout));
            let layout = device.create_pipeline_layout(&layout, None).expect("a layout");
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(code)
                .name(c"main");
            let pipeline = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
            let pipeline = device
                .create_compute_pipelines(vk::PipelineCache::null(), from_ref(&pipeline), None)
                .expect("a pipeline")[0];
            device.destroy_shader_module(code, None);
            let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&room);
            let pool = device.create_descriptor_pool(&pool, None).expect("a descriptor pool");
            let set = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(from_ref(&set_layout));
            let set = device.allocate_descriptor_sets(&set).expect("a descriptor set")[0];
            for (binding, buffer) in buffers.iter().enumerate() {
                let whole = [vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding as u32)
                    .descriptor_type(storage)
                    .buffer_info(&whole);
                device.update_descriptor_sets(&[write], &[]);
            }
            Shader { vulkan: self, set_layout, layout, pipeline, pool, set }
        }
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        // SAFETY: what was made with the device borrows it, so is gone.
        unsafe {
            self.device.destroy_command_pool(self.commands, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// A storage buffer and its memory.
pub struct Buffer<'v> {
    vulkan: &'v Vulkan,
    buffer: vk::Buffer,
    /// Its own.
    pub memory: vk::DeviceMemory,
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        let device = &self.vulkan.device;
        // SAFETY: made together; what was submitted was waited for.
        unsafe {
            device.destroy_buffer(self.buffer, None);
            device.free_memory(self.memory, None);
        }
    }
}

/// A compute shader with its buffers.
pub struct Shader<'v> {
    vulkan: &'v Vulkan,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
}

impl Shader<'_> {
    /// Submits it: it runs when `timeline` is at `from`, and sets it to `to` when it is done.
    pub fn submit(&self, groups: [u32; 2], timeline: &Timeline, from: u64, to: u64) {
        let (device, all) = (&self.vulkan.device, vk::PipelineStageFlags::ALL_COMMANDS);
        let allocate = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.vulkan.commands)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let host = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (from, to) = ([from], [to]);
        let mut values =
            vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(&from).signal_semaphore_values(&to);
        // SAFETY: of this device, alive until the caller has waited for `to`.
        unsafe {
            let commands = device.allocate_command_buffers(&allocate).expect("a command buffer")[0];
            device.begin_command_buffer(commands, &once).expect("recording");
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, self.pipeline);
            let (point, sets) = (vk::PipelineBindPoint::COMPUTE, [self.set]);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &sets, &[]);
            device.cmd_dispatch(commands, groups[0], groups[1], 1);
            let (compute, to_host) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
            device.cmd_pipeline_barrier(commands, compute, to_host, Default::default(), &host, &[], &[]);
            device.end_command_buffer(commands).expect("recording");
            let submit = vk::SubmitInfo::default()
                .command_buffers(from_ref(&commands))
                .wait_semaphores(from_ref(&timeline.semaphore))
                .wait_dst_stage_mask(from_ref(&all))
                .signal_semaphores(from_ref(&timeline.semaphore))
                .push_next(&mut values);
            device.queue_submit(self.vulkan.queue, from_ref(&submit), vk::Fence::null()).expect("a submission");
        }
    }
}

impl Drop for Shader<'_> {
    fn drop(&mut self) {
        let device = &self.vulkan.device;
        // SAFETY: made together; what was submitted was waited for.
        unsafe {
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// A counter that the host and the queue wait for and set.
pub struct Timeline<'v> {
    vulkan: &'v Vulkan,
    semaphore: vk::Semaphore,
}

impl Timeline<'_> {
    /// Waits until it is at `value`.
    pub fn wait(&self, value: u64) {
        let values = [value];
        let wait = vk::SemaphoreWaitInfo::default().semaphores(from_ref(&self.semaphore)).values(&values);
        // SAFETY: a live semaphore.
        unsafe { self.vulkan.device.wait_semaphores(&wait, LIMIT_NS) }.expect("the queue's work in time");
    }

    /// Sets it, so that what waits for `value` runs.
    pub fn signal(&self, value: u64) {
        let signal = vk::SemaphoreSignalInfo::default().semaphore(self.semaphore).value(value);
        // SAFETY: a live semaphore.
        unsafe { self.vulkan.device.signal_semaphore(&signal) }.expect("a semaphore that counts up");
    }

    /// Where it is.
    pub fn value(&self) -> u64 {
        // SAFETY: a live semaphore.
        unsafe { self.vulkan.device.get_semaphore_counter_value(self.semaphore) }.expect("a timeline semaphore")
    }
}

impl Drop for Timeline<'_> {
    fn drop(&mut self) {
        // SAFETY: what was submitted was waited for.
        unsafe { self.vulkan.device.destroy_semaphore(self.semaphore, None) };
    }
}

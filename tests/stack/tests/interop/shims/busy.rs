//! Who is busy with what: the work that was enqueued and not waited for, and the memory that it may use. By the calls
//! alone, whatever the crate under test thinks.
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};

use cl_sys::{cl_event, cl_kernel, cl_mem};
use hip_sys::{hipEvent_t, hipFunction_t, hipModule_t, hipStream_t};

/// Kernels of HIP's whose launches say what memory they use, and which of their parameters are pointers. `kernelParams`
/// has neither their number nor their sizes, so all others may use anything.
const POINTERS: [(&CStr, &[usize]); 4] =
    [(c"triple", &[0]), (c"raise", &[0]), (c"await_flag", &[0, 1]), (c"hang_on", &[0, 1])];

#[derive(Default)]
pub struct Busy {
    /// In the order of the calls.
    works: Vec<Work>,
    last: usize,
    /// What the APIs' events wait for: the work up to a number.
    events: BTreeMap<usize, (Worker, usize)>,
    /// Memory and how many bytes it has, by address.
    memory: BTreeMap<usize, usize>,
    /// What OpenCL's kernels were given: numbers and addresses, by the kernel and the index.
    arguments: BTreeMap<(usize, u32), Vec<usize>>,
    /// HIP's functions of `POINTERS`.
    functions: BTreeMap<usize, &'static [usize]>,
    /// The modules of HIP's functions.
    modules: BTreeMap<usize, usize>,
}

struct Work {
    worker: Worker,
    number: usize,
    /// Addresses, and OpenCL's objects; `None` is anything.
    uses: Option<Vec<usize>>,
    /// HIP's module whose code it runs.
    module: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Worker {
    Queue(usize),
    Stream(usize),
}

fn argument<T: Copy + 'static>(arguments: &[&dyn Any], index: usize) -> T {
    *arguments[index].downcast_ref::<T>().expect("the function has such an argument there")
}

impl Busy {
    pub const fn new() -> Busy {
        Busy {
            works: Vec::new(),
            last: 0,
            events: BTreeMap::new(),
            memory: BTreeMap::new(),
            arguments: BTreeMap::new(),
            functions: BTreeMap::new(),
            modules: BTreeMap::new(),
        }
    }

    /// Follows a call that succeeded, and what it returned if that is an address.
    pub fn follow(&mut self, function: &'static str, arguments: &[&dyn Any], returned: usize) {
        let queue = || Worker::Queue(argument::<cl_sys::cl_command_queue>(arguments, 0).addr());
        let stream = |index| Worker::Stream(argument::<hipStream_t>(arguments, index).addr());
        let blocks = |index| argument::<cl_sys::cl_bool>(arguments, index) == cl_sys::CL_TRUE;
        let to = |index| argument::<*mut c_void>(arguments, index).addr();
        let from = |index| argument::<*const c_void>(arguments, index).addr();
        let object = |index| argument::<cl_mem>(arguments, index).addr();
        let size = |index| argument::<usize>(arguments, index);
        // SAFETY: the function stored it there.
        let event = |index| unsafe { argument::<*mut cl_event>(arguments, index).read() }.addr();
        // SAFETY: as above.
        let stored = |index| unsafe { argument::<*mut *mut c_void>(arguments, index).read() }.addr();
        match function {
            "clSVMAlloc" => _ = self.memory.insert(returned, size(2)),
            "hipMalloc" | "hipMallocManaged" | "hipHostMalloc" => _ = self.memory.insert(stored(0), size(1)),
            "hipHostRegister" => _ = self.memory.insert(to(0), size(1)),
            "clSetKernelArgSVMPointer" => self.given(arguments, vec![from(2)]),
            "clSetKernelArg" => {
                let value = argument::<*const c_void>(arguments, 3).cast::<usize>();
                let words = if value.is_null() { 0 } else { size(2) / size_of::<usize>() };
                // SAFETY: the function was given a value of that size, which need not be aligned.
                self.given(arguments, (0..words).map(|word| unsafe { value.add(word).read_unaligned() }).collect());
            }
            "clEnqueueNDRangeKernel" => {
                let kernel = argument::<cl_kernel>(arguments, 1).addr();
                let uses = self.arguments.range((kernel, 0)..=(kernel, u32::MAX)).flat_map(|(_, words)| words.clone());
                let uses = uses.collect();
                self.command(queue(), Some(uses), event(8));
            }
            "clEnqueueCopyBuffer" => self.command(queue(), Some(vec![object(1), object(2)]), event(8)),
            "clEnqueueFillBuffer" => self.command(queue(), Some(vec![object(1)]), event(8)),
            "clEnqueueSVMMemFill" => self.command(queue(), Some(vec![to(1)]), event(7)),
            "clEnqueueMarkerWithWaitList" | "clEnqueueBarrierWithWaitList" => self.mark(event(3), queue()),
            "clEnqueueSVMMemcpy" if !blocks(1) => self.command(queue(), Some(vec![to(2), from(3)]), event(7)),
            "clEnqueueReadBuffer" if !blocks(2) => self.command(queue(), Some(vec![object(1), to(5)]), event(8)),
            "clEnqueueWriteBuffer" if !blocks(2) => self.command(queue(), Some(vec![object(1), from(5)]), event(8)),
            "clEnqueueSVMMemcpy"
            | "clEnqueueReadBuffer"
            | "clEnqueueWriteBuffer"
            | "clFinish"
            | "clReleaseCommandQueue" => self.ended(queue(), usize::MAX),
            "clWaitForEvents" => {
                let events = argument::<*const cl_event>(arguments, 1);
                // SAFETY: the function was given that many.
                let events = unsafe { std::slice::from_raw_parts(events, argument::<u32>(arguments, 0) as usize) };
                events.iter().for_each(|event| self.reached(event.addr()));
            }
            "hipModuleGetFunction" => {
                // SAFETY: a name that ends in 0, and what the function stored.
                let (name, function) = unsafe {
                    let stored = argument::<*mut hipFunction_t>(arguments, 0).read();
                    (CStr::from_ptr(argument::<*const c_char>(arguments, 2)), stored.addr())
                };
                self.modules.insert(function, argument::<hipModule_t>(arguments, 1).addr());
                match POINTERS.iter().find(|(known, _)| *known == name) {
                    Some((_, pointers)) => _ = self.functions.insert(function, pointers),
                    None => _ = self.functions.remove(&function),
                }
            }
            "hipModuleLaunchKernel" => {
                let parameters = argument::<*mut *mut c_void>(arguments, 9);
                let function = argument::<hipFunction_t>(arguments, 0).addr();
                let pointers = self.functions.get(&function);
                // SAFETY: the kernel has such parameters, which are pointers.
                let word = |&index: &usize| unsafe { parameters.add(index).read().cast::<usize>().read_unaligned() };
                let uses = pointers.map(|pointers| pointers.iter().map(word).collect());
                self.work(stream(8), uses);
                let module = self.modules.get(&function).copied();
                self.works.iter_mut().next_back().expect("the launch").module = module;
            }
            "hipMemcpyAsync" => self.work(stream(4), Some(vec![to(0), from(1)])),
            "hipMemcpyWithStream" => self.ended(stream(4), usize::MAX),
            "hipMemcpyPeerAsync" => self.work(stream(5), Some(vec![to(0), from(2)])),
            "hipMemcpyDtoDAsync" => self.work(stream(3), Some(vec![to(0), to(1)])),
            "hipMemsetD8Async" | "hipMemsetD16Async" | "hipMemsetD32Async" => self.work(stream(3), Some(vec![to(0)])),
            "hipEventRecord" => self.mark(argument::<hipEvent_t>(arguments, 0).addr(), stream(1)),
            "hipEventSynchronize" => self.reached(argument::<hipEvent_t>(arguments, 0).addr()),
            "hipStreamSynchronize" | "hipStreamDestroy" => self.ended(stream(0), usize::MAX),
            _ => {}
        }
    }

    fn given(&mut self, arguments: &[&dyn Any], words: Vec<usize>) {
        let (kernel, index) = (argument::<cl_kernel>(arguments, 0).addr(), argument::<u32>(arguments, 1));
        self.arguments.insert((kernel, index), words);
    }

    fn work(&mut self, worker: Worker, uses: Option<Vec<usize>>) {
        self.last += 1;
        self.works.push(Work { worker, number: self.last, uses, module: None });
    }

    fn command(&mut self, queue: Worker, uses: Option<Vec<usize>>, event: usize) {
        self.work(queue, uses);
        self.mark(event, queue);
    }

    /// The event is reached when what the worker has now is done.
    fn mark(&mut self, event: usize, worker: Worker) {
        self.events.insert(event, (worker, self.last));
    }

    fn reached(&mut self, event: usize) {
        if let Some(&(worker, until)) = self.events.get(&event) {
            self.ended(worker, until);
        }
    }

    /// Queues and streams run in order.
    fn ended(&mut self, worker: Worker, until: usize) {
        self.works.retain(|work| work.worker != worker || work.number > until);
    }

    /// Whether this call gives back what work that was not waited for may use.
    pub fn gives_back_in_use(&mut self, function: &'static str, arguments: &[&dyn Any]) -> bool {
        let in_stream = |work: &Work| matches!(work.worker, Worker::Stream(_));
        let address = match function {
            "clSVMFree" => argument::<*mut c_void>(arguments, 1).addr(),
            "hipFree"
            | "hipHostFree"
            | "hipHostUnregister"
            | "hipIpcCloseMemHandle"
            | "hsa_amd_interop_unmap_buffer" => argument::<*mut c_void>(arguments, 0).addr(),
            "hipDestroyExternalMemory" => 0,
            // OpenCL's commands hold buffer objects themselves. HIP's have the address, which no call has told: it is
            // in no other memory.
            "clReleaseMemObject" => {
                let unknown = |address: &usize| self.memory_at(*address).is_none();
                let uses = |work: &Work| work.uses.as_ref().is_none_or(|uses| uses.iter().any(unknown));
                return self.works.iter().any(|work| in_stream(work) && uses(work));
            }
            "hipModuleUnload" => {
                let module = Some(argument::<hipModule_t>(arguments, 0).addr());
                return self.works.iter().any(|work| work.module == module);
            }
            _ => return false,
        };
        // Of what was imported nobody knows the size.
        let Some(bytes) = self.memory.remove(&address) else { return !self.works.is_empty() };
        let is_inside = |used: &usize| (address..address + bytes).contains(used);
        self.works.iter().any(|work| work.uses.as_ref().is_none_or(|uses| uses.iter().any(is_inside)))
    }

    /// The memory that has this address.
    fn memory_at(&self, address: usize) -> Option<usize> {
        let (start, bytes) = self.memory.range(..=address).next_back()?;
        (address - start < *bytes).then_some(*start)
    }
}

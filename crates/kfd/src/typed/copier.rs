//! Copies by whichever suits.

use std::fmt;

use bytemuck::Pod;

use crate::raw::Blit;
use crate::typed::buffer::Places;
use crate::typed::uses::UsedMemory;
use crate::{Buffer, Device, Engine, Heap, Pending, Queue, Result, SdmaQueue, Signal, Ticket, Wait};

/// Copies of fewer bytes are a kernel's wherever they go. Users of HIP set its `GPU_FORCE_BLIT_COPY_SIZE`, which means
/// the same, to 16 KiB or more; what is best, only hardware can tell.
const FEW_BYTES: u64 = 16 << 10;

/// Who copies or fills, and why: what a [`Copier`] chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// A kernel, because all the bytes stay in the GPU's own memory. Copy engines are made for links and reach a
    /// fraction of its rate. ROCr does so, too.
    KernelInOwnMemory,
    /// A kernel, because there are fewer than 16 KiB, less than what it takes to wake an engine.
    KernelForFewBytes,
    /// A copy engine, because the bytes cross PCIe or xGMI, which it fills without taking compute units from kernels.
    EngineAcrossLink,
    /// A kernel, although the bytes cross PCIe or xGMI, because copy engines cannot tell the host that they are done
    /// ([`Node::has_host_atomics`](crate::Node::has_host_atomics)).
    KernelWithoutAtomics,
    /// A kernel, although the bytes cross PCIe or xGMI, because something before it was not over yet: a kernel, or a
    /// signal that was to be waited for. A [`Copier`] lets no engine wait, as not all of them do so reliably
    /// ([`Node::engines_wait`](crate::Node::engines_wait)).
    KernelToWait,
}

impl Choice {
    /// Whether it is a kernel, not a copy engine.
    pub fn is_kernel(self) -> bool {
        self != Choice::EngineAcrossLink
    }

    /// For `bytes` between, or to, the memory given.
    fn of(device: Device, bytes: u64, memory: &[&UsedMemory], has_engine: bool) -> Choice {
        let own = |memory: &&UsedMemory| memory.heap() != Heap::Host && memory.device() == device;
        match memory.iter().all(own) {
            true => Choice::KernelInOwnMemory,
            false if bytes < FEW_BYTES => Choice::KernelForFewBytes,
            false if !has_engine => Choice::KernelWithoutAtomics,
            false => Choice::EngineAcrossLink,
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Choice::KernelInOwnMemory => "a kernel, as all bytes stay in the GPU's own memory",
            Choice::KernelForFewBytes => "a kernel, as there are fewer than 16 KiB",
            Choice::EngineAcrossLink => "a copy engine, as the bytes cross PCIe or xGMI",
            Choice::KernelWithoutAtomics => "a kernel, as the atomic operations of copy engines do not reach the host",
            Choice::KernelToWait => {
                "a kernel, as there was something to wait for, for which copy engines do not wait reliably"
            }
        })
    }
}

/// A copy or fill that was submitted by a [`Copier`]: a [`Pending`] that knows who does it.
#[derive(Debug)]
#[must_use = "buffers are the host's again when the work has been waited for"]
pub struct Copying<'b> {
    pending: Pending<'b>,
    choice: Choice,
}

impl Copying<'_> {
    /// Who does it, and why.
    pub fn choice(&self) -> Choice {
        self.choice
    }
}

/// Copies and fills on a device, each by a kernel or by a copy engine, whichever suits. They are done one after the
/// other.
///
/// It has a [`Queue`] and, where they work, an [`SdmaQueue`]. An engine gets work only when nothing before it is left
/// to wait for: what crosses a link behind a kernel that still runs, or behind a signal that is not 0 yet, is a
/// kernel's ([`Choice::KernelToWait`]). Nothing that submits waits. Who wants one of them for certain uses that itself:
/// [`Queue::copy`], [`SdmaQueue::copy`].
///
/// # Example
/// ```no_run
/// use kfd::{Buffer, Choice, Copier, Engine, Placement, Wait};
/// # fn example(gpu: kfd::Device) -> kfd::Result<()> {
/// let mut copier = Copier::new(gpu, Engine::Any)?;
/// let mut host = Buffer::<u32>::new(gpu, 1 << 20, Placement::HOST)?;
/// let mut vram = Buffer::<u32>::new(gpu, 1 << 20, Placement::VRAM)?;
/// host.host_mut()?.fill(7);
///
/// let work = copier.copy(&host, 0, &mut vram, 0, 1 << 20)?; // nothing before it is left to wait for
/// println!("by {}", work.choice());
/// # assert_eq!(work.choice(), Choice::EngineAcrossLink);
/// copier.wait(&work, Wait::FOREVER)?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Copier {
    queue: Queue,
    /// None where engines cannot count.
    sdma: Option<SdmaQueue>,
    /// The engine does what was submitted last.
    engine_last: bool,
}

impl Copier {
    /// A copier of this device, with this copy engine for what crosses a link: [`Engine::Any`] for the host's memory
    /// and GPUs behind PCIe, [`Engine::Xgmi`] for other GPUs. Where the GPU's atomic operations do not reach the host,
    /// by which engines count, kernels copy all.
    ///
    /// # Errors
    /// As of [`Queue::new`] and [`SdmaQueue::new`]; [`Error::Unsupported`](crate::Error::Unsupported) on a GPU that is
    /// no gfx908, gfx90a or gfx942, for which there are no kernels.
    pub fn new(device: Device, engine: Engine) -> Result<Copier> {
        Blit::of(device.0)?;
        let queue = Queue::new(device)?;
        let sdma = device.node().has_host_atomics().then(|| SdmaQueue::new(device, engine)).transpose()?;
        Ok(Copier { queue, sdma, engine_last: false })
    }

    /// Its device.
    pub fn device(&self) -> Device {
        self.queue.device()
    }

    /// Copies `count` values. The buffers may be of any device or the host, if they are mapped to the copier's device.
    ///
    /// # Errors
    /// As of [`Queue::copy`] and [`SdmaQueue::copy`].
    pub fn copy<'b, T: Pod>(
        &mut self,
        from: &'b Buffer<T>,
        from_index: usize,
        to: &'b mut Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Copying<'b>> {
        let bytes = Places::of(from, from_index, to, to_index, count)?.bytes;
        let choice = self.turn_to(bytes, &[from.memory(), to.memory()])?;
        let pending = match self.engine_of(choice) {
            None => self.queue.copy(from, from_index, to, to_index, count),
            Some(sdma) => sdma.copy(from, from_index, to, to_index, count),
        }?;
        Ok(Copying { pending, choice })
    }

    /// Copies `count` values to another place of the same buffer. The two places must not overlap.
    ///
    /// # Errors
    /// As of [`copy`](Self::copy); [`Error::Value`](crate::Error::Value) for places that overlap.
    pub fn copy_within<'b, T: Pod>(
        &mut self,
        buffer: &'b mut Buffer<T>,
        from_index: usize,
        to_index: usize,
        count: usize,
    ) -> Result<Copying<'b>> {
        let bytes = Places::of(buffer, from_index, buffer, to_index, count)?.bytes;
        let choice = self.turn_to(bytes, &[buffer.memory()])?;
        let pending = match self.engine_of(choice) {
            None => self.queue.copy_within(buffer, from_index, to_index, count),
            Some(sdma) => sdma.copy_within(buffer, from_index, to_index, count),
        }?;
        Ok(Copying { pending, choice })
    }

    /// As [`copy`](Self::copy), into a buffer that others have too: see [`Queue::copy_shared`].
    ///
    /// # Safety
    /// As of [`Queue::copy_shared`].
    ///
    /// # Errors
    /// As of [`copy`](Self::copy); [`Error::Value`](crate::Error::Value) for places of one buffer that overlap.
    pub unsafe fn copy_shared<T: Pod>(
        &mut self,
        from: &Buffer<T>,
        from_index: usize,
        to: &Buffer<T>,
        to_index: usize,
        count: usize,
    ) -> Result<Ticket> {
        let bytes = Places::of(from, from_index, to, to_index, count)?.bytes;
        let choice = self.turn_to(bytes, &[from.memory(), to.memory()])?;
        match self.engine_of(choice) {
            // SAFETY: the caller's promise.
            None => unsafe { self.queue.copy_shared(from, from_index, to, to_index, count) },
            // SAFETY: as above.
            Some(sdma) => unsafe { sdma.copy_shared(from, from_index, to, to_index, count) },
        }
    }

    /// Sets `count` values of 4 bytes to `value`. Values of other sizes or alignments do not compile.
    ///
    /// # Errors
    /// As of [`copy`](Self::copy).
    pub fn fill<'b, T: Pod>(
        &mut self,
        to: &'b mut Buffer<T>,
        index: usize,
        count: usize,
        value: T,
    ) -> Result<Copying<'b>> {
        let (_, bytes) = to.bytes_at(index, count)?;
        let choice = self.turn_to(bytes, &[to.memory()])?;
        let pending = match self.engine_of(choice) {
            None => self.queue.fill(to, index, count, value),
            Some(sdma) => sdma.fill(to, index, count, value),
        }?;
        Ok(Copying { pending, choice })
    }

    /// Makes it wait until all the signals are 0, before whatever is submitted next.
    ///
    /// # Errors
    /// As of [`Queue::wait_for`].
    pub fn wait_for(&mut self, signals: &[&Signal]) -> Result<()> {
        // Kernels wait for what the engine did, too, so that what is signalled next comes after both.
        self.turn_to_kernels()?;
        self.queue.wait_for(signals)
    }

    /// Decrements the signal when everything that was submitted before is done.
    ///
    /// # Errors
    /// As of [`Queue::signal`].
    pub fn signal(&mut self, signal: &Signal) -> Result<()> {
        // The last one waits for all before it.
        match &mut self.sdma {
            Some(sdma) if self.engine_last => sdma.signal(signal),
            _ => self.queue.signal(signal),
        }
    }

    /// Waits until the work is done, and everything that was submitted before it.
    ///
    /// # Errors
    /// As of [`Queue::wait`].
    pub fn wait(&mut self, copying: &Copying<'_>, wait: Wait) -> Result<()> {
        match self.engine_of(copying.choice) {
            None => self.queue.wait(&copying.pending, wait)?,
            Some(sdma) => sdma.wait(&copying.pending, wait)?,
        }
        // What the other one did before is done too, and its buffers are the host's again.
        self.queue.tracked.retire();
        self.sdma.iter_mut().for_each(|sdma| sdma.tracked.retire());
        Ok(())
    }

    /// Whether the work is done. Makes no system call.
    pub fn is_done(&self, copying: &Copying<'_>) -> bool {
        match &self.sdma {
            Some(sdma) if !copying.choice.is_kernel() => sdma.is_done(&copying.pending),
            _ => self.queue.is_done(&copying.pending),
        }
    }

    /// The work without its borrow, for other threads to ask and wait for.
    ///
    /// # Errors
    /// As of [`Queue::ticket`].
    pub fn ticket(&self, copying: &Copying<'_>) -> Result<Ticket> {
        match &self.sdma {
            Some(sdma) if !copying.choice.is_kernel() => sdma.ticket(&copying.pending),
            _ => self.queue.ticket(&copying.pending),
        }
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    /// As of [`Queue::wait`].
    pub fn wait_idle(&mut self, wait: Wait) -> Result<()> {
        self.queue.wait_idle(wait)?;
        self.sdma.iter_mut().try_for_each(|sdma| sdma.wait_idle(wait))
    }

    /// Waits until the older half of the work is done, by kernel and by engine, which makes room for more.
    ///
    /// # Errors
    /// As of [`Queue::wait`].
    pub fn wait_for_room(&mut self, wait: Wait) -> Result<()> {
        self.queue.wait_for_room(wait)?;
        self.sdma.iter_mut().try_for_each(|sdma| sdma.wait_for_room(wait))
    }

    /// The copy engine, if that is what was chosen.
    fn engine_of(&mut self, choice: Choice) -> Option<&mut SdmaQueue> {
        if choice.is_kernel() { None } else { self.sdma.as_mut() }
    }

    /// Chooses who moves `bytes` between, or to, the memory given, which then comes after everything that was submitted
    /// before.
    fn turn_to(&mut self, bytes: u64, memory: &[&UsedMemory]) -> Result<Choice> {
        let choice = match Choice::of(self.device(), bytes, memory, self.sdma.is_some()) {
            // The queue has what there is to wait for, signals and kernels.
            Choice::EngineAcrossLink if self.queue.tracked.submitted().is_busy() => Choice::KernelToWait,
            choice => choice,
        };
        if choice.is_kernel() {
            self.turn_to_kernels()?;
        } else {
            self.engine_last = true;
        }
        Ok(choice)
    }

    /// Makes kernels wait for what the engine does, if that came last.
    fn turn_to_kernels(&mut self) -> Result<()> {
        if let Some(sdma) = &mut self.sdma
            && self.engine_last
        {
            if sdma.tracked.submitted().is_busy() {
                let before = Signal::polled(self.queue.device(), 1)?;
                sdma.signal(&before)?;
                self.queue.wait_for(&[&before])?;
            }
            self.engine_last = false;
        }
        Ok(())
    }
}

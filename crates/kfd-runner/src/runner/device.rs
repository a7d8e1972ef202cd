//! Lists and runs the tests on the GPU.
use std::time::Duration;

use kfd::aql::Geometry;
use kfd::bytemuck::{Pod, Zeroable};
use kfd::{Buffer, Error, Kernel, Module, Placement, Queue, Wait};
use kfd_runner::report::{Call, KERNEL, Report, flag, state};

use crate::Result;

/// So many tests are run by one launch.
const AT_ONCE: usize = 64;
/// So many bytes a test may allocate.
const HEAP_BYTES: usize = 1 << 20;
/// Stack of a work-item in bytes, where the compiler does not know how much is needed.
const STACK_BYTES: u32 = 16 << 10;
/// For so many tests there is room at first when they are described.
const USUAL_TESTS: usize = 1024;

/// A test, as the program describes it.
pub struct Test {
    pub name: String,
    pub ignore: bool,
    pub should_panic: bool,
    /// Text that the panic's message must contain, if the test should panic.
    pub expected: String,
}

/// How a test ended.
#[derive(Debug)]
pub enum End {
    Returned,
    /// With the message and the place.
    Panicked(String),
    /// It returned an error.
    Error(String),
    /// Something else ended it.
    Stopped(String),
}

/// As `kfd` takes it for buffers.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Plain<T>(T);

// SAFETY: integers and arrays of integers, for which zeros are values, without padding: `NO_PADDING`.
unsafe impl<T: NoPadding> Zeroable for Plain<T> {}
// SAFETY: as above.
unsafe impl<T: NoPadding> Pod for Plain<T> {}

/// # Safety
/// `repr(C)`, of integers and arrays of them, without padding.
unsafe trait NoPadding: Copy + 'static {}
// SAFETY: the sum of the fields is the size, which `kfd_runner::report` asserts.
unsafe impl NoPadding for Call {}
// SAFETY: as above.
unsafe impl NoPadding for Report {}

/// The GPU with the program.
pub struct Device {
    gpu: kfd::Device,
    kernel: Kernel,
    queue: Queue,
    limit: Duration,
}

impl Device {
    pub fn new(gpu: kfd::Device, module: &Module, limit: Duration) -> Result<Device> {
        Ok(Device { gpu, kernel: module.kernel(KERNEL)?, queue: Queue::new(gpu)?, limit })
    }

    /// Lists the tests in the order of their numbers.
    pub fn describe(&mut self) -> Result<Vec<Test>> {
        let mut capacity = USUAL_TESTS;
        loop {
            let mut memory = Memory::new(self.gpu, capacity, 0)?;
            memory.call.host_mut()?[0].0.describe = 1;
            self.launch(1, &mut memory).map_err(|error| format!("listing the tests: {error}"))?;
            let found = memory.call.host()?[0].0.found as usize;
            if found <= capacity {
                return Ok(memory.reports.host()?[..found].iter().map(|report| test(&report.0)).collect());
            }
            capacity = found;
        }
    }

    /// Runs the tests with these numbers and hands on how each ended.
    ///
    /// # Errors
    /// If the GPU is lost, as after a memory fault: nothing more can be run then.
    pub fn run(&mut self, tests: &[usize], mut ended: impl FnMut(usize, &End)) -> Result<()> {
        let tests: Vec<u32> = tests.iter().map(|&test| test as u32).collect();
        for batch in tests.chunks(AT_ONCE) {
            for (&test, end) in batch.iter().zip(self.batch(batch)?) {
                let end = match end {
                    Some(end) => end,
                    // Whose fault it was that the batch stopped shows when each that is left runs alone.
                    None => self.batch(&[test])?.pop().flatten().ok_or("a launch of one test told nothing")?,
                };
                ended(test as usize, &end);
            }
        }
        Ok(())
    }

    /// How each of the tests ended, in one launch; nothing of those that were not done when it stopped, if there are
    /// several.
    fn batch(&mut self, tests: &[u32]) -> Result<Vec<Option<End>>> {
        let count = tests.len();
        let mut memory = Memory::new(self.gpu, count, HEAP_BYTES)?;
        memory.tests.host_mut()?.copy_from_slice(tests);
        let outcome = self.launch(count as u32, &mut memory);
        // Not by `host`: after an error it is not known whether something still writes.
        let mut reports = vec![Plain(Report::EMPTY); count];
        memory.reports.read(0, &mut reports)?;
        let why = match outcome {
            Ok(()) => "it ended its wave, neither by a return nor by a panic".to_owned(),
            Err(error @ (Error::Timeout { .. } | Error::Stopped { .. })) => {
                // What still runs ends with its queue.
                self.queue = Queue::new(self.gpu)?;
                error.to_string()
            }
            Err(error @ Error::Lost { .. }) => return Err(lost(&reports, &error)),
            Err(error) => return Err(error.into()),
        };
        let ends =
            reports.iter().map(|report| end(&report.0).or_else(|| (count == 1).then(|| End::Stopped(why.clone()))));
        Ok(ends.collect())
    }

    /// Launches the kernel with so many work-groups and waits.
    fn launch(&mut self, groups: u32, memory: &mut Memory) -> Result<(), Error> {
        let Memory { call, reports, tests, heap } = memory;
        let launch = self.queue.launch(&self.kernel, Geometry::one(groups, 1)?)?;
        let launch =
            launch.buffer_mut(call).buffer_mut(reports).buffer(tests).buffer_mut(heap).stack_bytes(STACK_BYTES);
        // SAFETY: the harness uses the buffers as far as `call` says, and each test what it allocates; unsafe code of
        // tests answers for the rest.
        let work = unsafe { launch.submit() }?;
        self.queue.wait(&work, Wait::Sleep(self.limit))
    }
}

/// Names the tests of which one has lost the GPU. What a report says of a test that has begun is its state only.
fn lost(reports: &[Plain<Report>], error: &Error) -> Box<dyn std::error::Error> {
    let names = |report: &Plain<Report>| String::from_utf8_lossy(report.0.name.bytes()).into_owned();
    let running: Vec<_> = reports.iter().filter(|report| report.0.state == state::BEGUN).map(names).collect();
    format!("{error}\nrunning were {}; nothing more was run", running.join(", ")).into()
}

/// The arguments of a launch.
struct Memory {
    call: Buffer<Plain<Call>>,
    reports: Buffer<Plain<Report>>,
    tests: Buffer<u32>,
    heap: Buffer<u8>,
}

impl Memory {
    /// For so many tests, each of which may allocate `heap_bytes`.
    fn new(gpu: kfd::Device, count: usize, heap_bytes: usize) -> Result<Memory, Error> {
        let mut call = Buffer::new(gpu, 1, Placement::HOST)?;
        call.host_mut()?[0] = Plain(Call { heap_bytes: heap_bytes as u64, capacity: count as u32, ..Call::default() });
        let mut reports = Buffer::new(gpu, count, Placement::HOST)?;
        reports.host_mut()?.fill(Plain(Report::EMPTY));
        let tests = Buffer::new(gpu, count, Placement::HOST)?;
        let heap = Buffer::new(gpu, (count * heap_bytes).max(1), Placement::VRAM)?;
        Ok(Memory { call, reports, tests, heap })
    }
}

fn test(report: &Report) -> Test {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Test {
        name: text(report.name.bytes()),
        ignore: report.flags & flag::IGNORE != 0,
        should_panic: report.flags & flag::SHOULD_PANIC != 0,
        expected: text(report.expected.bytes()),
    }
}

/// How a test ended, if it told.
fn end(report: &Report) -> Option<End> {
    let message = || String::from_utf8_lossy(report.message.bytes()).into_owned();
    match report.state {
        state::RETURNED => Some(End::Returned),
        state::PANICKED => Some(End::Panicked(message())),
        state::ERROR => Some(End::Error(message())),
        _ => None,
    }
}

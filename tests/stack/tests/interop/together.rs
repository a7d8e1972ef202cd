//! What a program uses in its first week, all at once and four batches in flight; then with what the virtual GPU can do
//! to it.
use std::collections::VecDeque;
use std::time::Duration;

use rocm_interop::hip::HipModule;
use rocm_interop::memory::{BufferPool, ReadOnly};
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::transfer::{Staging, Transfer};
use rocm_interop::{Argument, Error, Refused, Result, Session};
use stack_tests::{TraceFile, on_vgpu, run_any, run_tests};

use crate::{N, assert_same, session};

const OPENCL: &str = "kernel void unpack(global const uchar *packet, global const uint *table, global uint *x) {
    size_t i = get_global_id(0);
    x[i] = packet[i] + table[i];
}
kernel void fetch(ulong from, global uint *x) { x[get_global_id(0)] = ((global const uint *)from)[get_global_id(0)]; }";
const HIP: &str = r#"extern "C" __global__ void weigh(const unsigned *table, unsigned *x) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] * 3 + table[i];
}"#;
const BATCHES: usize = 12;
const IN_FLIGHT: usize = 4;

fn packet(batch: usize) -> Vec<u8> {
    (0..N).map(|i| (i * 7 + batch * 31) as u8).collect()
}

fn weights() -> Vec<u32> {
    (0..N as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect()
}

fn want(batch: usize) -> Vec<u32> {
    let each = |(byte, weight): (u8, u32)| (u32::from(byte) + weight) * 3 + weight;
    packet(batch).into_iter().zip(weights()).map(each).collect()
}

/// The kernels' code, of an earlier run.
struct Code {
    opencl: Vec<u8>,
    hip: Vec<u8>,
}

impl Code {
    fn new() -> Result<Code> {
        let session = session();
        let opencl = OpenClProgram::build(&session, OPENCL, "")?.code().to_vec();
        let hip = HipModule::build(&session, HIP)?.code().to_vec();
        Ok(Code { opencl, hip })
    }
}

/// A session that receives and computes, and one beside it that takes what is done.
struct Program {
    session: Session,
    beside: Session,
    opencl: OpenClProgram,
    hip: HipModule,
    fetch: OpenClProgram,
    table: ReadOnly<u32>,
    packets: BufferPool<u8, rocm_interop::OpenCl>,
    numbers: BufferPool<u32, rocm_interop::OpenCl>,
    results: BufferPool<u32, rocm_interop::OpenCl>,
}

impl Program {
    fn new(code: &Code) -> Result<Program> {
        let session = session();
        let beside = session.beside()?;
        // SAFETY: the compilers made it.
        let (opencl, fetch, hip) = unsafe {
            (
                OpenClProgram::load(&session, &code.opencl)?,
                OpenClProgram::load(&beside, &code.opencl)?,
                HipModule::load(&session, &code.hip)?,
            )
        };
        let mut table = session.allocate(N)?;
        table.write(&weights())?;
        let table = table.into_read_only().map_err(Refused::into_error)?;
        Ok(Program {
            packets: BufferPool::new(&session, N, IN_FLIGHT, Session::allocate)?,
            numbers: BufferPool::new(&session, N, IN_FLIGHT, Session::allocate)?,
            results: BufferPool::new(&beside, N, IN_FLIGHT, Session::allocate_host)?,
            table,
            session,
            beside,
            opencl,
            hip,
            fetch,
        })
    }

    /// A packet that was uploaded becomes numbers, which the session beside fetches behind events of both APIs.
    fn compute(&self, upload: Transfer<u8, rocm_interop::OpenCl, Staging<u8>>, batch: usize) -> Result<Staging<u8>> {
        let (packet, staging) = upload.wait().map_err(Refused::into_error)?;
        let numbers = self.numbers.take()?.expect("fewer are in use");
        // SAFETY: one work-item an element.
        unsafe {
            let arguments = [(&packet).into(), (&self.table).into(), (&numbers).into()];
            self.opencl.kernel("unpack")?.launch(&[N], Some(&[64]), &arguments)?;
        }
        // It comes back when the kernel has ended, which nobody waits for here.
        drop(packet);
        let numbers = numbers.into_hip_later().map_err(Refused::into_error)?.wait().map_err(Refused::into_error)?;
        // SAFETY: as above.
        unsafe {
            self.hip.kernel("weigh")?.launch((N / 64) as u32, 64, 0, &[(&self.table).into(), (&numbers).into()])
        }?;
        let weighed = self.session.stream_event()?;
        // SAFETY: a live event.
        unsafe { self.beside.stream_waits_for(&[weighed.raw()]) }?;
        let numbers = numbers.into_opencl().map_err(Refused::into_error)?;
        let ready = self.session.queue_event()?;
        // SAFETY: as above.
        unsafe { self.beside.queue_waits_for(&[ready.raw()]) }?;
        let mut result = self.results.take()?.expect("fewer are in use");
        let from = numbers.address();
        // SAFETY: as many numbers, which are there until the end of this function, and which nobody writes by then.
        unsafe { self.fetch.kernel("fetch")?.launch(&[N], Some(&[64]), &[Argument::value(&from), (&result).into()]) }?;
        assert_same(result.host_slice()?, &want(batch));
        Ok(staging)
    }

    fn run(&self) -> Result<()> {
        let mut free: Vec<Staging<u8>> = (0..IN_FLIGHT).map(|_| self.session.staging(N)).collect::<Result<_>>()?;
        let mut uploads = VecDeque::new();
        for batch in 0..BATCHES + IN_FLIGHT {
            if batch >= IN_FLIGHT {
                let upload = uploads.pop_front().expect("begun");
                free.push(self.compute(upload, batch - IN_FLIGHT)?);
            }
            if batch < BATCHES {
                let mut staging = free.pop().expect("one came back");
                staging.copy_from_slice(&packet(batch));
                let buffer = self.packets.take()?.expect("fewer are in use");
                uploads.push_back(buffer.upload(staging).map_err(Refused::into_error)?);
            }
        }
        for statistics in [self.packets.statistics(), self.numbers.statistics(), self.results.statistics()] {
            assert_eq!((statistics.taken, statistics.idle), (1 + BATCHES as u64, statistics.allocated), "all are back");
            assert_eq!(statistics.reused + statistics.allocated as u64, statistics.taken, "{statistics:?}");
        }
        Ok(())
    }
}

#[test]
fn batches_pass_through_all_at_once() {
    needs_amd_opencl!();
    let code = Code::new().expect("kernels");
    for _ in 0..2 {
        Program::new(&code).expect("kernels").run().expect("every number is right");
    }
}

#[test]
fn batches_pass_through_all_at_once_under_any_schedule() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    crate::hand_over::under_any_schedule("together::batches_pass_through_all_at_once");
}

#[test]
fn batches_pass_through_all_at_once_with_any_caches() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    crate::caches::with_any_caches(&["together::batches_pass_through_all_at_once"]);
}

/// In the process of one that is to hang.
const LIMIT: Duration = Duration::from_millis(300);

/// Whichever kernel of a batch never ends, a program with a limit is told in its time, and what it does afterwards ends
/// too.
#[test]
fn a_batch_that_hangs_is_told_whichever_kernel_it_is() {
    const HANGS: &str = "STACK_TESTS_HANGS";
    const TEST: &str = "together::a_batch_that_hangs_is_told_whichever_kernel_it_is";
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    if std::env::var_os(HANGS).is_some() {
        let program = Program::new(&Code::new().expect("kernels")).expect("kernels");
        program.session.set_wait_limit(Some(LIMIT));
        program.beside.set_wait_limit(Some(LIMIT));
        let Err(error) = program.run() else { return };
        assert!(matches!(error, Error::StillRunning { limit: LIMIT, .. }), "{error}");
        program.session.abandon();
        program.beside.abandon();
        let outcomes = [program.packets.take().map(drop), program.numbers.take().map(drop)];
        assert!(outcomes.iter().all(|outcome| matches!(outcome, Err(Error::Abandoned { .. }))), "{outcomes:?}");
        let staging = program.session.staging::<u8>(1);
        println!("told: {error}; then {:?}", staging.map(drop));
        drop(program);
        // The end of the process would wait for the GPU again.
        // SAFETY: it does not return.
        unsafe { libc::_exit(3) }
    }
    let this = || std::env::current_exe().expect("this test");
    let with = |options: &[&str]| {
        let mut command = on_vgpu(options, this());
        command.env(HANGS, "1").args(["--exact", "--nocapture", TEST]);
        run_any(&mut command, Duration::from_secs(120))
    };
    let trace = TraceFile::new("together");
    let undisturbed = with(&trace.options());
    assert!(undisturbed.status.success(), "{}{}", undisturbed.stdout, undisturbed.stderr);
    let dispatches: Vec<u64> = trace
        .read()
        .lines()
        .filter_map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
            // AMD's own kernels, which copy and fill, are named.
            let own = event["event"] == "dispatch" && event["kernel"].is_null() && event["grid"][0] == N;
            own.then(|| event["dispatch"].as_u64().expect("a number"))
        })
        .collect();
    assert_eq!(dispatches.len(), 3 * BATCHES, "unpack, weigh and fetch");
    for dispatch in &dispatches[..3] {
        let hang = format!("hang@dispatch:{dispatch}");
        let ended = with(&["--faults", &hang]);
        assert_eq!(ended.status.code(), Some(3), "{}{}", ended.stdout, ended.stderr);
        assert!(
            ended.stdout.contains("told: ") && ended.stdout.contains("had not ended after 300ms"),
            "{}",
            ended.stdout
        );
    }
}

/// The driver has no memory left for a pool's next buffer: the pool is as it was, and goes on when there is some.
#[test]
fn a_pool_without_memory_says_so_and_goes_on() {
    const TEST: &str = "together::a_pool_without_memory_says_so_and_goes_on";
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    const ALONE: &str = "STACK_TESTS_POOL";
    /// Larger than the blocks that ROCr cuts small buffers out of, so that the driver is asked for each; of a size that
    /// nothing else has.
    const LEN: usize = 14 << 20;
    if std::env::var_os(ALONE).is_some() {
        let session = session();
        let pool = BufferPool::<u8, _>::new(&session, LEN, 3, Session::allocate).expect("the first");
        let first = pool.take().expect("take").expect("the first");
        println!("the second is next");
        let second = pool.take();
        let statistics = pool.statistics();
        match second {
            Ok(second) => assert_eq!((second.map(|buffer| buffer.len()), statistics.allocated), (Some(LEN), 2)),
            Err(error) => {
                assert!(error.is_out_of_memory(), "{error}");
                assert_eq!((statistics.allocated, statistics.idle, statistics.taken), (1, 0, 2));
                println!("without memory: {error}");
            }
        }
        drop(first);
        let mut again = pool.take().expect("take").expect("one came back");
        again.write(&vec![9; LEN]).expect("write");
        let other = pool.take().expect("there is memory").expect("there is room");
        let mut end = [0; 2];
        again.read_at(LEN - 2, &mut end).expect("read");
        assert_eq!((end, other.len()), ([9; 2], LEN));
        return;
    }
    let with = |options: &[&str]| {
        let mut command = on_vgpu(options, std::env::current_exe().expect("this test"));
        run_tests(command.env(ALONE, "1"), &[TEST], Duration::from_secs(120))
    };
    let trace = TraceFile::new("pool");
    with(&trace.options());
    let text = trace.read();
    let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line of JSON"));
    let of_a_buffer = format!("size: {LEN},");
    let allocations: Vec<bool> = events
        .filter(|event| event["event"] == "ioctl" && event["name"] == "ALLOC_MEMORY_OF_GPU")
        .map(|event| event["args"].as_str().expect("the arguments").contains(&of_a_buffer))
        .collect();
    let large: Vec<usize> = (0..allocations.len()).filter(|&i| allocations[i]).collect();
    assert_eq!(large.len(), 2, "of {}", allocations.len());
    // ROCr asks once more when it has given back what it keeps.
    let faults = [1, 2].map(|more| format!("ioctl:ALLOC_MEMORY_OF_GPU:{}=ENOMEM", large[1] + more)).join(",");
    let output = with(&["--faults", &faults]);
    assert!(output.contains("without memory: "), "{output}");
}

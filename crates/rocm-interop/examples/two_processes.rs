//! Two processes take turns on one buffer of the GPU: OpenCL adds in one, HIP scales in the other. Nothing is copied,
//! and either may be killed.
//!
//! `two_processes --help` says how it is used.
use std::error::Error;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::share::{Away, ChannelError, Held};
use rocm_interop::{Buffer, Device, Libraries, Session};

const HELP: &str = "\
Adds 2 by OpenCL in this process and multiplies by 3 by HIP in another one, in turn, on the same bytes.

usage: two_processes [ROUNDS]

  ROUNDS   how often each of both has its turn; 100 if it is not told";

const OPENCL: &str = "kernel void add(global uint *x, uint a) { x[get_global_id(0)] += a; }";
const HIP: &str =
    r#"extern "C" __global__ void scale(unsigned *x, unsigned a) { x[blockIdx.x * 64 + threadIdx.x] *= a; }"#;
/// A buffer of two processes has more than 2 MiB.
const N: usize = 1 << 20;
/// No wait for the other process is longer.
const LIMIT: Duration = Duration::from_secs(60);
/// The argument of the second process, whose standard input is the socket to the first.
const SECOND: &str = "--second";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match &arguments[..] {
        [one] if one == "--help" || one == "-h" => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [one] if one == SECOND => second(),
        [] => this_program().and_then(|second| first(second, 100)),
        [rounds] if rounds.parse::<u32>().is_ok() => {
            this_program().and_then(|second| first(second, rounds.parse().unwrap_or_default()))
        }
        _ => {
            eprintln!("two_processes: how many rounds? `two_processes --help` has more");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("two_processes: {error}");
            ExitCode::FAILURE
        }
    }
}

fn this_program() -> Result<Command, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(SECOND);
    Ok(command)
}

fn session() -> Result<Session, Box<dyn Error>> {
    let libraries = Arc::new(Libraries::load()?);
    Ok(Session::open(&Device::first(&libraries)?)?)
}

/// Offers a buffer to the process that `second` starts, and adds in its turns.
pub fn first(mut second: Command, rounds: u32) -> Result<(), Box<dyn Error>> {
    let (socket, theirs) = UnixStream::pair()?;
    let mut process = second.stdin(OwnedFd::from(theirs)).spawn()?;
    // It has their end of the socket, which here nobody is to have: an end of which there is a copy never closes.
    drop(second);
    let outcome = adds(socket, rounds);
    if outcome.is_err() {
        process.kill()?;
    }
    let status = process.wait()?;
    outcome?;
    if status.success() { Ok(()) } else { Err(format!("the second process: {status}").into()) }
}

fn adds(socket: UnixStream, rounds: u32) -> Result<(), Box<dyn Error>> {
    let session = session()?;
    let add = OpenClProgram::build(&session, OPENCL, "")?.kernel("add")?;
    let mut mine = Held::offer(session.allocate::<u32>(N)?, socket)?;
    let mut want: Vec<u32> = (0..N as u32).collect();
    mine.write(&want)?;
    for _ in 0..rounds {
        // SAFETY: one work-item an element.
        unsafe { add.launch(&[N], None, &[(&*mine).into(), 2.into()]) }?;
        mine = mine.give()?.take(LIMIT)?; // waits for OpenCL, then for the other process
        want.iter_mut().for_each(|x| *x = x.wrapping_add(2).wrapping_mul(3));
    }
    let mut got = vec![0; N];
    mine.read(&mut got)?;
    if got != want {
        return Err("a value is wrong".into());
    }
    println!("{rounds} turns of each process, {N} values checked");
    Ok(())
}

/// Scales in its turns, until the first process has gone.
pub fn second() -> Result<(), Box<dyn Error>> {
    let socket = std::io::stdin().as_fd().try_clone_to_owned()?;
    let session = session()?;
    let scale = HipModule::build(&session, HIP)?.kernel("scale")?;
    let mut theirs = Away::accept(socket, LIMIT, |memory| session.import::<u32>(memory))?;
    loop {
        let mine = match theirs.take(LIMIT) {
            Ok(mine) => mine.with(Buffer::into_hip)?,
            Err(refused) if matches!(refused.error(), rocm_interop::Error::Channel(ChannelError::PeerGone { .. })) => {
                return Ok(());
            }
            Err(refused) => return Err(refused.into_error().into()),
        };
        // SAFETY: one work-item an element.
        unsafe { scale.launch((N / 64) as u32, 64, 0, &[(&*mine).into(), 3.into()]) }?;
        theirs = mine.with(Buffer::into_opencl)?.give()?; // waits for HIP
    }
}

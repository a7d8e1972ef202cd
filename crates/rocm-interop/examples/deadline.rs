//! A GPU that does not answer, and a program that ends all the same.
//!
//! `deadline --help` says how it is used.
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Device, Error, Libraries, Session};

const HELP: &str = "\
Adds 2 by OpenCL and multiplies by 10 by HIP, and waits for neither longer than it is told.

usage: deadline SECONDS

  SECONDS   how long it waits for the GPU, such as 0.5

exit status: 0 if the GPU has computed, 3 if it was given up";

const OPENCL: &str = "kernel void add(global float *x, float a) { x[get_global_id(0)] += a; }";
const HIP: &str = r#"extern "C" __global__ void scale(float *x, float a) { x[blockIdx.x * 64 + threadIdx.x] *= a; }"#;
const N: usize = 4096;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let limit = match &arguments[..] {
        [one] if one == "--help" || one == "-h" => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [seconds] => seconds.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        _ => None,
    };
    let Some(limit) = limit else {
        eprintln!("deadline: how many seconds? `deadline --help` has an example");
        return ExitCode::from(2);
    };
    match run(limit) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("deadline: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Computes, or leaves the process with status 3 when `limit` is over.
pub fn run(limit: Duration) -> Result<(), Box<dyn std::error::Error>> {
    let libraries = Arc::new(Libraries::load()?);
    let session = Session::open(&Device::first(&libraries)?)?;
    session.set_wait_limit(Some(limit));
    let start = Instant::now();
    match compute(&session) {
        Ok(sum) => {
            println!("sum {sum}");
            Ok(())
        }
        Err(error @ Error::StillRunning { .. }) => {
            println!("given up after {:.1} s: {error}", start.elapsed().as_secs_f64());
            std::io::stdout().flush()?;
            // The end of the process would wait for the GPU again, in the destructors of AMD's libraries.
            // SAFETY: it does not return.
            unsafe { libc::_exit(3) }
        }
        Err(error) => Err(error.into()),
    }
}

/// Before anything is dropped, which would wait too.
fn give_up(session: &Session, error: &Error) {
    if let Error::StillRunning { .. } = error {
        session.abandon();
    }
}

fn compute(session: &Session) -> Result<f32, Error> {
    let (program, module) = (OpenClProgram::build(session, OPENCL, "")?, HipModule::build(session, HIP)?);
    let (add, scale) = (program.kernel("add")?, module.kernel("scale")?);
    let mut buffer = session.allocate::<f32>(N)?;
    buffer.write(&[1.0; N]).inspect_err(|error| give_up(session, error))?;
    // SAFETY: one work-item an element.
    unsafe { add.launch(&[N], None, &[(&buffer).into(), 2.0.into()]) }?;
    let buffer = buffer.into_hip().inspect_err(|refused| give_up(session, refused.error()))?;
    // SAFETY: as above.
    unsafe { scale.launch((N / 64) as u32, 64, 0, &[(&buffer).into(), 10.0.into()]) }?;
    let buffer = buffer.into_opencl().inspect_err(|refused| give_up(session, refused.error()))?;
    let mut result = [0.0; N];
    buffer.read(&mut result).inspect_err(|error| give_up(session, error))?;
    Ok(result.iter().sum())
}

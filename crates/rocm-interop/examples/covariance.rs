//! OpenCL, rocBLAS and rocSOLVER on the same bytes in one GPU's memory: the covariance matrix of an antenna array, and
//! its Cholesky factor.
//!
//! OpenCL writes the samples X and a diagonal matrix D. rocBLAS adds X Xᴴ / samples to D in place (`cgemm`), rocSOLVER
//! factorises the sum in place (`cpotrf`), and OpenCL clears what lies above the factor's diagonal. Everything is
//! checked against the CPU.
//!
//! `covariance --help` says the options.
#[path = "covariance/libraries.rs"]
mod libraries;
#[path = "covariance/reference.rs"]
mod reference;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use libraries::Solver;
use reference::{Complex, LOADING};
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Device, Libraries, Session};

const OPENCL: &str = include_str!("covariance/samples.cl");

const HELP: &str = "\
The covariance matrix of an antenna array and its Cholesky factor, by OpenCL, rocBLAS and rocSOLVER on the same bytes in
one GPU's memory, checked against the CPU.

usage: covariance [ANTENNAS SAMPLES]

  ANTENNAS  rows and columns of the matrix (64)
  SAMPLES   of each antenna (512)

The exit status is 0 if every value is right.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let sizes = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok((64, 512)),
        ["--help" | "-h"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [antennas, samples] => match (antennas.parse(), samples.parse()) {
            (Ok(antennas @ 1..=4096), Ok(samples @ 1..=1_048_576)) => Ok((antennas, samples)),
            _ => Err(format!("{antennas} antennas must be 1 to 4096, {samples} samples 1 to 1048576").into()),
        },
        _ => Err("two numbers or none; see --help".into()),
    };
    match sizes.and_then(|(antennas, samples)| run(antennas, samples)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("covariance: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Computes one matrix; an error if a value is wrong.
pub fn run(antennas: usize, samples: usize) -> Result<(), Box<dyn Error>> {
    let libraries = Arc::new(Libraries::load()?);
    let session = Session::open(&Device::first(&libraries)?)?;
    let program = OpenClProgram::build(&session, OPENCL, "")?;
    let (sample, diagonal, lower) = (program.kernel("sample")?, program.kernel("diagonal")?, program.kernel("lower")?);

    // Columns, one after another, as the libraries want them: a sample of all antennas, and a column of the matrix.
    let x = session.allocate::<Complex>(antennas * samples)?;
    let matrix = session.allocate::<Complex>(antennas * antennas)?;
    let mut status = session.allocate_hip::<i32>(1)?;
    for (name, buffer) in [("samples", &x), ("matrix", &matrix)] {
        let (address, place) = (buffer.address(), buffer.residency().place);
        println!("{name}: {} bytes at {address:#x} in {place}", buffer.len() * size_of::<Complex>());
    }
    // SAFETY: one work-item an element.
    unsafe {
        sample.launch(&[antennas * samples], None, &[(&x).into()])?;
        diagonal.launch(&[antennas, antennas], None, &[(&matrix).into(), LOADING.into()])?;
    }

    let (x, mut matrix) = (x.into_hip()?, matrix.into_hip()?);
    let hip = session.raw_hip()?;
    let solver = Solver::new(&hip)?;
    // SAFETY: columns of `antennas` elements in each buffer, as many as it was allocated for.
    unsafe {
        solver.add_product(
            (antennas, samples),
            1.0 / samples as f32,
            hip.pointer(&x)?,
            hip.pointer_mut(&mut matrix)?,
        )?;
        solver.factorise(antennas, hip.pointer_mut(&mut matrix)?, hip.pointer_mut(&mut status)?)?;
    }

    // Each waits for the session's stream, on which both libraries worked.
    let (x, matrix, status) = (x.into_opencl()?, matrix.into_opencl()?, status.into_opencl()?);
    // SAFETY: one work-item an element.
    unsafe { lower.launch(&[antennas, antennas], None, &[(&matrix).into()]) }?;

    let mut failed = [0];
    status.read(&mut failed)?;
    if failed != [0] {
        return Err(
            format!("the matrix is not positive definite: its leading minor of order {} is not", failed[0]).into()
        );
    }
    let (mut written, mut factor) = (vec![[0.0; 2]; x.len()], vec![[0.0; 2]; matrix.len()]);
    x.read(&mut written)?;
    matrix.read(&mut factor)?;
    let worst = reference::check(antennas, &written, &factor)?;
    println!("checked against the CPU: {} values, largest error {worst:.2e} of the diagonal's", factor.len());
    Ok(())
}

//! `cargo xtask demo`: the project's main job, on AMD's own libraries.
mod copies;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::stack::{Device, Stack};
use crate::vgpu::{self, Build, Options, Vgpu};

/// Runs the reference pipeline: network, OpenCL add and FFT, HIP scale and magnitude, on the same bytes in the GPU's
/// memory.
///
/// Prints how long each stage took, how far they overlapped, where the bytes are, and the check against the CPU. On the
/// virtual GPU the bytes that the device copied between the APIs are counted in its trace, and must be none.
#[derive(clap::Args)]
pub struct Args {
    /// Which AMD userspace
    #[arg(long, default_value = "trixie")]
    stack: Stack,
    /// Complex floats a batch, a multiple of 4096
    #[arg(long, default_value_t = 4_194_304)]
    points: u64,
    /// Batches
    #[arg(long, default_value_t = 5)]
    iterations: u64,
    /// What to run on; the default is the real GPU if the machine has one
    #[arg(long)]
    device: Option<Device>,
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let real = Path::new("/dev/kfd").exists();
    let device = args.device.unwrap_or(if real { Device::Real } else { Device::Virtual });
    if device == Device::Virtual {
        vgpu::leave_out_the_machines_gpus(args.stack);
    }
    let _ahead = (device == Device::Virtual).then(|| Vgpu::build_ahead(Build::Release)).transpose()?;
    let stack = args.stack.prepare_runtime()?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--package", "rocm-pipeline", "--example", "pipeline"]).current_dir(vgpu::root());
    let program = vgpu::built(&mut cargo, "pipeline", "the pipeline")?;
    let trace = vgpu::target_folder()?.join("demo-trace.jsonl");
    // The device appends, since several processes may share a trace.
    if let Err(error) = std::fs::remove_file(&trace)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error).with_context(|| format!("cannot remove {}", trace.display()));
    }
    let front = match device {
        Device::Real => Vec::new(),
        Device::Virtual => {
            Vgpu::build(Build::Release)?.words(&Options { trace: Some(trace.clone()), ..Options::default() })
        }
    };
    let mut pipeline = stack.command(&front, program)?;
    pipeline.args(["--points", &args.points.to_string(), "--iterations", &args.iterations.to_string()]);
    let status = pipeline.status().context("cannot start the pipeline")?;
    if !status.success() {
        bail!("the pipeline failed: {status}");
    }
    match device {
        Device::Real => println!("bytes copied between the APIs: not counted, a real GPU keeps no trace"),
        Device::Virtual => {
            let file = std::fs::File::open(&trace).with_context(|| format!("cannot open {}", trace.display()))?;
            let copies = copies::between_apis(std::io::BufReader::new(file), args.points, args.iterations)?;
            println!("bytes copied between the APIs: {} (counted in {})", copies.between, trace.display());
            println!("bytes of batches uploaded while others were computed: {}", copies.beside);
            println!("bytes copied from and to the host otherwise: {}", copies.host);
            if copies.between != 0 {
                bail!("{} bytes were copied between OpenCL and HIP", copies.between);
            }
        }
    }
    Ok(())
}

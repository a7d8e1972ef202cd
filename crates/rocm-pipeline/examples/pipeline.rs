//! Scenario C1: batches from the network through OpenCL and HIP in one GPU's memory, without a copy between them.
//!
//! A sender delivers complex floats over TCP. OpenCL adds an offset and transforms rows of 4096 points, HIP scales and
//! takes magnitudes of the same bytes. While one batch is in HIP's stage, the next is in OpenCL's, and the one behind
//! it arrives. Everything is checked against the CPU.
//!
//! `pipeline --help` says the options.
#[path = "pipeline/incoming.rs"]
mod incoming;
#[path = "pipeline/reference.rs"]
mod reference;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use incoming::{Batch, Batches};
use reference::{Complex, OFFSET, ROW, SCALE};
use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Buffer, Device, Libraries, Session};
use rocm_pipeline::Pipeline;

const OPENCL: &str = include_str!("pipeline/fft.cl");
const HIP: &str = include_str!("pipeline/magnitude.hip");
/// Each has a batch and its magnitudes: one in each stage, and one that is filled or read.
const BUFFERS: usize = 3;

const HELP: &str = "\
Batches of complex floats from TCP through OpenCL and HIP in one GPU's memory, checked against the CPU.

usage: pipeline [--points N] [--iterations N]

  --points N      complex floats a batch, a multiple of 4096 (4194304)
  --iterations N  batches (5)

The exit status is 0 if every value is right.";

fn main() -> ExitCode {
    if std::env::args().skip(1).any(|argument| argument == "--help" || argument == "-h") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match options().and_then(|(points, iterations)| run(points, iterations)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pipeline: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<(usize, usize), Box<dyn Error>> {
    let (mut points, mut iterations) = (4_194_304, 5);
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value: usize = arguments.next().ok_or_else(|| format!("{option} needs a number"))?.parse()?;
        match option.as_str() {
            "--points" if value > 0 && value.is_multiple_of(ROW) => points = value,
            "--points" => return Err(format!("--points {value} is not a multiple of {ROW}").into()),
            "--iterations" if value > 0 => iterations = value,
            _ => return Err(format!("unknown option {option} {value}; there are --points and --iterations").into()),
        }
    }
    Ok((points, iterations))
}

/// Runs all iterations; an error if a value is wrong.
pub fn run(points: usize, iterations: usize) -> Result<(), Box<dyn Error>> {
    let libraries = Arc::new(Libraries::load()?);
    let device = Device::first(&libraries)?;
    println!("GPU {} (HIP device {})", device.pci(), device.hip());
    println!("OpenCL {}, HIP {}, HSA {}", libraries.cl.library(), libraries.hip.library(), libraries.hsa.library());
    let session = Session::open(&device)?;

    let program = OpenClProgram::build(&session, OPENCL, "-cl-std=CL2.0")?;
    let (add, fft) = (program.kernel("add")?, program.kernel("fft4096")?);
    let module = HipModule::build(&session, HIP)?;
    let (scale, magnitude) = (module.kernel("scale")?, module.kernel("magnitude")?);
    let mut buffers = Vec::new();
    for number in 0..BUFFERS {
        let (data, magnitudes) = (session.allocate::<Complex>(points)?, session.allocate::<f32>(points)?);
        let (place, bytes) = (data.residency().place, points * (size_of::<Complex>() + size_of::<f32>()));
        println!("buffers {number}: {bytes} bytes in {place} (hsa_amd_pointer_info)");
        buffers.push((data, magnitudes));
    }

    let (groups, items) = ((points / 256) as u32, 256);
    // SAFETY: one work-item an element; one work-group of 256 a row of 4096.
    let transform = |(data, _): &mut (Buffer<Complex, _>, Buffer<f32, _>)| unsafe {
        add.launch(&[points], Some(&[256]), &[data.into(), OFFSET.into()])?;
        fft.launch(&[points / ROW * 256], Some(&[256]), &[data.into()])
    };
    // SAFETY: as the kernels declare; one work-item an element.
    let measure = |(data, magnitudes): &mut (Buffer<Complex, _>, Buffer<f32, _>)| unsafe {
        scale.launch(groups, items, 0, &[data.into(), SCALE.into()])?;
        magnitude.launch(groups, items, 0, &[data.into(), magnitudes.into()])
    };
    std::thread::scope(|threads| -> Result<(), Box<dyn Error>> {
        let pipeline = Pipeline::new().opencl("OpenCL add, fft", transform).hip("HIP scale, magnitude", measure);
        let (input, mut output) = pipeline.start(threads, buffers);
        // What was sent, to check it.
        let (sent, batches) = channel::<Batch>();
        let network = threads.spawn(move || -> Result<(), Box<dyn Error + Send + Sync>> {
            let mut incoming = Batches::receive(points, iterations)?;
            for _ in 0..iterations {
                let Some((data, magnitudes)) = input.buffer() else { break };
                let clock = Instant::now();
                let batch = incoming.next()?;
                let receive = clock.elapsed();
                let (data, batch) = data.upload(batch)?.wait()?;
                _ = sent.send(Batch { points: batch, receive, upload: clock.elapsed() - receive });
                if input.send((data, magnitudes)).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let mut magnitudes = vec![0f32; points];
        let mut worst = 0f64;
        let mut host = [Duration::ZERO; 3];
        for batch in batches {
            let buffers = output.next().ok_or("a batch is missing")?.map_err(|failed| failed.to_string())?;
            let clock = Instant::now();
            buffers.1.read(&mut magnitudes)?;
            for (sum, time) in host.iter_mut().zip([batch.receive, batch.upload, clock.elapsed()]) {
                *sum += time;
            }
            output.give_back(buffers);
            worst = worst.max(reference::check(&batch.points, &magnitudes)?);
        }
        network.join().map_err(|_| "the network's thread panicked")?.map_err(|error| error.to_string())?;
        println!("{}", output.report());
        let [receive, upload, read] = host.map(|time| 1e3 * time.as_secs_f64() / iterations as f64);
        println!("beside it, a batch: received in {receive:.2} ms, uploaded in {upload:.2} ms, read in {read:.2} ms");
        let values = points * iterations;
        println!("checked against the CPU: {values} values, largest error {worst:.2e} of a row's largest value");
        Ok(())
    })
}

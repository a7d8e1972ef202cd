//! Scenario C1: batches from the network through OpenCL and HIP in one GPU's memory, without a copy between them.
//!
//! A sender delivers complex floats over TCP. OpenCL adds an offset and transforms rows of 4096 points, HIP scales and takes magnitudes
//! of the same bytes. While one batch is computed, the next one arrives and is uploaded into a second buffer. Everything is checked
//! against the CPU.
//!
//! `pipeline --help` says the options.
#[path = "pipeline/incoming.rs"]
mod incoming;
#[path = "pipeline/reference.rs"]
mod reference;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use incoming::{Incoming, receiver};
use reference::{Complex, OFFSET, ROW, SCALE};
use rocm_interop::{Device, HipModule, Libraries, OpenClProgram, Session};

const OPENCL: &str = include_str!("pipeline/fft.cl");
const HIP: &str = include_str!("pipeline/magnitude.hip");

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

/// What one iteration took. The next batch is received and uploaded beside it, so `receive` and `upload` are what was waited for.
struct Times {
    receive: Duration,
    upload: Duration,
    add: Duration,
    fft: Duration,
    to_hip: Duration,
    scale: Duration,
    magnitude: Duration,
    to_opencl: Duration,
}

/// Runs all iterations; an error if a value is wrong.
pub fn run(points: usize, iterations: usize) -> Result<(), Box<dyn Error>> {
    let libraries = Arc::new(Libraries::load()?);
    let devices = Device::all(&libraries)?;
    let device = devices.first().ok_or("no GPU that OpenCL, HIP and HSA all see")?;
    println!("GPU {} (HIP device {})", device.pci(), device.hip());
    println!("OpenCL {}, HIP {}, HSA {}", libraries.cl.library(), libraries.hip.library(), libraries.hsa.library());
    let session = Session::open(device)?;

    let program = OpenClProgram::build(&session, OPENCL, "-cl-std=CL2.0")?;
    let (add, fft) = (program.kernel("add")?, program.kernel("fft4096")?);
    let module = HipModule::build(&session, HIP)?;
    let (scale, magnitude) = (module.kernel("scale")?, module.kernel("magnitude")?);

    let (first, second) = (session.allocate::<Complex>(points)?, session.allocate::<Complex>(points)?);
    let mut magnitudes = session.allocate::<f32>(points)?;
    let (one, other) = (first.residency(), second.residency());
    for (name, residency, bytes) in [
        ("batches, even", one, points * 8),
        ("batches, odd", other, points * 8),
        ("magnitudes", magnitudes.residency(), points * 4),
    ] {
        println!("{name}: {bytes} bytes in {} (hsa_amd_pointer_info)", residency.place);
    }

    let batches = receiver(points, iterations)?;
    let mut incoming = Incoming::Waits(first);
    let mut free = Some(second);
    let mut output = vec![0f32; points];
    let mut worst = 0f64;
    let mut table = Vec::new();
    println!("iteration    receive     upload    cl add    cl fft    -> HIP  hip scale   hip mag -> OpenCL   (ms)");
    for iteration in 0..iterations {
        let lap = |since: &mut Instant| {
            let now = Instant::now();
            now - std::mem::replace(since, now)
        };
        let mut clock = Instant::now();
        let upload = incoming.received(&batches)?;
        let receive = lap(&mut clock);
        let (mut data, batch) = upload.wait()?;
        let upload = lap(&mut clock);
        // The other buffer takes the next batch as soon as it is here, beside the kernels below.
        let mut next = free.take().map(Incoming::Waits);
        let mut poll = || -> Result<(), Box<dyn Error>> {
            next = next.take().map(|incoming| incoming.poll(&batches)).transpose()?;
            Ok(())
        };
        poll()?;
        clock = Instant::now();
        // SAFETY: one work-item an element.
        unsafe { add.launch(&[points], Some(&[256]), &[(&data).into(), OFFSET.into()]) }?;
        session.finish()?;
        let add_time = lap(&mut clock);
        poll()?;
        // SAFETY: one work-group of 256 a row of 4096.
        unsafe { fft.launch(&[points / ROW * 256], Some(&[256]), &[(&data).into()]) }?;
        session.finish()?;
        let fft_time = lap(&mut clock);
        poll()?;

        let on_hip = data.into_hip()?;
        let magnitudes_on_hip = magnitudes.into_hip()?;
        let to_hip = lap(&mut clock);
        let (groups, items) = ((points / 256) as u32, 256);
        // SAFETY: as the kernels declare; one work-item an element.
        unsafe { scale.launch(groups, items, 0, &[(&on_hip).into(), SCALE.into()]) }?;
        session.synchronize()?;
        let scale_time = lap(&mut clock);
        poll()?;
        // SAFETY: as above.
        unsafe { magnitude.launch(groups, items, 0, &[(&on_hip).into(), (&magnitudes_on_hip).into()]) }?;
        session.synchronize()?;
        let magnitude_time = lap(&mut clock);
        data = on_hip.into_opencl()?;
        magnitudes = magnitudes_on_hip.into_opencl()?;
        let times = Times {
            receive,
            upload,
            add: add_time,
            fft: fft_time,
            to_hip,
            scale: scale_time,
            magnitude: magnitude_time,
            to_opencl: lap(&mut clock),
        };
        print(iteration, &times);
        table.push(times);

        magnitudes.read(&mut output)?;
        worst = worst.max(reference::check(&batch, &output)?);
        incoming = next.expect("the other buffer");
        free = Some(data);
    }
    println!(
        "checked against the CPU: {} values, largest error {worst:.2e} of a row's largest value",
        points * iterations
    );
    let handed: Duration = table.iter().map(|times| times.to_hip + times.to_opencl).sum();
    println!(
        "hand-over OpenCL -> HIP -> OpenCL: {:.3} ms an iteration",
        1e3 * handed.as_secs_f64() / iterations as f64
    );
    Ok(())
}

fn print(iteration: usize, times: &Times) {
    let ms = |time: Duration| 1e3 * time.as_secs_f64();
    println!(
        "{:9} {:10.2} {:10.2} {:9.2} {:9.2} {:9.3} {:10.2} {:9.2} {:9.3}",
        iteration + 1,
        ms(times.receive),
        ms(times.upload),
        ms(times.add),
        ms(times.fft),
        ms(times.to_hip),
        ms(times.scale),
        ms(times.magnitude),
        ms(times.to_opencl)
    );
}

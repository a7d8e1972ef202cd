//! Scenario C1: batches from the network through OpenCL and HIP in one GPU's memory, without a copy between them.
//!
//! A sender delivers complex floats over TCP. OpenCL adds an offset and transforms rows of 4096 points, HIP scales and takes magnitudes
//! of the same bytes. While one batch is computed the next one arrives. Everything is checked against the CPU.
//!
//! `pipeline [--points N] [--iterations N]`; N a multiple of 4096.
#[path = "pipeline/reference.rs"]
mod reference;

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use reference::{Complex, OFFSET, ROW, SCALE};
use rocm_interop::{Device, HipModule, Libraries, OpenClProgram, Session};

const OPENCL: &str = include_str!("pipeline/fft.cl");
const HIP: &str = include_str!("pipeline/magnitude.hip");

fn main() -> ExitCode {
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

/// What one iteration took.
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
    let device = *Device::all(&libraries)?.first().ok_or("no GPU that OpenCL, HIP and HSA all see")?;
    println!("GPU {} (HIP device {})", device.pci, device.hip);
    println!("OpenCL {}, HIP {}, HSA {}", libraries.cl.library(), libraries.hip.library(), libraries.hsa.library());
    let session = Session::open(Arc::clone(&libraries), device)?;

    let program = OpenClProgram::build(&session, OPENCL, "-cl-std=CL2.0")?;
    let (add, fft) = (program.kernel("add")?, program.kernel("fft4096")?);
    let module = HipModule::build(&session, HIP)?;
    let (scale, magnitude) = (module.kernel("scale")?, module.kernel("magnitude")?);

    let mut data = session.allocate::<Complex>(points)?;
    let mut magnitudes = session.allocate::<f32>(points)?;
    for (name, residency, bytes) in
        [("data", data.residency(), points * 8), ("magnitudes", magnitudes.residency(), points * 4)]
    {
        println!("{name}: {bytes} bytes in memory of GPU {} (hsa_amd_pointer_info)", residency.gpu);
    }

    let batches = receiver(points, iterations)?;
    let mut output = vec![0f32; points];
    let mut worst = 0f64;
    let mut table = Vec::new();
    println!("iteration    receive     upload    cl add    cl fft    -> HIP  hip scale   hip mag -> OpenCL   (ms)");
    for iteration in 0..iterations {
        let started = Instant::now();
        let batch = batches.recv().map_err(|_| "the receiver stopped")??;
        let receive = started.elapsed();

        let lap = |since: &mut Instant| {
            let now = Instant::now();
            now - std::mem::replace(since, now)
        };
        let mut clock = Instant::now();
        data.write(&batch)?;
        let upload = lap(&mut clock);
        add.set_buffer(0, &data)?;
        add.set_value(1, OFFSET)?;
        fft.set_buffer(0, &data)?;
        // SAFETY: one work-item an element; both arguments are set and OpenCL owns `data`.
        unsafe { add.launch(&[points], Some(&[256])) }?;
        session.finish()?;
        let add_time = lap(&mut clock);
        // SAFETY: one work-group of 256 a row of 4096; the argument is set.
        unsafe { fft.launch(&[points / ROW * 256], Some(&[256])) }?;
        session.finish()?;
        let fft_time = lap(&mut clock);

        let on_hip = data.into_hip()?;
        let magnitudes_on_hip = magnitudes.into_hip()?;
        let to_hip = lap(&mut clock);
        let (groups, items) = ((points / 256) as u32, 256);
        // SAFETY: as the kernels declare; one work-item an element.
        unsafe { scale.launch(groups, items, &[(&on_hip).into(), SCALE.into()]) }?;
        session.synchronize()?;
        let scale_time = lap(&mut clock);
        // SAFETY: as above.
        unsafe { magnitude.launch(groups, items, &[(&on_hip).into(), (&magnitudes_on_hip).into()]) }?;
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

type Batch = Result<Vec<Complex>, std::io::Error>;

/// A sender and a receiver over TCP on this machine; one batch waits while another is computed.
fn receiver(points: usize, iterations: usize) -> Result<std::sync::mpsc::Receiver<Batch>, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || -> std::io::Result<()> {
        let mut stream = TcpStream::connect(address)?;
        for iteration in 0..iterations {
            let bytes: Vec<u8> =
                reference::batch(points, iteration).iter().flatten().flat_map(|part| part.to_le_bytes()).collect();
            stream.write_all(&bytes)?;
        }
        Ok(())
    });
    let (send, receive) = sync_channel(1);
    std::thread::spawn(move || {
        let stream = listener.accept().map(|(stream, _)| stream);
        let mut bytes = vec![0u8; points * 8];
        for _ in 0..iterations {
            let batch = match &stream {
                Ok(stream) => (&mut { stream }).read_exact(&mut bytes),
                Err(error) => Err(error.kind().into()),
            };
            let part = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let batch = batch.map(|()| bytes.chunks_exact(8).map(|c| [part(&c[..4]), part(&c[4..])]).collect());
            let failed = batch.is_err();
            if send.send(batch).is_err() || failed {
                return;
            }
        }
    });
    Ok(receive)
}

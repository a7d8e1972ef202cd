//! An OpenCL program moves in: written with the crate `opencl3`, with a context, a queue and buffers of its own, it
//! receives batches of antenna samples by UDP and unpacks them on the GPU. Then a kernel of HIP's weighs the same
//! bytes, rocBLAS makes their covariance matrix, and OpenCL reads that. Four batches are in flight, and three threads
//! share one struct.
//!
//! `receiver/glue.rs` is all that is between OpenCL and HIP. `receiver --help` says the options.
#[path = "receiver/blas.rs"]
pub(crate) mod blas;
#[path = "receiver/existing.rs"]
pub(crate) mod existing;
#[path = "receiver/glue.rs"]
mod glue;
#[path = "receiver/reference.rs"]
pub(crate) mod reference;

use std::net::UdpSocket;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;

use existing::Existing;
pub use glue::Glue;
use reference::{BYTES, Complex, MATRIX};

const HELP: &str = "\
Receives antenna samples by UDP on this machine and makes their covariance matrix, by OpenCL, HIP and rocBLAS on the same
bytes in one GPU's memory, checked against the CPU.

usage: receiver [BATCHES]

  BATCHES  how many (32)

The exit status is 0 if every value is right.";

/// What the program fails with.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let batches = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(32),
        ["--help" | "-h"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [batches] => batches.parse::<u64>().map_err(Failure::from),
        _ => Err("one number or none; see --help".into()),
    };
    match batches.and_then(run::<Glue>) {
        Ok(worst) => {
            println!("checked against the CPU: largest error {worst:.2e} of the diagonal's");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("receiver: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What is between the OpenCL code and HIP.
pub trait Between: Send + Sync + Sized + 'static {
    /// A batch's buffers of the OpenCL code, as HIP uses them.
    type Slot: Send + Sync;

    /// With a slot for each of the OpenCL code's.
    fn new(existing: &Existing) -> Result<(Self, Vec<Self::Slot>), Failure>;

    /// Weighs the slot's samples and makes their covariance matrix, behind what OpenCL has enqueued; when it returns,
    /// OpenCL may read it.
    fn compute(&self, slot: Self::Slot) -> Result<Self::Slot, Failure>;
}

/// What the threads share.
struct Receiver<G> {
    existing: Existing,
    between: G,
}

/// Receives and computes so many batches: the largest error.
pub fn run<G: Between>(batches: u64) -> Result<f64, Failure> {
    let existing = Existing::new()?;
    let (between, slots) = G::new(&existing)?;
    let receiver = Arc::new(Receiver { existing, between });
    let (give_back, free) = channel();
    slots.into_iter().enumerate().try_for_each(|slot| give_back.send(slot))?;
    let (unpacked, to_compute) = channel();
    let (computed, results) = channel();

    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let sender = send(batches, &socket)?;
    let shared = Arc::clone(&receiver);
    let network = std::thread::spawn(move || -> Result<(), Failure> {
        let mut packet = vec![0; 8 + BYTES + 1];
        for batch in 0..batches {
            let (index, slot) = free.recv()?;
            // The sender has one packet on the way for each that is asked for, so that none is lost.
            socket.send(&[])?;
            let received = socket.recv(&mut packet)?;
            let (number, samples) = packet[..received].split_first_chunk().ok_or("a packet without a number")?;
            if samples.len() != BYTES || u64::from_le_bytes(*number) != batch {
                return Err(format!("{received} bytes came in place of batch {batch}").into());
            }
            shared.existing.unpack(index, samples)?;
            unpacked.send((batch, index, slot))?;
        }
        Ok(())
    });
    let shared = Arc::clone(&receiver);
    let computing = std::thread::spawn(move || -> Result<(), Failure> {
        for (batch, index, slot) in to_compute {
            computed.send((batch, index, shared.between.compute(slot)?))?;
        }
        Ok(())
    });

    let (mut worst, mut matrix) = (0f64, vec![Complex::default(); MATRIX]);
    for (batch, index, slot) in results {
        receiver.existing.read(index, &mut matrix)?;
        worst = worst.max(reference::check(batch, &matrix)?);
        // The network's thread has gone after the last.
        _ = give_back.send((index, slot));
    }
    drop(give_back);
    for thread in [network, computing, sender] {
        thread.join().map_err(|_| "a thread panicked")??;
    }
    Ok(worst)
}

/// Sends batches to `to`, each when it is asked for.
fn send(batches: u64, to: &UdpSocket) -> Result<std::thread::JoinHandle<Result<(), Failure>>, Failure> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(to.local_addr()?)?;
    to.connect(socket.local_addr()?)?;
    let silence = Some(std::time::Duration::from_secs(600));
    socket.set_read_timeout(silence)?;
    to.set_read_timeout(silence)?;
    Ok(std::thread::spawn(move || {
        for batch in 0..batches {
            socket.recv(&mut [])?;
            let mut packet = batch.to_le_bytes().to_vec();
            packet.extend(reference::packet(batch).as_flattened().iter().flat_map(|part| part.to_le_bytes()));
            socket.send(&packet)?;
        }
        Ok(())
    }))
}

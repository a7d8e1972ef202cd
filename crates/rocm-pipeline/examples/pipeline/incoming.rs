//! Batches from the network.
use std::io::{Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use super::reference::{self, Complex};

/// One batch, and how long it took until it was in the GPU's memory.
pub struct Batch {
    pub points: Vec<Complex>,
    pub receive: Duration,
    pub upload: Duration,
}

/// Receives batches over TCP on this machine.
pub struct Batches {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Batches {
    /// Starts a sender of so many.
    pub fn receive(points: usize, iterations: usize) -> Result<Batches> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        std::thread::spawn(move || -> Result<()> {
            let mut stream = TcpStream::connect(address)?;
            for iteration in 0..iterations {
                let bytes: Vec<u8> =
                    reference::batch(points, iteration).iter().flatten().flat_map(|part| part.to_le_bytes()).collect();
                stream.write_all(&bytes)?;
            }
            Ok(())
        });
        let (stream, _) = listener.accept()?;
        Ok(Batches { stream, bytes: vec![0; points * size_of::<Complex>()] })
    }

    /// Waits for the next batch.
    pub fn next(&mut self) -> Result<Vec<Complex>> {
        self.stream.read_exact(&mut self.bytes)?;
        let part = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        Ok(self.bytes.chunks_exact(8).map(|c| [part(&c[..4]), part(&c[4..])]).collect())
    }
}

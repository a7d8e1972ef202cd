//! Batches from the network, and the buffer that the next one goes to.
use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};

use rocm_interop::{Buffer, OpenCl, Upload};

use super::reference::{self, Complex};

pub type Batch = Result<Vec<Complex>, std::io::Error>;

/// A sender and a receiver over TCP on this machine. One batch waits while the next is received.
pub fn receiver(points: usize, iterations: usize) -> Result<Receiver<Batch>, Box<dyn Error>> {
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

/// A buffer for the next batch.
pub enum Incoming {
    /// The batch is not here yet.
    Waits(Buffer<Complex, OpenCl>),
    /// It is on the way to the GPU.
    Uploads(Upload<Complex>),
}

impl Incoming {
    /// Begins the upload if the batch is here, without waiting.
    pub fn poll(self, batches: &Receiver<Batch>) -> Result<Incoming, Box<dyn Error>> {
        match self {
            Incoming::Waits(buffer) => match batches.try_recv() {
                Ok(batch) => Ok(Incoming::Uploads(buffer.upload(batch?)?)),
                // After the last batch nothing comes.
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => Ok(Incoming::Waits(buffer)),
            },
            uploads => Ok(uploads),
        }
    }

    /// Waits for the batch and begins the upload.
    pub fn received(self, batches: &Receiver<Batch>) -> Result<Upload<Complex>, Box<dyn Error>> {
        match self {
            Incoming::Waits(buffer) => Ok(buffer.upload(batches.recv().map_err(|_| "the receiver stopped")??)?),
            Incoming::Uploads(upload) => Ok(upload),
        }
    }
}

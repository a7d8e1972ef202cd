//! What one rank does by itself: its batches through HIP and OpenCL in its GPU's memory.
use std::error::Error;
use std::fs;
use std::path::Path;

use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::{Buffer, OpenCl, Session};
use rocm_pipeline::Pipeline;

/// Energies that are told apart.
pub const BINS: usize = 256;
/// What is measured where there is nothing.
const PEDESTAL: i32 = 1000;
/// In 256ths.
const GAIN: i32 = 7;
/// One in each stage, and one that is filled.
const BUFFERS: usize = 3;
const GROUP: usize = 256;

/// What is above or below the energies that are told apart counts as the last or first.
const HIP: &str = r#"
extern "C" __global__ void calibrate(unsigned short *samples, const unsigned *length, int pedestal, int gain)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= *length)
        return;
    const int energy = (samples[i] - pedestal) * gain >> 8;
    samples[i] = energy < 0 ? 0 : energy > 255 ? 255 : energy;
}
"#;
const OPENCL: &str = "
kernel void count(const global ushort *energies, const global uint *length, global uint *histogram)
{
    const uint i = get_global_id(0);
    if (i < *length)
        atomic_inc(histogram + energies[i]);
}
";

/// A batch's samples, and how many there are in it.
type Batch<Side> = (Buffer<u16, Side>, Buffer<u32, Side>);

/// The kernels and buffers of a rank.
pub struct Share {
    session: Session,
    calibrate: HipKernel,
    count: OpenClKernel,
    batches: Vec<Batch<OpenCl>>,
    histogram: Buffer<u32, OpenCl>,
    /// Samples that a batch can have.
    room: usize,
}

impl Share {
    /// For batches of at most so many samples.
    pub fn new(session: &Session, largest: usize) -> Result<Share, Box<dyn Error>> {
        let room = largest.max(1).next_multiple_of(GROUP);
        let (program, module) = (OpenClProgram::build(session, OPENCL, "")?, HipModule::build(session, HIP)?);
        let mut batches = Vec::new();
        for _ in 0..BUFFERS {
            batches.push((session.allocate(room)?, session.allocate(1)?));
        }
        let mut histogram = session.allocate(BINS)?;
        histogram.fill(0)?;
        let (calibrate, count) = (module.kernel("calibrate")?, program.kernel("count")?);
        Ok(Share { session: session.clone(), calibrate, count, batches, histogram, room })
    }

    /// Name, size and address of each buffer.
    pub fn buffers(&self) -> Vec<(&'static str, usize, u64)> {
        let samples = self.batches.iter().map(|(samples, _)| ("samples", samples.len() * 2, samples.address()));
        samples.chain([("histogram", self.histogram.len() * 4, self.histogram.address())]).collect()
    }

    /// The histogram of all samples in these files, and how many they are. A rank without files has an empty one.
    pub fn count(self, files: &[&Path]) -> Result<(Buffer<u32, OpenCl>, usize), Box<dyn Error>> {
        let Share { session, calibrate, count, batches, histogram, room } = self;
        let groups = u32::try_from(room / GROUP)?;
        // SAFETY: one work-item for each sample that there is room for; the kernel leaves out those behind the length.
        let calibrated = |(samples, length): &mut Batch<_>| unsafe {
            calibrate.launch(groups, GROUP as u32, 0, &[samples.into(), length.into(), PEDESTAL.into(), GAIN.into()])
        };
        // SAFETY: as above. Energies are those that HIP wrote, less than `BINS`.
        let counted = |(samples, length): &mut Batch<_>| unsafe {
            count.launch(&[room], Some(&[GROUP]), &[samples.into(), length.into(), (&histogram).into()])
        };
        let samples = std::thread::scope(|threads| -> Result<usize, Box<dyn Error>> {
            let pipeline = Pipeline::new().hip("HIP calibrate", calibrated).opencl("OpenCL count", counted);
            let (input, mut output) = pipeline.start(threads, batches);
            let reader = threads.spawn(move || -> Result<usize, Box<dyn Error + Send + Sync>> {
                let mut total = 0;
                for file in files {
                    let data = read(file)?;
                    if data.len() > room {
                        return Err(format!("{} has grown since the ranks began", file.display()).into());
                    }
                    if data.is_empty() {
                        continue;
                    }
                    let Some((samples, mut length)) = input.buffer() else { break };
                    total += data.len();
                    length.write(&[u32::try_from(data.len())?])?;
                    let (samples, _) = samples.upload(data)?.wait()?;
                    if input.send((samples, length)).is_err() {
                        break;
                    }
                }
                Ok(total)
            });
            while let Some(batch) = output.next() {
                // The rank ends then, and whatever else the GPU still does is not waited for.
                output.give_back(batch.inspect_err(|_| session.abandon()).map_err(|failed| failed.to_string())?);
            }
            let total = reader.join().map_err(|_| "the reader's thread panicked")?;
            Ok(total.map_err(|error| error.to_string())?)
        })?;
        Ok((histogram, samples))
    }
}

/// The samples in a file.
fn read(file: &Path) -> Result<Vec<u16>, Box<dyn Error + Send + Sync>> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let (samples, rest) = bytes.as_chunks::<2>();
    match rest {
        [] => Ok(samples.iter().map(|sample| u16::from_le_bytes(*sample)).collect()),
        _ => Err(format!("{} has {} bytes, no whole number of samples of 2", file.display(), bytes.len()).into()),
    }
}

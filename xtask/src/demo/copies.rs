//! What the device copied while the pipeline ran, from its trace.

use std::collections::BTreeMap;
use std::io::BufRead;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Bytes that the device's copy engines moved.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// From the first kernel on: more than the batches that were still to come up and the magnitudes that went down, or
    /// anything else.
    pub between: u64,
    /// Of batches that came up between the first kernel and the last, so beside the ones that were computed.
    pub beside: u64,
    /// The rest: the first batches in, results out.
    pub host: u64,
}

/// Kernels of an iteration: add, fft, scale, magnitude.
const KERNELS: usize = 4;
/// A complex float, and its magnitude.
const POINT: u64 = 8;
const MAGNITUDE: u64 = 4;
/// `KFD_IOC_ALLOC_MEM_FLAGS_VRAM`
const VRAM: u64 = 1;

/// Copied so far.
#[derive(Clone, Copy, Default)]
struct Copied {
    /// From the host to the GPU's memory.
    up: u64,
    /// From the GPU's memory to the host.
    down: u64,
    /// Anywhere else.
    other: u64,
}

/// Counts copies. Kernels can copy too, so the dispatches must be those of the pipeline and no other.
pub fn between_apis(trace: impl BufRead, points: u64, iterations: u64) -> Result<Copies> {
    // Work-items of each dispatch, and what was copied before it.
    let mut dispatches: Vec<(u64, Copied)> = Vec::new();
    let mut copied = Copied::default();
    let mut memory = Memory::default();
    for (number, line) in trace.lines().enumerate() {
        let line = line.context("cannot read the trace")?;
        let event: Value =
            serde_json::from_str(&line).with_context(|| format!("line {} of the trace is not JSON", number + 1))?;
        match (event["event"].as_str(), event["packet"].as_str()) {
            (Some("ioctl"), _) if event["name"] == "ALLOC_MEMORY_OF_GPU" && event["result"] == 0 => {
                memory.allocated(event["args"].as_str().context("a request without arguments in the trace")?)?;
            }
            (Some("sdma"), Some("copy_linear")) => {
                let bytes = event["bytes"].as_u64().context("a copy without bytes in the trace")?;
                let is_gpus = |end: &str| -> Result<bool> {
                    let address = event[end].as_str().and_then(|text| text.strip_prefix("0x"));
                    let address = address.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                    Ok(memory.is_gpus(address.with_context(|| format!("a copy without `{end}` in the trace"))?))
                };
                let count = match (is_gpus("from")?, is_gpus("to")?) {
                    (false, true) => &mut copied.up,
                    (true, false) => &mut copied.down,
                    _ => &mut copied.other,
                };
                *count += bytes;
            }
            (Some("sdma"), Some(packet)) if packet.starts_with("copy") => {
                bail!("the trace has a copy of another kind, {packet}: its bytes are not counted");
            }
            (Some("dispatch"), _) => {
                let items = event["grid"][0].as_u64().context("a dispatch without a grid in the trace")?;
                dispatches.push((items, copied));
            }
            _ => {}
        }
    }
    // What comes before are the runtimes' own kernels while they start.
    let expected = KERNELS * usize::try_from(iterations)?;
    let Some(first) = dispatches.len().checked_sub(expected) else {
        bail!("the trace has {} dispatches, the pipeline alone makes {expected}", dispatches.len());
    };
    let pipelines = &dispatches[first..];
    // Iterations overlap, so the kernels are in no fixed order.
    let of_size = |items: u64| pipelines.iter().filter(|(of, _)| *of == items).count() as u64;
    let (whole, rows) = (of_size(points), of_size(points / 16));
    if (whole, rows) != (3 * iterations, iterations) {
        bail!(
            "of the last {expected} kernels in the trace {whole} have {points} work-items, not {}, and {rows} have {}, not {iterations}: is one \
             of them a copy?",
            3 * iterations,
            points / 16
        );
    }
    let (Some((_, start)), Some((_, end))) = (pipelines.first(), pipelines.last()) else {
        return Ok(Copies::default());
    };
    let batch = points * POINT;
    let to_come = iterations.saturating_sub(start.up / batch) * batch;
    let between = (copied.up - start.up).saturating_sub(to_come)
        + (copied.down - start.down).saturating_sub(iterations * points * MAGNITUDE)
        + (copied.other - start.other);
    let beside = (end.up - start.up).min(to_come);
    let all = copied.up + copied.down + copied.other;
    Ok(Copies { between, beside, host: all - between - beside })
}

/// Where the driver was asked for memory: end, and whether it is the GPU's, by start. What is not in it is the host's.
#[derive(Default)]
struct Memory(BTreeMap<u64, (u64, bool)>);

impl Memory {
    fn allocated(&mut self, arguments: &str) -> Result<()> {
        let argument = |name: &str| -> Result<u64> {
            let value = arguments.split(", ").find_map(|pair| pair.strip_prefix(name)?.strip_prefix(": "));
            value.and_then(|value| value.parse().ok()).with_context(|| format!("a request without {name} in the trace"))
        };
        let (start, size, flags) = (argument("va_addr")?, argument("size")?, argument("flags")?);
        let end = start + size;
        // Addresses are used again after they were freed.
        let overlapped: Vec<u64> =
            self.0.range(..end).filter(|(_, (old, _))| *old > start).map(|(at, _)| *at).collect();
        overlapped.iter().for_each(|at| _ = self.0.remove(at));
        self.0.insert(start, (end, flags & VRAM != 0));
        Ok(())
    }

    fn is_gpus(&self, address: u64) -> bool {
        self.0.range(..=address).next_back().is_some_and(|(_, (end, gpus))| address < *end && *gpus)
    }
}

#[cfg(test)]
mod tests {
    use super::{Copies, between_apis};

    fn dispatch(items: u64) -> String {
        format!("{{\"event\":\"dispatch\",\"grid\":[{items},1,1]}}\n")
    }
    /// The GPU's memory is at 0x1000 to 0x2000; the host's memory that the driver knows of at 0x3000.
    const MEMORY: &str = concat!(
        "{\"event\":\"ioctl\",\"name\":\"ALLOC_MEMORY_OF_GPU\",\"result\":0,\"args\":\"va_addr: 4096, size: 9999, flags: 2\"}\n",
        "{\"event\":\"ioctl\",\"name\":\"ALLOC_MEMORY_OF_GPU\",\"result\":0,\"args\":\"va_addr: 4096, size: 4096, flags: 5\"}\n",
        "{\"event\":\"ioctl\",\"name\":\"ALLOC_MEMORY_OF_GPU\",\"result\":0,\"args\":\"va_addr: 12288, size: 4096, flags: 2\"}\n",
    );
    fn copy(from: &str, to: &str, bytes: u64) -> String {
        format!(
            "{{\"event\":\"sdma\",\"packet\":\"copy_linear\",\"from\":\"{from}\",\"to\":\"{to}\",\"bytes\":{bytes}}}\n"
        )
    }
    fn up(bytes: u64) -> String {
        copy("0x3000", "0x1800", bytes)
    }
    fn down(bytes: u64) -> String {
        copy("0x1000", "0x9000", bytes)
    }

    #[test]
    fn counts_copies_between_kernels_apart() {
        let (whole, rows) = (dispatch(4096), dispatch(256));
        let start = dispatch(30720);
        let (batch, result) = (4096 * 8, 4096 * 4);
        let trace = |beside: &str| {
            let (batch, result) = (up(batch), down(result));
            format!("{MEMORY}{start}{batch}{whole}{rows}{beside}{whole}{whole}{result}")
        };
        let count = |trace: String| between_apis(trace.as_bytes(), 4096, 1).expect("a trace");
        assert_eq!(count(trace("")), Copies { between: 0, beside: 0, host: batch + result });
        let staged = format!("{}{}", down(batch), up(batch));
        assert_eq!(count(trace(&staged)), Copies { between: 2 * batch, beside: 0, host: batch + result });
        assert_eq!(count(trace(&copy("0x1000", "0x1800", 5))).between, 5, "on the GPU");
        assert_eq!(count(trace(&copy("0x9000", "0x9800", 5))).between, 5, "on the host");
        assert_eq!(count(trace(&up(1))).between, 1, "nothing is next after the last batch");
    }

    #[test]
    fn the_upload_of_the_next_batch_is_no_copy_between_the_apis() {
        let (whole, rows) = (dispatch(4096), dispatch(256));
        let (batch, result) = (4096 * 8, 4096 * 4);
        let (next, done) = (up(batch), down(result));
        // The second batch comes up beside the first one's kernels, and its own are among them.
        let overlapped = |more: &str| {
            format!("{MEMORY}{next}{whole}{next}{rows}{whole}{whole}{more}{rows}{whole}{done}{whole}{whole}{done}")
        };
        let count = |trace: String| between_apis(trace.as_bytes(), 4096, 2).expect("a trace");
        assert_eq!(count(overlapped("")), Copies { between: 0, beside: batch, host: batch + 2 * result });
        assert_eq!(count(overlapped(&up(1))).between, 1);
        assert_eq!(count(overlapped(&down(1))).between, 1);
        // Both may be up before the first kernel.
        let ahead = format!("{MEMORY}{next}{next}{whole}{rows}{whole}{whole}{done}{whole}{rows}{whole}{whole}{done}");
        assert_eq!(count(ahead), Copies { between: 0, beside: 0, host: 2 * batch + 2 * result });
    }

    #[test]
    fn a_kernel_that_is_not_the_pipelines_is_an_error() {
        let (whole, rows) = (dispatch(4096), dispatch(256));
        assert!(between_apis(format!("{whole}{rows}{rows}{whole}{whole}").as_bytes(), 4096, 1).is_err());
        assert!(between_apis(whole.as_bytes(), 4096, 1).is_err());
    }
}

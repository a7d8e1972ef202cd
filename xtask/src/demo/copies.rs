//! What the device copied while the pipeline ran, from its trace.

use std::collections::BTreeMap;
use std::io::BufRead;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Bytes that the device's copy engines moved, from the first iteration's first kernel on.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// While a batch was computed (between the first kernel of an iteration and its last), except the upload of the next one.
    pub between: u64,
    /// Of the next batch, while one was computed.
    pub beside: u64,
    /// The rest: batches in, results out.
    pub host: u64,
}

/// Kernels of an iteration: add, fft, scale, magnitude.
const KERNELS: usize = 4;
/// `KFD_IOC_ALLOC_MEM_FLAGS_VRAM`
const VRAM: u64 = 1;

/// Copies since the dispatch before.
#[derive(Default)]
struct Since {
    /// From the host to the GPU's memory.
    up: u64,
    /// Anywhere else.
    other: u64,
}

/// Counts copies. Kernels can copy too, so the dispatches must be those of the pipeline and no other.
pub fn between_apis(trace: impl BufRead, points: u64, iterations: u64) -> Result<Copies> {
    // Work-items of each dispatch, and what was copied since the dispatch before it.
    let mut dispatches: Vec<(u64, Since)> = Vec::new();
    let mut since = Since::default();
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
                let up = !is_gpus("from")? && is_gpus("to")?;
                *(if up { &mut since.up } else { &mut since.other }) += bytes;
            }
            (Some("sdma"), Some(packet)) if packet.starts_with("copy") => {
                bail!("the trace has a copy of another kind, {packet}: its bytes are not counted");
            }
            (Some("dispatch"), _) => {
                let items = event["grid"][0].as_u64().context("a dispatch without a grid in the trace")?;
                dispatches.push((items, std::mem::take(&mut since)));
            }
            _ => {}
        }
    }
    // What comes before are the runtimes' own kernels while they start.
    let expected = KERNELS * usize::try_from(iterations)?;
    let Some(first) = dispatches.len().checked_sub(expected) else {
        bail!("the trace has {} dispatches, the pipeline alone makes {expected}", dispatches.len());
    };
    let mut copies = Copies { host: since.up + since.other, ..Copies::default() };
    for (iteration, kernels) in dispatches[first..].chunks(KERNELS).enumerate() {
        let mut beside = 0;
        for (i, (items, since)) in kernels.iter().enumerate() {
            let want = if i == 1 { points / 16 } else { points };
            if *items != want {
                bail!(
                    "kernel {i} of iteration {iteration} has {items} work-items in the trace, not {want}: is it a copy?"
                );
            }
            if i == 0 {
                copies.host += since.up + since.other;
            } else {
                beside += since.up;
                copies.between += since.other;
            }
        }
        // At most the next batch comes up; after the last there is none.
        let next = if iteration as u64 + 1 < iterations { points * 8 } else { 0 };
        copies.beside += beside.min(next);
        copies.between += beside.saturating_sub(next);
    }
    Ok(copies)
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
        let (add, fft) = (dispatch(4096), dispatch(256));
        let start = dispatch(30720);
        let (up, down) = (up(100), down(100));
        let good = format!("{MEMORY}{start}{up}{add}{fft}{add}{add}{down}");
        let copies = between_apis(good.as_bytes(), 4096, 1).expect("a good trace");
        assert_eq!(copies, Copies { between: 0, beside: 0, host: 200 });
        let staged = format!("{MEMORY}{add}{fft}{down}{up}{add}{add}");
        let copies = between_apis(staged.as_bytes(), 4096, 1).expect("a staged copy");
        assert_eq!(copies, Copies { between: 200, beside: 0, host: 0 });
    }

    #[test]
    fn the_upload_of_the_next_batch_is_no_copy_between_the_apis() {
        let (add, fft) = (dispatch(4096), dispatch(256));
        let iteration = |beside: &str| format!("{add}{fft}{beside}{add}{add}");
        let batch = up(4096 * 8);
        let both = |beside: &str| format!("{MEMORY}{batch}{}{}{}", iteration(beside), down(9), iteration(""));
        let count = |trace: String| between_apis(trace.as_bytes(), 4096, 2).expect("a trace");
        assert_eq!(count(both(&batch)), Copies { between: 0, beside: 4096 * 8, host: 4096 * 8 + 9 });
        // More than a batch, or from the GPU's memory, is something else.
        assert_eq!(count(both(&format!("{batch}{}", up(1)))).between, 1);
        assert_eq!(count(both(&copy("0x1000", "0x1800", 5))).between, 5);
        let last = format!("{MEMORY}{}{}", iteration(""), iteration(&batch));
        assert_eq!(count(last).between, 4096 * 8, "nothing is next after the last batch");
    }

    #[test]
    fn a_kernel_that_is_not_the_pipelines_is_an_error() {
        let (add, fft) = (dispatch(4096), dispatch(256));
        assert!(between_apis(format!("{add}{fft}{fft}{add}{add}").as_bytes(), 4096, 1).is_err());
        assert!(between_apis(add.as_bytes(), 4096, 1).is_err());
    }
}

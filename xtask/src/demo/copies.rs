//! What the device copied while the pipeline ran, from its trace.

use std::io::BufRead;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Bytes that the device's copy engines moved.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// While a batch was computed: between the first kernel of an iteration and its last.
    pub between: u64,
    /// From the first iteration's first kernel on, outside of that: batches in, results out.
    pub host: u64,
}

/// Kernels of an iteration: add, fft, scale, magnitude.
const KERNELS: usize = 4;

/// Counts copies. Kernels can copy too, so the dispatches must be those of the pipeline and no other.
pub fn between_apis(trace: impl BufRead, points: u64, iterations: u64) -> Result<Copies> {
    // Work-items of each dispatch, and the bytes copied since the dispatch before it.
    let mut dispatches: Vec<(u64, u64)> = Vec::new();
    let mut copied = 0;
    for (number, line) in trace.lines().enumerate() {
        let line = line.context("cannot read the trace")?;
        let event: Value =
            serde_json::from_str(&line).with_context(|| format!("line {} of the trace is not JSON", number + 1))?;
        match (event["event"].as_str(), event["packet"].as_str()) {
            (Some("sdma"), Some("copy_linear")) => {
                copied += event["bytes"].as_u64().context("a copy without bytes in the trace")?;
            }
            (Some("sdma"), Some(packet)) if packet.starts_with("copy") => {
                bail!("the trace has a copy of another kind, {packet}: its bytes are not counted");
            }
            (Some("dispatch"), _) => {
                let items = event["grid"][0].as_u64().context("a dispatch without a grid in the trace")?;
                dispatches.push((items, std::mem::take(&mut copied)));
            }
            _ => {}
        }
    }
    // What comes before are the runtimes' own kernels while they start.
    let expected = KERNELS * usize::try_from(iterations)?;
    let Some(first) = dispatches.len().checked_sub(expected) else {
        bail!("the trace has {} dispatches, the pipeline alone makes {expected}", dispatches.len());
    };
    let mut copies = Copies { host: copied, ..Copies::default() };
    for (i, &(items, bytes)) in dispatches[first..].iter().enumerate() {
        let want = if i % KERNELS == 1 { points / 16 } else { points };
        if items != want {
            bail!("kernel {i} of the pipeline has {items} work-items in the trace, not {want}: is it a copy?");
        }
        if i % KERNELS == 0 { copies.host += bytes } else { copies.between += bytes }
    }
    Ok(copies)
}

#[cfg(test)]
mod tests {
    use super::{Copies, between_apis};

    fn dispatch(items: u64) -> String {
        format!("{{\"event\":\"dispatch\",\"grid\":[{items},1,1]}}\n")
    }
    const COPY: &str = "{\"event\":\"sdma\",\"packet\":\"copy_linear\",\"bytes\":100}\n";

    #[test]
    fn counts_copies_between_kernels_apart() {
        let (add, fft) = (dispatch(4096), dispatch(256));
        let start = dispatch(30720);
        let good = format!("{start}{COPY}{add}{fft}{add}{add}{COPY}");
        let copies = between_apis(good.as_bytes(), 4096, 1).expect("a good trace");
        assert_eq!(copies, Copies { between: 0, host: 200 });
        let staged = format!("{add}{fft}{COPY}{COPY}{add}{add}");
        let copies = between_apis(staged.as_bytes(), 4096, 1).expect("a staged copy");
        assert_eq!(copies, Copies { between: 200, host: 0 });
    }

    #[test]
    fn a_kernel_that_is_not_the_pipelines_is_an_error() {
        let (add, fft) = (dispatch(4096), dispatch(256));
        assert!(between_apis(format!("{add}{fft}{fft}{add}{add}").as_bytes(), 4096, 1).is_err());
        assert!(between_apis(add.as_bytes(), 4096, 1).is_err());
    }
}

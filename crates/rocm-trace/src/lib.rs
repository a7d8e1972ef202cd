//! Records the events between a HIP, OpenCL or HSA call and the GPU, for any unmodified program.
//!
//! It is used as a program. Installed from a checkout, it records a run and reports on it. The output is shortened:
//!
//! ```sh
//! cargo install --locked --path crates/rocm-trace
//! rocm-trace run -- ./my-program       # writes rocm-trace.jsonl; -o run.pftrace for ui.perfetto.dev
//! rocm-trace report rocm-trace.jsonl
//! ```
//! ```text
//! launch 6 of 0 to 6:
//!       0 ns    2283 ns   hsa hsa_signal_store_screlease value=6 signal="0x556fff346e80"
//!       0 ns                queue kernel_dispatch saxpy kernel="saxpy" index=6 header="0x1502" setup="0x1" grid=[64,1,1] workgroup=[64,1,1] ...
//!    2283 ns                queue doorbell value=6 signal="0x556fff346e80"
//!    2343 ns      30 ns   waited for in hsa hsa_signal_wait_scacquire signal="0x556fff346fc0" -> 0
//!
//! system calls to the driver and for memory: 0
//!   launches without any: 7 of 7
//! ```
//!
//! The project's site shows recordings of each operation and explains the lines: `cargo xtask docs` builds it, and its
//! page "rocm-trace" is `docs/src/tools/rocm-trace.md`.
//!
//! # How it works
//! Built as `librocm_trace.so` and loaded in front of a program (`LD_PRELOAD`, which `rocm-trace run` sets up), it
//! records the program's calls and passes them on. The library's other half reads what was recorded: [`timeline`] puts
//! it in order, [`flows`] finds what belongs together, [`view`] gives it names, [`output`] writes it. The modules are
//! public for the `rocm-trace` program and tests; they are not a stable interface. The format of the lines of JSON is
//! stable; the project's documentation describes it.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("the recorder passes arguments on as x86-64 Linux does");

pub mod clock;
pub mod environment;
#[macro_use]
pub mod tables;
#[macro_use]
mod preload;
pub mod device;
#[cfg(test)]
mod fixtures;
pub mod flows;
mod generated;
pub mod gpu_clock;
pub mod log;
pub mod output;
pub mod page;
pub mod raw;
pub mod reader;
mod recorder;
pub mod recording;
pub mod report;
pub mod timeline;
pub mod values;
pub mod view;

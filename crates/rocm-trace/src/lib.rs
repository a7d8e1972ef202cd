//! Records what happens between a call of HIP, OpenCL or HSA and the GPU, for any program as it is.
//!
//! Built as `librocm_trace.so` and loaded in front of a program (`LD_PRELOAD`, which `rocm-trace run` sets up), it records the program's calls and passes
//! them on. The library's other half reads what was recorded: [`timeline`] puts it in order, [`flows`] finds what belongs together, [`view`] gives it
//! names, [`output`] writes it. The modules are public for the `rocm-trace` program and tests; they are no stable interface. What is stable is the format of
//! the lines of JSON, which the project's documentation describes.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("the recorder passes arguments on as x86-64 Linux does");

pub mod clock;
pub mod environment;
#[macro_use]
pub mod tables;
#[macro_use]
mod preload;
pub mod device;
pub mod flows;
mod generated;
pub mod gpu_clock;
pub mod log;
pub mod output;
pub mod raw;
pub mod reader;
mod recorder;
pub mod report;
pub mod show;
pub mod timeline;
pub mod view;

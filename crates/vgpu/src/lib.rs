//! A software MI100, as AMD's libraries see one: sysfs topology, `/dev/kfd`, `/dev/dri/renderD*` and the processors behind them.
//!
//! Built as `libvgpu.so` and loaded in front of a program (`LD_PRELOAD`, which `vgpu run` sets up), it answers the libc calls that
//! concern the device in the program's own process. Everything virtual lives in memory: a killed program leaves nothing behind.
//!
//! [`hardware`] does what silicon and firmware do, [`driver`] what the kernel's drivers do, [`preload`] stands in front of libc. Each knows
//! those before it, never one behind; the other modules are below all three.
//!
//! The modules are public for the `vgpu` program and the tests; they are no stable interface.

pub mod address_set;
pub mod backing;
pub mod descriptors;
pub mod driver;
pub mod errno;
pub mod faults;
pub mod hardware;
pub mod log;
pub mod preload;
pub mod queue_error;
pub mod real;
pub mod reentry;
pub mod support;
pub mod time;
pub mod trace;

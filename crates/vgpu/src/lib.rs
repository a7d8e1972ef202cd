//! A software MI100 for AMD's unmodified libraries: sysfs topology, `/dev/kfd`, `/dev/dri/renderD*` and the processors
//! of the GPU.
//!
//! It is used as a program. Installed from a checkout, it runs any program with the virtual GPU:
//!
//! ```sh
//! cargo install --locked --path crates/vgpu
//! vgpu run -- sh -c 'ls /dev/kfd /dev/dri; cat /sys/class/kfd/kfd/topology/nodes/1/gpu_id'
//! ```
//! ```text
//! /dev/kfd
//!
//! /dev/dri:
//! renderD128
//! 51110
//! ```
//!
//! `vgpu run -- ./my-tests` is the same for programs that use HIP, OpenCL or HSA, with AMD's libraries of the machine.
//! `vgpu support` prints what each ioctl and packet does. The project's site explains the rest: `cargo xtask docs`
//! builds it, and its page "vgpu: the software MI100" is `docs/src/tools/vgpu.md`.
//!
//! # How it works
//! `libvgpu.so` is loaded in front of the program (`LD_PRELOAD`, which `vgpu run` sets up) and answers the calls of
//! libc that concern the device, in the program's own process. All virtual state is in memory: a killed program leaves
//! nothing behind.
//!
//! [`hardware`] does what silicon and firmware do, [`driver`] what the kernel's drivers do, [`preload`] stands in front
//! of libc. Each uses those before it, never those after it; the other modules are below all three.
//!
//! The modules are public for the `vgpu` program and the tests; they are not a stable interface.

pub mod address_set;
pub mod backing;
pub mod descriptors;
pub mod driver;
pub mod errno;
pub mod faults;
pub mod hardware;
pub mod locks;
pub mod log;
pub mod preload;
pub mod queue_error;
pub mod real;
pub mod reentry;
pub mod support;
pub mod time;
pub mod trace;
pub mod userfaultfd;

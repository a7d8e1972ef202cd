//! With XNACK on: which code is loaded, and kernels on memory that nobody told the GPU of. `kfd` asks for the mode and
//! leaves it as it is.
use std::time::Duration;

use aql::Geometry;
use kfd::code::{self, TargetId};
use kfd::{Buffer, Device, Error, Fault, Kernel, Module, Placement, Queue, Result, Wait};
use kfd_sys::{amdkfd_ioc_set_xnack_mode, kfd_ioctl_set_xnack_mode_args, open_kfd};
use kfd_tests::{code_object, gpu, isa, needs_vgpu, on_gpu_with};
use std::os::fd::AsFd;

const LONG: Duration = Duration::from_secs(60);
const PAGE: usize = 4096;

/// Runs `body` on a virtual GPU that has it: an MI300X where the tests are for one.
fn on_gpu_that_may(name: &str, body: fn()) {
    let gpu = if isa() == "gfx942" { "--gpu=mi300x" } else { "--gpu=mi210" };
    on_gpu_with(&[gpu], name, body);
}

/// The process's first GPU, of which the process has switched XNACK on or off.
fn gpu_with_xnack(on: bool) -> Result<Device> {
    let kfd = open_kfd().expect("there is a driver");
    let mut args = kfd_ioctl_set_xnack_mode_args { xnack_enabled: on.into() };
    // SAFETY: no addresses.
    unsafe { amdkfd_ioc_set_xnack_mode(kfd.as_fd(), &mut args) }.expect("a process may choose");
    gpu()
}

/// The kernels compiled for the GPU with this setting, loaded.
fn module(gpu: Device, setting: &str) -> Result<Module> {
    Module::load(gpu, &code_object("pageable", &format!("{}{setting}", gpu.node().isa())))
}

#[test]
fn xnack_decides_which_code_is_loaded() {
    needs_vgpu!();
    on_gpu_that_may("xnack_decides_which_code_is_loaded", || which_code().unwrap());
}

fn which_code() -> Result<()> {
    for (on, own, other) in [(false, ":xnack-", ":xnack+"), (true, ":xnack+", ":xnack-")] {
        let gpu = gpu_with_xnack(on)?;
        module(gpu, own)?;
        module(gpu, "")?;
        match module(gpu, other) {
            Err(Error::Code(code::Error::WrongTarget { code, device })) => {
                let settings =
                    |target: &TargetId| target.to_string().rsplit_once(':').map(|(_, xnack)| xnack.to_owned());
                assert_eq!(settings(&code).as_deref(), other.strip_prefix(':'));
                assert_eq!(settings(&device).as_deref(), own.strip_prefix(':'));
            }
            loaded => panic!("{other} with XNACK {on}: {loaded:?}"),
        }
    }
    Ok(())
}

#[test]
fn xnack_lets_kernels_use_the_programs_memory() {
    needs_vgpu!();
    on_gpu_that_may("xnack_lets_kernels_use_the_programs_memory", || pageable().unwrap());
}

/// The GPU adds the words at `from` to as many at `to`, of neither of which it was told.
///
/// # Safety
/// They may be read and written.
unsafe fn add(queue: &mut Queue, kernel: &Kernel, from: &[u32], to: u64, count: u32) -> Result<()> {
    let launch = queue.launch(kernel, Geometry::one(count.next_multiple_of(64), 64)?)?;
    let launch = launch.argument(count).argument(from.as_ptr().expose_provenance() as u64).argument(to);
    // SAFETY: as the caller promises, until this returns.
    let work = unsafe { launch.submit() }?;
    queue.wait(&work, Wait::Sleep(LONG))
}

/// As [`add`], to words of this process's.
fn add_to(queue: &mut Queue, kernel: &Kernel, from: &[u32], to: &mut [u32]) -> Result<()> {
    let address = to.as_mut_ptr().expose_provenance() as u64;
    assert!(from.len() >= to.len());
    // SAFETY: as many are there.
    unsafe { add(queue, kernel, from, address, to.len() as u32) }
}

fn pageable() -> Result<()> {
    let gpu = gpu_with_xnack(true)?;
    let kernel = module(gpu, ":xnack+")?.kernel("add_at")?;
    let mut queue = Queue::new(gpu)?;
    // Some MiB of malloc's, and the stack.
    let from: Vec<u32> = (0..700_001u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let is_sum = |sums: &[u32], of: u32| sums.iter().zip(&from).all(|(sum, from)| *sum == from.wrapping_add(of));
    let mut large = vec![1; from.len()];
    add_to(&mut queue, &kernel, &from, &mut large)?;
    assert!(is_sum(&large, 1));
    let mut small = [2; 1000];
    add_to(&mut queue, &kernel, &from, &mut small)?;
    assert!(is_sum(&small, 2));
    // A buffer, which is mapped, beside memory that is found.
    let mut buffer = Buffer::<u32>::new(gpu, 5000, Placement::HOST)?;
    buffer.host_mut()?.fill(3);
    // SAFETY: a buffer of that size.
    unsafe { add(&mut queue, &kernel, &from, buffer.address(), 5000) }?;
    assert!(is_sum(buffer.host()?, 3));
    gone(&mut queue, &kernel, &from)
}

/// What was unmapped is a memory fault, and the error has its page.
fn gone(queue: &mut Queue, kernel: &Kernel, from: &[u32]) -> Result<()> {
    // The kernel fills a hole from its end: what is mapped meanwhile is not here.
    let size = 1024 * PAGE;
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), size, access, kind, -1, 0) };
    assert_ne!(memory, libc::MAP_FAILED);
    // SAFETY: its first page, of zeros.
    let words = unsafe { std::slice::from_raw_parts_mut(memory.cast::<u32>(), PAGE / 4) };
    add_to(queue, kernel, from, words)?;
    assert!(words == &from[..words.len()]);
    // SAFETY: nobody uses the mapping any more but the kernel that follows.
    assert_eq!(unsafe { libc::munmap(memory, size) }, 0);
    let address = memory.expose_provenance() as u64;
    // SAFETY: nothing is there.
    match unsafe { add(queue, kernel, from, address, 1) } {
        Err(Error::Lost { fault: Fault::Memory(fault) }) => assert_eq!(fault.address, address),
        other => panic!("{other:?}"),
    }
    Ok(())
}

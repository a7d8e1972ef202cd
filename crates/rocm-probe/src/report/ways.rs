//! The ways of sharing memory, each tried with a few KiB and a small kernel, which are given back.

use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::ptr::NonNull;
use std::time::Duration;

use rocm_interop::share::{ChannelError, DmaBuf};
use rocm_interop::sys::cl_sys::{self, CallError};
use rocm_interop::sys::hip_sys::{self, hipError_t};
use rocm_interop::sys::{Api, Code};
use rocm_interop::{Device, Error, Libraries, Result, Session};

use super::{Finding, Findings};

/// The way of sharing by which the verdict goes.
pub const SHARED: &str = "coarse-grained SVM";

/// Tries each way on `device`, one of `shared`, or says why there is none.
pub fn all(device: Result<&Device, String>, shared: &[Device]) -> Findings {
    let way = |check: fn(&Session) -> Result<String>| -> Finding {
        let session = Session::open(device.clone()?);
        let checked = session.and_then(|session| check(&session).and_then(|text| session.close().map(|_| text)));
        checked.map_err(|error| error.to_string())
    };
    let others = device.clone().and_then(|own| other_gpus(own, shared.iter().filter(|other| other.pci() != own.pci())));
    vec![
        (SHARED, way(coarse_svm)),
        ("existing cl_mem", way(existing_mem)),
        ("memory of HIP", way(hip_memory)),
        ("dma-buf", way(dma_buf)),
        ("dma-buf into HIP", way(dma_buf_into_hip)),
        ("other processes", way(socket)),
        ("other processes by HIP", way(hips_handle)),
        ("fine-grained SVM", way(fine_svm)),
        ("managed memory", way(managed)),
        ("pages of the program", way(pages)),
        ("copy through the host", way(staged)),
        ("other GPUs", others),
    ]
}

/// Whether HIP imports semaphores of Vulkan, say. It is asked by a descriptor that is none, so nothing is made.
pub fn external_semaphores(libraries: &Libraries) -> Finding {
    let name = "hipImportExternalSemaphore";
    let null = std::fs::File::open("/dev/null").map_err(|error| format!("/dev/null: {error}"))?;
    let description = hip_sys::hipExternalSemaphoreHandleDesc {
        type_: hip_sys::hipExternalSemaphoreHandleType::hipExternalSemaphoreHandleTypeOpaqueFd,
        handle: hip_sys::hipExternalSemaphoreHandleDesc_st__bindgen_ty_1 { fd: null.as_raw_fd() },
        flags: 0,
        reserved: [0; 16],
    };
    let mut semaphore = std::ptr::null_mut();
    // SAFETY: writes one handle; the description is of an open file.
    let outcome = unsafe { libraries.hip.hipImportExternalSemaphore(&mut semaphore, &description) };
    match outcome.map_err(|error| error.to_string())? {
        hipError_t::hipErrorNotSupported => {
            // HIP keeps it for whoever asks for the last error next. SAFETY: no preconditions.
            _ = unsafe { libraries.hip.hipGetLastError() };
            Err(format!("HIP: {name} returned hipErrorNotSupported; wait for the other API's work on the host"))
        }
        hipError_t::hipSuccess => Err(format!("HIP: {name} took a file for one")),
        code => Err(Error::Call { call: "hipImportExternalSemaphore", code: Code::Hip(code) }.to_string()),
    }
}

fn coarse_svm(session: &Session) -> Result<String> {
    let buffer = session.allocate::<u32>(1024)?;
    let place = buffer.residency().place;
    buffer.close().map(|()| place.to_string())
}

fn hip_memory(session: &Session) -> Result<String> {
    let buffer = session.allocate_hip::<u32>(1024)?;
    let place = buffer.residency().place;
    buffer.close().map(|()| format!("{place}; OpenCL's queue is flushed behind each kernel that uses it"))
}

/// More than the blocks of HSA's runtime have, so that no other buffer is in its buffer object.
const OBJECT: usize = 4 << 20;

fn dma_buf(session: &Session) -> Result<String> {
    let original = session.allocate::<u8>(OBJECT)?;
    let imported = session.import::<u8>(&original.export()?)?;
    let place = imported.residency().place;
    imported.close()?;
    original.close().map(|()| format!("{place}; OpenCL's queue is flushed behind each kernel that uses it"))
}

fn dma_buf_into_hip(session: &Session) -> Result<String> {
    let original = session.allocate::<u8>(OBJECT)?;
    let imported = session.import_hip::<u8>(&original.export()?)?;
    let place = imported.residency().place;
    imported.close()?;
    original.close().map(|()| format!("{place}; OpenCL's queue is flushed behind each kernel that uses it"))
}

fn socket(session: &Session) -> Result<String> {
    let (here, there) = UnixStream::pair().map_err(|reason| ChannelError::Socket { reason })?;
    let original = session.allocate::<u8>(OBJECT)?;
    original.export()?.send(&here)?;
    let imported = session.import::<u8>(&DmaBuf::receive(&there, Duration::from_secs(10))?)?;
    let place = imported.residency().place;
    imported.close()?;
    original.close().map(|()| format!("{place}; by dma-bufs over a Unix socket"))
}

fn hips_handle(session: &Session) -> Result<String> {
    let original = session.allocate_hip::<u8>(OBJECT)?;
    let (place, _handle) = (original.residency().place, original.ipc_handle()?);
    original.close().map(|()| format!("{place}; a handle was made, and only another process can open it"))
}

fn fine_svm(session: &Session) -> Result<String> {
    let buffer = session.allocate_host::<u32>(1024)?;
    let place = buffer.residency().place;
    buffer.close().map(|()| place.to_string())
}

fn managed(session: &Session) -> Result<String> {
    let buffer = session.allocate_managed::<u32>(1024)?;
    let place = buffer.residency().place;
    buffer.close().map(|()| format!("{place}; OpenCL's queue is flushed behind each kernel that uses it"))
}

fn pages(session: &Session) -> Result<String> {
    let page = rustix::param::page_size();
    let mut memory = vec![0u8; 2 * page];
    let start = memory.as_ptr().align_offset(page);
    let whole = NonNull::from(&mut memory[start..start + page]);
    // SAFETY: used by nobody else. `memory` stays where it is until the view is closed, and then for ever if that
    // fails.
    let closed = unsafe { session.view_pages::<u8>(whole) }.and_then(|view| {
        let place = view.residency().place;
        view.close().map(|()| place.to_string())
    });
    if closed.is_err() {
        std::mem::forget(memory);
    }
    closed
}

/// The data is looked at too, as this way has no address that could be asked about.
fn staged(session: &Session) -> Result<String> {
    const DATA: [u32; 4] = [1, 2, 3, 4];
    let mut from = session.allocate::<u32>(4)?;
    from.write(&DATA)?;
    let mut to = session.allocate_hip::<u32>(4)?;
    let moved = from.copy_staged(&mut to, &mut [0; 4])?;
    let (to, mut end) = (to.into_opencl()?, [0; 4]);
    to.read(&mut end)?;
    to.close()?;
    from.close()?;
    if end != DATA {
        let reason = format!("{DATA:?} arrived as {end:?}");
        return Err(Error::Argument { subject: "a copy through the host", reason });
    }
    Ok(format!("{} bytes went down and {} up for {} shared", moved.down, moved.up, size_of_val(&DATA)))
}

/// Which of the others' memory a GPU can use, and why not the rest.
fn other_gpus<'d>(own: &Device, others: impl Iterator<Item = &'d Device>) -> Finding {
    let uses = |other: &Device| -> Result<()> {
        let (user, owner) = (Session::open(own)?, Session::open(other)?);
        owner.allocate::<u32>(1024)?.into_session(&user)?.close()?;
        user.close().map(drop).and(owner.close().map(drop))
    };
    let (mut usable, mut refused) = (Vec::new(), Vec::new());
    for other in others {
        match uses(other) {
            Ok(()) => usable.push(format!("uses memory of GPU {}", other.pci())),
            Err(error) => refused.push(error.to_string()),
        }
    }
    match (usable.is_empty(), refused.is_empty()) {
        (true, true) => Err("there is none that every layer sees".to_owned()),
        (true, false) => Err(refused.join("; ")),
        (false, _) => Ok([usable, refused].concat().join("; ")),
    }
}

fn existing_mem(session: &Session) -> Result<String> {
    let (cl, mut code) = (&session.device().libraries().cl, cl_sys::CL_SUCCESS);
    let (context, flags, null) = (session.context(), cl_sys::CL_MEM_READ_WRITE, std::ptr::null_mut());
    // SAFETY: a plain buffer of the session's context, released below; writes one code.
    let mem = present(unsafe { cl.clCreateBuffer(context, flags, 4096, null, &mut code) })?;
    check("clCreateBuffer", code)?;
    // SAFETY: made above, used by nobody else.
    let view = unsafe { session.view::<u32>(mem) };
    // SAFETY: made above; the view holds it.
    let released = present(unsafe { cl.clReleaseMemObject(mem) });
    let view = view?;
    released.and_then(|code| check("clReleaseMemObject", code))?;
    let place = view.residency().place;
    view.close().map(|()| place.to_string())
}

fn present<T>(outcome: Result<T, CallError>) -> Result<T> {
    outcome.map_err(|error| Error::Load { api: Api::OpenCl, reason: Box::new(error) })
}

fn check(call: &'static str, code: cl_sys::cl_int) -> Result<()> {
    if code == cl_sys::CL_SUCCESS { Ok(()) } else { Err(Error::Call { call, code: Code::OpenCl(code) }) }
}

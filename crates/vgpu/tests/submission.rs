//! Jobs that are submitted by a render node, as clients of libdrm do it.
mod common;

use common::queues::{dword, qword};
use common::*;
use kfd_sys::*;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A request's result, or its errno.
type Answer<T> = Result<T, i32>;

fn answer<T>(result: std::io::Result<T>) -> Answer<T> {
    result.map_err(|error| error.raw_os_error().unwrap())
}

const COMPUTE: (u32, u32) = (AMDGPU_HW_IP_COMPUTE, 0);
const OTHER_COMPUTE: (u32, u32) = (AMDGPU_HW_IP_COMPUTE, 3);
const DMA: (u32, u32) = (AMDGPU_HW_IP_DMA, 1);
/// Where the first buffer is mapped to the GPU.
const VA: u64 = 1 << 32;
const BUFFER: u64 = 1 << 20;

/// An open node with a context, and buffers that both see.
struct Client {
    node: OwnedFd,
    context: u32,
    buffers: u64,
}

/// A buffer: its handle, where the GPU has it, and where the program has it.
#[derive(Clone, Copy)]
struct Buffer {
    handle: u32,
    va: u64,
    host: u64,
}

/// The end of a job.
type Job = ((u32, u32), u64);

impl Client {
    fn new() -> Client {
        let node = open_render_node(128).unwrap();
        let mut args =
            drm_amdgpu_ctx { in_: drm_amdgpu_ctx_in { op: AMDGPU_CTX_OP_ALLOC_CTX, flags: 0, ctx_id: 0, priority: 0 } };
        // SAFETY: no addresses; the driver fills the answer in.
        let context = unsafe {
            drm_ioctl_amdgpu_ctx(node.as_fd(), &mut args).unwrap();
            args.out.alloc.ctx_id
        };
        Client { node, context, buffers: 0 }
    }

    fn buffer(&mut self, size: u64) -> Buffer {
        let domains = u64::from(AMDGPU_GEM_DOMAIN_GTT);
        let wanted = drm_amdgpu_gem_create_in { bo_size: size, alignment: 4096, domains, domain_flags: 0 };
        let mut args = drm_amdgpu_gem_create { in_: wanted };
        // SAFETY: no addresses; the driver fills the answer in.
        let handle = unsafe {
            drm_ioctl_amdgpu_gem_create(self.node.as_fd(), &mut args).unwrap();
            args.out.handle
        };
        let va_address = VA + BUFFER * self.buffers;
        self.buffers += 1;
        let flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE;
        let operation = AMDGPU_VA_OP_MAP;
        let mut map = drm_amdgpu_gem_va { handle, operation, flags, va_address, map_size: size, ..Default::default() };
        // SAFETY: the address is the GPU's.
        unsafe { drm_ioctl_amdgpu_gem_va(self.node.as_fd(), &mut map) }.unwrap();
        let mut args = drm_amdgpu_gem_mmap { in_: drm_amdgpu_gem_mmap_in { handle, _pad: 0 } };
        // SAFETY: no addresses; the driver fills the answer in.
        let offset = unsafe {
            drm_ioctl_amdgpu_gem_mmap(self.node.as_fd(), &mut args).unwrap();
            args.out.addr_ptr
        };
        let host = map_object(reserve(size as usize), size as usize, &self.node, offset);
        Buffer { handle, va: va_address, host: host.expose_provenance() as u64 }
    }

    /// Submits chunks to a context.
    fn chunks(&self, context: u32, list: u32, chunks: &[(u32, &[u32])]) -> Answer<u64> {
        let chunks: Vec<drm_amdgpu_cs_chunk> = chunks
            .iter()
            .map(|(chunk_id, data)| drm_amdgpu_cs_chunk {
                chunk_id: *chunk_id,
                length_dw: data.len() as u32,
                chunk_data: data.as_ptr().expose_provenance() as u64,
            })
            .collect();
        let pointers: Vec<u64> =
            chunks.iter().map(|chunk| std::ptr::from_ref(chunk).expose_provenance() as u64).collect();
        let wanted = drm_amdgpu_cs_in {
            ctx_id: context,
            bo_list_handle: list,
            num_chunks: pointers.len() as u32,
            flags: 0,
            chunks: pointers.as_ptr().expose_provenance() as u64,
        };
        let mut args = drm_amdgpu_cs { in_: wanted };
        // SAFETY: chunks and their pointers live as long as the request.
        answer(unsafe { drm_ioctl_amdgpu_cs(self.node.as_fd(), &mut args).map(|()| args.out.handle) })
    }

    /// Writes packets to an indirect buffer and submits it, after these jobs.
    fn submit(&self, ring: (u32, u32), at: Buffer, packets: &[u32], after: &[Job], listed: &[Buffer]) -> Answer<Job> {
        for (index, packet) in packets.iter().enumerate() {
            dword(at.host + 4 * index as u64).store(*packet, Ordering::Relaxed);
        }
        let indirect = buffer_chunk(ring, at.va, packets.len() as u32 * 4);
        let dependencies: Vec<u32> = after
            .iter()
            .flat_map(|((ip, ring), number)| [*ip, 0, *ring, self.context, *number as u32, (*number >> 32) as u32])
            .collect();
        let entries: Vec<u32> = listed.iter().flat_map(|buffer| [buffer.handle, 0]).collect();
        let info = entries.as_ptr().expose_provenance() as u64;
        let list = [u32::MAX, u32::MAX, listed.len() as u32, 8, info as u32, (info >> 32) as u32];
        let chunks = [
            (AMDGPU_CHUNK_ID_BO_HANDLES, list.as_slice()),
            (AMDGPU_CHUNK_ID_IB, &indirect),
            (AMDGPU_CHUNK_ID_DEPENDENCIES, &dependencies),
        ];
        self.chunks(self.context, 0, &chunks).map(|number| (ring, number))
    }

    /// Whether a job is over at that time of `CLOCK_MONOTONIC`.
    fn wait(&self, ((ip_type, ring), handle): Job, timeout: u64) -> Answer<bool> {
        let wanted = drm_amdgpu_wait_cs_in { handle, timeout, ip_type, ip_instance: 0, ring, ctx_id: self.context };
        let mut args = drm_amdgpu_wait_cs { in_: wanted };
        // SAFETY: no addresses; the driver fills the answer in.
        answer(unsafe { drm_ioctl_amdgpu_wait_cs(self.node.as_fd(), &mut args).map(|()| args.out.status == 0) })
    }

    /// Which of these jobs is over first, or whether all are.
    fn wait_fences(&self, jobs: &[Job], all: bool, timeout_ns: u64) -> Answer<(u32, u32)> {
        let fence = |((ip_type, ring), seq_no): &Job| drm_amdgpu_fence {
            ctx_id: self.context,
            ip_type: *ip_type,
            ip_instance: 0,
            ring: *ring,
            seq_no: *seq_no,
        };
        let fences: Vec<drm_amdgpu_fence> = jobs.iter().map(fence).collect();
        let wanted = drm_amdgpu_wait_fences_in {
            fences: fences.as_ptr().expose_provenance() as u64,
            fence_count: fences.len() as u32,
            wait_all: all.into(),
            timeout_ns,
        };
        let mut args = drm_amdgpu_wait_fences { in_: wanted };
        // SAFETY: the fences live as long as the request; the driver fills the answer in.
        answer(unsafe {
            drm_ioctl_amdgpu_wait_fences(self.node.as_fd(), &mut args)
                .map(|()| (args.out.status, args.out.first_signaled))
        })
    }

    /// Whether no job uses a buffer.
    fn is_idle(&self, buffer: Buffer) -> bool {
        let wanted = drm_amdgpu_gem_wait_idle_in { handle: buffer.handle, flags: 0, timeout: 0 };
        let mut args = drm_amdgpu_gem_wait_idle { in_: wanted };
        // SAFETY: no addresses; the driver fills the answer in.
        unsafe {
            drm_ioctl_amdgpu_gem_wait_idle(self.node.as_fd(), &mut args).unwrap();
            args.out.status == 0
        }
    }
}

/// `struct drm_amdgpu_cs_chunk_ib`.
fn buffer_chunk((ip, ring): (u32, u32), va: u64, bytes: u32) -> [u32; 8] {
    [0, 0, va as u32, (va >> 32) as u32, bytes, ip, 0, ring]
}

fn low(address: u64) -> u32 {
    address as u32
}

fn high(address: u64) -> u32 {
    (address >> 32) as u32
}

/// `WRITE_DATA` of PM4.
fn write_data(to: u64, value: u32) -> Vec<u32> {
    vec![0xc003_3702, 5 << 8 | 1 << 20, low(to), high(to), value]
}

/// `COPY_LINEAR` of SDMA.
fn copy(from: u64, to: u64, bytes: u32) -> Vec<u32> {
    vec![1, bytes - 1, 0, low(from), high(from), low(to), high(to)]
}

/// A time of `CLOCK_MONOTONIC` that will never be.
const FOR_EVER: u64 = u64::MAX;

#[test]
fn jobs_run_in_order_and_are_waited_for() {
    on_gpu("jobs_run_in_order_and_are_waited_for", || {
        let mut client = Client::new();
        let [first, second, third, data] = [(); 4].map(|()| client.buffer(8192));
        // A job that waits for the program: WAIT_REG_MEM until the gate is 1.
        let gate = data.va + 4096;
        let wait = [0xc005_3c02, 3 | 1 << 4, low(gate), high(gate), 1, u32::MAX, 4];
        let held = [wait.as_slice(), &write_data(data.va, 7)].concat();
        let held = client.submit(COMPUTE, first, &held, &[], &[data]).unwrap();
        // A copy of what it writes, which waits for it, and a job that does not.
        let copied = client.submit(DMA, second, &copy(data.va, data.va + 64, 4), &[held], &[]).unwrap();
        let free = client.submit(OTHER_COMPUTE, third, &write_data(data.va + 128, 9), &[], &[]).unwrap();
        assert_eq!((held.1, copied.1, free.1), (1, 1, 1));
        assert_eq!(client.wait_fences(&[copied, free, held], false, FOR_EVER), Ok((1, 1)));
        assert_eq!(dword(data.host + 128).load(Ordering::Acquire), 9);
        assert_eq!(
            (client.wait(held, 0), client.wait(copied, 0), client.wait(free, 0)),
            (Ok(false), Ok(false), Ok(true))
        );
        assert_eq!(client.wait_fences(&[free, held], true, 0), Ok((0, 0)));
        assert_eq!((client.is_idle(data), client.is_idle(third)), (false, true));
        let soon = || {
            let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: writable.
            unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
            now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64 + 30_000_000
        };
        let start = Instant::now();
        assert_eq!(client.wait(copied, soon()), Ok(false));
        assert!(start.elapsed() >= Duration::from_millis(25), "{:?}", start.elapsed());
        dword(data.host + 4096).store(1, Ordering::Release);
        assert_eq!(client.wait_fences(&[free, held, copied], true, FOR_EVER), Ok((1, 0)));
        assert_eq!([0, 64].map(|at| dword(data.host + at).load(Ordering::Acquire)), [7, 7]);
        assert!(client.is_idle(data));
        // The last job of a ring, one before the first, and one that was not submitted.
        assert_eq!(client.wait((COMPUTE, u64::MAX), 0), Ok(true));
        assert_eq!(client.wait((COMPUTE, 0), 0), Ok(true));
        assert_eq!(client.wait((COMPUTE, 2), 0), Err(libc::EINVAL));
        assert_eq!(client.wait_fences(&[(COMPUTE, 0), held], false, 0), Ok((1, 0)));
    });
}

/// The ring of 32 KiB ends within the 683rd job's packets of 48 bytes.
#[test]
fn more_copies_than_a_ring_holds() {
    on_gpu("more_copies_than_a_ring_holds", || {
        let mut client = Client::new();
        let [packets, data] = [(); 2].map(|()| client.buffer(8192));
        for value in 0..1500 {
            dword(data.host).store(value, Ordering::Release);
            let job = client.submit(DMA, packets, &copy(data.va, data.va + 64, 4), &[], &[]).unwrap();
            assert_eq!(client.wait(job, FOR_EVER), Ok(true));
            assert_eq!(dword(data.host + 64).load(Ordering::Acquire), value);
        }
    });
}

#[test]
fn a_job_runs_a_kernel_and_writes_a_fence_of_the_programs() {
    on_gpu("a_job_runs_a_kernel_and_writes_a_fence_of_the_programs", || {
        let mut client = Client::new();
        let [packets, code, data, fence] = [8192, 4096, 4096, 4096].map(|size| client.buffer(size));
        // v_mov_b32 v0, s0; v_mov_b32 v1, s1; v_mov_b32 v2, 42; global_store_dword v[0:1], v2, off; s_endpgm:
        // `llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx908 -show-encoding`
        let kernel = [0x7e00_0200, 0x7e02_0201, 0x7e04_02aa, 0xdc70_8000, 0x007f_0200, 0xbf81_0000];
        for (index, instruction) in kernel.iter().enumerate() {
            dword(code.host + 4 * index as u64).store(*instruction, Ordering::Relaxed);
        }
        let dispatch = [
            // COMPUTE_NUM_THREAD_X, COMPUTE_PGM_LO, COMPUTE_PGM_RSRC1 and 2, COMPUTE_USER_DATA_0.
            [0xc003_7602, 0x207, 64, 1, 1].as_slice(),
            &[0xc002_7602, 0x20c, low(code.va >> 8), high(code.va >> 8)],
            &[0xc002_7602, 0x212, 1 | 0xf0 << 12 | 1 << 23, 2 << 1],
            &[0xc002_7602, 0x240, low(data.va), high(data.va)],
            &[0xc003_1502, 1, 1, 1, 5],
        ]
        .concat();
        for (index, packet) in dispatch.iter().enumerate() {
            dword(packets.host + 4 * index as u64).store(*packet, Ordering::Relaxed);
        }
        let indirect = buffer_chunk(COMPUTE, packets.va, dispatch.len() as u32 * 4);
        let submit = |fence: &[u32]| {
            client.chunks(client.context, 0, &[(AMDGPU_CHUNK_ID_IB, &indirect), (AMDGPU_CHUNK_ID_FENCE, fence)])
        };
        assert_eq!(submit(&[fence.handle, 4092]), Err(libc::EINVAL), "not all of it is in the buffer");
        assert_eq!(submit(&[packets.handle, 0]), Err(libc::EINVAL), "more than a page");
        assert_eq!(submit(&[99, 0]), Err(libc::EINVAL));
        for number in 1..=100 {
            dword(data.host).store(0, Ordering::Relaxed);
            assert_eq!(submit(&[fence.handle, 16]), Ok(number));
            assert_eq!(client.wait((COMPUTE, number), FOR_EVER), Ok(true));
            assert_eq!(dword(data.host).load(Ordering::Acquire), 42);
            assert_eq!(qword(fence.host + 16).load(Ordering::Acquire), number);
        }
        // More than may be under way, and than fit into a ring.
        for number in 101..=2000 {
            assert_eq!(submit(&[fence.handle, 16]), Ok(number));
        }
        assert_eq!(client.wait((COMPUTE, 2000), FOR_EVER), Ok(true));
        assert_eq!(qword(fence.host + 16).load(Ordering::Acquire), 2000);
    });
}

#[test]
fn what_cannot_be_submitted() {
    on_gpu("what_cannot_be_submitted", || {
        let mut client = Client::new();
        let buffer = client.buffer(4096);
        let indirect = |ring| buffer_chunk(ring, buffer.va, 4);
        let submit = |ring| client.chunks(client.context, 0, &[(AMDGPU_CHUNK_ID_IB, &indirect(ring))]);
        for ring in [(AMDGPU_HW_IP_GFX, 0), (AMDGPU_HW_IP_COMPUTE, 4), (AMDGPU_HW_IP_DMA, 2), (AMDGPU_HW_IP_NUM, 0)] {
            assert_eq!(submit(ring), Err(libc::EINVAL), "{ring:?}");
        }
        let ib = (AMDGPU_CHUNK_ID_IB, indirect(COMPUTE));
        let ib = (ib.0, ib.1.as_slice());
        assert_eq!(client.chunks(99, 0, &[ib]), Err(libc::EINVAL), "no such context");
        assert_eq!(client.chunks(client.context, 0, &[]), Err(libc::EINVAL), "nothing");
        assert_eq!(client.chunks(client.context, 0, &[(AMDGPU_CHUNK_ID_DEPENDENCIES, &[])]), Err(libc::EINVAL));
        assert_eq!(client.chunks(client.context, 0, &[(AMDGPU_CHUNK_ID_IB, &ib.1[..7])]), Err(libc::EINVAL), "short");
        assert_eq!(client.chunks(client.context, 0, &[ib, (99, &[0])]), Err(libc::EINVAL), "unknown");
        assert_eq!(client.chunks(client.context, 77, &[ib]), Err(libc::ENOENT), "no such list");
        let long = buffer_chunk(COMPUTE, buffer.va, 4 << 20);
        assert_eq!(client.chunks(client.context, 0, &[(AMDGPU_CHUNK_ID_IB, &long)]), Err(libc::EINVAL));
        let twice = vec![ib; 126];
        assert_eq!(client.chunks(client.context, 0, &twice), Err(libc::EINVAL));
        // What the job waits for must have been submitted.
        assert_eq!(client.submit(COMPUTE, buffer, &[0xffff_1000], &[(DMA, 1)], &[]), Err(libc::EINVAL));
        // One page at an address that nobody has.
        let wanted = drm_amdgpu_cs_in { ctx_id: client.context, bo_list_handle: 0, num_chunks: 1, flags: 0, chunks: 8 };
        // SAFETY: the driver finds that the address is bad.
        let bad = unsafe { drm_ioctl_amdgpu_cs(client.node.as_fd(), &mut drm_amdgpu_cs { in_: wanted }) };
        assert_eq!(answer(bad), Err(libc::EFAULT));
        // None of these left anything behind.
        assert_eq!(client.submit(COMPUTE, buffer, &[0xffff_1000], &[], &[buffer]), Ok((COMPUTE, 1)));
        assert_eq!(client.wait((COMPUTE, 1), FOR_EVER), Ok(true));
    });
}

/// `amdgpu_bo_list_ioctl`.
#[test]
fn lists_of_buffers() {
    on_gpu("lists_of_buffers", || {
        let mut client = Client::new();
        let buffer = client.buffer(4096);
        let list = |operation, list_handle, handles: &[u32]| {
            let entries: Vec<u32> = handles.iter().flat_map(|handle| [*handle, 0]).collect();
            let wanted = drm_amdgpu_bo_list_in {
                operation,
                list_handle,
                bo_number: handles.len() as u32,
                bo_info_size: 8,
                bo_info_ptr: entries.as_ptr().expose_provenance() as u64,
            };
            let mut args = drm_amdgpu_bo_list { in_: wanted };
            // SAFETY: the entries live as long as the request; the driver fills the answer in.
            answer(unsafe { drm_ioctl_amdgpu_bo_list(client.node.as_fd(), &mut args).map(|()| args.out.list_handle) })
        };
        let (create, destroy, update) = (AMDGPU_BO_LIST_OP_CREATE, AMDGPU_BO_LIST_OP_DESTROY, AMDGPU_BO_LIST_OP_UPDATE);
        assert_eq!(list(create, 0, &[99]), Err(libc::ENOENT));
        let made = list(create, 0, &[]).unwrap();
        assert_eq!(list(update, made, &[buffer.handle]), Ok(made));
        assert_eq!(list(update, made + 1, &[buffer.handle]), Err(libc::ENOENT));
        assert_eq!(list(7, made, &[]), Err(libc::EINVAL));
        let gate = buffer.va + 2048;
        let wait = [0xc005_3c02, 3 | 1 << 4, low(gate), high(gate), 1, u32::MAX, 4];
        wait.iter()
            .enumerate()
            .for_each(|(at, packet)| dword(buffer.host + 4 * at as u64).store(*packet, Ordering::Relaxed));
        let indirect = buffer_chunk(COMPUTE, buffer.va, 28);
        assert_eq!(client.chunks(client.context, made, &[(AMDGPU_CHUNK_ID_IB, &indirect)]), Ok(1));
        assert!(!client.is_idle(buffer));
        dword(buffer.host + 2048).store(1, Ordering::Release);
        assert_eq!(client.wait((COMPUTE, 1), FOR_EVER), Ok(true));
        assert!(client.is_idle(buffer));
        assert_eq!((list(destroy, made, &[]), list(destroy, made, &[])), (Ok(0), Ok(0)));
        assert_eq!(client.chunks(client.context, made, &[(AMDGPU_CHUNK_ID_IB, &indirect)]), Err(libc::ENOENT));
    });
}

#[test]
fn a_fault_ends_the_jobs_of_its_file_only() {
    on_gpu("a_fault_ends_the_jobs_of_its_file_only", || {
        let (mut client, mut other) = (Client::new(), Client::new());
        let (at, elsewhere) = (client.buffer(4096), other.buffer(4096));
        let unmapped = 1 << 40;
        let job = client.submit(COMPUTE, at, &write_data(unmapped, 1), &[], &[]).unwrap();
        assert_eq!(client.wait(job, FOR_EVER), Err(libc::ENODATA));
        assert_eq!(client.submit(COMPUTE, at, &[0xffff_1000], &[], &[]), Err(libc::ENODATA));
        let mut args = drm_amdgpu_ctx {
            in_: drm_amdgpu_ctx_in { op: AMDGPU_CTX_OP_QUERY_STATE2, flags: 0, ctx_id: client.context, priority: 0 },
        };
        // SAFETY: no addresses; the driver fills the answer in.
        let flags = unsafe {
            drm_ioctl_amdgpu_ctx(client.node.as_fd(), &mut args).unwrap();
            args.out.state.flags
        };
        assert_eq!(flags, u64::from(AMDGPU_CTX_QUERY2_FLAGS_GUILTY));
        let job = other.submit(COMPUTE, elsewhere, &write_data(elsewhere.va + 1024, 5), &[], &[]).unwrap();
        assert_eq!(other.wait(job, FOR_EVER), Ok(true));
        assert_eq!(dword(elsewhere.host + 1024).load(Ordering::Acquire), 5);
    });
}

/// Jobs use the file's address space, also when a process has taken it.
#[test]
fn jobs_see_what_the_driver_of_compute_maps() {
    on_gpu("jobs_see_what_the_driver_of_compute_maps", || {
        let mut client = Client::new();
        let [first, second] = [(); 2].map(|()| client.buffer(4096));
        let before = client.submit(COMPUTE, first, &write_data(first.va + 1024, 3), &[], &[]).unwrap();
        let device = Device {
            kfd: open_kfd().unwrap(),
            render: vec![client.node.try_clone().unwrap()],
            gpu_ids: vec![gpu_id(0)],
        };
        device.acquire_vm(device.gpu_ids[0], device.render[0].as_fd()).unwrap();
        let (va, _) = common::queues::buffer(&device, 4096);
        let job = client.submit(COMPUTE, second, &write_data(va, 8), &[before], &[]).unwrap();
        assert_eq!(client.wait(job, FOR_EVER), Ok(true));
        assert_eq!(dword(first.host + 1024).load(Ordering::Acquire), 3);
        assert_eq!(dword(va).load(Ordering::Acquire), 8);
    });
}

//! Shared accounts of each GPU for all processes of one `vgpu run`: memory in use, work in progress, queues.
//!
//! The accounts are in a memory file that the processes map: a slot each, in which the process keeps what concerns it.
//! A process locks the byte of its slot's number in the file, and the kernel drops that lock when the process ends,
//! however it ends: a slot counts only while it is locked. So nothing has to be given back, and the file goes with the
//! last process. A process finds it by its name among the open files of the others; who finds none makes it.

use crate::backing::{self, Backing, PAGE};
use crate::descriptors::Descriptor;
use crate::driver::config::MAX_GPUS;
use crate::driver::kfd::queues::MAX_QUEUES;
use crate::errno::Errno;
use crate::hardware::activity::{Activity, Shown};
use crate::real;
use std::ffi::CString;
use std::mem::offset_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Processes that can have a slot.
const SLOTS: u64 = 1024;
/// The file.
#[repr(C)]
struct Table {
    /// Slots that have ever been used: those with the lowest numbers.
    used: AtomicU64,
    slots: [Slot; SLOTS as usize],
}

/// What a process has. All zero is nothing.
#[repr(C)]
struct Slot {
    /// The number, once it opened `/dev/kfd`.
    process: AtomicU64,
    /// Bytes that it has taken of each GPU's memory.
    vram: [AtomicU64; MAX_GPUS as usize],
    activities: [Activity; MAX_GPUS as usize],
    /// The queues by their ids, as [`Queue::pack`] has them; 0 for none.
    queues: [AtomicU64; MAX_QUEUES as usize],
}

/// Bytes of the file.
const BYTES: u64 = (size_of::<Table>() as u64).next_multiple_of(PAGE);

/// A queue, as others see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Number of its GPU.
    pub gpu: u32,
    /// The driver's number for its type (`enum kfd_queue_type`).
    pub kind: u32,
    /// Bytes of its ring.
    pub size: u32,
}

impl Queue {
    const PRESENT: u64 = 1 << 63;

    fn pack(self) -> u64 {
        Queue::PRESENT | u64::from(self.gpu & 0xff) << 40 | u64::from(self.kind & 0xff) << 32 | u64::from(self.size)
    }

    fn unpack(word: u64) -> Option<Queue> {
        let [size, kind, gpu] = [word, word >> 32 & 0xff, word >> 40 & 0xff].map(|part| part as u32);
        (word & Queue::PRESENT != 0).then_some(Queue { gpu, kind, size })
    }
}

/// A process that has `/dev/kfd` open, as others see it.
pub struct Seen<'a> {
    /// The number, by which the driver calls its address space, from 0.
    pub number: u64,
    slot: &'a Slot,
}

impl Seen<'_> {
    /// The process id.
    pub fn process(&self) -> u64 {
        self.slot.process.load(Ordering::Relaxed)
    }

    /// Bytes that it has taken of GPU `gpu`'s memory.
    pub fn vram(&self, gpu: u32) -> u64 {
        self.slot.vram[gpu as usize].load(Ordering::Relaxed)
    }

    /// The activity of GPU `gpu` for this process.
    pub fn activity(&self, gpu: u32) -> &Activity {
        &self.slot.activities[gpu as usize]
    }

    /// The queues, with their ids.
    pub fn queues(&self) -> impl Iterator<Item = (usize, Queue)> {
        let all = self.slot.queues.iter().enumerate();
        all.filter_map(|(id, queue)| Some((id, Queue::unpack(queue.load(Ordering::Relaxed))?)))
    }
}

/// The byte that is locked while a process looks whether there is enough left and takes it.
const TAKING: i64 = SLOTS as i64;
/// Attempts to find or make the file while another process makes it, a millisecond each.
const PATIENCE: u32 = 200;

/// Longest name of the file, in bytes: the socket's, behind a 0.
const NAME: usize = 107;

/// This process's view of the accounts. One thread at a time must use it, because its locks do not distinguish threads.
#[derive(Debug)]
pub struct Accounts {
    /// The table.
    memory: Arc<Backing>,
    /// The same file, opened by this process itself: locks belong to whoever opened it.
    file: Descriptor,
    /// This process's, unless it only looks.
    slot: Option<u64>,
}

impl Accounts {
    /// Joins the processes of the run called `run`.
    ///
    /// # Errors
    /// `ENAMETOOLONG` if `run` makes a name that a socket cannot have, otherwise what the host says if there is no
    /// `/proc`, or no room.
    pub fn join(run: &str) -> Result<Accounts, Errno> {
        let name = CString::new(format!("vgpu-accounts-{run}")).map_err(|_| Errno::EINVAL)?;
        if name.as_bytes().len() > NAME {
            return Err(Errno(libc::ENAMETOOLONG));
        }
        for _ in 0..PATIENCE {
            if let Some(file) = find(&name) {
                return Accounts::open(file);
            }
            // The name of a socket, which goes with it, keeps others from making the file at the same time.
            let Ok(_maker) = claim(&name) else {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            if let Some(file) = find(&name) {
                return Accounts::open(file);
            }
            let made = backing::memfd_low(&name, true)?;
            // SAFETY: plain system call on a descriptor that we own.
            if unsafe { libc::ftruncate(made.as_raw_fd(), BYTES as i64) } != 0 {
                return Err(Errno::last());
            }
            return Accounts::open(reopen(&format!("/proc/self/fd/{}", made.as_raw_fd()))?);
        }
        Err(Errno::EBUSY)
    }

    /// The accounts of the run called `run`, for a process that does not use the device. `None` if no process does.
    pub fn look_at(run: &str) -> Option<Accounts> {
        Accounts::view(find(&CString::new(format!("vgpu-accounts-{run}")).ok()?)?).ok()
    }

    fn view(file: OwnedFd) -> Result<Accounts, Errno> {
        let again = reopen(&format!("/proc/self/fd/{}", file.as_raw_fd()))?;
        let memory = Backing::from_fd(again)?;
        if memory.size() != BYTES {
            return Err(Errno::EINVAL);
        }
        Ok(Accounts { memory: Arc::new(memory), file: Descriptor::new(file), slot: None })
    }

    fn open(file: OwnedFd) -> Result<Accounts, Errno> {
        let mut accounts = Accounts::view(file)?;
        let file = accounts.file.as_raw_fd();
        let slot = (0..SLOTS).find(|slot| lock(file, libc::F_OFD_SETLK, *slot as i64).is_ok());
        let slot = slot.ok_or(Errno::ENOSPC)?;
        let Table { used, slots } = accounts.table();
        let Slot { process, vram, activities, queues } = &slots[slot as usize];
        [process].into_iter().chain(vram).chain(queues).for_each(|number| number.store(0, Ordering::Relaxed));
        activities.iter().for_each(Activity::reset);
        used.fetch_max(slot + 1, Ordering::Relaxed);
        accounts.slot = Some(slot);
        Ok(accounts)
    }

    fn table(&self) -> &Table {
        // SAFETY: the mapping is that long, as `view` checked, and lives as long as `self`. All of it is atomic
        // integers, which others change.
        unsafe { &*self.memory.host().cast::<Table>() }
    }

    fn own(&self) -> Result<&Slot, Errno> {
        self.slot.map(|slot| &self.table().slots[slot as usize]).ok_or(Errno::EBADF)
    }

    /// The slots that may be of a process.
    fn slots(&self) -> impl Iterator<Item = (u64, &Slot)> {
        let Table { used, slots } = self.table();
        (0..).zip(&slots[..used.load(Ordering::Relaxed).min(SLOTS) as usize])
    }

    fn is_alive(&self, slot: u64) -> bool {
        Some(slot) == self.slot || is_locked(self.file.as_raw_fd(), slot as i64)
    }

    /// The processes that have `/dev/kfd` open.
    pub fn processes(&self) -> impl Iterator<Item = Seen<'_>> {
        let open = self.slots().filter(|(_, slot)| slot.process.load(Ordering::Relaxed) != 0);
        open.filter(move |(number, _)| self.is_alive(*number)).map(|(number, slot)| Seen { number, slot })
    }

    /// This process has opened `/dev/kfd`.
    pub fn opened(&self) {
        if let Ok(own) = self.own() {
            own.process.store(std::process::id().into(), Ordering::Relaxed);
        }
    }

    /// This process has queue `id`, or has it no more.
    pub fn set_queue(&self, id: u32, queue: Option<Queue>) {
        if let Some(word) = self.own().ok().and_then(|own| own.queues.get(id as usize)) {
            word.store(queue.map_or(0, Queue::pack), Ordering::Relaxed);
        }
    }

    /// Where this process shows what GPU `gpu` does.
    pub fn activity(&self, gpu: u32) -> Option<Shown> {
        let slot = offset_of!(Table, slots) + self.slot? as usize * size_of::<Slot>();
        let offset = slot + offset_of!(Slot, activities) + gpu as usize * size_of::<Activity>();
        Some(Shown::at(self.memory.clone(), offset))
    }

    /// The share of the last time in which GPU `gpu` was busy for any process, 0 to 1.
    pub fn busy(&self, gpu: u32) -> f64 {
        let busy = self.slots().map(|(number, slot)| (number, slot.activities[gpu as usize].busy()));
        let alive = busy.filter(|(number, busy)| *busy > 0.0 && self.is_alive(*number));
        alive.map(|(_, busy)| busy).sum::<f64>().min(1.0)
    }

    /// Bytes of GPU `gpu` that are taken, by this process and all others.
    pub fn taken(&self, gpu: u32) -> u64 {
        let taken = self.slots().map(|(number, slot)| (number, slot.vram[gpu as usize].load(Ordering::Relaxed)));
        let alive = taken.filter(|(number, bytes)| *bytes != 0 && self.is_alive(*number));
        alive.map(|(_, bytes)| bytes).fold(0, u64::saturating_add)
    }

    /// Reserves `bytes` of GPU `gpu`, which has `total`.
    ///
    /// # Errors
    /// `ENOMEM` if not so much is left.
    pub fn take(&self, gpu: u32, bytes: u64, total: u64) -> Result<(), Errno> {
        let own = &self.own()?.vram[gpu as usize];
        lock(self.file.as_raw_fd(), libc::F_OFD_SETLKW, TAKING)?;
        let fits = self.taken(gpu).checked_add(bytes).is_some_and(|taken| taken <= total);
        if fits {
            own.fetch_add(bytes, Ordering::Relaxed);
        }
        change(self.file.as_raw_fd(), libc::F_OFD_SETLK, TAKING, libc::F_UNLCK)?;
        if fits { Ok(()) } else { Err(Errno::ENOMEM) }
    }

    /// Gives `bytes` of GPU `gpu` back.
    pub fn give_back(&self, gpu: u32, bytes: u64) {
        if let Ok(own) = self.own() {
            own.vram[gpu as usize].fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

/// Opens the memory file that this link of `/proc` leads to.
///
/// # Errors
/// `EACCES` if it is another user's (root may open those too), or something else; otherwise what the host says.
fn reopen(path: &str) -> Result<OwnedFd, Errno> {
    // Looked at before it is opened, which can wait for whoever holds a lease on the file.
    let link = open(path, libc::O_PATH)?;
    let stat = crate::real::host_stat(link.as_raw_fd())?;
    // SAFETY: plain system call.
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG || stat.st_uid != unsafe { libc::geteuid() } {
        return Err(Errno::EACCES);
    }
    open(&format!("/proc/self/fd/{}", link.as_raw_fd()), libc::O_RDWR)
}

fn open(path: &str, flags: i32) -> Result<OwnedFd, Errno> {
    let path = CString::new(path).map_err(|_| Errno::EINVAL)?;
    // SAFETY: `path` is a C string.
    let fd = unsafe { real::open(path.as_ptr(), flags | libc::O_CLOEXEC, 0) };
    if fd < 0 {
        return Err(Errno::last());
    }
    // SAFETY: `fd` is new and ours.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The memory file called `name`, if a process that we may look into has it open. One of another size is not made yet,
/// or no accounts.
fn find(name: &CString) -> Option<OwnedFd> {
    let wanted = format!("/memfd:{} (deleted)", name.to_str().ok()?);
    let numbers = |path: &str| {
        let entries = std::fs::read_dir(path).ok().into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).collect::<Vec<u32>>()
    };
    for process in numbers("/proc") {
        let folder = format!("/proc/{process}/fd");
        for fd in numbers(&folder) {
            let path = format!("{folder}/{fd}");
            // It may be closed, or another file, by the time that it is opened: look at what was opened.
            if links_to(&path, &wanted)
                && let Ok(file) = reopen(&path)
                && links_to(&format!("/proc/self/fd/{}", file.as_raw_fd()), &wanted)
                && real::host_stat(file.as_raw_fd()).is_ok_and(|stat| stat.st_size as u64 == BYTES)
            {
                return Some(file);
            }
        }
    }
    None
}

fn links_to(path: &str, wanted: &str) -> bool {
    let Ok(path) = CString::new(path) else { return false };
    let mut target = [0u8; 128];
    // SAFETY: `path` is a C string and `target` is writable.
    let length = unsafe { real::readlink(path.as_ptr(), target.as_mut_ptr().cast(), target.len()) };
    usize::try_from(length).is_ok_and(|length| &target[..length] == wanted.as_bytes())
}

/// A socket of this name, which only one process can have.
fn claim(name: &CString) -> Result<OwnedFd, Errno> {
    // SAFETY: plain system call.
    let fd = unsafe { libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if fd < 0 {
        return Err(Errno::last());
    }
    // SAFETY: `fd` is new and ours.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: all zero is a valid address.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    // Behind a first 0, names are no files.
    for (to, from) in address.sun_path.iter_mut().skip(1).zip(name.as_bytes()) {
        *to = *from as libc::c_char;
    }
    let length = size_of::<libc::sa_family_t>() + 1 + name.as_bytes().len();
    // SAFETY: the address has at least `length` bytes: `join` refused longer names.
    if unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length as libc::socklen_t) } != 0 {
        return Err(Errno::last());
    }
    Ok(socket)
}

fn flock(kind: libc::c_int, byte: i64) -> libc::flock {
    // SAFETY: all zero is a valid lock.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind as libc::c_short;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    (lock.l_start, lock.l_len) = (byte, 1);
    lock
}

fn change(file: RawFd, command: libc::c_int, byte: i64, kind: libc::c_int) -> Result<(), Errno> {
    let mut lock = flock(kind, byte);
    // SAFETY: `lock` is valid.
    if unsafe { real::fcntl(file, command, (&raw mut lock).addr()) } != 0 {
        return Err(Errno::last());
    }
    Ok(())
}

fn lock(file: RawFd, command: libc::c_int, byte: i64) -> Result<(), Errno> {
    change(file, command, byte, libc::F_WRLCK)
}

/// Whether another process holds the lock of this byte.
fn is_locked(file: RawFd, byte: i64) -> bool {
    let mut lock = flock(libc::F_WRLCK, byte);
    // SAFETY: `lock` is valid, and the kernel writes to it.
    let asked = unsafe { real::fcntl(file, libc::F_OFD_GETLK, (&raw mut lock).expose_provenance()) };
    asked == 0 && i32::from(lock.l_type) != libc::F_UNLCK
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER_USER: u32 = 65534;

    #[test]
    fn what_else_has_the_name() {
        let run = format!("test-other-{}", std::process::id());
        let name = CString::new(format!("vgpu-accounts-{run}")).unwrap();
        let small = backing::memfd_low(&name, true).unwrap();
        // SAFETY: plain system call.
        assert_eq!(unsafe { libc::ftruncate(small.as_raw_fd(), 4096) }, 0);
        let (first, second) = (Accounts::join(&run).unwrap(), Accounts::join(&run).unwrap());
        first.take(7, 60, 100).unwrap();
        assert_eq!(second.taken(7), 60);
        let longest = "x".repeat(NAME - "vgpu-accounts-".len());
        Accounts::join(&longest).unwrap();
        assert_eq!(Accounts::join(&(longest + "x")).err(), Some(Errno(libc::ENAMETOOLONG)));
    }

    /// A process of another user's, with a file of the name and a lease on it, at which who opens the file waits.
    #[test]
    fn the_file_of_another_user_is_neither_used_nor_waited_for() {
        let run = format!("test-user-{}", std::process::id());
        let name = CString::new(format!("vgpu-accounts-{run}")).unwrap();
        let mut pipe = [0; 2];
        // SAFETY: room for two descriptors. The child, of a process with threads, makes plain system calls only.
        let child = unsafe {
            assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
            libc::fork()
        };
        if child == 0 {
            // SAFETY: as above.
            unsafe {
                libc::syscall(libc::SYS_setresuid, OTHER_USER, OTHER_USER, OTHER_USER);
                libc::signal(libc::SIGIO, libc::SIG_IGN);
                let file =
                    libc::syscall(libc::SYS_memfd_create, name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
                libc::syscall(libc::SYS_ftruncate, file, BYTES);
                libc::syscall(libc::SYS_fcntl, file, libc::F_SETLEASE, libc::F_WRLCK);
                libc::syscall(libc::SYS_write, pipe[1], c"made".as_ptr(), 1);
                libc::pause();
                libc::_exit(0);
            }
        }
        let mut told = 0u8;
        // SAFETY: room for one byte.
        assert_eq!(unsafe { libc::read(pipe[0], (&raw mut told).cast(), 1) }, 1);
        let stranger = links_to_accounts(child, &name);
        let started = std::time::Instant::now();
        let accounts = Accounts::join(&run);
        let waited = started.elapsed();
        // SAFETY: the child is ours, and so are the descriptors.
        unsafe {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, std::ptr::null_mut(), 0);
            pipe.into_iter().for_each(|fd| _ = libc::close(fd));
        }
        if !stranger {
            test_skip::skip!("only root can look into other users' processes");
        }
        let owner = crate::real::host_stat(accounts.unwrap().file.as_raw_fd()).unwrap().st_uid;
        // SAFETY: plain system call.
        assert_eq!(owner, unsafe { libc::geteuid() });
        // A lease is waited for as long as /proc/sys/fs/lease-break-time says: 45 s.
        assert!(waited < Duration::from_secs(20), "{waited:?}");
    }

    /// Whether `process` is another user's, which has a file of this name that we can see.
    fn links_to_accounts(process: i32, name: &CString) -> bool {
        let wanted = format!("/memfd:{} (deleted)", name.to_str().unwrap());
        let links = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
        links.filter_map(|link| std::fs::metadata(link.path()).ok().zip(std::fs::read_link(link.path()).ok())).any(
            |(file, target)| {
                target.as_os_str() == wanted.as_str() && std::os::unix::fs::MetadataExt::uid(&file) == OTHER_USER
            },
        )
    }

    #[test]
    fn processes_share_what_a_gpu_has() {
        let run = format!("test-{}", std::process::id());
        // Each joins as a process of its own would.
        let (first, second) = (Accounts::join(&run).unwrap(), Accounts::join(&run).unwrap());
        let other = Accounts::join(&format!("{run}-other")).unwrap();
        assert_ne!(first.slot, second.slot);
        first.take(0, 60, 100).unwrap();
        assert_eq!(second.take(0, 41, 100), Err(Errno::ENOMEM));
        second.take(0, 40, 100).unwrap();
        second.take(1, 100, 100).unwrap();
        assert_eq!((first.taken(0), second.taken(0), first.taken(1), other.taken(0)), (100, 100, 100, 0));
        second.give_back(0, 10);
        assert_eq!(first.taken(0), 90);
        // However it ends, what a process had is free again: at once, or when the last child that another test forked
        // meanwhile is gone.
        drop(second);
        let is_free = || (first.taken(0), first.taken(1)) == (60, 0);
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while !is_free() {
            assert!(std::time::Instant::now() < deadline, "{:?}", (first.taken(0), first.taken(1)));
            std::thread::sleep(Duration::from_millis(1));
        }
        let third = Accounts::join(&run).unwrap();
        assert_eq!(third.taken(0), 60);
    }

    #[test]
    fn processes_are_seen_with_their_queues_and_work() {
        let run = format!("test-seen-{}", std::process::id());
        let (first, second) = (Accounts::join(&run).unwrap(), Accounts::join(&run).unwrap());
        assert_eq!(second.processes().count(), 0);
        first.opened();
        first.take(1, 4096, 8192).unwrap();
        let queue = Queue { gpu: 1, kind: 4, size: 1 << 20 };
        first.set_queue(3, Some(queue));
        first.set_queue(9, Some(Queue { gpu: 0, kind: 0, size: 4096 }));
        first.set_queue(9, None);
        let shown = first.activity(1).unwrap();
        shown.add_waves(80);
        shown.add_sdma(5_000);
        shown.begin();
        let [seen] = &second.processes().collect::<Vec<_>>()[..] else { panic!("not one process") };
        assert_eq!((seen.process(), seen.number), (std::process::id().into(), first.slot.unwrap()));
        assert_eq!((seen.vram(0), seen.vram(1)), (0, 4096));
        assert_eq!(seen.queues().collect::<Vec<_>>(), [(3, queue)]);
        assert_eq!((seen.activity(1).waves(), seen.activity(1).sdma_ns(), seen.activity(0).waves()), (80, 5_000, 0));
        std::thread::sleep(Duration::from_millis(50));
        assert!(second.busy(1) > 0.1 && second.busy(0) == 0.0, "{}", second.busy(1));
        assert!(Accounts::look_at(&run).unwrap().activity(0).is_none());
    }
}

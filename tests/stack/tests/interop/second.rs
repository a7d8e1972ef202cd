//! A second process, which is the same test again in another role, and what it leaves when it is gone.
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rocm_interop::Session;

use crate::ALONE;

/// In the environment of the second process: its role, and who started it.
const ROLE: &str = "STACK_TESTS_ROLE";
/// For what another process is to do.
pub const LIMIT: Duration = Duration::from_secs(120);

/// The second process, and the socket to it, which is its standard input.
pub struct Second {
    pub process: Child,
    pub socket: UnixStream,
    mark: String,
}

impl Second {
    /// `test` with its module.
    pub fn start(test: &str, role: &str) -> Second {
        let (socket, theirs) = UnixStream::pair().expect("sockets");
        socket.set_read_timeout(Some(LIMIT)).expect("a limit");
        let mark = format!("{role} of {} in {test}", std::process::id());
        // On the same virtual GPU: what is preloaded stays.
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        command.args(["--exact", test, "--nocapture"]).env(ROLE, &mark);
        // Its totals are not those of this run.
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
        Second { process: command.spawn().expect("this test starts"), socket, mark }
    }

    pub fn kill(&mut self) {
        self.process.kill().expect("a child can be killed");
        self.process.wait().expect("a child can be waited for");
        let wanted = format!("{ROLE}={}", self.mark);
        let has_mark = |process: &PathBuf| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
        };
        let left: Vec<PathBuf> = entries(Path::new("/proc")).into_iter().filter(has_mark).collect();
        assert_eq!(left, [""; 0].map(PathBuf::from), "processes of the one that was killed");
    }

    /// Waits for a byte, which says that it is done.
    pub fn done(&mut self) {
        self.socket.read_exact(&mut [0]).expect("the second process says that it is done");
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn entries(folder: &Path) -> BTreeSet<PathBuf> {
    fs::read_dir(folder).expect("the folder can be read").flatten().map(|entry| entry.path()).collect()
}

/// What a process that is gone could have left behind.
pub struct Left {
    /// Files in shared memory beside those that AMD's libraries leave there with every GPU.
    files: BTreeSet<PathBuf>,
    /// Bytes that are taken of the GPU's memory by all processes; `None` where others may have some too.
    bytes: Option<u64>,
}

pub fn left(session: &Session) -> Left {
    let amds = |file: &PathBuf| file.to_string_lossy().contains("hsakmt");
    let files = entries(Path::new("/dev/shm")).into_iter().filter(|file| !amds(file)).collect();
    let bytes = std::env::var_os(ALONE).map(|_| {
        let used = format!("/sys/bus/pci/devices/{}/mem_info_vram_used", session.device().pci());
        fs::read_to_string(&used).expect("the driver tells").trim().parse().expect("a number")
    });
    Left { files, bytes }
}

impl Left {
    /// Waits for what AMD's runtimes give up in threads of their own: commands, and with them the memory that these
    /// use.
    #[track_caller]
    pub fn assert_no_more(&self, session: &Session, moment: Option<Duration>) {
        let deadline = Instant::now() + LIMIT;
        let mut now = left(session);
        while now.bytes > self.bytes && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
            now = left(session);
        }
        assert_eq!(now.files, self.files, "killed after {moment:?}");
        assert!(
            now.bytes <= self.bytes,
            "killed after {moment:?}: {:?} bytes were taken, now {:?}",
            self.bytes,
            now.bytes
        );
    }
}

/// The role of this process; `None` for the first.
pub fn role() -> Option<String> {
    Some(std::env::var(ROLE).ok()?.split(' ').next()?.to_owned())
}

/// In the second process: the socket.
pub fn first() -> UnixStream {
    use std::os::fd::AsFd;
    UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned().expect("the socket"))
}

/// How many descriptors this process has open.
pub fn descriptors() -> usize {
    entries(Path::new("/proc/self/fd")).len()
}

/// Numbers that are the same for a seed each time.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, below: u64) -> u64 {
        // Constants of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

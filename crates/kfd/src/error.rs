//! Errors.

use std::time::Duration;

use kfd_sys::Errno;

use crate::{Fault, QueueError};

/// The result of everything in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Makes `Debug` of errors what `Display` is: a `main` that returns an error, `unwrap` and `expect` print it by
/// `Debug`, and so what helps too.
macro_rules! debug_is_display {
    ($($error:ty)*) => {
        $(impl std::fmt::Debug for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        })*
    };
}
pub(crate) use debug_is_display;

/// Why something could not be done: what was asked for, who refused, and what helps.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `/dev/kfd` or a render node could not be opened.
    #[error(transparent)]
    Open(#[from] kfd_sys::OpenError),
    /// The topology cannot be read, or says something that makes no sense.
    #[error(transparent)]
    Topology(#[from] kfd_topology::Error),
    /// The driver is loaded, but no GPU is there for this process.
    #[error("no GPU: {0}")]
    NoGpu(String),
    /// The driver speaks a version of its interface that this crate does not know.
    #[error(
        "the driver's interface is version {major}.{minor}, this crate speaks 1.x from 1.{} on",
        crate::OLDEST_MINOR
    )]
    Version {
        /// The driver's.
        major: u32,
        /// The driver's.
        minor: u32,
    },
    /// The driver or the GPU is too old for it, or another kind than this crate supports.
    #[error("{subject} is not supported here: {why}")]
    Unsupported {
        /// What was asked for.
        subject: &'static str,
        /// What is missing.
        why: String,
    },
    /// The driver refused a request.
    #[error("the driver refused {request} ({subject}): {errno}; {advice}")]
    Request {
        /// The request, as `kfd_ioctl.h` names it, or the call of libc.
        request: &'static str,
        /// What it was for.
        subject: &'static str,
        /// The driver's answer.
        errno: Errno,
        /// What may help.
        advice: &'static str,
    },
    /// A size, count or place that cannot be; nothing was asked of the driver.
    #[error("{subject} is {value}, must be {expected}")]
    Value {
        /// What was given.
        subject: &'static str,
        /// Its value.
        value: u64,
        /// What is allowed.
        expected: &'static str,
    },
    /// A range outside a buffer.
    #[error("elements {start}..{} are outside a buffer of {len}", start.saturating_add(*count))]
    Range {
        /// First element asked for.
        start: usize,
        /// Elements asked for.
        count: usize,
        /// Elements of the buffer.
        len: usize,
    },
    /// The host cannot see this memory.
    #[error(
        "this buffer is not visible to the host: allocate it with Placement::VISIBLE or Placement::HOST, or copy it by an SdmaQueue or a Copier"
    )]
    NotVisible,
    /// Work that uses the buffer may still run.
    #[error("the buffer is used by work that is not done: wait for it first, by its queue, a ticket or a signal")]
    InUse,
    /// Something of one device was used with another that cannot get at it.
    #[error("{0} belongs to another device: map it there first, or make it for this one")]
    OtherDevice(&'static str),
    /// Something of one queue was used with another.
    #[error("this work was submitted to another queue")]
    OtherQueue,
    /// A code object that cannot be loaded, is for another GPU, or has no such kernel.
    #[error(transparent)]
    Code(#[from] crate::code::Error),
    /// A launch that does not fit the kernel.
    #[error(transparent)]
    Launch(#[from] crate::code::LaunchError),
    /// A grid or work-group that cannot be.
    #[error(transparent)]
    Geometry(#[from] aql::GeometryError),
    /// The queue has no room now.
    #[error(
        "the {queue} is full ({capacity} pieces of work, or what they need in its rings): wait for some of it with `wait_for_room`"
    )]
    QueueFull {
        /// Which kind of queue.
        queue: &'static str,
        /// The most pieces of work that it can hold.
        capacity: u64,
    },
    /// The queue's packets were refused for another reason than that it is full.
    #[error(transparent)]
    Submit(aql::SubmitError),
    /// The time given was over first.
    #[error("not done within {after:?}: {subject}")]
    Timeout {
        /// What was waited for.
        subject: &'static str,
        /// How long.
        after: Duration,
    },
    /// The device cannot go on.
    #[error("the GPU is lost: {fault}; {}", fault.advice())]
    Lost {
        /// Why.
        fault: Fault,
    },
    /// The queue stopped, or one that it waits for. Other queues go on.
    #[error(
        "a queue stopped that was to do it, or that it waits for: {error}{}; drop that queue and make another",
        not_done(kernels)
    )]
    Stopped {
        /// Why.
        error: QueueError,
        /// The names of the kernels that the queue was given and had not done, in their order, each once: one of them
        /// it was, if it was a kernel. See [`Queue::unfinished_kernels`](crate::Queue::unfinished_kernels).
        kernels: Vec<String>,
    },
    /// The queue is gone, or one that it waits for. A signal that such a queue was to complete stays abandoned until it
    /// is set.
    #[error(
        "a queue was dropped that was to do it, or to complete a signal that it waits for; Signal::set lets others go on"
    )]
    Abandoned,
    /// The object is the parent process's.
    #[error("this object was made before a fork and is the parent's: open the driver anew in the child")]
    Forked,
}

debug_is_display!(Error);

impl From<aql::SubmitError> for Error {
    fn from(error: aql::SubmitError) -> Error {
        match error {
            aql::SubmitError::Full { capacity, .. } => Error::QueueFull { queue: COMPUTE, capacity },
            other => Error::Submit(other),
        }
    }
}

/// Names the first of the kernels of a queue that stopped.
fn not_done(kernels: &[String]) -> String {
    const MAX: usize = 8;
    match kernels.len() {
        0 => String::new(),
        count @ 1..=MAX => format!(" (not done: kernel{} {})", if count == 1 { "" } else { "s" }, kernels.join(", ")),
        count => format!(" (not done: kernels {} and {} more)", kernels[..MAX].join(", "), count - MAX),
    }
}

/// What errors call a [`Queue`](crate::Queue).
pub(crate) const COMPUTE: &str = "compute queue";

impl Error {
    /// For a request that the driver answered with this error.
    pub(crate) fn request(request: &'static str, subject: &'static str, errno: Errno) -> Error {
        Error::Request { request, subject, errno, advice: advice(request, errno) }
    }
}

fn advice(request: &str, errno: Errno) -> &'static str {
    match (request, errno.0) {
        ("AMDKFD_IOC_ACQUIRE_VM", libc::EBUSY) => {
            "another client of the driver is in this process (ROCr, HIP or OpenCL) and has the GPU's address space: use one or the other"
        }
        ("AMDKFD_IOC_CREATE_EVENT", libc::EINVAL | libc::EBUSY) => {
            "another client of the driver in this process may have brought its events page already"
        }
        ("AMDKFD_IOC_CREATE_EVENT", libc::ENOSPC) => {
            "a process has 4096 signal events, of which signals and queues have one each: drop some, or use Signal::polled"
        }
        ("AMDKFD_IOC_ALLOC_MEMORY_OF_GPU", libc::ENOMEM) => {
            "the memory is full: Device::available_vram says what is left; other processes use the GPU too"
        }
        ("AMDKFD_IOC_CREATE_QUEUE", libc::ENOMEM | libc::ENOSPC | libc::EBUSY) => {
            "queues are a limited resource of the GPU: drop some, here or in other processes"
        }
        ("AMDKFD_IOC_CREATE_QUEUE", libc::EINVAL) => {
            "the driver checks the sizes of all buffers of a queue; this crate computes them as Linux 6.12 does"
        }
        ("mmap" | "madvise", libc::ENOMEM) => "address space or mappings ran out: see ulimit -v and vm.max_map_count",
        (_, libc::ENOMEM | libc::ENOSPC) => "a resource of the driver ran out",
        (_, libc::EPERM | libc::EACCES) => {
            "the user may not do this; device files usually belong to the group `render`"
        }
        (_, libc::ENODEV | libc::EIO) => "the GPU is being reset or was removed: see the kernel's log",
        (_, libc::EBADF) => "the descriptor is another process's: open the driver anew after a fork",
        (_, libc::ENOTTY | libc::ENOSYS) => "this driver does not know the request",
        _ => "see the kernel's log (dmesg)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the standard library prints of a `main` that returns an error.
    fn printed_by_main(error: impl std::error::Error + 'static) -> String {
        let returned: Box<dyn std::error::Error> = error.into();
        format!("Error: {returned:?}")
    }

    #[test]
    fn a_main_that_returns_an_error_prints_its_text() {
        let full = Error::QueueFull { queue: COMPUTE, capacity: 64 };
        assert_eq!(
            printed_by_main(full),
            "Error: the compute queue is full (64 pieces of work, or what they need in its rings): wait for some of it with `wait_for_room`"
        );
        let no_kernel = crate::code::Error::NoKernel { name: "saxpi".to_owned(), present: vec!["saxpy".to_owned()] };
        assert_eq!(printed_by_main(Error::Code(no_kernel)), "Error: no kernel is called saxpi; there are saxpy");
        let gfx908 = "gfx908:sramecc+:xnack-".parse().unwrap();
        let object = crate::code::find(include_bytes!("../examples/kernels.co"), &gfx908).unwrap();
        let launch = crate::code::Launch::new(aql::Geometry::one(1, 1).unwrap(), &[]);
        let launch = object.kernel("saxpy").unwrap().prepare(&launch, &mut [0; 64]).unwrap_err();
        let text = "Error: kernel saxpy: takes 4 arguments, 0 were given";
        assert_eq!(printed_by_main(Error::Launch(launch)), text);
        assert_eq!(printed_by_main(QueueError::Trap), "Error: a trap");
        let fault = Fault::Reset { memory_lost: false };
        assert_eq!(printed_by_main(fault), "Error: the driver reset the GPU");
        let kernels = |count: usize| (0..count).map(|number| format!("k{number}")).collect();
        for (count, not_done) in [
            (0, ""),
            (1, " (not done: kernel k0)"),
            (2, " (not done: kernels k0, k1)"),
            (9, " (not done: kernels k0, k1, k2, k3, k4, k5, k6, k7 and 1 more)"),
        ] {
            let stopped = Error::Stopped { error: QueueError::Trap, kernels: kernels(count) };
            let expected = "Error: a queue stopped that was to do it, or that it waits for: a trap";
            let rest = "; drop that queue and make another";
            assert_eq!(printed_by_main(stopped), format!("{expected}{not_done}{rest}"));
        }
    }

    #[test]
    fn what_ran_out_is_named_where_it_is_known() {
        let queue = advice("AMDKFD_IOC_CREATE_QUEUE", Errno(libc::ENOMEM));
        let unknown = advice("AMDKFD_IOC_MAP_MEMORY_TO_GPU", Errno(libc::ENOMEM));
        assert_eq!(queue, "queues are a limited resource of the GPU: drop some, here or in other processes");
        assert_eq!(unknown, "a resource of the driver ran out");
        assert_eq!(advice("AMDKFD_IOC_SVM", Errno(libc::ENOSPC)), unknown);
    }
}

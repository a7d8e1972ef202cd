//! The ranks: who has which GPU, what they add by RCCL, and how all end when one fails.
use std::ffi::CStr;
use std::fmt;
use std::ptr::null_mut;

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use rccl_sys::{Rccl, ncclComm_t, ncclDataType_t, ncclRedOp_t, ncclResult_t, ncclUniqueId};
use rocm_interop::sys::PciAddress;
use rocm_interop::{Buffer, Device, Error, Hip, Session};

use crate::Result;

/// This process among those that MPI started. Displayed, it is `rank 1 of 3 on HOST`.
pub struct Ranks {
    world: SimpleCommunicator,
    /// Those on this machine.
    machine: SimpleCommunicator,
    host: String,
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank(), self.count(), self.host)
    }
}

impl Ranks {
    pub fn new(world: SimpleCommunicator) -> Self {
        let machine = world.split_shared(world.rank());
        let host = mpi::environment::processor_name().unwrap_or_else(|_| "a host without a name".to_owned());
        Self { world, machine, host }
    }

    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    pub fn count(&self) -> usize {
        self.world.size() as usize
    }

    /// Says what kept this rank from its work, and ends all ranks: those that wait for this one would wait for ever.
    pub fn end(&self, error: impl fmt::Display) -> ! {
        eprintln!("{self}: {error}");
        self.world.abort(1)
    }

    /// The GPU of this rank: by its number on this machine, or the only one that it sees.
    ///
    /// All ranks of a machine must call it.
    pub fn own_device<'d>(&self, devices: &'d [Device]) -> Result<&'d Device> {
        let number = if devices.len() == 1 { 0 } else { self.machine.rank() as usize };
        let device = devices.get(number).ok_or_else(|| {
            format!(
                "it is number {number} on this machine, where OpenCL, HIP and HSA all see {} GPUs: start as many ranks as \
                 there are GPUs (mpirun --map-by ppr:{}:node)",
                devices.len(),
                devices.len()
            )
        })?;
        let mine = device.pci();
        // Two ranks on one GPU wait for each other in RCCL for ever, or RCCL refuses them without saying which.
        let mut all = vec![0; self.machine.size() as usize];
        self.machine.all_gather_into(&number_of(mine), &mut all[..]);
        match all.iter().position(|other| *other == number_of(mine)) {
            Some(first) if first != self.machine.rank() as usize => Err(format!(
                "rank {first} of this machine has GPU {mine} too: start as many ranks as there are GPUs, or have each see one of \
                 its own (ROCR_VISIBLE_DEVICES)"
            )
            .into()),
            _ => Ok(device),
        }
    }

    /// RCCL's connection of all ranks, on this session's GPU and stream. All ranks must call it.
    pub fn collective<'s>(&self, session: &'s Session) -> Result<Collective<'s>> {
        let rccl = Rccl::load()?;
        let mut id = ncclUniqueId::default();
        if self.rank() == 0 {
            // SAFETY: it writes one id.
            check(&rccl, "ncclGetUniqueId", unsafe { rccl.ncclGetUniqueId(&mut id) }?)?;
        }
        self.world.process_at_rank(0).broadcast_into(&mut id.internal[..]);
        // The one that RCCL takes is HIP's current device of this thread.
        session.raw_hip()?;
        let (count, rank) = (self.world.size(), self.world.rank());
        let mut raw = null_mut();
        // SAFETY: it writes one handle. All ranks pass the same id and count, each its own rank.
        let result = unsafe { rccl.ncclCommInitRank(&mut raw, count, id, rank) }?;
        check(&rccl, "ncclCommInitRank", result)?;
        Ok(Collective { rccl, raw, session })
    }

    /// Waits until all ranks are here. So whoever waits for the GPU after this waits for no rank that is still at work.
    pub fn meet(&self) {
        self.world.barrier();
    }

    /// Fails unless all ranks have what rank 0 has. All ranks must call it.
    pub fn compare(&self, counts: &[u32]) -> Result<()> {
        let mut first = counts.to_owned();
        self.world.process_at_rank(0).broadcast_into(&mut first[..]);
        match first == counts {
            true => Ok(()),
            false => Err("its sum is not that of rank 0".into()),
        }
    }
}

/// An address on the PCI bus as one number.
fn number_of(address: PciAddress) -> u64 {
    let PciAddress { domain, bus, device, function } = address;
    u64::from(domain) << 24 | u64::from(bus) << 16 | u64::from(device) << 8 | u64::from(function)
}

/// RCCL's connection of all ranks, on a session's GPU and stream.
pub struct Collective<'s> {
    rccl: Rccl,
    raw: ncclComm_t,
    session: &'s Session,
}

impl Collective<'_> {
    // ANCHOR: sum
    /// Adds the elements of all ranks' buffers, each to those of the same index, into all of them, in the session's
    /// stream. All ranks must call it, with as many elements.
    pub fn sum(&self, buffer: &mut Buffer<u32, Hip>) -> Result<()> {
        let hip = self.session.raw_hip()?;
        let pointer = hip.pointer_mut(buffer)?.cast();
        let (ty, operation) = (ncclDataType_t::ncclUint32, ncclRedOp_t::ncclSum);
        // SAFETY: the buffer has so many elements of this type. RCCL may have both pointers the same, works on the
        // session's stream and keeps neither.
        let result =
            unsafe { self.rccl.ncclAllReduce(pointer, pointer, buffer.len(), ty, operation, self.raw, hip.stream()) }?;
        check(&self.rccl, "ncclAllReduce", result)
    }
    // ANCHOR_END: sum

    /// Why a wait for the sum failed: what RCCL knows of it, behind what the wait says. A sum that still runs is given
    /// up, so that nothing waits for it again.
    pub fn why(&self, error: &Error) -> String {
        if let Error::StillRunning { .. } = error {
            self.session.abandon();
        }
        let mut result = ncclResult_t::ncclSuccess;
        // SAFETY: the communicator is there, and it writes one result.
        match unsafe { self.rccl.ncclCommGetAsyncError(self.raw, &mut result) } {
            Ok(ncclResult_t::ncclSuccess) if result != ncclResult_t::ncclSuccess => {
                format!("the ranks' sum: {error}; RCCL says {result}")
            }
            _ => {
                format!("the ranks' sum: {error}; RCCL has no error of its own, so the GPU of some rank may not answer")
            }
        }
    }

    /// Waits for what is under way and gives the connection back. All ranks should call it: those of newer versions
    /// wait for each other.
    pub fn close(self) -> Result<()> {
        // SAFETY: it is there, and nobody uses it after this.
        let result = unsafe { self.rccl.ncclCommDestroy(self.raw) }?;
        check(&self.rccl, "ncclCommDestroy", result)
    }
}

/// An error by RCCL's name, with RCCL's own words.
fn check(rccl: &Rccl, call: &str, result: ncclResult_t) -> Result<()> {
    if result == ncclResult_t::ncclSuccess {
        return Ok(());
    }
    // SAFETY: it takes any number, and returns a constant.
    let words = unsafe { CStr::from_ptr(rccl.ncclGetErrorString(result)?) };
    let words = words.to_string_lossy();
    Err(format!("{call} returned {result} ({words}); with NCCL_DEBUG=WARN in its environment, RCCL says more").into())
}

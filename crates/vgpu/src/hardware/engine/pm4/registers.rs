//! The registers that PM4 packets write, and the dispatch that the compute registers among them describe
//! (`gc_9_0_offset.h` of Linux's amdgpu; `gc_9_0_sh_mask.h` for the fields).

use crate::hardware::engine::launch::{self, Prepared};
use crate::hardware::engine::queue::Stop;
use crate::hardware::engine::{Engine, PRIVATE_APERTURE, SHARED_APERTURE};
use crate::hardware::queue::QueueArgs;
use crate::hardware::units::Units;
use crate::queue_error;
use gcn::exec::{LaunchParameters, Scratch};
use std::collections::BTreeMap;

const COMPUTE_START_X: u32 = 0x2e04;
const COMPUTE_NUM_THREAD_X: u32 = 0x2e07;
const COMPUTE_PGM_LO: u32 = 0x2e0c;
const COMPUTE_DISPATCH_SCRATCH_BASE_LO: u32 = 0x2e10;
const COMPUTE_PGM_RSRC1: u32 = 0x2e12;
const COMPUTE_PGM_RSRC2: u32 = 0x2e13;
const COMPUTE_TMPRING_SIZE: u32 = 0x2e18;
/// Of `gc_9_4_2_offset.h` and later: where accumulation registers begin.
const COMPUTE_PGM_RSRC3: u32 = 0x2e2d;
const COMPUTE_USER_DATA_0: u32 = 0x2e40;
/// `GPU_HDP_FLUSH_REQ` and `_DONE` of `nbio_7_4_offset.h`: a bit that is written to the first comes to the second when
/// the flush is done, which has nothing to do here.
const HDP_FLUSH_REQ: u32 = 0xe26;
const HDP_FLUSH_DONE: u32 = 0xe27;

/// Fields of `COMPUTE_DISPATCH_INITIATOR`.
const COMPUTE_SHADER_EN: u32 = 1 << 0;
const PARTIAL_TG_EN: u32 = 1 << 1;
const FORCE_START_AT_000: u32 = 1 << 2;
const USE_THREAD_DIMENSIONS: u32 = 1 << 5;
/// Granularity of `LDS_SIZE` in `COMPUTE_PGM_RSRC2`, in bytes.
const LDS_GRANULE: u32 = 512;

/// The registers of a queue.
#[derive(Debug, Default)]
pub struct Registers {
    values: BTreeMap<u32, u32>,
}

impl Registers {
    /// Writes a register.
    pub fn set(&mut self, register: u32, value: u32) {
        let register = if register == HDP_FLUSH_REQ { HDP_FLUSH_DONE } else { register };
        self.values.insert(register, value);
    }

    /// Reads a register that the queue has written.
    pub fn get(&self, register: u32) -> Option<u32> {
        self.values.get(&register).copied()
    }

    /// A compute register, 0 before it is written.
    fn compute(&self, register: u32) -> u32 {
        self.get(register).unwrap_or(0)
    }

    fn pair(&self, low: u32) -> u64 {
        u64::from(self.compute(low)) | u64::from(self.compute(low + 1)) << 32
    }

    /// The dispatch that `size` and `initiator` of a dispatch packet start. `None` if there is none.
    ///
    /// # Errors
    /// What no compute unit can run, or is not served.
    pub fn dispatch(
        &self,
        engine: &Engine,
        args: &QueueArgs,
        units: Units,
        size: [u32; 3],
        initiator: u32,
    ) -> Result<Option<Prepared>, Stop> {
        let refuse = |text: String| Stop::Error(queue_error::INVALID_VENDOR_PACKET, format!("PM4 dispatch: {text}"));
        if initiator & COMPUTE_SHADER_EN == 0 || size.contains(&0) {
            return Ok(None);
        }
        let start: [u32; 3] = std::array::from_fn(|i| self.compute(COMPUTE_START_X + i as u32));
        if initiator & FORCE_START_AT_000 == 0 && start != [0; 3] {
            return Err(refuse(format!("COMPUTE_START {start:?} is not served")));
        }
        let mut packet = [0; 64];
        // Three dimensions.
        packet[2] = 3;
        for (i, size) in size.into_iter().enumerate() {
            let threads = self.compute(COMPUTE_NUM_THREAD_X + i as u32);
            let (full, partial) = (threads & 0xffff, threads >> 16);
            let items = match initiator {
                _ if initiator & USE_THREAD_DIMENSIONS != 0 => Some(size),
                _ if initiator & PARTIAL_TG_EN != 0 && partial != 0 => {
                    (size - 1).checked_mul(full).and_then(|items| items.checked_add(partial))
                }
                _ => size.checked_mul(full),
            };
            let items = items.ok_or_else(|| refuse(format!("{size} work-groups of {full} work-items are too many")))?;
            packet[4 + 2 * i..][..2].copy_from_slice(&(full as u16).to_le_bytes());
            packet[12 + 4 * i..][..4].copy_from_slice(&items.to_le_bytes());
        }
        let (rsrc1, rsrc2) = (self.compute(COMPUTE_PGM_RSRC1), self.compute(COMPUTE_PGM_RSRC2));
        // In units of 256 dwords a wave.
        let (waves, wave_size) =
            (self.compute(COMPUTE_TMPRING_SIZE) & 0xfff, self.compute(COMPUTE_TMPRING_SIZE) >> 12 & 0x1fff);
        let private = if rsrc2 & 1 != 0 { wave_size * 1024 / 64 } else { 0 };
        packet[24..28].copy_from_slice(&private.to_le_bytes());
        packet[28..32].copy_from_slice(&((rsrc2 >> 15 & 0x1ff) * LDS_GRANULE).to_le_bytes());
        let entry = (self.pair(COMPUTE_PGM_LO) & 0xff_ffff_ffff) << 8;
        packet[32..40].copy_from_slice(&entry.to_le_bytes());
        // A descriptor without properties, whose code begins where it is itself.
        let mut descriptor = [0; 64];
        descriptor[44..48].copy_from_slice(&self.compute(COMPUTE_PGM_RSRC3).to_le_bytes());
        descriptor[48..52].copy_from_slice(&rsrc1.to_le_bytes());
        descriptor[52..56].copy_from_slice(&rsrc2.to_le_bytes());
        let scratch = Scratch {
            base: (self.pair(COMPUTE_DISPATCH_SCRATCH_BASE_LO) & 0xff_ffff_ffff) << 8,
            bytes: u64::from(waves) * u64::from(wave_size) * 1024 * args.xccs(engine.gpu.profile).len() as u64,
        };
        let parameters = LaunchParameters {
            packet,
            packet_address: 0,
            dispatch_id: 0,
            queue_address: 0,
            descriptor,
            scratch,
            shared_base: SHARED_APERTURE,
            private_base: PRIVATE_APERTURE,
            sram_ecc: engine.gpu.profile.sram_ecc(),
        };
        let user = std::array::from_fn(|i| self.compute(COMPUTE_USER_DATA_0 + i as u32));
        let mut prepared = launch::occupy(engine, args, units, &parameters, &"PM4 dispatch")?;
        prepared.launch = prepared.launch.with_user_sgprs(user);
        Ok(Some(prepared))
    }
}

//! Prepares a dispatch packet for execution: validates it as the hardware does, allocates private memory, computes
//! occupancy.

use super::access::Memory;
use super::occupancy::Room;
use super::packet::{u32_at, u64_at};
use super::queue::Stop;
use super::{Engine, PRIVATE_APERTURE, SHARED_APERTURE, amd_queue};
use crate::hardware::queue::QueueArgs;
use crate::hardware::units::Units;
use crate::queue_error;
use crate::trace::Fields;
use gcn::exec::{Launch, LaunchError, LaunchParameters, Scratch};
use std::fmt::Display;

/// Work-groups of more than one wave that a compute unit holds: it has this many barriers.
const BARRIERS_PER_CU: u32 = 16;
/// Granularity of LDS allocation.
const LDS_GRANULE: u32 = 512;

/// A dispatch that can start.
pub struct Prepared {
    /// The launch.
    pub launch: Launch,
    /// The resources of the GPU that it uses.
    pub room: Room,
    /// The private memory is for this dispatch only.
    pub scratch_once: bool,
    vgprs: u32,
    private_bytes: u32,
}

impl Prepared {
    /// Adds it to a line of the trace.
    pub fn describe<'f>(&self, line: &'f mut Fields) -> &'f mut Fields {
        line.list("grid", &self.launch.grid_size)
            .list("workgroup", &self.launch.workgroup_size)
            .list("workgroups", &self.launch.workgroups())
            .number("waves_per_workgroup", self.room.waves)
            .number("vgprs", self.vgprs)
            .number("lds", self.launch.lds_bytes)
            .number("private", self.private_bytes)
    }
}

/// Validates packet `index` and its kernel descriptor.
///
/// # Errors
/// The queue error or memory fault that the hardware reports. [`queue_error::INSUFFICIENT_SCRATCH`] is not the packet's
/// fault.
pub fn prepare(
    engine: &Engine,
    args: &QueueArgs,
    units: Units,
    packet: &[u8; 64],
    index: u64,
) -> Result<Prepared, Stop> {
    let memory = Memory::enter(&engine.gpu);
    let kernel_object = u64_at(packet, 32);
    if kernel_object == 0 || !kernel_object.is_multiple_of(64) {
        let text = format!("packet {index} has kernel object {kernel_object:#x}");
        return Err(Stop::Error(queue_error::INVALID_CODE, text));
    }
    let mut descriptor = [0; 64];
    memory.read(kernel_object, &mut descriptor)?;
    let private_bytes = u32_at(packet, 24);
    let mut scratch = Scratch::default();
    let mut scratch_once = false;
    if private_bytes > 0 {
        let per_group = Launch::scratch_bytes(packet, 1).map_err(|why| stop(&format_args!("packet {index}"), why))?;
        let per_wave = (u64::from(private_bytes) * 64).next_multiple_of(1024);
        let has = amd_queue::scratch(&memory, args)?;
        if has.wave_bytes < per_wave || has.bytes < per_group {
            let text =
                format!("packet {index} needs {per_wave} bytes of scratch a wave, the queue has {}", has.wave_bytes);
            return Err(Stop::Error(queue_error::INSUFFICIENT_SCRATCH, text));
        }
        // Each XCC has such a part.
        scratch = Scratch { base: has.base, bytes: has.bytes * u64::from(engine.gpu.profile.xccs) };
        scratch_once = has.once;
    }
    drop(memory);
    let parameters = LaunchParameters {
        packet: *packet,
        packet_address: args.ring + index * 64 % u64::from(args.ring_size),
        dispatch_id: index,
        queue_address: amd_queue::address(args),
        descriptor,
        scratch,
        shared_base: SHARED_APERTURE,
        private_base: PRIVATE_APERTURE,
        sram_ecc: engine.gpu.profile.sram_ecc(),
    };
    let mut prepared = occupy(engine, args, units, &parameters, &format_args!("packet {index}"))?;
    if let Some((address, bytes)) = prepared.launch.preloaded_arguments() {
        let mut arguments = [0; 64];
        Memory::enter(&engine.gpu).read(address, &mut arguments[..bytes])?;
        prepared.launch = prepared.launch.with_preloaded_arguments(&arguments[..bytes]);
    }
    Ok(Prepared { scratch_once, ..prepared })
}

/// How a dispatch with these parameters takes its place on the compute units. `what` names it in errors.
///
/// # Errors
/// As of [`prepare`].
pub fn occupy(
    engine: &Engine,
    args: &QueueArgs,
    units: Units,
    parameters: &LaunchParameters,
    what: &dyn Display,
) -> Result<Prepared, Stop> {
    let profile = engine.gpu.profile;
    let launch = Launch::new(parameters, engine.work.code()).map_err(|why| stop(what, why))?;
    let private_bytes = u32_at(&parameters.packet, 24);
    let xccs = args.xccs(profile);
    let xccs = [xccs.start, xccs.end - xccs.start];
    let per_group = launch.scratch_bytes_per_workgroup();
    let of_xcc = parameters.scratch.bytes / u64::from(xccs[1]);
    let vgprs = profile.target.allocated_registers(parameters.descriptor[48].into());
    let waves = launch.workgroup_size.iter().product::<u32>().div_ceil(64);
    let per_simd = (profile.target.registers_per_lane() / vgprs).min(profile.waves_per_simd);
    let room = per_simd * profile.simds_per_cu;
    if waves > room {
        let text =
            format!("{what}: {waves} waves of {vgprs} VGPRs in a work-group, a compute unit has room for {room}");
        return Err(Stop::Error(queue_error::OUT_OF_REGISTERS, text));
    }
    let mut per_cu = room / waves.max(1);
    if waves > 1 {
        per_cu = per_cu.min(BARRIERS_PER_CU);
    }
    if launch.lds_bytes > 0 {
        per_cu = per_cu.min(profile.lds_bytes / launch.lds_bytes.next_multiple_of(LDS_GRANULE));
    }
    let per_cu = per_cu.max(1);
    let most = profile.units_of_xcc() * per_cu;
    let slots = of_xcc.checked_div(per_group).map_or(most, |slots| slots.min(u32::MAX.into()) as u32);
    if slots == 0 {
        return Err(stop(what, LaunchError::Scratch { needed: per_group, available: of_xcc }));
    }
    let room = Room { units, per_cu, waves, xccs, limit: most.min(slots), slots };
    Ok(Prepared { launch, room, scratch_once: false, vgprs, private_bytes })
}

/// The queue error for what cannot start.
fn stop(what: &dyn Display, why: LaunchError) -> Stop {
    let code = match why {
        LaunchError::Dimensions { .. } | LaunchError::EmptyDimension { .. } | LaunchError::GridTooLarge { .. } => {
            queue_error::INVALID_DIMENSIONS
        }
        LaunchError::WorkgroupTooLarge(_) => queue_error::WORKGROUP_TOO_LARGE,
        LaunchError::LdsTooLarge(_) => queue_error::INVALID_GROUP_MEMORY,
        LaunchError::Descriptor(_) => queue_error::INVALID_CODE,
        LaunchError::Scratch { .. } => queue_error::INSUFFICIENT_SCRATCH,
    };
    Stop::Error(code, format!("{what}: {why}"))
}

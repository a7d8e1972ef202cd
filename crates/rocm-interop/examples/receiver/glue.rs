//! All that is between the OpenCL code and HIP, by `rocm-interop`.
use std::ffi::c_void;
use std::sync::Arc;

use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::memory::ReadOnly;
use rocm_interop::{Buffer, Libraries, OpenCl, Session};

use super::blas::Blas;
use super::existing::Existing;
use super::reference::{ANTENNAS, Complex, SAMPLES, window};
use super::{Between, Failure};

const WEIGH: &str = r#"extern "C" __global__ void weigh(float2 *samples, const float *window, unsigned antennas) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    samples[i].x *= window[i / antennas];
    samples[i].y *= window[i / antennas];
}"#;

/// Dropped in this order: rocBLAS waits for the session's stream.
pub struct Glue {
    blas: Blas,
    weigh: HipKernel,
    window: ReadOnly<f32>,
    session: Session,
}

/// Views of one slot.
pub struct Slot {
    samples: Buffer<Complex, OpenCl>,
    matrix: Buffer<Complex, OpenCl>,
}

impl Between for Glue {
    type Slot = Slot;

    fn new(existing: &Existing) -> Result<(Glue, Vec<Slot>), Failure> {
        let libraries = Arc::new(Libraries::load()?);
        let (context, queue) = (existing.context.get().cast(), existing.queue.get().cast());
        // SAFETY: live handles of the process's OpenCL.
        let session = unsafe { Session::from_opencl(&libraries, context, queue) }?;
        let weigh = HipModule::build(&session, WEIGH)?.kernel("weigh")?;
        let mut table = session.allocate(SAMPLES)?;
        table.write(&window())?;
        // SAFETY: the session's stream, which outlives rocBLAS.
        let blas = unsafe { Blas::new(session.raw_hip()?.stream().cast()) }?;
        // SAFETY: buffers of the context, which the OpenCL code uses while it has the slot.
        let view = |[samples, matrix]: [*mut c_void; 2]| unsafe {
            Ok(Slot { samples: session.view(samples.cast())?, matrix: session.view(matrix.cast())? })
        };
        let slots = existing.buffers().map(view).collect::<Result<_, Failure>>()?;
        Ok((Glue { blas, weigh, window: table.into_read_only()?, session }, slots))
    }

    fn compute(&self, Slot { samples, matrix }: Slot) -> Result<Slot, Failure> {
        let (samples, mut matrix) = (samples.into_hip()?, matrix.into_hip()?);
        let arguments = [(&samples).into(), (&self.window).into(), (ANTENNAS as u32).into()];
        let hip = self.session.raw_hip()?;
        // SAFETY: one work-item an element; both are as long as rocBLAS is told.
        unsafe {
            self.weigh.launch((samples.len() / 64) as u32, 64, 0, &arguments)?;
            self.blas.covariance(hip.pointer(&samples)?, hip.pointer_mut(&mut matrix)?)?;
        }
        Ok(Slot { samples: samples.into_opencl()?, matrix: matrix.into_opencl()? })
    }
}

//! The dispatch that both benchmarks submit: a kernel that does nothing.
use aql::{Control, Geometry, Kernarg, KernelDispatch, KernelObject};

use crate::hsa::Gpu;

pub const SOURCE: &str = "extern \"C\" __global__ void empty() {}";
pub const NAME: &str = "empty";

/// One wave of it, ordered after all before it by the barrier bit of `Control::SYSTEM`.
pub fn dispatch(gpu: &Gpu) -> KernelDispatch {
    let kernel = gpu.load(SOURCE, NAME).expect("an empty kernel");
    let arguments = gpu.allocate::<u8>(256).expect("memory").as_ptr().expose_provenance() as u64;
    KernelDispatch::new(KernelObject::new(kernel.object).expect("aligned"), Geometry::one(64, 64).expect("valid"))
        .with_kernarg(Kernarg::new(arguments).expect("aligned"))
        .with_private_segment(kernel.private_segment)
        .with_group_segment(kernel.group_segment)
        .with_control(Control::SYSTEM)
}

//! Checking a launch and filling its arguments does not allocate.

use allocation_counter::measure;
use amdgpu_code_object::{Arg, CodeObject, Launch};
use aql::Geometry;

#[test]
fn preparing_a_launch_does_not_allocate() {
    let seed = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/code_object/saxpy-v5");
    let mut bytes = Vec::new();
    let reading = measure(|| bytes = std::fs::read(seed).expect("a code object"));
    assert_ne!(reading.count_total, 0, "it counts");
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("saxpy").expect("a kernel");
    let mut kernarg = [0; 24];
    let allocations = measure(|| {
        for n in 1..1000 {
            let arguments = [Arg::pointer(0x1000), Arg::pointer(0x2000), 2.0f32.into(), n.into()];
            let launch = Launch::new(Geometry::one(n, 1).expect("a geometry"), &arguments);
            kernel.prepare(&launch, &mut kernarg).expect("a launch");
            assert_eq!(kernarg[20..], n.to_le_bytes());
        }
    });
    assert_eq!(allocations.count_total, 0);
}

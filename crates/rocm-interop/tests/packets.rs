//! The packets that `aql` builds, read as the types of AMD's headers: each value is in the field of its name.
//!
//! PM4-IB has no type in the headers of ROCr; `aql`'s own tests hold its bytes.
use aql::*;
use hsa_sys::*;

const SIGNAL: u64 = 0x7f00_0000_0040;
const DEPENDENCIES: [u64; 5] = [0x1000, 0x2000, 0, 0x4000, 0x5000];

fn signal(handle: u64) -> Option<Signal> {
    Signal::new(handle).ok()
}

/// The packet's bytes as a type of hsa.h.
fn read<T>(packet: impl Into<Packet>) -> T {
    let bytes = packet.into().to_bytes();
    assert_eq!((size_of::<T>(), bytes.len()), (64, PACKET_BYTES));
    // SAFETY: the types read here are 64 bytes of integers and pointers, for which every value is valid; the pointers
    // are not followed.
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}

#[test]
fn kernel_dispatch_is_amds() {
    let geometry = Geometry::three([300, 200, 100], [32, 4, 2]).expect("geometry");
    let packet = KernelDispatch::new(KernelObject::new(0x7f00_0000_1040).expect("aligned"), geometry)
        .with_kernarg(Kernarg::new(0x7f00_0000_2000).expect("aligned"))
        .with_private_segment(0x110)
        .with_group_segment(0x220)
        .with_control(Control { barrier: true, acquire: Scope::Agent, release: Scope::System })
        .with_completion(signal(SIGNAL).expect("aligned"));
    let amd: hsa_kernel_dispatch_packet_t = read(packet);
    let kernel = hsa_packet_type_t::HSA_PACKET_TYPE_KERNEL_DISPATCH.0 << hsa_packet_header_t::HSA_PACKET_HEADER_TYPE.0;
    let barrier = 1 << hsa_packet_header_t::HSA_PACKET_HEADER_BARRIER.0;
    let acquire =
        hsa_fence_scope_t::HSA_FENCE_SCOPE_AGENT.0 << hsa_packet_header_t::HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE.0;
    let release =
        hsa_fence_scope_t::HSA_FENCE_SCOPE_SYSTEM.0 << hsa_packet_header_t::HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE.0;
    assert_eq!(u32::from(amd.header), kernel | barrier | acquire | release);
    let dimensions = hsa_kernel_dispatch_packet_setup_t::HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS.0;
    assert_eq!(u32::from(amd.setup), 3 << dimensions);
    assert_eq!((amd.workgroup_size_x, amd.workgroup_size_y, amd.workgroup_size_z), (32, 4, 2));
    assert_eq!((amd.grid_size_x, amd.grid_size_y, amd.grid_size_z), (300, 200, 100));
    assert_eq!((amd.private_segment_size, amd.group_segment_size), (0x110, 0x220));
    assert_eq!((amd.kernel_object, amd.kernarg_address.addr()), (0x7f00_0000_1040, 0x7f00_0000_2000));
    assert_eq!((amd.completion_signal.handle, amd.reserved0, amd.reserved2), (SIGNAL, 0, 0));
}

#[test]
fn barriers_are_amds() {
    let done = signal(SIGNAL).expect("aligned");
    let and: hsa_barrier_and_packet_t = read(BarrierAnd::new(DEPENDENCIES.map(signal)).with_completion(done));
    let or: hsa_barrier_or_packet_t = read(BarrierOr::new(DEPENDENCIES.map(signal)).with_completion(done));
    assert_eq!(u32::from(and.header), hsa_packet_type_t::HSA_PACKET_TYPE_BARRIER_AND.0);
    assert_eq!(u32::from(or.header), hsa_packet_type_t::HSA_PACKET_TYPE_BARRIER_OR.0);
    assert_eq!(and.dep_signal.map(|signal| signal.handle), DEPENDENCIES);
    assert_eq!(or.dep_signal.map(|signal| signal.handle), DEPENDENCIES);
    assert_eq!((and.completion_signal.handle, or.completion_signal.handle), (SIGNAL, SIGNAL));
    assert_eq!((and.reserved0, and.reserved1, and.reserved2), (0, 0, 0));
    assert_eq!((or.reserved0, or.reserved1, or.reserved2), (0, 0, 0));
}

#[test]
fn agent_dispatch_is_amds() {
    let packet = AgentDispatch::new(0x8001, [1, 2, 3, 4])
        .with_return_address(0x7f00_0000_3000)
        .with_completion(signal(SIGNAL).expect("aligned"));
    let amd: hsa_agent_dispatch_packet_t = read(packet);
    assert_eq!(u32::from(amd.header), hsa_packet_type_t::HSA_PACKET_TYPE_AGENT_DISPATCH.0);
    assert_eq!((amd.type_, amd.return_address.addr(), amd.arg), (0x8001, 0x7f00_0000_3000, [1, 2, 3, 4]));
    assert_eq!((amd.completion_signal.handle, amd.reserved0, amd.reserved2), (SIGNAL, 0, 0));
}

#[test]
fn barrier_value_is_amds() {
    let condition = |ours, amds: hsa_signal_condition_t| {
        let packet = BarrierValue::new(signal(0x1000).expect("aligned"), ours, -5)
            .with_mask(0xff)
            .with_completion(signal(SIGNAL).expect("aligned"));
        let amd: hsa_amd_barrier_value_packet_t = read(packet);
        let format = hsa_amd_packet_type_t::HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
        assert_eq!(u32::from(amd.header.header), hsa_packet_type_t::HSA_PACKET_TYPE_VENDOR_SPECIFIC.0);
        assert_eq!((u32::from(amd.header.AmdFormat), amd.header.reserved), (format.0, 0));
        assert_eq!((amd.signal.handle, amd.value, amd.mask, amd.cond), (0x1000, -5, 0xff, amds.0));
        assert_eq!((amd.reserved0, amd.reserved1, amd.reserved2, amd.reserved3), (0, 0, 0, 0));
        assert_eq!(amd.completion_signal.handle, SIGNAL);
    };
    condition(Condition::Eq, hsa_signal_condition_t::HSA_SIGNAL_CONDITION_EQ);
    condition(Condition::Ne, hsa_signal_condition_t::HSA_SIGNAL_CONDITION_NE);
    condition(Condition::Lt, hsa_signal_condition_t::HSA_SIGNAL_CONDITION_LT);
    condition(Condition::Gte, hsa_signal_condition_t::HSA_SIGNAL_CONDITION_GTE);
}

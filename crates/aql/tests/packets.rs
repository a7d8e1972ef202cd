//! Packets: round trips, malformed bytes that decoding refuses, and known mistakes of other encoders.

use aql::*;
use proptest::prelude::*;

fn control() -> impl Strategy<Value = Control> {
    let scope = || prop_oneof![Just(Scope::None), Just(Scope::Agent), Just(Scope::System)];
    (any::<bool>(), scope(), scope()).prop_map(|(barrier, acquire, release)| Control { barrier, acquire, release })
}

fn signal() -> impl Strategy<Value = Signal> {
    (1u64..1 << 40).prop_map(|n| Signal::new(n * 64).expect("aligned"))
}

fn geometry() -> impl Strategy<Value = Geometry> {
    (1u16..=3, [1u16..=32, 1u16..=8, 1u16..=4], [0u32..9, 0u32..9, 0u32..9]).prop_map(|(dimensions, w, extra)| {
        let g: [u32; 3] = std::array::from_fn(|i| u32::from(w[i]) * (extra[i] + 1) + extra[i]);
        match dimensions {
            1 => Geometry::one(g[0], w[0]),
            2 => Geometry::two([g[0], g[1]], [w[0], w[1]]),
            _ => Geometry::three(g, w),
        }
        .expect("within bounds")
    })
}

fn packet() -> impl Strategy<Value = Decoded> {
    let dispatch = (geometry(), control(), 1u64..1 << 40, 0u64..1 << 40, any::<[u32; 2]>(), signal()).prop_map(
        |(geometry, control, kernel, kernarg, [private, group], signal)| {
            let packet = KernelDispatch::new(KernelObject::new(kernel * 64).expect("aligned"), geometry)
                .with_control(control)
                .with_private_segment(private)
                .with_group_segment(group)
                .with_completion(signal);
            Decoded::KernelDispatch(match Kernarg::new(kernarg * 16) {
                Ok(kernarg) => packet.with_kernarg(kernarg),
                Err(_) => packet,
            })
        },
    );
    let barrier = (proptest::option::of(signal()), signal(), control(), any::<bool>()).prop_map(
        |(dependency, completion, control, and)| {
            let dependencies = [dependency, None, None, Some(completion), None];
            if and {
                Decoded::BarrierAnd(BarrierAnd::new(dependencies).with_control(control).with_completion(completion))
            } else {
                Decoded::BarrierOr(BarrierOr::new(dependencies).with_control(control))
            }
        },
    );
    let agent =
        (any::<u16>(), any::<[u64; 4]>(), control(), any::<u64>()).prop_map(|(function, arg, control, address)| {
            Decoded::AgentDispatch(AgentDispatch::new(function, arg).with_control(control).with_return_address(address))
        });
    let condition = prop_oneof![Just(Condition::Eq), Just(Condition::Ne), Just(Condition::Lt), Just(Condition::Gte)];
    let value = (signal(), condition, any::<i64>(), any::<i64>(), control()).prop_map(
        |(signal, condition, value, mask, control)| {
            Decoded::BarrierValue(
                BarrierValue::new(signal, condition, value)
                    .with_mask(mask)
                    .with_control(control)
                    .with_completion(signal),
            )
        },
    );
    let pm4 = (1u64..1 << 46, 1..=Pm4Ib::MAX_DWORDS, control()).prop_map(|(address, dwords, control)| {
        let commands = IndirectBuffer::new(address * 4).expect("aligned");
        Decoded::Pm4Ib(Pm4Ib::new(commands, dwords).expect("in range").with_control(control))
    });
    prop_oneof![dispatch, barrier, agent, value, pm4]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 16 } else { 512 }, ..ProptestConfig::default() })]

    #[test]
    fn what_is_built_decodes_to_itself(decoded in packet()) {
        let packet = Packet::from(decoded);
        prop_assert_eq!(packet.decode(), Ok(decoded));
        prop_assert_eq!(Packet::from_bytes(&packet.to_bytes()), Ok(packet));
    }

    /// Whatever decodes encodes to the same bytes: decoding drops nothing.
    #[test]
    fn a_completion_signal_is_set_in_any_packet(decoded in packet(), signal in signal()) {
        let packet = Packet::from(decoded);
        let with = packet.with_completion(signal);
        prop_assert_eq!(with.completion_signal(), signal.get());
        prop_assert_eq!(&with.to_bytes()[..56], &packet.to_bytes()[..56]);
    }

    #[test]
    fn what_decodes_encodes_to_the_same_bytes(decoded in packet(), at in 0usize..64, byte: u8) {
        let mut bytes = Packet::from(decoded).to_bytes();
        bytes[at] = byte;
        if let Ok(packet) = Packet::from_bytes(&bytes) {
            prop_assert_eq!(packet.to_bytes(), bytes);
        }
    }

    #[test]
    fn any_64_bytes_give_a_packet_or_an_error(bytes: [[u8; 32]; 2]) {
        let bytes: [u8; 64] = std::array::from_fn(|i| bytes[i / 32][i % 32]);
        match Packet::from_bytes(&bytes) {
            Ok(packet) => prop_assert_eq!(packet.to_bytes(), bytes),
            Err(error) => prop_assert!(!error.field.is_empty()),
        }
    }
}

fn dispatch() -> KernelDispatch {
    KernelDispatch::new(KernelObject::new(0x1040).expect("aligned"), Geometry::one(256, 64).expect("valid"))
}

fn refused(change: impl FnOnce(&mut [u8; 64])) -> DecodeError {
    let mut bytes = Packet::from(dispatch()).to_bytes();
    change(&mut bytes);
    Packet::from_bytes(&bytes).expect_err("must be refused")
}

/// The bytes of one packet of each type, written out field by field from the HSA specification and AMD's headers.
#[test]
fn layouts_byte_by_byte() {
    let mut want = [0u8; 64];
    let mut put = |at: usize, bytes: &[u8]| want[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &0x1502u16.to_le_bytes());
    put(2, &[2, 0, 16, 0, 8, 0, 1, 0]); // setup: 2 dimensions; work-group 16 x 8 x 1
    put(12, &64u32.to_le_bytes());
    put(16, &32u32.to_le_bytes());
    put(20, &1u32.to_le_bytes());
    put(24, &48u32.to_le_bytes());
    put(28, &1024u32.to_le_bytes());
    put(32, &0x7f12_3456_7840u64.to_le_bytes());
    put(40, &0x7f00_0000_0010u64.to_le_bytes());
    put(56, &0x7e00_0000_0040u64.to_le_bytes());
    let packet = KernelDispatch::new(
        KernelObject::new(0x7f12_3456_7840).expect("aligned"),
        Geometry::two([64, 32], [16, 8]).expect("valid"),
    )
    .with_control(Control::SYSTEM)
    .with_private_segment(48)
    .with_group_segment(1024)
    .with_kernarg(Kernarg::new(0x7f00_0000_0010).expect("aligned"))
    .with_completion(Signal::new(0x7e00_0000_0040).expect("aligned"));
    assert_eq!(Packet::from(packet).to_bytes(), want);

    let mut want = [0u8; 64];
    want[0..2].copy_from_slice(&0x1503u16.to_le_bytes());
    want[8..16].copy_from_slice(&0x40u64.to_le_bytes());
    want[40..48].copy_from_slice(&0x80u64.to_le_bytes());
    want[56..64].copy_from_slice(&0xc0u64.to_le_bytes());
    let signal = |handle| Signal::new(handle).expect("aligned");
    let packet = BarrierAnd::new([Some(signal(0x40)), None, None, None, Some(signal(0x80))])
        .with_control(Control::SYSTEM)
        .with_completion(signal(0xc0));
    assert_eq!(Packet::from(packet).to_bytes(), want);

    let mut want = [0u8; 64];
    want[2] = 2; // HSA_AMD_PACKET_TYPE_BARRIER_VALUE
    want[8..16].copy_from_slice(&0x40u64.to_le_bytes());
    want[16..24].copy_from_slice(&(-5i64).to_le_bytes());
    want[24..32].copy_from_slice(&0xffi64.to_le_bytes());
    want[32] = 3;
    let packet = BarrierValue::new(signal(0x40), Condition::Gte, -5).with_mask(0xff);
    assert_eq!(Packet::from(packet).to_bytes(), want);

    let mut want = [0u8; 64];
    want[2] = 1; // PM4-IB
    want[4..8].copy_from_slice(&0xc002_3f00u32.to_le_bytes());
    want[8..12].copy_from_slice(&0x5555_0000u32.to_le_bytes());
    want[12..16].copy_from_slice(&0x7fu32.to_le_bytes());
    want[16..20].copy_from_slice(&0x0080_0010u32.to_le_bytes());
    want[20] = 10;
    let packet = Pm4Ib::new(IndirectBuffer::new(0x7f_5555_0000).expect("aligned"), 16).expect("in range");
    assert_eq!(Packet::from(packet).to_bytes(), want);

    let mut want = [0u8; 64];
    want[0] = 4;
    want[2..4].copy_from_slice(&0x8001u16.to_le_bytes());
    want[8..16].copy_from_slice(&0x99u64.to_le_bytes());
    want[16] = 1;
    want[24] = 2;
    want[32] = 3;
    want[40] = 4;
    let packet = AgentDispatch::new(0x8001, [1, 2, 3, 4]).with_return_address(0x99);
    assert_eq!(Packet::from(packet).to_bytes(), want);
}

/// A widespread description puts the block's size into `setup`; only the number of dimensions belongs there.
#[test]
fn a_block_size_in_setup_is_refused() {
    for block in [64u16, 128, 256] {
        let error = refused(|bytes| bytes[2..4].copy_from_slice(&block.to_le_bytes()));
        assert_eq!((error.field, error.value), ("setup", block.into()));
    }
}

#[test]
fn errors_name_the_field() {
    let cases: [(&str, usize, u8); 10] = [
        ("header type", 0, 6),
        ("header type", 0, 1),
        ("header reserved bits 15:13", 1, 0x20),
        ("header acquire fence scope", 1, 6),
        ("header release fence scope", 1, 0x18),
        ("workgroup_size_x", 4, 0),
        ("workgroup_size_y", 6, 2),
        ("reserved0", 10, 1),
        ("kernel_object", 32, 0x41),
        ("kernarg_address", 40, 8),
    ];
    for (field, at, value) in cases {
        assert_eq!(refused(|bytes| bytes[at] = value).field, field);
    }
    assert_eq!(refused(|bytes| bytes[56] = 8).field, "completion_signal");
    let error = refused(|bytes| bytes[12..16].copy_from_slice(&63u32.to_le_bytes()));
    assert_eq!(error.to_string(), "grid_size_x is 0x3f, must be above 0 and not below the work-group's size");
}

#[test]
fn geometry_is_bounded() {
    assert_eq!(Geometry::one(0, 1), Err(GeometryError::Zero { dimension: 0 }));
    assert_eq!(Geometry::two([8, 8], [8, 0]), Err(GeometryError::Zero { dimension: 1 }));
    let error = Geometry::three([64; 3], [16, 16, 8]).expect_err("2048 work-items");
    assert_eq!(error, GeometryError::WorkgroupTooLarge { items: 2048 });
    let largest = u16::MAX;
    assert!(Geometry::three([u32::MAX; 3], [largest; 3]).is_err(), "the product must not overflow");
    assert!(Geometry::one(u32::MAX, 1024).is_ok());
}

#[test]
fn whole_work_groups_cover_any_number_of_items() {
    let sizes = |geometry: Geometry| (geometry.dimensions(), geometry.grid(), geometry.workgroup());
    let whole = |items| Geometry::covering([items], [256]).map(|geometry| geometry.grid()[0]);
    // Smaller than a work-group, exact, ragged, the largest that fits.
    for (items, grid) in
        [(1, 256), (100, 256), (255, 256), (256, 256), (257, 512), (1000, 1024), (0xffff_ff00, 0xffff_ff00)]
    {
        assert_eq!(whole(items), Ok(grid), "{items}");
        assert_eq!(Geometry::groups([grid / 256], [256]), Geometry::covering([items], [256]));
    }
    assert_eq!(whole(0), Err(GeometryError::Zero { dimension: 0 }));
    assert_eq!(whole(0xffff_ff01), Err(GeometryError::GridTooLarge { dimension: 0, items: 1 << 32 }));
    let covering = Geometry::covering([33, 6, 5], [8, 4, 5]).expect("valid");
    assert_eq!(sizes(covering), (3, [40, 8, 5], [8, 4, 5]));
    let groups = Geometry::groups([3, 7], [16, 2]).expect("valid");
    assert_eq!(sizes(groups), (2, [48, 14, 1], [16, 2, 1]));
    assert_eq!(Geometry::covering([5, 5], [8, 0]), Err(GeometryError::Zero { dimension: 1 }));
    assert_eq!(Geometry::groups([5, 5], [8, 0]), Err(GeometryError::Zero { dimension: 1 }));
    assert_eq!(Geometry::groups([5, 0, 1], [8, 8, 1]), Err(GeometryError::Zero { dimension: 1 }));
    let wide = GeometryError::GridTooLarge { dimension: 1, items: 1 << 32 };
    assert_eq!(Geometry::groups([1, 1 << 22], [1, 1024]), Err(wide));
    assert_eq!(wide.to_string(), "the grid has 4294967296 work-items in y, a packet can say 2^32 - 1");
    assert_eq!(Geometry::covering([64, 64], [64, 64]), Err(GeometryError::WorkgroupTooLarge { items: 4096 }));
    let below = Geometry::one(100, 256).expect_err("HSA does not allow it").to_string();
    assert!(
        below.contains("100 is smaller") && below.contains("256") && below.contains("Geometry::covering"),
        "{below}"
    );
}

fn signal_at(handle: u64) -> Signal {
    Signal::new(handle).expect("aligned")
}

#[test]
fn packets_say_what_they_were_built_with() {
    let geometry = Geometry::three([300, 200, 100], [32, 4, 2]).expect("valid");
    assert_eq!((geometry.dimensions(), geometry.grid(), geometry.workgroup()), (3, [300, 200, 100], [32, 4, 2]));
    let packet = KernelDispatch::new(KernelObject::new(0x1040).expect("aligned"), geometry)
        .with_kernarg(Kernarg::new(0x2010).expect("aligned"))
        .with_private_segment(48)
        .with_group_segment(1024)
        .with_control(Control::SYSTEM)
        .with_completion(signal_at(0x40));
    assert_eq!((packet.geometry(), packet.kernel_object(), packet.kernarg_address()), (geometry, 0x1040, 0x2010));
    for geometry in [Geometry::one(300, 32), Geometry::two([300, 200], [32, 4])] {
        let geometry = geometry.expect("valid");
        assert_eq!(KernelDispatch::new(KernelObject::new(0x1040).expect("aligned"), geometry).geometry(), geometry);
    }
    assert_eq!((packet.private_segment_size(), packet.group_segment_size()), (48, 1024));
    assert_eq!((packet.completion_signal(), packet.reserved2()), (0x40, 0));
    let any = Packet::from(packet);
    assert_eq!((any.header(), any.packet_type()), (0x1502, PacketType::KernelDispatch));

    let dependencies = [Some(signal_at(0x40)), None, Some(signal_at(0x80)), None, Some(signal_at(0xc0))];
    assert_eq!(BarrierAnd::new(dependencies).dep_signals(), [0x40, 0, 0x80, 0, 0xc0]);
    assert_eq!(BarrierOr::new(dependencies).dep_signals(), [0x40, 0, 0x80, 0, 0xc0]);
    let agent = AgentDispatch::new(0x8001, [5, 6, 7, 8]).with_return_address(0x99);
    assert_eq!((agent.function(), agent.args(), agent.return_address()), (0x8001, [5, 6, 7, 8], 0x99));
    let value = BarrierValue::new(signal_at(0x40), Condition::Lt, -5).with_mask(0xff);
    assert_eq!((value.signal(), value.condition(), value.value(), value.mask()), (0x40, Condition::Lt, -5, 0xff));
    let pm4 = Pm4Ib::new(IndirectBuffer::new(0x7f_5555_0004).expect("aligned"), Pm4Ib::MAX_DWORDS).expect("the most");
    assert_eq!((pm4.commands(), pm4.dwords()), (0x7f_5555_0004, (1 << 20) - 1));
}

/// What AMD's tools leave in reserved words is kept.
#[test]
fn correlation_ids_are_kept() {
    let mut bytes = Packet::from(dispatch()).to_bytes();
    bytes[48] = 77;
    let Ok(Decoded::KernelDispatch(packet)) = Decoded::from_bytes(&bytes) else { panic!("{bytes:?}") };
    assert_eq!(packet.reserved2(), 77);
    let mut bytes = Packet::from(BarrierOr::new([None; 5])).to_bytes();
    bytes[48] = 78;
    let Ok(Decoded::BarrierOr(packet)) = Decoded::from_bytes(&bytes) else { panic!("{bytes:?}") };
    assert_eq!(packet.reserved2(), 78);
}

#[test]
fn a_packet_prints_its_fields() {
    let printed = format!("{:?}", Packet::from(AgentDispatch::new(0x8001, [5, 6, 7, 8])));
    assert!(printed.starts_with("AgentDispatch(AgentDispatch {") && printed.contains("[5, 6, 7, 8]"), "{printed}");
    assert_eq!(format!("{:?}", signal_at(0x40)), "Signal(0x40)");
}

/// In every type of packet: each reserved field, and each value that must be one of a few.
#[test]
fn what_no_packet_holds_is_refused_by_name() {
    let barrier = Packet::from(BarrierAnd::new([None; 5]));
    let agent = Packet::from(AgentDispatch::new(0x8001, [5, 6, 7, 8]));
    let value = Packet::from(BarrierValue::new(signal_at(0x40), Condition::Gte, 1));
    let pm4 = Packet::from(Pm4Ib::new(IndirectBuffer::new(0x1000).expect("aligned"), 16).expect("in range"));
    let flat = Packet::from(dispatch());
    let square = Geometry::two([16, 16], [16, 16]).expect("valid");
    let square = Packet::from(KernelDispatch::new(KernelObject::new(0x1040).expect("aligned"), square));
    let cases: [(Packet, usize, u8, &str); 29] = [
        (square, 4, 0, "workgroup_size_x"),
        (square, 12, 0, "grid_size_x"),
        (flat, 6, 2, "workgroup_size_y"),
        (flat, 8, 2, "workgroup_size_z"),
        (flat, 16, 2, "grid_size_y"),
        (flat, 20, 2, "grid_size_z"),
        (square, 8, 2, "workgroup_size_z"),
        (square, 20, 2, "grid_size_z"),
        (square, 6, 65, "grid_size_y"),
        (square, 7, 1, "grid_size_y"),
        (flat, 2, 0, "setup"),
        (flat, 2, 4, "setup"),
        (flat, 32, 0x41, "kernel_object"),
        (barrier, 2, 1, "reserved0"),
        (barrier, 4, 1, "reserved1"),
        (barrier, 8, 1, "dep_signal"),
        (barrier, 40, 1, "dep_signal"),
        (agent, 4, 1, "reserved0"),
        (agent, 48, 1, "reserved2"),
        (value, 2, 3, "AmdFormat"),
        (value, 4, 1, "reserved0"),
        (value, 8, 0, "signal"),
        (value, 32, 4, "cond"),
        (value, 36, 1, "reserved1"),
        (value, 40, 1, "reserved2"),
        (value, 48, 1, "reserved3"),
        (pm4, 20, 9, "dw_cnt_remain"),
        (pm4, 24, 1, "reserved"),
        (pm4, 52, 1, "reserved"),
    ];
    for (packet, at, byte, field) in cases {
        let mut bytes = packet.to_bytes();
        bytes[at] = byte;
        let error = Packet::from_bytes(&bytes).expect_err(field);
        assert_eq!(error.field, field, "byte {at} of {packet:?}");
    }
    // PM4: another command, no address, no size, no IB_VALID, a bit beside it.
    for (at, byte, field) in [
        (4, 1, "ib_jump_cmd[0]"),
        (9, 0, "ib_jump_cmd address"),
        (16, 0, "ib_jump_cmd[3]"),
        (18, 0, "ib_jump_cmd[3]"),
        (19, 1, "ib_jump_cmd[3]"),
    ] {
        let mut bytes = pm4.to_bytes();
        bytes[at] = byte;
        assert_eq!(Packet::from_bytes(&bytes).expect_err(field).field, field, "byte {at}");
    }
    let types: Vec<Option<u8>> = (0..=6).map(|bits| PacketType::from_bits(bits).map(|found| found as u8)).collect();
    assert_eq!(types, [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), None]);
    // The type is the low byte of a header that has more.
    assert_eq!(refused(|bytes| bytes[..2].copy_from_slice(&[6, 2])).value, 6);
    // A scope that HSA does not define, in the bits of 11:9.
    assert_eq!(refused(|bytes| bytes[1] = 6).to_string().split(',').next(), Some("header acquire fence scope is 0x3"));
    assert_eq!(refused(|bytes| bytes[1] = 0xe0).value, 7);
}

#[test]
fn errors_say_what_is_wrong() {
    let below = Geometry::two([64, 7], [8, 8]).expect_err("a grid of 7");
    assert_eq!(
        below.to_string(),
        "grid_size_y 7 is smaller than workgroup_size_y 8, which HSA does not allow: Geometry::covering rounds up to whole \
         work-groups"
    );
    let zero = Geometry::three([8, 8, 0], [1; 3]).expect_err("a grid of 0");
    assert_eq!(zero.to_string(), "the grid or work-group size in z is zero");
    let large = Geometry::one(2048, 1025).expect_err("1025 work-items");
    assert_eq!(large.to_string(), "a work-group of 1025 work-items exceeds 1024");
    assert!(Geometry::two([64, 64], [32, 32]).is_ok(), "1024 work-items are allowed");
    let commands = IndirectBuffer::new(4).expect("aligned");
    let error = Pm4Ib::new(commands, 1 << 20).expect_err("too long");
    assert_eq!(error.to_string(), "an indirect buffer has 1 to 1048575 dwords, not 1048576");
}

#[test]
fn addresses_are_checked() {
    assert_eq!(Signal::new(0).expect_err("null").to_string(), "signal is null");
    assert_eq!(Kernarg::new(24).expect_err("8 off").to_string(), "kernarg address 0x18 is not aligned to 16 bytes");
    let commands = IndirectBuffer::new(4).expect("aligned");
    assert!(Pm4Ib::new(commands, 0).is_err() && Pm4Ib::new(commands, 1 << 20).is_err());
}

/// The seeds of the fuzz target `decode`, made by hand: valid packets of each kind, and invalid ones.
#[test]
fn fuzz_corpus() {
    let mut seen = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/decode")).expect("corpus") {
        let bytes = std::fs::read(entry.expect("entry").path()).expect("readable");
        let bytes: [u8; 64] = bytes.try_into().expect("64 bytes");
        seen.insert(match Packet::from_bytes(&bytes) {
            Ok(packet) => {
                assert_eq!(packet.to_bytes(), bytes);
                "a packet"
            }
            Err(error) => error.field,
        });
    }
    assert!(seen.contains("a packet") && seen.contains("setup") && seen.contains("AmdFormat"), "{seen:?}");
}

/// What the standard library prints of a `main` that returns an error.
#[test]
fn a_main_that_returns_an_error_prints_its_text() {
    fn printed(error: impl std::error::Error + 'static) -> String {
        let returned: Box<dyn std::error::Error> = error.into();
        format!("Error: {returned:?}")
    }
    let geometry = Geometry::one(100, 256).expect_err("HSA does not allow it");
    assert!(printed(geometry).ends_with("Geometry::covering rounds up to whole work-groups"));
    assert_eq!(printed(Signal::new(0).expect_err("null")), "Error: signal is null");
    let decode = aql::Decoded::from_bytes(&[0xff; 64]).expect_err("no packet");
    assert_eq!(printed(decode), format!("Error: {decode}"));
    assert_eq!(
        printed(SubmitError::BatchTooLarge { capacity: 64, packets: 65 }),
        "Error: a batch of 65 packets cannot fit a queue of 64; submit it in parts"
    );
    assert_eq!(printed(RingError::Size { slots: 3 }), "Error: a ring has a power of two of slots, not 3");
    let dwords = aql::IndirectBufferError { dwords: 0 };
    assert_eq!(printed(dwords), format!("Error: {dwords}"));
}

proptest! {
    #[test]
    fn a_packet_has_at_least_what_its_control_says(own in control(), wanted in control()) {
        let expected = own.barrier >= wanted.barrier && own.acquire >= wanted.acquire && own.release >= wanted.release;
        let barrier: Packet = BarrierAnd::NOP.with_control(own).into();
        prop_assert_eq!(barrier.has_at_least(wanted), expected);
        let or: Packet = BarrierOr::new([None; 5]).with_control(own).into();
        prop_assert_eq!(or.has_at_least(wanted), expected);
        prop_assert_eq!(Packet::from(dispatch().with_control(own)).has_at_least(wanted), expected);
        // The host's packets have no promise, and neither have AMD's own.
        let agent: Packet = AgentDispatch::new(0x8001, [1, 2, 3, 4]).with_control(own).into();
        prop_assert!(!agent.has_at_least(wanted));
        let signal = Signal::new(64).expect("aligned");
        let value: Packet = BarrierValue::new(signal, Condition::Eq, 0).with_control(own).into();
        prop_assert!(!value.has_at_least(wanted));
    }
}

//! LDS, lane permutations and buffers: single instructions, assembled by llvm-mc, against models of what AMD's "Vega"
//! Instruction Set Architecture manual says of them (quoted by name at each test).

mod support;

#[path = "support/machine.rs"]
mod machine;

use machine::{HEAP, Lanes, Machine};
use support::Random;

fn lanes(f: impl Fn(usize) -> u32) -> Lanes {
    std::array::from_fn(f)
}

/// The lane that `lane` reads, by the pseudocode of `DS_SWIZZLE_B32`.
fn swizzle_source(offset: u32, lane: u32) -> u32 {
    let (i, half) = (lane & 0x1f, lane & 0x20);
    if offset >= 0xe000 {
        // FFT decomposition: j = reverse_bits(i) >> count_ones(mask) | i & mask.
        let mask = offset & 0x1f;
        let reversed = (0..5).fold(0, |r, bit| r | (i >> bit & 1) << (4 - bit));
        half | (reversed >> mask.count_ones()) | (i & mask)
    } else if offset >= 0xc000 {
        let mask = offset & 0x1f;
        let amount = if offset >> 10 & 1 != 0 { 32 - (offset >> 5 & 0x1f) } else { offset >> 5 & 0x1f };
        half | (i & mask) | ((i + amount) & !mask & 0x1f)
    } else if offset >= 0x8000 {
        lane & !3 | offset >> (2 * (lane & 3)) & 3
    } else {
        half | (((i & offset & 0x1f) | (offset >> 5 & 0x1f)) ^ (offset >> 10 & 0x1f))
    }
}

#[test]
fn swizzle_patterns() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let mut random = Random(1);
    let masks = (0..60).map(|_| random.word() & 0x7fff);
    let quads = (0..256).step_by(5).map(|pattern| 0x8000 | pattern);
    // Groups of 2 to 32 lanes: the mask has the high bits.
    let groups = [0, 0x10, 0x18, 0x1c, 0x1e, 0x1f];
    let rotations = (0..64).flat_map(|turn| groups.map(|mask| 0xc000 | turn << 5 | mask));
    let ffts = groups.map(|mask| 0xe000 | mask);
    let source = lanes(|i| 0x100 + i as u32);
    let offsets = masks.chain(quads).chain(rotations).chain(ffts);
    let cases: Vec<(u32, u64, Vec<String>)> = offsets
        .map(|offset| {
            let exec = [u64::MAX, 0xffff_0000_ffff_7ffe, 0x5555_5555_3333_3333][offset as usize % 3];
            let code = vec![
                "v_mov_b32 v20, 7".into(),
                format!("s_mov_b32 exec_lo, {:#x}", exec as u32),
                format!("s_mov_b32 exec_hi, {:#x}", (exec >> 32) as u32),
                format!("ds_swizzle_b32 v20, v10 offset:{offset}"),
                "s_mov_b64 exec, -1".into(),
            ];
            (offset, exec, code)
        })
        .collect();
    machine.prepare(cases.iter().flat_map(|(_, _, code)| code));
    for (offset, exec, code) in cases {
        let [got, ..] = machine.run(&code, [source, source, source, source]);
        for lane in 0..64u32 {
            let from = swizzle_source(offset, lane);
            let expected = match (exec >> lane & 1, exec >> from & 1) {
                (0, _) => 7,
                (_, 0) => 0,
                _ => 0x100 + from,
            };
            assert_eq!(got[lane as usize], expected, "offset {offset:#x}, EXEC {exec:#x}, lane {lane}");
        }
    }
}

/// `B = A + 4 * (offset1[7] ? {A[31], A[31:17]} : {offset1[6], offset1[6:0], offset0})`, then `DS[A] = DS[A] op DS[B]`.
#[test]
fn operations_whose_second_source_is_in_lds() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let mut random = Random(2);
    let float = |pick: fn(f32, f32) -> bool| {
        move |a: u32, b: u32| if pick(f32::from_bits(b), f32::from_bits(a)) { b } else { a }
    };
    let (less, more) = (float(|b, a| b < a), float(|b, a| b > a));
    type Model<'a> = &'a dyn Fn(u32, u32) -> u32;
    let operations: [(&str, Model); 15] = [
        ("add_src2_u32", &(|a: u32, b| a.wrapping_add(b))),
        ("sub_src2_u32", &(|a: u32, b| a.wrapping_sub(b))),
        ("rsub_src2_u32", &(|a, b: u32| b.wrapping_sub(a))),
        ("inc_src2_u32", &(|a, b| if a >= b { 0 } else { a + 1 })),
        ("dec_src2_u32", &(|a, b| if a == 0 || a > b { b } else { a - 1 })),
        ("min_src2_i32", &(|a, b| (a as i32).min(b as i32) as u32)),
        ("max_src2_i32", &(|a, b| (a as i32).max(b as i32) as u32)),
        ("min_src2_u32", &(|a: u32, b| a.min(b))),
        ("max_src2_u32", &(|a: u32, b| a.max(b))),
        ("and_src2_b32", &(|a, b| a & b)),
        ("or_src2_b32", &(|a, b| a | b)),
        ("xor_src2_b32", &(|a, b| a ^ b)),
        ("write_src2_b32", &(|_, b| b)),
        ("min_src2_f32", &less),
        ("max_src2_f32", &more),
    ];
    let a = 24u32;
    let mut cases = Vec::new();
    for (name, model) in operations {
        for distance in [1i32, -3, 5, 17, -20] {
            let places = [(a * 4, distance as u32 & 0x7fff), (((distance as u32) << 17) | (a * 4), 0x8000)];
            for (address, offset) in places {
                let code = vec![
                    "v_lshlrev_b32 v1, 2, v0".into(),
                    "ds_write_b32 v1, v11".into(),
                    "s_mov_b64 exec, 1".into(),
                    format!("ds_{name} v10 offset:{offset}"),
                    "s_mov_b64 exec, -1".into(),
                    "ds_read_b32 v20, v1".into(),
                ];
                cases.push((name, model, (a as i32 + distance) as usize, address, code));
            }
        }
    }
    machine.prepare(cases.iter().flat_map(|(.., code)| code));
    for (name, model, b, address, code) in cases {
        let content: Lanes = std::array::from_fn(|_| random.word());
        let [got, ..] = machine.run(&code, [[address; 64], content, content, content]);
        let mut expected = content;
        expected[a as usize] = model(content[a as usize], content[b]);
        assert_eq!(got, expected, "ds_{name} with the second source at dword {b}, address {address:#x}");
    }
}

/// `MEM[ADDR] = (src < tmp) ? src : tmp`: whatever is compared with a NaN, memory keeps its value, bit by bit.
#[test]
fn minimum_and_maximum_in_lds_with_nan() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let values = [0f32, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY].map(f32::to_bits);
    let values = [&values[..], &[0x7f80_0001, 0xffc0_1234, 1, 0x8000_0001]].concat();
    let (memory, data) = (lanes(|i| values[i % 8]), lanes(|i| values[(i / 8 + i % 3) % values.len()]));
    for (op, better) in [("min", (|b: f64, a: f64| b < a) as fn(f64, f64) -> bool), ("max", |b, a| b > a)] {
        let code = [
            "v_lshlrev_b32 v1, 2, v0".into(),
            "ds_write_b32 v1, v10".into(),
            format!("ds_{op}_rtn_f32 v20, v1, v11"),
            "ds_read_b32 v21, v1".into(),
        ];
        let [old, new, ..] = machine.run(&code, [memory, data, data, data]);
        assert_eq!(old, memory);
        let wide = |bits: u32| f64::from(f32::from_bits(bits));
        let expected = lanes(|i| if better(wide(data[i]), wide(memory[i])) { data[i] } else { memory[i] });
        assert_eq!(new, expected, "ds_{op}_f32");

        // The same values as f64, a signaling NaN among them.
        let double = |bits: u32| match bits {
            0x7f80_0001 => 0x7ff0_0000_0000_0001,
            bits => wide(bits).to_bits(),
        };
        let code = [
            "v_lshlrev_b32 v1, 3, v0".into(),
            "ds_write_b64 v1, v[10:11]".into(),
            format!("ds_{op}_rtn_f64 v[20:21], v1, v[12:13]"),
            "ds_read_b64 v[22:23], v1".into(),
        ];
        let halves = |bits: &Lanes| [bits.map(|b| double(b) as u32), bits.map(|b| (double(b) >> 32) as u32)];
        let ([a0, a1], [b0, b1]) = (halves(&memory), halves(&data));
        let [old_low, old_high, low, high] = machine.run(&code, [a0, a1, b0, b1]);
        assert_eq!((old_low, old_high), (a0, a1));
        let chosen =
            |i: usize| if better(wide(data[i]), wide(memory[i])) { double(data[i]) } else { double(memory[i]) };
        assert_eq!((low, high), (lanes(|i| chosen(i) as u32), lanes(|i| (chosen(i) >> 32) as u32)), "ds_{op}_f64");
    }
}

/// Lines that make s\[8:11\] a resource at the heap.
fn resource(stride: u32, records: u32, flags: u32) -> Vec<String> {
    vec![
        format!("s_add_u32 s8, s0, {HEAP}"),
        "s_addc_u32 s9, s1, 0".into(),
        format!("s_or_b32 s9, s9, {:#x}", stride << 16),
        format!("s_mov_b32 s10, {records}"),
        format!("s_mov_b32 s11, {flags:#x}"),
    ]
}

/// Section "Range Checking": a raw buffer is out of range where offset >= num_records - sgpr_offset, each dword by
/// itself; loads give 0, stores are dropped.
#[test]
fn raw_buffers_check_each_dword_and_count_the_scalar_offset() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let heap = |i: usize| 0xa000 + i as u32;
    let offsets = lanes(|i| i as u32 * 4);
    let mut cases = Vec::new();
    for records in [0u32, 4, 62, 64, 100, 254] {
        for scalar in [0u32, 4, 40, 300] {
            for fixed in [0u32, 8, 60] {
                let access = |line: String| {
                    let mut code = resource(0, records, 0x27000);
                    code.extend([format!("s_mov_b32 s5, {scalar}"), line]);
                    code
                };
                let load = access(format!("buffer_load_dwordx4 v[20:23], v10, s[8:11], s5 offen offset:{fixed}"));
                let store = access(format!("buffer_store_dword v11, v10, s[8:11], s5 offen offset:{fixed}"));
                cases.push((records, scalar, fixed, load, store));
            }
        }
    }
    machine.prepare(cases.iter().flat_map(|(.., load, store)| load.iter().chain(store)));
    for (records, scalar, fixed, load, store) in cases {
        let what = format!("records {records}, soffset {scalar}, offset {fixed}");
        let inside = |lane: usize, k: u32| {
            let offset = offsets[lane] + fixed + 4 * k;
            i64::from(offset) + 4 <= i64::from(records) - i64::from(scalar)
        };
        machine.heap = std::array::from_fn(heap);
        let got = machine.run(&load, [offsets; 4]);
        for lane in 0..64 {
            for k in 0..4 {
                let at = (scalar + fixed + offsets[lane]) / 4 + k;
                let expected = if inside(lane, k) { heap(at as usize) } else { 0 };
                assert_eq!(got[k as usize][lane], expected, "{what}, lane {lane}, dword {k}");
            }
        }
        machine.heap = [7; 512];
        let stored = lanes(|i| 0x500 + i as u32);
        machine.run(&store, [offsets, stored, stored, stored]);
        let mut expected = [7; 512];
        for lane in (0..64).filter(|&lane| inside(lane, 0)) {
            expected[((scalar + fixed + offsets[lane]) / 4) as usize] = stored[lane];
        }
        assert_eq!(machine.heap, expected, "{what}");
    }
}

/// With `idxen` and a stride, num_records counts records; the scalar offset does not matter.
#[test]
fn structured_buffers_check_the_index() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let heap = |i: usize| 0xb000 + i as u32;
    for records in [0u32, 1, 9, 30, 64] {
        for scalar in [0u32, 16] {
            let mut code = resource(12, records, 0x27000);
            code.push(format!("s_mov_b32 s5, {scalar}"));
            code.push("buffer_load_dwordx2 v[20:21], v10, s[8:11], s5 idxen offset:4".into());
            machine.heap = std::array::from_fn(heap);
            let indices = lanes(|i| i as u32 ^ 5);
            let [first, second, ..] = machine.run(&code, [indices; 4]);
            for lane in 0..64 {
                let at = ((indices[lane] * 12 + 4 + scalar) / 4) as usize;
                let expected = if indices[lane] < records { [heap(at), heap(at + 1)] } else { [0, 0] };
                assert_eq!([first[lane], second[lane]], expected, "records {records}, index {}", indices[lane]);
            }
        }
    }
}

/// Section "Memory Buffer Load to LDS": the LDS address is M0\[15:0\] + offset + lane * 4, memory is addressed as ever.
/// The store has no address register, so lanes get addresses of their own from ADD_TID_ENABLE.
#[test]
fn buffers_to_and_from_lds() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    const ADD_TID_ENABLE: u32 = 1 << 23;
    let data = lanes(|i| 0x1111 * i as u32);
    machine.heap = [9; 512];
    let mut code = resource(4, 64, ADD_TID_ENABLE);
    code.extend(
        ["s_mov_b32 m0, 0x80", "v_lshlrev_b32 v1, 2, v0", "ds_write_b32 v1, v10 offset:136"].map(str::to_owned),
    );
    code.push("s_mov_b32 s5, 32".into());
    code.push("buffer_store_lds_dword s[8:11], s5 offset:8 lds".into());
    machine.run(&code, [data; 4]);
    let mut expected = [9; 512];
    expected[10..74].copy_from_slice(&data);
    assert_eq!(machine.heap, expected);

    machine.heap = std::array::from_fn(|i| 0xc000 + i as u32);
    let mut code = resource(0, 256, 0x27000);
    code.extend(
        ["s_mov_b32 m0, 0x40", "s_mov_b32 s5, 12", "buffer_load_dword v10, s[8:11], s5 offen offset:4 lds"]
            .map(str::to_owned),
    );
    code.extend(["v_lshlrev_b32 v1, 2, v0", "ds_read_b32 v20, v1 offset:68"].map(str::to_owned));
    let offsets = lanes(|i| 4 * (63 - i as u32));
    let [got, ..] = machine.run(&code, [offsets; 4]);
    let expected = lanes(|i| if offsets[i] + 16 + 4 <= 256 { 0xc000 + (offsets[i] + 16) / 4 } else { 0 });
    assert_eq!(got, expected);
}

/// AMD's manuals, "Addressing" of FLAT: LDS_ADDR = LDSbase + M0 + INST.OFFSET + ThreadID * 4. The offset, which is
/// signed, counts in memory too.
#[test]
fn global_and_private_memory_to_lds() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let mut random = Random(7);
    type Extend = fn(u32) -> u32;
    let pieces: [(&str, u32, Extend); 5] = [
        ("dword", 4, |x| x),
        ("ubyte", 1, |x| x & 0xff),
        ("sbyte", 1, |x| x as i8 as u32),
        ("ushort", 2, |x| x & 0xffff),
        ("sshort", 2, |x| x as i16 as u32),
    ];
    let mut cases = Vec::new();
    for (name, bytes, extend) in pieces {
        for offset in [0i32, 16, -8] {
            for memory in ["global", "scratch"] {
                let address = if memory == "global" { "v10, s[8:9]" } else { "v10, off" };
                let mut code = resource(0, 0, 0);
                code.extend(
                    [
                        "s_mov_b64 flat_scratch, s[8:9]",
                        "v_lshlrev_b32 v1, 2, v0",
                        "v_mov_b32 v2, 5",
                        "ds_write_b32 v1, v2 offset:512",
                        "s_mov_b32 m0, 0x200",
                        "s_mov_b32 exec_lo, 0x7fffffff",
                    ]
                    .map(str::to_owned),
                );
                code.push(format!("{memory}_load_{name} {address} offset:{offset} lds"));
                code.extend(["s_mov_b64 exec, -1".into(), format!("ds_read_b32 v20, v1 offset:{}", 512 + offset)]);
                cases.push((memory, name, bytes, extend, offset, code));
            }
        }
    }
    machine.prepare(cases.iter().flat_map(|(.., code)| code));
    for (memory, name, bytes, extend, offset, code) in cases {
        machine.heap = std::array::from_fn(|_| random.word());
        let heap: Vec<u8> = machine.heap.iter().flat_map(|word| word.to_le_bytes()).collect();
        // Each lane another piece of a dword; private memory has 8 dwords a lane here.
        let range = if memory == "global" { 256 } else { 2 };
        let addresses = lanes(|i| 8 + 4 * (i as u32 * 5 % range) + bytes * (i as u32 % (4 / bytes)));
        let [got, ..] = machine.run(&code, [addresses; 4]);
        let expected = lanes(|lane| {
            let at = (addresses[lane] as i32 + offset) as usize;
            let place = if memory == "global" { at } else { at / 4 * 256 + lane * 4 + at % 4 };
            let word = (0..bytes as usize).rev().fold(0, |word, k| word << 8 | u32::from(heap[place + k]));
            if lane == 31 { 5 } else { extend(word) }
        });
        assert_eq!(got, expected, "{memory}_load_{name} offset:{offset}");
    }
}

/// "DST_SEL identity": X000, XY00, XYZ0 or XYZW, by the components that the format has. MUBUF takes what the resource
/// selects, and note 1 of "Range Checking": "Reads that go out-of-range return zero (except for components with
/// V#.dst_sel = SEL_1 that return 1)".
#[test]
fn components_that_are_not_in_memory() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    const IDENTITY: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    const ONE: u32 = 0x3f80_0000;
    let heap = |i: usize| 0x4000_0000 + 0x1_0003 * i as u32;
    machine.heap = std::array::from_fn(heap);
    let offsets = lanes(|i| 4 * i as u32);
    // Of 96 bytes: what each lane gets of a format of `dwords` dwords, or where it is out of range.
    let mut check = |flags: u32, load: &str, dwords: usize, expected: &dyn Fn(usize) -> [u32; 4], outside: [u32; 4]| {
        let mut code = resource(0, 96, flags);
        code.push("s_mov_b32 s5, 0".into());
        code.push(load.into());
        let got = machine.run(&code, [offsets; 4]);
        let of_lane = |lane: usize| if 4 * (lane + dwords) <= 96 { expected(lane) } else { outside };
        let expected: [Lanes; 4] = std::array::from_fn(|k| lanes(|lane| of_lane(lane)[k]));
        assert_eq!(got, expected, "{load}, flags {flags:#x}");
    };
    let typed = |format: &str| format!("tbuffer_load_format_xyzw v[20:23], v10, s[8:11], {format}, s5 offen");
    // The selection of the resource does not matter.
    for flags in [IDENTITY, 1 | 1 << 3 | 1 << 6 | 1 << 9] {
        check(flags, &typed("dfmt:4, nfmt:7"), 1, &|i| [heap(i), 0, 0, 0], [0; 4]);
        check(flags, &typed("dfmt:4, nfmt:4"), 1, &|i| [heap(i), 0, 0, 0], [0; 4]);
        check(flags, &typed("dfmt:5, nfmt:4"), 1, &|i| [heap(i) & 0xffff, heap(i) >> 16, 0, 0], [0; 4]);
        check(flags, &typed("dfmt:13, nfmt:4"), 3, &|i| [heap(i), heap(i + 1), heap(i + 2), 0], [0; 4]);
        check(flags, &typed("dfmt:14, nfmt:4"), 4, &|i| std::array::from_fn(|k| heap(i + k)), [0; 4]);
    }
    let untyped = "buffer_load_format_xyzw v[20:23], v10, s[8:11], s5 offen";
    let (float, integer) = (7 << 12 | 4 << 15, 4 << 12 | 4 << 15);
    check(IDENTITY | float, untyped, 1, &|i| [heap(i), 0, 0, ONE], [0; 4]);
    let ones = 1 | 4 << 3 | 1 << 9;
    check(ones | float, untyped, 1, &|i| [ONE, heap(i), 0, ONE], [ONE, 0, 0, ONE]);
    check(ones | integer, untyped, 1, &|i| [1, heap(i), 0, 1], [1, 0, 0, 1]);
}

/// Section "Data Share Indexed and Atomic Access": "Specify only one address by setting both offsets to the same value.
/// This causes only one read or write to occur and uses only the first DATA0."
#[test]
fn two_equal_offsets_are_one_access() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let mut random = Random(9);
    let input: [Lanes; 4] = std::array::from_fn(|_| std::array::from_fn(|_| random.word()));
    let [a, b, c, d] = input;
    let code = |lines: &[&str]| -> Vec<String> { lines.iter().map(|&line| line.to_owned()).collect() };
    for suffix in ["", "st64"] {
        let [got, same, ..] = machine.run(
            &code(&[
                "v_lshlrev_b32 v1, 2, v0",
                &format!("ds_write2{suffix}_b32 v1, v10, v11 offset0:2 offset1:2"),
                &format!("ds_read2{suffix}_b32 v[20:21], v1 offset0:2 offset1:2"),
            ]),
            input,
        );
        assert_eq!([got, same], [a, a], "ds_write2{suffix}_b32");
        let got = machine.run(
            &code(&[
                "v_lshlrev_b32 v1, 4, v0",
                &format!("ds_write2{suffix}_b64 v1, v[10:11], v[12:13] offset0:3 offset1:3"),
                &format!("ds_read2{suffix}_b64 v[20:23], v1 offset0:3 offset1:3"),
            ]),
            input,
        );
        assert_eq!(got, [a, b, a, b], "ds_write2{suffix}_b64");
        let got = machine.run(
            &code(&[
                "v_lshlrev_b32 v1, 2, v0",
                &format!("ds_write2{suffix}_b32 v1, v10, v10 offset0:1 offset1:1"),
                "v_mov_b32 v21, v13",
                &format!("ds_wrxchg2{suffix}_rtn_b32 v[20:21], v1, v11, v12 offset0:1 offset1:1"),
                &format!("ds_read2{suffix}_b32 v[22:23], v1 offset0:1 offset1:1"),
            ]),
            input,
        );
        assert_eq!(got, [a, d, b, b], "ds_wrxchg2{suffix}_rtn_b32");
        let got = machine.run(
            &code(&[
                "v_lshlrev_b32 v1, 3, v0",
                &format!("ds_write2{suffix}_b64 v1, v[10:11], v[10:11] offset0:1 offset1:1"),
                &format!("ds_wrxchg2{suffix}_rtn_b64 v[20:23], v1, v[11:12], v[12:13] offset0:1 offset1:1"),
                &format!("ds_read2{suffix}_b64 v[22:25], v1 offset0:1 offset1:1"),
            ]),
            input,
        );
        assert_eq!(got, [a, b, b, c], "ds_wrxchg2{suffix}_rtn_b64");
    }
}

/// Section "Out-of-Range behavior": "If a source VGPR is out of range, VGPR0 is used. If a destination VGPR is
/// out-of-range, the instruction is ignored". The machine's waves have 32 registers.
#[test]
fn indexed_registers_out_of_range() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let input: [Lanes; 4] = std::array::from_fn(|k| lanes(|i| 0x1000 * (k as u32 + 1) + i as u32));
    let [a, b, c, _] = input;
    let code = |index: u32, kinds: &str, indexed: &[&str], after: &[&str]| -> Vec<String> {
        let mut code = vec![
            "v_mov_b32 v31, v13".into(),
            "v_mov_b32 v20, v12".into(),
            "v_mov_b32 v21, v12".into(),
            format!("s_mov_b32 s4, {index}"),
            format!("s_set_gpr_idx_on s4, gpr_idx({kinds})"),
        ];
        code.extend(indexed.iter().map(|&line| line.to_owned()));
        code.push("s_set_gpr_idx_off".into());
        code.extend(after.iter().map(|&line| line.to_owned()));
        code
    };
    // v31 is the last one.
    let outcome = ["v_mov_b32 v22, v31", "v_mov_b32 v23, v0"];
    for (index, written) in [(11, true), (12, false), (200, false), (236, false), (255, false)] {
        let [_, _, last, first] = machine.run(&code(index, "DST", &["v_mov_b32 v20, v10"], &outcome), input);
        assert_eq!(last, if written { a } else { input[3] }, "v_mov_b32, M0 {index}");
        assert_eq!(first, lanes(|i| i as u32), "v_mov_b32, M0 {index}: v0");
    }
    for (index, written) in [(10, true), (11, false), (235, false)] {
        let [_, _, last, first] =
            machine.run(&code(index, "DST", &["v_lshlrev_b64 v[20:21], 0, v[10:11]"], &outcome), input);
        assert_eq!(last, if written { b } else { input[3] }, "v_lshlrev_b64, M0 {index}");
        assert_eq!(first, lanes(|i| i as u32), "v_lshlrev_b64, M0 {index}: v0");
    }
    for (index, expected) in [(11, input[3]), (12, lanes(|i| i as u32)), (236, lanes(|i| i as u32))] {
        let [got, other, ..] = machine.run(&code(index, "SRC0", &["v_add_u32 v20, v20, v10"], &[]), input);
        assert_eq!(got, lanes(|i| expected[i].wrapping_add(a[i])), "source, M0 {index}");
        assert_eq!(other, c);
    }
}

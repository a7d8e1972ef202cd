//! Assembly text for every operation in every encoding, with each operand class, edge registers, constants and
//! modifiers.

#[path = "scopes.rs"]
mod scopes;
#[path = "unified.rs"]
mod unified;

use gcn::inst::Format;
use gcn::op::{Info, Kind, Op, flags};
use gcn::target::Target;

const SCALAR: &[&str] = &[
    "s1",
    "s0",
    "s101",
    "flat_scratch_lo",
    "flat_scratch_hi",
    "xnack_mask_lo",
    "xnack_mask_hi",
    "vcc_lo",
    "vcc_hi",
    "ttmp0",
    "ttmp15",
    "m0",
    "exec_lo",
    "exec_hi",
    "0",
    "1",
    "64",
    "-1",
    "-16",
    "0.5",
    "-0.5",
    "1.0",
    "-1.0",
    "2.0",
    "-2.0",
    "4.0",
    "-4.0",
    "0.15915494",
    "src_shared_base",
    "src_shared_limit",
    "src_private_base",
    "src_private_limit",
    "src_pops_exiting_wave_id",
    "src_vccz",
    "src_execz",
    "src_scc",
    "src_lds_direct",
    "65",
    "-17",
    "0x12345678",
    "0xffffffff",
    "0x3c00",
    "0x7fff",
    "0x3f800001",
];
const PAIR: &[&str] = &[
    "s[2:3]",
    "s[0:1]",
    "s[100:101]",
    "flat_scratch",
    "xnack_mask",
    "vcc",
    "ttmp[0:1]",
    "ttmp[14:15]",
    "exec",
    "0",
    "64",
    "-16",
    "0.5",
    "-4.0",
    "0.15915494309189532",
    "src_shared_base",
    "src_private_limit",
    "src_vccz",
    "src_scc",
    "65",
    "0x12345678",
    "0xffffffff",
    "0x3ff00000",
];
const VECTOR: &[&str] = &["v1", "v0", "v255"];
// Where registers are unified, operands of several begin at even ones, and sums and data are of both kinds. LLVM
// refuses what a chip does not have.
const VECTOR_PAIR: &[&str] = &["v[2:3]", "v[1:2]", "v[254:255]"];
const DPP_CONTROLS: &[&str] = &[
    "quad_perm:[0,1,2,3]",
    "quad_perm:[3,2,1,0]",
    "row_shl:1",
    "row_shl:15",
    "row_shr:1",
    "row_shr:15",
    "row_ror:1",
    "row_ror:15",
    "wave_shl:1",
    "wave_rol:1",
    "wave_shr:1",
    "wave_ror:1",
    "row_mirror",
    "row_half_mirror",
    "row_bcast:15",
    "row_bcast:31",
    "row_newbcast:0",
    "row_newbcast:15",
];
const SELECTS: &[&str] = &["DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"];

fn both(first: &[&str], second: &[&str]) -> Vec<String> {
    first.iter().chain(second).map(|&s| s.to_owned()).collect()
}

fn list(items: &[&str]) -> Vec<String> {
    both(items, &[])
}

/// What can stand for an operand, the most ordinary first.
fn samples(kind: Kind, format: Format) -> Vec<String> {
    let scalar = matches!(format, Format::Sop1 | Format::Sop2 | Format::Sopc);
    let registers = matches!(format, Format::Sopk | Format::Smem);
    match kind {
        Kind::S1 if registers => list(&SCALAR[..14]),
        Kind::S2 if registers => list(&PAIR[..9]),
        Kind::S1 if scalar => list(SCALAR),
        Kind::S1 => list(&SCALAR[..36]),
        Kind::Lane => list(&SCALAR[..36]),
        Kind::S2 => list(PAIR),
        Kind::Mask => list(&PAIR[..9]),
        Kind::S4 => list(&["s[4:7]", "s[0:3]", "s[96:99]", "ttmp[4:7]", "ttmp[12:15]"]),
        Kind::S8 => list(&["s[8:15]", "s[0:7]", "s[92:99]", "ttmp[8:15]"]),
        Kind::S16 => list(&["s[16:31]", "s[0:15]", "s[84:99]", "ttmp[0:15]"]),
        Kind::V1 | Kind::Vdata => list(VECTOR),
        Kind::V2 => list(VECTOR_PAIR),
        Kind::V3 => list(&["v[4:6]", "v[0:2]", "v[252:254]", "v[253:255]"]),
        Kind::V4 => list(&["v[4:7]", "v[0:3]", "v[252:255]"]),
        Kind::I16 | Kind::F16 | Kind::I32 | Kind::F32 | Kind::PkI16 | Kind::PkF16 | Kind::Mix => both(VECTOR, SCALAR),
        Kind::I64 | Kind::F64 => both(VECTOR_PAIR, PAIR),
        Kind::PkF32 | Kind::PkI32 => both(VECTOR_PAIR, PAIR),
        Kind::A1 => list(&["a1", "a0", "a255"]),
        Kind::A2 => list(&["a[4:5]", "a[0:1]", "a[254:255]"]),
        Kind::A4 => list(&["a[4:7]", "a[0:3]", "a[252:255]"]),
        Kind::A8 => list(&["a[8:15]", "a[0:7]", "a[248:255]"]),
        Kind::A16 => list(&["a[16:31]", "a[0:15]", "a[240:255]"]),
        Kind::A32 => list(&["a[32:63]", "a[0:31]", "a[224:255]"]),
        Kind::AV1 => list(&["v1", "v0", "v255", "a1", "a0", "a255"]),
        Kind::AV2 => list(&["v[2:3]", "v[254:255]", "a[0:1]", "a[254:255]"]),
        Kind::AV4 => list(&["v[4:7]", "v[252:255]", "a[0:3]", "a[252:255]"]),
        Kind::Acc2 => both(&["a[4:5]", "a[254:255]"], &["0", "-16", "64", "0.5", "-4.0", "0.15915494309189532"]),
        Kind::Acc8 => both(&["a[8:15]", "a[248:255]"], &["0", "-16", "64", "0.5", "-4.0", "0.15915494309189532"]),
        Kind::Acc4 => both(&["a[4:7]", "a[252:255]"], &["0", "-16", "64", "0.5", "-4.0"]),
        Kind::Acc16 => both(&["a[16:31]", "a[240:255]"], &["0", "-16", "64", "0.5", "-4.0"]),
        Kind::Acc32 => both(&["a[32:63]", "a[224:255]"], &["0", "-16", "64", "0.5", "-4.0"]),
        Kind::Literal => list(&["0x12345678", "0x1", "0x1234", "0xffffffff", "0"]),
        Kind::Soffset => list(&[
            "0x10",
            "0x0",
            "0xfffff",
            "-0x1",
            "-0x100000",
            "s5",
            "m0",
            "s101",
            "vcc_lo",
            "s5 offset:0x10",
            "s5 offset:-0x4",
        ]),
        Kind::Saddr if format == Format::Global => list(&["off", "s[2:3]", "s[100:101]", "vcc", "ttmp[0:1]"]),
        Kind::Saddr => list(&["off", "s3", "s101", "vcc_lo", "m0", "ttmp3"]),
        Kind::Vaddr => list(&["off", "v1", "v[2:3]", "v255", "v[254:255]"]),
        Kind::Param => list(&["p10", "p20", "p0"]),
        Kind::Attr => list(&["attr0.x", "attr1.y", "attr32.z", "attr63.w"]),
        Kind::Imm | Kind::None => Vec::new(),
    }
}

/// Values of immediate fields.
fn immediates(op: Op, format: Format) -> Vec<String> {
    match op {
        Op::SWaitcnt => list(&[
            "vmcnt(0)",
            "vmcnt(63)",
            "expcnt(0)",
            "lgkmcnt(0)",
            "lgkmcnt(15)",
            "vmcnt(1) expcnt(2) lgkmcnt(3)",
            "0",
            "0xffff",
            "vmcnt(62) & lgkmcnt(1)",
        ]),
        Op::SSendmsg | Op::SSendmsghalt => {
            let mut messages = list(&[
                "sendmsg(MSG_GS_DONE, GS_OP_NOP)",
                "sendmsg(MSG_SYSMSG, SYSMSG_OP_ECC_ERR_INTERRUPT)",
                "sendmsg(MSG_SYSMSG, SYSMSG_OP_REG_RD)",
                "sendmsg(MSG_SYSMSG, SYSMSG_OP_TTRACE_PC)",
                "0",
                "0xffff",
            ]);
            for name in [
                "INTERRUPT",
                "SAVEWAVE",
                "STALL_WAVE_GEN",
                "HALT_WAVES",
                "ORDERED_PS_DONE",
                "EARLY_PRIM_DEALLOC",
                "GS_ALLOC_REQ",
                "GET_DOORBELL",
            ] {
                messages.push(format!("sendmsg(MSG_{name})"));
            }
            for stream in 0..4 {
                for op in ["CUT", "EMIT", "EMIT_CUT"] {
                    messages.push(format!("sendmsg(MSG_GS, GS_OP_{op}, {stream})"));
                    messages.push(format!("sendmsg(MSG_GS_DONE, GS_OP_{op}, {stream})"));
                }
            }
            messages.extend((0..1024).step_by(7).map(|n| n.to_string()));
            messages
        }
        Op::SGetregB32 | Op::SSetregB32 | Op::SSetregImm32B32 => {
            let mut registers: Vec<String> = (0..64).map(|id| format!("hwreg({id}, 3, 7)")).collect();
            registers.extend(list(&[
                "hwreg(HW_REG_MODE)",
                "hwreg(HW_REG_MODE, 0, 32)",
                "hwreg(HW_REG_STATUS, 31, 1)",
                "0xffff",
            ]));
            registers
        }
        Op::SSetGprIdxOn | Op::SSetGprIdxMode => {
            list(&["gpr_idx(SRC0)", "gpr_idx()", "gpr_idx(SRC0,SRC1,SRC2,DST)", "gpr_idx(SRC1,DST)", "3"])
        }
        _ if format == Format::Sopc || format == Format::Smem => list(&["0x1", "0x0", "0x7f"]),
        _ => list(&["0x1", "0", "64", "65", "0x1234", "0x8000", "0xffff"]),
    }
}

/// One line with these operands and modifiers.
fn line(mnemonic: &str, operands: &[String], modifiers: &str) -> String {
    let space = if modifiers.is_empty() { "" } else { " " };
    format!("{mnemonic} {}{space}{modifiers}", operands.join(", "))
}

/// Every operand in turn takes all its samples, the others their first.
fn vary(mnemonic: &str, operands: &[Vec<String>], modifiers: &str, out: &mut Vec<String>) {
    let first: Vec<String> = operands.iter().map(|samples| samples[0].clone()).collect();
    out.push(line(mnemonic, &first, modifiers));
    for (i, samples) in operands.iter().enumerate() {
        for sample in &samples[1..] {
            let mut chosen = first.clone();
            chosen[i].clone_from(sample);
            out.push(line(mnemonic, &chosen, modifiers));
        }
    }
}

/// Lines for each modifier alone and all together.
fn with_modifiers(mnemonic: &str, operands: &[Vec<String>], modifiers: &[String], out: &mut Vec<String>) {
    let first: Vec<String> = operands.iter().map(|samples| samples[0].clone()).collect();
    for modifier in modifiers {
        out.push(line(mnemonic, &first, modifier));
    }
}

/// Signs of the sources from `from` on.
fn signs(mnemonic: &str, operands: &[Vec<String>], from: usize, kinds: &[Kind], tail: &str, out: &mut Vec<String>) {
    let first: Vec<String> = operands.iter().map(|samples| samples[0].clone()).collect();
    for (i, &kind) in kinds.iter().enumerate() {
        let wraps: &[(&str, &str)] = if kind.is_float() || kind == Kind::Mix {
            &[("-", ""), ("|", "|"), ("-|", "|")]
        } else {
            &[("sext(", ")")]
        };
        for (open, close) in wraps {
            let mut chosen = first.clone();
            chosen[from + i] = format!("{open}{}{close}", chosen[from + i]);
            out.push(line(mnemonic, &chosen, tail));
        }
        if kind.is_float() {
            let mut chosen = first.clone();
            chosen[from + i] = "neg(1)".to_owned();
            out.push(line(mnemonic, &chosen, tail));
        }
    }
}

fn kinds(slots: &[Kind]) -> Vec<Kind> {
    slots.iter().copied().take_while(|&kind| kind != Kind::None).collect()
}

fn operand_samples(op: Op, format: Format) -> Vec<Vec<String>> {
    let info = op.info();
    let results = kinds(&info.dst).into_iter().map(|kind| match kind {
        // Registers only; LLVM would assemble some read-only ones.
        Kind::S1 => list(&SCALAR[..14]),
        Kind::S2 => list(&PAIR[..9]),
        kind => samples(kind, format),
    });
    let sources = kinds(&info.src).into_iter().map(|kind| match kind {
        Kind::Imm => immediates(op, format),
        kind => samples(kind, format),
    });
    results.chain(sources).collect()
}

/// All lines for one operation of `target`.
pub fn forms(target: Target, op: Op) -> Vec<String> {
    let mut out = Vec::new();
    in_usual_registers(op, &mut out);
    let scopes = target == Target::Gfx942;
    if scopes {
        out = scopes::forms(op.info(), &out);
    }
    if target != Target::Gfx908 {
        let more = unified::forms(op.info(), &out, if scopes { "sc1" } else { "scc" });
        out.extend(more);
    }
    out
}

/// With sums in accumulation registers and all other data in vector registers.
fn in_usual_registers(op: Op, out: &mut Vec<String>) {
    let info = op.info();
    match info.format {
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vintrp | Format::Vop3 => vector(op, info, out),
        Format::Vop3p => packed(op, info, out),
        Format::Ds => ds(op, info, out),
        Format::Flat | Format::Global | Format::Scratch => flat(op, info, out),
        Format::Mubuf | Format::Mtbuf => buffer(op, info, out),
        Format::Mimg => image(op, info, out),
        Format::Exp => export(out),
        format => {
            let mut operands = operand_samples(op, format);
            if format == Format::Smem && info.has(flags::ATOMIC) {
                // The result is the data, and written once.
                operands.remove(0);
                vary(info.mnemonic, &operands, "glc", out);
            }
            vary(info.mnemonic, &operands, "", out);
            with_modifiers(info.mnemonic, &operands, &list(&["glc"]), out);
        }
    }
}

fn vector(op: Op, info: &Info, out: &mut Vec<String>) {
    let operands = operand_samples(op, info.format);
    let sources = kinds(&info.src);
    let from = operands.len() - sources.len();
    let name = info.mnemonic;
    let mut output = Vec::new();
    if info.has(flags::CLAMP) {
        output.push("clamp".to_owned());
    }
    if info.has(flags::OMOD) {
        output.extend(list(&["mul:2", "mul:4", "div:2", "clamp mul:2"]));
    }
    // The shorter encodings have VCC in place of any mask.
    let vcc = with_vcc(info, &operands);
    if info.format != Format::Vop3 {
        vary(name, &operands, "", out);
        vary(&format!("{name}_e32"), &vcc, "", out);
    }
    if !info.has(flags::ONLY_E32) {
        let suffix = if info.format == Format::Vop3 { "" } else { "_e64" };
        let name = format!("{name}{suffix}");
        vary(&name, &operands, "", out);
        with_modifiers(&name, &operands, &output, out);
        signs(&name, &operands, from, &sources, "", out);
        if info.has(flags::OP_SEL) {
            let bits = sources.len() + 1;
            let all: Vec<String> = (0..1 << bits)
                .map(|mask| {
                    let list: Vec<String> = (0..bits).map(|i| (mask >> i & 1).to_string()).collect();
                    format!("op_sel:[{}]", list.join(","))
                })
                .collect();
            with_modifiers(&name, &operands, &all, out);
        }
        if sources.contains(&Kind::Attr) {
            with_modifiers(&name, &operands, &list(&["high", "high clamp"]), out);
        }
    }
    if matches!(info.format, Format::Vop1 | Format::Vop2 | Format::Vopc) {
        let dpp = format!("{name}_dpp");
        for control in DPP_CONTROLS {
            vary(&dpp, &vcc, &format!("{control} row_mask:0xf bank_mask:0xf"), out);
        }
        with_modifiers(
            &dpp,
            &vcc,
            &list(&[
                "row_mirror row_mask:0x0 bank_mask:0x5",
                "row_mirror row_mask:0xa bank_mask:0x0 bound_ctrl:0",
                "quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf bound_ctrl:0",
            ]),
            out,
        );
        signs(&dpp, &vcc, from, &sources, "row_shr:1 row_mask:0xf bank_mask:0xf", out);
        sdwa(info, &operands, from, &sources, &output, out);
        if vcc != operands {
            sdwa(info, &vcc, from, &sources, &output, out);
        }
    }
}

/// The operands with VCC as each mask.
fn with_vcc(info: &Info, operands: &[Vec<String>]) -> Vec<Vec<String>> {
    let slots = kinds(&info.dst).into_iter().chain(kinds(&info.src));
    let operand = |(samples, kind): (&Vec<String>, Kind)| match kind {
        Kind::Mask => list(&["vcc"]),
        _ => samples.clone(),
    };
    operands.iter().zip(slots).map(operand).collect()
}

fn sdwa(
    info: &Info,
    operands: &[Vec<String>],
    from: usize,
    sources: &[Kind],
    output: &[String],
    out: &mut Vec<String>,
) {
    let name = format!("{}_sdwa", info.mnemonic);
    let has_src1 = info.format != Format::Vop1;
    let tail = |dst: &str, unused: &str, src0: &str, src1: &str| {
        let dst =
            if info.format == Format::Vopc { String::new() } else { format!("dst_sel:{dst} dst_unused:{unused} ") };
        let src1 = if has_src1 { format!(" src1_sel:{src1}") } else { String::new() };
        format!("{dst}src0_sel:{src0}{src1}")
    };
    let plain = tail("DWORD", "UNUSED_PAD", "DWORD", "DWORD");
    vary(&name, operands, &plain, out);
    let mut modifiers = Vec::new();
    for select in SELECTS {
        modifiers.push(tail(select, "UNUSED_PAD", "DWORD", "DWORD"));
        modifiers.push(tail("DWORD", "UNUSED_PAD", select, "DWORD"));
        modifiers.push(tail("DWORD", "UNUSED_PAD", "DWORD", select));
    }
    for unused in ["UNUSED_SEXT", "UNUSED_PRESERVE"] {
        modifiers.push(tail("WORD_1", unused, "BYTE_0", "WORD_0"));
    }
    modifiers.extend(output.iter().map(|modifier| format!("{modifier} {plain}")));
    with_modifiers(&name, operands, &modifiers, out);
    signs(&name, operands, from, sources, &plain, out);
}

fn packed(op: Op, info: &Info, out: &mut Vec<String>) {
    let operands = operand_samples(op, info.format);
    vary(info.mnemonic, &operands, "", out);
    let mut modifiers = Vec::new();
    if info.has(flags::MFMA) {
        for (name, count) in [("cbsz", 8), ("abid", 16), ("blgp", 8)] {
            modifiers.extend((0..count).map(|value| format!("{name}:{value}")));
        }
        modifiers.push("cbsz:1 abid:2 blgp:3".to_owned());
    } else {
        let sources = kinds(&info.src);
        for name in ["op_sel", "op_sel_hi", "neg_lo", "neg_hi"] {
            for mask in 0..1 << sources.len() {
                let bits: Vec<String> = (0..sources.len()).map(|i| (mask >> i & 1).to_string()).collect();
                modifiers.push(format!("{name}:[{}]", bits.join(",")));
            }
        }
        modifiers.push("clamp".to_owned());
        signs(info.mnemonic, &operands, operands.len() - sources.len(), &sources, "", out);
    }
    with_modifiers(info.mnemonic, &operands, &modifiers, out);
}

fn ds(op: Op, info: &Info, out: &mut Vec<String>) {
    let operands = operand_samples(op, info.format);
    let mut modifiers = if info.has(flags::TWO_OFFSETS) {
        list(&[
            "",
            "offset0:1",
            "offset0:255",
            "offset1:1",
            "offset1:255",
            "offset0:127 offset1:128",
            "offset0:1 gds",
            "gds",
        ])
    } else {
        list(&["", "offset:1", "offset:4", "offset:255", "offset:256", "offset:65535", "offset:65535 gds", "gds"])
    };
    if op == Op::DsSwizzleB32 {
        modifiers.extend((0..0x8000).step_by(31).map(|pattern| format!("offset:{pattern}")));
        modifiers.extend((0x8000..0x8100).map(|pattern| format!("offset:{pattern}")));
        modifiers.extend([1, 2, 4, 8, 16].map(|mask| format!("offset:swizzle(SWAP,{mask})")));
        modifiers.extend([2, 4, 8, 16, 32].map(|size| format!("offset:swizzle(REVERSE,{size})")));
        modifiers.extend([2, 4, 8, 16, 32].map(|size| format!("offset:swizzle(BROADCAST,{size},{})", size - 1)));
        modifiers.extend(["00pip", "ppppp", "1i0p1"].map(|mask| format!("offset:swizzle(BITMASK_PERM,\"{mask}\")")));
    }
    let gds = if info.has(flags::GDS) { "gds" } else { "" };
    vary(info.mnemonic, &operands, gds, out);
    with_modifiers(info.mnemonic, &operands, &modifiers, out);
}

fn flat(op: Op, info: &Info, out: &mut Vec<String>) {
    let mut operands = operand_samples(op, info.format);
    let address = info.src.iter().position(|&kind| kind == Kind::Vaddr).unwrap_or(0) + kinds(&info.dst).len();
    let pointers: &[&str] = &["v[2:3]", "v[0:1]", "v[254:255]"];
    let offsets: &[&str] = match info.format {
        Format::Flat => &["", "offset:1", "offset:4095", "glc", "slc", "glc slc", "offset:8 glc slc", "lds"],
        _ => &["", "offset:1", "offset:4095", "offset:-1", "offset:-4096", "glc", "slc", "offset:8 glc slc", "lds"],
    };
    let atomic = info.has(flags::ATOMIC);
    let variants: &[(&[&str], &[&str])] = match info.format {
        Format::Flat => &[(pointers, &[])],
        Format::Global => &[(pointers, &["off"]), (VECTOR, &["s[2:3]", "s[0:1]", "s[100:101]", "vcc", "ttmp[0:1]"])],
        _ => &[(VECTOR, &["off"]), (&["off"], &["s3", "s101", "vcc_lo", "ttmp3", "m0"])],
    };
    for (addresses, scalars) in variants {
        operands[address] = list(addresses);
        if !scalars.is_empty() {
            let last = operands.len() - 1;
            operands[last] = list(scalars);
        }
        if atomic {
            let returning: Vec<String> =
                offsets.iter().filter(|m| !m.contains("glc")).map(|m| format!("{m} glc")).collect();
            vary(info.mnemonic, &operands, "glc", out);
            with_modifiers(info.mnemonic, &operands, &returning, out);
        }
        let rest = if atomic { &operands[1..] } else { &operands[..] };
        vary(info.mnemonic, rest, "", out);
        with_modifiers(info.mnemonic, rest, &list(offsets), out);
        if info.has(flags::LDS) {
            vary(info.mnemonic, &operands[1..], "lds", out);
        }
    }
}

fn buffer(op: Op, info: &Info, out: &mut Vec<String>) {
    let mut operands = operand_samples(op, info.format);
    if operands.is_empty() {
        out.push(info.mnemonic.to_owned());
        return;
    }
    if info.has(flags::ATOMIC) {
        // The result is the data, and written once.
        operands.remove(0);
    }
    if info.has(flags::ONLY_LDS) {
        vary(info.mnemonic, &operands, "lds", out);
        vary(info.mnemonic, &operands, "offset:4095 lds glc slc", out);
        return;
    }
    for (mode, addresses) in [
        ("", &["off"][..]),
        ("offen", &["v1", "v0", "v255"]),
        ("idxen", &["v1", "v0", "v255"]),
        ("idxen offen", &["v[2:3]", "v[0:1]", "v[254:255]"]),
    ] {
        operands[1] = list(addresses);
        let mut modifiers = list(&["", "offset:1", "offset:4095", "glc", "slc", "offset:7 glc slc"]);
        if info.format == Format::Mtbuf {
            modifiers.extend((0..128).map(|format| format!("format:{format}")));
        }
        let modifiers: Vec<String> = modifiers.iter().map(|modifier| format!("{mode} {modifier}")).collect();
        let modifiers: Vec<String> = modifiers
            .iter()
            .map(|m| match m.split_once(" format:") {
                // The format comes before the addressing mode.
                Some((mode, format)) => format!("format:{format} {mode}"),
                None => m.clone(),
            })
            .collect();
        vary(info.mnemonic, &operands, mode, out);
        with_modifiers(info.mnemonic, &operands, &modifiers, out);
        if info.has(flags::LDS) {
            vary(info.mnemonic, &operands[1..], &format!("{mode} lds"), out);
            vary(info.mnemonic, &operands[1..], &format!("{mode} offset:5 glc slc lds"), out);
        }
        // With tfe the data has one register more.
        let mut wider = operands.clone();
        let words = info.dst[0].words().max(info.src[0].words());
        wider[0] = vec![format!("v[8:{}]", 8 + words)];
        with_modifiers(info.mnemonic, &wider, &[format!("{mode} tfe"), format!("{mode} offset:3 glc slc tfe")], out);
    }
}

fn image(op: Op, info: &Info, out: &mut Vec<String>) {
    let mut operands = operand_samples(op, info.format);
    if info.has(flags::ATOMIC) {
        operands.remove(0);
    }
    let registers = |count: u32| if count == 1 { "v8".to_owned() } else { format!("v[8:{}]", 7 + count) };
    let masks: &[u32] = match op {
        Op::ImageAtomicCmpswap => &[3, 15],
        _ if info.has(flags::ATOMIC) => &[1, 3],
        _ => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    };
    for &dmask in masks {
        let count = if info.has(flags::GATHER4) { 4 } else { dmask.count_ones().max(1) };
        operands[0] = vec![registers(count)];
        if dmask == masks[1] {
            vary(info.mnemonic, &operands, &format!("dmask:{dmask:#x}"), out);
        }
        let mut modifiers: Vec<String> = ["", "unorm", "glc", "slc", "a16", "lwe", "da", "unorm glc slc a16 lwe da"]
            .map(|m| format!("dmask:{dmask:#x} {m}"))
            .into();
        with_modifiers(info.mnemonic, &operands, &modifiers, out);
        operands[0] = vec![registers(count + 1)];
        modifiers = vec![format!("dmask:{dmask:#x} tfe")];
        with_modifiers(info.mnemonic, &operands, &modifiers, out);
        if info.has(flags::D16) {
            operands[0] = vec![registers(count.div_ceil(2))];
            with_modifiers(info.mnemonic, &operands, &[format!("dmask:{dmask:#x} d16")], out);
        }
    }
}

fn export(out: &mut Vec<String>) {
    let targets = (0..8).map(|i| format!("mrt{i}")).chain(["mrtz".to_owned(), "null".to_owned()]);
    let targets = targets.chain((0..4).map(|i| format!("pos{i}"))).chain((0..32).map(|i| format!("param{i}")));
    for target in targets {
        out.push(format!("exp {target} v1, v2, v3, v4"));
    }
    for en in 0..16 {
        let operand = |i: usize| if en >> i & 1 != 0 { format!("v{}", 250 + i) } else { "off".to_owned() };
        for modifiers in ["", "done", "vm", "done vm"] {
            out.push(format!("exp mrt0 {}, {}, {}, {} {modifiers}", operand(0), operand(1), operand(2), operand(3)));
        }
    }
    for modifiers in ["compr", "done compr", "done compr vm"] {
        out.push(format!("exp mrt0 v1, v1, v2, v2 {modifiers}"));
        out.push(format!("exp mrt0 off, off, v2, v2 {modifiers}"));
    }
}

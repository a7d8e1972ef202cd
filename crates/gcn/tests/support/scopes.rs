//! Forms that gfx942 adds: other names for cache-policy bits, scratch with two addresses or none, and byte results.

use gcn::inst::Format;
use gcn::op::{Info, Kind, flags};

/// `lines` of one operation, written so, and more. Those that mean nothing LLVM refuses.
pub fn forms(info: &Info, lines: &[String]) -> Vec<String> {
    let more = match info.format {
        Format::Scratch => lines.iter().flat_map(|line| addresses(line)).collect(),
        Format::Mubuf if info.src[0] == Kind::None => policies(info.mnemonic),
        Format::Vop3 if info.has(flags::OP_SEL) => bytes(&lines[0]),
        Format::Vop1 if info.has(flags::NO_DST_SEL) => sources(&lines[0], info.dst[0] == Kind::V2),
        Format::Vop3p if info.has(flags::MFMA) => signs(&lines[0]),
        _ => Vec::new(),
    };
    let policy = match info.format {
        Format::Flat | Format::Global | Format::Scratch | Format::Mubuf | Format::Mtbuf => policies(&lines[0]),
        _ => Vec::new(),
    };
    let memory = info.format != Format::Smem;
    lines.iter().chain(&more).map(|line| if memory { renamed(line) } else { line.clone() }).chain(policy).collect()
}

/// GLC and SLC as SC0 and NT.
fn renamed(line: &str) -> String {
    line.split(' ')
        .map(|word| {
            if word == "glc" {
                "sc0"
            } else if word == "slc" {
                "nt"
            } else {
                word
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Every cache policy.
fn policies(line: &str) -> Vec<String> {
    let bit = |mask: u32, at: u32, name: &'static str| if mask >> at & 1 != 0 { name } else { "" };
    (0..8)
        .map(|mask| format!("{line}{}{}{}", bit(mask, 0, " sc0"), bit(mask, 1, " nt"), bit(mask, 2, " sc1")))
        .collect()
}

/// With a scalar address beside the vector one, and with none.
fn addresses(line: &str) -> Vec<String> {
    let with = |scalar: &str| line.replacen(", off", &format!(", {scalar}"), 1);
    let none = line.split(' ').map(|word| if word == "s3" || word == "s101" { "off" } else { word });
    vec![none.collect::<Vec<_>>().join(" "), with("s3"), with("s101"), with("vcc_lo"), with("m0")]
}

/// `op_sel` with the third bit that results of a byte have.
fn bytes(line: &str) -> Vec<String> {
    (0..16)
        .map(|mask| format!("{line} op_sel:[{},{},{},{}]", mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3))
        .collect()
}

/// SDWA that selects of the source only.
fn sources(line: &str, wide: bool) -> Vec<String> {
    let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
    let result = if wide { "v[254:255]" } else { "v255" };
    let mut lines = Vec::new();
    for select in ["DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"] {
        for modifiers in ["", "clamp ", "mul:2 ", "mul:4 ", "div:2 ", "clamp mul:2 "] {
            lines.push(format!("{name}_sdwa {operands} {modifiers}src0_sel:{select}"));
        }
        lines.push(format!("{name}_sdwa {result}, s3 src0_sel:{select}"));
        lines.push(format!("{name}_sdwa {result}, sext(v3) src0_sel:{select}"));
        lines.push(format!("{name}_sdwa {result}, -v3 src0_sel:{select}"));
    }
    lines
}

/// Signs of the sources of an f64 MFMA.
fn signs(line: &str) -> Vec<String> {
    (0..8).map(|mask| format!("{line} neg:[{},{},{}]", mask & 1, mask >> 1 & 1, mask >> 2)).collect()
}

//! Forms that chips with unified registers add: either kind of register for data and sums, and the bit SCC.

use gcn::inst::Format;
use gcn::op::{Info, flags};

/// `lines` of one operation, written so; `scc` is what the chip calls the bit. Those that mean nothing LLVM refuses.
pub fn forms(info: &Info, lines: &[String], scc: &str) -> Vec<String> {
    let matrix = info.has(flags::MFMA);
    match info.format {
        // The last operand of those of sparse matrices is no sum.
        Format::Vop3p if matrix => {
            let sums = lines.iter().map(|line| renamed(line, |i, last| i == 0 || i == last));
            sums.chain(lines.iter().map(|line| renamed(line, |i, _| i == 0))).collect()
        }
        Format::Ds | Format::Flat | Format::Global | Format::Scratch | Format::Mubuf | Format::Mtbuf | Format::Mimg => {
            let mut more: Vec<String> = lines.iter().map(|line| format!("{line} {scc}")).collect();
            // Any of the first four operands may be data.
            for mask in 1..16 {
                more.extend(lines.iter().map(|line| renamed(line, |i, _| mask >> i & 1 != 0)));
            }
            more
        }
        _ => Vec::new(),
    }
}

/// The line with the other kind of register as each operand that `chosen` says, by its number and the last one's.
fn renamed(line: &str, chosen: impl Fn(usize, usize) -> bool) -> String {
    let (name, operands) = line.split_once(' ').unwrap_or((line, ""));
    let operands: Vec<&str> = operands.split(", ").collect();
    let last = operands.len() - 1;
    let rename = |(i, operand): (usize, &&str)| match operand.split_at_checked(1) {
        Some(("v", register)) if chosen(i, last) => format!("a{register}"),
        Some(("a", register)) if chosen(i, last) => format!("v{register}"),
        _ => (*operand).to_owned(),
    };
    format!("{name} {}", operands.iter().enumerate().map(rename).collect::<Vec<_>>().join(", "))
}

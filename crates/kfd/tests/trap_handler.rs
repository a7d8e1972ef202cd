//! The trap handler is made of its source.

#[allow(dead_code)] // The tests of code objects use the rest.
#[path = "../../amdgpu-code-object/tests/code/compile.rs"]
mod compile;

use object::{Object, ObjectSection};

use crate::compile::{assembly_for, printed};

const SOURCE: &str = include_str!("../src/family/trap/handler.s");

#[test]
fn machine_code_is_what_the_source_says() {
    // The driver's handler leaves IB_STS in another register from gfx94x on.
    for (target, code, ib_sts) in [
        ("gfx908", include_bytes!("../src/family/trap/handler.bin").as_slice(), "ttmp11"),
        ("gfx90a", include_bytes!("../src/family/trap/handler.bin"), "ttmp11"),
        ("gfx942", include_bytes!("../src/family/trap/handler_gfx94.bin"), "ttmp13"),
    ] {
        let object = crate::compiled!(assembly_for(target, SOURCE));
        let file = object::read::elf::ElfFile64::<object::Endianness>::parse(&*object).expect("an ELF file");
        let text = file.section_by_name(".text").and_then(|text| text.data().ok()).expect("code");
        assert_eq!(text, code, "{target}");
        let instructions = printed("llvm-objdump", &["-d"], &object);
        let mut lines = instructions.lines().map(|line| line.split("//").next().unwrap_or_default().trim());
        let shift = lines.find(|line| line.starts_with("s_lshr_b32"));
        assert_eq!(shift, Some(&*format!("s_lshr_b32 ttmp2, {ib_sts}, 11")), "{target}");
        let before = ["s_and_b32 ttmp2, ttmp2, 0x1f8000", "s_setreg_b32 hwreg(HW_REG_IB_STS), ttmp2"];
        assert!(before.into_iter().eq(lines.take(2)), "{target}: {instructions}");
    }
}

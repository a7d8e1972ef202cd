//! The trap handler is made of its source.

use object::{Object, ObjectSection};

use crate::compile::assembly;

#[test]
fn machine_code_is_what_the_source_says() {
    let object = crate::compiled!(assembly(include_str!("../../src/trap/handler.s")));
    let file = object::read::elf::ElfFile64::<object::Endianness>::parse(&*object).expect("an ELF file");
    let text = file.section_by_name(".text").and_then(|text| text.data().ok()).expect("code");
    assert_eq!(text, include_bytes!("../../src/trap/handler.bin"));
}

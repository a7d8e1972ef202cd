//! Operations: names, encodings, and what executors and the disassembler need to know about each of them.

use crate::inst::Format;

/// What the table says about one operation.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The assembler's name, without an encoding suffix (`_e32`, `_e64`, `_sdwa`, `_dpp`).
    pub mnemonic: &'static str,
    /// The smallest encoding that has it.
    pub format: Format,
    /// The opcode field of that encoding.
    pub opcode: u16,
}

macro_rules! ops {
    ($($variant:ident $name:literal $format:ident $opcode:literal;)*) => {
        /// An operation, named as the assembler names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Op {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Op {
            /// Every operation.
            pub const ALL: &[Op] = &[$(Op::$variant,)*];
        }

        pub(super) const INFO: &[super::Info] = &[
            $(super::Info { mnemonic: $name, format: crate::inst::Format::$format, opcode: $opcode },)*
        ];
    };
}

mod table;
pub use table::Op;

impl Op {
    /// What the table says about this operation.
    pub const fn info(self) -> &'static Info {
        &table::INFO[self as usize]
    }

    /// The assembler's name, without an encoding suffix.
    pub const fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }
}

/// Opcode of a VOP1, VOP2, VOPC or VINTRP operation -> its opcode as VOP3.
pub const fn vop3_opcode(format: Format, opcode: u16) -> Option<u16> {
    match format {
        Format::Vopc | Format::Vop3 => Some(opcode),
        Format::Vop2 => Some(opcode + 0x100),
        Format::Vop1 => Some(opcode + 0x140),
        Format::Vintrp => Some(opcode + 0x270),
        _ => None,
    }
}

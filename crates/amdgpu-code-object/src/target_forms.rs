//! The forms in which files name a target: target IDs, target triples and ELF flags.

use std::str::FromStr;

use crate::{Error, TargetId};

impl TargetId {
    /// What `e_flags` say in a file of this `EI_ABIVERSION`, which must be one that [`Version`](crate::Version) knows.
    pub(super) fn from_flags(abi_version: u8, flags: u32) -> Result<TargetId, Error> {
        let mach = flags & EF_AMDGPU_MACH;
        let Some(processor) = PROCESSORS.iter().find(|processor| processor.mach == mach) else {
            return Err(Error::Unsupported {
                subject: "the processor in e_flags (EF_AMDGPU_MACH)",
                value: mach.into(),
                supported: "those of amdgcn that LLVM's AMDGPUUsage lists, of the generic ones gfx9-generic and gfx9-4-generic",
            });
        };
        let generic_version = flags >> EF_AMDGPU_GENERIC_VERSION_SHIFT;
        if processor.name.ends_with("-generic") && generic_version == 0 {
            let (subject, supported) =
                ("the version of a generic processor in e_flags", "1 and later, as LLVM writes it");
            return Err(Error::Unsupported { subject, value: 0, supported });
        }
        let (sramecc, xnack) = if abi_version == ELFABIVERSION_AMDGPU_HSA_V3 {
            // One bit each: on or off, as ROCr reads them.
            let setting = |bit, supported: bool| (flags & bit != 0 || supported).then_some(flags & bit != 0);
            (
                setting(EF_AMDGPU_FEATURE_SRAMECC_V3, processor.sramecc),
                setting(EF_AMDGPU_FEATURE_XNACK_V3, processor.xnack),
            )
        } else {
            // Two bits each: not supported, either, off, on.
            let setting = |shift: u32| match flags >> shift & 3 {
                2 => Some(false),
                3 => Some(true),
                _ => None,
            };
            (setting(EF_AMDGPU_FEATURE_SRAMECC_V4_SHIFT), setting(EF_AMDGPU_FEATURE_XNACK_V4_SHIFT))
        };
        Ok(TargetId { processor: processor.name.to_owned(), sramecc, xnack })
    }
}

impl FromStr for TargetId {
    type Err = Error;

    /// Parses a target ID, alone or after a target triple: `amdgcn-amd-amdhsa`, which LLVM 23 and later spell
    /// `amdgpu-amd-amdhsa`, also with the processor in the first component (`amdgpu9.42`, and `amdgpu9.4` for
    /// gfx9-4-generic). If such a triple stands alone, its processor is the target's. Settings may be written as for
    /// version 3 of code objects, too (`gfx908+xnack+sram-ecc`).
    fn from_str(text: &str) -> Result<TargetId, Error> {
        let wrong = |reason| Error::TargetId { text: text.to_owned(), reason };
        let Triple { subarch, behind: id } = Triple::of(text).unwrap_or(Triple { subarch: "", behind: text });
        let mut parts = id.split(':');
        let mut first = parts.next().unwrap_or_default().split('+');
        let given = first.next().unwrap_or_default();
        let processor = match subarch {
            "" => given.to_owned(),
            subarch => {
                let own =
                    Subarch::of(subarch).ok_or_else(|| wrong("the triple's amdgpu has no version such as 9.42"))?;
                if !given.is_empty() && !own.covers(given) {
                    return Err(wrong("the triple is for another processor than is named behind it"));
                }
                if given.is_empty() { own.processor() } else { given.to_owned() }
            }
        };
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !processor.starts_with("gfx") || processor.len() <= 3 || !processor.chars().all(plain) {
            return Err(wrong("it does not start with a processor such as gfx908"));
        }
        let mut target = TargetId { processor, sramecc: None, xnack: None };
        let old = first.map(|name| Some((name, true)));
        for setting in old.chain(parts.map(signed)) {
            let (name, on) = setting.ok_or_else(|| wrong("a setting ends in neither + nor -"))?;
            let place = match name {
                "sramecc" | "sram-ecc" => &mut target.sramecc,
                "xnack" => &mut target.xnack,
                _ => return Err(wrong("a setting is neither sramecc nor xnack")),
            };
            if place.replace(on).is_some() {
                return Err(wrong("a setting is there twice"));
            }
        }
        Ok(target)
    }
}

/// The name of a setting, and whether it is on.
fn signed(setting: &str) -> Option<(&str, bool)> {
    let on = setting.strip_suffix('+').map(|name| (name, true));
    on.or_else(|| setting.strip_suffix('-').map(|name| (name, false)))
}

/// A target triple that this crate loads code of, as it begins a text.
#[derive(Clone, Copy)]
pub(super) struct Triple<'a> {
    /// What the first component says of the processor: nothing of `amdgcn` and `amdgpu`, `9.42` of `amdgpu9.42`.
    subarch: &'a str,
    /// What comes behind the triple and the dash that ends it.
    behind: &'a str,
}

impl<'a> Triple<'a> {
    /// `None` for a text that does not begin with such a triple.
    pub(super) fn of(text: &'a str) -> Option<Triple<'a>> {
        let (architecture, rest) = text.split_once("-amd-amdhsa")?;
        let subarch = match architecture {
            "amdgcn" => "",
            other => other.strip_prefix("amdgpu")?,
        };
        if rest.is_empty() {
            return Some(Triple { subarch, behind: "" });
        }
        let rest = rest.strip_prefix('-')?;
        // `amdgcn-amd-amdhsa--gfx908`: the environment is empty, or clang names it `unknown`; HIP once left it and its
        // dash out.
        let behind = match rest.split_once('-') {
            Some(("" | "unknown", behind)) => behind,
            _ if rest == "unknown" => "",
            _ => rest,
        };
        Some(Triple { subarch, behind })
    }
}

/// The version in the first component of a triple: of a processor (`9.0a`), or of the generic one of several (`9`,
/// `9.4`).
struct Subarch<'a> {
    major: &'a str,
    minor: &'a str,
}

impl<'a> Subarch<'a> {
    fn of(text: &'a str) -> Option<Subarch<'a>> {
        let (major, minor) = text.split_once('.').unwrap_or((text, ""));
        let digit = |c: char| c.is_ascii_digit();
        let hexadecimal = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        let right = (1..=2).contains(&major.len())
            && major.chars().all(digit)
            && minor.len() <= 2
            && minor.chars().all(hexadecimal)
            && !text.ends_with('.');
        right.then_some(Subarch { major, minor })
    }

    fn processor(&self) -> String {
        let Subarch { major, minor } = self;
        match minor.len() {
            0 => format!("gfx{major}-generic"),
            1 => format!("gfx{major}-{minor}-generic"),
            _ => format!("gfx{major}{minor}"),
        }
    }

    /// Whether code for `processor` has a triple with this.
    fn covers(&self, processor: &str) -> bool {
        let of_major = || processor.strip_prefix("gfx").is_some_and(|version| version.starts_with(self.major));
        if self.minor.len() == 2 { processor == self.processor() } else { of_major() }
    }
}

// `llvm/BinaryFormat/ELF.h`; AMDGPUUsage, "ELF Code Object: Header".
const ELFABIVERSION_AMDGPU_HSA_V3: u8 = 1;
const EF_AMDGPU_MACH: u32 = 0xff;
const EF_AMDGPU_FEATURE_XNACK_V3: u32 = 0x100;
const EF_AMDGPU_FEATURE_SRAMECC_V3: u32 = 0x200;
const EF_AMDGPU_FEATURE_XNACK_V4_SHIFT: u32 = 8;
const EF_AMDGPU_FEATURE_SRAMECC_V4_SHIFT: u32 = 10;
/// Of files of version 6.
const EF_AMDGPU_GENERIC_VERSION_SHIFT: u32 = 24;

struct Processor {
    /// `EF_AMDGPU_MACH_AMDGCN_*`
    mach: u32,
    name: &'static str,
    sramecc: bool,
    xnack: bool,
}

const fn plain(mach: u32, name: &'static str) -> Processor {
    Processor { mach, name, sramecc: false, xnack: false }
}

const fn xnack(mach: u32, name: &'static str) -> Processor {
    Processor { mach, name, sramecc: false, xnack: true }
}

const fn both(mach: u32, name: &'static str) -> Processor {
    Processor { mach, name, sramecc: true, xnack: true }
}

/// AMDGPUUsage's processors with the target features that they have. The settings are asked only for version 3.
const PROCESSORS: &[Processor] = &[
    plain(0x20, "gfx600"),
    plain(0x21, "gfx601"),
    plain(0x22, "gfx700"),
    plain(0x23, "gfx701"),
    plain(0x24, "gfx702"),
    plain(0x25, "gfx703"),
    plain(0x26, "gfx704"),
    xnack(0x28, "gfx801"),
    plain(0x29, "gfx802"),
    plain(0x2a, "gfx803"),
    xnack(0x2b, "gfx810"),
    xnack(0x2c, "gfx900"),
    xnack(0x2d, "gfx902"),
    xnack(0x2e, "gfx904"),
    both(0x2f, "gfx906"),
    both(0x30, "gfx908"),
    xnack(0x31, "gfx909"),
    xnack(0x32, "gfx90c"),
    xnack(0x33, "gfx1010"),
    xnack(0x34, "gfx1011"),
    xnack(0x35, "gfx1012"),
    plain(0x36, "gfx1030"),
    plain(0x37, "gfx1031"),
    plain(0x38, "gfx1032"),
    plain(0x39, "gfx1033"),
    plain(0x3a, "gfx602"),
    plain(0x3b, "gfx705"),
    plain(0x3c, "gfx805"),
    plain(0x3d, "gfx1035"),
    plain(0x3e, "gfx1034"),
    both(0x3f, "gfx90a"),
    both(0x40, "gfx940"),
    plain(0x41, "gfx1100"),
    xnack(0x42, "gfx1013"),
    plain(0x43, "gfx1150"),
    plain(0x44, "gfx1103"),
    plain(0x45, "gfx1036"),
    plain(0x46, "gfx1101"),
    plain(0x47, "gfx1102"),
    plain(0x48, "gfx1200"),
    plain(0x4a, "gfx1151"),
    both(0x4b, "gfx941"),
    both(0x4c, "gfx942"),
    plain(0x4e, "gfx1201"),
    both(0x4f, "gfx950"),
    xnack(0x51, "gfx9-generic"),
    plain(0x55, "gfx1152"),
    plain(0x58, "gfx1153"),
    both(0x5f, "gfx9-4-generic"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_code_runs_on_those_that_it_stands_for() {
        const VERSION_6: u8 = 4;
        let target = |flags| TargetId::from_flags(VERSION_6, flags);
        // As clang 19 writes it for gfx9-generic: version 1, XNACK either way.
        let (gfx9, gfx94) = (target(0x0100_0151).unwrap(), target(0x0100_055f).unwrap());
        assert_eq!((gfx9.processor(), gfx94.processor()), ("gfx9-generic", "gfx9-4-generic"));
        let device = |version| TargetId::of_device(version, Some(true), Some(false));
        for (version, by_gfx9, by_gfx94) in [
            (90_006, true, false),
            (90_012, true, false),
            (90_008, false, false),
            (90_010, false, false),
            (90_402, false, true),
            (90_500, false, true),
        ] {
            let runs = (gfx9.runs_on(&device(version)), gfx94.runs_on(&device(version)));
            assert_eq!(runs, (by_gfx9, by_gfx94), "{version}");
        }
        assert!(!target(0x0100_035f).unwrap().runs_on(&device(90_402)), "with XNACK on");
        let own: TargetId = "gfx942".parse().unwrap();
        assert!(own.rank() > gfx94.rank(), "code for the processor itself comes first");
        assert!(target(0x0000_055f).unwrap_err().to_string().contains("version of a generic processor"));
    }
}

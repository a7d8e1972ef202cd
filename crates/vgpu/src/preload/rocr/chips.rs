//! The chips that a ROCr version supports, found by the instruction sets that its file names. ROCr ignores a GPU that
//! is not in its table.

use crate::driver::config::Config;
use crate::driver::device;
use crate::hardware::checks::findings::Maps;
use crate::{log, real};
use std::collections::BTreeSet;
use std::ffi::CString;

/// The names of instruction sets (`gfx908`, `gfx90a`, `gfx1030`) that stand by themselves in the bytes of a library.
fn chips(library: &[u8]) -> BTreeSet<String> {
    const FRONT: &[u8] = b"gfx";
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut chips = BTreeSet::new();
    let mut at = 0;
    while let Some(found) = library[at..].windows(FRONT.len()).position(|three| three == FRONT) {
        let start = at + found;
        let digits = start + FRONT.len();
        let length = library[digits..].iter().take_while(|byte| is_of_name(byte)).count();
        let name = &library[digits..digits + length];
        // Major version, minor, and stepping as a digit of 16.
        let is_version = (3..=4).contains(&length)
            && name[..length - 1].iter().all(u8::is_ascii_digit)
            && matches!(name[length - 1], b'0'..=b'9' | b'a'..=b'f');
        let stands_alone = start.checked_sub(1).is_none_or(|before| !is_of_name(&library[before]));
        if is_version && stands_alone {
            chips.insert(String::from_utf8_lossy(&library[start..digits + length]).into_owned());
        }
        at = digits + length;
    }
    chips
}

/// Says which of the GPUs the ROCr of this process does not know, if it has opened no queue on them. Called when the
/// process ends.
pub fn tell_unknown() {
    let Some(config) = Config::get() else { return };
    let unused: Vec<u32> = (0..config.gpus()).filter(|gpu| !device::had_queue(*gpu)).collect();
    if unused.is_empty() || !device::is_open() {
        return;
    }
    let is_rocr = |path: &&str| path.rsplit('/').next().is_some_and(|name| name.starts_with("libhsa-runtime64.so"));
    let maps = Maps::read();
    let Some(path) = maps.files().find(is_rocr) else { return };
    let Some(bytes) = CString::new(path).ok().and_then(|path| real::read_file(&path)) else { return };
    let known = chips(&bytes);
    for gpu in unused {
        let profile = config.profile(gpu);
        let chip = profile.target.to_string();
        if !known.is_empty() && !known.contains(&chip) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            log::say(format_args!(
                "GPU {gpu} is an {} ({chip}), which {path} does not know, so that programs do not see it there; it knows {}",
                profile.name,
                known.join(", ")
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_stand_by_themselves_are_chips() {
        let library = b"\0gfx908\0amdgcn-amd-amdhsa--gfx90a:sramecc+\0gfx9-generic\0gfx9addrlib\0gfx1030\0xgfx906\0gfx_902\0gfx94\0gfx94x\0gfx940\0gfx90";
        assert_eq!(chips(library).iter().collect::<Vec<_>>(), ["gfx1030", "gfx908", "gfx90a", "gfx940"]);
        assert_eq!(chips(b"gfx942").iter().collect::<Vec<_>>(), ["gfx942"]);
        assert!(chips(b"").is_empty());
    }
}

//! Which HSA runtimes this process has loaded. Two in one process have two address spaces.

use std::path::Path;

use crate::{Error, Result};

const MAPS: &str = "/proc/self/maps";
/// Part of the names of all of them, a wheel's bundled `libhsa-runtime64-1a2b3c4d.so` too.
const NAME: &str = "libhsa-runtime64";

/// The file of the HSA runtime; `None` if none is loaded as a library of its own.
///
/// # Errors
/// [`Error::SeveralRuntimes`] names the file of each.
pub(crate) fn one() -> Result<Option<String>> {
    let maps = std::fs::read_to_string(MAPS).map_err(|reason| Error::Process { path: MAPS.into(), reason })?;
    let mut files = loaded(&maps);
    if files.len() > 1 {
        return Err(Error::SeveralRuntimes { files });
    }
    Ok(files.pop())
}

/// The file of each copy. The loader maps the start of a library once, so a file that is loaded twice is there twice.
fn loaded(maps: &str) -> Vec<String> {
    let start = |line: &str| {
        // address, permissions, offset, device, inode, path
        let mut rest = line;
        let mut field = || {
            let (field, behind) = rest.trim_start().split_once(' ')?;
            rest = behind;
            Some(field)
        };
        let fields = [field()?, field()?, field()?, field()?, field()?];
        let path = rest.trim_start();
        let name = Path::new(path).file_name()?.to_str()?;
        (name.starts_with(NAME) && u64::from_str_radix(fields[2], 16) == Ok(0)).then(|| path.to_owned())
    };
    maps.lines().filter_map(start).collect()
}

#[cfg(test)]
mod tests {
    use super::loaded;

    const MAPS: &str = "\
55d0c0a00000-55d0c0a21000 rw-p 00000000 00:00 0                          [heap]
7f1000000000-7f1000021000 rw-p 00000000 00:00 0 
7f2000000000-7f2000040000 r--p 00000000 fe:01 1234                       /usr/lib/libhsa-runtime64.so.1.13.0
7f2000040000-7f2000200000 r-xp 00040000 fe:01 1234                       /usr/lib/libhsa-runtime64.so.1.13.0
7f2000200000-7f2000210000 rw-p 00200000 fe:01 1234                       /usr/lib/libhsa-runtime64.so.1.13.0
7f3000000000-7f3000040000 r--p 00000000 fe:01 99                         /home/a b/libhsa-runtime64-1a2b.so (deleted)
7f4000000000-7f4000040000 r--p 00000000 fe:01 77                         /opt/libhsa-runtime64/libother.so
7f5000000000-7f5000040000 r--p 00000000 fe:01 1234                       /usr/lib/libhsa-runtime64.so.1.13.0
torn line";

    #[test]
    fn each_copy_is_found_once() {
        let one = "/usr/lib/libhsa-runtime64.so.1.13.0";
        assert_eq!(loaded(MAPS), [one, "/home/a b/libhsa-runtime64-1a2b.so (deleted)", one]);
        assert_eq!(loaded(""), [""; 0]);
    }
}

//! The HSA runtimes that this process has loaded.

use std::path::Path;

const MAPS: &str = "/proc/self/maps";
/// Part of the names of all of them, a wheel's bundled `libhsa-runtime64-1a2b3c4d.so` too.
const NAME: &str = "libhsa-runtime64";

/// The file of each HSA runtime (`libhsa-runtime64`) that this process has loaded, of one that is loaded twice, twice;
/// none if it is no library of its own. Two in one process have two address spaces, so HIP and OpenCL must use one.
///
/// # Errors
/// `/proc/self/maps` cannot be read.
pub fn loaded_hsa_runtimes() -> std::io::Result<Vec<String>> {
    Ok(loaded(&std::fs::read_to_string(MAPS)?))
}

/// A line of the file above.
struct Mapping<'m> {
    executable: bool,
    /// Offset 0 of the file.
    start: bool,
    /// Device and inode.
    file: (&'m str, &'m str),
    path: &'m str,
}

impl Mapping<'_> {
    fn parse(line: &str) -> Option<Mapping<'_>> {
        // address, permissions, offset, device, inode, path
        let mut rest = line;
        let mut field = || {
            let (field, behind) = rest.trim_start().split_once(' ')?;
            rest = behind;
            Some(field)
        };
        let [_, permissions, offset, device, inode] = [field()?, field()?, field()?, field()?, field()?];
        let executable = permissions.contains('x');
        let start = u64::from_str_radix(offset, 16) == Ok(0);
        Some(Mapping { executable, start, file: (device, inode), path: rest.trim_start() })
    }

    fn is_runtime(&self) -> bool {
        Path::new(self.path).file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(NAME))
    }
}

/// The file of each copy. The loader maps the start of a library once, and its code behind that, so a file that is
/// loaded twice is there twice. What only reads the file, to name the functions of a backtrace, say, maps no code.
fn loaded(maps: &str) -> Vec<String> {
    let (mut files, mut started) = (Vec::new(), None);
    for mapping in maps.lines().filter_map(Mapping::parse).filter(Mapping::is_runtime) {
        if mapping.start {
            started = Some(mapping.file);
        }
        if mapping.executable && started == Some(mapping.file) {
            files.push(mapping.path.to_owned());
            started = None;
        }
    }
    files
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
7f3000000000-7f3000040000 r-xp 00000000 fe:01 99                         /home/a b/libhsa-runtime64-1a2b.so (deleted)
7f4000000000-7f4000040000 r-xp 00000000 fe:01 77                         /opt/libhsa-runtime64/libother.so
7f5000000000-7f5000040000 r--p 00000000 fe:01 1234                       /usr/lib/libhsa-runtime64.so.1.13.0
7f5000040000-7f5000200000 r-xp 00040000 fe:01 1234                       /usr/lib/libhsa-runtime64.so.1.13.0
torn line";

    #[test]
    fn each_copy_is_found_once() {
        let one = "/usr/lib/libhsa-runtime64.so.1.13.0";
        assert_eq!(loaded(MAPS), [one, "/home/a b/libhsa-runtime64-1a2b.so (deleted)", one]);
        assert_eq!(loaded(""), [""; 0]);
    }

    /// As by what names the functions of a backtrace.
    #[test]
    fn what_only_reads_the_file_is_no_copy() {
        const FILE: &str = "/usr/lib/libhsa-runtime64.so.1.13.0";
        let read = |at: u32| format!("7f{at}000000000-7f{at}000300000 r--p 00000000 fe:01 1234 {FILE}\n");
        let library = format!("{}7f5000040000-7f5000200000 r-xp 00040000 fe:01 1234 {FILE}\n", read(5));
        assert_eq!(loaded(&read(1)), [""; 0]);
        assert_eq!(loaded(&[read(1), library.clone(), read(6), read(7)].concat()), [FILE]);
        let another = library.replace("1234", "1235");
        assert_eq!(loaded(&[library, read(6), another].concat()), [FILE, FILE]);
    }
}

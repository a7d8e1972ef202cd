//! Whether a library has kernels for a GPU, before it is asked to run one: some versions end the process if not.

use std::ffi::{CStr, OsStr, c_void};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use amdgpu_code_object::TargetId;
use object::{Object, ObjectSection, ReadCache};

use crate::{Error, Result};

/// Refuses a library whose file has code objects, but none for `isa`. What cannot be read is not refused.
pub(crate) fn check(library: &'static str, function: Option<NonNull<c_void>>, isa: &str) -> Result<()> {
    let Some(file) = function.and_then(file_of) else { return Ok(()) };
    let present = targets_of_file(&file).unwrap_or_default();
    refuse_missing(library, &file, present, isa)
}

/// Refuses a rocBLAS whose folder of kernels for products has some, but none for `isa`.
#[cfg(feature = "rocblas")]
pub(crate) fn check_tensile(library: &'static str, function: Option<NonNull<c_void>>, isa: &str) -> Result<()> {
    let folder = match std::env::var_os("ROCBLAS_TENSILE_LIBPATH").filter(|path| !path.is_empty()) {
        Some(folder) => Some(PathBuf::from(folder)),
        None => function.and_then(file_of).as_deref().and_then(tensile_folder),
    };
    let Some(folder) = folder else { return Ok(()) };
    let present = targets_of_folder(&folder).unwrap_or_default();
    refuse_missing(library, &folder, present, isa)
}

fn refuse_missing(library: &'static str, file: &Path, present: Vec<String>, isa: &str) -> Result<()> {
    if present.is_empty() || present.iter().any(|target| runs_on(target, isa)) {
        return Ok(());
    }
    Err(Error::NoKernels { library, file: file.display().to_string(), isa: isa.to_owned(), present })
}

/// Whether code for this processor runs on `isa`; what is not known to be none does.
fn runs_on(target: &str, isa: &str) -> bool {
    match (target.parse::<TargetId>(), isa.parse::<TargetId>()) {
        (Ok(target), Ok(device)) => target.runs_on(&device),
        _ => true,
    }
}

/// The file that a function is in.
fn file_of(function: NonNull<c_void>) -> Option<PathBuf> {
    // SAFETY: all-zero bits are a value of the struct.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked about; the struct is writable.
    if unsafe { libc::dladdr(function.as_ptr(), &mut found) } == 0 || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker's name of a file that stays loaded.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    std::fs::canonicalize(OsStr::from_bytes(name.to_bytes())).ok()
}

/// The processors of the first offload bundle of a library: all of its source files are compiled for the same.
fn targets_of_file(file: &Path) -> io::Result<Vec<String>> {
    let invalid = |error: object::Error| io::Error::new(io::ErrorKind::InvalidData, error);
    let file = File::open(file)?;
    let cache = ReadCache::new(file.try_clone()?);
    let elf = object::File::parse(&cache).map_err(invalid)?;
    let Some((offset, size)) = elf.section_by_name(".hip_fatbin").and_then(|section| section.file_range()) else {
        return Ok(Vec::new());
    };
    let read = |len: u64| {
        let mut bytes = vec![0; len.min(size) as usize];
        file.read_exact_at(&mut bytes, offset).map(|()| bytes)
    };
    let head = read(HEAD)?;
    match compressed_size(&head) {
        None => Ok(targets(&head)),
        Some(len) if len <= LARGEST_COMPRESSED => {
            let bundle = read(len)?;
            let unpacked = amdgpu_code_object::unpack(&bundle);
            Ok(unpacked.map_or_else(|_| Vec::new(), |bundle| targets(&bundle)))
        }
        Some(_) => Ok(Vec::new()),
    }
}

/// Room for the entries of a bundle: they are tens, of some 50 bytes.
const HEAD: u64 = 16 << 10;
/// A larger bundle takes longer to unpack than the answer is worth.
const LARGEST_COMPRESSED: u64 = 64 << 20;

/// Bytes of a compressed bundle, of the versions that say.
fn compressed_size(bytes: &[u8]) -> Option<u64> {
    let int = |at: usize, len: usize| {
        bytes.get(at..at + len).map(|bytes| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    bytes.starts_with(b"CCOB").then_some(())?;
    match int(4, 2)? {
        2 => int(8, 4),
        3 => int(8, 8),
        _ => Some(u64::MAX),
    }
}

/// The processors that the entries of an offload bundle are for; none if it is malformed.
fn targets(bytes: &[u8]) -> Vec<String> {
    const MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else { return Vec::new() };
    let int = |rest: &mut &[u8]| {
        let (head, tail) = rest.split_first_chunk::<8>()?;
        *rest = tail;
        usize::try_from(u64::from_le_bytes(*head)).ok()
    };
    let mut entries = || {
        let mut found = Vec::new();
        for _ in 0..int(&mut rest)? {
            let [_offset, _size, len] = [int(&mut rest)?, int(&mut rest)?, int(&mut rest)?];
            let (id, tail) = rest.split_at_checked(len)?;
            rest = tail;
            let id = std::str::from_utf8(id).ok()?;
            // The host's entry has no processor. `gfx90a:xnack-` is of the processor before the colon.
            if let Some((_, target)) = id.split_once("amdgcn-amd-amdhsa--") {
                let processor = target.split(':').next().unwrap_or(target).to_owned();
                if !found.contains(&processor) {
                    found.push(processor);
                }
            }
        }
        Some(found)
    };
    entries().unwrap_or_default()
}

/// Where rocBLAS looks for its kernels: in a folder next to itself, of its own name or with a version in between.
#[cfg(feature = "rocblas")]
fn tensile_folder(library: &Path) -> Option<PathBuf> {
    let own = library.parent()?.join("rocblas");
    let direct = own.join("library");
    if direct.is_dir() {
        return Some(direct);
    }
    let mut versions = std::fs::read_dir(own).ok()?.filter_map(|entry| Some(entry.ok()?.path().join("library")));
    versions.find(|folder| folder.is_dir())
}

/// The processors that names of files in a folder end with or have before a dot or dash.
#[cfg(feature = "rocblas")]
fn targets_of_folder(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        for processor in processors_in(&name.to_string_lossy()) {
            if !found.iter().any(|known| known == processor) {
                found.push(processor.to_owned());
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(feature = "rocblas")]
fn processors_in(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.strip_prefix("gfx").is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(ids: &[&str]) -> Vec<u8> {
        let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        bytes.extend((ids.len() as u64).to_le_bytes());
        for id in ids {
            bytes.extend([4096u64, 0, id.len() as u64].into_iter().flat_map(u64::to_le_bytes));
            bytes.extend(id.as_bytes());
        }
        bytes
    }

    #[test]
    fn entries_of_a_bundle_say_their_processor() {
        let ids = [
            "host-x86_64-unknown-linux-gnu-",
            "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-",
            "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
            "hipv4-amdgcn-amd-amdhsa--gfx9-generic",
        ];
        let bytes = bundle(&ids);
        assert_eq!(targets(&bytes), ["gfx90a", "gfx9-generic"]);
        for end in 0..bytes.len() {
            assert!(targets(&bytes[..end]).is_empty(), "{end} bytes are malformed");
        }
        assert!(targets(b"ELF").is_empty());
    }

    #[test]
    fn the_size_of_a_compressed_bundle_is_where_its_version_has_it() {
        let header = |version: u8| [b"CCOB", &[version, 0, 1, 0, 0x34, 0x12, 0, 0, 0, 1, 0, 0][..]].concat();
        assert_eq!(compressed_size(&header(2)), Some(0x1234));
        assert_eq!(compressed_size(&header(3)), Some(0x100_0000_1234));
        assert_eq!(compressed_size(&header(1)), Some(u64::MAX));
        assert_eq!(compressed_size(&bundle(&[])), None);
        assert_eq!(compressed_size(b"CCOB"), None);
    }

    #[test]
    fn a_library_without_kernels_for_the_gpu_is_refused_by_name() {
        let refuse = |present: &[&str], isa: &str| {
            let present = present.iter().map(|&target| target.to_owned()).collect();
            refuse_missing("rocBLAS", Path::new("/lib/librocblas.so.4"), present, isa)
        };
        assert!(refuse(&["gfx906", "gfx908"], "gfx908").is_ok());
        assert!(refuse(&["gfx9-generic"], "gfx906").is_ok());
        assert!(refuse(&[], "gfx908").is_ok(), "nothing is known");
        let error = refuse(&["gfx906", "gfx908"], "gfx942").expect_err("none");
        assert_eq!(
            error.to_string(),
            "rocBLAS (/lib/librocblas.so.4) has kernels for gfx906, gfx908, none for gfx942; install a rocBLAS that is built for gfx942"
        );
    }

    #[cfg(feature = "rocblas")]
    #[test]
    fn names_of_files_have_processors() {
        let of = |name| processors_in(name).collect::<Vec<_>>();
        assert_eq!(of("TensileLibrary_lazy_gfx908.dat"), ["gfx908"]);
        assert_eq!(of("Kernels.so-000-gfx90a-xnack+.hsaco"), ["gfx90a"]);
        assert!(of("TensileLibrary_gfxless.co").is_empty());
    }
}

//! Symbolises addresses: names and lines from the files of programs, libraries and code objects.

use addr2line::Loader;
use object::{Object, ObjectSegment, ObjectSymbol, ReadCache};
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The symbolised form of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The symbol that has it, as it is in the file.
    pub symbol: Option<String>,
    /// Offset from the symbol, in bytes.
    pub offset: u64,
    /// The lines of the source, where the file has any: that of the innermost function that is inlined there first.
    pub lines: Vec<Line>,
}

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The function, demangled.
    pub function: String,
    /// The source's file.
    pub file: String,
    /// The line in it.
    pub line: u32,
}

/// Files that were looked into.
pub struct Files {
    /// For parts of files.
    folder: PathBuf,
    /// By path or URI. `None`: it cannot be read.
    open: HashMap<String, Option<Loader>>,
    /// Whether code objects are of AMD's runtime, by URI.
    of_runtime: HashMap<String, bool>,
}

impl Files {
    /// None yet. Parts of files are written to `folder`.
    pub fn new(folder: &Path) -> Files {
        Files { folder: folder.to_owned(), open: HashMap::new(), of_runtime: HashMap::new() }
    }

    /// The place of `address`, as the file counts addresses, in the code object at `uri`.
    pub fn in_code(&mut self, uri: &str, address: u64) -> Place {
        if !self.open.contains_key(uri) {
            let copy = self.folder.join(format!("part-{}.elf", self.open.len()));
            let loader = part(uri, &copy).and_then(|path| Loader::new(path).ok());
            self.open.insert(uri.to_owned(), loader);
        }
        self.open.get(uri).and_then(Option::as_ref).map_or_else(Place::default, |loader| look_up(loader, address))
    }

    /// Whether the code object at `uri` is one that AMD's runtime makes for itself: it is in no file but the runtime's
    /// own, and all of its kernels have names that the runtime keeps for itself.
    pub fn is_of_runtime(&mut self, uri: &str) -> bool {
        if let Some(&known) = self.of_runtime.get(uri) {
            return known;
        }
        let path = uri.strip_prefix("file://").and_then(|rest| unescaped(rest.split('#').next()?));
        // What was in memory only is a file of the folder.
        let is_from = path.is_some_and(|path| Path::new(&path).starts_with(&self.folder) || is_amds(&path));
        let copy = self.folder.join(format!("whose-{}.elf", self.of_runtime.len()));
        let is_of_runtime = is_from && part(uri, &copy).is_some_and(|path| has_runtimes_kernels(&path));
        self.of_runtime.insert(uri.to_owned(), is_of_runtime);
        is_of_runtime
    }

    /// The place of the byte at `offset` of the file at `path`.
    pub fn in_file(&mut self, path: &str, offset: u64) -> Place {
        let loader = self.open.entry(path.to_owned()).or_insert_with(|| Loader::new(path).ok());
        let Some(loader) = loader else { return Place::default() };
        loaded_at(path, offset).map_or_else(Place::default, |address| look_up(loader, address))
    }
}

fn look_up(loader: &Loader, address: u64) -> Place {
    let mut place = Place::default();
    if let Some(symbol) = loader.find_symbol_info(address) {
        place.symbol = Some(symbol.name().to_owned());
        place.offset = address.wrapping_sub(symbol.address());
    }
    let Ok(mut frames) = loader.find_frames(address) else { return place };
    while let Ok(Some(frame)) = frames.next() {
        let Some(location) = &frame.location else { continue };
        let (Some(file), Some(line)) = (location.file, location.line.filter(|line| *line > 0)) else { continue };
        let name = frame.function.as_ref().and_then(|function| function.raw_name().ok().map(|name| demangled(&name)));
        let function = name.or_else(|| place.symbol.as_deref().map(demangled)).unwrap_or_else(|| "?".to_owned());
        place.lines.push(Line { function, file: file.to_owned(), line });
    }
    place
}

/// Whether a file is one of AMD's runtimes.
pub fn is_amds(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    ["libamdhip64", "libamdocl64", "libhsa-runtime64"].iter().any(|of| name.starts_with(of))
}

/// Whether a code object has kernels, all of which are named as the runtime names its own.
fn has_runtimes_kernels(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let Ok(file) = object::File::parse(&*bytes) else { return false };
    let names = file.dynamic_symbols().chain(file.symbols());
    // A kernel's descriptor has its name, and this behind it (AMDGPUUsage, "Code Object Symbols").
    let mut kernels = names.filter_map(|symbol| symbol.name().ok()?.strip_suffix(".kd")).peekable();
    kernels.peek().is_some() && kernels.all(|kernel| kernel.starts_with("__amd_rocclr_"))
}

/// A symbol as its language writes it. Names that no compiler has made, as those of `extern "C"` functions, are left as
/// they are: `f` alone would be the type `float`.
pub fn demangled(symbol: &str) -> String {
    let is_mangled = ["_Z", "__Z", "_R"].iter().any(|start| symbol.starts_with(start));
    if is_mangled { addr2line::demangle_auto(symbol.into(), None).into_owned() } else { symbol.to_owned() }
}

/// A file with what a URI `file://PATH#offset=N&size=N` names: that file, or a `copy` of the part.
fn part(uri: &str, copy: &Path) -> Option<PathBuf> {
    let uri = uri.strip_prefix("file://")?;
    let (path, place) = uri.split_once('#').unwrap_or((uri, ""));
    let path = PathBuf::from(unescaped(path)?);
    let number = |name: &str| {
        let value = place.split('&').find_map(|field| field.strip_prefix(name)?.strip_prefix('='))?;
        match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => value.parse().ok(),
        }
    };
    let (Some(offset), Some(size)) = (number("offset"), number("size")) else { return Some(path) };
    let file = File::open(path).ok()?;
    // As much as there is, at most.
    let size = size.min(file.metadata().ok()?.len().checked_sub(offset)?);
    let mut bytes = vec![0; usize::try_from(size).ok()?];
    file.read_exact_at(&mut bytes, offset).ok()?;
    std::fs::write(copy, bytes).ok()?;
    Some(copy.to_owned())
}

/// Without the `%XX` of URIs.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte == b'%'
            && let Some((digits, behind)) = behind.split_at_checked(2)
        {
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = behind;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The address, as an object file counts them, of the byte at `offset` of the file at `path`.
fn loaded_at(path: &str, offset: u64) -> Option<u64> {
    let data = ReadCache::new(File::open(path).ok()?);
    address_of(&object::File::parse(&data).ok()?, offset)
}

/// The address of a file offset in an object file, by its program headers.
pub fn address_of<'data>(file: &impl Object<'data>, offset: u64) -> Option<u64> {
    file.segments().find_map(|segment| {
        let (start, size) = segment.file_range();
        let inside = offset.checked_sub(start).filter(|inside| *inside < size)?;
        Some(segment.address().wrapping_add(inside))
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;

    #[test]
    fn uris_have_escapes() {
        assert_eq!(unescaped("/a%20b/c%25").as_deref(), Some("/a b/c%"));
        assert_eq!(unescaped("/a%2"), Some("/a%2".to_owned()));
        assert_eq!(unescaped("/a%zz"), None);
    }

    #[test]
    fn symbols_of_both_languages_are_read() {
        assert_eq!(demangled("_Z5saxpyfPKfPf"), "saxpy(float, float const*, float*)");
        assert_eq!(demangled("_RNvC6_123foo3bar"), "123foo::bar");
        for name in ["vector_add", "f", "i", "d", "v", "x", "b", "Sa", "_start", "main"] {
            assert_eq!(demangled(name), name);
        }
    }

    /// The file that is mapped at an address of this program, and the place in it.
    pub fn mapped(address: usize) -> (String, u64) {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines()
            .find_map(|line| {
                let fields: Vec<&str> = line.splitn(6, ' ').collect();
                let (start, end) = fields[0].split_once('-')?;
                let [start, end] = [start, end].map(|digits| usize::from_str_radix(digits, 16).unwrap());
                let offset = usize::from_str_radix(fields[2], 16).unwrap();
                (start..end)
                    .contains(&address)
                    .then(|| (fields[5].trim_start().to_owned(), (offset + address - start) as u64))
            })
            .expect("it is mapped")
    }

    /// This program's own function, by its place in its file.
    #[test]
    fn a_function_is_found_by_its_offset_in_the_file() {
        let (path, offset) = mapped(a_function_is_found_by_its_offset_in_the_file as fn() as usize);
        let place = Files::new(Path::new("/nonexistent")).in_file(&path, offset);
        let Line { function, file, line } = place.lines.last().expect("tests have debug information");
        assert!(function.ends_with("a_function_is_found_by_its_offset_in_the_file"), "{function}");
        assert!(file.ends_with("check/files.rs") && *line > 100, "{file}:{line}");
        assert_eq!(place.symbol.as_deref().map(demangled).as_ref(), Some(function));
    }
}

//! A bounds-checked reader for the parts of an ELF file that a loader needs.

use object::elf::{self, FileHeader64, ProgramHeader64, SectionHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{LittleEndian, SectionIndex, SymbolIndex};

use crate::service::Evidence;
use crate::{Error, TargetId};

/// Version of the code object format, from `EI_ABIVERSION` of the ELF header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Version {
    /// ABI version 1: LLVM 9 to 17.
    V3,
    /// ABI version 2, which LLVM 14 to 17 write by default.
    V4,
    /// ABI version 3, the default of LLVM 18 and 19. Hidden arguments give the launch's geometry.
    V5,
    /// ABI version 4, from LLVM 20 on: as version 5, with generic processors.
    V6,
}

impl Version {
    pub(super) fn from_abi(abi_version: u8) -> Result<Version, Error> {
        match abi_version {
            1 => Ok(Version::V3),
            2 => Ok(Version::V4),
            3 => Ok(Version::V5),
            4 => Ok(Version::V6),
            _ => Err(Error::Unsupported {
                subject: "the ABI version (EI_ABIVERSION)",
                value: abi_version.into(),
                supported: "1 to 4, code objects of versions 3 to 6",
            }),
        }
    }
}

/// A symbol that the code object exports: a kernel's code, a kernel's descriptor or a global variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// The name as the compiler mangles it.
    pub name: String,
    /// Where it is in the image, in bytes.
    pub offset: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// The kind of symbol.
    pub kind: SymbolKind,
}

/// The kind of a [`Symbol`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SymbolKind {
    /// Code.
    Function,
    /// Data: a variable, or a kernel's descriptor.
    Object,
    /// Something else.
    Other,
}

const ENDIAN: LittleEndian = LittleEndian;

// AMDGPUUsage, "ELF Code Object: Header" and "Note Records".
const ELFOSABI_AMDGPU_HSA: u8 = 64;
const NT_AMDGPU_METADATA: u32 = 32;

// AMDGPUUsage, "Relocation Records".
const R_AMDGPU_NONE: u32 = 0;
const R_AMDGPU_ABS64: u32 = 3;
const R_AMDGPU_RELATIVE64: u32 = 13;
/// Names of the types from 0 up; 12 is not used.
const RELOCATIONS: [&str; 15] = [
    "R_AMDGPU_NONE",
    "R_AMDGPU_ABS32_LO",
    "R_AMDGPU_ABS32_HI",
    "R_AMDGPU_ABS64",
    "R_AMDGPU_REL32",
    "R_AMDGPU_REL64",
    "R_AMDGPU_ABS32",
    "R_AMDGPU_GOTPCREL",
    "R_AMDGPU_GOTPCREL32_LO",
    "R_AMDGPU_GOTPCREL32_HI",
    "R_AMDGPU_REL32_LO",
    "R_AMDGPU_REL32_HI",
    "R_AMDGPU type 12",
    "R_AMDGPU_RELATIVE64",
    "R_AMDGPU_REL16",
];

/// Most program headers. Linkers make about ten.
const MAX_PROGRAM_HEADERS: usize = 128;
/// Largest image. Code reaches its data by 32-bit offsets.
const MAX_IMAGE: u64 = 1 << 32;
/// Largest alignment of a segment: a huge page.
const MAX_ALIGN: u64 = 2 << 20;

/// A segment to load. Addresses are those of the file.
#[derive(Clone, Debug)]
pub(super) struct Segment<'data> {
    pub(super) address: u64,
    pub(super) bytes: u64,
    pub(super) contents: &'data [u8],
    pub(super) executable: bool,
}

impl Segment<'_> {
    fn end(&self) -> u64 {
        self.address + self.bytes
    }
}

/// Eight bytes of the image that depend on where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relocation {
    /// In the image.
    pub(super) offset: u64,
    pub(super) value: u64,
    /// Whether the image's address is added.
    pub(super) relative: bool,
}

/// The contents of a metadata note.
pub(super) struct Note<'data> {
    pub(super) contents: &'data [u8],
    /// In the file.
    pub(super) offset: usize,
}

/// What a file says before its kernels are looked at.
pub(super) struct Elf<'data> {
    pub(super) version: Version,
    pub(super) target: TargetId,
    /// In the order of their addresses; they do not overlap.
    pub(super) segments: Vec<Segment<'data>>,
    /// The address in the file at which the image starts.
    pub(super) base: u64,
    pub(super) image_bytes: u64,
    pub(super) align: u64,
    pub(super) relocations: Vec<Relocation>,
    /// Sorted by name.
    pub(super) symbols: Vec<Symbol>,
    pub(super) metadata: Vec<Note<'data>>,
    pub(super) evidence: Evidence,
}

type Header = FileHeader64<LittleEndian>;
type Sections<'data> = SectionTable<'data, Header>;
type Symbols<'data> = SymbolTable<'data, Header>;

fn malformed(place: impl Into<String>, offset: impl Into<Option<u64>>, reason: impl ToString) -> Error {
    Error::Malformed { place: place.into(), offset: offset.into(), reason: reason.to_string() }
}

impl<'data> Elf<'data> {
    pub(super) fn parse(data: &'data [u8]) -> Result<Elf<'data>, Error> {
        let (header, version, target) = header(data)?;
        let program_headers = header
            .program_headers(ENDIAN, data)
            .map_err(|error| malformed("program header table", header.e_phoff.get(ENDIAN), error))?;
        if program_headers.len() > MAX_PROGRAM_HEADERS {
            let reason = format!("{} headers, more than {MAX_PROGRAM_HEADERS}", program_headers.len());
            return Err(malformed("program header table", header.e_phoff.get(ENDIAN), reason));
        }
        let image = Image::of(program_headers, data)?;
        let metadata = metadata(program_headers, data)?;
        let sections = header
            .sections(ENDIAN, data)
            .map_err(|error| malformed("section header table", header.e_shoff.get(ENDIAN), error))?;
        let dynamic_symbols = symbols(&sections, data, elf::SHT_DYNSYM, ".dynsym")?;
        let relocations = image.relocations(&sections, &dynamic_symbols, data)?;
        let symbols_by_name = image.symbols(&dynamic_symbols)?;
        let evidence = evidence(&sections, data)?;
        let Image { segments, base, bytes, align } = image;
        Ok(Elf {
            version,
            target,
            segments,
            base,
            image_bytes: bytes,
            align,
            relocations,
            symbols: symbols_by_name,
            metadata,
            evidence,
        })
    }
}

fn header(data: &[u8]) -> Result<(&Header, Version, TargetId), Error> {
    if !data.starts_with(&elf::ELFMAG) {
        return Err(Error::Unrecognised { start: data.iter().copied().take(4).collect() });
    }
    let ident = |index: usize| data.get(index).copied().unwrap_or(0);
    let checks = [
        ("the ELF class (EI_CLASS)", ident(4), elf::ELFCLASS64, "2, 64 bits"),
        ("the byte order (EI_DATA)", ident(5), elf::ELFDATA2LSB, "1, little-endian"),
        ("the OS ABI (EI_OSABI)", ident(7), ELFOSABI_AMDGPU_HSA, "0x40, AMDGPU_HSA (target amdgcn-amd-amdhsa)"),
    ];
    // The machine first: a host's file is the likeliest mistake.
    if let Some(machine) = data.get(18..20) {
        let machine = u16::from_le_bytes([machine[0], machine[1]]);
        check("the machine (e_machine)", machine.into(), elf::EM_AMDGPU.into(), "0xe0, AMDGPU")?;
    }
    for (subject, value, wanted, supported) in checks {
        check(subject, value.into(), wanted.into(), supported)?;
    }
    let header = Header::parse(data).map_err(|error| malformed("ELF header", 0, error))?;
    let version = Version::from_abi(header.e_ident.abi_version)?;
    check(
        "the type (e_type)",
        header.e_type.get(ENDIAN).into(),
        elf::ET_DYN.into(),
        "3, a shared object: link relocatable files with ld.lld -shared",
    )?;
    let target = TargetId::from_flags(header.e_ident.abi_version, header.e_flags.get(ENDIAN))?;
    Ok((header, version, target))
}

fn check(subject: &'static str, value: u64, wanted: u64, supported: &'static str) -> Result<(), Error> {
    if value == wanted { Ok(()) } else { Err(Error::Unsupported { subject, value, supported }) }
}

/// The contents of the metadata notes: one for each file that was linked.
fn metadata<'data>(
    headers: &'data [ProgramHeader64<LittleEndian>],
    data: &'data [u8],
) -> Result<Vec<Note<'data>>, Error> {
    let mut found = Vec::new();
    let mut room = data.len();
    for header in headers {
        let wrong = |error: object::Error| malformed("note segment", header.p_offset.get(ENDIAN), error);
        let Some(mut notes) = header.notes(ENDIAN, data).map_err(wrong)? else { continue };
        while let Some(note) = notes.next().map_err(wrong)? {
            if note.name() != b"AMDGPU" || note.n_type(ENDIAN) != NT_AMDGPU_METADATA {
                continue;
            }
            // Segments that share their bytes would multiply them.
            let Some(left) = room.checked_sub(note.desc().len()) else {
                let reason = "with those before it, more metadata than the file has room for";
                return Err(malformed("note segment", header.p_offset.get(ENDIAN), reason));
            };
            room = left;
            let offset = note.desc().as_ptr().addr() - data.as_ptr().addr();
            found.push(Note { contents: note.desc(), offset });
        }
    }
    if found.is_empty() {
        return Err(malformed("file", None, "it has no metadata note (NT_AMDGPU_METADATA)"));
    }
    Ok(found)
}

fn symbols<'data>(
    sections: &Sections<'data>,
    data: &'data [u8],
    kind: u32,
    name: &str,
) -> Result<Symbols<'data>, Error> {
    sections.symbols(ENDIAN, data, kind).map_err(|error| malformed(format!("symbol table {name}"), None, error))
}

/// The functions of the table of all symbols, if it has not been stripped.
fn evidence(sections: &Sections<'_>, data: &[u8]) -> Result<Evidence, Error> {
    if !sections.iter().any(|section| section.sh_type(ENDIAN) == elf::SHT_SYMTAB) {
        return Ok(Evidence::UNKNOWN);
    }
    let table = symbols(sections, data, elf::SHT_SYMTAB, ".symtab")?;
    let functions = table.iter().filter(|symbol| symbol.st_type() == elf::STT_FUNC);
    Ok(Evidence::of(functions.filter_map(|symbol| symbol.name(ENDIAN, table.strings()).ok())))
}

/// Where the segments go, relative to each other.
struct Image<'data> {
    segments: Vec<Segment<'data>>,
    base: u64,
    bytes: u64,
    align: u64,
}

impl<'data> Image<'data> {
    fn of(headers: &[ProgramHeader64<LittleEndian>], data: &'data [u8]) -> Result<Image<'data>, Error> {
        let mut segments: Vec<Segment<'data>> = Vec::new();
        let mut align = 1;
        for (index, header) in headers.iter().enumerate() {
            if header.p_type(ENDIAN) != elf::PT_LOAD {
                continue;
            }
            let (segment, segment_align) = segment(header, data)
                .map_err(|reason| malformed(format!("segment {index}"), header.p_offset.get(ENDIAN), reason))?;
            align = align.max(segment_align);
            if let Some(before) = segments.last()
                && segment.address < before.end()
            {
                let reason = format!(
                    "its address {:#x} is below {:#x}, the end of the one before it: they overlap or are not in order",
                    segment.address,
                    before.end()
                );
                return Err(malformed(format!("segment {index}"), header.p_offset.get(ENDIAN), reason));
            }
            segments.push(segment);
        }
        let (Some(first), Some(last)) = (segments.first(), segments.last()) else {
            return Err(malformed("file", None, "no segment is to be loaded (PT_LOAD)"));
        };
        let base = first.address & !(align - 1);
        let bytes = last.end() - base;
        if bytes > MAX_IMAGE {
            let reason = format!("they span {bytes:#x} bytes of memory, more than 4 GiB");
            return Err(malformed("segments", None, reason));
        }
        Ok(Image { segments, base, bytes, align })
    }

    /// The segment that has all of `bytes` bytes at `address`.
    fn segment_of(&self, address: u64, bytes: u64) -> Option<&Segment<'data>> {
        segment_of(&self.segments, address, bytes)
    }

    fn relocations(
        &self,
        sections: &Sections<'data>,
        symbols: &Symbols<'data>,
        data: &'data [u8],
    ) -> Result<Vec<Relocation>, Error> {
        let mut relocations = Vec::new();
        let mut room = data.len();
        for (index, section) in sections.enumerate() {
            // Relocations of debug information are not for loaders.
            if section.sh_flags(ENDIAN) & u64::from(elf::SHF_ALLOC) == 0 {
                continue;
            }
            let place = || format!("section {} ({})", index.0, section_name(sections, section));
            let kind = match section.sh_type(ENDIAN) {
                elf::SHT_RELA => {
                    let wrong = |error| malformed(place(), section.sh_offset(ENDIAN), error);
                    let Some((entries, link)) = section.rela(ENDIAN, data).map_err(wrong)? else { continue };
                    if link != symbols.section() && link != SectionIndex(0) {
                        return Err(malformed(
                            place(),
                            section.sh_offset(ENDIAN),
                            "its symbols are not those of .dynsym",
                        ));
                    }
                    // Sections that share their bytes would multiply them.
                    let Some(left) = room.checked_sub(size_of_val(entries)) else {
                        let reason = "with those before it, more relocations than the file has room for";
                        return Err(malformed(place(), section.sh_offset(ENDIAN), reason));
                    };
                    room = left;
                    for entry in entries {
                        relocations.extend(self.relocation(entry, symbols)?);
                    }
                    continue;
                }
                elf::SHT_REL => "without addends (SHT_REL)",
                elf::SHT_RELR => "packed (SHT_RELR): link without --pack-dyn-relocs",
                elf::SHT_CREL => "compact (SHT_CREL)",
                _ => continue,
            };
            let reason = format!("relocations that are {kind}, which is not supported");
            return Err(malformed(place(), section.sh_offset(ENDIAN), reason));
        }
        Ok(relocations)
    }

    fn relocation(
        &self,
        entry: &elf::Rela64<LittleEndian>,
        symbols: &Symbols<'data>,
    ) -> Result<Option<Relocation>, Error> {
        let kind = entry.r_type(ENDIAN, false);
        let addend = entry.r_addend.get(ENDIAN) as u64;
        let address = entry.r_offset.get(ENDIAN);
        let offset = address.wrapping_sub(self.base);
        let failed = |reason: String| {
            let name = RELOCATIONS.get(kind as usize).map_or_else(|| format!("type {kind}"), |&name| name.to_owned());
            Error::Relocation { kind: name, offset, reason }
        };
        if kind != R_AMDGPU_NONE && self.segment_of(address, 8).is_none() {
            return Err(failed("it is outside of all segments".to_owned()));
        }
        match kind {
            R_AMDGPU_NONE => Ok(None),
            R_AMDGPU_RELATIVE64 => {
                Ok(Some(Relocation { offset, value: addend.wrapping_sub(self.base), relative: true }))
            }
            R_AMDGPU_ABS64 => {
                let index = entry.r_sym(ENDIAN, false);
                let symbol = symbols
                    .symbol(SymbolIndex(index as usize))
                    .map_err(|_| failed(format!("it names symbol {index}, there are {}", symbols.len())))?;
                let name = || String::from_utf8_lossy(symbol.name(ENDIAN, symbols.strings()).unwrap_or_default());
                let value = symbol.st_value(ENDIAN);
                let (value, relative) = match symbol.st_shndx(ENDIAN) {
                    elf::SHN_UNDEF if index == 0 || symbol.st_bind() == elf::STB_WEAK => (0, false),
                    elf::SHN_UNDEF => return Err(Error::UndefinedSymbol { symbol: name().into_owned() }),
                    elf::SHN_ABS => (value, false),
                    _ if symbol.st_type() == elf::STT_TLS => {
                        return Err(failed(format!("symbol {} is thread-local", name())));
                    }
                    _ => (value.wrapping_sub(self.base), true),
                };
                Ok(Some(Relocation { offset, value: value.wrapping_add(addend), relative }))
            }
            _ => Err(failed(
                "its type is not supported: linkers leave R_AMDGPU_ABS64 and R_AMDGPU_RELATIVE64".to_owned(),
            )),
        }
    }

    /// The symbols that other modules see, by name.
    fn symbols(&self, table: &Symbols<'data>) -> Result<Vec<Symbol>, Error> {
        let mut symbols = Vec::new();
        for (index, symbol) in table.enumerate() {
            if symbol.is_undefined(ENDIAN) || symbol.is_local() || symbol.st_shndx(ENDIAN) == elf::SHN_ABS {
                continue;
            }
            let place = || format!("symbol {} of .dynsym", index.0);
            let name = symbol.name(ENDIAN, table.strings()).map_err(|error| malformed(place(), None, error))?;
            let name = std::str::from_utf8(name)
                .map_err(|_| malformed(place(), None, format!("its name {name:02x?} is not UTF-8")))?;
            let (address, bytes) = (symbol.st_value(ENDIAN), symbol.st_size(ENDIAN));
            if self.segment_of(address, bytes).is_none() {
                let reason = format!("{name} has {bytes} bytes at {address:#x}, which no segment contains");
                return Err(malformed(place(), None, reason));
            }
            let kind = match symbol.st_type() {
                elf::STT_FUNC => SymbolKind::Function,
                elf::STT_OBJECT => SymbolKind::Object,
                _ => SymbolKind::Other,
            };
            symbols.push(Symbol { name: name.to_owned(), offset: address - self.base, bytes, kind });
        }
        symbols.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(pair) = symbols.windows(2).find(|pair| pair[0].name == pair[1].name) {
            return Err(malformed("symbol table .dynsym", None, format!("symbol {} is there twice", pair[0].name)));
        }
        Ok(symbols)
    }
}

pub(super) fn segment_of<'a, 'data>(
    segments: &'a [Segment<'data>],
    address: u64,
    bytes: u64,
) -> Option<&'a Segment<'data>> {
    let end = address.checked_add(bytes)?;
    let before = segments.partition_point(|segment| segment.address <= address);
    segments.get(before.checked_sub(1)?).filter(|segment| end <= segment.end())
}

fn segment<'data>(header: &ProgramHeader64<LittleEndian>, data: &'data [u8]) -> Result<(Segment<'data>, u64), String> {
    let (address, bytes) = (header.p_vaddr(ENDIAN), header.p_memsz(ENDIAN));
    let (in_file, align) = (header.p_filesz(ENDIAN), header.p_align(ENDIAN).max(1));
    if in_file > bytes {
        return Err(format!("{in_file:#x} bytes of the file for {bytes:#x} bytes of memory"));
    }
    if !align.is_power_of_two() || align > MAX_ALIGN {
        return Err(format!("alignment {align:#x} is no power of two up to 2 MiB"));
    }
    if address.checked_add(bytes).is_none() {
        return Err(format!("{bytes:#x} bytes at address {address:#x} exceed 64 bits"));
    }
    let contents = header
        .data(ENDIAN, data)
        .map_err(|()| format!("its {in_file:#x} bytes are not within the {:#x} bytes given", data.len()))?;
    let executable = header.p_flags(ENDIAN) & elf::PF_X != 0;
    Ok((Segment { address, bytes, contents, executable }, align))
}

fn section_name(sections: &Sections<'_>, section: &SectionHeader64<LittleEndian>) -> String {
    sections
        .section_name(ENDIAN, section)
        .map_or_else(|_| "no name".to_owned(), |name| String::from_utf8_lossy(name).into_owned())
}

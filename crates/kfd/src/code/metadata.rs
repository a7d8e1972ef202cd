//! The metadata note: what a compiler tells a runtime about kernels (AMDGPUUsage, "Code Object Metadata").

use super::elf::Note;
use super::msgpack::{Reader, Reason};
use super::{Error, Service};

/// What the metadata says about a kernel, by LLVM's names without the leading dot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelMetadata {
    /// The kernel's name in its source.
    pub name: String,
    /// The symbol of its descriptor, such as `NAME.kd`.
    pub symbol: String,
    /// Source language, such as `OpenCL C`.
    pub language: Option<String>,
    /// Whether the loader has to run it.
    pub kind: KernelKind,
    /// The arguments, hidden ones included, in the order of the metadata.
    pub args: Vec<Argument>,
    /// Bytes of the kernarg segment.
    pub kernarg_segment_size: u32,
    /// Alignment of the kernarg segment in bytes, a power of two.
    pub kernarg_segment_align: u32,
    /// Local memory (LDS) of a work-group in bytes, without what a launch adds.
    pub group_segment_fixed_size: u32,
    /// Scratch memory of a work-item in bytes, without a dynamic stack.
    pub private_segment_fixed_size: u32,
    /// The size of the stack is not known.
    pub uses_dynamic_stack: bool,
    /// Work-items in a wavefront: 32 or 64.
    pub wavefront_size: u32,
    /// Scalar registers of a wave.
    pub sgpr_count: u32,
    /// Vector registers of a work-item.
    pub vgpr_count: u32,
    /// Accumulation registers of a work-item.
    pub agpr_count: u32,
    /// Scalar registers stored to memory for want of room.
    pub sgpr_spill_count: u32,
    /// Vector registers stored to memory for want of room.
    pub vgpr_spill_count: u32,
    /// Most work-items in a work-group.
    pub max_flat_workgroup_size: u32,
    /// The only work-group size that is allowed.
    pub reqd_workgroup_size: Option<[u32; 3]>,
    /// The work-group size that the kernel's author expects.
    pub workgroup_size_hint: Option<[u32; 3]>,
    /// Most work-groups in x, y and z.
    pub max_num_work_groups: [Option<u32>; 3],
    /// The grid must be a multiple of the work-group size.
    pub uniform_work_group_size: bool,
}

/// When a kernel runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelKind {
    /// When it is launched.
    #[default]
    Normal,
    /// Once after loading, before any normal kernel: constructors of global variables.
    Init,
    /// Once before unloading, after all others: destructors of global variables.
    Fini,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Argument {
    /// Its name, if the compiler was asked to keep it.
    pub name: Option<String>,
    /// Its type's name.
    pub type_name: Option<String>,
    /// Where it is in the kernarg segment, in bytes.
    pub offset: u32,
    /// Its size there in bytes.
    pub size: u32,
    /// What is put there.
    pub value_kind: ValueKind,
    /// Address space of what it points to.
    pub address_space: Option<AddressSpace>,
    /// How the source says that it is accessed (images and pipes).
    pub access: Option<Access>,
    /// How the code accesses it.
    pub actual_access: Option<Access>,
    /// Alignment in bytes of the local memory that it points to, a power of two.
    pub pointee_align: Option<u32>,
    /// It points to constant data.
    pub is_const: bool,
    /// Nothing else points to its data.
    pub is_restrict: bool,
    /// It points to volatile data.
    pub is_volatile: bool,
}

/// What a runtime puts into an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueKind {
    /// The value itself.
    ByValue,
    /// Address of memory.
    GlobalBuffer,
    /// Offset in local memory (LDS) of bytes that the launch adds.
    DynamicSharedPointer,
    /// Address of a sampler resource.
    Sampler,
    /// Address of an image resource.
    Image,
    /// Address of an OpenCL pipe.
    Pipe,
    /// Address of an OpenCL device queue.
    Queue,
    /// Something that the source does not mention: [`Kernel::prepare`](super::Kernel::prepare) fills it in.
    Hidden(Hidden),
    /// A kind that this crate does not know; the kernel cannot be launched.
    Unknown(String),
}

impl ValueKind {
    /// Whether the kernel's caller does not give it.
    pub fn is_hidden(&self) -> bool {
        match self {
            ValueKind::Hidden(_) => true,
            ValueKind::Unknown(kind) => kind.starts_with("hidden_"),
            _ => false,
        }
    }

    fn parse(kind: &str) -> ValueKind {
        let hidden = match kind {
            "by_value" => return ValueKind::ByValue,
            "global_buffer" => return ValueKind::GlobalBuffer,
            "dynamic_shared_pointer" => return ValueKind::DynamicSharedPointer,
            "sampler" => return ValueKind::Sampler,
            "image" => return ValueKind::Image,
            "pipe" => return ValueKind::Pipe,
            "queue" => return ValueKind::Queue,
            "hidden_none" => Hidden::None,
            "hidden_block_count_x" => Hidden::BlockCount(0),
            "hidden_block_count_y" => Hidden::BlockCount(1),
            "hidden_block_count_z" => Hidden::BlockCount(2),
            "hidden_group_size_x" => Hidden::GroupSize(0),
            "hidden_group_size_y" => Hidden::GroupSize(1),
            "hidden_group_size_z" => Hidden::GroupSize(2),
            "hidden_remainder_x" => Hidden::Remainder(0),
            "hidden_remainder_y" => Hidden::Remainder(1),
            "hidden_remainder_z" => Hidden::Remainder(2),
            "hidden_global_offset_x" => Hidden::GlobalOffset(0),
            "hidden_global_offset_y" => Hidden::GlobalOffset(1),
            "hidden_global_offset_z" => Hidden::GlobalOffset(2),
            "hidden_grid_dims" => Hidden::GridDims,
            "hidden_dynamic_lds_size" => Hidden::DynamicLdsSize,
            _ => match Service::from_value_kind(kind) {
                Some(service) => Hidden::Service(service),
                None => return ValueKind::Unknown(kind.to_owned()),
            },
        };
        ValueKind::Hidden(hidden)
    }

    /// The only size in bytes that an argument of this kind can have.
    fn size(&self) -> Option<u32> {
        match self {
            ValueKind::ByValue | ValueKind::Unknown(_) | ValueKind::Hidden(Hidden::None) => None,
            ValueKind::DynamicSharedPointer => Some(4),
            ValueKind::GlobalBuffer | ValueKind::Sampler | ValueKind::Image | ValueKind::Pipe | ValueKind::Queue => {
                Some(8)
            }
            ValueKind::Hidden(hidden) => Some(match hidden {
                Hidden::GroupSize(_) | Hidden::Remainder(_) | Hidden::GridDims => 2,
                Hidden::BlockCount(_) | Hidden::DynamicLdsSize => 4,
                Hidden::Service(service) => service.bytes(),
                Hidden::GlobalOffset(_) | Hidden::None => 8,
            }),
        }
    }
}

/// An argument that the source does not mention. Numbers are dimensions: 0 for x, 1 for y, 2 for z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hidden {
    /// Room that nothing is put into.
    None,
    /// Number of whole work-groups.
    BlockCount(usize),
    /// Work-items in a whole work-group.
    GroupSize(usize),
    /// Work-items in the partial work-group at the end, 0 if there is none.
    Remainder(usize),
    /// What OpenCL adds to global ids.
    GlobalOffset(usize),
    /// Number of dimensions.
    GridDims,
    /// Bytes of local memory that the launch adds.
    DynamicLdsSize,
    /// Address of something that a runtime provides.
    Service(Service),
}

/// An address space of LLVM's AMDGPU target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "LLVM's names")]
pub enum AddressSpace {
    Private,
    Global,
    Constant,
    Local,
    Generic,
    Region,
}

/// What is done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names say it")]
pub enum Access {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// A whole note.
pub(super) struct Metadata {
    pub(super) version: [u64; 2],
    pub(super) kernels: Vec<KernelMetadata>,
}

/// Largest kernarg segment in bytes. Compilers refuse kernels with more than 4 KiB of arguments.
const MAX_KERNARG_BYTES: u32 = 1 << 16;
/// Largest alignment of a kernarg segment or of local memory.
const MAX_ALIGN: u32 = 1 << 16;

/// A value that is not as it should be, with the way to it from the inside out.
struct Fault {
    keys: Vec<String>,
    offset: usize,
    reason: String,
}

type Parsed<T> = Result<T, Fault>;

/// Walks through a map, calling `each` for each key; what `each` does not take (`Ok(false)`) is skipped.
fn map<'data>(
    reader: &mut Reader<'data>,
    mut each: impl FnMut(&'data str, &mut Reader<'data>) -> Parsed<bool>,
) -> Parsed<()> {
    let pairs = plain(reader, Reader::map)?;
    for _ in 0..pairs {
        let key = plain(reader, Reader::str)?;
        let taken = each(key, reader).map_err(|fault| fault.within(key))?;
        if !taken {
            plain(reader, Reader::skip)?;
        }
    }
    Ok(())
}

/// Walks through a sequence, calling `each` for each item.
fn sequence<'data>(reader: &mut Reader<'data>, mut each: impl FnMut(&mut Reader<'data>) -> Parsed<()>) -> Parsed<()> {
    let items = plain(reader, Reader::array)?;
    for index in 0..items {
        each(reader).map_err(|fault| fault.within(&format!("[{index}]")))?;
    }
    Ok(())
}

/// Reads one value.
fn plain<'data, T>(
    reader: &mut Reader<'data>,
    read: impl FnOnce(&mut Reader<'data>) -> Result<T, Reason>,
) -> Parsed<T> {
    let offset = reader.offset();
    read(reader).map_err(|reason| Fault { keys: Vec::new(), offset, reason: reason.to_owned() })
}

fn text(reader: &mut Reader<'_>) -> Parsed<String> {
    plain(reader, Reader::str).map(str::to_owned)
}

/// A sequence of exactly `N` integers.
fn integers<'data, const N: usize, T: Copy + Default>(
    reader: &mut Reader<'data>,
    read: impl Fn(&mut Reader<'data>) -> Result<T, Reason>,
) -> Parsed<[T; N]> {
    let offset = reader.offset();
    let mut values = [T::default(); N];
    let mut count = 0;
    sequence(reader, |reader| {
        let value = plain(reader, |reader| read(reader))?;
        if let Some(place) = values.get_mut(count) {
            *place = value;
        }
        count += 1;
        Ok(())
    })?;
    if count != N {
        return Err(Fault::at(offset, format!("has {count} values, wanted {N}")));
    }
    Ok(values)
}

/// A power of two that is not absurd.
fn alignment(reader: &mut Reader<'_>) -> Parsed<u32> {
    let offset = reader.offset();
    let value = plain(reader, Reader::u32)?;
    if !value.is_power_of_two() || value > MAX_ALIGN {
        return Err(Fault::at(offset, format!("is {value}, wanted a power of two up to {MAX_ALIGN}")));
    }
    Ok(value)
}

/// One of a few words.
fn word<T: Copy>(reader: &mut Reader<'_>, words: &[(&str, T)]) -> Parsed<T> {
    let offset = reader.offset();
    let found = plain(reader, Reader::str)?;
    words.iter().find(|(word, _)| *word == found).map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
        Fault::at(offset, format!("is \"{found}\", wanted one of {}", known.join(", ")))
    })
}

impl Fault {
    fn at(offset: usize, reason: impl Into<String>) -> Fault {
        Fault { keys: Vec::new(), offset, reason: reason.into() }
    }

    fn within(mut self, key: &str) -> Fault {
        self.keys.push(key.to_owned());
        self
    }
}

/// Takes a required value.
fn required<T>(value: Option<T>, key: &str, offset: usize) -> Parsed<T> {
    value.ok_or_else(|| Fault::at(offset, "is missing, but required").within(key))
}

impl Metadata {
    /// Reads a metadata note.
    pub(super) fn parse(note: &Note<'_>) -> Result<Metadata, Error> {
        Self::read(note.contents).map_err(|Fault { keys, offset, reason }| {
            let mut path = String::new();
            for key in keys.iter().rev() {
                // Keys within kernels and arguments start with a dot, indices with a bracket.
                path.push_str(key);
            }
            if path.is_empty() {
                path.push_str("as a whole");
            }
            Error::Metadata { path, offset: note.offset + offset, reason }
        })
    }

    fn read(note: &[u8]) -> Parsed<Metadata> {
        let mut reader = Reader::new(note);
        let (mut version, mut kernels) = (None, None);
        map(&mut reader, |key, reader| {
            match key {
                "amdhsa.version" => version = Some(integers(reader, Reader::uint)?),
                "amdhsa.kernels" => {
                    let mut list = Vec::new();
                    sequence(reader, |reader| {
                        list.push(kernel(reader)?);
                        Ok(())
                    })?;
                    kernels = Some(list);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(Metadata {
            version: required(version, "amdhsa.version", 0)?,
            // LLVM leaves the list out if there are no kernels.
            kernels: kernels.unwrap_or_default(),
        })
    }
}

fn kernel(reader: &mut Reader<'_>) -> Parsed<KernelMetadata> {
    let start = reader.offset();
    let mut kernel = KernelMetadata::default();
    let (mut name, mut symbol, mut kernarg_size, mut kernarg_align) = (None, None, None, None);
    let (mut group, mut private, mut wavefront, mut flat) = (None, None, None, None);
    map(reader, |key, reader| {
        match key {
            ".name" => name = Some(text(reader)?),
            ".symbol" => symbol = Some(text(reader)?),
            ".language" => kernel.language = Some(text(reader)?),
            ".kind" => {
                let kinds = [("normal", KernelKind::Normal), ("init", KernelKind::Init), ("fini", KernelKind::Fini)];
                kernel.kind = word(reader, &kinds)?;
            }
            ".args" => {
                kernel.args.clear();
                sequence(reader, |reader| {
                    kernel.args.push(argument(reader)?);
                    Ok(())
                })?;
            }
            ".kernarg_segment_size" => kernarg_size = Some(kernarg_bytes(reader)?),
            ".kernarg_segment_align" => kernarg_align = Some(alignment(reader)?),
            ".group_segment_fixed_size" => group = Some(plain(reader, Reader::u32)?),
            ".private_segment_fixed_size" => private = Some(plain(reader, Reader::u32)?),
            ".uses_dynamic_stack" => kernel.uses_dynamic_stack = plain(reader, Reader::bool)?,
            ".wavefront_size" => {
                let offset = reader.offset();
                let size = plain(reader, Reader::u32)?;
                if ![32, 64].contains(&size) {
                    return Err(Fault::at(offset, format!("is {size}, wanted 32 or 64")));
                }
                wavefront = Some(size);
            }
            ".sgpr_count" => kernel.sgpr_count = plain(reader, Reader::u32)?,
            ".vgpr_count" => kernel.vgpr_count = plain(reader, Reader::u32)?,
            ".agpr_count" => kernel.agpr_count = plain(reader, Reader::u32)?,
            ".sgpr_spill_count" => kernel.sgpr_spill_count = plain(reader, Reader::u32)?,
            ".vgpr_spill_count" => kernel.vgpr_spill_count = plain(reader, Reader::u32)?,
            ".max_flat_workgroup_size" => flat = Some(plain(reader, Reader::u32)?),
            ".reqd_workgroup_size" => {
                // 0, 0, 0 stands for none.
                kernel.reqd_workgroup_size = Some(integers(reader, Reader::u32)?).filter(|size| *size != [0; 3]);
            }
            ".workgroup_size_hint" => {
                kernel.workgroup_size_hint = Some(integers(reader, Reader::u32)?).filter(|size| *size != [0; 3]);
            }
            ".max_num_work_groups_x" => kernel.max_num_work_groups[0] = Some(plain(reader, Reader::u32)?),
            ".max_num_work_groups_y" => kernel.max_num_work_groups[1] = Some(plain(reader, Reader::u32)?),
            ".max_num_work_groups_z" => kernel.max_num_work_groups[2] = Some(plain(reader, Reader::u32)?),
            ".uniform_work_group_size" => kernel.uniform_work_group_size = plain(reader, Reader::bool)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    kernel.name = required(name, ".name", start)?;
    kernel.symbol = required(symbol, ".symbol", start)?;
    kernel.kernarg_segment_size = required(kernarg_size, ".kernarg_segment_size", start)?;
    kernel.kernarg_segment_align = required(kernarg_align, ".kernarg_segment_align", start)?;
    kernel.group_segment_fixed_size = required(group, ".group_segment_fixed_size", start)?;
    kernel.private_segment_fixed_size = required(private, ".private_segment_fixed_size", start)?;
    kernel.wavefront_size = required(wavefront, ".wavefront_size", start)?;
    kernel.max_flat_workgroup_size = required(flat, ".max_flat_workgroup_size", start)?;
    Ok(kernel)
}

fn kernarg_bytes(reader: &mut Reader<'_>) -> Parsed<u32> {
    let offset = reader.offset();
    let bytes = plain(reader, Reader::u32)?;
    if bytes > MAX_KERNARG_BYTES {
        return Err(Fault::at(offset, format!("is {bytes}, more than {MAX_KERNARG_BYTES} bytes of arguments")));
    }
    Ok(bytes)
}

fn argument(reader: &mut Reader<'_>) -> Parsed<Argument> {
    const ACCESS: [(&str, Access); 3] =
        [("read_only", Access::ReadOnly), ("write_only", Access::WriteOnly), ("read_write", Access::ReadWrite)];
    const SPACES: [(&str, AddressSpace); 6] = [
        ("private", AddressSpace::Private),
        ("global", AddressSpace::Global),
        ("constant", AddressSpace::Constant),
        ("local", AddressSpace::Local),
        ("generic", AddressSpace::Generic),
        ("region", AddressSpace::Region),
    ];
    let start = reader.offset();
    let (mut offset, mut size, mut value_kind) = (None, None, None);
    let mut argument = Argument {
        name: None,
        type_name: None,
        offset: 0,
        size: 0,
        value_kind: ValueKind::ByValue,
        address_space: None,
        access: None,
        actual_access: None,
        pointee_align: None,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
    };
    map(reader, |key, reader| {
        match key {
            ".name" => argument.name = Some(text(reader)?),
            ".type_name" => argument.type_name = Some(text(reader)?),
            ".offset" => offset = Some(plain(reader, Reader::u32)?),
            ".size" => size = Some(plain(reader, Reader::u32)?),
            ".value_kind" => value_kind = Some(ValueKind::parse(plain(reader, Reader::str)?)),
            ".address_space" => argument.address_space = Some(word(reader, &SPACES)?),
            ".access" => argument.access = Some(word(reader, &ACCESS)?),
            ".actual_access" => argument.actual_access = Some(word(reader, &ACCESS)?),
            ".pointee_align" => argument.pointee_align = Some(alignment(reader)?),
            ".is_const" => argument.is_const = plain(reader, Reader::bool)?,
            ".is_restrict" => argument.is_restrict = plain(reader, Reader::bool)?,
            ".is_volatile" => argument.is_volatile = plain(reader, Reader::bool)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    argument.offset = required(offset, ".offset", start)?;
    argument.size = required(size, ".size", start)?;
    argument.value_kind = required(value_kind, ".value_kind", start)?;
    if let Some(wanted) = argument.value_kind.size()
        && wanted != argument.size
    {
        let reason = format!("is {}, but {:?} has {wanted} bytes", argument.size, argument.value_kind);
        return Err(Fault::at(start, reason).within(".size"));
    }
    Ok(argument)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(note: &[u8]) -> String {
        parse(note).map(|metadata| metadata.kernels).expect_err("malformed").to_string()
    }

    fn parse(contents: &[u8]) -> Result<Metadata, Error> {
        Metadata::parse(&Note { contents, offset: 0x200 })
    }

    /// MessagePack of what looks like JSON: maps of up to 15 pairs, short strings, integers up to 127, booleans.
    fn pack(text: &str) -> Vec<u8> {
        fn value(text: &mut &str, out: &mut Vec<u8>) {
            *text = text.trim_start();
            let next = text.chars().next().expect("a value");
            if let Some(close) = match next {
                '{' => Some('}'),
                '[' => Some(']'),
                _ => None,
            } {
                let marker = out.len();
                out.push(if next == '{' { 0x80 } else { 0x90 });
                *text = &text[1..];
                loop {
                    *text = text.trim_start_matches([' ', ',', ':', '\n']);
                    if let Some(rest) = text.strip_prefix(close) {
                        *text = rest;
                        break;
                    }
                    value(text, out);
                    if next == '{' {
                        *text = text.trim_start_matches([' ', ':']);
                        value(text, out);
                    }
                    out[marker] += 1;
                }
                return;
            }
            let end = text.find([',', ':', ']', '}', ' ', '\n']).unwrap_or(text.len());
            let (word, rest) = text.split_at(end);
            *text = rest;
            match word {
                "true" => out.push(0xc3),
                "false" => out.push(0xc2),
                _ => match word.parse::<u32>() {
                    Ok(number @ 0..=127) => out.push(number as u8),
                    Ok(number) => {
                        out.push(0xce);
                        out.extend(number.to_be_bytes());
                    }
                    Err(_) => {
                        out.extend([0xd9, word.len() as u8]);
                        out.extend(word.as_bytes());
                    }
                },
            }
        }
        let mut out = Vec::new();
        value(&mut &*text, &mut out);
        out
    }

    const KERNEL: &str = ".name:k, .symbol:k.kd, .kernarg_segment_size:16, .kernarg_segment_align:8, \
         .group_segment_fixed_size:0, .private_segment_fixed_size:0, .wavefront_size:64, .max_flat_workgroup_size:256";

    fn note(kernel: &str) -> Vec<u8> {
        pack(&format!("{{amdhsa.version: [1, 2], amdhsa.kernels: [{{ {KERNEL}, {kernel} }}]}}"))
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        assert_eq!(parse(&note("")).expect("metadata").kernels[0].symbol, "k.kd");
        for (kernel, path, reason) in [
            (".name:7", ".name", "not a string of UTF-8"),
            (".wavefront_size:63", ".wavefront_size", "is 63, wanted 32 or 64"),
            (".kernarg_segment_size:65537", ".kernarg_segment_size", "is 65537, more than 65536 bytes of arguments"),
            (".kernarg_segment_align:3", ".kernarg_segment_align", "is 3, wanted a power of two up to 65536"),
            (".kernarg_segment_align:131072", ".kernarg_segment_align", "is 131072, wanted a power of two up to 65536"),
            (".reqd_workgroup_size:[1,2]", ".reqd_workgroup_size", "has 2 values, wanted 3"),
            (".reqd_workgroup_size:[1,2,x]", ".reqd_workgroup_size[2]", "not an integer from 0 to 2^32 - 1"),
            (".uses_dynamic_stack:2", ".uses_dynamic_stack", "not a boolean"),
            (".kind:late", ".kind", "is \"late\", wanted one of normal, init, fini"),
            (".args:{}", ".args", "not a sequence"),
            (".args:[7]", ".args[0]", "not a map"),
            (".args:[{.offset:0, .size:4}]", ".args[0].value_kind", "is missing, but required"),
            (
                ".args:[{.offset:0, .size:4, .value_kind:global_buffer}]",
                ".args[0].size",
                "is 4, but GlobalBuffer has 8 bytes",
            ),
            (
                ".args:[{.offset:0, .size:8, .value_kind:hidden_grid_dims}]",
                ".args[0].size",
                "is 8, but Hidden(GridDims) has 2 bytes",
            ),
        ] {
            let message = refused(&note(kernel));
            assert!(message.starts_with(&format!("metadata amdhsa.kernels[0]{path} at offset 0x")), "{message}");
            assert!(message.ends_with(&format!(": {reason}")), "{message}");
        }
        let missing = pack("{amdhsa.version:[1,2], amdhsa.kernels:[{.name:k}]}");
        assert!(refused(&missing).starts_with("metadata amdhsa.kernels[0].symbol at offset 0x"));
        assert!(
            refused(&pack("{amdhsa.kernels:[]}")).starts_with("metadata amdhsa.version at offset 0x200: is missing")
        );
        assert!(refused(&pack("[1]")).starts_with("metadata as a whole at offset 0x200: not a map"));
    }

    #[test]
    fn unknown_keys_are_passed_over() {
        let kernel = note(".new:{a:[1,{b:true}],c:x}, .vgpr_count:9");
        assert_eq!(parse(&kernel).expect("metadata").kernels[0].vgpr_count, 9);
    }

    /// Lengths that the note cannot have, and nesting that a recursive reader would not survive.
    #[test]
    fn hostile_structures_are_refused() {
        let array32 = &[0xdd, 0xff, 0xff, 0xff, 0xff][..];
        let map32 = &[0xdf, 0xff, 0xff, 0xff, 0xff];
        let str32 = &[0xdb, 0xff, 0xff, 0xff, 0xff];
        let bin32 = &[0xc6, 0xff, 0xff, 0xff, 0xff];
        let ext32 = &[0xc9, 0xff, 0xff, 0xff, 0xff];
        let nested = vec![0x91; 1 << 20];
        let many = map32.repeat(1 << 18);
        for hostile in [array32, map32, str32, bin32, ext32, &nested, &many, &[0xc1]] {
            // As the value of a key that is passed over, and of one that is read.
            let unknown = [&[0x81, 0xa1, b'a'], hostile].concat();
            assert!(refused(&unknown).contains("the MessagePack is cut off"), "{}", refused(&unknown));
            let kernels = [&[0x81, 0xae], &b"amdhsa.kernels"[..], hostile].concat();
            refused(&kernels);
            refused(hostile);
        }
        assert!(refused(&[]).ends_with("the MessagePack is cut off"));
        assert!(refused(map32).ends_with("not a string of UTF-8"), "{}", refused(map32));
        // Deep, but whole.
        let deep =
            [&[0x82, 0xa1, b'a'][..], &[0x91; 1 << 16], &[0xc0, 0xae], b"amdhsa.version", &[0x92, 1, 2]].concat();
        assert_eq!(parse(&deep).expect("metadata").version, [1, 2]);
    }
}

//! Parses the metadata note.

use super::{Access, AddressSpace, ArgumentMetadata, KernelKind, KernelMetadata, Metadata, ValueKind};
use crate::Error;
use crate::elf::Note;
use crate::msgpack::{Reader, Reason};

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
    pub(crate) fn parse(note: &Note<'_>) -> Result<Metadata, Error> {
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

fn argument(reader: &mut Reader<'_>) -> Parsed<ArgumentMetadata> {
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
    let mut argument = ArgumentMetadata {
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

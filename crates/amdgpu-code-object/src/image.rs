//! Code objects, and their relocated images in memory.

use crate::elf::{Elf, Note, Relocation, Segment, segment_of};
use crate::metadata::Metadata;
use crate::{Error, Kernel, KernelDescriptor, KernelMetadata, Symbol, TargetId, Version};

/// A code object: an ELF file with kernels for one target.
///
/// It is checked as a whole when it is parsed, and borrows the bytes for [`write_image`](Self::write_image). A
/// [`Kernel`] may be cloned out of it and outlives them.
#[doc(alias = "hsa_code_object_reader_t")]
#[doc(alias = "hsaco")]
#[derive(Clone, Debug)]
pub struct CodeObject<'data> {
    version: Version,
    target: TargetId,
    segments: Vec<Segment<'data>>,
    base: u64,
    file_bytes: u64,
    image_bytes: u64,
    image_align: u64,
    relocations: Vec<Relocation>,
    symbols: Vec<Symbol>,
    /// Sorted by name.
    kernels: Vec<Kernel>,
}

impl<'data> CodeObject<'data> {
    /// Reads a code object of version 3 to 6.
    ///
    /// # Errors
    /// [`Error::Unrecognised`] for what is no ELF file, [`Error::Unsupported`] for one that is not for AMD GPUs,
    /// [`Error::Malformed`], [`Error::Metadata`] and [`Error::Kernel`] for one that contradicts itself,
    /// [`Error::Relocation`] and [`Error::UndefinedSymbol`] for one that cannot be loaded alone.
    pub fn parse(bytes: &'data [u8]) -> Result<CodeObject<'data>, Error> {
        let elf = Elf::parse(bytes)?;
        let mut kernels = Vec::new();
        for note in &elf.metadata {
            let metadata = Metadata::parse(note)?;
            check_version(elf.version, metadata.version, note)?;
            for described in metadata.kernels {
                kernels.push(kernel(described, &elf)?);
            }
        }
        kernels.sort_by(|a, b| a.name().cmp(b.name()));
        if let Some(pair) = kernels.windows(2).find(|pair| pair[0].name() == pair[1].name()) {
            let reason = "the metadata describes it twice".to_owned();
            return Err(Error::Kernel { kernel: pair[0].name().to_owned(), reason });
        }
        let Elf { version, target, segments, base, image_bytes, align, relocations, symbols, .. } = elf;
        Ok(CodeObject {
            version,
            target,
            segments,
            base,
            file_bytes: bytes.len() as u64,
            image_bytes,
            image_align: align,
            relocations,
            symbols,
            kernels,
        })
    }

    /// Version of the format.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The processor and settings that it was compiled for.
    pub fn target(&self) -> &TargetId {
        &self.target
    }

    /// The kernels, by name.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// A kernel by its name in the source, as the compiler mangles it.
    ///
    /// # Errors
    /// [`Error::NoKernel`], with names that there are.
    pub fn kernel(&self, name: &str) -> Result<&Kernel, Error> {
        let index = self.kernels.binary_search_by(|kernel| kernel.name().cmp(name)).map_err(|_| Error::NoKernel {
            name: name.to_owned(),
            present: self.kernels.iter().take(16).map(|kernel| kernel.name().to_owned()).collect(),
        })?;
        Ok(&self.kernels[index])
    }

    /// The symbols that it exports, by name.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// A symbol by its name: a global variable's address is the image's address plus its [offset](Symbol::offset).
    pub fn symbol(&self, name: &str) -> Option<&Symbol> {
        find_symbol(&self.symbols, name)
    }

    /// Size of the image in bytes: all segments at their addresses, with zeroes between and after them. Less than 4
    /// GiB.
    pub fn image_bytes(&self) -> u64 {
        self.image_bytes
    }

    /// By how many bytes the image is larger than the file: variables without a value (`.bss`) take no room there. A
    /// file of a few KiB can ask for almost 4 GiB so.
    pub fn excess_bytes(&self) -> u64 {
        self.image_bytes.saturating_sub(self.file_bytes)
    }

    /// Alignment of the image's address in bytes: a power of two, 4 KiB in what LLVM's linker makes, 2 MiB at most.
    pub fn image_align(&self) -> u64 {
        self.image_align
    }

    /// Writes the image for `address` of the GPU: the segments, with relocations applied.
    ///
    /// The GPU must be able to read, write and execute the memory there, and read 1 KiB after it, because gfx90a and
    /// later fetch instructions ahead. The GPU caches instructions, and a packet's acquire fence does not invalidate
    /// these caches. If other code may have been there before, invalidate them before the launch by a PM4 packet
    /// ACQUIRE_MEM. The queues of the crate `kfd` do so for its modules.
    ///
    /// # Errors
    /// [`Error::Placement`] if the address is not aligned to [`image_align`](Self::image_align) or the slice does not
    /// have [`image_bytes`](Self::image_bytes) bytes; nothing is written then.
    pub fn write_image(&self, address: u64, image: &mut [u8]) -> Result<(), Error> {
        let refused = |reason| Err(Error::Placement { address, reason });
        if !address.is_multiple_of(self.image_align) {
            return refused(format!("it is not aligned to {:#x}", self.image_align));
        }
        if address.checked_add(self.image_bytes).is_none() {
            return refused(format!("{:#x} bytes there exceed 64 bits", self.image_bytes));
        }
        if image.len() as u64 != self.image_bytes {
            return refused(format!("the slice has {:#x} bytes, the image {:#x}", image.len(), self.image_bytes));
        }
        image.fill(0);
        for segment in &self.segments {
            let start = (segment.address - self.base) as usize;
            image[start..][..segment.contents.len()].copy_from_slice(segment.contents);
        }
        for &Relocation { offset, value, relative } in &self.relocations {
            let value = if relative { value.wrapping_add(address) } else { value };
            image[offset as usize..][..8].copy_from_slice(&value.to_le_bytes());
        }
        Ok(())
    }
}

/// The version in the metadata must be the one that the header says (AMDGPUUsage, `amdhsa.version`).
fn check_version(version: Version, metadata: [u64; 2], note: &Note<'_>) -> Result<(), Error> {
    let expected = match version {
        Version::V3 => 0,
        Version::V4 => 1,
        Version::V5 | Version::V6 => 2,
    };
    // A minor version that is higher only adds to what is known.
    if metadata[0] == 1 && metadata[1] >= expected {
        return Ok(());
    }
    let reason = format!("is {}.{}, wanted 1.{expected} in a code object of {version:?}", metadata[0], metadata[1]);
    Err(Error::Metadata { path: "amdhsa.version".to_owned(), offset: note.offset, reason })
}

fn find_symbol<'a>(symbols: &'a [Symbol], name: &str) -> Option<&'a Symbol> {
    symbols.binary_search_by(|symbol| symbol.name.as_str().cmp(name)).ok().map(|index| &symbols[index])
}

/// Finds the descriptor of a kernel that the metadata describes, and its code.
fn kernel(metadata: KernelMetadata, elf: &Elf<'_>) -> Result<Kernel, Error> {
    let failed = |reason: String| Error::Kernel { kernel: metadata.name.clone(), reason };
    let Some(symbol) = find_symbol(&elf.symbols, &metadata.symbol) else {
        return Err(failed(format!(
            "its descriptor {} is not among the symbols of .dynsym: kernels need protected or default visibility",
            metadata.symbol
        )));
    };
    let address = elf.base + symbol.offset;
    let bytes = KernelDescriptor::BYTES as u64;
    let wrong = |reason: String| failed(format!("its descriptor {} {reason}", metadata.symbol));
    if symbol.bytes != bytes || !address.is_multiple_of(bytes) {
        return Err(wrong(format!("has {} bytes at {address:#x}, wanted 64 bytes at a multiple of 64", symbol.bytes)));
    }
    let contents = segment_of(&elf.segments, address, bytes).and_then(|segment| {
        let start = usize::try_from(address - segment.address).ok()?;
        segment.contents.get(start..)?.first_chunk()
    });
    let Some(contents) = contents else {
        return Err(wrong(format!("at {address:#x} has no contents in the file")));
    };
    let descriptor = KernelDescriptor::from_bytes(contents);
    // Code starts at a multiple of 256 bytes: the register that takes its address leaves 8 bits out.
    let entry = address.wrapping_add_signed(descriptor.kernel_code_entry_byte_offset);
    let executable = segment_of(&elf.segments, entry, 4).is_some_and(|segment| segment.executable);
    if !executable || !entry.is_multiple_of(256) {
        return Err(wrong(format!(
            "says that its code is at {entry:#x}, which is no multiple of 256 in an executable segment"
        )));
    }
    if ![0, metadata.kernarg_segment_size].contains(&descriptor.kernarg_size) {
        let reason = format!(
            "says that it has {} bytes of arguments, the metadata say {}",
            descriptor.kernarg_size, metadata.kernarg_segment_size
        );
        return Err(wrong(reason));
    }
    let offset = symbol.offset;
    Kernel::new(metadata, descriptor, offset, &elf.evidence, elf.version)
}

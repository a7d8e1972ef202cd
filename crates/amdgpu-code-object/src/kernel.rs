//! A kernel as its descriptor and its metadata together describe it.

use crate::elf::Version;
use crate::metadata::{ArgumentMetadata, Hidden, ValueKind};
use crate::service::{Evidence, Set};
use crate::{Error, KernelDescriptor, KernelMetadata, Service};

/// A kernel of a [`CodeObject`](crate::CodeObject): its descriptor, its arguments and the services that it needs.
#[derive(Clone, Debug)]
pub struct Kernel {
    metadata: KernelMetadata,
    descriptor: KernelDescriptor,
    descriptor_offset: u64,
    /// The arguments in the order of their offsets, which do not overlap and are within the segment.
    pub(super) slots: Vec<Slot>,
    argument_count: usize,
    needs: Set,
    version: Version,
}

impl Kernel {
    pub(super) fn new(
        metadata: KernelMetadata,
        descriptor: KernelDescriptor,
        descriptor_offset: u64,
        evidence: &Evidence,
        version: Version,
    ) -> Result<Kernel, Error> {
        let slots = layout(&metadata.args, metadata.kernarg_segment_size)
            .map_err(|reason| Error::Kernel { kernel: metadata.name.clone(), reason })?;
        let argument_count = metadata.args.iter().filter(|argument| !argument.value_kind.is_hidden()).count();
        let needs = needs(&metadata, evidence, version);
        Ok(Kernel { metadata, descriptor, descriptor_offset, slots, argument_count, needs, version })
    }

    /// The name in the source, as the compiler mangles it.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// The kernel's metadata.
    pub fn metadata(&self) -> &KernelMetadata {
        &self.metadata
    }

    /// The descriptor.
    pub fn descriptor(&self) -> &KernelDescriptor {
        &self.descriptor
    }

    /// Where its descriptor is in the image, in bytes. With the image's address it is the packet's `kernel_object`.
    pub fn descriptor_offset(&self) -> u64 {
        self.descriptor_offset
    }

    /// Number of arguments that a launch passes, which are those in the source.
    pub fn argument_count(&self) -> usize {
        self.argument_count
    }

    /// Bytes of the kernarg segment, hidden arguments included.
    pub fn kernarg_bytes(&self) -> u32 {
        self.metadata.kernarg_segment_size
    }

    /// Alignment of the kernarg segment in bytes: at least 16, which HSA requires of its address.
    pub fn kernarg_align(&self) -> u32 {
        self.metadata.kernarg_segment_align.max(aql::Kernarg::ALIGN as u32)
    }

    /// Local memory (LDS) that a work-group needs in bytes, without what a launch adds.
    pub fn group_bytes(&self) -> u32 {
        // They agree in what LLVM writes; assembly sources state both.
        self.metadata.group_segment_fixed_size.max(self.descriptor.group_segment_fixed_size)
    }

    /// Scratch memory that a work-item needs in bytes, without a [dynamic stack](Self::uses_dynamic_stack).
    pub fn private_bytes(&self) -> u32 {
        self.metadata.private_segment_fixed_size.max(self.descriptor.private_segment_fixed_size)
    }

    /// Whether it needs a stack of a size that the compiler does not know, on top of
    /// [`private_bytes`](Self::private_bytes).
    pub fn uses_dynamic_stack(&self) -> bool {
        self.metadata.uses_dynamic_stack || self.descriptor.uses_dynamic_stack()
    }

    /// Whether a launch must give the size of its stack. Before version 5 it may:
    /// [`private_bytes`](Self::private_bytes) has a guess of the compiler's then, 16 KiB of LLVM's.
    pub(super) fn needs_stack(&self) -> bool {
        self.uses_dynamic_stack() && self.version >= Version::V5
    }

    /// The services that the kernel needs from a runtime. A launch must give an address for each, or is refused.
    /// [`Service`] describes how a need is detected.
    pub fn needs(&self) -> impl Iterator<Item = Service> {
        self.needs.iter()
    }
}

/// Which services `kernel` cannot do without; the rules are [`Service`]'s.
fn needs(kernel: &KernelMetadata, evidence: &Evidence, version: Version) -> Set {
    use Service::{Heap, HostcallBuffer, MultigridSync, PrintfBuffer};
    let mut declared = Set::default();
    for argument in &kernel.args {
        if let ValueKind::Hidden(Hidden::Service(service)) = argument.value_kind {
            declared.insert(service);
        }
    }
    let calls_host = declared.contains(HostcallBuffer) || declared.contains(PrintfBuffer);
    let proven = !(calls_host
        && declared.contains(MultigridSync)
        && (version < Version::V5 || declared.contains_all(&[Heap, HostcallBuffer])));
    let mut needed = Set::default();
    for service in declared.iter() {
        if proven || service == PrintfBuffer || !evidence.complete || evidence.functions.contains(service) {
            needed.insert(service);
        }
    }
    // AMD's OpenCL library has a `printf` that uses the buffer where nothing declares it.
    if !proven && evidence.functions.contains(PrintfBuffer) {
        needed.insert(PrintfBuffer);
    }
    needed
}

/// An argument's place in the kernarg segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Index in the metadata's list.
    pub(super) argument: usize,
    /// Index in the list of those that a caller gives.
    pub(super) explicit: Option<usize>,
}

/// The arguments in the order of their offsets, or why they do not fit the segment.
fn layout(args: &[ArgumentMetadata], segment: u32) -> Result<Vec<Slot>, String> {
    let mut explicit = 0;
    let mut slots = Vec::with_capacity(args.len());
    for (argument, ArgumentMetadata { value_kind, .. }) in args.iter().enumerate() {
        let given = !value_kind.is_hidden();
        slots.push(Slot { argument, explicit: given.then_some(explicit) });
        explicit += usize::from(given);
    }
    slots.sort_by_key(|slot| args[slot.argument].offset);
    let mut end = 0;
    for slot in &slots {
        let ArgumentMetadata { offset, size, .. } = args[slot.argument];
        if offset < end {
            return Err(format!("argument {} at byte {offset} overlaps with the one before it", slot.argument));
        }
        end = offset.checked_add(size).filter(|&end| end <= segment).ok_or_else(|| {
            format!(
                "argument {} of {size} bytes at byte {offset} exceeds the kernarg segment of {segment} bytes",
                slot.argument
            )
        })?;
    }
    Ok(slots)
}

//! The metadata note, in which the compiler describes kernels to the runtime (AMDGPUUsage, "Code Object Metadata").

mod parse;
#[cfg(test)]
mod tests;

use crate::Service;

/// A kernel's metadata, with LLVM's names without the leading dot.
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
    /// The arguments, including hidden ones, in the order of the metadata.
    pub args: Vec<ArgumentMetadata>,
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
    /// Scalar registers spilled to memory.
    pub sgpr_spill_count: u32,
    /// Vector registers spilled to memory.
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
pub struct ArgumentMetadata {
    /// The name, if the compiler was asked to keep it.
    pub name: Option<String>,
    /// The type's name.
    pub type_name: Option<String>,
    /// Where it is in the kernarg segment, in bytes.
    pub offset: u32,
    /// The size there in bytes.
    pub size: u32,
    /// The content of the argument.
    pub value_kind: ValueKind,
    /// Address space of the memory that it points to.
    pub address_space: Option<AddressSpace>,
    /// Declared access to the object (images and pipes).
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

/// The content that a runtime writes into an argument.
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
    /// Something that the source does not mention: [`Kernel::prepare`](crate::Kernel::prepare) fills it in.
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
    /// Offset that OpenCL adds to global ids.
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

/// Access to memory.
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

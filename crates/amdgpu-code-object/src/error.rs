//! Errors of reading code objects and of checking launches.
use crate::{Service, TargetId};

/// Implements `Debug` of errors as `Display`, because `unwrap`, `expect` and a `main` that returns an error print
/// `Debug`.
macro_rules! debug_is_display {
    ($($error:ty)*) => {
        $(impl std::fmt::Debug for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        })*
    };
}
debug_is_display!(Error LaunchError LaunchProblem);

/// Why bytes are not taken as a code object, or not for this device.
///
/// Offsets are in bytes from the start of what was given to be parsed, unless they are said to be of the image.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither an ELF file nor an offload bundle.
    #[error("neither a code object (ELF) nor an offload bundle: it starts with {start:02x?}")]
    Unrecognised {
        /// The first bytes, up to four.
        start: Vec<u8>,
    },
    /// An offload bundle that is compressed.
    #[error(
        "the offload bundle is compressed (CCOB version {version}), and this reads in place: give it to `code::unpack` first, or \
         compile with --no-offload-compress"
    )]
    Compressed {
        /// Version of the compressed format.
        version: u16,
    },
    /// A well-formed file of a kind that is not supported.
    #[error("{subject} is {value:#x}; supported: {supported}")]
    Unsupported {
        /// The field.
        subject: &'static str,
        /// The value.
        value: u64,
        /// What it could be.
        supported: &'static str,
    },
    /// The file contradicts itself or ends too early.
    #[error("malformed {place}{}: {reason}", offset.map(|offset| format!(" at offset {offset:#x}")).unwrap_or_default())]
    Malformed {
        /// The part of the file.
        place: String,
        /// Where it is or ought to be.
        offset: Option<u64>,
        /// What is wrong, with the value.
        reason: String,
    },
    /// The metadata note (MessagePack) lacks a value that a runtime needs.
    #[error("metadata {path} at offset {offset:#x}: {reason}")]
    Metadata {
        /// The value's keys and indices, such as `amdhsa.kernels[0].args[2].size`.
        path: String,
        /// Where it is.
        offset: usize,
        /// What is wrong.
        reason: String,
    },
    /// A relocation that cannot be applied.
    #[error("relocation {kind} at {offset:#x} of the image: {reason}")]
    Relocation {
        /// The type by name.
        kind: String,
        /// What it would change.
        offset: u64,
        /// Why it cannot be applied.
        reason: String,
    },
    /// A symbol that another module would have to define.
    #[error("symbol {symbol} is undefined: a code object is loaded alone, so link what defines it")]
    UndefinedSymbol {
        /// The name.
        symbol: String,
    },
    /// A kernel that the metadata describes is not there as described.
    #[error("kernel {kernel}: {reason}")]
    Kernel {
        /// The kernel's name.
        kernel: String,
        /// What is wrong.
        reason: String,
    },
    /// No kernel has this name.
    #[error("no kernel is called {name}; there are {}", if present.is_empty() { "none".to_owned() } else { present.join(", ") })]
    NoKernel {
        /// The name that was asked for.
        name: String,
        /// The first names that are there, at most 16.
        present: Vec<String>,
    },
    /// No global variable has this name.
    #[error("no global variable is called {name}; there are {}", if present.is_empty() { "none".to_owned() } else { present.join(", ") })]
    NoVariable {
        /// The name that was asked for, as the compiler mangles it.
        name: String,
        /// The first names that are there, at most 16.
        present: Vec<String>,
    },
    /// Global variables whose values code computes when it is loaded or unloaded, which is not run.
    #[error(
        "the code object has constructors or destructors of global variables (kernel {kernel}), which are not run here: \
         give the variables constant values, or set them by a kernel of your own"
    )]
    Constructors {
        /// The kernel that would run them.
        kernel: String,
    },
    /// Not a target ID.
    #[error("\"{text}\" is not a target ID: {reason}")]
    TargetId {
        /// What was given.
        text: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The code is for another processor or other settings.
    #[error("the code is for {code}, the device is a {device}: compile it for that (--offload-arch or -mcpu)")]
    WrongTarget {
        /// What the code is for.
        code: TargetId,
        /// What it was asked for.
        device: TargetId,
    },
    /// No entry of a bundle is for the device.
    #[error("no code object of the bundle is for {device}; it has {}", if present.is_empty() { "none".to_owned() } else { present.join(", ") })]
    NoCodeForTarget {
        /// What was asked for.
        device: TargetId,
        /// The first entry IDs that are there, at most 16.
        present: Vec<String>,
    },
    /// The image is larger than its file by more than the loader permits.
    #[error(
        "the image needs {image_bytes} bytes of device memory, {excess_bytes} more than the file has (variables without a value), the limit is {limit}: if the file \
         is to be trusted, allow more by ModuleOptions::with_excess_bytes"
    )]
    ImageExcess {
        /// [`CodeObject::image_bytes`](crate::CodeObject::image_bytes).
        image_bytes: u64,
        /// [`CodeObject::excess_bytes`](crate::CodeObject::excess_bytes).
        excess_bytes: u64,
        /// `kfd::ModuleOptions::with_excess_bytes`.
        limit: u64,
    },
    /// The place for the image does not fit it.
    #[error("cannot place the image at {address:#x}: {reason}")]
    Placement {
        /// Where it should go.
        address: u64,
        /// Why it cannot.
        reason: String,
    },
}

/// Why a kernel is not launched as asked.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("kernel {kernel}: {problem}")]
#[non_exhaustive]
pub struct LaunchError {
    /// The kernel's name.
    pub kernel: String,
    /// The problem.
    pub problem: LaunchProblem,
}

/// Problems of a launch.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchProblem {
    /// Too few or too many arguments.
    #[error("takes {expected} arguments, {given} were given")]
    ArgumentCount {
        /// How many it takes, hidden ones not counted.
        expected: usize,
        /// How many there are.
        given: usize,
    },
    /// An argument of another size.
    #[error("argument {argument} has {expected} bytes, {given} were given")]
    ArgumentSize {
        /// The index, with name and type as far as the metadata has them.
        argument: String,
        /// The size in bytes.
        expected: u32,
        /// What was given.
        given: usize,
    },
    /// A pointer instead of a value, or the like.
    #[error("argument {argument} is {expected}, {given} was given")]
    ArgumentKind {
        /// The index, with name and type as far as the metadata has them.
        argument: String,
        /// What it is.
        expected: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// An integer for a floating-point number of the same size, or the other way round.
    #[error(
        "argument {argument} is {expected}, {given} was given: convert the value, or give its bits by Arg::bytes if they are meant"
    )]
    ArgumentNumber {
        /// The index, with name and type as far as the metadata has them.
        argument: String,
        /// What it is.
        expected: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// An argument of a kind that this crate does not know.
    #[error("argument kind {kind} is not known to this crate")]
    UnknownKind {
        /// `.value_kind` of the metadata.
        kind: String,
    },
    /// The kernel uses something that a runtime would have to provide:
    /// [`Launch::with_service`](crate::Launch::with_service).
    #[error(
        "needs {service}, which nothing provides here: give the launch its address, or 0 if the kernel never uses it"
    )]
    Service {
        /// What it needs.
        service: Service,
    },
    /// The address of a service does not fit its argument.
    #[error("{service} is given as {value:#x}, its argument has 32 bits")]
    ServiceSize {
        /// Which one.
        service: Service,
        /// What was given.
        value: u64,
    },
    /// More work-items in a work-group than the kernel was compiled for.
    #[error("was compiled for work-groups of at most {max} work-items, {items} were asked for")]
    WorkgroupTooLarge {
        /// Work-items asked for.
        items: u32,
        /// `.max_flat_workgroup_size` of the metadata.
        max: u32,
    },
    /// Another work-group size than the kernel requires.
    #[error("requires work-groups of {required:?} work-items, {given:?} were asked for")]
    WorkgroupSize {
        /// What was asked for, in work-items.
        given: [u16; 3],
        /// `.reqd_workgroup_size` of the metadata.
        required: [u32; 3],
    },
    /// The last work-group would be partial, and the kernel was compiled for whole ones.
    #[error(
        "was compiled for whole work-groups only; grid {grid:?} is no multiple of {workgroup:?}: Geometry::covering rounds up, if the kernel compares its \
         index with the number of items"
    )]
    PartialWorkgroup {
        /// Grid size in work-items.
        grid: [u32; 3],
        /// Work-group size in work-items.
        workgroup: [u16; 3],
    },
    /// More work-groups than the kernel was compiled for.
    #[error("was compiled for at most {max} work-groups in {}, {groups} were asked for", ["x", "y", "z"][*dimension])]
    TooManyWorkgroups {
        /// 0 for x, 1 for y, 2 for z.
        dimension: usize,
        /// Work-groups asked for.
        groups: u32,
        /// `.max_num_work_groups_*` of the metadata.
        max: u32,
    },
    /// More local memory (LDS) than a work-group can have.
    #[error("needs {bytes} bytes of local memory for a work-group, the limit is {limit}")]
    GroupMemory {
        /// Fixed and dynamic bytes.
        bytes: u64,
        /// [`Limits::group_bytes`](crate::Limits::group_bytes).
        limit: u32,
    },
    /// More scratch memory than a work-item can have.
    #[error("needs {bytes} bytes of scratch memory for a work-item, the limit is {limit}")]
    PrivateMemory {
        /// Fixed bytes and stack.
        bytes: u64,
        /// [`Limits::private_bytes`](crate::Limits::private_bytes).
        limit: u32,
    },
    /// The stack's size is not known, and none was given:
    /// [`Launch::with_stack_bytes`](crate::Launch::with_stack_bytes).
    #[error(
        "has a stack whose size the compiler does not know (recursion, calls by pointer, alloca): give the launch one in bytes"
    )]
    DynamicStack,
    /// Too little room for the arguments.
    #[error("needs {needed} bytes for its arguments, there are {given}")]
    KernargSpace {
        /// [`Kernel::kernarg_bytes`](crate::Kernel::kernarg_bytes).
        needed: u32,
        /// Length of the slice.
        given: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the standard library prints of a `main` that returns an error.
    fn printed_by_main(error: impl std::error::Error + 'static) -> String {
        let returned: Box<dyn std::error::Error> = error.into();
        format!("Error: {returned:?}")
    }

    #[test]
    fn a_main_that_returns_an_error_prints_its_text() {
        let no_kernel = Error::NoKernel { name: "saxpi".to_owned(), present: vec!["saxpy".to_owned()] };
        assert_eq!(printed_by_main(no_kernel), "Error: no kernel is called saxpi; there are saxpy");
        let problem = LaunchProblem::ArgumentCount { expected: 2, given: 1 };
        let text = "takes 2 arguments, 1 were given";
        assert_eq!(printed_by_main(problem.clone()), format!("Error: {text}"));
        let launch = LaunchError { kernel: "saxpy".to_owned(), problem };
        assert_eq!(printed_by_main(launch), format!("Error: kernel saxpy: {text}"));
    }
}

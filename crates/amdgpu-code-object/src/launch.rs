//! Checks launches against a kernel's declared limits, and fills its argument block.

use aql::Geometry;

use crate::metadata::{ArgumentMetadata, Hidden, ValueKind};
use crate::service::Provided;
use crate::{Kernel, LaunchError, LaunchProblem, Service};

/// An argument as the caller gives it: a number, bytes, an address, or an amount of local memory.
///
/// Numbers convert by `into()`; their size must be the argument's. Where the code object has the types of arguments, as
/// OpenCL's have and HIP's have not, an integer for a floating-point number is refused, and the other way round.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a>(Content<'a>);

#[derive(Clone, Copy, Debug)]
enum Content<'a> {
    Number { bytes: [u8; 8], size: u8, kind: Number },
    Bytes(&'a [u8]),
    Pointer(u64),
    Local(u32),
}

/// What a number's bits mean. Signs are not told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Integer,
    Float,
}

impl Number {
    /// By the name that OpenCL's compilers put into code objects; `None` for vectors, structures and names that a
    /// program gave.
    fn of_type(name: &str) -> Option<Number> {
        match name {
            "char" | "uchar" | "short" | "ushort" | "int" | "uint" | "long" | "ulong" => Some(Number::Integer),
            "unsigned char" | "unsigned short" | "unsigned int" | "unsigned long" => Some(Number::Integer),
            "half" | "float" | "double" => Some(Number::Float),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Number::Integer => "an integer",
            Number::Float => "a floating-point number",
        }
    }
}

impl<'a> Arg<'a> {
    /// Address of GPU memory, or of an image, sampler, pipe or queue object in it. 0 is a null pointer.
    pub const fn pointer(address: u64) -> Arg<'a> {
        Arg(Content::Pointer(address))
    }

    /// A value of any size, such as a structure or a `half`: its bytes as C lays it out.
    pub const fn bytes(bytes: &'a [u8]) -> Arg<'a> {
        Arg(Content::Bytes(bytes))
    }

    /// This many bytes of local memory (LDS), for a pointer to local memory.
    pub const fn local(bytes: u32) -> Arg<'a> {
        Arg(Content::Local(bytes))
    }

    /// The argument by itself, if it borrows nothing.
    ///
    /// # Errors
    /// The bytes of an argument made by [`bytes`](Self::bytes), which stay the caller's.
    pub fn into_static(self) -> Result<Arg<'static>, &'a [u8]> {
        Ok(Arg(match self.0 {
            Content::Bytes(bytes) => return Err(bytes),
            Content::Number { bytes, size, kind } => Content::Number { bytes, size, kind },
            Content::Pointer(address) => Content::Pointer(address),
            Content::Local(bytes) => Content::Local(bytes),
        }))
    }

    fn kind(&self) -> &'static str {
        match self.0 {
            Content::Number { .. } | Content::Bytes(_) => "a value",
            Content::Pointer(_) => "a pointer",
            Content::Local(_) => "an amount of local memory",
        }
    }
}

macro_rules! numbers {
    ($kind:ident: $($number:ty)*) => {
        $(impl From<$number> for Arg<'_> {
            fn from(value: $number) -> Self {
                let value = value.to_le_bytes();
                let mut bytes = [0; 8];
                bytes[..value.len()].copy_from_slice(&value);
                Arg(Content::Number { bytes, size: value.len() as u8, kind: Number::$kind })
            }
        })*
    };
}
numbers!(Integer: u8 i8 u16 i16 u32 i32 u64 i64);
numbers!(Float: f32 f64);

/// A device's limits for one kernel.
#[must_use = "`with_...` returns the changed value"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Local memory (LDS) of a work-group in bytes (`lds_size_in_kb` of the topology node).
    pub group_bytes: u32,
    /// Scratch memory of a work-item in bytes.
    pub private_bytes: u32,
}

impl Limits {
    /// Limits of gfx9: 64 KiB of local memory, and the most scratch memory that `COMPUTE_TMPRING_SIZE.WAVESIZE` can
    /// express: 13 bits, in units of 1 KiB for 64 work-items.
    pub const GFX9: Limits = Limits { group_bytes: 64 << 10, private_bytes: 0x1fff * 1024 / 64 };

    /// Replaces the amount of local memory.
    pub const fn with_group_bytes(mut self, bytes: u32) -> Limits {
        self.group_bytes = bytes;
        self
    }

    /// Replaces the amount of scratch memory.
    pub const fn with_private_bytes(mut self, bytes: u32) -> Limits {
        self.private_bytes = bytes;
        self
    }
}

/// One launch of a kernel, as [`Kernel::prepare`] checks it.
#[must_use = "`with_...` returns the changed value"]
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    geometry: Geometry,
    arguments: &'a [Arg<'a>],
    global_offset: [u64; 3],
    dynamic_group_bytes: u32,
    stack_bytes: Option<u32>,
    provided: Provided,
    limits: Limits,
}

impl<'a> Launch<'a> {
    /// A launch with the arguments that the kernel's source mentions, in order.
    pub fn new(geometry: Geometry, arguments: &'a [Arg<'a>]) -> Launch<'a> {
        Launch {
            geometry,
            arguments,
            global_offset: [0; 3],
            dynamic_group_bytes: 0,
            stack_bytes: None,
            provided: Provided::default(),
            limits: Limits::GFX9,
        }
    }

    /// The grid.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Sets the result of OpenCL's `get_global_offset`, in work-items; the default is 0.
    pub fn with_global_offset(mut self, offset: [u64; 3]) -> Self {
        self.global_offset = offset;
        self
    }

    /// Local memory (LDS) in bytes on top of the kernel's own and of its arguments: `extern __shared__` of HIP.
    pub fn with_dynamic_group_bytes(mut self, bytes: u32) -> Self {
        self.dynamic_group_bytes = bytes;
        self
    }

    /// Stack of a work-item in bytes, for kernels whose need the compiler does not know
    /// ([`Kernel::uses_dynamic_stack`]). Others ignore it. Before version 5 of code objects it is on top of a guess of
    /// the compiler's.
    ///
    /// A kernel that needs more writes into what belongs to others.
    pub fn with_stack_bytes(mut self, bytes: u32) -> Self {
        self.stack_bytes = Some(bytes);
        self
    }

    /// The address of something that the kernel needs from a runtime; 0 if it is known that the kernel does not use it.
    pub fn with_service(mut self, service: Service, address: u64) -> Self {
        self.provided.set(service, address);
        self
    }

    /// Sets the device's limits; the default is [`Limits::GFX9`].
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// Memory of a launch that goes into its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Segments {
    /// Local memory (LDS) of a work-group in bytes.
    pub group_bytes: u32,
    /// Scratch memory of a work-item in bytes.
    pub private_bytes: u32,
}

/// Fills a slice from its start to its end, each byte once: kernarg memory is often write-combined.
struct Writer<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl Writer<'_> {
    fn zero_up_to(&mut self, offset: usize) {
        if let Some(gap) = self.out.get_mut(self.at..offset) {
            gap.fill(0);
            self.at = offset;
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        if let Some(place) = self.out.get_mut(self.at..self.at + bytes.len()) {
            place.copy_from_slice(bytes);
            self.at += bytes.len();
        }
    }
}

impl Kernel {
    /// Checks a launch against the kernel's declared limits and writes its arguments, including hidden ones, to the
    /// start of `kernarg`. Returns the sizes for the dispatch packet.
    ///
    /// Success allocates nothing. The first [`kernarg_bytes`](Kernel::kernarg_bytes) bytes are written once each, in
    /// order; later bytes stay unchanged. In GPU memory, the block must be aligned to at least
    /// [`kernarg_align`](Kernel::kernarg_align) bytes, and must not change until the kernel has completed. After an
    /// error, `kernarg` is unchanged.
    ///
    /// # Errors
    /// [`LaunchError`] names the kernel and the problem: see [`LaunchProblem`].
    pub fn prepare(&self, launch: &Launch<'_>, kernarg: &mut [u8]) -> Result<Segments, LaunchError> {
        let failed = |problem| LaunchError { kernel: self.name().to_owned(), problem };
        self.check_geometry(&launch.geometry).map_err(failed)?;
        let segments = self.check_arguments(launch).map_err(failed)?;
        let needed = self.kernarg_bytes();
        let given = kernarg.len();
        let Some(out) = kernarg.get_mut(..needed as usize) else {
            return Err(failed(LaunchProblem::KernargSpace { needed, given }));
        };
        self.write(launch, segments, Writer { out, at: 0 });
        Ok(segments)
    }

    fn check_geometry(&self, geometry: &Geometry) -> Result<(), LaunchProblem> {
        let metadata = self.metadata();
        let (grid, workgroup) = (geometry.grid(), geometry.workgroup());
        let items: u32 = workgroup.iter().map(|&size| u32::from(size)).product();
        if items > metadata.max_flat_workgroup_size {
            return Err(LaunchProblem::WorkgroupTooLarge { items, max: metadata.max_flat_workgroup_size });
        }
        if let Some(required) = metadata.reqd_workgroup_size
            && workgroup.map(u32::from) != required
        {
            return Err(LaunchProblem::WorkgroupSize { given: workgroup, required });
        }
        for dimension in 0..3 {
            let size = u32::from(workgroup[dimension]);
            if metadata.uniform_work_group_size && !grid[dimension].is_multiple_of(size) {
                return Err(LaunchProblem::PartialWorkgroup { grid, workgroup });
            }
            let groups = grid[dimension].div_ceil(size);
            if let Some(max) = metadata.max_num_work_groups[dimension]
                && groups > max
            {
                return Err(LaunchProblem::TooManyWorkgroups { dimension, groups, max });
            }
        }
        Ok(())
    }

    /// Arguments, services and memory.
    fn check_arguments(&self, launch: &Launch<'_>) -> Result<Segments, LaunchProblem> {
        let given = launch.arguments.len();
        if given != self.argument_count() {
            return Err(LaunchProblem::ArgumentCount { expected: self.argument_count(), given });
        }
        if let Some(service) = self.needs().find(|&service| launch.provided.get(service).is_none()) {
            return Err(LaunchProblem::Service { service });
        }
        let mut group = u64::from(self.group_bytes());
        for slot in &self.slots {
            let argument = &self.metadata().args[slot.argument];
            match slot.explicit {
                Some(index) => {
                    check_argument(index, argument, &launch.arguments[index])?;
                    if let Content::Local(bytes) = launch.arguments[index].0 {
                        group = local_offset(group, argument) + u64::from(bytes);
                    }
                }
                None => check_hidden(argument, launch)?,
            }
        }
        group += u64::from(launch.dynamic_group_bytes);
        let group_bytes = within(group, launch.limits.group_bytes)
            .ok_or(LaunchProblem::GroupMemory { bytes: group, limit: launch.limits.group_bytes })?;
        let stack = match launch.stack_bytes.filter(|_| self.uses_dynamic_stack()) {
            Some(bytes) => bytes,
            None if self.needs_stack() => return Err(LaunchProblem::DynamicStack),
            None => 0,
        };
        let private = u64::from(self.private_bytes()) + u64::from(stack);
        let private_bytes = within(private, launch.limits.private_bytes)
            .ok_or(LaunchProblem::PrivateMemory { bytes: private, limit: launch.limits.private_bytes })?;
        Ok(Segments { group_bytes, private_bytes })
    }

    /// Writes what has been checked.
    fn write(&self, launch: &Launch<'_>, segments: Segments, mut out: Writer<'_>) {
        let (grid, workgroup) = (launch.geometry.grid(), launch.geometry.workgroup());
        let mut group = u64::from(self.group_bytes());
        for slot in &self.slots {
            let argument = &self.metadata().args[slot.argument];
            out.zero_up_to(argument.offset as usize);
            if let Some(index) = slot.explicit {
                match launch.arguments[index].0 {
                    Content::Number { bytes, size, .. } => out.put(&bytes[..usize::from(size)]),
                    Content::Bytes(bytes) => out.put(bytes),
                    Content::Pointer(address) => out.put(&address.to_le_bytes()),
                    Content::Local(bytes) => {
                        let offset = local_offset(group, argument);
                        out.put(&(offset as u32).to_le_bytes());
                        group = offset + u64::from(bytes);
                    }
                }
                continue;
            }
            let ValueKind::Hidden(hidden) = argument.value_kind else { continue };
            match hidden {
                Hidden::None => {}
                Hidden::BlockCount(d) => out.put(&(grid[d] / u32::from(workgroup[d])).to_le_bytes()),
                Hidden::GroupSize(d) => out.put(&workgroup[d].to_le_bytes()),
                Hidden::Remainder(d) => out.put(&((grid[d] % u32::from(workgroup[d])) as u16).to_le_bytes()),
                Hidden::GlobalOffset(d) => out.put(&launch.global_offset[d].to_le_bytes()),
                Hidden::GridDims => out.put(&launch.geometry.dimensions().to_le_bytes()),
                Hidden::DynamicLdsSize => out.put(&(segments.group_bytes - self.group_bytes()).to_le_bytes()),
                Hidden::Service(service) => {
                    let value = launch.provided.get(service).unwrap_or(0).to_le_bytes();
                    out.put(&value[..service.bytes() as usize]);
                }
            }
        }
        out.zero_up_to(out.out.len());
    }
}

/// `bytes` if they are within the limit.
fn within(bytes: u64, limit: u32) -> Option<u32> {
    u32::try_from(bytes).ok().filter(|&bytes| bytes <= limit)
}

/// Where in local memory an argument's bytes start if `used` bytes are taken.
fn local_offset(used: u64, argument: &ArgumentMetadata) -> u64 {
    used.next_multiple_of(argument.pointee_align.unwrap_or(16).into())
}

fn check_hidden(argument: &ArgumentMetadata, launch: &Launch<'_>) -> Result<(), LaunchProblem> {
    match &argument.value_kind {
        ValueKind::Hidden(Hidden::Service(service)) => match launch.provided.get(*service) {
            Some(value) if service.bytes() == 4 && value > u32::MAX.into() => {
                Err(LaunchProblem::ServiceSize { service: *service, value })
            }
            _ => Ok(()),
        },
        ValueKind::Hidden(_) => Ok(()),
        other => Err(unknown(other)),
    }
}

fn unknown(kind: &ValueKind) -> LaunchProblem {
    let kind = match kind {
        ValueKind::Unknown(kind) => kind.clone(),
        other => format!("{other:?}"),
    };
    LaunchProblem::UnknownKind { kind }
}

fn check_argument(index: usize, argument: &ArgumentMetadata, given: &Arg<'_>) -> Result<(), LaunchProblem> {
    let described = || {
        let mut text = index.to_string();
        let name = argument.name.as_deref();
        let type_name = argument.type_name.as_deref();
        if name.is_some() || type_name.is_some() {
            let words: Vec<&str> = type_name.into_iter().chain(name).collect();
            text += &format!(" ({})", words.join(" "));
        }
        text
    };
    let expected = match (&argument.value_kind, given.0) {
        (ValueKind::ByValue, Content::Number { .. } | Content::Bytes(_)) => {
            let bytes = match given.0 {
                Content::Number { size, .. } => usize::from(size),
                Content::Bytes(bytes) => bytes.len(),
                Content::Pointer(_) | Content::Local(_) => 0,
            };
            if bytes != argument.size as usize {
                let (argument, expected) = (described(), argument.size);
                return Err(LaunchProblem::ArgumentSize { argument, expected, given: bytes });
            }
            return match (argument.type_name.as_deref().and_then(Number::of_type), given.0) {
                (Some(declared), Content::Number { kind, .. }) if kind != declared => {
                    let (expected, given) = (declared.name(), kind.name());
                    Err(LaunchProblem::ArgumentNumber { argument: described(), expected, given })
                }
                _ => Ok(()),
            };
        }
        (
            ValueKind::GlobalBuffer | ValueKind::Image | ValueKind::Sampler | ValueKind::Pipe | ValueKind::Queue,
            Content::Pointer(_),
        )
        | (ValueKind::DynamicSharedPointer, Content::Local(_)) => return Ok(()),
        (ValueKind::ByValue, _) => "a value",
        (ValueKind::GlobalBuffer, _) => "a pointer",
        (ValueKind::Image, _) => "a pointer to an image resource",
        (ValueKind::Sampler, _) => "a pointer to a sampler resource",
        (ValueKind::Pipe, _) => "a pointer to a pipe",
        (ValueKind::Queue, _) => "a pointer to a device queue",
        (ValueKind::DynamicSharedPointer, _) => "an amount of local memory",
        (ValueKind::Hidden(_) | ValueKind::Unknown(_), _) => return Err(unknown(&argument.value_kind)),
    };
    Err(LaunchProblem::ArgumentKind { argument: described(), expected, given: given.kind() })
}

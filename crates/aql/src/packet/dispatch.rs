//! Kernel dispatch.

use core::fmt;

use super::packet;
use crate::{Control, Kernarg, KernelObject, PacketType};

/// Most work-items in a work-group on every AMD GPU (`HSA_AGENT_INFO_WORKGROUP_MAX_SIZE`).
pub const MAX_WORKGROUP_ITEMS: u32 = 1024;

/// Number of dimensions, grid and work-group size of a dispatch, all in work-items.
///
/// A packet says how many work-items there are, not how many work-groups. So a grid that is no multiple of the
/// work-group has partial work-groups at its ends, which gfx9 runs. Code may be compiled without regard to them: HIP's
/// is by default, OpenCL C up to 1.2 always, and later with `-cl-uniform-work-group-size`. Recent compilers note it in
/// the code object (metadata `.uniform_work_group_size` of AMDGPUUsage). For `n` values in work-groups of 256:
///
/// | constructor | work-items | the kernel |
/// |---|---|---|
/// | [`covering`](Self::covering)`([n], [256])` | `n`, rounded up to whole work-groups | any that compares its index with `n`, as HIP's do |
/// | [`groups`](Self::groups)`([n / 256], [256])` | as many work-groups as are asked for, all whole | any |
/// | [`one`](Self::one)`(n, 256)` | `n` exactly; the last work-group is partial | one compiled for partial work-groups; `n` is at least 256, as HSA wants it |
///
/// Which of them is right only the kernel's author knows, so nothing rounds on its own: work-items that are too many
/// would write behind the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    dimensions: u16,
    grid: [u32; 3],
    workgroup: [u16; 3],
}

/// A grid that HSA does not allow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum GeometryError {
    /// A grid or work-group size is zero.
    Zero {
        /// 0 for x, 1 for y, 2 for z.
        dimension: usize,
    },
    /// The grid is smaller than one work-group.
    GridBelowWorkgroup {
        /// 0 for x, 1 for y, 2 for z.
        dimension: usize,
        /// Grid size there, in work-items.
        grid: u32,
        /// Work-group size there.
        workgroup: u16,
    },
    /// The grid has more work-items in a dimension than the packet's 32 bits can say.
    GridTooLarge {
        /// 0 for x, 1 for y, 2 for z.
        dimension: usize,
        /// Work-items there.
        items: u64,
    },
    /// A work-group has more than [`MAX_WORKGROUP_ITEMS`] work-items.
    WorkgroupTooLarge {
        /// Work-items in the work-group.
        items: u64,
    },
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |dimension: &usize| ["x", "y", "z"].get(*dimension).copied().unwrap_or("?");
        match self {
            GeometryError::Zero { dimension } => {
                write!(f, "the grid or work-group size in {} is zero", name(dimension))
            }
            GeometryError::GridBelowWorkgroup { dimension, grid, workgroup } => {
                let dimension = name(dimension);
                write!(
                    f,
                    "grid_size_{dimension} {grid} is smaller than workgroup_size_{dimension} {workgroup}, which HSA does not allow: \
                     Geometry::covering rounds up to whole work-groups"
                )
            }
            GeometryError::GridTooLarge { dimension, items } => {
                write!(f, "the grid has {items} work-items in {}, a packet can say 2^32 - 1", name(dimension))
            }
            GeometryError::WorkgroupTooLarge { items } => {
                write!(f, "a work-group of {items} work-items exceeds {MAX_WORKGROUP_ITEMS}")
            }
        }
    }
}

impl core::error::Error for GeometryError {}

crate::debug_is_display!(GeometryError);

impl Geometry {
    /// Whole work-groups: `groups` of them in each of one to three dimensions, of `workgroup` work-items each. HIP's
    /// `<<<groups, workgroup>>>`.
    ///
    /// ```
    /// # use aql::Geometry;
    /// let geometry = Geometry::groups([4, 2], [64, 4])?;
    /// assert_eq!((geometry.dimensions(), geometry.grid(), geometry.workgroup()), (2, [256, 8, 1], [64, 4, 1]));
    /// # Ok::<(), aql::GeometryError>(())
    /// ```
    ///
    /// # Errors
    /// See [`GeometryError`]; no work-groups are [`GeometryError::Zero`].
    pub const fn groups<const D: usize>(groups: [u32; D], workgroup: [u16; D]) -> Result<Geometry, GeometryError> {
        const { assert!(D >= 1 && D <= 3, "a grid has one, two or three dimensions") };
        let mut geometry = Geometry { dimensions: D as u16, grid: [1; 3], workgroup: [1; 3] };
        let mut dimension = 0;
        while dimension < D {
            let items = groups[dimension] as u64 * workgroup[dimension] as u64;
            if items > u32::MAX as u64 {
                return Err(GeometryError::GridTooLarge { dimension, items });
            }
            geometry.grid[dimension] = items as u32;
            geometry.workgroup[dimension] = workgroup[dimension];
            dimension += 1;
        }
        geometry.checked()
    }

    /// The fewest whole work-groups of `workgroup` that have a work-item for each of `items`, in one to three
    /// dimensions. The kernel gets the number of items as an argument: those that are too many must do nothing.
    ///
    /// ```
    /// # use aql::Geometry;
    /// assert_eq!(Geometry::covering([1000], [256])?.grid(), [1024, 1, 1]);
    /// assert_eq!(Geometry::covering([100], [256])?.grid(), [256, 1, 1]);
    /// # Ok::<(), aql::GeometryError>(())
    /// ```
    ///
    /// # Errors
    /// See [`GeometryError`]; no items are [`GeometryError::Zero`].
    pub const fn covering<const D: usize>(items: [u32; D], workgroup: [u16; D]) -> Result<Geometry, GeometryError> {
        let mut groups = [0; D];
        let mut dimension = 0;
        while dimension < D {
            if workgroup[dimension] == 0 {
                return Err(GeometryError::Zero { dimension });
            }
            groups[dimension] = items[dimension].div_ceil(workgroup[dimension] as u32);
            dimension += 1;
        }
        Geometry::groups(groups, workgroup)
    }

    /// One dimension: exactly `grid` work-items in work-groups of `workgroup`, the last of which may be partial.
    ///
    /// # Errors
    /// See [`GeometryError`].
    pub const fn one(grid: u32, workgroup: u16) -> Result<Geometry, GeometryError> {
        Geometry { dimensions: 1, grid: [grid, 1, 1], workgroup: [workgroup, 1, 1] }.checked()
    }

    /// Two dimensions, as [`one`](Self::one).
    ///
    /// # Errors
    /// See [`GeometryError`].
    pub const fn two(grid: [u32; 2], workgroup: [u16; 2]) -> Result<Geometry, GeometryError> {
        Geometry { dimensions: 2, grid: [grid[0], grid[1], 1], workgroup: [workgroup[0], workgroup[1], 1] }.checked()
    }

    /// Three dimensions, as [`one`](Self::one).
    ///
    /// # Errors
    /// See [`GeometryError`].
    pub const fn three(grid: [u32; 3], workgroup: [u16; 3]) -> Result<Geometry, GeometryError> {
        Geometry { dimensions: 3, grid, workgroup }.checked()
    }

    const fn checked(self) -> Result<Geometry, GeometryError> {
        let mut items = 1u64;
        let mut dimension = 0;
        while dimension < 3 {
            let (grid, workgroup) = (self.grid[dimension], self.workgroup[dimension]);
            if grid == 0 || workgroup == 0 {
                return Err(GeometryError::Zero { dimension });
            }
            if grid < workgroup as u32 {
                return Err(GeometryError::GridBelowWorkgroup { dimension, grid, workgroup });
            }
            items *= workgroup as u64;
            dimension += 1;
        }
        if items > MAX_WORKGROUP_ITEMS as u64 {
            return Err(GeometryError::WorkgroupTooLarge { items });
        }
        Ok(self)
    }

    /// 1, 2 or 3.
    pub const fn dimensions(&self) -> u16 {
        self.dimensions
    }

    /// Grid size in work-items; 1 in unused dimensions.
    pub const fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// Work-group size in work-items; 1 in unused dimensions.
    pub const fn workgroup(&self) -> [u16; 3] {
        self.workgroup
    }
}

/// Kernel dispatch packet (`hsa_kernel_dispatch_packet_t`).
///
/// ```
/// use aql::{Control, Geometry, KernelDispatch, KernelObject};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let packet = KernelDispatch::new(KernelObject::new(0x7f00_0000_1040)?, Geometry::one(1 << 20, 256)?)
///     .with_control(Control::SYSTEM);
/// assert_eq!(packet.as_ref().header(), 0x1502);
/// # Ok(()) }
/// ```
#[must_use = "a packet does nothing before it is submitted"]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub struct KernelDispatch {
    header: u16,
    /// Bits 1:0 are the number of dimensions, the rest is reserved.
    setup: u16,
    workgroup_size: [u16; 3],
    reserved0: u16,
    grid_size: [u32; 3],
    private_segment_size: u32,
    group_segment_size: u32,
    kernel_object: u64,
    kernarg_address: u64,
    /// HSA reserves it; AMD's runtime stores a profiler's correlation id here, so decoding keeps it.
    reserved2: u64,
    completion_signal: u64,
}

impl KernelDispatch {
    /// Dispatch of a kernel that takes no arguments and needs no scratch or local memory, with no fences and nothing
    /// signalled.
    ///
    /// What the kernel does need is in its code object: without [`with_private_segment`](Self::with_private_segment)
    /// and [`with_group_segment`](Self::with_group_segment) a kernel that uses such memory has none.
    pub const fn new(kernel: KernelObject, geometry: Geometry) -> KernelDispatch {
        KernelDispatch {
            header: Control { barrier: false, acquire: crate::Scope::None, release: crate::Scope::None }
                .header(PacketType::KernelDispatch),
            setup: geometry.dimensions,
            workgroup_size: geometry.workgroup,
            reserved0: 0,
            grid_size: geometry.grid,
            private_segment_size: 0,
            group_segment_size: 0,
            kernel_object: kernel.get(),
            kernarg_address: 0,
            reserved2: 0,
            completion_signal: 0,
        }
    }

    /// Sets the address of the arguments.
    pub const fn with_kernarg(mut self, kernarg: Kernarg) -> Self {
        self.kernarg_address = kernarg.get();
        self
    }

    /// Sets scratch memory in bytes per work-item (`HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE`).
    pub const fn with_private_segment(mut self, bytes: u32) -> Self {
        self.private_segment_size = bytes;
        self
    }

    /// Sets local memory (LDS) in bytes per work-group. The bound is the device's (64 KiB on gfx9).
    pub const fn with_group_segment(mut self, bytes: u32) -> Self {
        self.group_segment_size = bytes;
        self
    }

    /// Sets the reserved word that AMD's tools read as a correlation id.
    pub(crate) const fn with_reserved2(mut self, value: u64) -> Self {
        self.reserved2 = value;
        self
    }

    /// Grid and work-group size.
    pub const fn geometry(&self) -> Geometry {
        Geometry { dimensions: self.setup & 3, grid: self.grid_size, workgroup: self.workgroup_size }
    }

    /// Address of the kernel descriptor.
    pub const fn kernel_object(&self) -> u64 {
        self.kernel_object
    }

    /// Address of the arguments, 0 if there are none.
    pub const fn kernarg_address(&self) -> u64 {
        self.kernarg_address
    }

    /// Scratch bytes per work-item.
    pub const fn private_segment_size(&self) -> u32 {
        self.private_segment_size
    }

    /// LDS bytes per work-group.
    pub const fn group_segment_size(&self) -> u32 {
        self.group_segment_size
    }

    /// The word HSA reserves, in which AMD's runtime leaves a profiler's correlation id.
    pub const fn reserved2(&self) -> u64 {
        self.reserved2
    }
}

packet!(KernelDispatch: KernelDispatch {
    header @ 0, setup @ 2, workgroup_size @ 4, reserved0 @ 10, grid_size @ 12, private_segment_size @ 24,
    group_segment_size @ 28, kernel_object @ 32, kernarg_address @ 40, reserved2 @ 48, completion_signal @ 56,
});

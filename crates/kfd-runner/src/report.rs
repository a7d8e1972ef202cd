//! The memory through which host and GPU exchange tests and results.

/// The kernel that `harness!` defines. Its arguments are the addresses of a [`Call`], of the [`Report`]s, of the
/// numbers of the tests (`u32`, one for each work-group) and of the memory of [allocations](crate#allocations).
pub const KERNEL: &str = "kfd_runner_test";

/// The task of a launch.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Call {
    /// Bytes that each work-group may allocate.
    pub heap_bytes: u64,
    /// How many reports there are.
    pub capacity: u32,
    /// 1 to describe all tests, one a report; 0 to run those whose numbers are given, each in a work-group of its own
    /// with its report.
    pub describe: u32,
    /// Written when they are described: how many tests there are.
    pub found: u32,
    /// Zero.
    pub reserved: u32,
}

/// Text of at most `N` bytes, in UTF-8 unless it was cut within a character.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text<const N: usize> {
    len: u32,
    bytes: [u8; N],
}

impl<const N: usize> Text<N> {
    /// No text.
    pub const EMPTY: Text<N> = Text { len: 0, bytes: [0; N] };

    /// Appends what there is room for.
    pub fn push(&mut self, text: &str) {
        for byte in text.bytes() {
            let Some(place) = self.bytes.get_mut(self.len as usize) else { return };
            *place = byte;
            self.len += 1;
        }
    }

    /// The appended bytes.
    pub fn bytes(&self) -> &[u8] {
        // The other side writes the length.
        self.bytes.get(..self.len as usize).unwrap_or(&self.bytes)
    }
}

impl<const N: usize> core::fmt::Write for Text<N> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.push(text);
        Ok(())
    }
}

/// A test's description and its result.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Report {
    /// One of [`state`].
    pub state: u32,
    /// Bits of [`flag`].
    pub flags: u32,
    /// Bytes that the test has allocated in total, including freed ones.
    pub allocated: u64,
    /// The name, with the modules that it is in.
    pub name: Text<116>,
    /// Text that the panic's message must contain, for a test that should panic.
    pub expected: Text<124>,
    /// Message and place of a panic, or the error that the test returned.
    pub message: Text<508>,
}

impl Report {
    /// The report of a test that has not begun.
    pub const EMPTY: Report = Report {
        state: state::NOT_BEGUN,
        flags: 0,
        allocated: 0,
        name: Text::EMPTY,
        expected: Text::EMPTY,
        message: Text::EMPTY,
    };
}

/// Values of [`Report::state`].
pub mod state {
    /// The work-group has not run.
    pub const NOT_BEGUN: u32 = 0;
    /// The test has begun. If its work-group has completed in this state, the test ended without a result.
    pub const BEGUN: u32 = 1;
    /// It returned.
    pub const RETURNED: u32 = 2;
    /// It panicked.
    pub const PANICKED: u32 = 3;
    /// It returned an error.
    pub const ERROR: u32 = 4;
}

/// Bits of [`Report::flags`].
pub mod flag {
    /// `#[ignore]`.
    pub const IGNORE: u32 = 1;
    /// `#[should_panic]`.
    pub const SHOULD_PANIC: u32 = 2;
}

// What the host takes for plain memory has no padding.
const _: () = assert!(size_of::<Call>() == 8 + 4 * 4);
const _: () = assert!(size_of::<Report>() == 2 * 4 + 8 + (4 + 116) + (4 + 124) + (4 + 508));

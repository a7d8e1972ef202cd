//! What came of each instruction that was taken away, as a table and as JSON.
use std::fmt;

use serde_json::{Value, json};

use super::What;

/// What came of an instruction that was taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// A race was told, and the outcome was right or wrong.
    Told { wrong: bool },
    /// Nothing was told, and the outcome was wrong.
    Wrong,
    /// The kernel's work-groups have one wave, which waits for none.
    OneWave,
    /// The program does not get to it: it runs as well with an instruction there that does not exist.
    NotReached,
    /// None of these.
    Nothing,
}

impl Came {
    fn name(self) -> &'static str {
        match self {
            Came::Told { wrong: true } => "told, wrong",
            Came::Told { wrong: false } => "told, right",
            Came::Wrong => "wrong",
            Came::OneWave => "one wave",
            Came::NotReached => "not reached",
            Came::Nothing => "nothing",
        }
    }
}

/// An instruction that was taken away.
pub struct Taken {
    pub what: What,
    /// Which of the kernel's of this kind, in the order of its code.
    pub number: usize,
    /// Where it is in the file.
    pub offset: u64,
    pub came: Came,
    /// The other order of the work (`--schedule`) that it took to tell it.
    pub schedule: Option<u64>,
}

/// A kernel, with what came of what was taken away.
pub struct Kernel {
    pub library: &'static str,
    pub case: String,
    pub name: String,
    pub taken: Vec<Taken>,
}

/// All kernels.
#[derive(Default)]
pub struct Report {
    pub kernels: Vec<Kernel>,
    /// Calls and kernels that were not looked at, and why.
    pub left_out: Vec<String>,
}

impl Report {
    /// All of it, for other programs.
    pub fn json(&self) -> Value {
        let one = |taken: &Taken| json!({ "what": taken.what.name(), "number": taken.number, "offset": taken.offset, "came": taken.came.name(), "schedule": taken.schedule });
        let kernel = |kernel: &Kernel| {
            let taken: Vec<Value> = kernel.taken.iter().map(one).collect();
            json!({ "library": kernel.library, "case": kernel.case, "kernel": kernel.name, "taken": taken })
        };
        self.kernels.iter().map(kernel).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut libraries: Vec<&str> = self.kernels.iter().map(|kernel| kernel.library).collect();
        libraries.dedup();
        writeln!(
            f,
            "| what | library | kernels | number | told | wrong only | one wave | not reached | nothing |\n|---|---|---|---|---|---|---|---|---|"
        )?;
        for (what, library) in
            What::ALL.into_iter().flat_map(|what| libraries.iter().copied().chain(["all"]).map(move |of| (what, of)))
        {
            let is_it = |kernel: &&Kernel| {
                (kernel.library == library || library == "all") && kernel.taken.iter().any(|taken| taken.what == what)
            };
            let kernels = self.kernels.iter().filter(is_it);
            let taken = kernels.clone().flat_map(|kernel| &kernel.taken).filter(|taken| taken.what == what);
            let all: Vec<Came> = taken.map(|taken| taken.came).collect();
            if all.is_empty() {
                continue;
            }
            let count = |wanted: &[Came]| all.iter().filter(|came| wanted.contains(came)).count();
            let told = count(&[Came::Told { wrong: true }, Came::Told { wrong: false }]);
            let rest =
                [Came::Wrong, Came::OneWave, Came::NotReached, Came::Nothing].map(|came| count(&[came]).to_string());
            let (what, kernels, number) = (what.name(), kernels.count(), all.len());
            writeln!(f, "| {what} | {library} | {kernels} | {number} | {told} | {} |", rest.join(" | "))?;
        }
        for kernel in &self.kernels {
            let is_open = |taken: &&Taken| matches!(taken.came, Came::Wrong | Came::Nothing);
            for Taken { what, number, came, .. } in kernel.taken.iter().filter(is_open) {
                writeln!(f, "{}: {} {number} of {}", came.name(), what.name(), kernel.name)?;
            }
        }
        self.left_out.iter().try_for_each(|line| writeln!(f, "left out: {line}"))
    }
}

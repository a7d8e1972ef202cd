//! What came of each barrier that was taken away, as a table and as JSON.
use std::fmt;

use serde_json::{Value, json};

/// What came of a barrier that was taken away.
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

/// A barrier that was taken away.
pub struct Barrier {
    /// Which of the kernel's, in the order of its code.
    pub number: usize,
    pub came: Came,
    /// The other order of the work (`--schedule`) that it took to tell it.
    pub schedule: Option<u64>,
}

/// A kernel, with what came of each of its barriers.
pub struct Kernel {
    pub library: &'static str,
    pub case: String,
    pub name: String,
    pub barriers: Vec<Barrier>,
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
        let barrier = |barrier: &Barrier| json!({ "number": barrier.number, "came": barrier.came.name(), "schedule": barrier.schedule });
        let kernel = |kernel: &Kernel| {
            let barriers: Vec<Value> = kernel.barriers.iter().map(barrier).collect();
            json!({ "library": kernel.library, "case": kernel.case, "kernel": kernel.name, "barriers": barriers })
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
            "| library | kernels | barriers | told | wrong only | one wave | not reached | nothing |\n|---|---|---|---|---|---|---|---|"
        )?;
        for library in libraries.iter().copied().chain(["all"]) {
            let kernels = self.kernels.iter().filter(|kernel| kernel.library == library || library == "all");
            let barriers = kernels.clone().flat_map(|kernel| &kernel.barriers);
            let all: Vec<Came> = barriers.map(|barrier| barrier.came).collect();
            let count = |wanted: &[Came]| all.iter().filter(|came| wanted.contains(came)).count();
            let told = count(&[Came::Told { wrong: true }, Came::Told { wrong: false }]);
            let rest =
                [Came::Wrong, Came::OneWave, Came::NotReached, Came::Nothing].map(|came| count(&[came]).to_string());
            writeln!(f, "| {library} | {} | {} | {told} | {} |", kernels.count(), all.len(), rest.join(" | "))?;
        }
        for kernel in &self.kernels {
            let is_open = |barrier: &&Barrier| matches!(barrier.came, Came::Wrong | Came::Nothing);
            for Barrier { number, came, .. } in kernel.barriers.iter().filter(is_open) {
                writeln!(f, "{}: barrier {number} of {}", came.name(), kernel.name)?;
            }
        }
        self.left_out.iter().try_for_each(|line| writeln!(f, "left out: {line}"))
    }
}

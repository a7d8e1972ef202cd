//! `cargo xtask planted`: how many of the races that are planted in kernels of others `vgpu check` tells.
mod copies;
mod libraries;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;

use crate::progress::Status;
use crate::stack::{More, Stack};
use crate::vgpu::{self, Build, Vgpu};
use copies::{Copies, Places};
use libraries::{LIBRARIES, Library};
use report::{Came, Kernel, Report, Taken};

/// Takes barriers, waits and fences away from kernels of AMD's libraries, one at a time, and counts for how many `vgpu
/// check` tells a race.
///
/// For each library a program calls its functions. Each barrier of the kernels that it dispatches is replaced by
/// `s_nop`, in a copy of the library, and so is each wait, and each instruction that empties the L1. The program is run
/// again in some orders of the work. Prints how often a race or a missing wait was told, how often only the outcome was
/// wrong, and what is left. That is in target/planted as JSON too. Kernels of which something is told as they are, and
/// calls that give now this and now that, are left out, and named. Needs 2 GB of disk and, with all that there is,
/// hours.
#[derive(clap::Args)]
pub struct Args {
    /// Which; all if none is named
    #[arg(value_name = "LIBRARY", value_parser = PossibleValuesParser::new(names()))]
    libraries: Vec<String>,
    /// Only the calls whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    case: String,
    /// What is taken away; all if it is not given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    only: Vec<What>,
    /// Of each library and of each of these, that many at most, evenly apart
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    most: usize,
}

/// What is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum What {
    /// `s_barrier`
    Barrier,
    /// `s_waitcnt`, other than those, and than those behind another one with nothing begun between them
    Wait,
    /// `s_waitcnt vmcnt(0)` between two stores to device memory, or a store and an atomic: the second may be a flag for
    /// the first
    Release,
    /// `buffer_wbinvl1` and its kin, which empty the L1
    Fence,
}

impl What {
    const ALL: [What; 4] = [What::Barrier, What::Wait, What::Release, What::Fence];

    fn name(self) -> &'static str {
        match self {
            What::Barrier => "barrier",
            What::Wait => "wait",
            What::Release => "release",
            What::Fence => "fence",
        }
    }

    fn from_name(name: &str) -> Option<What> {
        What::ALL.into_iter().find(|what| what.name() == name)
    }

    /// Dwords of the instruction.
    fn dwords(self) -> usize {
        if self == What::Fence { 2 } else { 1 }
    }
}

fn names() -> Vec<&'static str> {
    LIBRARIES.iter().map(|library| library.name).collect()
}

/// AMD's ISA manuals, "SOPP Instructions". The last one has an opcode that none has.
const NOP: u32 = 0xbf80_0000;
const ILLEGAL: u32 = 0xbfff_0000;
/// Lanes of a wave.
const WAVE: u64 = 64;

/// Of a kernel, that many of each at most are taken away: loops that are unrolled have a hundred alike.
const MOST: usize = 24;

/// The orders of the work in which a race is looked for.
const ORDERS: [Option<u64>; 3] = [None, Some(1), Some(2)];

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let is_wanted =
        |library: &&Library| args.libraries.is_empty() || args.libraries.iter().any(|name| name == library.name);
    let stack = Stack::Trixie.prepare()?;
    let vgpu = Vgpu::build(Build::Release)?;
    let folder = vgpu::target_folder()?.join("planted");
    let json = folder.join("planted.json");
    let mut report = Report::default();
    for library in LIBRARIES.iter().filter(is_wanted) {
        let more = More { name: library.name, packages: library.packages, wheels: &[] };
        let stack = if library.packages.is_empty() { stack.clone() } else { stack.with(&more, false)? };
        let copies = Copies::new(library, &stack, &vgpu, folder.join(library.name))?;
        let cases = cases(&copies, &args.case, &mut report)?;
        let only = if args.only.is_empty() { &What::ALL[..] } else { &args.only };
        plant(library, &copies, &cases, only, args.most, &mut report)?;
        // Now: the next one may take long.
        fs::write(&json, format!("{:#}\n", report.json()))
            .with_context(|| format!("cannot write {}", json.display()))?;
    }
    println!("\n{report}\nwritten to {}", json.display());
    Ok(())
}

/// A call as it is when nothing was changed.
struct Case {
    name: String,
    digest: String,
    /// The kernels that it dispatches, and work-items in their largest work-group.
    kernels: BTreeMap<String, u64>,
    /// Those of them of which races are told.
    racing: BTreeSet<String>,
}

/// Runs the calls with the library as it is. Those that fail, or compute something else from time to time, are left
/// out.
fn cases(copies: &Copies, only: &str, report: &mut Report) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for name in copies.cases()?.into_iter().filter(|name| name.contains(only)) {
        let mut status = Status::new(&format!("{name}, as it is"), Instant::now());
        let mut digests = BTreeSet::new();
        let mut kernels = BTreeMap::new();
        let mut racing = BTreeSet::new();
        for order in ORDERS {
            status.update(&name);
            let ran = copies.run(&name, order, order.is_none())?;
            racing.extend(ran.told);
            digests.insert(ran.digest);
            kernels.extend(dispatched(&ran.said));
        }
        let digest = digests.pop_first().flatten().filter(|_| digests.is_empty());
        status.finish(digest.is_some());
        match digest {
            Some(digest) => cases.push(Case { name, digest, kernels, racing }),
            None => {
                let racing = if racing.is_empty() { "" } else { "; races are told of it as it is" };
                report.left_out.push(format!("call {name}, which fails, or computes now this and now that{racing}"));
            }
        }
    }
    Ok(cases)
}

/// The kernels that HIP's log says were dispatched, and work-items in their largest work-group.
fn dispatched(log: &str) -> BTreeMap<String, u64> {
    let mut kernels = BTreeMap::new();
    let mut newest = None;
    for line in log.lines() {
        if let Some((_, name)) = line.split_once("ShaderName : ") {
            newest = Some(name.trim());
        }
        let Some((_, size)) = line.split_once("workgroup=[") else { continue };
        let Some(name) = newest.take() else { continue };
        let sizes = size.split(']').next().unwrap_or_default().split(", ");
        let items: u64 = sizes.filter_map(|size| size.parse::<u64>().ok()).product();
        let largest = kernels.entry(name.to_owned()).or_insert(0);
        *largest = items.max(*largest);
    }
    kernels
}

/// Takes away what is wanted of the kernels that the cases dispatch, one at a time, in the first case that does.
fn plant(
    library: &Library,
    copies: &Copies,
    cases: &[Case],
    only: &[What],
    most: usize,
    report: &mut Report,
) -> Result<()> {
    let names: Vec<String> = cases.iter().flat_map(|case| case.kernels.keys().cloned()).collect();
    let mut kernels = copies.synchronisation(&names)?;
    // By case and kernel, and what is wanted of them.
    let mut all = Vec::new();
    for case in cases {
        for (name, work_items) in &case.kernels {
            let places = |what: &What| Some((*what, kernels.remove(&(name.clone(), *what))?));
            let places: Vec<(What, Vec<Places>)> = only.iter().filter_map(places).collect();
            if places.is_empty() {
                continue;
            }
            if case.racing.contains(name) {
                report.left_out.push(format!("of {name} a race is told as it is"));
                continue;
            }
            all.push((case, name, *work_items, places));
        }
    }
    let mut wanted = BTreeSet::new();
    for what in only {
        let mut them = Vec::new();
        for (index, (.., places)) in all.iter().enumerate() {
            for (_, places) in places.iter().filter(|(own, _)| own == what) {
                them.extend(sample(places.len(), MOST).map(|number| (index, *what, number)));
            }
        }
        wanted.extend(sample(them.len(), most).map(|at| them[at]));
    }
    for (index, (case, name, work_items, places)) in all.into_iter().enumerate() {
        if !wanted.iter().any(|(own, ..)| *own == index) {
            continue;
        }
        let mut status = Status::new(&format!("{}: {}: {name}", library.name, case.name), Instant::now());
        let mut taken = Vec::new();
        for (what, places) in &places {
            for number in (0..places.len()).filter(|number| wanted.contains(&(index, *what, *number))) {
                status.update(&format!("{} {number} of {}", what.name(), places.len()));
                let (came, schedule) = without(copies, case, name, work_items, *what, &places[number])?;
                let offset = places[number].first().map_or(0, |(_, offset)| *offset);
                taken.push(Taken { what: *what, number, offset, came, schedule });
            }
        }
        status.finish(true);
        report.kernels.push(Kernel { library: library.name, case: case.name.clone(), name: name.clone(), taken });
    }
    Ok(())
}

/// Which of `count` are taken away: `most` that are evenly apart, if there are more.
fn sample(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    (0..taken).map(move |index| index * count / taken)
}

/// What comes of an instruction that is taken away.
fn without(
    copies: &Copies,
    case: &Case,
    kernel: &str,
    work_items: u64,
    what: What,
    places: &Places,
) -> Result<(Came, Option<u64>)> {
    if what == What::Barrier && work_items <= WAVE {
        return Ok((Came::OneWave, None));
    }
    let mut wrong = false;
    let original = copies.at(places, what.dwords())?;
    copies.put(&vec![NOP; original.len()], places)?;
    for order in ORDERS {
        let ran = copies.run(&case.name, order, false)?;
        wrong |= ran.digest.as_ref() != Some(&case.digest);
        if ran.told.iter().any(|told| told == kernel) {
            copies.put(&original, places)?;
            return Ok((Came::Told { wrong }, order));
        }
    }
    let mut came = if wrong { Came::Wrong } else { Came::Nothing };
    if !wrong {
        copies.put(&[ILLEGAL], places)?;
        if copies.run(&case.name, None, false)?.digest.as_ref() == Some(&case.digest) {
            came = Came::NotReached;
        }
    }
    copies.put(&original, places)?;
    Ok((came, None))
}

#[cfg(test)]
mod tests;

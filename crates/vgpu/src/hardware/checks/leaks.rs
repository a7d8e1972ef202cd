//! Allocations that are not freed when the program ends.
//!
//! AMD's runtimes allocate for themselves inside a program's calls, and free what is left when the process ends. Of a
//! call of HIP's the last allocation is the program's; those of other ways through the runtime, which are never the
//! last, are not, nor what it allocates when it starts. OpenCL's may copy when it has allocated, and allocate for that:
//! there a way counts if it was once a call's only one. What is freed when the process ends is written down with who
//! did so: `vgpu check` decides, by the names of functions, which are not looked up here.

use super::allocations::{Allocation, Stack};
use super::findings::{self, Maps, Place};
use crate::locks::lock;
use gcn::bus::Access;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is known of who allocates.
#[derive(Default)]
pub(super) struct Record {
    /// Who allocated last, of each thread, and before.
    last: HashMap<libc::pid_t, (Option<Stack>, Stack)>,
    /// Who allocated, between whom of the same thread.
    between: HashSet<(Option<Stack>, Stack, Option<Stack>)>,
    /// What was freed since the process began to end.
    freed_late: Vec<Allocation>,
}

pub(super) static RECORD: Mutex<Option<Record>> = Mutex::new(None);
static ENDS: AtomicBool = AtomicBool::new(false);

extern "C" fn ends() {
    ENDS.store(true, Ordering::Relaxed);
}

/// From now on it is noted that the process begins to end.
pub fn watch() {
    // SAFETY: the function is as atexit wants it, and lives as long as the process.
    unsafe { libc::atexit(ends) };
}

/// Somebody allocates.
pub fn allocated(by: &Stack) {
    // SAFETY: it has no requirements.
    let thread = unsafe { libc::gettid() };
    let mut record = lock(&RECORD);
    let record = record.get_or_insert_default();
    let (before, last) = record.last.remove(&thread).map_or((None, None), |(before, last)| (before, Some(last)));
    if let Some(last) = last.clone() {
        record.between.insert((before, last, Some(by.clone())));
    }
    record.last.insert(thread, (last, by.clone()));
}

/// Somebody frees `allocation`.
pub fn freed(allocation: &Allocation, by: &Stack) {
    if ENDS.load(Ordering::Relaxed) {
        let freed = Allocation { freed: Some(by.clone()), ..allocation.clone() };
        lock(&RECORD).get_or_insert_default().freed_late.push(freed);
    }
}

/// Writes down the allocations that are not freed, and those that were not freed when the process had begun to end.
pub fn tell() {
    if !findings::wants_leaks() {
        return;
    }
    let record = lock(&RECORD).take().unwrap_or_default();
    let maps = Maps::read();
    let is_runtime = |address| maps.file(address).is_some_and(is_of_runtime);
    let is_opencl = |address| maps.file(address).is_some_and(|file| name(file).starts_with(OPENCL));
    let of_programs = of_programs(&record, is_runtime, is_opencl);
    // By who allocated and who freed: how many, and their bytes.
    let mut groups: HashMap<(Stack, Option<Stack>), (u64, u64)> = HashMap::new();
    let left: Vec<Allocation> = super::allocations().live().cloned().collect();
    for Allocation { size, allocated, freed, .. } in left.into_iter().chain(record.freed_late) {
        let (count, bytes) = groups.entry((allocated, freed)).or_default();
        (*count, *bytes) = (*count + 1, *bytes + size);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.retain(|((allocated, _), _)| of_programs.contains(&inner(allocated, is_runtime)));
    groups.sort_by_key(|&(_, (_, bytes))| Reverse(bytes));
    for (number, ((allocated, freed), (count, bytes))) in (0..).zip(groups) {
        let place = Place { finding: "leak", pc: number, access: Access::Read, with: None };
        let Some(id) = findings::count(place, count) else { continue };
        findings::write(id, place.finding, |e| {
            findings::describe_stack("allocated_by", &allocated, e.number("bytes", bytes));
            if let Some(freed) = &freed {
                findings::describe_stack("freed_by", freed, e);
            }
            e
        });
    }
    findings::flush();
}

/// AMD's OpenCL.
const OPENCL: &str = "libamdocl64";

fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// Whether a file is of AMD's runtimes, or this library.
fn is_of_runtime(file: &str) -> bool {
    ["libvgpu", "libamdhip64", OPENCL, "libhsa-runtime64"].iter().any(|of| name(file).starts_with(of))
}

/// The frames of a stack up to what called the runtime.
fn inner(stack: &Stack, is_runtime: impl Fn(u64) -> bool) -> Vec<u64> {
    let outermost = stack.iter().rposition(|&address| is_runtime(address));
    stack[..outermost.map_or(0, |outermost| outermost + 1)].to_vec()
}

/// The ways through the runtime by which it allocates what it gives to the program. `is_runtime` says of an address
/// whether it is in the runtime, `is_opencl` whether in OpenCL's.
fn of_programs(
    record: &Record,
    is_runtime: impl Fn(u64) -> bool,
    is_opencl: impl Fn(u64) -> bool,
) -> HashSet<Vec<u64>> {
    let parts = |stack: &Stack| {
        let inner = inner(stack, &is_runtime);
        let caller = stack[inner.len()..].to_vec();
        (inner, caller)
    };
    let in_other_calls = |one: &Stack, other: &Option<Stack>| {
        other.as_ref().is_none_or(|other| {
            let ((one, caller), (other, other_caller)) = (parts(one), parts(other));
            caller != other_caller || one == other
        })
    };
    let last = record.last.values().map(|(before, last)| (before.clone(), last.clone(), None));
    let all = record.between.iter().cloned().chain(last);
    all.filter_map(|(before, one, next)| {
        let way = parts(&one).0;
        let may_go_on = way.last().is_some_and(|&address| is_opencl(address));
        // What is allocated when it starts, it calls by the C library (`pthread_once`).
        let starts = way.iter().any(|&address| !is_runtime(address));
        let is_given = in_other_calls(&one, &next) && (!may_go_on || in_other_calls(&one, &before));
        (is_given && !starts).then_some(way)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    /// The ways of a thread that allocated by these stacks. Addresses below 100 are the runtime's, those of 50 and more
    /// OpenCL's.
    fn ways(stacks: &[&[u64]]) -> Vec<Vec<u64>> {
        *lock(&RECORD) = None;
        stacks.iter().for_each(|&stack| allocated(&Arc::from(stack)));
        let record = lock(&RECORD).take().expect("there are some");
        let ways = of_programs(&record, |address| address < 100, |address| (50..100).contains(&address));
        let mut ways: Vec<Vec<u64>> = ways.into_iter().collect();
        ways.sort();
        ways
    }

    #[test]
    fn the_last_allocation_of_a_call_is_the_programs() {
        let first: [&[u64]; 3] = [&[1, 2, 200, 9, 100], &[1, 3, 200, 9, 100], &[1, 4, 9, 100]];
        assert_eq!(ways(&first), [[1, 4, 9]]);
        let more: [&[u64]; 3] = [&[1, 4, 9, 100], &[1, 4, 9, 101], &[1, 5, 8, 102]];
        assert_eq!(ways(&[first, more].concat()), [[1, 4, 9], [1, 5, 8]]);
        // A first call that allocates nothing itself.
        assert_eq!(ways(&first[..2]), [] as [Vec<u64>; 0]);
        // With a copy behind the allocation.
        let opencl: [&[u64]; 3] = [&[1, 2, 60, 100], &[1, 3, 61, 100], &[1, 2, 60, 101]];
        assert_eq!(ways(&opencl[..2]), [] as [Vec<u64>; 0]);
        assert_eq!(ways(&opencl), [[1, 2, 60]]);
    }

    #[test]
    fn runtimes_are_known_by_their_files() {
        for (file, is_runtime) in [
            ("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5.7.31921", true),
            ("/opt/rocm/lib/libhsa-runtime64.so.1", true),
            ("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1", false),
            ("/usr/bin/libamd", false),
        ] {
            assert_eq!(is_of_runtime(file), is_runtime, "{file}");
        }
    }
}

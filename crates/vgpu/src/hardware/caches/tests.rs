use super::*;

/// Memory of the program with its caches, from which nothing is evicted.
struct Test {
    caches: Caches,
    memory: Box<[AtomicU64; 512]>,
    host: u64,
}

impl Test {
    fn new() -> Test {
        Test::of(1)
    }

    fn of(xccs: usize) -> Test {
        let memory = Box::new([const { AtomicU64::new(0) }; 512]);
        let start = memory.as_ptr().expose_provenance() as u64;
        let caches = Caches::new(1, xccs);
        caches.lock().patience = u64::MAX;
        Test { caches, memory, host: start.next_multiple_of(L2_LINE) }
    }

    fn at(&self, offset: u64, bytes: u64, access: Access, path: Path, unit: usize) -> *mut u32 {
        // SAFETY: the memory is there.
        match unsafe { self.caches.reach(self.host + offset, bytes, access, path, unit, false) } {
            Reached::Line(host) => host.cast(),
            other => panic!("{other:?}"),
        }
    }

    fn load(&self, offset: u64, path: Path, unit: usize) -> u32 {
        let at = self.at(offset, 4, Access::Read, path, unit);
        // SAFETY: four bytes, until the next call.
        unsafe { at.read() }
    }

    fn store(&self, offset: u64, unit: usize, value: u32) {
        self.store_by(offset, Access::Write, Path::Vector, unit, value);
    }

    fn store_by(&self, offset: u64, access: Access, path: Path, unit: usize, value: u32) {
        let at = self.at(offset, 4, access, path, unit);
        // SAFETY: four bytes, until the next call.
        unsafe { at.write(value) }
    }

    /// What the host has there.
    fn word(&self, offset: u64) -> &std::sync::atomic::AtomicU32 {
        // SAFETY: in the memory, aligned.
        unsafe { std::sync::atomic::AtomicU32::from_ptr((self.host + offset) as *mut u32) }
    }
}

impl Drop for Test {
    fn drop(&mut self) {
        self.caches.forget(self.memory.as_ptr().addr() as u64, 4096);
    }
}

#[test]
fn an_l1_is_old_until_it_is_emptied() {
    let test = Test::new();
    for path in [Path::Vector, Path::Scalar] {
        test.store(0, 1, 1);
        assert_eq!((test.load(0, path, 0), test.load(0, path, 1)), (1, 1));
        test.store(0, 1, 2);
        assert_eq!((test.load(0, path, 0), test.load(0, Path::Coherent, 1)), (1, 2), "{path:?}");
        test.caches.invalidate(path, 1);
        assert_eq!((test.load(0, path, 0), test.load(0, path, 1)), (1, 2), "another unit's: {path:?}");
        test.caches.invalidate(path, 0);
        assert_eq!(test.load(0, path, 0), 2, "{path:?}");
    }
}

#[test]
fn a_unit_sees_its_own_stores_and_a_coherent_load_sees_all() {
    let test = Test::new();
    assert_eq!(test.load(0, Path::Vector, 0), 0);
    test.store(4, 0, 3);
    assert_eq!(test.load(4, Path::Vector, 0), 3);
    test.store(4, 1, 4);
    assert_eq!(test.load(4, Path::Vector, 0), 3);
    assert_eq!(test.load(4, Path::Coherent, 0), 4);
    assert_eq!(test.load(4, Path::Vector, 0), 4);
}

#[test]
fn the_host_sees_stores_when_they_are_written_back_and_no_other_bytes() {
    let test = Test::new();
    test.store(8, 0, 5);
    test.word(12).store(9, Relaxed);
    assert_eq!(test.word(8).load(Relaxed), 0);
    test.caches.write_back();
    assert_eq!((test.word(8).load(Relaxed), test.word(12).load(Relaxed)), (5, 9));
    // Once only.
    test.word(8).store(6, Relaxed);
    test.caches.write_back();
    assert_eq!((test.word(8).load(Relaxed), test.load(8, Path::Coherent, 0)), (6, 5));
    test.caches.invalidate_l2();
    assert_eq!((test.load(8, Path::Coherent, 0), test.load(12, Path::Coherent, 0)), (6, 9));
}

#[test]
fn what_is_exposed_is_written_back_and_read_again() {
    let test = Test::new();
    for offset in [0, 128, 256] {
        test.store(offset, 0, 7);
    }
    test.caches.expose(test.host + 130, 4);
    assert_eq!([0, 128, 256].map(|offset| test.word(offset).load(Relaxed)), [0, 7, 0]);
    test.word(128).store(8, Relaxed);
    assert_eq!(test.load(128, Path::Coherent, 0), 8);
    test.caches.expose(test.host, 1 << 20);
    assert_eq!([0, 128, 256].map(|offset| test.word(offset).load(Relaxed)), [7, 8, 7]);
}

#[test]
fn accesses_of_two_lines_are_told_apart() {
    let test = Test::new();
    for (offset, apart) in [(60, false), (61, true), (64, false), (124, false), (126, true)] {
        // SAFETY: the memory is there.
        let reached = unsafe { test.caches.reach(test.host + offset, 4, Access::Read, Path::Vector, 0, false) };
        assert_eq!(reached == Reached::Apart, apart, "{offset}");
    }
}

#[test]
fn more_than_a_cache_holds_is_evicted() {
    let test = Test::new();
    assert_eq!(test.load(0, Path::Vector, 0), 0);
    test.word(0).store(1, Relaxed);
    {
        let zero = [const { AtomicU64::new(0) }; (L1_LINE / 8) as usize];
        let unit = &mut test.caches.lock().units[0];
        for line in 1..=L1_LINES as u64 {
            unit.vector.line(((1 << 50) + line) * L1_LINE, || &zero);
        }
        assert!(unit.vector.0.len() < L1_LINES);
    }
    test.caches.expose(test.host, 4);
    assert_eq!(test.load(0, Path::Vector, 0), 1);
}

#[test]
fn seeds_evict_at_times() {
    let test = Test::new();
    test.caches.lock().patience = 64;
    test.load(0, Path::Vector, 0);
    test.word(0).store(1, Relaxed);
    let stale = (0..).take_while(|_| test.load(0, Path::Vector, 0) == 0).take(10_000).count();
    assert!((1..10_000).contains(&stale), "{stale}");
}

/// Of the first XCC and of the second.
const TWO: [usize; 2] = [0, UNITS];

#[test]
fn an_l2_does_not_know_what_another_has_until_that_is_written_back() {
    for writes_back in [|test: &Test| test.caches.write_back_of(TWO[0]), |test: &Test| test.caches.meet()] {
        let test = Test::of(2);
        assert_eq!(test.load(0, Path::Coherent, TWO[1]), 0);
        test.store(0, TWO[0], 7);
        assert_eq!(TWO.map(|unit| test.load(0, Path::Coherent, unit)), [7, 0]);
        test.caches.write_back_of(TWO[1]);
        assert_eq!((test.word(0).load(Relaxed), test.load(0, Path::Coherent, TWO[1])), (0, 0));
        writes_back(&test);
        assert_eq!((test.word(0).load(Relaxed), test.load(0, Path::Coherent, TWO[1])), (7, 7));
    }
}

/// Each L2 has stored a word of the line: none is lost, and then both have both.
#[test]
fn two_l2s_write_to_one_line() {
    let test = Test::of(2);
    (0..).zip(TWO).for_each(|(word, unit)| test.store(4 * word, unit, 5 + word as u32));
    assert_eq!(TWO.map(|unit| [0, 4].map(|at| test.load(at, Path::Coherent, unit))), [[5, 0], [0, 6]]);
    test.caches.write_back_of(TWO[0]);
    assert_eq!(TWO.map(|unit| [0, 4].map(|at| test.load(at, Path::Coherent, unit))), [[5, 6]; 2]);
    assert_eq!([0, 4].map(|at| test.word(at).load(Relaxed)), [5, 6]);
}

/// They are in memory at once, and no L2 has an older line. An L1 may.
#[test]
fn stores_for_the_device_and_atomics_are_seen_in_all_l2s() {
    for (access, path) in [(Access::Write, Path::Coherent), (Access::Atomic, Path::Vector)] {
        let test = Test::of(2);
        test.store(4, TWO[0], 3);
        assert_eq!(TWO.map(|unit| test.load(0, Path::Vector, unit)), [0, 0]);
        test.store_by(0, access, path, TWO[0], 7);
        assert_eq!(test.word(0).load(Relaxed), 7);
        assert_eq!(TWO.map(|unit| test.load(0, Path::Vector, unit)), [7, 0], "{access:?}");
        assert_eq!([0, 4].map(|at| test.load(at, Path::Coherent, TWO[1])), [7, 3]);
    }
}

/// What the host has written is seen by a load for the device, and by all loads once the L2 has dropped what memory may
/// have newer. What the L2 has newer stays there.
#[test]
fn l2s_take_from_memory_what_is_newer() {
    let test = Test::of(2);
    let unit = TWO[1];
    test.store(0, unit, 7);
    for (value, renews) in [(8, false), (9, true)] {
        assert_ne!(test.load(4, Path::Vector, unit), value);
        test.word(4).store(value, Relaxed);
        assert_ne!(test.load(4, Path::Vector, unit), value);
        if renews {
            test.caches.invalidate_l2_of(unit);
            test.caches.invalidate(Path::Vector, unit);
            assert_eq!(test.load(4, Path::Vector, unit), value);
        }
        assert_eq!([0, 4].map(|at| test.load(at, Path::Coherent, unit)), [7, value]);
        assert_eq!(test.word(0).load(Relaxed), 0);
    }
}

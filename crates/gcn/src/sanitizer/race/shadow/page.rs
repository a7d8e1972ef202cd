//! The shadow of a page, by lines of 64 bytes.
//!
//! Most waves access all of a line, dwords one behind the other, so one instruction is the last of all its dwords. Of
//! such a line is kept which one; of others what each dword has.

use crate::sanitizer::allocations::Allocations;
use crate::sanitizer::race::shadow::{BLOCK, By, Dword, Given, PAGE, Seen, Unit, lock, page_of};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Bytes of a line.
pub(crate) const LINE: u32 = 64;
/// And its dwords.
const DWORDS: usize = LINE as usize / 4;

/// Dwords of a block.
const BLOCK_DWORDS: usize = (BLOCK / 4) as usize;

/// By number: what each lane that accesses a line has, and bytes of the first one that are before it.
const PATTERNS: [(Unit, u32); 13] = {
    let [one, two, four, eight] = [Unit::new(1), Unit::new(2), Unit::new(4), Unit::new(8)];
    let [twelve, sixteen, all] = [Unit::new(12), Unit::new(16), Unit::new(LINE)];
    [
        (one, 0),
        (two, 0),
        (four, 0),
        (eight, 0),
        (eight, 4),
        (twelve, 0),
        (twelve, 4),
        (twelve, 8),
        (sixteen, 0),
        (sixteen, 4),
        (sixteen, 8),
        (sixteen, 12),
        (all, 0),
    ]
};

/// An access to all of a line, or none.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Row(Seen);

impl Row {
    /// A row of lanes with `unit` each, `place` bytes of which are before the line from `lane` on. `None`: a lane's
    /// dwords do not match the line's.
    #[inline]
    pub fn new(seen: Seen, lane: u8, unit: Unit, place: u32) -> Option<Row> {
        let (skipped, before) = unit.of(place);
        let number = match unit.bytes() {
            1 => 0,
            2 => 1,
            4 => 2,
            8 => 3 + before / 4,
            12 => 5 + before / 4,
            16 => 8 + before / 4,
            _ => 12,
        };
        (PATTERNS[number as usize] == (unit, before)).then(|| Row(seen.with(lane + skipped, number as u8)))
    }

    /// The access, with no lane and bytes that mean something.
    pub fn seen(self) -> Seen {
        self.0
    }

    /// What it is to a dword.
    fn of_dword(self, number: usize) -> Seen {
        if self.0.is_none() {
            return self.0;
        }
        let By { lane, bytes, .. } = self.0.by();
        let (unit, before) = PATTERNS[usize::from(bytes)];
        // The last lane that has a part of it.
        let (skipped, _) = unit.of(before + number as u32 * 4 + 3);
        self.0.without().with(lane + skipped, 15)
    }
}

/// The last accesses to a line, each to all of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rows {
    pub store: Row,
    /// The loads of dwords with even numbers, and of the others.
    pub loads: [Row; 2],
}

impl Rows {
    fn of_dword(&self, number: usize) -> Dword {
        Dword { store: self.store.of_dword(number), load: self.loads[number % 2].of_dword(number) }
    }
}

/// The last accesses to a line. They are changed by whom has locked the block that it is in.
pub(crate) struct Line {
    /// As [`Rows`] has them, until the dwords differ.
    rows: [AtomicU64; 3],
    dwords: OnceLock<Box<[Place; DWORDS]>>,
}

/// Where the last accesses to a dword are kept.
pub(crate) struct Place([AtomicU64; 2]);

impl Place {
    #[inline]
    pub fn get(&self) -> Dword {
        let [store, load] = self.0.each_ref().map(|seen| Seen(seen.load(Relaxed)));
        Dword { store, load }
    }

    #[inline]
    pub fn set(&self, dword: Dword) {
        self.0[0].store(dword.store.0, Relaxed);
        self.0[1].store(dword.load.0, Relaxed);
    }
}

impl Line {
    fn new() -> Line {
        Line { rows: [const { AtomicU64::new(0) }; 3], dwords: OnceLock::new() }
    }

    fn rows(&self) -> Option<Rows> {
        let [store, even, odd] = self.rows.each_ref().map(|row| Row(Seen(row.load(Relaxed))));
        self.dwords.get().is_none().then_some(Rows { store, loads: [even, odd] })
    }

    #[inline]
    fn dword(&self, number: usize) -> Dword {
        match self.dwords.get() {
            Some(places) => places[number].get(),
            None => self.rows().unwrap_or_default().of_dword(number),
        }
    }

    /// Where one of the dwords is kept, from now on each for itself.
    #[inline]
    fn place(&self, number: usize) -> &Place {
        &self.dwords.get_or_init(|| self.places())[number]
    }

    #[cold]
    fn places(&self) -> Box<[Place; DWORDS]> {
        let rows = self.rows().unwrap_or_default();
        Box::new(std::array::from_fn(|number| {
            let Dword { store, load } = rows.of_dword(number);
            Place([store.0.into(), load.0.into()])
        }))
    }

    /// The cells of the first dword, if the same instructions accessed all bytes of all other dwords.
    pub fn alike(&self) -> Option<Dword> {
        let first = self.dword(0);
        let is_alike =
            |dword: Dword| dword.store.what() == first.store.what() && dword.load.what() == first.load.what();
        let are_alike = match self.dwords.get() {
            Some(places) => places.iter().all(|place| is_alike(place.get())),
            // The others have one of these.
            None => is_alike(self.dword(1)),
        };
        let is_whole = |seen: Seen| seen.is_none() || seen.by().bytes == 15;
        Some(first).filter(|first| are_alike && is_whole(first.store) && is_whole(first.load))
    }

    /// The cells of each dword, in the order of addresses.
    pub fn dwords(&self) -> impl Iterator<Item = Dword> {
        (0..DWORDS).map(|number| self.dword(number))
    }
}

/// What is given at each dword of a block, once one is a flag.
type AllGiven = Vec<Option<Arc<Given>>>;

/// The accesses to a page.
pub(crate) struct Page {
    lines: Box<[Line]>,
    /// Of these addresses.
    range: Range<u64>,
    blocks: [Mutex<AllGiven>; (PAGE / BLOCK) as usize],
}

impl Page {
    pub(super) fn new(address: u64, allocations: &dyn Allocations) -> Option<Page> {
        let range = allocations.allocation(address)?;
        let lines = (0..PAGE / u64::from(LINE)).map(|_| Line::new()).collect();
        let page = Page { lines, range, blocks: Default::default() };
        let start = page_of(address);
        for flag in allocations.flags(start..start + PAGE) {
            let number = |at: u64| ((at - start) / 4).min(PAGE / 4) as usize;
            for number in number(flag.start)..number(flag.end.next_multiple_of(4)) {
                page.lines[number / DWORDS].place(number % DWORDS).set(Dword::A_FLAG);
            }
        }
        Some(page)
    }

    /// In the order of their addresses.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The dword at `address`, if it is the program's.
    #[inline]
    pub fn dword(&self, address: u64) -> Option<Dword> {
        let number = number(address);
        self.range.contains(&address).then(|| self.lines[number / DWORDS].dword(number % DWORDS))
    }

    /// The first cell of the dword at `address`.
    #[inline]
    pub fn first_of(&self, address: u64) -> &AtomicU64 {
        let number = number(address);
        let line = &self.lines[number / DWORDS];
        line.dwords.get().map_or(&line.rows[0], |places| &places[number % DWORDS].0[0])
    }

    /// To change the block that `address` is in.
    pub fn lock(&self, address: u64) -> Block<'_> {
        Block { page: self, given: lock(&self.blocks[(address % PAGE / BLOCK) as usize]) }
    }
}

/// A part of a page that others cannot change.
pub(crate) struct Block<'a> {
    page: &'a Page,
    given: MutexGuard<'a, AllGiven>,
}

impl<'a> Block<'a> {
    /// The rows of the line at `address`, if the whole line is the program's and no dword has cells of its own.
    #[inline]
    pub fn rows(&self, address: u64) -> Option<Rows> {
        let range = &self.page.range;
        let is_inside = address >= range.start && range.end.saturating_sub(address) >= LINE.into();
        self.page.lines[number(address) / DWORDS].rows().filter(|_| is_inside)
    }

    /// To be the line's.
    #[inline]
    pub fn set_rows(&mut self, address: u64, rows: Rows) {
        let Rows { store, loads: [even, odd] } = rows;
        let line = &self.page.lines[number(address) / DWORDS];
        line.rows.iter().zip([store, even, odd]).for_each(|(row, new)| row.store(new.0.0, Relaxed));
    }

    /// Where the dword at `address` is kept, if it is the program's.
    #[inline]
    pub fn place(&self, address: u64) -> Option<&'a Place> {
        let (page, number) = (self.page, number(address));
        page.range.contains(&address).then(|| page.lines[number / DWORDS].place(number % DWORDS))
    }

    /// The knowledge released at the dword.
    pub fn given(&self, address: u64) -> Option<&Arc<Given>> {
        self.given.get(number(address) % BLOCK_DWORDS)?.as_ref()
    }

    /// Adds to the knowledge released at the dword.
    pub fn give(&mut self, address: u64, new: &Arc<Given>) {
        self.given.resize(BLOCK_DWORDS, None);
        match &mut self.given[number(address) % BLOCK_DWORDS] {
            Some(all) if Arc::ptr_eq(all, new) => {}
            Some(all) => {
                let is_more = all.group == new.group && new.known.includes(&all.known);
                match is_more && all.own.iter().zip(new.own).all(|(old, new)| *old <= new) {
                    true => *all = Arc::clone(new),
                    false => Arc::make_mut(all).add(new),
                }
            }
            none => *none = Some(Arc::clone(new)),
        }
    }
}

/// The number in its page of the dword at `address`.
fn number(address: u64) -> usize {
    (address % PAGE / 4) as usize
}

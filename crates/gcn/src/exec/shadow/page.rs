//! The accesses to a page, by lines of 64 bytes.
//!
//! Most waves access all of a line, dwords one behind the other, so one instruction is the last of all its dwords. Of such a line is kept which one; of others what each dword has.

use super::{By, Dword, Given, PAGE, PageMap, Seen, page_of};
use crate::bus::Checks;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a line.
pub(crate) const LINE: u32 = 64;
/// And its dwords.
const DWORDS: usize = LINE as usize / 4;

/// By number: bytes of each lane that accesses a line, and those of the first one that are before it.
const PATTERNS: [(u32, u32); 13] =
    [(1, 0), (2, 0), (4, 0), (8, 0), (8, 4), (12, 0), (12, 4), (12, 8), (16, 0), (16, 4), (16, 8), (16, 12), (64, 0)];

/// An access to all of a line, or none.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Row(Seen);

impl Row {
    /// One whose lanes have `unit` bytes each, of which `place` lie before the line from `lane` on. `None`: a lane's dwords are not the line's.
    #[inline]
    pub fn new(seen: Seen, lane: u8, unit: u32, place: u32) -> Option<Row> {
        let (lane, before) = (lane + (place / unit) as u8, place % unit);
        let number = match unit {
            1 => 0,
            2 => 1,
            4 => 2,
            8 => 3 + before / 4,
            12 => 5 + before / 4,
            16 => 8 + before / 4,
            _ => 12,
        };
        (PATTERNS[number as usize] == (unit, before)).then(|| Row(seen.with(lane, number as u8)))
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
        self.0.without().with(lane + ((before + number as u32 * 4 + 3) / unit) as u8, 15)
    }
}

/// The last accesses to a line, each to all of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rows {
    pub store: Row,
    /// Of dwords with even numbers, and of the others.
    pub loads: [Row; 2],
}

impl Rows {
    fn of_dword(&self, number: usize) -> Dword {
        Dword { store: self.store.of_dword(number), load: self.loads[number % 2].of_dword(number) }
    }
}

/// The last accesses to a line.
pub(crate) enum Line {
    Rows(Rows),
    Dwords(Box<[Dword; DWORDS]>),
}

impl Line {
    fn dwords_mut(&mut self) -> &mut [Dword; DWORDS] {
        if let Line::Rows(rows) = self {
            *self = Line::Dwords(Box::new(std::array::from_fn(|number| rows.of_dword(number))));
        }
        match self {
            Line::Dwords(dwords) => dwords,
            Line::Rows(_) => unreachable!("they have been replaced"),
        }
    }

    /// What the first dword has, if the same instructions accessed the others.
    pub fn alike(&self) -> Option<Dword> {
        match self {
            Line::Rows(rows) => {
                let [even, odd] = rows.loads.map(|load| load.0.by().site);
                (even == odd).then(|| rows.of_dword(0))
            }
            Line::Dwords(_) => None,
        }
    }

    /// What each dword has, in the order of their addresses.
    pub fn dwords(&self) -> [Dword; DWORDS] {
        match self {
            Line::Rows(rows) => std::array::from_fn(|number| rows.of_dword(number)),
            Line::Dwords(dwords) => **dwords,
        }
    }
}

/// The accesses to a page.
pub(crate) struct Page {
    lines: Box<[Line]>,
    /// Of these addresses.
    range: Range<u64>,
    /// By the number of the dword in the page.
    given: PageMap<Arc<Given>>,
}

impl Page {
    pub(super) fn new(address: u64, checks: &dyn Checks) -> Option<Page> {
        let range = checks.allocation(address)?;
        let lines = (0..PAGE / u64::from(LINE)).map(|_| Line::Rows(Rows::default())).collect();
        let mut page = Page { lines, range, given: PageMap::default() };
        let start = page_of(address);
        for flag in checks.flags(start..start + PAGE) {
            let number = |at: u64| ((at - start) / 4).min(PAGE / 4) as usize;
            for number in number(flag.start)..number(flag.end.next_multiple_of(4)) {
                page.lines[number / DWORDS].dwords_mut()[number % DWORDS] = Dword::A_FLAG;
            }
        }
        Some(page)
    }

    /// In the order of their addresses.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// What is kept of the line at `address`, if it is all the program's, and no dword has something else.
    #[inline]
    pub fn rows(&mut self, address: u64) -> Option<&mut Rows> {
        if address < self.range.start || self.range.end.saturating_sub(address) < LINE.into() {
            return None;
        }
        match self.lines.get_mut(place(address) / DWORDS)? {
            Line::Rows(rows) => Some(rows),
            Line::Dwords(_) => None,
        }
    }

    /// The dword at `address`, if it is the program's.
    #[inline]
    pub fn dword(&mut self, address: u64) -> Option<&mut Dword> {
        if !self.range.contains(&address) {
            return None;
        }
        let place = place(address);
        Some(&mut self.lines.get_mut(place / DWORDS)?.dwords_mut()[place % DWORDS])
    }

    /// Whether the dword at `address` is a flag, if it is the program's.
    pub fn is_flag(&self, address: u64) -> Option<bool> {
        let place = place(address);
        self.range.contains(&address).then(|| match &self.lines[place / DWORDS] {
            Line::Rows(_) => false,
            Line::Dwords(dwords) => dwords[place % DWORDS].is_flag(),
        })
    }

    /// Makes the dword a flag. Gives what was stored there until now.
    pub fn set_flag(&mut self, address: u64) -> Option<Seen> {
        let dword = self.dword(address)?;
        let old = dword.store;
        dword.store.0 |= Seen::FLAG;
        Some(old).filter(|store| !store.is_none())
    }

    /// What is given at the dword.
    pub fn given(&self, address: u64) -> Option<&Arc<Given>> {
        self.given.get(&(place(address) as u64))
    }

    /// Adds to what is given at the dword.
    pub fn give(&mut self, address: u64, new: &Arc<Given>) {
        let all = self.given.entry(place(address) as u64).or_insert_with(|| Arc::clone(new));
        if !Arc::ptr_eq(all, new) {
            let is_more = all.group == new.group && new.known.includes(&all.known);
            *all = match is_more && all.own.iter().zip(new.own).all(|(old, new)| *old <= new) {
                true => Arc::clone(new),
                false => Arc::new(all.with(new)),
            };
        }
    }
}

/// The number in its page of the dword at `address`.
fn place(address: u64) -> usize {
    (address % PAGE / 4) as usize
}

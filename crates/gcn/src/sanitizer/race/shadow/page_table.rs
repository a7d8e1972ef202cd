//! A lock-free table of shadow pages by address.

use crate::sanitizer::allocations::Allocations;
use crate::sanitizer::race::shadow::PAGE;
use crate::sanitizer::race::shadow::page::Page;
use std::sync::OnceLock;

/// Bits of an address that a table looks at: what it has takes 8 KiB.
const BITS: u32 = 9;

/// Entries that are made when somebody first asks for them.
struct Table<T>(Box<[OnceLock<T>]>);

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table((0..1 << BITS).map(|_| OnceLock::new()).collect())
    }
}

impl<T> Table<T> {
    /// The entry for a number, at whose lower bits `below` other tables look.
    #[inline]
    fn at(&self, number: u64, below: u32) -> &OnceLock<T> {
        &self.0[(number >> (BITS * below)) as usize % (1 << BITS)]
    }

    /// All that are there, with their numbers.
    fn each(&self) -> impl Iterator<Item = (u64, &T)> {
        (0..).zip(&self.0).filter_map(|(number, entry)| Some((number, entry.get()?)))
    }
}

/// `None` for those of which nothing is the program's.
type Pages = Table<Option<Box<Page>>>;

/// The pages that somebody asked for.
#[derive(Default)]
pub(super) struct Tables(Table<Table<Table<Pages>>>);

impl Tables {
    /// The entry for the page at `address`, if one was made.
    #[inline]
    pub fn get(&self, address: u64) -> Option<&Option<Box<Page>>> {
        let number = number(address)?;
        let pages = self.0.at(number, 3).get()?.at(number, 2).get()?.at(number, 1).get()?;
        pages.at(number, 0).get()
    }

    /// The page at `address`: `None` if nothing in it is the program's.
    #[inline]
    pub fn page(&self, address: u64, allocations: &dyn Allocations) -> Option<&Page> {
        match self.get(address) {
            Some(page) => page.as_deref(),
            None => self.make(address, allocations),
        }
    }

    #[cold]
    fn make(&self, address: u64, allocations: &dyn Allocations) -> Option<&Page> {
        let number = number(address)?;
        let table = self.0.at(number, 3).get_or_init(Table::default).at(number, 2).get_or_init(Table::default);
        let pages = table.at(number, 1).get_or_init(Table::default);
        pages.at(number, 0).get_or_init(|| Page::new(address, allocations).map(Box::new)).as_deref()
    }

    /// All of them, with their addresses, in order.
    pub fn each(&self, mut with: impl FnMut(u64, &Page)) {
        for (a, table) in self.0.each() {
            for (b, table) in table.each() {
                for (c, pages) in table.each() {
                    let first = ((a << BITS | b) << BITS | c) << BITS;
                    let pages = pages.each().filter_map(|(d, page)| Some((first | d, page.as_deref()?)));
                    pages.for_each(|(number, page)| with(number * PAGE, page));
                }
            }
        }
    }
}

/// A page's number. None is the program's at addresses that have more bits than the device's.
fn number(address: u64) -> Option<u64> {
    let number = address / PAGE;
    (number >> (4 * BITS) == 0).then_some(number)
}

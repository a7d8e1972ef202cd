//! The memory of a device that has one piece of it.

// Each test program uses a part of this.
#![allow(dead_code)]

use std::cell::UnsafeCell;

use gcn::bus::{Access, Bus, MemoryFault, Window};

/// Memory from one device address on; all other addresses fault.
pub struct Memory {
    start: u64,
    words: Box<[UnsafeCell<u64>]>,
}

impl Memory {
    /// `content`, which is a multiple of 8 bytes long, at device address `start`.
    pub fn new(start: u64, content: &[u8]) -> Memory {
        let (words, rest) = content.as_chunks();
        assert!(rest.is_empty());
        Memory { start, words: words.iter().map(|&word| UnsafeCell::new(u64::from_le_bytes(word))).collect() }
    }

    /// Writes `bytes`, `at` bytes behind the start.
    pub fn fill(&mut self, at: usize, bytes: &[u8]) {
        for (at, &byte) in (at..).zip(bytes) {
            let word = self.words[at / 8].get_mut();
            let mut content = word.to_le_bytes();
            content[at % 8] = byte;
            *word = u64::from_le_bytes(content);
        }
    }

    /// All that it holds.
    pub fn into_bytes(self) -> Vec<u8> {
        self.words.into_iter().flat_map(|word| word.into_inner().to_le_bytes()).collect()
    }
}

// SAFETY: one thread runs.
unsafe impl Sync for Memory {}

// SAFETY: the window is all of the box, which lives as long as `self`.
unsafe impl Bus for Memory {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        let end = self.start + size_of_val(&*self.words) as u64;
        if !(self.start..end).contains(&address) {
            return Err(MemoryFault { address, access, protection: false });
        }
        Ok(Window { start: self.start, end, host: self.words.as_ptr().cast_mut().cast(), writable: true })
    }

    fn realtime(&self) -> u64 {
        1
    }

    fn memtime(&self) -> u64 {
        2
    }

    fn interrupt(&self, _: u32, _: bool) {}
}

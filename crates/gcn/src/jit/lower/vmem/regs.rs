//! Registers of the host with what an access of all lanes works on, and orders of lanes.

use crate::jit::x64::tlb_lookup::{DISTANCE, START};

/// Registers of the host: the host address of the window or of LDS, what makes a distance from there of a lane's
/// address, and the highest such distance.
pub(crate) const HOST: u8 = DISTANCE;
pub(crate) const TO_DISTANCE: u8 = 14;
pub(crate) const LIMIT: u8 = 9;
/// In stores of several dwords: where the lanes in front end.
pub(crate) const BEHIND: u8 = START;
/// Registers that hold nothing from one step to the next.
pub(crate) const TEMPORARY: u8 = 20;

pub(crate) static BY_TURNS: [[u32; 16]; 2] = [
    [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23],
    [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31],
];

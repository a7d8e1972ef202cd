//! The output formats of recordings.

pub mod chrome;
pub mod jsonl;
pub mod perfetto;

use crate::timeline::Index;
use crate::view::{Shown, View};
use std::collections::BTreeMap;

/// A row of a viewer: a thread of the host, or a lane of what the GPU does for a process.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Row {
    Thread { pid: u32, tid: u32 },
    Gpu { pid: u32, track: String, lane: usize },
}

/// Gives each event its row: viewers want the events of a row to nest, and kernels of a queue may overlap.
#[derive(Default)]
pub(crate) struct Rows {
    /// When each lane is free again.
    lanes: BTreeMap<(u32, String), Vec<u64>>,
}

impl Rows {
    /// The row of the next event, in the order of time.
    pub(crate) fn of(&mut self, view: &View, index: Index, shown: &Shown) -> Row {
        let event = &view.timeline.events[index];
        let Some(track) = &shown.track else { return Row::Thread { pid: event.pid, tid: event.tid } };
        let lanes = self.lanes.entry((event.pid, track.clone())).or_default();
        let lane = match event.end {
            // A moment is within whatever is there.
            None => 0,
            Some(end) => {
                let lane = lanes.iter().position(|free| *free <= event.ns).unwrap_or(lanes.len());
                lanes.resize(lanes.len().max(lane + 1), 0);
                lanes[lane] = end;
                lane
            }
        };
        Row::Gpu { pid: event.pid, track: track.clone(), lane }
    }
}

/// When a viewer's arrow reaches a step of a flow: the call that waited began before what it waited for.
pub(crate) fn arrow(view: &View, step: &str, index: Index) -> u64 {
    let event = &view.timeline.events[index];
    if matches!(step, "wait" | "waited_in") { event.end.unwrap_or(event.ns) } else { event.ns }
}

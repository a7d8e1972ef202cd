//! Attributes a read of a signal, or an enqueue, to the program, to the runtime on behalf of a stream, or to the
//! runtime itself.

use super::super::pinned;
use super::{Known, Order, with};
use std::collections::BTreeSet;
use std::sync::Arc;

/// On whose behalf the host loads a signal, or enqueues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The program, which acts on the values that it reads.
    Program,
    /// The program, in a call that waits for this stream.
    Waiter(u64),
    /// The runtime, in a call that enqueues in this stream and returns nothing to the program.
    Stream(u64),
    /// The runtime's, which the program does not hear of.
    Runtime,
}

/// A stream.
#[derive(Default)]
pub(super) struct Stream {
    /// What calls have seen that enqueue in it: all later ones come behind that.
    looked: Known,
    /// Queues that it has used, by the addresses of their `amd_queue_t`.
    pub(super) queues: BTreeSet<u64>,
    /// Neither waits for the null stream nor it for this one.
    is_apart: bool,
}

impl Order {
    /// Whatever any part of the host knows.
    pub(super) fn anybody(&self) -> Known {
        let mut all = (*self.host).clone();
        all.join(&self.runtime);
        self.streams.values().for_each(|stream| all.join(&stream.looked));
        all
    }

    /// What packets come behind that `reader` enqueues now.
    pub(super) fn known_by(&self, reader: Reader) -> Arc<Known> {
        match reader {
            Reader::Program => Arc::clone(&self.host),
            Reader::Runtime => Arc::new(self.anybody()),
            Reader::Stream(stream) | Reader::Waiter(stream) => match self.streams.get(&stream) {
                Some(Stream { is_apart: true, looked, .. }) => {
                    let mut known = (*self.host).clone();
                    known.join(looked);
                    Arc::new(known)
                }
                // The runtime makes it wait for the null stream, or for all others, unless it has noticed already that
                // these are over.
                _ => Arc::new(self.anybody()),
            },
        }
    }

    /// `reader` learns this.
    pub(super) fn tell(&mut self, reader: Reader, known: &Known) {
        match reader {
            Reader::Program | Reader::Waiter(_) => self.learn(known),
            Reader::Stream(stream) => self.streams.entry(stream).or_default().looked.join(known),
            Reader::Runtime => self.runtime.join(known),
        }
    }
}

/// The program has waited for all that is in a stream.
pub fn awaited(stream: u64) {
    with(|order| {
        let Some(stream) = order.streams.get(&stream) else { return };
        let mut known = stream.looked.clone();
        let ended = stream.queues.iter().filter_map(|queue| order.ended.get(queue));
        ended.for_each(|ended| known.join(ended));
        order.learn(&known);
    });
    pinned::learned();
}

/// The program has waited for work whose completion the runtime may have known before.
pub fn learned_by_runtime() {
    with(|order| {
        let known = order.anybody();
        order.learn(&known);
    });
    pinned::learned();
}

/// This stream was made to be apart from the null stream.
pub fn stream_is_apart(stream: u64) {
    with(|order| order.streams.insert(stream, Stream { is_apart: true, ..Stream::default() }));
}

/// There is no such stream any more.
pub fn forget_stream(stream: u64) {
    with(|order| order.streams.remove(&stream));
}

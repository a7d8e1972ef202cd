//! Queues of copy engines: what the driver makes of them, the ring that engines read, and its packets.

pub(crate) mod hardware;
pub(crate) mod packet;
pub(crate) mod ring;

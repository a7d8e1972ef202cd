//! What copy engines read: the ring and its packets.

pub(crate) mod packet;
pub(crate) mod ring;

//! Happens-before order between the host's own accesses and packets ([`pinned`](super::super::pinned)).

use super::{Known, Packet, with};

/// A kernel with this knowledge has completed. `speaks`: it has stored to memory that the host may poll. `takes`: it
/// may have waited for a store of the host.
pub fn kernel_ended(packet: Packet, known: &Known, speaks: bool, takes: bool) {
    with(|order| {
        let mut known = known.clone();
        known.add(packet);
        order.kernels.join(&known);
        if speaks {
            order.speakers.join(&known);
        }
        order.releases += u64::from(takes);
    });
}

/// Whether the host knows that the packet has completed.
pub fn host_knows(packet: Packet) -> bool {
    with(|order| order.host.includes(packet))
}

/// Whether a kernel after this completed packet may have notified the host of it by a store. `unseen`: kernels may
/// store to memory that the host polls without a check seeing it.
pub fn is_told_of(packet: Packet, unseen: bool) -> bool {
    with(|order| if unseen { &order.kernels } else { &order.speakers }.includes(packet))
}

/// Packets after this one that run now.
pub fn running_behind(packet: Packet) -> Vec<Packet> {
    with(|order| order.begun.iter().filter(|(_, known)| known.includes(packet)).map(|(packet, _)| *packet).collect())
}

/// Whether one of these still runs.
pub fn runs_one_of(packets: &[Packet]) -> bool {
    with(|order| packets.iter().any(|packet| order.begun.contains_key(packet)))
}

/// A counter that changes when work that waited for the host may begin: the host has changed a signal, a kernel has
/// acquired through a flag, or the origin of a signal's change is not known.
pub fn releases() -> u64 {
    with(|order| order.releases)
}

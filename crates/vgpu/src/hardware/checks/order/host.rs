//! Happens-before order between the host's own accesses and packets ([`pinned`](super::super::pinned)).

use super::{Known, Packet, with};

/// A kernel is over, which knows this. `speaks`: it has stored where the host may look. `takes`: it may have waited for what the host has stored.
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

/// Whether the host knows that it is over.
pub fn host_knows(packet: Packet) -> bool {
    with(|order| order.host.includes(packet))
}

/// Whether a kernel behind this packet, which is over, may have told the host so by what it stored. `unseen`: kernels may store where the host looks, and that is not seen.
pub fn is_told_of(packet: Packet, unseen: bool) -> bool {
    with(|order| if unseen { &order.kernels } else { &order.speakers }.includes(packet))
}

/// What runs now behind this packet.
pub fn running_behind(packet: Packet) -> Vec<Packet> {
    with(|order| order.begun.iter().filter(|(_, known)| known.includes(packet)).map(|(packet, _)| *packet).collect())
}

/// Whether one of these still runs.
pub fn runs_one_of(packets: &[Packet]) -> bool {
    with(|order| packets.iter().any(|packet| order.begun.contains_key(packet)))
}

/// A number that changes where something may begin that waited for the host: the host has let go a signal, a kernel has taken from a flag, or it is not known who changed a signal.
pub fn releases() -> u64 {
    with(|order| order.releases)
}

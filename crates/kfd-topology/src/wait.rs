//! Whether a chip's copy engines and packet processor can wait for a value in memory, by instruction set, because sysfs
//! does not report it.

/// The parts of a GPU that can wait for a value in memory.
#[derive(Clone, Copy)]
pub struct Waits {
    /// Whether POLL_REGMEM of a copy engine ends only when the condition holds. Of gfx90x except gfx90a it may end
    /// before: ROCm/rocm-systems#1469, which made ROCr wait on the host there (`sw_poll_workaround_` of `BlitSdma`).
    pub engines: bool,
    /// Whether the packet processor is known to have the barrier-value packet: where AMD's runtime uses it
    /// (`barrier_value_packet_` of ROCclr).
    pub queues: bool,
}

/// The waits of GPUs with this instruction set: major, minor and stepping.
pub fn of(version: (u32, u32, u32)) -> Waits {
    match version {
        (9, 0, 10) | (9, 4, 0..=2) => Waits { engines: true, queues: true },
        (9, 5, 0) => Waits { engines: true, queues: false },
        _ => Waits { engines: false, queues: false },
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn engines_of_gfx90x_do_not_wait_but_those_of_gfx90a() {
        for version in [(9, 0, 0), (9, 0, 6), (9, 0, 8), (9, 0, 12), (10, 3, 0)] {
            assert!(!of(version).engines, "{version:?}");
        }
        for version in [(9, 0, 10), (9, 4, 2), (9, 5, 0)] {
            assert!(of(version).engines, "{version:?}");
        }
    }

    #[test]
    fn queues_wait_for_values_where_amds_runtime_lets_them() {
        assert!(of((9, 0, 10)).queues && of((9, 4, 2)).queues);
        assert!(![(9, 0, 0), (9, 0, 6), (9, 0, 8), (9, 5, 0)].into_iter().any(|version| of(version).queues));
    }
}

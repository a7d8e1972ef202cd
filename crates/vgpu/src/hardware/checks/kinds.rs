//! The kinds of findings, as `vgpu check --only` names them.

use gcn::sanitizer::Wanted;

/// Accesses outside of a program's allocations.
pub const MEMORY: &str = "memory";
/// Accesses to LDS and device memory that nothing orders.
pub const RACE: &str = "race";
/// Accesses of kernels and copies, and of copies and the host, of which neither waits for the other.
pub const STREAM: &str = "stream";
/// Uninitialised loads.
pub const INIT: &str = "init";
/// Barriers that not all come to, and arguments and signals of packets that run.
pub const SYNC: &str = "sync";
/// Waves that end in front of a barrier.
pub const EXIT: &str = "exit";
/// Registers that are used before the load to them is waited for.
pub const WAIT: &str = "wait";
/// Memory that is not freed when the program ends.
pub const LEAK: &str = "leak";

/// The enabled checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Checks on waves.
    pub waves: Wanted,
    /// Unordered kernels and copies, which are found by checks on waves.
    pub streams: bool,
    /// Leaks.
    pub leaks: bool,
}

impl Kinds {
    /// The default checks.
    pub const USUAL: Kinds = Kinds { waves: Wanted::USUAL, streams: true, leaks: false };
}

/// A name that no kind has.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no kind of finding is called {0:?}; there are: {MEMORY}, {RACE}, {SYNC}, {STREAM}, {INIT}, {EXIT}, {WAIT}, {LEAK}"
)]
pub struct Unknown(String);

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Parses a list of kinds, separated by commas.
///
/// # Errors
/// The first name that no kind has.
pub fn parse(list: &str) -> Result<Kinds, Unknown> {
    let (mut streams, mut leaks) = (false, false);
    let mut waves = Wanted::NOTHING;
    for name in list.split(',') {
        match name {
            MEMORY => waves.strays = true,
            RACE => waves.races = true,
            STREAM => (waves.races, streams) = (true, true),
            INIT => waves.unwritten = true,
            SYNC => waves.barriers = true,
            EXIT => waves.ended = true,
            WAIT => waves.waits = true,
            LEAK => leaks = true,
            other => return Err(Unknown(other.to_owned())),
        }
    }
    Ok(Kinds { waves, streams, leaks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_what_is_wanted() {
        let wanted = |waves| Ok(Kinds { waves, streams: false, leaks: false });
        assert_eq!(parse("memory"), wanted(Wanted { strays: true, ..Wanted::NOTHING }));
        assert_eq!(parse("race"), wanted(Wanted { races: true, ..Wanted::NOTHING }));
        let races = Wanted { races: true, ..Wanted::NOTHING };
        assert_eq!(parse("stream"), Ok(Kinds { waves: races, streams: true, leaks: false }));
        assert_eq!(parse("sync"), wanted(Wanted { barriers: true, ..Wanted::NOTHING }));
        assert_eq!(parse("exit"), wanted(Wanted { ended: true, ..Wanted::NOTHING }));
        assert_eq!(parse("wait"), wanted(Wanted { waits: true, ..Wanted::NOTHING }));
        assert_eq!(parse("race,stream,sync,memory"), Ok(Kinds::USUAL));
        assert_eq!(parse("memory,race,sync"), wanted(Wanted::USUAL));
        assert_eq!(parse("memory,race,sync,stream,leak"), Ok(Kinds { leaks: true, ..Kinds::USUAL }));
        assert_eq!(parse("init,memory"), wanted(Wanted { strays: true, unwritten: true, ..Wanted::NOTHING }));
        for (list, unknown) in [("", ""), ("memory,", ""), ("races", "races"), ("memory, race", " race")] {
            assert_eq!(parse(list), Err(Unknown(unknown.to_owned())), "{list}");
        }
        let text =
            "no kind of finding is called \"races\"; there are: memory, race, sync, stream, init, exit, wait, leak";
        assert_eq!(parse("races").map_err(|error| format!("{error:?}")), Err(text.to_owned()));
    }
}

//! The kinds of findings that `vgpu check --only` names.

use gcn::bus::Wanted;

/// Accesses outside of what a program asked for.
pub const MEMORY: &str = "memory";
/// Accesses to LDS and device memory that nothing orders.
pub const RACE: &str = "race";
/// Loads of memory that nobody wrote.
pub const INIT: &str = "init";

/// Memory that is not freed when the program ends.
pub const LEAK: &str = "leak";

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// What waves do.
    pub waves: Wanted,
    /// What the program does not free.
    pub leaks: bool,
}

impl Kinds {
    /// What is looked for unless somebody says otherwise.
    pub const USUAL: Kinds = Kinds { waves: Wanted::USUAL, leaks: false };
}

/// A name that no kind has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no kind of finding is called {0:?}; there are: {MEMORY}, {RACE}, {INIT}, {LEAK}")]
pub struct Unknown(String);

/// What a list of kinds, separated by commas, asks for.
///
/// # Errors
/// The first name that no kind has.
pub fn parse(list: &str) -> Result<Kinds, Unknown> {
    let mut leaks = false;
    let mut waves = Wanted { strays: false, races: false, unwritten: false };
    for name in list.split(',') {
        match name {
            MEMORY => waves.strays = true,
            RACE => waves.races = true,
            INIT => waves.unwritten = true,
            LEAK => leaks = true,
            other => return Err(Unknown(other.to_owned())),
        }
    }
    Ok(Kinds { waves, leaks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_what_is_wanted() {
        let wanted = |strays, races, unwritten| Ok(Kinds { waves: Wanted { strays, races, unwritten }, leaks: false });
        assert_eq!(parse("memory"), wanted(true, false, false));
        assert_eq!(parse("race"), wanted(false, true, false));
        assert_eq!(parse("race,memory"), Ok(Kinds::USUAL));
        assert_eq!(parse("memory,race,leak"), Ok(Kinds { leaks: true, ..Kinds::USUAL }));
        assert_eq!(parse("init,memory"), wanted(true, false, true));
        for (list, unknown) in [("", ""), ("memory,", ""), ("races", "races"), ("memory, race", " race")] {
            assert_eq!(parse(list), Err(Unknown(unknown.to_owned())), "{list}");
        }
        let text = "no kind of finding is called \"races\"; there are: memory, race, init, leak";
        assert_eq!(parse("races").map_err(|error| error.to_string()), Err(text.to_owned()));
    }
}

//! The kinds of findings that `vgpu check --only` names.

use gcn::bus::Wanted;

/// Accesses outside of what a program asked for.
pub const MEMORY: &str = "memory";
/// Accesses to LDS that nothing orders.
pub const RACE: &str = "race";
/// Loads of memory that nobody wrote.
pub const INIT: &str = "init";

/// A name that no kind has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no kind of finding is called {0:?}; there are: {MEMORY}, {RACE}, {INIT}")]
pub struct Unknown(String);

/// What a list of kinds, separated by commas, asks for.
///
/// # Errors
/// The first name that no kind has.
pub fn parse(list: &str) -> Result<Wanted, Unknown> {
    let mut wanted = Wanted { strays: false, races: false, unwritten: false };
    for name in list.split(',') {
        match name {
            MEMORY => wanted.strays = true,
            RACE => wanted.races = true,
            INIT => wanted.unwritten = true,
            other => return Err(Unknown(other.to_owned())),
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_what_is_wanted() {
        let wanted = |strays, races, unwritten| Ok(Wanted { strays, races, unwritten });
        assert_eq!(parse("memory"), wanted(true, false, false));
        assert_eq!(parse("race"), wanted(false, true, false));
        assert_eq!(parse("race,memory"), Ok(Wanted::USUAL));
        assert_eq!(parse("init,memory"), wanted(true, false, true));
        for (list, unknown) in [("", ""), ("memory,", ""), ("races", "races"), ("memory, race", " race")] {
            assert_eq!(parse(list), Err(Unknown(unknown.to_owned())), "{list}");
        }
        let text = "no kind of finding is called \"races\"; there are: memory, race, init";
        assert_eq!(parse("races").map_err(|error| error.to_string()), Err(text.to_owned()));
    }
}

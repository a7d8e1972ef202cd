//! The last instructions of a wave before an access (`--replay`).

use super::files::{Files, Line};
use super::report::{hexadecimal, lines_to_json};
use serde_json::{Map, Value, json};
use std::fmt;

/// The last instructions of a wave, ending with the access. Empty without `--replay`.
pub struct Trail(Vec<Step>);

/// An instruction.
struct Step {
    /// Function and offset.
    place: String,
    text: String,
    lines: Vec<Line>,
}

impl Trail {
    /// Parses the device's list. Each entry has the address in the code object `object`, the place and the text,
    /// separated by spaces.
    pub fn of(list: Option<&Value>, object: Option<&str>, files: &mut Files) -> Trail {
        let list = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let step = |step: &str| {
            let (address, step) = step.split_once(' ')?;
            let (place, text) = step.split_once(' ')?;
            let found = object.zip(hexadecimal(address)).map(|(object, address)| files.in_code(object, address));
            let lines = found.unwrap_or_default().lines;
            Some(Step { place: place.to_owned(), text: text.to_owned(), lines })
        };
        Trail(list.filter_map(step).collect())
    }

    /// Adds it to the fields of a finding.
    pub fn add_to(&self, all: &mut Map<String, Value>) {
        let step =
            |step: &Step| json!({ "place": step.place, "instruction": step.text, "lines": lines_to_json(&step.lines) });
        if !self.0.is_empty() {
            all.insert("trail".to_owned(), self.0.iter().map(step).collect());
        }
    }

    /// Lines for people.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn fmt_of(&self, wave: u64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() {
            writeln!(f, "    the last that wave {wave} executed:")?;
        }
        for Step { place, text, lines } in &self.0 {
            // The line of the access has the function, mostly.
            let offset = place.rfind('+').map_or(place.as_str(), |plus| &place[plus..]);
            write!(f, "        {offset:8}{text}")?;
            match lines.first() {
                Some(Line { file, line, .. }) => writeln!(f, "    {}:{line}", file.rsplit('/').next().unwrap_or(file))?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    struct Shown(Trail);

    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.fmt_of(3, f)
        }
    }

    #[test]
    fn a_trail_is_shown_and_written() {
        let mut files = Files::new(Path::new("/nonexistent"));
        let list = json!(["0x1040 _Z3sumPi+0x40 s_barrier", "0x1044 _Z3sumPi+0x44 ds_read_b32 v1, v2 offset:4"]);
        let trail = Trail::of(Some(&list), None, &mut files);
        let mut all = Map::new();
        trail.add_to(&mut all);
        let step = |place, text| json!({ "place": place, "instruction": text, "lines": [] });
        let last = step("_Z3sumPi+0x44", "ds_read_b32 v1, v2 offset:4");
        assert_eq!(all["trail"], json!([step("_Z3sumPi+0x40", "s_barrier"), last]));
        let text = "    the last that wave 3 executed:\n        +0x40   s_barrier\n        +0x44   ds_read_b32 v1, v2 offset:4\n";
        assert_eq!(Shown(trail).to_string(), text);
        let none = Trail::of(None, None, &mut files);
        none.add_to(&mut Map::new());
        assert_eq!(Shown(none).to_string(), "");
    }
}

//! Writes an HTML file with a recording and the site's viewer (docs/viewer), which needs no network.

use crate::recording::{NoRecording, Recording};
use serde_json::json;

/// Most events that a page shows: a browser has an element for each in the time line and another in the list.
pub const MOST_EVENTS: usize = 20_000;

/// The viewer's scripts in the order in which they run, without those that need the site's other pages.
const SCRIPTS: [&str; 5] = [
    include_str!("../viewer/packet.js"),
    include_str!("../viewer/glossary.js"),
    include_str!("../viewer/perfetto.js"),
    include_str!("../viewer/timeline.js"),
    include_str!("../viewer/viewer.js"),
];

/// The colours that the viewer takes from the site's theme, light and dark.
const STYLE: &str = "
html { font-size: 62.5%; }
body {
    --bg: #fff; --fg: #222; --links: #2060b0; --table-border-color: #ccc; --table-alternate-bg: #f4f4f4; --mono-font: monospace;
    margin: 0 1.5rem; font: 1.6rem sans-serif; background: var(--bg); color: var(--fg);
}
a { color: var(--links); }
@media (prefers-color-scheme: dark) {
    body { --bg: #16181c; --fg: #ddd; --links: #7ab0ff; --table-border-color: #444; --table-alternate-bg: #22252b; }
}
";

/// A page, and what of the recording is in it.
#[derive(Debug)]
pub struct Page {
    /// The file of HTML.
    pub html: String,
    /// Events that the viewer could show.
    pub events: usize,
}

/// Makes the page of a recording (lines of JSON), called `name`, from a time on, with at most [`MOST_EVENTS`] events.
/// `program`, the recorded command, is only displayed.
///
/// The page may load nothing, from this machine or another: its policy forbids it.
///
/// # Errors
/// If a line is no JSON, or there is nothing to be shown.
pub fn page(name: &str, program: &str, trace: &str, from: u64) -> Result<Page, NoRecording> {
    let mut recording = Recording::read(trace, from, u64::MAX)?;
    let events = recording.shorten(MOST_EVENTS);
    let shown =
        if events > MOST_EVENTS { format!("; the first {MOST_EVENTS} of {events} events") } else { String::new() };
    let script = recording.script("recording", "recorded", &json!({}), &format!("{program}{shown}"), "");
    let title = name.replace('&', "&amp;").replace('<', "&lt;");
    // Texts of the recording are in strings of JSON, where this is the same character. In HTML it could end the script.
    let script = script.replace('<', "\\u003c");
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{STYLE}{}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n\
         <div class=\"recording\" data-recording=\"recording\" data-stacks=\"recorded\"></div>\n</main>\n\
         <script>window.recording = (...given) => {{ window.recordings = [given]; }};\n{script}</script>\n",
        include_str!("../viewer/viewer.css"),
    );
    html.extend(SCRIPTS.map(|script| format!("<script>{script}</script>\n")));
    html.push_str("</body>\n</html>\n");
    Ok(Page { html, events })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: usize, name: &str) -> String {
        format!(
            "{}\n",
            json!({ "id": id, "kind": "call", "layer": "hip", "name": name, "pid": 7, "tid": 7, "ns": 2 * id, "dur": 1, "args": {} })
        )
    }

    #[test]
    fn a_page_holds_the_recording_and_loads_nothing() {
        let made = page("a <b> & c.jsonl", "./a", &[event(0, "hipInit"), event(1, "</script><!--")].concat(), 0)
            .expect("a page");
        assert_eq!(made.events, 2);
        assert!(made.html.contains(r#""n":"hipInit""#) && made.html.contains(r#""n":"\u003c/script>\u003c!--""#));
        assert!(made.html.contains("command: \"./a\",\n"));
        assert!(made.html.contains("<title>a &lt;b> &amp; c.jsonl</title>"));
        assert_eq!(made.html.matches("</script>").count(), SCRIPTS.len() + 1);
        // A namespace's name, which is no address.
        let text = made.html.replace("http://www.w3.org/2000/svg", "");
        for address in ["http:", "https:", "//cdn", "@import", "url(", " src=\"", "<link", "path_to_root =", "fetch("] {
            assert!(!text.contains(address), "{address}");
        }
    }

    #[test]
    fn a_page_begins_where_it_is_told_and_has_an_end() {
        let trace: String = (0..MOST_EVENTS + 10).map(|id| event(id, &format!("hip{id}"))).collect();
        let made = page("run.jsonl", "./a", &trace, 2 * 7).expect("a page");
        assert_eq!(made.events, MOST_EVENTS + 3);
        assert!(!made.html.contains("\"hip6\"") && made.html.contains("\"hip7\""));
        let last = MOST_EVENTS + 6;
        assert!(made.html.contains(&format!("\"hip{last}\"")) && !made.html.contains(&format!("\"hip{}\"", last + 1)));
        assert!(made.html.contains(&format!("the first {MOST_EVENTS} of {} events", made.events)));
        assert!(page("run.jsonl", "./a", &trace, u64::MAX).is_err());
    }
}

//! Writes findings as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"), which code hosts show next to
//! the source lines.

use super::files::Line;
use super::report::Finding;
use serde_json::{Value, json};
use std::path::Path;

/// What each finding is called, and what it means.
const RULES: &[(&str, &str)] = &[
    ("out-of-bounds", "A kernel accesses memory outside of an allocation"),
    ("use-after-free", "A kernel accesses memory that was freed"),
    ("double-free", "The program frees memory that is freed already"),
    ("invalid-free", "The program frees memory by an address inside an allocation"),
    ("mismatched-free", "The program frees device memory as pinned memory of the host, or the other way round"),
    ("memory-fault", "A kernel accesses memory that is not mapped for it"),
    ("lds-out-of-bounds", "A kernel accesses LDS that its work-group does not have"),
    ("uninitialized", "A kernel loads device memory that nobody wrote"),
    ("scratch-uninitialized", "A work-item loads private memory that nobody wrote"),
    ("lds-uninitialized", "A kernel loads from LDS what no wave of its work-group wrote"),
    ("kernarg-out-of-bounds", "A kernel loads an argument that it does not have"),
    ("scratch-out-of-bounds", "A work-item accesses private memory that it does not have"),
    ("leak", "The program does not free memory that it allocated"),
    (
        "device-race",
        "Two waves, or two work-items by one store, access the same bytes of device memory, and nothing orders them",
    ),
    ("dispatch-race", "Two kernels, or a kernel and a copy, access the same bytes, and neither waits for the other"),
    ("host-race", "The host uses pinned memory before it knows that a copy there is over"),
    ("barrier", "Waves or work-items of a work-group do not all come to a barrier"),
    ("ended-before-barrier", "A wave ends in front of a barrier that others of its work-group come to"),
    ("missing-wait", "A kernel uses a register before the load to it is waited for"),
    ("kernarg-changed", "The program changes the arguments of a kernel that runs"),
    ("signal-reused", "The program uses the completion signal of a packet that is not over for another one"),
    ("signal-destroyed", "The program destroys the completion signal of a packet that is not over"),
    (
        "race",
        "Two waves of a work-group, or two work-items by one store, access the same bytes of LDS, and no barrier orders them",
    ),
];

/// Parts of a report other than findings.
#[derive(Default)]
pub struct Notes<'a> {
    /// Why no kernel ran, if none did.
    pub without_kernel: Option<&'a str>,
    /// The text about work that had not completed when the program ended.
    pub unfinished: Option<&'a str>,
}

/// The findings as SARIF. Paths below `root` are relative to it.
pub fn report(findings: &[Finding], notes: &Notes, root: &Path) -> Value {
    let rules: Vec<Value> =
        RULES.iter().map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } })).collect();
    let results: Vec<Value> = findings.iter().map(|finding| result(finding, root)).collect();
    let driver = json!({ "name": "vgpu check", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules });
    let note = |level: &str, text: String| json!({ "level": level, "message": { "text": text } });
    let without_kernel =
        notes.without_kernel.map(|why| note("warning", format!("no kernel ran, so nothing was looked at: {why}")));
    let unfinished = notes.unfinished.map(|text| note("error", text.to_owned()));
    let notifications: Vec<Value> = without_kernel.into_iter().chain(unfinished).collect();
    let is_complete = notes.unfinished.is_none();
    let invocation = json!({ "executionSuccessful": is_complete, "toolExecutionNotifications": notifications });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "invocations": [invocation], "results": results }],
    })
}

fn result(finding: &Finding, root: &Path) -> Value {
    let [own, other] = finding.places();
    let kernel = finding.kernels().next();
    let mut location = own_line(&own.lines, root).map_or(json!({}), |line| json!({ "physicalLocation": line }));
    if let Some(kernel) = kernel {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": kernel, "kind": "function" }]);
    }
    let mut result = json!({
        "ruleId": finding.kind(),
        // A program cannot change the runtime.
        "level": if finding.is_of_runtime() { "note" } else { "error" },
        "properties": { "whose": finding.whose() },
        "message": { "text": finding.to_string().trim_start_matches("check: ") },
        "locations": [location],
        "occurrenceCount": finding.count(),
    });
    if let Some(line) = own_line(&other.lines, root) {
        let text = "the other access";
        result["relatedLocations"] = json!([{ "id": 1, "message": { "text": text }, "physicalLocation": line }]);
    }
    result
}

/// The innermost line of a file below `root`; of the others, such as headers of HIP's, only if there is no such.
fn own_line(lines: &[Line], root: &Path) -> Option<Value> {
    let line = lines.iter().find(|line| Path::new(&line.file).starts_with(root)).or(lines.first())?;
    let file = match Path::new(&line.file).strip_prefix(root) {
        Ok(below) => uri(&below.to_string_lossy()),
        Err(_) if line.file.starts_with('/') => format!("file://{}", uri(&line.file)),
        Err(_) => uri(&line.file),
    };
    // Compilers give what has no line of its own the line 0, which SARIF has not.
    Some(json!({ "artifactLocation": { "uri": file }, "region": { "startLine": line.line.max(1) } }))
}

/// A path as a part of a URI (RFC 3986, "Unreserved Characters").
fn uri(path: &str) -> String {
    let stays = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let one = |byte: u8| if stays(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::files::Files;
    use super::*;

    fn line(file: &str, line: u32) -> Line {
        Line { function: "f".to_owned(), file: file.to_owned(), line }
    }

    #[test]
    fn lines_are_named_from_the_root() {
        let of = |lines: &[Line]| own_line(lines, Path::new("/home/me/my code"));
        let at = |uri: &str, line: u32| json!({ "artifactLocation": { "uri": uri }, "region": { "startLine": line } });
        let header = line("/opt/rocm/include/hip/a+b.h", 7);
        let own = [header.clone(), line("/home/me/my code/src/ä #1.hip", 12), line("/home/me/my code/main.hip", 3)];
        assert_eq!(of(&own), Some(at("src/%C3%A4%20%231.hip", 12)));
        assert_eq!(of(&[header]), Some(at("file:///opt/rocm/include/hip/a%2Bb.h", 7)));
        assert_eq!(of(&[line("kernel.cl", 0)]), Some(at("kernel.cl", 1)));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn findings_without_lines_are_of_their_kernels() {
        let written = [
            r#"{"finding":"lds-out-of-bounds","access":"read","pid":1,"id":1,"kernel":"_Z3sumPi","address":"0x400","lds_bytes":1024}"#,
            r#"{"pid":1,"id":1,"count":5}"#,
        ];
        let findings = Finding::all(&written.join("\n"), &mut Files::new(Path::new("/nonexistent")));
        let whole = report(&findings, &Notes::default(), Path::new("/"));
        assert_eq!(whole["version"], "2.1.0");
        let run = &whole["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!((&results[0]["ruleId"], &results[0]["occurrenceCount"]), (&json!("lds-out-of-bounds"), &json!(5)));
        let kernel = json!([{ "logicalLocations": [{ "fullyQualifiedName": "sum(int*)", "kind": "function" }] }]);
        assert_eq!(results[0]["locations"], kernel);
        let text = results[0]["message"]["text"].as_str().unwrap();
        assert!(text.starts_with("load outside of the work-group's LDS, by kernel sum(int*), 5 times\n"), "{text}");
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert!(rules.iter().any(|rule| rule["id"] == results[0]["ruleId"]), "{rules:?}");
        assert_eq!(report(&[], &Notes::default(), Path::new("/"))["runs"][0]["results"], json!([]));
    }

    #[test]
    fn what_is_told_of_private_memory_arguments_and_lds() {
        let written = [
            r#"{"finding":"scratch-out-of-bounds","access":"write","pid":1,"id":1,"kernel":"_Z1fv","address":"0x40","scratch_bytes":64,"bytes_behind":0}"#,
            r#"{"finding":"kernarg-out-of-bounds","access":"read","pid":1,"id":2,"kernel":"_Z1fv","address":"0x1020","kernarg":"0x1000","kernarg_bytes":24,"bytes_behind":8}"#,
            r#"{"finding":"lds-uninitialized","access":"read","pid":1,"id":3,"kernel":"_Z1fv","address":"0x190"}"#,
        ];
        let findings = Finding::all(&written.join("\n"), &mut Files::new(Path::new("/nonexistent")));
        let whole = report(&findings, &Notes::default(), Path::new("/"));
        let run = &whole["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let results = run["results"].as_array().unwrap();
        for (result, (first, last)) in results.iter().zip([
            (
                "store outside of the work-item's private memory, by kernel f(), 1 time\n",
                "at 0x40 of private memory, of which the work-item has 64 bytes",
            ),
            (
                "load behind the kernel's arguments, by kernel f(), 1 time\n",
                "at 0x1020, 8 bytes behind the end of the 24 bytes of arguments at 0x1000",
            ),
            ("load of LDS that no wave of the work-group has written, by kernel f(), 1 time\n", "at 0x190 of LDS"),
        ]) {
            let text = result["message"]["text"].as_str().unwrap();
            assert!(text.starts_with(first) && text.ends_with(last), "{text}");
            assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]), "{rules:?}");
        }
        assert_eq!(results.len(), 3);
    }
}

use super::variables::{default_in, default_of};
use super::{source, step, steps};

const TEXT: &str = "int run(int);\nint Queue::run(int a) const {\n  if (a) { ring(a); }\n  return 1;\n}\nQueue::Queue(int a)\n    : a_(a) {\n  prepare();\n}\nint main() { if (run(2)) { stop(); } return ringing(1); }\n";

#[test]
fn a_function_is_found_where_it_is_defined_and_nowhere_else() {
    assert!(source::body(TEXT, "Queue::run").expect("defined").ends_with("return 1;\n}"));
    assert!(source::body(TEXT, "Queue::Queue").expect("a constructor").contains("prepare"));
    assert_eq!(source::body(TEXT, "run"), None, "declared and called only");
    assert_eq!(source::body(TEXT, "stop"), None);
}

#[test]
fn a_function_is_in_the_line_of_its_definition() {
    let line = |name| source::line_of(TEXT, source::body(TEXT, name).expect("defined"));
    assert_eq!([line("Queue::run"), line("Queue::Queue"), line("main")], [2, 6, 10]);
}

#[test]
fn a_call_is_a_whole_word_with_a_bracket() {
    let run = source::body(TEXT, "Queue::run").expect("defined");
    assert!(source::has_call(run, "ring"));
    let main = source::body(TEXT, "main").expect("defined");
    assert!(!source::has_call(main, "ring"), "ringing is another function");
}

#[test]
fn rows_of_the_pages_are_well_formed() {
    let steps = steps().expect("the pages' chains");
    for step in &steps {
        let Some(caller) = &step.caller else { continue };
        let found = steps.iter().any(|other| other.page == step.page && other.number == *caller);
        assert!(found, "{} step {} is called by {caller}, which is no step", step.page, step.number);
    }
}

#[test]
fn a_row_of_an_unknown_source_or_version_is_refused() {
    let row = |link: &str, version: &str| format!("| 1 | - | [`f`]({link}) | {version} | does it |");
    let clr = "https://github.com/ROCm/clr/blob/rocm-6.4.3/a.cpp";
    assert!(step("page", &row(clr, "6.4.3, 5.7.1")).is_ok());
    assert_eq!(step("page", &row(&format!("{clr}#L7"), "6.4.3")).expect("a row with a line").line, Some(7));
    assert!(step("page", &row(&format!("{clr}#L7a"), "6.4.3")).is_err());
    assert!(step("page", &row(clr, "6.4.4")).is_err());
    assert!(step("page", &row("https://github.com/ROCm/clr/blob/develop/a.cpp", "6.4.3")).is_err());
}

#[test]
fn defaults_are_those_of_the_version() {
    let flags = "release(bool, A_FLAG, true, \\\n \"what\") \\\nrelease(cstring, B, \"\", \\\n \"what\")";
    assert_eq!(default_in(flags, "A_FLAG"), Some("1"));
    assert_eq!(default_in(flags, "B"), Some("none"));
    assert_eq!(default_in(flags, "FLAG"), None);
    assert_eq!(default_of("64; 32 in 5.7.1", "5.7.1"), "32");
    assert_eq!(default_of("64; 32 in 5.7.1", "6.4.3"), "64");
}

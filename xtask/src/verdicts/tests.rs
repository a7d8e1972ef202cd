use super::*;

#[test]
fn cases_are_read_from_a_list() {
    let case = Case::read("push-item\tatomicBug\trace,device-race").expect("a case");
    assert_eq!((case.name.as_str(), case.planted.as_str()), ("push-item", "atomicBug"));
    assert_eq!(case.told, ["race", "device-race"]);
    assert_eq!(Case::read("push-item\tnothing\tnothing").expect("a case").told, [""; 0]);
    assert!(Case::read("usage: push-item").is_err());
}

#[test]
fn the_table_counts_each_kind_of_fault() {
    let ran = |suite, planted: &str, came| Ran {
        suite,
        name: "case".to_owned(),
        planted: planted.to_owned(),
        came,
        told: if came == Came::FalseAlarm { vec!["race".to_owned()] } else { Vec::new() },
    };
    let report = Report {
        ran: vec![
            ran("graphs", "atomicBug", Came::Told),
            ran("graphs", "nothing", Came::FalseAlarm),
            ran("graphs", "atomicBug", Came::ToldWithSeed),
            ran("graphs", "atomicBug", Came::Quiet),
            ran("litmus", "no fence", Came::Missed),
            ran("litmus", "nothing", Came::Failed),
        ],
    };
    let text = report.to_string();
    for line in [
        "| graphs | atomicBug | 2 | 2 | 0 | 1 | 1 | 0 | 1.000 | 1.000 |",
        "| graphs | nothing | 0 | 0 | 0 | 0 | 1 | 1 | 0.000 |  |",
        "| graphs | **all** | 2 | 2 | 0 | 1 | 2 | 1 | 0.667 | 1.000 |",
        "| litmus | no fence | 1 | 0 | 1 | 0 | 0 | 0 |  | 0.000 |",
        "| **all** |  | 3 | 2 | 1 | 1 | 3 | 1 | 0.667 | 0.667 |",
        "false alarm: graphs: case (nothing); told: race",
        "missed: litmus: case (no fence)",
        "failed: litmus: case (nothing)",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
}

use super::*;

#[test]
fn kernels_are_read_from_hips_log() {
    let log = "\
:3:rocvirtual.cpp :2901: 1 us: [pid:3 tid:0x7f] ShaderName : _Z3sumPi
:4:rocvirtual.cpp :891 : 2 us: [pid:3 tid:0x7f] HWq=0x7f, Dispatch Header = 0xb02, setup=3, grid=[4096, 1, 1], workgroup=[256, 1, 1], private_seg_size=0
:3:rocvirtual.cpp :2901: 3 us: [pid:3 tid:0x7f] ShaderName : _Z3sumPi
:4:rocvirtual.cpp :891 : 4 us: [pid:3 tid:0x7f] HWq=0x7f, Dispatch Header = 0xb02, setup=3, grid=[64, 1, 1], workgroup=[64, 1, 1], private_seg_size=0
:3:rocvirtual.cpp :2901: 5 us: [pid:3 tid:0x7f] ShaderName : _Z4tilePf
:4:rocvirtual.cpp :891 : 6 us: [pid:3 tid:0x7f] HWq=0x7f, Dispatch Header = 0xb02, setup=3, grid=[64, 64, 1], workgroup=[16, 16, 1], private_seg_size=0
";
    let expected = BTreeMap::from([("_Z3sumPi".to_owned(), 256), ("_Z4tilePf".to_owned(), 256)]);
    assert_eq!(dispatched(log), expected);
}

#[test]
fn the_table_counts_each_library_and_all() {
    let kernel = |library, name: &str, came: &[(What, Came)]| Kernel {
        library,
        case: "case".to_owned(),
        name: name.to_owned(),
        taken: (0..)
            .zip(came)
            .map(|(number, &(what, came))| Taken { what, number, offset: 0, came, schedule: None })
            .collect(),
    };
    let report = Report {
        kernels: vec![
            kernel(
                "rocblas",
                "dot",
                &[Came::Told { wrong: true }, Came::Nothing, Came::NotReached].map(|came| (What::Barrier, came)),
            ),
            kernel("rocblas", "nrm2", &[(What::Barrier, Came::Told { wrong: false })]),
            kernel(
                "rocprim",
                "scan",
                &[
                    (What::Barrier, Came::OneWave),
                    (What::Barrier, Came::Wrong),
                    (What::Fence, Came::Told { wrong: false }),
                ],
            ),
        ],
        left_out: Vec::new(),
    };
    let text = report.to_string();
    for line in [
        "| barrier | rocblas | 2 | 4 | 2 | 0 | 0 | 1 | 1 |",
        "| barrier | rocprim | 1 | 2 | 0 | 1 | 1 | 0 | 0 |",
        "| barrier | all | 3 | 6 | 2 | 1 | 1 | 1 | 1 |",
        "| fence | rocprim | 1 | 1 | 1 | 0 | 0 | 0 | 0 |",
        "| fence | all | 1 | 1 | 1 | 0 | 0 | 0 | 0 |",
        "nothing: barrier 1 of dot",
        "wrong: barrier 1 of scan",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
}

#[test]
fn of_many_barriers_some_are_taken() {
    assert_eq!(sample(0, MOST).count(), 0);
    assert_eq!(sample(3, MOST).collect::<Vec<_>>(), [0, 1, 2]);
    let some: Vec<usize> = sample(100, MOST).collect();
    assert_eq!((some.len(), some[0], some[1], some[MOST - 1]), (MOST, 0, 4, 95));
}

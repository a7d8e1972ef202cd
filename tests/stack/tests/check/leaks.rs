//! `vgpu check --only leak`: memory that is not freed when the program ends.

use serde_json::{Value, json};

use super::{findings, findings_of, has, is_by, is_in};

/// Not what is freed in functions that run when the process ends, nor what the runtime has for itself.
#[test]
fn programs_that_free_all_have_no_leaks() {
    stack_tests::needs_vgpu!();
    for kinds in ["leak", "memory,leak"] {
        assert_eq!(findings_of(&["--only", kinds], "leaks", "freed", 4 * 64).0, [] as [Value; 0], "{kinds}");
    }
    assert_eq!(findings("leaks", "leaked", 4 * 64), [] as [Value; 0], "not wanted");
}

#[test]
fn what_is_not_freed_is_told_by_who_allocated_it() {
    stack_tests::needs_vgpu!();
    for kinds in ["leak", "memory,leak"] {
        let (leaks, said) = findings_of(&["--only", kinds], "leaks", "leaked", 4 * 64);
        assert_eq!(leaks.len(), 2, "{leaks:#?}");
        let source = include_str!("../../programs/leaks.hip");
        let expected: [(u64, u64, &str, &[&str]); 2] = [
            (2, 8000, "hipMalloc", &["// of all", "// two of one line"]),
            (1, 5000, "hipHostMalloc", &["// one of another"]),
        ];
        for (leak, (count, bytes, by, lines)) in leaks.iter().zip(expected) {
            has(leak, json!({ "finding": "leak", "count": count, "bytes": bytes }));
            is_by(&leak["allocated"], by);
            lines.iter().for_each(|line| is_in("leaks.hip", source, &leak["lines"], line));
        }
        for text in [
            "leak: 2 allocations of 8000 bytes in all, not freed when",
            "not freed: 3 allocations of 13000 bytes in all",
        ] {
            assert!(said.contains(text), "{text}: {said}");
        }
    }
}

/// And not what OpenCL's runtime has for itself, which allocates more in the same call where it copies.
#[test]
fn memory_of_opencl_is_told_too() {
    stack_tests::needs_vgpu!();
    stack_tests::needs_amd_opencl!();
    let (leaks, _) = findings_of(&["--only", "leak"], "uninitialized_opencl", "right", 5 * 1024);
    // Nothing but five buffers and the results of each.
    assert_eq!(leaks.len(), 10, "{leaks:#?}");
    for leak in &leaks {
        has(leak, json!({ "finding": "leak", "count": 1, "bytes": 4096 }));
        assert_eq!(leak["allocated"]["by"], "clCreateBuffer", "{leak:#}");
    }
}

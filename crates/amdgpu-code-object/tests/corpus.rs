//! Replays the inputs that fuzzing has found (`fuzz/corpus`) through the check of the fuzz target.

#[path = "support/untrusted.rs"]
mod untrusted;

use amdgpu_code_object::{CodeObject, Version};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/code_object");

#[test]
fn code_object() {
    test_corpus::replay("code_object", untrusted::code_object);
}

/// A seed whose last segment has 3 GiB of memory. Reading it takes none of that, and it says how much whoever loads it
/// would need.
#[test]
fn a_small_file_may_ask_for_gigabytes() {
    let bytes = std::fs::read(format!("{FOLDER}/saxpy-v5-3-GiB")).expect("a seed");
    let object = CodeObject::parse(&bytes).expect("nothing is wrong with it");
    assert!(bytes.len() < 11 << 10);
    assert_eq!((object.image_bytes(), object.excess_bytes()), (3 << 30, (3 << 30) - bytes.len() as u64));
    let small = std::fs::read(format!("{FOLDER}/saxpy-v5")).expect("a seed");
    let small = CodeObject::parse(&small).expect("a code object");
    // Segments start at pages, which the file does not have to fill.
    assert!(small.excess_bytes() < 64 << 10, "{}", small.excess_bytes());
}

/// The seeds are the same kernel in each version (`fuzz/saxpy.cl`), so there is one of each even where no compiler is.
#[test]
fn seeds_of_each_version_are_accepted() {
    for (file, version, target) in [
        ("saxpy-v3", Version::V3, "gfx908:sramecc+:xnack+"),
        ("saxpy-v4", Version::V4, "gfx908"),
        ("saxpy-v5", Version::V5, "gfx908"),
        ("saxpy-v6", Version::V6, "gfx908"),
    ] {
        let bytes = std::fs::read(format!("{FOLDER}/{file}")).expect("a seed");
        let object = CodeObject::parse(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!((object.version(), object.target().to_string().as_str()), (version, target));
        let kernel = object.kernel("saxpy").expect("the kernel");
        assert_eq!((kernel.argument_count(), kernel.kernarg_bytes(), kernel.needs().count()), (4, 24, 0));
        let places: Vec<(u32, u32)> = kernel.metadata().args.iter().map(|a| (a.offset, a.size)).collect();
        assert_eq!(places, [(0, 8), (8, 8), (16, 4), (20, 4)]);
    }
}

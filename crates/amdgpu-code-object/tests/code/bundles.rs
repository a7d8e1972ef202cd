//! Offload bundles: clang's, and some made by hand.

use std::process::Command;

use amdgpu_code_object::{self as code, Bundle, Error, TargetId};
use proptest::prelude::*;

use crate::compile::{Temporary, tool};

const HIP: &str = "#define __global__ __attribute__((global))
extern \"C\" __global__ void add(int *p, int n) { p[__builtin_amdgcn_workitem_id_x()] += n; }";

/// What clang makes of a HIP source for these targets. `None` if it cannot here, such as without clang-offload-bundler.
fn hip(targets: &[&str], options: &[&str]) -> Option<Vec<u8>> {
    let bundler = tool("clang-offload-bundler", 19);
    Command::new(bundler).arg("--version").output().ok().filter(|output| output.status.success())?;
    let (source, output) = (Temporary::new(HIP.as_bytes()), Temporary::new(&[]));
    let mut command = Command::new(tool("clang", 19));
    command.args(["-x", "hip", "--cuda-device-only", "--gpu-bundle-output", "-O2"]);
    command.args(["-nogpulib", "-nogpuinc", "-nostdinc"]).args(options);
    command.args(targets.iter().map(|target| format!("--offload-arch={target}")));
    let result = command.arg(source.path()).arg("-o").arg(output.path()).output().expect("clang");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    Some(std::fs::read(output.path()).expect("a bundle"))
}

fn device(text: &str) -> TargetId {
    text.parse().expect("a target ID")
}

/// A bundle as the format's description says.
fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let table: usize = 32 + entries.iter().map(|(id, _)| 24 + id.len()).sum::<usize>();
    let mut offset = table.next_multiple_of(64);
    let mut bytes = Bundle::MAGIC.to_vec();
    bytes.extend((entries.len() as u64).to_le_bytes());
    for (id, contents) in entries {
        for number in [offset, contents.len(), id.len()] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(id.as_bytes());
        offset += contents.len();
    }
    bytes.resize(table.next_multiple_of(64), 0);
    bytes.extend(entries.iter().flat_map(|(_, contents)| *contents));
    bytes
}

#[test]
fn the_code_for_a_device_is_found_in_clangs_bundle() {
    let Some(bytes) = hip(&["gfx908:xnack-", "gfx908:xnack+", "gfx90a"], &[]) else {
        test_skip::skip!("clang-offload-bundler is not there");
    };
    let bundle = Bundle::parse(&bytes).expect("a bundle");
    let targets: Vec<Option<String>> =
        bundle.entries().iter().map(|entry| entry.target().map(|target| target.to_string())).collect();
    let expected = [None, Some("gfx908:xnack+"), Some("gfx908:xnack-"), Some("gfx90a")];
    assert_eq!(targets, expected.map(|target| target.map(str::to_owned)));
    for (name, target) in [
        ("gfx908:sramecc+:xnack-", "gfx908:xnack-"),
        ("gfx908:sramecc-:xnack+", "gfx908:xnack+"),
        ("gfx90a:sramecc+:xnack+", "gfx90a"),
    ] {
        let object = code::find(&bytes, &device(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(object.target().to_string(), target);
        assert_eq!(object.kernel("add").expect("a kernel").argument_count(), 2);
    }
    let error = code::find(&bytes, &device("gfx906:sramecc+:xnack-")).expect_err("not for gfx906");
    assert_eq!(
        error.to_string(),
        "no code object of the bundle is for gfx906:sramecc+:xnack-; it has host-x86_64-unknown-linux--, \
         hipv4-amdgcn-amd-amdhsa--gfx908:xnack+, hipv4-amdgcn-amd-amdhsa--gfx908:xnack-, hipv4-amdgcn-amd-amdhsa--gfx90a"
    );
}

#[test]
fn a_compressed_bundle_is_named() {
    let Some(bytes) = hip(&["gfx908"], &["--offload-compress"]) else {
        test_skip::skip!("clang-offload-bundler is not there");
    };
    let error = code::find(&bytes, &device("gfx908")).expect_err("compressed");
    assert_eq!(error, Error::Compressed { version: 2 });
    assert!(error.to_string().contains("--no-offload-compress"), "{error}");
    let unpacked = code::unpack(&bytes).expect("clang's");
    let object = code::find(&unpacked, &device("gfx908")).expect("a code object");
    assert_eq!(object.kernel("add").expect("a kernel").argument_count(), 2);
}

/// A seed of the fuzz target: clang's, or the same contents by another method or version.
fn compressed(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/fuzz/corpus/code_object/{name}", env!("CARGO_MANIFEST_DIR"))).expect("a seed")
}

const COMPRESSED: [(&str, usize); 3] = [("bundle-zlib-v1", 20), ("bundle-zstd-v2", 24), ("bundle-zstd-v3", 32)];

#[test]
fn bundles_are_unpacked_in_all_versions_and_by_both_methods() {
    for (name, _) in COMPRESSED {
        let mut bytes = compressed(name);
        let error = code::find(&bytes, &device("gfx908")).expect_err("compressed");
        assert_eq!(error, Error::Compressed { version: name.as_bytes()[name.len() - 1] as u16 - b'0' as u16 });
        let unpacked = code::unpack(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let object = code::find(&unpacked, &device("gfx908")).expect("a code object");
        assert_eq!(object.kernel("add").expect("a kernel").argument_count(), 2);
        // As in a program that has several.
        let unpacked = unpacked.into_owned();
        bytes.extend([0x55; 100]);
        assert_eq!(code::unpack(&bytes).expect("what follows is not its own"), unpacked, "{name}");
    }
    let plain = code::unpack(b"anything else").expect("as it is");
    assert!(matches!(plain, std::borrow::Cow::Borrowed(b"anything else")));
}

#[test]
fn what_a_compressed_bundle_says_of_itself_is_not_trusted() {
    let refused = |bytes: &[u8], words: &str| {
        let error = code::unpack(bytes).expect_err(words).to_string();
        assert!(error.contains(words), "{words}: {error}");
    };
    let with = |name: &str, at: usize, number: &[u8]| {
        let mut bytes = compressed(name);
        bytes[at..at + number.len()].copy_from_slice(number);
        bytes
    };
    for (name, header) in COMPRESSED {
        let bytes = compressed(name);
        for end in 4..bytes.len() {
            code::unpack(&bytes[..end]).expect_err("it ends too early");
        }
        refused(&bytes[..header - 1], "end within the hash");
        // Not an error of the method's own: both would go on.
        let size_at = header - 8 - if header == 32 { 8 } else { 4 };
        let says = |size: u32| with(name, size_at, &size.to_le_bytes());
        let size = code::unpack(&bytes).expect("whole").len() as u32;
        refused(&says(size - 1), if header == 20 { "to more than the" } else { "the header says" });
        refused(&says(size + 1), &format!("it unpacks to {size} bytes, the header says {}", size + 1));
        refused(
            &says(1 << 31),
            "the unpacked size of the compressed offload bundle is 0x80000000; supported: up to 1 GiB",
        );
        refused(&with(name, 4, &[4, 0]), "the version of the compressed offload bundle is 0x4; supported: 1 to 3");
        refused(&with(name, 6, &[2, 0]), "the method of the compressed offload bundle is 0x2; supported: 0 (zlib)");
        refused(
            &with(name, header, &[0xff; 4]),
            if header == 20 { "zlib's data is broken" } else { "Zstandard's data" },
        );
    }
    refused(
        &with("bundle-zstd-v2", 8, &[0xff; 4]),
        "its file has 4294967295 bytes, the header 24 of them, but 1177 were given",
    );
    refused(&with("bundle-zstd-v3", 8, &[0; 8]), "its file has 0 bytes");
    // Zlib's of `CCOB`: what is inside is not asked again.
    let nested = [
        b"CCOB\x01\0\0\0\x04\0\0\0".as_slice(),
        &[0; 8],
        &[0x78, 1, 1, 4, 0, 0xfb, 0xff, b'C', b'C', b'O', b'B'],
        &[0x02, 0xb9, 0x01, 0x18],
    ];
    refused(&nested.concat(), "it unpacks to no offload bundle: that starts with [43, 43, 4f, 42]");
}

#[test]
fn a_code_object_for_another_device_is_named() {
    let bytes =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/code_object/saxpy-v3")).expect("a file");
    let error = code::find(&bytes, &device("gfx908:sramecc+:xnack-")).expect_err("version 3 depends on the setting");
    assert_eq!(
        error.to_string(),
        "the code is for gfx908:sramecc+:xnack+, the device is a gfx908:sramecc+:xnack-: compile it for that \
         (--offload-arch or -mcpu)"
    );
    assert!(code::find(&bytes, &device("gfx908:sramecc+:xnack+")).is_ok());
}

/// AMDGPUUsage, "Target ID": what is not asked for fits all, and the entry that asks for most is the one that was
/// meant.
#[test]
fn the_most_specific_entry_that_fits_is_taken() {
    let bytes = bundle(&[
        ("host-x86_64-unknown-linux-gnu-", b""),
        ("openmp-amdgcn-amd-amdhsa--gfx908", b"any"),
        ("hip-amdgcn-amd-amdhsa-gfx908:sramecc+", b"ecc"),
        ("hipv4-amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-", b"both"),
        ("hipv4-amdgcn-amd-amdhsa-unknown-gfx90a:xnack+", b"90a"),
        ("hip-spirv64-amd-amdhsa--amdgcnspirv", b"spirv"),
        ("hip-amdgpu-amd-amdhsa--gfx906", b"906"),
        ("hip-amdgpu9.4-amd-amdhsa--gfx9-4-generic:xnack+", b"9-4"),
        ("hip-amdgpu9.42-amd-amdhsa-unknown-gfx942", b"942"),
        ("hip-amdgpux-amd-amdhsa--gfx900", b"no version"),
    ]);
    let bundle = Bundle::parse(&bytes).expect("a bundle");
    let code = |name| bundle.code_for(&device(name)).ok();
    assert_eq!(code("gfx908:sramecc+:xnack-"), Some(b"both".as_slice()));
    assert_eq!(code("gfx908:sramecc+:xnack+"), Some(b"ecc".as_slice()));
    assert_eq!(code("gfx908:sramecc-:xnack-"), Some(b"any".as_slice()));
    assert_eq!(code("gfx90a:sramecc+:xnack+"), Some(b"90a".as_slice()));
    assert_eq!(code("gfx90a:sramecc+:xnack-"), None);
    assert_eq!(code("gfx900"), None);
    assert_eq!(code("gfx906"), Some(b"906".as_slice()));
    assert_eq!(code("gfx942:sramecc+:xnack+"), Some(b"942".as_slice()));
    assert_eq!(code("gfx950:sramecc+:xnack+"), Some(b"9-4".as_slice()));
}

#[test]
fn target_ids_are_read_and_written() {
    for (text, canonical) in [
        ("gfx908", "gfx908"),
        ("gfx908:xnack-:sramecc+", "gfx908:sramecc+:xnack-"),
        ("amdgcn-amd-amdhsa--gfx90a:xnack+", "gfx90a:xnack+"),
        ("amdgcn-amd-amdhsa-gfx906", "gfx906"),
        ("gfx9-4-generic", "gfx9-4-generic"),
        ("amdgcn-amd-amdhsa-unknown-gfx908", "gfx908"),
        ("amdgcn-amd-amdhsa--gfx9-generic:xnack-", "gfx9-generic:xnack-"),
        // Of version 3 of code objects, until LLVM 18.
        ("amdgcn-amd-amdhsa--gfx908+xnack+sram-ecc", "gfx908:sramecc+:xnack+"),
        ("gfx906+sram-ecc", "gfx906:sramecc+"),
        // From LLVM 23 on.
        ("amdgpu-amd-amdhsa-unknown-gfx942", "gfx942"),
        ("amdgpu-amd-amdhsa--gfx908", "gfx908"),
        ("amdgpu9.42-amd-amdhsa-unknown-gfx942", "gfx942"),
        ("amdgpu9.08-amd-amdhsa-unknown-gfx908:sramecc-:xnack-", "gfx908:sramecc-:xnack-"),
        ("amdgpu9.0a-amd-amdhsa--gfx90a:xnack+", "gfx90a:xnack+"),
        ("amdgpu9.4-amd-amdhsa--gfx9-4-generic:xnack+", "gfx9-4-generic:xnack+"),
        ("amdgpu9-amd-amdhsa-unknown-gfx9-generic", "gfx9-generic"),
        ("amdgpu6-amd-amdhsa-unknown-gfx600", "gfx600"),
        ("amdgpu12.5-amd-amdhsa-unknown-gfx12-5-generic", "gfx12-5-generic"),
        ("amdgpu10.30-amd-amdhsa--gfx1030", "gfx1030"),
        // The triple alone names the processor.
        ("amdgpu9.42-amd-amdhsa", "gfx942"),
        ("amdgpu9.4-amd-amdhsa-unknown", "gfx9-4-generic"),
        ("amdgpu12.50-amd-amdhsa-unknown-", "gfx1250"),
    ] {
        assert_eq!(device(text).to_string(), canonical);
    }
    for text in [
        "",
        "gfx",
        "sm_70",
        "gfx908:",
        "gfx908:xnack",
        "gfx908:xnack+:xnack-",
        "gfx908:tgsplit+",
        "GFX908",
        "gfx908:+",
        "gfx908+",
        "gfx908+xnack:xnack+",
        "amdgcn-amd-amdhsa",
        "amdgpu-amd-amdhsa-unknown-",
        "amdgcn9.42-amd-amdhsa--gfx942",
        "amdgpu9.42-amd-amdhsa--gfx90a",
        "amdgpu9.-amd-amdhsa--gfx942",
        "amdgpu9.420-amd-amdhsa",
        "amdgpu10-amd-amdhsa--gfx942",
        "amdgpu9.42-amd-amdhsagfx942",
        "amdgpu9.42-amd-mesa3d--gfx942",
        "r600-amd-amdhsa--gfx942",
    ] {
        assert!(matches!(text.parse::<TargetId>(), Err(Error::TargetId { .. })), "{text}");
    }
    let names = [
        (90000, "gfx900"),
        (90008, "gfx908"),
        (90010, "gfx90a"),
        (90012, "gfx90c"),
        (90402, "gfx942"),
        (100300, "gfx1030"),
    ];
    for (version, name) in names {
        assert_eq!(TargetId::of_device(version, None, None).to_string(), name);
    }
}

proptest! {
    /// Whatever stands there is refused or read as something that is written and read again.
    #[test]
    fn any_text_is_a_target_id_or_an_error(text in "(hip-)?(amdgcn|amdgpu[0-9]{0,2}[.]?[0-9a-g]{0,3})?(-amd-amdhsa)?(-|-unknown)?-?[:+a-z0-9-]{0,20}") {
        if let Ok(target) = text.parse::<TargetId>() {
            prop_assert_eq!(target.to_string().parse::<TargetId>().expect("a target ID"), target, "{}", text);
        }
    }

    /// Every spelling of a triple, for every processor.
    #[test]
    fn a_triple_says_nothing_else_than_the_target_id_behind_it(
        (major, minor) in prop::sample::select(vec![("9", "00"), ("9", "08"), ("9", "0a"), ("9", "42"), ("9", "50"), ("10", "30"), ("12", "50")]),
        architecture in 0..4,
        environment in prop::sample::select(vec!["-", "-unknown-", "--"]),
        settings in prop::sample::select(vec!["", ":xnack+", ":sramecc-", ":sramecc+:xnack-"]),
    ) {
        let architecture = match architecture {
            0 => "amdgcn".to_owned(),
            1 => "amdgpu".to_owned(),
            2 => format!("amdgpu{major}"),
            _ => format!("amdgpu{major}.{minor}"),
        };
        let id = format!("gfx{major}{minor}{settings}");
        let whole = format!("{architecture}-amd-amdhsa{environment}{id}");
        prop_assert_eq!(whole.parse::<TargetId>().expect("a target ID").to_string(), id.clone());
        let entry = format!("hip-{whole}");
        let bytes = bundle(&[(&entry, b"code")]);
        let read = Bundle::parse(&bytes).expect("a bundle").entries()[0].target();
        prop_assert_eq!(read.expect("a target").to_string(), id);
    }
}

#[test]
fn malformed_bundles_are_refused() {
    let good =
        bundle(&[("hip-amdgcn-amd-amdhsa--gfx908", b"0123456789abcdef"), ("hip-amdgcn-amd-amdhsa--gfx90a", b"0123")]);
    Bundle::parse(&good).expect("a bundle");
    let with = |at: usize, value: u64| {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        Bundle::parse(&bytes).expect_err("malformed").to_string()
    };
    // The table: magic, count, then offset, size, length of the ID.
    let (count, offset, size, length) = (24, 32, 40, 48);
    let first = "malformed entry hip-amdgcn-amd-amdhsa--gfx908 of the offload bundle at offset 0x20";
    assert_eq!(
        with(count, u64::MAX),
        "malformed offload bundle at offset 0x18: 18446744073709551615 entries, more than 4096"
    );
    assert!(with(count, 4096).starts_with("malformed"), "the table is cut off");
    assert!(with(offset, u64::MAX).starts_with(first));
    assert_eq!(with(size, 1 << 40), format!("{first}: 1099511627776 bytes at 0xc0 are not within the 212 bytes given"));
    assert!(with(offset, 8).ends_with("its bytes overlap with the table of entries"));
    assert!(with(size, 20).ends_with("its bytes overlap with entry hip-amdgcn-amd-amdhsa--gfx908"));
    assert!(with(length, 1 << 50).ends_with("its ID has 1125899906842624 bytes"));
    let twice = bundle(&[("hip-amdgcn-amd-amdhsa--gfx908", b"a"), ("hip-amdgcn-amd-amdhsa--gfx908", b"b")]);
    assert!(Bundle::parse(&twice).expect_err("malformed").to_string().ends_with("the ID is there twice"));
    for length in 0..good.len() {
        assert!(Bundle::parse(&good[..length]).is_err(), "{length} bytes of {}", good.len());
    }
}

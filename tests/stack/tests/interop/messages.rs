//! What a first user does wrong, and whether the error says what to do.
use rocm_interop::hip::{HipModule, HipSource};
use rocm_interop::opencl::{OpenClProgram, OpenClSource};
use rocm_interop::{Argument, Error};
use stack_tests::{hip_version, isa};

use crate::session;

const NOTHING: &str = "extern \"C\" __global__ void nothing(unsigned *n) { if (n) *n = 1; }";

#[test]
fn code_of_another_chip_is_told_as_such() {
    needs_amd_opencl!();
    let (session, other) = (session(), if isa() == "gfx90a" { "gfx908" } else { "gfx90a" });
    let source = HipSource::new(NOTHING).option(format!("--offload-arch={other}"));
    let error = HipModule::build(&session, source).expect_err("another chip's");
    assert!(matches!(error, Error::CodeObject(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains(&format!("the code is for {other}")) && text.contains(&isa()), "{text}");
}

/// As LLVM from version 20 on writes it by default. What this kernel needs is alike in all versions from 4 on, so only
/// the number is another.
#[test]
fn code_of_a_newer_version_is_named_with_who_reads_it() {
    needs_amd_opencl!();
    let session = session();
    let mut code = HipModule::build(&session, NOTHING).expect("module").code().to_vec();
    // EI_ABIVERSION: 2 is version 4, 4 is version 6. The metadata has a version too: 1.1, and 1.2 from version 5 on.
    const METADATA: &[u8] = b"amdhsa.version\x92\x01";
    assert!(code.starts_with(b"\x7fELF") && (2..=4).contains(&code[8]), "{:?}", &code[..9]);
    let metadata = code.windows(METADATA.len()).position(|bytes| bytes == METADATA).expect("metadata");
    (code[8], code[metadata + METADATA.len()]) = (4, 2);
    // SAFETY: a compiler made it, and the versions differ in what it does not use.
    let loaded = unsafe { HipModule::load(&session, &code) };
    if hip_version() >= (6, 0) {
        let out = session.allocate::<u32>(1).expect("allocate").into_hip().expect("hand-over");
        let kernel = loaded.expect("it reads version 6").kernel("nothing").expect("kernel");
        // SAFETY: it writes one number.
        unsafe { kernel.launch(1, 1, 0, &[(&out).into()]) }.expect("launch");
        let mut got = [0];
        out.into_opencl().expect("hand-over").read(&mut got).expect("read");
        return assert_eq!(got, [1]);
    }
    let error = loaded.expect_err("it reads up to version 5");
    assert!(matches!(error, Error::CodeVersion { version: 6, .. }), "{error}");
    let (major, minor) = hip_version();
    let text = error.to_string();
    for words in ["the code object has version 6", &format!("HIP {major}.{minor};"), "-mcode-object-version=5"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn options_that_opencl_refuses_are_in_the_error() {
    needs_amd_opencl!();
    let session = session();
    let source = "kernel void f(global float *x) { x[0] = 1; }";
    let with_header = OpenClSource::new(format!("#include \"h\"\n{source}")).header("h", "");
    for source in [OpenClSource::new(source), with_header] {
        let error = OpenClProgram::build(&session, source, "-cl-fst-math").expect_err("no such option").to_string();
        assert!(error.contains("-cl-fst-math") && !error.contains("CL_INVALID_DEVICE"), "{error}");
    }
}

#[test]
fn headers_that_are_missing_are_told_with_where_they_go() {
    needs_amd_opencl!();
    let session = session();
    let hip = HipModule::build(&session, format!("#include \"my.h\"\n{NOTHING}").as_str()).expect_err("no header");
    assert!(hip.to_string().contains("give `my.h` by `HipSource::header`"), "{hip}");
    let opencl = OpenClProgram::build(&session, "#include \"my.h\"\n", "").expect_err("no header");
    assert!(opencl.to_string().contains("give `my.h` by `OpenClSource::header`"), "{opencl}");
}

#[test]
fn a_launch_that_is_too_large_is_told_with_the_limit() {
    needs_amd_opencl!();
    let session = session();
    let nothing = HipModule::build(&session, NOTHING).expect("module").kernel("nothing").expect("kernel");
    let out = session.allocate::<u32>(64).expect("allocate").into_hip().expect("hand-over");
    let refused = |items: u32, lds: u32| {
        // SAFETY: it writes one number.
        unsafe { nothing.launch(1, items, lds, &[(&out).into()]) }.expect_err("too large").to_string()
    };
    let (items, lds) = (refused(2048, 0), refused(64, 100_000));
    assert!(items.contains("`nothing` was compiled for work-groups of at most 1024 work-items (HIP: "), "{items}");
    assert!(lds.contains("needs 100000 bytes of local memory (LDS) for a work-group, the limit is 65536 ("), "{lds}");

    let source = "kernel void some(local uint *n, global uint *out) { n[get_local_id(0)] = 1; out[0] = n[0]; }";
    let some = OpenClProgram::build(&session, source, "").expect("program").kernel("some").expect("kernel");
    let out = out.into_opencl().expect("hand-over");
    let refused = |local: usize, bytes: usize| {
        // SAFETY: it writes one number.
        unsafe { some.launch(&[2048], Some(&[local]), &[Argument::local(bytes), (&out).into()]) }
            .expect_err("too large")
            .to_string()
    };
    let (items, lds) = (refused(2048, 8192), refused(64, 100_000));
    assert!(
        items.contains("`some` was compiled for work-groups of at most ") && items.contains("(OpenCL: "),
        "{items}"
    );
    assert!(lds.contains("needs 100000 bytes of local memory (LDS) for a work-group, the limit is 65536 ("), "{lds}");

    let error = out.slice(60..70).expect_err("outside").to_string();
    assert_eq!(error, "range: 60..70 of a buffer of 64 elements: must be inside it, and not empty");
    let error = out.slice(..=64).expect_err("outside").to_string();
    assert!(error.contains("..=64 of a buffer of 64 elements"), "{error}");
}

//! Kernels as programs have them: in compressed bundles, with headers as texts, and compiled by an earlier run.
use rocm_interop::hip::{HipModule, HipSource};
use rocm_interop::opencl::{OpenClProgram, OpenClSource};
use rocm_interop::{Error, Session};

use crate::kernels::bundle;
use crate::{N, Sides, session};

/// Zlib's format without compression.
fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x78, 1];
    let blocks = bytes.chunks(0xffff);
    let last = blocks.len() - 1;
    for (i, block) in blocks.enumerate() {
        let size = block.len() as u16;
        packed.push(u8::from(i == last));
        packed.extend(size.to_le_bytes());
        packed.extend((!size).to_le_bytes());
        packed.extend(block);
    }
    let (a, b) = bytes
        .iter()
        .fold((1u32, 0u32), |(a, b), byte| ((a + u32::from(*byte)) % 65521, (a + b + u32::from(*byte)) % 65521));
    packed.extend((b << 16 | a).to_be_bytes());
    packed
}

/// Zstandard's, likewise.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    packed.extend((bytes.len() as u32).to_le_bytes());
    let blocks = bytes.chunks(1 << 16);
    let last = blocks.len() - 1;
    for (i, block) in blocks.enumerate() {
        let header = u32::from(i == last) | (block.len() as u32) << 3;
        packed.extend(&header.to_le_bytes()[..3]);
        packed.extend(block);
    }
    packed
}

/// A compressed bundle of this version and method.
fn compressed(version: u16, method: u16, bundle: &[u8]) -> Vec<u8> {
    let packed = if method == 0 { zlib(bundle) } else { zstd(bundle) };
    let (size, hash) = (bundle.len() as u64, [0; 8]);
    let sizes = match version {
        1 => (size as u32).to_le_bytes().to_vec(),
        2 => [(packed.len() as u32 + 24).to_le_bytes(), (size as u32).to_le_bytes()].concat(),
        _ => [(packed.len() as u64 + 32).to_le_bytes(), size.to_le_bytes()].concat(),
    };
    [b"CCOB".as_slice(), &version.to_le_bytes(), &method.to_le_bytes(), &sizes, &hash, &packed].concat()
}

#[test]
fn compressed_bundles_are_loaded_on_both_sides() {
    needs_amd_opencl!();
    let compiled = Sides::new(&session()).expect("kernels");
    let (opencl, hip) = (compiled.program.code().to_vec(), compiled.module.code().to_vec());
    drop(compiled);
    let session = session();
    let target = format!("hipv4-amdgcn-amd-amdhsa--{}", session.device().isa().expect("isa"));
    for (version, method) in [(1, 0), (2, 1), (3, 0), (3, 1)] {
        let [opencl, hip] = [&opencl, &hip]
            .map(|code| compressed(version, method, &bundle(&[("host-x86_64-unknown-linux--", &[]), (&target, code)])));
        // SAFETY: the compilers made them.
        let (program, module) = unsafe {
            (OpenClProgram::load(&session, &opencl).expect("load"), HipModule::load(&session, &hip).expect("load"))
        };
        let (add, triple) = (program.kernel("add").expect("kernel"), module.kernel("triple").expect("kernel"));
        Sides { add, triple, program, module }.run(session.allocate(N).expect("allocate")).expect("both sides");
        // SAFETY: refused.
        let error = unsafe { HipModule::load(&session, &hip[..hip.len() - 1]) }.expect_err("torn");
        assert!(
            matches!(error, Error::CodeObject(_)) && error.to_string().contains("compressed offload bundle"),
            "{error}"
        );
    }
}

const INCLUDES: &str = "
#include \"lib/step.h\"
kernel void steps(global uint *x) { x[get_global_id(0)] = step_of(x[get_global_id(0)]) * WIDTH; }
";

/// Refused before it could run.
const CONSTRUCTOR: &str =
    "__attribute__((constructor)) void set(void) { *(volatile global uint *)4096ul = 2; } kernel void k(void) {}";

fn with_headers() -> OpenClSource {
    let source = OpenClSource::new(INCLUDES)
        .header("lib/step.h", "#include \"offset.h\"\nuint step_of(uint x) { return x + OFFSET; }");
    source.header("offset.h", "#define OFFSET 10")
}

fn steps(session: &Session, program: &OpenClProgram) -> Vec<u32> {
    let mut buffer = session.allocate::<u32>(N).expect("allocate");
    buffer.write(&vec![1; N]).expect("write");
    // SAFETY: one work-item an element.
    unsafe { program.kernel("steps").expect("kernel").launch(&[N], None, &[(&buffer).into()]) }.expect("launch");
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    end
}

/// One header needs the other, and an option is seen by all.
#[test]
fn opencls_headers_are_given_as_texts() {
    needs_amd_opencl!();
    let session = session();
    let program = OpenClProgram::build(&session, with_headers(), "-DWIDTH=3 -cl-std=CL2.0").expect("program");
    assert_eq!(steps(&session, &program), vec![33; N]);
    // SAFETY: OpenCL's compiler made it.
    let loaded = unsafe { OpenClProgram::load(&session, program.code()) }.expect("a code object like others");
    program.close().expect("close");
    assert_eq!(steps(&session, &loaded), vec![33; N]);
    for (source, options, words) in [
        (OpenClSource::new(INCLUDES), "-DWIDTH=3", "lib/step.h"),
        (OpenClSource::new(INCLUDES).header("lib/step.h", "#include \"offset.h\""), "-DWIDTH=3", "offset.h"),
        (with_headers(), "-DWIDTH=wide", "wide"),
        (with_headers().header("a\0b", ""), "", "header name: "),
        (with_headers().header("b", "a\0b"), "", "header: "),
        (OpenClSource::new(CONSTRUCTOR).header("unused.h", ""), "-cl-std=CL2.0", "constructors or destructors"),
        (
            OpenClSource::new("uint f(uint); kernel void k(global uint *x) { x[0] = f(1); }").header("unused.h", ""),
            "",
            "PROGRAM_FAILURE",
        ),
    ] {
        let error = OpenClProgram::build(&session, source, options).expect_err(words);
        assert!(
            matches!(error, Error::Compile { .. } | Error::Argument { .. }) && error.to_string().contains(words),
            "{error}"
        );
    }
}

/// The code that one session compiled is loaded by another, which finds instances of templates by their symbols.
#[test]
fn code_is_kept_with_the_names_of_its_instances() {
    needs_amd_opencl!();
    let source = HipSource::new("template <typename T, int N> __global__ void set(T *x) { x[threadIdx.x] = N; }");
    let module =
        HipModule::build(&session(), source.instance("set<int, 5>").instance("set<float, 7>")).expect("module");
    let names = ["set<int, 5>", "set<float, 7>"];
    let symbols = names.map(|name| module.symbol(name).to_owned());
    assert_eq!(module.symbol("set<int, 6>"), "set<int, 6>", "no instance of it");
    let (code, session) = (module.code().to_vec(), session());
    drop(module);
    // SAFETY: hiprtc made it.
    let loaded = unsafe { HipModule::load(&session, &code) }.expect("load");
    assert_eq!(loaded.code(), code);
    for (at, want) in [5, 7f32.to_bits()].into_iter().enumerate() {
        assert!(matches!(loaded.kernel(names[at]), Err(Error::NoKernel { .. })), "only its symbol is in the code");
        let x = session.allocate_hip::<u32>(64).expect("allocate");
        let kernel = loaded.kernel(&symbols[at]).expect("kernel");
        // SAFETY: one work-item an element.
        unsafe { kernel.launch(1, 64, 0, &[(&x).into()]) }.expect("launch");
        let mut end = [0; 64];
        x.read(&mut end).expect("read");
        assert_eq!(end, [want; 64]);
    }
}

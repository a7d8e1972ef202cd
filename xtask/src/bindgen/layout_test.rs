//! Sizes and field offsets of the generated structs against what a C compiler says of the same headers, version by
//! version.
use super::clang::{CPP, Headers};
use super::libraries::{self, LIBRARIES, Library};
use super::packages::{self, Gone, Package, skip_if_gone};
use super::{Context, cl, hip, hsa, kfd, rccl};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::process::Command;

/// `Record` or `Record.field.field`, with the spelling of each language, and size or offset.
type Layout = BTreeMap<String, u64>;

struct Record {
    name: String,
    union: bool,
    fields: Vec<(String, String)>,
}

/// The records in a crate's `bindings.rs`, which has one field per line.
fn records(context: &Context, name: &str) -> Vec<Record> {
    let text = fs::read_to_string(context.root.join(format!("crates/{name}/src/bindings.rs"))).unwrap();
    let mut records: Vec<Record> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["pub", kind @ ("struct" | "union"), name, "{"] => {
                records.push(Record { name: name.into(), union: kind == "union", fields: Vec::new() });
            }
            ["pub", field, ..] if line.starts_with("    pub ") && field.ends_with(':') => {
                let ty = line.split_once(": ").unwrap().1.trim_end_matches(',');
                records.last_mut().unwrap().fields.push((field.trim_end_matches(':').into(), ty.into()));
            }
            _ => {}
        }
    }
    records
}

/// All paths to fields of `record`: the path in Rust and in C. Members without a name in C have no step of their own
/// there.
fn paths(records: &[Record], record: &Record, rust: &str, c: &str, out: &mut Vec<(String, String)>) {
    for (field, ty) in &record.fields {
        // Storage that only bindgen names.
        if field.starts_with("_bindgen") || field.starts_with("_bitfield") || field.starts_with("__bindgen_padding") {
            continue;
        }
        let plain = field.trim_start_matches("r#");
        let step = plain.strip_suffix('_').filter(|name| ["type", "ref", "in"].contains(name)).unwrap_or(plain);
        let anonymous = field.starts_with("__bindgen_anon");
        let c = if anonymous { c.to_owned() } else { format!("{c}{step}") };
        if !anonymous {
            out.push((format!("{rust}{field}"), c.clone()));
        }
        if let Some(inner) = records.iter().find(|inner| inner.name == *ty && ty.contains("__bindgen_ty")) {
            let c = if anonymous { c } else { format!("{c}.") };
            paths(records, inner, &format!("{rust}{field}."), &c, out);
        }
    }
}

/// What rustc says. `uses` are the crates whose types this one has among its own.
fn rust_layout(context: &Context, name: &str, uses: &[String], queries: &[(String, String)]) -> Layout {
    let crates = context.root.join("crates");
    let used = |name: &String| {
        let bindings = crates.join(name).join("src/bindings.rs");
        let module = name.replace('-', "_");
        format!("#[path = {bindings:?}]\nmod {module};\nuse {module}::*;\n")
    };
    let used: String = uses.iter().map(used).collect();
    let mut program = format!(
        "#![allow(warnings)]\n#[macro_use]\n#[path = {:?}]\nmod types;\nmacro_rules! ioctls {{ ($($x:tt)*) => {{}} }}\n{used}#[path = {:?}]\nmod bindings;\nuse bindings::*;\nfn main() {{\n",
        crates.join("rocm-loader/src/types.rs"),
        crates.join(name).join("src/bindings.rs")
    );
    for (record, path) in queries {
        let value = if path.is_empty() {
            format!("size_of::<{record}>()")
        } else {
            format!("core::mem::offset_of!({record}, {path})")
        };
        writeln!(program, "println!(\"{record}.{path} {{}}\", {value});").unwrap();
    }
    let folder = context.target.join("layout");
    fs::create_dir_all(&folder).unwrap();
    let (file, binary) = (folder.join(format!("{name}.rs")), folder.join(format!("{name}-rust")));
    fs::write(&file, program + "}\n").unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--edition", "2024", "-o"]).arg(&binary).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(Command::new(binary))
}

/// What the C compiler says, of what this version declares.
fn c_layout(context: &Context, name: &str, headers: &Headers, queries: &[(String, String, String, bool)]) -> Layout {
    let folder = context.target.join("layout");
    let extension = if headers.cpp { "cc" } else { "c" };
    let (file, binary) = (folder.join(format!("{name}.{extension}")), folder.join(format!("{name}-c")));
    let tags = preprocessed(headers, &file);
    let mut absent = BTreeSet::new();
    for _ in 0..4 {
        let mut program = format!("{}#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n", headers.source);
        let first = program.lines().count();
        for (index, (record, rust, c, union)) in queries.iter().enumerate() {
            let tag = if *union { "union" } else { "struct" };
            let tagged = !headers.cpp && tags.contains(&format!("{tag} {record} {{"));
            let ty = if tagged { format!("{tag} {record}") } else { record.clone() };
            let value = if c.is_empty() { format!("sizeof({ty})") } else { format!("offsetof({ty}, {c})") };
            if absent.contains(&index) {
                program.push('\n');
            } else {
                writeln!(program, "printf(\"{record}.{rust} %zu\\n\", {value});").unwrap();
            }
        }
        fs::write(&file, program + "return 0; }\n").unwrap();
        // All errors, not the first 20 of clang.
        let compiler = compiler(headers).flag_if_supported("-ferror-limit=0").try_get_compiler().unwrap();
        let mut command = compiler.to_command();
        command.arg("-o").arg(&binary).arg(&file);
        let output = command.output().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
        if output.status.success() {
            return read(Command::new(&binary));
        }
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let place = format!("{}:", file.display());
        let before = absent.len();
        for line in errors.lines().filter_map(|line| line.strip_prefix(&place)) {
            let number: usize = line.split(':').next().unwrap().parse().unwrap_or(0);
            if number > first && line.contains("error") {
                absent.insert(number - first - 1);
            }
        }
        assert!(absent.len() > before, "{errors}");
    }
    panic!("{name}: the C program does not compile");
}

fn compiler(headers: &Headers) -> c_compiler::Build {
    let mut build = c_compiler::build();
    build.cpp(headers.cpp).includes(&headers.include).flags(headers.defines.iter().map(|define| format!("-D{define}")));
    if headers.cpp {
        build.std(CPP);
    }
    build
}

/// The headers' own text, one space between words, to see which names are tags.
fn preprocessed(headers: &Headers, file: &std::path::Path) -> String {
    fs::write(file, &headers.source).unwrap();
    let text = compiler(headers).flag("-P").file(file).try_expand().unwrap();
    String::from_utf8_lossy(&text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn read(mut program: Command) -> Layout {
    let output = program.output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(key, value)| (key.to_owned(), value.parse().unwrap()))
        .collect()
}

/// Compares all records of a crate with each version. Returns which records differ, and how many values were compared
/// per version.
fn compare(name: &str, uses: &[String], versions: &[(&str, Headers)]) -> (BTreeSet<String>, Vec<usize>) {
    let context = Context::new().unwrap();
    let records = records(&context, name);
    let mut queries = Vec::new();
    for record in records.iter().filter(|record| !record.name.contains("__bindgen_ty")) {
        let mut fields = vec![(String::new(), String::new())];
        paths(&records, record, "", "", &mut fields);
        queries.extend(fields.into_iter().map(|(rust, c)| (record.name.clone(), rust, c, record.union)));
    }
    let pairs: Vec<_> = queries.iter().map(|(record, rust, ..)| (record.clone(), rust.clone())).collect();
    let rust = rust_layout(&context, name, uses, &pairs);
    let mut different = BTreeSet::new();
    let mut compared = Vec::new();
    for (version, headers) in versions {
        let c = c_layout(&context, name, headers, &queries);
        compared.push(c.len());
        for (key, value) in &c {
            if rust[key] != *value {
                eprintln!("{version} {key}: {value} in C, {} here", rust[key]);
                different.insert(format!("{version} {}", key.split('.').next().unwrap()));
            }
        }
    }
    (different, compared)
}

/// The headers of the versions that can still be had, and why those of the others cannot.
fn obtainable(
    versions: &[(&'static str, Package)],
    headers: impl Fn(&str, &Package) -> anyhow::Result<Headers>,
) -> (Vec<(&'static str, Headers)>, Vec<Gone>) {
    packages::download(versions.iter().map(|(_, package)| package), &Context::new().unwrap().target).unwrap();
    sorted(versions.iter().map(|(version, package)| (*version, headers(version, package))))
}

fn sorted(
    versions: impl Iterator<Item = (&'static str, anyhow::Result<Headers>)>,
) -> (Vec<(&'static str, Headers)>, Vec<Gone>) {
    let mut gone = Vec::new();
    let mut there = Vec::new();
    for (version, headers) in versions {
        match headers {
            Ok(headers) => there.push((version, headers)),
            Err(error) => gone.push(error.downcast::<Gone>().unwrap_or_else(|error| panic!("{error:#}"))),
        }
    }
    (there, gone)
}

/// Those of the known differences that are of compared versions.
fn known_of(known: &[&str], versions: &[(&str, Headers)]) -> BTreeSet<String> {
    let compared =
        |difference: &&&str| versions.iter().any(|(version, _)| difference.split(' ').next() == Some(version));
    known.iter().filter(compared).map(|difference| (*difference).to_owned()).collect()
}

#[test]
fn kfd_structs_are_laid_out_as_in_c() {
    let context = Context::new().unwrap();
    let (versions, gone) = obtainable(&kfd::VERSIONS, |_, package| kfd::headers(&context, package));
    let (different, compared) = compare("kfd-sys", &[], &versions);
    let known = [
        // Grew at the end: the driver takes and gives as much of them as both sides have.
        "1.11 drm_syncobj_handle",
        "1.11 kfd_ioctl_create_queue_args",
        "1.17 drm_amdgpu_gem_op",
        "1.17 drm_amdgpu_gem_va",
        "1.17 drm_amdgpu_info_hw_ip",
        "1.17 drm_syncobj_handle",
        "1.17 kfd_dbg_device_info_entry",
    ];
    assert_eq!(different, known_of(&known, &versions));
    assert!(compared.iter().all(|count| *count > 300), "{compared:?}");
    skip_if_gone!(gone);
}

#[test]
fn hip_structs_are_laid_out_as_in_c() {
    let context = Context::new().unwrap();
    let (versions, gone) = obtainable(&hip::VERSIONS, |version, package| hip::headers(&context, version, package));
    let (different, compared) = compare("hip-sys", &[], &versions);
    let known = [
        // HIP 6 laid these out anew. `hip_sys::compat` serves HIP 5 with HIP_MEMCPY3D_HIP5.
        "5.2 HIP_MEMCPY3D",
        "5.7 HIP_MEMCPY3D",
        // Opaque since HIP 6.
        "5.2 hipArray",
        "5.7 hipArray",
        // Grew at the end; the library reads them, so the longer one serves.
        "5.2 hipExternalMemoryBufferDesc_st",
        "5.7 hipExternalMemoryBufferDesc_st",
        "5.2 hipExternalMemoryHandleDesc_st",
        "5.7 hipExternalMemoryHandleDesc_st",
        "5.2 hipExternalSemaphoreHandleDesc_st",
        "5.7 hipExternalSemaphoreHandleDesc_st",
        "5.2 hipMemPoolProps",
        "5.7 hipMemPoolProps",
        "6.4 hipLaunchAttributeValue",
        // Documented in `hip_sys::compat` as not for HIP 5.
        "5.2 hipExternalSemaphoreSignalParams_st",
        "5.7 hipExternalSemaphoreSignalParams_st",
        "5.2 hipExternalSemaphoreWaitParams_st",
        "5.7 hipExternalSemaphoreWaitParams_st",
        "5.2 hipMemAllocationProp",
        // 7.1 and later have the name as a macro for hipLaunchAttributeValue.
        "7.1 hipKernelNodeAttrValue",
        "7.2 hipKernelNodeAttrValue",
    ];
    assert_eq!(different, known_of(&known, &versions));
    assert!(compared.iter().all(|count| *count > 400), "{compared:?}");
    skip_if_gone!(gone);
}

#[test]
fn hsa_structs_are_laid_out_as_in_c() {
    let context = Context::new().unwrap();
    let (versions, gone) = obtainable(&hsa::VERSIONS, |_, package| hsa::headers(&context, package));
    let (different, compared) = compare("hsa-sys", &[], &versions);
    let known = [
        // Tables of functions, which carry their version and size. AmdExtTable of 5.2 is of another major version.
        "5.2 AmdExtTable",
        "5.2 HsaApiTable",
        "5.2 HsaApiTableContainer",
        "5.2 ImageExtTable",
        "5.2 hsa_ext_images_1_pfn_s",
        "5.2 hsa_ven_amd_aqlprofile_1_00_pfn_s",
        "6.1 AmdExtTable",
        "6.1 HsaApiTable",
        "6.1 HsaApiTableContainer",
        "6.1 ImageExtTable",
        "6.1 hsa_ext_images_1_pfn_s",
        "6.4 AmdExtTable",
        "6.4 HsaApiTableContainer",
        // Fields that became reserved ones, so that those have other numbers.
        "5.2 amd_queue_s",
        "6.1 amd_queue_s",
        "6.4 amd_queue_s",
        // For NPUs; changed before it was released.
        "6.4 hsa_amd_aie_ert_start_kernel_data_s",
    ];
    assert_eq!(different, known_of(&known, &versions));
    assert!(compared.iter().all(|count| *count > 150), "{compared:?}");
    skip_if_gone!(gone);
}

#[test]
fn rccl_structs_are_laid_out_as_in_c() {
    let context = Context::new().unwrap();
    let (versions, gone) = obtainable(&rccl::VERSIONS, |version, package| rccl::headers(&context, version, package));
    let (different, compared) = compare("rccl-sys", &[], &versions);
    assert_eq!(different, BTreeSet::new());
    // The header of 5.4 has one struct.
    assert!(compared.iter().zip([2, 20]).all(|(count, least)| *count >= least), "{compared:?}");
    skip_if_gone!(gone);
}

#[test]
fn structs_of_libraries_are_laid_out_as_in_c() {
    let context = Context::new().unwrap();
    packages::download(LIBRARIES.iter().flat_map(Library::packages), &context.target).unwrap();
    let (mut gone_of_any, mut wrong) = (Vec::new(), Vec::new());
    for library in LIBRARIES {
        let headers =
            library.versions.iter().map(|version| (version.name, libraries::headers(&context, library, version)));
        let (versions, gone) = sorted(headers);
        let mut uses = vec!["hip-sys".to_owned()];
        uses.extend(library.uses.iter().map(|name| format!("{name}-sys")));
        let (different, compared) = compare(&library.folder(), &uses, &versions);
        if different != known_of(library.layouts, &versions) {
            wrong.push(format!("{}: {different:?}", library.title));
        }
        // Those of which the header only has the name have no layout.
        let records = records(&context, &library.folder());
        let complete =
            records.iter().filter(|record| !record.fields.iter().any(|(field, _)| field == "_unused")).count();
        assert!(complete == 0 || compared.iter().any(|count| *count > 0), "{}: {compared:?}", library.title);
        gone_of_any.extend(gone);
    }
    assert!(wrong.is_empty(), "these records differ, and not those of the rows: {wrong:#?}");
    skip_if_gone!(gone_of_any);
}

#[test]
fn cl_structs_are_laid_out_as_in_c() {
    let package = [("3.0", cl::HEADERS)];
    let headers = ["CL/cl.h", "CL/cl_gl.h", "CL/cl_egl.h", "CL/cl_ext.h"];
    let (versions, gone) = obtainable(&package, |_, _| cl::headers(&Context::new().unwrap(), &headers, 300));
    let (different, compared) = compare("cl-sys", &[], &versions);
    assert_eq!(different, BTreeSet::new());
    assert!(compared.iter().all(|count| *count > 60), "{compared:?}");
    skip_if_gone!(gone);
}

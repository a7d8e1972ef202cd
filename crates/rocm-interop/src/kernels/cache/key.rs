//! What compiled code depends on.

use std::os::unix::fs::MetadataExt;

use crate::apis::runtime;
use crate::session::Core;
use crate::{Api, Result};

/// What a compiler is given.
pub(crate) struct Inputs<'s> {
    pub(crate) api: Api,
    pub(crate) text: &'s str,
    pub(crate) options: Vec<&'s str>,
    /// Names and texts.
    pub(crate) headers: &'s [(String, String)],
    pub(crate) instances: &'s [String],
}

/// Starts of the names of the libraries that compile, and of what they are made of.
const COMPILERS: [&str; 6] = ["libamd_comgr", "libamdhip64", "libamdocl64", "libhiprtc", "libLLVM", "libclang"];

/// The library that has AMD's compiler, in both APIs.
const COMPILER: &str = "libamd_comgr";

/// Variables of ROCclr and hiprtc that add to the options (`flags.hpp` of rocclr), and of clang that name folders of headers.
const VARIABLES: [&str; 9] = [
    "AMD_OCL_BUILD_OPTIONS",
    "AMD_OCL_BUILD_OPTIONS_APPEND",
    "AMD_OCL_LINK_OPTIONS",
    "AMD_OCL_LINK_OPTIONS_APPEND",
    "AMD_OCL_SUBST_OBJFILE",
    "HIPRTC_COMPILE_OPTIONS_APPEND",
    "HIPRTC_LINK_OPTIONS_APPEND",
    "CPATH",
    "ROCM_PATH",
];

/// All of it as bytes; or why it is not known.
pub(crate) fn key(core: &Core, inputs: &Inputs<'_>) -> Result<Vec<u8>, String> {
    only_what_is_given(inputs)?;
    let isa = core.device.isa().map_err(|error| error.to_string())?;
    let mut key = Vec::new();
    let mut put = |bytes: &[u8]| {
        key.extend((bytes.len() as u64).to_le_bytes());
        key.extend(bytes);
    };
    let Inputs { api, text, options, headers, instances } = inputs;
    put(api.to_string().as_bytes());
    put(isa.as_bytes());
    put(compilers()?.as_bytes());
    for variable in VARIABLES {
        put(std::env::var_os(variable).unwrap_or_default().as_encoded_bytes());
    }
    put(text.as_bytes());
    for list in [options.len(), headers.len(), instances.len()] {
        put(&list.to_le_bytes());
    }
    options.iter().for_each(|option| put(option.as_bytes()));
    instances.iter().for_each(|instance| put(instance.as_bytes()));
    for (name, text) in *headers {
        put(name.as_bytes());
        put(text.as_bytes());
    }
    Ok(key)
}

/// Each library that compiles, by file, size and time: two packages of one version differ in these. Sessions exist, so AMD's runtimes have loaded their compiler.
fn compilers() -> Result<String, String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let of_compilers = |path: &str| COMPILERS.iter().any(|start| name(path).starts_with(start));
    let files = runtime::libraries(of_compilers).map_err(|error| error.to_string())?;
    if !files.iter().any(|path| name(path).starts_with(COMPILER)) {
        return Err(format!("the process has not loaded AMD's compiler ({COMPILER}) as a library of its own"));
    }
    let mut all = String::new();
    for path in files {
        let file = std::fs::metadata(&path).map_err(|error| format!("{path}: {error}"))?;
        all += &format!("{path} {} {}.{}\n", file.size(), file.mtime(), file.mtime_nsec());
    }
    Ok(all)
}

/// Refuses what may read files, whose contents nobody here knows.
fn only_what_is_given(inputs: &Inputs<'_>) -> Result<(), String> {
    let mut name_follows = false;
    for option in &inputs.options {
        if !std::mem::take(&mut name_follows) && !reads_no_file(option) {
            return Err(format!("option `{option}` may read a file"));
        }
        name_follows = matches!(*option, "-D" | "-U");
    }
    let texts = inputs.headers.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    for (name, text) in texts.chain([("the source", inputs.text)]) {
        if let Some(line) = reads_a_file(text, inputs.headers) {
            return Err(format!("{name} may read a file: `{line}`"));
        }
    }
    Ok(())
}

/// Of the options that are known here.
fn reads_no_file(option: &str) -> bool {
    let starts = |starts: &[&str]| starts.iter().any(|start| option.starts_with(start));
    if starts(&["-D", "-U"]) {
        return true;
    }
    const READ: [&str; 9] =
        ["-Wl,", "-Wa,", "-Wp,", "-fprofile", "-fmodule", "-fplugin", "-fpass-plugin", "-fsanitize", "-mlink"];
    let known =
        ["-O", "-W", "-w", "-g", "-f", "-m", "-cl-", "-std=", "--std=", "--offload-arch=", "--gpu-architecture="];
    starts(&known) && !starts(&READ) && !option.contains('/')
}

/// A line that may make the compiler read a file that is not one of `headers`.
fn reads_a_file<'t>(text: &'t str, headers: &[(String, String)]) -> Option<&'t str> {
    text.lines().find(|line| {
        let words = ["include", "import", "embed", "incbin", "__FILE"];
        words.iter().any(|word| line.match_indices(word).any(|(at, _)| !is_harmless(line, at, word, headers)))
            // A directive that goes on in the next line.
            || line.contains('#') && line.trim_end().ends_with('\\') && line.contains("inc")
    })
}

/// Whether the word at `at` is part of no directive, or of one that names a header which is given.
fn is_harmless(line: &str, at: usize, word: &str, headers: &[(String, String)]) -> bool {
    let (before, behind) = (&line[..at], line[at + word.len()..].trim_start());
    let directive = ["#", "%:", "??="].iter().any(|start| before.contains(start));
    let names = behind.starts_with(['"', '<', '(']) || before.ends_with("__has_");
    if !directive && !names && word != "incbin" {
        return true;
    }
    let given = |name: &str| headers.iter().any(|(header, _)| header == name);
    let quoted = |open, close| behind.strip_prefix(open).and_then(|rest| rest.split_once(close)).map(|(name, _)| name);
    word == "include" && directive && quoted('"', '"').or(quoted('<', '>')).is_some_and(given)
}

#[cfg(test)]
mod tests {
    use super::{Inputs, only_what_is_given};
    use crate::Api;

    fn known(text: &str, options: &[&str], headers: &[(&str, &str)]) -> Result<(), String> {
        let headers: Vec<_> = headers.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let (headers, options) = (headers.as_slice(), options.to_vec());
        only_what_is_given(&Inputs { api: Api::Hip, text, options, headers, instances: &[] })
    }

    #[test]
    fn what_reads_no_file_may_be_cached() {
        let options =
            ["-O3", "-DPATH=/a/b", "-D", "NAME=1", "-cl-std=CL2.0", "-ffp-contract=fast", "--offload-arch=gfx908"];
        known("// includes all\nint include; // important, embedded", &options, &[]).expect("nothing is read");
        let headers = [("a.h", "# include <b/c.h>"), ("b/c.h", "")];
        known("#include \"a.h\"\n  #  include\t<b/c.h> // both\n", &[], &headers).expect("they are given");
    }

    #[test]
    fn what_may_read_a_file_may_not() {
        for option in [
            "-I/usr/include",
            "-I",
            "include",
            "-include",
            "@file",
            "-Xclang",
            "--sysroot=a",
            "-fplugin=a.so",
            "-Wp,-include,a.h",
            "-fprofile-use=a",
            "-isystem",
            "a.cl",
            "-mlink-builtin-bitcode",
            "-save-temps",
        ] {
            let error = known("", &["-O3", option], &[]).expect_err(option);
            assert_eq!(error, format!("option `{option}` may read a file"));
        }
        known("", &["-D", "a", "b"], &[]).expect_err("the third");
        for line in [
            "#include \"a.h\"",
            "#include <stdint.h>",
            " # include_next \"given.h\"",
            "%:include \"a.h\"",
            "#import \"a.h\"",
            "#embed \"a.bin\"",
            "#/**/include \"a.h\"",
            "#include NAME",
            "#if __has_include(\"a.h\")",
            "asm(\".incbin 'a'\");",
            "#inc\\",
            "/* */ #include \"a.h\"",
        ] {
            let text = format!("int x;\n{line}\n");
            let error = known(&text, &[], &[("given.h", "")]).expect_err(line);
            assert_eq!(error, format!("the source may read a file: `{line}`"));
            known("#include \"given.h\"", &[], &[("given.h", line)]).expect_err(line);
        }
    }
}

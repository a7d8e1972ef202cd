//! The description of the target.
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::Result;

/// The compiler's own description of `amdgcn-amd-amdhsa`, changed so that programs can be made: cargo then has
/// something to run.
#[derive(clap::Args)]
pub struct Args {
    /// The GPU's name for compilers, such as gfx908
    cpu: String,
}

/// Writes it to standard output.
pub fn main(args: &Args) -> Result<()> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(&rustc);
    command.args(["--target", "amdgcn-amd-amdhsa", "-C"]).arg(format!("target-cpu={}", args.cpu));
    // Only unstable compilers describe targets; this makes a stable one behave like that.
    command.args(["-Z", "unstable-options", "--print", "target-spec-json"]).env("RUSTC_BOOTSTRAP", "1");
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start {}: {error}", rustc.display()))?;
    if !output.status.success() {
        return Err(
            format!("{} does not describe the target amdgcn-amd-amdhsa ({})", rustc.display(), output.status).into()
        );
    }
    println!("{:#}", with_programs(serde_json::from_slice(&output.stdout)?, &args.cpu)?);
    Ok(())
}

/// The target with programs. They are linked as the libraries are that code objects are: a GPU's loader places them
/// anywhere.
fn with_programs(mut target: Value, cpu: &str) -> Result<Value> {
    let flavor = target["linker-flavor"].as_str().ok_or("the target's description names no linker-flavor")?.to_owned();
    let fields = target.as_object_mut().ok_or("the target's description is no JSON object")?;
    fields.insert("executables".to_owned(), json!(true));
    fields.insert("exe-suffix".to_owned(), json!(".elf"));
    fields.insert("pre-link-args".to_owned(), json!({ flavor: ["-shared"] }));
    fields.insert("cpu".to_owned(), json!(cpu));
    fields.insert("need-explicit-cpu".to_owned(), json!(false));
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_keeps_what_the_compiler_says_and_gets_programs() {
        let target =
            json!({ "linker-flavor": "gnu-lld", "executables": false, "need-explicit-cpu": true, "arch": "amdgpu" });
        let changed = with_programs(target, "gfx90a").unwrap();
        let expected = json!({
            "linker-flavor": "gnu-lld", "executables": true, "exe-suffix": ".elf", "need-explicit-cpu": false,
            "cpu": "gfx90a", "arch": "amdgpu", "pre-link-args": { "gnu-lld": ["-shared"] },
        });
        assert_eq!(changed, expected);
        for strange in [json!([]), json!({}), json!(null)] {
            with_programs(strange, "gfx90a").unwrap_err();
        }
    }
}

//! Copies of a library's files, in which instructions are changed, and runs of the program that calls it.
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::What;
use super::libraries::Library;
use crate::checked::{self, ISA};
use crate::progress;
use crate::stack::Prepared;
use crate::vgpu::{self, Vgpu};

/// How long a run may take: without a barrier a loop may not end.
const LIMIT: Duration = Duration::from_secs(120);

/// An instruction that is in several places of the files, if the library has its kernel several times.
pub type Places = Vec<(PathBuf, u64)>;

/// What came of a run.
pub struct Ran {
    /// Of what the library computed; nothing if the program did not come to its end.
    pub digest: Option<String>,
    /// The symbols of the kernels of which a race or a missing wait was told.
    pub told: Vec<String>,
    /// What the program wrote to standard error.
    pub said: String,
}

/// The copies, with the program beside them.
pub struct Copies<'a> {
    library: &'a Library,
    stack: &'a Prepared,
    vgpu: &'a Vgpu,
    folder: PathBuf,
    program: PathBuf,
    files: Vec<PathBuf>,
}

impl<'a> Copies<'a> {
    /// Makes them in `folder`, and builds the program there.
    ///
    /// # Errors
    /// If that fails.
    pub fn new(library: &'a Library, stack: &'a Prepared, vgpu: &'a Vgpu, folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let program = folder.join(library.name);
        let mut hipcc = stack.command(&[], "hipcc")?;
        hipcc.args(["-O2", &format!("--offload-arch={ISA}"), "-o"]).arg(&program);
        hipcc.arg(vgpu::root().join("xtask/planted").join(library.source)).args(library.links);
        progress::run(&format!("compiling {}", library.source), &mut hipcc)?;
        let mut files = vec![program.clone()];
        for path in library.files {
            let from = stack.path(path).context("the stack is a Debian tree")?;
            let to = folder.join(from.file_name().context("a file has a name")?);
            fs::copy(&from, &to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
            files.push(to);
        }
        Ok(Self { library, stack, vgpu, folder, program, files })
    }

    /// The program's cases.
    ///
    /// # Errors
    /// If it does not run.
    pub fn cases(&self) -> Result<Vec<String>> {
        progress::output(&format!("listing what {} does", self.library.source), &mut self.command(&[], "--list")?)
    }

    /// The program in the stack, with the copies in front of the libraries.
    fn command(&self, front: &[OsString], case: &str) -> Result<Command> {
        let mut command = self.stack.command(front, "env")?;
        for name in self.library.led_by.iter().chain(&["LD_LIBRARY_PATH"]) {
            command.arg(format!("{name}={}", self.folder.display()));
        }
        command.arg(&self.program).arg(case);
        Ok(command)
    }

    /// Runs a case under `vgpu check --only race,wait`, in another order of the work if a seed is given.
    ///
    /// # Errors
    /// If it cannot be started. That it fails is an outcome.
    pub fn run(&self, case: &str, schedule: Option<u64>, with_log: bool) -> Result<Ran> {
        let [json, out, err] = ["json", "out", "err"].map(|name| self.folder.join(name));
        let mut front: Vec<OsString> =
            vec![self.vgpu.program().into(), "check".into(), "--only".into(), "race,wait".into()];
        front.extend(["--json".into(), json.clone().into()]);
        front.extend(schedule.map(|seed| format!("--schedule={seed}").into()));
        front.push("--".into());
        let mut command = self.command(&front, case)?;
        // HIP names the kernels that it dispatches.
        command.env("AMD_LOG_LEVEL", if with_log { "4" } else { "0" }).stdin(Stdio::null());
        let file = |path: &Path| File::create(path).with_context(|| format!("cannot make {}", path.display()));
        command.stdout(file(&out)?).stderr(file(&err)?);
        checked::run(&mut command, LIMIT)?;
        let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let found = checked::findings(&json);
        let told = found.iter().filter_map(|finding| finding["symbol"].as_str()).map(str::to_owned).collect();
        let digest = text(&out)?.lines().find_map(|line| line.strip_prefix("digest ")).map(str::to_owned);
        Ok(Ran { digest, told, said: text(&err)? })
    }

    /// Where these kernels synchronise: of each kernel, in the order of its code.
    ///
    /// # Errors
    /// If the files cannot be read, or have a kernel twice with different code.
    pub fn synchronisation(&self, kernels: &[String]) -> Result<BTreeMap<(String, What), Vec<Places>>> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(vgpu::root()).args(["run", "--quiet", "--release", "--package", "gcn"]);
        cargo.args(["--example", "synchronisation", "--", ISA]).args(&self.files);
        cargo.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = cargo.spawn().context("cannot start cargo")?;
        let mut names = child.stdin.take().expect("stdin is piped");
        names.write_all(kernels.join("\n").as_bytes()).context("cannot write to `synchronisation`")?;
        drop(names);
        let output = child.wait_with_output()?;
        ensure!(output.status.success(), "`{}` failed ({})", progress::display(&cargo), output.status);
        let mut found: BTreeMap<(String, What), Vec<Places>> = BTreeMap::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut fields = line.split('\t').filter(|field| !field.is_empty());
            let (Some(kernel), Some(file)) = (fields.next(), fields.next()) else { continue };
            let Some(what) = fields.next().and_then(What::from_name) else { continue };
            let offsets = fields.map(str::parse).collect::<Result<Vec<u64>, _>>()?;
            let places = found.entry((kernel.to_owned(), what)).or_insert_with(|| vec![Places::new(); offsets.len()]);
            ensure!(places.len() == offsets.len(), "{kernel} is there twice, with other code");
            places.iter_mut().zip(offsets).for_each(|(places, offset)| places.push((file.into(), offset)));
        }
        found.retain(|_, places| !places.is_empty());
        Ok(found)
    }

    /// Puts instructions of four bytes where others are.
    ///
    /// # Errors
    /// If the files cannot be written to.
    pub fn put(&self, instructions: &[u32], places: &Places) -> Result<()> {
        let bytes: Vec<u8> = instructions.iter().flat_map(|instruction| instruction.to_le_bytes()).collect();
        for (path, offset) in places {
            let written = File::options().write(true).open(path);
            let written = written.and_then(|file| file.write_all_at(&bytes, *offset));
            written.with_context(|| format!("cannot write to {}", path.display()))?;
        }
        Ok(())
    }

    /// So many dwords of what is there.
    ///
    /// # Errors
    /// If the files cannot be read.
    pub fn at(&self, places: &Places, dwords: usize) -> Result<Vec<u32>> {
        let (path, offset) = places.first().context("an instruction is somewhere")?;
        let mut bytes = vec![0; 4 * dwords];
        let read = File::open(path).and_then(|file| file.read_exact_at(&mut bytes, *offset));
        read.with_context(|| format!("cannot read {}", path.display()))?;
        Ok(bytes.as_chunks().0.iter().map(|dword| u32::from_le_bytes(*dword)).collect())
    }
}

impl Drop for Copies<'_> {
    fn drop(&mut self) {
        // They are gigabytes.
        _ = fs::remove_dir_all(&self.folder);
    }
}

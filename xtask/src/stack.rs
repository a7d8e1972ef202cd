//! `cargo xtask stack`: AMD's userspace in the versions that the project is tested on, and commands run in it.
mod more;
mod packages;
mod tree;

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::apt;
use crate::vgpu::{self, Build, Vgpu};

pub use more::More;
pub use tree::{cache_folder, make_in_cache, remove};

/// Sets up a stack of AMD's userspace and runs a command in it, by default on the virtual GPU.
///
/// Without a command the stack is only set up. trixie, forky and experimental are Debian trees in the user's cache
/// folder, made on first use and shared by all clones. A command runs inside with the tree read-only, the project's
/// folder and /tmp writable, which is no security boundary, and the exit status is the command's.
///
/// The virtual GPU is the optimised build, as for `cargo xtask demo`, and is built first if something changed.
#[derive(clap::Args)]
pub struct Args {
    /// Which stack
    stack: Stack,
    /// What the command finds as GPU
    #[arg(long, value_enum, default_value_t = Device::Virtual)]
    device: Device,
    #[command(flatten)]
    vgpu: vgpu::Options,
    /// Use the build of the virtual GPU that `cargo xtask test` uses: slower, as it checks itself for overflows and
    /// more, but there already behind the tests
    #[arg(long)]
    checked: bool,
    /// Find wrong accesses and races: `vgpu check` in place of `vgpu run`. Its own options go behind the `--`, in front
    /// of the program
    #[arg(long, requires = "command", conflicts_with = "device")]
    check: bool,
    /// Make the tree anew, even if it is there
    #[arg(long)]
    renew: bool,
    /// The command and its arguments
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// A version of AMD's userspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Stack {
    /// The host's Debian packages (bookworm: ROCr and HIP 5.2.3), PoCL as the OpenCL
    Native,
    /// Debian trixie: ROCr 6.1.2, HIP and AMD OpenCL 5.7.1, rocBLAS, rocSOLVER
    Trixie,
    /// Debian forky: ROCr, HIP and AMD OpenCL 6.4.3, rocBLAS, rocSOLVER
    Forky,
    /// Debian's suite experimental on unstable: ROCr, HIP and AMD OpenCL 7.2.4, rocBLAS, rocSOLVER
    Experimental,
    /// The ROCm that is installed on this machine, from wherever it came
    Host,
}

/// What a command in a stack finds as GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Device {
    /// The project's software MI100
    Virtual,
    /// Whatever the machine has, possibly none
    Real,
}

impl Stack {
    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Trixie => "trixie",
            Self::Forky => "forky",
            Self::Experimental => "experimental",
            Self::Host => "host",
        }
    }

    /// Sets the stack up if it is not: installs packages or makes the tree.
    ///
    /// # Errors
    /// If that fails, or needs rights that this user lacks; the error then names the command to run.
    pub fn prepare(self) -> Result<Prepared> {
        self.prepare_with(false)
    }

    fn prepare_with(self, renew: bool) -> Result<Prepared> {
        self.prepare_by(|recipe| tree::prepare(recipe, renew))
    }

    /// Sets up as much of the stack as programs need that use HIP and OpenCL alone. A tree is then made in much less
    /// time, unless the whole is there.
    ///
    /// # Errors
    /// As of [`prepare`](Self::prepare).
    pub fn prepare_runtime(self) -> Result<Prepared> {
        self.prepare_by(tree::prepare_runtime)
    }

    fn prepare_by(self, prepare: impl Fn(&tree::Recipe) -> Result<PathBuf>) -> Result<Prepared> {
        let recipe = match self {
            Self::Native => {
                apt::ensure(packages::NATIVE, "the native stack")?;
                None
            }
            Self::Trixie => Some(packages::TRIXIE),
            Self::Forky => Some(packages::FORKY),
            Self::Experimental => Some(packages::EXPERIMENTAL),
            Self::Host => None,
        };
        if recipe.is_some() {
            apt::ensure(&["bubblewrap"], "running programs in a Debian tree")?;
        }
        Ok(Prepared { root: recipe.map(prepare).transpose()? })
    }
}

/// The tree with the compiler for kernels in Rust, made first if it is not there. `renew` makes it anew.
///
/// # Errors
/// As of [`Stack::prepare`].
pub fn rust(renew: bool) -> Result<Prepared> {
    apt::ensure(&["bubblewrap"], "running programs in a Debian tree")?;
    Ok(Prepared { root: Some(tree::prepare(packages::RUST, renew)?) })
}

/// A stack that is set up.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The Debian tree, or nothing where the stack is the host itself.
    root: Option<PathBuf>,
}

impl Prepared {
    /// The same with more in it, in a tree of its own: the stack's stays as its tests know it. `renew` makes that tree
    /// anew.
    ///
    /// # Errors
    /// If that fails, or the stack is no Debian tree.
    pub fn with(&self, more: &More, renew: bool) -> Result<Self> {
        let base = self.root.as_deref().context("this stack is no Debian tree, so nothing can be added to it")?;
        Ok(Self { root: Some(more::prepare(base, more, renew)?) })
    }

    /// Where the host has what is at an absolute path in the tree, or nothing if the stack is no tree.
    pub fn path(&self, inside: &str) -> Option<PathBuf> {
        Some(self.root.as_ref()?.join(inside.trim_start_matches('/')))
    }

    /// The versions of Debian packages that are installed in the stack, as `NAME VERSION`.
    ///
    /// # Errors
    /// If dpkg cannot be asked.
    pub fn versions(&self, packages: &[&str]) -> Result<Vec<String>> {
        let mut query = Command::new("dpkg-query");
        if let Some(tree) = &self.root {
            query.arg("--admindir").arg(tree.join("var/lib/dpkg"));
        }
        query.args(["--show", "--showformat=${Package} ${Version}\n"]).args(packages);
        let output = query.output().context("cannot start dpkg-query")?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }

    /// A command that runs `program` in the stack; arguments can be added to it. The working folder, the environment
    /// and the standard streams are the caller's.
    ///
    /// `front` goes before the program: [`Vgpu::words`] for the virtual GPU, or nothing for the machine's own.
    pub fn command(&self, front: &[OsString], program: impl AsRef<OsStr>) -> Result<Command> {
        let mut words = front.iter().map(OsString::as_os_str).chain([program.as_ref()]);
        let Some(tree) = &self.root else {
            let mut command = Command::new(words.next().expect("at least the program"));
            command.args(words);
            return Ok(command);
        };
        let mut command = sandbox(tree)?;
        if let Some(folder) = folder_outside(program.as_ref(), &vgpu::target_folder()?) {
            command.arg("--ro-bind").args([&folder, &folder]);
        }
        command.arg("--").args(words);
        Ok(command)
    }
}

/// Folders of the root that are the tree's.
const OF_TREE: [&str; 4] = ["etc", "opt", "usr", "var"];

/// Whether a path leads into what is the tree's, in the sandbox.
fn is_of_tree(path: &Path) -> bool {
    path.components().nth(1).is_some_and(|top| OF_TREE.iter().any(|name| top.as_os_str() == *name))
}

/// Refuses a folder that cannot be shown in the sandbox. `remedy` is what the user can do.
fn ensure_outside_tree(folder: &Path, what: &str, remedy: &str) -> Result<()> {
    ensure!(
        !is_of_tree(folder),
        "{what} {} cannot be seen in a Debian tree, which has /etc, /opt, /usr and /var of its own: {remedy}",
        folder.display()
    );
    Ok(())
}

/// Whether the sandbox can have an empty folder at this path as the home: there is none of the tree's or the system's
/// that it would be in or hide.
fn can_be_home(path: &Path) -> bool {
    let hides = ["/dev", "/proc", "/sys"].iter().any(|system| path.starts_with(system));
    path.is_absolute() && path != Path::new("/") && !is_of_tree(path) && !hides
}

/// The folder of a program, given as a path, that is neither the tree's nor in a folder that the sandbox has anyway.
fn folder_outside(program: &OsStr, target: &Path) -> Option<PathBuf> {
    let path = Path::new(program);
    let named_by_path = path.components().count() > 1;
    let folder = path.canonicalize().ok().filter(|path| named_by_path && path.is_file())?.parent()?.to_owned();
    folder.components().nth(1)?;
    let there =
        is_of_tree(&folder) || [Path::new("/tmp"), vgpu::root(), target].iter().any(|known| folder.starts_with(known));
    (!there).then_some(folder)
}

/// bubblewrap with the tree as root: all of it read-only, so that one run cannot change the next.
fn sandbox(tree: &Path) -> Result<Command> {
    let target = vgpu::target_folder()?;
    ensure_outside_tree(vgpu::root(), "the project's folder", "move it, to a home folder for example")?;
    ensure_outside_tree(&target, "cargo's target folder", "choose another by CARGO_TARGET_DIR")?;
    let mut command = Command::new("bwrap");
    // A process of its own for the namespace: when bwrap is killed, all that ran inside dies.
    command.args(["--die-with-parent", "--unshare-pid", "--unsetenv", "LD_LIBRARY_PATH"]);
    // What is loaded in front of programs is for the one in the tree, which has another C library, not for bubblewrap.
    if let Some(preload) = std::env::var_os("LD_PRELOAD") {
        command.env_remove("LD_PRELOAD").args([OsStr::new("--setenv"), OsStr::new("LD_PRELOAD"), &preload]);
    }
    command.args(["--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"]);
    command.args(["--tmpfs", "/"]);
    for entry in std::fs::read_dir(tree).with_context(|| format!("cannot read {}", tree.display()))? {
        let entry = entry?;
        let target = Path::new("/").join(entry.file_name());
        if entry.file_type()?.is_symlink() {
            command.arg("--symlink").arg(std::fs::read_link(entry.path())?).arg(target);
        } else if OF_TREE.iter().any(|name| entry.file_name() == *name) {
            command.arg("--ro-bind").arg(entry.path()).arg(target);
        }
    }
    command.args(["--dev", "/dev", "--proc", "/proc", "--ro-bind", "/sys", "/sys"]);
    for device in ["/dev/kfd", "/dev/dri"] {
        command.args(["--dev-bind-try", device, device]);
    }
    // Caches that programs keep in the home folder (compiled kernels) last as long as the command.
    if let Some(home) = std::env::var_os("HOME").filter(|home| can_be_home(Path::new(home))) {
        command.arg("--tmpfs").arg(home);
    }
    command.args(["--bind", "/tmp", "/tmp", "--bind"]).args([vgpu::root(), vgpu::root()]);
    let git = vgpu::root().join(".git");
    command.arg("--ro-bind-try").args([&git, &git]);
    if !target.starts_with(vgpu::root()) {
        command.arg("--bind").args([&target, &target]);
    }
    Ok(command)
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let stack = args.stack.prepare_with(args.renew)?;
    let Some((program, rest)) = args.command.split_first() else {
        match &stack.root {
            Some(tree) => println!("{} is ready: {}", args.stack.name(), tree.display()),
            None => println!("{} is ready", args.stack.name()),
        }
        return Ok(());
    };
    let build = if args.checked { Build::Checked } else { Build::Release };
    let (front, program, rest) = match args.device {
        Device::Real => (Vec::new(), program, rest),
        Device::Virtual if args.check => {
            let mut front = Vgpu::build(build)?.check_words(&args.vgpu);
            let (options, program, rest) = program_behind_options(&args.command);
            front.extend_from_slice(options);
            (front, program, rest)
        }
        Device::Virtual => (Vgpu::build(build)?.words(&args.vgpu), program, rest),
    };
    // It takes the place of this program: its exit status is its own, and so are the signals that are sent to it.
    Err(stack.command(&front, program)?.args(rest).exec()).context("cannot start the command")
}

/// The words in front of a program that are options, the program, and its arguments. The program is the first word that
/// is a path to an executable file, which may have to be shown in the tree. Where none is, it is found in `PATH` there,
/// and whoever takes the options finds it among the words.
fn program_behind_options(words: &[OsString]) -> (&[OsString], &OsString, &[OsString]) {
    let is_program = |word: &OsString| {
        let path = Path::new(word);
        let may_run = |metadata: std::fs::Metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0;
        path.components().count() > 1 && path.metadata().is_ok_and(may_run)
    };
    let at = words.iter().position(is_program).unwrap_or(0);
    (&words[..at], &words[at], &words[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_the_tree_hides_is_refused() {
        let error = ensure_outside_tree(Path::new("/opt/project"), "the project's folder", "move it").unwrap_err();
        assert!(error.to_string().starts_with("the project's folder /opt/project cannot be seen"), "{error}");
        for fine in ["/home/user/opt", "/optional", "/"] {
            ensure_outside_tree(Path::new(fine), "the project's folder", "move it").unwrap();
        }
    }

    #[test]
    fn a_program_is_found_behind_the_options_of_its_check() {
        // The path of this program may have blanks.
        let own = std::env::current_exe().unwrap();
        let word = |word: &str| if word == "OWN" { own.clone().into_os_string() } else { OsString::from(word) };
        let words = |text: &str| text.split(' ').map(word).collect::<Vec<_>>();
        for (given, options, program) in [
            ("--only init /bin/sh -c true", "--only init", "/bin/sh"),
            ("/bin/sh -c /bin/true", "", "/bin/sh"),
            // Files that are no programs, and options without any.
            ("--suppress /etc/passwd /bin/true", "--suppress /etc/passwd", "/bin/true"),
            ("--only init rocminfo", "", "--only"),
            ("rocminfo", "", "rocminfo"),
            ("--json out.json OWN 1", "--json out.json", "OWN"),
        ] {
            let given = words(given);
            let (found, named, rest) = program_behind_options(&given);
            assert_eq!((found.join(OsStr::new(" ")), named), (options.into(), &word(program)));
            assert_eq!(found.len() + 1 + rest.len(), given.len());
        }
    }

    #[test]
    fn a_home_hides_nothing_of_the_sandbox() {
        for home in ["/", "//", "", "relative", "/var/lib/ci", "/usr", "/dev", "/proc/self"] {
            assert!(!can_be_home(Path::new(home)), "{home}");
        }
        for home in ["/root", "/home/user", "/nonexistent", "/tmp"] {
            assert!(can_be_home(Path::new(home)), "{home}");
        }
    }
}

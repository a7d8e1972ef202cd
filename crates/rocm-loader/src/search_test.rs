//! The order in which names, files and folders are tried.
use super::*;

const NAMES: Names = Names { stem: "libsample", known: 5..=7, newer: true };

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rocm-loader-{name}-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    /// With an empty folder, or file, of each name in it.
    fn with(self, names: &[&str]) -> Self {
        names.iter().for_each(|name| fs::create_dir_all(self.0.join(name)).unwrap());
        self
    }

    /// The names in this folder that `paths` are.
    fn names(&self, paths: Vec<PathBuf>) -> Vec<String> {
        paths.iter().map(|path| path.strip_prefix(&self.0).unwrap().display().to_string()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn versions_that_the_bindings_are_made_for_come_first() {
    let names = ["7", "6", "5", "8", "9", "10", "11"].map(|major| format!("libsample.so.{major}"));
    assert_eq!(NAMES.all(), [&names[..], &["libsample.so".to_owned()]].concat());
    let only_known = Names { newer: false, ..NAMES };
    assert_eq!(only_known.all(), names[..3]);
}

#[test]
fn a_folder_is_searched_by_rule() {
    let other =
        ["libsample.so.4", "libsample.so.7.2.1", "libsamples.so.7", "libsample.so.7x", "libsample.so.", "libsample.a"];
    let wanted = ["libsample.so.7", "libsample.so.5", "libsample.so.8", "libsample.so.23", "libsample.so"];
    let folder = Folder::new("folder").with(&other).with(&wanted);
    assert_eq!(folder.names(NAMES.in_folder(&folder.0)), wanted);
    let only_known = Names { newer: false, ..NAMES };
    assert_eq!(folder.names(only_known.in_folder(&folder.0)), wanted[..2]);
    assert_eq!(NAMES.in_folder(&folder.0.join("missing")), [""; 0].map(PathBuf::from));
}

#[test]
fn installations_are_found_newest_first() {
    let opt = Folder::new("opt");
    assert_eq!(opt.names(rocm_roots(&opt.0)), ["rocm"], "named in errors though it is not there");
    let opt = opt.with(&["rocm-6.4.3", "rocm-7.10.0", "rocm-7.2.4-1", "rocm-7.2.4", "rocmfork", "rocm-next", "other"]);
    let versioned = ["rocm-7.10.0", "rocm-7.2.4-1", "rocm-7.2.4", "rocm-6.4.3", "rocm-next"];
    assert_eq!(opt.names(rocm_roots(&opt.0)), [&["rocm"], &versioned[..]].concat());
    let opt = opt.with(&["rocm/core-10.0/lib", "rocm/core-10.1/lib", "rocm/core", "rocm/corex", "rocm-7.2.4/core"]);
    let first = ["rocm", "rocm/core", "rocm/core-10.1", "rocm/core-10.0", "rocm-7.10.0", "rocm-7.2.4-1", "rocm-7.2.4"];
    assert_eq!(opt.names(rocm_roots(&opt.0))[..8], [&first[..], &["rocm-7.2.4/core"]].concat());
}

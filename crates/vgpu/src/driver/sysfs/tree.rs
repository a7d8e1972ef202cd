//! A tree of virtual directories, files, links and device nodes, and path look-up in it.

use crate::errno::Errno;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One node of the tree.
#[derive(Clone, Debug)]
pub enum Node {
    /// A directory.
    Directory(Directory),
    /// A read-only file with this content.
    File(Vec<u8>),
    /// A read-only file of GPU number `gpu`, whose content is made when it is opened.
    Live {
        /// Makes it.
        read: fn(u32) -> Vec<u8>,
        /// The GPU.
        gpu: u32,
    },
    /// A directory whose content is made at each look into it: of files and directories, without links.
    Made(fn() -> Directory),
    /// A symbolic link.
    Link(String),
    /// A character device.
    Device {
        /// Major number.
        major: u32,
        /// Minor number.
        minor: u32,
    },
}

/// A directory of the tree.
#[derive(Clone, Debug, Default)]
pub struct Directory {
    /// The entries of the directory.
    pub entries: BTreeMap<String, Node>,
    /// The machine's own directory shows through: names that are not in `entries` are the real ones.
    pub overlay: bool,
}

/// The answer to a look-up.
#[derive(Debug)]
pub enum Found<'a> {
    /// Not part of the tree: ask the machine.
    Real,
    /// A node of the tree, and its path without links.
    Node(String, Cow<'a, Node>),
    /// The tree decides the path, and refuses it.
    Missing(Errno),
}

/// Links followed before a look-up gives up with `ELOOP`.
const MAX_LINKS: u32 = 16;

impl Directory {
    /// Adds the file at `path`, below this directory, making opaque directories on the way.
    pub fn file(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.insert(path, Node::File(content.into()));
    }

    /// Adds a symbolic link at `path`.
    pub fn link(&mut self, path: &str, target: impl Into<String>) {
        self.insert(path, Node::Link(target.into()));
    }

    /// Adds `node` at `path`. An existing directory stays if `node` is a directory too.
    pub fn insert(&mut self, path: &str, node: Node) {
        match path.split_once('/') {
            Some((first, rest)) => self.child(first).insert(rest, node),
            None => {
                self.entries.insert(path.to_owned(), node);
            }
        }
    }

    /// The directory at `path`, made if it is not there, through which the real one shows if `overlay`.
    pub fn directory(&mut self, path: &str, overlay: bool) -> &mut Directory {
        let mut at = self;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            at = at.child(name);
            at.overlay |= overlay;
        }
        at
    }

    fn child(&mut self, name: &str) -> &mut Directory {
        let node = self.entries.entry(name.to_owned()).or_insert_with(|| Node::Directory(Directory::default()));
        if !matches!(node, Node::Directory(_)) {
            *node = Node::Directory(Directory::default());
        }
        match node {
            Node::Directory(directory) => directory,
            _ => unreachable!("made a directory above"),
        }
    }

    /// Looks up the absolute `path`. The last component's link is followed if `follow`.
    pub fn find(&self, path: &str, follow: bool) -> Found<'_> {
        if self.lacks(path) {
            return Found::Real;
        }
        // Only directories are named with a slash behind them.
        let directory = path.ends_with('/');
        match self.find_limited(path, follow || directory, MAX_LINKS) {
            Found::Node(_, node) if directory && !matches!(*node, Node::Directory(_) | Node::Made(_)) => {
                Found::Missing(Errno::ENOTDIR)
            }
            found => found,
        }
    }

    /// Whether `path` is plainly the machine's. Programs may open such files in signal handlers, so this takes no
    /// memory.
    fn lacks(&self, path: &str) -> bool {
        let mut here = self;
        for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
            here = match here.entries.get(part) {
                Some(Node::Directory(directory)) => directory,
                None if part != ".." => return here.overlay,
                _ => return false,
            };
        }
        false
    }

    fn find_limited(&self, path: &str, follow: bool, links: u32) -> Found<'_> {
        let mut stack: Vec<(&str, &Directory)> = Vec::new();
        let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".").peekable();
        let at = |stack: &[(&str, &Directory)]| -> String {
            if stack.is_empty() { "/".to_owned() } else { stack.iter().map(|(name, _)| format!("/{name}")).collect() }
        };
        while let Some(part) = parts.next() {
            let here = stack.last().map_or(self, |(_, directory)| directory);
            if part == ".." {
                stack.pop();
                continue;
            }
            let Some((name, node)) = here.entries.get_key_value(part) else {
                return if here.overlay { Found::Real } else { Found::Missing(Errno::ENOENT) };
            };
            let last = parts.peek().is_none();
            match node {
                Node::Directory(directory) => stack.push((name, directory)),
                Node::Link(target) if !last || follow => {
                    if links == 0 {
                        return Found::Missing(Errno(libc::ELOOP));
                    }
                    let base = if target.starts_with('/') { String::new() } else { at(&stack) };
                    let rest: Vec<&str> = parts.collect();
                    return self.find_limited(&format!("{base}/{target}/{}", rest.join("/")), follow, links - 1);
                }
                Node::Made(make) => {
                    let rest: Vec<&str> = parts.collect();
                    return match find_made(format!("{}{name}", slash(at(&stack))), make(), &rest) {
                        Ok(found) => found,
                        Err(path) => self.find_limited(&path, follow, links),
                    };
                }
                _ if !last => return Found::Missing(Errno::ENOTDIR),
                _ => return Found::Node(format!("{}{name}", slash(at(&stack))), Cow::Borrowed(node)),
            }
        }
        // The root itself and overlay directories are the machine's, for everything but listing them.
        match stack.split_last() {
            None => Found::Real,
            Some(((name, _), parents)) => {
                let parent = parents.last().map_or(self, |(_, directory)| directory);
                match parent.entries.get(*name) {
                    Some(node) => Found::Node(at(&stack), Cow::Borrowed(node)),
                    None => Found::Real,
                }
            }
        }
    }
}

/// A directory's path, to put a name behind it.
fn slash(path: String) -> String {
    if path.ends_with('/') { path } else { path + "/" }
}

/// Looks `rest` up in the directory at `path`, which was made for that. `Err`: it leads out of a directory, to this
/// path.
fn find_made<'a>(mut path: String, made: Directory, rest: &[&str]) -> Result<Found<'a>, String> {
    let mut node = Node::Directory(made);
    for (position, part) in rest.iter().enumerate() {
        if *part == ".." {
            path.truncate(path.rfind('/').unwrap_or(0));
            return Err(format!("{path}/{}", rest[position + 1..].join("/")));
        }
        let Node::Directory(mut directory) = node else { return Ok(Found::Missing(Errno::ENOTDIR)) };
        let Some(next) = directory.entries.remove(*part) else { return Ok(Found::Missing(Errno::ENOENT)) };
        path = slash(path) + part;
        node = next;
    }
    Ok(Found::Node(path, Cow::Owned(node)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> Directory {
        let mut made = Directory::default();
        made.file("7/queues/0/type", "2");
        made.file("7/pasid", "32769\n");
        made
    }

    fn tree() -> Directory {
        let mut root = Directory::default();
        root.directory("sys/class", true);
        root.directory("sys/class/kfd", false).link("kfd", "../../devices/virtual/kfd/kfd");
        root.directory("sys/devices/virtual", true);
        root.file("sys/devices/virtual/kfd/kfd/topology/generation_id", "2\n");
        root.link("sys/loop", "loop");
        root.insert("sys/devices/virtual/kfd/kfd/proc", Node::Made(made));
        root.overlay = true;
        root
    }

    #[test]
    fn links_lead_to_the_file() {
        let tree = tree();
        let (path, content) = file(&tree, "/sys//class/kfd/./kfd/topology/generation_id");
        assert_eq!(path, "/sys/devices/virtual/kfd/kfd/topology/generation_id");
        assert_eq!(content, "2\n");
    }

    fn file(tree: &Directory, path: &str) -> (String, String) {
        match tree.find(path, true) {
            Found::Node(at, node) => match &*node {
                Node::File(content) => (at, String::from_utf8(content.clone()).unwrap()),
                other => panic!("{path}: {other:?}"),
            },
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn directories_are_made_when_somebody_looks() {
        let tree = tree();
        let (path, content) = file(&tree, "/sys/class/kfd/kfd/proc/7/pasid");
        assert_eq!((path.as_str(), content.as_str()), ("/sys/devices/virtual/kfd/kfd/proc/7/pasid", "32769\n"));
        assert_eq!(file(&tree, "/sys/class/kfd/kfd/proc/7/queues/../queues/0/type").1, "2");
        assert_eq!(file(&tree, "/sys/class/kfd/kfd/proc/7/../../topology/generation_id").1, "2\n");
        let missing = |path: &str| match tree.find(path, true) {
            Found::Missing(errno) => errno,
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(missing("/sys/class/kfd/kfd/proc/8"), Errno::ENOENT);
        assert_eq!(missing("/sys/class/kfd/kfd/proc/7/pasid/x"), Errno::ENOTDIR);
        let Found::Node(path, node) = tree.find("/sys/class/kfd/kfd/proc", false) else { panic!("no directory") };
        let Node::Directory(directory) = &*node else { panic!("{node:?}") };
        assert_eq!(path, "/sys/devices/virtual/kfd/kfd/proc");
        assert_eq!(directory.entries.keys().collect::<Vec<_>>(), ["7"]);
    }

    #[test]
    fn overlays_show_the_machine_and_opaque_directories_do_not() {
        let tree = tree();
        assert!(matches!(tree.find("/sys/class/net", true), Found::Real));
        assert!(matches!(tree.find("/etc/passwd", true), Found::Real));
        assert!(matches!(tree.find("/sys/class/kfd/other", true), Found::Missing(Errno::ENOENT)));
        assert!(matches!(
            tree.find("/sys/class/kfd/kfd/topology/generation_id/x", true),
            Found::Missing(Errno::ENOTDIR)
        ));
        assert!(matches!(tree.find("/sys/class/kfd/../net", true), Found::Real));
    }

    #[test]
    fn links_are_kept_or_end() {
        let tree = tree();
        let found = tree.find("/sys/class/kfd/kfd", false);
        assert!(matches!(&found, Found::Node(_, node) if matches!(**node, Node::Link(_))), "{found:?}");
        assert!(matches!(tree.find("/sys/loop", true), Found::Missing(Errno(libc::ELOOP))));
        assert!(
            matches!(tree.find("/sys/class/kfd/kfd/", false), Found::Node(_, node) if matches!(*node, Node::Directory(_)))
        );
        let file = tree.find("/sys/class/kfd/kfd/topology/generation_id/", true);
        assert!(matches!(file, Found::Missing(Errno::ENOTDIR)), "{file:?}");
    }
}

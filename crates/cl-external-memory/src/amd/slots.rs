//! The addresses at which a loaded library keeps its imported functions.

use interposition::dlsym::{find, object_of, or_forget_error};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicPtr, Ordering};

// From elf.h.
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_PLTRELSZ: i64 = 2;
const DT_JMPREL: i64 = 23;
const R_X86_64_64: u64 = 1;
const R_X86_64_GLOB_DAT: u64 = 6;
const R_X86_64_JUMP_SLOT: u64 = 7;

/// `Elf64_Dyn`
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: usize,
}

/// `Elf64_Rela`
#[repr(C)]
struct Relocation {
    offset: usize,
    info: u64,
    addend: i64,
}

/// The beginning of `struct link_map` of link.h.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
    dynamic: *const Dynamic,
}

/// A library that stays loaded.
pub struct Library {
    handle: *mut c_void,
    map: &'static LinkMap,
}

// SAFETY: a handle and what the dynamic linker keeps, which no thread writes to.
unsafe impl Send for Library {}
// SAFETY: the same.
unsafe impl Sync for Library {}

impl Library {
    /// The library that has this address in it.
    pub fn of(address: *const c_void) -> Option<Library> {
        let file = object_of(address.addr())?;
        // SAFETY: the name is a C string. The library is there already, and stays from now on.
        let handle = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) };
        let handle = or_forget_error(handle)?;
        let mut map: *const LinkMap = std::ptr::null();
        // SAFETY: a handle of a library; writes a pointer to what lives as long as it.
        let map = unsafe { libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) == 0 && !map.is_null() }
            .then_some(map)?;
        // SAFETY: not null, and it lives as long as the library.
        Some(Library { handle, map: unsafe { &*map } })
    }

    /// Whether it is the same one.
    pub fn is(&self, other: &Library) -> bool {
        std::ptr::eq(self.map, other.map)
    }

    /// The file.
    pub fn file(&self) -> String {
        // SAFETY: a C string of the dynamic linker's.
        unsafe { CStr::from_ptr(self.map.name) }.to_string_lossy().into_owned()
    }

    /// A function of the library or of its dependencies.
    pub fn function(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: it stays open.
        unsafe { find(self.handle, name) }
    }

    /// Where the library keeps the address of a function that it imports.
    pub fn slots(&self, name: &CStr) -> Vec<Slot> {
        let entry = |tag| {
            // SAFETY: the entries end with one whose tag is 0.
            let mut entries =
                (0..).map(|nth| unsafe { &*self.map.dynamic.add(nth) }).take_while(|entry| entry.tag != 0);
            // glibc has made addresses of offsets here.
            entries.find(|entry| entry.tag == tag).map(|entry| entry.value)
        };
        let (Some(names), Some(symbols)) = (entry(DT_STRTAB), entry(DT_SYMTAB)) else { return Vec::new() };
        let tables = [(entry(DT_JMPREL), entry(DT_PLTRELSZ)), (entry(DT_RELA), entry(DT_RELASZ))];
        let relocations =
            tables.into_iter().filter_map(|(table, bytes)| table.zip(bytes)).flat_map(|(table, bytes)| {
                // SAFETY: the table of this address and size, which the dynamic linker read when it loaded the library.
                unsafe { std::slice::from_raw_parts(table as *const Relocation, bytes / size_of::<Relocation>()) }
            });
        let is_it = |relocation: &&Relocation| {
            let (kind, symbol) = (relocation.info & 0xffff_ffff, (relocation.info >> 32) as usize);
            if ![R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT].contains(&kind)
                || relocation.addend != 0
                || symbol == 0
            {
                return false;
            }
            // SAFETY: the symbol is in the library's table, and its name among the library's.
            unsafe {
                let symbol = &*(symbols as *const libc::Elf64_Sym).add(symbol);
                CStr::from_ptr((names as *const c_char).add(symbol.st_name as usize)) == name
            }
        };
        let protected = self.read_only_after_relocation();
        relocations
            .filter(is_it)
            .map(|relocation| {
                let address = self.map.base + relocation.offset;
                Slot { address, read_only: protected.contains(&address) }
            })
            .collect()
    }

    /// The pages that the dynamic linker write-protects when it has set what is in them (`PT_GNU_RELRO`). They end at
    /// the last boundary of a page inside of the range that the library names: behind it, on the same page, the library
    /// may have variables that it writes to.
    fn read_only_after_relocation(&self) -> Range<usize> {
        unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
            // SAFETY: `dl_iterate_phdr` passes both on.
            let (info, (base, found)) = unsafe { (&*info, &mut *search.cast::<(usize, Range<usize>)>()) };
            if info.dlpi_addr as usize != *base {
                return 0;
            }
            // SAFETY: the headers of a loaded library.
            let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
            if let Some(header) = headers.iter().find(|header| header.p_type == libc::PT_GNU_RELRO) {
                let start = *base + header.p_vaddr as usize;
                let end = start + header.p_memsz as usize;
                *found = page_of(start)..page_of(end);
            }
            1
        }
        let mut search = (self.map.base, 0..0);
        // SAFETY: the callback gets what it expects.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
        search.1
    }
}

/// The first address of the page that has this one.
fn page_of(address: usize) -> usize {
    address & !(page() - 1)
}

fn page() -> usize {
    // SAFETY: only returns a number, which is a power of two on every system.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// The address of an imported function in a library's table.
pub struct Slot {
    address: usize,
    /// On a page that is write-protected as a whole.
    read_only: bool,
}

impl Slot {
    /// The function that the library calls.
    pub fn get(&self) -> *mut c_void {
        self.entry().load(Ordering::Acquire)
    }

    /// Makes the library call another function from now on.
    ///
    /// If the library binds its imports when it first calls them, the dynamic linker may be about to do that for
    /// another thread, and then replaces the function once more (for each such thread). Nothing can be waited for that
    /// would tell, so [`Slot::get`] is to be asked later.
    ///
    /// # Safety
    /// The function has the type of the one that is there, and is never unloaded.
    pub unsafe fn set(&self, function: *mut c_void) -> io::Result<()> {
        let protect = |protection| {
            // SAFETY: a page of which all is set by the dynamic linker, and which nobody writes to after that.
            match unsafe { libc::mprotect(page_of(self.address) as *mut c_void, page(), protection) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        };
        if self.read_only {
            protect(libc::PROT_READ | libc::PROT_WRITE)?;
        }
        // Other threads may call by it at any time, and find one function or the other.
        self.entry().store(function, Ordering::Release);
        // That the page stays writable would be no reason to fail.
        if self.read_only {
            _ = protect(libc::PROT_READ);
        }
        Ok(())
    }

    fn entry(&self) -> &AtomicPtr<c_void> {
        // SAFETY: an aligned pointer of a library that stays loaded. The dynamic linker and this library write to it as
        // a whole.
        unsafe { AtomicPtr::from_ptr(self.address as *mut *mut c_void) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::AtomicUsize;

    type Function = unsafe extern "C" fn(c_int) -> c_int;

    unsafe extern "C" fn instead(_: c_int) -> c_int {
        1234
    }

    /// A folder of one test, removed with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Folder {
            // The libraries stay loaded, so each has a name of its own.
            static NUMBER: AtomicUsize = AtomicUsize::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("cl-external-memory-{}-{number}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a folder for temporary files");
            Folder(path)
        }

        fn build(&self, name: &str, source: &str, linking: &[&str]) -> PathBuf {
            let [c, library] = ["c", "so"].map(|extension| self.0.join(name).with_extension(extension));
            std::fs::write(&c, source).expect("a file");
            let mut compiler = c_compiler::command().expect("a C compiler");
            compiler.args(["-shared", "-fPIC", "-O1"]).arg(&c).arg("-o").arg(&library).args(linking);
            assert!(compiler.status().expect("a C compiler").success());
            library
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            _ = std::fs::remove_dir_all(&self.0);
        }
    }

    /// Functions of a library that has no constructors.
    fn functions<const N: usize>(library: &Path, names: [&CStr; N]) -> [Function; N] {
        let path = std::ffi::CString::new(library.to_str().expect("a path of text")).expect("no zeros");
        // SAFETY: the library has no constructors.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
        assert!(!handle.is_null());
        names.map(|name| {
            // SAFETY: a handle and a C string.
            let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
            assert!(!found.is_null());
            // SAFETY: all the functions of the tests have this type.
            unsafe { std::mem::transmute::<*mut c_void, Function>(found) }
        })
    }

    fn call(function: Function, number: c_int) -> c_int {
        // SAFETY: the functions of the tests take any number.
        unsafe { function(number) }
    }

    /// The one place where the library keeps an import.
    fn slot(library: &Library, name: &CStr) -> Slot {
        let mut slots = library.slots(name);
        assert_eq!(slots.len(), 1);
        slots.remove(0)
    }

    fn set(slot: &Slot) {
        // SAFETY: a function of the same type, of this program.
        unsafe { slot.set(instead as Function as *mut c_void) }.expect("a page of this process");
    }

    #[test]
    fn a_librarys_imports_are_found_and_changed() {
        const SOURCE: &str = "extern int getpgid(int); int caller(int pid) { return getpgid(pid) + 0 * pid; }";
        for linking in [&["-Wl,-z,now", "-Wl,-z,relro"][..], &["-Wl,-z,lazy"], &["-fno-plt", "-Wl,-z,now"]] {
            let folder = Folder::new();
            let [caller] = functions(&folder.build("caller", SOURCE, linking), [c"caller"]);
            // SAFETY: any number may be given.
            let own = unsafe { libc::getpgid(0) };
            assert_eq!(call(caller, 0), own);
            let library = Library::of(caller as *const c_void).expect("the library");
            assert!(library.file().ends_with("caller.so"), "{}", library.file());
            assert!(library.slots(c"getpgi").is_empty() && library.slots(c"caller").is_empty());
            assert_eq!(library.function(c"caller"), Some(caller as *mut c_void));
            assert_eq!(library.function(c"no_such_function"), None);
            let slot = slot(&library, c"getpgid");
            assert_eq!(Some(slot.get()), library.function(c"getpgid"));
            set(&slot);
            assert_eq!(call(caller, 0), 1234, "{linking:?}");
            assert_eq!(slot.get(), instead as Function as *mut c_void);
        }
        assert!(Library::of(std::ptr::null()).is_none());
    }

    #[test]
    fn libraries_are_told_apart() {
        let folder = Folder::new();
        let [one, other] = ["one", "other"].map(|name| {
            let [function] = functions(&folder.build(name, "int f(int x) { return x; }", &[]), [c"f"]);
            move || Library::of(function as *const c_void).expect("a library")
        });
        assert!(one().is(&one()) && !one().is(&other()));
    }

    /// Where the range that is read-only after relocation ends inside of a page, that page stays writable for what is
    /// behind it. Linkers differ in whether they let it.
    #[test]
    fn variables_on_the_page_of_an_import_stay_writable() {
        const SOURCE: &str = "extern int getpgid(int); int counter __attribute__((section(\".data.rel.ro\"))) = 7;
            int caller(int pid) { return getpgid(pid) + 0 * pid; } int count(int by) { return counter += by; }";
        let folder = Folder::new();
        let library = folder.build("relro", SOURCE, &["-Wl,-z,now", "-Wl,-z,relro"]);
        let mut elf = std::fs::read(&library).expect("the library");
        let word = |elf: &[u8], at: usize| u64::from_le_bytes(elf[at..at + 8].try_into().expect("8 bytes")) as usize;
        // The program headers of ELF64, 56 bytes each, and in them type, address and size in memory.
        let headers = (0..usize::from(elf[56])).map(|nth| word(&elf, 32) + 56 * nth);
        let is_relro = |at: &usize| elf[*at..*at + 4] == libc::PT_GNU_RELRO.to_le_bytes();
        let header = headers.into_iter().find(is_relro).expect("a range that is read-only after relocation");
        let (start, bytes) = (word(&elf, header + 16), word(&elf, header + 40));
        if page_of(start + bytes) == start + bytes {
            elf[header + 40..header + 48].copy_from_slice(&(bytes as u64 - 8).to_le_bytes());
        }
        std::fs::write(&library, elf).expect("a file");

        let [caller, count] = functions(&library, [c"caller", c"count"]);
        assert_eq!(call(count, 1), 8);
        let slot = slot(&Library::of(caller as *const c_void).expect("the library"), c"getpgid");
        set(&slot);
        assert_eq!((call(caller, 0), call(count, 1)), (1234, 9));
        assert!(!slot.read_only);
    }

    /// What is write-protected as a whole is so again, and nothing of it is writable for longer than it takes.
    #[test]
    fn read_only_pages_are_read_only_again() {
        const SOURCE: &str = "extern int getpgid(int); int caller(int pid) { return getpgid(pid) + 0 * pid; }";
        let folder = Folder::new();
        let library = folder.build("read-only", SOURCE, &["-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,separate-code"]);
        let [caller] = functions(&library, [c"caller"]);
        let library = Library::of(caller as *const c_void).expect("the library");
        let slot = slot(&library, c"getpgid");
        let rights = || {
            let maps = std::fs::read_to_string("/proc/self/maps").expect("/proc");
            let line = maps.lines().find_map(|line| {
                let (range, rest) = line.split_once(' ')?;
                let (start, end) = range.split_once('-')?;
                let [start, end] = [start, end].map(|digits| usize::from_str_radix(digits, 16).expect("a number"));
                (start..end).contains(&slot.address).then(|| rest[..4].to_owned())
            });
            line.expect("the slot is mapped")
        };
        assert_eq!((rights().as_str(), slot.read_only), ("r--p", true));
        set(&slot);
        assert_eq!((rights().as_str(), call(caller, 0)), ("r--p", 1234));
    }

    /// The dynamic linker looks a function up for another thread, which takes it long, and then has the library call
    /// that one.
    #[test]
    fn an_import_that_is_bound_meanwhile_is_seen_to_be_lost() {
        const SLOW: &str = "#include <unistd.h>
            int looked_up[2]; static int real(int x) { return x + 1; }
            static int (*pick(void))(int) { char c; (void)!write(looked_up[1], \"\", 1); (void)!read(looked_up[0], &c, 1); return real; }
            int slow(int) __attribute__((ifunc(\"pick\")));
            int use(int fd) { looked_up[0] = fd >> 16; looked_up[1] = fd & 0xffff; return 0; }";
        const CALLER: &str = "extern int slow(int), use(int);
            int caller(int x) { return slow(x); } int use_(int fd) { return use(fd); }";
        let folder = Folder::new();
        let slow = folder.build("slow", SLOW, &[]);
        let library = folder.build("lazy", CALLER, &["-Wl,-z,lazy", slow.to_str().expect("a path of text")]);
        let [caller, use_] = functions(&library, [c"caller", c"use_"]);
        let ([mut begun, mut go_on], mut of_c) = ([(); 2].map(|()| [0; 2]), [0; 2]);
        for (pipe, end) in [(&mut begun, 1), (&mut go_on, 0)] {
            // SAFETY: room for two descriptors.
            assert_eq!(unsafe { libc::pipe(pipe.as_mut_ptr()) }, 0);
            of_c[end] = pipe[end];
        }
        call(use_, of_c[0] << 16 | of_c[1]);
        let first_call = std::thread::spawn(move || call(caller, 1));
        let mut byte = 0u8;
        // SAFETY: room for a byte.
        assert_eq!(unsafe { libc::read(begun[0], (&raw mut byte).cast(), 1) }, 1);
        let slot = slot(&Library::of(caller as *const c_void).expect("the library"), c"slow");
        let own = instead as Function as *mut c_void;
        set(&slot);
        assert_eq!((call(caller, 1), slot.get()), (1234, own));
        // SAFETY: a byte.
        assert_eq!(unsafe { libc::write(go_on[1], (&raw const byte).cast(), 1) }, 1);
        assert_eq!(first_call.join().expect("no panic"), 2);
        assert_eq!((call(caller, 1), slot.get() == own), (2, false));
        set(&slot);
        assert_eq!((call(caller, 1), slot.get()), (1234, own));
    }
}

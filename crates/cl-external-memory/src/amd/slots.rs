//! The addresses at which a loaded library keeps the functions that it imports from others.

use bundled_preload::dlsym::{find, object_of, or_forget_error};
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

    /// A function of the library or of those that it needs.
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

    /// The addresses that the dynamic linker write-protects when it has set them (`PT_GNU_RELRO`).
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
                *found = start..start + header.p_memsz as usize;
            }
            1
        }
        let mut search = (self.map.base, 0..0);
        // SAFETY: the callback gets what it expects.
        unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
        search.1
    }
}

/// The address of an imported function in a library's table.
pub struct Slot {
    address: usize,
    read_only: bool,
}

impl Slot {
    /// Has the library call another function from now on.
    ///
    /// # Safety
    /// The function has the type of the one that is there, and is never unloaded.
    pub unsafe fn set(&self, function: *mut c_void) -> io::Result<()> {
        let page = 4096;
        let protect = |protection| {
            // SAFETY: the page of the slot, which the library and the dynamic linker only read.
            match unsafe { libc::mprotect((self.address & !(page - 1)) as *mut c_void, page, protection) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        };
        if self.read_only {
            protect(libc::PROT_READ | libc::PROT_WRITE)?;
        }
        // SAFETY: an aligned pointer of a library that stays loaded, writable now. Other threads may call by it at any time, and find one function or the other.
        unsafe { AtomicPtr::from_ptr(self.address as *mut *mut c_void) }.store(function, Ordering::Release);
        // That the page stays writable would be no reason to fail.
        if self.read_only {
            _ = protect(libc::PROT_READ);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_librarys_imports_are_found_and_changed() {
        unsafe extern "C" fn instead(_: c_int) -> c_int {
            1234
        }
        let folder = std::env::temp_dir().join(format!("cl-external-memory-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for temporary files");
        let source = folder.join("caller.c");
        std::fs::write(&source, "extern int getpgid(int); int caller(int pid) { return getpgid(pid); }")
            .expect("a file");
        let ways = [&["-Wl,-z,now", "-Wl,-z,relro"][..], &["-Wl,-z,lazy"], &["-fno-plt", "-O1", "-Wl,-z,now"]];
        for (nth, linking) in ways.into_iter().enumerate() {
            // The libraries stay loaded, so each has a name of its own.
            let library = folder.join(format!("{nth}-caller.so"));
            let mut compiler = c_compiler::command().expect("a C compiler");
            compiler.args(["-shared", "-fPIC"]).args(linking).arg(&source).arg("-o").arg(&library);
            assert!(compiler.status().expect("a C compiler").success());
            let path = std::ffi::CString::new(library.to_str().expect("a path of text")).expect("no zeros");
            // SAFETY: the library has no constructors.
            let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
            assert!(!handle.is_null());
            // SAFETY: a handle and a C string.
            let caller = unsafe { libc::dlsym(handle, c"caller".as_ptr()) };
            // SAFETY: the function above.
            let caller = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int) -> c_int>(caller) };
            // SAFETY: any number may be given.
            let own = unsafe { libc::getpgid(0) };
            // SAFETY: the same.
            assert_eq!(unsafe { caller(0) }, own);
            let of = Library::of(caller as *const c_void).expect("the library");
            assert!(of.file().ends_with("caller.so"), "{}", of.file());
            assert!(of.slots(c"getpgi").is_empty());
            let slots = of.slots(c"getpgid");
            assert_eq!(slots.len(), 1, "{linking:?}");
            for slot in slots {
                // SAFETY: a function of the same type, of this program.
                unsafe { slot.set(instead as *mut c_void) }.expect("a page of this process");
            }
            // SAFETY: the function above.
            assert_eq!(unsafe { caller(0) }, 1234, "{linking:?}");
            std::fs::remove_file(&library).expect("the file is there");
        }
        std::fs::remove_dir_all(&folder).expect("the folder is there");
        assert!(Library::of(std::ptr::null()).is_none());
    }
}

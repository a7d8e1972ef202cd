//! Loaded images are compared byte by byte.

use amdgpu_code_object::{CodeObject, Error};

use crate::compile::{self, Temporary, printed};
use crate::compiled;

/// Where the tests place images.
const ADDRESS: u64 = 0x7f12_3456_0000;

fn image(object: &CodeObject, address: u64) -> Vec<u8> {
    let mut image = vec![0xaa; object.image_bytes() as usize];
    object.write_image(address, &mut image).expect("an image");
    image
}

fn word(image: &[u8], at: u64) -> u64 {
    u64::from_le_bytes(image[at as usize..][..8].try_into().expect("eight bytes"))
}

/// Segments by `llvm-readelf`: file offset, address, bytes in the file and in memory.
fn segments(bytes: &[u8]) -> Vec<[u64; 4]> {
    let text = printed("llvm-readelf", &["--program-headers", "--wide"], bytes);
    let loads = text.lines().filter_map(|line| line.trim().strip_prefix("LOAD"));
    loads
        .map(|line| {
            let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).expect("a number");
            let words: Vec<&str> = line.split_whitespace().collect();
            [number(words[0]), number(words[1]), number(words[3]), number(words[4])]
        })
        .collect()
}

/// All bytes of the image are a segment's or zero, but for the relocations, which `llvm-readelf` lists.
#[test]
fn an_image_is_the_segments_with_relocations_applied() {
    let bytes = compiled!(compile::kernels(5));
    let object = CodeObject::parse(&bytes).expect("a code object");
    assert_eq!(object.image_align(), 0x1000);
    let segments = segments(&bytes);
    let [_, address, _, size] = segments[segments.len() - 1];
    assert_eq!(object.image_bytes(), address + size);

    let mut expected = vec![0; object.image_bytes() as usize];
    for [offset, address, in_file, _] in segments {
        let (from, to) = (offset as usize, address as usize);
        expected[to..to + in_file as usize].copy_from_slice(&bytes[from..from + in_file as usize]);
    }
    let mut kinds = Vec::new();
    let text = printed("llvm-readelf", &["--relocations", "--wide"], &bytes);
    for line in text.lines().filter(|line| line.contains("R_AMDGPU")) {
        // Offset, info, type, then a value: `VALUE` alone, or `VALUE NAME + ADDEND`.
        let words: Vec<&str> = line.split_whitespace().collect();
        let hex = |index: usize| u64::from_str_radix(words[index], 16).expect("a number");
        let addend = if words.len() > 4 { hex(6) } else { 0 };
        let at = hex(0) as usize;
        expected[at..at + 8].copy_from_slice(&(ADDRESS + hex(3) + addend).to_le_bytes());
        kinds.push(words[2]);
    }
    kinds.sort_unstable();
    assert_eq!(kinds, ["R_AMDGPU_ABS64", "R_AMDGPU_ABS64", "R_AMDGPU_RELATIVE64"]);
    assert_eq!(image(&object, ADDRESS), expected);
}

/// What the source says of its variables is what a kernel would read.
#[test]
fn variables_have_their_values_and_addresses() {
    let bytes = compiled!(compile::kernels(4));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let image = image(&object, ADDRESS);
    let exported = object.symbol("exported").expect("exported");
    let pointers = object.symbol("pointers").expect("pointers");
    assert_eq!((exported.bytes, pointers.bytes), (12, 16));
    let values: Vec<u8> = [10u32, 11, 12].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(image[exported.offset as usize..][..12], values);
    assert_eq!(word(&image, pointers.offset + 8), ADDRESS + exported.offset + 8);
    let counter = (word(&image, pointers.offset) - ADDRESS) as usize;
    assert_eq!(image[counter..][..4], 7u32.to_le_bytes());
    assert_eq!(object.symbol("counter"), None, "it is hidden");
}

#[test]
fn weak_symbols_are_null_and_bss_is_zero() {
    let bytes = compiled!(compile::assembly(compile::BY_HAND));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let image = image(&object, ADDRESS);
    let addresses = object.symbol("addresses").expect("addresses").offset;
    let words = [0, 8, 16].map(|at| word(&image, addresses + at));
    assert_eq!(words, [ADDRESS + addresses + 16, 0, u64::MAX]);
    let zeroes = object.symbol("zeroes").expect("zeroes");
    assert_eq!(zeroes.bytes, 0x2345);
    assert!(image[zeroes.offset as usize..][..0x2345].iter().all(|&byte| byte == 0));
}

/// clang lets the linker refuse undefined symbols, so the weak one is made strong in the file.
#[test]
fn an_undefined_symbol_is_named() {
    let mut bytes = compiled!(compile::assembly(compile::BY_HAND));
    let text = printed("llvm-readelf", &["--section-headers", "--dyn-syms", "--wide"], &bytes);
    let table = text.lines().find(|line| line.contains(" DYNSYM ")).expect("the symbol table");
    let offset = table.split("DYNSYM").nth(1).and_then(|rest| rest.split_whitespace().nth(1)).expect("its offset");
    let line = text.lines().find(|line| line.ends_with(" nobody")).expect("the symbol");
    let index: usize = line.trim().split(':').next().and_then(|number| number.parse().ok()).expect("its index");
    // `st_info` of an `Elf64_Sym`: the binding is in the upper half, 2 is weak, 1 is global.
    let info = usize::from_str_radix(offset, 16).expect("a number") + 24 * index + 4;
    assert_eq!(bytes[info] >> 4, 2);
    bytes[info] = 1 << 4;
    let error = CodeObject::parse(&bytes).expect_err("an undefined symbol");
    assert_eq!(error, Error::UndefinedSymbol { symbol: "nobody".to_owned() });
}

#[test]
fn a_place_that_does_not_fit_is_refused_and_left_alone() {
    let bytes = compiled!(compile::kernels(5));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let size = object.image_bytes() as usize;
    let mut image = vec![0xaa; size + 1];
    let error = object.write_image(ADDRESS + 0x800, &mut image[..size]).expect_err("not aligned");
    assert_eq!(error.to_string(), "cannot place the image at 0x7f1234560800: it is not aligned to 0x1000");
    let error = object.write_image(ADDRESS, &mut image).expect_err("too long");
    assert!(
        error.to_string().contains(&format!("the slice has {:#x} bytes, the image {size:#x}", size + 1)),
        "{error}"
    );
    let error = object.write_image(0u64.wrapping_sub(0x1000), &mut image[..size]).expect_err("beyond the end");
    assert!(error.to_string().ends_with("bytes there exceed 64 bits"), "{error}");
    assert!(image.iter().all(|&byte| byte == 0xaa));
}

/// Each file that is linked brings a metadata note of its own; rocBLAS's libraries of kernels have hundreds.
#[test]
fn kernels_of_several_linked_files_are_all_there() {
    let compiled = |name: &str| {
        let source = format!("kernel void {name}(global int *p) {{ *p = 1; }}");
        compile::opencl(&source, "gfx908", 5, &["-c"]).map(|bytes| Temporary::new(&bytes))
    };
    let (first, second) = (compiled!(compiled("first")), compiled!(compiled("second")));
    let output = Temporary::new(&[]);
    let mut linker = std::process::Command::new(compile::tool("ld.lld", 19));
    linker.arg("-shared").args([first.path(), second.path()]).arg("-o").arg(output.path());
    assert!(linker.status().expect("the linker").success());
    let bytes = std::fs::read(output.path()).expect("a code object");
    let object = CodeObject::parse(&bytes).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = object.kernels().iter().map(|kernel| kernel.name()).collect();
    assert_eq!(names, ["first", "second"]);
}

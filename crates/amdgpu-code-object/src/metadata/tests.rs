//! Malformed metadata is refused, and the error names the place.

use super::*;
use crate::Error;
use crate::elf::Note;

fn refused(note: &[u8]) -> String {
    parse(note).map(|metadata| metadata.kernels).expect_err("malformed").to_string()
}

fn parse(contents: &[u8]) -> Result<Metadata, Error> {
    Metadata::parse(&Note { contents, offset: 0x200 })
}

/// MessagePack of what looks like JSON: maps of up to 15 pairs, short strings, integers up to 127, booleans.
fn pack(text: &str) -> Vec<u8> {
    fn value(text: &mut &str, out: &mut Vec<u8>) {
        *text = text.trim_start();
        let next = text.chars().next().expect("a value");
        if let Some(close) = match next {
            '{' => Some('}'),
            '[' => Some(']'),
            _ => None,
        } {
            let marker = out.len();
            out.push(if next == '{' { 0x80 } else { 0x90 });
            *text = &text[1..];
            loop {
                *text = text.trim_start_matches([' ', ',', ':', '\n']);
                if let Some(rest) = text.strip_prefix(close) {
                    *text = rest;
                    break;
                }
                value(text, out);
                if next == '{' {
                    *text = text.trim_start_matches([' ', ':']);
                    value(text, out);
                }
                out[marker] += 1;
            }
            return;
        }
        let end = text.find([',', ':', ']', '}', ' ', '\n']).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        *text = rest;
        match word {
            "true" => out.push(0xc3),
            "false" => out.push(0xc2),
            _ => match word.parse::<u32>() {
                Ok(number @ 0..=127) => out.push(number as u8),
                Ok(number) => {
                    out.push(0xce);
                    out.extend(number.to_be_bytes());
                }
                Err(_) => {
                    out.extend([0xd9, word.len() as u8]);
                    out.extend(word.as_bytes());
                }
            },
        }
    }
    let mut out = Vec::new();
    value(&mut &*text, &mut out);
    out
}

const KERNEL: &str = ".name:k, .symbol:k.kd, .kernarg_segment_size:16, .kernarg_segment_align:8, \
     .group_segment_fixed_size:0, .private_segment_fixed_size:0, .wavefront_size:64, .max_flat_workgroup_size:256";

fn note(kernel: &str) -> Vec<u8> {
    pack(&format!("{{amdhsa.version: [1, 2], amdhsa.kernels: [{{ {KERNEL}, {kernel} }}]}}"))
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    assert_eq!(parse(&note("")).expect("metadata").kernels[0].symbol, "k.kd");
    for (kernel, path, reason) in [
        (".name:7", ".name", "not a string of UTF-8"),
        (".wavefront_size:63", ".wavefront_size", "is 63, wanted 32 or 64"),
        (".kernarg_segment_size:65537", ".kernarg_segment_size", "is 65537, more than 65536 bytes of arguments"),
        (".kernarg_segment_align:3", ".kernarg_segment_align", "is 3, wanted a power of two up to 65536"),
        (".kernarg_segment_align:131072", ".kernarg_segment_align", "is 131072, wanted a power of two up to 65536"),
        (".reqd_workgroup_size:[1,2]", ".reqd_workgroup_size", "has 2 values, wanted 3"),
        (".reqd_workgroup_size:[1,2,x]", ".reqd_workgroup_size[2]", "not an integer from 0 to 2^32 - 1"),
        (".uses_dynamic_stack:2", ".uses_dynamic_stack", "not a boolean"),
        (".kind:late", ".kind", "is \"late\", wanted one of normal, init, fini"),
        (".args:{}", ".args", "not a sequence"),
        (".args:[7]", ".args[0]", "not a map"),
        (".args:[{.offset:0, .size:4}]", ".args[0].value_kind", "is missing, but required"),
        (
            ".args:[{.offset:0, .size:4, .value_kind:global_buffer}]",
            ".args[0].size",
            "is 4, but GlobalBuffer has 8 bytes",
        ),
        (
            ".args:[{.offset:0, .size:8, .value_kind:hidden_grid_dims}]",
            ".args[0].size",
            "is 8, but Hidden(GridDims) has 2 bytes",
        ),
    ] {
        let message = refused(&note(kernel));
        assert!(message.starts_with(&format!("metadata amdhsa.kernels[0]{path} at offset 0x")), "{message}");
        assert!(message.ends_with(&format!(": {reason}")), "{message}");
    }
    let missing = pack("{amdhsa.version:[1,2], amdhsa.kernels:[{.name:k}]}");
    assert!(refused(&missing).starts_with("metadata amdhsa.kernels[0].symbol at offset 0x"));
    assert!(refused(&pack("{amdhsa.kernels:[]}")).starts_with("metadata amdhsa.version at offset 0x200: is missing"));
    assert!(refused(&pack("[1]")).starts_with("metadata as a whole at offset 0x200: not a map"));
}

#[test]
fn unknown_keys_are_passed_over() {
    let kernel = note(".new:{a:[1,{b:true}],c:x}, .vgpr_count:9");
    assert_eq!(parse(&kernel).expect("metadata").kernels[0].vgpr_count, 9);
}

/// Lengths that the note cannot have, and nesting that a recursive reader would not survive.
#[test]
fn hostile_structures_are_refused() {
    let array32 = &[0xdd, 0xff, 0xff, 0xff, 0xff][..];
    let map32 = &[0xdf, 0xff, 0xff, 0xff, 0xff];
    let str32 = &[0xdb, 0xff, 0xff, 0xff, 0xff];
    let bin32 = &[0xc6, 0xff, 0xff, 0xff, 0xff];
    let ext32 = &[0xc9, 0xff, 0xff, 0xff, 0xff];
    let nested = vec![0x91; 1 << 20];
    let many = map32.repeat(1 << 18);
    for hostile in [array32, map32, str32, bin32, ext32, &nested, &many, &[0xc1]] {
        // As the value of a key that is passed over, and of one that is read.
        let unknown = [&[0x81, 0xa1, b'a'], hostile].concat();
        assert!(refused(&unknown).contains("the MessagePack is cut off"), "{}", refused(&unknown));
        let kernels = [&[0x81, 0xae], &b"amdhsa.kernels"[..], hostile].concat();
        refused(&kernels);
        refused(hostile);
    }
    assert!(refused(&[]).ends_with("the MessagePack is cut off"));
    assert!(refused(map32).ends_with("not a string of UTF-8"), "{}", refused(map32));
    // Deep, but whole.
    let deep = [&[0x82, 0xa1, b'a'][..], &[0x91; 1 << 16], &[0xc0, 0xae], b"amdhsa.version", &[0x92, 1, 2]].concat();
    assert_eq!(parse(&deep).expect("metadata").version, [1, 2]);
}

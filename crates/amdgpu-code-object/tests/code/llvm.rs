//! The reference: facts about code objects from `llvm-readelf` and `llvm-objdump`, which share no code with this crate.

use std::collections::BTreeMap;
use std::process::Command;

use amdgpu_code_object::{
    Access, AddressSpace, ArgumentMetadata, CodeObject, Hidden, Kernel, KernelDescriptor, KernelKind, SymbolKind,
    TargetId, ValueKind, Version,
};

use crate::compile::{self, printed};
use crate::compiled;

type Facts = BTreeMap<String, String>;

/// Kernels, each with its own facts and those of its arguments.
fn metadata_by_llvm(bytes: &[u8]) -> BTreeMap<String, (Facts, Vec<Facts>)> {
    let text = printed("llvm-readelf", &["--notes"], bytes);
    let mut kernels: Vec<(Facts, Vec<Facts>)> = Vec::new();
    // The last key, and whether it is an argument's: lines of a sequence follow.
    let mut last = (String::new(), false);
    for line in text.lines().skip_while(|line| *line != "amdhsa.kernels:").skip(1) {
        if line.starts_with("amdhsa.") {
            break;
        }
        let indent = line.len() - line.trim_start().len();
        let (item, rest) = match line.trim_start().strip_prefix("- ") {
            Some(rest) => (true, rest),
            None => (false, line.trim_start()),
        };
        match (indent, item) {
            (2, true) => kernels.push((Facts::new(), Vec::new())),
            (6, true) if rest.starts_with('.') => kernels.last_mut().expect("a kernel").1.push(Facts::new()),
            _ => {}
        }
        let key = rest.starts_with('.').then(|| rest.split_once(':')).flatten();
        if let Some((key, _)) = key {
            last = (key.to_owned(), indent == 8 || (indent == 6 && item));
        }
        let (facts, arguments) = kernels.last_mut().expect("a kernel");
        let facts = if last.1 { arguments.last_mut().expect("an argument") } else { facts };
        match key {
            Some((key, value)) => drop(facts.insert(key.to_owned(), text_of(value))),
            None => *facts.get_mut(&last.0).expect("the key") += &format!(" {rest}"),
        }
    }
    kernels.into_iter().map(|(facts, arguments)| (facts[".name"].clone(), (facts, arguments))).collect()
}

/// A value without YAML's quotes, and without its tag for words such as `n` that mean something in YAML.
fn text_of(value: &str) -> String {
    let value = value.trim();
    value.strip_prefix("!str ").unwrap_or(value).trim_matches('\'').to_owned()
}

fn put(facts: &mut Facts, key: &str, value: impl ToString) {
    facts.insert(key.to_owned(), value.to_string());
}

fn access(access: Access) -> &'static str {
    match access {
        Access::ReadOnly => "read_only",
        Access::WriteOnly => "write_only",
        Access::ReadWrite => "read_write",
        _ => "?",
    }
}

fn value_kind(kind: &ValueKind) -> String {
    let dimension = |name: &str, d: usize| format!("hidden_{name}_{}", ["x", "y", "z"][d]);
    match kind {
        ValueKind::ByValue => "by_value".to_owned(),
        ValueKind::GlobalBuffer => "global_buffer".to_owned(),
        ValueKind::DynamicSharedPointer => "dynamic_shared_pointer".to_owned(),
        ValueKind::Sampler => "sampler".to_owned(),
        ValueKind::Image => "image".to_owned(),
        ValueKind::Pipe => "pipe".to_owned(),
        ValueKind::Queue => "queue".to_owned(),
        ValueKind::Unknown(kind) => kind.clone(),
        ValueKind::Hidden(hidden) => match hidden {
            Hidden::None => "hidden_none".to_owned(),
            Hidden::BlockCount(d) => dimension("block_count", *d),
            Hidden::GroupSize(d) => dimension("group_size", *d),
            Hidden::Remainder(d) => dimension("remainder", *d),
            Hidden::GlobalOffset(d) => dimension("global_offset", *d),
            Hidden::GridDims => "hidden_grid_dims".to_owned(),
            Hidden::DynamicLdsSize => "hidden_dynamic_lds_size".to_owned(),
            Hidden::Service(service) => service.value_kind().to_owned(),
            _ => "?".to_owned(),
        },
        _ => "?".to_owned(),
    }
}

/// An argument in LLVM's words.
fn argument(argument: &ArgumentMetadata) -> Facts {
    let mut facts = Facts::new();
    put(&mut facts, ".offset", argument.offset);
    put(&mut facts, ".size", argument.size);
    put(&mut facts, ".value_kind", value_kind(&argument.value_kind));
    for (key, text) in [(".name", &argument.name), (".type_name", &argument.type_name)] {
        if let Some(text) = text {
            put(&mut facts, key, text);
        }
    }
    if let Some(space) = argument.address_space {
        let name = match space {
            AddressSpace::Private => "private",
            AddressSpace::Global => "global",
            AddressSpace::Constant => "constant",
            AddressSpace::Local => "local",
            AddressSpace::Generic => "generic",
            AddressSpace::Region => "region",
            _ => "?",
        };
        put(&mut facts, ".address_space", name);
    }
    for (key, value) in [(".access", argument.access), (".actual_access", argument.actual_access)] {
        if let Some(value) = value {
            put(&mut facts, key, access(value));
        }
    }
    if let Some(align) = argument.pointee_align {
        put(&mut facts, ".pointee_align", align);
    }
    let flags = [
        (".is_const", argument.is_const),
        (".is_restrict", argument.is_restrict),
        (".is_volatile", argument.is_volatile),
    ];
    for (key, flag) in flags {
        if flag {
            put(&mut facts, key, true);
        }
    }
    facts
}

/// A kernel in LLVM's words, with what LLVM leaves out if it is zero or false.
fn kernel(kernel: &Kernel) -> Facts {
    let metadata = kernel.metadata();
    let mut facts = Facts::new();
    put(&mut facts, ".name", &metadata.name);
    put(&mut facts, ".symbol", &metadata.symbol);
    put(&mut facts, ".kernarg_segment_size", metadata.kernarg_segment_size);
    put(&mut facts, ".kernarg_segment_align", metadata.kernarg_segment_align);
    put(&mut facts, ".group_segment_fixed_size", metadata.group_segment_fixed_size);
    put(&mut facts, ".private_segment_fixed_size", metadata.private_segment_fixed_size);
    put(&mut facts, ".uses_dynamic_stack", metadata.uses_dynamic_stack);
    put(&mut facts, ".wavefront_size", metadata.wavefront_size);
    put(&mut facts, ".sgpr_count", metadata.sgpr_count);
    put(&mut facts, ".vgpr_count", metadata.vgpr_count);
    put(&mut facts, ".agpr_count", metadata.agpr_count);
    put(&mut facts, ".sgpr_spill_count", metadata.sgpr_spill_count);
    put(&mut facts, ".vgpr_spill_count", metadata.vgpr_spill_count);
    put(&mut facts, ".max_flat_workgroup_size", metadata.max_flat_workgroup_size);
    put(&mut facts, ".uniform_work_group_size", u32::from(metadata.uniform_work_group_size));
    if let Some(language) = &metadata.language {
        put(&mut facts, ".language", language);
    }
    let kind = match metadata.kind {
        KernelKind::Init => "init",
        KernelKind::Fini => "fini",
        _ => "normal",
    };
    put(&mut facts, ".kind", kind);
    for (key, size) in
        [(".reqd_workgroup_size", metadata.reqd_workgroup_size), (".workgroup_size_hint", metadata.workgroup_size_hint)]
    {
        if let Some([x, y, z]) = size {
            facts.insert(key.to_owned(), format!(" {x} {y} {z}"));
        }
    }
    for (name, max) in ["x", "y", "z"].iter().zip(metadata.max_num_work_groups) {
        if let Some(max) = max {
            put(&mut facts, &format!(".max_num_work_groups_{name}"), max);
        }
    }
    facts
}

/// What LLVM does not write stands for this.
const DEFAULTS: [(&str, &str); 7] = [
    (".kind", "normal"),
    (".agpr_count", "0"),
    (".sgpr_spill_count", "0"),
    (".vgpr_spill_count", "0"),
    (".uses_dynamic_stack", "false"),
    (".uniform_work_group_size", "0"),
    (".args", ""),
];

/// What this crate does not read.
const LEFT: [&str; 5] =
    [".language_version", ".vec_type_hint", ".is_pipe", ".vendor.unknown", ".device_enqueue_symbol"];

fn compare_metadata(object: &CodeObject, bytes: &[u8]) {
    let theirs = metadata_by_llvm(bytes);
    let names: Vec<&str> = object.kernels().iter().map(Kernel::name).collect();
    assert_eq!(names, theirs.keys().collect::<Vec<_>>());
    for ours in object.kernels() {
        let (facts, arguments) = &theirs[ours.name()];
        let mut facts = facts.clone();
        for (key, default) in DEFAULTS {
            facts.entry(key.to_owned()).or_insert_with(|| default.to_owned());
        }
        facts.retain(|key, _| !LEFT.contains(&key.as_str()));
        let mut expected = kernel(ours);
        put(&mut expected, ".args", &facts[".args"]);
        assert_eq!(expected, facts, "{}", ours.name());
        let mut arguments = arguments.clone();
        for facts in &mut arguments {
            facts.retain(|key, _| !LEFT.contains(&key.as_str()));
        }
        assert_eq!(ours.metadata().args.iter().map(argument).collect::<Vec<_>>(), arguments, "{}", ours.name());
    }
}

/// The descriptors as `llvm-objdump` takes them apart: kernel, directive, value.
fn descriptors_by_llvm(bytes: &[u8]) -> BTreeMap<String, BTreeMap<String, u32>> {
    let text = printed("llvm-objdump", &["-D", "-j", ".rodata"], bytes);
    let mut kernels = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        match line.trim().split_once(' ') {
            Some((".amdhsa_kernel", name)) => current = Some(kernels.entry(name.to_owned()).or_insert(BTreeMap::new())),
            Some((directive, value)) if directive.starts_with(".amdhsa_") => {
                let value = value.parse().unwrap_or_else(|_| panic!("{line}"));
                current.as_mut().expect("a kernel").insert(directive[8..].to_owned(), value);
            }
            _ => {}
        }
    }
    kernels
}

fn descriptor(descriptor: &KernelDescriptor) -> BTreeMap<String, u32> {
    let d = descriptor;
    let vgprs = (d.granulated_workitem_vgpr_count() + 1) * 4;
    // LLVM takes the fewest that give this field, whose unit is 8.
    let sgprs = (d.granulated_wavefront_sgpr_count() + 1) * 8;
    let facts = [
        ("group_segment_fixed_size", d.group_segment_fixed_size),
        ("private_segment_fixed_size", d.private_segment_fixed_size),
        ("kernarg_size", d.kernarg_size),
        ("next_free_vgpr", vgprs),
        ("next_free_sgpr", sgprs),
        // LLVM counts these within the number above.
        ("reserve_vcc", 0),
        ("reserve_flat_scratch", 0),
        ("reserve_xnack_mask", 0),
        ("float_round_mode_32", d.float_round_mode_32()),
        ("float_round_mode_16_64", d.float_round_mode_16_64()),
        ("float_denorm_mode_32", d.float_denorm_mode_32()),
        ("float_denorm_mode_16_64", d.float_denorm_mode_16_64()),
        ("dx10_clamp", d.enable_dx10_clamp().into()),
        ("ieee_mode", d.enable_ieee_mode().into()),
        ("fp16_overflow", d.fp16_ovfl().into()),
        ("system_sgpr_private_segment_wavefront_offset", d.enable_private_segment().into()),
        ("system_sgpr_workgroup_id_x", d.enable_sgpr_workgroup_id_x().into()),
        ("system_sgpr_workgroup_id_y", d.enable_sgpr_workgroup_id_y().into()),
        ("system_sgpr_workgroup_id_z", d.enable_sgpr_workgroup_id_z().into()),
        ("system_sgpr_workgroup_info", d.enable_sgpr_workgroup_info().into()),
        ("system_vgpr_workitem_id", d.enable_vgpr_workitem_id()),
        ("exception_fp_ieee_invalid_op", d.enable_exception_fp_invalid().into()),
        ("exception_fp_denorm_src", d.enable_exception_fp_denorm().into()),
        ("exception_fp_ieee_div_zero", d.enable_exception_fp_div_zero().into()),
        ("exception_fp_ieee_overflow", d.enable_exception_fp_overflow().into()),
        ("exception_fp_ieee_underflow", d.enable_exception_fp_underflow().into()),
        ("exception_fp_ieee_inexact", d.enable_exception_fp_inexact().into()),
        ("exception_int_div_zero", d.enable_exception_int_div_zero().into()),
        ("user_sgpr_private_segment_buffer", d.enable_sgpr_private_segment_buffer().into()),
        ("user_sgpr_dispatch_ptr", d.enable_sgpr_dispatch_ptr().into()),
        ("user_sgpr_queue_ptr", d.enable_sgpr_queue_ptr().into()),
        ("user_sgpr_kernarg_segment_ptr", d.enable_sgpr_kernarg_segment_ptr().into()),
        ("user_sgpr_dispatch_id", d.enable_sgpr_dispatch_id().into()),
        ("user_sgpr_flat_scratch_init", d.enable_sgpr_flat_scratch_init().into()),
        ("user_sgpr_private_segment_size", d.enable_sgpr_private_segment_size().into()),
        ("uses_dynamic_stack", d.uses_dynamic_stack().into()),
    ];
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn compare_descriptors(object: &CodeObject, bytes: &[u8]) {
    let theirs = descriptors_by_llvm(bytes);
    assert_eq!(theirs.len(), object.kernels().len());
    for kernel in object.kernels() {
        let mut theirs = theirs[kernel.name()].clone();
        // objdump prints it from version 5 on, where it means something.
        theirs.entry("uses_dynamic_stack".to_owned()).or_insert(0);
        assert_eq!(descriptor(kernel.descriptor()), theirs, "{}", kernel.name());
    }
}

/// Symbols, and the address of each kernel's code.
fn compare_symbols(object: &CodeObject, bytes: &[u8]) {
    let text = printed("llvm-readelf", &["--dyn-syms", "--wide"], bytes);
    let mut theirs: Vec<_> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, value, size, kind @ ("FUNC" | "OBJECT"), _, _, section, name] = words.as_slice() else { continue };
        if section != "UND" {
            let value = u64::from_str_radix(value, 16).expect("a number");
            theirs.push((name.to_owned(), value, size.parse::<u64>().expect("a number"), kind == "FUNC"));
        }
    }
    theirs.sort();
    let ours: Vec<_> = object
        .symbols()
        .iter()
        .map(|symbol| (symbol.name.clone(), symbol.offset, symbol.bytes, symbol.kind == SymbolKind::Function))
        .collect();
    assert_eq!(ours, theirs);
    for kernel in object.kernels() {
        let code = kernel.descriptor_offset().wrapping_add_signed(kernel.descriptor().kernel_code_entry_byte_offset);
        assert_eq!(Some(code), object.symbol(kernel.name()).map(|symbol| symbol.offset), "{}", kernel.name());
        assert_eq!(Some(kernel.descriptor_offset()), object.symbol(&kernel.metadata().symbol).map(|s| s.offset));
    }
}

fn compare(bytes: &[u8], version: Version, target: &str) {
    let object = CodeObject::parse(bytes).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(object.version(), version);
    assert_eq!(object.target(), &target.parse::<TargetId>().expect("a target ID"));
    compare_metadata(&object, bytes);
    compare_descriptors(&object, bytes);
    compare_symbols(&object, bytes);
}

#[test]
fn version_3_is_as_llvm_says() {
    let bytes = compiled!(compile::kernels(3));
    compare(&bytes, Version::V3, "gfx908:sramecc+:xnack+");
    let bytes = compiled!(compile::opencl(compile::KERNELS, "gfx908:xnack-", 3, &[]));
    compare(&bytes, Version::V3, "gfx908:sramecc+:xnack-");
}

#[test]
fn version_4_is_as_llvm_says() {
    let bytes = compiled!(compile::kernels(4));
    compare(&bytes, Version::V4, "gfx908");
    let bytes = compiled!(compile::opencl(compile::KERNELS, "gfx908:sramecc-:xnack+", 4, &[]));
    compare(&bytes, Version::V4, "gfx908:sramecc-:xnack+");
}

#[test]
fn version_5_is_as_llvm_says() {
    let bytes = compiled!(compile::kernels(5));
    compare(&bytes, Version::V5, "gfx908");
    // Names of arguments, and hidden arguments that are all declared.
    let bytes = compiled!(compile::opencl(compile::KERNELS, "gfx908", 5, &["-O0", "-cl-kernel-arg-info"]));
    compare(&bytes, Version::V5, "gfx908");
    let object = CodeObject::parse(&bytes).expect("a code object");
    let names: Vec<Option<&str>> = object
        .kernel("saxpy")
        .expect("saxpy")
        .metadata()
        .args
        .iter()
        .map(|argument| argument.name.as_deref())
        .collect();
    assert_eq!(names[..4], ["y", "x", "a", "n"].map(Some));
}

#[test]
fn version_6_is_as_llvm_says() {
    let bytes = compiled!(compile::kernels(6));
    compare(&bytes, Version::V6, "gfx908");
}

#[test]
fn a_file_written_by_hand_is_as_llvm_says() {
    let bytes = compiled!(compile::assembly(compile::BY_HAND));
    compare(&bytes, Version::V5, "gfx908:sramecc+:xnack-");
}

/// Every processor that this LLVM knows has the number in `e_flags` that LLVM's assembler writes, and the settings.
#[test]
fn processors_have_llvms_numbers() {
    let assembler = || Command::new(compile::tool("llvm-mc", 19));
    let listed = assembler().args(["--triple=amdgcn-amd-amdhsa", "--mcpu=help", "/dev/null"]).output();
    let listed = match listed {
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => test_skip::skip!("llvm-mc does not start: {error}"),
    };
    let seed = |version: u32| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/code_object");
        std::fs::read(format!("{folder}/saxpy-v{version}")).expect("a code object")
    };
    let (mut version_3, mut version_5) = (seed(3), seed(5));
    let mut checked = 0;
    for line in listed.lines().filter(|line| line.ends_with("processor.") && !line.contains("generic")) {
        let Some(name) = line.split_whitespace().next().filter(|name| name.starts_with("gfx")) else { continue };
        let processor = format!("--mcpu={name}");
        let output =
            assembler().args(["--triple=amdgcn-amd-amdhsa", "--filetype=obj", "/dev/null"]).arg(processor).output();
        let object = output.expect("llvm-mc").stdout;
        let target = |bytes: &mut [u8], flags: u32| {
            bytes[48..52].copy_from_slice(&flags.to_le_bytes());
            let parsed = CodeObject::parse(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            parsed.target().clone()
        };
        let flags = u32::from_le_bytes(object[48..52].try_into().expect("four bytes"));
        assert_eq!(target(&mut version_5, flags).to_string(), name);
        // From version 4 on 0 stands for not supported; version 3 has one bit, which is unset here.
        let off = |shift: u32| (flags >> shift & 3 != 0).then_some(false);
        let old = target(&mut version_3, flags & 0xff);
        assert_eq!((old.xnack(), old.sramecc()), (off(8), off(10)), "{name}");
        checked += 1;
    }
    assert!(checked > 40, "{checked} processors in\n{listed}");
}

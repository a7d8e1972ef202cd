//! The programs by which people look at a machine: they must show the virtual GPU as they show a real MI100.
use std::fs::File;
use std::io::ErrorKind;
use std::process::Command;
use std::time::Duration;

use stack_tests::{Stack, check_case, hip_program, hip_version, run, run_any, stack};

const LIMIT: Duration = Duration::from_secs(300);

/// The text of the agent in rocminfo's output whose `Name:` is `name`.
fn agent<'a>(output: &'a str, name: &str) -> Option<&'a str> {
    let named = |text: &str| text.lines().any(|line| line.split_whitespace().eq(["Name:", name]));
    output.split("\nAgent ").find(|text| named(text))
}

/// A ROCr that has no such chip shows no GPU, and ends with 0: what it knows is told. Nothing is told of a chip that it
/// knows and that a program only lists.
#[test]
fn a_chip_that_the_runtime_does_not_know_is_told() {
    stack_tests::needs_vgpu!();
    for (model, chip) in [("mi300x", "gfx942"), ("mi210", "gfx90a")] {
        let listed = run_any(&mut stack_tests::on_vgpu(&["--gpu", model], "rocminfo"), LIMIT);
        let knows = agent(&listed.stdout, chip).is_some();
        assert_eq!(knows, chip == "gfx90a" || hip_version() >= (5, 7), "{listed:?}");
        let told = listed.stderr.lines().find(|line| line.starts_with("vgpu: GPU 0 is an "));
        assert_eq!(told.is_some(), !knows, "{listed:?}");
        if let Some(told) = told {
            assert!(told.starts_with(&format!("vgpu: GPU 0 is an {model} ({chip}), which /")), "{told}");
            let known = told.split("; it knows ").nth(1).expect("what it knows");
            assert!(
                ["gfx906", "gfx908", "gfx90a"].iter().all(|chip| known.split(", ").any(|one| one == *chip)),
                "{told}"
            );
        }
    }
}

/// The value of the first line `Field: value`.
fn value<'a>(text: &'a str, field: &str) -> &'a str {
    let found = text.lines().find_map(|line| line.trim_start().strip_prefix(field)?.trim_start().strip_prefix(':'));
    found.unwrap_or_else(|| panic!("no line `{field}:` in\n{text}")).trim()
}

#[test]
fn rocminfo_shows_an_mi100() {
    stack_tests::needs_gfx908!();
    let output = run(&mut Command::new("rocminfo"), LIMIT);
    let gpu = agent(&output, "gfx908").unwrap_or_else(|| panic!("no gfx908 agent in\n{output}"));
    assert_eq!(value(gpu, "Device Type"), "GPU");
    assert_eq!(value(gpu, "Vendor Name"), "AMD");
    assert_eq!(value(gpu, "Compute Unit"), "120");
    assert_eq!(value(gpu, "SIMDs per CU"), "4");
    assert_eq!(value(gpu, "Wavefront Size"), "64(0x40)");
    assert_eq!(value(gpu, "Workgroup Max Size"), "1024(0x400)");
    assert_eq!(value(gpu, "Chip ID"), "29580(0x738c)");
    assert!(gpu.contains("amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-"), "no gfx908 code object target in\n{gpu}");
    // 32 GB of memory on the board.
    assert!(gpu.contains(" 33538048(0x1ffc000) KB"), "no pool of that size in\n{gpu}");
}

#[test]
fn rocminfo_shows_an_mi210() {
    if !stack_tests::on_virtual_gpu() {
        test_skip::skip!("is about a virtual MI210");
    }
    let output = run(&mut stack_tests::on_vgpu(&["--gpu=mi210"], "rocminfo"), LIMIT);
    let gpu = agent(&output, "gfx90a").unwrap_or_else(|| panic!("no gfx90a agent in\n{output}"));
    assert_eq!(value(gpu, "Compute Unit"), "104");
    assert_eq!(value(gpu, "Max Waves Per CU"), "32(0x20)");
    assert_eq!(value(gpu, "Chip ID"), "29711(0x740f)");
    assert!(gpu.contains("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"), "no gfx90a code object target in\n{gpu}");
    assert!(gpu.contains(" 67092480(0x3ffc000) KB"), "no pool of that size in\n{gpu}");
}

#[test]
fn rocminfo_shows_an_mi300x() {
    if !stack_tests::on_virtual_gpu() {
        test_skip::skip!("is about a virtual MI300X");
    }
    if stack_tests::hip_version() < (5, 7) {
        test_skip::skip!("ROCr 5.2 knows no gfx942");
    }
    let output = run(&mut stack_tests::on_vgpu(&["--gpu=mi300x"], "rocminfo"), LIMIT);
    let gpu = agent(&output, "gfx942").unwrap_or_else(|| panic!("no gfx942 agent in\n{output}"));
    assert_eq!(value(gpu, "Marketing Name"), "AMD Instinct MI300X");
    assert_eq!(value(gpu, "Compute Unit"), "304");
    assert_eq!(value(gpu, "Shader Engines"), "32");
    assert_eq!(value(gpu, "Max Waves Per CU"), "32(0x20)");
    assert_eq!(value(gpu, "Chip ID"), "29857(0x74a1)");
    assert_eq!(
        [value(gpu, "L1"), value(gpu, "L2"), value(gpu, "L3")],
        ["32(0x20) KB", "4096(0x1000) KB", "262144(0x40000) KB"]
    );
    assert!(gpu.contains("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"), "no gfx942 code object target in\n{gpu}");
    assert!(gpu.contains(" 201310208(0xbffc000) KB"), "no pool of that size in\n{gpu}");
}

/// What Linux 6.12 says of the partitions: 38 compute units and an eighth of the memory each, the card's UUID, and its
/// place on the PCI bus with the partition's number for a function.
#[test]
fn rocminfo_and_clinfo_show_the_partitions_of_an_mi300x() {
    if !stack_tests::on_virtual_gpu() {
        test_skip::skip!("is about a virtual MI300X");
    }
    if hip_version() < (5, 7) {
        test_skip::skip!("ROCr 5.2 knows no gfx942");
    }
    let on_card = |program: &str| run(&mut stack_tests::on_vgpu(&["--gpu=mi300x:cpx"], program), LIMIT);
    let output = on_card("rocminfo");
    let is_gpu = |text: &&str| text.lines().any(|line| line.split_whitespace().eq(["Name:", "gfx942"]));
    let gpus: Vec<&str> = output.split("\nAgent ").filter(is_gpu).collect();
    assert_eq!(gpus.len(), 8, "{output}");
    for (partition, gpu) in gpus.iter().enumerate() {
        assert_eq!(value(gpu, "Compute Unit"), "38");
        assert_eq!(value(gpu, "Shader Engines"), "4");
        assert_eq!(value(gpu, "Uuid"), "GPU-0076677075000001");
        assert_eq!(value(gpu, "BDFID"), (0x2300 | partition).to_string());
        assert_eq!(value(gpu, "Internal Node ID"), (1 + partition).to_string());
        assert!(gpu.contains(" 25163776(0x17ff800) KB"), "no pool of that size in\n{gpu}");
    }
    stack_tests::needs_amd_opencl!();
    let output = on_card("clinfo");
    let of_each = |field: &str| -> Vec<String> {
        let values = output.lines().filter_map(|line| line.strip_prefix("  ")?.strip_prefix(field)?.strip_prefix("  "));
        values.map(|value| value.trim().to_owned()).collect()
    };
    assert_eq!(of_each("Device Name"), ["gfx942:sramecc+:xnack-"; 8], "{output}");
    assert_eq!(of_each("Max compute units"), ["38"; 8], "{output}");
}

#[test]
fn rocminfo_and_clinfo_show_an_mi100_beside_an_mi210() {
    if !stack_tests::on_virtual_gpu() {
        test_skip::skip!("is about virtual GPUs of two models");
    }
    let both = |program: &str| run(&mut stack_tests::on_vgpu(&["--gpus=2", "--gpu=mi100,mi210"], program), LIMIT);
    let output = both("rocminfo");
    for (isa, units) in [("gfx908", "120"), ("gfx90a", "104")] {
        let gpu = agent(&output, isa).unwrap_or_else(|| panic!("no {isa} agent in\n{output}"));
        assert_eq!(value(gpu, "Compute Unit"), units);
    }
    stack_tests::needs_amd_opencl!();
    let output = both("clinfo");
    for isa in ["gfx908:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"] {
        assert!(
            output.lines().any(|line| line.trim_start().starts_with("Device Name") && line.ends_with(isa)),
            "{output}"
        );
    }
}

#[test]
fn clinfo_shows_an_mi100() {
    stack_tests::needs_gfx908!();
    stack_tests::needs_amd_opencl!();
    let output = run(Command::new("clinfo").arg("--raw"), LIMIT);
    let field = |name: &str| -> &str {
        let line = output.lines().find(|line| line.split_whitespace().any(|word| word == name));
        line.and_then(|line| line.split_once(name)).unwrap_or_else(|| panic!("no {name} in\n{output}")).1.trim()
    };
    assert_eq!(field("CL_PLATFORM_NAME"), "AMD Accelerated Parallel Processing");
    assert_eq!(field("CL_DEVICE_TYPE"), "CL_DEVICE_TYPE_GPU");
    assert_eq!(field("CL_DEVICE_NAME"), "gfx908:sramecc+:xnack-");
    assert_eq!(field("CL_DEVICE_VENDOR_ID"), "0x1002");
    assert_eq!(field("CL_DEVICE_MAX_COMPUTE_UNITS"), "120");
    assert_eq!(field("CL_DEVICE_WAVEFRONT_WIDTH_AMD"), "64");
    assert_eq!(field("CL_DEVICE_LOCAL_MEM_SIZE"), "65536");
}

/// What `docs/src/stack/tools.md` says of a launch with each tool that the stacks have. That of rocminfo is in the
/// tests of recordings.
#[test]
fn l5_the_runtimes_log_has_calls_of_hip_and_nothing_below_rocclr() {
    let output = run_any(Command::new(hip_program("traced")).arg("launch").env("AMD_LOG_LEVEL", "4"), LIMIT);
    assert!(output.status.success(), "{output:?}");
    check_case("launch", 1000, &output.stdout);
    let log = output.stderr;
    let line = |text: &str| log.lines().find(|line| line.contains(text));
    // With file and line of the source.
    let call = line("hipLaunchKernel").expect("the call of HIP");
    let fields: Vec<_> = call.split(':').map(str::trim).collect();
    assert!(fields[2].ends_with(".cpp") && fields[3].parse::<u32>().is_ok(), "{call}");
    assert!(line("rocvirtual.cpp").is_some(), "no line of ROCclr");
    // The fields of the kernel's packet, which HIP 7 does not log.
    let packets = line("HWq=").is_some_and(|line| line.contains("setup=")) || line("Dispatch Header").is_some();
    assert_eq!(packets, hip_version() < (7, 0), "{log}");
    for below in ["hsa_queue_create", "hsa_signal_store", "AMDKFD_IOC", "ioctl"] {
        assert_eq!(line(below), None);
    }
}

/// What the library `tool` in ROCr's table counted: queues, doorbells, other stores, kernels.
fn counted_by_a_tool(environment: &[(&str, &str)]) -> [u32; 4] {
    let mut command = Command::new(hip_program("traced"));
    let tool = hip_program("tool");
    // A list that is separated by blanks, which the folder's path may have.
    command.arg("launch").env("HSA_TOOLS_LIB", tool.file_name().expect("a file"));
    command.env("LD_LIBRARY_PATH", tool.parent().expect("a folder")).env("HSA_TOOLS_REPORT_LOAD_FAILURE", "1");
    let output = run_any(command.envs(environment.iter().copied()), LIMIT);
    assert!(output.status.success(), "{output:?}");
    check_case("launch", 1000, &output.stdout);
    let said = output.stderr.lines().find_map(|line| line.strip_prefix("tool: "));
    let said = said.unwrap_or_else(|| panic!("the library says nothing: {output:?}"));
    let counts: Vec<u32> = said.split(' ').filter_map(|word| word.parse().ok()).collect();
    counts.try_into().unwrap_or_else(|_| panic!("{said}"))
}

#[test]
fn l5_a_library_in_rocrs_table_sees_queues_and_doorbells() {
    let [queues, doorbells, _, kernels] = counted_by_a_tool(&[]);
    // A queue at least, and a doorbell for each launch. Packets are not calls.
    assert!(queues >= 1 && doorbells >= 3, "{queues} queues, {doorbells} doorbells");
    assert_eq!(kernels, 0);
}

#[test]
fn l5_a_library_that_intercepts_queues_sees_the_packets() {
    let [queues, doorbells, _, kernels] = counted_by_a_tool(&[("TOOL_INTERCEPT", "1")]);
    assert!(queues >= 1 && doorbells >= 3, "{queues} queues, {doorbells} doorbells");
    // Those of the program, and from HIP 6 on those by which HIP copies.
    let copies = if hip_version() < (6, 0) { 0 } else { 2 };
    assert_eq!(kernels, 3 + copies);
}

/// A program that runs wild in a tree does not cost the project's history.
#[test]
fn trees_have_the_projects_git_folder_read_only() {
    if matches!(stack(), Stack::Native | Stack::Host) {
        test_skip::skip!("this stack is the host itself");
    }
    let git = stack_tests::package().join("../../.git");
    // A file in a worktree.
    let path = match std::fs::metadata(&git) {
        Ok(metadata) if metadata.is_dir() => git.join("stack-tests"),
        Ok(_) => git,
        Err(_) => test_skip::skip!("the project is no git checkout"),
    };
    let error = File::options().append(true).create(true).open(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ReadOnlyFilesystem, "{}", path.display());
}

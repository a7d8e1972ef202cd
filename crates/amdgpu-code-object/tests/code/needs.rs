//! Runtime services of kernels: those that the compiler declares, and those that the code uses.

use amdgpu_code_object::{Arg, CodeObject, Launch, LaunchProblem, Service};
use aql::Geometry;

use crate::compile;
use crate::compiled;

/// Functions as AMD's device libraries have them, as far as their names and hidden arguments go: byte offsets in the
/// hidden arguments are those of version 5.
const LIBRARY: &str = "
    #define IMPLICIT(offset) (*(constant ulong *)((constant char *)__builtin_amdgcn_implicitarg_ptr() + offset))
    __attribute__((noinline, optnone)) ulong __ockl_hostcall_internal(ulong buffer) { return *(global ulong *)buffer; }
    ulong __ockl_hostcall_preview(void) { return __ockl_hostcall_internal(IMPLICIT(80)); }
    __attribute__((noinline)) ulong __ockl_dm_alloc(ulong bytes) { return *(global ulong *)IMPLICIT(96) + bytes; }
    __attribute__((noinline)) ulong __printf_alloc(uint bytes) { return *(global ulong *)IMPLICIT(72) + bytes; }
";

fn needs(bytes: &[u8], kernel: &str) -> Vec<Service> {
    let object = CodeObject::parse(bytes).unwrap_or_else(|error| panic!("{error}"));
    object.kernel(kernel).expect("a kernel").needs().collect()
}

fn declared(bytes: &[u8], kernel: &str) -> String {
    let object = CodeObject::parse(bytes).expect("a code object");
    format!("{:?}", object.kernel(kernel).expect("a kernel").metadata().args)
}

/// Kernels of the usual source need nothing, whatever they declare.
#[test]
fn good_kernels_are_not_refused() {
    for (version, options) in [(3, "-O0"), (4, "-O0"), (4, "-O2"), (5, "-O0"), (5, "-O2"), (6, "-O0")] {
        let bytes = compiled!(compile::opencl(compile::KERNELS, "gfx908", version, &[options]));
        let object = CodeObject::parse(&bytes).expect("a code object");
        for kernel in object.kernels() {
            assert_eq!(kernel.needs().count(), 0, "{} of version {version}, {options}", kernel.name());
        }
        // It is not that nothing is declared.
        assert!(declared(&bytes, "any_hidden").contains("Service(HostcallBuffer)"));
        assert!(declared(&bytes, "any_hidden").contains("Service(MultigridSync)"));
        let geometry = Geometry::one(64, 64).expect("a geometry");
        let kernel = object.kernel("any_hidden").expect("a kernel");
        let mut kernarg = vec![0xaa; kernel.kernarg_bytes() as usize];
        let arguments = [Arg::pointer(0x1000), 18u32.into()];
        kernel.prepare(&Launch::new(geometry, &arguments), &mut kernarg).expect("a launch");
        // Null, and nothing of what was there before.
        assert!(!kernarg.contains(&0xaa));
    }
}

#[test]
fn what_the_compiler_has_proven_is_needed() {
    let source = format!("{LIBRARY} kernel void f(global ulong *p) {{ p[0] = IMPLICIT(96); }}");
    let bytes = compiled!(compile::opencl(&source, "gfx908", 5, &[]));
    assert_eq!(needs(&bytes, "f"), [Service::Heap]);
    let source = format!("{LIBRARY} kernel void f(global ulong *p) {{ p[0] = IMPLICIT(104) + IMPLICIT(112); }}");
    let bytes = compiled!(compile::opencl(&source, "gfx908", 5, &[]));
    assert_eq!(needs(&bytes, "f"), [Service::DefaultQueue, Service::CompletionAction]);
    // From version 4 on it is at byte 48, with room for all before it.
    let source = format!("{LIBRARY} kernel void f(global ulong *p) {{ p[0] = IMPLICIT(48); }}");
    let bytes = compiled!(compile::opencl(&source, "gfx908", 4, &[]));
    assert_eq!(needs(&bytes, "f"), [Service::MultigridSync]);
}

#[test]
fn functions_of_the_device_libraries_decide_where_nothing_is_proven() {
    let kernels = "kernel void host(global ulong *p) { p[0] = __ockl_hostcall_preview(); }
                   kernel void heap(global ulong *p) { p[0] = __ockl_dm_alloc(8); }
                   kernel void plain(global ulong *p) { p[0] = 1; }";
    let source = format!("{LIBRARY} {kernels}");
    // Without optimisation all kernels declare all; the library's functions are the program's, not a kernel's.
    let bytes = compiled!(compile::opencl(&source, "gfx908", 5, &["-O0"]));
    for kernel in ["host", "heap", "plain"] {
        assert_eq!(needs(&bytes, kernel), [Service::HostcallBuffer, Service::Heap], "{kernel}");
    }
    let bytes = compiled!(compile::opencl(&source, "gfx908", 5, &["-O2"]));
    assert_eq!(needs(&bytes, "heap"), [Service::Heap]);
    assert_eq!(needs(&bytes, "plain"), []);
    // The compiler does not look into the function that calls the host, as AMD's is not to be optimised.
    assert_eq!(needs(&bytes, "host"), [Service::HostcallBuffer, Service::Heap]);
    let bytes = compiled!(compile::opencl(&source.replace("__ockl_dm_alloc", "other"), "gfx908", 5, &["-O2"]));
    assert!(declared(&bytes, "host").contains("Service(Heap)"));
    assert_eq!(needs(&bytes, "host"), [Service::HostcallBuffer]);
}

#[test]
fn all_that_is_declared_is_needed_without_symbols() {
    let bytes = compiled!(compile::opencl(compile::KERNELS, "gfx908", 5, &["-O0", "-Wl,--strip-all"]));
    let all = [
        Service::HostcallBuffer,
        Service::Heap,
        Service::DefaultQueue,
        Service::CompletionAction,
        Service::MultigridSync,
        Service::QueuePointer,
    ];
    assert_eq!(needs(&bytes, "saxpy"), all);
}

/// The real libraries, where they are installed.
#[test]
fn amds_device_libraries_are_recognised() {
    let libraries = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
    if !std::path::Path::new(libraries).exists() {
        test_skip::skip!("the device libraries are not in {libraries}");
    }
    let source = "extern ulong __ockl_dm_alloc(ulong);
        int printf(constant const char *, ...);
        kernel void prints(global int *p) { printf(\"%d\", p[0]); }
        kernel void allocates(global ulong *p) { p[0] = __ockl_dm_alloc(p[1]); }
        kernel void plain(global ulong *p) { p[0] = 1; }";
    // `-nogpulib` of the other tests is undone by naming the libraries.
    let mut options = vec!["-O2".to_owned()];
    let names = ["opencl", "ocml", "ockl", "oclc_abi_version_500", "oclc_isa_version_908", "oclc_wavefrontsize64_on"];
    let settings =
        ["oclc_daz_opt_off", "oclc_unsafe_math_off", "oclc_finite_only_off", "oclc_correctly_rounded_sqrt_on"];
    for name in names.into_iter().chain(settings) {
        options.extend(["-Xclang", "-mlink-builtin-bitcode", "-Xclang"].map(str::to_owned));
        options.push(format!("{libraries}/{name}.bc"));
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let bytes = compiled!(compile::opencl(source, "gfx908", 5, &options));
    assert_eq!(needs(&bytes, "plain"), []);
    // One symbol table for both: neither kernel lets the compiler prove anything.
    let all = [Service::HostcallBuffer, Service::PrintfBuffer, Service::Heap];
    assert_eq!(needs(&bytes, "prints"), all);
    assert_eq!(needs(&bytes, "allocates"), all);
}

/// LLVM turns `printf` into stores to the buffer, and declares it for all kernels with hidden arguments of a program
/// that prints.
#[test]
fn a_declared_printf_buffer_is_needed() {
    let source = format!(
        "{LIBRARY} int printf(constant const char *, ...);
        kernel void prints(global int *p) {{ printf(\"%d\", p[0]); }}
        kernel void plain(global int *p) {{ p[0] = 1; }}"
    )
    .replace("ulong __printf_alloc", "global char *__printf_alloc")
    .replace("return *(global ulong *)IMPLICIT(72) + bytes;", "return (global char *)IMPLICIT(72) + bytes;");
    let bytes = compiled!(compile::opencl(&source, "gfx908", 5, &["-O2"]));
    assert_eq!(needs(&bytes, "prints"), [Service::PrintfBuffer]);
    assert_eq!(needs(&bytes, "plain"), []);
    let bytes = compiled!(compile::opencl(&source, "gfx908", 5, &["-O0"]));
    assert!(declared(&bytes, "plain").contains("Service(PrintfBuffer)"));
    assert!(needs(&bytes, "plain").contains(&Service::PrintfBuffer));
}

#[test]
fn a_service_is_named_unless_the_launch_brings_it() {
    let source = format!("{LIBRARY} kernel void f(global ulong *p) {{ p[0] = IMPLICIT(96); }}");
    let bytes = compiled!(compile::opencl(&source, "gfx908", 5, &[]));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("f").expect("a kernel");
    let arguments = [Arg::pointer(0x1000)];
    let launch = Launch::new(Geometry::one(64, 64).expect("a geometry"), &arguments);
    let mut kernarg = vec![0xaa; kernel.kernarg_bytes() as usize];
    let error = kernel.prepare(&launch, &mut kernarg).expect_err("nothing provides it");
    assert_eq!(error.problem, LaunchProblem::Service { service: Service::Heap });
    assert_eq!(
        error.to_string(),
        "kernel f: needs the device heap (malloc on the device), hidden_heap_v1, which nothing provides here: \
         give the launch its address, or 0 if the kernel never uses it"
    );
    for address in [0, 0x7766_5544_3322_1100u64] {
        kernel.prepare(&launch.with_service(Service::Heap, address), &mut kernarg).expect("a launch");
        assert_eq!(kernarg[8 + 96..][..8], address.to_le_bytes());
    }
}

/// The upper halves of the apertures' addresses, which chips before gfx9 get as arguments of 4 bytes.
#[test]
fn a_service_that_is_too_large_is_refused() {
    let source = format!("{LIBRARY} kernel void f(global ulong *p) {{ p[0] = IMPLICIT(192); }}");
    let bytes = compiled!(compile::opencl(&source, "gfx803", 5, &["-O0"]));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("f").expect("a kernel");
    let arguments = [Arg::pointer(0x1000)];
    let all =
        kernel.needs().fold(Launch::new(Geometry::one(64, 64).expect("a geometry"), &arguments), |launch, service| {
            launch.with_service(service, 0)
        });
    let mut kernarg = vec![0xaa; kernel.kernarg_bytes() as usize];
    for (service, at) in [(Service::PrivateBase, 192), (Service::SharedBase, 196)] {
        kernel.prepare(&all.with_service(service, 0xffff_fffe), &mut kernarg).expect("4 bytes");
        assert_eq!(kernarg[8 + at..][..4], 0xffff_fffeu32.to_le_bytes());
        let value = 1 << 32;
        let error = kernel.prepare(&all.with_service(service, value), &mut kernarg).expect_err("more than 4 bytes");
        assert_eq!(error.problem, LaunchProblem::ServiceSize { service, value });
    }
}

//! Arguments of launches are checked and written.

use amdgpu_code_object::{self as code, Arg, CodeObject, Launch, Limits};
use aql::Geometry;

use crate::compile;
use crate::compiled;

fn one() -> Geometry {
    Geometry::one(64, 64).expect("a geometry")
}

/// What `prepare` says of a launch that it refuses.
fn refused(object: &CodeObject, kernel: &str, launch: &Launch<'_>) -> String {
    let kernel = object.kernel(kernel).expect("a kernel");
    let mut kernarg = vec![0xaa; kernel.kernarg_bytes() as usize];
    let error = kernel.prepare(launch, &mut kernarg).expect_err("refused");
    assert!(kernarg.iter().all(|&byte| byte == 0xaa), "written in spite of: {error}");
    error.to_string()
}

/// The kernel takes every kind of argument that needs no object of a runtime.
#[test]
fn arguments_are_laid_out_as_the_compiler_says() {
    for version in [4, 5] {
        let bytes = compiled!(compile::kernels(version));
        let object = CodeObject::parse(&bytes).expect("a code object");
        let kernel = object.kernel("arguments").expect("a kernel");
        let v: Vec<u8> = [1.0f32, 2.0, 3.0, 4.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let s = [5, 0, 0, 0, 0, 0, 0x80, 0x3f];
        let given = [
            Arg::pointer(0x1122_3344_5566_7788),
            Arg::local(100),
            Arg::bytes(&s),
            Arg::pointer(0),
            Arg::local(640),
            (-3i8).into(),
            (-300i16).into(),
            1.5f64.into(),
            Arg::bytes(&v),
        ];
        let geometry = Geometry::two([640, 4], [64, 2]).expect("a geometry");
        let mut kernarg = vec![0xaa; kernel.kernarg_bytes() as usize + 5];
        let segments = kernel.prepare(&Launch::new(geometry, &given), &mut kernarg).expect("a launch");
        // 100 bytes of int, then 640 bytes of double4, which are aligned to 32.
        assert_eq!((segments.group_bytes, segments.private_bytes), (128 + 640, 0));

        // The layout of C, by hand: pointer, LDS offset, structure of two words, pointer, LDS offset, ...
        let mut expected = vec![0; kernel.kernarg_bytes() as usize];
        let mut put = |at: usize, bytes: &[u8]| expected[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &0x1122_3344_5566_7788u64.to_le_bytes());
        put(8, &0u32.to_le_bytes());
        put(12, &s);
        put(24, &0u64.to_le_bytes());
        put(32, &128u32.to_le_bytes());
        put(36, &[0xfd]);
        put(38, &(-300i16).to_le_bytes());
        put(40, &1.5f64.to_le_bytes());
        put(48, &v);
        assert_eq!(kernarg[..expected.len()], expected);
        assert!(kernarg[expected.len()..].iter().all(|&byte| byte == 0xaa), "what lies behind is not touched");
    }
}

/// The kernel copies the first 72 bytes of hidden arguments; AMDGPUUsage has their table.
#[test]
fn hidden_arguments_tell_the_geometry() {
    let bytes = compiled!(compile::kernels(5));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("geometry").expect("a kernel");
    let geometry = Geometry::three([130, 17, 5], [64, 4, 1]).expect("a geometry");
    let arguments = [Arg::pointer(0x1000)];
    let launch = Launch::new(geometry, &arguments).with_global_offset([7, 1 << 40, u64::MAX]);
    let mut kernarg = vec![0xaa; kernel.kernarg_bytes() as usize];
    kernel.prepare(&launch, &mut kernarg).expect("a launch");
    let mut expected = vec![0; kernarg.len()];
    let mut at = 8;
    let mut put = |bytes: &[u8]| {
        expected[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    };
    // Whole work-groups, their size, what is left over, 16 bytes for tools, the offsets, the number of dimensions.
    for count in [2u32, 4, 5] {
        put(&count.to_le_bytes());
    }
    for size in [64u16, 4, 1, 2, 1, 0] {
        put(&size.to_le_bytes());
    }
    put(&[0; 16]);
    for offset in [7, 1 << 40, u64::MAX] {
        put(&offset.to_le_bytes());
    }
    put(&3u16.to_le_bytes());
    expected[..8].copy_from_slice(&0x1000u64.to_le_bytes());
    assert_eq!(kernarg, expected);
}

#[test]
fn dynamic_local_memory_is_told_and_counted() {
    let source = "kernel void f(global uint *p, local uint *q) {
        p[0] = ((constant uint *)__builtin_amdgcn_implicitarg_ptr())[30]; q[p[1]] = 1; }";
    let bytes = compiled!(compile::opencl(source, "gfx908", 5, &[]));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("f").expect("a kernel");
    let arguments = [Arg::pointer(0x1000), Arg::local(1000)];
    let launch = Launch::new(one(), &arguments).with_dynamic_group_bytes(24);
    let mut kernarg = vec![0; kernel.kernarg_bytes() as usize];
    let segments = kernel.prepare(&launch, &mut kernarg).expect("a launch");
    assert_eq!(segments.group_bytes, 1024);
    // `hidden_dynamic_lds_size` is at byte 120 of the hidden arguments, which start at the next multiple of 8.
    assert_eq!(kernarg[16 + 120..][..4], 1024u32.to_le_bytes());

    let error = refused(&object, "f", &launch.with_dynamic_group_bytes(64 * 1024 - 999));
    assert_eq!(error, "kernel f: needs 65537 bytes of local memory for a work-group, the limit is 65536");
    let all = launch.with_dynamic_group_bytes(64 * 1024 - 1000);
    assert_eq!(kernel.prepare(&all, &mut kernarg).expect("a launch").group_bytes, 65536);
    let huge = [Arg::pointer(0x1000), Arg::local(u32::MAX)];
    let error = refused(&object, "f", &Launch::new(one(), &huge).with_dynamic_group_bytes(u32::MAX));
    assert!(error.contains("needs 8589934590 bytes of local memory"), "{error}");
}

#[test]
fn wrong_arguments_are_refused_by_name() {
    let bytes = compiled!(compile::opencl(compile::KERNELS, "gfx908", 5, &["-cl-kernel-arg-info"]));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let p = Arg::pointer(0x1000);
    let cases: [(&[Arg], &str); 9] = [
        (&[p, p, 2f32.into()], "takes 4 arguments, 3 were given"),
        (&[p, p, 2f32.into(), 1u32.into(), 1u32.into()], "takes 4 arguments, 5 were given"),
        (&[p, p, 2f64.into(), 1u32.into()], "argument 2 (float a) has 4 bytes, 8 were given"),
        (&[p, p, 2f32.into(), Arg::bytes(&[1, 2, 3])], "argument 3 (uint n) has 4 bytes, 3 were given"),
        (
            &[p, p, 2i32.into(), 1u32.into()],
            "argument 2 (float a) is a floating-point number, an integer was given: convert the value, or give its bits by Arg::bytes if they are meant",
        ),
        (
            &[p, p, 2f32.into(), 1f32.into()],
            "argument 3 (uint n) is an integer, a floating-point number was given: convert the value, or give its bits by Arg::bytes if they are meant",
        ),
        (&[p, p, p, 1u32.into()], "argument 2 (float a) is a value, a pointer was given"),
        (&[0x1000u64.into(), p, 2f32.into(), 1u32.into()], "argument 0 (float* y) is a pointer, a value was given"),
        (
            &[p, Arg::local(4), 2f32.into(), 1u32.into()],
            "argument 1 (float* x) is a pointer, an amount of local memory was given",
        ),
    ];
    for (arguments, message) in cases {
        assert_eq!(refused(&object, "saxpy", &Launch::new(one(), arguments)), format!("kernel saxpy: {message}"));
    }
    let images = [p, 0u64.into(), p, p, p];
    let message = refused(&object, "images", &Launch::new(one(), &images));
    assert!(
        message.ends_with("argument 1 (image2d_t out) is a pointer to an image resource, a value was given"),
        "{message}"
    );

    let kernel = object.kernel("saxpy").expect("a kernel");
    let right = [p, p, 2f32.into(), 1u32.into()];
    let error = kernel.prepare(&Launch::new(one(), &right), &mut [0; 23]).expect_err("too little room");
    assert_eq!(error.to_string(), "kernel saxpy: needs 24 bytes for its arguments, there are 23");
    assert_eq!(
        object.kernel("saxpi").expect_err("no kernel").to_string().split(';').next(),
        Some("no kernel is called saxpi")
    );
}

/// A committed code object, for hosts without a compiler.
#[test]
fn an_integer_is_no_floating_point_number() {
    let gfx908 = "gfx908".parse().expect("a target ID");
    let object = code::find(include_bytes!("../../../kfd/examples/kernels.co"), &gfx908).expect("a code object");
    let p = Arg::pointer(0x1000);
    let message = |given: &[Arg<'_>]| refused(&object, "saxpy", &Launch::new(one(), given));
    let float = "argument 1 (float) is a floating-point number, an integer was given: convert the value";
    for integer in [2i32.into(), 2u32.into()] {
        let message = message(&[5i32.into(), integer, p, p]);
        assert!(message.starts_with(&format!("kernel saxpy: {float}")), "{message}");
    }
    let message = message(&[5f32.into(), 2f32.into(), p, p]);
    assert!(message.contains("argument 0 (int) is an integer, a floating-point number was given"), "{message}");
    // A sign is no matter, nor is what is given by its bits.
    let kernel = object.kernel("saxpy").expect("a kernel");
    let bits = 2f32.to_le_bytes();
    let mut kernarg = vec![0; kernel.kernarg_bytes() as usize];
    let right = [5u32.into(), Arg::bytes(&bits), p, p];
    kernel.prepare(&Launch::new(one(), &right), &mut kernarg).expect("as declared");
    assert_eq!(kernarg[..8], [5, 0, 0, 0, bits[0], bits[1], bits[2], bits[3]]);
}

#[test]
fn the_grid_is_checked_against_the_kernel() {
    let bytes = compiled!(compile::kernels(5));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let p = Arg::pointer(0x1000);
    let geometry = |grid, group| Geometry::one(grid, group).expect("a geometry");
    let error = refused(&object, "shared", &Launch::new(geometry(1024, 512), &[p]));
    assert_eq!(error, "kernel shared: was compiled for work-groups of at most 256 work-items, 512 were asked for");
    let given = [
        p,
        Arg::local(4),
        Arg::bytes(&[0; 8]),
        p,
        Arg::local(4),
        0i8.into(),
        0i16.into(),
        0f64.into(),
        Arg::bytes(&[0; 16]),
    ];
    let error = refused(&object, "arguments", &Launch::new(geometry(128, 128), &given));
    assert_eq!(error, "kernel arguments: requires work-groups of [64, 2, 1] work-items, [128, 1, 1] were asked for");

    let bytes = compiled!(compile::assembly(compile::BY_HAND));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let arguments = [5u32.into(), p];
    let launch = |grid, group| Launch::new(geometry(grid, group), &arguments).with_stack_bytes(1024);
    let error = refused(&object, "spin", &launch(100, 64));
    assert_eq!(
        error,
        "kernel spin: was compiled for whole work-groups only; grid [100, 1, 1] is no multiple of [64, 1, 1]: Geometry::covering \
         rounds up, if the kernel compares its index with the number of items"
    );
    let error = refused(&object, "spin", &launch(320, 64));
    assert_eq!(error, "kernel spin: was compiled for at most 4 work-groups in x, 5 were asked for");
}

#[test]
fn memory_and_stack_are_checked_against_the_device() {
    let bytes = compiled!(compile::assembly(compile::BY_HAND));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("spin").expect("a kernel");
    assert_eq!((kernel.kernarg_bytes(), kernel.kernarg_align()), (32, 32));
    let arguments = [0x0a0b_0c0du32.into(), Arg::pointer(0x1122)];
    let launch = Launch::new(one(), &arguments);
    let error = refused(&object, "spin", &launch);
    assert!(error.starts_with("kernel spin: has a stack whose size the compiler does not know"), "{error}");

    let mut kernarg = [0xaa; 32];
    let segments = kernel.prepare(&launch.with_stack_bytes(4096), &mut kernarg).expect("a launch");
    assert_eq!((segments.group_bytes, segments.private_bytes), (1024, 48 + 4096));
    // The metadata lists the argument at byte 16 first.
    let mut expected = [0; 32];
    expected[8..10].copy_from_slice(&[0x22, 0x11]);
    expected[16..20].copy_from_slice(&[0x0d, 0x0c, 0x0b, 0x0a]);
    assert_eq!(kernarg, expected);

    let error = refused(&object, "spin", &launch.with_stack_bytes(131_009));
    assert_eq!(error, "kernel spin: needs 131057 bytes of scratch memory for a work-item, the limit is 131056");
    let error = refused(&object, "spin", &launch.with_stack_bytes(u32::MAX));
    assert!(error.contains("needs 4294967343 bytes of scratch memory"), "{error}");
    let small = Limits::GFX9.with_group_bytes(1023);
    let error = refused(&object, "spin", &launch.with_stack_bytes(0).with_limits(small));
    assert_eq!(error, "kernel spin: needs 1024 bytes of local memory for a work-group, the limit is 1023");
}

/// The compiler knows the size of one frame only. Before version 5 it adds 16 KiB of its own accord.
#[test]
fn a_stack_of_unknown_size_has_to_be_given() {
    let source = "
        __attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __attribute__((amdgpu_kernel, visibility(\"protected\")))
        void recursive(__attribute__((address_space(1))) int *p, int n) { *p = fib(n); }";
    let arguments = [Arg::pointer(0x1000), 9i32.into()];
    let launch = Launch::new(one(), &arguments);
    let mut kernarg = [0; 512];

    let hidden = compiled!(compile::c(&source.replace("protected", "hidden"), 5));
    let error = CodeObject::parse(&hidden).expect_err("no kernel is exported").to_string();
    assert!(
        error.ends_with("is not among the symbols of .dynsym: kernels need protected or default visibility"),
        "{error}"
    );

    let bytes = compiled!(compile::c(source, 5));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("recursive").expect("a kernel");
    assert!(kernel.uses_dynamic_stack() && kernel.descriptor().uses_dynamic_stack());
    let frame = kernel.private_bytes();
    assert!((1..1024).contains(&frame), "{frame}");
    assert_eq!(
        refused(&object, "recursive", &launch),
        "kernel recursive: has a stack whose size the compiler does not know (recursion, calls by pointer, alloca): \
         give the launch one in bytes"
    );
    let segments = kernel.prepare(&launch.with_stack_bytes(8192), &mut kernarg).expect("a launch");
    assert_eq!(segments.private_bytes, frame + 8192);

    let bytes = compiled!(compile::c(source, 4));
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("recursive").expect("a kernel");
    assert_eq!(kernel.private_bytes(), frame + 16384);
    assert_eq!(kernel.prepare(&launch, &mut kernarg).expect("a launch").private_bytes, frame + 16384);
}

/// LLVM writes only what it knows, so the name is changed in the file.
#[test]
fn an_argument_from_the_future_is_refused_when_launched() {
    let mut bytes = compiled!(compile::assembly(compile::BY_HAND));
    let known = b"hidden_none";
    let at = bytes.windows(known.len()).position(|window| window == known).expect("the argument's kind");
    bytes[at..][..known.len()].copy_from_slice(b"hidden_news");
    let object = CodeObject::parse(&bytes).expect("a code object");
    assert_eq!(object.kernel("spin").expect("a kernel").argument_count(), 2);
    let arguments = [5u32.into(), Arg::pointer(0x1000)];
    let error = refused(&object, "spin", &Launch::new(one(), &arguments).with_stack_bytes(0));
    assert_eq!(error, "kernel spin: argument kind hidden_news is not known to this crate");
}

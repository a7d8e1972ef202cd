//! Launches: their shapes, arguments, and what is refused.
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::time::Duration;

use cl_sys::Cl;
use rocm_interop::hip::{Dim3, HipModule, HipSource};
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Argument, Error, OpenCl};
use stack_tests::{on_vgpu, run_tests};

use crate::host::Pages;
use crate::{N, Sides, assert_same, session, some_mem};

/// Work-items of each dimension say where they are.
const OPENCL: &str = "
kernel void where(global uint *out) {
    size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    out[at] = get_group_id(0) | get_group_id(1) << 4 | get_group_id(2) << 8
        | get_local_id(0) << 12 | get_local_id(1) << 16 | get_local_id(2) << 20;
}
kernel void reversed(global uint *b, local uint *group) {
    group[get_local_id(0)] = b[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = group[get_local_size(0) - 1 - get_local_id(0)];
}
struct scalars { double d; long l; short s[4]; };
kernel void values(global ulong *out, char c, ushort s, double d, struct scalars t, float f) {
    out[0] = c; out[1] = s; out[2] = as_ulong(d); out[3] = as_ulong(t.d); out[4] = t.l; out[5] = t.s[3]; out[6] = as_uint(f);
}
kernel void image(read_only image2d_t i, sampler_t s, global uint *out) { out[0] = 1; }
";
const HIP: &str = r#"
extern "C" __global__ void where(unsigned *out) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8
        | threadIdx.x << 12 | threadIdx.y << 16 | threadIdx.z << 20;
}
extern "C" __global__ void reversed(unsigned *b) {
    extern __shared__ unsigned group[];
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    group[threadIdx.x] = b[at];
    __syncthreads();
    b[at] = group[blockDim.x - 1 - threadIdx.x];
}
struct scalars { double d; long l; short s[4]; };
extern "C" __global__ void values(unsigned long *out, signed char c, unsigned short s, double d, scalars t, float f) {
    out[0] = c; out[1] = s; out[2] = __double_as_longlong(d); out[3] = __double_as_longlong(t.d); out[4] = t.l;
    out[5] = t.s[3]; out[6] = __float_as_uint(f);
}
"#;

const GROUPS: [usize; 3] = [5, 3, 2];
const ITEMS: [usize; 3] = [4, 2, 3];

fn whereabouts() -> Vec<u32> {
    let [x, y, z] = [0, 1, 2].map(|d| GROUPS[d] * ITEMS[d]);
    let item = |at: usize| {
        let place = [at % x, at / x % y, at / x / y];
        let bits = |d: usize| ((place[d] / ITEMS[d]) << (4 * d)) | ((place[d] % ITEMS[d]) << (12 + 4 * d));
        (bits(0) | bits(1) | bits(2)) as u32
    };
    (0..x * y * z).map(item).collect()
}

#[test]
fn launches_have_three_dimensions() {
    needs_amd_opencl!();
    let (session, want) = (session(), whereabouts());
    let program = OpenClProgram::build(&session, OPENCL, "").expect("program");
    let module = HipModule::build(&session, HIP).expect("module");
    let mut buffer = session.allocate::<u32>(want.len()).expect("allocate");
    let mut end = vec![0; want.len()];
    let global = [0, 1, 2].map(|d| GROUPS[d] * ITEMS[d]);
    // SAFETY: one work-item an element.
    unsafe { program.kernel("where").expect("kernel").launch(&global, Some(&ITEMS), &[(&buffer).into()]) }
        .expect("launch");
    buffer.read(&mut end).expect("read");
    assert_eq!(end, want, "OpenCL");

    buffer.write(&vec![0; want.len()]).expect("write");
    let buffer = buffer.into_hip().expect("hand-over");
    let (groups, items): (Dim3, Dim3) = (GROUPS.map(|n| n as u32).into(), ITEMS.map(|n| n as u32).into());
    // SAFETY: as above.
    unsafe { module.kernel("where").expect("kernel").launch(groups, items, 0, &[(&buffer).into()]) }.expect("launch");
    buffer.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_eq!(end, want, "HIP");
}

#[test]
fn kernels_get_local_memory_of_the_size_asked_for() {
    needs_amd_opencl!();
    const ITEMS: usize = 256;
    let session = session();
    let program = OpenClProgram::build(&session, OPENCL, "").expect("program");
    let module = HipModule::build(&session, HIP).expect("module");
    let start: Vec<u32> = (0..4 * ITEMS as u32).collect();
    let reversed: Vec<u32> = start.chunks(ITEMS).flat_map(|group| group.iter().rev().copied()).collect();
    let mut buffer = session.allocate::<u32>(start.len()).expect("allocate");
    buffer.write(&start).expect("write");
    let kernel = program.kernel("reversed").expect("kernel");
    // SAFETY: one work-item an element, of the buffer and of the local memory.
    unsafe { kernel.launch(&[start.len()], Some(&[ITEMS]), &[(&buffer).into(), Argument::local(4 * ITEMS)]) }
        .expect("launch");
    let mut end = vec![0; start.len()];
    buffer.read(&mut end).expect("read");
    assert_eq!(end, reversed, "OpenCL");

    let buffer = buffer.into_hip().expect("hand-over");
    let kernel = module.kernel("reversed").expect("kernel");
    // SAFETY: as above.
    unsafe { kernel.launch(4, ITEMS as u32, 4 * ITEMS as u32, &[(&buffer).into()]) }.expect("launch");
    buffer.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_eq!(end, start, "HIP");
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Scalars {
    d: f64,
    l: i64,
    s: [i16; 4],
}
// SAFETY: numbers without padding.
unsafe impl rocm_interop::sys::bytemuck::Zeroable for Scalars {}
// SAFETY: as above.
unsafe impl rocm_interop::sys::Pod for Scalars {}

#[test]
fn kernels_get_values_of_all_sizes_and_structs() {
    needs_amd_opencl!();
    let session = session();
    let (c, s, d, f) = (-7i8, 65_000u16, -0.5f64, 1.5f32);
    let t = Scalars { d: 1e300, l: i64::MIN + 1, s: [1, 2, 3, -4] };
    let want = [c as i64 as u64, s.into(), d.to_bits(), t.d.to_bits(), t.l as u64, -4i64 as u64, f.to_bits().into()];
    let mut end = [0; 7];
    let program = OpenClProgram::build(&session, OPENCL, "").expect("program");
    let module = HipModule::build(&session, HIP).expect("module");
    let mut buffer = session.allocate::<u64>(7).expect("allocate");
    let value = (Argument::value(&c), Argument::value(&s), Argument::value(&d), Argument::value(&t));
    let arguments = [(&buffer).into(), value.0, value.1, value.2, value.3, f.into()];
    // SAFETY: one work-item writes 7 elements.
    unsafe { program.kernel("values").expect("kernel").launch(&[1], None, &arguments) }.expect("launch");
    buffer.read(&mut end).expect("read");
    assert_eq!(end, want, "OpenCL");

    buffer.write(&[0; 7]).expect("write");
    let buffer = buffer.into_hip().expect("hand-over");
    let value = (Argument::value(&c), Argument::value(&s), Argument::value(&d), Argument::value(&t));
    let arguments = [(&buffer).into(), value.0, value.1, value.2, value.3, f.into()];
    // SAFETY: as above; the arguments are those that the kernel declares.
    unsafe { module.kernel("values").expect("kernel").launch(1, 1, 0, &arguments) }.expect("launch");
    buffer.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_eq!(end, want, "HIP");
}

/// A value in place of a pointer would be followed as a handle.
#[test]
fn arguments_that_a_kernel_does_not_declare_are_refused() {
    needs_amd_opencl!();
    let session = session();
    let program = OpenClProgram::build(&session, OPENCL, "").expect("program");
    let buffer = session.allocate::<u8>(512).expect("allocate");
    let address = buffer.address();
    let pointer = || Argument::from(&buffer);
    let refused = |kernel: &str, arguments: &[Argument<'_, _>], words: &str| {
        let kernel = program.kernel(kernel).expect("kernel");
        // SAFETY: refused before it is launched.
        let error = unsafe { kernel.launch(&[64], None, arguments) }.expect_err(words);
        let argument = matches!(error, Error::Argument { subject: "kernel arguments", .. });
        assert!(argument && error.to_string().contains(words), "{error}");
    };
    refused("where", &[], "0 for kernel `where`, which declares 1");
    refused("where", &[pointer(), pointer()], "2 for kernel `where`, which declares 1");
    refused(
        "where",
        &[Argument::value(&address)],
        "0 of kernel `where` is declared `uint*` and takes a buffer, but a value of 8 bytes",
    );
    refused("where", &[Argument::local(64)], "and takes a buffer, but local memory was given");
    refused("reversed", &[pointer(), pointer()], "1 of kernel `reversed` is declared `uint*` and takes local memory");
    let values = |first| [pointer(), first, 1.into(), 1.into(), 1.into(), 1.into()];
    refused("values", &values(pointer()), "1 of kernel `values` is declared `char` and takes a value of 1 bytes, but");
    refused(
        "values",
        &values(1.into()),
        "1 of kernel `values` is declared `char` and takes a value of 1 bytes, but a value of 4 bytes was given",
    );
    refused(
        "image",
        &[pointer(), 0.into(), pointer()],
        "is declared `image2d_t` and takes what this crate does not give",
    );

    let module = HipModule::build(&session, HIP).expect("module");
    let buffer = buffer.into_hip().expect("hand-over");
    let pointer = || Argument::from(&buffer);
    let refused = |kernel: &str, arguments: &[Argument<'_, _>], words: &str| {
        let kernel = module.kernel(kernel).expect("kernel");
        // SAFETY: refused before it is launched.
        let error = unsafe { kernel.launch(1, 64, 0, arguments) }.expect_err(words);
        let argument = matches!(error, Error::Argument { subject: "kernel arguments", .. });
        assert!(argument && error.to_string().contains(words), "{error}");
    };
    refused("where", &[], "0 for kernel `where`, which declares 1");
    refused("where", &[pointer(), 1.into()], "2 for kernel `where`, which declares 1");
    refused("where", &[Argument::value(&address)], "takes a buffer, but a value of 8 bytes was given");
    let values = |first| [pointer(), first, Argument::value(&1u16), Argument::value(&1.0), 1.into(), 1.into()];
    refused("values", &values(pointer()), "takes a value of 1 bytes, but a buffer was given");
    refused(
        "values",
        &values(1.into()),
        "1 of kernel `values` takes a value of 1 bytes, but a value of 4 bytes was given",
    );
    refused(
        "values",
        &values(Argument::value(&1u8)),
        "4 of kernel `values` takes a value of 24 bytes, but a value of 4",
    );
}

/// OpenCL would follow the value as a handle, and take the buffer for a pipe.
#[test]
fn parameters_are_what_they_are_by_any_name() {
    needs_amd_opencl!();
    const OPENCL: &str = "
typedef sampler_t number;
typedef struct { uint n; } image_params;
kernel void sampler(number s, global uint *out) { out[0] = 1; }
kernel void pipes(read_only pipe int p, global uint *out) { out[0] = 1; }
kernel void value(image_params p, global uint *out) { out[0] = p.n; }
";
    let session = session();
    let program = OpenClProgram::build(&session, OPENCL, "-cl-std=CL2.0").expect("program");
    let mut buffer = session.allocate::<u32>(64).expect("allocate");
    buffer.write(&[0; 64]).expect("write");
    let pointer = || Argument::from(&buffer);
    let launch = |kernel: &str, first| {
        // SAFETY: one element is written.
        unsafe { program.kernel(kernel).expect("kernel").launch(&[1], None, &[first, pointer()]) }
    };
    for (kernel, first) in [("sampler", Argument::value(&0x1000u64)), ("pipes", pointer())] {
        let error = launch(kernel, first).expect_err(kernel);
        let words = format!("0 of kernel `{kernel}` is declared ");
        assert!(matches!(error, Error::Argument { subject: "kernel arguments", .. }), "{error}");
        assert!(
            error.to_string().contains(&words) && error.to_string().contains("what this crate does not"),
            "{error}"
        );
    }
    launch("value", 7.into()).expect("launch");
    let mut end = [0; 64];
    buffer.read(&mut end).expect("read");
    assert_eq!(end[..2], [7, 0]);
}

/// Compilers say more than 64 KiB. AMD's runtimes would run a constructor as soon as the code is loaded, whatever the
/// host does with the buffer that it writes to.
#[test]
fn constructors_are_refused() {
    needs_amd_opencl!();
    let session = session();
    let mut buffer = session.allocate_host::<u32>(1).expect("allocate");
    let at = buffer.address();
    let words = buffer.host_slice().expect("host memory");
    words[0] = 1;
    let set = format!("{{ *(volatile unsigned *){at}ul = 2; }}");
    let opencl = format!(
        "__attribute__((constructor)) void set(void) {} kernel void k(void) {{}}",
        set.replace("unsigned", "global uint")
    );
    let hip = format!(
        "__device__ __attribute__((constructor)) void set() {set}
         extern \"C\" __global__ void k() {{}}"
    );
    let refused = |error: Error| {
        assert!(matches!(error, Error::Argument { subject: "source", .. }), "{error}");
        assert!(error.to_string().contains("constructors or destructors of global variables (`"), "{error}");
    };
    let opencl = OpenClProgram::build(&session, &opencl, "-cl-std=CL2.0").and_then(|program| program.kernel("k"));
    refused(opencl.map(drop).expect_err("it has a constructor"));
    match HipModule::build(&session, &hip).map(drop).expect_err("it has a constructor") {
        // From HIP 6 on, the compiler itself does.
        Error::Compile { log, .. } => assert!(log.contains("global constructors"), "{log}"),
        error => refused(error),
    }
    assert_eq!(words[0], 1);
}

#[test]
fn a_missing_kernel_is_named_with_those_that_there_are() {
    needs_amd_opencl!();
    let session = session();
    let program = OpenClProgram::build(&session, "kernel void one(void) {} kernel void two(void) {}", "");
    let module =
        HipModule::build(&session, "extern \"C\" __global__ void one() {} extern \"C\" __global__ void two() {}");
    let errors = [
        program.expect("program").kernel("tow").map(drop).expect_err("no such kernel"),
        module.expect("module").kernel("tow").map(drop).expect_err("no such kernel"),
    ];
    for (error, code) in errors.into_iter().zip(["CL_INVALID_KERNEL_NAME", "hipErrorNotFound"]) {
        let Error::NoKernel { name, present, .. } = &error else { panic!("{error}") };
        let mut present = present.clone();
        present.sort();
        assert_eq!((name.as_str(), present), ("tow", vec!["one".to_owned(), "two".to_owned()]));
        assert!(error.to_string().contains(code), "{error}");
    }
}

#[test]
fn build_logs_have_any_length() {
    needs_amd_opencl!();
    const LINES: usize = 300;
    let session = session();
    let words = "that is long and which nobody needs, ".repeat(6);
    let warnings: String = (0..LINES).map(|i| format!("#warning the line of number {i}, {words}\n")).collect();
    let complete = |outcome: Result<(), Error>| {
        let Err(Error::Compile { log, .. }) = outcome else { panic!("a broken kernel compiled") };
        assert!(log.len() > 1 << 16, "{} bytes", log.len());
        assert!((0..LINES).all(|i| log.contains(&format!("the line of number {i},"))), "all lines");
        assert!(log.contains("error: expected"), "and the end");
    };
    complete(OpenClProgram::build(&session, &format!("{warnings}kernel void broken("), "").map(drop));
    complete(HipModule::build(&session, &format!("{warnings}__global__ void broken(")).map(drop));
}

/// Parts that begin at any element, of memory of each kind, in kernels of either API.
#[test]
fn kernels_get_parts_of_buffers_of_every_kind() {
    needs_amd_opencl!();
    const PART: usize = 1024;
    let (session, cl) = (session(), Cl::load().expect("OpenCL"));
    let sides = Sides::new(&session).expect("kernels");
    let (mem, pages) = (some_mem(&session, &cl, cl_sys::CL_MEM_READ_WRITE), Pages::new());
    // SAFETY: a live buffer object, and pages that live longer than the view; both are used through the view only.
    let (view, pages_view) =
        unsafe { (session.view::<u32>(mem).expect("view"), session.view_pages(pages.slice()).expect("view")) };
    let hips = session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    let [svm, host] = [session.allocate(N), session.allocate_host(N)].map(|buffer| buffer.expect("allocate"));
    let all = [("SVM", svm), ("SVM on the host", host), ("cl_mem", view), ("pages", pages_view), ("HIP", hips)];
    for (kind, mut buffer) in all {
        let (first, second) = (5..5 + PART, 2999..2999 + PART);
        buffer.write(&(0..N as u32).collect::<Vec<_>>()).expect("write");
        let part = buffer.slice(first.clone()).expect("inside");
        assert_eq!((part.len(), part.address()), (PART, buffer.address() + 4 * 5));
        // SAFETY: one work-item an element.
        unsafe { sides.add.launch(&[PART], Some(&[64]), &[part.into(), 7.into()]) }.expect("launch");
        let buffer = buffer.into_hip().expect("hand-over");
        let part = buffer.slice(second.clone()).expect("inside");
        // SAFETY: one work-item an element.
        unsafe { sides.triple.launch((PART / 64) as u32, 64, 0, &[part.into()]) }.expect("launch");
        let mut buffer = buffer.into_opencl().expect("hand-over");
        buffer.write_at(2, &[u32::MAX, 1]).expect("write");

        let mut want: Vec<u32> = (0..N as u32).collect();
        want[first].iter_mut().for_each(|x| *x += 7);
        want[second].iter_mut().for_each(|x| *x *= 3);
        want[2..4].copy_from_slice(&[u32::MAX, 1]);
        let mut end = vec![0; N - 3];
        buffer.read_at(3, &mut end).expect("read");
        assert_eq!(end, want[3..], "{kind}");
    }
    // SAFETY: made above; its view is gone.
    assert_eq!(unsafe { cl.clReleaseMemObject(mem) }.expect("OpenCL"), cl_sys::CL_SUCCESS);
}

#[test]
fn what_is_not_in_a_buffer_is_no_part_of_it() {
    needs_amd_opencl!();
    let mut buffer = session().allocate::<u64>(10).expect("allocate");
    let words = |refused: Error| match refused {
        Error::Argument { subject: what, reason } => format!("{what}: {reason}"),
        other => panic!("{other}"),
    };
    let slice = |range: (Bound<usize>, Bound<usize>)| words(buffer.slice(range).expect_err("refused"));
    for (range, said) in [
        ((Included(3), Excluded(11)), "3..11 of a buffer of 10 elements"),
        ((Included(3), Included(10)), "3..=10 of a buffer of 10 elements"),
        ((Included(10), Unbounded), "10.. of a buffer of 10 elements"),
        ((Included(4), Excluded(4)), "4..4 of a buffer of 10 elements"),
        ((Included(5), Excluded(4)), "5..4 of a buffer of 10 elements"),
        ((Excluded(usize::MAX), Unbounded), "(18446744073709551615 excluded).. of a buffer of 10 elements"),
        ((Unbounded, Included(usize::MAX)), "..=18446744073709551615 of a buffer of 10 elements"),
    ] {
        assert_eq!(slice(range), format!("range: {said}: must be inside it, and not empty"));
    }
    assert_eq!(buffer.slice((Excluded(8), Unbounded)).expect("the last").address(), buffer.address() + 72);
    assert_eq!(buffer.slice(..).expect("all").len(), 10);

    buffer.write_at(10, &[]).expect("nothing, at the end");
    let too_long = buffer.write_at(9, &[1, 2]).expect_err("too long");
    assert_eq!(words(too_long), "data: 2 elements from element 9 on, but the buffer has 10");
    let absurd = buffer.read_at(usize::MAX, &mut [0, 0]).expect_err("too far");
    assert_eq!(words(absurd), format!("data: 2 elements from element {} on, but the buffer has 10", usize::MAX));
}

/// Each item takes its neighbour's value, late, so that a kernel that does not wait for the one before it takes an old
/// one.
const CHAIN: &str = "
void step(global uint *to, global const uint *from, uint n, uint rounds) {
    uint i = get_global_id(0), x = from[(i + 1) % n];
    for (uint k = 0; k < rounds; k++) x = x * 1664525u + 1013904223u;
    to[i] = x;
}
kernel void parts(global uint *to, global const uint *from, uint rounds) { step(to, from, get_global_size(0), rounds); }
kernel void whole(global uint *all, uint to, uint from, uint rounds) {
    step(all + to, all + from, get_global_size(0), rounds);
}";
const ROUNDS: u32 = 2_000;

/// OpenCL knows a buffer object, but not that an address is inside it. Run alone and, under other schedules, by
/// [`kernels_on_parts_of_a_cl_mem_follow_each_other_under_any_schedule`].
#[test]
fn kernels_on_parts_of_a_cl_mem_follow_each_other() {
    needs_amd_opencl!();
    // Not from the start, where a part has the buffer object's own address.
    const PART: usize = 1920;
    const STARTS: [usize; 2] = [64, N - PART];
    const KERNELS: usize = 6;
    let (session, cl) = (session(), Cl::load().expect("OpenCL"));
    let program = OpenClProgram::build(&session, CHAIN, "").expect("program");
    let (parts, whole) = (program.kernel("parts").expect("kernel"), program.kernel("whole").expect("kernel"));
    let mem = some_mem(&session, &cl, cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: a live buffer object, used through the view only.
    let mut buffer = unsafe { session.view::<u32>(mem) }.expect("view");
    buffer.write_at(STARTS[0], &(0..PART as u32).collect::<Vec<_>>()).expect("write");
    for kernel in 0..KERNELS {
        let [from, to] = if kernel % 2 == 0 { STARTS } else { [STARTS[1], STARTS[0]] };
        let part = |start: usize| buffer.slice(start..start + PART).expect("inside").into();
        // SAFETY: one work-item an element of either part.
        unsafe {
            // By both ways after either.
            match kernel % 4 {
                0 | 1 => parts.launch(&[PART], Some(&[64]), &[part(to), part(from), ROUNDS.into()]),
                _ => {
                    let arguments = [(&buffer).into(), (to as u32).into(), (from as u32).into(), ROUNDS.into()];
                    whole.launch(&[PART], Some(&[64]), &arguments)
                }
            }
        }
        .expect("launch");
    }
    let mut end = vec![0; PART];
    buffer.read_at(STARTS[0], &mut end).expect("read");
    let step = |x: u32, _| x.wrapping_mul(1664525).wrapping_add(1013904223);
    let want = |i| (0..KERNELS as u32 * ROUNDS).fold(((i + KERNELS) % PART) as u32, step);
    assert_same(&end, &(0..PART).map(want).collect::<Vec<_>>());
    buffer.close().expect("close");
    // SAFETY: made above; its view is gone.
    assert_eq!(unsafe { cl.clReleaseMemObject(mem) }.expect("OpenCL"), cl_sys::CL_SUCCESS);
}

#[test]
fn kernels_on_parts_of_a_cl_mem_follow_each_other_under_any_schedule() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    for seed in ["1", "2", "3"] {
        let mut command = on_vgpu(&["--schedule", seed], std::env::current_exe().expect("this test"));
        let test = "kernels::kernels_on_parts_of_a_cl_mem_follow_each_other";
        run_tests(&mut command, &[test], Duration::from_secs(120));
    }
}

const TEMPLATES: &str = r#"
#include "offset.h"
namespace filters {
template <typename T> __global__ void add(T *x, T a) { x[blockIdx.x * WIDTH + threadIdx.x] += a + OFFSET; }
__global__ void negate(int *x) { x[blockIdx.x * WIDTH + threadIdx.x] *= -1; }
}"#;

fn templates() -> HipSource {
    let source = HipSource::new(TEMPLATES).header("offset.h", "#define OFFSET 10").option("-DWIDTH=64");
    source.instance("filters::add<double>").instance("filters::add<int>").instance("filters::negate")
}

/// Two instances of one template and a kernel with a mangled name, compiled with a header, an option and their names in
/// the source.
#[test]
fn templates_are_built_with_headers_and_options() {
    needs_amd_opencl!();
    let session = session();
    let module = HipModule::build(&session, templates()).expect("module");
    let kernel = |name| module.kernel(name).expect("kernel");
    let (doubles, ints) = (kernel("filters::add<double>"), kernel("filters::add<int>"));
    let mut buffer = session.allocate::<f64>(N).expect("allocate");
    buffer.write(&[1.5; N]).expect("write");
    let on_hip = buffer.into_hip().expect("hand-over");
    let groups = (N / 64) as u32;
    // SAFETY: one work-item an element.
    unsafe { doubles.launch(groups, 64, 0, &[(&on_hip).into(), Argument::value(&2.0f64)]) }.expect("launch");
    let mut end = [0.0; N];
    on_hip.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_eq!(end, [13.5; N]);
    let mut buffer = session.allocate::<i32>(N).expect("allocate");
    buffer.write(&[-3; N]).expect("write");
    let on_hip = buffer.into_hip().expect("hand-over");
    // SAFETY: as above.
    unsafe {
        ints.launch(groups, 64, 0, &[(&on_hip).into(), 2.into()]).expect("launch");
        kernel("filters::negate").launch(groups, 64, 0, &[(&on_hip).into()]).expect("launch");
    }
    let mut end = [0; N];
    on_hip.into_opencl().expect("hand-over").read(&mut end).expect("read");
    assert_eq!(end, [-9; N]);

    let missing = module.kernel("filters::add<float>").expect_err("nobody asked for it").to_string();
    assert!(
        missing.contains("there is no kernel `filters::add<float>`") && missing.contains("HipSource::instance"),
        "{missing}"
    );
    for (source, words) in [
        (HipSource::new(TEMPLATES), "offset.h"),
        (templates().option("-DWIDTH=wide"), "wide"),
        (templates().instance("filters::add<void>"), "void"),
        (templates().option("a\0b"), "compiler option: "),
    ] {
        let error = HipModule::build(&session, source).expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// An offload bundle with these entries.
pub fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let table: usize = entries.iter().map(|(target, _)| 24 + target.len()).sum();
    let mut bytes = [b"__CLANG_OFFLOAD_BUNDLE__".as_slice(), &(entries.len() as u64).to_le_bytes()].concat();
    let mut at = (bytes.len() + table).next_multiple_of(4096);
    let mut code = Vec::new();
    for (target, image) in entries {
        for number in [at, image.len(), target.len()] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(target.as_bytes());
        code.push((at, image));
        at = (at + image.len()).next_multiple_of(4096);
    }
    for (at, image) in code {
        bytes.resize(at, 0);
        bytes.extend(*image);
    }
    bytes
}

/// What one session compiled, another one loads, alone or from a bundle, on both sides.
#[test]
fn kernels_are_loaded_from_code_that_was_compiled_before() {
    needs_amd_opencl!();
    let compiled = Sides::new(&session()).expect("kernels");
    let (opencl, hip) = (compiled.program.code().to_vec(), compiled.module.code().to_vec());
    drop(compiled);
    let session = session();
    let isa = session.device().isa().expect("isa");
    let target = format!("hipv4-amdgcn-amd-amdhsa--{isa}");
    let load = |opencl: &[u8], hip: &[u8]| -> Result<(OpenClProgram, HipModule), Error> {
        // SAFETY: the compilers made them, and HIP's and OpenCL's loaders get what is whole.
        unsafe { Ok((OpenClProgram::load(&session, opencl)?, HipModule::load(&session, hip)?)) }
    };
    let other = ("hipv4-amdgcn-amd-amdhsa--gfx1030", hip.as_slice());
    let bundles = [&opencl, &hip].map(|code| bundle(&[("host-x86_64-unknown-linux--", &[]), other, (&target, code)]));
    for (program, module) in [load(&opencl, &hip), load(&bundles[0], &bundles[1])].map(|loaded| loaded.expect("load")) {
        let (add, triple) = (program.kernel("add").expect("kernel"), module.kernel("triple").expect("kernel"));
        let sides = Sides { add, triple, program, module };
        sides.run(session.allocate(N).expect("allocate")).expect("both sides");
        // What kernels declare is known too.
        // SAFETY: refused.
        let error = unsafe { sides.add.launch(&[N], None, &[]) }.expect_err("no arguments").to_string();
        assert!(error.contains("0 for kernel `add`, which declares 2"), "{error}");
    }
    let elsewhere = bundle(&[other]);
    let mut compressed = bundle(&[other]);
    compressed[..4].copy_from_slice(b"CCOB");
    let refused: [(&[u8], &str); 5] = [
        (b"", "neither a code object"),
        (b"\x7fELF", "code object: "),
        (&opencl[..opencl.len() / 2], "code object: "),
        (&elsewhere, "no code object of the bundle is for"),
        (&compressed, "the version of the compressed offload bundle is"),
    ];
    for (bytes, words) in refused {
        for error in [load(bytes, &hip), load(&opencl, bytes)].map(|loaded| loaded.expect_err(words)) {
            assert!(matches!(error, Error::CodeObject(_)) && error.to_string().contains(words), "{error}");
        }
    }
}

/// Numbers that a kernel would take for others, where its code object says what it takes.
#[test]
fn numbers_of_another_kind_are_refused() {
    needs_amd_opencl!();
    const SOURCE: &str = "
        kernel void k(global double *x, float a, uint n) { x[get_global_id(0)] = a + n; }
        kernel void clear(global char *x) { x[get_global_id(0)] = 0; }";
    let session = session();
    let program = OpenClProgram::build(&session, SOURCE, "").expect("program");
    let (kernel, clear) = (program.kernel("k").expect("kernel"), program.kernel("clear").expect("kernel"));
    let (right, floats) =
        (session.allocate::<f64>(N).expect("allocate"), session.allocate::<f32>(2 * N).expect("allocate"));
    let (bytes, pairs) =
        (session.allocate::<u8>(8 * N).expect("allocate"), session.allocate::<[f32; 2]>(N).expect("allocate"));
    // SAFETY: one work-item an element.
    let launch = |arguments: &[Argument<'_, OpenCl>]| unsafe { kernel.launch(&[N], None, arguments) };
    for arguments in [
        [(&right).into(), 1.5.into(), 2.into()],
        [(&right).into(), 1.5.into(), 2u32.into()],
        [(&bytes).into(), 1.5.into(), Argument::value(&2i32)],
        // Nobody knows what they are.
        [(&pairs).into(), Argument::value(&[0u8; 4]), 2.into()],
        [right.slice(..).expect("all").into(), 1.5.into(), 2.into()],
    ] {
        launch(&arguments).expect("as declared");
    }
    for (arguments, words) in [
        (
            [(&right).into(), 1.into(), 2.into()],
            "1 of kernel `k` is declared `float`, floating-point numbers of 4 bytes, but integers of 4 bytes",
        ),
        (
            [(&right).into(), 1.5.into(), 2.0.into()],
            "2 of kernel `k` is declared `uint`, integers of 4 bytes, but floating-point numbers of 4",
        ),
        (
            [(&floats).into(), 1.5.into(), 2.into()],
            "0 of kernel `k` is declared `double*`, floating-point numbers of 8 bytes, but floating-point numbers of 4",
        ),
        ([floats.slice(..N).expect("half").into(), 1.5.into(), 2.into()], "0 of kernel `k` is declared `double*`"),
    ] {
        let error = launch(&arguments).expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
    // SAFETY: a byte a work-item.
    unsafe { clear.launch(&[8 * N], None, &[(&floats).into()]) }.expect("bytes of anything");
    let cast = floats.cast::<f64>().expect("whole elements");
    assert_eq!(cast.len(), N);
    launch(&[(&cast).into(), 1.5.into(), 2.into()]).expect("as declared");
    let mut end = [0.0; N];
    cast.read(&mut end).expect("read");
    assert_eq!(end, [3.5; N]);
    let refused = session.allocate::<u8>(12).expect("allocate").cast::<f64>().expect_err("one and a half");
    assert_eq!(refused.error().to_string(), "buffer: its 12 bytes are not whole elements of 8");
    assert_eq!(refused.into_parts().1.len(), 12);
}

/// Its kernels hold it too, so that it goes with the last of them.
#[test]
fn a_program_that_is_closed_is_released() {
    needs_amd_opencl!();
    if crate::ran_alone("kernels::a_program_that_is_closed_is_released", &[]) {
        return;
    }
    let session = crate::failures::intercepted();
    let program = OpenClProgram::build(&session, crate::OPENCL, "").expect("program");
    crate::shims::start(None);
    program.close().expect("close");
    let released = crate::shims::counts()["clReleaseProgram"];
    assert_eq!((released.made, released.succeeded), (1, 1));
    crate::shims::start([("clReleaseProgram", 1)]);
    let program = OpenClProgram::build(&session, crate::OPENCL, "").expect("program");
    let error = program.close().expect_err("it fails").to_string();
    assert!(error.contains("clReleaseProgram returned"), "{error}");
}

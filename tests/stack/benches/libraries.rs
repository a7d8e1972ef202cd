//! What AMD's libraries do on the virtual GPU: products of matrices by rocBLAS, fills and copies of memory by HIP. Next
//! to each, in the same run, what the host takes for the like.

use std::ffi::{c_int, c_void};
use std::hint::black_box;
use std::ptr::null_mut;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput, measurement::WallTime};
use hip_sys::{hipError_t, hipMemcpyKind};
use libloading::{Library, Symbol};
use rocm_interop::Libraries;

/// Bytes that are filled and copied: more than the processor's caches hold.
const BYTES: usize = 256 << 20;
/// Rows and columns of the matrices.
const SIZES: [usize; 2] = [1024, 2048];

/// Of rocBLAS' `rocblas-types.h`.
const OPERATION_NONE: c_int = 111;
const F32: c_int = 151;
const F64: c_int = 152;

/// What is multiplied: a name, rocBLAS' type of A and B and of C, and how A and B are written.
struct Type {
    name: &'static str,
    of_sources: c_int,
    of_result: c_int,
    bytes: fn(f32) -> Vec<u8>,
}

const TYPES: [Type; 4] = [
    Type { name: "f32", of_sources: F32, of_result: F32, bytes: |value| value.to_le_bytes().into() },
    Type { name: "f16 to f32", of_sources: 150, of_result: F32, bytes: |value| half(value).to_le_bytes().into() },
    Type {
        name: "bf16 to f32",
        of_sources: 168,
        of_result: F32,
        bytes: |value| ((value.to_bits() >> 16) as u16).to_le_bytes().into(),
    },
    Type { name: "f64", of_sources: F64, of_result: F64, bytes: |value| f64::from(value).to_le_bytes().into() },
];

/// Of 0 to 3, which are all that the matrices have.
fn half(value: f32) -> u16 {
    [0, 0x3c00, 0x4000, 0x4200][value as usize]
}

/// Element `at` of a matrix: whole numbers so small that every product and sum is exact.
fn element(at: usize) -> f32 {
    (at.wrapping_mul(0x9e37_79b9) >> 13 & 3) as f32
}

fn main() {
    let libraries = Libraries::load().expect("libraries");
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_secs(2))
        .sample_size(10)
        .configure_from_args();
    memory(&mut criterion, &libraries);
    products(&mut criterion, &libraries);
    criterion.final_summary();
}

/// Fills and copies within the device, and the host's own.
fn memory(criterion: &mut Criterion, libraries: &Libraries) {
    let hip = &libraries.hip;
    let (first, second) = (allocation(libraries, BYTES), allocation(libraries, BYTES));
    let (from, mut to) = (vec![1u8; BYTES], vec![2u8; BYTES]);
    let mut group = group(criterion, "256 MiB of device memory", Throughput::Bytes(BYTES as u64));
    group.bench_function("hipMemset", |b| {
        b.iter(|| {
            // SAFETY: an allocation of as many bytes.
            ok(unsafe { hip.hipMemset(first, 5, BYTES) });
            synchronize(libraries);
        });
    });
    group.bench_function("reference memset", |b| b.iter(|| black_box(&mut to).fill(black_box(5))));
    group.finish();
    let mut group =
        self::group(criterion, "256 MiB from device memory to device memory", Throughput::Bytes(BYTES as u64));
    group.bench_function("hipMemcpy", |b| {
        b.iter(|| {
            // SAFETY: two allocations of as many bytes.
            ok(unsafe { hip.hipMemcpy(second, first, BYTES, hipMemcpyKind::hipMemcpyDeviceToDevice) });
            synchronize(libraries);
        });
    });
    group.bench_function("reference memcpy", |b| b.iter(|| black_box(&mut to).copy_from_slice(black_box(&from))));
    group.finish();
    let mut last = [0u8; 16];
    // SAFETY: the last bytes of the allocation, and an array of as many.
    ok(unsafe {
        let end = second.byte_add(BYTES - last.len());
        hip.hipMemcpy(last.as_mut_ptr().cast(), end, last.len(), hipMemcpyKind::hipMemcpyDeviceToHost)
    });
    assert_eq!(last, [5; 16], "what was filled was copied");
    // SAFETY: they are used no more.
    for allocation in [first, second] {
        // SAFETY: it is used no more.
        ok(unsafe { hip.hipFree(allocation) });
    }
}

/// `C = A B` by rocBLAS, and by the host. Throughput is of multiplications and additions.
fn products(criterion: &mut Criterion, libraries: &Libraries) {
    // SAFETY: a library that lives as long as the process, and a function with this signature.
    let (library, handle) = unsafe {
        let library = Library::new("librocblas.so").or_else(|_| Library::new("librocblas.so.4")).expect("rocBLAS");
        let mut handle: *mut c_void = null_mut();
        let create: Symbol<unsafe extern "C" fn(*mut *mut c_void) -> c_int> =
            library.get(b"rocblas_create_handle").expect("rocBLAS");
        assert_eq!(create(&mut handle), 0);
        (library, handle)
    };
    for size in SIZES {
        let work = Throughput::Elements(2 * (size as u64).pow(3));
        let mut group = group(criterion, &format!("product of {size} x {size} matrices"), work);
        for kind in TYPES {
            let product = Product::new(libraries, &library, handle, &kind, size);
            product.run();
            product.is_right();
            group.bench_function(kind.name, |b| b.iter(|| product.run()));
        }
        let [a, b] = [0, 1].map(|first| (0..size * size).map(|at| element(at + first)).collect::<Vec<_>>());
        let mut c = vec![0f32; size * size];
        group.bench_function("reference f32 by the host, two threads", |bencher| {
            bencher.iter(|| {
                let (rows, columns) = (size as isize, 1);
                // SAFETY: matrices of as many elements.
                unsafe {
                    let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                    matrixmultiply::sgemm(
                        size, size, size, 1.0, a, rows, columns, b, rows, columns, 0.0, c, rows, columns,
                    );
                }
            });
        });
        group.finish();
    }
}

/// Matrices in device memory.
struct Product<'a> {
    libraries: &'a Libraries,
    function: Symbol<'a, GemmEx>,
    handle: *mut c_void,
    kind: &'a Type,
    size: usize,
    a: *mut c_void,
    b: *mut c_void,
    c: *mut c_void,
}

/// `rocblas_gemm_ex` of rocBLAS' `rocblas-functions.h`.
type GemmEx = unsafe extern "C" fn(
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
    i32,
    u32,
) -> c_int;

impl<'a> Product<'a> {
    fn new(libraries: &'a Libraries, library: &'a Library, handle: *mut c_void, kind: &'a Type, size: usize) -> Self {
        // SAFETY: the function has this signature.
        let function = unsafe { library.get(b"rocblas_gemm_ex") }.expect("rocBLAS");
        let matrix = |first: usize| {
            let bytes: Vec<u8> = (0..size * size).flat_map(|at| (kind.bytes)(element(at + first))).collect();
            let to = allocation(libraries, bytes.len());
            // SAFETY: an allocation of as many bytes.
            ok(unsafe {
                libraries.hip.hipMemcpy(to, bytes.as_ptr().cast(), bytes.len(), hipMemcpyKind::hipMemcpyHostToDevice)
            });
            to
        };
        let c = allocation(libraries, size * size * 8);
        Product { libraries, function, handle, kind, size, a: matrix(0), b: matrix(1), c }
    }

    fn run(&self) {
        // One and zero as numbers of the result's type.
        let factors = if self.kind.of_result == F64 { [1f64.to_bits(), 0] } else { [1f32.to_bits().into(), 0] };
        let [alpha, beta]: [*const c_void; 2] = factors.each_ref().map(|factor| (&raw const *factor).cast());
        let (size, of_sources, of_result) = (self.size as c_int, self.kind.of_sources, self.kind.of_result);
        // SAFETY: matrices of as many elements of these types.
        let status = unsafe {
            (self.function)(
                self.handle,
                OPERATION_NONE,
                OPERATION_NONE,
                size,
                size,
                size,
                alpha,
                self.a,
                of_sources,
                size,
                self.b,
                of_sources,
                size,
                beta,
                self.c,
                of_result,
                size,
                self.c,
                of_result,
                size,
                of_result,
                0,
                0,
                0,
            )
        };
        assert_eq!(status, 0, "{}", self.kind.name);
        synchronize(self.libraries);
    }

    /// Compares some elements of the result.
    fn is_right(&self) {
        let size = self.size;
        let bytes = if self.kind.of_result == F64 { 8 } else { 4 };
        let mut result = vec![0u8; size * size * bytes];
        // SAFETY: an allocation of at least as many bytes.
        ok(unsafe {
            let to = result.as_mut_ptr().cast();
            self.libraries.hip.hipMemcpy(to, self.c, result.len(), hipMemcpyKind::hipMemcpyDeviceToHost)
        });
        for at in (0..size * size).step_by(size * size / 61) {
            // Columns are contiguous.
            let (row, column) = (at % size, at / size);
            let sum: f32 = (0..size).map(|k| element(k * size + row) * element(column * size + k + 1)).sum();
            let got = &result[at * bytes..][..bytes];
            let got = match *got {
                [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
                _ => f64::from_le_bytes(got.try_into().expect("eight bytes")),
            };
            assert_eq!(got, f64::from(sum), "{} of {size}, row {row}, column {column}", self.kind.name);
        }
    }
}

impl Drop for Product<'_> {
    fn drop(&mut self) {
        // SAFETY: each call is waited for.
        for matrix in [self.a, self.b, self.c] {
            // SAFETY: each call is waited for.
            ok(unsafe { self.libraries.hip.hipFree(matrix) });
        }
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str, work: Throughput) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(work).sampling_mode(SamplingMode::Flat);
    group
}

fn allocation(libraries: &Libraries, bytes: usize) -> *mut c_void {
    let mut to = null_mut();
    // SAFETY: an output of the type asked for.
    ok(unsafe { libraries.hip.hipMalloc(&mut to, bytes) });
    to
}

fn synchronize(libraries: &Libraries) {
    // SAFETY: HIP is there.
    ok(unsafe { libraries.hip.hipDeviceSynchronize() });
}

fn ok(code: Result<hipError_t, hip_sys::LoadError>) {
    assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
}

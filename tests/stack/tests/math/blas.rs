//! rocBLAS.
use std::time::Duration;

use rocm_interop::times::Work;
use rocm_interop::{Buffer, Hip, OpenCl, Session};
use rocm_math::{Blas, Matrix, MatrixMut, Operand, Vector, VectorMut};
use rocm_pipeline::Pipeline;
use stack_tests::{exclusive, on_vgpu, run_tests};

use crate::number::{Complex, Number, add, conjugate, for_all_numbers, multiply};
use crate::{Mem, assert_refused, on_gpu, read, session};

macro_rules! needs_rocblas {
    () => {
        needs_amd_opencl!();
        stack_tests::needs_library!("rocBLAS");
        stack_tests::needs_code!("rocBLAS");
    };
}

fn blas(session: &Session) -> Blas {
    Blas::new(session).expect("rocBLAS")
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum As {
    Itself,
    Transpose,
    Adjoint,
}
const ALL: [As; 3] = [As::Itself, As::Transpose, As::Adjoint];

impl As {
    fn operand<T: Number>(self, matrix: Matrix<'_, T>) -> Operand<'_, T> {
        match self {
            As::Itself => matrix.into(),
            As::Transpose => matrix.transposed(),
            As::Adjoint => matrix.adjoint(),
        }
    }

    /// Rows and columns of the matrix that is read as one of `size`.
    fn stored(self, size: [usize; 2]) -> [usize; 2] {
        if self == As::Itself { size } else { [size[1], size[0]] }
    }

    /// Element (i, j), of a matrix with this leading dimension.
    fn at<T: Number>(self, matrix: &[T], leading: usize, i: usize, j: usize) -> Complex {
        match self {
            As::Itself => matrix[i + j * leading].complex(),
            As::Transpose => matrix[j + i * leading].complex(),
            As::Adjoint => conjugate(matrix[j + i * leading].complex()),
        }
    }
}

fn numbers<T: Number>(from: usize, len: usize) -> Vec<T> {
    (from..from + len).map(T::small).collect()
}

/// C = alpha A B + beta C on the CPU, in all of `c` and nowhere else.
fn multiply_add<T: Number>(
    [m, n, k]: [usize; 3],
    alpha: T,
    (a, lda, as_a): (&[T], usize, As),
    (b, ldb, as_b): (&[T], usize, As),
    beta: T,
    c: &mut [T],
    ldc: usize,
) {
    for j in 0..n {
        for i in 0..m {
            let sum = (0..k).fold([0.0; 2], |sum, l| add(sum, multiply(as_a.at(a, lda, i, l), as_b.at(b, ldb, l, j))));
            let old = multiply(beta.complex(), c[i + j * ldc].complex());
            c[i + j * ldc] = T::of(add(multiply(alpha.complex(), sum), old));
        }
    }
}

/// Leading dimensions have gaps, and C is a part of its buffer: nothing else is written.
fn products<T: Number>(session: &Session, blas: &Blas) {
    let [m, n, k] = [9, 5, 17];
    let (alpha, beta) = (T::of([2.0, -1.0]), T::of([-3.0, 1.0]));
    for as_a in ALL {
        for as_b in ALL {
            let ([ra, ca], [rb, cb]) = (as_a.stored([m, k]), as_b.stored([k, n]));
            let [lda, ldb, ldc] = [ra + 2, rb + 1, m + 3];
            let (a, b) = (numbers::<T>(0, lda * ca), numbers::<T>(1000, ldb * cb));
            let mut want = numbers::<T>(2000, 7 + ldc * n + 5);
            let (a_gpu, b_gpu, mut c_gpu) = (on_gpu(session, &a), on_gpu(session, &b), on_gpu(session, &want));
            let a_view = Matrix::new(&a_gpu, ra, ca).unwrap().with_leading(lda).unwrap();
            let b_view = Matrix::new(&b_gpu, rb, cb).unwrap().with_leading(ldb).unwrap();
            let part = c_gpu.slice_mut(7..).unwrap();
            let mut c_view = MatrixMut::new(part, m, n).unwrap().with_leading(ldc).unwrap();
            blas.gemm(alpha, as_a.operand(a_view), as_b.operand(b_view), beta, &mut c_view).unwrap();
            multiply_add([m, n, k], alpha, (&a, lda, as_a), (&b, ldb, as_b), beta, &mut want[7..], ldc);
            assert_eq!(read(&c_gpu), want, "{as_a:?} {as_b:?}");
        }
    }
}

#[test]
fn products_are_those_of_the_cpu() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    for_all_numbers!(products(&session, &blas));
}

/// B is one matrix for all, and the columns of the results are interleaved.
fn batches<T: Number>(session: &Session, blas: &Blas) {
    let ([m, n, k], count) = ([4, 3, 6], 3);
    let (alpha, beta) = (T::of([1.0, 2.0]), T::of([2.0, 0.0]));
    let (lda, stride_a) = (m, m * k + 5);
    let (a, b) = (numbers::<T>(0, stride_a * count), numbers::<T>(500, k * n));
    for (ldc, stride_c) in [(m + 1, (m + 1) * n + 2), (m * count, m)] {
        let mut want = numbers::<T>(900, ldc * n * count + 10);
        let (a_gpu, b_gpu, mut c_gpu) = (on_gpu(session, &a), on_gpu(session, &b), on_gpu(session, &want));
        let a_view = Matrix::new(&a_gpu, m, k).unwrap().batch(stride_a, count).unwrap();
        let b_view = Matrix::new(&b_gpu, k, n).unwrap().batch(0, count).unwrap();
        let c_view = MatrixMut::new(&mut c_gpu, m, n).unwrap();
        let mut c_view = c_view.with_leading(ldc).unwrap().batch(stride_c, count).unwrap();
        blas.gemm(alpha, a_view, b_view, beta, &mut c_view).unwrap();
        for number in 0..count {
            let a = (&a[number * stride_a..], lda, As::Itself);
            multiply_add([m, n, k], alpha, a, (&b, k, As::Itself), beta, &mut want[number * stride_c..], ldc);
        }
        assert_eq!(read(&c_gpu), want, "{ldc} {stride_c}");
    }
}

#[test]
fn batches_of_products_are_those_of_the_cpu() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    for_all_numbers!(batches(&session, &blas));
}

#[test]
fn sizes_of_zero_do_what_the_formula_says() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    let (a, mut c) = (on_gpu(&session, &[1.0f32; 4]), on_gpu(&session, &[1.0f32, 2.0, 3.0, 4.0]));
    // No rows, or no columns: nothing is written.
    let none = Matrix::new(&a, 0, 2).unwrap();
    blas.gemm(1.0, none, Matrix::new(&a, 2, 2).unwrap(), 5.0, &mut MatrixMut::new(&mut c, 0, 2).unwrap()).unwrap();
    blas.gemm(1.0, Matrix::new(&a, 2, 2).unwrap(), none.transposed(), 5.0, &mut MatrixMut::new(&mut c, 2, 0).unwrap())
        .unwrap();
    assert_eq!(read(&c), [1.0, 2.0, 3.0, 4.0]);
    // A sum of no terms: C is scaled.
    blas.gemm(1.0, none.transposed(), none, 5.0, &mut MatrixMut::new(&mut c, 2, 2).unwrap()).unwrap();
    assert_eq!(read(&c), [5.0, 10.0, 15.0, 20.0]);
    // With beta of 0, what was in C does not matter.
    let mut c = on_gpu(&session, &[f32::NAN; 4]);
    let all = Matrix::new(&a, 2, 2).unwrap();
    blas.gemm(1.0, all, all, 0.0, &mut MatrixMut::new(&mut c, 2, 2).unwrap()).unwrap();
    assert_eq!(read(&c), [2.0; 4]);
}

#[test]
fn operands_that_do_not_fit_are_refused_before_the_call() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    let (a, mut c) = (on_gpu(&session, &[1.0f32; 12]), on_gpu(&session, &[7.0f32; 12]));
    assert_refused(Matrix::new(&a, 4, 4), &["matrix: 4 x 4", "takes 16 elements, but there are 12"]);
    let [a34, a33] = [[3, 4], [3, 3]].map(|[rows, columns]| Matrix::new(&a, rows, columns).unwrap());
    let mut c33 = MatrixMut::new(&mut c, 3, 3).unwrap();
    assert_refused(blas.gemm(1.0, a34, a33, 0.0, &mut c33), &["gemm: C = A B: A is 3 x 4, B is 3 x 3 and C is 3 x 3"]);
    let batch = Matrix::new(&a, 3, 3).unwrap().batch(0, 2).unwrap();
    assert_refused(blas.gemm(1.0, batch, a33, 0.0, &mut c33), &["A is 3 x 3 (2 times), B is 3 x 3 and"]);
    // Two matrices that share a column.
    let mut sharing = MatrixMut::new(&mut c, 3, 3).unwrap().batch(3, 2).unwrap();
    assert_refused(blas.gemm(1.0, batch, batch, 0.0, &mut sharing), &["C: 3 x 3", "share elements"]);
    // Two buffers that are views of the same bytes are found by their addresses; here, one of another session.
    let other = crate::session();
    let foreign = on_gpu(&other, &[1.0f32; 9]);
    let foreign = Matrix::new(&foreign, 3, 3).unwrap();
    let mut c33 = MatrixMut::new(&mut c, 3, 3).unwrap();
    assert_refused(blas.gemm(1.0, foreign, a33, 0.0, &mut c33), &["of another session"]);
    assert_eq!(read(&c), [7.0; 12]);
}

/// The types forbid it of one buffer, but a `cl_mem` may have several views.
#[test]
fn a_result_that_overlaps_an_operand_is_refused() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    let mem = Mem::new(&session, 18 * size_of::<f32>());
    let (mut one, mut other) = (mem.view::<f32>(), mem.view::<f32>());
    let elsewhere = on_gpu(&session, &[1.0f32; 9]);
    one.write(&[1.0; 18]).unwrap();
    let a = Matrix::new(&one, 3, 3).unwrap();
    let mut c = MatrixMut::new(other.slice_mut(8..).unwrap(), 3, 3).unwrap();
    assert_refused(blas.gemm(1.0, a, a, 0.0, &mut c), &["gemm: C at 0x", "is written and overlaps A at 0x"]);
    let ones = Matrix::new(&elsewhere, 3, 3).unwrap();
    assert_refused(blas.gemm(1.0, ones, a, 0.0, &mut c), &["gemm: C at 0x", "is written and overlaps B at 0x"]);
    // Operands that only touch are taken.
    let mut c = MatrixMut::new(other.slice_mut(9..).unwrap(), 3, 3).unwrap();
    blas.gemm(1.0, a, a, 0.0, &mut c).unwrap();
    assert_eq!(read(&other)[9..], [3.0; 9]);
    let x = Vector::strided(&one, 9, 1).unwrap();
    let mut y = VectorMut::new(other.slice_mut(8..17).unwrap()).unwrap();
    assert_refused(blas.axpy(1.0, x, &mut y), &["axpy: y at 0x", "overlaps x at 0x"]);
    assert_refused(
        blas.gemv(1.0, a, x, 0.0, &mut VectorMut::new(&mut other).unwrap()),
        &["gemv: y = A x: A is 3 x 3, x has 9 elements and y 18"],
    );
    let x3 = Vector::strided(one.slice(9..).unwrap(), 3, 1).unwrap();
    let mut y = VectorMut::new(other.slice_mut(11..14).unwrap()).unwrap();
    assert_refused(blas.gemv(1.0, a, x3, 0.0, &mut y), &["gemv: y at 0x", "overlaps x at 0x"]);
    assert_refused(blas.dot(x, x, other.slice_mut(8..9).unwrap()), &["dot: result at 0x", "overlaps x at 0x"]);
    let three = Vector::strided(&elsewhere, 3, 1).unwrap();
    let mut y = VectorMut::new(other.slice_mut(8..11).unwrap()).unwrap();
    assert_refused(blas.gemv(1.0, a, three, 0.0, &mut y), &["gemv: y at 0x", "overlaps A at 0x"]);
    let nine = Vector::new(&elsewhere).unwrap();
    assert_refused(blas.dot(nine, x, other.slice_mut(8..9).unwrap()), &["dot: result at 0x", "overlaps y at 0x"]);
    assert_refused(blas.nrm2(x, other.slice_mut(0..1).unwrap()), &["nrm2: result at 0x", "overlaps x at 0x"]);
    drop((one, other));
}

fn vectors<T: Number>(session: &Session, blas: &Blas) {
    let (n, incx, incy) = (37, 2, 3);
    let (x, y) = (numbers::<T>(0, n * incx), numbers::<T>(300, n * incy));
    let alpha = T::of([2.0, -3.0]);
    let (x_gpu, mut y_gpu) = (on_gpu(session, &x), on_gpu(session, &y));
    let mut sum = on_gpu(session, &[T::of([0.0; 2]); 3]);
    let x_view = Vector::strided(&x_gpu, n, incx).unwrap();
    blas.dot(x_view, Vector::strided(&y_gpu, n, incy).unwrap(), sum.slice_mut(1..2).unwrap()).unwrap();
    let products = (0..n).map(|i| multiply(conjugate(x[i * incx].complex()), y[i * incy].complex()));
    assert_eq!(read(&sum), [T::of([0.0; 2]), T::of(products.fold([0.0; 2], add)), T::of([0.0; 2])]);

    blas.axpy(alpha, x_view, &mut VectorMut::strided(&mut y_gpu, n, incy).unwrap()).unwrap();
    let mut want = y;
    for i in 0..n {
        want[i * incy] = T::of(add(want[i * incy].complex(), multiply(alpha.complex(), x[i * incx].complex())));
    }
    assert_eq!(read(&y_gpu), want);
    blas.scal(alpha, &mut VectorMut::strided(&mut y_gpu, n, incy).unwrap()).unwrap();
    for i in 0..n {
        want[i * incy] = T::of(multiply(alpha.complex(), want[i * incy].complex()));
    }
    assert_eq!(read(&y_gpu), want);
}

fn norm<T: Number>(session: &Session, blas: &Blas)
where
    T::Real: Number,
{
    let x = numbers::<T>(0, 50);
    let (x_gpu, mut norm) = (on_gpu(session, &x), on_gpu(session, &[T::Real::of([0.0; 2])]));
    blas.nrm2(Vector::new(&x_gpu).unwrap(), &mut norm).unwrap();
    let squares = x.iter().map(|x| x.complex()).map(|[re, im]| re * re + im * im);
    let (got, want) = (read(&norm)[0].complex()[0], squares.sum::<f64>().sqrt());
    assert!((got - want).abs() <= want * T::ERROR, "{got} {want}");
}

#[test]
fn vectors_are_those_of_the_cpu() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    for_all_numbers!(vectors(&session, &blas));
    for_all_numbers!(norm(&session, &blas));
    // Of no elements, a sum is 0, and nothing else is written.
    let x = on_gpu(&session, &[1.0f32]);
    let mut sum = on_gpu(&session, &[5.0f32, 5.0]);
    let none = Vector::strided(&x, 0, 1).unwrap();
    blas.dot(none, none, &mut sum).unwrap();
    assert_eq!(read(&sum), [0.0, 5.0]);
    let mut length = on_gpu(&session, &[f32::NAN, 5.0]);
    blas.nrm2(none, &mut length).unwrap();
    assert_eq!(read(&length), [0.0, 5.0]);
    let z = on_gpu(&session, &[[1.0f64; 2]]);
    let (none_of_z, mut sum_of_z) = (Vector::strided(&z, 0, 1).unwrap(), on_gpu(&session, &[[f64::NAN; 2], [5.0; 2]]));
    blas.dot(none_of_z, none_of_z, &mut sum_of_z).unwrap();
    assert_eq!(read(&sum_of_z), [[0.0; 2], [5.0; 2]]);
    let two = on_gpu(&session, &[1.0f32; 2]);
    assert_refused(blas.dot(none, Vector::new(&two).unwrap(), &mut sum), &["dot: x has 0 elements, y has 2"]);
    // Two parts of one buffer, one of which is read: each begins and ends where it was split.
    let mut both = on_gpu(&session, &[1.0f64, 2.0, 3.0, 10.0, 20.0, 30.0]);
    let (first, second) = both.slice_mut(1..).unwrap().split_at(2).unwrap();
    assert_eq!((first.len(), second.len()), (2, 3));
    let mut tail = VectorMut::strided(second, 2, 2).unwrap();
    blas.axpy(100.0, Vector::new(first.as_slice()).unwrap(), &mut tail).unwrap();
    assert_eq!(read(&both), [1.0, 2.0, 3.0, 210.0, 20.0, 330.0]);
    for at in [0, 6, 7, usize::MAX] {
        assert!(both.slice_mut(..).unwrap().split_at(at).is_err(), "{at}");
    }
}

fn matrix_times_vector<T: Number>(session: &Session, blas: &Blas) {
    let ([m, n], lda, incx, incy) = ([13, 7], 15, 2, 3);
    let (alpha, beta) = (T::of([2.0, 1.0]), T::of([-1.0, 2.0]));
    for as_a in ALL {
        let [rows, columns] = as_a.stored([m, n]);
        let (a, x) = (numbers::<T>(0, lda * columns), numbers::<T>(400, n * incx));
        let mut want = numbers::<T>(700, m * incy);
        let (a_gpu, x_gpu, mut y_gpu) = (on_gpu(session, &a), on_gpu(session, &x), on_gpu(session, &want));
        let a_view = as_a.operand(Matrix::new(&a_gpu, rows, columns).unwrap().with_leading(lda).unwrap());
        let x_view = Vector::strided(&x_gpu, n, incx).unwrap();
        blas.gemv(alpha, a_view, x_view, beta, &mut VectorMut::strided(&mut y_gpu, m, incy).unwrap()).unwrap();
        // Vectors are rows, with their increments as leading dimensions: yᵀ = xᵀ Aᵀ.
        let transposed = (0..n * m).map(|at| T::of(as_a.at(&a, lda, at / n, at % n))).collect::<Vec<_>>();
        let (x, a) = ((&x[..], incx, As::Itself), (&transposed[..], n, As::Itself));
        multiply_add([1, m, n], alpha, x, a, beta, &mut want, incy);
        assert_eq!(read(&y_gpu), want, "{as_a:?}");
    }
}

#[test]
fn a_matrix_times_a_vector_is_that_of_the_cpu() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    for_all_numbers!(matrix_times_vector(&session, &blas));
    // A sum of no terms.
    let (a, mut y) = (on_gpu(&session, &[1.0f32; 2]), on_gpu(&session, &[1.0f32, 2.0]));
    let none = Vector::strided(&a, 0, 1).unwrap();
    blas.gemv(1.0, Matrix::new(&a, 2, 0).unwrap(), none, 3.0, &mut VectorMut::new(&mut y).unwrap()).unwrap();
    assert_eq!(read(&y), [3.0, 6.0]);
    // With beta of 0, what was in y does not matter; gaps are left as they are.
    let mut y = on_gpu(&session, &[f32::NAN, 7.0, f32::NAN]);
    let mut strided = VectorMut::strided(&mut y, 2, 2).unwrap();
    blas.gemv(1.0, Matrix::new(&a, 2, 0).unwrap(), none, 0.0, &mut strided).unwrap();
    assert_eq!(read(&y), [0.0, 7.0, 0.0]);
}

/// With this crate's errors: a batch that is refused is lost alone.
#[test]
fn a_call_is_a_stage_of_a_pipeline() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    let buffers = [session.allocate::<f32>(8).unwrap(), session.allocate(8).unwrap()];
    let mut lengths = [8, 9, 4].into_iter();
    let scale = |x: &mut Buffer<f32, Hip>| {
        let len = lengths.next().expect("three batches");
        blas.scal(3.0, &mut VectorMut::strided(x, len, 1)?)
    };
    let pipeline = Pipeline::<Buffer<f32, OpenCl>, rocm_math::Error>::default().hip("scale", scale);
    std::thread::scope(|threads| {
        let (input, mut output) = pipeline.start(threads, buffers);
        threads.spawn(move || {
            for number in [1.0, 2.0, 3.0] {
                let mut buffer = input.buffer().expect("a buffer");
                buffer.write(&[number; 8]).expect("write");
                assert!(input.send(buffer).is_ok());
            }
        });
        let mut computed = Vec::new();
        while let Some(batch) = output.next() {
            let buffer = match batch {
                Ok(buffer) => {
                    let mut data = [0.0; 8];
                    buffer.read(&mut data).expect("read");
                    computed.push(data);
                    buffer
                }
                Err(failed) => {
                    assert_eq!((failed.stage, failed.number), ("scale", 1));
                    let buffer = failed.batch.expect("no work uses it");
                    assert_refused::<()>(
                        Err(failed.error),
                        &["vector: 9 elements with increment 1 take 9 elements, but there are 8"],
                    );
                    buffer
                }
            };
            output.give_back(buffer);
        }
        assert_eq!(computed, [[3.0; 8], [9.0, 9.0, 9.0, 9.0, 3.0, 3.0, 3.0, 3.0]]);
    });
}

/// A call has its time, by the name of the function.
#[test]
fn a_call_has_its_time() {
    needs_rocblas!();
    let _alone = exclusive();
    let first = session();
    let session = Session::open_timed(first.device()).unwrap();
    let blas = blas(&session);
    let mut x = on_gpu(&session, &[1.0f64; 8]);
    session.record_times(true).unwrap();
    blas.scal(2.0, &mut VectorMut::new(&mut x).unwrap()).unwrap();
    session.synchronize().unwrap();
    let names: Vec<_> = session.take_times().unwrap().all.into_iter().map(|time| time.work).collect();
    assert!(names.contains(&Work::Library("rocblas_dscal".into())), "{names:?}");
    assert_eq!(read(&x), [2.0; 8]);
}

/// The functions that have no method, with the handle.
#[test]
fn raw_calls_are_between_the_others() {
    needs_rocblas!();
    let _alone = exclusive();
    let session = session();
    let blas = blas(&session);
    blas.set_workspace(session.allocate_hip(4 << 20).unwrap()).unwrap();
    let (mut x, mut y) = (on_gpu(&session, &[1.0f32, 2.0]), on_gpu(&session, &[3.0f32, 4.0]));
    let hip = session.raw_hip().unwrap();
    let (at_x, at_y) = (hip.pointer_mut(&mut x).unwrap(), hip.pointer_mut(&mut y).unwrap());
    let raw = blas.raw();
    // SAFETY: two elements each, on the session's stream.
    let status = unsafe { raw.library().rocblas_sswap(raw.handle(), 2, at_x, 1, at_y, 1) }.unwrap();
    assert_eq!(status, rocblas_sys::rocblas_status::rocblas_status_success);
    drop(raw);
    blas.scal(10.0, &mut VectorMut::new(&mut x).unwrap()).unwrap();
    assert_eq!((read(&x), read(&y)), (vec![30.0, 40.0], vec![1.0, 2.0]));
}

/// In a process of its own, on a virtual GPU that the library has no code for.
#[test]
fn a_library_without_kernels_for_the_gpu_is_refused_by_name() {
    const OTHER_GPU: &str = "STACK_TESTS_OTHER_GPU";
    needs_rocblas!();
    stack_tests::needs_vgpu!();
    if std::env::var_os(OTHER_GPU).is_some() {
        let refused = Blas::new(&session());
        return assert_refused(refused, &["rocBLAS (", "gfx908", "none for gfx942; install a rocBLAS"]);
    }
    if stack_tests::hip_version() >= (7, 0) {
        test_skip::skip!("this stack's rocBLAS has code for gfx942");
    }
    let _alone = exclusive();
    let test = "blas::a_library_without_kernels_for_the_gpu_is_refused_by_name";
    let mut command = on_vgpu(&["--gpu", "mi300x"], std::env::current_exe().expect("this test"));
    run_tests(command.env(OTHER_GPU, "1"), &[test], Duration::from_secs(240));
}

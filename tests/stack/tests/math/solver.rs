//! rocSOLVER.
use std::sync::Arc;

use rocblas_sys::Rocblas;
use rocm_interop::Session;
use rocm_math::{Matrix, MatrixMut, Pivots, Solver, Triangle};
use stack_tests::exclusive;

use crate::number::{Complex, Number, add, conjugate, for_all_numbers, multiply};
use crate::{Mem, assert_refused, on_gpu, read, session};

macro_rules! needs_rocsolver {
    () => {
        needs_amd_opencl!();
        stack_tests::needs_library!("rocSOLVER");
        stack_tests::needs_code!("rocSOLVER");
    };
}

fn solver(session: &Session) -> Solver {
    Solver::new(session).expect("rocSOLVER")
}

/// Elements of a matrix of the CPU, column by column.
fn at<T: Number>(matrix: &[T], leading: usize, i: usize, j: usize) -> Complex {
    matrix[i + j * leading].complex()
}

/// A symmetric or Hermitian matrix whose eigenvalues are positive.
fn positive<T: Number>(n: usize, leading: usize) -> Vec<T> {
    let factor: Vec<T> = (0..n * n).map(T::small).collect();
    let mut matrix: Vec<T> = (5000..5000 + leading * n).map(T::small).collect();
    for j in 0..n {
        for i in 0..n {
            let sum = (0..n)
                .fold([0.0; 2], |sum, k| add(sum, multiply(at(&factor, n, i, k), conjugate(at(&factor, n, j, k)))));
            matrix[i + j * leading] = T::of(add(sum, if i == j { [1.0, 0.0] } else { [0.0; 2] }));
        }
    }
    matrix
}

#[track_caller]
fn assert_near<T: Number>(got: Complex, want: Complex, scale: f64) {
    let error = (got[0] - want[0]).hypot(got[1] - want[1]);
    assert!(error <= scale * 100.0 * T::ERROR, "{got:?} {want:?} of {scale}");
}

fn cholesky<T: Number>(session: &Session, solver: &Solver) {
    let (n, leading) = (20, 23);
    let a = positive::<T>(n, leading);
    let largest = a.iter().map(|x| x.complex()[0].abs()).fold(0.0, f64::max);
    for triangle in [Triangle::Lower, Triangle::Upper] {
        let (mut a_gpu, mut info) = (on_gpu(session, &a), on_gpu(session, &[7i32]));
        let mut view = MatrixMut::new(&mut a_gpu, n, n).unwrap().with_leading(leading).unwrap();
        solver.potrf(triangle, &mut view, &mut info).unwrap();
        assert_eq!(read(&info), [0]);
        let factor = read(&a_gpu);
        // Of the lower triangle as it is, of the upper one by its adjoint.
        let lower = |i, j| match triangle {
            _ if i < j => [0.0; 2],
            Triangle::Lower => at(&factor, leading, i, j),
            Triangle::Upper => conjugate(at(&factor, leading, j, i)),
        };
        for j in 0..n {
            for i in 0..n {
                let product = (0..n).fold([0.0; 2], |sum, k| add(sum, multiply(lower(i, k), conjugate(lower(j, k)))));
                assert_near::<T>(product, at(&a, leading, i, j), largest);
            }
        }
        let is_read = |i: usize, j: usize| if triangle == Triangle::Lower { i >= j } else { i <= j };
        for (index, (new, old)) in factor.iter().zip(&a).enumerate() {
            let (i, j) = (index % leading, index / leading);
            assert!((i < n && is_read(i, j)) || new == old, "({i}, {j}) was written");
        }
    }
    // The leading minor of order 3 is not positive.
    let mut a = a;
    a[2 + 2 * leading] = T::of([-1.0, 0.0]);
    let (mut a_gpu, mut info) = (on_gpu(session, &a), on_gpu(session, &[0i32]));
    let mut view = MatrixMut::new(&mut a_gpu, n, n).unwrap().with_leading(leading).unwrap();
    solver.potrf(Triangle::Lower, &mut view, &mut info).unwrap();
    assert_eq!(read(&info), [3]);
}

#[test]
fn cholesky_factors_give_the_matrix() {
    needs_rocsolver!();
    let _alone = exclusive();
    let session = session();
    let solver = solver(&session);
    for_all_numbers!(cholesky(&session, &solver));
}

/// No element is that of the transpose, and the largest of each row, which is more than the sum of the others, is
/// not on the diagonal: rows are exchanged, and solutions are exact but for rounding.
fn dominant<T: Number>(n: usize, leading: usize) -> Vec<T> {
    let mut matrix: Vec<T> = (0..leading * n).map(T::small).collect();
    for i in 0..n {
        matrix[i + (i + 5) % n * leading] = T::of([100.0, 50.0]);
    }
    matrix
}

fn solution<T: Number>(session: &Session, solver: &Solver) {
    let (n, columns, lda, ldb) = (12, 3, 14, 13);
    let a = dominant::<T>(n, lda);
    let x: Vec<T> = (0..n * columns).map(|index| T::small(index + 77)).collect();
    // A X, Aᵀ X and Aᴴ X.
    type Element<'m> = &'m dyn Fn(usize, usize) -> Complex;
    let elements: [Element<'_>; 3] =
        [&|i, j| at(&a, lda, i, j), &|i, j| at(&a, lda, j, i), &|i, j| conjugate(at(&a, lda, j, i))];
    let (mut a_gpu, mut info) = (on_gpu(session, &a), on_gpu(session, &[7i32]));
    let mut pivots = Pivots::new(session, n).unwrap();
    let mut factors = MatrixMut::new(&mut a_gpu, n, n).unwrap().with_leading(lda).unwrap();
    solver.getrf(&mut factors, &mut pivots, &mut info).unwrap();
    assert_eq!(read(&info), [0]);
    let rows = pivots.read().unwrap();
    assert!(rows.iter().enumerate().all(|(i, &row)| (i + 1..=n).contains(&(row as usize))), "{rows:?}");
    assert_ne!(rows, (1..=n as i32).collect::<Vec<_>>(), "no row was exchanged");
    for (number, element) in elements.into_iter().enumerate() {
        let mut b: Vec<T> = (0..ldb * columns).map(T::small).collect();
        for j in 0..columns {
            for i in 0..n {
                let sum = (0..n).fold([0.0; 2], |sum, k| add(sum, multiply(element(i, k), at(&x, n, k, j))));
                b[i + j * ldb] = T::of(sum);
            }
        }
        let mut b_gpu = on_gpu(session, &b);
        let mut right = MatrixMut::new(&mut b_gpu, n, columns).unwrap().with_leading(ldb).unwrap();
        let factors = factors.as_matrix();
        match number {
            0 => solver.getrs(factors, &pivots, &mut right),
            1 => solver.getrs(factors.transposed(), &pivots, &mut right),
            _ => solver.getrs(factors.adjoint(), &pivots, &mut right),
        }
        .unwrap();
        let solved = read(&b_gpu);
        for j in 0..columns {
            for i in 0..n {
                assert_near::<T>(at(&solved, ldb, i, j), at(&x, n, i, j), 0.1);
            }
            assert_eq!(solved[n + j * ldb], b[n + j * ldb], "the gap was written");
        }
    }
}

#[test]
fn systems_of_equations_are_solved() {
    needs_rocsolver!();
    let _alone = exclusive();
    let session = session();
    let solver = solver(&session);
    for_all_numbers!(solution(&session, &solver));
}

/// What cannot be factorised is a value.
#[test]
fn singular_matrices_and_nan_are_values() {
    needs_rocsolver!();
    let _alone = exclusive();
    let session = session();
    let solver = solver(&session);
    let mut info = on_gpu(&session, &[0i32]);
    let mut pivots = Pivots::new(&session, 3).unwrap();
    // The second column is twice the first.
    let mut a = on_gpu(&session, &[1.0f64, 2.0, 4.0, 2.0, 4.0, 8.0, 1.0, 0.0, 5.0]);
    solver.getrf(&mut MatrixMut::new(&mut a, 3, 3).unwrap(), &mut pivots, &mut info).unwrap();
    assert_eq!(read(&info), [2]);
    // Pivots stay numbers of rows, whatever the matrix is.
    for n in [3, 100, 300] {
        let single = |at| {
            let mut matrix = dominant::<f64>(n, n);
            matrix[at] = f64::NAN;
            matrix
        };
        let mut pivots = Pivots::new(&session, n).unwrap();
        for (case, matrix) in
            [vec![f64::NAN; n * n], single(0), single(n / 3 + n / 2 * n), single(n * n - 1)].into_iter().enumerate()
        {
            let mut a = on_gpu(&session, &matrix);
            solver.getrf(&mut MatrixMut::new(&mut a, n, n).unwrap(), &mut pivots, &mut info).unwrap();
            let rows = pivots.read().unwrap();
            assert!(rows.iter().all(|row| (1..=n as i32).contains(row)), "{n} {case}: {rows:?}");
        }
    }
    let mut a = on_gpu(&session, &[f64::NAN; 9]);
    solver.potrf(Triangle::Lower, &mut MatrixMut::new(&mut a, 3, 3).unwrap(), &mut info).unwrap();
    // rocSOLVER 5.5 does not notice NaN; the factor shows it.
    assert_eq!(read(&info), [i32::from(stack_tests::hip_version() >= (6, 0))]);
    assert!(read(&a)[..3].iter().all(|x| x.is_nan()), "{:?}", read(&a));
}

fn orthogonal<T: Number>(session: &Session, solver: &Solver) {
    let ([m, n], leading) = ([9, 5], 11);
    let a: Vec<T> = (0..leading * n).map(T::small).collect();
    let (mut a_gpu, mut tau) = (on_gpu(session, &a), on_gpu(session, &[T::of([9.0, 9.0]); 6]));
    let mut view = MatrixMut::new(&mut a_gpu, m, n).unwrap().with_leading(leading).unwrap();
    solver.geqrf(&mut view, &mut tau).unwrap();
    let (factors, tau) = (read(&a_gpu), read(&tau));
    assert_eq!(tau[n], T::of([9.0, 9.0]), "one more than the matrix has columns");
    // Q is unitary, so Rᴴ R = Aᴴ A.
    let r = |i, j| if i <= j { at(&factors, leading, i, j) } else { [0.0; 2] };
    for j in 0..n {
        for i in 0..n {
            let of_r = (0..n).fold([0.0; 2], |sum, k| add(sum, multiply(conjugate(r(k, i)), r(k, j))));
            let of_a = (0..m)
                .fold([0.0; 2], |sum, k| add(sum, multiply(conjugate(at(&a, leading, k, i)), at(&a, leading, k, j))));
            assert_near::<T>(of_r, of_a, 100.0);
        }
    }
}

#[test]
fn a_triangle_and_a_unitary_matrix_give_the_matrix() {
    needs_rocsolver!();
    let _alone = exclusive();
    let session = session();
    let solver = solver(&session);
    for_all_numbers!(orthogonal(&session, &solver));
}

fn eigen<T: Number>(session: &Session, solver: &Solver)
where
    T::Real: Number,
{
    let (n, leading) = (7, 8);
    let a = positive::<T>(n, leading);
    let mut a_gpu = on_gpu(session, &a);
    let zeros = [T::Real::of([0.0; 2]); 7];
    let (mut values, mut work, mut info) = (on_gpu(session, &zeros), on_gpu(session, &zeros), on_gpu(session, &[7i32]));
    let mut view = MatrixMut::new(&mut a_gpu, n, n).unwrap().with_leading(leading).unwrap();
    solver.syevd(Triangle::Lower, &mut view, &mut values, &mut work, &mut info).unwrap();
    assert_eq!(read(&info), [0]);
    let values: Vec<f64> = read(&values).into_iter().map(|value| value.complex()[0]).collect();
    assert!(values.is_sorted() && values[0] > 0.0, "{values:?}");
    let vectors = read(&a_gpu);
    for (j, value) in values.iter().enumerate() {
        let length = (0..n).map(|k| at(&vectors, leading, k, j)).map(|[re, im]| re * re + im * im).sum::<f64>();
        assert_near::<T>([length, 0.0], [1.0, 0.0], 1.0);
        for i in 0..n {
            let product =
                (0..n).fold([0.0; 2], |sum, k| add(sum, multiply(at(&a, leading, i, k), at(&vectors, leading, k, j))));
            assert_near::<T>(product, at(&vectors, leading, i, j).map(|part| part * value), values[n - 1]);
        }
    }
}

#[test]
fn eigenvectors_are_those_of_the_matrix() {
    needs_rocsolver!();
    let _alone = exclusive();
    let session = session();
    let solver = solver(&session);
    for_all_numbers!(eigen(&session, &solver));
}

#[test]
fn operands_of_other_sizes_are_refused_before_the_call() {
    needs_rocsolver!();
    let _alone = exclusive();
    let session = session();
    let solver = solver(&session);
    let (mut a, mut b) = (on_gpu(&session, &[1.0f32; 12]), on_gpu(&session, &[7.0f32; 12]));
    let mut info = on_gpu(&session, &[0i32]);
    let mut pivots = Pivots::new(&session, 3).unwrap();
    let mut wide = MatrixMut::new(&mut a, 3, 4).unwrap();
    assert_refused(
        solver.potrf(Triangle::Lower, &mut wide, &mut info),
        &["potrf: the matrix is 3 x 4, must be square"],
    );
    assert_refused(pivots.read(), &["pivots: no matrix was factorised"]);
    let factors = on_gpu(&session, &[1.0f32; 9]);
    let square = Matrix::new(&factors, 3, 3).unwrap();
    let mut right = MatrixMut::new(&mut b, 3, 2).unwrap();
    assert_refused(solver.getrs(square, &pivots, &mut right), &["getrs: the pivots are of no matrix"]);
    solver.getrf(&mut wide, &mut pivots, &mut info).unwrap();
    assert_refused(solver.getrs(square, &pivots, &mut right), &["but the pivots are of one of 3 x 4"]);
    let mut tall = MatrixMut::new(&mut a, 4, 3).unwrap();
    let mut few = Pivots::new(&session, 2).unwrap();
    assert_refused(solver.getrf(&mut tall, &mut few, &mut info), &["pivots: has 2 elements, of which the call uses 3"]);
    assert_refused(solver.geqrf(&mut tall, b.slice_mut(..2).unwrap()), &["tau: has 2 elements"]);
    let mut batch = MatrixMut::new(&mut b, 2, 2).unwrap().batch(4, 3).unwrap();
    assert_refused(solver.potrf(Triangle::Lower, &mut batch, &mut info), &["potrf: takes one matrix, not 2 x 2"]);
    let other = crate::session();
    let (mut foreign, mut foreign_info) = (on_gpu(&other, &[7.0f32; 9]), on_gpu(&other, &[7i32]));
    let mut foreign_square = MatrixMut::new(&mut foreign, 3, 3).unwrap();
    let mut square = MatrixMut::new(&mut b, 3, 3).unwrap();
    assert_refused(solver.potrf(Triangle::Lower, &mut foreign_square, &mut info), &["of another session"]);
    assert_refused(solver.potrf(Triangle::Lower, &mut square, &mut foreign_info), &["of another session"]);
    assert_refused(solver.getrf(&mut foreign_square, &mut pivots, &mut info), &["of another session"]);
    let mut foreign_pivots = Pivots::new(&other, 3).unwrap();
    assert_refused(solver.getrf(&mut square, &mut foreign_pivots, &mut info), &["of another session"]);
    assert_eq!((read(&foreign), read(&foreign_info)), (vec![7.0; 9], vec![7]));
    assert_eq!(read(&b), [7.0; 12]);
}

/// The types forbid it of one buffer, but a `cl_mem` may have several views.
#[test]
fn operands_that_overlap_are_refused_before_the_call() {
    needs_rocsolver!();
    let _alone = exclusive();
    let session = session();
    let solver = solver(&session);
    let mem = Mem::new(&session, 18 * size_of::<f32>());
    let (mut one, mut other, mut number) = (mem.view::<f32>(), mem.view::<f32>(), mem.view::<i32>());
    one.write(&[1.0; 18]).unwrap();
    let mut pivots = Pivots::new(&session, 3).unwrap();
    let mut info = on_gpu(&session, &[7i32]);
    let mut real = on_gpu(&session, &[7.0f32; 6]);
    let mut a = MatrixMut::new(one.slice_mut(..9).unwrap(), 3, 3).unwrap();
    assert_refused(
        solver.potrf(Triangle::Lower, &mut a, number.slice_mut(8..9).unwrap()),
        &["potrf: A at 0x", "overlaps info at 0x"],
    );
    assert_refused(
        solver.getrf(&mut a, &mut pivots, number.slice_mut(8..9).unwrap()),
        &["getrf: A at 0x", "overlaps info at 0x"],
    );
    assert_refused(solver.geqrf(&mut a, other.slice_mut(8..11).unwrap()), &["geqrf: A at 0x", "overlaps tau at 0x"]);
    let (values, work) = real.slice_mut(..).unwrap().split_at(3).unwrap();
    let refused = solver.syevd(Triangle::Lower, &mut a, other.slice_mut(8..11).unwrap(), work, &mut info);
    assert_refused(refused, &["syevd: A at 0x", "overlaps values at 0x"]);
    let refused = solver.syevd(Triangle::Lower, &mut a, values, other.slice_mut(8..11).unwrap(), &mut info);
    assert_refused(refused, &["syevd: A at 0x", "overlaps work at 0x"]);
    let (values, work) = real.slice_mut(..).unwrap().split_at(3).unwrap();
    assert_refused(
        solver.syevd(Triangle::Lower, &mut a, values, work, number.slice_mut(8..9).unwrap()),
        &["syevd: A at 0x", "overlaps info at 0x"],
    );
    // Values and work, which are as long, overlap each other.
    let far = MatrixMut::new(&mut real, 2, 2);
    let refused = solver.syevd(
        Triangle::Lower,
        &mut far.unwrap(),
        one.slice_mut(2..4).unwrap(),
        other.slice_mut(3..5).unwrap(),
        &mut info,
    );
    assert_refused(refused, &["syevd: values at 0x", "overlaps work at 0x"]);
    let mut apart = on_gpu(&session, &[4.0f32, 1.0, 0.0, 0.0, 4.0, 1.0, 1.0, 0.0, 4.0]);
    solver.getrf(&mut MatrixMut::new(&mut apart, 3, 3).unwrap(), &mut pivots, &mut info).unwrap();
    let factors = Matrix::new(&one, 3, 3).unwrap();
    let mut b = MatrixMut::new(other.slice_mut(8..11).unwrap(), 3, 1).unwrap();
    assert_refused(solver.getrs(factors, &pivots, &mut b), &["getrs: B at 0x", "overlaps A at 0x"]);
    assert_eq!(read(&one), [1.0; 18]);
    assert_eq!(read(&real), [7.0; 6]);
    drop((one, other, number));
}

/// A handle is made by rocBLAS and used by rocSOLVER: both must be of one copy of it.
#[test]
fn a_rocblas_that_rocsolver_does_not_work_with_is_refused() {
    needs_rocsolver!();
    extern "C" fn create(_handle: *mut *mut std::ffi::c_void) -> u32 {
        panic!("called")
    }
    let session = session();
    let resolve = |name: &str| {
        (name == "rocblas_create_handle").then(|| std::ptr::NonNull::new(create as *mut std::ffi::c_void).unwrap())
    };
    // SAFETY: the function has the signature of rocBLAS's.
    let blas = unsafe { Rocblas::from_resolver("another rocBLAS", resolve) };
    let library = rocsolver_sys::Rocsolver::load().unwrap();
    let refused = Solver::of_libraries(&session, Arc::new(blas), Arc::new(library));
    let this = std::env::current_exe().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    assert_refused(refused, &["rocSOLVER (", "works with rocBLAS of ", "librocblas.so", &this, " is in use; load"]);
}

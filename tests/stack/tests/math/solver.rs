//! rocSOLVER.
use rocm_interop::Session;
use rocm_math::{Matrix, MatrixMut, Pivots, Solver, Triangle};
use stack_tests::exclusive;

use crate::number::{Complex, Number, add, conjugate, for_all_numbers, multiply};
use crate::{assert_refused, on_gpu, read, session};

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

fn solution<T: Number>(session: &Session, solver: &Solver) {
    let (n, columns, lda, ldb) = (12, 3, 14, 13);
    let a = positive::<T>(n, lda);
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
    assert!(pivots.read().unwrap().iter().enumerate().all(|(i, &row)| (i + 1..=n).contains(&(row as usize))));
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
                // The matrix is ill conditioned, as such products are.
                assert_near::<T>(at(&solved, ldb, i, j), at(&x, n, i, j), 1000.0);
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
    let mut a = on_gpu(&session, &[f64::NAN; 9]);
    solver.getrf(&mut MatrixMut::new(&mut a, 3, 3).unwrap(), &mut pivots, &mut info).unwrap();
    let rows = pivots.read().unwrap();
    assert!(rows.iter().all(|row| (1..=3).contains(row)), "{rows:?}");
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
    assert_refused(
        solver.getrf(&mut tall, &mut few, &mut info),
        &["pivots: has 2 elements, of which the call writes 3"],
    );
    assert_refused(solver.geqrf(&mut tall, b.slice_mut(..2).unwrap()), &["tau: has 2 elements"]);
    let mut batch = MatrixMut::new(&mut b, 2, 2).unwrap().batch(4, 3).unwrap();
    assert_refused(solver.potrf(Triangle::Lower, &mut batch, &mut info), &["potrf: takes one matrix, not 2 x 2"]);
    assert_eq!(read(&b), [7.0; 12]);
}

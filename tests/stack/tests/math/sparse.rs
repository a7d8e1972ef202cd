//! rocSPARSE.
use rocm_interop::Session;
use rocm_math::{Csr, Error, Sparse, Vector, VectorMut};
use stack_tests::exclusive;

use crate::number::{Number, add, for_all_numbers, multiply};
use crate::{assert_refused, on_gpu, read, session};

fn product<T: Number>(session: &Session, sparse: &Sparse) {
    let values: Vec<T> = (0..4).map(T::small).collect();
    let (starts, indices) = ([0usize, 2, 2, 4], [0i32, 3, 1, 2]);
    let matrix = Csr::new(session, [3, 4], &starts.map(|start| start as i32), &indices, &values).unwrap();
    let (x, mut want): (Vec<T>, Vec<T>) = ((10..14).map(T::small).collect(), (20..23).map(T::small).collect());
    let (x_gpu, mut y_gpu) = (on_gpu(session, &x), on_gpu(session, &want));
    let (alpha, beta) = (T::of([2.0, 1.0]), T::of([-1.0, 3.0]));
    let mut y = VectorMut::new(&mut y_gpu).unwrap();
    sparse.csrmv(alpha, &matrix, Vector::new(&x_gpu).unwrap(), beta, &mut y).unwrap();
    for (row, want) in want.iter_mut().enumerate() {
        let entries = starts[row]..starts[row + 1];
        let sum = entries.fold([0.0; 2], |sum, at: usize| {
            add(sum, multiply(values[at].complex(), x[indices[at] as usize].complex()))
        });
        *want = T::of(add(multiply(alpha.complex(), sum), multiply(beta.complex(), want.complex())));
    }
    assert_eq!(read(&y_gpu), want);
}

#[test]
fn a_sparse_matrix_times_a_vector_is_that_of_the_cpu() {
    needs_amd_opencl!();
    let _alone = exclusive();
    let session = session();
    let sparse = match Sparse::new(&session) {
        Ok(sparse) => sparse,
        Err(Error::Load(_)) => test_skip::skip!("this stack has no rocSPARSE"),
        Err(error) => panic!("{error}"),
    };
    for_all_numbers!(product(&session, &sparse));
}

/// A kernel would read where an index says, so the host looks at each first.
#[test]
fn a_sparse_matrix_with_an_index_outside_is_refused() {
    needs_amd_opencl!();
    let session = session();
    let matrix = |index| Csr::new(&session, [1, 4], &[0, 1], &[index], &[1.0f32]);
    let fits = matrix(3).unwrap();
    assert_eq!((fits.rows(), fits.columns()), (1, 4));
    assert_refused(matrix(4), &["sparse matrix: index 0 is column 4, but there are 4"]);
}

/// What is missing is named, with what to install.
#[test]
fn a_missing_library_is_an_error_with_words() {
    needs_amd_opencl!();
    let session = session();
    match Sparse::new(&session) {
        Ok(_) => test_skip::skip!("this stack has rocSPARSE"),
        Err(error) => assert_refused::<()>(Err(error), &["rocSPARSE", "could not be loaded: install librocsparse"]),
    }
}

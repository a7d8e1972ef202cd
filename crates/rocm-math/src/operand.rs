//! Elements of buffers on HIP's turn, and the matrices and vectors that they are.

use rocm_interop::hip::RawHip;
use rocm_interop::memory::{ReadOnly, Slice, SliceMut};
use rocm_interop::{Buffer, Hip};

use crate::shape::{Layout, Size, Span};
use crate::{Element, Error, Result};
use rocm_interop::sys::Pod;

/// Elements that a call reads: a [`Buffer`], a part of one ([`Slice`]) or a table ([`ReadOnly`]), by `into`.
///
/// A buffer is taken on HIP's turn only:
/// ```compile_fail,E0277
/// # use rocm_interop::{Buffer, OpenCl};
/// fn too_early(x: &Buffer<f32, OpenCl>) -> rocm_math::Elements<'_, f32> {
///     x.into()
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Elements<'b, T: Pod>(From_<'b, T>);

#[derive(Clone, Copy, Debug)]
enum From_<'b, T: Pod> {
    Buffer(&'b Buffer<T, Hip>),
    Part(Slice<'b, T, Hip>),
    Table(&'b ReadOnly<T>),
}

impl<T: Pod> Elements<'_, T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        match self.0 {
            From_::Buffer(buffer) => buffer.len(),
            From_::Part(part) => part.len(),
            From_::Table(table) => table.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn pointer(&self, hip: &RawHip<'_>) -> Result<*const T> {
        Ok(match &self.0 {
            From_::Buffer(buffer) => hip.pointer(buffer),
            From_::Part(part) => hip.slice_pointer(part),
            From_::Table(table) => hip.read_only_pointer(table),
        }?)
    }
}

impl<'b, T: Pod> From<&'b Buffer<T, Hip>> for Elements<'b, T> {
    fn from(buffer: &'b Buffer<T, Hip>) -> Self {
        Elements(From_::Buffer(buffer))
    }
}
/// As stages of a pipeline have it.
impl<'b, T: Pod> From<&'b mut Buffer<T, Hip>> for Elements<'b, T> {
    fn from(buffer: &'b mut Buffer<T, Hip>) -> Self {
        Elements(From_::Buffer(buffer))
    }
}
impl<'b, T: Pod> From<Slice<'b, T, Hip>> for Elements<'b, T> {
    fn from(part: Slice<'b, T, Hip>) -> Self {
        Elements(From_::Part(part))
    }
}
impl<'b, T: Pod> From<&'b ReadOnly<T>> for Elements<'b, T> {
    fn from(table: &'b ReadOnly<T>) -> Self {
        Elements(From_::Table(table))
    }
}

/// Elements that a call writes: a [`Buffer`] or a part of one ([`SliceMut`]), by `into`.
///
/// Nothing else uses them meanwhile:
/// ```compile_fail,E0505
/// # use rocm_interop::{Buffer, Hip};
/// fn onto_itself(blas: &rocm_math::Blas, x: &mut Buffer<f32, Hip>) -> rocm_math::Result<()> {
///     use rocm_math::{Vector, VectorMut};
///     blas.axpy(2.0, Vector::new(&*x)?, &mut VectorMut::new(x)?)
/// }
/// ```
#[derive(Debug)]
pub struct ElementsMut<'b, T: Pod>(FromMut<'b, T>);

#[derive(Debug)]
enum FromMut<'b, T: Pod> {
    Buffer(&'b mut Buffer<T, Hip>),
    Part(SliceMut<'b, T, Hip>),
}

impl<T: Pod> ElementsMut<'_, T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.as_elements().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same elements, to be read while this value is borrowed.
    pub fn as_elements(&self) -> Elements<'_, T> {
        match &self.0 {
            FromMut::Buffer(buffer) => Elements(From_::Buffer(buffer)),
            FromMut::Part(part) => Elements(From_::Part(part.as_slice())),
        }
    }

    pub(crate) fn pointer(&mut self, hip: &RawHip<'_>) -> Result<*mut T> {
        Ok(match &mut self.0 {
            FromMut::Buffer(buffer) => hip.pointer_mut(buffer),
            FromMut::Part(part) => hip.slice_pointer_mut(part),
        }?)
    }
}

impl<'b, T: Pod> From<&'b mut Buffer<T, Hip>> for ElementsMut<'b, T> {
    fn from(buffer: &'b mut Buffer<T, Hip>) -> Self {
        ElementsMut(FromMut::Buffer(buffer))
    }
}
impl<'b, T: Pod> From<SliceMut<'b, T, Hip>> for ElementsMut<'b, T> {
    fn from(part: SliceMut<'b, T, Hip>) -> Self {
        ElementsMut(FromMut::Part(part))
    }
}

/// A pointer that a call is given, and the addresses that it may use from there on.
pub(crate) struct Given<P> {
    pub pointer: P,
    pub span: Span,
}

impl<T> Given<*const T> {
    pub fn read(name: &'static str, pointer: *const T, elements: u128) -> Given<*const T> {
        Given { pointer, span: span::<T>(name, pointer.addr(), elements) }
    }
}

impl<T> Given<*mut T> {
    pub fn written(name: &'static str, pointer: *mut T, elements: u128) -> Given<*mut T> {
        Given { pointer, span: span::<T>(name, pointer.addr(), elements) }
    }
}

/// Of elements that are in a buffer, so that nothing wraps.
fn span<T>(name: &'static str, start: usize, elements: u128) -> Span {
    Span { name, addresses: start..start + elements as usize * size_of::<T>() }
}

macro_rules! operands { ($(
    $(#[$doc:meta])*
    $name:ident($Elements:ident) $subject:literal $fits:ident
)*) => { $(
    $(#[$doc])*
    #[derive(Debug)]
    pub struct $name<'b, T: Element> {
        elements: $Elements<'b, T>,
        layout: Layout,
    }

    impl<'b, T: Element> $name<'b, T> {
        fn of(elements: $Elements<'b, T>, layout: Result<Layout, String>) -> Result<Self> {
            let fitting = layout.and_then(|layout| layout.$fits(elements.len()).map(|()| layout));
            let layout = fitting.map_err(Error::argument($subject))?;
            Ok($name { elements, layout })
        }
    }
)* } }

operands! {
    /// A column-major matrix that a call reads: element (i, j) is at `i + j * leading`, counted from 0 in the elements
    /// that it is made of.
    ///
    /// [`batch`](Matrix::batch) makes it several of one size. [`transposed`](Matrix::transposed) and
    /// [`adjoint`](Matrix::adjoint) have a call read it so.
    Matrix(Elements) "matrix" fits
    /// A column-major matrix that a call writes: element (i, j) is at `i + j * leading`, counted from 0 in the elements
    /// that it is made of.
    MatrixMut(ElementsMut) "matrix" fits
    /// A vector that a call reads: element i is at `i * increment`, counted from 0 in the elements that it is made of.
    Vector(Elements) "vector" fits_as_vector
    /// A vector that a call writes: element i is at `i * increment`, counted from 0 in the elements that it is made of.
    VectorMut(ElementsMut) "vector" fits_as_vector
}

impl<T: Element> Clone for Matrix<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for Matrix<'_, T> {}
impl<T: Element> Clone for Vector<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Element> Copy for Vector<'_, T> {}

macro_rules! matrices { ($($name:ident, $Elements:ident;)*) => { $(
    impl<'b, T: Element> $name<'b, T> {
        /// The first `rows * columns` elements, column by column. Either size may be 0.
        ///
        /// # Errors
        /// [`Error::Argument`] if there are fewer elements, or more than `i32::MAX`: the libraries count in 32 bits,
        /// and their kernels compute offsets so.
        pub fn new(elements: impl Into<$Elements<'b, T>>, rows: usize, columns: usize) -> Result<Self> {
            Self::of(elements.into(), Layout::new(rows, columns))
        }

        /// The same rows and columns, with `leading` elements from the start of a column to that of the next.
        ///
        /// # Errors
        /// [`Error::Argument`] if these are fewer than the rows, or than 1, or more than `i32::MAX`, or the last
        /// element is not in the buffer or more than `i32::MAX` elements behind the first.
        pub fn with_leading(self, leading: usize) -> Result<Self> {
            Self::of(self.elements, self.layout.with_leading(leading))
        }

        /// `count` matrices of this size, with `stride` elements from the start of one to that of the next.
        ///
        /// # Errors
        /// [`Error::Argument`] if the last element is not in the buffer, or `count` is more than `i32::MAX`.
        pub fn batch(self, stride: usize, count: usize) -> Result<Self> {
            Self::of(self.elements, self.layout.batch(stride, count))
        }

        /// Number of rows.
        pub fn rows(&self) -> usize {
            self.layout.rows
        }

        /// Number of columns.
        pub fn columns(&self) -> usize {
            self.layout.columns
        }

        /// Elements from the start of a column to that of the next.
        pub fn leading(&self) -> usize {
            self.layout.leading
        }

        pub(crate) fn layout(&self) -> Layout {
            self.layout
        }
    }
)* } }
matrices! {
    Matrix, Elements;
    MatrixMut, ElementsMut;
}

impl<'b, T: Element> Matrix<'b, T> {
    /// The transpose, for a call that reads it so.
    pub fn transposed(self) -> Operand<'b, T> {
        Operand { matrix: self, operation: Operation::Transposed }
    }

    /// The conjugate transpose, for a call that reads it so. Of real numbers it is the transpose.
    pub fn adjoint(self) -> Operand<'b, T> {
        Operand { matrix: self, operation: Operation::Adjoint }
    }

    pub(crate) fn given(&self, name: &'static str, hip: &RawHip<'_>) -> Result<Given<*const T>> {
        Ok(Given::read(name, self.elements.pointer(hip)?, self.layout.extent()))
    }
}

impl<T: Element> MatrixMut<'_, T> {
    /// The same matrix, to be read while this value is borrowed.
    pub fn as_matrix(&self) -> Matrix<'_, T> {
        Matrix { elements: self.elements.as_elements(), layout: self.layout }
    }

    pub(crate) fn given(&mut self, name: &'static str, hip: &RawHip<'_>) -> Result<Given<*mut T>> {
        self.layout.is_writable().map_err(Error::argument(name))?;
        Ok(Given::written(name, self.elements.pointer(hip)?, self.layout.extent()))
    }
}

/// How a call reads a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    AsIs,
    Transposed,
    Adjoint,
}

/// A [`Matrix`], its transpose or its conjugate transpose, as an operand of a call: `into` from a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'b, T: Element> {
    pub(crate) matrix: Matrix<'b, T>,
    pub(crate) operation: Operation,
}

impl<T: Element> Operand<'_, T> {
    pub(crate) fn size(&self) -> Size {
        let Layout { rows, columns, count, .. } = self.matrix.layout;
        match self.operation {
            Operation::AsIs => Size { rows, columns, count },
            Operation::Transposed | Operation::Adjoint => Size { rows: columns, columns: rows, count },
        }
    }
}

impl<'b, T: Element> From<Matrix<'b, T>> for Operand<'b, T> {
    fn from(matrix: Matrix<'b, T>) -> Self {
        Operand { matrix, operation: Operation::AsIs }
    }
}

macro_rules! vectors { ($($name:ident, $Elements:ident;)*) => { $(
    impl<'b, T: Element> $name<'b, T> {
        /// All of the elements, one after another.
        ///
        /// # Errors
        /// [`Error::Argument`] if there are more than `i32::MAX`: the libraries count in 32 bits.
        pub fn new(elements: impl Into<$Elements<'b, T>>) -> Result<Self> {
            let elements = elements.into();
            let layout = Layout::vector(elements.len(), 1);
            Self::of(elements, layout)
        }

        /// `len` elements, each `increment` behind the one before: a row of a matrix, if that is its leading dimension.
        ///
        /// # Errors
        /// [`Error::Argument`] if the last element is not in the buffer, `increment` is 0, or the elements from the
        /// first to the last are more than `i32::MAX`.
        pub fn strided(elements: impl Into<$Elements<'b, T>>, len: usize, increment: usize) -> Result<Self> {
            Self::of(elements.into(), Layout::vector(len, increment))
        }

        /// Number of elements.
        pub fn len(&self) -> usize {
            self.layout.columns
        }

        /// Whether there are none.
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        /// Elements from one to the next.
        pub fn increment(&self) -> usize {
            self.layout.leading
        }
    }
)* } }
vectors! {
    Vector, Elements;
    VectorMut, ElementsMut;
}

impl<T: Element> Vector<'_, T> {
    pub(crate) fn given(&self, name: &'static str, hip: &RawHip<'_>) -> Result<Given<*const T>> {
        Ok(Given::read(name, self.elements.pointer(hip)?, self.layout.extent()))
    }
}

impl<T: Element> VectorMut<'_, T> {
    /// The same vector, to be read while this value is borrowed.
    pub fn as_vector(&self) -> Vector<'_, T> {
        Vector { elements: self.elements.as_elements(), layout: self.layout }
    }

    pub(crate) fn given(&mut self, name: &'static str, hip: &RawHip<'_>) -> Result<Given<*mut T>> {
        Ok(Given::written(name, self.elements.pointer(hip)?, self.layout.extent()))
    }
}

/// Where a call writes `len` elements: they must be there.
pub(crate) fn result<T: Pod>(
    name: &'static str,
    elements: &mut ElementsMut<'_, T>,
    len: usize,
    hip: &RawHip<'_>,
) -> Result<Given<*mut T>> {
    if elements.len() < len {
        let reason = format!("has {} elements, of which the call uses {len}", elements.len());
        return Err(Error::Argument { subject: name, reason });
    }
    Ok(Given::written(name, elements.pointer(hip)?, len as u128))
}

//! Which elements a call touches, and what is refused before it: pure functions, which call nothing.

/// Column-major matrices of one size: element (i, j) of number b is at `i + j * leading + b * stride`.
///
/// A vector is a matrix of one row, whose leading dimension is its increment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub rows: usize,
    pub columns: usize,
    pub leading: usize,
    pub stride: usize,
    pub count: usize,
}

/// The libraries count in `rocblas_int`, and many of their kernels compute offsets in 32 bits.
const MOST: usize = i32::MAX as usize;

impl Layout {
    /// One matrix, without gaps between its columns.
    pub fn new(rows: usize, columns: usize) -> Result<Layout, String> {
        Layout { rows, columns, leading: rows.max(1), stride: 0, count: 1 }.checked()
    }

    /// `len` elements, each `increment` behind the one before.
    pub fn vector(len: usize, increment: usize) -> Result<Layout, String> {
        if increment == 0 {
            return Err("its increment is 0, must be 1 at least".to_owned());
        }
        let vector = Layout { rows: 1, columns: len, leading: increment, stride: 0, count: 1 };
        vector.checked().map_err(|_| {
            format!(
                "{len} elements with increment {increment}: the libraries compute offsets in 32 bits, up to {MOST} elements"
            )
        })
    }

    pub fn with_leading(self, leading: usize) -> Result<Layout, String> {
        Layout { leading, ..self }.checked()
    }

    pub fn batch(self, stride: usize, count: usize) -> Result<Layout, String> {
        Layout { stride, count, ..self }.checked()
    }

    fn checked(self) -> Result<Layout, String> {
        let sizes = [
            ("rows", self.rows),
            ("columns", self.columns),
            ("leading dimension", self.leading),
            ("count", self.count),
        ];
        if let Some((name, size)) = sizes.into_iter().find(|&(_, size)| size > MOST) {
            return Err(format!("its {name} is {size}, but the libraries count in 32 bits, up to {MOST}"));
        }
        if self.stride > i64::MAX as usize {
            return Err(format!("its stride is {}, must be at most {}", self.stride, i64::MAX));
        }
        if self.leading < self.rows.max(1) {
            let least = self.rows.max(1);
            return Err(format!("its leading dimension is {}, must be {least} rows at least", self.leading));
        }
        let one = Layout { count: 1, ..self };
        if one.extent() > MOST as u128 {
            let extent = one.extent();
            return Err(format!("{one} spans {extent} elements, but kernels compute offsets in 32 bits, up to {MOST}"));
        }
        Ok(self)
    }

    /// Refuses a matrix of elements of this size whose offsets in bytes have more than 32 bits.
    pub fn has_short_offsets(self, element: usize) -> Result<(), String> {
        let one = Layout { count: 1, ..self };
        let bytes = one.extent() * element as u128;
        if bytes <= MOST as u128 {
            return Ok(());
        }
        Err(format!("{one} spans {bytes} bytes, but kernels of products compute offsets in 32 bits, up to {MOST}"))
    }

    pub fn is_empty(self) -> bool {
        self.rows == 0 || self.columns == 0 || self.count == 0
    }

    /// How many elements there are from the first that is touched to the last, gaps included.
    pub fn extent(self) -> u128 {
        if self.is_empty() { 0 } else { self.block() + (self.count as u128 - 1) * self.stride as u128 }
    }

    /// The extent of one, which is not empty.
    fn block(self) -> u128 {
        (self.columns as u128 - 1) * self.leading as u128 + self.rows as u128
    }

    /// Refuses fewer elements than are touched.
    pub fn fits(self, len: usize) -> Result<(), String> {
        let extent = self.extent();
        if extent <= len as u128 {
            return Ok(());
        }
        Err(format!("{self} takes {extent} elements, but there are {len}"))
    }

    /// The same of a vector.
    pub fn fits_as_vector(self, len: usize) -> Result<(), String> {
        let (elements, increment, extent) = (self.columns, self.leading, self.extent());
        self.fits(len).map_err(|_| {
            format!("{elements} elements with increment {increment} take {extent} elements, but there are {len}")
        })
    }

    /// Refuses matrices to be written of which two share an element: they must be one behind the other, or their
    /// columns interleaved.
    pub fn is_writable(self) -> Result<(), String> {
        if self.is_empty() || self.count == 1 || self.stride as u128 >= self.block() {
            return Ok(());
        }
        let interleaved = (self.count as u128 - 1) * self.stride as u128 + self.rows as u128;
        if self.stride >= self.rows && self.leading as u128 >= interleaved {
            return Ok(());
        }
        Err(format!("{self}: matrices of the batch share elements, and a call writes them in no known order"))
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} x {} with leading dimension {}", self.rows, self.columns, self.leading)?;
        if self.count == 1 { Ok(()) } else { write!(f, ", {} times with stride {}", self.count, self.stride) }
    }
}

/// Rows and columns of what a product takes, transposed or not, and how many of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub rows: usize,
    pub columns: usize,
    pub count: usize,
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} x {}", self.rows, self.columns)?;
        if self.count == 1 { Ok(()) } else { write!(f, " ({} times)", self.count) }
    }
}

/// `m`, `n` and `k` of C = A B.
pub(crate) fn product(a: Size, b: Size, c: Size) -> Result<[usize; 3], String> {
    let fits = a.columns == b.rows && a.rows == c.rows && b.columns == c.columns;
    if fits && a.count == c.count && b.count == c.count {
        return Ok([c.rows, c.columns, a.columns]);
    }
    Err(format!("C = A B: A is {a}, B is {b} and C is {c}"))
}

/// Refuses y = A x of sizes that do not fit.
pub(crate) fn matrix_times_vector(a: Size, x: usize, y: usize) -> Result<(), String> {
    if a.count != 1 {
        return Err(format!("takes one matrix, not {}", a.count));
    }
    if a.columns == x && a.rows == y { Ok(()) } else { Err(format!("y = A x: A is {a}, x has {x} elements and y {y}")) }
}

/// What a call reads or writes, by addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub name: &'static str,
    pub addresses: std::ops::Range<usize>,
}

/// Refuses `written` where it overlaps another operand of the call.
pub(crate) fn apart(written: &Span, others: &[&Span]) -> Result<(), String> {
    let is_empty = |span: &Span| span.addresses.is_empty();
    let overlaps = |other: &&&Span| {
        !is_empty(written)
            && !is_empty(other)
            && written.addresses.start < other.addresses.end
            && other.addresses.start < written.addresses.end
    };
    match others.iter().find(overlaps) {
        None => Ok(()),
        Some(other) => Err(format!(
            "{} at {:#x}..{:#x} is written and overlaps {} at {:#x}..{:#x}: use another buffer, or another part",
            written.name,
            written.addresses.start,
            written.addresses.end,
            other.name,
            other.addresses.start,
            other.addresses.end
        )),
    }
}

/// Refuses vectors of two lengths.
pub(crate) fn same_length(x: usize, y: usize) -> Result<(), String> {
    if x == y { Ok(()) } else { Err(format!("x has {x} elements, y has {y}")) }
}

/// Refuses vectors with gaps.
pub(crate) fn dense(x: usize, y: usize) -> Result<(), String> {
    if x == 1 && y == 1 { Ok(()) } else { Err(format!("x has increment {x} and y {y}, must be 1")) }
}

/// Refuses a batch.
pub(crate) fn one(layout: Layout) -> Result<(), String> {
    if layout.count == 1 { Ok(()) } else { Err(format!("takes one matrix, not {layout}")) }
}

/// Refuses factors of this order for a right side of other rows, or with pivots that are not of such a matrix: they are
/// numbers of its rows.
pub(crate) fn solution(order: usize, rows: usize, pivots_of: Option<[usize; 2]>) -> Result<(), String> {
    match pivots_of {
        _ if rows != order => Err(format!("the matrix has {order} rows, the right side {rows}")),
        None => Err("the pivots are of no matrix: call `getrf` first".to_owned()),
        Some(of) if of == [order; 2] => Ok(()),
        Some([m, n]) => Err(format!("the matrix is {order} x {order}, but the pivots are of one of {m} x {n}")),
    }
}

/// Refuses a matrix that is not square.
pub(crate) fn square(layout: Layout) -> Result<usize, String> {
    if layout.rows == layout.columns {
        return Ok(layout.rows);
    }
    Err(format!("the matrix is {} x {}, must be square", layout.rows, layout.columns))
}

/// Elements of the transforms of one plan, all of its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transforms {
    /// On the side where they are complete: real, or all complex ones.
    pub whole: usize,
    /// Complex ones of a spectrum of real numbers, of which the other half is its mirror image.
    pub spectrum: usize,
}

/// Of `count` transforms of these lengths, of which the first is that of neighbours in memory.
pub(crate) fn transforms(lengths: &[usize], count: usize) -> Result<Transforms, String> {
    let [first, ..] = lengths else { return Err("has no length, must have 1 to 3".to_owned()) };
    if lengths.len() > 3 {
        return Err(format!("has {} lengths, must have 1 to 3", lengths.len()));
    }
    if count == 0 || lengths.contains(&0) {
        return Err(format!("{count} transforms of lengths {lengths:?}: none may be 0"));
    }
    // Kernels compute offsets in 32 bits, and an element may be of two real numbers.
    let most = MOST / 2;
    let whole = lengths.iter().try_fold(count, |all, &length| all.checked_mul(length));
    match whole.filter(|&whole| whole <= most) {
        // No more than the whole has.
        Some(whole) => Ok(Transforms { whole, spectrum: whole / first * (first / 2 + 1) }),
        None => Err(format!("{count} transforms of lengths {lengths:?} have more than {most} elements")),
    }
}

/// Refuses rows that no sparse matrix of this size in CSR form has: `starts` of each row, and behind the last one, in
/// `indices` of columns, counted from 0.
pub(crate) fn csr(rows: usize, columns: usize, starts: &[i32], indices: &[i32], values: usize) -> Result<(), String> {
    if let Some(size) = [rows, columns, indices.len()].into_iter().find(|&size| size > MOST) {
        return Err(format!("a size is {size}, but the library counts in 32 bits, up to {MOST}"));
    }
    if starts.len() != rows + 1 {
        return Err(format!("{} starts of rows, must be {} for {rows} rows", starts.len(), rows + 1));
    }
    if values != indices.len() {
        return Err(format!("{values} values, but {} indices of columns", indices.len()));
    }
    if starts[0] != 0 || starts[rows] as usize != indices.len() {
        let (first, last) = (starts[0], starts[rows]);
        return Err(format!("starts of rows go from {first} to {last}, must be from 0 to {}", indices.len()));
    }
    if let Some(row) = starts.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(format!("row {row} starts at {} and ends at {}", starts[row], starts[row + 1]));
    }
    match indices.iter().position(|&index| usize::try_from(index).map_or(true, |index| index >= columns)) {
        Some(at) => Err(format!("index {at} is column {}, but there are {columns}", indices[at])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// The elements that a matrix touches, counted one by one.
    fn touched(layout: Layout) -> HashMap<usize, u32> {
        let mut all = HashMap::new();
        for b in 0..layout.count {
            for j in 0..layout.columns {
                for i in 0..layout.rows {
                    *all.entry(i + j * layout.leading + b * layout.stride).or_default() += 1;
                }
            }
        }
        all
    }

    fn layouts() -> impl Strategy<Value = Layout> {
        (0usize..6, 0usize..6, 0usize..12, 0usize..40, 0usize..5).prop_map(|(rows, columns, gap, stride, count)| {
            let layout = Layout::new(rows, columns).expect("small");
            layout.with_leading(rows.max(1) + gap).expect("not too small").batch(stride, count).expect("small")
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_extent_ends_with_the_last_element_touched(layout in layouts()) {
            let end = touched(layout).keys().max().map_or(0, |last| last + 1);
            prop_assert_eq!(layout.extent(), end as u128);
            prop_assert!(layout.fits(end).is_ok());
            prop_assert_eq!(layout.fits(end.saturating_sub(1)).is_err(), end > 0);
        }

        #[test]
        fn what_may_be_written_shares_no_element(layout in layouts()) {
            let shares = touched(layout).values().any(|&times| times > 1);
            if layout.is_writable().is_ok() {
                prop_assert!(!shares, "{}", layout);
            }
            // One behind the other, and interleaved by rows, are taken.
            let behind = layout.stride as u128 >= Layout { count: 1, ..layout }.extent();
            let between = layout.stride >= layout.rows && layout.leading >= layout.count * layout.stride;
            if behind || between {
                prop_assert!(layout.is_writable().is_ok(), "{}", layout);
            }
        }

        #[test]
        fn what_is_apart_has_no_address_in_common(a in 0usize..20, m in 0usize..6, b in 0usize..20, n in 0usize..6) {
            let span = |name, start, len| Span { name, addresses: start..start + len };
            let (written, read) = (span("C", a, m), span("A", b, n));
            let common = (a..a + m).any(|address| (b..b + n).contains(&address));
            let elsewhere = span("B", 1000, 5);
            prop_assert_eq!(apart(&written, &[&elsewhere, &read]).is_err(), common);
        }

        #[test]
        fn a_product_has_the_sizes_of_its_operands([m, n, k, l, b] in [0usize..3, 0..3, 0..3, 0..3, 0..3]) {
            let size = |rows, columns, count| Size { rows, columns, count };
            prop_assert_eq!(product(size(m, k, b), size(k, n, b), size(m, n, b)), Ok([m, n, k]));
            prop_assert_eq!(product(size(m, k, b), size(l, n, b), size(m, n, b)).is_ok(), k == l);
            prop_assert_eq!(product(size(m, k, b), size(k, n, b), size(l, n, b)).is_ok(), m == l);
            prop_assert_eq!(product(size(m, k, b), size(k, n, b), size(m, l, b)).is_ok(), n == l);
            prop_assert_eq!(product(size(m, k, l), size(k, n, b), size(m, n, b)).is_ok(), b == l);
            prop_assert_eq!(product(size(m, k, b), size(k, n, l), size(m, n, b)).is_ok(), b == l);
        }
    }

    #[test]
    fn a_leading_dimension_has_room_for_a_column() {
        let layout = Layout::new(4, 3).expect("a matrix");
        assert_eq!(layout.leading, 4);
        assert_eq!(layout.with_leading(4), Ok(layout));
        let reason = layout.with_leading(3).expect_err("one too few");
        assert_eq!(reason, "its leading dimension is 3, must be 4 rows at least");
        let none = Layout::new(0, 3).expect("no rows");
        assert_eq!(none.leading, 1, "the libraries refuse 0");
        assert_eq!(none.with_leading(0).expect_err("0"), "its leading dimension is 0, must be 1 rows at least");
    }

    #[test]
    fn sizes_that_32_bits_do_not_count_are_refused() {
        let most = i32::MAX as usize;
        let one = Layout::new(1, 1).expect("a matrix");
        assert!(Layout::new(most, 1).is_ok() && Layout::new(1, most).is_ok());
        assert!(one.batch(i64::MAX as usize, most).is_ok());
        assert!(one.with_leading(most).is_ok());
        for refused in
            [Layout::new(most + 1, 1), Layout::new(1, most + 1), one.with_leading(most + 1), one.batch(1, most + 1)]
        {
            let reason = refused.expect_err("too large");
            assert!(reason.ends_with("2147483648, but the libraries count in 32 bits, up to 2147483647"), "{reason}");
        }
        let reason = one.batch(i64::MAX as usize + 1, 1).expect_err("too far");
        assert!(reason.starts_with("its stride is 9223372036854775808, must be"), "{reason}");
    }

    /// Each size is small enough, and the last element is too far from the first. The sizes of a batch may be more.
    #[test]
    fn offsets_that_32_bits_do_not_hold_are_refused() {
        let most = i32::MAX as usize;
        // 46340 is the root of 2^31, rounded down.
        let square = Layout::new(46_340, 46_340).expect("a matrix");
        assert!(square.batch(1 << 40, most).is_ok());
        for (refused, extent) in [
            (Layout::new(46_341, 46_341), 46_341u128 * 46_341),
            (Layout::new(most, most), most as u128 * most as u128),
            (Layout::new(1, 2).and_then(|row| row.with_leading(most)), most as u128 + 1),
        ] {
            let reason = refused.expect_err("too far");
            let words = format!("spans {extent} elements, but kernels compute offsets in 32 bits, up to 2147483647");
            assert!(reason.ends_with(&words), "{reason}");
        }
        assert!(Layout::vector(2, most - 1).is_ok());
        for (len, increment) in [(3, 1 << 30), (2, most), (most + 1, 1), (1, most + 1), (usize::MAX, usize::MAX)] {
            let reason = Layout::vector(len, increment).expect_err("too far");
            assert!(reason.starts_with(&format!("{len} elements with increment {increment}: the lib")), "{reason}");
        }
        assert!(Layout::new(0, most).and_then(|none| none.with_leading(most)).is_ok(), "nothing is touched");
        assert!(Layout::new(most, 0).is_ok(), "nothing is touched");
    }

    #[test]
    fn offsets_of_products_are_counted_in_bytes() {
        let layout = Layout::new(1 << 15, 1 << 15).expect("a matrix");
        for (element, fits) in [(1, true), (2, false), (16, false)] {
            assert_eq!(layout.has_short_offsets(element).is_ok(), fits, "{element}");
        }
        // Without its last element it is 4 bytes less than 2^31.
        let layout = Layout::new(1, 1 << 29).expect("a row");
        let reason = layout.has_short_offsets(4).expect_err("one byte too much");
        assert!(reason.contains("spans 2147483648 bytes"), "{reason}");
        let layout = Layout::new(1, (1 << 29) - 1).and_then(|row| row.batch(1 << 40, 8)).expect("a row");
        assert_eq!(layout.has_short_offsets(4), Ok(()));
        assert_eq!(Layout::new(0, 1 << 20).expect("none").has_short_offsets(16), Ok(()));
    }

    /// Products that no `usize` holds are compared, not wrapped.
    #[test]
    fn the_largest_extent_does_not_wrap() {
        let most = i32::MAX as usize;
        let all = Layout::new(most, 1).and_then(|layout| layout.batch(i64::MAX as usize, most)).expect("sizes");
        assert!(all.extent() > u128::from(u64::MAX));
        assert!(all.fits(usize::MAX).is_err());
        assert!(all.is_writable().is_ok());
        let wraps = Layout::new(1, 3).and_then(|layout| layout.batch(1 << 62, 5)).expect("sizes");
        assert_eq!(wraps.extent() as u64, 3, "as 64 bits have it");
        assert!(wraps.fits(1000).is_err());
    }

    #[test]
    fn a_vector_is_a_row_with_gaps() {
        let vector = Layout::vector(4, 3).expect("a vector");
        let mut elements: Vec<_> = touched(vector).into_keys().collect();
        elements.sort_unstable();
        assert_eq!(elements, [0, 3, 6, 9]);
        assert_eq!(vector.extent(), 10);
        assert_eq!(vector.fits_as_vector(10), Ok(()));
        let reason = "4 elements with increment 3 take 10 elements, but there are 9";
        assert_eq!(vector.fits_as_vector(9), Err(reason.to_owned()));
        assert_eq!(Layout::vector(4, 0), Err("its increment is 0, must be 1 at least".to_owned()));
        assert_eq!(Layout::vector(0, 1).expect("none").extent(), 0);
    }

    #[test]
    fn gaps_are_refused_where_there_may_be_none() {
        assert_eq!(dense(1, 1), Ok(()));
        assert!(dense(2, 1).is_err() && dense(1, 2).is_err());
    }

    #[test]
    fn a_batch_is_not_one_matrix() {
        let layout = Layout::new(2, 2).expect("a matrix");
        assert_eq!(one(layout), Ok(()));
        for count in [0, 2] {
            let batch = layout.batch(4, count).expect("a batch");
            let reason = one(batch).expect_err("a batch");
            assert!(reason.starts_with("takes one matrix, not 2 x 2 with leading dimension 2, "), "{reason}");
        }
    }

    #[test]
    fn pivots_are_of_the_matrix_that_is_solved_with() {
        assert_eq!(solution(3, 3, Some([3, 3])), Ok(()));
        for (refused, words) in [
            (solution(3, 2, Some([3, 3])), "the matrix has 3 rows, the right side 2"),
            (solution(3, 3, None), "the pivots are of no matrix"),
            // Of more rows: some are outside.
            (solution(3, 3, Some([4, 3])), "the matrix is 3 x 3, but the pivots are of one of 4 x 3"),
            (solution(3, 3, Some([3, 4])), "of one of 3 x 4"),
            (solution(3, 3, Some([2, 2])), "of one of 2 x 2"),
        ] {
            let reason = refused.expect_err(words);
            assert!(reason.contains(words), "{reason}");
        }
    }

    #[test]
    fn a_matrix_is_applied_to_as_many_elements_as_it_has_columns() {
        let size = |count| Size { rows: 2, columns: 3, count };
        assert_eq!(matrix_times_vector(size(1), 3, 2), Ok(()));
        for (x, y) in [(2, 2), (3, 3), (2, 3)] {
            let words = format!("y = A x: A is 2 x 3, x has {x} elements and y {y}");
            assert_eq!(matrix_times_vector(size(1), x, y), Err(words));
        }
        assert_eq!(matrix_times_vector(size(2), 3, 2), Err("takes one matrix, not 2".to_owned()));
    }

    #[test]
    fn vectors_of_two_lengths_are_refused() {
        assert_eq!(same_length(3, 3), Ok(()));
        assert_eq!(same_length(3, 2), Err("x has 3 elements, y has 2".to_owned()));
    }

    #[test]
    fn transforms_have_the_elements_of_all_lengths() {
        let of = |whole, spectrum| Ok(Transforms { whole, spectrum });
        assert_eq!(transforms(&[8], 1), of(8, 5));
        assert_eq!(transforms(&[7], 3), of(21, 12));
        assert_eq!(transforms(&[1, 5], 2), of(10, 10));
        assert_eq!(transforms(&[4, 3, 5], 2), of(120, 90));
        for (lengths, count) in [(&[][..], 1), (&[1, 1, 1, 1], 1), (&[4], 0), (&[4, 0], 1), (&[0], 1)] {
            assert!(transforms(lengths, count).is_err(), "{lengths:?} {count}");
        }
        let most = i32::MAX as usize / 2;
        assert!(transforms(&[most], 1).is_ok());
        assert!(transforms(&[most / 3, 3], 1).is_ok());
        assert!(transforms(&[most + 1], 1).is_err());
        assert!(transforms(&[1 << 15, 1 << 5], 1 << 10).is_err());
        assert!(transforms(&[1, most + 1], 1).is_err());
        assert!(transforms(&[1 << 32, 1 << 32], 1).is_err(), "the product wraps to 0");
        assert!(transforms(&[1 << 32], 1 << 32).is_err(), "the product wraps to 0");
    }

    #[test]
    fn a_sparse_matrix_has_its_rows_and_columns() {
        let starts = [0, 2, 2, 3];
        assert_eq!(csr(3, 4, &starts, &[0, 3, 1], 3), Ok(()));
        assert_eq!(csr(0, 0, &[0], &[], 0), Ok(()));
        for (refused, words) in [
            (csr(2, 4, &starts, &[0, 3, 1], 3), "4 starts of rows, must be 3 for 2 rows"),
            (csr(4, 4, &starts, &[0, 3, 1], 3), "4 starts of rows, must be 5"),
            (csr(3, 4, &starts, &[0, 3, 1], 2), "2 values, but 3 indices"),
            (csr(3, 4, &[1, 2, 2, 3], &[0, 3, 1], 3), "from 1 to 3, must be from 0 to 3"),
            (csr(3, 4, &[0, 2, 2, 2], &[0, 3, 1], 3), "from 0 to 2, must be from 0 to 3"),
            (csr(3, 4, &[0, 2, 2, 4], &[0, 3, 1], 3), "from 0 to 4, must be from 0 to 3"),
            (csr(3, 4, &[0, 3, 2, 3], &[0, 3, 1], 3), "row 1 starts at 3 and ends at 2"),
            (csr(3, 4, &[0, 4, 2, 3], &[0, 3, 1], 3), "row 1 starts at 4 and ends at 2"),
            (csr(3, 4, &[0, -1, 2, 3], &[0, 3, 1], 3), "row 0 starts at 0 and ends at -1"),
            (csr(3, 4, &starts, &[0, 4, 1], 3), "index 1 is column 4, but there are 4"),
            (csr(3, 4, &starts, &[0, 3, -1], 3), "index 2 is column -1"),
            (csr(3, 0, &starts, &[0, 3, 1], 3), "index 0 is column 0, but there are 0"),
            (csr(usize::MAX, 4, &starts, &[0, 3, 1], 3), "counts in 32 bits"),
            (csr(3, i32::MAX as usize + 1, &starts, &[0, 3, 1], 3), "counts in 32 bits"),
        ] {
            let reason = refused.expect_err(words);
            assert!(reason.contains(words), "{reason}");
        }
    }

    #[test]
    fn a_square_has_as_many_rows_as_columns() {
        assert_eq!(square(Layout::new(3, 3).expect("a matrix")), Ok(3));
        assert_eq!(square(Layout::new(3, 2).expect("a matrix")), Err("the matrix is 3 x 2, must be square".to_owned()));
        assert!(square(Layout::new(2, 3).expect("a matrix")).is_err());
    }
}

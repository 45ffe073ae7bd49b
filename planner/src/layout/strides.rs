//! Shapes of local arrays: extents in elements and strides in bytes. Shapes contain no element types and no addresses.

use std::ops::Range;
use std::sync::Arc;

/// Maximum number of dimensions of a local array: 15, as in Fortran 2008, and one for the parts of an element.
pub const MAX_DIMS: usize = 16;

/// One dimension of a local array.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ArrayDim {
    /// Number of elements along the dimension.
    pub extent: u64,
    /// Distance of neighbouring elements in bytes; negative if addresses descend.
    pub stride: i64,
}

/// Maximum number of dimensions stored inline. A shape with more dimensions stores all of them on the heap.
const INLINE_DIMS: usize = 4;

/// The shape of a local array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    element: usize,
    rank: usize,
    few: [ArrayDim; INLINE_DIMS],
    /// All dimensions, if there are more than [`INLINE_DIMS`].
    many: Option<Arc<[ArrayDim]>>,
}

impl Shape {
    /// Creates a shape of elements of 1, 2, 4, 8 or 16 bytes with at most `MAX_DIMS` dimensions. Panics on other
    /// values.
    pub fn new(element: usize, dims: &[ArrayDim]) -> Self {
        assert!(matches!(element, 1 | 2 | 4 | 8 | 16), "elements have 1, 2, 4, 8 or 16 bytes, not {element}");
        assert!(dims.len() <= MAX_DIMS, "{} dimensions, at most {MAX_DIMS}", dims.len());
        let mut few = [ArrayDim::default(); INLINE_DIMS];
        few.iter_mut().zip(dims).for_each(|(place, dim)| *place = *dim);
        Self { element, rank: dims.len(), few, many: (dims.len() > INLINE_DIMS).then(|| dims.into()) }
    }

    /// Creates a dense array with a contiguous first dimension.
    pub fn dense(element: usize, extents: &[u64]) -> Self {
        let mut stride = wide(element as u64);
        let mut dims = [ArrayDim::default(); MAX_DIMS];
        for (dim, &extent) in dims.iter_mut().zip(extents) {
            *dim = ArrayDim { extent, stride };
            stride = stride.saturating_mul(wide(extent));
        }
        Self::new(element, &dims[..extents.len()])
    }

    /// Creates a column-major matrix of `rows` x `cols` elements, with columns `ld` elements apart.
    pub fn matrix(element: usize, rows: u64, cols: u64, ld: u64) -> Self {
        let bytes = wide(element as u64);
        let column = wide(ld).saturating_mul(bytes);
        Self::new(
            element,
            &[ArrayDim { extent: rows, stride: bytes }, ArrayDim { extent: cols, stride: column }],
        )
    }

    /// Returns the shape with the single index of dimension `d` repeated `times` times, at stride 0. Suitable for
    /// reading only.
    #[must_use]
    pub fn repeated(&self, d: usize, times: u64) -> Self {
        let mut dims = self.dims().to_vec();
        assert_eq!(dims[d].extent, 1, "only a dimension with a single index can be repeated");
        dims[d] = ArrayDim { extent: times, stride: 0 };
        Self::new(self.element, &dims)
    }

    /// Returns the size of an element in bytes.
    #[inline]
    pub fn element(&self) -> usize {
        self.element
    }

    /// Returns the dimensions of the array, in order.
    #[inline]
    pub fn dims(&self) -> &[ArrayDim] {
        self.many.as_deref().unwrap_or(&self.few[..self.rank.min(INLINE_DIMS)])
    }

    /// Returns the bytes that the array occupies before its first element (index 0 in all dimensions), and from that
    /// element on. (0, 0) for an empty array; `None` if 63 bits cannot hold them.
    pub fn reach(&self) -> Option<(u64, u64)> {
        reach(self.element as u64, self.dims().iter().copied())
    }

    /// Returns true if no dimension has descending addresses.
    #[inline]
    pub fn ascends(&self) -> bool {
        self.dims().iter().all(|dim| dim.stride >= 0)
    }

    /// Returns the number of bytes that the array occupies from its first element on. `None` if it also occupies bytes
    /// before that element, or if the number exceeds usize.
    pub fn behind(&self) -> Option<usize> {
        let (before, behind) = self.reach()?;
        (before == 0).then(|| usize::try_from(behind).ok())?
    }

    /// Returns the byte range that the array occupies in a storage of `bytes` bytes, with its first element at offset
    /// `at`. `None` if it exceeds the storage. An empty array may be at any offset.
    pub fn within(&self, at: u64, bytes: usize) -> Option<Range<usize>> {
        let (before, behind) = self.reach()?;
        if behind == 0 {
            return Some(0..0);
        }
        let start = usize::try_from(at.checked_sub(before)?).ok()?;
        let end = usize::try_from(at.checked_add(behind)?).ok()?;
        (end <= bytes).then_some(start..end)
    }

    /// Converts `by`, the number of bytes from this array's first element to the first element of `other`, to a pointer
    /// offset. Panics unless `other` lies within this array.
    pub fn step_to(&self, by: i64, other: &Self) -> isize {
        let inside = || {
            let ([before, behind], [low, high]) = (self.reaches()?, other.reaches()?);
            (high == 0 || (by.checked_sub(low)? >= -before && by.checked_add(high)? <= behind)).then_some(())
        };
        assert!(inside().is_some(), "an array outside of the enclosing array");
        isize::try_from(by).expect("a distance in memory")
    }

    fn reaches(&self) -> Option<[i64; 2]> {
        let (before, behind) = self.reach()?;
        Some([i64::try_from(before).ok()?, i64::try_from(behind).ok()?])
    }

    /// Returns the number of bytes from the first to the last byte of the array (saturating).
    #[inline]
    pub fn bytes(&self) -> usize {
        let mut bytes = self.element as u64;
        for dim in self.dims() {
            let Some(steps) = dim.extent.checked_sub(1) else { return 0 };
            bytes = bytes.saturating_add(steps.saturating_mul(dim.stride.unsigned_abs()));
        }
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}

/// Computes [`Shape::reach`] for an array of `dims`. The result has the unit of `element` and of the strides.
pub fn reach(element: u64, mut dims: impl Iterator<Item = ArrayDim> + Clone) -> Option<(u64, u64)> {
    if dims.clone().any(|dim| dim.extent == 0) {
        return Some((0, 0));
    }
    let start = (0i64, i64::try_from(element).ok()?);
    let (before, behind) = dims.try_fold(start, |(before, behind), dim| {
        let last = i64::try_from(dim.extent - 1).ok()?.checked_mul(dim.stride)?;
        Some((before.checked_add(last.min(0).checked_neg()?)?, behind.checked_add(last.max(0))?))
    })?;
    Some((before.unsigned_abs(), behind.unsigned_abs()))
}

/// Returns true only if no two elements overlap. An element takes `element` units; `dims` has (distance of neighbours
/// in units, extent) of each dimension. Checks that each distance is at least the span of all dimensions with shorter
/// distances, which is sufficient, but not necessary.
pub fn distinct(element: u64, dims: impl IntoIterator<Item = (u64, u64)>) -> bool {
    let mut dims: Vec<(u64, u64)> = dims.into_iter().filter(|(_, extent)| *extent > 1).collect();
    dims.sort_unstable();
    let mut reach = element;
    dims.into_iter().all(|(stride, extent)| {
        let beyond = stride >= reach;
        reach = reach.saturating_add(stride.saturating_mul(extent - 1));
        beyond
    })
}

fn wide(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A local array within a storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayView {
    /// Offset of the array's first element from the start of the storage, in bytes.
    pub offset: u64,
    /// Shape of the array in the storage.
    pub shape: Shape,
}

impl ArrayView {
    /// Returns the array's offset in bytes. Panics unless the array lies within `storage`.
    #[inline]
    pub fn place_in(&self, storage: &Shape) -> usize {
        let within = storage.behind().and_then(|bytes| self.shape.within(self.offset, bytes));
        assert!(within.is_some(), "an array outside its storage");
        usize::try_from(self.offset).expect("a place in memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_reach_as_far_as_their_last_element() {
        assert_eq!(Shape::matrix(8, 4, 3, 5).reach(), Some((0, (2 * 5 + 4) * 8)));
        assert_eq!(Shape::dense(2, &[3, 4, 5]).bytes(), 3 * 4 * 5 * 2);
        let backwards =
            Shape::new(4, &[ArrayDim { extent: 5, stride: -4 }, ArrayDim { extent: 2, stride: 100 }]);
        assert_eq!(backwards.reach(), Some((16, 104)));
        assert_eq!(Shape::matrix(8, 0, 3, 5).reach(), Some((0, 0)));
        assert_eq!(Shape::matrix(8, u64::MAX, u64::MAX, u64::MAX).bytes(), usize::MAX);
        assert_eq!(Shape::dense(1, &[]).bytes(), 1, "a scalar");
        for rank in 0..MAX_DIMS {
            let extents: Vec<u64> = (0..rank as u64).map(|d| d % 3 + 1).collect();
            let shape = Shape::dense(2, &extents);
            assert_eq!(shape.dims().iter().map(|dim| dim.extent).collect::<Vec<_>>(), extents);
            assert_eq!(shape.bytes() as u64, 2 * extents.iter().product::<u64>());
        }
    }
}

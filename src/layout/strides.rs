//! WHERE in memory does each element of a local array lie? Extents in elements, strides in bytes: it knows nothing of
//! what the elements are, and never holds an address.

use std::ops::Range;
use std::sync::Arc;

/// Most dimensions of a local array: 15, as in Fortran 2008, and one for the parts of an element.
pub(crate) const MOST_DIMS: usize = 16;

/// One dimension of a local array.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ArrayDim {
    /// Elements.
    pub extent: u64,
    /// Bytes from an element to the next one; negative where indices ascend as addresses descend.
    pub stride: i64,
}

/// Dimensions that are kept in place; more are kept elsewhere, so that the usual shapes are small.
const FEW: usize = 4;

/// The shape of a local array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    element: usize,
    rank: usize,
    few: [ArrayDim; FEW],
    /// All dimensions, if there are more than [`FEW`].
    many: Option<Arc<[ArrayDim]>>,
}

impl Shape {
    /// An array of elements of `element` bytes (1, 2, 4, 8 or 16) with the given dimensions, at most `MOST_DIMS`.
    pub fn new(element: usize, dims: &[ArrayDim]) -> Self {
        assert!(matches!(element, 1 | 2 | 4 | 8 | 16), "elements have 1, 2, 4, 8 or 16 bytes, not {element}");
        assert!(dims.len() <= MOST_DIMS, "{} dimensions, at most {MOST_DIMS}", dims.len());
        let mut few = [ArrayDim::default(); FEW];
        few.iter_mut().zip(dims).for_each(|(place, dim)| *place = *dim);
        Self { element, rank: dims.len(), few, many: (dims.len() > FEW).then(|| dims.into()) }
    }

    /// An array without gaps, its first dimension contiguous.
    pub fn dense(element: usize, extents: &[u64]) -> Self {
        let mut stride = wide(element as u64);
        let mut dims = [ArrayDim::default(); MOST_DIMS];
        for (dim, &extent) in dims.iter_mut().zip(extents) {
            *dim = ArrayDim { extent, stride };
            stride = stride.saturating_mul(wide(extent));
        }
        Self::new(element, &dims[..extents.len()])
    }

    /// A column-major matrix of `rows` x `cols` elements, columns `ld` elements apart.
    pub fn matrix(element: usize, rows: u64, cols: u64, ld: u64) -> Self {
        let bytes = wide(element as u64);
        let column = wide(ld).saturating_mul(bytes);
        Self::new(
            element,
            &[ArrayDim { extent: rows, stride: bytes }, ArrayDim { extent: cols, stride: column }],
        )
    }

    /// The same to read, with the one index of dimension `d` at `times` places, which are all the same.
    #[must_use]
    pub fn repeated(&self, d: usize, times: u64) -> Self {
        let mut dims = self.dims().to_vec();
        assert_eq!(dims[d].extent, 1, "several indices that are repeated");
        dims[d] = ArrayDim { extent: times, stride: 0 };
        Self::new(self.element, &dims)
    }

    /// Bytes an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Its dimensions.
    pub fn dims(&self) -> &[ArrayDim] {
        self.many.as_deref().unwrap_or(&self.few[..self.rank.min(FEW)])
    }

    /// Bytes before the first element (index 0 in all dimensions), and bytes from that one on, that the array takes:
    /// (0, 0) if it has no element; `None` if 63 bits do not hold them.
    pub fn reach(&self) -> Option<(u64, u64)> {
        reach(self.element as u64, self.dims().iter().copied())
    }

    /// Whether addresses ascend with indices in each dimension.
    pub fn ascends(&self) -> bool {
        self.dims().iter().all(|dim| dim.stride >= 0)
    }

    /// Bytes from the first element on that the array takes; `None` if it takes some before, or more than there can be.
    pub fn behind(&self) -> Option<usize> {
        let (before, behind) = self.reach()?;
        (before == 0).then(|| usize::try_from(behind).ok())?
    }

    /// Which of `bytes` bytes the array takes if its first element is `at` bytes behind their start; `None` unless all of it
    /// lies within them. An array that has no element may begin anywhere.
    pub fn within(&self, at: u64, bytes: usize) -> Option<Range<usize>> {
        let (before, behind) = self.reach()?;
        if behind == 0 {
            return Some(0..0);
        }
        let start = usize::try_from(at.checked_sub(before)?).ok()?;
        let end = usize::try_from(at.checked_add(behind)?).ok()?;
        (end <= bytes).then_some(start..end)
    }

    /// `by` bytes as a step from the first element of this array to that of another one. Panics unless all of that lies within this one.
    pub(crate) fn step_to(&self, by: i64, other: &Self) -> isize {
        let inside = || {
            let ([before, behind], [low, high]) = (self.reaches()?, other.reaches()?);
            (high == 0 || (by.checked_sub(low)? >= -before && by.checked_add(high)? <= behind)).then_some(())
        };
        assert!(inside().is_some(), "an array outside of the one that it is seen in");
        isize::try_from(by).expect("a distance in memory")
    }

    fn reaches(&self) -> Option<[i64; 2]> {
        let (before, behind) = self.reach()?;
        Some([i64::try_from(before).ok()?, i64::try_from(behind).ok()?])
    }

    /// Bytes from the first to the last byte of the array; no more than a usize holds.
    pub fn bytes(&self) -> usize {
        let mut bytes = self.element as u64;
        for dim in self.dims() {
            let Some(steps) = dim.extent.checked_sub(1) else { return 0 };
            bytes = bytes.saturating_add(steps.saturating_mul(dim.stride.unsigned_abs()));
        }
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}

/// Units before and behind the start of the first element, as [`Shape::reach`], of an array of elements of `element` units
/// with these dimensions, whose strides are in units.
pub(crate) fn reach(element: u64, mut dims: impl Iterator<Item = ArrayDim> + Clone) -> Option<(u64, u64)> {
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

/// Whether no two elements of `element` units are in the same place, of an array with these (distances between neighbours in
/// units, extents): where each dimension, the shortest distance first, goes beyond what those before it reach.
pub(crate) fn distinct(element: u64, dims: impl IntoIterator<Item = (u64, u64)>) -> bool {
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
    /// Bytes from the start of the storage to the array's first element.
    pub offset: u64,
    /// The array.
    pub shape: Shape,
}

impl ArrayView {
    /// Bytes from the storage's start to the array's first element, all of which lies within `storage`. Panics if it does not.
    pub(crate) fn place_in(&self, storage: &Shape) -> usize {
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
        for rank in 0..MOST_DIMS {
            let extents: Vec<u64> = (0..rank as u64).map(|d| d % 3 + 1).collect();
            let shape = Shape::dense(2, &extents);
            assert_eq!(shape.dims().iter().map(|dim| dim.extent).collect::<Vec<_>>(), extents);
            assert_eq!(shape.bytes() as u64, 2 * extents.iter().product::<u64>());
        }
    }
}

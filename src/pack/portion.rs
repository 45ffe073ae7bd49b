//! Portions of an array, one per writing thread: each has its own range of indices in one dimension.

use super::array::{Destination, Source};
use super::backend::copy;
use crate::layout::intersect::Slice;
use crate::layout::strides::distinct;
use std::ops::Range;

/// The elements of an array whose index in one dimension lies in a range.
#[derive(Debug)]
pub struct Portion<'a> {
    to: Destination<'a>,
    dim: usize,
    range: Range<u64>,
}

impl Destination<'_> {
    /// Returns a portion for each of `ranges`, the indices in dimension `dim`. `None` if two ranges intersect, or if
    /// two elements of the array may have the same address.
    pub(crate) fn portions(&mut self, dim: usize, ranges: Vec<Range<u64>>) -> Option<Vec<Portion<'_>>> {
        let mut sorted: Vec<_> = ranges.iter().filter(|range| !range.is_empty()).collect();
        sorted.sort_unstable_by_key(|range| range.start);
        let apart = sorted.windows(2).all(|pair| pair[0].end <= pair[1].start);
        let dims = self.shape().dims().iter().map(|dim| (dim.stride.unsigned_abs(), dim.extent));
        if !apart || dim >= self.shape().dims().len() || !distinct(self.element() as u64, dims) {
            return None;
        }
        let one = |range| {
            // SAFETY: this value stays borrowed as long as the portions live. They share no element, and no two
            // elements lie at the same address (both checked above).
            let to = unsafe { self.part(0, self.shape.clone()) };
            Portion { to, dim, range }
        };
        Some(ranges.into_iter().map(one).collect())
    }
}

impl Portion<'_> {
    /// Writes the front of `input` to elements of this portion, as [`Destination::unpack`] does. Panics if an index
    /// lies outside.
    pub fn unpack(&mut self, dims: &[Slice<1>], input: &[u8]) -> usize {
        self.assert_holds(0, dims);
        self.to.unpack(dims, input)
    }

    /// Copies elements of `from` to this portion, as [`copy`] does. Panics if an index lies outside.
    pub fn copy(&mut self, from: &Source, dims: &[Slice<2>]) {
        self.assert_holds(1, dims);
        copy(from, &mut self.to, dims);
    }

    /// Panics unless the indices in coordinate `d` belong to this portion.
    fn assert_holds<const D: usize>(&self, d: usize, dims: &[Slice<D>]) {
        let inside = |slice: &Slice<D>| {
            slice.is_empty() || (self.range.start <= slice.start(d) && slice.end(d) <= self.range.end)
        };
        assert!(dims.get(self.dim).is_some_and(inside), "indices outside a portion of a local array");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::intersect::Family;
    use crate::layout::strides::Shape;

    fn rows(range: Range<u64>) -> [Slice<1>; 2] {
        [
            vec![Family::one_run([range.start], range.end - range.start)].into(),
            vec![Family::one_run([0], 3)].into(),
        ]
    }

    #[test]
    fn portions_have_nothing_in_common() {
        let mut memory = [0u8; 15];
        let mut array = Destination::of_slice(&mut memory, 0, &Shape::matrix(1, 4, 3, 5)).unwrap();
        assert!(
            array.portions(0, vec![0..2, 1..4]).is_none() && array.portions(2, vec![0..1, 1..2]).is_none()
        );
        let mut portions = array.portions(0, vec![2..4, 0..2, 1..1]).unwrap();
        for (k, portion) in portions.iter_mut().take(2).enumerate() {
            let range = portion.range.clone();
            portion.unpack(&rows(range), &[k as u8 + 1; 6]);
        }
        drop(portions);
        drop(array);
        assert_eq!(memory, [2, 2, 1, 1, 0, 2, 2, 1, 1, 0, 2, 2, 1, 1, 0]);
    }

    #[test]
    fn elements_in_the_same_place_have_one_writer() {
        let mut memory = [0u8; 15];
        let mut array = Destination::of_slice(&mut memory, 0, &Shape::matrix(1, 4, 3, 2)).unwrap();
        assert!(array.portions(0, vec![0..2, 2..4]).is_none());
    }

    #[test]
    #[should_panic = "outside a portion"]
    fn indices_of_another_portion_are_refused() {
        let mut memory = [0u8; 15];
        let mut array = Destination::of_slice(&mut memory, 0, &Shape::matrix(1, 4, 3, 5)).unwrap();
        let mut portions = array.portions(0, vec![0..2, 2..4]).unwrap();
        portions[1].unpack(&rows(1..3), &[1; 6]);
    }
}

//! Views of a local array's memory: one of several tiles, another shape, shifted indices, or a repeated index.

use super::array::{Destination, Source};
use super::level::signed;
use crate::layout::strides::{ArrayView, Shape};

impl<'a> Source<'a> {
    /// Returns the array in this storage that `view` describes.
    pub fn view(&self, view: &ArrayView) -> Source<'_> {
        Source { shape: view.shape.clone(), memory: self.memory.offset(place(view, &self.shape)) }
    }

    /// Returns an array of another shape in the same memory, whose first element lies `by` bytes from this array's.
    /// Panics unless all of it lies within this array.
    pub fn view_from(&self, by: i64, shape: Shape) -> Self {
        Self { memory: self.memory.offset(self.shape.step_to(by, &shape)), shape }
    }

    /// Returns this array with indices that begin at `starts`, one per dimension. Smaller indices must not be used.
    pub(super) fn counted_from(self, starts: impl Iterator<Item = u64>) -> Self {
        let (mut dims, mut before) = (self.shape.dims().to_vec(), 0isize);
        for (dim, start) in dims.iter_mut().zip(starts) {
            let stride = isize::try_from(dim.stride).unwrap_or(isize::MAX);
            before = before.wrapping_add(signed(start).wrapping_mul(stride));
            dim.extent += start;
        }
        let shape = Shape::new(self.shape.element(), &dims);
        Self { memory: self.memory.offset(before.wrapping_neg()), shape }
    }

    /// Returns this array with the single index of some dimensions repeated; each item is (dimension, repetitions).
    #[must_use]
    pub fn repeated(mut self, dims: impl Iterator<Item = (usize, u64)>) -> Self {
        for (d, times) in dims {
            self.shape = self.shape.repeated(d, times);
        }
        self
    }
}

impl Destination<'_> {
    /// Returns the array in this storage that `view` describes.
    pub fn view(&mut self, view: &ArrayView) -> Destination<'_> {
        // SAFETY: the array lies within the storage (`place` asserts this), which is written through this value, and
        // the value is borrowed mutably.
        unsafe { self.part(place(view, &self.shape), view.shape.clone()) }
    }

    /// Returns several arrays in the same memory, each given by (bytes from this array's first element to its own,
    /// shape). The caller writes them one after the other, at different elements. Panics unless all lie within this
    /// array.
    pub(crate) fn shared_by(self, arrays: impl Iterator<Item = (i64, Shape)>) -> Vec<Self> {
        // SAFETY: `step_to` found all of it within this array; the arrays are written in turn, at different elements.
        let one = |(by, shape): (i64, Shape)| unsafe { self.part(self.shape.step_to(by, &shape), shape) };
        arrays.map(one).collect()
    }
}

/// Returns the bytes from a storage's first element to that of `view`. Panics unless the view lies within it.
fn place(view: &ArrayView, storage: &Shape) -> isize {
    isize::try_from(view.place_in(storage)).expect("a place in memory")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::intersect::Family;
    use crate::layout::strides::ArrayDim;
    use crate::pack::BufferReader;

    /// Returns elements `from..to` of an array of bytes with one dimension.
    fn packed(source: &Source<'_>, from: u64, to: u64) -> Vec<u8> {
        let mut out = vec![0; 8];
        let bytes =
            source.pack(&[vec![Family::one_run([from], to - from)].into()], &mut out, BufferReader::NearCore);
        out[..bytes].to_vec()
    }

    #[test]
    fn views_select_their_elements() {
        let memory = [0u8, 1, 2, 3, 4, 5, 6, 7];
        let source = Source::of_slice(&memory, 0, &Shape::dense(1, &[8])).unwrap();
        let tile = ArrayView { offset: 3, shape: Shape::dense(1, &[2]) };
        assert_eq!(packed(&source.view(&tile), 0, 2), [3, 4]);
        let backwards = source.view_from(6, Shape::new(1, &[ArrayDim { extent: 3, stride: -2 }]));
        assert_eq!(packed(&backwards, 0, 3), [6, 4, 2]);
        assert_eq!(packed(&backwards.view_from(-2, Shape::dense(1, &[2])), 0, 2), [4, 5]);
        assert_eq!(packed(&source.clone().counted_from(std::iter::once(10)), 12, 14), [2, 3]);
        assert_eq!(packed(&backwards.counted_from(std::iter::once(10)), 11, 13), [4, 2]);
        let one = source.view_from(5, Shape::dense(1, &[1])).repeated(std::iter::once((0, 3)));
        assert_eq!(packed(&one, 0, 3), [5, 5, 5]);
    }

    #[test]
    fn arrays_that_share_memory_are_written_in_turn() {
        let mut memory = [0u8; 6];
        let whole = Destination::of_slice(&mut memory, 0, &Shape::dense(1, &[6])).unwrap();
        let parts = [
            (5, Shape::new(1, &[ArrayDim { extent: 3, stride: -2 }])),
            (0, Shape::new(1, &[ArrayDim { extent: 3, stride: 2 }])),
        ];
        for (k, mut part) in whole.shared_by(parts.into_iter()).into_iter().enumerate() {
            let k = 10 * k as u8;
            part.unpack(&[vec![Family::one_run([0], 3)].into()], &[k + 1, k + 2, k + 3]);
            let tile = ArrayView { offset: 0, shape: Shape::dense(1, &[1]) };
            if k > 0 {
                part.view(&tile).unpack(&[vec![Family::one_run([0], 1)].into()], &[9]);
            }
        }
        assert_eq!(memory, [9, 3, 12, 2, 13, 1]);
    }
}

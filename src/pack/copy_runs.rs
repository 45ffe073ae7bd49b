//! Small copies as lists of runs, for arrays of given shapes. Finding a few runs in index sets takes longer than
//! copying them, so a plan lists them once, as offsets without addresses.
//!
//! ```text
//! for each run: copy its bytes
//! ```

use super::block::CopyRun;
use super::combine::RowUpdate;
use super::instructions::Instructions;
use super::level::{self, distance};
use super::nest::{Nest, assert_holds, dimensions};
use super::rectangle;
use super::short::ShortRuns;
use super::update::Update;
use crate::layout::intersect::Slice;
use crate::layout::strides::Shape;

/// Maximum number of runs in a list; they take 48 KiB.
const MAX_RUNS: usize = 2048;

/// Shapes of the arrays of a copy; the other end of a packed or unpacked message is memory without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CopyEnds {
    Pack(Shape),
    Unpack(Shape),
    Copy(Shape, Shape),
}

/// A copy as a list of runs.
#[derive(Debug)]
pub struct CopyRuns {
    ends: CopyEnds,
    runs: Vec<CopyRun>,
    bytes: usize,
    /// True if each run has the same offset on both sides.
    in_place: bool,
    /// True if all runs before the last one have the same length.
    equal_lengths: bool,
    /// True if the copy has too many runs for a list.
    full: bool,
}

impl CopyRuns {
    /// Creates an empty list for copies from an array of this shape to memory without gaps.
    pub fn pack(from: &Shape) -> Self {
        Self::new(CopyEnds::Pack(from.clone()))
    }

    /// Creates an empty list for copies from memory without gaps to an array of this shape.
    pub fn unpack(to: &Shape) -> Self {
        Self::new(CopyEnds::Unpack(to.clone()))
    }

    /// Creates an empty list for copies between arrays of these shapes. Panics unless the element sizes are equal.
    pub fn copy(from: &Shape, to: &Shape) -> Self {
        assert_eq!(from.element(), to.element(), "one element size in a copy");
        Self::new(CopyEnds::Copy(from.clone(), to.clone()))
    }

    fn new(ends: CopyEnds) -> Self {
        Self { ends, runs: Vec::new(), bytes: 0, in_place: true, equal_lengths: true, full: false }
    }

    /// Appends the elements that `dims`, an index set per dimension, selects in the array. In memory without gaps they
    /// follow all elements added before.
    pub fn add(&mut self, dims: &[Slice<1>]) {
        let mut nest = Nest::new();
        let (CopyEnds::Pack(shape) | CopyEnds::Unpack(shape)) = &self.ends else {
            panic!("a copy between arrays has indices of both")
        };
        assert_holds(shape, 0, dims);
        let element = shape.element();
        let dense = if matches!(self.ends, CopyEnds::Pack(_)) {
            nest.add_pack(element, dimensions(shape, dims));
            [0, self.bytes]
        } else {
            nest.add_unpack(element, dimensions(shape, dims));
            [self.bytes, 0]
        };
        self.record(&nest, element, dense);
    }

    /// Appends the elements that `dims` selects: coordinate 0 in the source array, coordinate 1 in the destination
    /// array.
    pub fn add_both(&mut self, dims: &[Slice<2>]) {
        let CopyEnds::Copy(from, to) = &self.ends else {
            panic!("packed elements have indices of one array")
        };
        assert_holds(from, 0, dims);
        assert_holds(to, 1, dims);
        let strides = from.dims().iter().zip(to.dims()).map(|(a, b)| [a.stride, b.stride]);
        let mut nest = Nest::new();
        nest.add_copy(strides.zip(dims));
        let element = from.element();
        self.record(&nest, element, [0; 2]);
    }

    /// Appends all runs of `nest`; adds `origin` to their offsets on both sides.
    fn record(&mut self, nest: &Nest<'_>, element: usize, origin: [usize; 2]) {
        if self.full || nest.is_empty() {
            return;
        }
        self.full = nest.runs(element).saturating_add(self.runs.len() as u64) > MAX_RUNS as u64;
        if self.full {
            return;
        }
        let mut rows = Vec::new();
        nest.rows_in_bytes(element, |family| rows.push(family));
        let outer = nest.levels().get(1..).unwrap_or_default();
        level::for_each_offset(outer, nest.offset, &mut |at| {
            let at = [0, 1].map(|d| distance(at[d]).wrapping_add(origin[d]));
            for ShortRuns { start, stride, len, count, .. } in &rows {
                for k in 0..*count {
                    let of = |d: usize| at[d].wrapping_add(start[d]).wrapping_add(k.wrapping_mul(stride[d]));
                    self.push(CopyRun { src: of(0), dst: of(1), len: *len });
                }
            }
        });
    }

    /// Appends a run, or extends the last one if the run continues it.
    fn push(&mut self, run: CopyRun) {
        self.bytes += run.len;
        self.in_place &= run.src == run.dst;
        match self.runs.last_mut() {
            Some(last)
                if last.src.wrapping_add(last.len) == run.src
                    && last.dst.wrapping_add(last.len) == run.dst =>
            {
                last.len += run.len;
            }
            _ => {
                self.equal_lengths = self.runs.is_empty() || self.equal().is_some();
                self.runs.push(run);
            }
        }
    }

    /// Returns the length of the runs if all are equally long.
    fn equal(&self) -> Option<usize> {
        let (first, last) = (self.runs.first()?.len, self.runs.last()?.len);
        (self.equal_lengths && first == last).then_some(first)
    }

    /// Returns whether the list is complete: false if there were too many runs.
    pub fn is_whole(&self) -> bool {
        !self.full
    }

    /// Returns the bytes that the copy moves.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn runs(&self) -> &[CopyRun] {
        &self.runs
    }

    /// Divides the copy between arrays into parts of at most `max_bytes` bytes, a multiple of the element's size.
    /// Returns for each part a list that packs it and a list that unpacks it.
    pub(super) fn parts(&self, max_bytes: usize) -> Vec<(Self, Self)> {
        let CopyEnds::Copy(from, to) = &self.ends else { panic!("a copy between arrays has two halves") };
        let empty = || (Self::pack(from), Self::unpack(to));
        let (mut parts, mut part) = (Vec::new(), empty());
        for run in &self.runs {
            let mut done = 0;
            while done < run.len {
                let at = part.0.bytes;
                let len = (run.len - done).min(max_bytes - at);
                part.0.push(CopyRun { src: run.src.wrapping_add(done), dst: at, len });
                part.1.push(CopyRun { src: at, dst: run.dst.wrapping_add(done), len });
                done += len;
                if part.0.bytes == max_bytes {
                    parts.push(std::mem::replace(&mut part, empty()));
                }
            }
        }
        parts.extend((part.0.bytes > 0).then_some(part));
        parts
    }

    pub(super) fn ends(&self) -> &CopyEnds {
        &self.ends
    }

    /// Returns whether each run has the same offset on both sides.
    pub(super) fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// Copies all runs, or updates the elements at `to` with them.
    ///
    /// # Safety
    /// `from` and `to` point to the first elements of arrays as in `ends`, and the list is complete.
    pub(super) unsafe fn execute(&self, from: *const u8, to: *mut u8, update: Option<&Update>) {
        let best = Instructions::for_copy(self.bytes);
        let Some(update) = update else {
            // SAFETY: the runs are elements that a nest selected, within both ends; this fn's contract.
            return unsafe { rectangle::copy_runs(from, to, &self.runs, self.equal(), best) };
        };
        let rows = RowUpdate::new(update, best);
        let element = update.number().bytes();
        for run in &self.runs {
            let (from, to) = (from.wrapping_add(run.src), to.wrapping_add(run.dst));
            // SAFETY: the runs are elements that a nest selected, within both ends; this fn's contract.
            unsafe { rows.update_row(from, to, run.len / element, false) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::intersect::Family;
    use crate::layout::strides::ArrayDim;
    use crate::pack::{BufferReader, Destination, Source, copy, copy_runs};

    /// Returns up to three families in ascending order, and the index behind them.
    fn families<const D: usize>(rng: &mut fastrand::Rng) -> (Slice<D>, u64) {
        let mut at = rng.u64(0..3);
        let mut all = Vec::new();
        for _ in 0..rng.usize(1..4) {
            let (len, count, gap) = (rng.u64(1..5), rng.u64(1..4), rng.u64(0..3));
            all.push(Family::new([at; D], [len + gap; D], len, count).unwrap());
            at += (len + gap) * count + rng.u64(0..2);
        }
        (all.into(), at)
    }

    /// Returns a shape with these extents and its size in bytes. Its dimensions are in random order in memory.
    fn shape(rng: &mut fastrand::Rng, element: usize, extents: &[u64]) -> (Shape, usize) {
        let mut dims = vec![ArrayDim::default(); extents.len()];
        let mut order: Vec<usize> = (0..extents.len()).collect();
        rng.shuffle(&mut order);
        let mut stride = element as i64;
        for d in order {
            dims[d] = ArrayDim { extent: extents[d], stride };
            stride *= extents[d] as i64 + rng.i64(0..3);
        }
        (Shape::new(element, &dims), stride as usize)
    }

    #[test]
    fn written_out_runs_equal_the_copied_elements() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
            let element = [1, 2, 4, 8, 16][rng.usize(0..5)];
            let rank = rng.usize(0..4);
            let (ones, extents): (Vec<Slice<1>>, Vec<u64>) =
                (0..rank).map(|_| families::<1>(&mut rng)).unzip();
            let (a, a_bytes) = shape(&mut rng, element, &extents);
            let memory: Vec<u8> = (0..a_bytes).map(|_| rng.u8(..)).collect();
            let source = Source::of_slice(&memory, 0, &a).unwrap();
            let (mut pack, mut unpack) = (CopyRuns::pack(&a), CopyRuns::unpack(&a));
            let (mut want, strips) = (vec![0; 2 * a_bytes + 32], rng.usize(1..3));
            let mut end = 0;
            for _ in 0..strips {
                end += source.pack(&ones, &mut want[end..], BufferReader::NearCore);
                pack.add(&ones);
                unpack.add(&ones);
            }
            if !pack.is_whole() {
                continue;
            }
            let mut got = vec![0; want.len()];
            source.pack_runs(&pack, &mut got);
            assert!(got == want && pack.bytes() == end, "{ones:?} of {a:?}");

            let mut back = [vec![7u8; a_bytes], vec![7u8; a_bytes]];
            let [mut runs, mut plain] =
                back.each_mut().map(|back| Destination::of_slice(back, 0, &a).unwrap());
            runs.unpack_runs(&unpack, &got);
            plain.unpack(&ones, &got);
            assert!(back[0] == back[1], "{ones:?} to {a:?}");

            let (both, extents): (Vec<Slice<2>>, Vec<u64>) =
                (0..rank).map(|_| families::<2>(&mut rng)).unzip();
            let ((a, a_bytes), (b, b_bytes)) =
                (shape(&mut rng, element, &extents), shape(&mut rng, element, &extents));
            let memory: Vec<u8> = (0..a_bytes).map(|_| rng.u8(..)).collect();
            let source = Source::of_slice(&memory, 0, &a).unwrap();
            let mut outs = [vec![9u8; b_bytes], vec![9u8; b_bytes]];
            let [mut to, mut plain] = outs.each_mut().map(|out| Destination::of_slice(out, 0, &b).unwrap());
            let mut runs = CopyRuns::copy(&a, &b);
            runs.add_both(&both);
            copy(&source, &mut plain, &both);
            if runs.is_whole() {
                copy_runs(&source, &mut to, &runs);
                assert!(outs[0] == outs[1], "{both:?} from {a:?} to {b:?}");
                // In parts, through a buffer.
                let (most, mut out) = (element * rng.usize(1..9), vec![9u8; b_bytes]);
                let mut to = Destination::of_slice(&mut out, 0, &b).unwrap();
                for (packed, unpacked) in runs.parts(most) {
                    assert!(packed.bytes() <= most && packed.bytes() == unpacked.bytes());
                    let mut buffer = vec![0; packed.bytes()];
                    source.pack_runs(&packed, &mut buffer);
                    to.unpack_runs(&unpacked, &buffer);
                }
                assert!(out == outs[1], "{both:?} from {a:?} to {b:?}, {most} bytes at a time");
            }
        }
    }

    #[test]
    fn too_many_runs_are_not_written_out() {
        let shape = Shape::dense(1, &[2 * MAX_RUNS as u64 + 2]);
        let every_other =
            |count: usize| -> Slice<1> { vec![Family::new([0], [2], 1, count as u64).unwrap()].into() };
        for (count, whole) in [(MAX_RUNS, true), (MAX_RUNS + 1, false)] {
            let mut runs = CopyRuns::pack(&shape);
            runs.add(&[every_other(count)]);
            assert_eq!(runs.is_whole(), whole);
        }
    }
}

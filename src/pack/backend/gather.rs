//! Writes columns of a destination from several sources.

use crate::pack::array::{Destination, Source};
use crate::pack::gather::{self, GatherColumns, GatherLine};
use crate::system::workers::Workers;

/// A source of a line, and the places of its parts of the columns.
#[derive(Clone, Copy, Debug)]
pub enum LineInput<'a> {
    /// Memory without gaps, and the bytes from column to column.
    Packed(&'a [u8], usize),
    /// An array, the bytes from its first element to the first column, and the bytes from column to column.
    Array(&'a Source<'a>, usize, usize),
}

impl<'a> LineInput<'a> {
    /// Returns the input without its first `columns` columns.
    pub fn behind(&self, columns: usize) -> Self {
        match *self {
            Self::Packed(bytes, step) => Self::Packed(&bytes[columns * step..], step),
            Self::Array(source, at, step) => Self::Array(source, at + columns * step, step),
        }
    }

    /// Returns the address of the first column, and the distance of columns; `None` unless `columns` columns of `reach`
    /// bytes are readable.
    fn columns(&self, columns: usize, reach: usize) -> Option<(*const u8, usize)> {
        let (base, at, step, bytes) = match *self {
            LineInput::Packed(bytes, step) => (bytes.as_ptr(), 0, step, bytes.len()),
            LineInput::Array(source, at, step) => {
                (source.memory.base().cast_const(), at, step, source.shape().behind()?)
            }
        };
        let inside = end(at, step, columns, reach)? <= bytes || reach == 0;
        inside.then(|| (base.wrapping_add(at), step))
    }
}

/// Returns the end of `columns` columns that begin at `at`, lie `step` bytes apart and have `reach` bytes each; `None`
/// for 0 columns, or on overflow.
fn end(at: usize, step: usize, columns: usize, reach: usize) -> Option<usize> {
    columns.checked_sub(1)?.checked_mul(step)?.checked_add(at)?.checked_add(reach)
}

impl Destination<'_> {
    /// Writes columns by the runs of `line` from `inputs`. `place` is (bytes from the array's first element to the
    /// first column, bytes from column to column, number of columns). Streams if `past_caches` is set and the line has
    /// no gaps.
    pub fn gather(
        &mut self,
        line: &GatherLine,
        place: (usize, usize, usize),
        inputs: &[LineInput],
        past_caches: bool,
    ) {
        // SAFETY: this value is borrowed mutably.
        unsafe { self.write_columns(line, place, inputs, past_caches) }
    }

    /// Writes columns as [`Destination::gather`] does, with the threads of `workers`. A job has at most `each` columns.
    pub(crate) fn gather_by(
        &mut self,
        (workers, each): (&Workers, usize),
        line: &GatherLine,
        (at, step, columns): (usize, usize, usize),
        inputs: &[LineInput],
        past_caches: bool,
    ) {
        // One thread writes interleaved columns.
        if step < line.end() {
            return self.gather(line, (at, step, columns), inputs, past_caches);
        }
        let jobs = (0..columns).step_by(each).map(|first| {
            let inputs: Vec<LineInput> = inputs.iter().map(|input| input.behind(first)).collect();
            (at + first * step, each.min(columns - first), inputs)
        });
        let this = &*self;
        // SAFETY: this value is borrowed mutably; each job has its own columns, and a column ends before the next one
        // begins.
        workers.each(jobs, |(at, columns, inputs)| unsafe {
            this.write_columns(line, (at, step, columns), &inputs, past_caches)
        });
    }

    /// # Safety
    /// Nobody else uses the bytes that the line covers in these columns.
    unsafe fn write_columns(
        &self,
        line: &GatherLine,
        (at, step, count): (usize, usize, usize),
        inputs: &[LineInput],
        past_caches: bool,
    ) {
        let bytes = self.shape().behind().expect("an array whose indices ascend with its addresses");
        let room = end(at, step, count, line.end()).is_some_and(|end| end <= bytes);
        assert!(room && inputs.len() == line.reaches().len(), "a line outside a local array");
        let columns = |(input, &reach): (&LineInput, &usize)| {
            input.columns(count, reach).expect("a line outside its source")
        };
        let from = inputs.iter().zip(line.reaches()).map(columns).collect();
        let columns = GatherColumns { line, to: self.memory.base().wrapping_add(at), step, count, from };
        // SAFETY: the line lies within the destination and its sources (asserted), in each column; this fn's contract.
        unsafe { gather::write(columns, past_caches) };
    }
}

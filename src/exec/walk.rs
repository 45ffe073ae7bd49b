//! Progress of gathering one array: the next columns and their sources.
//!
//! The first dimensions of an array form its *line*, described by one list of runs. A *column* is the line at one index
//! of each further dimension. Each part of a column comes from one rank: the part's source process in the line,
//! combined with the source process of the column's index along each further dimension.

use super::Load;
use super::first_index;
use super::line::{LineLayout, SourceLayout, index};
use crate::layout::distribution::Rank;
use crate::layout::strides::Shape;
use crate::pack::GatherLine;
use crate::plan::{Merged, RankPhase};
use std::collections::HashMap;

/// A line of at least this many bytes takes in no further dimension.
const SHORT_LINE_BYTES: usize = 2 << 10;
/// Maximum number of runs of a line of several dimensions.
const MAX_LINE_RUNS: usize = 4 << 10;

/// Rank that has a part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holder {
    /// This rank: the part is read from its source array.
    Own,
    /// The peer of this stream.
    Stream(usize),
}

/// Position of the walk, and the lines built so far.
pub(super) struct GatherWalk {
    /// Index of the array in the execution.
    pub item: usize,
    /// Number of dimensions of the line.
    line_dims: usize,
    /// Bytes of a line from each of its sources.
    pub parts: Vec<usize>,
    /// Bytes of a line: the sum of `parts`.
    pub bytes: usize,
    /// Bytes of the next column that have been written.
    pub written: usize,
    /// Holder of each combination of source processes, the first dimension varying fastest.
    holders: Vec<Holder>,
    /// Position in each dimension after those of the line.
    at: Vec<DimPosition>,
    pub done: bool,
    lines: Vec<(Vec<SourceLayout>, GatherLine)>,
}

struct DimPosition {
    /// First stretch of the walk.
    begin: usize,
    stretch: usize,
    /// Index within `stretch`.
    within: u64,
}

impl DimPosition {
    fn starting_at(stretch: usize) -> Self {
        Self { begin: stretch, stretch, within: 0 }
    }
}

pub(super) struct NextColumns {
    /// Number of columns, at least 1, that come from the same sources.
    pub columns: u64,
    /// Offset of the first column in the destination, in bytes.
    pub to: usize,
    /// Distance between columns in the destination, in bytes.
    pub step: usize,
}

impl GatherWalk {
    /// Creates the walk along array `item`; `None` if it cannot be gathered. `streams` has the stream of each peer.
    pub fn new(
        item: usize,
        load: &Load<'_>,
        phase: &RankPhase,
        streams: &HashMap<Rank, usize>,
    ) -> Option<Self> {
        let destination = load.destination.as_ref()?;
        let element = load.plan.element;
        let strides = strides(destination.shape())?;
        let dims = phase.index_origins()?;
        if *strides.first()? != element || !own_is_readable(load, element) {
            return None;
        }
        let line_dims = count_line_dims(dims, &strides, element)?;
        let layout = LineLayout { dims: &dims[..line_dims], element, strides: &strides[..line_dims] };
        if layout.sources() > GatherLine::SOURCES {
            return None;
        }
        let mut holders = vec![Holder::Own; dims.iter().map(|dim| dim.counts().len()).product()];
        let receives = &phase.receives;
        for message in &receives.messages {
            let which = receives.share_numbers(message).iter().zip(dims).rev();
            let place = which.fold(0, |at, (&k, dim)| at * dim.counts().len() + k as usize);
            holders[place] = Holder::Stream(*streams.get(&message.peer)?);
        }
        let parts = layout.bytes();
        let bytes = parts.iter().sum();
        let at = dims[line_dims..].iter().map(|_| DimPosition::starting_at(0)).collect();
        let (written, done, lines) = (0, bytes == 0, Vec::new());
        Some(Self { item, line_dims, parts, bytes, written, holders, at, done, lines })
    }

    /// Makes the walk begin after this rank's own elements ([`first_index`]) and wrap around. Must be called before the
    /// first column.
    pub fn start_after_own(&mut self, dims: &[Merged], rank: Rank) {
        let own = self.holders.iter().position(|holder| *holder == Holder::Own);
        let own = own.map(|own| own / self.parts.len());
        let starts = first_index::start_stretches(&dims[self.line_dims..], own, rank);
        self.at = starts.into_iter().map(DimPosition::starting_at).collect();
    }

    /// Returns the next columns, and sets `holders` to the holders of the parts of their lines.
    pub fn next_columns(&self, dims: &[Merged], shape: &Shape, holders: &mut Vec<Holder>) -> NextColumns {
        let (mut place, mut to, mut scale) = (0, 0, 1);
        for ((dim, at), d) in dims[self.line_dims..].iter().zip(&self.at).zip(&shape.dims()[self.line_dims..])
        {
            let stretch = &dim.stretches()[at.stretch];
            place += stretch.source * scale;
            scale *= dim.counts().len();
            to += index(stretch.to + at.within) * stride(d.stride);
        }
        let sources = self.parts.len();
        holders.clear();
        holders.extend(&self.holders[place * sources..(place + 1) * sources]);
        let remaining = |at: &DimPosition| dims[self.line_dims].stretches()[at.stretch].len - at.within;
        let columns = self.at.first().map(remaining);
        let step = shape.dims().get(self.line_dims).map_or(0, |dim| stride(dim.stride));
        NextColumns { columns: columns.unwrap_or(1), to, step }
    }

    /// Returns the offset of the next columns in a source array of this shape, and their distance, in bytes.
    pub fn source_offset(&self, dims: &[Merged], shape: &Shape) -> (usize, usize) {
        let mut bytes = 0;
        for ((dim, at), d) in dims[self.line_dims..].iter().zip(&self.at).zip(&shape.dims()[self.line_dims..])
        {
            bytes += index(dim.stretches()[at.stretch].from + at.within) * stride(d.stride);
        }
        (bytes, shape.dims().get(self.line_dims).map_or(0, |dim| stride(dim.stride)))
    }

    /// Returns the layout of a source array of this shape.
    pub fn source_layout(&self, shape: &Shape) -> SourceLayout {
        SourceLayout::Strides(shape.dims()[..self.line_dims].iter().map(|dim| stride(dim.stride)).collect())
    }

    /// Returns the line for sources with these layouts; builds it on first use.
    pub fn line(
        &mut self,
        dims: &[Merged],
        shape: &Shape,
        element: usize,
        layouts: &[SourceLayout],
    ) -> &GatherLine {
        let known = self.lines.iter().position(|(known, _)| known == layouts);
        let at = known.unwrap_or_else(|| {
            let strides: Vec<usize> =
                shape.dims()[..self.line_dims].iter().map(|dim| stride(dim.stride)).collect();
            let layout = LineLayout { dims: &dims[..self.line_dims], element, strides: &strides };
            self.lines.push((layouts.to_vec(), layout.line(layouts)));
            self.lines.len() - 1
        });
        &self.lines[at].1
    }

    /// Moves the walk past `columns` complete columns, which must have the same sources.
    pub fn advance(&mut self, dims: &[Merged], columns: u64) {
        self.written = 0;
        let mut increment = columns;
        for (dim, at) in dims[self.line_dims..].iter().zip(&mut self.at) {
            at.within += increment;
            if at.within < dim.stretches()[at.stretch].len {
                return;
            }
            (at.stretch, at.within, increment) = ((at.stretch + 1) % dim.stretches().len(), 0, 1);
            if at.stretch != at.begin {
                return;
            }
        }
        self.done = true;
    }
}

/// Returns the strides in bytes; `None` if one is negative.
fn strides(shape: &Shape) -> Option<Vec<usize>> {
    shape.dims().iter().map(|dim| usize::try_from(dim.stride).ok()).collect()
}

/// Converts a stride in bytes that is not negative (see `strides`).
fn stride(bytes: i64) -> usize {
    usize::try_from(bytes).expect("a stride that is not negative")
}

/// Returns whether this rank's own elements, if there are any, lie in another array than the destination and are
/// contiguous along the first dimension.
fn own_is_readable(load: &Load<'_>, element: usize) -> bool {
    let Some(source) = &load.source else { return true };
    let elsewhere = load.destination.as_ref().is_none_or(|to| !source.begins_with(to));
    strides(source.shape()).is_some_and(|strides| strides[0] == element) && elsewhere
}

/// Returns the number of dimensions of a line; `None` if even one dimension is too long, or if the array is empty.
fn count_line_dims(dims: &[Merged], strides: &[usize], element: usize) -> Option<usize> {
    let mut end = 0;
    let mut runs = 1;
    for (d, (dim, &stride)) in dims.iter().zip(strides).enumerate() {
        let last = dim.stretches().last()?;
        let reach = index(last.to + last.len - 1).checked_mul(stride)?.checked_add(end.max(element))?;
        let factor = if d == 0 { dim.stretches().len() } else { index(dim.total()) };
        runs = factor.checked_mul(runs)?;
        let fits = stride >= end && (d == 0 || (end < SHORT_LINE_BYTES && runs <= MAX_LINE_RUNS));
        if !fits || reach > GatherLine::BYTES {
            return (d > 0).then_some(d);
        }
        end = reach;
    }
    Some(dims.len())
}

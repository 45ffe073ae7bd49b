//! Progress of gathering one array: the next columns and their sources.
//!
//! The first dimensions of an array are its *line*, written from one list of runs. The next dimension counts columns.
//! In it and in the dimensions after it, each index comes from one process of that dimension. So the sources of a
//! column are the combinations of the line's sources with one process of each further dimension.

use super::Load;
use super::line::{Lines, SourceLayout, index};
use super::round;
use crate::layout::distribution::Rank;
use crate::layout::strides::Shape;
use crate::pack::GatherLine;
use crate::plan::{Merged, RankPhase};
use std::collections::HashMap;

/// A line shorter than this many bytes includes the next dimension...
const SHORT_LINE_BYTES: usize = 2 << 10;
/// ... if it then has at most this many runs.
const MAX_LINE_RUNS: usize = 4 << 10;

/// Holder of a part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holder {
    Own,
    /// The peer of this stream.
    Stream(usize),
}

/// Position of the walk, and the lines built so far.
pub(super) struct GatherWalk {
    pub item: usize,
    /// Number of dimensions of a line.
    inner: usize,
    /// Bytes of a line from each of its sources.
    pub parts: Vec<usize>,
    pub bytes: usize,
    /// Bytes of the next column that have been written.
    pub written: usize,
    /// Holder of each combination of source processes, the first dimension varying fastest.
    from: Vec<Holder>,
    /// Position in each dimension behind the line.
    at: Vec<DimPosition>,
    /// Whether all columns have been written.
    pub done: bool,
    lines: Vec<(Vec<SourceLayout>, GatherLine)>,
}

struct DimPosition {
    /// The stretch that the walk began with.
    begin: usize,
    stretch: usize,
    /// Index within the current stretch.
    within: u64,
}

impl DimPosition {
    fn beginning(stretch: usize) -> Self {
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
        let element = load.planned.element;
        let strides = strides(destination.shape())?;
        let dims = phase.merged()?;
        if *strides.first()? != element || !own_is_readable(load, element) {
            return None;
        }
        let inner = line_dims(dims, &strides, element)?;
        let lines = Lines { dims: &dims[..inner], element, strides: &strides[..inner] };
        if lines.sources() > GatherLine::SOURCES {
            return None;
        }
        let mut from = vec![Holder::Own; dims.iter().map(|dim| dim.counts().len()).product()];
        let receives = &phase.receives;
        for message in &receives.messages {
            let which = receives.which(message).iter().zip(dims).rev();
            let place = which.fold(0, |at, (&k, dim)| at * dim.counts().len() + k as usize);
            from[place] = Holder::Stream(*streams.get(&message.peer)?);
        }
        let parts = lines.bytes();
        let bytes = parts.iter().sum();
        let at = dims[inner..].iter().map(|_| DimPosition::beginning(0)).collect();
        Some(Self { item, inner, parts, bytes, written: 0, from, at, done: bytes == 0, lines: Vec::new() })
    }

    /// Begins behind this rank's own elements, and wraps around. To be called only before the first column.
    pub fn turn(&mut self, dims: &[Merged], rank: Rank) {
        let own = self.from.iter().position(|from| *from == Holder::Own).map(|own| own / self.parts.len());
        let begins = round::first_stretches(&dims[self.inner..], own, rank);
        self.at = begins.into_iter().map(DimPosition::beginning).collect();
    }

    /// Returns the next columns, and sets `from` to the holders of the parts of their lines.
    pub fn next(&self, dims: &[Merged], shape: &Shape, from: &mut Vec<Holder>) -> NextColumns {
        let (mut place, mut to, mut scale) = (0, 0, 1);
        for ((dim, at), d) in dims[self.inner..].iter().zip(&self.at).zip(&shape.dims()[self.inner..]) {
            let stretch = &dim.stretches()[at.stretch];
            place += stretch.source * scale;
            scale *= dim.counts().len();
            to += index(stretch.to + at.within) * stride(d.stride);
        }
        let sources = self.parts.len();
        from.clear();
        from.extend(&self.from[place * sources..(place + 1) * sources]);
        let left = |at: &DimPosition| dims[self.inner].stretches()[at.stretch].len - at.within;
        let first = self.at.first().map(left);
        let step = shape.dims().get(self.inner).map_or(0, |dim| stride(dim.stride));
        NextColumns { columns: first.unwrap_or(1), to, step }
    }

    /// Returns the offset of the next columns in a source array of this shape, and their distance, in bytes.
    pub fn place(&self, dims: &[Merged], shape: &Shape) -> (usize, usize) {
        let mut bytes = 0;
        for ((dim, at), d) in dims[self.inner..].iter().zip(&self.at).zip(&shape.dims()[self.inner..]) {
            bytes += index(dim.stretches()[at.stretch].from + at.within) * stride(d.stride);
        }
        (bytes, shape.dims().get(self.inner).map_or(0, |dim| stride(dim.stride)))
    }

    pub fn laid(&self, shape: &Shape) -> SourceLayout {
        SourceLayout::Strides(shape.dims()[..self.inner].iter().map(|dim| stride(dim.stride)).collect())
    }

    /// Returns the line for sources with these layouts; builds it on first use.
    pub fn line(
        &mut self,
        dims: &[Merged],
        shape: &Shape,
        element: usize,
        laid: &[SourceLayout],
    ) -> &GatherLine {
        let known = self.lines.iter().position(|(known, _)| known == laid);
        let at = known.unwrap_or_else(|| {
            let strides: Vec<usize> =
                shape.dims()[..self.inner].iter().map(|dim| stride(dim.stride)).collect();
            let lines = Lines { dims: &dims[..self.inner], element, strides: &strides };
            self.lines.push((laid.to_vec(), lines.line(laid)));
            self.lines.len() - 1
        });
        &self.lines[at].1
    }

    pub fn advance(&mut self, dims: &[Merged], columns: u64) {
        self.written = 0;
        let mut more = columns;
        for (dim, at) in dims[self.inner..].iter().zip(&mut self.at) {
            at.within += more;
            if at.within < dim.stretches()[at.stretch].len {
                return;
            }
            (at.stretch, at.within, more) = ((at.stretch + 1) % dim.stretches().len(), 0, 1);
            if at.stretch != at.begin {
                return;
            }
        }
        self.done = true;
    }
}

/// Returns the strides in bytes, if all ascend with addresses.
fn strides(shape: &Shape) -> Option<Vec<usize>> {
    shape.dims().iter().map(|dim| usize::try_from(dim.stride).ok()).collect()
}

/// Converts a stride that `strides` has accepted.
fn stride(bytes: i64) -> usize {
    usize::try_from(bytes).expect("a distance that ascends")
}

/// Returns whether this rank's own elements can be read run by run.
fn own_is_readable(load: &Load<'_>, element: usize) -> bool {
    let Some(source) = &load.source else { return true };
    let to = load.destination.as_ref().map(|destination| destination.address());
    strides(source.shape()).is_some_and(|strides| strides[0] == element) && Some(source.address()) != to
}

/// Returns the number of dimensions that make up a line; `None` if no line can be listed.
fn line_dims(dims: &[Merged], strides: &[usize], element: usize) -> Option<usize> {
    let mut end = 0;
    let mut runs = 1;
    for (d, (dim, &stride)) in dims.iter().zip(strides).enumerate() {
        let last = dim.stretches().last()?;
        let reach = index(last.to + last.len - 1).checked_mul(stride)?.checked_add(end.max(element))?;
        let more = if d == 0 { dim.stretches().len() } else { index(dim.total()) };
        runs = more.checked_mul(runs)?;
        let fits = stride >= end && (d == 0 || (end < SHORT_LINE_BYTES && runs <= MAX_LINE_RUNS));
        if !fits || reach > GatherLine::BYTES {
            return (d > 0).then_some(d);
        }
        end = reach;
    }
    Some(dims.len())
}

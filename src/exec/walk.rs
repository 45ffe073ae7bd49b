//! HOW FAR has the gathering of one array come: which columns are next, and from which sources?
//!
//! The first dimensions of an array are its *line*, written from one list of runs. The next dimension counts columns. In it
//! and in the dimensions after it, each index comes from one process of that dimension. So the sources of a column are the
//! combinations of the line's sources with one process of each further dimension.

use super::Load;
use super::line::{Laid, Lines, index};
use super::round;
use crate::layout::distribution::Rank;
use crate::layout::strides::Shape;
use crate::pack::GatherLine;
use crate::plan::{Leg, Merged};
use std::collections::HashMap;

/// Lines of fewer bytes take in the next dimension...
const SHORT: usize = 2 << 10;
/// ... as long as they have no more runs than this.
const RUNS: usize = 4 << 10;

/// Who has a part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Supplier {
    /// This rank itself.
    Own,
    /// The peer of this stream.
    Stream(usize),
}

/// Where it is.
pub(super) struct GatherWalk {
    /// Which array.
    pub item: usize,
    /// Dimensions of a line.
    inner: usize,
    /// Bytes that each source of a line has of it.
    pub parts: Vec<usize>,
    /// Bytes of a line.
    pub bytes: usize,
    /// Bytes of the next column that were written already.
    pub written: usize,
    /// Who has what, by combination of source processes, that of the first dimension varying fastest.
    from: Vec<Supplier>,
    /// The dimensions behind the line.
    at: Vec<At>,
    /// Whether all columns are written.
    pub done: bool,
    lines: Vec<(Vec<Laid>, GatherLine)>,
}

/// Where the walk is in a dimension behind the line.
struct At {
    /// The stretch that it began with.
    begin: usize,
    stretch: usize,
    /// The index within that stretch.
    within: u64,
}

impl At {
    fn beginning(stretch: usize) -> Self {
        Self { begin: stretch, stretch, within: 0 }
    }
}

/// The next columns of an array.
pub(super) struct Next {
    /// Columns, at least one, that come from the same sources.
    pub columns: u64,
    /// Bytes to the first of them in the destination.
    pub to: usize,
    /// Bytes to the next one in the destination.
    pub step: usize,
}

impl GatherWalk {
    /// The walk along array number `item`; `None` if it cannot be gathered. `streams` has the peers.
    pub fn new(item: usize, load: &Load<'_>, leg: &Leg, streams: &HashMap<Rank, usize>) -> Option<Self> {
        let destination = load.destination.as_ref()?;
        let element = load.planned.element;
        let strides = strides(destination.shape())?;
        let dims = leg.merged()?;
        if *strides.first()? != element || !own_suits(load, element) {
            return None;
        }
        let inner = line_dims(dims, &strides, element)?;
        let lines = Lines { dims: &dims[..inner], element, strides: &strides[..inner] };
        if lines.sources() > GatherLine::SOURCES {
            return None;
        }
        let mut from = vec![Supplier::Own; dims.iter().map(|dim| dim.counts().len()).product()];
        let receives = &leg.receives;
        for message in &receives.messages {
            let which = receives.which(message).iter().zip(dims).rev();
            let place = which.fold(0, |at, (&k, dim)| at * dim.counts().len() + k as usize);
            from[place] = Supplier::Stream(*streams.get(&message.peer)?);
        }
        let parts = lines.bytes();
        let bytes = parts.iter().sum();
        let at = dims[inner..].iter().map(|_| At::beginning(0)).collect();
        Some(Self { item, inner, parts, bytes, written: 0, from, at, done: bytes == 0, lines: Vec::new() })
    }

    /// Begins behind what this rank, number `rank`, has itself, and goes round. Only before the first column.
    pub fn turn(&mut self, dims: &[Merged], rank: Rank) {
        let own = self.from.iter().position(|from| *from == Supplier::Own).map(|own| own / self.parts.len());
        let begins = round::begins(&dims[self.inner..], own, rank);
        self.at = begins.into_iter().map(At::beginning).collect();
    }

    /// The next columns, and in `from` who has the parts of their lines.
    pub fn next(&self, dims: &[Merged], shape: &Shape, from: &mut Vec<Supplier>) -> Next {
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
        let left = |at: &At| dims[self.inner].stretches()[at.stretch].len - at.within;
        let first = self.at.first().map(left);
        let step = shape.dims().get(self.inner).map_or(0, |dim| stride(dim.stride));
        Next { columns: first.unwrap_or(1), to, step }
    }

    /// Bytes to the next columns in a source that is an array of that shape, and from each to the next.
    pub fn place(&self, dims: &[Merged], shape: &Shape) -> (usize, usize) {
        let mut bytes = 0;
        for ((dim, at), d) in dims[self.inner..].iter().zip(&self.at).zip(&shape.dims()[self.inner..]) {
            bytes += index(dim.stretches()[at.stretch].from + at.within) * stride(d.stride);
        }
        (bytes, shape.dims().get(self.inner).map_or(0, |dim| stride(dim.stride)))
    }

    /// How a source lies that is an array of that shape.
    pub fn laid(&self, shape: &Shape) -> Laid {
        Laid::Strides(shape.dims()[..self.inner].iter().map(|dim| stride(dim.stride)).collect())
    }

    /// The line of sources that lie so.
    pub fn line(&mut self, dims: &[Merged], shape: &Shape, element: usize, laid: &[Laid]) -> &GatherLine {
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

    /// So many columns are written.
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

/// Bytes from one index to the next, if all ascend with addresses.
fn strides(shape: &Shape) -> Option<Vec<usize>> {
    shape.dims().iter().map(|dim| usize::try_from(dim.stride).ok()).collect()
}

/// A distance that was looked at by `strides`.
fn stride(bytes: i64) -> usize {
    usize::try_from(bytes).expect("a distance that ascends")
}

/// Whether what this rank has itself can be read run by run.
fn own_suits(load: &Load<'_>, element: usize) -> bool {
    let Some(source) = &load.source else { return true };
    let to = load.destination.as_ref().map(|destination| destination.address());
    strides(source.shape()).is_some_and(|strides| strides[0] == element) && Some(source.address()) != to
}

/// How many dimensions make up a line; `None` if one cannot be listed.
fn line_dims(dims: &[Merged], strides: &[usize], element: usize) -> Option<usize> {
    let mut end = 0;
    let mut runs = 1;
    for (d, (dim, &stride)) in dims.iter().zip(strides).enumerate() {
        let last = dim.stretches().last()?;
        let reach = index(last.to + last.len - 1).checked_mul(stride)?.checked_add(end.max(element))?;
        let more = if d == 0 { dim.stretches().len() } else { index(dim.total()) };
        runs = more.checked_mul(runs)?;
        let fits = stride >= end && (d == 0 || (end < SHORT && runs <= RUNS));
        if !fits || reach > GatherLine::BYTES {
            return (d > 0).then_some(d);
        }
        end = reach;
    }
    Some(dims.len())
}

//! Packs, unpacks and copies pieces; divides large pieces among the worker threads.

use crate::layout::intersect::Slice;
use crate::layout::problem::Part;
use crate::pack::{self, BufferReader, Destination, GatherLine, LineInput, Portion, Source};
use crate::plan::{Piece, Product, Strips};
use crate::system::workers::Workers;
use std::cell::RefCell;

/// Minimum bytes per thread: some µs of copying, to pay for waking the thread.
const MIN_THREAD_BYTES: usize = 32 << 10;

thread_local! {
    /// Strips, kept to reuse their allocations.
    static STRIPS: RefCell<(Strips<1>, Strips<2>)> = RefCell::default();
}

pub struct Copier {
    workers: Workers,
}

impl Copier {
    pub fn new(workers: Workers) -> Self {
        Self { workers }
    }

    pub fn threads(&self) -> usize {
        self.workers.threads()
    }

    fn threads_for(&self, bytes: usize, by_device: bool) -> usize {
        if by_device { 1 } else { self.workers.threads().min(bytes / MIN_THREAD_BYTES) }
    }

    /// Returns whether other ranks share this rank's core.
    pub fn is_oversubscribed(&self) -> bool {
        self.workers.is_oversubscribed()
    }

    /// Packs the elements of `piece` in `part` into `buffer`, which has exactly their size and is read by `reader`
    /// next.
    pub fn pack(
        &self,
        product: Product<1>,
        piece: &Piece,
        part: Part,
        source: &Source,
        buffer: &mut [u8],
        reader: BufferReader,
    ) {
        let one = |piece: &Piece, buffer: &mut [u8]| {
            let mut at = 0;
            each_strip(product, piece, part, |dims| at += source.pack(dims, &mut buffer[at..], reader));
        };
        let threads = self.threads_for(buffer.len(), source.device().is_some());
        if threads < 2 {
            return one(piece, buffer);
        }
        let mut rest = buffer;
        let jobs: Vec<_> = parts(product, part, piece, source.element(), threads)
            .map(|(piece, bytes)| {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(bytes);
                rest = others;
                (piece, own)
            })
            .collect();
        self.workers.each(jobs, |(piece, own)| one(&piece, own));
    }

    /// Unpacks the elements of `piece` in `part` from `buffer`, which has exactly their size.
    pub fn unpack(
        &self,
        product: Product<1>,
        piece: &Piece,
        part: Part,
        destination: &mut Destination,
        buffer: &[u8],
    ) {
        let threads = self.threads_for(buffer.len(), destination.device().is_some());
        let element = destination.element();
        let portions = (threads > 1).then(|| portions(destination, product, piece, threads)).flatten();
        let Some(portions) = portions else {
            let mut at = 0;
            return each_strip(product, piece, part, |dims| at += destination.unpack(dims, &buffer[at..]));
        };
        let mut rest = buffer;
        let jobs: Vec<_> = parts(product, part, piece, element, threads)
            .zip(portions)
            .map(|((piece, bytes), portion)| {
                let (own, others) = rest.split_at(bytes);
                rest = others;
                (piece, own, portion)
            })
            .collect();
        self.workers.each(jobs, |(piece, own, mut portion)| {
            let mut at = 0;
            each_strip(product, &piece, part, |dims| at += portion.unpack(dims, &own[at..]));
        });
    }

    /// Packs the elements of `piece` in `part` from the array on the first side of `product` into `buffer`, which has
    /// exactly their size.
    pub fn read(&self, product: Product<2>, piece: &Piece, part: Part, from: &Source, buffer: &mut [u8]) {
        let mut at = 0;
        each_strip_of_both(product, piece, part, |dims| at += from.pack_side(dims, &mut buffer[at..]));
    }

    /// Writes columns like `line` from `inputs`; `past_caches` bypasses the caches. The columns are (offset of the
    /// first in bytes, stride in bytes, number).
    pub fn gather(
        &self,
        to: &mut Destination,
        line: &GatherLine,
        (at, step, columns): (usize, usize, usize),
        inputs: &[LineInput],
        past_caches: bool,
    ) {
        let threads = self.workers.threads().min(columns * line.bytes() / MIN_THREAD_BYTES).min(columns);
        if threads < 2 {
            return to.gather(line, (at, step, columns), inputs, past_caches);
        }
        to.gather_by(
            (&self.workers, columns.div_ceil(threads)),
            line,
            (at, step, columns),
            inputs,
            past_caches,
        );
    }

    /// Copies the elements of `piece` in `part` from one array to the other.
    pub fn copy(&self, product: Product<2>, piece: &Piece, part: Part, from: &Source, to: &mut Destination) {
        let bytes = usize::try_from(piece.count()).unwrap_or(usize::MAX).saturating_mul(from.element());
        let threads = self.threads_for(bytes, from.device().is_some() || to.device().is_some());
        match (threads > 1).then(|| portions(to, product, piece, threads)).flatten() {
            None => each_strip_of_both(product, piece, part, |dims| pack::copy(from, to, dims)),
            Some(portions) => {
                self.workers.each(piece.split(threads).zip(portions), |(piece, mut portion)| {
                    each_strip_of_both(product, &piece, part, |dims| portion.copy(from, dims));
                })
            }
        }
    }
}

/// Calls [`Product::for_each_strip`] with this thread's reused strips.
pub(super) fn each_strip(product: Product<1>, piece: &Piece, part: Part, strip: impl FnMut(&[Slice<1>])) {
    STRIPS.with_borrow_mut(|(strips, _)| product.for_each_strip(piece, &part, strips, strip));
}

pub(super) fn each_strip_of_both(
    product: Product<2>,
    piece: &Piece,
    part: Part,
    strip: impl FnMut(&[Slice<2>]),
) {
    STRIPS.with_borrow_mut(|(_, strips)| product.for_each_strip(piece, &part, strips, strip));
}

/// Returns the part of `to` that each thread writes, if these parts are disjoint. The last coordinate of `product` has
/// the indices of `to`.
fn portions<'p, const D: usize>(
    to: &'p mut Destination,
    product: Product<D>,
    piece: &Piece,
    threads: usize,
) -> Option<Vec<Portion<'p>>> {
    let dim = piece.cut_dim();
    let ranges = piece.split(threads).map(|piece| product.local_range(&piece, dim, D - 1)).collect();
    to.portions(dim, ranges)
}

fn parts<'a>(
    product: Product<'a, 1>,
    part: Part,
    piece: &'a Piece,
    element: usize,
    threads: usize,
) -> impl Iterator<Item = (Piece, usize)> + 'a {
    piece.split(threads).map(move |piece| {
        let elements = usize::try_from(product.elements(&piece, &part));
        (piece, elements.expect("a piece fits in memory") * element)
    })
}

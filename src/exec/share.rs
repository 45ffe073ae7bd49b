//! Packs, unpacks and copies pieces; large pieces are divided among the rank's threads.

use crate::layout::intersect::Slice;
use crate::layout::problem::Part;
use crate::pack::{self, BufferReader, Destination, Feed, GatherLine, Portion, Source};
use crate::plan::{Piece, Product, Strips};
use crate::system::crew::Crew;
use std::cell::RefCell;

/// Bytes for which it is worth while to ask another thread: some µs of copying.
const WORTH_A_THREAD: usize = 32 << 10;

thread_local! {
    /// Room for the strips that this thread works on.
    static STRIPS: RefCell<(Strips<1>, Strips<2>)> = RefCell::default();
}

/// What pieces are packed, unpacked and copied with.
pub struct Tools {
    crew: Crew,
}

impl Tools {
    /// For so many threads.
    pub fn new(crew: Crew) -> Self {
        Self { crew }
    }

    /// How many threads.
    pub fn threads(&self) -> usize {
        self.crew.threads()
    }

    /// Whether other ranks run on this rank's core, too.
    pub fn is_crowded(&self) -> bool {
        self.crew.is_crowded()
    }

    /// Packs a piece of a product, of which `part` moves, into `buffer`, which has room for just that and which `reader`
    /// reads next.
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
        let threads = self.crew.threads().min(buffer.len() / WORTH_A_THREAD);
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
        self.crew.each(jobs, |(piece, own)| one(&piece, own));
    }

    /// Unpacks a piece of a product, of which `part` moves, from `buffer`, which has just that.
    pub fn unpack(
        &self,
        product: Product<1>,
        piece: &Piece,
        part: Part,
        destination: &mut Destination,
        buffer: &[u8],
    ) {
        let threads = self.crew.threads().min(buffer.len() / WORTH_A_THREAD);
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
        self.crew.each(jobs, |(piece, own, mut portion)| {
            let mut at = 0;
            each_strip(product, &piece, part, |dims| at += portion.unpack(dims, &own[at..]));
        });
    }

    /// Writes columns like `line`, (bytes to the first one, bytes to the next one, how many), out of `feeds`.
    pub fn gather(
        &self,
        to: &mut Destination,
        line: &GatherLine,
        (at, step, columns): (usize, usize, usize),
        feeds: &[Feed],
        past: bool,
    ) {
        let threads = self.crew.threads().min(columns * line.bytes() / WORTH_A_THREAD).min(columns);
        if threads < 2 {
            return to.gather(line, (at, step, columns), feeds, past);
        }
        to.gather_by((&self.crew, columns.div_ceil(threads)), line, (at, step, columns), feeds, past);
    }

    /// Copies a piece of a product, of which `part` moves, straight from one array to the other.
    pub fn copy(&self, product: Product<2>, piece: &Piece, part: Part, from: &Source, to: &mut Destination) {
        let bytes = usize::try_from(piece.count()).unwrap_or(usize::MAX).saturating_mul(from.element());
        let threads = self.crew.threads().min(bytes / WORTH_A_THREAD);
        match (threads > 1).then(|| portions(to, product, piece, threads)).flatten() {
            None => each_strip_of_both(product, piece, part, |dims| pack::copy(from, to, dims)),
            Some(portions) => self.crew.each(piece.split(threads).zip(portions), |(piece, mut portion)| {
                each_strip_of_both(product, &piece, part, |dims| portion.copy(from, dims));
            }),
        }
    }
}

/// As [`Product::for_each_strip`], in this thread's room.
fn each_strip(product: Product<1>, piece: &Piece, part: Part, strip: impl FnMut(&[Slice<1>])) {
    STRIPS.with_borrow_mut(|(strips, _)| product.for_each_strip(piece, &part, strips, strip));
}

/// The same of a copy between two arrays.
fn each_strip_of_both(product: Product<2>, piece: &Piece, part: Part, strip: impl FnMut(&[Slice<2>])) {
    STRIPS.with_borrow_mut(|(_, strips)| product.for_each_strip(piece, &part, strips, strip));
}

/// The part of `to` that each of so many threads writes, where they have nothing in common. Its indices are in the last
/// coordinate system of `product`.
fn portions<'p, const D: usize>(
    to: &'p mut Destination,
    product: Product<D>,
    piece: &Piece,
    threads: usize,
) -> Option<Vec<Portion<'p>>> {
    let dim = piece.cut_dim();
    let ranges = piece.split(threads).map(|piece| product.reach(&piece, dim, D - 1)).collect();
    to.portions(dim, ranges)
}

/// A piece in parts, each with its bytes.
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

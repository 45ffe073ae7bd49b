//! Packs, unpacks and copies pieces, shared out among the threads that a rank has where a piece is worth it.

use super::Work;
use crate::crew::Crew;
use crate::pack::{self, Destination, Reader, Source};
use crate::plan::{Piece, Rectangle, Strips};
use crate::problem::Part;

/// Bytes for which it is worth while to ask another thread: some µs of copying.
const WORTH_A_THREAD: usize = 32 << 10;

/// What pieces are packed, unpacked and copied with.
pub struct Tools {
    crew: Crew,
    part: Part,
    strips: Strips<1>,
    copy_strips: Strips<2>,
}

impl Tools {
    /// For the elements of `part`.
    pub fn new(crew: Crew, part: Part) -> Self {
        Self { crew, part, strips: Strips::default(), copy_strips: Strips::default() }
    }

    /// Packs into the front of `buffer`, which `reader` reads next.
    pub fn pack(&mut self, work: &Work, source: &Source, buffer: &mut [u8], reader: Reader) {
        let Self { part, strips, .. } = self;
        let one = |piece: &Piece, buffer: &mut [u8], strips: &mut Strips<1>| {
            let mut at = 0;
            work.rectangle.for_each_strip(piece, part, strips, |rows, cols| {
                at += source.pack(rows, cols, &mut buffer[at..], reader);
            });
        };
        let threads = self.crew.threads().min(work.bytes / WORTH_A_THREAD);
        if threads < 2 {
            return one(&work.piece, buffer, strips);
        }
        let mut rest = buffer;
        let jobs: Vec<_> = parts(work, part, source.element(), threads)
            .map(|(piece, bytes)| {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(bytes);
                rest = others;
                (piece, own)
            })
            .collect();
        self.crew.each(jobs, |(piece, own)| one(&piece, own, &mut Strips::default()));
    }

    /// Unpacks the front of `buffer`.
    pub fn unpack(&mut self, work: &Work, destination: &Destination, buffer: &[u8]) {
        let Self { part, strips, .. } = self;
        let one = |piece: &Piece, buffer: &[u8], strips: &mut Strips<1>| {
            let mut at = 0;
            work.rectangle.for_each_strip(piece, part, strips, |rows, cols| {
                at += destination.unpack(rows, cols, &buffer[at..]);
            });
        };
        let threads = self.crew.threads().min(work.bytes / WORTH_A_THREAD);
        if threads < 2 {
            return one(&work.piece, buffer, strips);
        }
        let mut rest = buffer;
        let jobs: Vec<_> = parts(work, part, destination.element(), threads)
            .map(|(piece, bytes)| {
                let (own, others) = rest.split_at(bytes);
                rest = others;
                (piece, own)
            })
            .collect();
        self.crew.each(jobs, |(piece, own)| one(&piece, own, &mut Strips::default()));
    }

    /// Copies what a rank keeps.
    pub fn copy(&mut self, kept: Rectangle<2>, piece: &Piece, from: &Source, to: &Destination) {
        let Self { part, copy_strips, .. } = self;
        let one = |piece: &Piece, strips: &mut Strips<2>| {
            kept.for_each_strip(piece, part, strips, |rows, cols| pack::copy(from, to, rows, cols));
        };
        match self.crew.threads() {
            1 => one(piece, copy_strips),
            threads => self.crew.each(piece.split(threads), |piece| one(&piece, &mut Strips::default())),
        }
    }
}

/// A piece in parts, each with its bytes.
fn parts<'a>(
    work: &'a Work,
    part: &'a Part,
    element: usize,
    threads: usize,
) -> impl Iterator<Item = (Piece, usize)> + 'a {
    work.piece.split(threads).map(move |piece| {
        let elements = usize::try_from(work.rectangle.elements(&piece, part));
        (piece, elements.expect("a piece fits in memory") * element)
    })
}

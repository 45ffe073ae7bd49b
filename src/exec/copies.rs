//! WHICH part of the data that a rank keeps is copied next?

use super::Items;
use super::stream::elements;
use crate::budget::NODE_SLOT;
use crate::plan::{Leg, Piece, Pieces};
use crate::planned::PieceOrder;
use std::ops::Range;

/// Bytes of a local copy made between two questions for what has arrived.
const LOCAL_PIECE: usize = 32 << 10;
/// The least.
const LEAST: usize = 2 << 10;
/// The same for each of several threads, which it must be worth while to ask.
const LOCAL_PIECE_A_THREAD: usize = 512 << 10;

/// What a rank keeps, piece by piece.
#[derive(Default)]
pub(super) struct LocalCopies {
    /// Arrays whose copy is begun, and what is left of the last of them.
    begun: usize,
    copying: Option<Copying>,
}

/// What a rank keeps of an array, while it is copied.
struct Copying {
    item: usize,
    pieces: Pieces,
    /// Numbers of the pieces that are not copied yet.
    left: Range<u64>,
}

impl LocalCopies {
    /// Whether no array is left.
    pub fn is_done(&self, items: &Items<'_>) -> bool {
        let copied = self.copying.as_ref().is_none_or(|copying| copying.left.is_empty());
        copied && self.begun == items.loads.len()
    }

    /// The next piece to copy, by array and number, but for the arrays that are `left_out`; by so many threads. Where runs are
    /// listed there is one piece without a number. What `scratch` holds does not matter.
    pub fn next(
        &mut self,
        items: &Items<'_>,
        (order, threads): (PieceOrder, usize),
        left_out: impl Fn(&Leg) -> bool,
        scratch: &mut Piece,
    ) -> Option<(usize, Option<(Pieces, u64)>)> {
        loop {
            if let Some(Copying { item, pieces, left }) = &mut self.copying {
                if let Some(number) = left.next() {
                    return Some((*item, Some((*pieces, number))));
                }
            }
            let item = self.begun;
            let element = items.loads.get(item)?.planned.element;
            self.begun += 1;
            let leg = items.leg(item);
            let kept = leg.copy.as_ref().filter(|_| !left_out(leg));
            if kept.is_some() && items.flats(item).is_some() {
                return Some((item, None));
            }
            self.copying = kept.map(|kept| {
                let count = kept.product().whole().map(|all| all.end - all.start).product();
                let bytes = local_piece((leg, element), count, order, threads, scratch);
                scratch.set(kept.product().whole());
                let pieces = Pieces::new(scratch, elements(bytes, element), leg.problem.turned);
                Copying { item, pieces, left: 0..pieces.count(scratch) }
            });
        }
    }
}

/// Bytes of a local copy made at once, of `count` elements in all. What `scratch` holds does not matter.
fn local_piece(
    (leg, element): (&Leg, usize),
    count: u64,
    order: PieceOrder,
    threads: usize,
    scratch: &mut Piece,
) -> usize {
    if threads > 1 {
        return LOCAL_PIECE_A_THREAD * threads;
    }
    if order == PieceOrder::ByMessage {
        return LOCAL_PIECE;
    }
    if count <= elements(LEAST, element) {
        return LEAST;
    }
    // As many as there will be pieces to send, if these are of the usual size, so that both keep abreast.
    let side = &leg.sends;
    let mut count_of = |message| {
        side.positions(message, scratch);
        scratch.count()
    };
    let sent: u64 = side.messages.iter().map(&mut count_of).sum();
    let usual = usize::try_from(NODE_SLOT).expect("a few bytes");
    let pieces = (sent / elements(usual, element)).max(1);
    usize::try_from(count / pieces).unwrap_or(usize::MAX).saturating_mul(element).clamp(LEAST, 4 * usual)
}

//! WHICH part of the data that a rank keeps is copied next? Product by product, and each of these piece by piece.

use super::state::Items;
use super::stream::elements;
use crate::plan::planned::PieceOrder;
use crate::plan::{Kept, Leg, Piece, Pieces, Product};
use crate::system::budget::NODE_SLOT;
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
    /// Which of its products.
    product: usize,
    /// Bytes of a piece.
    bytes: usize,
    pieces: Pieces,
    /// Numbers of the pieces that are not copied yet.
    left: Range<u64>,
}

/// A piece of one of the products that a rank keeps: which product, how that is cut, and which piece.
pub(super) type KeptPiece = (usize, Pieces, u64);

impl Copying {
    /// The pieces of product number `product` of what the rank keeps of array `item`. What `scratch` holds does not matter.
    fn new(
        items: &Items<'_>,
        item: usize,
        kept: &Kept,
        (product, bytes): (usize, usize),
        scratch: &mut Piece,
    ) -> Self {
        scratch.set(kept.product(product).whole());
        let most = elements(bytes, items.loads[item].planned.element);
        let pieces = Pieces::new(scratch, most, items.rows(item));
        Self { item, product, bytes, pieces, left: 0..pieces.count(scratch) }
    }

    /// The same of the next product, if there is one.
    fn next(&self, items: &Items<'_>, scratch: &mut Piece) -> Option<Self> {
        let (kept, next) = (items.leg(self.item).copy.as_ref()?, self.product + 1);
        (next < kept.count()).then(|| Self::new(items, self.item, kept, (next, self.bytes), scratch))
    }
}

impl LocalCopies {
    /// Whether no array is left.
    pub fn is_done(&self, items: &Items<'_>) -> bool {
        let last = |copying: &Copying| {
            let kept = items.leg(copying.item).copy.as_ref();
            kept.is_none_or(|kept| copying.product + 1 == kept.count())
        };
        let copied = self.copying.as_ref().is_none_or(|copying| copying.left.is_empty() && last(copying));
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
    ) -> Option<(usize, Option<KeptPiece>)> {
        loop {
            while let Some(copying) = &mut self.copying {
                if let Some(number) = copying.left.next() {
                    return Some((copying.item, Some((copying.product, copying.pieces, number))));
                }
                self.copying = copying.next(items, scratch);
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
                let size =
                    |product: Product<'_, 2>| product.whole().map(|all| all.end - all.start).product::<u64>();
                let count = kept.products().map(size).sum();
                let bytes = local_piece((leg, element), count, order, threads, scratch);
                Copying::new(items, item, kept, (0, bytes), scratch)
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

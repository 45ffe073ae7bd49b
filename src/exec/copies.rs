//! Order of the pieces of a rank's self copies: array by array, product by product.

use super::items::{Items, elements};
use crate::plan::rank_plan::PieceOrder;
use crate::plan::{Piece, Pieces, Product, RankPhase, SelfCopy};
use crate::system::budget::NODE_SLOT;
use std::ops::Range;

/// Bytes copied between two polls for arrivals, with one thread and pieces ordered by message.
const PIECE_BYTES: usize = 32 << 10;
const MIN_PIECE_BYTES: usize = 2 << 10;
/// Bytes of a piece per thread, if there are several: enough to pay for handing it over.
const THREAD_PIECE_BYTES: usize = 512 << 10;

#[derive(Default)]
pub(super) struct LocalCopies {
    /// Number of arrays whose copy has begun, and the progress of the last one.
    begun: usize,
    copying: Option<Copying>,
}

struct Copying {
    item: usize,
    product: usize,
    bytes: usize,
    pieces: Pieces,
    left: Range<u64>,
}

/// A piece of a self copy: number of the product, its division, and number of the piece.
pub(super) type KeptPiece = (usize, Pieces, u64);

impl Copying {
    /// Begins product `product` of the self copy of array `item`. The contents of `scratch` are ignored.
    fn new(
        items: &Items<'_>,
        item: usize,
        kept: &SelfCopy,
        (product, bytes): (usize, usize),
        scratch: &mut Piece,
    ) -> Self {
        scratch.set(kept.product(product).whole());
        let most = elements(bytes, items.loads[item].plan.element);
        let pieces = Pieces::new(scratch, most, items.rows(item));
        Self { item, product, bytes, pieces, left: 0..pieces.count(scratch) }
    }

    fn next(&self, items: &Items<'_>, scratch: &mut Piece) -> Option<Self> {
        let (kept, next) = (items.phase(self.item).copy.as_ref()?, self.product + 1);
        (next < kept.count()).then(|| Self::new(items, self.item, kept, (next, self.bytes), scratch))
    }
}

impl LocalCopies {
    pub fn is_done(&self, items: &Items<'_>) -> bool {
        let last = |copying: &Copying| {
            let kept = items.phase(copying.item).copy.as_ref();
            kept.is_none_or(|kept| copying.product + 1 == kept.count())
        };
        let copied = self.copying.as_ref().is_none_or(|copying| copying.left.is_empty() && last(copying));
        copied && self.begun == items.loads.len()
    }

    /// Returns the next piece, by array and number, for `threads` threads. Skips phases that are `left_out`. An array
    /// with listed runs is a single piece without a number. The contents of `scratch` are ignored.
    pub fn next(
        &mut self,
        items: &Items<'_>,
        (order, threads): (PieceOrder, usize),
        left_out: impl Fn(&RankPhase) -> bool,
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
            let element = items.loads.get(item)?.plan.element;
            self.begun += 1;
            let phase = items.phase(item);
            let kept = phase.copy.as_ref().filter(|_| !left_out(phase));
            if kept.is_some() && items.flats(item).is_some() {
                return Some((item, None));
            }
            self.copying = kept.map(|kept| {
                let size =
                    |product: Product<'_, 2>| product.whole().map(|all| all.end - all.start).product::<u64>();
                let count = kept.products().map(size).sum();
                let bytes = match items.loads[item].devices().next() {
                    None => piece_bytes((phase, element), count, order, threads, scratch),
                    // A device copies everything at once, since each piece would cost a kernel launch.
                    Some(_) => usize::MAX,
                };
                Copying::new(items, item, kept, (0, bytes), scratch)
            });
        }
    }
}

/// Returns the bytes of a piece of a self copy of `count` elements. The contents of `scratch` are ignored.
fn piece_bytes(
    (phase, element): (&RankPhase, usize),
    count: u64,
    order: PieceOrder,
    threads: usize,
    scratch: &mut Piece,
) -> usize {
    if threads > 1 {
        return THREAD_PIECE_BYTES * threads;
    }
    if order == PieceOrder::ByMessage {
        return PIECE_BYTES;
    }
    if count <= elements(MIN_PIECE_BYTES, element) {
        return MIN_PIECE_BYTES;
    }
    // About as many pieces as the rank sends, assuming that these have the usual size. So copying and sending advance
    // together.
    let side = &phase.sends;
    let mut count_of = |message| {
        side.positions(message, scratch);
        scratch.count()
    };
    let sent: u64 = side.messages.iter().map(&mut count_of).sum();
    let usual = usize::try_from(NODE_SLOT).expect("a few bytes");
    let pieces = (sent / elements(usual, element)).max(1);
    usize::try_from(count / pieces)
        .unwrap_or(usize::MAX)
        .saturating_mul(element)
        .clamp(MIN_PIECE_BYTES, 4 * usual)
}

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
pub(super) struct SelfCopyProgress {
    /// Number of arrays whose copy has begun.
    begun: usize,
    /// The last of these arrays.
    copying: Option<Copying>,
}

/// Progress of the self copy of one array.
struct Copying {
    item: usize,
    product: usize,
    /// Maximum bytes of a piece.
    bytes: usize,
    pieces: Pieces,
    /// Numbers of the pieces that are not copied yet.
    remaining: Range<u64>,
}

/// A piece of a self copy: number of the product, its division, and number of the piece.
pub(super) type SelfCopyPiece = (usize, Pieces, u64);

impl Copying {
    /// Begins product `product` of the self copy of array `item`. Overwrites `scratch`.
    fn new(
        items: &Items<'_>,
        item: usize,
        self_copy: &SelfCopy,
        (product, bytes): (usize, usize),
        scratch: &mut Piece,
    ) -> Self {
        scratch.set(self_copy.product(product).whole());
        let most = elements(bytes, items.loads[item].plan.element);
        let pieces = Pieces::new(scratch, most, items.rows(item));
        Self { item, product, bytes, pieces, remaining: 0..pieces.count(scratch) }
    }

    fn next(&self, items: &Items<'_>, scratch: &mut Piece) -> Option<Self> {
        let (self_copy, next) = (items.phase(self.item).copy.as_ref()?, self.product + 1);
        (next < self_copy.count())
            .then(|| Self::new(items, self.item, self_copy, (next, self.bytes), scratch))
    }
}

impl SelfCopyProgress {
    pub fn is_done(&self, items: &Items<'_>) -> bool {
        let last = |copying: &Copying| {
            let self_copy = items.phase(copying.item).copy.as_ref();
            self_copy.is_none_or(|self_copy| copying.product + 1 == self_copy.count())
        };
        let copied =
            self.copying.as_ref().is_none_or(|copying| copying.remaining.is_empty() && last(copying));
        copied && self.begun == items.loads.len()
    }

    /// Returns the next piece and its array, for `threads` threads; leaves out arrays whose phase is `skipped`. The
    /// self copy of an array with listed runs is one piece, `None`. Overwrites `scratch`.
    pub fn next(
        &mut self,
        items: &Items<'_>,
        (order, threads): (PieceOrder, usize),
        skipped: impl Fn(&RankPhase) -> bool,
        scratch: &mut Piece,
    ) -> Option<(usize, Option<SelfCopyPiece>)> {
        loop {
            while let Some(copying) = &mut self.copying {
                if let Some(number) = copying.remaining.next() {
                    return Some((copying.item, Some((copying.product, copying.pieces, number))));
                }
                self.copying = copying.next(items, scratch);
            }
            let item = self.begun;
            let element = items.loads.get(item)?.plan.element;
            self.begun += 1;
            let phase = items.phase(item);
            let self_copy = phase.copy.as_ref().filter(|_| !skipped(phase));
            if self_copy.is_some() && items.phase_runs(item).is_some() {
                return Some((item, None));
            }
            self.copying = self_copy.map(|self_copy| {
                let size =
                    |product: Product<'_, 2>| product.whole().map(|all| all.end - all.start).product::<u64>();
                let count = self_copy.products().map(size).sum();
                let bytes = match items.loads[item].devices().next() {
                    None => piece_bytes((phase, element), count, order, threads, scratch),
                    // A device copies everything at once, since each piece would cost a kernel launch.
                    Some(_) => usize::MAX,
                };
                Copying::new(items, item, self_copy, (0, bytes), scratch)
            });
        }
    }
}

/// Returns the bytes of a piece of a self copy of `count` elements. Overwrites `scratch`.
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
    // About as many pieces as the rank sends if these have the usual size, so that copying and sending advance
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

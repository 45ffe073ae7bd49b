//! WHERE in an array that a sender lends are the elements for this rank, and where do they go?
//!
//! A plan has the receiver's side only; the sender's side follows from the indices of the section. It is computed when an
//! array is first lent, once for each message.

use super::cursor::Direction;
use crate::overlap::Overlap;
use crate::plan::{Leg, Product, Share};
use std::collections::BTreeMap;

/// Index sets in both arrays, by (array, message).
#[derive(Default)]
pub struct Lent {
    known: BTreeMap<(usize, usize), Vec<Vec<Share<2>>>>,
    /// The only one of each dimension.
    which: Vec<u32>,
}

impl Lent {
    /// Message number `message` of array number `item` in the sender's and in this rank's array.
    pub fn product(&mut self, leg: &Leg, (item, message): (usize, usize)) -> Product<'_, 2> {
        let dims = &leg.problem.dims;
        self.which.resize(dims.len(), 0);
        let shares = self.known.entry((item, message)).or_insert_with(|| {
            let side = Direction::Receive.side(leg);
            let own = side.product(&side.messages[message]);
            let both = |(share, dim): (&Share<1>, &Overlap)| {
                vec![Share::new(share.indices.clone(), [&dim.from, &dim.to])]
            };
            own.dims().zip(dims).map(both).collect()
        });
        Product { shares, which: &self.which }
    }
}

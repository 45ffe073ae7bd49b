//! WHERE in an array that a sender lends are the elements for this rank, and where do they go?
//!
//! A leg has the receiver's side only; the sender's side follows from the indices of the section. The leg works it out when an
//! array is first lent, once for each message; here is what one exchange has asked it for.

use crate::plan::{Both, Leg, Product};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Index sets in both arrays, by (array, message).
#[derive(Default)]
pub struct LentProducts {
    known: BTreeMap<(usize, usize), Arc<Both>>,
    /// The only one of each dimension.
    which: Vec<u32>,
}

impl LentProducts {
    /// Message number `message` of array number `item` in the sender's and in this rank's array.
    pub fn product(&mut self, leg: &Leg, (item, message): (usize, usize)) -> Product<'_, 2> {
        self.which.resize(leg.problem.dims.len(), 0);
        let shares = self.known.entry((item, message)).or_insert_with(|| leg.both(message));
        Product { shares, which: &self.which }
    }
}

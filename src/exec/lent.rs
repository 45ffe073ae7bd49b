//! Index sets for reading an array that a sender exposes (zero-copy).
//!
//! A phase stores only the receiver's side. It computes the sender's side from the section's indices when an array is
//! first exposed ([`RankPhase::both`]). An exchange caches these results here.

use crate::plan::{Both, Product, RankPhase};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Index sets in both arrays, by (array, message).
#[derive(Default)]
pub struct LentProducts {
    known: BTreeMap<(usize, usize), Arc<Both>>,
    /// A 0 per dimension: a product has a single index set in each dimension.
    which: Vec<u32>,
}

impl LentProducts {
    /// Returns the product of message `message` of array `item`, in the sender's and in this rank's array.
    pub fn product(&mut self, phase: &RankPhase, (item, message): (usize, usize)) -> Product<'_, 2> {
        self.which.resize(phase.problem.dims.len(), 0);
        let shares = self.known.entry((item, message)).or_insert_with(|| phase.both(message));
        Product { shares, which: &self.which }
    }
}

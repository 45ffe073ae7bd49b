//! Index sets for reading an array that a sender exposes.
//!
//! A phase stores only the receiver's side of a message. When an array is first exposed, [`RankPhase::both`] computes
//! the sender's side from the section's indices. This cache keeps the result.

use crate::plan::{Both, Product, RankPhase};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Index sets in both arrays, by (array, message).
#[derive(Default)]
pub struct ExposedProducts {
    computed: BTreeMap<(usize, usize), Arc<Both>>,
    /// A 0 per dimension: a product has a single index set in each dimension.
    which: Vec<u32>,
}

impl ExposedProducts {
    /// Returns the product of message `message` of array `item`, in the sender's and in this rank's array.
    pub fn product(&mut self, phase: &RankPhase, (item, message): (usize, usize)) -> Product<'_, 2> {
        self.which.resize(phase.problem.dims.len(), 0);
        let shares = self.computed.entry((item, message)).or_insert_with(|| phase.both(message));
        Product { shares, which: &self.which }
    }
}

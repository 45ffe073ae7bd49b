//! WHERE does what this rank receives lie in an array that the sender lends, and where does it go?
//!
//! A plan knows the receiver's side only; the other side follows from the indices of the section. It is worked out when
//! an array is first lent, once a sender.

use super::Work;
use crate::layout::{Axis, Rank};
use crate::plan::{Rectangle, Share};
use crate::problem::Problem;
use std::collections::HashMap;

/// Elements of both arrays, by sender.
pub struct Lent<'a> {
    problem: &'a Problem,
    known: HashMap<Rank, [Share<2>; 2]>,
}

impl<'a> Lent<'a> {
    /// Nothing is worked out yet.
    pub fn new(problem: &'a Problem) -> Self {
        Self { problem, known: HashMap::new() }
    }

    /// The message of `work` in the sender's and in this rank's array.
    pub fn rectangle(&mut self, work: &Work) -> Rectangle<'_, 2> {
        let Problem { rows, cols, .. } = self.problem;
        let both = |share: &Share<1>, from: &Axis, to: &Axis| {
            Share::new(share.indices.clone(), |i| [from.local(i).0, to.local(i).0])
        };
        let Rectangle { rows: own_rows, cols: own_cols } = work.rectangle;
        let [rows, cols] = self
            .known
            .entry(work.message.peer)
            .or_insert_with(|| [both(own_rows, &rows.from, &rows.to), both(own_cols, &cols.from, &cols.to)]);
        Rectangle { rows, cols }
    }
}

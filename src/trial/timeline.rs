//! Times of one call on one rank: begin, end and waits. The report has the times of the same call on all ranks, which
//! shows which rank came late and which ones waited.

use serde::{Deserialize, Serialize};

/// Number of calls of a shape that are recorded. Each replaces the one before, so the second one is kept: the first one
/// also makes the plan.
pub const RECORDED_CALLS: u64 = 2;
/// Maximum number of ranks with a recorded call, for each shape. The lowest ranks are kept. In JSON, a call takes about
/// 100 bytes, and each of its waits up to 50.
const MAX_RANKS: usize = 256;

/// One call on one rank.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RankCall {
    /// Number of the call among those of its shape on this rank, from 1.
    pub number: u64,
    /// Rank in the enclosing communicator.
    pub rank: u32,
    /// Nanoseconds from 1970 to the begin of the call, by the clock of the rank's node.
    pub begin_ns: u64,
    /// Seconds from its begin to its end.
    pub seconds: f64,
    /// The first waits of the call: seconds from the begin of the call to the begin of the wait, and its length in
    /// seconds. Short waits do not read the clock, so they are missing.
    pub waits: Vec<[f64; 2]>,
}

pub fn add(mine: &mut Vec<RankCall>, others: &[RankCall]) {
    mine.extend_from_slice(others);
    mine.sort_by_key(|call| call.rank);
    mine.truncate(MAX_RANKS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_ranks_are_kept() {
        let call = |rank| RankCall { number: 2, rank, begin_ns: 1, seconds: 2.0, waits: vec![[0.5, 1.0]] };
        let mut all: Vec<RankCall> = Vec::new();
        for rank in (0..300).rev() {
            add(&mut all, &[call(rank)]);
        }
        assert_eq!(all, (0..256).map(call).collect::<Vec<_>>());
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Vec<RankCall>>(&text).unwrap(), all);
    }
}

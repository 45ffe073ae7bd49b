//! One call on one rank: when it began and ended, and when the rank only waited. The report has the same call of all
//! ranks, so a reader sees who came late and who waited.

use serde::{Deserialize, Serialize};

/// Number of the last call of a shape that is recorded: the second one, since the first one makes the plan.
pub const RECORDED_CALLS: u64 = 2;
/// Maximum number of ranks with a recorded call, for each shape: the lowest ones. A rank takes about 100 bytes.
const MAX_RANKS: usize = 256;

/// One call on one rank.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RankCall {
    /// Number of the call among those of its shape on this rank, from 1.
    pub number: u64,
    /// Rank in the enclosing communicator.
    pub rank: u32,
    /// Nanoseconds from 1970 to the call's begin, by the clock of the rank's node.
    pub begin_ns: u64,
    /// Seconds from its begin to its end.
    pub seconds: f64,
    /// Times in which the rank only waited for others: start after the call's begin, and length, in seconds. The first
    /// ones, and only those long enough for the clock to be read.
    pub waits: Vec<[f64; 2]>,
}

/// Adds the calls of other ranks.
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

//! WHO owns the indices of an `INDIRECT` axis of which each rank gives a stretch? The ranks tell each other their stretches,
//! as runs of indices with the same owner: what is told and kept grows with the runs, not with the indices.

use super::failure::Failure;
use crate::layout::Indirect;
use crate::mpi::gather_all;
use crate::session::Session;

/// The owners of neighbouring indices.
#[derive(Clone, Debug)]
pub struct Stretch {
    lower: i64,
    /// (owner, indices) of each run.
    runs: Vec<(u32, u64)>,
}

impl Stretch {
    /// The owners of the indices from `lower` on.
    pub fn new(lower: i64, owners: &[u32]) -> Self {
        Self { lower, runs: owners.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)).collect() }
    }

    fn len(&self) -> u64 {
        self.runs.iter().map(|(_, len)| len).sum()
    }
}

/// Collective over the communicator of `session`, whose ranks have agreed to come here: the owners, among `procs`, of the
/// `extent` indices from `lower` on, of which each rank gives a stretch. All ranks come to the same result.
pub fn gathered(
    session: &Session,
    mine: &Stretch,
    lower: i64,
    extent: u64,
    procs: u32,
) -> Result<Indirect, Failure> {
    let words: Vec<u64> = std::iter::once(unsigned(mine.lower))
        .chain(mine.runs.iter().flat_map(|&(owner, len)| [u64::from(owner), len]))
        .collect();
    let all = if session.ranks == 1 { vec![words] } else { gather_all(session.comm(), &words)? };
    let mut stretches: Vec<(u32, Stretch)> = Vec::with_capacity(all.len());
    for (rank, words) in (0u32..).zip(&all) {
        let (first, runs) = words.split_first().expect("each rank tells where its stretch begins");
        let run = |pair: &[u64]| (u32::try_from(pair[0]).unwrap_or(u32::MAX), pair[1]);
        let stretch = Stretch { lower: signed(*first), runs: runs.chunks_exact(2).map(run).collect() };
        if !stretch.runs.is_empty() {
            stretches.push((rank, stretch));
        }
    }
    stretches.sort_by_key(|(_, stretch)| stretch.lower);
    joined(&stretches, lower, extent, procs)
}

/// The bits of a number as those of another kind.
fn unsigned(n: i64) -> u64 {
    u64::from_ne_bytes(n.to_ne_bytes())
}

/// The other way round.
fn signed(n: u64) -> i64 {
    i64::from_ne_bytes(n.to_ne_bytes())
}

/// The owners that `stretches`, in order, come to.
fn joined(stretches: &[(u32, Stretch)], lower: i64, extent: u64, procs: u32) -> Result<Indirect, Failure> {
    let upper = i128::from(lower) + i128::from(extent) - 1;
    let mut next = i128::from(lower);
    for (rank, stretch) in stretches {
        let last = i128::from(stretch.lower) + i128::from(stretch.len()) - 1;
        if i128::from(stretch.lower) != next || last > upper {
            return Err(Failure::argument(format!(
                "rank {rank} gives the owners of indices {} to {last}, expected {next} to at most {upper}: stretches must \
                 name each index once",
                stretch.lower
            )));
        }
        next = last + 1;
    }
    if next <= upper {
        return Err(Failure::argument(format!("no rank gives the owners of indices {next} to {upper}")));
    }
    let runs = stretches.iter().flat_map(|(_, stretch)| stretch.runs.iter().copied());
    Indirect::new(procs, runs).ok_or_else(|| Failure::argument("INDIRECT has more than 2^32 runs of owners"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_joined_in_order_of_their_indices() {
        let stretch = |lower, owners: &[u32]| Stretch::new(lower, owners);
        let joined = |stretches: &[(u32, Stretch)]| joined(stretches, -2, 6, 3);
        let good = joined(&[(1, stretch(-2, &[0, 0, 2])), (0, stretch(1, &[2, 1, 1]))]).unwrap();
        let runs: Vec<_> = good.runs().collect();
        assert_eq!(runs, [(0, 0..2), (2, 2..4), (1, 4..6)]);
        let why = |stretches: &[(u32, Stretch)]| joined(stretches).unwrap_err().text;
        assert_eq!(why(&[(0, stretch(-2, &[0; 5]))]), "no rank gives the owners of indices 3 to 3");
        assert!(
            why(&[(0, stretch(-2, &[0; 7]))])
                .starts_with("rank 0 gives the owners of indices -2 to 4, expected -2")
        );
        assert!(why(&[(0, stretch(-2, &[0; 3])), (4, stretch(0, &[1; 4]))]).starts_with("rank 4 gives"));
    }
}

//! Distribution with one block of any size per process (HPF `GEN_BLOCK`).

use super::{Global, Local};
use std::sync::Arc;

/// Process c owns the indices `bounds[c]..bounds[c + 1]`, stored in that order from local index 0 on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GenBlock {
    /// Non-descending bounds, starting with 0.
    bounds: Arc<[u64]>,
}

impl GenBlock {
    /// Creates blocks of the given sizes, which may be 0. Returns `None` without processes, or if the sizes overflow
    /// 64 bits.
    pub fn new(sizes: &[u64]) -> Option<Self> {
        let mut bounds = Vec::with_capacity(sizes.len() + 1);
        bounds.push(0u64);
        for size in sizes {
            bounds.push(bounds.last()?.checked_add(*size)?);
        }
        (!sizes.is_empty() && u32::try_from(sizes.len()).is_ok()).then(|| Self { bounds: bounds.into() })
    }

    /// Returns the blocks of an array whose element i is aligned with index `origin + stride * i` of these blocks.
    pub fn aligned(&self, origin: u64, stride: u64) -> Self {
        let bounds = self.bounds.iter().map(|&bound| bound.saturating_sub(origin).div_ceil(stride));
        Self { bounds: bounds.collect() }
    }

    /// Returns the blocks in reverse order: process c gets the block of process P - 1 - c.
    pub fn reversed(&self) -> Self {
        let total = self.total();
        Self { bounds: self.bounds.iter().rev().map(|bound| total - bound).collect() }
    }

    /// Returns the number of processes, one block each.
    pub fn procs(&self) -> u32 {
        u32::try_from(self.bounds.len() - 1).expect("checked by the constructor")
    }

    /// Returns one past the last index of the last block.
    pub fn total(&self) -> u64 {
        *self.bounds.last().expect("starts with 0")
    }

    /// Returns the range of indices of process `coord`.
    pub fn span(&self, coord: u32) -> std::ops::Range<u64> {
        self.bounds[coord as usize]..self.bounds[coord as usize + 1]
    }

    /// Returns one past the last index of each block, in the order of the processes.
    pub fn ends(&self) -> &[u64] {
        &self.bounds[1..]
    }

    /// Returns the owner of index `i`, which must be below [`GenBlock::total`].
    pub fn owner(&self, i: Global) -> u32 {
        u32::try_from(self.bounds.partition_point(|&b| b <= i.0) - 1).expect("fewer than 2^32 processes")
    }

    /// Returns the local index of index `i` on its owner.
    pub fn local(&self, i: Global) -> Local {
        Local(i.0 - self.bounds[self.owner(i) as usize])
    }

    /// Returns the number of indices in `0..n` that process `coord` owns.
    pub fn local_len(&self, n: u64, coord: u32) -> u64 {
        let span = self.span(coord);
        span.end.min(n).saturating_sub(span.start)
    }
}

#[cfg(any(test, feature = "samples"))]
impl GenBlock {
    /// Cuts the indices `0..total` at random: some blocks may be empty, and a few many times longer than most blocks.
    pub fn random(rng: &mut fastrand::Rng, procs: u32, total: u64) -> Self {
        let mut bounds: Vec<u64> = (1..procs).map(|_| rng.u64(0..=total)).chain([0, total]).collect();
        bounds.sort_unstable();
        Self { bounds: bounds.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_dealt_in_order() {
        let sizes = [3, 0, 5, 1];
        let dist = GenBlock::new(&sizes).unwrap();
        let dealt: Vec<(u32, u64)> =
            (0u32..).zip(sizes).flat_map(|(c, size)| (0..size).map(move |l| (c, l))).collect();
        assert_eq!((dist.procs(), dist.total()), (4, 9));
        for (i, want) in (0..).zip(dealt) {
            assert_eq!((dist.owner(Global(i)), dist.local(Global(i)).0), want);
        }
        assert_eq!((0..4).map(|c| dist.local_len(7, c)).collect::<Vec<_>>(), [3, 0, 4, 0]);
    }

    #[test]
    fn there_is_at_least_one_process_and_no_overflow() {
        assert_eq!(GenBlock::new(&[]), None);
        assert_eq!(GenBlock::new(&[u64::MAX, 1]), None);
    }
}

//! Block-cyclic distribution: blocks of one size, dealt round robin (HPF `CYCLIC(k)`, ScaLAPACK).
//!
//! Block `b` covers indices `[b*block, (b+1)*block)`. Its owner is process `(first + b) mod procs`, which stores it as
//! local block `b / procs` (rounded down). HPF's BLOCK is the case of at most one block per process.

use super::{Global, Local};

/// Blocks of `block` indices dealt to `procs` processes, starting with process `first`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cyclic {
    block: u64,
    procs: u32,
    first: u32,
}

impl Cyclic {
    /// One process that owns all indices.
    pub const ONE: Self = Self { block: 1, procs: 1, first: 0 };

    /// Creates a distribution; `None` if `block` is 0 or `first` is not below `procs`. Besides [`Self::ONE`], the only
    /// constructor.
    pub fn new(block: u64, procs: u32, first: u32) -> Option<Self> {
        (block > 0 && first < procs).then_some(Self { block, procs, first })
    }

    /// Returns the number of indices of a block; at least 1.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// Returns the number of processes along the grid dimension.
    pub fn procs(&self) -> u32 {
        self.procs
    }

    /// Returns the process that has the first block.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Returns the position of process `coord` in each round of `procs` blocks, from 0.
    pub fn position_in_round(&self, coord: u32) -> u32 {
        let (procs, first) = (u64::from(self.procs), u64::from(self.first));
        u32::try_from((u64::from(coord) + procs - first) % procs).expect("a remainder of a u32 fits in a u32")
    }

    /// Returns the process that owns global index `i`.
    pub fn owner(&self, i: Global) -> u32 {
        self.owner_of_block(i.0 / self.block)
    }

    /// Returns the process that owns block number `b`.
    pub fn owner_of_block(&self, b: u64) -> u32 {
        let procs = u64::from(self.procs);
        let owner = (u64::from(self.first) + b % procs) % procs;
        u32::try_from(owner).expect("a remainder of a u32 fits in a u32")
    }

    /// Returns the local index of global index `i` on its owner.
    pub fn local(&self, i: Global) -> Local {
        Local(i.0 / self.block / u64::from(self.procs) * self.block + i.0 % self.block)
    }

    /// Returns the global index of local index `own` on process `coord`; `None` if it exceeds 64 bits.
    pub fn global(&self, coord: u32, Local(own): Local) -> Option<Global> {
        let round = (own / self.block).checked_mul(u64::from(self.procs))?;
        let start = round.checked_add(u64::from(self.position_in_round(coord)))?.checked_mul(self.block)?;
        start.checked_add(own % self.block).map(Global)
    }

    /// Returns the number of global indices in `0..n` that process `coord` owns (ScaLAPACK's NUMROC).
    pub fn local_len(&self, n: u64, coord: u32) -> u64 {
        if self.procs == 1 {
            return n;
        }
        let procs = u64::from(self.procs);
        let place = u64::from(self.position_in_round(coord));
        let whole = n / self.block;
        let mine = whole / procs * self.block;
        match place.cmp(&(whole % procs)) {
            std::cmp::Ordering::Less => mine + self.block,
            std::cmp::Ordering::Equal => mine + n % self.block,
            std::cmp::Ordering::Greater => mine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle: returns (owner, local index) of each index, by dealing the blocks out one element at a time.
    fn deal(n: u64, block: u64, procs: u32, first: u32) -> Vec<(u32, u64)> {
        let mut held = vec![0; procs as usize];
        let (mut turn, mut left) = (first, block);
        (0..n)
            .map(|_| {
                if left == 0 {
                    (turn, left) = ((turn + 1) % procs, block);
                }
                left -= 1;
                held[turn as usize] += 1;
                (turn, held[turn as usize] - 1)
            })
            .collect()
    }

    #[test]
    fn every_small_distribution_is_dealt_like_the_oracle() {
        for (n, block, procs) in
            (0..30).flat_map(|n| (1..9).flat_map(move |b| (1..6).map(move |p| (n, b, p))))
        {
            for first in 0..procs {
                let dist = Cyclic::new(block, procs, first).unwrap();
                let dealt = deal(n, block, procs, first);
                for (i, &(owner, local)) in (0..).zip(&dealt) {
                    let got = (dist.owner(Global(i)), dist.local(Global(i)).0);
                    assert_eq!(got, (owner, local), "i={i} block={block} procs={procs} first={first}");
                    assert_eq!(
                        dist.global(owner, Local(local)),
                        Some(Global(i)),
                        "block={block} procs={procs} first={first}"
                    );
                }
                for coord in 0..procs {
                    let held = dealt.iter().filter(|(owner, _)| *owner == coord).count() as u64;
                    assert_eq!(
                        dist.local_len(n, coord),
                        held,
                        "n={n} block={block} procs={procs} first={first}"
                    );
                }
            }
        }
    }

    #[test]
    fn only_valid_distributions_can_be_made() {
        assert_eq!(Cyclic::new(0, 1, 0), None);
        assert_eq!(Cyclic::new(1, 2, 2), None);
        assert_eq!(Cyclic::new(1, 0, 0), None);
    }

    #[test]
    fn huge_extents_do_not_overflow() {
        let dist = Cyclic::new(1 << 62, 3, 2).unwrap();
        assert_eq!(dist.owner(Global(u64::MAX)), (2 + 3) % 3);
        assert_eq!(dist.local_len(u64::MAX, 2), (1 << 62) + (1 << 62) - 1);
        assert_eq!(dist.global(2, Local(1 << 62)), Some(Global(3 << 62)));
        assert_eq!(dist.global(0, Local(1 << 62)), None);
    }
}

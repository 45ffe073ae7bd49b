//! The ranks of a drawing, in groups of consecutive ranks if there are many.

use reblock_plan::layout::distribution::Grid;

/// Maximum number of groups: rows of a matrix that a reader can still distinguish.
const MAX_GROUPS: usize = 64;

/// All ranks of both sides in ascending order, in groups of equal size. The last group may be smaller.
#[derive(Debug)]
pub struct RankGroups {
    ranks: Vec<u32>,
    per_group: usize,
}

impl RankGroups {
    pub fn new(from: &Grid, to: &Grid) -> Self {
        let mut ranks: Vec<u32> = [from, to].into_iter().flat_map(Grid::ranks).map(|rank| rank.0).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let per_group = ranks.len().div_ceil(MAX_GROUPS).next_power_of_two();
        Self { ranks, per_group }
    }

    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.ranks.len().div_ceil(self.per_group)
    }

    /// Returns true if each rank is a group by itself.
    pub fn are_single(&self) -> bool {
        self.per_group == 1
    }

    pub fn contain(&self, rank: u32) -> bool {
        self.ranks.binary_search(&rank).is_ok()
    }

    /// Returns the group of `rank`, which must be one of the ranks.
    pub fn group_of(&self, rank: u32) -> usize {
        self.ranks.partition_point(|&other| other < rank) / self.per_group
    }

    /// Returns the first rank of a group.
    pub fn first(&self, group: usize) -> u32 {
        self.ranks[group * self.per_group]
    }

    /// Describes a group: "rank 5", or "ranks 32 to 47".
    pub fn name(&self, group: usize) -> String {
        let end = ((group + 1) * self.per_group).min(self.ranks.len());
        match (self.first(group), self.ranks[end - 1]) {
            (first, last) if first == last => format!("rank {first}"),
            (first, last) => format!("ranks {first} to {last}"),
        }
    }

    /// Returns the CSS class of a group's colour: distinct colours for few groups, a scale for many.
    pub fn colour(&self, group: usize) -> String {
        match self.len() {
            0..=32 => format!("c{}", (group + group / 7) % 7),
            all => format!("s{}", group * 16 / all),
        }
    }
}

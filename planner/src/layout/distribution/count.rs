//! Counts the elements of an arithmetic progression that one process of a block-cyclic distribution owns.
//!
//! The count is a closed formula, so local indices of an array that is aligned with a stride are found without a loop
//! over elements.

use super::{Cyclic, floor_sum};

/// The template indices `origin + stride * i` of the elements of an array that is aligned with a block-cyclic template.
#[derive(Clone, Copy, Debug)]
pub struct Progression {
    /// Template index of element 0.
    pub origin: u64,
    /// Distance of neighbouring elements in template indices; at least 1.
    pub stride: u64,
}

impl Progression {
    /// Returns the number of elements among 0..n that process `coord` of `dist` owns.
    pub fn count(&self, dist: &Cyclic, n: u64, coord: u32) -> u64 {
        let wide = |n: u64| u128::from(n);
        let cycle = wide(dist.block()) * wide(dist.procs().into());
        let first = wide(dist.block()) * wide(dist.position_in_round(coord).into());
        // Index t is in the process's blocks iff (t - block - first, t - first] contains a multiple of the cycle.
        let below =
            |bound: u128| floor_sum(wide(n), cycle, wide(self.stride), wide(self.origin) + cycle - bound);
        let count = below(first).wrapping_sub(below(first + wide(dist.block())));
        u64::try_from(count).expect("no more than n")
    }
}

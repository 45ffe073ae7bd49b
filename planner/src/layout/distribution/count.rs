//! Counts the elements of an arithmetic progression that one process of a block-cyclic distribution owns.
//!
//! The count is a closed formula, so local indices of an array that is aligned with a stride are found without a loop
//! over elements.

use super::Cyclic;

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
        let first = wide(dist.block()) * wide(dist.place(coord).into());
        // Index t is in the process's blocks iff (t - block - first, t - first] contains a multiple of the cycle.
        let below =
            |bound: u128| floor_sum(wide(n), cycle, wide(self.stride), wide(self.origin) + cycle - bound);
        let count = below(first) - below(first + wide(dist.block()));
        u64::try_from(count).expect("no more than n")
    }
}

/// Returns the sum of floor((a i + b) / m) over i in 0..n, by Euclid's algorithm: in time logarithmic in a and m.
///
/// Requires m, b < 2^97 and a n < 2^64. Both hold here: block sizes have 64 bits and process counts 32, and template
/// indices have 64 bits. The sum is taken modulo 2^128, so small differences of two sums are exact.
fn floor_sum(n: u128, m: u128, a: u128, b: u128) -> u128 {
    let (mut n, mut m, mut a, mut b, mut sum) = (n, m, a, b, 0u128);
    loop {
        if a >= m {
            sum = sum.wrapping_add((n.saturating_sub(1)).wrapping_mul(n) / 2 * (a / m));
            a %= m;
        }
        if b >= m {
            sum = sum.wrapping_add(n.wrapping_mul(b / m));
            b %= m;
        }
        let last = a * n + b;
        if last < m {
            return sum;
        }
        (n, b) = (last / m, last % m);
        (m, a) = (a, m);
    }
}

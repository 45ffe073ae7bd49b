//! How many of the first indices of an arithmetic progression fall into one process's blocks? A closed formula, so that
//! finding local indices of arrays that are aligned with a stride takes no loop over them.

use super::Cyclic;

/// Which elements of a round robin of blocks are looked at: template indices `origin + stride * i`.
#[derive(Clone, Copy, Debug)]
pub struct Progression {
    /// Template index of element 0.
    pub origin: u64,
    /// Template indices from an element to the next one; at least 1.
    pub stride: u64,
}

impl Progression {
    /// How many of the elements 0..n process `coord` of `dist` owns.
    pub fn count(&self, dist: &Cyclic, n: u64, coord: u32) -> u64 {
        let wide = |n: u64| u128::from(n);
        let cycle = wide(dist.block()) * wide(dist.procs().into());
        let first = wide(dist.block()) * wide(dist.place(coord).into());
        // An index t is in the process's blocks iff one more multiple of the cycle lies in (t - block - first, t - first].
        let below =
            |bound: u128| floor_sum(wide(n), cycle, wide(self.stride), wide(self.origin) + cycle - bound);
        let count = below(first) - below(first + wide(dist.block()));
        u64::try_from(count).expect("no more than n")
    }
}

/// The sum of floor((a i + b) / m) over i in 0..n, as Euclid's algorithm has it: in time logarithmic in a and m.
///
/// n < 2^64, m and b < 2^97 and a < 2^64, as they come from blocks of 64-bit indices on 32-bit numbers of processes; the sum
/// is taken modulo 2^128, which does not matter to differences that are small.
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

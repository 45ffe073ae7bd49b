//! Sums of rounded quotients, which count the points of a lattice under a line.

/// Returns the sum of floor((a i + b) / m) over i in 0..n, by Euclid's algorithm: in time logarithmic in a and m.
///
/// Requires a n + b < 2^128 and m > 0. The sum is taken modulo 2^128, so the difference of two sums (`wrapping_sub`) is
/// exact if it is below 2^128.
pub(crate) fn floor_sum(n: u128, m: u128, a: u128, b: u128) -> u128 {
    let (mut n, mut m, mut a, mut b, mut sum) = (n, m, a, b, 0u128);
    loop {
        if a >= m {
            sum = sum.wrapping_add(pairs(n).wrapping_mul(a / m));
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

/// Returns n (n - 1) / 2 modulo 2^128.
fn pairs(n: u128) -> u128 {
    if n % 2 == 0 { (n / 2).wrapping_mul(n.wrapping_sub(1)) } else { (n / 2).wrapping_mul(n) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_the_quotients() {
        let mut random = fastrand::Rng::with_seed(6);
        for _ in 0..2_000 {
            let [n, m, a, b] = [0..30, 1..50, 0..120, 0..120].map(|range| random.u128(range));
            assert_eq!(floor_sum(n, m, a, b), (0..n).map(|i| (a * i + b) / m).sum(), "{n} {m} {a} {b}");
        }
    }

    #[test]
    fn the_largest_numbers_are_no_overflow() {
        let (n, m, a) = (1 << 20, (1 << 62) - 57, 1 << 42);
        assert_eq!(floor_sum(n, m, a, m - 1), (0..n).map(|i| (a * i).div_ceil(m)).sum());
        // One quotient of the largest numbers, and one row of zeros.
        let most = u128::from(u64::MAX);
        assert_eq!(floor_sum(1, most, most, most), 1);
        assert_eq!(floor_sum(most, most, 0, most - 1), 0);
        // Sums above 2^128, modulo 2^128.
        let (n, a) = (1u128 << 40, 1u128 << 62);
        assert_eq!(floor_sum(n, 1, a, 0), (n / 2).wrapping_mul(n - 1).wrapping_mul(a));
        assert_eq!(floor_sum(most, 1, most, 0), (most / 2).wrapping_mul(most).wrapping_mul(most));
    }
}

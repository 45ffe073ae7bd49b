//! Digests, so that ranks can compare values without sending them, and a fast hasher for tables.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Returns a digest of `value`, at least 0. Ranks that run the same program compute equal digests.
pub fn digest(value: &(impl Hash + ?Sized)) -> i64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    i64::try_from(hasher.finish() >> 1).expect("63 bits")
}

/// Returns a digest of a few dozen numbers in some nanoseconds: combines both halves of 128-bit products (Wang Yi's
/// wyhash, 2019).
pub fn quick(numbers: &[i64]) -> i64 {
    let folded = |a: u64, b: u64| {
        let product = (u128::from(a) * u128::from(b)).to_ne_bytes();
        let half = |k: usize| u64::from_ne_bytes(product[8 * k..8 * k + 8].try_into().expect("eight bytes"));
        half(0) ^ half(1)
    };
    const ODD: [u64; 4] =
        [0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB, 0xD6E8_FEB8_6659_FD93];
    let mut lanes = [ODD[0], ODD[1]];
    for four in numbers.chunks(4) {
        let word = |k: usize| four.get(k).map_or(0, |n| u64::from_ne_bytes(n.to_ne_bytes()));
        lanes[0] = folded(lanes[0] ^ word(0), ODD[2] ^ word(1));
        lanes[1] = folded(lanes[1] ^ word(2), ODD[3] ^ word(3));
    }
    i64::try_from(folded(lanes[0] ^ numbers.len() as u64, lanes[1] ^ ODD[0]) >> 1).expect("63 bits")
}

/// Mixes the bits of `word`, so that each bit of the result depends on all of them (finalizer of Steele, Lea and
/// Flood's SplitMix64, 2014).
pub fn mixed(word: u64, seed: u64) -> u64 {
    let word = word.wrapping_add((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// Hasher of integers, word by word, for tables within a process.
#[derive(Clone, Copy, Default)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = mixed(self.0 ^ word, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn one_or_two_changed_bits_change_the_digest() {
        let (numbers, bits) = ([7_i64; 21], 21 * 64);
        let flipped = |numbers: &[i64], bit: usize| {
            let mut numbers = numbers.to_vec();
            numbers[bit / 64] ^= 1 << (bit % 64);
            numbers
        };
        let mut seen = HashSet::from([quick(&numbers)]);
        for first in 0..bits {
            let once = flipped(&numbers, first);
            assert!(seen.insert(quick(&once)), "bit {first}");
            for second in (0..first).step_by(13) {
                assert!(seen.insert(quick(&flipped(&once, second))), "bits {first} and {second}");
            }
        }
        assert!((0..40).all(|len| seen.insert(quick(&vec![0; len]))), "zeros count");
    }
}

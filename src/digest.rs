//! WHICH number stands for a value, so that ranks can compare what they have without sending all of it? It knows values; it
//! never knows what they mean.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A number that tells values apart: the same on all ranks of a job, which run the same program, and not negative.
pub fn digest(value: &(impl Hash + ?Sized)) -> i64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    i64::try_from(hasher.finish() >> 1).expect("63 bits")
}

/// A word whose bits all depend on all bits of `word` (the finalizer of Steele, Lea and Flood's SplitMix64, 2014).
pub fn mixed(word: u64, seed: u64) -> u64 {
    let word = word.wrapping_add((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// Hashes numbers for a table of the process's own, word by word.
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

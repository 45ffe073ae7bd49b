//! WHICH number stands for a value, so that ranks can compare what they have without sending all of it? It knows values; it
//! never knows what they mean.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A number that tells values apart: the same on all ranks of a job, which run the same program, and not negative.
pub fn digest(value: &(impl Hash + ?Sized)) -> i64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    i64::try_from(hasher.finish() >> 1).expect("63 bits")
}

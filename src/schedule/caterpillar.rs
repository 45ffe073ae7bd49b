//! The caterpillar order: in step d every rank sends to the rank d places after it (the pairing `q - p = d` of
//! Prylli and Tourancheau's redistribution, which ScaLAPACK uses with `p + q = d`). No rank is twice in a step,
//! whatever the messages are, and a rank needs to know only its own.

use crate::layout::Rank;

/// The step, below `ranks`, in which the message from `source` to `destination` travels.
pub fn caterpillar(source: Rank, destination: Rank, ranks: u32) -> u32 {
    let (p, q, n) = (u64::from(source.0), u64::from(destination.0), u64::from(ranks));
    u32::try_from((q + n - p % n) % n).expect("a remainder of a u32 fits in a u32")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_step_is_a_matching() {
        for n in 1..12 {
            let mut sends = HashSet::new();
            let mut receives = HashSet::new();
            for (p, q) in (0..n).flat_map(|p| (0..n).map(move |q| (p, q))) {
                let step = caterpillar(Rank(p), Rank(q), n);
                assert!(step < n);
                assert!(sends.insert((step, p)), "{p} sends twice in step {step}");
                assert!(receives.insert((step, q)), "{q} receives twice in step {step}");
            }
        }
    }
}

//! Set of small step numbers, as a bit mask.

/// Number of steps that a set can hold.
pub const MAX_STEPS: u64 = 256;

/// A set of steps below [`MAX_STEPS`].
#[derive(Clone, Copy, Default, Debug)]
pub struct Set([u64; 4]);

impl Set {
    pub fn insert(&mut self, step: u64) {
        self.0[word_of(step)] |= 1 << (step % 64);
    }

    #[cfg(test)]
    pub fn has(&self, step: u64) -> bool {
        self.0[word_of(step)] >> (step % 64) & 1 == 1
    }

    /// Inserts the `count` steps from `first` on.
    pub fn fill(&mut self, first: u64, count: u64) {
        let end = first + count;
        for (word, start) in self.0.iter_mut().zip((0..).step_by(64)) {
            let below = |bound: u64| match bound.saturating_sub(start) {
                0..64 => (1 << bound.saturating_sub(start)) - 1,
                _ => u64::MAX,
            };
            *word |= below(end) & !below(first);
        }
    }

    /// Returns the smallest step below `steps` that is in neither set.
    pub fn first_free(&self, other: &Self, steps: u64) -> Option<u64> {
        let words = self.0.iter().zip(&other.0).zip((0..).step_by(64));
        let mut free = words.filter(|((a, b), _)| **a | **b != u64::MAX);
        let ((a, b), start) = free.next()?;
        Some(start + u64::from((a | b).trailing_ones())).filter(|&step| step < steps)
    }
}

fn word_of(step: u64) -> usize {
    usize::try_from(step / 64).expect("less than MAX_STEPS")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_contain_their_inserted_numbers() {
        let mut rng = fastrand::Rng::with_seed(6);
        for _ in 0..500 {
            let sets: [(Set, Vec<bool>); 2] = std::array::from_fn(|_| {
                let (mut set, mut naive) = (Set::default(), vec![false; MAX_STEPS as usize]);
                for _ in 0..rng.u32(0..6) {
                    let first = rng.u64(0..MAX_STEPS);
                    let count = rng.u64(0..=MAX_STEPS - first);
                    set.fill(first, count);
                    naive[first as usize..(first + count) as usize].fill(true);
                    let one = rng.u64(0..MAX_STEPS);
                    set.insert(one);
                    naive[one as usize] = true;
                }
                (set, naive)
            });
            let steps = rng.u64(1..=MAX_STEPS);
            let [(a, in_a), (b, in_b)] = &sets;
            let naive = |step: &u64| !in_a[*step as usize] && !in_b[*step as usize];
            assert_eq!(a.first_free(b, steps), (0..steps).find(naive));
        }
    }
}

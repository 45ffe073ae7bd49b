//! Which steps may the ends of a port have, so that its other messages fit?
//!
//! Steps are sorted by cost, dearest first, so a message may be in the first so many of them: its *room*. Sets of steps
//! are bits.

use super::MOST_STEPS;

/// The first `room` steps.
pub fn first_steps(room: u8) -> u64 {
    !from_step(room.into())
}

/// The steps from `step` on.
fn from_step(step: usize) -> u64 {
    if step >= 64 { 0 } else { u64::MAX << step }
}

/// In which pairs of steps may the first and the last message of a port be, so that the others fit? Those can be in the
/// first so many steps each, so they fit if for every number k of first steps, at most k messages are confined to them;
/// where there is no room to spare neither of the two may be, where there is room for one not both.
pub struct Rule {
    /// Neither may be below.
    none_below: usize,
    /// Not both may be below.
    one_below: usize,
}

impl Rule {
    /// The rule of a port with others of the given rooms in so many steps.
    pub fn new(inner: impl ExactSizeIterator<Item = u8>, steps: usize) -> Self {
        let mut rule = Self { none_below: 0, one_below: 0 };
        if inner.len() == 0 {
            return rule;
        }
        // How many messages are confined to exactly so many first steps.
        let mut confined = [0u8; MOST_STEPS as usize + 1];
        for room in inner {
            confined[usize::from(room)] += 1;
        }
        let mut sum = 0;
        for (k, &more) in confined[..=steps].iter().enumerate() {
            sum += usize::from(more);
            match (k.checked_sub(sum), more) {
                (None, _) => return Self { none_below: usize::MAX, one_below: usize::MAX },
                (Some(0), 1..) => rule.none_below = k,
                (Some(1), 1..) => rule.one_below = k,
                _ => (),
            }
        }
        rule
    }

    /// The steps among `set` that one of the two may be in while the other is in `step`.
    pub fn others(&self, step: usize, set: u64) -> u64 {
        if step < self.none_below {
            return 0;
        }
        let below = if step < self.one_below { self.one_below.max(self.none_below) } else { self.none_below };
        set & from_step(below) & !(1 << step)
    }

    /// The steps among `last` that leave one of `first` for the other: those for which [`Rule::others`] has any.
    pub fn last(&self, first: u64, last: u64) -> u64 {
        let both = self.one_below.max(self.none_below);
        let (first, last) = (first & from_step(self.none_below), last & from_step(self.none_below));
        let late = if first.is_power_of_two() { last & !first } else { last };
        let late = if first == 0 { 0 } else { late & from_step(both) };
        let early = if first & from_step(both) == 0 { 0 } else { last & !from_step(both) };
        late | early
    }
}

//! Participation of ranks in a call: whether they refuse it, and how many calls they gave up before; see
//! [`refuse`](super::refuse).

/// Participation of one rank in a call, or merged participation of several ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Participation {
    /// Calls that the rank gave up right before this one; merged by maximum.
    given_up: u8,
    /// `given_up` if the rank refuses the call, otherwise [`Participation::TAKES_PART`]; merged by minimum.
    refused_after: u8,
}

impl Participation {
    pub(super) const TAKES_PART: u8 = u8::MAX;
    /// Takes part, after giving up no call.
    pub const PLAIN: Self = Self { given_up: 0, refused_after: Self::TAKES_PART };
    /// Refuses the call, after giving up none.
    pub const REFUSES: Self = Self { given_up: 0, refused_after: 0 };

    /// Returns this participation after `given_up` calls were given up.
    pub(super) fn after(self, given_up: u8) -> Self {
        let refuses = self.refused_after != Self::TAKES_PART;
        Self { given_up, refused_after: if refuses { given_up } else { Self::TAKES_PART } }
    }

    pub(super) fn given_up(self) -> u8 {
        self.given_up
    }

    /// Merges the participations of two sets of ranks.
    pub fn and(self, other: Self) -> Self {
        Self {
            given_up: self.given_up.max(other.given_up),
            refused_after: self.refused_after.min(other.refused_after),
        }
    }

    /// Returns whether this rank, or a rank of this set, is behind, given the merged participation `all`.
    pub(super) fn is_behind(self, all: Self) -> bool {
        self.refused_after < all.given_up
    }

    pub fn bytes(self) -> [u8; 2] {
        [self.given_up, self.refused_after]
    }

    /// Decodes the result of [`Participation::bytes`].
    pub fn of([given_up, refused_after]: [u8; 2]) -> Self {
        Self { given_up, refused_after }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The handles in one call of the program: invalid on all ranks, or on the ranks in a bit set.
    #[derive(Clone, Copy, PartialEq)]
    enum Handles {
        AllInvalid,
        Invalid(u32),
    }

    /// A rank whose next call is the program's call number `at`, after `given_up` calls that it gave up.
    #[derive(Clone, Copy)]
    struct Caller {
        at: usize,
        given_up: u8,
    }

    /// Simulates one call of all ranks. Returns the number of the program's call that they made, and whether a rank
    /// refused it; `None` if the call was stale.
    fn call(ranks: &mut [Caller], program: &[Handles], rng: &mut fastrand::Rng) -> Option<(usize, bool)> {
        // If the handles of a rank's call are invalid on all ranks, it gives up at a random time, at least until one
        // rank begins a call.
        let looks = |rank: &Caller| program[rank.at] == Handles::AllInvalid;
        while ranks.iter().all(looks) || rng.bool() {
            let k = rng.usize(0..ranks.len());
            if looks(&ranks[k]) {
                (ranks[k].at, ranks[k].given_up) = (ranks[k].at + 1, ranks[k].given_up + 1);
            }
        }
        let participation = |(k, rank): (usize, &Caller)| match program[rank.at] {
            Handles::Invalid(set) if set >> k & 1 == 0 => Participation::PLAIN.after(rank.given_up),
            _ => Participation::REFUSES.after(rank.given_up),
        };
        let own: Vec<Participation> = ranks.iter().enumerate().map(participation).collect();
        let all = own.iter().fold(Participation::PLAIN, |all, own| all.and(Participation::of(own.bytes())));
        if !all.is_behind(all) {
            let at = ranks[0].at;
            assert!(ranks.iter().all(|rank| rank.at == at), "calls of two times are taken for one");
            ranks.fill(Caller { at: at + 1, given_up: 0 });
            return Some((at, all.refused_after != Participation::TAKES_PART));
        }
        for (rank, own) in ranks.iter_mut().zip(own).filter(|(_, own)| own.is_behind(all)) {
            *rank = Caller { at: rank.at + 1, given_up: own.given_up + 1 };
        }
        None
    }

    #[test]
    fn a_refusal_reaches_only_its_own_call() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..5000 {
            let ranks = rng.u32(1..6);
            let set = |rng: &mut fastrand::Rng| Handles::Invalid(rng.u32(0..(1 << ranks) - 1));
            let any = |rng: &mut fastrand::Rng| if rng.bool() { Handles::AllInvalid } else { set(rng) };
            let mut program: Vec<Handles> = (0..rng.usize(1..8)).map(|_| any(&mut rng)).collect();
            program.push(Handles::Invalid(0));
            let mut callers = vec![Caller { at: 0, given_up: 0 }; ranks as usize];
            for (k, given) in program.iter().enumerate() {
                let Handles::Invalid(set) = given else { continue };
                let over = (0..100).find_map(|_| call(&mut callers, &program, &mut rng));
                assert_eq!(over, Some((k, *set != 0)), "{ranks} ranks");
            }
        }
    }
}

//! Finds the ranks that are missing from a communicator's first call or from the survey of the node.
//!
//! MPI does not say which ranks a collective call waits for. So each rank that has waited some seconds sends an empty
//! message to the first few ranks. These write their lines first, and name the ranks that have sent none.

use crate::mpi::{Comm, TaggedMessages};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Time that a rank waits before it sends its messages: half the time before the first line. So the line names only
/// ranks that have not come, or came in the second half.
const SEND_AFTER: Duration = Duration::from_secs(5);
/// Number of ranks that receive messages: the first ranks, which write their lines first.
const RECEIVERS: u32 = 6;
const MAX_NAMED: usize = 8;

/// The ranks of a communicator that have sent a message.
pub(super) struct RollCall<'c> {
    messages: TaggedMessages<'c>,
    rank: u32,
    ranks: u32,
    begin: Instant,
    has_sent: bool,
    came: BTreeSet<u32>,
}

impl<'c> RollCall<'c> {
    /// Starts the roll call of rank `rank` of the `ranks` ranks of `comm`.
    pub fn new(comm: Comm<'c>, rank: u32, ranks: u32) -> Self {
        let messages = TaggedMessages::of_arrivals(comm);
        Self { messages, rank, ranks, begin: Instant::now(), has_sent: false, came: [rank].into() }
    }

    /// Sends this rank's messages, once, when it has waited long enough. A receiver without a message names this rank
    /// in its line.
    pub fn send(&mut self) {
        if self.has_sent || self.begin.elapsed() < SEND_AFTER {
            return;
        }
        self.has_sent = true;
        for to in (0..self.ranks.min(RECEIVERS)).filter(|&to| to != self.rank) {
            let _ = self.messages.send(to, Vec::new());
        }
    }

    /// Returns the missing ranks in words; empty if this rank receives no messages.
    pub fn missing(&mut self) -> String {
        self.receive();
        if self.rank >= RECEIVERS {
            return String::new();
        }
        let missing: Vec<u32> = (0..self.ranks).filter(|rank| !self.came.contains(rank)).collect();
        in_words(&missing)
    }

    fn receive(&mut self) {
        while let Ok(Some((rank, _))) = self.messages.receive() {
            self.came.insert(rank);
        }
    }
}

impl Drop for RollCall<'_> {
    /// Receives the messages of other ranks, which a late rank has, too, so that none stays on the program's
    /// communicator.
    fn drop(&mut self) {
        if self.rank < RECEIVERS && !crate::mpi::finalized() {
            self.receive();
        }
    }
}

/// Formats `; ranks 1 and 3 have not been heard from`; empty for no ranks.
fn in_words(missing: &[u32]) -> String {
    let named: Vec<String> = missing.iter().take(MAX_NAMED).map(u32::to_string).collect();
    let (word, list, verb) = match (&named[..], missing.len()) {
        ([], _) => return String::new(),
        ([one], _) => ("rank", one.clone(), "has"),
        ([first @ .., last], all) if all <= MAX_NAMED => {
            ("ranks", format!("{} and {last}", first.join(", ")), "have")
        }
        (all, count) => ("ranks", format!("{} and {} more", all.join(", "), count - MAX_NAMED), "have"),
    };
    format!("; {word} {list} {verb} not been heard from")
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn missing_ranks_are_named() {
        let words = |missing: &[u32]| in_words(missing);
        assert_eq!(words(&[]), "");
        assert_eq!(words(&[3]), "; rank 3 has not been heard from");
        assert_eq!(words(&[1, 3]), "; ranks 1 and 3 have not been heard from");
        assert_eq!(words(&[1, 2, 5]), "; ranks 1, 2 and 5 have not been heard from");
        let many: Vec<u32> = (1..=20).collect();
        assert_eq!(words(&many), "; ranks 1, 2, 3, 4, 5, 6, 7, 8 and 12 more have not been heard from");
    }
}

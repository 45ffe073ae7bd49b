//! Table from the sender and the receiver of a message to a number, without hashing. Memory: O(senders + messages).

use super::graph::Graph;

/// Numbers of messages, sorted by (sender, receiver).
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Lookup {
    /// Index of the first entry of each sender, and the end of the last sender's entries.
    first: Vec<u32>,
    /// (Receiver, number), in ascending order of the receivers for each sender.
    entries: Vec<(u32, u32)>,
}

impl Lookup {
    /// Assigns `numbers` to the messages of `graph`, in the order of its edges. If several messages have the same
    /// ports, [`Lookup::get`] returns the number of the last of them.
    pub fn new(graph: &Graph, numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut first = vec![0u32; graph.senders() as usize + 1];
        for e in graph.edges() {
            first[e.sender as usize + 1] += 1;
        }
        for sender in 1..first.len() {
            first[sender] += first[sender - 1];
        }
        let mut next = first.clone();
        let mut entries = vec![(0, 0); graph.edges().len()];
        for (e, number) in graph.edges().iter().zip(numbers) {
            let at = &mut next[e.sender as usize];
            entries[*at as usize] = (e.receiver, number);
            *at += 1;
        }
        for ends in first.windows(2) {
            entries[ends[0] as usize..ends[1] as usize].sort_by_key(|&(receiver, _)| receiver);
        }
        Self { first, entries }
    }

    /// Returns the number of the message from `sender` to `receiver`, if there is one. Time: O(log of the sender's
    /// messages).
    pub fn get(&self, sender: u32, receiver: u32) -> Option<u32> {
        let ends = self.first.get(sender as usize..=sender as usize + 1)?;
        let own = &self.entries[ends[0] as usize..ends[1] as usize];
        let after = own.partition_point(|&(other, _)| other <= receiver);
        own[..after].last().filter(|&&(other, _)| other == receiver).map(|&(_, number)| number)
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::random;
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_message_is_found_and_no_other() {
        let mut rng = fastrand::Rng::with_seed(17);
        for _ in 0..200 {
            let g = random(&mut rng, 12, 9);
            let all = Lookup::new(&g, 0..);
            let known: HashMap<(u32, u32), u32> =
                (0..).zip(g.edges()).map(|(k, e)| ((e.sender, e.receiver), k)).collect();
            for (p, q) in (0..=g.senders()).flat_map(|p| (0..=g.receivers()).map(move |q| (p, q))) {
                assert_eq!(all.get(p, q), known.get(&(p, q)).copied());
            }
        }
    }
}

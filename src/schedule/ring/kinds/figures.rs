//! What steps of kinds of meetings cost, and what no schedule can do without, in elements.

use super::super::super::figures::{Figures, Port};
use super::pieces::{Kind, Piece};

/// What the processes of both sides have.
pub struct Most {
    send: Port,
    receive: Port,
    /// No schedule costs less: the sum of the longest meeting of any process, the second longest of any, and so on.
    cost: u64,
}

impl Most {
    pub fn of(kinds: &[Kind]) -> Self {
        let ((send, sent), (receive, received)) = (busiest(kinds, 0), busiest(kinds, 1));
        let bound = (0..sent.len().max(received.len())).map(|k| {
            let of = |lengths: &[u64]| lengths.get(k).copied().unwrap_or(0);
            of(&sent).max(of(&received))
        });
        Self { send, receive, cost: bound.sum() }
    }

    /// The most meetings of a process.
    pub fn meetings(&self) -> u64 {
        self.send.messages.max(self.receive.messages)
    }
}

/// The figures, if no two processes meet more than once: then a meeting is a message. Messages are not counted, and the longest
/// of a step may be one that a rank keeps for itself, so they are not said to be exact.
pub fn of(kinds: &[Kind], pieces: &[Piece], most: &Most) -> Option<Figures> {
    if some_meet_twice(kinds) {
        return None;
    }
    let mut longest = Vec::new();
    for piece in pieces {
        let step = piece.step as usize;
        longest.resize(longest.len().max(step + 1), 0);
        longest[step] = kinds[piece.kind].length.max(longest[step]);
    }
    Some(Figures {
        steps: longest.len() as u64,
        cost: longest.iter().sum(),
        cost_bound: most.cost,
        send: most.send,
        receive: most.receive,
        exact: false,
    })
}

fn some_meet_twice(kinds: &[Kind]) -> bool {
    // Two kinds with the same lanes pair the same processes if they are shifted against each other alike on both sides.
    let mut alike: Vec<_> =
        kinds.iter().map(|kind| (kind.lane, kind.at[1].wrapping_sub(kind.at[0]), kind)).collect();
    alike.sort_unstable_by_key(|&(lane, shift, kind)| (lane, shift, kind.at[0]));
    let same = |a: &(_, u64, &Kind), b: &(_, u64, &Kind)| (a.0, a.1) == (b.0, b.1);
    alike.windows(2).any(|two| {
        let (first, next) = (two[0].2, two[1].2);
        same(&two[0], &two[1]) && first.at[0] + first.count > next.at[0]
    })
}

/// The most messages and elements of a process of a side, and the longest messages of any, the second longest, and so on.
fn busiest(kinds: &[Kind], side: usize) -> (Port, Vec<u64>) {
    // Where in its lane a kind begins and ends.
    let mut ends: Vec<(u64, u64, bool, u64)> = Vec::with_capacity(2 * kinds.len());
    for kind in kinds {
        let (lane, at) = (kind.lane[side], kind.at[side]);
        ends.extend([(lane, at, true, kind.length), (lane, at + kind.count, false, kind.length)]);
    }
    ends.sort_unstable_by_key(|&(lane, at, ..)| (lane, at));
    let mut most = Port { messages: 0, elements: 0 };
    // Of the processes between two ends, the lengths in descending order.
    let (mut lengths, mut longest, mut elements): (Vec<u64>, Vec<u64>, u64) = (Vec::new(), Vec::new(), 0);
    for of_place in ends.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for &(_, _, begins, length) in of_place {
            let place = lengths.partition_point(|&other| other > length);
            if begins {
                lengths.insert(place, length);
                elements += length;
            } else {
                lengths.remove(place);
                elements -= length;
            }
        }
        most.messages = most.messages.max(lengths.len() as u64);
        most.elements = most.elements.max(elements);
        longest.resize(longest.len().max(lengths.len()), 0);
        for (longest, &length) in longest.iter_mut().zip(&lengths) {
            *longest = length.max(*longest);
        }
    }
    (most, longest)
}

//! Figures of the messages of a redistribution.
//!
//! If the messages can be listed, they are counted one by one, without data that stays on its rank. Otherwise the
//! figures are closed forms, which may count such data as messages.

use crate::redistribution::Redistribution;
use reblock_plan::schedule::graph::Bounds;
use reblock_plan::schedule::traffic::{Listed, Traffic};
use serde::Serialize;

/// Figures of a message graph. A rank that sends and receives counts as a sender and as a receiver.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Messages {
    /// Whether the messages were listed. If not, data that stays on its rank may count as a message.
    pub listed: bool,
    /// Number of ranks that are in the source, the destination or both.
    pub ranks: u64,
    pub senders: Option<u64>,
    pub receivers: Option<u64>,
    /// Number of messages. An upper bound if they are not listed.
    pub messages: u64,
    /// Self copies: pieces of data that stay on their rank. They are not in `messages`.
    pub local_copies: Option<u64>,
    /// Minimum and maximum number of messages of a sender.
    pub sends: Option<(u32, u32)>,
    /// Minimum and maximum number of messages of a receiver.
    pub receives: Option<(u32, u32)>,
    /// Bytes in messages; `None` if the messages were not listed.
    pub bytes_moved: Option<u64>,
    /// Bytes that stay on their rank; `None` likewise.
    pub bytes_kept: Option<u64>,
    pub shortest_bytes: Option<u64>,
    pub longest_bytes: Option<u64>,
}

/// Returns the figures, and lower bounds that hold for every schedule, if such bounds are known.
pub fn messages(subject: &Redistribution, traffic: &Traffic) -> (Messages, Option<Bounds>) {
    match traffic.listed() {
        Some(list) => (count_listed(subject, traffic, list), Some(list.graph.bounds((1, 1)))),
        None => {
            let bounds = traffic.bounds();
            let bounds = (traffic.copies().0 == 1)
                .then(|| if traffic.may_keep_elements() { traffic.sent_bounds(bounds) } else { bounds });
            let figures = Messages {
                listed: false,
                ranks: ranks(subject),
                senders: None,
                receivers: None,
                messages: traffic.messages(),
                local_copies: None,
                sends: None,
                receives: None,
                bytes_moved: None,
                bytes_kept: None,
                shortest_bytes: None,
                longest_bytes: None,
            };
            (figures, bounds)
        }
    }
}

fn count_listed(subject: &Redistribution, traffic: &Traffic, list: &Listed) -> Messages {
    let edges = list.graph.edges();
    let (send, receive) = list.graph.degrees();
    let busy = |degrees: &[u32]| degrees.iter().filter(|&&degree| degree > 0).count() as u64;
    let range = |degrees: &[u32]| {
        let positive = || degrees.iter().copied().filter(|&degree| degree > 0);
        positive().min().zip(positive().max())
    };
    let moved = edges.iter().map(|e| e.bytes).sum();
    Messages {
        listed: true,
        ranks: ranks(subject),
        senders: Some(busy(&send)),
        receivers: Some(busy(&receive)),
        messages: edges.len() as u64,
        local_copies: Some(list.kept.len() as u64),
        sends: range(&send),
        receives: range(&receive),
        bytes_moved: Some(moved),
        bytes_kept: Some(subject.bytes() * traffic.copies().1 - moved),
        shortest_bytes: edges.iter().map(|e| e.bytes).min(),
        longest_bytes: edges.iter().map(|e| e.bytes).max(),
    }
}

/// Returns the number of ranks in the source, the destination or both. The ranks of each side are consecutive.
fn ranks(subject: &Redistribution) -> u64 {
    let span = |layout: &crate::layout::Layout| {
        let first = u64::from(layout.at());
        first..first + layout.ranks()
    };
    let (from, to) = (span(&subject.from), span(&subject.to));
    let common = from.end.min(to.end).saturating_sub(from.start.max(to.start));
    subject.from.ranks() + subject.to.ranks() - common
}

//! Figures of the messages: counted one by one without the data that ranks keep, if they can be listed; otherwise in
//! closed form, with the data that ranks keep.

use crate::redistribution::Redistribution;
use reblock_plan::schedule::graph::Bounds;
use reblock_plan::schedule::traffic::{Listed, Traffic};
use serde::Serialize;

/// Figures of a message graph. A rank has two ports, as it can send and receive at the same time.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Messages {
    /// Set if messages were listed one by one. Otherwise the data that a rank keeps counts as a message.
    pub listed: bool,
    /// Ranks of both sides.
    pub ranks: u64,
    /// Ports that send a message.
    pub senders: Option<u64>,
    /// Ports that receive a message.
    pub receivers: Option<u64>,
    /// Messages; pairs of ranks if nothing can be counted.
    pub messages: u64,
    /// Messages from a rank to itself: not counted, and copied.
    pub local_copies: Option<u64>,
    /// Minimum and maximum messages of a sender.
    pub sends: Option<(u32, u32)>,
    /// Minimum and maximum messages of a receiver.
    pub receives: Option<(u32, u32)>,
    /// Bytes in messages.
    pub bytes_moved: Option<u64>,
    /// Bytes that ranks keep.
    pub bytes_kept: Option<u64>,
    pub shortest_bytes: Option<u64>,
    pub longest_bytes: Option<u64>,
}

/// Returns the figures, and the lower bounds of all schedules, if known.
pub fn messages(subject: &Redistribution, traffic: &Traffic) -> (Messages, Option<Bounds>) {
    match traffic.listed() {
        Some(list) => (counted(subject, list), Some(list.graph.bounds((1, 1)))),
        None => {
            let bounds = traffic.bounds();
            let bounds = (traffic.copies().0 == 1)
                .then(|| if traffic.keeps() { traffic.sent(bounds) } else { bounds });
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

fn counted(subject: &Redistribution, list: &Listed) -> Messages {
    let edges = list.graph.edges();
    let (send, receive) = list.graph.degrees();
    let busy = |degrees: &[u32]| degrees.iter().filter(|&&degree| degree > 0).count() as u64;
    let range = |degrees: &[u32]| {
        let busy = || degrees.iter().copied().filter(|&degree| degree > 0);
        busy().min().zip(busy().max())
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
        bytes_kept: Some(subject.bytes() - moved),
        shortest_bytes: edges.iter().map(|e| e.bytes).min(),
        longest_bytes: edges.iter().map(|e| e.bytes).max(),
    }
}

/// Returns the number of ranks of both sides; those of a side are consecutive.
fn ranks(subject: &Redistribution) -> u64 {
    let span = |layout: &crate::layout::Layout| {
        let first = u64::from(layout.at);
        first..first + layout.ranks()
    };
    let (from, to) = (span(&subject.from), span(&subject.to));
    let both = from.end.min(to.end).saturating_sub(from.start.max(to.start));
    subject.from.ranks() + subject.to.ranks() - both
}

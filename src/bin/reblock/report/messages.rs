//! WHO owes whom how much, in figures? Message by message where they can be listed, without what ranks keep; otherwise in
//! closed form, where what ranks keep counts as messages.

use crate::redistribution::Redistribution;
use reblock::schedule::graph::Bounds;
use reblock::schedule::traffic::{Listed, Traffic};
use serde::Serialize;

/// Figures of a message graph. A rank is two ports: it can send and receive at the same time.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Messages {
    /// Whether messages were listed one by one. If not, what ranks keep for themselves counts as messages.
    pub listed: bool,
    /// Ranks of both sides.
    pub ranks: u64,
    /// Ports that send a message.
    pub senders: Option<u64>,
    /// Ports that receive one.
    pub receivers: Option<u64>,
    /// Messages; where nothing can be counted, pairs of ranks.
    pub messages: u64,
    /// Messages that a rank would send to itself: taken out, and copied.
    pub local_copies: Option<u64>,
    /// Fewest and most messages of a sender.
    pub sends: Option<(u32, u32)>,
    /// Fewest and most messages of a receiver.
    pub receives: Option<(u32, u32)>,
    /// Bytes in messages.
    pub bytes_moved: Option<u64>,
    /// Bytes that ranks keep.
    pub bytes_kept: Option<u64>,
    /// Bytes of the shortest message.
    pub shortest_bytes: Option<u64>,
    /// Bytes of the longest message.
    pub longest_bytes: Option<u64>,
}

/// The figures, and what no schedule can do without, if that is known.
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

/// Ranks of both sides: each has consecutive ones.
fn ranks(subject: &Redistribution) -> u64 {
    let span = |layout: &crate::layout::Layout| {
        let first = u64::from(layout.at);
        first..first + layout.ranks()
    };
    let (from, to) = (span(&subject.from), span(&subject.to));
    let both = from.end.min(to.end).saturating_sub(from.start.max(to.start));
    subject.from.ranks() + subject.to.ranks() - both
}

//! Numbers of messages and elements of the busiest processes of one dimension. They are exact if messages are listed;
//! otherwise they are lower bounds from a sample of processes that are likely to be the busiest.

use super::blocks::{EqualBlocks, UnequalBlocks};
use super::graph::Graph;
use super::limits::MAX_SCANNED;
use crate::layout::distribution::{Axis, Dist};
use crate::layout::intersect::Overlap;
use std::ops::Range;

/// Work of the busiest process of a side. The two maxima may belong to different processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    /// Maximum number of messages of a process.
    pub messages: u64,
    /// Maximum number of elements of a process.
    pub elements: u64,
}

impl Port {
    fn max(self, other: Self) -> Self {
        Self { messages: self.messages.max(other.messages), elements: self.elements.max(other.elements) }
    }
}

/// Returns the maximum numbers of messages and elements of a sender, and of a receiver. Each edge stands for a complete
/// graph of b senders and a receivers; its `bytes` are the elements of a message.
pub fn busiest_ports(graph: &Graph, (b, a): (u64, u64)) -> (Port, Port) {
    let none = Port { messages: 0, elements: 0 };
    let (mut send, mut receive) =
        (vec![none; graph.senders() as usize], vec![none; graph.receivers() as usize]);
    for e in graph.edges() {
        for (port, copies) in [(&mut send[e.sender as usize], a), (&mut receive[e.receiver as usize], b)] {
            port.messages += copies;
            port.elements += copies * e.bytes;
        }
    }
    let most = |ports: Vec<Port>| ports.into_iter().fold(none, Port::max);
    (most(send), most(receive))
}

/// Returns lower bounds of [`busiest_ports`] for the messages of `overlap`, without listing them.
pub fn estimate_busiest_ports(overlap: &Overlap) -> (Port, Port) {
    let (senders, receivers, len) = (overlap.from.dist.procs(), overlap.to.dist.procs(), overlap.len);
    if is_listed(overlap) {
        // Uses the mean only: a process's elements are found by a walk along the list of owners, which some processes
        // may not have.
        let some = |procs: u32| Port { messages: len.min(1), elements: len.div_ceil(procs.into()) };
        return (some(senders), some(receivers));
    }
    let most =
        |coords: Vec<u32>, [procs, others]: [u32; 2], [messages, elements]: [&dyn Fn(u32) -> u64; 2]| {
            // At least one process has the mean or more.
            let mut most = Port { messages: 0, elements: len.div_ceil(procs.into()) };
            for coord in coords {
                // A process has at most one message for each process of the other side, so once that maximum is
                // reached, the messages of further processes need not be counted.
                if most.messages < others.into() {
                    most.messages = most.messages.max(messages(coord));
                }
                most.elements = most.elements.max(elements(coord));
            }
            most
        };
    let sends: [&dyn Fn(u32) -> u64; 2] =
        [&|p| overlap.destinations(p).len() as u64, &|p| overlap.source_count(p)];
    let receives: [&dyn Fn(u32) -> u64; 2] =
        [&|q| overlap.sources(q).len() as u64, &|q| overlap.destination_count(q)];
    (
        most(sample_busiest(&overlap.from, &overlap.to, len), [senders, receivers], sends),
        most(sample_busiest(&overlap.to, &overlap.from, len), [receivers, senders], receives),
    )
}

/// Returns true if one of the two sides is INDIRECT: distributed by a list of owners.
pub fn is_listed(overlap: &Overlap) -> bool {
    [&overlap.from, &overlap.to].iter().any(|axis| matches!(axis.dist, Dist::Indirect(_)))
}

/// Returns a sample of the processes of the side `axis`. Unless [`is_sampled`], the sample contains the process with
/// the most elements, and a process with about the most messages.
fn sample_busiest(axis: &Axis, other: &Axis, len: u64) -> Vec<u32> {
    let mut coords: Vec<u32> = if let Some(blocks) = EqualBlocks::new(axis, len) {
        let last = (blocks.count - 1) % blocks.procs;
        let places = [0, 1, 2, last, last + 1, last + blocks.procs - 1, blocks.procs / 2];
        let fullest = EqualBlocks::new(other, len).and_then(|other| blocks.first_fullest_block(&other));
        places.into_iter().chain(fullest).map(|place| blocks.coord(place % blocks.procs)).collect()
    } else if let Some(blocks) = UnequalBlocks::new(axis, len) {
        let largest = blocks.spans().max_by_key(|(_, span)| span.end - span.start);
        let intersected_blocks = |other: &EqualBlocks, span: &Range<u64>| {
            other.block_of(span.end - 1) - other.block_of(span.start) + 1
        };
        let fullest = EqualBlocks::new(other, len)
            .and_then(|other| blocks.spans().max_by_key(|(_, span)| intersected_blocks(&other, span)));
        largest.into_iter().chain(fullest).map(|(coord, _)| coord).collect()
    } else {
        let procs = axis.dist.procs();
        if is_sampled(axis, len) { vec![0, procs / 2, procs - 1] } else { (0..procs).collect() }
    };
    coords.sort_unstable();
    coords.dedup();
    coords
}

/// Returns true if [`sample_busiest`] picks its sample without looking at the distribution: a process outside the
/// sample may have more elements.
fn is_sampled(axis: &Axis, len: u64) -> bool {
    let known = EqualBlocks::new(axis, len).is_some() || UnequalBlocks::new(axis, len).is_some();
    !known && u64::from(axis.dist.procs()) > MAX_SCANNED
}

/// Returns an upper bound of the elements that two processes share, if no sender has more than `send` and no receiver
/// more than `receive`.
pub fn shared_elements_bound(overlap: &Overlap, send: Port, receive: Port) -> u64 {
    let (from, to) =
        (EqualBlocks::new(&overlap.from, overlap.len), EqualBlocks::new(&overlap.to, overlap.len));
    // If a side is a list or `is_sampled`, `send` and `receive` may be lower bounds: one process may have all elements.
    let most = |axis, port: Port| match is_listed(overlap) || is_sampled(axis, overlap.len) {
        true => overlap.len,
        false => port.elements,
    };
    let (sent, received) = (most(&overlap.from, send), most(&overlap.to, receive));
    // Returns the maximum number of elements that one process of the side `blocks` has among `stretch` consecutive
    // elements.
    let of = |stretch: u64, blocks: &EqualBlocks| {
        if blocks.procs == 1 {
            stretch
        } else {
            stretch.div_ceil(blocks.cycle()).saturating_mul(blocks.block).min(stretch)
        }
    };
    let by_blocks = |mine: &EqualBlocks, theirs: &EqualBlocks| {
        mine.count.div_ceil(mine.procs).saturating_mul(of(mine.block, theirs))
    };
    let bound = match (&from, &to) {
        (Some(from), Some(to)) => by_blocks(from, to).min(by_blocks(to, from)),
        (None, Some(to)) if UnequalBlocks::new(&overlap.from, overlap.len).is_some() => of(sent, to),
        (Some(from), None) if UnequalBlocks::new(&overlap.to, overlap.len).is_some() => of(received, from),
        _ => u64::MAX,
    };
    bound.min(sent).min(received)
}

//! Time of the messages between nodes, sent in two ways: each message alone, or the early messages of each pair of
//! nodes in one message and all others alone.
//!
//! The linear model of [`cost_model`](super::super::cost_model), with the node's port in place of the rank's:
//!
//! - The busiest rank starts its messages, a window at a time; the ranks of a node start theirs at the same time.
//!   Messages that travel together are divided evenly among the ranks of the node.
//! - The node's port takes [`NodePort::start_up`] for each message, and [`Machine::byte`] for each byte.
//! - The busiest rank packs its bytes, and another rank unpacks them: [`Machine::copy`] for each byte. Messages that
//!   travel together are packed into shared memory, so there is no further copy.
//! - The price is the longest time of a node, sending or receiving.
//!
//! Left out: waiting (for the slowest rank that packs, for a step, for another node's port), contention in the network
//! behind the ports, overlap of packing and sending, the agreement on the call, and all data that stays within a node,
//! which takes as long in both ways.

use super::super::cost_model::{Work, linear, serial_start_ups};
use super::flow::{Flow, Part};
use super::tally::Tally;
use crate::budget::{EARLY_HEADER, EARLY_LIST};
use crate::machine::{Machine, real};

/// The network port that the ranks of a node share. [`Machine::byte`] is its transfer time per byte.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NodePort {
    /// Time that the port takes for a message in addition to its bytes, in seconds.
    pub start_up: f64,
}

impl NodePort {
    /// 40 ns, an upper bound for one fabric: `MPI_Alltoall` of 1 byte on 4 nodes with 48 ranks each took 264 to 272 µs;
    /// each node then sends 6,912 messages (Open MPI, pull request 12387, Slingshot 11).
    pub const TYPICAL: Self = Self { start_up: 40e-9 };
}

/// Messages between nodes, and the time that they take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Price {
    /// Largest number of messages that a node sends, or receives.
    pub busiest: u64,
    /// Number of messages of all nodes.
    pub messages: u64,
    /// Predicted time, in seconds.
    pub seconds: f64,
}

/// Prices of the two ways.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prices {
    /// Each message alone.
    pub alone: Price,
    /// One message for each pair of nodes with early messages; the other messages alone.
    pub together: Price,
}

/// Returns the prices of the messages in `tally`. Messages that travel together have headers, and a table of the
/// receiving ranks.
pub fn prices(tally: &Tally, m: &Machine, port: &NodePort) -> Prices {
    let alone = |flow: &Flow, _: u64| (flow.all.between.messages, seconds(&flow.all, m, port));
    let together = |flow: &Flow, ranks: u64| {
        let messages = flow.early_nodes + flow.long.between.messages;
        (
            messages,
            seconds_together(flow, (ranks, tally.placement.most().into()), m, port)
                + seconds(&flow.long, m, port),
        )
    };
    let price = |way: &dyn Fn(&Flow, u64) -> (u64, f64)| {
        let mut price = Price { busiest: 0, messages: 0, seconds: 0.0 };
        for (number, node) in (0..).zip(&tally.nodes) {
            let ranks = tally.placement.of_node(number).into();
            let (sent, received) = (way(&node.sent, ranks), way(&node.received, ranks));
            price.messages += sent.0;
            price.busiest = price.busiest.max(sent.0).max(received.0);
            price.seconds = price.seconds.max(sent.1).max(received.1);
        }
        price
    };
    Prices { alone: price(&alone), together: price(&together) }
}

/// Returns the seconds of messages that travel alone.
fn seconds(part: &Part, m: &Machine, port: &NodePort) -> f64 {
    let rank = busiest(part);
    let work = Work {
        waves: serial_start_ups(m, rank.0, rank.1),
        port_start_ups: real(part.between.messages) * port.start_up,
        bytes: real(part.between.bytes),
        packed: real(rank.1),
    };
    linear(m, &work)
}

/// Returns the seconds of the early messages of a node of `ranks` ranks, if they travel together. No node has more than
/// `most` ranks.
fn seconds_together(flow: &Flow, (ranks, most): (u64, u64), m: &Machine, port: &NodePort) -> f64 {
    let early = flow.early.between;
    let bytes = early.bytes + early.messages * EARLY_HEADER + flow.early_nodes * most * EARLY_LIST;
    let messages = flow.early_nodes.div_ceil(ranks);
    let each = bytes / flow.early_nodes.max(1);
    let work = Work {
        waves: serial_start_ups(m, messages, messages * each),
        port_start_ups: real(flow.early_nodes) * port.start_up,
        bytes: real(bytes),
        packed: real(busiest(&flow.early).1),
    };
    linear(m, &work)
}

/// Returns the messages and the bytes that the busiest rank exchanges with other nodes. Assumes that their fraction of
/// all its messages is that of its node.
fn busiest(part: &Part) -> (u64, u64) {
    let share = |of: u64, between: u64, all: u64| {
        let share = (u128::from(of) * u128::from(between)).div_ceil(u128::from(all.max(1)));
        u64::try_from(share).expect("at most the whole")
    };
    let (between, all) = (part.between, part.with_own);
    (
        share(part.busiest.messages, between.messages, all.messages),
        share(part.busiest.bytes, between.bytes, all.bytes),
    )
}

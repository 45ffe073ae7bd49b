//! The price of a schedule: its predicted time on a machine in seconds, equal on all ranks.
//!
//! If messages contend for ports and are few enough to be listed, the price is the simulated time at which the last
//! message arrives ([`jitter`]), plus the time to pack and unpack. Otherwise it comes from a linear model:
//!
//! - Up to w steps are in flight (the window). Start-ups of short messages overlap within a window; long messages start
//!   one by one.
//! - The busiest port transfers all its bytes. If the longest messages of all steps add up to more bytes, ports wait
//!   for others: 1/w of the excess counts.
//! - The bytes of the busiest port are packed and unpacked, in every phase.
//! - If all messages are sent at once, they contend for ports: each costs [`Machine::contention`] more bytes.
//!
//! In the linear model each rank is a port. In the simulation, ranks of a node share its port. [`nodes`](super::nodes)
//! also prices shared ports, by the formula of the linear model ([`linear`]).

use super::certificate::Certificate;
use super::course::{Course, FoundSchedule};
use super::graph::{Edge, Graph};
use super::jitter;
use super::limits::{CUTTING_FACTOR, EQUAL_PRICES, PRICE_ACCURACY};
use super::order::Order;
use super::simulate;
use super::traffic::Traffic;
use crate::machine::MAX_IN_FLIGHT_BYTES;
use crate::machine::{Machine, real};
use std::borrow::Cow;

/// Form of the messages of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Whole messages. In a step, a port sends or receives at most one. The bounds of a certificate hold.
    Whole,
    /// Messages cut into parts. In a step, a port sends or receives at most one part.
    Cut,
    /// Several redistributions one after the other, through intermediate distributions.
    Phases,
    /// All messages at once, without steps.
    AtOnce,
}

/// Returns true if `one` differs from `other` by at most the fraction [`EQUAL_PRICES`] of `other`. A price of 0 equals
/// only 0.
pub fn are_equal_prices(one: f64, other: f64) -> bool {
    (one - other).abs() <= EQUAL_PRICES * other
}

/// Returns the price of `found` in seconds, and whether it was simulated. The price is infinite without a certificate.
pub fn price(t: &Traffic, m: &Machine, how: How, found: &FoundSchedule) -> (f64, bool) {
    let Some(c) = &found.certificate else { return (f64::INFINITY, false) };
    match (&found.course, how) {
        (_, How::AtOnce) => (at_once(m, c), false),
        (Course::Direct(order), How::Cut) => price_cut(t, m, order.as_ref(), c),
        (Course::Direct(order), _) => price_whole(t, m, (order.as_ref(), c), found.steps.as_deref()),
        (Course::Chain(phases), _) => phases.iter().fold((0.0, true), |(sum, simulated), phase| {
            let (seconds, is_simulated) =
                price_whole(&phase.traffic, m, (phase.order.as_ref(), &phase.certificate), None);
            (sum + seconds, simulated && is_simulated)
        }),
    }
}

/// Prices a schedule of whole messages. `steps` has the step of each message, if known.
fn price_whole(
    t: &Traffic,
    m: &Machine,
    (order, c): (&dyn Order, &Certificate),
    steps: Option<&[u32]>,
) -> (f64, bool) {
    let run_simulation = || {
        let list = t.listed()?;
        let steps = match steps {
            Some(steps) => Cow::Borrowed(steps),
            None => Cow::Owned(Certificate::steps(t, order)?),
        };
        Some(overlapped(
            m,
            c,
            jitter::expected_seconds((&list.graph, list.node_ports.as_ref()), &steps, m, None),
        ))
    };
    let simulated = simulate::is_simulated(t.messages(), t.effort(), m).then(run_simulation).flatten();
    simulated.map_or_else(|| (scheduled(m, c), false), |seconds| (seconds, true))
}

/// Prices a schedule that cuts messages; its parts are simulated like messages.
fn price_cut(t: &Traffic, m: &Machine, order: &dyn Order, c: &Certificate) -> (f64, bool) {
    let run_simulation = || {
        let list = t.listed()?;
        let (mut edges, mut steps) = (Vec::new(), Vec::new());
        for e in list.graph.edges() {
            let (from, to) = t.edge_coordinates(e);
            for part in order.parts(&from, &to) {
                edges.push(Edge { bytes: part.bytes, ..*e });
                steps.push(part.step);
            }
        }
        let parts = Graph::new(list.graph.senders(), list.graph.receivers(), edges);
        Some(overlapped(
            m,
            c,
            jitter::expected_seconds((&parts, list.node_ports.as_ref()), &steps, m, Some(list.messages())),
        ))
    };
    let simulated = simulate::is_simulated(c.messages, t.effort(), m).then(run_simulation).flatten();
    simulated.map_or_else(|| (CUTTING_FACTOR * scheduled(m, c), false), |seconds| (seconds, true))
}

/// Work of the busiest port, and of the busiest rank that uses the port. The port belongs to one rank, or to a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Work {
    /// Start-ups of the rank; start-ups that overlap count once.
    pub waves: u64,
    /// Seconds that the port takes for messages in addition to their bytes.
    pub port_start_ups: f64,
    /// Bytes that the port transfers, or could transfer while it waits.
    pub bytes: f64,
    /// Bytes that the rank packs, or unpacks.
    pub packed: f64,
}

/// Returns the seconds of `work` by the linear model. Bytes are packed at one end and unpacked at the other.
pub fn linear(m: &Machine, work: &Work) -> f64 {
    real(work.waves) * m.start_up + work.port_start_ups + work.bytes * m.byte + 2.0 * work.packed * m.copy
}

/// Returns the number of start-ups of `messages` messages of `bytes` bytes, without start-ups that overlap.
pub fn serial_start_ups(m: &Machine, messages: u64, bytes: u64) -> u64 {
    // Long messages start one by one.
    let long = m.contends() && bytes / messages.max(1) > MAX_IN_FLIGHT_BYTES;
    if long { messages } else { messages.div_ceil(u64::from(m.window)) }
}

/// Returns the seconds of a schedule by the linear model.
pub fn scheduled(m: &Machine, c: &Certificate) -> f64 {
    let idle = real(c.cost.saturating_sub(c.bounds.load)) / f64::from(m.window);
    let load = real(c.bounds.load);
    let waves = serial_start_ups(m, c.steps, c.cost);
    linear(m, &Work { waves, port_start_ups: 0.0, bytes: load + idle, packed: load })
}

/// Adds the time to pack and unpack to `seconds`, the time until the last message has arrived.
pub fn overlapped(m: &Machine, c: &Certificate, seconds: f64) -> f64 {
    seconds + 2.0 * real(c.bounds.load) * m.copy
}

/// Returns the seconds of the busiest port if it never waits and starts its messages one by one. If ranks share ports
/// and the messages of `t` are listed, returns the longer of the times of the busiest rank and the busiest node, plus
/// the fraction [`PRICE_ACCURACY`], because the port of a node always waits for its first message.
pub fn busy(t: &Traffic, m: &Machine, c: &Certificate) -> f64 {
    let rank = overlapped(m, c, real(c.bounds.steps) * m.start_up + real(c.bounds.load) * m.byte);
    let ports = t.nodes().and_then(|_| t.listed()?.node_ports.as_ref());
    let node = ports.map(|ports| overlapped(m, c, m.start_up + real(ports.load()) * m.byte));
    node.map_or(rank, |node| rank.max(node) * (1.0 + PRICE_ACCURACY))
}

fn at_once(m: &Machine, c: &Certificate) -> f64 {
    let extra = real(c.bounds.steps) * m.contention;
    let (waves, load) = (c.bounds.steps.div_ceil(u64::from(m.window)), real(c.bounds.load));
    linear(m, &Work { waves, port_start_ups: 0.0, bytes: load + extra, packed: load })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_within_a_thousandth_are_alike_and_so_are_zeros() {
        assert!(are_equal_prices(1.0, 1.0009) && are_equal_prices(1.0009, 1.0) && are_equal_prices(0.0, 0.0));
        assert!(
            !are_equal_prices(1.0, 1.002)
                && !are_equal_prices(1e-9, 0.0)
                && !are_equal_prices(f64::INFINITY, f64::INFINITY)
        );
    }
}

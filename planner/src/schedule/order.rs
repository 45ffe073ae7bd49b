//! Steps of messages, computed message by message: a rank computes the steps of its own messages in time and memory
//! proportional to their number. The [`chooser`](super::chooser) decides which order a redistribution gets.

use super::graph::Graph;
use super::lookup::Lookup;
use crate::layout::distribution::{Grid, number};
use std::fmt;
use std::sync::Arc;

/// A part of a message that is cut, and the step of the part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CutPart {
    /// Step of the part, counted from 0.
    pub step: u32,
    /// Offset of the part in the message, in bytes.
    pub from: u64,
    /// Length in bytes; at least 1.
    pub bytes: u64,
}

/// The steps of all messages of a traffic. A message is named by the coordinates of its sender and its receiver in the
/// traffic's two grids.
///
/// Sender and receiver compute a step independently, with equal results. In each step, a process sends at most one
/// message and receives at most one, unless the scheduler sends all messages at once
/// ([`How::AtOnce`](super::cost_model::How)).
pub trait Order: fmt::Debug + Send + Sync {
    /// Returns the number of steps. Some of them may carry no message.
    fn steps(&self) -> u64;

    /// Returns the step of the message from the process at `from` to the process at `to`, or of the first part of a
    /// message that is cut; `None` if there is no message. A closed form may also return a step for a message that is
    /// missing because the section is shorter than a period.
    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64>;

    /// Returns the parts of a message that is cut. Empty if the schedule cuts no messages.
    fn parts(&self, _from: &[u32], _to: &[u32]) -> &[CutPart] {
        &[]
    }

    /// Returns the orders of the dimensions if this order is exactly their product; empty otherwise.
    fn factors(&self) -> &[Arc<dyn Order>] {
        &[]
    }
}

/// A table of steps, for messages that are listed one by one.
#[derive(Debug)]
pub struct ByMessage {
    steps: u64,
    found: Lookup,
    /// Grids of senders and receivers: a port is a row-major number in one of them.
    from: Grid,
    to: Grid,
}

impl ByMessage {
    /// Builds the order that sends message `e` of `graph` in step `steps[e]`. A port is the row-major number of a
    /// process in `from` or `to`.
    pub fn new(graph: &Graph, [from, to]: [&Grid; 2], steps: &[u32]) -> Self {
        let count = steps.iter().max().map_or(0, |&step| u64::from(step) + 1);
        let found = Lookup::new(graph, steps.iter().copied());
        Self { steps: count, found, from: from.clone(), to: to.clone() }
    }
}

impl Order for ByMessage {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        self.found.get(port(&self.from, from)?, port(&self.to, to)?).map(u64::from)
    }
}

/// Returns the port number of the process at `at`: its row-major number in `grid`. `None` if that exceeds a `u32`.
pub fn port(grid: &Grid, at: &[u32]) -> Option<u32> {
    u32::try_from(number(grid.extents(), at)).ok()
}

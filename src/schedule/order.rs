//! IN WHICH STEP does a message go? An order is asked message by message: so a rank can have its own row or column of a schedule in
//! time and memory proportional to its own messages. Each rival has its own; nobody else knows how it finds a step.

use super::graph::Graph;
use super::lookup::Lookup;
use crate::layout::distribution::{Grid, number};
use std::fmt;
use std::sync::Arc;

/// Part of a message that is cut, in a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The step.
    pub step: u32,
    /// First byte of the message.
    pub from: u64,
    /// Number of bytes; at least 1.
    pub bytes: u64,
}

/// The steps of all messages of a traffic, between coordinates of its two grids. Sender and receiver ask for themselves, and get the same
/// answer. No process has two messages of a step on one side, unless the rival says that all go at once
/// ([`How::AtOnce`](super::price::How)).
pub trait Order: fmt::Debug + Send + Sync {
    /// The number of steps that there may be; some may carry no message.
    fn steps(&self) -> u64;

    /// The step in which the message from the process at `from` to the one at `to` begins; `None` if there is none. (A closed
    /// form may have a step for a message that is missing in a section shorter than a period.)
    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64>;

    /// The parts of a message, where messages are cut; else none.
    fn parts(&self, _from: &[u32], _to: &[u32]) -> &[Cut] {
        &[]
    }

    /// The orders of the dimensions, where this is no more than their product; else none.
    fn factors(&self) -> &[Arc<dyn Order>] {
        &[]
    }
}

/// The steps of messages that are listed, one by one.
#[derive(Debug)]
pub struct ByMessage {
    steps: u64,
    found: Lookup,
    /// Processes in each dimension, by which ports are numbered.
    from: Grid,
    to: Grid,
}

impl ByMessage {
    /// Message `e` of `graph` goes in step `steps[e]`; its ports are the places of these grids.
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

/// The number of the process at `at`, where messages are listed.
pub fn port(grid: &Grid, at: &[u32]) -> Option<u32> {
    u32::try_from(number(grid.extents(), at)).ok()
}

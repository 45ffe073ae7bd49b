//! IN WHICH STEP does a message of one dimension go? The kinds of orders there are, and the best of them.

use super::super::blocks::{Even, Uneven};
use super::super::certificate::Certificate;
use super::super::circulant::Circulant;
use super::super::classes::{ClassOrder, Classes};
use super::super::lookup::Lookup;
use super::super::ring::Ring;
use super::{FEW, Line};
use crate::overlap::Overlap;
use std::sync::Arc;

/// The steps of one dimension's messages.
#[derive(Clone, Debug)]
pub enum LineOrder {
    /// In closed form.
    Circulant(Circulant),
    /// By classes.
    Classes(Classes, ClassOrder),
    /// By where processes first meet.
    Ring(Ring),
    /// One by one, with the figures.
    Listed(Arc<Lookup>, Certificate),
}

impl LineOrder {
    /// The number of steps; some may carry no message.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Circulant(c) => c.steps(),
            Self::Classes(_, order) => order.steps(),
            Self::Ring(ring) => ring.steps(),
            Self::Listed(_, certificate) => certificate.steps,
        }
    }

    /// Whether the section has a whole period of it, so that every message of the closed form is there.
    pub fn is_of_whole_periods(&self) -> bool {
        match self {
            Self::Circulant(c) => c.periods().0 > 0,
            Self::Classes(classes, _) => classes.periods().0 > 0,
            Self::Ring(_) | Self::Listed(..) => false,
        }
    }

    /// The step of the message from process `p` to process `q`. `None`: there is no message. (A closed form may have a step
    /// for a message that is missing in a section shorter than a period.)
    pub fn step(&self, p: u32, q: u32) -> Option<u64> {
        match self {
            Self::Circulant(c) => c.step(p, q),
            Self::Classes(classes, order) => classes.member(p, q).map(|member| order.step(&member)),
            Self::Ring(ring) => ring.step(p, q),
            Self::Listed(steps, _) => steps.get(p, q).map(u64::from),
        }
    }
}

/// The best order of one dimension by itself: fewest steps, equal messages where that can be had.
pub(super) fn best(line: &Line) -> LineOrder {
    if let Some(order) = line.circulant().filter(LineOrder::is_of_whole_periods) {
        return order;
    }
    if let Some(order) = line.of_whole_periods().and_then(|_| line.by_classes()) {
        return order.clone();
    }
    let on_a_line = line.dim.is_on_a_line();
    let few = if on_a_line { line.effort.search } else { FEW.min(line.effort.list) };
    if (line.messages_at_most() <= few && line.graph().is_some()) || only_listed(&line.dim) {
        if let Some(order) = line.listed() {
            return order;
        }
    }
    let ring = LineOrder::Ring(line.ring().clone());
    if on_a_line {
        return ring;
    }
    let (send, receive) = line.busiest();
    let least = send.messages.max(receive.messages);
    let classes = std::iter::once_with(|| line.by_classes().cloned()).flatten();
    let mut best: Option<LineOrder> = None;
    for order in line.circulant().into_iter().chain([ring]).chain(classes) {
        if best.as_ref().is_none_or(|best| order.steps() < best.steps()) {
            best = Some(order);
        }
        if best.as_ref().is_some_and(|best| best.steps() <= least) {
            return best.expect("just found");
        }
    }
    let best = best.expect("a ring is always possible");
    let listed = || (line.messages_at_most() <= line.effort.list).then(|| line.listed())?;
    listed().unwrap_or_else(|| {
        let fewer = line.ring_of_fewest();
        if fewer.steps() < best.steps() { LineOrder::Ring(fewer.clone()) } else { best }
    })
}

/// Whether there is no good closed form: where a side is dealt by a list or in strides.
fn only_listed(dim: &Overlap) -> bool {
    let known = |axis| Even::new(axis, dim.len).is_some() || Uneven::new(axis, dim.len).is_some();
    !known(&dim.from) || !known(&dim.to)
}

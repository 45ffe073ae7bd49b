//! Counts a schedule port by port: the number of steps that carry a message; the cost, a sum over the steps of the
//! maximum bytes that one port moves in the step; the contention, the maximum number of messages of one port in a step.
//!
//! If a step is a matching, each port has at most one message in it: the cost of the step is its longest message, and
//! the contention is 1.

use super::ports::{Port, Ports, View};
use reblock_plan::schedule::dimension::Dimension;
use reblock_plan::schedule::order::Order;
use reblock_plan::schedule::traffic::Traffic;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tally {
    pub steps: u64,
    pub cost: u64,
    pub contention: u64,
    /// Number of messages; each part of a cut message counts.
    pub messages: u64,
}

const MAX_STEPS: u64 = 1 << 24;

/// Counts `order` message by message; `None` if it has too many steps, or no step for some message.
pub fn tally(traffic: &Traffic, order: &dyn Order) -> Option<Tally> {
    let mut counter = Counter::new(order.steps())?;
    let mut complete = true;
    for sending in [true, false] {
        counter.messages = 0;
        Ports::new(traffic, sending).each(|port| complete &= counter.add(traffic, order, port, sending));
    }
    complete.then(|| counter.tally())
}

/// Counts the product of `orders`, one for each dimension. Data that ranks keep counts as messages. Each figure of a
/// product is the product of its factors' figures.
pub fn by_dimension(traffic: &Traffic, orders: &[Arc<dyn Order>]) -> Option<Tally> {
    let mut all = Tally { steps: 1, cost: traffic.element, contention: 1, messages: 1 };
    for (dim, order) in traffic.dims.iter().zip(orders) {
        let one = dimension(dim, order.as_ref())?;
        all = Tally {
            steps: all.steps.checked_mul(one.steps)?,
            cost: all.cost.checked_mul(one.cost)?,
            contention: all.contention.checked_mul(one.contention)?,
            messages: all.messages.checked_mul(one.messages)?,
        };
    }
    Some(all)
}

fn dimension(dim: &Dimension, order: &dyn Order) -> Option<Tally> {
    let mut counter = Counter::new(order.steps())?;
    for sending in [true, false] {
        counter.messages = 0;
        let partners = View::new(dim, sending);
        for coord in 0..if sending { dim.senders() } else { dim.receivers() } {
            counter.next_port();
            for (other, elements) in partners.partners(coord) {
                let (p, q) = if sending { (coord, other) } else { (other, coord) };
                counter.message(order.step(&[p], &[q])?, elements);
            }
        }
    }
    Some(counter.tally())
}

/// Activity of one port in a step.
#[derive(Clone, Copy)]
struct Busy {
    port: u64,
    messages: u64,
    bytes: u64,
}

struct Counter {
    /// By step, the maximum bytes of one port.
    longest: Vec<u64>,
    /// By step, the activity of the last port with a message in this step.
    busy: Vec<Busy>,
    /// Number of the current port, from 1.
    port: u64,
    contention: u64,
    messages: u64,
}

impl Counter {
    fn new(steps: u64) -> Option<Self> {
        let steps = usize::try_from(steps).ok().filter(|_| steps <= MAX_STEPS)?;
        let idle = Busy { port: 0, messages: 0, bytes: 0 };
        Some(Self { longest: vec![0; steps], busy: vec![idle; steps], port: 0, contention: 0, messages: 0 })
    }

    /// Adds all messages of a port. Returns false if `order` has no step for one of them.
    fn add(&mut self, traffic: &Traffic, order: &dyn Order, port: &Port<'_>, sending: bool) -> bool {
        self.next_port();
        for (other, elements) in port.messages() {
            let (from, to) = if sending { (port.mine, other) } else { (other, port.mine) };
            let parts = order.parts(from, to);
            for part in parts {
                self.message(part.step.into(), part.bytes);
            }
            if parts.is_empty() {
                let Some(step) = order.step(from, to) else { return false };
                self.message(step, elements * traffic.element);
            }
        }
        true
    }

    fn next_port(&mut self) {
        self.port += 1;
    }

    fn message(&mut self, step: u64, bytes: u64) {
        let step = usize::try_from(step).expect("checked when made");
        let busy = &mut self.busy[step];
        if busy.port != self.port {
            *busy = Busy { port: self.port, messages: 0, bytes: 0 };
        }
        busy.messages += 1;
        busy.bytes += bytes;
        self.contention = self.contention.max(busy.messages);
        self.longest[step] = self.longest[step].max(busy.bytes);
        self.messages += 1;
    }

    fn tally(&self) -> Tally {
        Tally {
            steps: self.longest.iter().filter(|&&bytes| bytes > 0).count() as u64,
            cost: self.longest.iter().sum(),
            contention: self.contention,
            messages: self.messages,
        }
    }
}

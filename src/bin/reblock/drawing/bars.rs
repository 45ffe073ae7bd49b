//! A schedule as bars in time, if every step waits for the step before it. Each message has a bar at its sender and a
//! bar at its receiver. Times are in bytes: a bar is as long as its message, and a step as long as the bytes of its
//! busiest port.

use crate::listing::{Kept, Message, kept, messages};
use reblock_plan::schedule::order::Order;
use reblock_plan::schedule::traffic::Traffic;
use std::collections::{BTreeMap, HashMap};

#[derive(Default, PartialEq, Eq, Debug)]
pub struct Bars {
    /// Numbers of senders and receivers of each phase.
    pub ports: Vec<(u64, u64)>,
    pub bars: Vec<Bar>,
    /// Data that ranks keep in each phase.
    pub kept: Vec<Vec<Kept>>,
    /// Number of steps that carry a message.
    pub steps: u64,
    /// End of the last step, in bytes.
    pub end: u64,
}

/// A message, or a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bar {
    /// Index of its phase in the list given to [`bars`].
    pub phase: usize,
    pub sender: u64,
    pub receiver: u64,
    /// Number of its step, from 0, over all phases. Steps that carry no message are not counted.
    pub step: u64,
    /// Start at its sender and at its receiver, in bytes: the start of the step, or the end of the port's previous bar
    /// in this step.
    pub start: (u64, u64),
    pub bytes: u64,
}

/// Returns the bars of successive phases; `None` if there are too many messages, or if a message has no step.
pub fn bars(phases: &[(&Traffic, &dyn Order)]) -> Option<Bars> {
    let mut all = Bars::default();
    for (phase, &(traffic, order)) in phases.iter().enumerate() {
        all.ports.push((traffic.from.size(), traffic.to.size()));
        all.kept.push(kept(traffic)?);
        for (_, mut bars) in by_step(phase, traffic, order)? {
            let mut busy: [HashMap<u64, u64>; 2] = Default::default();
            for bar in &mut bars {
                let mut start = |side: usize, port| {
                    let before = busy[side].entry(port).or_insert(0);
                    *before += bar.bytes;
                    all.end + *before - bar.bytes
                };
                bar.start = (start(0, bar.sender), start(1, bar.receiver));
                bar.step = all.steps;
            }
            all.end += busy.iter().flat_map(HashMap::values).max().copied().unwrap_or(0);
            all.steps += 1;
            all.bars.extend(bars);
        }
    }
    Some(all)
}

fn by_step(phase: usize, traffic: &Traffic, order: &dyn Order) -> Option<BTreeMap<u64, Vec<Bar>>> {
    let mut steps: BTreeMap<u64, Vec<Bar>> = BTreeMap::new();
    traffic.listed().filter(|list| list.messages() <= super::MAX_MESSAGES)?;
    for Message { sender, receiver, parts, .. } in messages(traffic, order)? {
        for part in parts {
            let bar = Bar { phase, sender, receiver, step: 0, start: (0, 0), bytes: part.bytes };
            steps.entry(part.step).or_default().push(bar);
        }
    }
    Some(steps)
}

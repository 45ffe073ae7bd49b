//! A schedule message by message, for `--schedule` and for drawings. docs/explain.md describes the fields.

use reblock_plan::layout::distribution::{Grid, place};
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::order::{CutPart, Order};
use reblock_plan::schedule::traffic::Traffic;
use serde::Serialize;

#[derive(Serialize, Debug)]
pub struct Listing {
    /// Version of the format; rises when a field changes its meaning.
    pub version: u32,
    pub scheduler: &'static str,
    /// The phases: one, or those of a chain in their order.
    pub phases: Vec<Phase>,
}

/// One phase: a redistribution without intermediate arrays.
#[derive(Serialize, Debug)]
pub struct Phase {
    /// Distribution of each dimension before the phase.
    pub from: Vec<String>,
    /// Distribution of each dimension after the phase.
    pub to: Vec<String>,
    /// Number of sending processes in each dimension. Ports are numbered in row-major order.
    pub senders: Vec<u32>,
    /// Number of receiving processes in each dimension.
    pub receivers: Vec<u32>,
    /// Number of steps. Some may carry no message.
    pub steps: u64,
    pub messages: Vec<Message>,
    pub kept: Vec<Kept>,
}

#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Message {
    pub sender: u64,
    pub sender_rank: u32,
    pub receiver: u64,
    pub receiver_rank: u32,
    pub bytes: u64,
    /// One part, unless the message is cut.
    pub parts: Vec<Part>,
}

/// A part of a message, sent in one step.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub step: u64,
    /// Offset of the part in the message.
    pub first_byte: u64,
    pub bytes: u64,
}

#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Kept {
    pub rank: u32,
    /// Its port as a sender.
    pub sender: u64,
    /// Its port as a receiver.
    pub receiver: u64,
    pub bytes: u64,
}

/// Lists `schedule` of `traffic`; `None` if there are too many messages, or if a message has no step.
pub fn listing(traffic: &Traffic, schedule: &Schedule) -> Option<Listing> {
    let phases = match &schedule.course {
        Course::Direct(order) => vec![phase(traffic, order.as_ref())?],
        Course::Chain(phases) => {
            phases.iter().map(|one| phase(&one.traffic, one.order.as_ref())).collect::<Option<_>>()?
        }
    };
    Some(Listing { version: 1, scheduler: schedule.scheduler.name, phases })
}

fn phase(traffic: &Traffic, order: &dyn Order) -> Option<Phase> {
    let formats = |source: bool| {
        let axes = traffic.dims.iter().map(|dim| if source { &dim.overlap.from } else { &dim.overlap.to });
        axes.map(|axis| axis.dist.to_string()).collect()
    };
    Some(Phase {
        from: formats(true),
        to: formats(false),
        senders: traffic.from.extents().to_vec(),
        receivers: traffic.to.extents().to_vec(),
        steps: order.steps(),
        messages: messages(traffic, order)?,
        kept: kept(traffic)?,
    })
}

/// Lists the data that ranks keep; `None` if there are too many messages.
pub fn kept(traffic: &Traffic) -> Option<Vec<Kept>> {
    let keeps = |&(sender, receiver): &(u32, u32)| Kept {
        rank: traffic.to.rank(&at(&traffic.to, receiver.into())).0,
        sender: sender.into(),
        receiver: receiver.into(),
        bytes: traffic.kept_bytes((sender, receiver)),
    };
    Some(traffic.listed()?.kept.iter().map(keeps).collect())
}

/// Lists all messages of `traffic` with their steps in `order`; `None` if there are too many, or if one has no step.
pub fn messages(traffic: &Traffic, order: &dyn Order) -> Option<Vec<Message>> {
    let message = |e: &reblock_plan::schedule::graph::Edge| {
        let (sender, receiver) = (e.sender.into(), e.receiver.into());
        let (from, to) = (at(&traffic.from, sender), at(&traffic.to, receiver));
        let cut = order.parts(&from, &to);
        let part = |part: &CutPart| Part { step: part.step.into(), first_byte: part.from, bytes: part.bytes };
        let whole = || Some(Part { step: order.step(&from, &to)?, first_byte: 0, bytes: e.bytes });
        Some(Message {
            sender,
            sender_rank: traffic.from.rank(&from).0,
            receiver,
            receiver_rank: traffic.to.rank(&to).0,
            bytes: e.bytes,
            parts: if cut.is_empty() { vec![whole()?] } else { cut.iter().map(part).collect() },
        })
    };
    traffic.listed()?.graph.edges().iter().map(message).collect()
}

fn at(grid: &Grid, port: u64) -> Vec<u32> {
    place(grid.extents(), port)
}

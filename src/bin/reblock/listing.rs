//! WHICH message goes when? A schedule message by message, for `--schedule` and for drawings; docs/explain.md has its fields.
//! It never knows why the schedule was taken.

use reblock::layout::distribution::{Grid, place};
use reblock::schedule::course::Course;
use reblock::schedule::order::{Cut, Order};
use reblock::schedule::router::Schedule;
use reblock::schedule::traffic::Traffic;
use serde::Serialize;

/// A schedule message by message.
#[derive(Serialize, Debug)]
pub struct Listing {
    /// Raised when a field changes its meaning.
    pub version: u32,
    /// The scheduler that made it.
    pub scheduler: &'static str,
    /// One redistribution, or the phases of a chain, one after the other.
    pub phases: Vec<Phase>,
}

/// One redistribution.
#[derive(Serialize, Debug)]
pub struct Phase {
    /// The distribution of each dimension before.
    pub from: Vec<String>,
    /// The distribution of each dimension after.
    pub to: Vec<String>,
    /// Processes in each dimension before; ports are numbered in row-major order.
    pub senders: Vec<u32>,
    /// Processes in each dimension after.
    pub receivers: Vec<u32>,
    /// Steps are less than this; some may carry no message.
    pub steps: u64,
    /// All messages.
    pub messages: Vec<Message>,
    /// What ranks keep for themselves.
    pub kept: Vec<Kept>,
}

/// A message.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Message {
    /// The number of the process that sends.
    pub sender: u64,
    /// The rank of that process.
    pub sender_rank: u32,
    /// The number of the process that receives.
    pub receiver: u64,
    /// The rank of that process.
    pub receiver_rank: u32,
    /// All of its bytes.
    pub bytes: u64,
    /// When they go: one part, unless the message is cut.
    pub parts: Vec<Part>,
}

/// A part of a message.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The step in which it goes.
    pub step: u64,
    /// Bytes of the message before it.
    pub first_byte: u64,
    /// Its own.
    pub bytes: u64,
}

/// What a rank has before and after.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Kept {
    /// The rank.
    pub rank: u32,
    /// The number of its process before.
    pub sender: u64,
    /// The number of its process after.
    pub receiver: u64,
    /// How much.
    pub bytes: u64,
}

/// `schedule`, which is one of `traffic`; `None` if there are too many messages to list.
pub fn listing(traffic: &Traffic, schedule: &Schedule) -> Option<Listing> {
    let phases = match &schedule.course {
        Course::Direct(order) => vec![phase(traffic, order.as_ref())?],
        Course::Chain(phases) => {
            phases.iter().map(|one| phase(&one.traffic, one.order.as_ref())).collect::<Option<_>>()?
        }
    };
    Some(Listing { version: 1, scheduler: schedule.rival.name, phases })
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

/// What ranks keep; `None` if there are too many messages to list.
pub fn kept(traffic: &Traffic) -> Option<Vec<Kept>> {
    let keeps = |&(sender, receiver): &(u32, u32)| {
        let (from, to) = (at(&traffic.from, sender.into()), at(&traffic.to, receiver.into()));
        let shared = traffic.dims.iter().zip(&from).zip(&to).map(|((dim, &p), &q)| dim.overlap.volume(p, q));
        let (sender, receiver) = (sender.into(), receiver.into());
        Kept {
            rank: traffic.to.rank(&to).0,
            sender,
            receiver,
            bytes: traffic.element * shared.product::<u64>(),
        }
    };
    Some(traffic.listed()?.kept.iter().map(keeps).collect())
}

/// All messages of `traffic` with their steps in `order`; `None` if they are too many to list.
pub fn messages(traffic: &Traffic, order: &dyn Order) -> Option<Vec<Message>> {
    let message = |e: &reblock::schedule::graph::Edge| {
        let (sender, receiver) = (e.sender.into(), e.receiver.into());
        let (from, to) = (at(&traffic.from, sender), at(&traffic.to, receiver));
        let cut = order.parts(&from, &to);
        let part = |part: &Cut| Part { step: part.step.into(), first_byte: part.from, bytes: part.bytes };
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

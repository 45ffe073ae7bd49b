//! One dimension's messages listed, all other dimensions taken to be complete: the listed graph blown up by as many senders
//! and receivers as those have, scheduled as classes are ([`ClassOrder`]). For dimensions of different kinds of which
//! some are nearly complete, as those of few processes and many blocks are.

use super::super::certificate::Certificate;
use super::super::classes::{ClassOrder, Member};
use super::super::dimension::Line;
use super::super::figures::longest_of;
use super::super::graph::Graph;
use super::super::lookup::Lookup;
use super::super::traffic::Traffic;
use super::super::without;
use super::short;
use crate::layout::number;

/// The schedule.
#[derive(Clone, Debug)]
pub struct Blown {
    /// The dimension that is listed.
    dim: usize,
    found: Lookup,
    order: ClassOrder,
}

impl Blown {
    /// The fewest steps that this takes, with figures in elements, if they are fewer than `steps`.
    pub fn new(traffic: &Traffic, steps: u64) -> Option<(Self, Certificate)> {
        if without::is_out("blown-up dimensions") {
            return None;
        }
        let all =
            |of: fn(&Line) -> u32| traffic.lines.iter().map(|line| u64::from(of(line))).product::<u64>();
        let (senders, receivers) = (all(Line::senders), all(Line::receivers));
        let copies =
            |line: &Line| (senders / u64::from(line.senders()), receivers / u64::from(line.receivers()));
        let graphs =
            traffic.lines.iter().enumerate().filter_map(|(dim, line)| Some((dim, line, short(line)?)));
        let least = |graph: &Graph, (b, a): (u64, u64)| {
            let (send, receive) = graph.most();
            u64::from(send).saturating_mul(a).max(u64::from(receive).saturating_mul(b))
        };
        let ways = graphs.map(|(dim, line, graph)| (least(graph, copies(line)), dim, line, graph));
        let (_, dim, line, graph) = ways.filter(|way| way.0 < steps).min_by_key(|way| way.0)?;
        let order = ClassOrder::new(graph, copies(line)).filter(|order| order.steps() < steps)?;
        let others = traffic.lines.iter().enumerate().filter(|&(other, _)| other != dim);
        let longest = others.fold(1, |n: u64, (_, line)| n.saturating_mul(longest_of(line)));
        let mut certificate = order.certificate.clone();
        certificate.cost = certificate.cost.saturating_mul(longest);
        Some((Self { dim, found: Lookup::new(graph, 0..), order }, certificate))
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.order.steps()
    }

    /// The step of the message between the processes at `from` and `to`; `None` if there is none.
    pub fn step(&self, traffic: &Traffic, from: &[u32], to: &[u32]) -> Option<u64> {
        let others = |extents: &[u32], at: &[u32]| {
            let (mut extents, mut at) = (extents.to_vec(), at.to_vec());
            extents.remove(self.dim);
            at.remove(self.dim);
            number(&extents, &at)
        };
        let edge = usize::try_from(self.found.get(from[self.dim], to[self.dim])?).ok()?;
        let (sender, receiver) = (others(traffic.from.extents(), from), others(traffic.to.extents(), to));
        Some(self.order.step(&Member { edge, sender, receiver }))
    }
}

//! Description of a plan in JSON.

use super::plan::{Plan, PlanKind};
use crate::layout::distribution::{Axis, Grid};
use crate::layout::intersect::Overlap;
use crate::layout::problem::Problem;
use crate::plan::rank_plan::RankPlan;
use crate::schedule::traffic::Traffic;
use std::fmt::Write;

/// Maximum number of messages and self copies in a description: all pairs of 64 ranks.
const MAX_LISTED_MESSAGES: u64 = 1 << 12;

impl Plan {
    /// Describes the plan in JSON: the scheduler and its price in seconds; steps and cost of the schedule with their
    /// lower bounds, if they were counted; and the data that the calling process moves. A shift has such an object for
    /// each of its plans.
    pub fn explain(&self) -> String {
        let PlanKind::Shift { further, .. } = &self.kind else { return self.explain_one() };
        let others = further.iter().map(|part| part.explain_one());
        let parts: Vec<String> = std::iter::once(self.explain_one()).chain(others).collect();
        format!("{{\"version\":1,\"parts\":[{}]}}", parts.join(","))
    }

    fn explain_one(&self) -> String {
        let (planned, volume) = (&self.planned, self.planned.volume());
        let (problem, phases) = (&planned.problem, &planned.phases);
        let mut out = String::new();
        let boxes = if self.shadow_exchange().is_some() { [false; 2] } else { problem.boxes };
        let placeholder = if planned.stages.is_some() { "indices" } else { "boxes" };
        let dims: Vec<String> = problem.dims.iter().map(|dim| along(dim, boxes, placeholder)).collect();
        let price = if phases.price.is_finite() { format!("{:e}", phases.price) } else { "null".into() };
        let schedule = planned.certificate().map_or("null".into(), |c| {
            format!(
                "{{\"steps\":{},\"cost_bytes\":{},\"messages\":{},\"bounds\":{{\"steps\":{},\"cost_bytes\":{}}}}}",
                c.steps, c.cost, c.messages, c.bounds.steps, c.bounds.cost
            )
        });
        write!(
            out,
            "{{\"version\":1,\"element_bytes\":{},\"unit_bytes\":{},\"bytes\":{},\"dimensions\":[{}],\"source_grid\":{},\
             \"target_grid\":{},\"scheduler\":\"{}\",\"phases\":{},\"price_seconds\":{price},\"schedule\":{schedule},\
             \"rank\":{{\"rank\":{},\"sent_bytes\":{},\"received_bytes\":{},\"kept_bytes\":{},\"messages_sent\":{},\
             \"messages_received\":{}}},\"traffic\":{},\"buffer_bytes\":{},\"message_bytes\":{}}}",
            self.element(),
            planned.element,
            problem.bytes(planned.element as u64),
            dims.join(","),
            grid(&problem.from),
            grid(&problem.to),
            phases.scheduler,
            phases.list.len(),
            planned.me.rank.0,
            volume.sent,
            volume.received,
            volume.kept,
            volume.sends,
            volume.receives,
            traffic(planned).unwrap_or_else(|| "null".into()),
            volume.buffers,
            planned.message,
        )
        .expect("a string takes all that is written");
        out
    }
}

/// Lists the messages as [sender, receiver, bytes], then the self copies as [rank, rank, bytes]. `None` if there may be
/// more than [`MAX_LISTED_MESSAGES`], or if this rank cannot compute them.
fn traffic(planned: &RankPlan) -> Option<String> {
    let is_partial = planned.problem.dims.iter().any(Overlap::is_partial);
    if is_partial || planned.problem.in_boxes() || planned.stages.is_some() {
        return None;
    }
    // Messages carry the elements before they are repeated, from each copy that the plan reads.
    let sent = |copy: Problem| if copy.spread.is_empty() { copy } else { copy.before_spread() };
    let each = planned.problem.redistributions().into_iter();
    let all: Vec<_> = each.map(|copy| Traffic::of(&sent(copy), planned.element as u64)).collect();
    let messages = all.iter().map(Traffic::message_bound).fold(0, u64::saturating_add);
    if messages > MAX_LISTED_MESSAGES {
        return None;
    }
    let (mut sent, mut kept) = (Vec::new(), Vec::new());
    for traffic in &all {
        let list = traffic.listed()?;
        let [from, to] = [&traffic.from, &traffic.to].map(|grid| grid.ranks().collect::<Vec<_>>());
        let entry = |sender: u32, receiver: u32, bytes: u64| {
            format!("[{},{},{bytes}]", from[sender as usize].0, to[receiver as usize].0)
        };
        sent.extend(list.graph.edges().iter().map(|edge| entry(edge.sender, edge.receiver, edge.bytes)));
        let pairs = list.kept.iter();
        kept.extend(pairs.map(|&(a, b)| entry(a, b, traffic.kept_bytes((a, b)))));
    }
    sent.append(&mut kept);
    Some(format!("[{}]", sent.join(",")))
}

/// Describes a dimension. A side that lies in `boxes` has the text `placeholder` instead of a distribution.
fn along(dim: &Overlap, boxes: [bool; 2], placeholder: &str) -> String {
    let side = |axis: &Axis, boxes| if boxes { placeholder.into() } else { axis.dist.to_string() };
    let [from, to] = [side(&dim.from, boxes[0]), side(&dim.to, boxes[1])];
    format!("{{\"extent\":{},\"source\":\"{from}\",\"target\":\"{to}\"}}", dim.len)
}

fn grid(grid: &Grid) -> String {
    let extents: Vec<String> = grid.extents().iter().map(u32::to_string).collect();
    format!("[{}]", extents.join(","))
}

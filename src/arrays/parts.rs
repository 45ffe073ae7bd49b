//! Splits a shift into its redistributions, which all read the same source and write the same target.

use super::operands::MoveOperands;
use super::plan::{Plan, PlanKind};
use super::seat::Seat;
use std::iter::once;
use std::sync::Arc;

impl<'a> MoveOperands<'a> {
    pub(super) fn parts(self) -> Vec<Self> {
        if self.plan.further().is_empty() {
            return vec![self];
        }
        let Self { plan, source, destination, update } = self;
        let all: Vec<Arc<Plan>> = once(plan.clone()).chain(plan.further().iter().cloned()).collect();
        let away = |of: &Option<Seat>, first: &Option<Seat>| match (of, first) {
            (Some(of), Some(first)) => of.origin - first.origin,
            _ => 0,
        };
        let targets = all.iter().map(|part| {
            let shape = part.to.as_ref().map(|seat| seat.shape.clone());
            shape.map(|shape| (away(&part.to, &plan.to), shape))
        });
        let mut targets = match destination {
            Some(destination) => destination.shared_by(targets.flatten()).into_iter().map(Some).collect(),
            None => Vec::new(),
        }
        .into_iter();
        let part = |part: Arc<Plan>| {
            let source = match (&part.kind, &source, &part.from) {
                (PlanKind::Fill(boundary), ..) => boundary.as_ref().map(|boundary| boundary.source()),
                (_, Some(source), Some(seat)) => {
                    Some(source.view_from(away(&part.from, &plan.from), seat.shape.clone()))
                }
                _ => None,
            };
            let destination = targets.next().flatten();
            Self { plan: part, source, destination, update }
        };
        all.into_iter().map(part).collect()
    }
}

//! Updates that read no source: each rank updates its own elements without messages.

use super::Load;
use super::views::on_view;
use crate::layout::intersect::Slice;
use crate::pack::Update;
use crate::plan::{Piece, SelfCopy, Strips};

impl Load<'_> {
    /// Returns whether the update reads no source; equal on all ranks.
    pub fn reads_no_source(&self) -> bool {
        self.update.as_ref().is_some_and(Update::ignores_source)
    }

    /// Updates the elements that this rank would receive or keep.
    pub fn update_alone(&mut self) {
        let (Some(to), Some(phase)) = (self.destination.as_mut(), self.plan.phases.list.last()) else {
            return;
        };
        if let Some(writing) = self.plan.stages.as_ref().and_then(|stages| stages.after.as_ref()) {
            return writing.update_alone(to);
        }
        let (part, mut piece) = (&phase.problem.part, Piece::default());
        let mut strips = Strips::default();
        for message in &phase.receives.messages {
            phase.receives.positions(message, &mut piece);
            let product = phase.receives.product(message);
            on_view(phase.receives.view(message), to, |to| {
                product.for_each_strip(&piece, part, &mut strips, |dims| to.update_alone(dims));
            });
        }
        for (k, product) in phase.copy.iter().flat_map(SelfCopy::products).enumerate() {
            piece.set(product.whole());
            let mut written = vec![Slice::default(); product.dims().count()];
            on_view(phase.kept_views(k)[1], to, |to| {
                product.for_each_strip(&piece, part, &mut Strips::default(), |dims| {
                    dims.iter().zip(&mut written).for_each(|(dim, written)| dim.alone(1, written));
                    to.update_alone(&written);
                });
            });
        }
    }
}

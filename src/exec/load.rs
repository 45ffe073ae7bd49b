//! WHAT is one rank's part of a redistribution? A plan and the local arrays that it is carried out with.

use crate::pack::{Destination, Source, Update};
use crate::plan::Flats;
use crate::plan::planned::Planned;
use std::sync::Arc;

/// One array's redistribution, on one rank.
pub struct Load<'a> {
    /// What is to be done.
    pub planned: Arc<Planned>,
    /// The local array that is read, unless this rank is outside the grid; it holds all that the legs name.
    pub source: Option<Source<'a>>,
    /// The local array that is written, unless this rank is outside the grid; it holds all that the legs name.
    pub destination: Option<Destination<'a>>,
    /// What becomes of an element that is written, if it is not just copied. All ranks give the same.
    pub update: Option<Update>,
}

impl<'a> Load<'a> {
    /// Whether what is written is read before. All ranks give the same.
    pub(super) fn reads_target(&self) -> bool {
        self.update.as_ref().is_some_and(|update| !update.ignores_target())
    }

    /// Its runs in these arrays, if they are listed.
    pub(super) fn flats(&self) -> Option<Arc<Flats>> {
        let (from, to) = (self.source.as_ref(), self.destination.as_ref());
        self.planned.flats([from.map(Source::shape), to.map(Destination::shape)])
    }

    /// The array that is read, on a rank that sends or keeps something.
    pub(super) fn read(&self) -> &Source<'a> {
        self.source.as_ref().expect("a rank that sends or keeps something has a source")
    }

    /// The plan, the array that is read if there is one, and the array that is written, on a rank that receives or keeps something.
    pub(super) fn ends(&mut self) -> (&Planned, Option<&Source<'a>>, &mut Destination<'a>) {
        let destination = self.destination.as_mut();
        let destination = destination.expect("a rank that receives or keeps something has a destination");
        (&self.planned, self.source.as_ref(), destination)
    }
}

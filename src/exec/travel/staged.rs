//! Stages in a call: filled before the phase, copied to the program's arrays after it. A stage is an array of reblock's
//! own, which the phase reads or writes if lists of indices name the elements: see [`Stages`](crate::plan::Stages).

use super::Load;
use crate::pack::{Destination, OwnedArray, Source, Update};
use crate::plan::rank_plan::RankPlan;
use crate::transport::error::Error;
use std::sync::Arc;

pub struct Staged<'a> {
    load: usize,
    planned: Arc<RankPlan>,
    /// The program's source, and the stage that the phase reads.
    read: Option<(Source<'a>, OwnedArray)>,
    /// The program's destination, and the stage that the phase writes.
    written: Option<(Destination<'a>, OwnedArray)>,
    /// The program's source, for elements that bypass the written stage. If a stage is read, they come from that stage.
    own: Option<Source<'a>>,
    update: Option<Update>,
}

impl<'a> Staged<'a> {
    /// Allocates the stages of load `number`, if it has any, and replaces its destination by the stage.
    pub fn prepare(number: usize, load: &mut Load<'a>) -> Result<Option<Self>, Error> {
        let planned = load.plan.clone();
        let Some(stages) = planned.stages.as_ref().filter(|_| !load.reads_no_source()) else {
            return Ok(None);
        };
        let missing = || Error::Memory("no memory for an intermediate array".into());
        let read = match (&stages.before, &load.source) {
            (Some(combining), Some(source)) => {
                Some((source.clone(), stages.stage(combining.shape()).ok_or_else(missing)?))
            }
            _ => None,
        };
        let written = match (&stages.after, load.destination.take()) {
            (Some(writing), Some(destination)) => {
                let mut stage = writing.stage(stages).ok_or_else(missing)?;
                load.destination = Some(stage.destination());
                Some((destination, stage))
            }
            (_, destination) => {
                load.destination = destination;
                None
            }
        };
        let update = load.update;
        if written.is_some() {
            load.update = None;
        }
        let some = read.is_some() || written.is_some();
        let own = load.source.clone().filter(|_| written.is_some());
        Ok(some.then(|| Self { load: number, planned: planned.clone(), read, written, own, update }))
    }

    /// Fills the stage to read, and makes it the source of this load in `loads`.
    pub fn begin(&mut self, loads: &mut [Load<'a>]) {
        let combining = self.planned.stages.as_ref().and_then(|stages| stages.before.as_ref());
        if let (Some(combining), Some((source, stage))) = (combining, &mut self.read) {
            combining.fill(source, &mut stage.destination(), self.update.as_ref());
            loads[self.load].source = Some(stage.source());
        }
    }

    /// Writes the received elements, and those that this rank kept, to the program's array.
    pub fn finish(mut self) {
        let Some(stages) = &self.planned.stages else { return };
        if let (Some(writing), Some((destination, mut stage))) = (&stages.after, self.written) {
            let own = self.read.as_mut().map(|(_, read)| read.source()).or(self.own);
            writing.write(&stage.source(), own.as_ref(), destination, self.update);
            drop(own);
            stages.keep(stage);
        }
        if let Some((_, stage)) = self.read {
            stages.keep(stage);
        }
    }
}

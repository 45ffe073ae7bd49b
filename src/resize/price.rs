//! Predicted cost of a resize, from the layouts and the machine's model (docs/schedulers.md), without communication.

use super::registry::{DealtArray, arrays_of};
use super::variables::Allocation;
use super::{Job, size_of_job};
use crate::collective::failure::{Code, Failure};
use crate::layout::mapping;
use crate::layout::mapping::{ArrayRedistribution, Correspondence, Layout, MappedSection, Section};
use crate::schedule::chooser::choose;
use crate::schedule::cost_model::scheduled;
use crate::schedule::traffic::Traffic;
use crate::system::machine::Machine;

/// Cost of moving all registered data.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Price {
    /// Bytes that ranks send each other. Arrays with too many messages to list count with all their bytes.
    pub bytes: u64,
    /// Messages of all arrays; each array is counted by itself.
    pub messages: u64,
    /// Steps of the array with the most steps.
    pub steps: u64,
    /// Seconds by the model, one array after the other.
    pub seconds: f64,
}

impl<M: Allocation> Job<M> {
    /// Returns the cost of moving all registered data to `ranks` ranks.
    pub fn price(&self, ranks: impl Into<i64>) -> Result<Price, Failure> {
        let ranks = size_of_job(ranks.into())?;
        self.can_resize(ranks)?;
        let (machine, settings) = self.machine()?;
        let (session, shape) = (self.session()?, self.next_shape(ranks)?);
        let mut price = Price::default();
        for array in arrays_of(&self.items) {
            let goal = array.goal_map(ranks, shape, &session)?;
            let own = price_move(array, &goal, &machine, settings.scheduler.as_deref())?;
            price.bytes += own.bytes;
            price.messages += own.messages;
            price.steps = price.steps.max(own.steps);
            price.seconds += own.seconds;
        }
        Ok(price)
    }
}

fn price_move<M>(
    array: &DealtArray<M>,
    goal: &mapping::Map,
    machine: &Machine,
    forced: Option<&str>,
) -> Result<Price, Failure> {
    let missing = || Failure::new(Code::State, "this process has not registered all arrays of the job");
    let from = array.map.as_ref().ok_or_else(missing)?;
    let (layout, to) = (Layout::of(goal), Section::whole(goal));
    let section = Section::whole(from.map());
    let ends = [
        MappedSection { map: from.map(), layout: from.layout(), section: &section },
        MappedSection { map: goal, layout: &layout, section: &to },
    ];
    let ArrayRedistribution { problem, unit, .. } =
        ArrayRedistribution::new(&ends[0], &ends[1], Correspondence::default(), array.element as u64)?;
    let traffic = Traffic::of(&problem, unit as u64).with_budget_for(machine);
    let refused = |why: crate::schedule::chooser::Refusal| Failure::new(Code::Settings, why.to_string());
    let schedule = choose(&traffic, machine, forced).map_err(refused)?;
    let counted = || choose(&traffic, &Machine::NETWORK, Some(schedule.scheduler.name)).ok()?.certificate;
    let certificate = schedule.certificate.clone().or_else(counted);
    let listed = traffic.listed().map(|listed| listed.graph.edges().iter().map(|edge| edge.bytes).sum());
    let modelled = || certificate.as_ref().map_or(0.0, |c| scheduled(machine, c));
    Ok(Price {
        bytes: listed.unwrap_or_else(|| problem.bytes(unit as u64)),
        messages: certificate.as_ref().map_or_else(|| traffic.messages(), |c| c.messages),
        steps: certificate.as_ref().map_or(0, |c| c.steps),
        seconds: if schedule.price.is_finite() { schedule.price } else { modelled() },
    })
}

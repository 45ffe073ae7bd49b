//! Phases of a redistribution: one direct phase, or several through intermediate arrays.

use super::{ListedMessages, Place, RankPhase, ReceivedBoxes};
use crate::layout::problem::{Copies, Problem};
use crate::machine::Machine;
use crate::schedule::certificate::Certificate;
use crate::schedule::chooser::{Refusal, Schedule, choose_with_reason, order_does_not_matter};
use crate::schedule::cost_model::How;
use crate::schedule::course::Course;
use crate::schedule::table::find_by_name;
use crate::schedule::traffic::Traffic;
use crate::schedule::why::Why;
use std::sync::Arc;

/// The phases of a redistribution, and the reason for choosing their scheduler.
#[derive(Debug)]
pub struct Phases {
    /// Name of the scheduler that was chosen.
    pub scheduler: &'static str,
    /// Reason for choosing this scheduler.
    pub why: Why,
    /// Predicted time in seconds; infinite if it was not computed.
    pub price: f64,
    /// Figures of the schedule, if they were counted.
    pub certificate: Option<Certificate>,
    /// Whether all messages are sent at once, without steps.
    pub at_once: bool,
    /// Whether all messages are early ([`Machine::early`]).
    pub early: bool,
    /// The phases in the order of execution.
    pub list: Vec<Arc<RankPhase>>,
    /// Numbers of the phases that write the destination, ascending: only the last one, or one per copy if all copies of
    /// the source are read. The phase after each of them reads the source again.
    pub ends: Vec<usize>,
}

/// Information that a rank has received from other ranks, for problems whose messages it cannot compute by itself.
pub enum Received<'a> {
    /// Boxes and shares, for each redistribution of the problem ([`Problem::redistributions`]).
    Boxes(&'a [ReceivedBoxes]),
    /// Messages of elements that are named by lists.
    Lists(ListedMessages),
}

impl Phases {
    /// Builds the phases of the rank at `me`: the cheapest ones on `machine`, or those of the scheduler `forced`.
    /// Elements have `element` bytes.
    pub fn new(
        problem: &Problem,
        me: &Place,
        element: u64,
        machine: &Machine,
        forced: Option<&str>,
    ) -> Result<Self, Refusal> {
        if problem.copies == Copies::Nearest {
            return Self::for_one_copy(problem, me, element, machine, forced);
        }
        let all_phases = problem.redistributions().into_iter().map(|one| {
            let me = Place { from: one.from.find(me.rank), ..me.clone() };
            Self::for_one_copy(&one, &me, element, machine, forced)
        });
        let joined = all_phases.reduce(|before, next| Ok(before?.append(next?)));
        joined.expect("an array has a copy")
    }

    fn for_one_copy(
        problem: &Problem,
        me: &Place,
        element: u64,
        machine: &Machine,
        forced: Option<&str>,
    ) -> Result<Self, Refusal> {
        if !problem.spread.is_empty() {
            let between = problem.before_spread();
            let there = Place { to: between.to.find(me.rank), ..me.clone() };
            let mut phases = Self::for_one_copy(&between, &there, element, machine, forced)?;
            phases.early = false;
            phases.ends = vec![phases.list.len()];
            phases.list.push(Arc::new(RankPhase::spread(problem, me)));
            return Ok(phases);
        }
        let mut traffic = Traffic::of(problem, element);
        // If any order is good enough, no messages are listed, so no budget is needed.
        if forced.is_some() || !order_does_not_matter(&traffic, machine) {
            traffic = traffic.with_budget_for(machine);
        }
        let (Schedule { scheduler, course, certificate, price, .. }, why) =
            choose_with_reason(&traffic, machine, forced)?;
        let whole = scheduler.how != How::Cut;
        let phases: Vec<_> = match &course {
            Course::Direct(order) => {
                vec![Arc::new(RankPhase::new(problem.clone(), me, (order.as_ref(), whole)))]
            }
            Course::Chain(phases) => phases
                .iter()
                .map(|phase| {
                    let dims = phase.traffic.dims.iter().map(|dim| dim.overlap.clone()).collect();
                    let problem = Problem { dims, ..problem.clone() };
                    Arc::new(RankPhase::new(problem, me, (phase.order.as_ref(), true)))
                })
                .collect(),
        };
        let at_once = scheduler.how == How::AtOnce;
        let early = whole && phases.len() == 1 && traffic.is_early(machine);
        let ends = vec![phases.len() - 1];
        Ok(Self { scheduler: scheduler.name, why, price, certificate, at_once, early, list: phases, ends })
    }

    /// Appends the phases of `next`. The scheduler and the reason remain those of `self`.
    fn append(mut self, next: Self) -> Self {
        let begin = self.list.len();
        self.ends.extend(next.ends.iter().map(|end| begin + end));
        self.list.extend(next.list);
        let certificate = self.certificate.zip(next.certificate).map(|(a, b)| a.then(&b));
        let at_once = self.at_once && next.at_once;
        Self { price: self.price + next.price, certificate, at_once, early: false, ..self }
    }

    /// Returns whether phase `phase` reads the source; otherwise it reads the array that the previous phase wrote.
    pub fn reads_source(&self, phase: usize) -> bool {
        phase == 0 || self.writes_destination(phase - 1)
    }

    /// Returns whether phase `phase` writes the destination; otherwise it writes an intermediate array.
    pub fn writes_destination(&self, phase: usize) -> bool {
        self.ends.binary_search(&phase).is_ok()
    }

    /// Builds the phases of a redistribution of boxes, or of elements in lists, from the information that the rank at
    /// `me` has received. The only scheduler for these is the caterpillar; fails if `forced` names another one.
    pub fn with_received(
        problem: &Problem,
        me: &Place,
        received: Received<'_>,
        forced: Option<&str>,
    ) -> Result<Self, Refusal> {
        let scheduler = "caterpillar";
        if let Some(name) = forced.filter(|&name| name != scheduler) {
            let forced = find_by_name(name).ok_or_else(|| Refusal::Unknown(name.into()))?;
            let what = match received {
                Received::Boxes(_) => "an array lies in boxes, or its shadows move",
                Received::Lists(_) => "elements are named by lists of indices",
            };
            return Err(Refusal::Unfit(
                forced.name,
                format!("{what}, for which {scheduler} is the only scheduler"),
            ));
        }
        let phase = |(one, received): (Problem, &ReceivedBoxes)| {
            let me = Place { from: one.from.find(me.rank), ..me.clone() };
            Arc::new(RankPhase::in_boxes(one, &me, received))
        };
        let phases: Vec<Arc<RankPhase>> = match received {
            Received::Boxes(received) => {
                problem.redistributions().into_iter().zip(received).map(phase).collect()
            }
            Received::Lists(listed) => vec![Arc::new(RankPhase::listed(problem.clone(), me, listed))],
        };
        let why = if forced.is_some() { Why::Forced } else { Why::Only };
        let ends = (0..phases.len()).collect();
        Ok(Self {
            scheduler,
            why,
            price: f64::INFINITY,
            certificate: None,
            at_once: false,
            early: false,
            list: phases,
            ends,
        })
    }
}

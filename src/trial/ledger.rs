//! Counts of this process's calls, by shape. Memory grows with the number of shapes, not of calls.

use super::{CallShape, Scheduled, Statistics, Transports, Ways};
use crate::plan::rank_plan::RankPlan;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// Number of remembered plans above which entries of dropped plans are removed.
const PRUNE_THRESHOLD: usize = 1024;
/// Maximum number of ranks whose nodes a report lists, for each shape.
const MAX_LISTED_NODES: usize = 1024;

#[derive(Default)]
pub struct Ledger {
    entries: Vec<(CallShape, Statistics)>,
    shapes: HashMap<CallShape, usize>,
    /// By address of a plan: the plan and the index of its entry. The weak reference keeps the address from other
    /// plans.
    plans: HashMap<usize, (Weak<RankPlan>, usize)>,
    /// Address of the latest plan and index of its entry. The next call often has the same plan.
    latest: Option<(usize, usize)>,
    /// Number of calls that a trial did not make with both libraries, by reason.
    aside: BTreeMap<String, u64>,
}

/// One call, as this rank measured it.
pub struct Measured<'a> {
    /// Name of the call, such as `PDGEMR2D`.
    pub what: &'a dyn Display,
    pub planned: &'a Arc<RankPlan>,
    /// Rank in the enclosing communicator, and its size.
    pub rank: (u32, u32),
    /// Duration of the call in seconds.
    pub seconds: f64,
    /// Seconds of the call that this rank only waited for others.
    pub waiting: f64,
    /// Transport of the call's messages, as counts of one call.
    pub transports: Transports,
    /// The call's ways of writing arrays and slots, as counts of one call.
    pub ways: Ways,
}

impl Ledger {
    /// Counts a call. Returns its number among those of its shape, from 1.
    pub fn record(&mut self, call: &Measured<'_>) -> u64 {
        let entry = self.entry(call);
        let figures = &mut self.entries[entry].1;
        match figures.calls {
            0 => figures.first = call.seconds,
            _ => figures.time.record(call.seconds),
        }
        figures.calls += 1;
        figures.waiting += call.waiting;
        figures.transports.add(call.transports);
        figures.ways.add(call.ways);
        figures.calls
    }

    pub fn figures(&mut self, call: &Measured<'_>) -> &mut Statistics {
        let entry = self.entry(call);
        &mut self.entries[entry].1
    }

    /// Counts a call that a trial did not make with both libraries, for the reason `why`.
    pub fn set_aside(&mut self, why: &str) {
        *self.aside.entry(why.into()).or_default() += 1;
    }

    /// Returns the number of calls that a trial did not make with both libraries, by reason.
    pub fn calls_set_aside(&self) -> &BTreeMap<String, u64> {
        &self.aside
    }

    pub fn entries(&self) -> &[(CallShape, Statistics)] {
        &self.entries
    }

    fn entry(&mut self, call: &Measured<'_>) -> usize {
        let address = Arc::as_ptr(call.planned).addr();
        let entry = match self.latest {
            Some((latest, entry)) if latest == address => return entry,
            _ => self.plans.get(&address).map(|&(_, entry)| entry),
        };
        let entry = entry.unwrap_or_else(|| self.remember(call, address));
        self.latest = Some((address, entry));
        entry
    }

    /// Assigns the plan at `address` to the entry of its shape, which is created if necessary. Returns its index.
    fn remember(&mut self, call: &Measured<'_>, address: usize) -> usize {
        if self.plans.len() >= PRUNE_THRESHOLD {
            self.plans.retain(|_, (plan, _)| plan.strong_count() > 0);
        }
        let (RankPlan { problem, element, .. }, (rank, ranks)) = (&**call.planned, call.rank);
        let shape = CallShape::of(&call.what.to_string(), problem, *element, ranks);
        let next = self.entries.len();
        let entry = *self.shapes.entry(shape.clone()).or_insert(next);
        if entry == next {
            self.entries.push((shape, fixed_figures(call.planned, rank == 0)));
        }
        self.plans.insert(address, (Arc::downgrade(call.planned), entry));
        entry
    }
}

/// Returns the figures that a plan determines: those of the schedule only if `is_reported`, on one rank.
fn fixed_figures(planned: &RankPlan, is_reported: bool) -> Statistics {
    let volume = planned.volume();
    let schedule = || {
        let figures = planned.certificate();
        Scheduled {
            scheduler: planned.phases.scheduler.into(),
            why: planned.phases.why.to_string(),
            steps: figures.as_ref().map(|c| [c.steps, c.bounds.steps]),
            cost: figures.as_ref().map(|c| [c.cost, c.bounds.cost]),
            machine: planned.machine,
            nodes: Some(planned.problem.nodes.numbers()).filter(|nodes| nodes.len() <= MAX_LISTED_NODES),
        }
    };
    Statistics {
        participants: 1,
        sent: volume.sent,
        kept: volume.kept,
        messages: volume.sends,
        buffers: volume.buffers,
        schedule: is_reported.then(schedule),
        ..Statistics::default()
    }
}

pub fn ledger() -> MutexGuard<'static, Ledger> {
    static LEDGER: LazyLock<Mutex<Ledger>> = LazyLock::new(Mutex::default);
    LEDGER.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::call_shape::tests::problem;
    use super::*;
    use crate::layout::distribution::Rank;
    use crate::plan::Place;
    use crate::system::machine::Proximity;
    use crate::system::settings::Settings;

    fn planned(start: u64) -> Arc<RankPlan> {
        let problem = problem(start);
        let me = Place::of(&problem, Rank(0), 2);
        Arc::new(RankPlan::new(problem, me, 8, Settings::defaults(), Proximity::Nodes { early: 0 }).unwrap())
    }

    fn call(planned: &Arc<RankPlan>, seconds: f64) -> Measured<'_> {
        let transports = Transports { memory: 1, ..Transports::default() };
        let ways = Ways { gathered: 1, ..Ways::default() };
        Measured {
            what: &"PDGEMR2D",
            planned,
            rank: (0, 2),
            seconds,
            waiting: seconds / 4.0,
            transports,
            ways,
        }
    }

    #[test]
    fn calls_are_counted_by_their_shapes() {
        let (one, again, other) = (planned(0), planned(0), planned(64));
        let mut ledger = Ledger::default();
        for (plan, seconds) in [(&one, 4.0), (&one, 1.0), (&again, 2.0), (&other, 8.0)] {
            ledger.record(&call(plan, seconds));
        }
        let [(first, figures), (second, apart)] = ledger.entries() else { panic!("two shapes") };
        assert_ne!(first, second);
        assert_eq!((figures.calls, figures.first, figures.time.count()), (3, 4.0, 2));
        assert_eq!((figures.waiting, figures.transports.memory, figures.ways.gathered), (1.75, 3, 3));
        assert_eq!((figures.sent, figures.kept, figures.messages), (8 * 128 * 48, 8 * 128 * 52, 1));
        let schedule = figures.schedule.as_ref().unwrap();
        let why = "at most two ranks on each side: nothing to choose";
        assert_eq!((schedule.scheduler.as_str(), schedule.why.as_str()), ("caterpillar", why));
        assert_eq!((apart.calls, apart.time.count()), (1, 0));
    }

    #[test]
    fn memory_grows_with_shapes_only() {
        let mut ledger = Ledger::default();
        for _ in 0..3 * PRUNE_THRESHOLD {
            ledger.record(&call(&planned(0), 1.0));
        }
        assert_eq!(ledger.entries().len(), 1);
        assert!(ledger.plans.len() <= PRUNE_THRESHOLD);
    }
}

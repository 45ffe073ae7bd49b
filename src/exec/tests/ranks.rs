//! Runs all ranks of several cases, in turns or concurrently.

use super::case::{Array, Case};
use super::*;
use crate::layout::strides::Shape;
use crate::pack::OwnedArray;
use crate::plan::rank_plan::LastWriteMode;
use crate::plan::{PhaseRunsCache, Place};
use crate::system::machine::Machine;
use std::time::{Duration, Instant};

/// A case, the phases of each rank, and their source arrays.
pub type Routed<'a> = (&'a Case, &'a [Phases], &'a [Vec<u8>]);

/// Executes several cases together on all ranks, which `drive` advances. Afterwards `b` has the destination arrays. The
/// ranks in the bit set `listing` have listed runs, if possible. Returns how many ranks gathered, and how many had
/// listed runs, both summed over all phases.
pub fn run<T: Transport<Error: Debug>>(
    cases: &[Routed],
    b: &mut [Vec<Vec<u8>>],
    ends: &mut [T],
    (order, workers, gather, listing): (PieceOrder, Workers, bool, u64),
    drive: impl Fn(&mut [PhaseExecution], &mut [T]),
) -> [usize; 2] {
    let ranks = cases[0].0.ranks;
    let phases = |k: usize| cases[k].1[0].list.len();
    let most = (0..cases.len()).map(phases).max().unwrap_or(0);
    let none = || (0..ranks).map(|_| cases.iter().map(|_| None).collect()).collect();
    let mut between: Vec<Vec<Option<OwnedArray>>> = none();
    let mut ways = [0; 2];
    for phase in 0..most {
        let mut next: Vec<Vec<Option<OwnedArray>>> = none();
        let mut all: Vec<Vec<Load>> = Vec::new();
        for (rank, next) in next.iter_mut().enumerate() {
            let mut items = Vec::new();
            for (k, next) in next.iter_mut().enumerate().filter(|(k, _)| phase < phases(*k)) {
                let ((case, all_phases, a), last) = (cases[k], phase + 1 == phases(k));
                let (phases, place) = (&all_phases[rank], case.place(rank as u32));
                let shape = |array: &Array| Some(array.shape(&array.grid.find(place.rank)?, case.element));
                if !last {
                    *next =
                        phases.list[phase].shape(case.element).map(|shape| OwnedArray::new(shape).unwrap());
                }
                let load = Load {
                    plan: planned(case, phases, &place, gather),
                    source: match &mut between[rank][k] {
                        _ if phase == 0 => shape(&case.from).map(|shape| source(&a[rank], shape)),
                        between => between.as_mut().map(OwnedArray::source),
                    },
                    destination: match next {
                        _ if last => shape(&case.to).map(|shape| {
                            let to = destination(&mut b[k][rank], shape);
                            match case.update {
                                Some(update) => to.updated_by(update),
                                None => to,
                            }
                        }),
                        next => next.as_mut().map(OwnedArray::destination),
                    },
                    update: None,
                };
                if listing >> rank & 1 == 1 {
                    // Runs are listed at the second use.
                    let shapes = [
                        load.source.as_ref().map(Source::shape),
                        load.destination.as_ref().map(Destination::shape),
                    ];
                    assert!(load.plan.list_repeated_runs(shapes).is_none());
                }
                items.push(load);
            }
            all.push(items);
        }
        let each = all.into_iter().map(|items| PhaseExecution::new(items, phase, order, workers));
        let mut executions: Vec<PhaseExecution> = each.collect();
        let before = b.to_vec();
        drive(&mut executions, ends);
        ways[0] += executions.iter().filter(|execution| execution.gathers()).count();
        let written_out = |(execution, end): &(&PhaseExecution, &T)| {
            execution.items.runs_of_items.iter().all(|phase_runs| fit(phase_runs, *end))
        };
        ways[1] += executions.iter().zip(&*ends).filter(written_out).count();
        if ranks % 2 == 1 {
            // Repeats the execution from its workspace; the result must be equal.
            b.clone_from_slice(&before);
            executions =
                executions.into_iter().map(|execution| again(execution, (phase, order, workers))).collect();
            drive(&mut executions, ends);
        }
        drop(executions);
        between = next;
    }
    ways
}

/// Restarts a finished execution from its workspace.
fn again(execution: PhaseExecution, (phase, order, workers): (usize, PieceOrder, Workers)) -> PhaseExecution {
    let (loads, workspace) = execution.into_loads();
    PhaseExecution::reuse(loads, phase, order, workers, workspace)
}

/// Applies the case's update, which must read no source, to the destination arrays `b`.
pub fn alone(case: &Case, all_phases: &[Phases], b: &mut [Vec<u8>]) {
    for (rank, b) in (0..case.ranks).zip(b) {
        let place = case.place(rank);
        let shape = |array: &Array| Some(array.shape(&array.grid.find(place.rank)?, case.element));
        let update = case.update;
        let mut load = Load {
            plan: planned(case, &all_phases[rank as usize], &place, false),
            // The source is not read.
            source: shape(&case.from).map(nowhere),
            destination: shape(&case.to)
                .map(|shape| destination(b, shape).updated_by(update.expect("an update"))),
            update,
        };
        if update.is_some_and(|update| update.is_copy()) {
            continue;
        }
        assert!(load.reads_no_source());
        load.update_alone();
    }
}

/// Returns whether the runs of an array are listed and each message fits in one slot.
fn fit<T: Transport>(phase_runs: &Option<Arc<PhaseRuns>>, end: &T) -> bool {
    let all_fit = |phase_runs: &PhaseRuns| {
        phase_runs
            .sends
            .iter()
            .chain(&phase_runs.receives)
            .all(|message| message.room <= end.capacity(Rank(0)))
    };
    phase_runs.as_deref().is_some_and(all_fit)
}

pub fn planned(case: &Case, phases: &Phases, me: &Place, gather: bool) -> Arc<RankPlan> {
    let Phases { scheduler, why, price, at_once, early, ref list, ref ends, .. } = *phases;
    let (list, ends) = (list.clone(), ends.clone());
    let phases = Phases { scheduler, why, price, certificate: None, at_once, early, list, ends };
    let (problem, order) = (case.problem.clone(), PieceOrder::ByMessage);
    let gather = Some(gather);
    let phase_runs = (phases.list.len() == 1 && phases.list[0].whole).then(PhaseRunsCache::default);
    Arc::new(RankPlan {
        problem,
        me: me.clone(),
        element: case.element,
        machine: Machine::NETWORK,
        phases,
        order,
        in_order: false,
        gather,
        write_mode: LastWriteMode::default(),
        stages: None,
        phase_runs,
        message: 0,
        buffers: 0,
    })
}

/// Advances all ranks in turns until all are done. Every second rank sends ahead; all ranks if messages are early.
/// Panics if no rank can advance.
pub fn by_turns<T: Transport<Error: Debug>>(ranks: &mut [PhaseExecution], ends: &mut [T]) {
    let step = if ends.iter().any(|end| end.early_limit() > 0) { 1 } else { 2 };
    for (rank, end) in ranks.iter_mut().zip(ends.iter_mut()).step_by(step) {
        assert!(rank.send_ahead(end).unwrap(), "there is room for early messages");
    }
    let mut before = Vec::new();
    loop {
        let states: Vec<Progress> =
            ranks.iter_mut().zip(ends.iter_mut()).map(|(rank, end)| rank.advance(end).unwrap()).collect();
        if states.iter().all(|&s| s == Progress::Done) {
            return;
        }
        // If no rank is busy but some state has changed, a rank may have sent a message in its last call.
        assert!(states.contains(&Progress::Busy) || states != before, "deadlock: {states:?}");
        before = states;
    }
}

/// Runs all ranks concurrently, each on its own thread.
pub fn at_once<T: Transport<Error: Debug> + Send>(ranks: &mut [PhaseExecution], ends: &mut [T]) {
    /// Longer than any case takes, even if many threads share a core.
    const PATIENCE: Duration = Duration::from_secs(60);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for (rank, end) in ranks.iter_mut().zip(ends) {
            scope.spawn(move || {
                while rank.advance(end).unwrap() != Progress::Done {
                    assert!(begin.elapsed() < PATIENCE, "deadlock");
                    std::thread::yield_now();
                }
            });
        }
    });
}

#[allow(unsafe_code)]
pub fn source<'a>(memory: &[u8], shape: Shape) -> Source<'a> {
    assert_eq!(memory.len(), shape.bytes());
    // SAFETY: as asserted; the arrays of a case outlive its run.
    unsafe { Source::new(memory.as_ptr(), shape) }
}

/// Returns one array as source and as destination; elements that are read must not be written.
#[allow(unsafe_code)]
pub fn in_place<'a>(memory: &mut [u8], shape: Shape) -> (Source<'a>, Destination<'a>) {
    assert_eq!(memory.len(), shape.bytes());
    let base = memory.as_mut_ptr();
    // SAFETY: as asserted; the arrays of a case outlive its run.
    unsafe { (Source::new(base, shape.clone()), Destination::new(base, shape)) }
}

#[allow(unsafe_code)]
fn nowhere<'a>(shape: Shape) -> Source<'a> {
    // SAFETY: nothing is read from it.
    unsafe { Source::new(std::ptr::null(), shape) }
}

#[allow(unsafe_code)]
pub fn destination<'a>(memory: &mut [u8], shape: Shape) -> Destination<'a> {
    assert_eq!(memory.len(), shape.bytes());
    // SAFETY: as asserted; the arrays of a case outlive its run.
    unsafe { Destination::new(memory.as_mut_ptr(), shape) }
}

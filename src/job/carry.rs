//! HOW does everything that is registered move from the old ranks to the new ones? Both are ranks of one communicator, the
//! larger one. There is a plan for each array, and all arrays move in one set of messages.

use super::registry::{Dealt, Home, Memory};
use super::times::Times;
use crate::hpf::{Cargo, Code, Failure, Map, Options, Plan, Procs, Seat, Side, confirmed, execute};
use crate::mapping;
use crate::session::Session;
use std::sync::Arc;
use std::time::Instant;

/// How a rank gets storage for so many bytes.
pub type Allocate<M> = dyn Fn(usize) -> Option<M> + Send;

/// What an array has become on this rank.
pub struct Arrived<M> {
    /// Its map, with ranks of the communicator that it moved in.
    pub map: Map,
    /// Its storage, if the rank has a part.
    pub memory: Option<M>,
}

/// Collective over the communicator of `session`: moves `arrays` to where `goals` say. Nothing is given up: the old storages
/// stay as they are. A rank that has come only now does not know where they were.
pub fn carry<M: Memory>(
    session: &Arc<Session>,
    arrays: &[&Dealt<M>],
    goals: Vec<mapping::Map>,
    allocate: &Allocate<M>,
    times: &mut Times,
) -> Result<Vec<Arrived<M>>, Failure> {
    if arrays.is_empty() {
        return Ok(Vec::new());
    }
    let begin = Instant::now();
    let mut planned = Vec::with_capacity(arrays.len());
    for (array, goal) in arrays.iter().zip(goals) {
        let procs = Procs::of_session(session, goal.template().arrangement().clone())?;
        let to = Map::of(procs, None, goal);
        let from = array.map.as_ref().map_or_else(Side::default, Side::whole);
        let sides = (from, Side::whole(&to), array.element, &Options::default());
        let plan = Plan::of_result(&session.host(), Ok(sides))?;
        planned.push((plan, to));
    }
    let mut memories = confirmed(session, allocated(&planned, allocate))?;
    times.plan = begin.elapsed();
    let begin = Instant::now();
    let each = arrays.iter().zip(&planned).zip(&mut memories);
    let cargo = each.map(|((array, (plan, _)), memory)| {
        let home: Option<&dyn Home<M>> = array.home.as_deref();
        let source = plan.source().and_then(|seat| home?.source(seat));
        let destination = plan.destination().and_then(|seat| memory.as_mut()?.destination(seat));
        Cargo { plan: plan.clone(), source, destination }
    });
    execute(session, Ok(cargo.collect()))?;
    times.moved = begin.elapsed();
    let arrived = |((_, map), memory)| Arrived { map, memory };
    Ok(planned.into_iter().zip(memories).map(arrived).collect())
}

fn allocated<M>(planned: &[(Arc<Plan>, Map)], allocate: &Allocate<M>) -> Result<Vec<Option<M>>, Failure> {
    let storage = |seat: &Seat| {
        let (before, behind) = seat.reach;
        let bytes = usize::try_from(before + behind).ok();
        let missing =
            || Failure::new(Code::Memory, format!("no memory for an array of {} bytes", before + behind));
        bytes.and_then(|bytes| allocate(bytes.max(1))).ok_or_else(missing)
    };
    planned.iter().map(|(plan, _)| plan.destination().map(storage).transpose()).collect()
}

//! HPF's REDISTRIBUTE and REALIGN: templates and arrays change, and what is aligned with them moves, in one set of messages.

use super::Map;
use super::array::{Array, Moving, fits, stored};
use super::call::{Call, settings};
use super::cargo::Cargo;
use super::end::Side;
use super::facts::Facts;
use super::failure::Failure;
use super::functions;
use super::options::Options;
use super::plan::Plan;
use super::template::{Committed, Template};
use super::transfer::execute;
use crate::digest::digest;
use crate::mapping;
use crate::session::Session;
use std::sync::Arc;

/// A template, what it is to be like, and dead arrays.
type Change<'a> = (&'a Arc<Template>, &'a Template, &'a [Arc<Array>]);

/// Collective over the communicator of the template's arrangement: `template` is distributed like `like` from now on, which
/// has the same bounds. All arrays that are aligned with it move, but for the values of those that are `dead`. On failure
/// nothing has changed.
pub fn redistribute(template: &Arc<Template>, like: &Template, dead: &[Arc<Array>]) -> Result<(), Failure> {
    let session = template.procs().session()?;
    redistribute_if(&session, Ok((template, like, dead)))
}

/// Takes part in [`redistribute`] as a rank that cannot go on.
pub fn redistribute_not(template: &Arc<Template>, failure: Failure) -> Result<(), Failure> {
    redistribute_if(&template.procs().session()?, Err(failure))
}

fn redistribute_if(session: &Arc<Session>, given: Result<Change<'_>, Failure>) -> Result<(), Failure> {
    let draft = settings().1.map_or(given, Err).and_then(|(template, like, dead)| {
        let now = turned(&template.committed()?, &like.committed()?)?;
        within(&now, session)?;
        let arrays = template.arrays();
        if dead.iter().any(|array| !arrays.iter().any(|known| Arc::ptr_eq(known, array))) {
            return Err(Failure::argument("a dead array that is not aligned with the template"));
        }
        let goals = arrays.iter().map(|array| {
            let map = array.map().map().realigned(now.template.clone())?;
            let map = Map::of(now.procs.clone(), Some(template.clone()), map);
            goal(array, &map, dead.iter().any(|dead| Arc::ptr_eq(dead, array)))
        });
        let goals: Vec<Goal> = goals.collect::<Result<_, Failure>>()?;
        Ok((template, now, arrays, dead, goals))
    });
    let numbers =
        |arrays: &[Arc<Array>]| digest(&arrays.iter().map(|array| array.number()).collect::<Vec<_>>());
    let mut values = [None; 4];
    if let Ok((template, now, arrays, dead, _)) = &draft {
        let of = |template: &Arc<mapping::Template>| digest(&mapping::Map::whole(template.clone()).numbers());
        values = [
            Some(of(&template.committed()?.template)),
            Some(of(&now.template)),
            Some(numbers(arrays)),
            Some(numbers(dead)),
        ];
    }
    let failure = draft.as_ref().err().cloned();
    Call::begin(session).agree(Facts::new(session.rank, functions::REDISTRIBUTE, &values, failure))?;
    let (template, now, _, _, goals) = draft?;
    if now.template == template.committed()?.template && now.procs.is_like(&template.committed()?.procs) {
        return Ok(());
    }
    move_to(session, goals)?;
    template.become_like(now);
    Ok(())
}

/// Collective over the communicator of the array's arrangement: it is mapped like `map` from now on, which has the same
/// bounds. Its values move, unless they are dead.
pub fn realign(array: &Arc<Array>, map: &Map, dead: bool) -> Result<(), Failure> {
    let session = array.map().procs().session()?;
    realign_if(&session, Ok((array, map, dead)))
}

/// Takes part in [`realign`] as a rank that cannot go on.
pub fn realign_not(array: &Arc<Array>, failure: Failure) -> Result<(), Failure> {
    realign_if(&array.map().procs().session()?, Err(failure))
}

fn realign_if(
    session: &Arc<Session>,
    given: Result<(&Arc<Array>, &Map, bool), Failure>,
) -> Result<(), Failure> {
    let draft = settings().1.map_or(given, Err).and_then(|(array, map, dead)| {
        let bounds =
            |map: &Map| map.map().axes().iter().map(|axis| (axis.lower, axis.upper)).collect::<Vec<_>>();
        if bounds(&array.map()) != bounds(map) {
            return Err(Failure::argument("the map has other bounds than the array"));
        }
        if map.procs().within(session)?.is_none() {
            return Err(outside());
        }
        goal(array, map, dead)
    });
    let values = draft.as_ref().map_or([None; 4], |(array, map, dead)| {
        let map = digest(&map.map().numbers());
        [Some(array.number()), Some(map), Some(0), Some(i64::from(*dead))]
    });
    let failure = draft.as_ref().err().cloned();
    Call::begin(session).agree(Facts::new(session.rank, functions::REDISTRIBUTE, &values, failure))?;
    move_to(session, vec![draft?])
}

/// The template with the distribution of another one.
fn turned(template: &Committed, like: &Committed) -> Result<Committed, Failure> {
    let bounds =
        |of: &mapping::Template| of.axes().iter().map(|axis| (axis.lower, axis.upper)).collect::<Vec<_>>();
    if bounds(&template.template) != bounds(&like.template) {
        return Err(Failure::argument("the template that it is to be like has other bounds"));
    }
    Ok(like.clone())
}

fn within(now: &Committed, session: &Arc<Session>) -> Result<(), Failure> {
    match now.procs.within(session)? {
        Some(_) => Ok(()),
        None => Err(outside()),
    }
}

fn outside() -> Failure {
    Failure::argument("a process of the new arrangement is not in the communicator of the old one")
}

/// An array, its new map, and whether its values are dead.
type Goal = (Arc<Array>, Map, bool);

/// What an array is to become, if this rank can have the storage for it.
fn goal(array: &Arc<Array>, map: &Map, dead: bool) -> Result<Goal, Failure> {
    fits(map, array.element())?;
    Ok((array.clone(), map.clone(), dead))
}

/// Moves arrays to new storage, all or none. All ranks have agreed to come here, each with goals that it can reach but for
/// memory.
fn move_to(session: &Arc<Session>, goals: Vec<Goal>) -> Result<(), Failure> {
    let mut moving = Vec::new();
    for (array, map, dead) in goals {
        let old = array.map();
        if old.map() == map.map() && old.procs().is_like(map.procs()) {
            continue;
        }
        let storage = stored(session, &map, array.element());
        let failure = storage.as_ref().err().cloned();
        Call::begin(session).agree(Facts::new(session.rank, functions::PLANNED, &[Some(0)], failure))?;
        let plan = match dead {
            true => None,
            false => {
                let sides = (Side::whole(&old), Side::whole(&map), array.element(), &Options::default());
                Some(Plan::within(session, Ok(sides))?)
            }
        };
        moving.push(Moving { array, map, storage: storage?, plan });
    }
    // Until they are there, nobody else reaches the storages.
    let _still = moving.iter().map(|each| each.array.keep_still()).collect::<Vec<_>>();
    let mut cargo = Vec::new();
    for each in &mut moving {
        let Some(plan) = each.plan.clone() else { continue };
        let source = each.array.source(&plan);
        let destination = each.destination(&plan);
        cargo.push(Cargo { plan, source, destination });
    }
    if !cargo.is_empty() {
        execute(session, Ok(cargo))?;
    }
    for Moving { array, map, storage, .. } in moving {
        array.become_moved(map, storage);
    }
    Ok(())
}

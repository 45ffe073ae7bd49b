//! HPF's REDISTRIBUTE and REALIGN. All arrays concerned move in one set of messages; a second set fills shadows.

use super::Map;
use super::array::{Array, ArrayMove, allocate_storage, storage_bytes};
use super::end::Side;
use super::filled::fill_operands_of;
use super::operands::MoveOperands;
use super::options::Options;
use super::plan::Plan;
use super::procs::Procs;
use super::template::Template;
use super::transfer::execute;
use crate::collective::call::{agree_on, confirm_step, with_valid_settings};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping::{MapAxis, TemplateAxis};
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::Arc;

type TemplateChange<'a> = (&'a Arc<Template>, &'a Template, &'a [Arc<Array>]);

/// Redistributes `template` like `like`, which must have the same bounds. All arrays aligned with it move; the values
/// of `dead` arrays are dropped. A failure changes nothing. Collective over the communicator of the template's
/// arrangement.
pub fn redistribute(template: &Arc<Template>, like: &Template, dead: &[Arc<Array>]) -> Result<(), Failure> {
    let session = template.procs().session()?;
    redistribute_if(&session, Ok((template, like, dead)))
}

/// Takes part in [`redistribute`] as a rank that has failed already.
pub fn fail_redistribute(template: &Arc<Template>, failure: Failure) -> Result<(), Failure> {
    redistribute_if(&template.procs().session()?, Err(failure))
}

fn redistribute_if(
    session: &Arc<Session>,
    given: Result<TemplateChange<'_>, Failure>,
) -> Result<(), Failure> {
    let mut values = [None; 4];
    let mine = with_valid_settings(given).and_then(|(template, like, dead)| {
        let (old, new) = (template.committed()?, like.committed()?);
        let bounds = |axis: &TemplateAxis| (axis.lower, axis.upper);
        if !old.template.axes().iter().map(bounds).eq(new.template.axes().iter().map(bounds)) {
            return Err(Failure::argument(
                "the bounds of the template `like` differ from those of the template",
            ));
        }
        check_inside(&new.procs, session)?;
        let arrays = Array::aligned_with(template);
        if dead.iter().any(|array| !arrays.iter().any(|known| Arc::ptr_eq(known, array))) {
            return Err(Failure::argument("a dead array is not aligned with the template"));
        }
        let changes = arrays.iter().map(|array| {
            let map = array.map().map().realigned(new.template.clone())?;
            let map = Map::from_mapping(new.procs.clone(), Some(template.clone()), map);
            map_change(array, &map, dead.iter().any(|dead| Arc::ptr_eq(dead, array)))
        });
        let changes: Vec<MapChange> = changes.collect::<Result<_, Failure>>()?;
        let numbers = |arrays: &[Arc<Array>]| arrays.iter().map(|array| array.number()).collect::<Vec<_>>();
        let filled: Vec<_> = arrays.iter().map(|array| array.filled()).collect();
        let templates = [&old, &new].map(|of| Some(digest(&of.template.numbers())));
        values = [
            templates[0],
            templates[1],
            Some(digest(&(numbers(&arrays), filled))),
            Some(digest(&numbers(dead))),
        ];
        Ok((template, old, new, changes))
    });
    let (template, old, new, changes) = agree_on(session, Operation::Redistribute, &values, mine)?;
    move_to(session, changes)?;
    if new.template != old.template || !new.procs.is_like(&old.procs) {
        template.become_like(new);
    }
    Ok(())
}

/// Maps `array` like `map`, which must have the same bounds. Its values move, unless they are `dead`. Collective over
/// the communicator of the array's arrangement.
pub fn realign(array: &Arc<Array>, map: &Map, dead: bool) -> Result<(), Failure> {
    let session = array.map().procs().session()?;
    realign_if(&session, Ok((array, map, dead)))
}

/// Takes part in [`realign`] as a rank that has failed already.
pub fn fail_realign(array: &Arc<Array>, failure: Failure) -> Result<(), Failure> {
    realign_if(&array.map().procs().session()?, Err(failure))
}

fn realign_if(
    session: &Arc<Session>,
    given: Result<(&Arc<Array>, &Map, bool), Failure>,
) -> Result<(), Failure> {
    let mut values = [None; 4];
    let mine = with_valid_settings(given).and_then(|(array, map, dead)| {
        let bounds = |axis: &MapAxis| (axis.lower, axis.upper);
        if !array.map().map().axes().iter().map(bounds).eq(map.map().axes().iter().map(bounds)) {
            return Err(Failure::argument("the bounds of the map differ from those of the array"));
        }
        check_inside(map.procs(), session)?;
        let map_number = digest(&map.map().numbers());
        values =
            [Some(array.number()), Some(map_number), Some(digest(&array.filled())), Some(i64::from(dead))];
        map_change(array, map, dead)
    });
    move_to(session, vec![agree_on(session, Operation::Redistribute, &values, mine)?])
}

fn check_inside(procs: &Procs, session: &Arc<Session>) -> Result<(), Failure> {
    let outside = "a process of the new arrangement is not in the communicator of the old one";
    procs.arrangement_in(session)?.map(drop).ok_or_else(|| Failure::argument(outside))
}

/// An array, its new map, and whether its values are dead.
type MapChange = (Arc<Array>, Map, bool);

fn map_change(array: &Arc<Array>, map: &Map, dead: bool) -> Result<MapChange, Failure> {
    storage_bytes(map, array.element())?;
    Ok((array.clone(), map.clone(), dead))
}

/// Moves all arrays to new storage and fills their shadows, or changes none. All ranks have agreed on the changes, so
/// only memory can be missing. Collective.
fn move_to(session: &Arc<Session>, changes: Vec<MapChange>) -> Result<(), Failure> {
    let mut moving = Vec::new();
    for (array, map, dead) in changes {
        let (old, filled) = (array.map(), array.filled().filter(|_| !dead));
        let stays = old.map() == map.map() && old.procs().is_like(map.procs());
        let mut storage = None;
        if !stays {
            storage = Some(confirm_step(session, allocate_storage(session, &map, array.element()))?);
        }
        let mut plan = None;
        if !stays && !dead {
            let sides = (Side::whole(&old), Side::whole(&map), array.element(), &Options::default());
            plan = Some(Plan::create_in_session(session, Ok(sides))?);
        }
        let fill = match filled {
            Some(filled) => filled.plan(session, &map, array.element())?,
            None => None,
        };
        moving.push(ArrayMove { array, map, storage, plan, fill });
    }
    // The program cannot use the arrays until they have arrived.
    let _lock = moving.iter().map(|each| each.array.lock()).collect::<Vec<_>>();
    for operands in [ArrayMove::move_operands, ArrayMove::fill_operands] {
        let operands: Vec<MoveOperands<'_>> = moving.iter_mut().filter_map(operands).collect();
        if !operands.is_empty() {
            execute(session, Ok(operands))?;
        }
    }
    for ArrayMove { array, map, storage, .. } in moving {
        array.set_moved(map, storage);
    }
    Ok(())
}

impl ArrayMove {
    fn move_operands(&mut self) -> Option<MoveOperands<'static>> {
        let (plan, storage) = (self.plan.clone()?, self.storage.as_mut()?);
        let source = self.array.source(&plan);
        let destination = plan.destination().and_then(|seat| storage.destination(seat.origin, &seat.shape));
        Some(MoveOperands { plan, source, destination, update: None })
    }

    fn fill_operands(&mut self) -> Option<MoveOperands<'static>> {
        let plan = self.fill.clone()?;
        match &mut self.storage {
            Some(storage) => Some(fill_operands_of(plan, storage)),
            None => self.array.with_storage(|storage| Some(fill_operands_of(plan, storage))),
        }
    }
}

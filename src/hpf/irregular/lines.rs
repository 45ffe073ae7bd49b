//! WHICH elements go where in a shift that has a distance for each line along the axis, as Fortran's `CSHIFT` and `EOSHIFT` with an
//! array of distances? A process knows the distances of the lines that it has of the target, so it gathers what comes into these.

use super::dims::ListedDims;
use super::named::{Given, Named, NamedList, Target};
use super::planned;
use crate::digest::digest;
use crate::hpf::call::{CollectiveCall, able, confirmed, session};
use crate::hpf::draft::Draft;
use crate::hpf::end::{KnownEnd, Side};
use crate::hpf::failure::Failure;
use crate::hpf::irregular::Direction;
use crate::hpf::operations::Operation;
use crate::hpf::options::Options;
use crate::hpf::plan::{Plan, agreed};
use crate::mapping::{Range, corresponding};
use crate::mpi::Comm;
use crate::overlap::runs_of;
use crate::session::Session;
use std::borrow::Cow;
use std::sync::Arc;

/// How far each line along an axis is shifted.
#[derive(Clone, Copy)]
pub struct LineShifts<'a> {
    /// The axis of the source that is shifted.
    pub axis: usize,
    /// Whether what is shifted out comes in at the other end, as in `CSHIFT`; otherwise elements without a source stay as they are.
    pub circular: bool,
    /// One distance for each line that the calling process has of the target's section, in the order of a local array without that
    /// axis.
    pub distances: &'a [i64],
}

impl Plan {
    /// Collective over `comm`: the plan of a shift by a distance of its own for each line along an axis (`CSHIFT` and `EOSHIFT` with an
    /// array of distances). In each line, index i of the target's section becomes what index i + distance of the source's is; of
    /// a target of which there are copies, each process gives the distances of its copy. Everything else is as in
    /// [`Plan::create`]; the options `relabel`, `spread` and `copies` are not possible, nor arrays in boxes or a way back.
    pub fn shift_lines(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        lines: LineShifts<'_>,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        Self::lines_shifted(comm, Ok((from, to, element, options)), Ok(lines))
    }

    /// The same, where the caller may have found already that it cannot go on.
    pub(crate) fn lines_shifted(
        comm: &Comm,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
        lines: Result<LineShifts<'_>, Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        let _intact = session.intact();
        let mut call = CollectiveCall::begin(&session);
        let way = lines.as_ref().ok().map(|lines| (lines.axis, lines.circular));
        let draft = able(given).and_then(|given| {
            lines.as_ref().map_err(Failure::clone)?;
            allowed(given.3)?;
            Draft::new(&session, given)
        });
        // Who knows both arrays says at once whether its distances fit.
        let mut mine = None;
        let draft = draft.and_then(|draft| {
            if draft.knows_both() {
                mine = Some(named(&session, &draft, &lines)?);
            }
            Ok(draft)
        });
        let mut values = draft.as_ref().map_or([None; 6], Draft::values);
        values[4] = values[4].map(|element| digest(&(element, way)));
        let known = agreed(&mut call, Operation::Lines, &values, &draft, None)?;
        let number = call.number();
        drop(call);
        let mut draft = draft?;
        draft.share_memory(&session)?;
        let lacking = [0, 2].map(|k| known.lacking(k));
        if lacking != [None, None] {
            let learnt = draft.learn(&session, lacking)?;
            mine = Some(confirmed(&session, learnt.and_then(|()| named(&session, &draft, &lines)))?);
        }
        let mut named = mine.expect("both arrays are known");
        let list = named.list.take().expect("the array is known");
        let planned = planned(&session, &named, &list)?;
        confirmed(&session, planned.and_then(|planned| named.plan(&session, number, planned)))
    }
}

fn allowed(options: &Options) -> Result<(), Failure> {
    let none =
        [("relabel", options.relabel), ("spread", !options.spread.is_empty()), ("copies", options.copies)];
    match none.into_iter().find(|(_, set)| *set) {
        Some((name, _)) => {
            Err(Failure::argument(format!("a plan that shifts lines cannot have the option {name}")))
        }
        None => Ok(()),
    }
}

/// What the calling process gathers.
fn named<'a>(
    session: &Session,
    draft: &Draft<'a>,
    lines: &Result<LineShifts<'_>, Failure>,
) -> Result<Named<'a>, Failure> {
    let lines = lines.as_ref().map_err(Failure::clone)?;
    let [from, to] = draft.ends();
    if draft.element == 0 {
        return Err(Failure::argument("elements of 0 bytes, expected at least 1"));
    }
    for (end, name) in [(from, "source"), (to, "target")] {
        end.able(session.rank)?;
        if end.map.boxes().is_some() {
            return Err(Failure::argument(format!(
                "the {name} lies in boxes, whose lines cannot be shifted"
            )));
        }
    }
    let dims = ListedDims::new(from.map.order(), None, draft.element);
    let Shifted { indices, places } = shifted(session.rank, draft, lines)?;
    let lower = from.map.axes().iter().map(|axis| axis.lower).collect();
    let list = NamedList { count: places.len(), indices: Cow::Owned(indices), lower };
    let (direction, settings) = (Direction::Gather, draft.settings.clone());
    let given = Given {
        map: None,
        axis: None,
        count: places.len(),
        indices: &[],
        element: draft.element,
        options: draft.options,
    };
    let target = Some(Target { known: to.clone(), places });
    Ok(Named { direction, given, settings, known: Some(from.clone()), dims, list: Some(list), target })
}

/// Elements of the source, and where they go.
#[derive(Default, PartialEq, Debug)]
struct Shifted {
    /// Their indices along each axis, element after element.
    indices: Vec<i64>,
    /// Their places in the storage of the target's local array.
    places: Vec<u64>,
}

/// One axis of the target, as one process has it.
struct OwnAxis {
    /// Of each of its own indices in the section, in the order of the local array: the position in the section, and the steps to it in
    /// the storage.
    own: Vec<(u64, i64)>,
    /// The axis of the source that goes to it.
    source: Option<usize>,
}

fn shifted(rank: u32, draft: &Draft<'_>, lines: &LineShifts<'_>) -> Result<Shifted, Failure> {
    let [from, to] = draft.ends();
    let sources = from.section().ranges();
    let pairs = corresponding(&from.end(), &to.end(), draft.options.correspondence())?;
    let LineShifts { axis, circular, distances } = *lines;
    if axis >= sources.len() {
        return Err(Failure::argument(format!("axis {axis} of a source of {} axes", sources.len())));
    }
    let goal = pairs.iter().find(|(a, _)| *a == Some(axis)).and_then(|(_, b)| *b);
    let goal = goal.ok_or_else(|| {
        Failure::argument(format!("axis {axis} of the source is shifted, but is none of the target's"))
    })?;
    let axes = own_axes(rank, to, |k| pairs.iter().find(|(_, b)| *b == Some(k)).and_then(|(a, _)| *a))?;
    // Of each axis, how many lines there are from one of its indices to the next.
    let (mut lines, mut apart) = (1, Vec::with_capacity(axes.len()));
    for (k, own) in &axes {
        apart.push(if *k == goal { 0 } else { lines });
        lines *= if *k == goal { 1 } else { own.own.len() };
    }
    // A process without an element of the section has no line of it, either.
    if axes.iter().any(|(_, axis)| axis.own.is_empty()) {
        lines = 0;
    }
    if distances.len() != lines {
        return Err(Failure::argument(format!(
            "{} distances, expected {lines}, one for each line that the process has of the target",
            distances.len()
        )));
    }
    let mut out = Shifted::default();
    if lines == 0 {
        return Ok(out);
    }
    let first = storage_start(rank, to)?;
    let index = |k: usize, position: u64| nth(&sources[k], position);
    let mut indices: Vec<i64> = (0..sources.len()).map(|k| index(k, 0)).collect();
    let mut at = vec![0; axes.len()];
    loop {
        let (mut place, mut line, mut position) = (first, 0, 0);
        for (((k, own), &p), apart) in axes.iter().zip(&at).zip(&apart) {
            let (i, steps) = own.own[p];
            place += steps;
            line += p * apart;
            match own.source.filter(|_| *k != goal) {
                Some(source) => indices[source] = index(source, i),
                None if *k == goal => position = i,
                None => (),
            }
        }
        if let Some(origin) = origin(position, distances[line], sources[axis].extent(), circular) {
            indices[axis] = index(axis, origin);
            out.indices.extend(&indices);
            out.places.push(place.unsigned_abs());
        }
        let Some(k) = (0..at.len()).find(|&k| at[k] + 1 < axes[k].1.own.len()) else { return Ok(out) };
        at[..k].fill(0);
        at[k] += 1;
    }
}

/// Which position of a line of `n` comes to `position`, if any does.
fn origin(position: u64, distance: i64, n: u64, circular: bool) -> Option<u64> {
    let at = i128::from(position) + i128::from(distance);
    let at = if circular { at.rem_euclid(i128::from(n)) } else { at };
    u64::try_from(at).ok().filter(|&at| at < n)
}

/// The index of that number in a range.
fn nth(range: &Range, number: u64) -> i64 {
    // An empty section has none that matters.
    let at = i128::from(range.lower) + i128::from(range.stride) * i128::from(number);
    i64::try_from(at).unwrap_or(range.lower)
}

/// Elements from the start of the storage of `end` to that at place 0 of each axis.
fn storage_start(rank: u32, end: &KnownEnd) -> Result<i64, Failure> {
    let large = || Failure::argument("a local array of more than 2^63 bytes");
    let (before, _) = super::dims::storage(&end.local(rank)?).ok_or_else(large)?;
    i64::try_from(before).map_err(|_| large())
}

/// The axes of the target in the order in which they vary in memory, each with its number.
fn own_axes(
    rank: u32,
    to: &KnownEnd,
    source: impl Fn(usize) -> Option<usize>,
) -> Result<Vec<(usize, OwnAxis)>, Failure> {
    let (local, end) = (to.local(rank)?, to.end());
    let part = end.layout.part(rank);
    let axis = |&k: &usize| {
        let (range, whole) = (&to.section().ranges()[k], &end.layout.axes()[k]);
        let (n, (start, step)) = (range.extent(), end.triplet(k, false));
        let (shadow, stride) = (local.axes[k].shadow.0, local.axes[k].stride);
        let own = |j: u64| {
            let place = whole.local(start + j * step).0 + shadow;
            let position = if range.descends() { n - 1 - j } else { j };
            (position, i64::try_from(place).unwrap_or(i64::MAX).saturating_mul(stride))
        };
        let runs = part.as_ref().map_or(Vec::new(), |at| runs_of(&whole.section(start, step), n, at[k]));
        (k, OwnAxis { own: runs.into_iter().flatten().map(own).collect(), source: source(k) })
    };
    Ok(to.map.order().iter().map(axis).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_from_where_fortran_says() {
        for n in 1..6u64 {
            for distance in (-9..10).chain([i64::MIN, i64::MAX]) {
                for position in 0..n {
                    let at = i128::from(position) + i128::from(distance);
                    let inside = (0..i128::from(n)).contains(&at).then_some(at as u64);
                    assert_eq!(origin(position, distance, n, false), inside);
                    let around = (0..n).find(|&k| (i128::from(k) - at) % i128::from(n) == 0);
                    assert_eq!(origin(position, distance, n, true), around, "{n} {distance} {position}");
                }
            }
        }
    }
}

//! Finds the elements that a shift of lines moves.

use crate::arrays::end::ResolvedEnd;
use crate::arrays::kinds::ShiftByLine;
use crate::collective::failure::Failure;
use crate::layout::intersect::runs_of;
use crate::layout::mapping::{
    Correspondence, Range, axes as axes_in_words, corresponding, count_text, valid_range_text,
};

/// Elements of the source, and their places in the target.
#[derive(Default, PartialEq, Debug)]
pub(super) struct Moved {
    /// Source indices of the elements: one for each axis, element after element.
    pub indices: Vec<i64>,
    /// Places in the storage of the target's local array.
    pub places: Vec<u64>,
    /// Places that receive no element of the source, each with the number of its line.
    pub free: Vec<(u64, u64)>,
}

struct OwnAxis {
    /// Own indices in the section, in the order of the local array, as (position in the section, offset in the
    /// storage).
    own: Vec<(u64, i64)>,
    /// Corresponding axis of the source.
    source: Option<usize>,
}

/// Returns the elements that a shift moves to the part of the target on `rank`.
pub(super) fn find_moved(
    rank: u32,
    [from, to]: [&ResolvedEnd; 2],
    shift: &ShiftByLine,
) -> Result<Moved, Failure> {
    let sources = from.section().ranges();
    let which = Correspondence { axes: shift.axes.as_deref(), spread: &[] };
    let pairs = corresponding(&from.mapped_section(), &to.mapped_section(), which)?;
    let (axis, distances) = (shift.axis, &shift.distances);
    if axis >= sources.len() {
        return Err(Failure::argument(format!(
            "axis is {axis}, but the source has {}: expected {}",
            axes_in_words(sources.len()),
            valid_range_text(sources.len())
        )));
    }
    let goal = pairs.iter().find(|(a, _)| *a == Some(axis)).and_then(|(_, b)| *b);
    let goal = goal.ok_or_else(|| {
        Failure::argument(format!(
            "axis {axis} of the source is shifted, but no axis of the target corresponds to it"
        ))
    })?;
    let axes = own_axes(rank, to, |k| pairs.iter().find(|(_, b)| *b == Some(k)).and_then(|(a, _)| *a))?;
    // For each axis, the difference of the line numbers of neighbouring indices.
    let (mut lines, mut apart) = (1, Vec::with_capacity(axes.len()));
    for (k, own) in &axes {
        apart.push(if *k == goal { 0 } else { lines });
        lines *= if *k == goal { 1 } else { own.own.len() };
    }
    // Distances of lines without elements may be missing.
    let empty = axes.iter().any(|(_, axis)| axis.own.is_empty());
    if distances.len() != lines && !(empty && distances.is_empty()) {
        return Err(Failure::argument(format!(
            "{}, expected {lines}, one for each of this process's lines of the target",
            count_text(distances.len(), "distance", "distances")
        )));
    }
    let mut out = Moved::default();
    if empty {
        return Ok(out);
    }
    let first = storage_start(rank, to)?;
    let index = |k: usize, position: u64| nth_index(&sources[k], position);
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
        match source_position(position, distances[line], sources[axis].extent(), shift.circular) {
            Some(origin) => {
                indices[axis] = index(axis, origin);
                out.indices.extend(&indices);
                out.places.push(place.unsigned_abs());
            }
            None => out.free.push((place.unsigned_abs(), line as u64)),
        }
        let Some(k) = (0..at.len()).find(|&k| at[k] + 1 < axes[k].1.own.len()) else { return Ok(out) };
        at[..k].fill(0);
        at[k] += 1;
    }
}

/// Returns the position in the source's line of `n` elements that moves to `position` of the target's line, if any.
fn source_position(position: u64, distance: i64, n: u64, circular: bool) -> Option<u64> {
    let at = i128::from(position) + i128::from(distance);
    let at = if circular { at.rem_euclid(i128::from(n)) } else { at };
    u64::try_from(at).ok().filter(|&at| at < n)
}

fn nth_index(range: &Range, number: u64) -> i64 {
    // The value for an empty section is not used.
    let at = i128::from(range.lower) + i128::from(range.stride) * i128::from(number);
    i64::try_from(at).unwrap_or(range.lower)
}

/// Returns the number of elements before local element (0, 0, ...) in the storage of `end`; above 0 only with a
/// negative stride. Local indices count from the start of the lower shadow.
fn storage_start(rank: u32, end: &ResolvedEnd) -> Result<i64, Failure> {
    let large = || Failure::argument("the local array has more than 2^63 elements");
    let (before, _) = super::dims::storage(&end.local(rank)?).ok_or_else(large)?;
    i64::try_from(before).map_err(|_| large())
}

fn own_axes(
    rank: u32,
    to: &ResolvedEnd,
    source: impl Fn(usize) -> Option<usize>,
) -> Result<Vec<(usize, OwnAxis)>, Failure> {
    let (local, end) = (to.local(rank)?, to.mapped_section());
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
                    assert_eq!(source_position(position, distance, n, false), inside);
                    let around = (0..n).find(|&k| (i128::from(k) - at) % i128::from(n) == 0);
                    assert_eq!(
                        source_position(position, distance, n, true),
                        around,
                        "{n} {distance} {position}"
                    );
                }
            }
        }
    }
}

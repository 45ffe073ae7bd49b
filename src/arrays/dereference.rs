//! Lookup of elements: their owners, and their places in the owners' storage.
//!
//! If processes have only their own indices of an axis, owners report their runs to the processes responsible for
//! blocks of indices, which answer the queries.

use super::Map;
use super::boxes::{Whereabouts, whereabouts};
use super::rendezvous::{coordinate, ranks_by_coordinate};
use crate::collective::call::{agree_on, with_valid_settings};
use crate::collective::exchange::exchange_lists;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::distribution::{Axis, Grid, places};
use crate::layout::intersect::runs_of;
use crate::runtime::session::Session;
use crate::system::digest::digest;

/// Looks up elements: `indices` has one index for each axis, element after element; a scalar, without axes, is looked
/// up once. Ranks may pass different elements. Collective over the communicator of the map's arrangement.
pub fn dereference(map: &Map, indices: Result<&[i64], Failure>) -> Result<Whereabouts, Failure> {
    let axes = map.map().axes().len();
    let count = |indices: &[i64]| indices.len().checked_div(axes).unwrap_or(1);
    dereference_elements(map, indices.map(|indices| (count(indices), indices)))
}

/// Looks up elements as [`dereference`] does, a scalar as often as the given number of elements says.
pub(crate) fn dereference_elements(
    map: &Map,
    given: Result<(usize, &[i64]), Failure>,
) -> Result<Whereabouts, Failure> {
    let session = map.procs().session()?;
    let axes = map.map().axes().len();
    let mine = with_valid_settings(given).and_then(|(count, indices)| {
        let elements = indices.chunks(axes.max(1)).map(|index| map.element(index));
        Ok((count, elements.collect::<Result<Vec<_>, Failure>>()?.concat()))
    });
    let number = digest(&map.map().numbers());
    let (count, elements) = agree_on(&session, Operation::Dereference, &[Some(number)], mine)?;
    let (layout, grid) = (map.layout(), map.layout().whole_grid());
    if map.map().boxes().is_some() {
        let own = map.local().boxes.clone().unwrap_or_default();
        return whereabouts(&session, layout.extents(), &own, (count, &elements));
    }
    let mut columns = Vec::with_capacity(axes);
    for (k, axis) in layout.axes().iter().enumerate() {
        let asked: Vec<u64> = elements.iter().skip(k).step_by(axes).copied().collect();
        columns.push(match axis.dist.part() {
            None => asked.into_iter().map(|x| (axis.owner(x), axis.local(x).0)).collect(),
            Some(_) => look_up(&session, axis, layout.extents()[k], &ranks_by_coordinate(&grid, k), &asked)?,
        });
    }
    let (mut ranks, mut found) = (Vec::with_capacity(count), Vec::with_capacity(elements.len()));
    for e in 0..count {
        let at: Vec<u32> = columns.iter().map(|column| column[e].0).collect();
        ranks.push(lowest_rank(&grid, &at));
        found.extend(columns.iter().zip(map.map().axes()).map(|(column, axis)| column[e].1 + axis.shadow.0));
    }
    Ok(Whereabouts { ranks, places: found })
}

fn lowest_rank(grid: &Grid, at: &[u32]) -> u32 {
    let copies = places(&grid.extents()[at.len()..]);
    let ranks = copies.map(|copy| grid.rank(&[at, &copy].concat()).0);
    ranks.min().expect("there is one copy at least")
}

/// Returns for each index in `asked` its owner's coordinate and its local index there. `ranks` has the ranks by their
/// coordinate along `axis`. Each index below `extent` has one owner: [`super::owners`] refuses other axes. Collective.
pub(super) fn look_up(
    session: &Session,
    axis: &Axis,
    extent: u64,
    ranks: &[Vec<u32>],
    asked: &[u64],
) -> Result<Vec<(u32, u64)>, Failure> {
    let block = extent.div_ceil(session.ranks.into()).max(1);
    let place = |x: u64| usize::try_from(x / block).expect("one of the ranks");
    let mut lists: Vec<Vec<u64>> = vec![vec![0]; session.ranks as usize];
    if let Some(coord) = (0u32..).zip(ranks).find(|(_, ranks)| ranks[0] == session.rank).map(|(c, _)| c) {
        for run in runs_of(axis, extent, coord) {
            let (mut x, local) = (run.start, axis.local(run.start).0);
            while x < run.end {
                let end = (x / block + 1).saturating_mul(block).min(run.end);
                lists[place(x)].extend([x, local + (x - run.start)]);
                lists[place(x)][0] += 1;
                x = end;
            }
        }
    }
    asked.iter().for_each(|&x| lists[place(x)].push(x));
    let received = exchange_lists(session, lists)?;
    // A list has the number of the sender's runs, the runs, and its queries.
    let size = |words: &[u64]| 1 + 2 * usize::try_from(words[0]).expect("a count in memory");
    let mut table = Vec::new();
    for (coord, ranks) in (0u32..).zip(ranks) {
        let words = &received[ranks[0] as usize];
        table.extend(words[1..size(words)].chunks_exact(2).map(|run| (run[0], coord, run[1])));
    }
    table.sort_unstable();
    let answer = |&x: &u64| {
        let (start, coord, local) = table[table.partition_point(|&(start, ..)| start <= x) - 1];
        [coord.into(), local + (x - start)]
    };
    let answers =
        received.iter().map(|words| words[size(words)..].iter().flat_map(answer).collect()).collect();
    drop(received);
    let answers = exchange_lists(session, answers)?;
    let mut next = vec![0; answers.len()];
    let of = |&x: &u64| {
        let at = &mut next[place(x)];
        *at += 2;
        let words = &answers[place(x)][*at - 2..*at];
        (coordinate(words[0]), words[1])
    };
    Ok(asked.iter().map(of).collect())
}

//! Order of writing an array's rows that several ranks scatter. A row is the part of the array at one index of the
//! listed dimension.

use super::lists::ReceivedIndices;
use super::marks::Marks;
use crate::pack::{RowNumbers, RowPart, RowTargets};

/// Minimum average rows per run of a list that is written run by run; other lists are written row by row.
const MIN_RUN_ROWS: u64 = 32;

/// Returns the target rows of `lists`, list after list, with the first write to each index marked. Indices are below
/// `most`. The source rows of a list are consecutive: from its row on in the array that is read; without a row, behind
/// those of the previous such list in the stage. Returns `None` if the rows need no order: each list ascends and no
/// index is in two lists.
pub(super) fn order_writes(
    lists: &[(&ReceivedIndices, Option<u64>)],
    most: u64,
) -> Option<(RowNumbers, Vec<RowPart>)> {
    let ascend = lists.iter().all(|(indices, _)| indices.ascending().is_some());
    if ascend && !has_duplicates(lists, most) {
        return None;
    }
    let total: u64 = lists.iter().map(|(indices, _)| indices.total()).sum();
    let in_runs = lists.iter().map(|(indices, _)| indices.runs()).sum::<u64>() <= total / MIN_RUN_ROWS;
    let count = if in_runs { 0 } else { usize::try_from(total).expect("lists in memory") };
    let (mut numbers, mut parts) = (RowNumbers::below(count, most), Vec::new());
    let (mut seen, mut staged) = (Marks::new(0, most), 0);
    for &(indices, own) in lists {
        let (first, mut from) = (numbers.len(), own.unwrap_or(staged));
        let source = usize::from(own.is_some());
        let mut stretches: Vec<(u64, u64, bool)> = Vec::new();
        let (mut begun, few) = (0, indices.total() / MIN_RUN_ROWS);
        let mut put = |at: u64| {
            let again = seen.test_and_set(at);
            numbers.push(at, !again);
            match stretches.last_mut() {
                Some((start, len, marked)) if *start + *len == at && *marked != again => *len += 1,
                _ if begun <= few => {
                    stretches.push((at, 1, !again));
                    begun += 1;
                }
                _ => (),
            }
        };
        indices.each_run(|start, len| (start..start + len).for_each(&mut put));
        if begun > few {
            parts.push(RowPart { source, from, to: RowTargets::Numbers(first..numbers.len()) });
        } else {
            numbers.truncate(first);
            for (start, len, marked) in stretches {
                parts.push(RowPart { source, from, to: RowTargets::Run { start, len, marked } });
                from += len;
            }
        }
        staged += if own.is_some() { 0 } else { indices.total() };
    }
    Some((numbers, parts))
}

/// Returns whether any index is in two of the lists, which ascend.
fn has_duplicates(lists: &[(&ReceivedIndices, Option<u64>)], most: u64) -> bool {
    if lists.len() < 2 {
        return false;
    }
    let mut seen = Marks::new(0, most);
    lists.iter().any(|(indices, _)| {
        let mut any = false;
        indices.each_run(|start, len| any |= seen.test_and_set_run(start, len));
        any
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::intersect::Runs;

    #[test]
    fn elements_listed_by_several_ranks_are_written_in_rank_order() {
        let mut rng = fastrand::Rng::with_seed(51);
        for _ in 0..500 {
            let (chance, run) = (rng.u64(1..20), rng.u64(1..90));
            let list = |_| {
                let (of, all) = (rng.u64(0..20), 0..400);
                all.filter(|at| (at / run * 7919 + of) % 20 < chance).collect::<Vec<u64>>()
            };
            let lists: Vec<Vec<u64>> = (0..3).map(list).collect();
            let runs = |list: &Vec<u64>| list.iter().map(|&at| ([at], 1)).collect::<Vec<_>>();
            let anywhere = rng.bool();
            let indices = |list: &Vec<u64>| match anywhere {
                true => ReceivedIndices::Anywhere(runs(list)),
                false => ReceivedIndices::Ascending(Runs::of_runs(runs(list))),
            };
            let all: Vec<ReceivedIndices> = lists.iter().map(indices).collect();
            let own = [None, Some(1000), None];
            let (mut seen, mut want, mut staged) = (Vec::new(), Vec::new(), 0);
            for (list, own) in lists.iter().zip(own) {
                for (k, &at) in (0..).zip(list) {
                    want.push((
                        usize::from(own.is_some()),
                        own.unwrap_or(staged) + k,
                        at,
                        !seen.contains(&at),
                    ));
                    seen.push(at);
                }
                staged += if own.is_some() { 0 } else { list.len() as u64 };
            }
            let got = order_writes(&all.iter().zip(own).collect::<Vec<_>>(), 400);
            assert_eq!(got.is_some(), anywhere || want.iter().any(|each| !each.3), "{lists:?}");
            let Some((numbers, parts)) = got else { continue };
            let mut rows = Vec::new();
            for part in parts {
                let rows_to: Vec<(u64, bool)> = match part.to {
                    RowTargets::Run { start, len, marked } => {
                        (start..start + len).map(|at| (at, marked)).collect()
                    }
                    RowTargets::Numbers(range) => {
                        range.map(|k| (numbers.get(k), numbers.is_marked(k))).collect()
                    }
                };
                let each = (part.from..).zip(rows_to);
                rows.extend(each.map(|(from, (at, marked))| (part.source, from, at, marked)));
            }
            assert_eq!(rows, want, "{lists:?}");
        }
    }
}

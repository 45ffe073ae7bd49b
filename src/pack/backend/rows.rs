//! Copies of whole rows, by lists of row numbers.
//!
//! In a device's memory, a list of rows becomes an index set of a usual copy. If a row is written several times, each
//! of its values is in a copy of its own, so that they are combined in order.

use super::copy;
use crate::layout::intersect::{Family, Slice};
use crate::pack::array::{Destination, Source};
use crate::pack::combine::{RowUpdate, RowUpdates};
use crate::pack::instructions::Instructions;
use crate::pack::rows::{self, RowNumbers, RowPair, RowPairs, RowPart};
use crate::pack::update::Update;
use std::collections::HashMap;

impl Destination<'_> {
    /// Writes row `numbers[k]` of `from` to row `k` of this array, for each `k`. Rows are numbered along dimension
    /// `dim`.
    pub fn take_rows(&mut self, from: &Source<'_>, dim: usize, numbers: &RowNumbers) {
        let pair = RowPair::new(from.shape(), self.shape(), dim);
        let inside = numbers.end <= pair.rows[0] && numbers.len() as u64 == pair.rows[1];
        assert!(inside, "{} rows below {}, of {:?}", numbers.len(), numbers.end, pair.rows);
        if numbers.is_empty() {
            return;
        }
        if self.device().is_some() || from.device().is_some() {
            let rows: Vec<_> = (0..numbers.len()).map(|k| [numbers.get(k), k as u64]).collect();
            return copy(from, self, &rows_of(from, dim, &rows));
        }
        let update = self.update().map(|update| RowUpdate::new(update, Instructions::best()));
        // SAFETY: each listed row exists in its array (asserted), and the pieces of a row lie in the array.
        unsafe { rows::take_rows(self.ends(from), &pair, numbers, update.as_ref()) };
    }

    /// Writes rows of `from` to rows of this array along dimension `dim`, for each (row of this array, row of `from`)
    /// of `pairs` in order. Combines them by `update`, if given.
    pub fn write_rows(&mut self, from: &Source<'_>, dim: usize, pairs: &RowPairs, update: Option<&Update>) {
        let pair = RowPair::new(from.shape(), self.shape(), dim);
        let inside = pairs.ends[0] <= pair.rows[1] && pairs.ends[1] <= pair.rows[0];
        assert!(inside, "rows below {:?}, of {:?}", pairs.ends, pair.rows);
        if self.device().is_some() || from.device().is_some() {
            let rows = pairs.each().map(|[to, from]| ([from, to], 0)).collect();
            return self.copy_rows([Some(from), None], dim, [update.copied(); 2], rows);
        }
        let update = update.filter(|update| !update.is_copy()).map(|update| self.row_update(update));
        // SAFETY: each listed row exists in its array (asserted), and the pieces of a row lie in the array.
        unsafe { rows::write_rows(self.ends(from), &pair, pairs, update.as_ref()) };
    }

    /// Writes rows of `from` to rows of this array along dimension `dim`, part by part and in order. The target of a
    /// part is a run of rows or a range of `numbers`. The first of `updates` applies to marked rows, the second to
    /// others; without updates rows are copied.
    pub fn send_rows(
        &mut self,
        from: [Option<&Source<'_>>; 2],
        dim: usize,
        (numbers, parts): (&RowNumbers, &[RowPart]),
        updates: Option<[Update; 2]>,
    ) {
        if self.device().is_some() || from.iter().flatten().any(|from| from.device().is_some()) {
            let inside = |source: &Source<'_>| RowPair::new(source.shape(), self.shape(), dim).rows;
            let rows = parts.iter().flat_map(|part| {
                let [read, written] = inside(from[part.source].expect("a source of which rows are written"));
                assert!(part.from + part.to.len() <= read, "{part:?}, of {read}");
                part.to.rows(numbers).enumerate().map(move |(k, (to, marked))| {
                    assert!(to < written, "row {to}, of {written}");
                    ([part.from + k as u64, to], 2 * part.source + usize::from(!marked))
                })
            });
            let rows = rows.collect();
            let [first, later] = updates.map_or([None; 2], |updates| updates.map(Some));
            return self.copy_rows(from, dim, [first, later], rows);
        }
        let updates = updates.filter(|updates| !updates.iter().all(Update::is_copy));
        let updates = updates.map(|updates| RowUpdates::new(updates.map(|update| self.row_update(&update))));
        let end = numbers.end;
        let pairs = from.map(|from| from.map(|from| (from, RowPair::new(from.shape(), self.shape(), dim))));
        for part in parts {
            let (from, pair) = pairs[part.source].as_ref().expect("a source of which rows are written");
            let ends = [part.from.checked_add(part.to.len()), part.to.end(end)];
            let inside = ends.iter().zip(pair.rows).all(|(end, rows)| end.is_some_and(|end| end <= rows));
            assert!(inside, "{part:?} below {end}, of {:?}", pair.rows);
            // SAFETY: each listed row exists in its array (asserted), and the pieces of a row lie in the array.
            unsafe { rows::send_rows(self.ends(from), pair, (numbers, part), updates.as_ref()) };
        }
    }

    /// Copies rows by usual copies. An item of `rows` has the row that is read and the row that is written, which must
    /// exist, then 2 × the index of the source in `from` + the index of the update in `updates`.
    fn copy_rows(
        &mut self,
        from: [Option<&Source<'_>>; 2],
        dim: usize,
        updates: [Option<Update>; 2],
        rows: Vec<([u64; 2], usize)>,
    ) {
        let mut written = HashMap::new();
        let mut rounds: Vec<[Vec<[u64; 2]>; 4]> = Vec::new();
        for (row, kind) in rows {
            let times = written.entry(row[1]).or_insert(0);
            if *times == rounds.len() {
                rounds.push(Default::default());
            }
            rounds[*times][kind].push(row);
            *times += 1;
        }
        for (kind, rows) in rounds.iter().flat_map(|kinds| kinds.iter().enumerate()) {
            if let Some(from) = from[kind / 2].filter(|_| !rows.is_empty()) {
                copy(from, &mut self.with_update(updates[kind % 2]), &rows_of(from, dim, rows));
            }
        }
    }

    fn ends(&mut self, from: &Source<'_>) -> (*const u8, *mut u8) {
        (from.memory.base(), self.memory.base())
    }

    /// Returns the update of rows. Panics unless its numbers have the array's element size.
    fn row_update(&self, update: &Update) -> RowUpdate {
        assert_eq!(update.number().bytes(), self.element(), "an update of other elements");
        RowUpdate::new(update, Instructions::best())
    }
}

/// Returns the index sets of whole rows along dimension `dim`: each (row that is read, row that is written) in order.
fn rows_of(from: &Source<'_>, dim: usize, rows: &[[u64; 2]]) -> Vec<Slice<2>> {
    let whole = |extent: u64| match extent {
        0 => Vec::new(),
        extent => vec![Family::one_run([0; 2], extent)],
    };
    let mut listed: Vec<Family<2>> = Vec::new();
    for &row in rows {
        match listed.last_mut() {
            Some(last) if last.start().map(|start| start + last.run_len()) == row => {
                *last = Family::one_run(last.start(), last.run_len() + 1);
            }
            _ => listed.push(Family::one_run(row, 1)),
        }
    }
    let extents = from.shape().dims().iter().map(|dim| dim.extent).enumerate();
    extents.map(|(d, extent)| if d == dim { listed.clone() } else { whole(extent) }.into()).collect()
}

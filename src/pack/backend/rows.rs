//! Copies of whole rows, by lists of row numbers.

use crate::pack::array::{Destination, Source};
use crate::pack::combine::{RowUpdate, RowUpdates};
use crate::pack::instructions::Instructions;
use crate::pack::rows::{self, RowNumbers, RowPair, RowPairs, RowPart};
use crate::pack::update::Update;

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
        let update = self.update().map(|update| RowUpdate::new(update, Instructions::best()));
        // SAFETY: each listed row exists in its array (asserted), and the pieces of a row lie in the array.
        unsafe { rows::take(self.ends(from), &pair, numbers, update.as_ref()) };
    }

    /// Writes rows of `from` to rows of this array along dimension `dim`, for each (row of this array, row of `from`)
    /// of `pairs` in order. Combines them by `update`, if it is given.
    pub fn write_rows(&mut self, from: &Source<'_>, dim: usize, pairs: &RowPairs, update: Option<&Update>) {
        let pair = RowPair::new(from.shape(), self.shape(), dim);
        let inside = pairs.ends[0] <= pair.rows[1] && pairs.ends[1] <= pair.rows[0];
        assert!(inside, "rows below {:?}, of {:?}", pairs.ends, pair.rows);
        let update = update.filter(|update| !update.is_copy()).map(|update| self.row_update(update));
        // SAFETY: each listed row exists in its array (asserted), and the pieces of a row lie in the array.
        unsafe { rows::write(self.ends(from), &pair, pairs, update.as_ref()) };
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
            unsafe { rows::send(self.ends(from), pair, (numbers, part), updates.as_ref()) };
        }
    }

    /// Returns the addresses of `from` and of this array.
    fn ends(&mut self, from: &Source<'_>) -> (*const u8, *mut u8) {
        (from.memory.base(), self.memory.base())
    }

    /// Returns the update of rows. Panics unless its numbers have the array's element size.
    fn row_update(&self, update: &Update) -> RowUpdate {
        assert_eq!(update.number().bytes(), self.element(), "an update of other elements");
        RowUpdate::new(update, Instructions::best())
    }
}

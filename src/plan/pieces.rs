//! Into which pieces is a message cut, so that none is larger than a buffer?
//!
//! Sender and receiver cut alike: whole columns where at least one fits, else parts of one column.

use std::ops::Range;

/// A rectangle of positions within a message: rows times columns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Row positions.
    pub rows: Range<u64>,
    /// Column positions.
    pub cols: Range<u64>,
}

impl Piece {
    /// How many positions.
    pub fn count(&self) -> u64 {
        (self.rows.end - self.rows.start) * (self.cols.end - self.cols.start)
    }

    /// The same positions in the same order in `parts` pieces, some of which may be empty: by columns, or by rows where
    /// there is one column only.
    pub fn split(&self, parts: usize) -> impl Iterator<Item = Piece> {
        let Self { rows, cols } = self.clone();
        let parts = parts as u64;
        let cut = move |range: &Range<u64>, k: u64| {
            let len = range.end - range.start;
            let at = |k: u64| range.start + len / parts * k + (len % parts).min(k);
            at(k)..at(k + 1)
        };
        (0..parts).map(move |k| match cols.end - cols.start {
            1 => Piece { rows: cut(&rows, k), cols: cols.clone() },
            _ => Piece { rows: rows.clone(), cols: cut(&cols, k) },
        })
    }
}

/// The pieces of a rectangle of positions, none of more than so many elements, in travelling order.
#[derive(Clone, Debug)]
pub struct Pieces {
    whole: Piece,
    rows_each: u64,
    cols_each: u64,
    row: u64,
    col: u64,
}

impl Pieces {
    /// Pieces of at most `most` elements, at least 1.
    pub fn new(whole: Piece, most: u64) -> Self {
        let rows = whole.rows.end - whole.rows.start;
        let rows_each = rows.min(most);
        let cols_each = if rows == 0 || rows > most { 1 } else { most / rows };
        Self { row: whole.rows.start, col: whole.cols.start, whole, rows_each, cols_each }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let Piece { rows: all_rows, cols: all_cols } = &self.whole;
        if self.rows_each == 0 || self.col >= all_cols.end {
            return None;
        }
        let rows = self.row..(self.row + self.rows_each).min(all_rows.end);
        let cols = self.col..(self.col + self.cols_each).min(all_cols.end);
        self.row = rows.end;
        if self.row == all_rows.end {
            (self.row, self.col) = (all_rows.start, cols.end);
        }
        Some(Piece { rows, cols })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_piece_are_the_piece_in_order() {
        for (rows, cols, parts) in
            (1..9).flat_map(|r| (1..9).flat_map(move |c| (1..12).map(move |p| (r, c, p))))
        {
            let positions =
                |piece: Piece| piece.cols.flat_map(move |c| piece.rows.clone().map(move |r| (c, r)));
            let whole = Piece { rows: 3..3 + rows, cols: 7..7 + cols };
            let split: Vec<_> = whole.split(parts).collect();
            assert_eq!(split.len(), parts);
            let in_parts: Vec<_> = split.into_iter().flat_map(positions).collect();
            assert_eq!(
                in_parts,
                positions(whole).collect::<Vec<_>>(),
                "rows={rows} cols={cols} parts={parts}"
            );
        }
    }

    #[test]
    fn pieces_cover_each_position_once_in_order() {
        for (rows, cols, most) in
            (0..9).flat_map(|r| (0..9).flat_map(move |c| (1..20).map(move |m| (r, c, m))))
        {
            let mut seen = Vec::new();
            for piece in Pieces::new(Piece { rows: 5..5 + rows, cols: 2..2 + cols }, most) {
                let size = (piece.rows.end - piece.rows.start) * (piece.cols.end - piece.cols.start);
                assert!(0 < size && size <= most);
                seen.extend(piece.cols.flat_map(|c| piece.rows.clone().map(move |r| (c, r))));
            }
            let want: Vec<_> = (2..2 + cols).flat_map(|c| (5..5 + rows).map(move |r| (c, r))).collect();
            assert_eq!(seen, want, "rows={rows} cols={cols} most={most}");
        }
    }
}

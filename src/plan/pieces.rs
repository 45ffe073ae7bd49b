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

/// The pieces of a message of `rows` x `cols` positions, none of more than `most` elements, in travelling order.
#[derive(Clone, Debug)]
pub struct Pieces {
    rows: u64,
    cols: u64,
    rows_each: u64,
    cols_each: u64,
    row: u64,
    col: u64,
}

impl Pieces {
    /// `most` is at least 1.
    pub fn new(rows: u64, cols: u64, most: u64) -> Self {
        let rows_each = rows.min(most);
        let cols_each = if rows == 0 || rows > most { 1 } else { most / rows };
        Self { rows, cols, rows_each, cols_each, row: 0, col: 0 }
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        if self.rows == 0 || self.col >= self.cols {
            return None;
        }
        let rows = self.row..(self.row + self.rows_each).min(self.rows);
        let cols = self.col..(self.col + self.cols_each).min(self.cols);
        self.row = rows.end;
        if self.row == self.rows {
            (self.row, self.col) = (0, cols.end);
        }
        Some(Piece { rows, cols })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_each_position_once_in_order() {
        for (rows, cols, most) in
            (0..9).flat_map(|r| (0..9).flat_map(move |c| (1..20).map(move |m| (r, c, m))))
        {
            let mut seen = Vec::new();
            for piece in Pieces::new(rows, cols, most) {
                let size = (piece.rows.end - piece.rows.start) * (piece.cols.end - piece.cols.start);
                assert!(0 < size && size <= most);
                seen.extend(piece.cols.flat_map(|c| piece.rows.clone().map(move |r| (c, r))));
            }
            let want: Vec<_> = (0..cols).flat_map(|c| (0..rows).map(move |r| (c, r))).collect();
            assert_eq!(seen, want, "rows={rows} cols={cols} most={most}");
        }
    }
}

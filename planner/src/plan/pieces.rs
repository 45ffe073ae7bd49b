//! Cuts messages into pieces that fit a buffer.
//!
//! Sender and receiver cut a message identically. A piece has as many whole dimensions as fit, a part of the next one,
//! and a single index of each further dimension. If the source is contiguous along the second dimension (a transposed
//! problem), the first two dimensions are cut together. A piece then has just enough rows to make a run that is worth
//! writing, and as many columns as fit. So the runs that are read are longer than the runs that are written.

use std::ops::Range;

/// A box of positions within a message: one range per dimension, the first one fastest. Can be reused without
/// allocating.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Piece(Vec<Range<u64>>);

impl Piece {
    /// Creates a piece from one range per dimension.
    pub fn of(ranges: impl IntoIterator<Item = Range<u64>>) -> Self {
        Self(ranges.into_iter().collect())
    }

    /// Replaces the positions; allocates nothing if the number of dimensions stays.
    pub fn set(&mut self, ranges: impl IntoIterator<Item = Range<u64>>) {
        self.0.clear();
        self.0.extend(ranges);
    }

    /// Returns the range of each dimension.
    #[inline]
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.0
    }

    /// Returns the number of positions.
    #[inline]
    pub fn count(&self) -> u64 {
        self.0.iter().map(len).product()
    }

    /// Returns the dimension that is cut: the last one with several positions, or else the first one.
    #[inline]
    pub fn cut_dim(&self) -> usize {
        self.0.iter().rposition(|range| len(range) > 1).unwrap_or(0)
    }

    /// Replaces the range of the dimension that is cut.
    pub fn cut(&mut self, cut: impl FnOnce(&Range<u64>) -> Range<u64>) {
        let d = self.cut_dim();
        if let Some(range) = self.0.get_mut(d) {
            *range = cut(range);
        }
    }

    /// Splits the positions into `parts` consecutive pieces in the same order; some may be empty.
    pub fn split(&self, parts: usize) -> impl Iterator<Item = Piece> + use<'_> {
        let parts = parts as u64;
        (0..parts).map(move |k| {
            let mut part = self.clone();
            part.cut(|range| {
                let at = |k: u64| range.start + len(range) / parts * k + (len(range) % parts).min(k);
                at(k)..at(k + 1)
            });
            part
        })
    }
}

fn len(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// Division of a box of positions into pieces of bounded size. Pieces are numbered in travelling order.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    /// Dimensions before this one are whole in each piece. From this one on, `each` applies.
    cut: usize,
    /// Number of indices of a piece in dimension `cut`, and in the next one. Later dimensions have one index.
    each: [u64; 2],
}

/// Granularity of cuts in elements: a cache line of 8-byte elements, half a line of 4-byte ones.
const CUT_UNIT: u64 = 8;

impl Pieces {
    /// Divides `whole` into pieces of at most `most` elements, or of 1 element if `most` is 0. `transposed_rows` is the
    /// preferred number of rows of a piece that is cut in the first two dimensions: fewer if there would be no room for
    /// `CUT_UNIT` columns, more if there is room for all columns. With `None`, pieces are cut along one dimension, and
    /// have one index of each later one.
    pub fn new(whole: &Piece, most: u64, transposed_rows: Option<u64>) -> Self {
        if let (Some(high), [rows, cols, ..]) = (transposed_rows, &whole.0[..]) {
            let [rows, cols] = [rows, cols].map(|range| len(range).max(1));
            if rows.checked_mul(cols).is_none_or(|both| both > most) {
                let high = even_length(rows, rows.min(high.min(most / CUT_UNIT).max(most / cols)).max(1));
                let wide = even_length(cols, cols.min((most / high).max(1)));
                return Self { cut: 0, each: [high, wide] };
            }
        }
        let (mut cut, mut inner) = (0, 1);
        for range in whole.0.iter().take(whole.0.len().saturating_sub(1)) {
            match len(range).checked_mul(inner).filter(|&n| n <= most) {
                Some(more) => (cut, inner) = (cut + 1, more),
                None => break,
            }
        }
        let most = (most / inner.max(1)).max(1);
        // Pieces have nearly equal lengths: a short last piece would cost as much as a long one.
        let along = whole.0.get(cut).map_or(1, len).max(1);
        Self { cut, each: [along.div_ceil(along.div_ceil(most)), 1] }
    }

    /// Iterates over the lengths of a piece, beginning with dimension `cut`.
    fn piece_lengths(self) -> impl Iterator<Item = u64> {
        self.each.into_iter().chain(std::iter::repeat(1))
    }

    /// Returns the number of pieces of `whole`.
    #[inline]
    pub fn count(self, whole: &Piece) -> u64 {
        if whole.count() == 0 {
            return 0;
        }
        whole.0[self.cut..]
            .iter()
            .zip(self.piece_lengths())
            .map(|(range, each)| len(range).div_ceil(each))
            .product()
    }

    /// Reduces `whole` to its piece number `k`, which must be less than [`Pieces::count`].
    pub fn cut_out(self, mut k: u64, whole: &mut Piece) {
        for (range, each) in whole.0[self.cut..].iter_mut().zip(self.piece_lengths()) {
            let pieces = len(range).div_ceil(each);
            let first = range.start + k % pieces * each;
            *range = first..(first + each).min(range.end);
            k /= pieces;
        }
    }
}

/// Returns the length of nearly equal parts of `along` indices: at most `most`, a multiple of `CUT_UNIT` if possible.
fn even_length(along: u64, most: u64) -> u64 {
    let each = along.div_ceil(along.div_ceil(most));
    Some(each.next_multiple_of(CUT_UNIT)).filter(|&whole| whole <= most).unwrap_or(each)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(piece: &Piece) -> Vec<Vec<u64>> {
        let mut all = vec![Vec::new()];
        for range in piece.ranges().iter().rev() {
            let longer = |at: Vec<u64>| range.clone().map(move |i| [&[i][..], &at].concat());
            all = all.into_iter().flat_map(longer).collect();
        }
        all
    }

    fn boxes() -> impl Iterator<Item = Piece> {
        let of = |starts: &'static [u64], most: u64| {
            let extents: Vec<u64> = vec![most; starts.len()];
            let count = extents.iter().product::<u64>();
            (0..count).map(move |mut number| {
                let range = |&start: &u64| {
                    let len = number % most;
                    number /= most;
                    start..start + len
                };
                Piece::of(starts.iter().map(range))
            })
        };
        of(&[4], 9).chain(of(&[3, 7], 8)).chain(of(&[0, 2, 5], 5)).chain(of(&[1, 0, 2, 9], 3))
    }

    #[test]
    fn parts_of_a_piece_are_the_piece_in_order() {
        for (whole, parts) in boxes().flat_map(|whole| (1..12).map(move |parts| (whole.clone(), parts))) {
            let split: Vec<_> = whole.split(parts).collect();
            assert_eq!(split.len(), parts);
            let in_parts: Vec<_> = split.iter().flat_map(positions).collect();
            assert_eq!(in_parts, positions(&whole), "{whole:?} in {parts}");
        }
    }

    #[test]
    fn pieces_cover_each_position_once_in_order() {
        for (whole, most) in boxes().flat_map(|whole| (1..20).map(move |most| (whole.clone(), most))) {
            let mut seen = Vec::new();
            let pieces = Pieces::new(&whole, most, None);
            for k in 0..pieces.count(&whole) {
                let mut piece = whole.clone();
                pieces.cut_out(k, &mut piece);
                assert!(0 < piece.count() && piece.count() <= most);
                seen.extend(positions(&piece));
            }
            assert_eq!(seen, positions(&whole), "{whole:?} of {most}");
        }
    }
    #[test]
    fn pieces_that_are_cut_in_both_directions_cover_each_position_once() {
        for (whole, most) in boxes().flat_map(|whole| (1..40).map(move |most| (whole.clone(), most))) {
            let pieces = Pieces::new(&whole, most, Some(8));
            let cut = |k| {
                let mut piece = whole.clone();
                pieces.cut_out(k, &mut piece);
                assert!(0 < piece.count() && piece.count() <= most, "{whole:?} of {most}");
                positions(&piece)
            };
            let mut seen: Vec<_> = (0..pieces.count(&whole)).flat_map(cut).collect();
            let mut want = positions(&whole);
            seen.sort_unstable();
            want.sort_unstable();
            assert_eq!(seen, want, "{whole:?} of {most}");
        }
        let shape = |rows, cols, most| {
            let mut piece = Piece::of([0..rows, 0..cols]);
            Pieces::new(&piece, most, Some(64)).cut_out(0, &mut piece);
            [0, 1].map(|d| len(&piece.0[d]))
        };
        assert_eq!(
            [shape(2048, 2048, 15360), shape(100, 2048, 15360), shape(9000, 5, 1000)],
            [[64, 232], [56, 256], [200, 5]]
        );
    }

    #[test]
    fn pieces_are_of_one_length_as_near_as_can_be() {
        let lengths = |len: u64, most| {
            let whole = Piece::of(std::iter::once(0..len));
            let pieces = Pieces::new(&whole, most, None);
            let length = |k| {
                let mut piece = whole.clone();
                pieces.cut_out(k, &mut piece);
                piece.count()
            };
            (0..pieces.count(&whole)).map(length).collect::<Vec<_>>()
        };
        assert_eq!([lengths(10, 9), lengths(9, 9), lengths(10, 4)], [vec![5, 5], vec![9], vec![4, 4, 2]]);
    }
}

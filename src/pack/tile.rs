//! Cuts a copy, whose two sides are contiguous along different dimensions, into tiles. Both sides of a tile stay in the
//! first-level cache.
//!
//! The innermost level of a [`Nest`] is contiguous in the destination, and the next level in the source, if any is.
//! Elements at equal distances along both levels make a [`Tile`].

use super::level::{Level, for_each_offset, signed};
use super::nest::Nest;

/// Elements at equal distances: offset of the first one and step, in bytes, on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct StridedSpan {
    start: [isize; 2],
    step: [isize; 2],
    len: usize,
}

/// Maximum number of spans that are passed on together.
const MAX_SPANS: usize = 32;
/// Minimum elements of a run that is a span of its own although its family has more runs than elements per run.
const MIN_WHOLE_RUN: u64 = 8;

/// A rectangle of elements: address of the first one, and distances in bytes to the next row and column, on both sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub src: *const u8,
    pub dst: *mut u8,
    pub rows: usize,
    pub cols: usize,
    pub row: [isize; 2],
    pub col: [isize; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TileOrder {
    /// The next tile follows in the destination: more rows of the same columns.
    AlongRows,
    /// The next tile follows in the source: more columns of the same rows.
    AlongColumns,
}

/// Calls `body` with tiles of at most `[rows, cols]` elements that together cover `nest`, each with the tile after it.
/// Offsets count from `from` and `to`.
pub(super) fn each_tile(
    (from, to): (*const u8, *mut u8),
    nest: &Nest<'_>,
    ([most_rows, most_cols], order): ([usize; 2], TileOrder),
    mut body: impl FnMut(&Tile, Option<&Tile>),
) {
    let (rows, rest) = nest.levels().split_first().map_or((None, &[][..]), |(rows, rest)| (Some(rows), rest));
    let (cols, outer) = rest.split_first().map_or((None, rest), |(cols, outer)| (Some(cols), outer));
    let mut last: Option<Tile> = None;
    spans(cols, |cols| {
        spans(rows, |rows| {
            for_each_offset(outer, nest.offset, &mut |at| {
                let mut one = |col: StridedSpan, row: StridedSpan| {
                    let offset = |d: usize| at[d] + col.start[d] + row.start[d];
                    let tile = Tile {
                        src: from.wrapping_offset(offset(0)),
                        dst: to.wrapping_offset(offset(1)),
                        rows: row.len,
                        cols: col.len,
                        row: row.step,
                        col: col.step,
                    };
                    if let Some(last) = last.replace(tile) {
                        body(&last, Some(&tile));
                    }
                };
                match order {
                    TileOrder::AlongRows => {
                        each_block(cols, most_cols, |col| each_block(rows, most_rows, |row| one(col, row)));
                    }
                    TileOrder::AlongColumns => {
                        each_block(rows, most_rows, |row| each_block(cols, most_cols, |col| one(col, row)));
                    }
                }
            });
        });
    });
    if let Some(last) = last {
        body(&last, None);
    }
}

/// Splits each span into parts of at most `most` elements and calls `body` with them.
#[inline(always)]
fn each_block(spans: &[StridedSpan], most: usize, mut body: impl FnMut(StridedSpan)) {
    for span in spans {
        let mut at = 0;
        while at < span.len {
            let len = most.min(span.len - at);
            let start = |d: usize| span.start[d] + signed(at as u64) * span.step[d];
            body(StridedSpan { start: [start(0), start(1)], step: span.step, len });
            at += len;
        }
    }
}

/// Calls `use_them` with the spans of a level, up to `MAX_SPANS` at a time. Without a level there is one span of one
/// element.
fn spans(level: Option<&Level<'_>>, mut use_them: impl FnMut(&[StridedSpan])) {
    let mut some = [StridedSpan::default(); MAX_SPANS];
    let Some(level) = level else {
        some[0].len = 1;
        return use_them(&some[..1]);
    };
    let mut used = 0;
    let stride = level.stride();
    let mut push = |span| {
        some[used] = span;
        used += 1;
        if used == MAX_SPANS {
            use_them(&some);
            used = 0;
        }
    };
    level.each(|f| {
        let whole = f.len >= MIN_WHOLE_RUN || f.len >= f.count;
        let (spans, len) = if whole { (f.count, f.len) } else { (f.len, f.count) };
        let to_next = |d: usize| [stride[d], signed(f.stride[d]) * stride[d]];
        let [apart, step] = [usize::from(whole), usize::from(!whole)].map(|k| [0, 1].map(|d| to_next(d)[k]));
        for k in 0..spans {
            let start = [0, 1].map(|d| signed(f.start[d]) * stride[d] + signed(k) * apart[d]);
            push(StridedSpan { start, step, len: super::column::index(len) });
        }
    });
    if used > 0 {
        use_them(&some[..used]);
    }
}

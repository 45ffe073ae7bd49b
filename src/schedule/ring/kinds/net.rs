//! All pieces of all kinds: which of them share a process, and which steps are taken near one? Pieces may be cut.

use super::pieces::{Kind, Piece};
use std::ops::Range;

/// Steps at the most: bits of a set of them.
pub const STEPS: u32 = u128::BITS;
/// No step yet.
pub const NONE: u32 = u32::MAX;

/// Meetings of a kind that follow each other.
pub type Part = (usize, Range<u64>);

/// The pieces. Each is in one lane on either side: those of a lane follow each other there.
pub struct Net<'a> {
    pub kinds: &'a [Kind],
    pub pieces: Vec<Piece>,
    /// By side and piece: pieces that share a process with it, and perhaps some that shared one before it was cut.
    near: [Vec<Vec<u32>>; 2],
    /// The pieces of each kind.
    of_kind: Vec<Vec<u32>>,
    /// What may still be looked at.
    pub work: usize,
}

impl<'a> Net<'a> {
    /// Each kind in one piece, without a step.
    pub fn new(kinds: &'a [Kind], work: usize) -> Self {
        let whole = |(kind, of): (usize, &Kind)| Piece { kind, turns: 0..of.count, step: NONE };
        let pieces: Vec<Piece> = kinds.iter().enumerate().map(whole).collect();
        let near = [0, 1].map(|side| {
            let mut near = vec![Vec::new(); pieces.len()];
            let mut by_lane: Vec<u32> = (0..).take(pieces.len()).collect();
            let kind = |piece: u32| &kinds[piece as usize];
            by_lane.sort_by_key(|&piece| (kind(piece).lane[side], kind(piece).at[side]));
            for lane in by_lane.chunk_by(|&a, &b| kind(a).lane[side] == kind(b).lane[side]) {
                for (k, &a) in lane.iter().enumerate() {
                    let end = kind(a).at[side] + kind(a).count;
                    for &b in lane[k + 1..].iter().take_while(|&&b| kind(b).at[side] < end) {
                        near[a as usize].push(b);
                        near[b as usize].push(a);
                    }
                }
            }
            near
        });
        let of_kind = (0..).take(kinds.len()).map(|kind| vec![kind]).collect();
        Self { kinds, pieces, near, of_kind, work }
    }

    /// The elements of a message of a piece.
    pub fn length(&self, piece: usize) -> u64 {
        self.kinds[self.pieces[piece].kind].length
    }

    /// Numbers within its lane of the processes of a side that have these meetings of a piece.
    fn span(&self, piece: usize, turns: &Range<u64>, side: usize) -> Range<u64> {
        let first = self.kinds[self.pieces[piece].kind].at[side];
        first + turns.start..first + turns.end
    }

    /// The piece `other`, which is near on this side, where it shares processes with those of `span`.
    fn common(&self, span: &Range<u64>, other: usize, side: usize) -> Range<u64> {
        let theirs = self.span(other, &self.pieces[other].turns, side);
        theirs.start.max(span.start)..theirs.end.min(span.end)
    }

    /// The pieces in a step, for which `is_it` is asked, that share a process of `side` with these meetings of a piece.
    fn near_in(
        &self,
        (piece, turns): &Part,
        side: usize,
        is_it: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = (usize, Range<u64>)> {
        let span = self.span(*piece, turns, side);
        let all = self.near[side][*piece].iter().map(|&other| other as usize);
        let placed = all.filter(move |&other| is_it(self.pieces[other].step));
        let common = move |other| (other, self.common(&span, other, side));
        placed.map(common).filter(|(_, common)| common.start < common.end)
    }

    /// The steps of pieces that share a process of `side` with it, as bits.
    pub fn taken(&mut self, piece: usize, side: usize) -> u128 {
        self.look(piece, side);
        let own = (piece, self.pieces[piece].turns.clone());
        let near = self.near_in(&own, side, |step| step != NONE);
        near.fold(0, |taken, (other, _)| taken | 1 << self.pieces[other].step)
    }

    /// The pieces in `step` that share a process with it.
    pub fn neighbours(&mut self, piece: usize, step: u32) -> Vec<usize> {
        let own = (piece, self.pieces[piece].turns.clone());
        let mut all = Vec::new();
        for side in [0, 1] {
            self.look(piece, side);
            all.extend(self.near_in(&own, side, |other| other == step).map(|(other, _)| other));
        }
        all
    }

    /// Of the processes of `side` that have those meetings: their meetings in `step`.
    pub fn partners(&mut self, part: &Part, side: usize, step: u32) -> Vec<Part> {
        self.look(part.0, side);
        let near = self.near_in(part, side, |other| other == step);
        let first = |piece: usize| self.kinds[self.pieces[piece].kind].at[side];
        near.map(|(piece, span)| (piece, span.start - first(piece)..span.end - first(piece))).collect()
    }

    /// Makes those meetings of a kind, which are in one step, a piece, and returns its number.
    pub fn part(&mut self, kind: usize, turns: &Range<u64>) -> usize {
        let of_kind = self.of_kind[kind].iter().map(|&piece| piece as usize);
        let mut all = of_kind.filter(|&piece| self.pieces[piece].turns.contains(&turns.start));
        let whole = all.next().expect("pieces cover their kind");
        let within = self.pieces[whole].turns.clone();
        let part = if within.start < turns.start { self.cut(whole, turns.start) } else { whole };
        if turns.end < within.end {
            self.cut(part, turns.end);
        }
        part
    }

    /// Cuts a piece before `turn`: the number of what comes from there on, in the same step.
    pub fn cut(&mut self, piece: usize, turn: u64) -> usize {
        let behind = self.pieces.len();
        let number = u32::try_from(behind).expect("fewer pieces than 2^32");
        let mut second = self.pieces[piece].clone();
        second.turns.start = turn;
        self.pieces[piece].turns.end = turn;
        self.of_kind[second.kind].push(number);
        let part = (piece, second.turns.clone());
        self.pieces.push(second);
        for side in [0, 1] {
            self.look(piece, side);
            let near: Vec<u32> = self
                .near_in(&part, side, |_| true)
                .filter_map(|(other, _)| u32::try_from(other).ok())
                .collect();
            for &other in &near {
                self.near[side][other as usize].push(number);
            }
            self.near[side].push(near);
        }
        behind
    }

    fn look(&mut self, piece: usize, side: usize) {
        self.work = self.work.saturating_sub(self.near[side][piece].len());
    }
}

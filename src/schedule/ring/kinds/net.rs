//! All pieces of all kinds: which of them share a process, and which steps are taken near one? Pieces may be cut.

use super::pieces::{Kind, Piece};
use std::ops::Range;

/// Steps at the most: bits of a set of them.
pub const STEPS: u32 = u128::BITS;
/// No step yet.
pub const NONE: u32 = u32::MAX;

/// Meetings of a kind that follow each other.
pub type Part = (usize, Range<u64>);

/// The pieces, by number. Each is in one lane on either side, and those of a lane follow each other there.
pub struct Net<'a> {
    kinds: &'a [Kind],
    /// The kind of each, and its step.
    kind: Vec<usize>,
    pub steps: Vec<u32>,
    /// By side: numbers within its lane of the processes that have its meetings.
    spans: [Vec<Range<u64>>; 2],
    /// By side: pieces that share a process with it, and perhaps some that shared one before it was cut.
    near: [Vec<Vec<u32>>; 2],
    /// The pieces of each kind.
    of_kind: Vec<Vec<u32>>,
    /// What may still be looked at.
    pub work: usize,
}

impl<'a> Net<'a> {
    /// Each kind in one piece, without a step.
    pub fn new(kinds: &'a [Kind], work: usize) -> Self {
        let span = |kind: &Kind, side: usize| kind.at[side]..kind.at[side] + kind.count;
        let spans: [Vec<Range<u64>>; 2] =
            [0, 1].map(|side| kinds.iter().map(|kind| span(kind, side)).collect());
        Self {
            kinds,
            kind: (0..kinds.len()).collect(),
            steps: vec![NONE; kinds.len()],
            near: [0, 1].map(|side| all_near(kinds, &spans[side], side)),
            spans,
            of_kind: (0..).take(kinds.len()).map(|kind| vec![kind]).collect(),
            work,
        }
    }

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// The elements of a message of a piece.
    pub fn length(&self, piece: usize) -> u64 {
        self.kinds[self.kind[piece]].length
    }

    /// Its meetings among those of its kind.
    pub fn turns(&self, piece: usize) -> Range<u64> {
        let (span, first) = (&self.spans[0][piece], self.kinds[self.kind[piece]].at[0]);
        span.start - first..span.end - first
    }

    /// All pieces, by kind and turn.
    pub fn pieces(&self) -> Vec<Piece> {
        let piece = |&piece: &u32| {
            let piece = piece as usize;
            Piece { kind: self.kind[piece], turns: self.turns(piece), step: self.steps[piece] }
        };
        let mut all: Vec<Piece> = self.of_kind.iter().flatten().map(piece).collect();
        all.sort_unstable_by_key(|piece| (piece.kind, piece.turns.start));
        all
    }

    /// The steps of pieces that share a process of `side` with it, as bits.
    pub fn taken(&mut self, piece: usize, side: usize) -> u128 {
        self.look(piece, side);
        let span = &self.spans[side][piece];
        let near = self.near[side][piece].iter().map(|&other| other as usize);
        let placed = near.filter(|&other| self.steps[other] != NONE && meet(span, &self.spans[side][other]));
        placed.fold(0, |taken, other| taken | 1 << self.steps[other])
    }

    /// Adds the pieces in `step` that share a process with it, and for which `is_new` is so.
    pub fn neighbours(
        &mut self,
        piece: usize,
        step: u32,
        all: &mut Vec<usize>,
        mut is_new: impl FnMut(usize) -> bool,
    ) {
        for side in [0, 1] {
            self.look(piece, side);
            let span = &self.spans[side][piece];
            let near = self.near[side][piece].iter().map(|&other| other as usize);
            let there =
                near.filter(|&other| self.steps[other] == step && meet(span, &self.spans[side][other]));
            all.extend(there.filter(|&other| is_new(other)));
        }
    }

    /// Of the processes of `side` that have those meetings: their meetings in `step`.
    pub fn partners(&mut self, (piece, turns): &Part, side: usize, step: u32) -> Vec<Part> {
        self.look(*piece, side);
        let first = |piece: usize| self.kinds[self.kind[piece]].at[side];
        let own = first(*piece) + turns.start..first(*piece) + turns.end;
        let near = self.near[side][*piece].iter().map(|&other| other as usize);
        let common = |other: usize| {
            let span = &self.spans[side][other];
            let (start, end) = (span.start.max(own.start), span.end.min(own.end));
            (start < end).then(|| (other, start - first(other)..end - first(other)))
        };
        near.filter(|&other| self.steps[other] == step).filter_map(common).collect()
    }

    /// Makes those meetings of the kind of a piece, which are in one step, a piece, and returns its number.
    pub fn part(&mut self, (piece, turns): &Part) -> usize {
        let mut of_kind = self.of_kind[self.kind[*piece]].iter().map(|&piece| piece as usize);
        let whole = of_kind.find(|&piece| self.turns(piece).contains(&turns.start));
        let whole = whole.expect("pieces cover their kind");
        let within = self.turns(whole);
        let part = if within.start < turns.start { self.cut(whole, turns.start) } else { whole };
        if turns.end < within.end {
            self.cut(part, turns.end);
        }
        part
    }

    /// Cuts a piece before `turn`: the number of what comes from there on, in the same step.
    pub fn cut(&mut self, piece: usize, turn: u64) -> usize {
        let behind = self.kind.len();
        let number = u32::try_from(behind).expect("fewer pieces than 2^32");
        let kind = self.kind[piece];
        self.kind.push(kind);
        self.steps.push(self.steps[piece]);
        self.of_kind[kind].push(number);
        for side in [0, 1] {
            self.look(piece, side);
            let at = self.kinds[kind].at[side] + turn;
            let span = at..std::mem::replace(&mut self.spans[side][piece].end, at);
            let is_near = |&other: &u32| meet(&span, &self.spans[side][other as usize]);
            let near: Vec<u32> = self.near[side][piece].iter().copied().filter(is_near).collect();
            for &other in &near {
                self.near[side][other as usize].push(number);
            }
            self.near[side].push(near);
            self.spans[side].push(span);
        }
        behind
    }

    fn look(&mut self, piece: usize, side: usize) {
        self.work = self.work.saturating_sub(self.near[side][piece].len());
    }
}

/// Whether two pieces of one lane share a process.
fn meet(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

/// For each kind those that share a process of `side` with it.
fn all_near(kinds: &[Kind], spans: &[Range<u64>], side: usize) -> Vec<Vec<u32>> {
    let lane = |kind: u32| kinds[kind as usize].lane[side];
    let mut by_lane: Vec<u32> = (0..).take(kinds.len()).collect();
    by_lane.sort_unstable_by_key(|&kind| (lane(kind), spans[kind as usize].start));
    let mut near = vec![Vec::new(); kinds.len()];
    for of_lane in by_lane.chunk_by(|&a, &b| lane(a) == lane(b)) {
        for &kind in of_lane {
            near[kind as usize].reserve(of_lane.len());
        }
        for (k, &a) in of_lane.iter().enumerate() {
            let end = spans[a as usize].end;
            for &b in of_lane[k + 1..].iter().take_while(|&&b| spans[b as usize].start < end) {
                near[a as usize].push(b);
                near[b as usize].push(a);
            }
        }
    }
    near
}

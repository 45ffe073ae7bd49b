//! Steps for kinds of meetings such that none is taken twice by a process: as few as the busiest process has meetings, wherever that
//! is found in short time.
//!
//! Kinds of most meetings come first; each takes a step that is free at all of its processes. Where there is none, a step that is
//! free at the senders is exchanged for one that is free at the receivers, or the other way round: in all pieces that hang together
//! with it by these two steps (Kempe), or, if the piece would be among them, only in those meetings whose processes hang together, for
//! which pieces are cut (König). Where a piece has no free step at the processes of one side, it is cut in two.

use super::net::{Net, STEPS};
use super::pieces::{Kind, Piece};

/// Pieces that are looked at in the time that it takes to list a message, and in all to do with the fewest steps: some 4 ms.
const LOOKS: u64 = 1 << 9;
const WORK: u64 = 1 << 20;
/// The same for each step more.
const MORE: usize = 1 << 14;
/// Pairs of steps that are tried for a piece.
const TRIES: usize = 1 << 3;
/// Parts of pieces among which two steps are exchanged, at the most.
const PARTS: usize = 1 << 6;
/// How many times as many pieces as kinds.
const PIECES: usize = 8;

/// The pieces, by kind and turn, and their steps, found in the time that it takes to list so many messages, where no process has more
/// meetings than `most`; `None` if that takes too many steps.
pub fn fewest(kinds: &[Kind], most: u64, list: u64) -> Option<Vec<Piece>> {
    let least = u32::try_from(most).ok().filter(|&least| least <= STEPS)?;
    let work = usize::try_from(list.saturating_mul(LOOKS).min(WORK)).unwrap_or(usize::MAX);
    let net = Net::new(kinds, work);
    let (longest, most) = (vec![0; STEPS as usize], PIECES * kinds.len());
    let mut colouring = Colouring { net, longest, steps: least, most, pair: 0, known: Vec::new() };
    let mut order: Vec<usize> = (0..kinds.len()).collect();
    order.sort_by_key(|&kind| std::cmp::Reverse((kinds[kind].count, kinds[kind].length)));
    order.retain(|&piece| !colouring.place(piece));
    while let Some(piece) = order.pop() {
        if !colouring.place(piece) {
            order.push(piece);
            match colouring.halves(piece) {
                Some(behind) => order.push(behind),
                None => colouring.one_more()?,
            }
        }
    }
    Some(colouring.net.pieces())
}

struct Colouring<'a> {
    net: Net<'a>,
    /// The longest message of each step.
    longest: Vec<u64>,
    /// How many steps there are to be.
    steps: u32,
    /// Pieces at the most.
    most: usize,
    /// Pairs of steps that were tried so far, and the last in which each piece was met.
    pair: u32,
    known: Vec<u32>,
}

impl Colouring<'_> {
    /// Gives a piece a step, if one is found.
    fn place(&mut self, piece: usize) -> bool {
        let free = self.free(piece);
        // The step that it fits in best.
        let length = self.net.length(piece);
        let best = bits(free[0] & free[1]).min_by_key(|&step| {
            let longest = self.longest[step as usize];
            (length.saturating_sub(longest), longest)
        });
        if let Some(step) = best {
            self.set(piece, step);
            return true;
        }
        self.exchange(piece, free) || self.cut_free(piece, free)
    }

    /// Steps that are free at its processes of either side.
    fn free(&mut self, piece: usize) -> [u128; 2] {
        [0, 1].map(|side| !self.net.taken(piece, side) & (u128::MAX >> (STEPS - self.steps)))
    }

    fn set(&mut self, piece: usize, step: u32) {
        self.net.steps[piece] = step;
        let longest = &mut self.longest[step as usize];
        *longest = self.net.length(piece).max(*longest);
    }

    /// Frees a step that is free at the processes of one side by exchanging it for one that is free on the other, in whole pieces.
    fn exchange(&mut self, piece: usize, free: [u128; 2]) -> bool {
        for (here, there) in [(free[0], free[1]), (free[1], free[0])] {
            for (step, other) in bits(here).flat_map(|a| bits(there).map(move |b| (a, b))).take(TRIES) {
                if self.net.work == 0 {
                    return false;
                }
                if let Some(hanging) = self.hanging(piece, step, other) {
                    for one in hanging {
                        let now = self.net.steps[one];
                        self.set(one, if now == step { other } else { step });
                    }
                    self.set(piece, step);
                    return true;
                }
            }
        }
        false
    }

    /// The pieces of two steps that hang together with those of `step` near `piece`; `None` if one of them is near it, and would come
    /// to be in `step`.
    fn hanging(&mut self, piece: usize, step: u32, other: u32) -> Option<Vec<usize>> {
        let (mut bad, mut found, mut next) = (Vec::new(), Vec::new(), 0);
        self.net.neighbours(piece, other, &mut bad, |_| true);
        self.pair += 1;
        let pair = self.pair;
        self.known.resize(self.net.len(), 0);
        let (net, known) = (&mut self.net, &mut self.known);
        let mut is_new = |one: usize| std::mem::replace(&mut known[one], pair) != pair;
        net.neighbours(piece, step, &mut found, &mut is_new);
        while let Some(&one) = found.get(next) {
            next += 1;
            let (is_first, before) = (net.steps[one] == step, found.len());
            net.neighbours(one, if is_first { other } else { step }, &mut found, &mut is_new);
            if is_first && found[before..].iter().any(|near| bad.contains(near)) {
                return None;
            }
        }
        Some(found)
    }

    /// The same, in those meetings only whose processes hang together. They never come back to the piece; but they may be many.
    fn cut_free(&mut self, piece: usize, free: [u128; 2]) -> bool {
        let [Some(step), Some(other)] = free.map(|free| bits(free).next()) else { return false };
        if self.is_full() {
            return false;
        }
        // Meetings, the side of them that is still to be looked at, and the step that is sought there.
        let mut parts = vec![((piece, self.net.turns(piece)), 1, step)];
        let mut next = 0;
        while let Some((part, side, sought)) = parts.get(next).cloned() {
            next += 1;
            let turned = if sought == step { other } else { step };
            let partners = self.net.partners(&part, side, sought);
            parts.extend(partners.into_iter().map(|partner| (partner, 1 - side, turned)));
            if parts.len() > PARTS || self.net.work == 0 {
                return false;
            }
        }
        for (part, _, now) in parts.drain(1..) {
            let part = self.net.part(&part);
            self.set(part, now);
        }
        self.set(piece, step);
        true
    }

    /// Cuts a piece in two halves: the number of the second one.
    fn halves(&mut self, piece: usize) -> Option<usize> {
        let turns = self.net.turns(piece);
        let may = turns.end - turns.start > 1 && self.net.work > 0 && !self.is_full();
        may.then(|| self.net.cut(piece, turns.start.midpoint(turns.end)))
    }

    fn is_full(&self) -> bool {
        self.net.len() >= self.most
    }

    /// One step more; `None` if there are too many.
    fn one_more(&mut self) -> Option<()> {
        (self.steps < STEPS).then(|| (self.steps, self.net.work) = (self.steps + 1, self.net.work.max(MORE)))
    }
}

/// The steps of a set, ascending.
fn bits(mut set: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(first)
    })
}

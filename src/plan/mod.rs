//! WHAT does this rank send, receive and copy, in which order?
//!
//! A plan holds this rank's messages only. A message is a rectangle: the row indices that two process rows share
//! times the column indices that two process columns share, so messages name their rows and columns in two small
//! tables. Plans never hold pointers, so one plan serves every call with the same [`Problem`].

mod pieces;
mod rectangle;
mod route;

pub use pieces::{Piece, Pieces};
pub use rectangle::{Rectangle, Share, Strips};
pub use route::{Leg, Route};

use crate::layout::{Axis, Coord, Grid, Rank};
use crate::overlap::{Overlap, Runs};
use crate::problem::Problem;
use crate::schedule::order::Order;
use crate::schedule::traffic::Traffic;

/// One rank's part of a redistribution.
#[derive(Debug)]
pub struct Plan {
    /// What this rank sends to others, in the order of the steps.
    pub sends: Side,
    /// What this rank receives from others, in the order of the steps.
    pub receives: Side,
    /// What this rank holds before and after: local rows and columns in both arrays.
    pub copy: Option<(Share<2>, Share<2>)>,
}

/// The messages of one direction.
#[derive(Default, Debug)]
pub struct Side {
    rows: Vec<Share<1>>,
    cols: Vec<Share<1>>,
    /// In the order of the steps.
    pub messages: Vec<Message>,
}

/// A message to or from `peer`, or part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The other rank.
    pub peer: Rank,
    /// The step that it travels in.
    pub step: u64,
    row: u32,
    col: u32,
    part: Part,
}

/// A part of a message: from `from` / `of` of it on, up to `to` / `of`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    from: u64,
    to: u64,
    of: u64,
}

impl Part {
    const WHOLE: Self = Self { from: 0, to: 1, of: 1 };
}

impl Side {
    /// The elements that `message` belongs to, in local indices of this side's array.
    pub fn rectangle(&self, message: &Message) -> Rectangle<'_, 1> {
        Rectangle { rows: &self.rows[message.row as usize], cols: &self.cols[message.col as usize] }
    }

    /// The positions of the rectangle that `message` carries: whole columns, or parts of a single one.
    pub fn positions(&self, message: &Message) -> Piece {
        let rectangle = self.rectangle(message);
        let (rows, cols) = (rectangle.rows.local.total(), rectangle.cols.local.total());
        let Part { from, to, of } = message.part;
        let cut = |total: u64, at: u64| {
            let place = u128::from(total) * u128::from(at) / u128::from(of);
            u64::try_from(place).expect("a part of a u64 fits in a u64")
        };
        if cols > 1 {
            Piece { rows: 0..rows, cols: cut(cols, from)..cut(cols, to) }
        } else {
            Piece { rows: cut(rows, from)..cut(rows, to), cols: 0..cols }
        }
    }
}

/// Where a rank stands in a redistribution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The rank itself.
    pub rank: Rank,
    /// Its place in the source's grid.
    pub from: Option<Coord>,
    /// Its place in the destination's grid.
    pub to: Option<Coord>,
    /// Ranks in the enclosing communicator.
    pub ranks: u32,
}

impl Place {
    /// Ranks from the sender of a message on to its receiver.
    fn ahead(&self, sender: Rank, receiver: Rank) -> u32 {
        (receiver.0 + self.ranks - sender.0) % self.ranks
    }
}

impl Plan {
    /// The plan of the rank at `me`, whose messages go in the given order; `traffic` is the problem's. Costs time and
    /// memory in proportion to that rank's own messages.
    pub fn new(problem: &Problem, me: &Place, traffic: &Traffic, order: &Order) -> Self {
        let steps = Steps { problem, me, traffic, order };
        let sends = me.from.map(|at| {
            let rows = partners(&problem.rows, problem.rows.destinations(at.row), |o, q| o.shared(at.row, q));
            let cols = partners(&problem.cols, problem.cols.destinations(at.col), |o, q| o.shared(at.col, q));
            let axes = (&problem.rows.from, &problem.cols.from);
            let ahead = |peer: Rank| me.ahead(me.rank, peer);
            steps.side((rows, cols), axes, &problem.to, ahead, |peer| (at.by_dimension(), peer))
        });
        let receives = me.to.map(|at| {
            let rows = partners(&problem.rows, problem.rows.sources(at.row), |o, p| o.shared(p, at.row));
            let cols = partners(&problem.cols, problem.cols.sources(at.col), |o, p| o.shared(p, at.col));
            let axes = (&problem.rows.to, &problem.cols.to);
            let ahead = |peer: Rank| me.ahead(peer, me.rank);
            steps.side((rows, cols), axes, &problem.from, ahead, |peer| (peer, at.by_dimension()))
        });
        let copy = me.from.zip(me.to).and_then(|(from, to)| copy(problem, from, to));
        Self { sends: sends.unwrap_or_default(), receives: receives.unwrap_or_default(), copy }
    }
}

/// What one dimension has in common with each partner coordinate.
struct Partner {
    coord: u32,
    shared: Runs<1>,
}

fn partners(dim: &Overlap, coords: Vec<u32>, shared: impl Fn(&Overlap, u32) -> Runs<1>) -> Vec<Partner> {
    coords.into_iter().map(|coord| Partner { coord, shared: shared(dim, coord) }).collect()
}

/// What decides on the steps of a rank's messages.
struct Steps<'a> {
    problem: &'a Problem,
    me: &'a Place,
    traffic: &'a Traffic,
    order: &'a Order,
}

impl Steps<'_> {
    /// The messages between this rank and all pairs of partners; `ends` are the places of sender and receiver.
    fn side(
        &self,
        (rows, cols): (Vec<Partner>, Vec<Partner>),
        (row_axis, col_axis): (&Axis, &Axis),
        peers: &Grid,
        ahead: impl Fn(Rank) -> u32,
        ends: impl Fn([u32; 2]) -> ([u32; 2], [u32; 2]),
    ) -> Side {
        let mut messages = Vec::new();
        for (row, r) in (0..).zip(&rows) {
            for (col, c) in (0..).zip(&cols) {
                let at = [r.coord, c.coord];
                let peer = peers.rank(&at);
                if peer != self.me.rank && self.problem.part.touches(&r.shared, &c.shared) {
                    let (from, to) = ends(at);
                    self.message(&from, &to, |step, part| {
                        messages.push(Message { peer, step, row, col, part })
                    });
                }
            }
        }
        // Within a step, where an order has no more to say, messages go by distance: the same order on all ranks.
        messages.sort_by_key(|m| (m.step, ahead(m.peer)));
        let share = |axis: &Axis, list: Vec<Partner>| {
            list.into_iter().map(|p| Share::new(p.shared, |i| [axis.local(i).0])).collect()
        };
        Side { rows: share(row_axis, rows), cols: share(col_axis, cols), messages }
    }

    /// The step of one message, or those of its parts.
    fn message(&self, from: &[u32], to: &[u32], mut add: impl FnMut(u64, Part)) {
        let parts = self.order.parts(self.traffic, from, to);
        let of = parts.last().map_or(1, |last| last.from + last.bytes);
        for part in parts {
            add(part.step.into(), Part { from: part.from, to: part.from + part.bytes, of });
        }
        if parts.is_empty() {
            let step = self.order.step(self.traffic, from, to).expect("every message has a step");
            add(step, Part::WHOLE);
        }
    }
}

fn copy(problem: &Problem, from: Coord, to: Coord) -> Option<(Share<2>, Share<2>)> {
    let both =
        |dim: &Overlap, p, q| Share::new(dim.shared(p, q), |i| [dim.from.local(i).0, dim.to.local(i).0]);
    let (rows, cols) = (both(&problem.rows, from.row, to.row), both(&problem.cols, from.col, to.col));
    problem.part.touches(&rows.indices, &cols.indices).then_some((rows, cols))
}

#[cfg(test)]
mod tests;

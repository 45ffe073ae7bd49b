//! WHAT does this rank send, receive and copy, in which order?
//!
//! A plan holds this rank's messages only. A message is a rectangle: the row indices that two process rows share
//! times the column indices that two process columns share, so messages name their rows and columns in two small
//! tables. Plans never hold pointers, so one plan serves every call with the same [`Problem`].

mod pieces;
mod rectangle;

pub use pieces::{Piece, Pieces};
pub use rectangle::{Rectangle, Share, Strips};

use crate::layout::{Axis, Coord, Grid, Rank};
use crate::overlap::{Overlap, Runs};
use crate::problem::Problem;
use crate::schedule::caterpillar;

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

/// A message to or from `peer`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The other rank.
    pub peer: Rank,
    /// The step that it travels in.
    pub step: u32,
    row: u32,
    col: u32,
}

impl Side {
    /// The elements of `message`, in local indices of this side's array.
    pub fn rectangle(&self, message: &Message) -> Rectangle<'_, 1> {
        Rectangle { rows: &self.rows[message.row as usize], cols: &self.cols[message.col as usize] }
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

impl Plan {
    /// The plan of the rank at `me`. Costs time and memory in proportion to that rank's own messages.
    pub fn new(problem: &Problem, me: &Place) -> Self {
        let sends = me.from.map(|at| {
            let rows = partners(&problem.rows, problem.rows.destinations(at.row), |o, q| o.shared(at.row, q));
            let cols = partners(&problem.cols, problem.cols.destinations(at.col), |o, q| o.shared(at.col, q));
            side(problem, me, (rows, cols), (&problem.rows.from, &problem.cols.from), &problem.to, |peer| {
                caterpillar(me.rank, peer, me.ranks)
            })
        });
        let receives = me.to.map(|at| {
            let rows = partners(&problem.rows, problem.rows.sources(at.row), |o, p| o.shared(p, at.row));
            let cols = partners(&problem.cols, problem.cols.sources(at.col), |o, p| o.shared(p, at.col));
            side(problem, me, (rows, cols), (&problem.rows.to, &problem.cols.to), &problem.from, |peer| {
                caterpillar(peer, me.rank, me.ranks)
            })
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

fn side(
    problem: &Problem,
    me: &Place,
    (rows, cols): (Vec<Partner>, Vec<Partner>),
    (row_axis, col_axis): (&Axis, &Axis),
    peers: &Grid,
    step: impl Fn(Rank) -> u32,
) -> Side {
    let mut messages = Vec::new();
    for (row, r) in (0..).zip(&rows) {
        for (col, c) in (0..).zip(&cols) {
            let peer = peers.rank(&[r.coord, c.coord]);
            if peer != me.rank && problem.part.touches(&r.shared, &c.shared) {
                messages.push(Message { peer, step: step(peer), row, col });
            }
        }
    }
    messages.sort_unstable_by_key(|m| m.step);
    let share = |axis: &Axis, list: Vec<Partner>| {
        list.into_iter().map(|p| Share::new(p.shared, |i| [axis.local(i).0])).collect()
    };
    Side { rows: share(row_axis, rows), cols: share(col_axis, cols), messages }
}

fn copy(problem: &Problem, from: Coord, to: Coord) -> Option<(Share<2>, Share<2>)> {
    let both =
        |dim: &Overlap, p, q| Share::new(dim.shared(p, q), |i| [dim.from.local(i).0, dim.to.local(i).0]);
    let (rows, cols) = (both(&problem.rows, from.row, to.row), both(&problem.cols, from.col, to.col));
    problem.part.touches(&rows.indices, &cols.indices).then_some((rows, cols))
}

#[cfg(test)]
mod tests;

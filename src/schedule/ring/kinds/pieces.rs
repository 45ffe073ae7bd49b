//! Kinds of meetings, and pieces of them: which processes have one, and which pieces share a process?

use super::super::super::blocks::Even;
use std::ops::Range;

/// Meetings that follow each other at the same distance: the t-th is of process `lane + every t` of each side, counted from
/// the place `at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The section index of the first.
    pub start: u64,
    /// The elements of each.
    pub length: u64,
    /// How many.
    pub count: u64,
    /// By side: the processes that are so many places apart, as they follow each other, are a *lane*; which one this is,
    pub lane: [u64; 2],
    /// and the number within it of the process that has the first meeting.
    pub at: [u64; 2],
}

impl Kind {
    /// `count` meetings, the first of them of `length` elements from `start` on, the others `period` elements apart.
    pub fn new(sides: &[Even; 2], period: u64, start: u64, length: u64, count: u64) -> Self {
        let place = |side: &Even| side.at(start) % side.procs;
        let every = |side: &Even| period / side.block;
        let lane = [0, 1].map(|k| place(&sides[k]) % every(&sides[k]));
        let at = [0, 1].map(|k| place(&sides[k]) / every(&sides[k]));
        Self { start, length, count, lane, at }
    }
}

/// Some meetings of a kind that follow each other, and their step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    /// The number of the kind.
    pub kind: usize,
    /// Which of its meetings.
    pub turns: Range<u64>,
    /// The step.
    pub step: u32,
}

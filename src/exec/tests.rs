//! Whole redistributions, all ranks in this process, against a naive program that deals elements one by one.

use super::*;
use crate::layout::{Axis, Coord, Cyclic, Global, Grid, Rank};
use crate::overlap::Overlap;
use crate::pack::Shape;
use crate::plan::Place;
use crate::problem::Problem;
use crate::transport::loopback;
use std::collections::{HashMap, HashSet};

/// One side of a random problem.
struct Array {
    dist: [Cyclic; 2],
    start: [u64; 2],
    extent: [u64; 2],
    grid: Grid,
    slack: u64,
}

impl Array {
    fn random(rng: &mut fastrand::Rng, section: [u64; 2], ranks: u32) -> Self {
        let rows = rng.u32(1..=ranks);
        let cols = rng.u32(1..=ranks / rows);
        let mut order: Vec<u32> = (0..ranks).collect();
        if rng.bool() {
            rng.shuffle(&mut order);
        }
        let grid = Grid::from_ranks(&[rows, cols], &order[..(rows * cols) as usize]).unwrap();
        let mut dist = |procs: u32| {
            let block = if rng.bool() { rng.u64(1..5) } else { rng.u64(1..50) };
            Cyclic::new(block, procs, rng.u32(0..procs)).unwrap()
        };
        let dist = [dist(rows), dist(cols)];
        let start = [rng.u64(0..9), rng.u64(0..9)];
        let extent = [0, 1].map(|d| start[d] + section[d] + rng.u64(0..9));
        Self { dist, start, extent, grid, slack: rng.u64(0..3) }
    }

    fn axis(&self, d: usize) -> Axis {
        Axis::new(self.dist[d], self.start[d])
    }

    fn shape(&self, at: Coord, element: usize) -> Shape {
        let (rows, cols) =
            (self.dist[0].local_len(self.extent[0], at.row), self.dist[1].local_len(self.extent[1], at.col));
        Shape { rows, cols, ld: rows + self.slack, element }
    }

    /// (rank, first byte) of the section's element (i, j).
    fn at(&self, i: u64, j: u64, element: usize) -> (Rank, usize) {
        let (row, col) = (Global(self.start[0] + i), Global(self.start[1] + j));
        let coord = Coord { row: self.dist[0].owner(row), col: self.dist[1].owner(col) };
        let place = self.dist[1].local(col).0 * self.shape(coord, element).ld + self.dist[0].local(row).0;
        (self.grid.rank(&coord.by_dimension()), place as usize * element)
    }

    fn memory(&self, rank: Rank, element: usize, mut byte: impl FnMut() -> u8) -> Vec<u8> {
        let size = |at| {
            let shape = self.shape(at, element);
            (shape.ld * shape.cols) as usize * element
        };
        (0..place(&self.grid, rank).map_or(0, size)).map(|_| byte()).collect()
    }
}

fn place(grid: &Grid, rank: Rank) -> Option<Coord> {
    grid.find(rank).map(|at| Coord { row: at[0], col: at[1] })
}

struct Case {
    problem: Problem,
    from: Array,
    to: Array,
    section: [u64; 2],
    ranks: u32,
    element: usize,
}

impl Case {
    fn random(rng: &mut fastrand::Rng) -> Self {
        let ranks = rng.u32(1..=9);
        let section = [rng.u64(1..60), rng.u64(1..60)];
        let (from, to) = (Array::random(rng, section, ranks), Array::random(rng, section, ranks));
        let dim = |d: usize| Overlap { from: from.axis(d), to: to.axis(d), len: section[d] };
        let part = match rng.u32(0..4) {
            0 | 1 => Part::Whole,
            _ => Part::trapezoid(rng.bool(), rng.bool(), section[0], section[1]),
        };
        let problem =
            Problem { rows: dim(0), cols: dim(1), from: from.grid.clone(), to: to.grid.clone(), part };
        Self { problem, from, to, section, ranks, element: [4, 8, 16][rng.usize(0..3)] }
    }

    fn moves(&self, i: u64, j: u64) -> bool {
        let (i, j) = (i as i64, j as i64);
        match self.problem.part {
            Part::Whole => true,
            Part::Upper { shift } => i < j + shift,
            Part::Lower { shift } => i >= j + shift,
        }
    }

    fn plans(&self) -> Vec<Plan> {
        let place = |rank| Place {
            rank: Rank(rank),
            from: place(&self.from.grid, Rank(rank)),
            to: place(&self.to.grid, Rank(rank)),
            ranks: self.ranks,
        };
        (0..self.ranks).map(|rank| Plan::new(&self.problem, &place(rank))).collect()
    }

    /// Runs all ranks by turns until none can go on; the arrays of B afterwards.
    fn run(&self, a: &[Vec<u8>], b: &mut [Vec<u8>], window: usize, capacity: usize) {
        let plans = self.plans();
        let mut ends = loopback::connect(self.ranks, window, capacity);
        let mut ranks: Vec<Exchange> = (0..self.ranks)
            .zip(&plans)
            .map(|(rank, plan)| {
                let shape =
                    |array: &Array| place(&array.grid, Rank(rank)).map(|at| array.shape(at, self.element));
                // SAFETY (of the test): the shapes describe the vectors.
                let source = shape(&self.from).map(|shape| source(&a[rank as usize], shape));
                let destination = shape(&self.to).map(|shape| destination(&mut b[rank as usize], shape));
                Exchange::new(plan, self.problem.part, source, destination, capacity)
            })
            .collect();
        loop {
            let states: Vec<State> =
                ranks.iter_mut().zip(&mut ends).map(|(rank, end)| rank.advance(end).unwrap()).collect();
            if states.iter().all(|&s| s == State::Done) {
                return;
            }
            assert!(states.contains(&State::Busy), "deadlock: {states:?}");
        }
    }
}

#[allow(unsafe_code)]
fn source(memory: &[u8], shape: Shape) -> Source {
    assert_eq!(memory.len() as u64, shape.ld * shape.cols * shape.element as u64);
    // SAFETY: as asserted.
    unsafe { Source::new(memory.as_ptr(), shape) }
}

#[allow(unsafe_code)]
fn destination(memory: &mut [u8], shape: Shape) -> Destination {
    assert_eq!(memory.len() as u64, shape.ld * shape.cols * shape.element as u64);
    // SAFETY: as asserted.
    unsafe { Destination::new(memory.as_mut_ptr(), shape) }
}

fn seed() -> u64 {
    let seed = std::env::var("REBLOCK_TEST_SEED").ok().and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("REBLOCK_TEST_SEED={seed}");
    seed
}

#[test]
fn random_redistributions_equal_dealing_element_by_element() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..1500 {
        let case = Case::random(&mut rng);
        let element = case.element;
        let mut memory = |array: &Array| -> Vec<Vec<u8>> {
            (0..case.ranks).map(|rank| array.memory(Rank(rank), element, || rng.u8(..))).collect()
        };
        let (a, mut got) = (memory(&case.from), memory(&case.to));
        let mut want = got.clone();
        for (i, j) in (0..case.section[0]).flat_map(|i| (0..case.section[1]).map(move |j| (i, j))) {
            if case.moves(i, j) {
                let ((p, x), (q, y)) = (case.from.at(i, j, element), case.to.at(i, j, element));
                want[q.0 as usize][y..y + element].copy_from_slice(&a[p.0 as usize][x..x + element]);
            }
        }
        let (window, capacity) = ([1, 2, 8][rng.usize(0..3)], [16, 64, 1000, 1 << 20][rng.usize(0..4)]);
        case.run(&a, &mut got, window, capacity);
        assert!(got == want, "{:?} window={window} capacity={capacity}", case.problem);
    }
}

#[test]
fn plans_are_contention_free_and_both_ends_agree() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..500 {
        let case = Case::random(&mut rng);
        let plans = case.plans();
        let volume = |side: &Side, m: &Message| {
            let r = side.rectangle(m);
            let all = Piece { rows: 0..r.rows.local.total(), cols: 0..r.cols.local.total() };
            r.elements(&all, &case.problem.part)
        };
        let (mut sent, mut received) = (HashMap::new(), HashMap::new());
        let (mut senders, mut receivers) = (HashSet::new(), HashSet::new());
        let mut kept = 0;
        for (me, plan) in (0..case.ranks).map(Rank).zip(&plans) {
            for m in &plan.sends.messages {
                assert!(senders.insert((m.step, me)), "{me:?} sends twice in step {}", m.step);
                assert!(sent.insert((me, m.peer), (m.step, volume(&plan.sends, m))).is_none());
            }
            for m in &plan.receives.messages {
                assert!(receivers.insert((m.step, me)), "{me:?} receives twice in step {}", m.step);
                assert!(received.insert((m.peer, me), (m.step, volume(&plan.receives, m))).is_none());
            }
            if let Some((rows, cols)) = &plan.copy {
                let all = Piece { rows: 0..rows.local.total(), cols: 0..cols.local.total() };
                kept += Rectangle { rows, cols }.elements(&all, &case.problem.part);
            }
        }
        assert_eq!(sent, received);
        let whole: u64 = sent.values().map(|(_, volume)| volume).sum::<u64>() + kept;
        let all = (0..case.section[0]).flat_map(|i| (0..case.section[1]).map(move |j| (i, j)));
        assert_eq!(whole, all.filter(|&(i, j)| case.moves(i, j)).count() as u64, "each element moves once");
        assert!(sent.values().all(|&(_, volume)| volume > 0), "no message is empty");
    }
}

#[test]
fn a_redistribution_onto_the_same_layout_has_no_message() {
    let dist = Cyclic::new(3, 2, 1).unwrap();
    let axis = Axis::new(dist, 4);
    let dim = Overlap { from: axis.clone(), to: axis, len: 50 };
    let grid = Grid::row_major(&[2, 2]);
    let problem =
        Problem { rows: dim.clone(), cols: dim, from: grid.clone(), to: grid.clone(), part: Part::Whole };
    for rank in 0..4 {
        let at = place(&grid, Rank(rank));
        let plan = Plan::new(&problem, &Place { rank: Rank(rank), from: at, to: at, ranks: 4 });
        assert!(plan.sends.messages.is_empty() && plan.receives.messages.is_empty() && plan.copy.is_some());
    }
}

//! A random redistribution: both arrays, and all ranks run by turns.

use super::*;
use crate::layout::{Coord, Cyclic, Global};
use crate::pack::{Owned, Shape};
use crate::plan::{Leg, Route};

/// One side of a random problem.
pub struct Array {
    dist: [Cyclic; 2],
    start: [u64; 2],
    extent: [u64; 2],
    grid: Grid,
    slack: u64,
}

impl Array {
    pub fn random(rng: &mut fastrand::Rng, section: [u64; 2], ranks: u32) -> Self {
        let rows = rng.u32(1..=ranks);
        let cols = rng.u32(1..=ranks / rows);
        let mut order: Vec<u32> = (0..ranks).collect();
        if rng.bool() {
            rng.shuffle(&mut order);
        }
        Self::on(rng, section, Grid::from_ranks(&[rows, cols], &order[..(rows * cols) as usize]).unwrap())
    }

    fn on(rng: &mut fastrand::Rng, section: [u64; 2], grid: Grid) -> Self {
        let (rows, cols) = (grid.extents()[0], grid.extents()[1]);
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
    pub fn at(&self, i: u64, j: u64, element: usize) -> (Rank, usize) {
        let (row, col) = (Global(self.start[0] + i), Global(self.start[1] + j));
        let coord = Coord { row: self.dist[0].owner(row), col: self.dist[1].owner(col) };
        let place = self.dist[1].local(col).0 * self.shape(coord, element).ld + self.dist[0].local(row).0;
        (self.grid.rank(&coord.by_dimension()), place as usize * element)
    }

    pub fn memory(&self, rank: Rank, element: usize, mut byte: impl FnMut() -> u8) -> Vec<u8> {
        let size = |at| {
            let shape = self.shape(at, element);
            (shape.ld * shape.cols) as usize * element
        };
        (0..place(&self.grid, rank).map_or(0, size)).map(|_| byte()).collect()
    }
}

pub fn place(grid: &Grid, rank: Rank) -> Option<Coord> {
    grid.find(rank).map(|at| Coord { row: at[0], col: at[1] })
}

pub struct Case {
    pub problem: Problem,
    pub from: Array,
    pub to: Array,
    pub section: [u64; 2],
    pub ranks: u32,
    pub element: usize,
}

impl Case {
    pub fn random(rng: &mut fastrand::Rng) -> Self {
        let ranks = rng.u32(1..=9);
        let section = [rng.u64(1..60), rng.u64(1..60)];
        let (from, mut to) = (Array::random(rng, section, ranks), Array::random(rng, section, ranks));
        if rng.u8(0..3) == 0 {
            to = Array::on(rng, section, from.grid.clone());
        }
        let dim = |d: usize| Overlap { from: from.axis(d), to: to.axis(d), len: section[d] };
        let part = match rng.u32(0..4) {
            0 | 1 => Part::Whole,
            _ => Part::trapezoid(rng.bool(), rng.bool(), section[0], section[1]),
        };
        let problem =
            Problem { rows: dim(0), cols: dim(1), from: from.grid.clone(), to: to.grid.clone(), part };
        Self { problem, from, to, section, ranks, element: [4, 8, 16][rng.usize(0..3)] }
    }

    pub fn moves(&self, i: u64, j: u64) -> bool {
        let (i, j) = (i as i64, j as i64);
        match self.problem.part {
            Part::Whole => true,
            Part::Upper { shift } => i < j + shift,
            Part::Lower { shift } => i >= j + shift,
        }
    }

    pub fn place(&self, rank: u32) -> Place {
        let (from, to) = (place(&self.from.grid, Rank(rank)), place(&self.to.grid, Rank(rank)));
        Place { rank: Rank(rank), from, to, ranks: self.ranks }
    }

    /// The way of each rank, by the scheduler asked for; `None` if it cannot run the case.
    pub fn routes(&self, machine: &Machine, scheduler: Option<&str>) -> Option<Vec<Route>> {
        let route =
            |rank| Route::new(&self.problem, &self.place(rank), self.element as u64, machine, scheduler).ok();
        (0..self.ranks).map(route).collect()
    }

    /// Runs all ranks by turns until none can go on; the arrays of B afterwards.
    pub fn run<T: Transport<Error: Debug>>(
        &self,
        routes: &[Route],
        a: &[Vec<u8>],
        b: &mut [Vec<u8>],
        ends: &mut [T],
    ) {
        let crew = Crew::new(if self.section[0] % 5 == 0 { 3 } else { 1 });
        let turns = if self.section[1] % 2 == 0 { Turns::ByMessage } else { Turns::ByRegion };
        let legs = routes[0].legs.len();
        let mut between: Vec<Option<Owned>> = (0..self.ranks).map(|_| None).collect();
        for leg in 0..legs {
            let mut next: Vec<Option<Owned>> = (0..self.ranks)
                .map(|rank| {
                    let shape = routes[rank as usize].legs[leg].shape(&self.place(rank), self.element);
                    shape.filter(|_| leg + 1 < legs).map(|shape| Owned::new(shape).unwrap())
                })
                .collect();
            let mut ranks: Vec<Exchange> = (0..self.ranks)
                .zip(between.iter().zip(&mut next).zip(b.iter_mut()))
                .map(|(rank, ((from, to), b))| {
                    let shape = |array: &Array| {
                        place(&array.grid, Rank(rank)).map(|at| array.shape(at, self.element))
                    };
                    let first = || shape(&self.from).map(|shape| source(&a[rank as usize], shape));
                    let from = if leg == 0 { first() } else { from.as_ref().map(Owned::source) };
                    let last = shape(&self.to).map(|shape| destination(b, shape));
                    let to = if leg + 1 == legs { last } else { to.as_mut().map(Owned::destination) };
                    let Leg { problem, plan } = &routes[rank as usize].legs[leg];
                    Exchange::new(problem, plan, (from, to), turns, crew)
                })
                .collect();
            all_turns(&mut ranks, ends);
            drop(ranks);
            between = next;
        }
    }
}

fn all_turns<T: Transport<Error: Debug>>(ranks: &mut [Exchange], ends: &mut [T]) {
    loop {
        let states: Vec<State> =
            ranks.iter_mut().zip(ends.iter_mut()).map(|(rank, end)| rank.advance(end).unwrap()).collect();
        if states.iter().all(|&s| s == State::Done) {
            return;
        }
        assert!(states.contains(&State::Busy), "deadlock: {states:?}");
    }
}

#[allow(unsafe_code)]
fn source(memory: &[u8], shape: Shape) -> Source<'_> {
    assert_eq!(memory.len() as u64, shape.ld * shape.cols * shape.element as u64);
    // SAFETY: as asserted.
    unsafe { Source::new(memory.as_ptr(), shape) }
}

#[allow(unsafe_code)]
fn destination(memory: &mut [u8], shape: Shape) -> Destination<'_> {
    assert_eq!(memory.len() as u64, shape.ld * shape.cols * shape.element as u64);
    // SAFETY: as asserted.
    unsafe { Destination::new(memory.as_mut_ptr(), shape) }
}

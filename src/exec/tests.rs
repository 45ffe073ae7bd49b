//! Whole redistributions, all ranks in this process, against a naive program that deals elements one by one.

use super::*;
use crate::layout::{Axis, Coord, Cyclic, Global, Grid, Rank};
use crate::overlap::Overlap;
use crate::pack::{Owned, Shape};
use crate::plan::{Place, Route};
use crate::problem::Problem;
use crate::schedule::machine::Machine;
use crate::schedule::table::TABLE;
use crate::transport::loopback;
use crate::transport::tests::shared;
use std::collections::{HashMap, HashSet};
use std::fmt::Debug;

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

    fn moves(&self, i: u64, j: u64) -> bool {
        let (i, j) = (i as i64, j as i64);
        match self.problem.part {
            Part::Whole => true,
            Part::Upper { shift } => i < j + shift,
            Part::Lower { shift } => i >= j + shift,
        }
    }

    fn place(&self, rank: u32) -> Place {
        let (from, to) = (place(&self.from.grid, Rank(rank)), place(&self.to.grid, Rank(rank)));
        Place { rank: Rank(rank), from, to, ranks: self.ranks }
    }

    /// The way of each rank, by the scheduler asked for; `None` if it cannot run the case.
    fn routes(&self, machine: &Machine, scheduler: Option<&str>) -> Option<Vec<Route>> {
        let route =
            |rank| Route::new(&self.problem, &self.place(rank), self.element as u64, machine, scheduler).ok();
        (0..self.ranks).map(route).collect()
    }

    /// Runs all ranks by turns until none can go on; the arrays of B afterwards.
    fn run<T: Transport<Error: Debug>>(
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
                    let plan = &routes[rank as usize].legs[leg].plan;
                    Exchange::new(plan, self.problem.part, (from, to), turns, crew)
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

fn seed() -> u64 {
    let seed = std::env::var("REBLOCK_TEST_SEED").ok().and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("REBLOCK_TEST_SEED={seed}");
    seed
}

/// Everything about one case: arrays before and after.
fn check(case: &Case, rng: &mut fastrand::Rng, machine: &Machine, scheduler: Option<&str>) -> bool {
    let Some(routes) = case.routes(machine, scheduler) else { return false };
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
    if rng.bool() {
        case.run(&routes, &a, &mut got, &mut loopback::connect(case.ranks, window, capacity));
    } else {
        let ranks: Vec<u32> = (0..case.ranks).collect();
        case.run(&routes, &a, &mut got, &mut shared(&ranks, window, capacity));
    }
    assert!(got == want, "{:?} window={window} capacity={capacity} {scheduler:?}", case.problem);
    true
}

#[test]
fn random_redistributions_equal_dealing_element_by_element() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for _ in 0..1500 {
        let case = Case::random(&mut rng);
        assert!(check(&case, &mut rng, &Machine::NETWORK, None), "there is always a way");
    }
}

#[test]
fn every_scheduler_moves_the_same() {
    let mut rng = fastrand::Rng::with_seed(seed());
    let patient = Machine { start_up: 1.0, ..Machine::NETWORK };
    for scheduler in &TABLE {
        let mut ran = 0;
        for _ in 0..400 {
            let case = Case::random(&mut rng);
            ran += u32::from(check(&case, &mut rng, &patient, Some(scheduler.name)));
        }
        assert!(ran > 3, "{} ran {ran} cases", scheduler.name);
    }
}

#[test]
fn plans_are_contention_free_and_both_ends_agree() {
    let mut rng = fastrand::Rng::with_seed(seed());
    let patient = Machine { start_up: 1.0, ..Machine::NETWORK };
    for scheduler in TABLE.iter().filter(|s| s.name != "unscheduled") {
        for _ in 0..60 {
            let case = Case::random(&mut rng);
            let Some(routes) = case.routes(&patient, Some(scheduler.name)) else { continue };
            for leg in 0..routes[0].legs.len() {
                let plans: Vec<&Plan> = routes.iter().map(|route| &route.legs[leg].plan).collect();
                contention_free(&case, &plans, scheduler.name);
            }
        }
    }
}

fn contention_free(case: &Case, plans: &[&Plan], name: &str) {
    let volume =
        |side: &Side, m: &Message| side.rectangle(m).elements(&side.positions(m), &case.problem.part);
    let (mut sent, mut received) = (HashMap::new(), HashMap::new());
    let (mut senders, mut receivers) = (HashSet::new(), HashSet::new());
    let mut kept = 0;
    for (me, plan) in (0..case.ranks).map(Rank).zip(plans) {
        for m in &plan.sends.messages {
            assert!(senders.insert((m.step, me)), "{me:?} sends twice in step {} of {name}", m.step);
            assert!(sent.insert((me, m.peer, m.step), volume(&plan.sends, m)).is_none());
        }
        for m in &plan.receives.messages {
            assert!(receivers.insert((m.step, me)), "{me:?} receives twice in step {} of {name}", m.step);
            assert!(received.insert((m.peer, me, m.step), volume(&plan.receives, m)).is_none());
        }
        if let Some((rows, cols)) = &plan.copy {
            let all = Piece { rows: 0..rows.local.total(), cols: 0..cols.local.total() };
            kept += Rectangle { rows, cols }.elements(&all, &case.problem.part);
        }
    }
    assert_eq!(sent, received);
    let whole: u64 = sent.values().sum::<u64>() + kept;
    let all = (0..case.section[0]).flat_map(|i| (0..case.section[1]).map(move |j| (i, j)));
    assert_eq!(
        whole,
        all.filter(|&(i, j)| case.moves(i, j)).count() as u64,
        "each element moves once, {name}"
    );
}

#[test]
fn a_redistribution_onto_the_same_layout_has_no_message() {
    let axis = Axis::new(Cyclic::new(3, 2, 1).unwrap(), 4);
    let dim = Overlap { from: axis.clone(), to: axis, len: 50 };
    let grid = Grid::row_major(&[2, 2]);
    let problem =
        Problem { rows: dim.clone(), cols: dim, from: grid.clone(), to: grid.clone(), part: Part::Whole };
    for rank in 0..4 {
        let at = place(&grid, Rank(rank));
        let me = Place { rank: Rank(rank), from: at, to: at, ranks: 4 };
        let route = Route::new(&problem, &me, 8, &Machine::NETWORK, None).unwrap();
        let plan = &route.legs[0].plan;
        assert!(plan.sends.messages.is_empty() && plan.receives.messages.is_empty() && plan.copy.is_some());
    }
}

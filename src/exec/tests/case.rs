//! A random redistribution: both arrays, and the location of each element.

use super::*;
use crate::layout::distribution::{Axis, Cyclic, Dist, GenBlock, Grid, Indirect, Nodes, Rank, places};
use crate::layout::strides::{ArrayDim, Shape};
use crate::pack::{Combine, Number, Scalar};

/// One side of a random problem.
pub struct Array {
    pub axes: Vec<Axis>,
    extents: Vec<u64>,
    pub grid: Grid,
    /// Dimensions in ascending order of their strides.
    order: Vec<usize>,
    slack: u64,
}

impl Array {
    /// Returns an array for a section on some of the ranks, sometimes in several copies.
    pub fn random(rng: &mut fastrand::Rng, section: &[u64], ranks: u32) -> Self {
        let mut left = ranks;
        let mut extents: Vec<u32> = section.iter().map(|_| draw_off(rng, &mut left)).collect();
        if rng.u8(0..4) == 0 {
            extents.push(draw_off(rng, &mut left));
        }
        let mut order: Vec<u32> = (0..ranks).collect();
        if rng.bool() {
            rng.shuffle(&mut order);
        }
        let size = extents.iter().product::<u32>() as usize;
        Self::on(rng, section, Grid::from_ranks(&extents, &order[..size]).unwrap())
    }

    pub fn on(rng: &mut fastrand::Rng, section: &[u64], grid: Grid) -> Self {
        let (mut axes, mut extents) = (Vec::new(), Vec::new());
        // About half of all arrays have ScaLAPACK's layout.
        let plain = rng.bool();
        for (&len, &procs) in section.iter().zip(grid.extents()) {
            let (start, step) = (rng.u64(0..9), if plain || rng.bool() { 1 } else { rng.u64(1..4) });
            let extent = start + step * len + rng.u64(0..9);
            let (origin, stride) = if plain || rng.bool() { (0, 1) } else { (rng.u64(0..9), rng.u64(1..5)) };
            let dist = format(rng, origin + stride * extent, procs, plain);
            axes.push(Axis::aligned(dist, origin, stride).section(start, step));
            extents.push(extent);
        }
        let mut order: Vec<usize> = (0..section.len()).collect();
        if rng.u8(0..3) == 0 {
            rng.shuffle(&mut order);
        }
        Self { axes, extents, grid, order, slack: rng.u64(0..3) }
    }

    /// Returns the shape of the local array at `at`. Along each dimension, `slack` further elements are unused.
    pub fn shape(&self, at: &[u32], element: usize) -> Shape {
        let mut dims = vec![ArrayDim::default(); self.axes.len()];
        let mut stride = element as i64;
        for &d in &self.order {
            let extent = self.axes[d].local_len(self.extents[d], at[d]);
            dims[d] = ArrayDim { extent, stride };
            stride *= (extent + self.slack) as i64;
        }
        Shape::new(element, &dims)
    }

    /// Returns (rank, first byte) of the section's element at `index`, for each copy.
    pub fn at(&self, index: &[u64], element: usize) -> Vec<(Rank, usize)> {
        let part: Vec<u32> = self.axes.iter().zip(index).map(|(axis, &i)| axis.owner(i)).collect();
        let byte = |shape: &Shape| {
            let ends = self.axes.iter().zip(index).zip(shape.dims());
            ends.map(|((axis, &i), dim)| axis.local(i).0 as i64 * dim.stride).sum::<i64>() as usize
        };
        let copies = places(&self.grid.extents()[self.axes.len()..]);
        copies
            .map(|copy| (self.grid.rank(&[&part[..], &copy].concat()), byte(&self.shape(&part, element))))
            .collect()
    }

    pub fn memory(&self, rank: Rank, element: usize, rng: &mut fastrand::Rng) -> Vec<u8> {
        let size = self.grid.find(rank).map_or(0, |at| self.shape(&at, element).bytes());
        let mut memory = vec![0; size];
        rng.fill(&mut memory);
        memory
    }
}

/// Returns a number of processes for one dimension of a grid, and takes them from `left`.
fn draw_off(rng: &mut fastrand::Rng, left: &mut u32) -> u32 {
    let procs = rng.u32(1..=*left);
    *left /= procs;
    procs
}

fn format(rng: &mut fastrand::Rng, extent: u64, procs: u32, plain: bool) -> Dist {
    match rng.u8(0..6) {
        _ if plain => Cyclic::new(rng.u64(1..9), procs, rng.u32(0..procs)).unwrap().into(),
        0 => GenBlock::random(rng, procs, extent).into(),
        1 => Indirect::new(procs, (0..extent).map(|_| (rng.u32(0..procs), 1))).unwrap().into(),
        2 => Cyclic::new(rng.u64(1..50), procs, rng.u32(0..procs)).unwrap().into(),
        _ => Cyclic::new(rng.u64(1..5), procs, rng.u32(0..procs)).unwrap().into(),
    }
}

pub struct Case {
    pub problem: Problem,
    pub from: Array,
    pub to: Array,
    pub section: Vec<u64>,
    pub ranks: u32,
    pub element: usize,
    /// Update of the elements; `None` copies them.
    pub update: Option<Update>,
}

impl Case {
    pub fn random(rng: &mut fastrand::Rng) -> Self {
        let ranks = rng.u32(1..=9);
        Self::within(rng, ranks)
    }

    pub fn within(rng: &mut fastrand::Rng, ranks: u32) -> Self {
        let axes = [1, 2, 2, 2, 3, 4, 5][rng.usize(0..7)];
        let most = [0, 600, 60, 16, 9, 6][axes];
        let section: Vec<u64> = (0..axes).map(|_| rng.u64(1..most)).collect();
        let (from, mut to) = (Array::random(rng, &section, ranks), Array::random(rng, &section, ranks));
        if rng.u8(0..3) == 0 {
            to = Array::on(rng, &section, from.grid.clone());
        }
        let dim = |d: usize| Overlap { from: from.axes[d].clone(), to: to.axes[d].clone(), len: section[d] };
        let part = match rng.u32(0..4) {
            1.. if axes == 2 => Part::trapezoid(rng.bool(), rng.bool(), section[0], section[1]),
            _ => Part::Whole,
        };
        let nodes = if rng.bool() { Nodes::default() } else { Nodes::new(&[0, 1, 0, 2, 2, 0, 1, 3, 3]) };
        let whole = Problem::whole((0..axes).map(dim).collect(), from.grid.clone(), to.grid.clone());
        let element = [1, 2, 4, 8, 16][rng.usize(0..5)];
        // `is_transposed` may be chosen independently of the order in memory: it only affects speed.
        let problem = Problem { part, nodes, is_transposed: rng.u8(0..5) == 0, ..whole };
        Self { problem, from, to, section, ranks, element, update: None }
    }

    /// Adds an update, if there are numbers of the element's size.
    pub fn updated(self, rng: &mut fastrand::Rng) -> Self {
        let numbers: Vec<Number> = Number::ALL.into_iter().filter(|n| n.bytes() == self.element).collect();
        let Some(&number) = numbers.get(rng.usize(0..3)) else { return self };
        let mut factor = || match rng.u8(0..4) {
            0 => number.scalar(0),
            1 => number.scalar(1),
            2 => number.scalar(-3),
            _ => {
                let mut bytes = [0; 16];
                rng.fill(&mut bytes);
                bytes.iter_mut().skip(3).step_by(4).for_each(|byte| *byte &= 0xBF);
                Scalar::of(&bytes[..self.element])
            }
        };
        let factors = [factor(), factor()];
        let combine = [Combine::Add, Combine::Minimum, Combine::Or][rng.usize(0..3)];
        let some = |combine| Update::new(number, combine, rng.bool(), factors);
        let update = [combine, Combine::Add].into_iter().find_map(some);
        Self { update, ..self }
    }

    /// Returns the case of a matrix of `extents` elements of 16 bytes that moves from blocks of columns to blocks of
    /// rows.
    pub fn columns_to_rows(ranks: u32, extents: [u64; 2], blocks: [u64; 2]) -> Self {
        Self::dealt([[1, ranks], [ranks, 1]], extents, blocks)
    }

    /// Returns the case of a matrix in blocks of `blocks` elements that moves from one grid to another. Both grids
    /// begin at rank 0.
    pub fn dealt(grids: [[u32; 2]; 2], extents: [u64; 2], blocks: [u64; 2]) -> Self {
        let array = |procs: [u32; 2]| {
            let axis = |k: usize| Axis::new(Cyclic::new(blocks[k], procs[k], 0).unwrap(), 0);
            let (axes, grid) = (vec![axis(0), axis(1)], Grid::row_major(&procs));
            Array { axes, extents: extents.to_vec(), grid, order: vec![0, 1], slack: 0 }
        };
        let ranks = grids.map(|[rows, cols]| rows * cols).into_iter().max().unwrap_or(0);
        let [from, to] = grids.map(array);
        let dim = |d: usize| Overlap { from: from.axes[d].clone(), to: to.axes[d].clone(), len: extents[d] };
        let problem = Problem::whole(vec![dim(0), dim(1)], from.grid.clone(), to.grid.clone());
        Self { problem, from, to, section: extents.to_vec(), ranks, element: 16, update: None }
    }

    pub fn indices(&self) -> Vec<Vec<u64>> {
        let mut all = vec![Vec::new()];
        for &len in &self.section {
            let longer = |at: Vec<u64>| (0..len).map(move |i| [&at[..], &[i]].concat());
            all = all.into_iter().flat_map(longer).collect();
        }
        all
    }

    pub fn moves(&self, index: &[u64]) -> bool {
        let at = |d: usize| index[d] as i64;
        match self.problem.part {
            Part::Whole => true,
            Part::Upper { shift } => at(0) < at(1) + shift,
            Part::Lower { shift } => at(0) >= at(1) + shift,
        }
    }

    /// Returns the number of copies of each element after the redistribution.
    pub fn copies(&self) -> u64 {
        self.to.grid.extents()[self.section.len()..].iter().map(|&e| u64::from(e)).product()
    }

    pub fn place(&self, rank: u32) -> Place {
        Place::of(&self.problem, Rank(rank), self.ranks)
    }

    /// Returns each rank's phases by the given scheduler; `None` if it cannot run the case.
    pub fn all_phases(&self, machine: &Machine, scheduler: Option<&str>) -> Option<Vec<Phases>> {
        let phases = |rank| {
            Phases::new(&self.problem, &self.place(rank), self.element as u64, machine, scheduler).ok()
        };
        (0..self.ranks).map(phases).collect()
    }

    /// Returns random arrays of all ranks: the source, the destination before, and the expected destination.
    pub fn arrays(&self, rng: &mut fastrand::Rng) -> [Vec<Vec<u8>>; 3] {
        let mut memory = |array: &Array| -> Vec<Vec<u8>> {
            (0..self.ranks).map(|rank| array.memory(Rank(rank), self.element, rng)).collect()
        };
        let (mut a, mut before) = (memory(&self.from), memory(&self.to));
        if self.update.is_some() {
            // Without infinities and NaNs, whose bits are not specified.
            let finite =
                |memory: &mut Vec<u8>| memory.iter_mut().skip(3).step_by(4).for_each(|byte| *byte &= 0xBF);
            a.iter_mut().chain(&mut before).for_each(finite);
        }
        let mut after = before.clone();
        for index in self.indices() {
            let from = self.from.at(&index, self.element);
            let (first, x) = from[0];
            let value = a[first.0 as usize][x..x + self.element].to_vec();
            for (copy, x) in &from {
                a[copy.0 as usize][*x..x + self.element].copy_from_slice(&value);
            }
            for (q, y) in self.to.at(&index, self.element).into_iter().filter(|_| self.moves(&index)) {
                let to = &mut after[q.0 as usize][y..y + self.element];
                match &self.update {
                    None => to.copy_from_slice(&value),
                    Some(update) => update.naive(&value, to),
                }
            }
        }
        [a, before, after]
    }
}

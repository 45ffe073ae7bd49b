//! Calls of p?lacpy whose elements all stay on their processes, as ScaLAPACK's p?lacpy expects. Each process copies its
//! own elements without messages, and a program may make the call on some processes only.

use super::{Call, CallArguments, CallTerms, Matrix, entry};
use crate::layout::distribution::Rank;
use crate::layout::problem::Part;
use crate::mpi::blacs::{Int, wide};
use crate::plan::Place;
use crate::plan::rank_plan::RankPlan;
use crate::system::machine::Proximity;
use crate::system::settings::Settings;
use crate::transport::error::{ArgumentError, Error};

impl Call {
    /// Returns the checked call if no element leaves its process, otherwise `None`.
    pub fn local_call(arguments: &CallArguments) -> Result<Option<Self>, Error> {
        Ok(Self::from_arguments(arguments)?.filter(Self::is_local))
    }

    /// Checks a call with a negative M or N, for which ScaLAPACK copies nothing. Other processes may pass other
    /// numbers. Fails if their calls could need messages, because they would wait for this process.
    pub fn check_negative_extent(arguments: &CallArguments, counts: [Int; 2]) -> Result<(), Error> {
        let Some([a, b]) = Self::matrices_from_arguments(arguments)? else { return Ok(()) };
        let stays = |d: usize| match u64::try_from(counts[d]) {
            Ok(extent) => stays(&a, &b, d, extent),
            // Other processes may pass any extent.
            Err(_) => stays(&a, &b, d, u64::MAX),
        };
        if stays(0) && stays(1) {
            return Ok(());
        }
        let k = usize::from(counts[0] >= 0);
        Err(Error::Argument(ArgumentError {
            name: ["M", "N"][k].into(),
            value: wide(counts[k]),
            expected: "a number of at least 0, because A and B are not equally aligned".into(),
            place: None,
        }))
    }

    /// Returns this process's plan for a call without messages.
    pub fn local_plan(&self, settings: &Settings) -> Result<RankPlan, Error> {
        let both = self.a.as_ref().zip(self.b.as_ref());
        let (a, b) = both.expect("all processes are in both grids");
        let [rows, cols] = [0, 1].map(|d| a.grid.extents()[d]);
        let (rank, ranks) = (a.at[0] * cols + a.at[1], rows * cols);
        let terms = CallTerms::of(self, rank, ranks, settings.digest());
        let problem = terms.problem(self.part, false, a.grid.clone(), b.grid.clone());
        let me = Place { rank: Rank(rank), from: Some(a.place(false)), to: Some(b.place(false)), ranks };
        let planned = RankPlan::new(problem, me, self.routine.element, settings, Proximity::OneNode);
        planned.map_err(|refusal| Error::Host(refusal.to_string()))
    }

    /// Returns whether A and B have equal grids, and no element leaves its process.
    pub fn is_local(&self) -> bool {
        let (Some(a), Some(b)) = (&self.a, &self.b) else { return false };
        a.grid == b.grid && (0..2).all(|d| stays(a, b, d, self.extent[d]))
    }

    /// Returns the rectangles of A's and B's local arrays between which this process copies; `None` unless the whole
    /// section moves. The call must be local.
    pub fn local_rectangles(&self) -> Option<[Rectangle; 2]> {
        let rectangle = |matrix: &Option<Matrix>| {
            let matrix = matrix.as_ref()?;
            let ([rows, columns], ld) = (matrix.local_section(self.extent), entry(matrix.descriptor.ld));
            let start = columns.start * ld + rows.start;
            Some(Rectangle { start, rows: rows.end - rows.start, columns: columns.end - columns.start, ld })
        };
        let is_whole = self.part == Part::Whole;
        is_whole.then(|| Some([rectangle(&self.a)?, rectangle(&self.b)?])).flatten()
    }

    /// Returns the copies of this process: positions in the local arrays of A and B, and length, in elements. The call
    /// must be local.
    pub fn copies(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let [a, b] = [&self.a, &self.b].map(|m| m.as_ref().expect("all processes are in both grids"));
        let [from, to] = [a, b].map(|matrix| matrix.local_ranges(self.extent, self.part));
        from.zip(to).map(|(from, to)| (from.start, to.start, from.end - from.start))
    }
}

/// A section's rectangle in a local array, in elements.
pub struct Rectangle {
    /// Position of the first element.
    pub start: u64,
    pub rows: u64,
    pub columns: u64,
    /// Distance between columns.
    pub ld: u64,
}

/// Returns whether A and B have the section's first `extent` indices along dimension `d` on the same processes.
fn stays(a: &Matrix, b: &Matrix, d: usize, extent: u64) -> bool {
    let (from, to) = (SectionAxis::of(a, d), SectionAxis::of(b, d));
    let alike = (from.block, from.offset) == (to.block, to.offset);
    let in_one_block = [&from, &to].iter().all(|side| extent <= side.block.saturating_sub(side.offset));
    a.grid.extents()[d] == 1 || (from.owner == to.owner && (alike || in_one_block))
}

/// Distribution of a section along one dimension.
struct SectionAxis {
    block: u64,
    /// Position of the section's first index in its block.
    offset: u64,
    /// Process of the section's first index.
    owner: u32,
}

impl SectionAxis {
    fn of(matrix: &Matrix, d: usize) -> Self {
        let (block, start) = (entry(matrix.descriptor.block[d]), entry(matrix.start[d]) - 1);
        Self { block, offset: start % block, owner: matrix.axis(d).owner(start) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Descriptor, Family, Routine};
    use super::*;
    use crate::layout::distribution::Grid;

    #[test]
    fn each_process_copies_the_elements_that_it_has_on_both_sides() {
        let seed = 4;
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut alone, mut together) = (0, 0);
        for case in 0..3000 {
            let grid = [random.u32(1..4), random.u32(1..3)];
            let extent = [random.u64(1..12), random.u64(1..12)];
            let blocks = [[random.i64(1..6), random.i64(1..6)], [random.i64(1..6), random.i64(1..6)]];
            let starts = [[random.i64(1..9), random.i64(1..9)], [random.i64(1..9), random.i64(1..9)]];
            let firsts = [0, 1].map(|_| grid.map(|procs| i64::from(random.u32(0..procs))));
            let like = random.bool();
            let matrix = |k: usize, at: [u32; 2]| {
                let (block, start, first) =
                    if like { (blocks[0], starts[0], firsts[0]) } else { (blocks[k], starts[k], firsts[k]) };
                let descriptor = Descriptor::new([30, 30], block, first, 40 + k as i64);
                Matrix { grid: Grid::row_major(&grid), at, descriptor, start }
            };
            let part = [Part::Whole, Part::Upper { shift: 1 }, Part::Lower { shift: 0 }][random.usize(0..3)];
            let routine = Routine { letter: 'd', family: Family::Lacpy, element: 8 };
            let call = |at| {
                let (a, b) = (Some(matrix(0, at)), Some(matrix(1, at)));
                Call { routine, extent, part, transposed: false, update: None, a, b }
            };
            let (a, b) = (matrix(0, [0, 0]), matrix(1, [0, 0]));
            let owner = |m: &Matrix, d: usize, i: u64| m.axis(d).owner(m.start[d] as u64 - 1 + i);
            let stays = (0..2).all(|d| (0..extent[d]).all(|i| owner(&a, d, i) == owner(&b, d, i)));
            let found = call([0, 0]).is_local();
            assert!(stays || !found, "seed {seed}, case {case}");
            assert!(found || !like, "seed {seed}, case {case}");
            *if found { &mut alone } else { &mut together } += 1;
            if !found {
                continue;
            }
            for at in (0..grid[0]).flat_map(|row| (0..grid[1]).map(move |col| [row, col])) {
                let call = call(at);
                let [a, b] = [&call.a, &call.b].map(|m| m.clone().unwrap());
                let global = |m: &Matrix, place: u64, ld: u64| {
                    let [row, col] = m.global_index([place % ld, place / ld]);
                    [row - m.start[0] as u64, col - m.start[1] as u64]
                };
                for (from, to, len) in call.copies() {
                    for k in 0..len {
                        assert_eq!(
                            global(&a, from + k, 40),
                            global(&b, to + k, 41),
                            "seed {seed}, case {case}"
                        );
                    }
                }
                if let Some([from, to]) = call.local_rectangles() {
                    let columns = (0..from.columns).filter(|_| from.rows > 0);
                    let by_column: Vec<_> = columns
                        .map(|k| (from.start + k * from.ld, to.start + k * to.ld, from.rows))
                        .collect();
                    assert_eq!(by_column, call.copies().collect::<Vec<_>>(), "seed {seed}, case {case}");
                }
                let copied: u64 = call.copies().map(|(_, _, len)| len).sum();
                assert_eq!(
                    copied,
                    b.local_ranges(extent, part).map(|range| range.end - range.start).sum::<u64>()
                );
            }
        }
        assert!(alone > 1000 && together > 500, "{alone} alone, {together} not");
    }
}

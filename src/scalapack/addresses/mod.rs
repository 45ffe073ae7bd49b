//! Checks of the local arrays' addresses. An array with elements to move needs an address. Within a context, if A and
//! the matrix that is written share memory, no element may be both read and written, unless each stays in its place.

use super::{Call, Descriptor, Family, Matrix};
use crate::exec::travel::Load;
use crate::layout::problem::Part;
use crate::pack::{Destination, Footprint, Source, Update};
use crate::plan::aliasing::{AccessedElements, moves_nothing};
use crate::transport::error::{ArgumentError, Error};
use std::ops::Range;

/// Checks the local arrays of a call.
pub(super) fn check_addresses(call: &Call, load: &Load) -> Result<(), Error> {
    let (reads, writes) = load.plan.accesses();
    let reads = reads && !load.reads_no_source();
    let target = call.routine.family.target();
    let null = [
        (reads && load.source.as_ref().is_some_and(|source| !source.has_memory()), "A"),
        (writes && load.destination.as_ref().is_some_and(|to| !to.has_memory()), target),
    ];
    if let Some((_, name)) = null.into_iter().find(|&(null, _)| null) {
        let expected = "the address of a local array, because this process has a part of the section".into();
        return Err(Error::Argument(ArgumentError { name: name.into(), value: 0, expected, place: None }));
    }
    let both = load.source.as_ref().zip(load.destination.as_ref());
    let checked = !call.routine.family.is_between_contexts();
    match both.filter(|_| reads && writes && checked) {
        Some((source, destination)) if !call.allows_aliasing(load, source, destination) => {
            Err(Error::Host(format!(
                "A and {target} share memory, expected equal sections, or sections without an element that is both read and written"
            )))
        }
        _ => Ok(()),
    }
}

impl Call {
    /// Returns whether the call may read `source` while it writes `destination`.
    fn allows_aliasing(&self, load: &Load, source: &Source, destination: &Destination) -> bool {
        let [a, b] = [source.footprint(), destination.footprint()];
        if a.is_disjoint_from(&b) {
            return true;
        }
        // p?tradd multiplies C by BETA before it reads A.
        let whole =
            self.routine.family != Family::Tradd || self.update.as_ref().is_none_or(Update::keeps_target);
        if moves_nothing(&load.plan, a, b) && whole {
            return true;
        }
        if let Some(matrices) = self.as_one_matrix(&a, &b) {
            return !self.sections_overlap(matrices);
        }
        !AccessedElements::read(&load.plan, a).may_share_bytes(&AccessedElements::written(&load.plan, b))
    }

    /// Returns whether each process may copy its part column by column. Conservative, since there is no plan yet.
    pub fn may_copy_by_columns(&self, [a, b]: [Footprint; 2]) -> bool {
        let have_memory = a.address != 0 && b.address != 0;
        let one = |[a, b]: [&Matrix; 2]| a.start == b.start || !self.sections_overlap([a, b]);
        have_memory && (a.is_disjoint_from(&b) || self.as_one_matrix(&a, &b).is_some_and(one))
    }

    /// Returns A and B if their local arrays, with footprints `a` and `b`, are those of one matrix.
    fn as_one_matrix(&self, a: &Footprint, b: &Footprint) -> Option<[&Matrix; 2]> {
        let [of_a, of_b] = [self.a.as_ref()?, self.b.as_ref()?];
        (a.address == b.address && of_a.is_stored_like(of_b)).then_some([of_a, of_b])
    }

    /// Returns whether an element is both read and written, if A and B are one matrix.
    fn sections_overlap(&self, [a, b]: [&Matrix; 2]) -> bool {
        let [m, n] = self.extent.map(i128::from);
        let start = |matrix: &Matrix| matrix.start.map(i128::from);
        let ([ia, ja], [ib, jb]) = (start(a), start(b));
        // Written and read elements: ranges of rows, columns, and differences of row and column.
        let all = -n + 1..m;
        let moved = match self.part {
            Part::Whole => all,
            Part::Upper { shift } => all.start..all.end.min(i128::from(shift)),
            Part::Lower { shift } => all.start.max(i128::from(shift))..all.end,
        };
        let written = [ib..ib + m, jb..jb + n, moved.start + ib - jb..moved.end + ib - jb];
        let read = match self.transposed {
            false => [ia..ia + m, ja..ja + n, moved.start + ia - ja..moved.end + ia - ja],
            true => [ia..ia + n, ja..ja + m, ia - ja - moved.end + 1..ia - ja - moved.start + 1],
        };
        let [rows, cols, moved] = [0, 1, 2].map(|k| common(&written[k], &read[k]));
        if rows.is_empty() || cols.is_empty() {
            return false;
        }
        // In a rectangle, every difference of row and column between those of two corners occurs.
        !common(&moved, &(rows.start - cols.end + 1..rows.end - cols.start)).is_empty()
    }
}

impl Matrix {
    /// Returns whether matrices whose local arrays begin at the same addresses are the same matrix.
    fn is_stored_like(&self, other: &Self) -> bool {
        let Descriptor { first_block, block, first, ld, .. } = self.descriptor;
        let d = &other.descriptor;
        self.grid == other.grid && (first_block, block, first, ld) == (d.first_block, d.block, d.first, d.ld)
    }
}

fn common(a: &Range<i128>, b: &Range<i128>) -> Range<i128> {
    a.start.max(b.start)..a.end.min(b.end)
}

#[cfg(test)]
mod tests;

//! Ascending sets of indices, such as those that two processes share along one dimension. A set is one family, periodic,
//! or a list.
//!
//! *Positions* 0, 1, 2, … number the indices of a set in ascending order. Messages carry elements in the order of
//! positions, even if the sender stores the set as periodic and the receiver as a list.

use super::builder::{Builder, Stored};
use super::families::rank;
use super::family::Family;
use super::list::{ListSlice, RunList};
use super::periodic::{Periodic, map_family};
use std::ops::Range;
use std::sync::Arc;

/// A set of indices in `D` coordinate systems.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Runs<const D: usize>(Form<D>);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Form<const D: usize> {
    /// One family, without memory of its own: a rank may have a set for each of 100,000 partners.
    Family(Family<D>),
    /// No family, several families, or families that repeat.
    Periodic(Box<Periodic<D>>),
    Listed(Arc<RunList<D>>),
}

/// Part of [`Runs`]: families, or a part of a list. Its memory is reused from call to call.
#[derive(Clone, Default, Debug)]
pub struct Slice<const D: usize> {
    /// Empty if `listed` is set.
    families: Vec<Family<D>>,
    listed: Option<ListSlice<D>>,
}

impl<const D: usize> Slice<D> {
    /// Writes the indices in coordinate system `d` to `other`, as families. Reuses the memory of `other`.
    pub fn alone(&self, d: usize, other: &mut Slice<1>) {
        other.clear();
        other.families.extend(self.each().map(|family| Family {
            start: [family.start[d]],
            stride: [family.stride[d]],
            len: family.len,
            count: family.count,
        }));
    }

    /// Empties the slice and keeps its memory.
    pub fn clear(&mut self) {
        self.families.clear();
        self.listed = None;
    }

    /// Returns the part of the list, if the set is a list.
    pub fn listed(&self) -> Option<&ListSlice<D>> {
        self.listed.as_ref()
    }

    /// Returns the families; empty if the slice is part of a list.
    pub fn families(&self) -> &[Family<D>] {
        &self.families
    }

    /// Returns all families in order; for a list, its runs.
    pub fn each(&self) -> impl Iterator<Item = Family<D>> + '_ {
        self.families.iter().copied().chain(self.listed.iter().flat_map(ListSlice::each))
    }

    /// Returns the number of indices in the slice.
    pub fn total(&self) -> u64 {
        let listed = self.listed.as_ref().map_or(0, ListSlice::total);
        self.families.iter().map(Family::total).fold(listed, u64::saturating_add)
    }

    /// Returns the number of runs in the slice.
    pub fn runs(&self) -> u64 {
        let listed = self.listed.as_ref().map_or(0, ListSlice::runs);
        self.families.iter().map(|f| f.count).sum::<u64>() + listed
    }

    /// Returns the smallest index in coordinate system `d`; `u64::MAX` if the slice is empty.
    pub fn start(&self, d: usize) -> u64 {
        let listed = self.listed.as_ref().and_then(|listed| listed.each().next());
        self.families.iter().chain(&listed).map(|family| family.start[d]).min().unwrap_or(u64::MAX)
    }

    /// Returns one past the largest index, in coordinate system `d`.
    pub fn end(&self, d: usize) -> u64 {
        let listed = self.listed.as_ref().map_or(0, |listed| listed.end(d));
        self.families.iter().map(|f| f.end(d)).fold(listed, u64::max)
    }

    /// Returns the family, if there is exactly one.
    #[inline]
    pub fn single(&self) -> Option<Family<D>> {
        match (&self.families[..], &self.listed) {
            ([family], None) => Some(*family),
            ([], Some(listed)) if listed.runs() == 1 => listed.each().next(),
            _ => None,
        }
    }

    /// Returns true if the slice has no index.
    pub fn is_empty(&self) -> bool {
        self.families.is_empty() && self.listed.as_ref().is_none_or(|listed| listed.total() == 0)
    }
}

impl<const D: usize> From<Vec<Family<D>>> for Slice<D> {
    fn from(families: Vec<Family<D>>) -> Self {
        Self { families, listed: None }
    }
}

impl Runs<1> {
    pub(super) fn periodic(pattern: Vec<Family<1>>, period: Option<u64>, len: u64) -> Self {
        Self::from_periodic(Periodic::repeated(pattern, period, len))
    }

    pub(super) fn periodic_in(span: Range<u64>, pattern: Vec<Family<1>>, period: Option<u64>) -> Self {
        Self::from_periodic(Periodic::repeated_in(span, pattern, period))
    }

    /// Returns the number of indices that are smaller than `bound`.
    pub fn rank(&self, bound: u64) -> u64 {
        match &self.0 {
            Form::Family(family) => rank(family, bound),
            Form::Periodic(runs) => runs.rank(bound),
            Form::Listed(list) => list.rank(bound),
        }
    }

    /// Returns the smallest index; `None` for an empty set.
    pub fn first(&self) -> Option<u64> {
        match &self.0 {
            Form::Family(family) => Some(family.start[0]),
            Form::Periodic(runs) => runs.first(),
            Form::Listed(list) => (list.count() > 0).then(|| list.run(0).start[0]),
        }
    }

    /// Returns one past the largest index; 0 for an empty set.
    pub fn end(&self) -> u64 {
        match &self.0 {
            Form::Family(family) => family.end(0),
            Form::Periodic(runs) => runs.end(),
            Form::Listed(list) => list.end(0),
        }
    }

    /// Translates all indices to other coordinates. `to` must keep neighbours within a run adjacent, and runs of a
    /// family and periods at equal distances. The map from section to local indices does so if
    /// `Axis::preserves_spacing` returns true.
    pub(crate) fn map<const D: usize>(&self, to: impl Fn(u64) -> [u64; D]) -> Runs<D> {
        match &self.0 {
            Form::Family(family) => Runs::of_family(map_family(family, to)),
            Form::Periodic(runs) => Runs::from_periodic(runs.map(to)),
            Form::Listed(_) => {
                self.map_runs(&to, |run, out| out.push(Family::run(to(run.start[0]), run.len)))
            }
        }
    }

    /// Like [`Runs::map`], for a `to` that may change distances within a period. `cut` is called for each family in
    /// ascending order, and appends the image of that family to the builder.
    pub(crate) fn map_runs<const D: usize>(
        &self,
        to: impl Fn(u64) -> [u64; D],
        mut cut: impl FnMut(&Family<1>, &mut Builder<D>),
    ) -> Runs<D> {
        let mut built = Builder::new();
        match &self.0 {
            Form::Family(family) => cut(family, &mut built),
            Form::Periodic(runs) => match runs.unrepeated_families() {
                Some(families) => families.for_each(|f| cut(f, &mut built)),
                None => return Runs::from_periodic(runs.map_runs(to, cut)),
            },
            Form::Listed(list) => (0..list.count()).for_each(|k| cut(&list.run(k), &mut built)),
        }
        Runs::from_builder(built)
    }
}

impl<const D: usize> Runs<D> {
    /// Builds a set from runs, given by start and length. Panics if a run has no index, or if runs do not ascend or
    /// overlap in a coordinate.
    pub fn of_runs(runs: impl IntoIterator<Item = ([u64; D], u64)>) -> Self {
        let (mut built, mut end) = (Builder::new(), [0; D]);
        for (start, len) in runs {
            let ascends = (0..D).all(|d| start[d] >= end[d]);
            assert!(len > 0 && ascends, "runs that are empty or do not ascend");
            end = start.map(|at| at.checked_add(len).expect("indices below 2^64"));
            built.push(Family::run(start, len));
        }
        Self::from_builder(built)
    }

    /// Creates the set with the indices of `family`.
    pub(super) fn of_family(family: Family<D>) -> Self {
        Self(Form::Family(family.merge_touching()))
    }

    fn from_periodic(periodic: Periodic<D>) -> Self {
        Self(match periodic.single() {
            Some(family) => Form::Family(family),
            None => Form::Periodic(Box::new(periodic)),
        })
    }

    pub(super) fn from_list(list: Arc<RunList<D>>) -> Self {
        Self(Form::Listed(list))
    }

    pub(super) fn form(&self) -> &Form<D> {
        &self.0
    }

    pub(super) fn from_builder(builder: Builder<D>) -> Self {
        match builder.finish() {
            Stored::Families(families) => match families[..] {
                [family] => Self::of_family(family),
                _ => Self::from_periodic(Periodic::flat(families)),
            },
            Stored::List(list) => Self(Form::Listed(Arc::new(list))),
        }
    }

    /// Returns the number of indices, which is also the number of positions.
    pub fn total(&self) -> u64 {
        match &self.0 {
            Form::Family(family) => family.total(),
            Form::Periodic(runs) => runs.total(),
            Form::Listed(list) => list.total(),
        }
    }

    /// Returns the approximate size in memory in bytes, without constant parts. Repetitions take no memory.
    pub fn bytes(&self) -> usize {
        match &self.0 {
            Form::Listed(list) => list.bytes(),
            _ => self.stored() * (size_of::<Family<D>>() + size_of::<u64>()),
        }
    }

    /// Returns the number of families in memory, with each repeated family counted once; for a list, the number of
    /// runs.
    pub fn stored(&self) -> usize {
        match &self.0 {
            Form::Family(_) => 1,
            Form::Periodic(runs) => runs.stored(),
            Form::Listed(list) => list.count(),
        }
    }

    /// Returns the number of runs, counting each repetition; adjacent runs count separately.
    pub fn runs(&self) -> u64 {
        match &self.0 {
            Form::Family(family) => family.count,
            Form::Periodic(runs) => runs.runs(),
            Form::Listed(list) => list.count() as u64,
        }
    }

    /// Returns true if the set has no index.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// Sets `out` to the indices at `positions`. A periodic set gives at most three families for each repetition of
    /// each of its families.
    pub fn slice(&self, positions: Range<u64>, out: &mut Slice<D>) {
        out.clear();
        match &self.0 {
            Form::Family(family) => {
                let (from, to) = (positions.start, positions.end.min(family.total()));
                match to.saturating_sub(from) {
                    0 => (),
                    all if all == family.total() => out.families.push(*family),
                    _ => family.cut(from, to, &mut out.families),
                }
            }
            Form::Periodic(runs) => runs.slice(positions, &mut out.families),
            Form::Listed(list) => {
                let positions = positions.start.min(list.total())..positions.end.min(list.total());
                if positions.start < positions.end {
                    out.listed = Some(ListSlice::new(list, positions));
                }
            }
        }
    }

    /// Returns a slice with all indices of the set.
    pub fn whole(&self) -> Slice<D> {
        let mut out = Slice::default();
        self.slice(0..self.total(), &mut out);
        out
    }

    /// Returns all families in order, with repetitions written out.
    pub fn families(&self) -> Vec<Family<D>> {
        self.whole().each().collect()
    }

    /// Returns (family, distance of its repetitions, number of repetitions) for each family in memory.
    pub fn pattern(&self) -> Vec<(Family<D>, [u64; D], u64)> {
        let mut out = Vec::new();
        match &self.0 {
            Form::Family(family) => out.push((*family, [0; D], 1)),
            Form::Periodic(runs) => runs.pattern(&mut out),
            Form::Listed(list) => out.extend((0..list.count()).map(|k| (list.run(k), [0; D], 1))),
        }
        out
    }

    /// Returns one past the largest index in coordinate system `d`, which must ascend; 0 for an empty set.
    pub fn extent(&self, d: usize) -> u64 {
        match &self.0 {
            Form::Family(family) => family.end(d),
            Form::Periodic(runs) => runs.extent(d),
            Form::Listed(list) => list.end(d),
        }
    }
}

#[cfg(any(test, feature = "samples"))]
impl<const D: usize> Runs<D> {
    /// Stores families as a list even if that takes more bytes: in pieces of one length if `equal`, otherwise as runs.
    pub fn listed(families: &[Family<D>], wide: bool, equal: bool) -> Self {
        let mut builder = Builder::new();
        families.iter().for_each(|&family| builder.push(family));
        builder.convert_to_runs();
        builder.flush();
        let unit = families.iter().fold(0, |unit, f| num_integer::gcd(unit, f.len));
        Self(Form::Listed(Arc::new(builder.listed(!wide, (equal && unit > 0).then_some(unit)))))
    }
}

#[cfg(test)]
mod tests;

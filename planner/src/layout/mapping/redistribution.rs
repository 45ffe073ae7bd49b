//! Builds the problem of moving a section of one mapped array to a section of another.
//!
//! Both sections have equal extents, except that axes with a single index may be missing on one side. If the program
//! permutes axes, the extents must be equal in the permuted order. If the indices of the sections run in opposite
//! directions along an axis, the source's array is reversed: strides of its local arrays change sign. Messages have
//! their elements in ascending order of the target's indices. An element of any size consists of parts of 1, 2, 4, 8 or
//! 16 bytes; several parts form one more dimension.

use super::array_axes::{ArrayAxes, split_element};
use super::{Layout, Map, Mistake, Section, ensure};
use crate::layout::distribution::{Axis, Grid};
use crate::layout::intersect::Overlap;
use crate::layout::problem::Problem;
use crate::layout::strides::MAX_DIMS;

/// A redistribution between two mapped arrays.
#[derive(Clone, Debug)]
pub struct ArrayRedistribution {
    /// The problem, whose elements are parts of the arrays' elements.
    pub problem: Problem,
    /// Size of a part of an element in bytes.
    pub unit: usize,
    /// View of the source's local arrays.
    pub from: ArrayAxes,
    /// View of the destination's local arrays.
    pub to: ArrayAxes,
}

/// Pairing of the source section's axes with the target section's axes.
#[derive(Clone, Copy, Default, Debug)]
pub struct Correspondence<'a> {
    /// Axis k of the source goes to axis `axes[k]` of the target. `None`: axes are paired in order.
    pub axes: Option<&'a [usize]>,
    /// Axes of the target without a source axis: the source is repeated along them.
    pub spread: &'a [usize],
}

/// An array and the section of it that a redistribution reads or writes.
pub struct MappedSection<'a> {
    /// Map of the array. Its ranks are ranks of the communicator that encloses both arrays.
    pub map: &'a Map,
    /// Result of [`Layout::of`] for `map`.
    pub layout: &'a Layout,
    /// Section of the array, in its indices.
    pub section: &'a Section,
}

impl MappedSection<'_> {
    /// Returns the distribution of axis `k` in section indices. If `reversed`, section indices ascend while array
    /// indices descend.
    fn axis(&self, k: usize, reversed: bool) -> Axis {
        let (start, step) = self.triplet(k, reversed);
        match reversed {
            false => self.layout.axes()[k].section(start, step),
            true => self.layout.axes()[k].reversed(self.layout.extents()[k]).section(start, step),
        }
    }

    /// Returns the first index and the step of the section along axis `k`. Indices are counted from the array's first
    /// index, or if `reversed`, backwards from its last index.
    pub fn triplet(&self, k: usize, reversed: bool) -> (u64, u64) {
        let (range, axis) = (&self.section.ranges()[k], &self.map.axes()[k]);
        // An empty section may start anywhere.
        let start = range.ends().map_or(0, |[least, greatest]| match reversed {
            false => least.abs_diff(axis.lower),
            true => greatest.abs_diff(axis.upper),
        });
        (start, range.stride.unsigned_abs())
    }

    fn descends(&self, axis: Option<usize>) -> bool {
        axis.is_some_and(|k| self.section.ranges()[k].descends())
    }
}

impl ArrayRedistribution {
    /// Creates the redistribution between two sections of arrays whose elements have `element` bytes.
    pub fn new(
        from: &MappedSection<'_>,
        to: &MappedSection<'_>,
        correspondence: Correspondence<'_>,
        element: u64,
    ) -> Result<Self, Mistake> {
        ensure(element > 0, || "the element size is 0 bytes, expected at least 1".into())?;
        let (unit, parts) = split_element(element);
        let mut pairs = corresponding(from, to, correspondence)?;
        let is_transposed =
            order_pairs(&mut pairs, from, to) && parts == 1 && correspondence.spread.is_empty();
        // Dimension 0 is the parts of an element. A scalar has one dimension, too.
        if parts > 1 || pairs.is_empty() {
            pairs.insert(0, (None, None));
        }
        ensure(pairs.len() <= MAX_DIMS, || {
            format!("the sections have {} axes together, at most {MAX_DIMS} are supported", pairs.len())
        })?;
        let dim = |&(a, b): &Pair| {
            let len = match (a, b) {
                (Some(k), _) => from.section.ranges()[k].extent(),
                (None, Some(k)) => to.section.ranges()[k].extent(),
                (None, None) => parts,
            };
            let axis = |end: &MappedSection<'_>, k: Option<usize>, reversed: bool| {
                k.map_or_else(Axis::collapsed, |k| end.axis(k, reversed))
            };
            Overlap { from: axis(from, a, are_opposite(from, to, (a, b))), to: axis(to, b, false), len }
        };
        let dims: Vec<Overlap> = pairs.iter().map(dim).collect();
        let repeated = |&d: &usize| pairs[d].0.is_none() && pairs[d].1.is_some() && dims[d].len > 1;
        let spread = (0..pairs.len()).filter(repeated).collect();
        let reversed_axes: Vec<bool> = pairs.iter().map(|&pair| are_opposite(from, to, pair)).collect();
        let straight = vec![false; pairs.len()];
        let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let unit = usize::try_from(unit).expect("at most 16");
        let (from_grid, to_grid): (Grid, Grid) =
            (from.layout.grid(&a, &reversed_axes), to.layout.grid(&b, &straight));
        let array = |axes, reversed| ArrayAxes { axes, reversed, parts, unit };
        let boxes = [from, to].map(|end| end.map.boxes().is_some());
        let problem = Problem { is_transposed, boxes, spread, ..Problem::whole(dims, from_grid, to_grid) };
        Ok(Self { problem, unit, from: array(a, reversed_axes), to: array(b, straight) })
    }
}

/// An axis of the source and its axis of the destination.
pub type Pair = (Option<usize>, Option<usize>);

/// Returns true if the two sections' indices run in opposite directions along this pair of axes.
fn are_opposite(from: &MappedSection<'_>, to: &MappedSection<'_>, (a, b): Pair) -> bool {
    from.descends(a) != to.descends(b)
}

/// Sorts `pairs` into the order of elements in messages: the order of axes in the target's local arrays, so that
/// senders transpose while they pack. If another axis varies fastest in the source's local arrays, puts that axis
/// second and returns true.
fn order_pairs(pairs: &mut [Pair], from: &MappedSection<'_>, to: &MappedSection<'_>) -> bool {
    let place = |map: &Map, axis: Option<usize>| map.order().iter().position(|&k| Some(k) == axis);
    let in_source = |pair: &Pair| place(from.map, pair.0).unwrap_or(usize::MAX);
    let in_target = |pair: &Pair| place(to.map, pair.1).unwrap_or(usize::MAX);
    let several = |&&(a, _): &&Pair| a.is_some_and(|k| from.section.ranges()[k].extent() > 1);
    let read = pairs.iter().filter(several).min_by_key(|pair| in_source(pair)).copied();
    let written = pairs.iter().filter(several).min_by_key(|pair| in_target(pair)).copied();
    let is_transposed = read != written;
    let behind =
        |pair: &Pair| [written, read].iter().position(|of| is_transposed && of.as_ref() == Some(pair));
    pairs.sort_by_key(|pair| (behind(pair).unwrap_or(2), in_target(pair)));
    is_transposed
}

/// Pairs the axes of both sections. A target axis along which the source is repeated gets no source axis.
pub fn corresponding(
    from: &MappedSection<'_>,
    to: &MappedSection<'_>,
    correspondence: Correspondence<'_>,
) -> Result<Vec<Pair>, Mistake> {
    let (a, b) = (from.section.extents(), to.section.extents());
    let Correspondence { axes, spread } = correspondence;
    for (n, &axis) in spread.iter().enumerate() {
        ensure(axis < b.len(), || {
            format!(
                "the source is spread along axis {axis} of the target, which has {}",
                super::axes(b.len())
            )
        })?;
        ensure(!spread[..n].contains(&axis), || {
            format!("the source is spread along axis {axis} of the target twice")
        })?;
    }
    let others: Vec<usize> = (0..b.len()).filter(|k| !spread.contains(k)).collect();
    let mut pairs = match axes {
        None => pair_in_order(&a, &b, &others)?,
        Some(axes) => pair_permuted(&a, &b, &others, axes)?,
    };
    pairs.extend(spread.iter().map(|&k| (None, Some(k))));
    Ok(pairs)
}

/// Pairs the source's axes with the target's axes `others` in order, if their extents are equal. Otherwise pairs only
/// the axes whose extent is not 1, in order; an axis with extent 1 gets no partner.
fn pair_in_order(a: &[u64], b: &[u64], others: &[usize]) -> Result<Vec<Pair>, Mistake> {
    let goals: Vec<u64> = others.iter().map(|&k| b[k]).collect();
    if a == goals {
        return Ok(others.iter().enumerate().map(|(k, &axis)| (Some(k), Some(axis))).collect());
    }
    let several = |extents: &[u64]| (0..extents.len()).filter(|&k| extents[k] != 1).collect::<Vec<_>>();
    let (long_a, long_b) = (several(a), several(&goals));
    let same = long_a.iter().map(|&k| a[k]).eq(long_b.iter().map(|&k| goals[k]));
    ensure(same, || {
        let without = if others.len() == b.len() { "" } else { ", without axes that it is spread along," };
        format!(
            "the source's section is {}, the target's{without} {}, expected the same extents",
            extents(a),
            extents(&goals)
        )
    })?;
    let mut pairs: Vec<_> =
        long_a.into_iter().map(Some).zip(long_b.iter().map(|&k| Some(others[k]))).collect();
    pairs.extend((0..a.len()).filter(|&k| a[k] == 1).map(|k| (Some(k), None)));
    pairs.extend((0..goals.len()).filter(|&k| goals[k] == 1).map(|k| (None, Some(others[k]))));
    Ok(pairs)
}

/// Pairs axis k of the source with axis `axes[k]` of the target.
fn pair_permuted(a: &[u64], b: &[u64], others: &[usize], axes: &[usize]) -> Result<Vec<Pair>, Mistake> {
    ensure(axes.len() == a.len() && axes.len() == others.len(), || {
        format!(
            "the option axes has {} entries, but the source has {} axes and the target {}, expected equal numbers",
            axes.len(),
            a.len(),
            others.len()
        )
    })?;
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    ensure(sorted == others, || match others.len() == b.len() {
        true => format!("the option axes is {axes:?}, expected a permutation of the axes from 0"),
        false => format!("the option axes is {axes:?}, expected each of {others:?} once"),
    })?;
    let goals: Vec<u64> = axes.iter().map(|&axis| b[axis]).collect();
    ensure(a == goals, || {
        format!(
            "the source's section is {}, but these axes of the target's section are {}, expected the same extents",
            extents(a),
            extents(&goals)
        )
    })?;
    Ok(axes.iter().enumerate().map(|(k, &axis)| (Some(k), Some(axis))).collect())
}

fn extents(of: &[u64]) -> String {
    let texts: Vec<String> = of.iter().map(u64::to_string).collect();
    format!("{} elements", texts.join("x"))
}

//! Decides whether the elements that redistributions read or write share memory.
//!
//! Address ranges of two arrays may overlap although their sections share no element. So index sets, strides and
//! extents decide. "No shared byte" is certain; the other answer may be wrong.

use super::interleaved::any_alias;
use crate::layout::distribution::Axis;
use crate::layout::intersect::{Family, Runs};
use crate::layout::mapping::{Map, Range, Section};
use crate::layout::shared_bytes::{StridedElements, may_share_bytes};
use crate::layout::strides::{ArrayDim, Shape, distinct};
use crate::pack::Footprint;
use crate::plan::SelfCopy;
use crate::plan::rank_plan::RankPlan;
use num_integer::gcd;

/// Maximum number of boxes of a section; more are replaced by one box that encloses them.
const MAX_BOXES: usize = 64;

/// The elements of a local array that a rank reads or writes in a redistribution.
pub struct AccessedElements<'a> {
    planned: &'a RankPlan,
    writes: bool,
    array: Footprint<'a>,
}

/// Indices of one dimension: `first`, repeated `count` times at a distance on each of three levels (distance, count).
#[derive(Clone, Copy)]
struct Lattice {
    first: u64,
    levels: [(u64, u64); 3],
}

/// The `len` indices `first`, `first + step`, … of a dimension of a distributed array.
struct Triplet {
    first: u64,
    step: u64,
    len: u64,
}

impl<'a> AccessedElements<'a> {
    /// Selects the elements that a rank reads from `array`.
    pub fn read(planned: &'a RankPlan, array: Footprint<'a>) -> Self {
        Self { planned, writes: false, array }
    }

    /// Selects the elements that a rank writes to `array`.
    pub fn written(planned: &'a RankPlan, array: Footprint<'a>) -> Self {
        Self { planned, writes: true, array }
    }

    /// Returns whether the two sets of elements may share a byte; false is certain.
    pub fn may_share_bytes(&self, other: &Self) -> bool {
        let products = !self.planned.problem.in_boxes() && !other.planned.problem.in_boxes();
        if products && self.array.address == other.array.address && self.is_apart_in_one_array(other) {
            return false;
        }
        any_alias(&self.boxes(), &other.boxes())
    }

    /// Returns whether both are disjoint sections of one array in boxes. `ends` has the map and the section of each.
    pub fn is_apart_in_boxes(&self, other: &Self, ends: [(&Map, &Section); 2]) -> bool {
        let [(map, mine), (other_map, theirs)] = ends;
        let one_array = map.boxes().is_some() && map == other_map && self.array == other.array;
        let ranges = || mine.ranges().iter().zip(theirs.ranges());
        one_array
            && ranges().any(|(a, b)| {
                !Triplet::from_range(a).zip(Triplet::from_range(b)).is_some_and(|(a, b)| a.intersects(&b))
            })
    }

    /// Returns whether both are sections of one distributed array, without a common index on any rank.
    fn is_apart_in_one_array(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.dims_by_stride(), other.dims_by_stride());
        let dims = || mine.iter().map(|&d| self.array.shape.dims()[d]);
        let place = |dim: ArrayDim| (dim.stride.unsigned_abs(), dim.extent);
        if self.array.shape.element() != other.array.shape.element()
            || !dims().eq(theirs.iter().map(|&d| other.array.shape.dims()[d]))
            || !distinct(self.array.shape.element() as u64, dims().map(place))
        {
            return false;
        }
        let pairs = || mine.iter().zip(&theirs).map(|(&d, &e)| (self.axis(d), other.axis(e)));
        pairs().all(|((a, at, _), (b, there, _))| at == there && a.is_dealt_like(b))
            && pairs()
                .any(|((a, _, n), (b, _, m))| !Triplet::from_axis(a, n).intersects(&Triplet::from_axis(b, m)))
    }

    fn dims_by_stride(&self) -> Vec<usize> {
        let dims = self.array.shape.dims();
        let mut all: Vec<usize> = (0..dims.len()).collect();
        all.sort_by_key(|&d| (dims[d].stride, dims[d].extent));
        all
    }

    fn axis(&self, d: usize) -> (&Axis, Option<u32>, u64) {
        let (dim, me) = (&self.planned.problem.dims[d], &self.planned.me);
        let (axis, place) = if self.writes { (&dim.to, &me.to) } else { (&dim.from, &me.from) };
        (axis, place.as_ref().map(|place| place[d]), dim.len)
    }

    /// Returns boxes that cover all elements, and no others unless that takes more than [`MAX_BOXES`].
    fn boxes(&self) -> Vec<StridedElements> {
        if self.planned.problem.in_boxes() {
            return self.views();
        }
        let sets: Vec<Vec<Lattice>> = (0..self.array.shape.dims().len()).map(|d| self.lattices(d)).collect();
        let boxes = sets.iter().fold(1usize, |boxes, set| boxes.saturating_mul(set.len()));
        let whole = |set: &Vec<Lattice>| Lattice::enclosing(set).into_iter().collect();
        let sets = if boxes > MAX_BOXES { sets.iter().map(whole).collect() } else { sets };
        let all = StridedElements {
            first: self.array.address as i128,
            element: self.array.shape.element() as u64,
            dims: Vec::new(),
        };
        self.array.shape.dims().iter().zip(sets).fold(vec![all], |boxes, (dim, set)| {
            let with = |of: &StridedElements, lattice: &Lattice| lattice.along(dim.stride, of.clone());
            boxes.iter().flat_map(|of| set.iter().map(move |lattice| with(of, lattice))).collect()
        })
    }

    /// Returns the views of the storage that this side's messages refer to; the whole storage if the side is not in
    /// boxes, or for shadows.
    fn views(&self) -> Vec<StridedElements> {
        let strided = |first: u64, shape: &Shape| {
            let dims = shape.dims().to_vec();
            StridedElements {
                first: self.array.address as i128 + i128::from(first),
                element: shape.element() as u64,
                dims,
            }
        };
        if !self.planned.problem.boxes[usize::from(self.writes)] {
            return vec![strided(0, self.array.shape)];
        }
        let phase = if self.writes { self.planned.writing_phase() } else { self.planned.reading_phase() };
        let views = phase
            .map_or(&[][..], |phase| if self.writes { phase.receives.views() } else { phase.sends.views() });
        // Shadows have no views: they may be anywhere in their array.
        if views.is_empty() {
            return vec![strided(0, self.array.shape)];
        }
        views.iter().map(|view| strided(view.offset, &view.shape)).collect()
    }

    /// Returns the local indices of dimension `d`, as a single lattice if one describes them exactly.
    fn lattices(&self, d: usize) -> Vec<Lattice> {
        let phase = if self.writes { self.planned.writing_phase() } else { self.planned.reading_phase() };
        let Some(phase) = phase else { return Vec::new() };
        let side = if self.writes { &phase.receives } else { &phase.sends };
        let lattices: Vec<Lattice> = match (&phase.copy, side.messages.is_empty()) {
            (Some(kept), true) => {
                let (product, coordinate) = (kept.product(0), usize::from(self.writes));
                let share = product.dims().nth(d);
                share.into_iter().flat_map(|share| Lattice::from_runs(&share.local, coordinate)).collect()
            }
            // The shares with all partner coordinates include the indices of the self copy.
            _ => side.shares(d).iter().flat_map(|share| Lattice::from_runs(&share.local, 0)).collect(),
        };
        let total: u64 = lattices.iter().map(Lattice::total).sum();
        match Lattice::enclosing(&lattices) {
            Some(whole) if whole.total() == total => vec![whole],
            _ => lattices,
        }
    }
}

impl Lattice {
    fn from_runs<const D: usize>(runs: &Runs<D>, d: usize) -> impl Iterator<Item = Self> {
        let lattice = move |(family, period, times): (Family<D>, [u64; D], u64)| Self {
            first: family.first(d),
            levels: [(1, family.run_len()), (family.stride()[d], family.count()), (period[d], times)],
        };
        runs.pattern().into_iter().map(lattice)
    }

    fn steps(&self) -> impl Iterator<Item = (u64, u64)> {
        self.levels.into_iter().filter(|&(_, times)| times > 1)
    }

    fn total(&self) -> u64 {
        self.levels.iter().map(|&(_, times)| times).product()
    }

    fn last(&self) -> u64 {
        self.first + self.steps().map(|(step, times)| step * (times - 1)).sum::<u64>()
    }

    /// Returns the smallest lattice with one level that contains all of `lattices`.
    fn enclosing(lattices: &[Self]) -> Option<Self> {
        let first = lattices.iter().map(|lattice| lattice.first).min()?;
        let last = lattices.iter().map(Self::last).max()?;
        let steps =
            |lattice: &Self| lattice.steps().fold(lattice.first - first, |unit, (step, _)| gcd(unit, step));
        let step = lattices.iter().map(steps).fold(0, gcd).max(1);
        Some(Self { first, levels: [(step, (last - first) / step + 1), (0, 1), (0, 1)] })
    }

    /// Returns the box `of`, extended by a dimension with these indices and `stride` bytes between elements.
    fn along(&self, stride: i64, mut of: StridedElements) -> StridedElements {
        let wide = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        of.first += i128::from(self.first) * i128::from(stride);
        of.dims.extend(
            self.steps()
                .map(|(step, times)| ArrayDim { extent: times, stride: stride.saturating_mul(wide(step)) }),
        );
        of
    }
}

impl Triplet {
    /// Converts a range of an array in boxes, with indices from 0; `None` if the range is empty.
    fn from_range(range: &Range) -> Option<Self> {
        let first = u64::try_from(range.ends()?[0]).ok()?;
        Some(Self { first, step: range.stride.unsigned_abs(), len: range.extent() })
    }

    fn from_axis(axis: &Axis, len: u64) -> Self {
        Self { first: axis.start, step: axis.step(), len }
    }

    fn intersects(&self, other: &Self) -> bool {
        let box_ = |of: &Self| StridedElements {
            first: of.first.into(),
            element: 1,
            dims: vec![ArrayDim { extent: of.len, stride: i64::try_from(of.step).unwrap_or(i64::MAX) }],
        };
        may_share_bytes(&box_(self), &box_(other))
    }
}

/// Returns whether the redistribution moves nothing: it has no messages, and the self copy's elements are in place.
pub fn moves_nothing(planned: &RankPlan, from: Footprint, to: Footprint) -> bool {
    let dims = from.shape.dims().iter().zip(to.shape.dims());
    let same_strides = dims.clone().all(|(a, b)| a.stride == b.stride || (a.extent <= 1 && b.extent <= 1));
    let [phase] = &planned.phases.list[..] else { return false };
    let in_place = |local: &Runs<2>| local.families().iter().all(Family::is_in_place);
    from.address == to.address
        && planned.stages.is_none()
        && same_strides
        && phase.sends.messages.is_empty()
        && phase.receives.messages.is_empty()
        && phase.copy.iter().flat_map(SelfCopy::products).enumerate().all(|(k, product)| {
            let [from, to] = phase.kept_views(k);
            from == to && product.dims().all(|share| in_place(&share.local))
        })
}

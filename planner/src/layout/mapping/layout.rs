//! Layout of a mapped array, computed from its template and alignment: the distribution of each axis, with indices from
//! 0, and the part of the array that each rank has. Ranks may have copies of one part.

use super::{Align, Arrangement, Map, Rest, Template};
use crate::layout::distribution::{Axis, Global, Grid, View};

/// Distribution of a mapped array, with indices from 0 along each axis.
#[derive(Clone, Debug)]
pub struct Layout {
    axes: Vec<Axis>,
    extents: Vec<u64>,
    arrangement: Arrangement,
    /// For each axis of the array, the axis of the arrangement that it is distributed over; [`View::One`] if it is not
    /// distributed.
    views: Vec<View>,
    /// Axes of the arrangement along which each process has a copy of the array.
    copies: Vec<View>,
    /// By axis of the arrangement: the array's coordinate, if the axis is neither in `views` nor in `copies`.
    at: Vec<u32>,
}

impl Layout {
    /// Computes the layout of a map.
    pub fn of(map: &Map) -> Self {
        let template = map.template();
        let arrangement = template.arrangement().clone();
        let (axes, views) =
            map.axes().iter().map(|axis| place_axis(template, axis.lower, axis.extent(), axis.align)).unzip();
        // Axes of the arrangement without a template axis, or with a template axis that has `Rest::Replicated`, count
        // copies.
        let mut copies: Vec<bool> = vec![true; arrangement.shape().len()];
        let mut at = vec![0; arrangement.shape().len()];
        for (k, axis) in template.axes().iter().enumerate() {
            let Some(onto) = axis.onto else { continue };
            let rest = if map.aligned_with(k).is_some() { None } else { Some(map.rest()[k]) };
            copies[onto] = rest == Some(Rest::Replicated);
            if let Some(Rest::At(index)) = rest {
                at[onto] = template.dist(k).owner(Global(index.abs_diff(axis.lower)));
            }
        }
        let along = |(dim, _)| View::Along { dim, reversed: false };
        let several = |(dim, copies): &(usize, &bool)| **copies && arrangement.shape()[*dim] > 1;
        let copies = copies.iter().enumerate().filter(several).map(along).collect();
        let extents = map.axes().iter().map(super::map::MapAxis::extent).collect();
        Self { axes, extents, arrangement, views, copies, at }
    }

    /// Returns the distribution of each axis of the array.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns the number of indices along each axis.
    pub fn extents(&self) -> &[u64] {
        &self.extents
    }

    /// Returns the grid with a dimension for each given axis of the array, followed by dimensions that count copies.
    /// `None` stands for an axis with a single index. Axes flagged in `reversed` have their processes in reverse order.
    pub fn grid(&self, axes: &[Option<usize>], reversed: &[bool]) -> Grid {
        let view =
            |(axis, &turn): (&Option<usize>, &bool)| match axis.map_or(View::One, |axis| self.views[axis]) {
                View::Along { dim, reversed } => View::Along { dim, reversed: reversed != turn },
                View::One => View::One,
            };
        let views = axes.iter().zip(reversed).map(view);
        let views: Vec<View> = views.chain(self.copies.iter().copied()).collect();
        self.arrangement.grid().view(&views, &self.at)
    }

    /// Returns the grid of all axes of the array in order, followed by the dimensions that count copies.
    pub fn whole_grid(&self) -> Grid {
        self.grid(&(0..self.axes.len()).map(Some).collect::<Vec<_>>(), &vec![false; self.axes.len()])
    }

    /// Returns the coordinates of the part of the array on `rank`, one per axis; `None` if the rank has no part.
    pub fn part(&self, rank: u32) -> Option<Vec<u32>> {
        let mut at = self.whole_grid().find(crate::layout::distribution::Rank(rank))?;
        at.truncate(self.axes.len());
        Some(at)
    }

    /// Returns the layout with the ranks of another communicator. `rank` translates a rank; the result is `None` if the
    /// other communicator lacks one of the processes.
    pub fn translated(&self, rank: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        Some(Self { arrangement: self.arrangement.translated(rank)?, ..self.clone() })
    }
}

/// Returns the distribution of an array axis with `extent` indices from `lower` on, aligned by `align`, and the axis of
/// the arrangement that it is distributed over.
fn place_axis(template: &Template, lower: i64, extent: u64, align: Align) -> (Axis, View) {
    let collapsed = (Axis::collapsed(), View::One);
    let Align::With { axis: k, stride, offset } = align else { return collapsed };
    let axis = &template.axes()[k];
    let Some(dim) = axis.onto else { return collapsed };
    // An array without elements may lie outside the template.
    let first = i128::from(stride) * i128::from(lower) + i128::from(offset) - i128::from(axis.lower);
    let origin = if extent == 0 { 0 } else { u64::try_from(first).expect("both ends are in the template") };
    let dist = template.dist(k).clone();
    if stride > 0 {
        return (Axis::aligned(dist, origin, stride.unsigned_abs()), View::Along { dim, reversed: false });
    }
    let (dist, last) = dist.reversed(axis.extent());
    (
        Axis::aligned(dist, last.saturating_sub(origin), stride.unsigned_abs()),
        View::Along { dim, reversed: true },
    )
}

#[cfg(test)]
mod tests {
    use super::super::{Format, TemplateAxis};
    use super::*;
    use crate::layout::distribution::{GenBlock, Indirect};
    use std::sync::Arc;

    fn random_format(rng: &mut fastrand::Rng, extent: u64, procs: u32) -> Format {
        match rng.u8(0..5) {
            0 => Format::Block(None),
            1 => Format::Block(Some(extent.div_ceil(procs.into()) + rng.u64(1..3))),
            2 => Format::GenBlock(GenBlock::random(rng, procs, extent)),
            3 => Format::Indirect(Indirect::new(procs, (0..extent).map(|_| (rng.u32(0..procs), 1))).unwrap()),
            _ => Format::cyclic(rng.u64(1..6)),
        }
    }

    /// Oracle: returns the owner of a template index by HPF's definition.
    fn owner(axis: &TemplateAxis, procs: u32, index: i64) -> u32 {
        let (i, procs) = ((index - axis.lower) as u64, u64::from(procs));
        let owner = match &axis.format {
            Format::Collapsed => 0,
            Format::Block(block) => i / block.unwrap_or(axis.extent().div_ceil(procs)),
            Format::Cyclic { block, .. } => i / block % procs,
            Format::GenBlock(dist) => {
                let mut sum = 0;
                (0..dist.procs())
                    .position(|c| {
                        sum += dist.span(c).end - dist.span(c).start;
                        i < sum
                    })
                    .unwrap() as u64
            }
            Format::Indirect(dist) => dist.runs().find(|(_, run)| run.contains(&i)).unwrap().0.into(),
        };
        owner as u32
    }

    #[test]
    fn elements_are_on_the_ranks_that_hpf_says() {
        let mut rng = fastrand::Rng::with_seed(31);
        for _ in 0..1500 {
            let shape = [rng.u32(1..4), rng.u32(1..4), rng.u32(1..3)];
            let count = shape.iter().product::<u32>();
            let mut ranks: Vec<u32> = (0..count + 3).collect();
            rng.shuffle(&mut ranks);
            let arrangement = Arrangement::new(&shape, Some(&ranks[..count as usize]), count + 3).unwrap();
            let mut onto = [0, 1, 2];
            rng.shuffle(&mut onto);
            // Axes 0 and 1 of the template are distributed, axis 2 is not: axis `onto[2]` of the arrangement is free.
            let axes: Vec<TemplateAxis> = (0..3)
                .map(|k| {
                    let (lower, extent) = (rng.i64(-20..20), rng.u64(20..60));
                    let upper = lower + extent as i64 - 1;
                    if k == 2 {
                        return TemplateAxis::collapsed(lower, upper);
                    }
                    let format = random_format(&mut rng, extent, shape[onto[k]]);
                    TemplateAxis { lower, upper, format, onto: Some(onto[k]) }
                })
                .collect();
            let template = Arc::new(Template::new(arrangement.clone(), axes.clone()).unwrap());
            let stride: i64 = *rng.choice(&[1, 1, 2, 3, -1, -2]).unwrap();
            let k = rng.usize(0..3);
            let room = (axes[k].extent() as i64 - 1) / stride.abs();
            let (lower, len) = (rng.i64(-9..9), rng.i64(0..=room + 1));
            // Aligns the first element with an end of the template axis, moved inwards by a random number of indices.
            let slack = axes[k].extent() as i64 - 1 - (len - 1).max(0) * stride.abs();
            let inward = rng.i64(0..=slack);
            let first = if stride > 0 { axes[k].lower + inward } else { axes[k].upper - inward };
            let align = Align::With { axis: k, stride, offset: first - stride * lower };
            let rest: Vec<Rest> =
                axes.iter()
                    .map(|axis| {
                        if rng.bool() { Rest::Replicated } else { Rest::At(rng.i64(axis.lower..=axis.upper)) }
                    })
                    .collect();
            let bounds = [(lower, lower + len - 1, align), (1, 4, Align::Collapsed)];
            let map = Map::new(template, &bounds, Some(&rest)).unwrap();
            check(&map, &arrangement, &axes);
        }
    }

    fn check(map: &Map, arrangement: &Arrangement, axes: &[TemplateAxis]) {
        let layout = Layout::of(map);
        let (grid, MapAxis { lower, upper, align, .. }) = (layout.whole_grid(), map.axes()[0]);
        let Align::With { axis: k, stride, offset } = align else { panic!("axis 0 is aligned") };
        let mut held = vec![0; 64];
        for i in lower..=upper {
            let want: Vec<u32> = arrangement
                .grid()
                .places()
                .filter(|at| {
                    axes.iter().enumerate().all(|(t, axis)| {
                        let Some(onto) = axis.onto else { return true };
                        let procs = arrangement.shape()[onto];
                        match map.rest()[t] {
                            _ if t == k => owner(axis, procs, stride * i + offset) == at[onto],
                            Rest::Replicated => true,
                            Rest::At(index) => owner(axis, procs, index) == at[onto],
                        }
                    })
                })
                .map(|at| arrangement.grid().rank(&at).0)
                .collect();
            let x = (i - lower) as u64;
            let coord = layout.axes()[0].owner(x);
            let mut got: Vec<u32> =
                grid.places().filter(|at| at[0] == coord).map(|at| grid.rank(&at).0).collect();
            let mut want = want;
            got.sort_unstable();
            want.sort_unstable();
            assert_eq!(got, want, "{map} at {i}");
            for &rank in &want {
                assert_eq!(layout.part(rank), Some(vec![coord, 0]));
                assert_eq!(layout.axes()[0].local(x).0, held[rank as usize], "{map} at {i}");
            }
            want.iter().for_each(|&rank| held[rank as usize] += 1);
        }
    }

    use super::super::map::MapAxis;
}

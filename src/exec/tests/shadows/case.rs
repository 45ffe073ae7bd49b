//! A random array with shadows, and an oracle for their exchange. The oracle visits every element of every local array,
//! and finds the owner of each shadow element in a table of all elements.

use super::super::*;
use crate::layout::distribution::{GenBlock, Rank};
use crate::layout::mapping::{
    Align, Arrangement, ArrayRedistribution, Correspondence, Format, Layout, LocalArray, Map, MappedSection,
    Section, Shadow, Template, TemplateAxis,
};
use crate::layout::strides::Shape;
use crate::pack::{Combine, Number};
use crate::plan::{Received, ReceivedBoxes};
use crate::system::machine::Proximity;
use std::fmt;

/// An array, and the part of its shadows that moves.
pub struct ShadowCase {
    map: Map,
    layout: Layout,
    widths: Vec<(u64, u64)>,
    periodic: Vec<bool>,
    corners: bool,
    back: bool,
    pub ranks: u32,
    pub element: usize,
    pub planned: Vec<Arc<RankPlan>>,
}

/// An element of a local array: the rank, and the element's number there.
type At = (usize, usize);

fn format(rng: &mut fastrand::Rng, extent: u64, procs: u32) -> Format {
    match rng.u8(0..4) {
        0 => Format::Block(None),
        1 => Format::Block(Some(extent.div_ceil(procs.into()).max(1) + rng.u64(0..3))),
        2 => Format::Cyclic { block: extent.div_ceil(procs.into()).max(1), first: rng.u32(0..procs) },
        _ => Format::GenBlock(GenBlock::random(rng, procs, extent)),
    }
}

impl ShadowCase {
    pub fn random(rng: &mut fastrand::Rng, ranks: u32, back: bool) -> Self {
        let axes = rng.usize(1..4);
        let most = [0, 40, 12, 7][axes];
        let mut shape = vec![1u32; axes + 1];
        let mut left = ranks;
        for extent in &mut shape {
            *extent = rng.u32(1..=left);
            left /= *extent;
        }
        rng.shuffle(&mut shape);
        let mut order: Vec<u32> = (0..ranks).collect();
        rng.shuffle(&mut order);
        let count = shape.iter().product::<u32>() as usize;
        let arrangement = Arrangement::new(&shape, Some(&order[..count]), ranks).unwrap();
        let mut onto: Vec<usize> = (0..=axes).collect();
        rng.shuffle(&mut onto);
        let strides: Vec<i64> = (0..axes).map(|_| *rng.choice(&[1, 1, 1, 2, -1, -3]).unwrap()).collect();
        let extents: Vec<u64> = (0..axes).map(|_| rng.u64(1..most)).collect();
        let template = (0..axes).map(|k| {
            let extent = extents[k] * strides[k].unsigned_abs() + 3;
            let format = format(rng, extent, shape[onto[k]]);
            let collapsed = rng.u8(0..6) == 0;
            let upper = extent as i64 - 1;
            if collapsed {
                TemplateAxis::collapsed(0, upper)
            } else {
                TemplateAxis { lower: 0, upper, format, onto: Some(onto[k]) }
            }
        });
        let template = Arc::new(Template::new(arrangement, template.collect()).unwrap());
        let bounds: Vec<_> = (0..axes)
            .map(|axis| {
                let (stride, last) = (strides[axis], extents[axis] as i64 - 1);
                let offset = if stride > 0 { 1 } else { 1 - stride * last };
                (0, last, Align::With { axis, stride, offset })
            })
            .collect();
        let map = Map::new(template, &bounds, None).unwrap();
        let mut order: Vec<usize> = (0..axes).collect();
        rng.shuffle(&mut order);
        let deep: Vec<(u64, u64)> = (0..axes).map(|_| (rng.u64(0..4), rng.u64(0..4))).collect();
        let map = map.with_order(&order).unwrap().with_shadow(&deep).unwrap();
        let layout = Layout::of(&map);
        let periodic: Vec<bool> = (0..axes).map(|_| rng.bool()).collect();
        let width = |k: usize, w: u64, rng: &mut fastrand::Rng| {
            let w = if rng.bool() { w } else { rng.u64(0..=w) };
            if periodic[k] { w.min(extents[k]) } else { w }
        };
        let fits = |k: usize| layout.axes()[k].is_one_run_each(extents[k]) == Some(true);
        let widths: Vec<_> = (0..axes)
            .map(|k| if fits(k) { (width(k, deep[k].0, rng), width(k, deep[k].1, rng)) } else { (0, 0) })
            .collect();
        let (corners, element) = (rng.bool(), if back { [4, 8] } else { [8, 24] }[rng.usize(0..2)]);
        let mut case =
            Self { map, layout, widths, periodic, corners, back, ranks, element, planned: Vec::new() };
        case.planned = (0..ranks).map(|rank| case.planned_of(rank)).collect();
        case
    }

    fn planned_of(&self, rank: u32) -> Arc<RankPlan> {
        let (map, layout) = (&self.map, &self.layout);
        let shadow =
            Shadow::new(map, layout, Some(&self.widths), Some(&self.periodic), self.corners).unwrap();
        let shadow = if self.back { shadow.reversed() } else { shadow };
        let shadow = Shadow::from_numbers(&shadow.numbers()).unwrap();
        let section = Section::whole(map);
        let section_of_array = || MappedSection { map, layout, section: &section };
        let mut made = ArrayRedistribution::new(
            &section_of_array(),
            &section_of_array(),
            Correspondence::default(),
            self.element as u64,
        )
        .unwrap();
        let shares = shadow.shares(&section_of_array(), &made, Rank(rank));
        made.problem.boxes = [true; 2];
        let received = ReceivedBoxes::in_one_array(shares, self.back);
        let me = Place::of(&made.problem, Rank(rank), self.ranks);
        let settings = crate::system::settings::Settings::defaults();
        Arc::new(
            RankPlan::with_received(
                made.problem,
                me,
                made.unit,
                settings,
                Proximity::Nodes { early: 0 },
                Some(Received::Boxes(std::slice::from_ref(&received))),
            )
            .unwrap(),
        )
    }

    fn local(&self, rank: usize) -> Option<LocalArray> {
        let part = self.layout.part(rank as u32)?;
        Some(LocalArray::of(&self.map, &self.layout, Some(&part)))
    }

    /// Returns the shape of a rank's local array, with the shadow as own elements.
    pub fn shape(&self, rank: usize) -> Option<Shape> {
        let section = Section::whole(&self.map);
        let section_of_array = || MappedSection { map: &self.map, layout: &self.layout, section: &section };
        let made = ArrayRedistribution::new(
            &section_of_array(),
            &section_of_array(),
            Correspondence::default(),
            self.element as u64,
        )
        .unwrap();
        Some(made.from.shape(&self.local(rank)?.with_shadow_as_own()).unwrap().0)
    }

    /// Returns random arrays of all ranks. Sums of their doubles are rounded, so a different order of addition shows.
    pub fn arrays(&self, rng: &mut fastrand::Rng) -> Vec<Vec<u8>> {
        let array = |rank| {
            let elements = self.local(rank).map_or(0, |local| local.elements().unwrap());
            let words = elements as usize * self.element / 4;
            match self.element {
                4 => (0..words).flat_map(|_| rng.i32(..).to_ne_bytes()).collect(),
                _ => (0..words / 2).flat_map(|_| (rng.f64() - 0.3).to_ne_bytes()).collect::<Vec<u8>>(),
            }
        };
        (0..self.ranks as usize).map(array).collect()
    }

    /// Returns each shadow element that moves, with the element that it replicates.
    fn pairs(&self) -> Vec<(At, At)> {
        let axes = self.map.axes().len();
        let grid = self.layout.whole_grid();
        let extents = self.layout.extents();
        // Indices per rank and axis.
        let own = |rank: usize| -> Option<Vec<Vec<u64>>> {
            let at = grid.find(Rank(rank as u32))?;
            let of =
                |k: usize| (0..extents[k]).filter(|&x| self.layout.axes()[k].owner(x) == at[k]).collect();
            Some((0..axes).map(of).collect())
        };
        let number = |rank: usize, place: &[u64]| {
            let local = self.local(rank).unwrap();
            place.iter().zip(&local.axes).map(|(x, axis)| x * axis.stride as u64).sum::<u64>() as usize
        };
        let mut owners = HashMap::new();
        for (rank, own) in (0..self.ranks as usize).filter_map(|rank| Some((rank, own(rank)?))) {
            let copy = grid.find(Rank(rank as u32)).unwrap()[axes..].to_vec();
            for which in places_of(&own.iter().map(|own| own.len() as u64).collect::<Vec<_>>()) {
                let index: Vec<u64> = which.iter().zip(&own).map(|(&i, own)| own[i as usize]).collect();
                let place: Vec<u64> =
                    which.iter().zip(self.map.axes()).map(|(i, axis)| i + axis.shadow.0).collect();
                owners.insert((copy.clone(), index), (rank, number(rank, &place)));
            }
        }
        let mut pairs = Vec::new();
        for (rank, own) in (0..self.ranks as usize).filter_map(|rank| Some((rank, own(rank)?))) {
            if own.iter().any(Vec::is_empty) {
                continue;
            }
            let copy = grid.find(Rank(rank as u32)).unwrap()[axes..].to_vec();
            let local = self.local(rank).unwrap();
            for place in places_of(&local.axes.iter().map(|axis| axis.extent()).collect::<Vec<_>>()) {
                let mut outside = 0;
                let index = (0..axes).map(|k| {
                    let (low, len) = (self.map.axes()[k].shadow.0 as i64, own[k].len() as i64);
                    let x = place[k] as i64 - low;
                    if (0..len).contains(&x) {
                        return Some(own[k][x as usize]);
                    }
                    outside += 1;
                    let far =
                        if x < 0 { -x <= self.widths[k].0 as i64 } else { x - len < self.widths[k].1 as i64 };
                    let (first, extent) = (own[k][0] as i64, extents[k] as i64);
                    let x = if self.periodic[k] { (first + x).rem_euclid(extent) } else { first + x };
                    ((0..extent).contains(&x) && far).then_some(x as u64)
                });
                let index: Option<Vec<u64>> = index.collect::<Vec<_>>().into_iter().collect();
                if let Some(index) = index.filter(|_| outside == 1 || (outside > 1 && self.corners)) {
                    pairs.push(((rank, number(rank, &place)), owners[&(copy.clone(), index)]));
                }
            }
        }
        pairs
    }

    pub fn moved(&self, before: &[Vec<u8>], update: Option<&Update>) -> Vec<Vec<u8>> {
        let mut after = before.to_vec();
        let mut pairs = self.pairs();
        // Order of the values for an element of rank r: from the shadows of ranks r, r - 1, r - 2, … cyclically, and
        // within a rank in the order of its local array.
        let ranks = self.ranks as usize;
        pairs.sort_by_key(|&((shadow, at), (owner, _))| ((owner + ranks - shadow) % ranks, at));
        for (shadow, owner) in pairs {
            let (from, to) = if self.back { (shadow, owner) } else { (owner, shadow) };
            let bytes = |(_, at): At| at * self.element..(at + 1) * self.element;
            let value = before[from.0][bytes(from)].to_vec();
            let old = &mut after[to.0][bytes(to)];
            let new = update.map_or(value.clone(), |update| combined(update, &value, old));
            old.copy_from_slice(&new);
        }
        after
    }
}

fn combined(update: &Update, from: &[u8], to: &[u8]) -> Vec<u8> {
    if update.ignores_target() {
        return from.to_vec();
    }
    match update.number() {
        Number::Double => {
            let [a, b] = [from, to].map(|of| f64::from_ne_bytes(of.try_into().unwrap()));
            let sum = match update.combine() {
                Combine::Minimum => a.min(b),
                Combine::Maximum => a.max(b),
                _ => a + b,
            };
            sum.to_ne_bytes().to_vec()
        }
        _ => {
            let [a, b] = [from, to].map(|of| i32::from_ne_bytes(of.try_into().unwrap()));
            let sum = match update.combine() {
                Combine::Minimum => a.min(b),
                Combine::Maximum => a.max(b),
                _ => a.wrapping_add(b),
            };
            sum.to_ne_bytes().to_vec()
        }
    }
}

/// Returns the places of all elements of an array with these extents.
fn places_of(extents: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for &extent in extents {
        all = all
            .into_iter()
            .flat_map(|of: Vec<u64>| (0..extent).map(move |x| [&of[..], &[x]].concat()))
            .collect();
    }
    all
}

impl fmt::Display for ShadowCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { map, widths, periodic, corners, ranks, element, .. } = self;
        write!(
            f,
            "{map}: {widths:?} of {element} bytes, periodic {periodic:?}, corners {corners}, on {ranks}"
        )
    }
}

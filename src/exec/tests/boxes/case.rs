//! A random redistribution of boxes, and an oracle that searches all boxes for each element.

use super::super::case::Array;
use super::super::*;
use crate::layout::intersect::{Boxes, each_pair, intersect_boxes, runs_of};
use crate::layout::strides::ArrayView;
use crate::layout::strides::{ArrayDim, Shape};
use crate::plan::rank_plan::LastWriteMode;
use crate::plan::{BoxShare, Received, ReceivedBoxes, SectionBox, SectionBoxes};
use crate::system::machine::Proximity;
use std::ops::{ControlFlow, Range};

/// A box of array indices, the offset of its first byte, and its strides in bytes.
type PlacedBox = (Vec<Range<u64>>, u64, Vec<i64>);

/// An array in boxes; a section of it moves.
pub struct BoxArray {
    ranks: Vec<Vec<PlacedBox>>,
    /// Bytes of each rank's storage.
    storage: Vec<usize>,
    section: Vec<(u64, u64)>,
}

/// Returns a random tiling of `whole`: cuts it in two at a random index, and each part likewise, up to `cuts` times.
fn tiling(rng: &mut fastrand::Rng, whole: Vec<Range<u64>>, cuts: u32) -> Vec<Vec<Range<u64>>> {
    let d = rng.usize(0..whole.len());
    if cuts == 0 || whole[d].end - whole[d].start < 2 {
        return vec![whole];
    }
    let at = rng.u64(whole[d].start + 1..whole[d].end);
    let mut parts = [whole.clone(), whole];
    parts[0][d].end = at;
    parts[1][d].start = at;
    parts.into_iter().flat_map(|part| tiling(rng, part, cuts - 1)).collect()
}

impl BoxArray {
    fn random(rng: &mut fastrand::Rng, lens: &[u64], ranks: u32, element: usize) -> Self {
        let section: Vec<(u64, u64)> =
            lens.iter().map(|_| (rng.u64(0..5), [1, 1, 1, 3][rng.usize(0..4)])).collect();
        let extent = |((start, step), len): (&(u64, u64), &u64)| start + step * len + 2;
        let whole = section.iter().zip(lens).map(|each| 0..extent(each)).collect();
        let cuts = rng.u32(0..7);
        let tiles = tiling(rng, whole, cuts);
        let mut array = Self { ranks: vec![Vec::new(); ranks as usize], storage: Vec::new(), section };
        let one_each = tiles.len() <= ranks as usize;
        for (k, tile) in tiles.into_iter().enumerate() {
            let owner = if one_each { k } else { rng.usize(0..ranks as usize) };
            array.ranks[owner].push((tile, 0, Vec::new()));
        }
        for boxes in &mut array.ranks {
            rng.shuffle(boxes);
            let mut end = 0;
            for (tile, offset, strides) in boxes {
                let mut order: Vec<usize> = (0..tile.len()).collect();
                if rng.bool() {
                    rng.shuffle(&mut order);
                }
                *strides = vec![0; tile.len()];
                let mut stride = element as i64;
                *offset = end;
                for d in order {
                    strides[d] = stride;
                    stride *= (tile[d].end - tile[d].start + rng.u64(0..2)) as i64;
                }
                end += stride as u64 + rng.u64(0..3) * element as u64;
            }
            array.storage.push(end as usize);
        }
        array
    }

    /// Returns (rank, first byte) of the section's element at `index`.
    fn at(&self, index: &[u64]) -> (Rank, usize) {
        let x: Vec<u64> = self.section.iter().zip(index).map(|((start, step), i)| start + step * i).collect();
        for (rank, boxes) in (0u32..).zip(&self.ranks) {
            for (tile, offset, strides) in boxes {
                if tile.iter().zip(&x).all(|(range, x)| range.contains(x)) {
                    let within = tile.iter().zip(&x).zip(strides);
                    let byte: i64 =
                        within.map(|((range, x), stride)| (x - range.start) as i64 * stride).sum();
                    return (Rank(rank), (*offset as i64 + byte) as usize);
                }
            }
        }
        panic!("a tiling has every element")
    }

    /// Returns the parts of a rank's boxes in the section, whose extents are `lens`.
    fn sections(&self, rank: usize, lens: &[u64], element: usize) -> SectionBoxes {
        let (mut boxes, mut views) = (Vec::new(), Vec::new());
        for (tile, offset, strides) in &self.ranks[rank] {
            let span = |d: usize| {
                let (start, step) = self.section[d];
                let at = |bound: u64| bound.saturating_sub(start).div_ceil(step).min(lens[d]);
                at(tile[d].start)..at(tile[d].end)
            };
            let span: Vec<Range<u64>> = (0..tile.len()).map(span).collect();
            if span.iter().any(Range::is_empty) {
                continue;
            }
            let first = |d: usize| self.section[d].0 + self.section[d].1 * span[d].start - tile[d].start;
            let first = (0..tile.len()).map(first).collect();
            boxes.push(SectionBox { span, first });
            let dim =
                |(range, &stride): (&Range<u64>, &i64)| ArrayDim { extent: range.end - range.start, stride };
            let dims: Vec<ArrayDim> = tile.iter().zip(strides).map(dim).collect();
            views.push(ArrayView { offset: *offset, shape: Shape::new(element, &dims) });
        }
        SectionBoxes {
            boxes,
            steps: self.section.iter().map(|&(_, step)| step).collect(),
            views: views.into(),
        }
    }
}

pub enum Lies {
    InBoxes(BoxArray),
    Dealt(Array),
}

impl Lies {
    fn at(&self, index: &[u64], element: usize) -> Vec<(Rank, usize)> {
        match self {
            Self::InBoxes(array) => vec![array.at(index)],
            Self::Dealt(array) => array.at(index, element),
        }
    }

    pub fn shape(&self, rank: u32, element: usize) -> Option<Shape> {
        match self {
            Self::InBoxes(array) => {
                Some(Shape::dense(element, &[(array.storage[rank as usize] / element) as u64]))
            }
            Self::Dealt(array) => Some(array.shape(&array.grid.find(Rank(rank))?, element)),
        }
    }

    fn grid(&self, dims: usize, ranks: u32) -> Grid {
        match self {
            Self::InBoxes(_) => Grid::row_major(&[&vec![1; dims][..], &[ranks]].concat()),
            Self::Dealt(array) => array.grid.clone(),
        }
    }

    fn axis(&self, d: usize) -> Axis {
        match self {
            Self::InBoxes(_) => Axis::new(Cyclic::ONE, 0),
            Self::Dealt(array) => array.axes[d].clone(),
        }
    }
}

/// Lists the boxes of the section on side `k`, each with its owner and its number among the owner's boxes. A
/// distributed array has a box for each product of runs, without a number.
fn listed(
    side: &Lies,
    lens: &[u64],
    ranks: u32,
    element: usize,
    k: usize,
) -> (Boxes, Vec<(u32, Option<usize>)>) {
    let (mut all, mut owners) = (Boxes::new(lens.len()), Vec::new());
    for rank in 0..ranks {
        match side {
            Lies::InBoxes(array) => {
                for (own, of) in array.sections(rank as usize, lens, element).boxes.into_iter().enumerate() {
                    all.push(of.span);
                    owners.push((rank, Some(own)));
                }
            }
            Lies::Dealt(array) => {
                let Some(at) = array.grid.find(Rank(rank)) else { continue };
                // Of several copies of a source, the first one is read.
                if k == 0 && at[lens.len()..].iter().any(|&copy| copy > 0) {
                    continue;
                }
                let mut products = vec![Vec::new()];
                for d in 0..lens.len() {
                    let runs = runs_of(&array.axes[d], lens[d], at[d]);
                    let longer = |of: Vec<Range<u64>>| {
                        runs.iter()
                            .map(move |run| [&of[..], std::slice::from_ref(run)].concat())
                            .collect::<Vec<_>>()
                    };
                    products = products.into_iter().flat_map(longer).collect();
                }
                for product in products {
                    all.push(product);
                    owners.push((rank, None));
                }
            }
        }
    }
    (all, owners)
}

/// Returns the shares of all ranks if both sides are treated as boxes.
fn shares_of_both(sides: &[Lies; 2], lens: &[u64], ranks: u32, element: usize) -> Vec<ReceivedBoxes> {
    let mut received = all_boxes(sides, lens, ranks, element);
    let [(a, from), (b, to)] = [0, 1].map(|k| listed(&sides[k], lens, ranks, element, k));
    each_pair(&a, &b, |i, j| {
        let span: Vec<_> = intersect_boxes(a.get(i), b.get(j)).collect();
        for (k, (me, own), (peer, _)) in [(0, from[i], to[j]), (1, to[j], from[i])] {
            let there = Vec::new();
            received[me as usize].shares[k].push(BoxShare {
                peer: Rank(peer),
                own,
                span: span.clone(),
                there,
            });
        }
        ControlFlow::Continue(())
    });
    for received in &mut received {
        received.listed = [0, 1].map(|k| matches!(sides[k], Lies::Dealt(_)));
    }
    received
}

fn all_boxes(sides: &[Lies; 2], lens: &[u64], ranks: u32, element: usize) -> Vec<ReceivedBoxes> {
    let boxes = |side: &Lies, rank: u32| match side {
        Lies::InBoxes(array) => array.sections(rank as usize, lens, element),
        Lies::Dealt(_) => SectionBoxes::default(),
    };
    let received =
        |rank| ReceivedBoxes { boxes: [0, 1].map(|k| boxes(&sides[k], rank)), ..ReceivedBoxes::default() };
    (0..ranks).map(received).collect()
}

/// Returns the shares of all ranks if side `k` has boxes and the other side is distributed.
fn received_of_one(problem: &Problem, k: usize, mut received: Vec<ReceivedBoxes>) -> Vec<ReceivedBoxes> {
    let ranks = received.len() as u32;
    for rank in 0..ranks {
        let me = Place::of(problem, Rank(rank), ranks);
        for own in 0..received[rank as usize].boxes[k].boxes.len() {
            let span = received[rank as usize].boxes[k].boxes[own].span.clone();
            for share in problem.shares_of_box(&me, (k, own), &span) {
                let back = BoxShare { peer: Rank(rank), own: None, there: Vec::new(), ..share.clone() };
                received[share.peer.0 as usize].shares[1 - k].push(back);
                received[rank as usize].shares[k].push(share);
            }
        }
    }
    received
}

pub struct BoxCase {
    pub sides: [Lies; 2],
    pub lens: Vec<u64>,
    pub ranks: u32,
    pub element: usize,
    pub planned: Vec<Arc<RankPlan>>,
}

impl BoxCase {
    pub fn random(rng: &mut fastrand::Rng, ranks: u32) -> Self {
        let axes = rng.usize(1..4);
        let most = [0, 300, 40, 14][axes];
        let lens: Vec<u64> = (0..axes).map(|_| rng.u64(1..most)).collect();
        let element = [1, 2, 4, 8, 16][rng.usize(0..5)];
        let ways = [[true, true], [true, false], [false, true]][rng.usize(0..3)];
        let sides = ways.map(|boxes| match boxes {
            true => Lies::InBoxes(BoxArray::random(rng, &lens, ranks, element)),
            false => Lies::Dealt(Array::random(rng, &lens, ranks)),
        });
        let [from, to] = &sides;
        let dim = |d: usize| Overlap { from: from.axis(d), to: to.axis(d), len: lens[d] };
        let grids = (from.grid(axes, ranks), to.grid(axes, ranks));
        let whole = Problem::whole((0..axes).map(dim).collect(), grids.0, grids.1);
        let problem = Problem { boxes: ways, ..whole };
        let received = match ways {
            [true, true] => shares_of_both(&sides, &lens, ranks, element),
            _ if rng.bool() => shares_of_both(&sides, &lens, ranks, element),
            [before, _] => {
                let boxes = all_boxes(&sides, &lens, ranks, element);
                received_of_one(&problem, usize::from(!before), boxes)
            }
        };
        let planned = (0u32..).zip(received).map(|(rank, received)| {
            let me = Place::of(&problem, Rank(rank), ranks);
            let settings = crate::system::settings::Settings::defaults();
            let received = Received::Boxes(std::slice::from_ref(&received));
            let planned = RankPlan::with_received(
                problem.clone(),
                me,
                element,
                settings,
                Proximity::Nodes { early: 0 },
                Some(received),
            )
            .unwrap();
            Arc::new(RankPlan { gather: Some(true), write_mode: LastWriteMode::default(), ..planned })
        });
        Self { planned: planned.collect(), sides, lens, ranks, element }
    }

    /// Returns random arrays of all ranks: the source, the destination before, and the expected destination.
    pub fn arrays(&self, rng: &mut fastrand::Rng) -> [Vec<Vec<u8>>; 3] {
        let mut memory = |side: &Lies| -> Vec<Vec<u8>> {
            let bytes = |rank| side.shape(rank, self.element).map_or(0, |shape| shape.bytes());
            (0..self.ranks).map(|rank| (0..bytes(rank)).map(|_| rng.u8(..)).collect()).collect()
        };
        let [from, to] = &self.sides;
        let (mut a, before) = (memory(from), memory(to));
        let mut after = before.clone();
        for number in 0..self.lens.iter().product() {
            let mut rest: u64 = number;
            let index: Vec<u64> = self.lens.iter().map(|len| (rest % len, rest /= len).0).collect();
            let copies = from.at(&index, self.element);
            let value = a[copies[0].0.0 as usize][copies[0].1..][..self.element].to_vec();
            for (rank, byte) in copies {
                a[rank.0 as usize][byte..][..self.element].copy_from_slice(&value);
            }
            for (rank, byte) in to.at(&index, self.element) {
                after[rank.0 as usize][byte..][..self.element].copy_from_slice(&value);
            }
        }
        [a, before, after]
    }

    /// Calls `each` with the rank and the first byte of each element that is written.
    pub fn for_each_target(&self, mut each: impl FnMut(usize, usize)) {
        for number in 0..self.lens.iter().product() {
            let mut rest: u64 = number;
            let index: Vec<u64> = self.lens.iter().map(|len| (rest % len, rest /= len).0).collect();
            let places = self.sides[1].at(&index, self.element);
            places.into_iter().for_each(|(rank, byte)| each(rank.0 as usize, byte));
        }
    }
}

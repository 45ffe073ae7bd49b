//! WHAT does a program name? Its list of indices, checked, and the array as a plan of listed elements sees it.

use crate::digest::digest;
use crate::hpf::Map;
use crate::hpf::call::settings;
use crate::hpf::end::{KnownEnd, Side};
use crate::hpf::failure::Failure;
use crate::hpf::operations::Operation;
use crate::hpf::options::Options;
use crate::hpf::plan::Plan;
use crate::hpf::seat::Seat;
use crate::layout::{Axis, Cyclic, Grid};
use crate::mapping::{ArrayAxes, Local, LocalAxis};
use crate::overlap::Overlap;
use crate::pack::{ArrayDim, MOST_DIMS, Shape, reach};
use crate::planned::Planned;
use crate::problem::Problem;
use crate::session::Session;
use crate::settings::Settings;
use std::sync::Arc;

/// Which way elements go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// From the array to local arrays.
    Gather,
    /// From local arrays to the array.
    Scatter,
}

impl Direction {
    /// The collective call.
    pub fn operation(self) -> Operation {
        match self {
            Self::Gather => Operation::Gather,
            Self::Scatter => Operation::Scatter,
        }
    }
}

/// What a program gives.
pub(crate) struct Given<'a> {
    /// The array, if this rank knows it.
    pub map: Option<&'a Map>,
    /// The axis that has the indices; none: all of them.
    pub axis: Option<usize>,
    /// Indices of so many elements, or along the axis.
    pub count: usize,
    /// The indices.
    pub indices: &'a [i64],
    /// Bytes of an element.
    pub element: usize,
    /// Options.
    pub options: &'a Options,
}

impl<'a> Given<'a> {
    /// As many as there are indices for; one element of a scalar.
    pub fn of(
        map: Option<&'a Map>,
        axis: Option<usize>,
        indices: &'a [i64],
        element: usize,
        options: &'a Options,
    ) -> Result<Self, Failure> {
        let axes = map.map_or(1, |map| map.map().axes().len());
        let each = if axis.is_some() { 1 } else { axes };
        let count = indices.len().checked_div(each).unwrap_or(1);
        if each > 0 && indices.len() % each != 0 {
            return Err(Failure::argument(format!("{} indices for elements of {axes} axes", indices.len())));
        }
        Ok(Self { map, axis, count, indices, element, options })
    }
}

/// One dimension of what moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    /// The parts of an element.
    Parts,
    /// What the list names: indices of an axis, or elements of the whole array.
    Listed,
    /// An axis that is whole.
    Axis(usize),
}

/// The dimensions of what moves, the one that varies fastest first.
pub(super) struct ListedDims {
    all: Vec<Along>,
    /// Of each, the axis of the array; none where elements are listed.
    axes: Option<ArrayAxes>,
    axis: Option<usize>,
    element: u64,
}

impl ListedDims {
    /// Of an array whose axes vary in that order, with lists along `axis` or of elements.
    pub fn new(order: &[usize], axis: Option<usize>, element: usize) -> Self {
        let element = element as u64;
        // Elements of an array with one axis are indices of it.
        let axis = axis.or_else(|| (order.len() == 1).then_some(0));
        let axes = axis.map(|_| ArrayAxes::of(order, element));
        let parts = (ArrayAxes::of(&[], element).parts() > 1).then_some(Along::Parts);
        let of = |&k: &usize| if Some(k) == axis { Along::Listed } else { Along::Axis(k) };
        let listed = || axis.map_or(vec![Along::Listed], |_| order.iter().map(of).collect());
        let all = parts.into_iter().chain(listed()).collect();
        Self { all, axes, axis, element }
    }

    /// All of them.
    pub fn all(&self) -> &[Along] {
        &self.all
    }

    /// The axis of the array that is listed; none if elements are.
    pub fn axis(&self) -> Option<usize> {
        self.axis
    }

    /// Which of the dimensions is listed.
    pub fn listed(&self) -> usize {
        self.all.iter().position(|&along| along == Along::Listed).expect("one is listed")
    }

    /// Bytes of a part of an element.
    pub fn unit(&self) -> usize {
        ArrayAxes::of(&[], self.element).unit()
    }

    /// Parts of an element.
    pub fn parts(&self) -> u64 {
        ArrayAxes::of(&[], self.element).parts()
    }

    /// An array without gaps of so many listed indices, and of `other` along each other axis.
    pub fn dense(&self, listed: u64, other: impl Fn(usize) -> u64) -> Shape {
        let extent = |along: &Along| match *along {
            Along::Parts => self.parts(),
            Along::Listed => listed,
            Along::Axis(k) => other(k),
        };
        Shape::dense(self.unit(), &self.all.iter().map(extent).collect::<Vec<_>>())
    }

    /// What moves, with `total` indices in the lists of all of so many ranks.
    pub fn problem(&self, known: &KnownEnd, total: u64, ranks: u32) -> Problem {
        let alone = || Axis::new(Cyclic::ONE, 0);
        let extents = known.end().layout.extents();
        let dim = |along: &Along| {
            let len = match *along {
                Along::Parts => self.parts(),
                Along::Listed => total,
                Along::Axis(k) => extents[k],
            };
            Overlap { from: alone(), to: alone(), len }
        };
        let grid = || Grid::row_major(&[ranks]);
        let dims = self.all.iter().map(dim).collect();
        Problem { boxes: [true; 2], ..Problem::whole(dims, grid(), grid()) }
    }

    /// Where the local array of a process lies in its storage.
    pub fn seat(&self, local: &Local) -> Result<Seat, Failure> {
        let element = usize::try_from(self.element).expect("it was a usize");
        if let Some(axes) = &self.axes {
            return Seat::of(axes, local, element);
        }
        let large = || Failure::argument("a local array of more than 2^63 bytes");
        let bytes = |n: u64| n.checked_mul(self.element).filter(|&n| i64::try_from(n).is_ok());
        let (before, behind) = storage(local).ok_or_else(large)?;
        let reach = bytes(before).zip(bytes(behind)).ok_or_else(large)?;
        let origin = -i64::try_from(reach.0).map_err(|_| large())?;
        Ok(Seat { shape: self.dense(before + behind, |_| 1), origin, reach })
    }

    /// Where the program's array lies that has `count` listed indices.
    fn local_seat(&self, known: &KnownEnd, count: u64) -> Result<Seat, Failure> {
        let shape = self.dense(count, |k| known.end().layout.extents()[k]);
        let large =
            || Failure::argument("a local array of more than 2^63 bytes for the elements that are named");
        let reach = shape.reach().ok_or_else(large)?;
        Ok(Seat { shape, origin: 0, reach })
    }
}

/// Elements of a storage before that at place 0, and from it on; `None` if 63 bits do not hold them.
pub(super) fn storage(local: &Local) -> Option<(u64, u64)> {
    let dim = |axis: &LocalAxis| ArrayDim { extent: axis.extent(), stride: axis.stride };
    reach(1, local.axes.iter().map(dim))
}

/// A list of indices that are in bounds, counted from 0.
pub(super) struct NamedList {
    /// Entries of each column.
    pub count: u64,
    /// Of the listed axis, or of each axis.
    pub columns: Vec<Vec<u64>>,
}

/// What a rank knows before others are heard.
pub(super) struct Named<'a> {
    pub direction: Direction,
    given: Given<'a>,
    pub settings: Arc<Settings>,
    pub known: Option<KnownEnd>,
    pub dims: ListedDims,
    /// The list, once the array is known.
    pub list: Option<NamedList>,
}

impl<'a> Named<'a> {
    /// What can be checked by this rank alone is checked.
    pub fn new(session: &Arc<Session>, direction: Direction, given: Given<'a>) -> Result<Self, Failure> {
        let options = given.options;
        for (set, name) in [
            (options.relabel, "relabel"),
            (options.axes.is_some(), "axes"),
            (options.copies, "copies"),
            (!options.spread.is_empty(), "spread"),
            (options.overlap, "overlap"),
        ] {
            if set {
                let why = "is set, but a list of indices has no other array";
                return Err(Failure::argument(format!("the option {name} {why}")));
            }
        }
        if given.element == 0 {
            return Err(Failure::argument("elements of 0 bytes, expected at least 1"));
        }
        let settings = Arc::new(options.over(settings().0)?);
        let side = Side { map: given.map, section: None };
        let known = side.known(session, "array")?;
        if known.is_none() && given.axis.is_none() && given.count > 0 {
            return Err(Failure::argument(
                "the map is NULL, but the process names elements by all their indices",
            ));
        }
        let dims = ListedDims::new(&[], given.axis, given.element);
        let mut named = Self { direction, given, settings, known: None, dims, list: None };
        if let Some(known) = known {
            named.learn(known, session.rank)?;
        }
        Ok(named)
    }

    /// Now the array is known.
    pub fn learn(&mut self, known: KnownEnd, rank: u32) -> Result<(), Failure> {
        let map = &known.map;
        if map.boxes().is_some() {
            return Err(Failure::argument("the array lies in boxes, in which elements cannot be listed"));
        }
        known.able(rank)?;
        let axes = map.axes().len();
        if let Some(axis) = self.given.axis.filter(|&axis| axis >= axes) {
            return Err(Failure::argument(format!("axis {axis} of an array of {axes} axes")));
        }
        self.dims = ListedDims::new(map.order(), self.given.axis, self.given.element);
        if self.dims.all().len() > MOST_DIMS {
            return Err(Failure::argument(format!("an array of {axes} axes, whose elements have parts")));
        }
        self.list = Some(self.checked(&known)?);
        self.known = Some(known);
        Ok(())
    }

    fn checked(&self, known: &KnownEnd) -> Result<NamedList, Failure> {
        let Given { axis, count, indices, .. } = self.given;
        let axes: Vec<usize> = axis.map_or_else(|| (0..known.map.axes().len()).collect(), |axis| vec![axis]);
        let column = |(place, &k): (usize, &usize)| {
            let axis = &known.map.axes()[k];
            let mut column = Vec::with_capacity(count);
            for (e, &i) in indices.iter().skip(place).step_by(axes.len()).enumerate() {
                if i < axis.lower || i > axis.upper {
                    return Err(Failure::argument(format!(
                        "index {i} of axis {k} of the array, entry {e} of the list, expected {} to {}",
                        axis.lower, axis.upper
                    )));
                }
                column.push(i.abs_diff(axis.lower));
            }
            Ok(column)
        };
        let columns = axes.iter().enumerate().map(column).collect::<Result<_, Failure>>()?;
        Ok(NamedList { count: count as u64, columns })
    }

    /// What other ranks must give alike.
    pub fn values(&self) -> [Option<i64>; 4] {
        let map = self.known.as_ref().map(|known| known.digests()[0]);
        let axis = digest(&self.given.axis);
        let element = i64::try_from(self.given.element).unwrap_or(i64::MAX);
        [map, Some(axis), Some(element), Some(self.given.options.digest(&self.settings))]
    }

    /// The plan of which the calling process's part is `planned`, in a call of that number.
    pub fn plan(&self, session: &Arc<Session>, number: i64, planned: Planned) -> Result<Arc<Plan>, Failure> {
        let known = self.known.clone().expect("the array is known");
        let local = known.local(session.rank)?;
        let has_part = known.end().layout.part(session.rank).is_some();
        let array = if has_part { Some(self.dims.seat(&local)?) } else { None };
        let own = Some(self.dims.local_seat(&known, self.given.count as u64)?);
        let (from, to) = match self.direction {
            Direction::Gather => (array, own),
            Direction::Scatter => (own, array),
        };
        let axes = ArrayAxes::of(known.map.order(), self.given.element as u64);
        Ok(Arc::new(Plan {
            session: Arc::downgrade(session),
            number,
            settings: self.settings.clone(),
            planned: Arc::new(planned),
            from,
            to,
            element: self.given.element,
            target: None,
            axes: [axes.clone(), axes],
            ends: [known.clone(), known],
            permutation: None,
            shadow: None,
            copies: false,
            spreads: false,
            overlap: false,
            shift: None,
            more: Vec::new(),
            fill: None,
        }))
    }
}

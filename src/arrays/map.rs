//! Maps. A map assigns each element of an array to processes, and lays out the calling process's local array. A map
//! never changes: the functions of this file return new maps, without communication.

use super::format::AxisFormat;
use super::procs::Procs;
use super::template::Template;
use crate::collective::failure::Failure;
use crate::layout::distribution::{Axis, Local, PartialOwners};
use crate::layout::mapping;
use crate::layout::mapping::{Align, Layout, LocalArray, LocalAxis, Rest, valid_range_text};
use crate::layout::strides::{ArrayDim, reach};
use std::sync::{Arc, OnceLock};

/// Layout of a distributed array, without its data.
#[derive(Clone)]
pub struct Map {
    procs: Arc<Procs>,
    /// The template, whose redistribution moves arrays. `None` for a map made without one, for instance from a BLACS
    /// descriptor.
    template: Option<Arc<Template>>,
    map: mapping::Map,
    layout: Layout,
    /// The calling process's coordinate along each axis of the array; `None` if it has no part.
    part: Option<Vec<u32>>,
    local: LocalArray,
    strided: bool,
    /// Digests of the map and of the whole array as a section, computed at their first use.
    digests: OnceLock<[i64; 2]>,
}

/// An axis of a rank's part of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartAxis {
    /// Axis of the local array.
    pub local: LocalAxis,
    /// Lowest and highest global index of the part; (1, 0) if it has no index.
    pub span: (i64, i64),
}

impl Map {
    /// Makes a map with a committed template. `axes` has the bounds and the alignment of each axis of the array. `rest`
    /// has the array's position along each axis of the template; axes with an aligned axis of the array ignore it.
    /// `None`: the array is replicated along the other axes.
    pub fn create(
        template: &Arc<Template>,
        axes: &[(i64, i64, Align)],
        rest: Option<&[Rest]>,
    ) -> Result<Self, Failure> {
        let now = template.committed()?;
        Ok(Self::from_mapping(
            now.procs,
            Some(template.clone()),
            mapping::Map::new(now.template, axes, rest)?,
        ))
    }

    /// Makes the map of an array that is its own template: axis k of the array is axis k of `template`.
    pub fn whole(template: &Arc<Template>) -> Result<Self, Failure> {
        let now = template.committed()?;
        Ok(Self::from_mapping(now.procs, Some(template.clone()), mapping::Map::whole(now.template)))
    }

    pub(crate) fn from_mapping(
        procs: Arc<Procs>,
        template: Option<Arc<Template>>,
        map: mapping::Map,
    ) -> Self {
        let layout = Layout::of(&map);
        let part = layout.part(procs.rank());
        let local = LocalArray::of(&map, &layout, part.as_deref());
        Self { procs, template, map, layout, part, local, strided: false, digests: OnceLock::new() }
    }

    fn changed(&self, map: mapping::Map) -> Self {
        Self::from_mapping(self.procs.clone(), self.template.clone(), map)
    }

    /// Returns the map with shadows of these widths: for each axis, the number of elements below and above a process's
    /// own.
    pub fn with_shadow(&self, widths: &[(u64, u64)]) -> Result<Self, Failure> {
        Ok(self.changed(self.map.with_shadow(widths)?))
    }

    /// Returns the map with row-major local arrays, as in C; a map of boxes unchanged, since each box has its own place
    /// in the storage.
    pub fn row_major(&self) -> Self {
        if self.map.boxes().is_some() {
            return self.clone();
        }
        self.changed(self.map.row_major())
    }

    /// Returns the map with local arrays whose axes are stored in this order, the fastest axis first.
    pub fn with_order(&self, order: &[usize]) -> Result<Self, Failure> {
        Ok(self.changed(self.map.with_order(order)?))
    }

    /// Returns the map with these strides, in elements, for the calling process's local array. An error if two elements
    /// would have the same place.
    pub fn with_strides(&self, strides: &[i64]) -> Result<Self, Failure> {
        let local = self.local.with_strides(strides)?;
        Ok(Self { local, strided: true, ..self.clone() })
    }

    /// Returns the map with `local` as the calling process's local array. If that changes the local array, the map
    /// counts as strided.
    pub(super) fn with_local(self, local: LocalArray) -> Self {
        Self { strided: self.strided || local != self.local, local, ..self }
    }

    /// Returns the map for the template's current distribution.
    #[cfg(feature = "text")]
    pub(super) fn realigned(&self) -> Result<Self, Failure> {
        let template = self.template.clone().ok_or_else(|| Failure::argument("the map has no template"))?;
        let now = template.committed()?;
        Ok(Self::from_mapping(now.procs, Some(template), self.map.realigned(now.template)?))
    }

    /// Returns the processor arrangement.
    pub fn procs(&self) -> &Arc<Procs> {
        &self.procs
    }

    /// Returns the template that the map was made with, if there is one.
    pub fn template(&self) -> Option<&Arc<Template>> {
        self.template.as_ref()
    }

    /// Returns the digests of the map and of the whole array as a section. Calls `digests` at the first use only.
    pub(super) fn digests(&self, digests: impl FnOnce() -> [i64; 2]) -> [i64; 2] {
        *self.digests.get_or_init(digests)
    }

    /// Returns the map as the planner takes it: bounds, alignment and template of the array.
    pub fn map(&self) -> &mapping::Map {
        &self.map
    }

    /// Returns the layout of the array, in indices that count from 0.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the calling process's local array.
    pub fn local(&self) -> &LocalArray {
        &self.local
    }

    /// Returns whether the caller set the strides of the local array.
    pub fn is_strided(&self) -> bool {
        self.strided
    }

    /// Returns whether the calling process has a part of the array, or a copy of one.
    pub fn has_part(&self) -> bool {
        self.part.is_some()
    }

    /// Returns the distribution format of axis `k`. An error for an array in boxes.
    pub fn format(&self, k: usize) -> Result<AxisFormat, Failure> {
        let axis = self.axis(k)?;
        self.check_not_in_boxes("the format of an axis")?;
        match axis.align {
            Align::Collapsed => Ok(AxisFormat::collapsed(&self.procs)),
            Align::With { axis, stride, offset } => {
                Ok(AxisFormat::new(&self.procs, self.map.template(), (axis, stride, offset)))
            }
        }
    }

    /// Returns the part of the array that `rank` has, axis by axis; `None` if it has none. Strides are those of a local
    /// array without gaps, even if the caller set others. An error if the array lies in boxes, or if only `rank` has
    /// its indices of an `INDIRECT` axis.
    pub fn part_of(&self, rank: u32) -> Result<Option<Vec<PartAxis>>, Failure> {
        let Some(part) = self.layout.part(rank) else { return Ok(None) };
        self.check_not_in_boxes("the part of another rank")?;
        for (k, (axis, &coord)) in self.layout.axes().iter().zip(&part).enumerate() {
            let own = |part: &PartialOwners| part.own().is_some_and(|own| own.coord() == coord);
            if !axis.dist.part().is_none_or(own) {
                return Err(Failure::argument(format!(
                    "the indices of rank {rank} along axis {k} are not available: each process has only its own indices of this INDIRECT axis"
                )));
            }
        }
        let local = LocalArray::of(&self.map, &self.layout, Some(&part));
        let each = local.axes.into_iter().enumerate().map(|(k, local)| {
            let index = |own: u64| {
                let x = self.layout.axes()[k].global(self.layout.extents()[k], part[k], Local(own));
                self.map.axes()[k].lower.saturating_add_unsigned(x)
            };
            let span = local.len.checked_sub(1).map_or((1, 0), |last| (index(0), index(last)));
            PartAxis { local, span }
        });
        Ok(Some(each.collect()))
    }

    fn axis(&self, k: usize) -> Result<&mapping::MapAxis, Failure> {
        let axes = self.map.axes();
        let why = || {
            Failure::argument(format!("the array has no axis {k}, expected {}", valid_range_text(axes.len())))
        };
        axes.get(k).ok_or_else(why)
    }

    /// Checks an element's indices and converts them to indices from 0.
    pub(super) fn element(&self, index: &[i64]) -> Result<Vec<u64>, Failure> {
        let axes = self.map.axes();
        if index.len() != axes.len() {
            return Err(Failure::argument(format!(
                "{} for {}, expected one for each axis",
                indices(index),
                mapping::axes(axes.len())
            )));
        }
        let inside = |(k, (&i, axis)): (usize, (&i64, &mapping::MapAxis))| match (axis.lower..=axis.upper)
            .contains(&i)
        {
            true => Ok(i.abs_diff(axis.lower)),
            false => Err(Failure::argument(format!(
                "index {i} is outside axis {k} of the array, expected {} to {}",
                axis.lower, axis.upper
            ))),
        };
        index.iter().zip(axes).enumerate().map(inside).collect()
    }

    /// Returns the ranks that have the element or a copy, ascending. If each process has only its own indices of an
    /// `INDIRECT` axis or its own boxes, only the calling process's elements are accepted; [`super::dereference()`]
    /// accepts all.
    pub fn owners(&self, index: &[i64]) -> Result<Vec<u32>, Failure> {
        let element = self.element(index)?;
        if let Some(boxes) = &self.local.boxes {
            let why = || {
                Failure::argument(format!(
                    "element {index:?} of the array is in no box of this process, and each process knows only its own: use \
                     reblock_map_dereference"
                ))
            };
            return boxes.find(&element).map(|_| vec![self.procs.rank()]).ok_or_else(why);
        }
        let owner = |(k, (&x, axis)): (usize, (&u64, &Axis))| {
            axis.owner_if_known(x).ok_or_else(|| {
                Failure::argument(format!(
                    "index {} of axis {k} of the array is not this process's own, and each process knows only its own: \
                     use reblock_map_dereference",
                    index[k]
                ))
            })
        };
        let at = element.iter().zip(self.layout.axes()).enumerate().map(owner);
        let at: Vec<u32> = at.collect::<Result<_, Failure>>()?;
        let grid = self.layout.whole_grid();
        let copies = crate::layout::distribution::places(&grid.extents()[at.len()..]);
        let mut ranks: Vec<u32> = copies.map(|copy| grid.rank(&[&at[..], &copy].concat()).0).collect();
        ranks.sort_unstable();
        Ok(ranks)
    }

    /// Returns an element's place along each axis of the calling process's storage, from 0 at the start of the shadow
    /// or, for an array in boxes, of the element's box. `None` if the process does not own the element.
    pub fn local_index(&self, index: &[i64]) -> Result<Option<Vec<u64>>, Failure> {
        let element = self.element(index)?;
        let Some(part) = &self.part else { return Ok(None) };
        if let Some(boxes) = &self.local.boxes {
            let within = |own: &mapping::LocalBox| {
                own.ranges.iter().zip(&element).map(|(range, x)| x - range.start).collect()
            };
            return Ok(boxes.find(&element).map(within));
        }
        let each = element.iter().zip(self.layout.axes()).zip(part).zip(&self.local.axes);
        let place = |(((&x, axis), &coord), local): (((&u64, &Axis), &u32), &LocalAxis)| {
            (axis.owner_if_known(x) == Some(coord)).then(|| axis.local(x).0 + local.shadow.0)
        };
        Ok(each.map(place).collect())
    }

    /// Returns the element at a place of the calling process's storage, counted as in [`Self::local_index`]; `None` if
    /// the place is in the shadow.
    pub fn global_index(&self, local: &[i64]) -> Result<Option<Vec<i64>>, Failure> {
        let axes = self.local_axes()?;
        if local.len() != axes.len() {
            return Err(Failure::argument(format!(
                "{} for {}, expected one for each axis",
                indices(local),
                mapping::axes(axes.len())
            )));
        }
        let Some(part) = &self.part else {
            return Err(Failure::argument("this process has no part of the array"));
        };
        let mut index = Vec::with_capacity(axes.len());
        for (k, (&at, axis)) in local.iter().zip(axes).enumerate() {
            let extent = axis.extent();
            let place = u64::try_from(at).ok().filter(|&at| at < extent).ok_or_else(|| {
                let last = i128::from(extent) - 1;
                Failure::argument(format!(
                    "position {at} is outside axis {k} of the local array, expected 0 to {last}"
                ))
            })?;
            let Some(own) = place.checked_sub(axis.shadow.0).filter(|&own| own < axis.len) else {
                return Ok(None);
            };
            if self.local.boxes.is_some() {
                index.push(axis.lower.saturating_add_unsigned(own));
                continue;
            }
            let x = self.layout.axes()[k].global(self.layout.extents()[k], part[k], Local(own));
            index.push(self.map.axes()[k].lower.saturating_add_unsigned(x));
        }
        Ok(Some(index))
    }

    /// Returns the length of the calling process's storage in elements, with shadows and gaps; 0 if it has no part.
    pub fn elements(&self) -> Result<u64, Failure> {
        if !self.has_part() {
            return Ok(0);
        }
        if let Some(boxes) = &self.local.boxes {
            return Ok(boxes.elements());
        }
        let dims = self.local.axes.iter().map(|axis| ArrayDim { extent: axis.extent(), stride: axis.stride });
        let (before, behind) =
            reach(1, dims).ok_or_else(|| Failure::argument("the local array has more than 2^63 elements"))?;
        Ok(before + behind)
    }
}

fn indices(list: &[i64]) -> String {
    mapping::count_text(list.len(), "index", "indices")
}

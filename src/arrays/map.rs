//! Maps of a program: which element of an array is where, and what the calling process's local array looks like. They are
//! made without communication, and never change.

use super::format::AxisFormat;
use super::procs::Procs;
use super::template::Template;
use crate::collective::failure::Failure;
use crate::layout::distribution::{Axis, Local as Index, PartialOwners};
use crate::layout::mapping;
use crate::layout::mapping::{Align, Layout, Local, LocalAxis, Rest, below};
use crate::layout::strides::{ArrayDim, reach};
use std::sync::{Arc, OnceLock};

/// A mapped array, without its data.
#[derive(Clone)]
pub struct Map {
    procs: Arc<Procs>,
    /// The template that it was made with, whose redistribution moves arrays; none of a BLACS descriptor.
    template: Option<Arc<Template>>,
    map: mapping::Map,
    layout: Layout,
    /// The calling process's part, if it has one.
    part: Option<Vec<u32>>,
    local: Local,
    /// Whether the strides are the caller's.
    strided: bool,
    /// What tells the map from others, and the whole array from its sections, once a plan was made of it.
    digests: OnceLock<[i64; 2]>,
}

/// One axis of the part of an array that some rank has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartAxis {
    /// The local array.
    pub local: LocalAxis,
    /// The least and the greatest index; (1, 0) where there is none.
    pub span: (i64, i64),
}

impl Map {
    /// A map with a committed template: bounds and alignment of each axis, and for each axis of the template where the array
    /// lies if none of its axes is aligned with it (`None`: there are copies everywhere).
    pub fn create(
        template: &Arc<Template>,
        axes: &[(i64, i64, Align)],
        rest: Option<&[Rest]>,
    ) -> Result<Self, Failure> {
        let now = template.committed()?;
        Ok(Self::of(now.procs, Some(template.clone()), mapping::Map::new(now.template, axes, rest)?))
    }

    /// The map of an array that is its own template.
    pub fn whole(template: &Arc<Template>) -> Result<Self, Failure> {
        let now = template.committed()?;
        Ok(Self::of(now.procs, Some(template.clone()), mapping::Map::whole(now.template)))
    }

    pub(crate) fn of(procs: Arc<Procs>, template: Option<Arc<Template>>, map: mapping::Map) -> Self {
        let layout = Layout::of(&map);
        let part = layout.part(procs.rank());
        let local = Local::of(&map, &layout, part.as_deref());
        Self { procs, template, map, layout, part, local, strided: false, digests: OnceLock::new() }
    }

    fn changed(&self, map: mapping::Map) -> Self {
        Self::of(self.procs.clone(), self.template.clone(), map)
    }

    /// The same with a shadow: elements before and behind a process's own, one pair an axis.
    pub fn with_shadow(&self, widths: &[(u64, u64)]) -> Result<Self, Failure> {
        Ok(self.changed(self.map.with_shadow(widths)?))
    }

    /// The same with row-major local arrays, as C has them. Of an array in boxes it is the same map: its boxes have places of their
    /// own.
    pub fn row_major(&self) -> Self {
        if self.map.boxes().is_some() {
            return self.clone();
        }
        self.changed(self.map.row_major())
    }

    /// The same with local arrays whose axes vary in this order, the fastest first.
    pub fn with_order(&self, order: &[usize]) -> Result<Self, Failure> {
        Ok(self.changed(self.map.with_order(order)?))
    }

    /// The same with these strides, in elements, of the calling process's local array.
    pub fn with_strides(&self, strides: &[i64]) -> Result<Self, Failure> {
        let local = self.local.with_strides(strides)?;
        Ok(Self { local, strided: true, ..self.clone() })
    }

    /// The same with this local array of the calling process, which may have strides of the caller's.
    pub(super) fn with_local(self, local: Local) -> Self {
        Self { strided: self.strided || local != self.local, local, ..self }
    }

    /// The same array now that its template has been redistributed.
    #[cfg(feature = "text")]
    pub(super) fn realigned(&self) -> Result<Self, Failure> {
        let template = self.template.clone().ok_or_else(|| Failure::argument("the map has no template"))?;
        let now = template.committed()?;
        Ok(Self::of(now.procs, Some(template), self.map.realigned(now.template)?))
    }

    /// The processor arrangement.
    pub fn procs(&self) -> &Arc<Procs> {
        &self.procs
    }

    /// The template that it was made with.
    pub fn template(&self) -> Option<&Arc<Template>> {
        self.template.as_ref()
    }

    /// What `digests` says of the map as it is and of the whole array, asked once.
    pub(super) fn digests(&self, digests: impl FnOnce() -> [i64; 2]) -> [i64; 2] {
        *self.digests.get_or_init(digests)
    }

    /// Bounds, alignment, template.
    pub fn map(&self) -> &mapping::Map {
        &self.map
    }

    /// How indices from 0 are dealt out.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The calling process's local array.
    pub fn local(&self) -> &Local {
        &self.local
    }

    /// Whether the strides of the local array are the caller's.
    pub fn is_strided(&self) -> bool {
        self.strided
    }

    /// Whether the calling process has a part of the array, or a copy of one.
    pub fn has_part(&self) -> bool {
        self.part.is_some()
    }

    /// How axis `k` is dealt out.
    pub fn format(&self, k: usize) -> Result<AxisFormat, Failure> {
        let axis = self.axis(k)?;
        self.in_no_boxes("the format of an axis")?;
        match axis.align {
            Align::Collapsed => Ok(AxisFormat::collapsed(&self.procs)),
            Align::With { axis, stride, offset } => {
                Ok(AxisFormat::of(&self.procs, self.map.template(), (axis, stride, offset)))
            }
        }
    }

    /// The part of the array that `rank` has, axis by axis, without strides of the caller's; `None` if it has none.
    pub fn part_of(&self, rank: u32) -> Result<Option<Vec<PartAxis>>, Failure> {
        let Some(part) = self.layout.part(rank) else { return Ok(None) };
        self.in_no_boxes("the part of another rank")?;
        for (k, (axis, &coord)) in self.layout.axes().iter().zip(&part).enumerate() {
            let own = |part: &PartialOwners| part.own().is_some_and(|own| own.coord() == coord);
            if !axis.dist.part().is_none_or(own) {
                return Err(Failure::argument(format!(
                    "rank {rank}, of which this process does not know the indices of axis {k}: expected one with the same \
                     part of it"
                )));
            }
        }
        let local = Local::of(&self.map, &self.layout, Some(&part));
        let each = local.axes.into_iter().enumerate().map(|(k, local)| {
            let index = |own: u64| {
                let x = self.layout.axes()[k].global(self.layout.extents()[k], part[k], Index(own));
                self.map.axes()[k].lower.saturating_add_unsigned(x)
            };
            let span = local.len.checked_sub(1).map_or((1, 0), |last| (index(0), index(last)));
            PartAxis { local, span }
        });
        Ok(Some(each.collect()))
    }

    fn axis(&self, k: usize) -> Result<&mapping::MapAxis, Failure> {
        let axes = self.map.axes();
        let why = || Failure::argument(format!("axis {k} of the array, expected {}", below(axes.len())));
        axes.get(k).ok_or_else(why)
    }

    /// An element, as indices from 0.
    pub(super) fn element(&self, index: &[i64]) -> Result<Vec<u64>, Failure> {
        let axes = self.map.axes();
        if index.len() != axes.len() {
            return Err(Failure::argument(format!("{} for {}", indices(index), mapping::axes(axes.len()))));
        }
        let inside = |(k, (&i, axis)): (usize, (&i64, &mapping::MapAxis))| match (axis.lower..=axis.upper)
            .contains(&i)
        {
            true => Ok(i.abs_diff(axis.lower)),
            false => Err(Failure::argument(format!(
                "index {i} of axis {k} of the array, expected {} to {}",
                axis.lower, axis.upper
            ))),
        };
        index.iter().zip(axes).enumerate().map(inside).collect()
    }

    /// The ranks that have a copy of an element, ascending. Of an `INDIRECT` axis of which each process knows its own indices
    /// only, it can say that of those; [`super::dereference`] of all.
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

    /// Where an element is in the calling process's storage, along each axis, counted from 0 with the shadow; in its box, if the array
    /// lies in boxes. `None` if it is not its own.
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

    /// The element at a place of the calling process's storage, which counts from 0 with the shadow; `None` where the shadow
    /// is.
    pub fn global_index(&self, local: &[i64]) -> Result<Option<Vec<i64>>, Failure> {
        let axes = self.local_axes()?;
        if local.len() != axes.len() {
            return Err(Failure::argument(format!("{} for {}", indices(local), mapping::axes(axes.len()))));
        }
        let Some(part) = &self.part else {
            return Err(Failure::argument("this process has no part of the array"));
        };
        let mut index = Vec::with_capacity(axes.len());
        for (k, (&at, axis)) in local.iter().zip(axes).enumerate() {
            let extent = axis.extent();
            let place = u64::try_from(at).ok().filter(|&at| at < extent).ok_or_else(|| {
                let last = i128::from(extent) - 1;
                Failure::argument(format!("place {at} of axis {k} of the local array, expected 0 to {last}"))
            })?;
            let Some(own) = place.checked_sub(axis.shadow.0).filter(|&own| own < axis.len) else {
                return Ok(None);
            };
            if self.local.boxes.is_some() {
                index.push(axis.lower.saturating_add_unsigned(own));
                continue;
            }
            let x = self.layout.axes()[k].global(self.layout.extents()[k], part[k], Index(own));
            index.push(self.map.axes()[k].lower.saturating_add_unsigned(x));
        }
        Ok(Some(index))
    }

    /// Elements of the calling process's storage, from the first to behind the last, with shadows and gaps; 0 where it has
    /// no part.
    pub fn elements(&self) -> Result<u64, Failure> {
        if !self.has_part() {
            return Ok(0);
        }
        if let Some(boxes) = &self.local.boxes {
            return Ok(boxes.elements());
        }
        let dims = self.local.axes.iter().map(|axis| ArrayDim { extent: axis.extent(), stride: axis.stride });
        let (before, behind) =
            reach(1, dims).ok_or_else(|| Failure::argument("a local array of more than 2^63 elements"))?;
        Ok(before + behind)
    }
}

fn indices(list: &[i64]) -> String {
    mapping::counted(list.len(), "index", "indices")
}

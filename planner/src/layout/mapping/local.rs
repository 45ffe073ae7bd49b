//! Local arrays: extents, shadow and strides of each axis, all in elements.

use super::{Layout, LocalBox, LocalBoxes, Map, Mistake, axes, count_text, ensure};
use crate::layout::distribution::{Axis, Local};
use crate::layout::strides::distinct;
use std::ops::Range;
use std::sync::Arc;

/// One axis of a local array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalAxis {
    /// Number of the process's own elements.
    pub len: u64,
    /// Shadow elements before and after the process's own elements.
    pub shadow: (u64, u64),
    /// Distance of neighbours in the storage, in elements.
    pub stride: i64,
    /// The program's index of the first element in storage, shadow included. If the process's indices along this axis
    /// are one run, `lower` is an array index, and array indices continue into the shadow. Otherwise own elements are
    /// numbered from 1. If the process has no element, its run begins at [`Axis::start_of`].
    pub lower: i64,
}

impl LocalAxis {
    /// Returns the number of elements, shadow included.
    pub fn extent(&self) -> u64 {
        self.len + self.shadow.0 + self.shadow.1
    }
}

/// Local array of one process. All axes have length 0 if the process has no part of the array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalArray {
    /// Axes of the local array. For an array in boxes, the axes of [`LocalBoxes::single`]; without a box, axes of
    /// length 0; otherwise none.
    pub axes: Vec<LocalAxis>,
    /// Boxes of the process, if the array is in boxes.
    pub boxes: Option<Arc<LocalBoxes>>,
}

impl LocalBox {
    /// Returns the box's axes as axes of a local array. `lower` gives the array's lower bound along each axis.
    pub fn axes(&self, lower: impl Iterator<Item = i64>) -> Vec<LocalAxis> {
        let axis = |((range, &stride), lower): ((&Range<u64>, &i64), i64)| LocalAxis {
            len: range.end - range.start,
            shadow: (0, 0),
            stride,
            lower: lower.saturating_add_unsigned(range.start),
        };
        self.ranges.iter().zip(&self.strides).zip(lower).map(axis).collect()
    }
}

impl LocalArray {
    /// Returns the dense local array of the process with coordinates `part` along the axes; an empty local array for
    /// `None`.
    pub fn of(map: &Map, layout: &Layout, part: Option<&[u32]>) -> Self {
        if let (Some(boxes), Some(_)) = (map.boxes(), part) {
            return Self::in_boxes(map, boxes.own().cloned().unwrap_or_default());
        }
        let mut axes: Vec<LocalAxis> = (0..map.axes().len())
            .map(|k| {
                let axis = &map.axes()[k];
                let Some(part) = part else {
                    return LocalAxis { len: 0, shadow: (0, 0), stride: 0, lower: axis.lower };
                };
                let (dealt, extent) = (&layout.axes()[k], layout.extents()[k]);
                let len = dealt.local_len(extent, part[k]);
                let first = match len {
                    0 => Some(dealt.start_of(extent, part[k])),
                    _ => first_of_run(dealt, extent, part[k], len),
                };
                let own = first.map_or(1, |x| axis.lower.saturating_add_unsigned(x));
                LocalAxis {
                    len,
                    shadow: axis.shadow,
                    stride: 0,
                    lower: own.saturating_sub_unsigned(axis.shadow.0),
                }
            })
            .collect();
        let mut stride = 1i64;
        for &k in map.order() {
            axes[k].stride = stride;
            stride = stride.saturating_mul(i64::try_from(axes[k].extent()).unwrap_or(i64::MAX));
        }
        Self { axes, boxes: None }
    }

    fn in_boxes(map: &Map, boxes: Arc<LocalBoxes>) -> Self {
        let lower = || map.axes().iter().map(|axis| axis.lower);
        let none = |lower| LocalAxis { len: 0, shadow: (0, 0), stride: 0, lower };
        let axes = match (boxes.boxes().is_empty(), boxes.single()) {
            (true, _) => lower().map(none).collect(),
            (false, Some(single)) => single.axes(lower()),
            (false, None) => Vec::new(),
        };
        Self { axes, boxes: Some(boxes) }
    }

    /// Returns the local array with other strides, in elements. Fails if two elements might have the same place.
    pub fn with_strides(&self, strides: &[i64]) -> Result<Self, Mistake> {
        ensure(self.boxes.is_none(), || {
            "strides are not supported for an array in boxes, which determine its storage".into()
        })?;
        ensure(strides.len() == self.axes.len(), || {
            format!(
                "{} for {}, expected one for each axis",
                count_text(strides.len(), "stride", "strides"),
                axes(self.axes.len())
            )
        })?;
        let several = |k: &usize| self.axes[*k].extent() > 1;
        if let Some(k) = (0..strides.len()).filter(several).find(|&k| strides[k] == 0) {
            return Err(Mistake(format!(
                "the stride of axis {k} must not be 0, which would put all of its elements in one place"
            )));
        }
        let mut local = self.clone();
        local.axes.iter_mut().zip(strides).for_each(|(axis, &stride)| axis.stride = stride);
        let dims = local.axes.iter().map(|axis| (axis.stride.unsigned_abs(), axis.extent()));
        ensure(distinct(1, dims), || {
            format!("strides {strides:?} put several elements of the local array in one place")
        })?;
        Ok(local)
    }

    /// Returns the local array with its shadow elements counted as own elements.
    pub fn with_shadow_as_own(&self) -> Self {
        let whole = |axis: &LocalAxis| LocalAxis { len: axis.extent(), shadow: (0, 0), ..*axis };
        Self { axes: self.axes.iter().map(whole).collect(), boxes: self.boxes.clone() }
    }

    /// Returns true if the process has no element of its own.
    pub fn is_empty(&self) -> bool {
        self.axes.iter().any(|axis| axis.len == 0)
    }

    /// Returns the number of elements in dense storage, shadow included; `None` beyond 63 bits.
    pub fn elements(&self) -> Option<u64> {
        let product = self.axes.iter().try_fold(1u64, |n, axis| n.checked_mul(axis.extent()))?;
        i64::try_from(product).ok().map(|_| product)
    }

    /// Returns the offset of the first own element from the start of the storage, in elements.
    pub fn origin(&self) -> i64 {
        let before =
            |axis: &LocalAxis| axis.stride.saturating_mul(i64::try_from(axis.shadow.0).unwrap_or(i64::MAX));
        self.axes.iter().map(before).sum()
    }
}

/// Returns the first index of a process, if its `len` indices are one run.
fn first_of_run(axis: &Axis, extent: u64, coord: u32, len: u64) -> Option<u64> {
    let last = axis.global(extent, coord, Local(len.checked_sub(1)?));
    let first = axis.global(extent, coord, Local(0));
    (last - first + 1 == len && axis.local(first) == Local(0)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::super::{Align, Arrangement, Format, Template, TemplateAxis};
    use super::*;
    use crate::layout::distribution::{Cyclic, GenBlock, Indirect};
    use std::sync::Arc;

    fn map(format: Format) -> Map {
        let arrangement = Arrangement::new(&[3], None, 3).unwrap();
        let axis = TemplateAxis { lower: 1, upper: 10, format, onto: Some(0) };
        let template = Arc::new(Template::new(arrangement, vec![axis]).unwrap());
        let axes = [(1, 10, Align::With { axis: 0, stride: 1, offset: 0 }), (-1, 5, Align::Collapsed)];
        Map::new(template, &axes, None).unwrap()
    }

    fn local(map: &Map, part: u32) -> LocalArray {
        LocalArray::of(map, &Layout::of(map), Some(&[part, 0]))
    }

    #[test]
    fn bounds_are_array_indices_if_a_process_has_one_run() {
        let block = map(Format::Block(None)).with_shadow(&[(1, 2), (0, 0)]).unwrap();
        let lens: Vec<_> =
            (0..3).map(|c| (local(&block, c).axes[0].lower, local(&block, c).axes[0].len)).collect();
        assert_eq!(lens, [(0, 4), (4, 4), (8, 2)], "from the shadow on");
        let axes = local(&block, 1).axes;
        assert_eq!((axes[0].extent(), axes[0].stride, axes[1].stride, axes[1].lower), (7, 1, 7, -1));
        assert_eq!((local(&block, 1).origin(), local(&block, 1).elements()), (1, Some(49)));
        let cyclic = map(Format::cyclic(2)).row_major();
        let axes = local(&cyclic, 2).axes;
        assert_eq!((axes[0].lower, axes[0].len, axes[0].stride, axes[1].stride), (5, 2, 7, 1), "one block");
        assert_eq!(
            (local(&cyclic, 0).axes[0].lower, local(&cyclic, 0).axes[0].len),
            (1, 4),
            "several blocks"
        );
        assert!(LocalArray::of(&cyclic, &Layout::of(&cyclic), None).is_empty());
    }

    #[test]
    fn an_empty_part_begins_after_the_preceding_parts() {
        let lower = |format: Format, part| {
            let map = map(format).with_shadow(&[(2, 0), (0, 0)]).unwrap();
            (local(&map, part).axes[0].len, local(&map, part).axes[0].lower)
        };
        let sizes = |sizes: &[u64]| Format::GenBlock(GenBlock::new(sizes).unwrap());
        assert_eq!(lower(Format::Block(Some(5)), 2), (0, 9), "11 less the shadow");
        assert_eq!(lower(sizes(&[3, 0, 7]), 1), (0, 2));
        assert_eq!(lower(sizes(&[0, 0, 10]), 1), (0, -1));
        assert_eq!(lower(Format::cyclic(5), 2), (0, 9), "one block each");
        let owners = Format::Indirect(Indirect::new(3, [(0, 5), (2, 5)]).unwrap());
        assert_eq!(lower(owners, 1), (0, -1), "the array's lower bound");
        let axis = Axis::aligned(Cyclic::new(1, 2, 0).unwrap(), 0, 2);
        assert_eq!((axis.local_len(4, 1), axis.start_of(4, 1)), (0, 0), "no order: the first one has all");
    }

    #[test]
    fn strides_are_checked() {
        let local = local(&map(Format::Block(None)), 0);
        assert_eq!(local.with_strides(&[7, 1]).unwrap().axes[0].stride, 7);
        assert_eq!(local.with_strides(&[-1, 4]).unwrap().axes[0].stride, -1);
        let why = |strides: &[i64]| local.with_strides(strides).unwrap_err().to_string();
        assert_eq!(why(&[1]), "1 stride for 2 axes, expected one for each axis");
        assert_eq!(
            why(&[0, 4]),
            "the stride of axis 0 must not be 0, which would put all of its elements in one place"
        );
        assert_eq!(why(&[2, 3]), "strides [2, 3] put several elements of the local array in one place");
    }
}

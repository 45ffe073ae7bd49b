//! Maps of arrays: the alignment with a template (HPF's `ALIGN`), shadows, and the order of elements in local arrays.

use super::template::extent;
use super::{Arrangement, ArrayBoxes, MAX_AXES, Mistake, Template, ensure, valid_range_text};
use std::sync::Arc;

/// Alignment of one axis of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Align {
    /// No alignment: every process has all indices.
    Collapsed,
    /// Alignment of index i with index `stride * i + offset` of an axis of the template.
    With {
        /// Axis of the template, counted from 0.
        axis: usize,
        /// Not 0. If negative, template indices descend.
        stride: i64,
        /// Template index of array index 0.
        offset: i64,
    },
}

/// Position of the array along an axis of the template without an aligned axis of the array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rest {
    /// A copy of the array at every index of the axis (`*` in HPF).
    Replicated,
    /// The array at this index only (a number in HPF).
    At(i64),
}

/// One axis of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MapAxis {
    /// First index of the axis.
    pub lower: i64,
    /// Last index of the axis; below `lower` if the axis has no index.
    pub upper: i64,
    /// Alignment with an axis of the template, if there is one.
    pub align: Align,
    /// Shadow elements before and after a process's own elements; a redistribution neither reads nor writes them.
    pub shadow: (u64, u64),
}

/// A mapped array, without its data. Maps are immutable: functions that change something return another map.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Map {
    template: Arc<Template>,
    axes: Vec<MapAxis>,
    /// One entry for each axis of the template; ignored for axes with an aligned axis of the array.
    rest: Vec<Rest>,
    /// Axes in the order of local arrays, the fastest varying first.
    order: Vec<usize>,
    /// The boxes of the array, if boxes place its elements; all axes of the template are then collapsed.
    pub(super) boxes: Option<ArrayBoxes>,
}

impl MapAxis {
    /// Returns the number of indices along the axis.
    pub fn extent(&self) -> u64 {
        extent(self.lower, self.upper)
    }
}

impl Map {
    /// Creates a map from (lower, upper, alignment) of each axis. `rest` has an entry for each axis of the template,
    /// ignored for axes with an aligned axis of the array. Without `rest`, the array is replicated along all other
    /// axes. Local arrays are column-major and have no shadow.
    pub fn new(
        template: Arc<Template>,
        axes: &[(i64, i64, Align)],
        rest: Option<&[Rest]>,
    ) -> Result<Self, Mistake> {
        ensure(axes.len() <= MAX_AXES, || {
            format!("the array has {} axes, expected 0 to {MAX_AXES}", axes.len())
        })?;
        let mut taken = vec![false; template.axes().len()];
        for (k, &(lower, upper, align)) in axes.iter().enumerate() {
            let within = |why: Mistake| Mistake(format!("axis {k} of the array: {why}"));
            let extent = extent(lower, upper);
            ensure(extent <= 1 << 62, || format!("it has {extent} indices, expected at most 2^62"))
                .map_err(within)?;
            aligned(&template, (lower, upper), align, &mut taken).map_err(within)?;
        }
        let rest = rest.map_or_else(|| vec![Rest::Replicated; taken.len()], <[Rest]>::to_vec);
        ensure(rest.len() == taken.len(), || {
            format!(
                "rest has {} entries, expected {}, one for each axis of the template",
                rest.len(),
                taken.len()
            )
        })?;
        for ((k, axis), rest) in
            template.axes().iter().enumerate().zip(&rest).filter(|((k, _), _)| !taken[*k])
        {
            if let Rest::At(index) = *rest {
                ensure((axis.lower..=axis.upper).contains(&index), || {
                    format!(
                        "rest names index {index} of axis {k} of the template, expected {} to {}",
                        axis.lower, axis.upper
                    )
                })?;
                ensure(template.dist(k).part().is_none(), || {
                    format!(
                        "rest names index {index} of axis {k} of the template, but each process has only its own indices of that axis: align an axis of the array with it, or replicate the array along it (*)"
                    )
                })?;
            }
        }
        let order = (0..axes.len()).collect();
        let axis = |&(lower, upper, align)| MapAxis { lower, upper, align, shadow: (0, 0) };
        Ok(Self { axes: axes.iter().map(axis).collect(), template, rest, order, boxes: None })
    }

    /// Creates the map of an array with the extents of its template: axis k of the array is axis k of the template.
    pub fn whole(template: Arc<Template>) -> Self {
        let with = |axis| Align::With { axis, stride: 1, offset: 0 };
        let axes: Vec<_> =
            template.axes().iter().enumerate().map(|(k, axis)| (axis.lower, axis.upper, with(k))).collect();
        Self::new(template, &axes, None).expect("a template is aligned with itself")
    }

    /// Returns the map with shadows of these widths: (before, after) for each axis.
    pub fn with_shadow(&self, widths: &[(u64, u64)]) -> Result<Self, Mistake> {
        ensure(widths.len() == self.axes.len(), || {
            format!(
                "{} shadow widths for {}, expected one for each axis",
                widths.len(),
                super::axes(self.axes.len())
            )
        })?;
        self.without_boxes("a shadow")?;
        let most = 1 << 40;
        if let Some(&(low, high)) = widths.iter().find(|(low, high)| *low.max(high) > most) {
            return Err(Mistake(format!(
                "the width of the shadow is {}, expected at most {most}",
                low.max(high)
            )));
        }
        let mut map = self.clone();
        map.axes.iter_mut().zip(widths).for_each(|(axis, &widths)| axis.shadow = widths);
        Ok(map)
    }

    /// Returns the map with local arrays whose axes vary in this order, the fastest first. 0, 1, 2, … is column-major.
    pub fn with_order(&self, order: &[usize]) -> Result<Self, Mistake> {
        self.without_boxes("an order of axes")?;
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        ensure(sorted.iter().copied().eq(0..self.axes.len()), || {
            format!(
                "the order of axes is {order:?}, expected each of {} once",
                valid_range_text(self.axes.len())
            )
        })?;
        Ok(Self { order: order.to_vec(), ..self.clone() })
    }

    /// Returns the map with row-major local arrays, as in C.
    pub fn row_major(&self) -> Self {
        let order: Vec<usize> = (0..self.axes.len()).rev().collect();
        Self { order, ..self.clone() }
    }

    /// Returns the map with another template. The other template must have as many axes as the present template, and
    /// contain the array along each axis.
    pub fn realigned(&self, template: Arc<Template>) -> Result<Self, Mistake> {
        self.without_boxes("another template")?;
        let axes: Vec<_> = self.axes.iter().map(|axis| (axis.lower, axis.upper, axis.align)).collect();
        let mut map = Self::new(template, &axes, Some(&self.rest))?;
        map.order.clone_from(&self.order);
        map.axes.iter_mut().zip(&self.axes).for_each(|(axis, old)| axis.shadow = old.shadow);
        Ok(map)
    }

    /// Returns the map on another arrangement of equal shape.
    pub fn onto(&self, arrangement: Arrangement) -> Self {
        Self { template: Arc::new(self.template.onto(arrangement)), ..self.clone() }
    }

    /// Returns the template that the array is aligned with.
    pub fn template(&self) -> &Arc<Template> {
        &self.template
    }

    /// Returns the axes of the array, in order.
    pub fn axes(&self) -> &[MapAxis] {
        &self.axes
    }

    /// Returns the array's position along each axis of the template; meaningless for axes with an aligned axis of the
    /// array.
    pub fn rest(&self) -> &[Rest] {
        &self.rest
    }

    /// Returns the axes in the order of local arrays, the fastest varying first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Returns the axis of the array that is aligned with axis `k` of the template, if any.
    pub fn aligned_with(&self, k: usize) -> Option<usize> {
        self.axes.iter().position(|axis| matches!(axis.align, Align::With { axis, .. } if axis == k))
    }
}

/// Checks that both ends of an axis of the array are within the template, and marks the template's axis as taken.
fn aligned(
    template: &Template,
    (lower, upper): (i64, i64),
    align: Align,
    taken: &mut [bool],
) -> Result<(), Mistake> {
    let Align::With { axis, stride, offset } = align else { return Ok(()) };
    let known = template.axes().get(axis).ok_or_else(|| {
        Mistake(format!(
            "it is aligned with axis {axis} of the template, expected {}",
            valid_range_text(taken.len())
        ))
    })?;
    ensure(!std::mem::replace(&mut taken[axis], true), || {
        format!(
            "it is aligned with axis {axis} of the template, but another axis is aligned with that axis already"
        )
    })?;
    ensure(stride != 0, || "the stride of its alignment must not be 0".into())?;
    for index in [lower, upper].into_iter().filter(|_| lower <= upper) {
        let at = i128::from(stride) * i128::from(index) + i128::from(offset);
        ensure((i128::from(known.lower)..=i128::from(known.upper)).contains(&at), || {
            format!(
                "index {index} is aligned with index {at} of axis {axis} of the template, expected {} to {}",
                known.lower, known.upper
            )
        })?;
    }
    Ok(())
}

/// Templates for tests to align arrays with.
#[cfg(test)]
pub(super) mod samples {
    use super::super::{Arrangement, Format, TemplateAxis};
    use super::*;

    pub fn template() -> Arc<Template> {
        let arrangement = Arrangement::new(&[2, 3], None, 6).unwrap();
        let axis = |upper, format, onto| TemplateAxis { lower: 1, upper, format, onto };
        let axes = vec![
            axis(100, Format::Block(None), Some(0)),
            axis(50, Format::cyclic(2), Some(1)),
            TemplateAxis::collapsed(0, 9),
        ];
        Arc::new(Template::new(arrangement, axes).unwrap())
    }

    pub fn with(axis: usize, stride: i64, offset: i64) -> Align {
        Align::With { axis, stride, offset }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{template, with};
    use super::*;

    #[test]
    fn mistakes_are_named() {
        let one = |align| Map::new(template(), &[(1, 60, align)], None).unwrap_err().to_string();
        assert_eq!(
            one(with(3, 1, 0)),
            "axis 0 of the array: it is aligned with axis 3 of the template, expected 0 to 2"
        );
        assert_eq!(one(with(0, 0, 5)), "axis 0 of the array: the stride of its alignment must not be 0");
        assert_eq!(
            one(with(0, 2, 0)),
            "axis 0 of the array: index 60 is aligned with index 120 of axis 0 of the template, expected 1 to 100"
        );
        assert_eq!(
            one(with(0, i64::MAX, i64::MAX)),
            "axis 0 of the array: index 1 is aligned with index 18446744073709551614 of axis 0 of the template, expected 1 to 100"
        );
        let twice = Map::new(template(), &[(1, 5, with(0, 1, 0)), (1, 5, with(0, 1, 5))], None);
        assert_eq!(
            twice.unwrap_err().to_string(),
            "axis 1 of the array: it is aligned with axis 0 of the template, but another axis is aligned with that axis already"
        );
        let axes = [(1, 5, with(0, 1, 0))];
        let at = |rest: &[Rest]| Map::new(template(), &axes, Some(rest)).unwrap_err().to_string();
        assert_eq!(
            at(&[Rest::Replicated, Rest::At(51), Rest::Replicated]),
            "rest names index 51 of axis 1 of the template, expected 1 to 50"
        );
        assert!(at(&[]).starts_with("rest has 0 entries, expected 3"));
        let map = Map::new(template(), &axes, None).unwrap();
        assert_eq!(
            map.with_order(&[1]).unwrap_err().to_string(),
            "the order of axes is [1], expected each of 0 to 0 once"
        );
        assert_eq!(
            map.with_shadow(&[]).unwrap_err().to_string(),
            "0 shadow widths for 1 axis, expected one for each axis"
        );
        assert!(Map::new(template(), &[(1, 0, with(0, 1, 1000))], None).is_ok(), "an array without elements");
    }
}

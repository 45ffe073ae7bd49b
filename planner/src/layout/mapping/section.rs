//! Sections of an array, written like Fortran's subscript triplets in the array's own indices.

use super::map::MapAxis;
use super::template::extent;
use super::{Map, Mistake, axes, ensure};

/// The indices `lower`, `lower + stride`, … up to `upper`, or down to `upper` with a negative stride.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// First index of the range.
    pub lower: i64,
    /// Bound of the last index. If it lies before `lower` in the direction of the stride, the range is empty.
    pub upper: i64,
    /// Distance of neighbouring indices; not 0.
    pub stride: i64,
}

/// One range per axis of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Section(Vec<Range>);

impl Range {
    /// Returns the number of indices in the range.
    pub fn extent(&self) -> u64 {
        let (low, high) = if self.stride < 0 { (self.upper, self.lower) } else { (self.lower, self.upper) };
        extent(low, high).div_ceil(self.stride.unsigned_abs().max(1))
    }

    /// Returns true if the range has several indices in descending order.
    pub fn descends(&self) -> bool {
        self.stride < 0 && self.extent() > 1
    }

    /// Returns the smallest and the largest index; `None` if the range is empty.
    pub fn ends(&self) -> Option<[i64; 2]> {
        let last = last(self)?;
        // The last index fits in 64 bits, because it is not beyond `upper`.
        let last = i64::try_from(last).unwrap_or(self.upper);
        Some([self.lower.min(last), self.lower.max(last)])
    }
}

impl Section {
    /// Creates the section with all elements of the array.
    pub fn whole(map: &Map) -> Self {
        Self(
            map.axes().iter().map(|axis| Range { lower: axis.lower, upper: axis.upper, stride: 1 }).collect(),
        )
    }

    /// Creates a section. Checks that `ranges` has a range within bounds for each axis of `map`.
    pub fn new(map: &Map, ranges: &[Range]) -> Result<Self, Mistake> {
        ensure(ranges.len() == map.axes().len(), || {
            format!("the section has {}, but the array has {}", axes(ranges.len()), axes(map.axes().len()))
        })?;
        for (k, (range, axis)) in ranges.iter().zip(map.axes()).enumerate() {
            ensure(range.stride != 0, || format!("the stride of axis {k} of the section must not be 0"))?;
            let inside = |index: i128| (i128::from(axis.lower)..=i128::from(axis.upper)).contains(&index);
            let Some(last) = last(range) else { continue };
            ensure(inside(range.lower.into()) && inside(last), || {
                let MapAxis { lower, upper, .. } = axis;
                format!(
                    "axis {k} of the section is {} to {last}, expected indices from {lower} to {upper}",
                    range.lower
                )
            })?;
        }
        Ok(Self(ranges.to_vec()))
    }

    /// Returns the ranges, one per axis.
    pub fn ranges(&self) -> &[Range] {
        &self.0
    }

    /// Returns the number of indices along each axis.
    pub fn extents(&self) -> Vec<u64> {
        self.0.iter().map(Range::extent).collect()
    }
}

/// Returns the last index of a range; `None` if it is empty.
fn last(range: &Range) -> Option<i128> {
    let (lower, upper, stride) = (i128::from(range.lower), i128::from(range.upper), i128::from(range.stride));
    (range.extent() > 0).then(|| lower + (upper - lower) / stride * stride)
}

#[cfg(test)]
mod tests {
    use super::super::{Align, Arrangement, Template, TemplateAxis};
    use super::*;
    use std::sync::Arc;

    #[test]
    fn triplets_equal_fortrans() {
        let arrangement = Arrangement::new(&[1], None, 1).unwrap();
        let template = Arc::new(Template::new(arrangement, vec![TemplateAxis::collapsed(1, 1)]).unwrap());
        let map = Map::new(template, &[(-5, 20, Align::Collapsed)], None).unwrap();
        let section = |lower, upper, stride| Section::new(&map, &[Range { lower, upper, stride }]);
        assert_eq!(section(-5, 20, 1).unwrap().extents(), [26]);
        assert_eq!(section(-4, 20, 5).unwrap().extents(), [5], "20 itself is not reached");
        assert_eq!(section(7, 6, 3).unwrap().extents(), [0], "none");
        assert_eq!(section(99, 98, 1).unwrap().extents(), [0], "none, wherever");
        assert_eq!(section(20, -5, -1).unwrap().extents(), [26]);
        assert_eq!(section(20, -4, -5).unwrap().extents(), [5], "-4 itself is not reached");
        assert_eq!(section(6, 7, -3).unwrap().extents(), [0], "none");
        assert_eq!(section(20, -4, -5).unwrap().ranges()[0].ends(), Some([0, 20]));
        assert_eq!(section(6, 7, -3).unwrap().ranges()[0].ends(), None);
        let why = |lower, upper, stride| section(lower, upper, stride).unwrap_err().to_string();
        assert_eq!(why(1, 5, 0), "the stride of axis 0 of the section must not be 0");
        assert_eq!(why(21, 5, -1), "axis 0 of the section is 21 to 5, expected indices from -5 to 20");
        assert!(why(i64::MAX, i64::MIN, -1).contains("to -9223372036854775808, expected indices from"));
        assert_eq!(why(20, -8, -4), "axis 0 of the section is 20 to -8, expected indices from -5 to 20");
        assert_eq!(why(-6, 5, 1), "axis 0 of the section is -6 to 5, expected indices from -5 to 20");
        assert!(
            why(i64::MIN, i64::MAX, 1).contains("to 9223372036854775807, expected indices from -5 to 20")
        );
        assert!(why(-5, i64::MAX - 2, 1).starts_with("axis 0 of the section is -5 to 9223372036854775805"));
        assert_eq!(why(1, 22, 3), "axis 0 of the section is 1 to 22, expected indices from -5 to 20");
        assert_eq!(
            Section::new(&map, &[]).unwrap_err().to_string(),
            "the section has 0 axes, but the array has 1 axis"
        );
    }
}

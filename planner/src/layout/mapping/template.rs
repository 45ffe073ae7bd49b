//! Templates and their distribution (HPF's `TEMPLATE` and `DISTRIBUTE`).

use super::{Arrangement, Format, MAX_AXES, Mistake, ensure, valid_range_text};
use crate::layout::distribution::Dist;
use std::fmt;

/// One axis of a template.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TemplateAxis {
    /// First index of the axis.
    pub lower: i64,
    /// Last index of the axis; below `lower` if the axis has no index.
    pub upper: i64,
    /// Distribution format of the axis.
    pub format: Format,
    /// Axis of the arrangement that this axis is distributed over; `None` if collapsed.
    pub onto: Option<usize>,
}

/// An index space that is distributed onto a processor arrangement. Along an axis of the arrangement without a template
/// axis, every process has a copy of the whole index space.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Template {
    arrangement: Arrangement,
    axes: Vec<TemplateAxis>,
    dists: Vec<Dist>,
}

impl TemplateAxis {
    /// Creates an axis with these bounds that is not distributed.
    pub fn collapsed(lower: i64, upper: i64) -> Self {
        Self { lower, upper, format: Format::Collapsed, onto: None }
    }

    /// Returns the number of indices along the axis.
    pub fn extent(&self) -> u64 {
        extent(self.lower, self.upper)
    }
}

/// Returns the number of indices from `lower` to `upper` (saturating); 0 if `upper` is less.
pub(super) fn extent(lower: i64, upper: i64) -> u64 {
    let count = i128::from(upper) - i128::from(lower) + 1;
    u64::try_from(count.max(0)).unwrap_or(u64::MAX)
}

impl Template {
    /// Checks the axes and computes their distributions. At most one axis of the template may be distributed over each
    /// axis of the arrangement.
    pub fn new(arrangement: Arrangement, axes: Vec<TemplateAxis>) -> Result<Self, Mistake> {
        ensure(axes.len() <= MAX_AXES, || {
            format!("the template has {} axes, expected 0 to {MAX_AXES}", axes.len())
        })?;
        let mut taken = vec![false; arrangement.shape().len()];
        let mut dists = Vec::new();
        for (k, axis) in axes.iter().enumerate() {
            let within = |why: Mistake| Mistake(format!("axis {k} of the template: {why}"));
            ensure(axis.extent() <= 1 << 62, || {
                format!("it has {} indices, expected at most 2^62", axis.extent())
            })
            .map_err(within)?;
            let procs = match axis.onto {
                None => {
                    ensure(axis.format == Format::Collapsed, || {
                        format!("{} needs an axis of the arrangement, but none is given", axis.format)
                    })
                    .map_err(within)?;
                    1
                }
                Some(onto) => {
                    let shape = arrangement.shape();
                    let known = shape.get(onto).copied().ok_or_else(|| {
                        within(Mistake(format!(
                            "it is distributed onto axis {onto} of the arrangement, expected {}",
                            valid_range_text(shape.len())
                        )))
                    })?;
                    ensure(axis.format != Format::Collapsed, || {
                        "* takes no axis of the arrangement, but one is given".into()
                    })
                    .map_err(within)?;
                    ensure(!std::mem::replace(&mut taken[onto], true), || {
                        format!("it is distributed onto axis {onto} of the arrangement, but another axis is distributed onto that axis already")
                    })
                    .map_err(within)?;
                    known
                }
            };
            dists.push(axis.format.dist(axis.extent(), procs).map_err(within)?);
        }
        Ok(Self { arrangement, axes, dists })
    }

    /// Returns the arrangement that the template is distributed onto.
    pub fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// Returns the axes of the template, in order.
    pub fn axes(&self) -> &[TemplateAxis] {
        &self.axes
    }

    /// Returns the distribution of axis `k`, with indices from 0.
    pub fn dist(&self, k: usize) -> &Dist {
        &self.dists[k]
    }

    /// Returns the template on another arrangement. Panics unless both arrangements have one shape.
    pub fn onto(&self, arrangement: Arrangement) -> Self {
        assert_eq!(arrangement.shape(), self.arrangement.shape());
        Self { arrangement, ..self.clone() }
    }
}

impl fmt::Display for Template {
    /// Writes the distribution in HPF's notation, such as `(CYCLIC(4),BLOCK,*) ONTO P(2,3)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let formats: Vec<String> = self.axes.iter().map(|axis| axis.format.to_string()).collect();
        let shape: Vec<String> = self.arrangement.shape().iter().map(u32::to_string).collect();
        write!(f, "({}) ONTO P{}", formats.join(","), listed(&shape))
    }
}

/// Formats entries as `(a,b)`; returns an empty string if there are none.
pub(super) fn listed(entries: &[String]) -> String {
    if entries.is_empty() { String::new() } else { format!("({})", entries.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(format: Format, onto: Option<usize>) -> TemplateAxis {
        TemplateAxis { lower: 1, upper: 10, format, onto }
    }

    #[test]
    fn mistakes_are_named() {
        let arrangement = || Arrangement::new(&[2, 3], None, 6).unwrap();
        let block = || Format::Block(None);
        let cases = [
            (vec![TemplateAxis::collapsed(1, 1); 16], "the template has 16 axes, expected 0 to 15"),
            (
                vec![axis(block(), None)],
                "axis 0 of the template: BLOCK needs an axis of the arrangement, but none is given",
            ),
            (
                vec![axis(block(), Some(2))],
                "axis 0 of the template: it is distributed onto axis 2 of the arrangement, expected 0 to 1",
            ),
            (
                vec![axis(block(), Some(1)), axis(Format::cyclic(2), Some(1))],
                "axis 1 of the template: it is distributed onto axis 1 of the arrangement, but another axis is distributed onto that axis already",
            ),
            (
                vec![axis(Format::Collapsed, Some(0))],
                "axis 0 of the template: * takes no axis of the arrangement, but one is given",
            ),
            (
                vec![axis(Format::Block(Some(3)), Some(1))],
                "axis 0 of the template: BLOCK(3) on 3 processes has room for 9 indices, expected at least 10",
            ),
            (
                vec![TemplateAxis::collapsed(i64::MIN, i64::MAX)],
                "axis 0 of the template: it has 18446744073709551615 indices, expected at most 2^62",
            ),
        ];
        for (axes, why) in cases {
            assert_eq!(Template::new(arrangement(), axes).unwrap_err().to_string(), why);
        }
        let good =
            vec![axis(Format::cyclic(4), Some(1)), TemplateAxis::collapsed(0, -1), axis(block(), Some(0))];
        let good = Template::new(arrangement(), good).unwrap();
        assert_eq!(good.to_string(), "(CYCLIC(4),*,BLOCK) ONTO P(2,3)");
    }
}

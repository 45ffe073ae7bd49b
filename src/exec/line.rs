//! Builds the *line* of an array for the gather kernel: the runs of its first dimensions, with sources and offsets.

use crate::layout::strides::MAX_DIMS;
use crate::pack::{GatherLine, LineBuilder};
use crate::plan::Merged;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SourceLayout {
    /// Packed without gaps, in the order of the message.
    Packed,
    /// An array with these strides in bytes, per dimension.
    Strides(Vec<usize>),
}

pub(super) struct LineLayout<'a> {
    /// Source process and source index of each index, per dimension.
    pub dims: &'a [Merged],
    pub element: usize,
    /// Strides of the destination, in bytes.
    pub strides: &'a [usize],
}

impl LineLayout<'_> {
    /// Returns the number of combinations of source processes.
    pub fn sources(&self) -> usize {
        self.dims.iter().map(|dim| dim.counts().len()).product()
    }

    /// Returns the bytes of a line from each combination of source processes, the first dimension varying fastest.
    pub fn bytes(&self) -> Vec<usize> {
        let mut all = vec![self.element];
        for dim in self.dims {
            all =
                dim.counts().iter().flat_map(|&n| all.iter().map(move |&m| m * index(n))).collect::<Vec<_>>();
        }
        all
    }

    pub fn line(&self, layouts: &[SourceLayout]) -> GatherLine {
        let mut line = GatherLine::of(layouts.len());
        let top = OuterIndices { source: 0, position: 0, to: 0 };
        self.expand(self.dims.len(), &top, &mut [0; MAX_DIMS], layouts, &mut line);
        line.finish()
    }

    /// Adds the runs of the first `left` dimensions, at one index of those above them.
    fn expand(
        &self,
        left: usize,
        above: &OuterIndices,
        from: &mut [u64; MAX_DIMS],
        layouts: &[SourceLayout],
        line: &mut LineBuilder,
    ) {
        let d = left - 1;
        let dim = &self.dims[d];
        for s in dim.stretches() {
            let below = |k: u64| OuterIndices {
                source: above.source * dim.counts().len() + s.source,
                position: above.position * index(dim.counts()[s.source]) + index(s.position + k),
                to: above.to + index(s.to + k) * self.strides[d],
            };
            if d > 0 {
                for k in 0..s.len {
                    from[d] = s.from + k;
                    self.expand(d, &below(k), from, layouts, line);
                }
                continue;
            }
            from[0] = s.from;
            let first = below(0);
            let bytes = index(s.len) * self.element;
            match &layouts[first.source] {
                SourceLayout::Packed => {
                    line.push(first.source, first.position * self.element, first.to, bytes)
                }
                SourceLayout::Strides(strides) => {
                    let src = from.iter().zip(strides).map(|(&i, stride)| index(i) * stride).sum::<usize>();
                    if strides[0] == self.element {
                        line.push(first.source, src, first.to, bytes);
                        continue;
                    }
                    for k in 0..index(s.len) {
                        let to = first.to + k * self.element;
                        line.push(first.source, src + k * strides[0], to, self.element);
                    }
                }
            }
        }
    }
}

/// Indices of the dimensions above the current one.
struct OuterIndices {
    /// Number of the combination of their source processes, the lowest dimension varying fastest.
    source: usize,
    /// Position among the elements of that combination.
    position: usize,
    /// Offset in the destination, in bytes.
    to: usize,
}

/// Converts an index into memory, which always fits in usize.
pub(super) fn index(i: u64) -> usize {
    usize::try_from(i).expect("an index into memory fits in usize")
}

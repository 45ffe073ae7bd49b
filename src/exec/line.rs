//! WHICH runs make up the first dimensions of an array, from which source and from which place in it? In the form that
//! pack's kernel takes.

use crate::layout::strides::MOST_DIMS;
use crate::pack::{GatherLine, LineBuilder};
use crate::plan::Merged;

/// How one source of a line lies in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Laid {
    /// Without gaps, in travelling order.
    Packed,
    /// An array with these bytes from one index to the next, dimension by dimension.
    Strides(Vec<usize>),
}

/// The dimensions of a line, and what is known of both ends.
pub(super) struct Lines<'a> {
    /// What comes along each of them.
    pub dims: &'a [Merged],
    /// Bytes an element.
    pub element: usize,
    /// Bytes from one index to the next in the destination.
    pub strides: &'a [usize],
}

impl Lines<'_> {
    /// Combinations of sources, that of the first dimension varying fastest.
    pub fn sources(&self) -> usize {
        self.dims.iter().map(|dim| dim.counts().len()).product()
    }

    /// Bytes of a line that come from each of them.
    pub fn bytes(&self) -> Vec<usize> {
        let mut all = vec![self.element];
        for dim in self.dims {
            all =
                dim.counts().iter().flat_map(|&n| all.iter().map(move |&m| m * index(n))).collect::<Vec<_>>();
        }
        all
    }

    /// The line, of sources that lie so.
    pub fn line(&self, laid: &[Laid]) -> GatherLine {
        let mut line = GatherLine::of(laid.len());
        let top = Above { source: 0, position: 0, to: 0 };
        self.expand(self.dims.len(), &top, &mut [0; MOST_DIMS], laid, &mut line);
        line.finish()
    }

    /// Adds the runs of the first `left` dimensions, at one index of those above them.
    fn expand(
        &self,
        left: usize,
        above: &Above,
        from: &mut [u64; MOST_DIMS],
        laid: &[Laid],
        line: &mut LineBuilder,
    ) {
        let d = left - 1;
        let dim = &self.dims[d];
        for s in dim.stretches() {
            let below = |k: u64| Above {
                source: above.source * dim.counts().len() + s.source,
                position: above.position * index(dim.counts()[s.source]) + index(s.position + k),
                to: above.to + index(s.to + k) * self.strides[d],
            };
            if d > 0 {
                for k in 0..s.len {
                    from[d] = s.from + k;
                    self.expand(d, &below(k), from, laid, line);
                }
                continue;
            }
            from[0] = s.from;
            let first = below(0);
            let bytes = index(s.len) * self.element;
            match &laid[first.source] {
                Laid::Packed => line.push(first.source, first.position * self.element, first.to, bytes),
                Laid::Strides(strides) => {
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

/// Where the dimensions above one are.
struct Above {
    /// Their combination of sources.
    source: usize,
    /// Their position among what comes from it.
    position: usize,
    /// Bytes to where they are in the destination.
    to: usize,
}

/// Indices into memory that exists fit in usize.
pub(super) fn index(i: u64) -> usize {
    usize::try_from(i).expect("an index into memory fits in usize")
}

//! Origin of each local index of one dimension: the source process, and the local indices at both ends.
//!
//! A phase lists its messages one by one. A rank that writes its array in the order of addresses needs all messages
//! merged, in ascending order of its own local indices.

use super::Share;
use crate::layout::intersect::Overlap;

/// A run of local indices that come from one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// Number of the source process in [`Overlap::sources`].
    pub source: usize,
    /// Local index of the first element at the source.
    pub from: u64,
    /// Local index of the first element at the destination.
    pub to: u64,
    /// Position of the first element among the elements from this source.
    pub position: u64,
    /// Number of indices in the run.
    pub len: u64,
}

/// All indices that one process of a dimension receives or keeps, in ascending order of its local indices.
#[derive(Debug)]
pub struct Merged {
    stretches: Vec<Stretch>,
    /// Number of indices from each source process.
    counts: Vec<u64>,
}

impl Merged {
    /// Lists the indices of process `to` of the destination along `dim`; `None` if the indices shared with the sources
    /// have more than `most` runs.
    pub fn new(dim: &Overlap, to: u32, most: u64) -> Option<Self> {
        let share = |&p: &u32| Share::new(dim.shared(p, to), [&dim.from, &dim.to]).local;
        let mut all = Vec::new();
        let mut counts = Vec::new();
        let mut listed = 0;
        for (source, local) in dim.sources(to).iter().map(share).enumerate() {
            listed += local.runs();
            if listed > most {
                return None;
            }
            let mut position = 0;
            for f in local.whole().each() {
                for k in 0..f.count {
                    let [from, to] = [0, 1].map(|d| f.start[d] + k * f.stride[d]);
                    all.push(Stretch { source, from, to, position, len: f.len });
                    position += f.len;
                }
            }
            counts.push(position);
        }
        all.sort_unstable_by_key(|stretch| stretch.to);
        let mut stretches: Vec<Stretch> = Vec::with_capacity(all.len());
        for next in all {
            match stretches.last_mut().filter(|last| last.continues_with(&next)) {
                Some(last) => last.len += next.len,
                None => stretches.push(next),
            }
        }
        Some(Self { stretches, counts })
    }

    /// Returns the stretches, in ascending order of local indices.
    #[inline]
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Returns the number of indices from each source process.
    #[inline]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the total number of indices.
    #[inline]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl Stretch {
    fn continues_with(&self, next: &Self) -> bool {
        let end = Self { from: self.from + self.len, to: self.to + self.len, ..*next };
        self.source == next.source && end == *next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic, GenBlock, Indirect};

    fn axes(rng: &mut fastrand::Rng, len: u64) -> (Axis, u32) {
        let procs = rng.u32(1..5);
        let (start, step) = (rng.u64(0..5), rng.u64(1..3));
        let extent = start + step * len + 3;
        let axis = match rng.u8(0..4) {
            0 => Axis::new(GenBlock::new(&[extent / 3, 0, extent - extent / 3]).unwrap(), 0),
            1 => Axis::new(Indirect::new(procs, (0..extent).map(|_| (rng.u32(0..procs), 1))).unwrap(), 0),
            _ => Axis::new(Cyclic::new(rng.u64(1..9), procs, rng.u32(0..procs)).unwrap(), 0),
        };
        let procs = axis.dist.procs();
        (axis.section(start, step), procs)
    }

    #[test]
    fn indices_come_in_the_order_of_the_destination() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..400 {
            let len = rng.u64(1..60);
            let ((from, _), (to, procs)) = (axes(&mut rng, len), axes(&mut rng, len));
            let dim = Overlap { from, to, len };
            for q in 0..procs {
                let sources = dim.sources(q);
                let mut counts = vec![0; sources.len()];
                let mut want = Vec::new();
                for i in (0..len).filter(|&i| dim.to.owner(i) == q) {
                    let source = sources.iter().position(|&p| p == dim.from.owner(i)).unwrap();
                    want.push((source, dim.from.local(i).0, dim.to.local(i).0, counts[source]));
                    counts[source] += 1;
                }
                let merged = Merged::new(&dim, q, u64::MAX).unwrap();
                let each = |s: &Stretch| {
                    let s = *s;
                    (0..s.len).map(move |k| (s.source, s.from + k, s.to + k, s.position + k))
                };
                assert_eq!(merged.stretches().iter().flat_map(each).collect::<Vec<_>>(), want, "{dim:?} {q}");
                assert_eq!((merged.counts(), merged.total()), (&counts[..], want.len() as u64));
                assert!(want.is_empty() || Merged::new(&dim, q, 0).is_none());
            }
        }
    }
}

//! Where do the indices of a *section* of an array live, along one dimension?
//!
//! Three index spaces follow each other: section index i is array index `start + step * i`; array index x is aligned with
//! template index `origin + stride * x` (HPF's `ALIGN A(x) WITH T(stride*x + origin)`); the template is dealt out by a
//! distribution format. ScaLAPACK's arrays are their own templates. A process keeps the elements of the array that are
//! its own in ascending order, without gaps.
//!
//! Strides are positive here: an alignment with a negative stride is treated as one with a positive stride, on a reversed
//! template and a reversed process dimension. A section with a negative stride is one of an array that is seen from the other
//! end, and so is each process's local array.

use super::count::Progression;
use super::{Cyclic, Dist, Global, Indirect, Local, ToldSection};
use std::ops::Range;
use std::sync::Arc;

/// One dimension of a section.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Axis {
    /// How the template is dealt out.
    pub dist: Dist,
    /// Template index of array index 0.
    origin: u64,
    /// Template indices from an array index to the next one; at least 1.
    stride: u64,
    /// Array index of the section's first element.
    pub start: u64,
    /// Array indices from a section index to the next one; at least 1.
    step: u64,
}

/// Blocks of one size that go round the processes, as a section sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundRobin {
    /// Indices of a block.
    pub block: u64,
    /// Processes.
    pub procs: u32,
    /// Indices of the block with section index 0 that lie before the section; less than `block`.
    pub lead: u64,
    /// The process that owns section index 0.
    pub head: u32,
}

impl Axis {
    /// One that one process has all of.
    pub fn alone() -> Self {
        Self::new(Cyclic::ONE, 0)
    }

    /// The section from `start` on of an array that is dealt out by `dist`.
    pub fn new(dist: impl Into<Dist>, start: u64) -> Self {
        Self { dist: dist.into(), origin: 0, stride: 1, start, step: 1 }
    }

    /// The whole of an array whose element x is aligned with index `origin + stride * x` of a template that is dealt out
    /// by `dist`. Equal where elements lie alike, as far as that is easily seen.
    pub fn aligned(dist: impl Into<Dist>, origin: u64, stride: u64) -> Self {
        let plain = |dist: Dist| Self::new(dist, 0);
        match dist.into() {
            Dist::GenBlock(dist) => plain(dist.aligned(origin, stride).into()),
            Dist::Indirect(dist) => plain(dist.aligned(origin, stride).into()),
            Dist::Cyclic(dist) if dist.procs() == 1 => plain(Cyclic::ONE.into()),
            Dist::Cyclic(dist) => {
                // Blocks of as many template indices as the stride divides are blocks of elements.
                let (block, origin, stride) = match dist.block() % stride {
                    0 => (dist.block() / stride, origin / stride, 1),
                    _ => (dist.block(), origin, stride),
                };
                let (lead, head) = (origin % block, dist.at(origin / block));
                let dist = Cyclic::new(block, dist.procs(), head).expect("as valid as it was");
                Self { origin: lead, stride, ..plain(dist.into()) }
            }
        }
    }

    /// The indices `start`, `start + step`, ... of this section.
    pub fn section(&self, start: u64, step: u64) -> Self {
        Self { start: self.start + self.step * start, step: self.step * step, ..self.clone() }
    }

    /// The whole array, of `extent` indices, seen from the other end, where process c is P - 1 - c. A process keeps its elements in
    /// the opposite order then.
    #[must_use]
    pub fn reversed(&self, extent: u64) -> Self {
        let Some(last) = extent.checked_sub(1) else { return self.clone() };
        let last = self.origin + self.stride * last;
        let (dist, first) = self.dist.reversed(last + 1);
        Self::aligned(dist, first - last, self.stride)
    }

    /// Whether both are sections of arrays that are dealt out alike.
    pub fn is_dealt_like(&self, other: &Self) -> bool {
        (self.origin, self.stride) == (other.origin, other.stride) && self.dist == other.dist
    }

    /// Whether section indices are template indices but for where they start, and array indices are template indices.
    pub fn is_plain(&self) -> bool {
        self.is_own_template() && self.step == 1
    }

    /// Whether array indices are template indices.
    #[inline]
    pub fn is_own_template(&self) -> bool {
        self.origin == 0 && self.stride == 1
    }

    /// Whether, of the indices of one process, those at equal distances in the section are at equal distances in its local
    /// array.
    pub fn is_steady(&self) -> bool {
        self.stride == 1 && self.step == 1 && !matches!(self.dist, Dist::Indirect(_))
    }

    #[inline]
    fn array(&self, i: u64) -> u64 {
        self.start + self.step * i
    }

    /// The template index of section index `i`.
    #[inline]
    pub(super) fn template(&self, i: u64) -> u64 {
        self.origin + self.stride * self.array(i)
    }

    /// Template indices from a section index to the next one.
    #[inline]
    pub(super) fn pace(&self) -> u64 {
        self.stride * self.step
    }

    /// The process that owns section index `i`.
    pub fn owner(&self, i: u64) -> u32 {
        self.dist.owner(Global(self.template(i)))
    }

    /// The process that owns section index `i`, if it is known here.
    pub fn owner_if_known(&self, i: u64) -> Option<u32> {
        self.dist.owner_if_known(Global(self.template(i)))
    }

    /// The same section, of which something was told, where a process does not know the owners of all its indices.
    pub fn telling(&self, told: &Arc<ToldSection>) -> Self {
        let dist = self.dist.part().map(|part| Indirect::from(part.telling(told.clone())).into());
        Self { dist: dist.unwrap_or_else(|| self.dist.clone()), ..self.clone() }
    }

    /// Where the owner of section index `i` keeps it in its local array.
    pub fn local(&self, i: u64) -> Local {
        if self.stride == 1 {
            let at = Global(self.template(i));
            let before =
                if self.origin == 0 { 0 } else { self.dist.local_len(self.origin, self.dist.owner(at)) };
            return Local(self.dist.local(at).0 - before);
        }
        Local(self.local_len(self.array(i), self.owner(i)))
    }

    /// How many of the array's indices `0..extent` process `coord` owns.
    pub fn local_len(&self, extent: u64, coord: u32) -> u64 {
        match &self.dist {
            Dist::Cyclic(dist) if self.stride > 1 => {
                Progression { origin: self.origin, stride: self.stride }.count(dist, extent, coord)
            }
            dist => {
                let before = if self.origin == 0 { 0 } else { dist.local_len(self.origin, coord) };
                dist.local_len(self.origin + extent, coord) - before
            }
        }
    }

    /// Of the array's indices `0..extent`, the one that process `coord` keeps as `own`, which it has: the last one before
    /// which it has no more than that.
    pub fn global(&self, extent: u64, coord: u32, Local(own): Local) -> u64 {
        let known = match (&self.dist, self.origin, self.stride) {
            (Dist::Cyclic(dist), 0, 1) => dist.global(coord, Local(own)).filter(|i| i.0 < extent),
            (Dist::Indirect(dist), 0, 1) => dist.global(coord, Local(own)),
            _ => None,
        };
        if let Some(Global(i)) = known {
            return i;
        }
        let (mut low, mut high) = (0, extent);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if self.local_len(middle, coord) <= own { low = middle } else { high = middle - 1 }
        }
        low
    }

    /// Whether the array's indices `0..extent` that a process has are neighbours, on each process; `None` where that is not known
    /// here. Blocks count as if the array had an index in each of them.
    pub fn is_one_run_each(&self, extent: u64) -> Option<bool> {
        let Some(last) = extent.checked_sub(1) else { return Some(true) };
        match &self.dist {
            Dist::GenBlock(_) => Some(true),
            Dist::Cyclic(dist) => {
                let blocks =
                    (self.origin + self.stride * last) / dist.block() - self.origin / dist.block() + 1;
                Some(dist.procs() == 1 || blocks <= dist.procs().into())
            }
            Dist::Indirect(dist) if dist.part().is_some() => None,
            Dist::Indirect(dist) => {
                let owners = dist.runs().take_while(|(_, run)| run.start <= last).map(|(owner, _)| owner);
                let mut owners: Vec<u32> = owners.collect();
                owners.dedup();
                let runs = owners.len();
                owners.sort_unstable();
                owners.dedup();
                Some(owners.len() == runs)
            }
        }
    }

    /// Of the array's indices `0..extent`, the one at which those of process `coord` would begin, which has none: `extent` if they
    /// would be behind the last one. 0 if the processes do not have their indices one after the other, in order.
    pub fn start_of(&self, extent: u64, coord: u32) -> u64 {
        let in_order = !matches!(self.dist, Dist::Indirect(_)) && self.is_one_run_each(extent) == Some(true);
        if extent == 0 || !in_order || self.owner(0) > self.owner(extent - 1) {
            return 0;
        }
        let (mut low, mut high) = (0, extent);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.owner(middle) < coord { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Elements of the local array of process `coord`, up to the last one of a section of `len` elements.
    pub fn held(&self, len: u64, coord: u32) -> u64 {
        if len == 0 { 0 } else { self.local_len(self.array(len - 1) + 1, coord) }
    }

    /// The section as blocks of one size that go round the processes, if it is that.
    pub fn round_robin(&self) -> Option<RoundRobin> {
        let Dist::Cyclic(dist) = &self.dist else { return None };
        let (procs, head, pace) = (dist.procs(), self.owner(0), self.pace());
        if procs == 1 {
            return Some(RoundRobin { block: dist.block(), procs, lead: 0, head });
        }
        let block = dist.block() / pace;
        (dist.block() % pace == 0).then(|| RoundRobin {
            block,
            procs,
            lead: self.template(0) / pace % block,
            head,
        })
    }

    /// The section indices of template indices `span`, as far as there are any.
    #[inline]
    pub fn inside(&self, span: &Range<u64>, len: u64) -> Range<u64> {
        let (first, pace) = (self.template(0), self.pace());
        let at = |bound: u64| match pace {
            1 => bound.saturating_sub(first).min(len),
            _ => bound.saturating_sub(first).div_ceil(pace).min(len),
        };
        at(span.start)..at(span.end)
    }

    /// How many section indices from `i` on lie in the same block or run of the distribution: neighbours among them are
    /// [`Axis::step`] apart in a local array.
    pub fn stretch(&self, i: u64) -> u64 {
        let at = self.template(i);
        let end = match &self.dist {
            Dist::Cyclic(dist) if dist.procs() == 1 => return u64::MAX,
            Dist::Cyclic(dist) => (at / dist.block() + 1).saturating_mul(dist.block()),
            Dist::GenBlock(dist) => dist.span(dist.owner(Global(at))).end,
            Dist::Indirect(dist) => dist.run_at(at).1.end,
        };
        (end - at).div_ceil(self.pace())
    }

    /// Local elements from one to the next of a stretch.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The section as what it is dealt by, if that is neither round robin nor one block or list of runs a process: blocks
    /// of a template on which it goes in steps that do not divide them. (The distribution, template index of section
    /// index 0, template indices from one to the next.)
    pub fn strided(&self) -> Option<(&Cyclic, u64, u64)> {
        match &self.dist {
            Dist::Cyclic(dist) if self.round_robin().is_none() => Some((dist, self.template(0), self.pace())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;

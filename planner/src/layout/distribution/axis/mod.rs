//! One dimension of a *section* of an array: maps section indices to owners and local indices.
//!
//! There are three index spaces. Section index i is array index `start + step * i`. Array index x is aligned with
//! template index `origin + stride * x` (HPF's `ALIGN A(x) WITH T(stride*x + origin)`). A distribution format assigns
//! template indices to processes. In ScaLAPACK's arrays, array indices are template indices. A process stores its
//! elements of the array in ascending order, without gaps.
//!
//! Strides are positive: a negative stride of an alignment reverses the template and the process dimension
//! ([`Axis::reversed`]); a negative stride of a section reverses the array and its local arrays.

use super::count::Progression;
use super::{Cyclic, Dist, Global, Indirect, Local, ReceivedSection};
use std::ops::Range;
use std::sync::Arc;

/// One dimension of a section.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Axis {
    /// Distribution of the template's axis, in template indices.
    pub dist: Dist,
    /// Template index of array index 0.
    origin: u64,
    /// Distance of neighbouring array indices in template indices; at least 1.
    stride: u64,
    /// Array index of the section's first element.
    pub start: u64,
    /// Distance of neighbouring section indices in array indices; at least 1.
    step: u64,
}

/// Round robin of equal blocks, in section indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundRobin {
    /// Section indices per block; at least 1.
    pub block: u64,
    /// Number of processes in the round.
    pub procs: u32,
    /// Indices of the block with section index 0 that lie before the section; less than `block`.
    pub lead: u64,
    /// Process that owns section index 0.
    pub head: u32,
}

impl Axis {
    /// Creates a collapsed axis: all indices on one process.
    pub fn collapsed() -> Self {
        Self::new(Cyclic::ONE, 0)
    }

    /// Creates the section from array index `start` on, of an array that is distributed by `dist`.
    pub fn new(dist: impl Into<Dist>, start: u64) -> Self {
        Self { dist: dist.into(), origin: 0, stride: 1, start, step: 1 }
    }

    /// Creates the axis of a whole array, aligned with a template distributed by `dist`. In common cases, axes that
    /// place elements alike compare equal.
    pub fn aligned(dist: impl Into<Dist>, origin: u64, stride: u64) -> Self {
        let plain = |dist: Dist| Self::new(dist, 0);
        match dist.into() {
            Dist::GenBlock(dist) => plain(dist.aligned(origin, stride).into()),
            Dist::Indirect(dist) => plain(dist.aligned(origin, stride).into()),
            Dist::Cyclic(dist) if dist.procs() == 1 => plain(Cyclic::ONE.into()),
            Dist::Cyclic(dist) => {
                // If the stride divides the block size, blocks of the template are blocks of elements.
                let (block, origin, stride) = match dist.block() % stride {
                    0 => (dist.block() / stride, origin / stride, 1),
                    _ => (dist.block(), origin, stride),
                };
                let (lead, head) = (origin % block, dist.owner_of_block(origin / block));
                let dist =
                    Cyclic::new(block, dist.procs(), head).expect("parameters of a valid distribution");
                Self { origin: lead, stride, ..plain(dist.into()) }
            }
        }
    }

    /// Returns the section that has the indices `start`, `start + step`, ... of this section.
    pub fn section(&self, start: u64, step: u64) -> Self {
        Self { start: self.start + self.step * start, step: self.step * step, ..self.clone() }
    }

    /// Returns the whole array of `extent` indices in reverse order; process c of P becomes process P - 1 - c. Each
    /// process then stores its elements in reverse order, too.
    #[must_use]
    pub fn reversed(&self, extent: u64) -> Self {
        let Some(last) = extent.checked_sub(1) else { return self.clone() };
        let last = self.origin + self.stride * last;
        let (dist, first) = self.dist.reversed(last + 1);
        Self::aligned(dist, first - last, self.stride)
    }

    /// Returns true if both axes are sections of arrays with equal distributions and alignments.
    pub fn is_dealt_like(&self, other: &Self) -> bool {
        (self.origin, self.stride) == (other.origin, other.stride) && self.dist == other.dist
    }

    /// Returns the template index of array index 0, the distance of neighbouring array indices in template indices, and
    /// the distance of neighbouring section indices in array indices.
    pub fn alignment(&self) -> [u64; 3] {
        [self.origin, self.stride, self.step]
    }

    /// Returns true if array indices are template indices and the section has step 1.
    pub fn is_plain(&self) -> bool {
        self.is_own_template() && self.step == 1
    }

    /// Returns true if array indices are template indices.
    #[inline]
    pub fn is_own_template(&self) -> bool {
        self.origin == 0 && self.stride == 1
    }

    /// Returns true if a process's indices that are equally spaced in the section are equally spaced in its local
    /// array.
    pub fn preserves_spacing(&self) -> bool {
        self.stride == 1 && self.step == 1 && !matches!(self.dist, Dist::Indirect(_))
    }

    #[inline]
    fn array(&self, i: u64) -> u64 {
        self.start + self.step * i
    }

    /// Returns the template index of section index `i`.
    #[inline]
    pub(super) fn template(&self, i: u64) -> u64 {
        self.origin + self.stride * self.array(i)
    }

    /// Returns the distance of neighbouring section indices in template indices.
    #[inline]
    pub(super) fn template_stride(&self) -> u64 {
        self.stride * self.step
    }

    /// Returns the owner of section index `i`. Panics if this process does not have the owner of `i` ([`Dist::part`]).
    pub fn owner(&self, i: u64) -> u32 {
        self.dist.owner(Global(self.template(i)))
    }

    /// Returns the owner of section index `i`; `None` if this process does not have it.
    pub fn owner_if_known(&self, i: u64) -> Option<u32> {
        self.dist.owner_if_known(Global(self.template(i)))
    }

    /// Returns the axis with the received partners of this section; the axis itself if this process has all owners.
    pub fn with_received(&self, received: &Arc<ReceivedSection>) -> Self {
        let dist = self.dist.part().map(|part| Indirect::from(part.with_received(received.clone())).into());
        Self { dist: dist.unwrap_or_else(|| self.dist.clone()), ..self.clone() }
    }

    /// Returns the local index of section index `i` in its owner's local array.
    pub fn local(&self, i: u64) -> Local {
        if self.stride == 1 {
            let at = Global(self.template(i));
            let before =
                if self.origin == 0 { 0 } else { self.dist.local_len(self.origin, self.dist.owner(at)) };
            return Local(self.dist.local(at).0 - before);
        }
        Local(self.local_len(self.array(i), self.owner(i)))
    }

    /// Returns the number of array indices in `0..extent` that process `coord` owns.
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

    /// Returns the array index in `0..extent` that process `coord` stores at local index `own`. The process must have
    /// that element. Takes a binary search if there is no closed form.
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

    /// Checks whether every process's array indices in `0..extent` form at most one run; `None` if this process does
    /// not have all owners. Empty cyclic blocks count as runs, so `Some(false)` may be wrong.
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

    /// Returns the array index where the empty run of process `coord` would begin: the first index in `0..extent` whose
    /// owner is at least `coord`, or `extent` if there is none. Returns 0 for an `INDIRECT` axis, and if the runs are
    /// not in the order of coordinates.
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

    /// Returns the number of elements that process `coord` owns from the array's start to the end of a section of `len`
    /// elements.
    pub fn count_owned_up_to(&self, len: u64, coord: u32) -> u64 {
        if len == 0 { 0 } else { self.local_len(self.array(len - 1) + 1, coord) }
    }

    /// Returns the section as a round robin of equal blocks. `None` unless one process owns everything, or the distance
    /// of neighbouring section indices in template indices divides the block size.
    pub fn round_robin(&self) -> Option<RoundRobin> {
        let Dist::Cyclic(dist) = &self.dist else { return None };
        let (procs, head, stride) = (dist.procs(), self.owner(0), self.template_stride());
        if procs == 1 {
            return Some(RoundRobin { block: dist.block(), procs, lead: 0, head });
        }
        let block = dist.block() / stride;
        (dist.block() % stride == 0).then(|| RoundRobin {
            block,
            procs,
            lead: self.template(0) / stride % block,
            head,
        })
    }

    /// Returns the range of section indices below `len` whose template indices are in `span`.
    #[inline]
    pub fn inside(&self, span: &Range<u64>, len: u64) -> Range<u64> {
        let below = self.count_below(len);
        below(span.start)..below(span.end)
    }

    /// Returns a function that counts the indices of a section of `len` elements below a template index.
    pub fn count_below(&self, len: u64) -> impl Fn(u64) -> u64 + use<> {
        let (first, stride) = (self.template(0), self.template_stride());
        move |bound| match stride {
            1 => bound.saturating_sub(first).min(len),
            _ => bound.saturating_sub(first).div_ceil(stride).min(len),
        }
    }

    /// Returns the number of section indices from `i` on in one block or run (a *stretch*). In a local array they are
    /// [`Axis::step`] apart.
    pub fn run_length_from(&self, i: u64) -> u64 {
        let at = self.template(i);
        let end = match &self.dist {
            Dist::Cyclic(dist) if dist.procs() == 1 => return u64::MAX,
            Dist::Cyclic(dist) => (at / dist.block() + 1).saturating_mul(dist.block()),
            Dist::GenBlock(dist) => dist.span(dist.owner(Global(at))).end,
            Dist::Indirect(dist) => dist.run_at(at).1.end,
        };
        (end - at).div_ceil(self.template_stride())
    }

    /// Returns the distance, in a local array, of neighbouring section indices of a stretch
    /// ([`Axis::run_length_from`]).
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Returns a cyclic distribution, the template index of section index 0, and the distance of neighbouring section
    /// indices in template indices. `None` for a round robin, GEN_BLOCK and INDIRECT.
    pub fn strided(&self) -> Option<(&Cyclic, u64, u64)> {
        match &self.dist {
            Dist::Cyclic(dist) if self.round_robin().is_none() => {
                Some((dist, self.template(0), self.template_stride()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;

//! Where do the indices of a *section* of an array live, along one dimension?
//!
//! A section starts at some global index of the array (ScaLAPACK's IA, JA); its own indices count from 0.

use super::{Dist, Global, Local};

/// One dimension of a section: section index `i` is global index `start + i` of an array dealt out by `dist`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Axis {
    /// How the whole array is dealt out.
    pub dist: Dist,
    /// Global index of the section's first element.
    pub start: u64,
}

impl Axis {
    /// A section from `start` on.
    pub fn new(dist: impl Into<Dist>, start: u64) -> Self {
        Self { dist: dist.into(), start }
    }

    /// The process that owns section index `i`.
    pub fn owner(&self, i: u64) -> u32 {
        self.dist.owner(Global(self.start + i))
    }

    /// Where the owner of section index `i` keeps it in its local array.
    pub fn local(&self, i: u64) -> Local {
        self.dist.local(Global(self.start + i))
    }
}

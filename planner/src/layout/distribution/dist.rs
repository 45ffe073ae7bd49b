//! Distribution of one dimension of an array, by any of the distribution formats.

use super::{Cyclic, GenBlock, Global, Indirect, Local, PartialOwners};

/// A distribution format with its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dist {
    /// Blocks of one size, round robin. HPF's BLOCK and a collapsed dimension are special cases.
    Cyclic(Cyclic),
    /// One block of any size per process.
    GenBlock(GenBlock),
    /// An owner for each index.
    Indirect(Indirect),
}

impl Dist {
    /// Returns the number of processes along the grid dimension.
    pub fn procs(&self) -> u32 {
        match self {
            Self::Cyclic(d) => d.procs(),
            Self::GenBlock(d) => d.procs(),
            Self::Indirect(d) => d.procs(),
        }
    }

    /// Returns the owner of global index `i`. Panics if this process has a partial list of owners without `i`
    /// ([`Dist::part`]).
    pub fn owner(&self, i: Global) -> u32 {
        match self {
            Self::Cyclic(d) => d.owner(i),
            Self::GenBlock(d) => d.owner(i),
            Self::Indirect(d) => d.owner(i),
        }
    }

    /// Returns the owner of global index `i`; `None` if this process has a partial list of owners without `i`
    /// ([`Dist::part`]).
    pub fn owner_if_known(&self, i: Global) -> Option<u32> {
        match self {
            Self::Indirect(d) => d.owner_if_known(i),
            _ => Some(self.owner(i)),
        }
    }

    /// Returns the partial list of owners, if this process has only its own indices of an `INDIRECT` dimension; `None`
    /// if this process can compute the owner of every index.
    pub fn part(&self) -> Option<&PartialOwners> {
        match self {
            Self::Indirect(d) => d.part(),
            _ => None,
        }
    }

    /// Returns the number of global indices in `0..n` that process `coord` owns.
    pub fn local_len(&self, n: u64, coord: u32) -> u64 {
        match self {
            Self::Cyclic(d) => d.local_len(n, coord),
            Self::GenBlock(d) => d.local_len(n, coord),
            Self::Indirect(d) => d.local_len(n, coord),
        }
    }

    /// Returns the local index of global index `i` on its owner. If the list of owners is partial, `i` must be an index
    /// of this process.
    pub fn local(&self, i: Global) -> Local {
        match self {
            Self::Cyclic(d) => d.local(i),
            Self::GenBlock(d) => d.local(i),
            Self::Indirect(d) => d.local(i),
        }
    }

    /// Returns the distribution with its `extent` indices in reverse order; process c of P becomes process P - 1 - c.
    /// Also returns the original index that becomes index 0. That index may be `extent` or more, because the last block
    /// is reversed as a whole.
    pub fn reversed(&self, extent: u64) -> (Self, u64) {
        match self {
            Self::GenBlock(dist) => (dist.reversed().into(), dist.total().saturating_sub(1)),
            Self::Indirect(dist) => (dist.reversed().into(), dist.total().saturating_sub(1)),
            Self::Cyclic(dist) => {
                let blocks = extent.div_ceil(dist.block()).max(1);
                let first = dist.procs() - 1 - dist.owner_of_block(blocks - 1);
                let back = Cyclic::new(dist.block(), dist.procs(), first)
                    .expect("parameters of a valid distribution");
                (back.into(), (blocks - 1).saturating_mul(dist.block()).saturating_add(dist.block() - 1))
            }
        }
    }
}

impl From<Cyclic> for Dist {
    fn from(d: Cyclic) -> Self {
        Self::Cyclic(d)
    }
}

impl From<GenBlock> for Dist {
    fn from(d: GenBlock) -> Self {
        Self::GenBlock(d)
    }
}

impl From<Indirect> for Dist {
    fn from(d: Indirect) -> Self {
        Self::Indirect(d)
    }
}

impl std::fmt::Display for Dist {
    /// Writes the format in HPF's notation.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cyclic(d) if d.procs() == 1 => f.write_str("*"),
            Self::Cyclic(d) => write!(f, "CYCLIC({})", d.block()),
            Self::Indirect(d) => write!(f, "{d}"),
            Self::GenBlock(d) => {
                let sizes: Vec<String> =
                    (0..d.procs()).map(|c| (d.span(c).end - d.span(c).start).to_string()).collect();
                write!(f, "GEN_BLOCK(/{}/)", sizes.join(","))
            }
        }
    }
}

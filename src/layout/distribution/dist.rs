//! HOW is one dimension of an array distributed? By one of the distribution formats.

use super::{Cyclic, GenBlock, Global, Indirect, Local, PartialOwners};

/// A distribution format with its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Dist {
    /// Blocks of one size, round robin; HPF's BLOCK and a collapsed dimension are special cases.
    Cyclic(Cyclic),
    /// One block a process, of any size.
    GenBlock(GenBlock),
    /// Owners one by one.
    Indirect(Indirect),
}

impl Dist {
    /// Processes of the grid dimension.
    pub fn procs(&self) -> u32 {
        match self {
            Self::Cyclic(d) => d.procs(),
            Self::GenBlock(d) => d.procs(),
            Self::Indirect(d) => d.procs(),
        }
    }

    /// The process that owns global index `i`.
    pub fn owner(&self, i: Global) -> u32 {
        match self {
            Self::Cyclic(d) => d.owner(i),
            Self::GenBlock(d) => d.owner(i),
            Self::Indirect(d) => d.owner(i),
        }
    }

    /// The same, if it is known: of an `INDIRECT` dimension a process may know its own indices only.
    pub fn owner_if_known(&self, i: Global) -> Option<u32> {
        match self {
            Self::Indirect(d) => d.owner_if_known(i),
            _ => Some(self.owner(i)),
        }
    }

    /// What one process knows of the owners, if it does not know them all.
    pub fn part(&self) -> Option<&PartialOwners> {
        match self {
            Self::Indirect(d) => d.part(),
            _ => None,
        }
    }

    /// How many of the global indices `0..n` process `coord` owns.
    pub fn local_len(&self, n: u64, coord: u32) -> u64 {
        match self {
            Self::Cyclic(d) => d.local_len(n, coord),
            Self::GenBlock(d) => d.local_len(n, coord),
            Self::Indirect(d) => d.local_len(n, coord),
        }
    }

    /// Where the owner of global index `i` keeps it.
    pub fn local(&self, i: Global) -> Local {
        match self {
            Self::Cyclic(d) => d.local(i),
            Self::GenBlock(d) => d.local(i),
            Self::Indirect(d) => d.local(i),
        }
    }

    /// The distribution of `extent` indices seen from the other end, where process c is P - 1 - c, and the index that is index 0
    /// there.
    pub fn reversed(&self, extent: u64) -> (Self, u64) {
        match self {
            Self::GenBlock(dist) => (dist.reversed().into(), dist.total().saturating_sub(1)),
            Self::Indirect(dist) => (dist.reversed().into(), dist.total().saturating_sub(1)),
            Self::Cyclic(dist) => {
                let blocks = extent.div_ceil(dist.block()).max(1);
                let first = dist.procs() - 1 - dist.at(blocks - 1);
                let back = Cyclic::new(dist.block(), dist.procs(), first).expect("as valid as it was");
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
    /// In HPF's notation.
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

//! Distribution formats of a template axis, as in HPF.

use super::{Mistake, count_text, ensure};
use crate::layout::distribution::{Cyclic, Dist, GenBlock, Indirect};
use std::fmt;

/// A distribution format with its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    /// `*`: not distributed; every process has all indices.
    Collapsed,
    /// `BLOCK` or `BLOCK(m)`: at most one block per process, of m indices. For `BLOCK`, m is the number of indices
    /// divided by the number of processes, rounded up.
    Block(Option<u64>),
    /// `CYCLIC(k)`: blocks of k indices, round robin.
    Cyclic {
        /// Indices of a block; must be at least 1.
        block: u64,
        /// Process with the first block: 0 in HPF, RSRC or CSRC in ScaLAPACK.
        first: u32,
    },
    /// `GEN_BLOCK(/…/)`: one block of the given size per process.
    GenBlock(GenBlock),
    /// `INDIRECT`: an owner for each index.
    Indirect(Indirect),
}

impl Format {
    /// Returns `CYCLIC(block)`, from process 0 on.
    pub fn cyclic(block: u64) -> Self {
        Self::Cyclic { block, first: 0 }
    }

    /// Distributes `extent` indices over `procs` processes. Fails if the parameters do not fit these numbers.
    pub fn dist(&self, extent: u64, procs: u32) -> Result<Dist, Mistake> {
        let blocks = |block: u64, first: u32| Cyclic::new(block, procs, first).map(Dist::from);
        match self {
            Self::Collapsed => Ok(Cyclic::ONE.into()),
            Self::Block(None) => {
                let block = extent.div_ceil(procs.into()).max(1);
                Ok(blocks(block, 0).expect("a block of at least one index"))
            }
            Self::Block(Some(block)) => {
                let room = u128::from(*block) * u128::from(procs);
                ensure(*block > 0 && room >= u128::from(extent), || {
                    format!(
                        "BLOCK({block}) on {} has room for {room} indices, expected at least {extent}",
                        processes(procs)
                    )
                })?;
                Ok(blocks(*block, 0).expect("a block of at least one index"))
            }
            Self::Cyclic { block, first } => {
                ensure(*block > 0, || "the block size of CYCLIC is 0, expected at least 1".into())?;
                blocks(*block, *first).ok_or_else(|| {
                    Mistake(format!("the first block is on process {first}, expected 0 to {}", procs - 1))
                })
            }
            Self::GenBlock(dist) => {
                ensure(dist.procs() == procs, || {
                    format!(
                        "GEN_BLOCK has {} for {}",
                        count_text(dist.procs(), "size", "sizes"),
                        processes(procs)
                    )
                })?;
                ensure(dist.total() >= extent, || {
                    format!("the sizes of GEN_BLOCK add up to {}, expected at least {extent}", dist.total())
                })?;
                Ok(dist.clone().into())
            }
            Self::Indirect(dist) => {
                ensure(dist.procs() == procs, || {
                    format!(
                        "INDIRECT has owners among {} processes, expected {}",
                        dist.procs(),
                        processes(procs)
                    )
                })?;
                ensure(dist.total() == extent, || {
                    format!("INDIRECT has {}, expected {extent}", count_text(dist.total(), "owner", "owners"))
                })?;
                Ok(dist.clone().into())
            }
        }
    }
}

impl fmt::Display for Format {
    /// Writes the format in HPF's notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Collapsed => f.write_str("*"),
            Self::Block(None) => f.write_str("BLOCK"),
            Self::Block(Some(block)) => write!(f, "BLOCK({block})"),
            Self::Cyclic { block: 1, .. } => f.write_str("CYCLIC"),
            Self::Cyclic { block, .. } => write!(f, "CYCLIC({block})"),
            Self::GenBlock(dist) => write!(f, "{}", Dist::from(dist.clone())),
            Self::Indirect(dist) => write!(f, "{dist}"),
        }
    }
}

fn processes(n: u32) -> String {
    count_text(n, "process", "processes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_as_hpf_writes_them() {
        let sizes = GenBlock::new(&[3, 5, 2]).unwrap();
        let owners = Indirect::new(3, [(0, 1), (1, 2), (2, 1)]).unwrap();
        let cases = [
            (Format::Collapsed, "*"),
            (Format::Block(None), "BLOCK"),
            (Format::Block(Some(7)), "BLOCK(7)"),
            (Format::cyclic(1), "CYCLIC"),
            (Format::cyclic(4), "CYCLIC(4)"),
            (Format::GenBlock(sizes), "GEN_BLOCK(/3,5,2/)"),
            (Format::Indirect(owners), "INDIRECT(/0,2*1,2/)"),
        ];
        for (format, text) in cases {
            assert_eq!(format.to_string(), text);
        }
    }

    #[test]
    fn formats_that_do_not_fit_are_refused() {
        let gen_block = |sizes: &[u64]| Format::GenBlock(GenBlock::new(sizes).unwrap());
        let indirect = |procs, len| Format::Indirect(Indirect::new(procs, [(0, len)]).unwrap());
        let cases = [
            (Format::Block(Some(3)), "BLOCK(3) on 3 processes has room for 9 indices, expected at least 10"),
            (Format::Block(Some(0)), "BLOCK(0) on 3 processes has room for 0 indices, expected at least 10"),
            (Format::cyclic(0), "the block size of CYCLIC is 0, expected at least 1"),
            (Format::Cyclic { block: 2, first: 3 }, "the first block is on process 3, expected 0 to 2"),
            (gen_block(&[5, 5]), "GEN_BLOCK has 2 sizes for 3 processes"),
            (gen_block(&[5, 3, 1]), "the sizes of GEN_BLOCK add up to 9, expected at least 10"),
            (indirect(3, 9), "INDIRECT has 9 owners, expected 10"),
            (indirect(2, 10), "INDIRECT has owners among 2 processes, expected 3 processes"),
        ];
        for (format, why) in cases {
            assert_eq!(format.dist(10, 3).unwrap_err().to_string(), why);
        }
        assert!(Format::Block(None).dist(0, 4).is_ok(), "no index at all");
        assert!(Format::Block(Some(u64::MAX)).dist(10, 3).is_ok());
    }
}

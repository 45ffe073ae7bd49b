//! One side of a redistribution as a user describes it: formats and a processor arrangement, or an alignment with a
//! template. Converts the layout to the library's axes and grid for an array of given extents, and doubles its
//! processes.

use reblock_plan::layout::distribution::{Axis, Cyclic, GenBlock, Grid, Indirect};
use reblock_plan::layout::mapping;
use std::fmt;

/// Maximum number of ranks of one side: more than any machine has, and few enough for a list of them in memory.
pub const MAX_RANKS: u64 = 1 << 22;

/// A distribution format of HPF.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// At most one block per process, of ⌈n/p⌉ elements for n elements on p processes; the last block may be shorter.
    Block,
    /// At most one block per process, of the given size.
    BlockOf(u64),
    /// Blocks of the given size, round robin.
    Cyclic(u64),
    /// One block per process, of the given sizes.
    GenBlock(Vec<u64>),
    /// Runs of neighbouring elements with one owner, each run as (process, elements).
    Indirect(Vec<(u32, u64)>),
    /// Not distributed: one process has all elements.
    Collapsed,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dim {
    pub format: Format,
    /// Number of processes in the arrangement's dimension; 1 if the dimension is collapsed.
    pub procs: u32,
    /// Coordinate of the process with the first block.
    pub first: u32,
    /// Index, from 0, of the section's start in the whole array.
    pub start: u64,
}

/// An array that is distributed dimension by dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dealt {
    pub dims: Vec<Dim>,
    /// Dimensions of the arrangement after those of the array: each process along them has a copy.
    pub copies: Vec<u32>,
    /// Rank of the first process; the others follow in row-major order.
    pub at: u32,
}

/// An array that is aligned with a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aligned {
    pub map: mapping::Map,
    /// Rank of the first process, as in [`Dealt`].
    pub at: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    Dealt(Dealt),
    Aligned(Box<Aligned>),
}

impl From<Dealt> for Layout {
    fn from(dealt: Dealt) -> Self {
        Self::Dealt(dealt)
    }
}

impl Dim {
    /// Checks that `len` elements fit the format; the error says why they do not.
    pub fn fits(&self, len: u64) -> Result<(), String> {
        match &self.format {
            Format::BlockOf(block) if block.checked_mul(self.procs.into()).is_some_and(|n| n < len) => {
                Err(format!("{} blocks of {block} hold fewer than {len} elements", self.procs))
            }
            Format::GenBlock(sizes) => {
                let total = sizes.iter().try_fold(0u64, |n, &size| n.checked_add(size));
                if sizes.len() != self.procs as usize {
                    Err(format!("{} block sizes for {} processes", sizes.len(), self.procs))
                } else if total.is_none_or(|total| total < len) {
                    let total = total.map_or("more than fits in 64 bits".into(), |n| n.to_string());
                    Err(format!("the block sizes add up to {total}, expected at least {len}"))
                } else {
                    Ok(())
                }
            }
            Format::Indirect(runs) => {
                let total = runs.iter().try_fold(0u64, |n, &(_, run)| n.checked_add(run));
                if let Some((owner, _)) = runs.iter().find(|(owner, _)| *owner >= self.procs) {
                    Err(format!("the owner is {owner}, expected 0 to {}", self.procs - 1))
                } else if total != Some(len) {
                    let total = total.map_or("more than fits in 64 bits".into(), |n| n.to_string());
                    Err(format!("the number of owners is {total}, expected {len}"))
                } else {
                    Ok(())
                }
            }
            _ => Ok(()),
        }
    }

    /// Returns the distribution of `len` elements; `None` if they do not fit.
    pub fn axis(&self, len: u64) -> Option<Axis> {
        self.fits(len).ok()?;
        let block = match &self.format {
            Format::GenBlock(sizes) => return Some(Axis::new(GenBlock::new(sizes)?, self.start)),
            Format::Indirect(runs) => {
                let dist = Indirect::new(self.procs, runs.iter().copied())?;
                return Some(Axis::new(dist, self.start));
            }
            Format::Block => len.div_ceil(self.procs.into()),
            // A block that extends past the end of the section is cut there.
            Format::BlockOf(block) | Format::Cyclic(block) => (*block).min(self.start + len),
            Format::Collapsed => len,
        };
        Some(Axis::new(Cyclic::new(block, self.procs, self.first)?, self.start))
    }

    /// Returns the block size of CYCLIC(k); `None` for other formats.
    pub fn cyclic(&self) -> Option<u64> {
        match self.format {
            Format::Cyclic(block) => Some(block),
            _ => None,
        }
    }

    /// Returns the dimension on twice the processes; `None` if the processes exceed a `u32`. The sizes of GEN_BLOCK are
    /// repeated. The runs of INDIRECT are repeated, too, with the added processes as owners.
    pub fn doubled(&self) -> Option<Self> {
        let format = match &self.format {
            Format::GenBlock(sizes) => Format::GenBlock(sizes.repeat(2)),
            Format::Indirect(runs) => {
                let other = runs.iter().map(|&(owner, run)| Some((owner.checked_add(self.procs)?, run)));
                Format::Indirect(runs.iter().copied().map(Some).chain(other).collect::<Option<_>>()?)
            }
            other => other.clone(),
        };
        Some(Self { format, procs: self.procs.checked_mul(2)?, ..self.clone() })
    }
}

impl Layout {
    /// Returns the number of processes along each dimension of the arrangement.
    fn extents(&self) -> Vec<u32> {
        match self {
            Self::Dealt(Dealt { dims, copies, .. }) => {
                dims.iter().map(|dim| dim.procs).chain(copies.iter().copied()).collect()
            }
            Self::Aligned(aligned) => aligned.map.template().arrangement().shape().to_vec(),
        }
    }

    /// Returns the rank of the first process.
    pub fn at(&self) -> u32 {
        match self {
            Self::Dealt(dealt) => dealt.at,
            Self::Aligned(aligned) => aligned.at,
        }
    }

    /// Returns the number of ranks of the arrangement. Some of them may have no part of the array.
    pub fn ranks(&self) -> u64 {
        self.extents().into_iter().map(u64::from).product()
    }

    /// Returns the distribution of each dimension of an array of these extents; the error says why the array does not
    /// fit.
    pub fn axes(&self, shape: &[u64]) -> Result<Vec<Axis>, String> {
        let axis =
            |(dim, &len): (&Dim, &u64)| dim.axis(len).ok_or_else(|| format!("{len} elements do not fit"));
        match self {
            Self::Dealt(dealt) => dealt.dims.iter().zip(shape).map(axis).collect(),
            Self::Aligned(aligned) => Ok(mapping::Layout::of(&aligned.map).axes().to_vec()),
        }
    }

    /// Returns the grid of the ranks that have a part of the array. Its dimensions are those of the array, followed by
    /// those that number copies.
    pub fn grid(&self) -> Grid {
        match self {
            Self::Dealt(Dealt { at, .. }) => {
                let extents = self.extents();
                let mut strides = vec![1; extents.len()];
                for d in (1..extents.len()).rev() {
                    strides[d - 1] = strides[d] * i64::from(extents[d]);
                }
                Grid::affine(&extents, (*at).into(), &strides)
            }
            Self::Aligned(aligned) => {
                let layout =
                    mapping::Layout::of(&aligned.map).translated(|rank| rank.checked_add(aligned.at));
                layout.expect("ranks are far below the largest u32").whole_grid()
            }
        }
    }
}

impl fmt::Display for Layout {
    /// Writes HPF's notation, followed by the properties that HPF cannot express.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dealt(dealt) => dealt.fmt(f),
            Self::Aligned(aligned) if aligned.at == 0 => aligned.map.fmt(f),
            Self::Aligned(aligned) => write!(f, "{} AT {}", aligned.map, aligned.at),
        }
    }
}

impl fmt::Display for Dealt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let formats: Vec<String> = self.dims.iter().map(|dim| dim.format.to_string()).collect();
        let dealt = self.dims.iter().filter(|dim| dim.format != Format::Collapsed);
        let extents = dealt.map(|dim| &dim.procs).chain(&self.copies);
        let extents: Vec<String> = extents.map(u32::to_string).collect();
        write!(f, "({}) ONTO P({})", formats.join(","), extents.join(","))?;
        if self.at > 0 {
            write!(f, " AT {}", self.at)?;
        }
        for (d, dim) in self.dims.iter().enumerate() {
            if dim.first > 0 {
                write!(f, ", first process {} in dimension {}", dim.first, d + 1)?;
            }
            if dim.start > 0 {
                write!(f, ", from index {} in dimension {}", dim.start + 1, d + 1)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block => f.write_str("BLOCK"),
            Self::BlockOf(block) => write!(f, "BLOCK({block})"),
            Self::Cyclic(block) => write!(f, "CYCLIC({block})"),
            Self::GenBlock(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
                write!(f, "GEN_BLOCK({})", sizes.join(","))
            }
            Self::Indirect(runs) => {
                let run = |&(owner, run): &(u32, u64)| match run {
                    1 => owner.to_string(),
                    _ => format!("{run}*{owner}"),
                };
                write!(f, "INDIRECT({})", runs.iter().map(run).collect::<Vec<_>>().join(","))
            }
            Self::Collapsed => f.write_str("*"),
        }
    }
}

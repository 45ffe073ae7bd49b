//! Location of the program's large arrays under `REBLOCK_ARRAYS`: memory that other ranks of the node can read, or
//! usual memory, which they read only with XPMEM.

use super::units::count_text;
use serde::{Deserialize, Serialize};

/// Large arrays that a program allocated, summed over all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProgramArrays {
    /// Number of arrays in memory that other ranks can read.
    pub node: u64,
    /// Number of arrays in usual memory, for lack of shared memory.
    pub usual: u64,
    /// True if other ranks could read all arrays in place, by XPMEM.
    #[serde(default)]
    pub xpmem: bool,
}

impl ProgramArrays {
    /// Returns the counts of this process; `None` if `REBLOCK_ARRAYS` is unset or without effect.
    #[cfg(feature = "mpi")]
    pub(super) fn of_process() -> Option<Self> {
        use crate::system::settings::{NodeArrays, Settings};
        if Settings::of_process().ok()?.arrays == Some(NodeArrays::Xpmem) {
            return NodeArrays::Xpmem.obstacle().is_none().then(|| Self { xpmem: true, ..Self::default() });
        }
        let counts = crate::transport::shm::programs::counts();
        counts.map(|[node, usual]| Self { node, usual, xpmem: false })
    }

    pub(super) fn add(this: &mut Option<Self>, other: Option<Self>) {
        let Some(other) = other else { return };
        let sum = this.get_or_insert_default();
        sum.node = sum.node.saturating_add(other.node);
        sum.usual = sum.usual.saturating_add(other.usual);
        sum.xpmem |= other.xpmem;
    }

    /// Describes the counts in words.
    pub fn text(&self) -> String {
        if self.xpmem {
            return "ranks of a node read each other's arrays by XPMEM".into();
        }
        let usual = match self.usual {
            0 => String::new(),
            n => format!(", {n} in usual memory, as there was no other"),
        };
        format!("{} in memory that ranks of the node read{usual}", count_text(self.node, "large array"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_add_up() {
        let mut all = None;
        ProgramArrays::add(&mut all, None);
        assert_eq!(all, None);
        ProgramArrays::add(&mut all, Some(ProgramArrays { node: 1, ..Default::default() }));
        assert_eq!(all.unwrap().text(), "1 large array in memory that ranks of the node read");
        ProgramArrays::add(&mut all, Some(ProgramArrays { node: 3, usual: 2, xpmem: false }));
        ProgramArrays::add(&mut all, None);
        let text =
            "4 large arrays in memory that ranks of the node read, 2 in usual memory, as there was no other";
        assert_eq!(all.unwrap().text(), text);
        ProgramArrays::add(&mut all, Some(ProgramArrays { xpmem: true, ..Default::default() }));
        assert_eq!(all.unwrap().text(), "ranks of a node read each other's arrays by XPMEM");
    }
}

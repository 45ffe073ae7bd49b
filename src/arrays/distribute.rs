//! Calls that set the distribution formats of a template's axes, before commit. They check their arguments without
//! communication.

use super::owners::OwnerRange;
use super::template::{Template, TemplateState, committed, no_axis};
use crate::collective::failure::Failure;
use crate::layout::distribution::{GenBlock, Indirect};
use crate::layout::mapping;
use crate::layout::mapping::{Format, TemplateAxis, count_text, valid_range_text};
use std::sync::Arc;

impl Template {
    /// Leaves axis `axis` undistributed: every process has all its indices.
    pub fn collapsed(&self, axis: usize) -> Result<(), Failure> {
        self.describe(axis, None, |_| Ok(Format::Collapsed))
    }

    /// Distributes axis `axis` along axis `onto` of the arrangement: `BLOCK`, or `BLOCK(block)`.
    pub fn block(&self, axis: usize, onto: usize, block: Option<u64>) -> Result<(), Failure> {
        self.describe(axis, Some(onto), |_| Ok(Format::Block(block)))
    }

    /// Distributes axis `axis` along axis `onto` of the arrangement: `CYCLIC(block)`.
    pub fn cyclic(&self, axis: usize, onto: usize, block: u64) -> Result<(), Failure> {
        self.describe(axis, Some(onto), |_| Ok(Format::cyclic(block)))
    }

    /// Distributes axis `axis` along axis `onto` of the arrangement: `GEN_BLOCK(sizes)`.
    pub fn gen_block(&self, axis: usize, onto: usize, sizes: &[u64]) -> Result<(), Failure> {
        let sizes = GenBlock::new(sizes);
        let why = || Failure::argument("GEN_BLOCK has no sizes, or they add up to 2^64 or more");
        self.describe(axis, Some(onto), |_| sizes.map(Format::GenBlock).ok_or_else(why))
    }

    /// Checks that axis `axis` can be described and has `count` indices, before a list of `count` owners is read.
    pub(crate) fn check_owners(&self, axis: usize, count: u64) -> Result<(), Failure> {
        let extent = self.open_axis(axis)?.extent();
        let why = || {
            let owners = count_text(count, "owner", "owners");
            format!("axis {axis} of the template: INDIRECT has {owners}, expected {extent}")
        };
        if count == extent { Ok(()) } else { Err(Failure::argument(why())) }
    }

    /// Checks, before a list of `count` sizes is read, that it has one for each process along axis `onto` of the
    /// arrangement.
    pub(crate) fn check_sizes(&self, axis: usize, onto: usize, count: u64) -> Result<(), Failure> {
        self.open_axis(axis)?;
        match self.procs().shape().get(onto) {
            Some(&procs) if count != u64::from(procs) => Err(Failure::argument(format!(
                "axis {axis} of the template: GEN_BLOCK has {} for {}",
                count_text(count, "size", "sizes"),
                count_text(procs, "process", "processes")
            ))),
            // `gen_block` reports an axis `onto` that does not exist.
            _ => Ok(()),
        }
    }

    /// Checks that the `count` indices from `lower` on are indices of axis `axis`, before their owners are read.
    pub(crate) fn check_stretch(&self, axis: usize, lower: i64, count: u64) -> Result<(), Failure> {
        let TemplateAxis { lower: first, upper, .. } = self.open_axis(axis)?;
        let last = i128::from(lower) + i128::from(count) - 1;
        if count == 0 || (lower >= first && last <= i128::from(upper)) {
            return Ok(());
        }
        Err(Failure::argument(format!(
            "owners are given for indices {lower} to {last} of axis {axis} of the template, expected indices from {first} to {upper}"
        )))
    }

    /// Returns the current description of axis `axis`; an error if the template is committed.
    fn open_axis(&self, axis: usize) -> Result<TemplateAxis, Failure> {
        match &*self.state() {
            TemplateState::Open { axes, .. } => {
                axes.get(axis).cloned().ok_or_else(|| no_axis(axis, axes.len()))
            }
            TemplateState::Committed { .. } => Err(committed()),
        }
    }

    /// Distributes axis `axis` along axis `onto` of the arrangement: `INDIRECT(owners)`. `owners` has, for each index,
    /// the coordinate of its owner along `onto`.
    pub fn indirect(&self, axis: usize, onto: usize, owners: &[u32]) -> Result<(), Failure> {
        let runs = owners.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64));
        self.indirect_of(axis, onto, runs, owners)
    }

    /// Distributes axis `axis` as [`Self::indirect`] does, by (owner, number of indices) of each run of consecutive
    /// indices with one owner.
    pub fn indirect_runs(
        &self,
        axis: usize,
        onto: usize,
        runs: impl Iterator<Item = (u32, u64)> + Clone,
    ) -> Result<(), Failure> {
        let owners: Vec<u32> = runs.clone().map(|(owner, _)| owner).collect();
        self.indirect_of(axis, onto, runs, &owners)
    }

    /// Distributes axis `axis` by runs of owners. `owners` is the caller's list: an error message names its bad entry.
    fn indirect_of(
        &self,
        axis: usize,
        onto: usize,
        runs: impl Iterator<Item = (u32, u64)>,
        owners: &[u32],
    ) -> Result<(), Failure> {
        self.describe(axis, Some(onto), |procs| {
            let made = Indirect::new(procs, runs).map(Format::Indirect);
            made.ok_or_else(|| invalid_owner(owners, procs))
        })
    }

    /// Distributes axis `axis` along axis `onto` of the arrangement: `INDIRECT`. Each rank gives the owners of the
    /// indices from `lower` on. At commit the ranges of all ranks together must contain each index once. If all runs of
    /// owners take more than `REBLOCK_OWNERS` bytes, each process then keeps only its own indices.
    pub fn indirect_local(
        &self,
        axis: usize,
        onto: usize,
        lower: i64,
        owners: &[u32],
    ) -> Result<(), Failure> {
        self.check_stretch(axis, lower, owners.len() as u64)?;
        // `CYCLIC(1)` is a placeholder: commit computes the format from the ranges of all ranks.
        self.describe(axis, Some(onto), |procs| match owners.iter().any(|&owner| owner >= procs) {
            true => Err(invalid_owner(owners, procs)),
            false => Ok(Format::cyclic(1)),
        })?;
        if let TemplateState::Open { stretches, .. } = &mut *self.state() {
            stretches.push((axis, Arc::new(OwnerRange::new(lower, owners))));
        }
        Ok(())
    }

    /// Distributes all axes by HPF's notation, for instance `(BLOCK, CYCLIC(8))`. The bounds do not change.
    #[cfg(feature = "text")]
    pub fn distribute_text(&self, text: &str) -> Result<(), Failure> {
        let read = crate::layout::notation::distribution(text)?;
        self.distribute(&read.apply_to(self.procs().shape())?)
    }

    /// Distributes all axes. `formats` has, for each axis, its format and the axis of the arrangement, as in
    /// [`mapping::TemplateAxis`].
    pub fn distribute(&self, formats: &[(Format, Option<usize>)]) -> Result<(), Failure> {
        let axes = self.axes()?;
        if formats.len() != axes {
            return Err(Failure::argument(format!(
                "{} for {}, expected one for each axis",
                count_text(formats.len(), "format", "formats"),
                mapping::axes(axes)
            )));
        }
        for k in 0..axes {
            self.describe(k, None, |_| Ok(Format::Collapsed))?;
        }
        for (k, (format, onto)) in formats.iter().enumerate() {
            self.describe(k, *onto, |_| Ok(format.clone()))?;
        }
        Ok(())
    }

    fn axes(&self) -> Result<usize, Failure> {
        match &*self.state() {
            TemplateState::Open { axes, .. } => Ok(axes.len()),
            TemplateState::Committed { .. } => Err(committed()),
        }
    }

    fn describe(
        &self,
        axis: usize,
        onto: Option<usize>,
        format: impl FnOnce(u32) -> Result<Format, Failure>,
    ) -> Result<(), Failure> {
        let mut state = self.state();
        let TemplateState::Open { procs, axes, stretches } = &mut *state else { return Err(committed()) };
        if axis >= axes.len() {
            return Err(no_axis(axis, axes.len()));
        }
        let shape = procs.shape();
        let along = match onto {
            Some(k) => *shape.get(k).ok_or_else(|| {
                Failure::argument(format!(
                    "the arrangement has no axis {k}, expected {}",
                    valid_range_text(shape.len())
                ))
            })?,
            None => 1,
        };
        let mut changed = axes.clone();
        (changed[axis].format, changed[axis].onto) = (format(along)?, onto);
        mapping::Template::new(procs.arrangement().clone(), changed.clone())?;
        stretches.retain(|(other, _)| *other != axis);
        *axes = changed;
        Ok(())
    }
}

fn invalid_owner(owners: &[u32], procs: u32) -> Failure {
    let bad = owners.iter().enumerate().find(|&(_, &owner)| owner >= procs);
    Failure::argument(bad.map_or(
        "INDIRECT has at least 2^64 owners, or at least 2^32 runs of equal owners".into(),
        |(k, owner)| format!("entry {k} of INDIRECT is owner {owner}, expected 0 to {}", procs - 1),
    ))
}

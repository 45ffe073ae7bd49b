//! Templates of a program: made axis by axis, then committed by all ranks together, and redistributed later on, which moves
//! the arrays that are aligned with them.

use super::array::Array;
use super::call::{able, agreed, settings};
use super::failure::{Code, Failure};
use super::format::AxisFormat;
use super::operations::Operation;
use super::owners::{self, OwnerStretch};
use super::procs::Procs;
use crate::digest::digest;
use crate::layout::{GenBlock, Indirect};
use crate::mapping::{self, Format, TemplateAxis, below};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A template.
pub struct Template {
    state: Mutex<TemplateState>,
}

enum TemplateState {
    /// Axes can still be described.
    Open { procs: Arc<Procs>, axes: Vec<TemplateAxis>, stretches: Vec<(usize, Arc<OwnerStretch>)> },
    /// The template as all ranks know it, and the arrays that are aligned with it.
    Committed { procs: Arc<Procs>, template: Arc<mapping::Template>, arrays: Vec<Weak<Array>> },
}

/// A committed template, as it is now.
#[derive(Clone)]
pub struct Committed {
    /// What it is distributed onto.
    pub procs: Arc<Procs>,
    /// How.
    pub template: Arc<mapping::Template>,
}

impl Template {
    /// A template with these bounds, one pair an axis, of which no axis is distributed yet.
    pub fn create(procs: &Arc<Procs>, lower: &[i64], upper: &[i64]) -> Result<Arc<Self>, Failure> {
        if lower.len() != upper.len() {
            return Err(Failure::argument(format!("{} lower and {} upper bounds", lower.len(), upper.len())));
        }
        let axes: Vec<_> = lower.iter().zip(upper).map(|(&l, &u)| TemplateAxis::collapsed(l, u)).collect();
        // What is wrong with the bounds is told now.
        mapping::Template::new(procs.arrangement().clone(), axes.clone())?;
        let state = TemplateState::Open { procs: procs.clone(), axes, stretches: Vec::new() };
        Ok(Arc::new(Self { state: Mutex::new(state) }))
    }

    /// One that all ranks have agreed on already, distributed onto `procs`.
    pub(super) fn of_agreed(procs: Arc<Procs>, template: Arc<mapping::Template>) -> Arc<Self> {
        let state = TemplateState::Committed { procs, template, arrays: Vec::new() };
        Arc::new(Self { state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, TemplateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Axis `axis` is not distributed.
    pub fn collapsed(&self, axis: usize) -> Result<(), Failure> {
        self.describe(axis, None, |_| Ok(Format::Collapsed))
    }

    /// Axis `axis` is `BLOCK` along axis `onto` of the arrangement, or `BLOCK(block)`.
    pub fn block(&self, axis: usize, onto: usize, block: Option<u64>) -> Result<(), Failure> {
        self.describe(axis, Some(onto), |_| Ok(Format::Block(block)))
    }

    /// Axis `axis` is `CYCLIC(block)` along axis `onto` of the arrangement.
    pub fn cyclic(&self, axis: usize, onto: usize, block: u64) -> Result<(), Failure> {
        self.describe(axis, Some(onto), |_| Ok(Format::cyclic(block)))
    }

    /// Axis `axis` is `GEN_BLOCK(sizes)` along axis `onto` of the arrangement.
    pub fn gen_block(&self, axis: usize, onto: usize, sizes: &[u64]) -> Result<(), Failure> {
        let sizes = GenBlock::new(sizes);
        let why = || Failure::argument("the sizes of GEN_BLOCK are none, or add up to 2^64 or more");
        self.describe(axis, Some(onto), |_| sizes.map(Format::GenBlock).ok_or_else(why))
    }

    /// Whether axis `axis` has as many indices as a list of owners that is about to be read; nothing else of it is looked at.
    pub(crate) fn takes_owners(&self, axis: usize, count: u64) -> Result<(), Failure> {
        let extent = self.open(axis)?.extent();
        let why = || format!("axis {axis} of the template: INDIRECT has {count} owners, expected {extent}");
        if count == extent { Ok(()) } else { Err(Failure::argument(why())) }
    }

    /// The same of a list of sizes along axis `onto` of the arrangement.
    pub(crate) fn takes_sizes(&self, axis: usize, onto: usize, count: u64) -> Result<(), Failure> {
        self.open(axis)?;
        match self.procs().shape().get(onto) {
            Some(&procs) if count != u64::from(procs) => Err(Failure::argument(format!(
                "axis {axis} of the template: GEN_BLOCK has {count} sizes for {procs} processes"
            ))),
            // An axis that there is not is told later.
            _ => Ok(()),
        }
    }

    /// The same of the owners of `count` indices from `lower` on.
    pub(crate) fn takes_stretch(&self, axis: usize, lower: i64, count: u64) -> Result<(), Failure> {
        let TemplateAxis { lower: first, upper, .. } = self.open(axis)?;
        let last = i128::from(lower) + i128::from(count) - 1;
        if count == 0 || (lower >= first && last <= i128::from(upper)) {
            return Ok(());
        }
        Err(Failure::argument(format!(
            "the owners of indices {lower} to {last} of axis {axis} of the template, expected indices from {first} to {upper}"
        )))
    }

    /// Axis `axis` as it is described by now, of a template that is not committed.
    fn open(&self, axis: usize) -> Result<TemplateAxis, Failure> {
        match &*self.state() {
            TemplateState::Open { axes, .. } => {
                axes.get(axis).cloned().ok_or_else(|| no_axis(axis, axes.len()))
            }
            TemplateState::Committed { .. } => Err(committed()),
        }
    }

    /// Axis `axis` is `INDIRECT(owners)` along axis `onto` of the arrangement: `owners` has the coordinate of each index.
    pub fn indirect(&self, axis: usize, onto: usize, owners: &[u32]) -> Result<(), Failure> {
        let runs = owners.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64));
        self.indirect_runs(axis, onto, runs)
    }

    /// The same where `runs` has the owner of each run of neighbours, and its length.
    pub fn indirect_runs(
        &self,
        axis: usize,
        onto: usize,
        runs: impl Iterator<Item = (u32, u64)> + Clone,
    ) -> Result<(), Failure> {
        self.describe(axis, Some(onto), |procs| {
            let made = Indirect::new(procs, runs.clone()).map(Format::Indirect);
            made.ok_or_else(|| owners_outside(runs.map(|(owner, _)| owner), procs))
        })
    }

    /// Axis `axis` is `INDIRECT` along axis `onto` of the arrangement, of which each rank gives a stretch: the owners of the
    /// indices from `lower` on. When the template is committed, the stretches of all ranks together must name each index
    /// once. Where they come to many runs of owners, each process knows its own indices only from then on.
    pub fn indirect_local(
        &self,
        axis: usize,
        onto: usize,
        lower: i64,
        owners: &[u32],
    ) -> Result<(), Failure> {
        self.takes_stretch(axis, lower, owners.len() as u64)?;
        // The format is known when all stretches are.
        self.describe(axis, Some(onto), |procs| match owners.iter().any(|&owner| owner >= procs) {
            true => Err(owners_outside(owners.iter().copied(), procs)),
            false => Ok(Format::cyclic(1)),
        })?;
        if let TemplateState::Open { stretches, .. } = &mut *self.state() {
            stretches.push((axis, Arc::new(OwnerStretch::new(lower, owners))));
        }
        Ok(())
    }

    /// All axes at once, as [`mapping::TemplateAxis`] has them; the bounds are those of the template.
    pub fn distribute(&self, formats: &[(Format, Option<usize>)]) -> Result<(), Failure> {
        let axes = self.axes()?;
        if formats.len() != axes {
            return Err(Failure::argument(format!("{} formats for {axes} axes", formats.len())));
        }
        for k in 0..axes {
            self.describe(k, None, |_| Ok(Format::Collapsed))?;
        }
        for (k, (format, onto)) in formats.iter().enumerate() {
            self.describe(k, *onto, |_| Ok(format.clone()))?;
        }
        Ok(())
    }

    /// Axes of a template that is not committed yet.
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
                Failure::argument(format!("axis {k} of the arrangement, expected {}", below(shape.len())))
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

    /// Collective over the arrangement's communicator: from now on the template can be used, and does not change but by
    /// [`super::redistribute`]. All ranks have described the same.
    pub fn commit(&self) -> Result<(), Failure> {
        let (procs, mut axes, stretches, mine) = match &*self.state() {
            TemplateState::Open { procs, axes, stretches } => {
                (procs.clone(), axes.clone(), stretches.clone(), Ok(()))
            }
            TemplateState::Committed { procs, .. } => {
                (procs.clone(), Vec::new(), Vec::new(), Err(committed()))
            }
        };
        let session = procs.session()?;
        let whole =
            able(mine).and_then(|()| Ok(mapping::Template::new(procs.arrangement().clone(), axes.clone())?));
        let value = |of: fn(&mapping::Template) -> i64| whole.as_ref().ok().map(of);
        let dealt: Vec<usize> = stretches.iter().map(|(axis, _)| *axis).collect();
        let values = [
            value(|template| digest(&template.arrangement().numbers())),
            value(|template| digest(&template.numbers())),
            Some(digest(&dealt)),
        ];
        let mut template = agreed(&session, Operation::Commit, &values, whole)?;
        // Settings are the same on all ranks of a communicator.
        let most = settings().0.owners;
        for (axis, stretch) in stretches {
            let described = &axes[axis];
            let holders = owners::holders(&procs, described.onto);
            let dealt = owners::IndirectAxis {
                lower: described.lower,
                extent: described.extent(),
                holders: &holders,
            };
            let dist = owners::gathered(&session, &stretch, &dealt, most)?;
            axes[axis].format = Format::Indirect(dist);
            template = mapping::Template::new(procs.arrangement().clone(), axes.clone())?;
        }
        *self.state() = TemplateState::Committed { procs, template: Arc::new(template), arrays: Vec::new() };
        Ok(())
    }

    /// What it is distributed onto, committed or not.
    pub fn procs(&self) -> Arc<Procs> {
        match &*self.state() {
            TemplateState::Open { procs, .. } | TemplateState::Committed { procs, .. } => procs.clone(),
        }
    }

    /// The template as it is now.
    pub(crate) fn committed(&self) -> Result<Committed, Failure> {
        match &*self.state() {
            TemplateState::Open { .. } => Err(Failure::new(Code::State, "the template is not committed")),
            TemplateState::Committed { procs, template, .. } => {
                Ok(Committed { procs: procs.clone(), template: template.clone() })
            }
        }
    }

    /// How axis `k` is dealt out now; it is committed.
    pub fn format(&self, k: usize) -> Result<AxisFormat, Failure> {
        let now = self.committed()?;
        let axes = now.template.axes().len();
        if k < axes {
            Ok(AxisFormat::of(&now.procs, &now.template, (k, 1, 0)))
        } else {
            Err(no_axis(k, axes))
        }
    }

    /// The bounds and formats as they are now, committed or not.
    pub fn described(&self) -> Result<mapping::Template, Failure> {
        match &*self.state() {
            TemplateState::Open { procs, axes, .. } => {
                Ok(mapping::Template::new(procs.arrangement().clone(), axes.clone())?)
            }
            TemplateState::Committed { template, .. } => Ok((**template).clone()),
        }
    }

    /// What [`Self::described`] says, where no other rank is needed to know it.
    pub(crate) fn described_here(&self) -> Result<mapping::Template, Failure> {
        let dealt = match &*self.state() {
            TemplateState::Open { stretches, .. } => stretches.first().map(|(axis, _)| *axis),
            TemplateState::Committed { .. } => None,
        };
        let why = |axis| {
            Failure::argument(format!(
                "axis {axis} of the template is INDIRECT, for which each rank gives a range of owners: expected all owners"
            ))
        };
        dealt.map_or_else(|| self.described(), |axis| Err(why(axis)))
    }

    /// The arrays that are aligned with it, in the order in which they were made.
    pub(super) fn arrays(&self) -> Vec<Arc<Array>> {
        match &mut *self.state() {
            TemplateState::Open { .. } => Vec::new(),
            TemplateState::Committed { arrays, .. } => {
                arrays.retain(|array| array.strong_count() > 0);
                arrays.iter().filter_map(Weak::upgrade).collect()
            }
        }
    }

    /// From now on `array` moves when the template does.
    pub(super) fn enlist(&self, array: &Arc<Array>) {
        if let TemplateState::Committed { arrays, .. } = &mut *self.state() {
            arrays.push(Arc::downgrade(array));
        }
    }

    /// From now on `array` does not.
    pub(super) fn dismiss(&self, array: &Array) {
        if let TemplateState::Committed { arrays, .. } = &mut *self.state() {
            arrays.retain(|known| !std::ptr::eq(known.as_ptr(), array) && known.strong_count() > 0);
        }
    }

    /// From now on it is distributed like that.
    pub(super) fn become_like(&self, now: Committed) {
        if let TemplateState::Committed { procs, template, .. } = &mut *self.state() {
            (*procs, *template) = (now.procs, now.template);
        }
    }
}

fn no_axis(axis: usize, axes: usize) -> Failure {
    Failure::argument(format!("axis {axis} of the template, expected {}", below(axes)))
}

fn committed() -> Failure {
    Failure::new(Code::State, "the template is committed already")
}

fn owners_outside(owners: impl Iterator<Item = u32>, procs: u32) -> Failure {
    let bad = owners.enumerate().find(|&(_, owner)| owner >= procs);
    Failure::argument(bad.map_or("INDIRECT has 2^64 owners or more, or 2^32 runs".into(), |(k, owner)| {
        format!("owner {owner} of entry {k} of INDIRECT, expected 0 to {}", procs - 1)
    }))
}

//! WHAT may a program ask of one plan, in place of what the environment says?

use crate::collective::failure::{Code, Failure};
use crate::layout::mapping::Correspondence;
use crate::schedule::router::Refusal;
use crate::system::digest::digest;
use crate::system::settings::{Medium, Settings};

/// Options of a plan; all ranks give the same.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    /// The scheduler, by name, in place of the cheapest.
    pub scheduler: Option<String>,
    /// By which way messages travel: `Some(false)` by MPI, `Some(true)` through shared memory or not at all.
    pub shared: Option<bool>,
    /// Bytes that the plan's buffers may take on each rank.
    pub buffer: Option<u64>,
    /// Messages that MPI has under way at a time, in each direction.
    pub window: Option<u32>,
    /// The target's places may be on other ranks, so that less data moves: see [`super::Plan::target`].
    pub relabel: bool,
    /// Axis k of the source's section goes to axis `axes[k]` of the target's: a permutation. `None`: to axis k.
    pub axes: Option<Vec<usize>>,
    /// The values of all copies of the source are combined, by an update: in row-major order of the axes of its arrangement along
    /// which there are copies, whatever machine or settings. Otherwise each rank reads the copy that is nearest.
    pub copies: bool,
    /// Axes of the target along which the source is repeated. They are none of the source's: the others correspond to these.
    pub spread: Vec<usize>,
    /// Source and target may share memory: the target becomes what it would if the whole source were read first.
    pub overlap: bool,
    /// Entries of a list of indices are skipped that have an index below the first one of its axis: see [`super::Plan::gather`].
    pub skip: bool,
}

impl Options {
    /// The number that tells these options and `settings`, which are made of them, from others.
    pub(super) fn digest(&self, settings: &Settings) -> i64 {
        let ends = (&self.axes, self.copies, &self.spread, self.overlap);
        digest(&(settings.digest(), self.relabel, ends, self.skip))
    }

    /// Refuses the options of lists of indices, for plans that have none.
    pub(super) fn without_lists(&self) -> Result<(), Failure> {
        if self.skip {
            return Err(Failure::argument("the option skip is set, but the plan has no list of indices"));
        }
        Ok(())
    }

    /// Which axes correspond.
    pub(super) fn correspondence(&self) -> Correspondence<'_> {
        Correspondence { axes: self.axes.as_deref(), spread: &self.spread }
    }

    /// Of the way back: the axes the other way round.
    pub(super) fn of_reverse(axes: Option<&[usize]>, overlap: bool) -> Self {
        let back = |axes: &[usize]| {
            let mut back = vec![0; axes.len()];
            axes.iter().enumerate().for_each(|(k, &axis)| back[axis] = k);
            back
        };
        Self { axes: axes.map(back), overlap, ..Self::default() }
    }

    /// Why there is no plan: the scheduler's name is that of the option, if it is given, or of the environment variable.
    pub(super) fn refused(&self, refusal: &Refusal) -> Failure {
        let setting = self.scheduler.as_ref().map_or("REBLOCK_SCHEDULER", |_| "the option scheduler");
        Failure::new(Code::Settings, refusal.of(setting))
    }

    /// The settings with these options.
    pub(super) fn over(&self, settings: &Settings) -> Result<Settings, Failure> {
        let medium = match self.shared {
            None => settings.medium,
            Some(true) => Medium::Shm,
            Some(false) => Medium::Mpi,
        };
        let scheduler = self.scheduler.clone();
        let changed = settings.with(scheduler, medium, self.buffer, self.window);
        changed.map_err(|why| Failure::new(Code::Settings, why))
    }
}

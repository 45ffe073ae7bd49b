//! Options of one plan, which override the environment's settings.

use crate::collective::failure::{Code, Failure};
use crate::layout::mapping::Correspondence;
use crate::schedule::chooser::Refusal;
use crate::system::digest::digest;
use crate::system::settings::{Medium, Settings};

/// Options of a plan. All ranks pass equal options.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    /// Name of the scheduler; `None` chooses the cheapest one.
    pub scheduler: Option<String>,
    /// Transport: `Some(false)` is MPI, `Some(true)` shared memory; planning fails if the ranks cannot share it.
    pub shared: Option<bool>,
    /// Limit on the plan's buffers on each rank, in bytes.
    pub buffer: Option<u64>,
    /// Number of MPI messages in flight at a time, in each direction.
    pub window: Option<u32>,
    /// Lets places of the target go to other ranks, so that less data moves; see [`super::Plan::target`].
    pub relabel: bool,
    /// Permutation of axes: axis k of the source's section goes to axis `axes[k]` of the target's. `None`: to axis k.
    pub axes: Option<Vec<usize>>,
    /// Makes an update combine the values of all copies of the source, in row-major order of the axes of its
    /// arrangement that hold copies: the result depends on neither machine nor settings. Otherwise each rank reads the
    /// nearest copy.
    pub copies: bool,
    /// Axes of the target along which the source is repeated; the source's axes correspond to the others.
    pub spread: Vec<usize>,
    /// Lets source and target share memory. The result is then as if the whole source were read first.
    pub overlap: bool,
    /// Skips list entries with an index below the lower bound of their axis; see [`super::Plan::gather`].
    pub skip: bool,
}

impl Options {
    /// Returns a digest of these options and of `settings`, which already include them.
    pub(super) fn digest(&self, settings: &Settings) -> i64 {
        let ends = (&self.axes, self.copies, &self.spread, self.overlap);
        digest(&(settings.digest(), self.relabel, ends, self.skip))
    }

    /// Refuses options for lists of indices in a plan without lists.
    pub(super) fn without_lists(&self) -> Result<(), Failure> {
        if self.skip {
            return Err(Failure::argument("the option skip is set, but the plan has no list of indices"));
        }
        Ok(())
    }

    pub(super) fn correspondence(&self) -> Correspondence<'_> {
        Correspondence { axes: self.axes.as_deref(), spread: &self.spread }
    }

    /// Returns the options of the reverse plan, with the inverse permutation of `axes`.
    pub(super) fn for_reverse(axes: Option<&[usize]>, overlap: bool) -> Self {
        let back = |axes: &[usize]| {
            let mut back = vec![0; axes.len()];
            axes.iter().enumerate().for_each(|(k, &axis)| back[axis] = k);
            back
        };
        Self { axes: axes.map(back), overlap, ..Self::default() }
    }

    /// Returns the failure of planning, which names the setting that chose the scheduler: the option or the environment
    /// variable.
    pub(super) fn refusal_failure(&self, refusal: &Refusal) -> Failure {
        let setting = self.scheduler.as_ref().map_or("REBLOCK_SCHEDULER", |_| "the option scheduler");
        Failure::new(Code::Settings, refusal.of(setting))
    }

    pub(super) fn applied_to(&self, settings: &Settings) -> Result<Settings, Failure> {
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

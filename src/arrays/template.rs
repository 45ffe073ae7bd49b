//! Templates. A template is described axis by axis, then committed by all ranks together. Redistributing it later moves
//! the arrays that are aligned with it.

use super::format::AxisFormat;
use super::owners::{self, OwnerRange};
use super::procs::Procs;
use crate::collective::call::{agree_on, settings, with_valid_settings};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::layout::mapping;
use crate::layout::mapping::{Format, TemplateAxis, valid_range_text};
use crate::system::digest::digest;
use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// An array that is aligned with a template. The trait breaks a cycle of types: arrays have maps, which have templates.
pub(super) trait Aligned: Send + Sync {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// An index space that arrays are aligned with.
pub struct Template {
    state: Mutex<TemplateState>,
}

pub(super) enum TemplateState {
    /// Axes can be described. `stretches` has the owners that this rank gave for `INDIRECT` axes.
    Open { procs: Arc<Procs>, axes: Vec<TemplateAxis>, stretches: Vec<(usize, Arc<OwnerRange>)> },
    /// The template that all ranks agreed on, and the arrays that are aligned with it.
    Committed { procs: Arc<Procs>, template: Arc<mapping::Template>, arrays: Vec<Weak<dyn Aligned>> },
}

/// The current state of a committed template.
#[derive(Clone)]
pub struct Committed {
    pub procs: Arc<Procs>,
    pub template: Arc<mapping::Template>,
}

impl Template {
    /// Makes a template with these bounds of its axes, inclusive. No axis is distributed yet.
    pub fn create(procs: &Arc<Procs>, lower: &[i64], upper: &[i64]) -> Result<Arc<Self>, Failure> {
        if lower.len() != upper.len() {
            return Err(Failure::argument(format!(
                "{} lower and {} upper bounds, expected equally many",
                lower.len(),
                upper.len()
            )));
        }
        let axes: Vec<_> = lower.iter().zip(upper).map(|(&l, &u)| TemplateAxis::collapsed(l, u)).collect();
        mapping::Template::new(procs.arrangement().clone(), axes.clone())?;
        let state = TemplateState::Open { procs: procs.clone(), axes, stretches: Vec::new() };
        Ok(Arc::new(Self { state: Mutex::new(state) }))
    }

    /// Makes a committed template that all ranks have agreed on already.
    pub(super) fn from_agreed(procs: Arc<Procs>, template: Arc<mapping::Template>) -> Arc<Self> {
        let state = TemplateState::Committed { procs, template, arrays: Vec::new() };
        Arc::new(Self { state: Mutex::new(state) })
    }

    pub(super) fn state(&self) -> MutexGuard<'_, TemplateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Commits the template, which can be used from then on; only [`super::redistribute()`] changes it. Collective over
    /// the arrangement's communicator. An error unless all ranks have described the same template.
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
        let whole = with_valid_settings(mine)
            .and_then(|()| Ok(mapping::Template::new(procs.arrangement().clone(), axes.clone())?));
        let value = |of: fn(&mapping::Template) -> i64| whole.as_ref().ok().map(of);
        let dealt: Vec<usize> = stretches.iter().map(|(axis, _)| *axis).collect();
        let values = [
            value(|template| digest(&template.arrangement().numbers())),
            value(|template| digest(&template.numbers())),
            Some(digest(&dealt)),
        ];
        let mut template = agree_on(&session, Operation::Commit, &values, whole)?;
        // Equal on all ranks of a communicator.
        let most = settings().0.owners;
        for (axis, stretch) in stretches {
            let described = &axes[axis];
            let holders = owners::holders(&procs, described.onto);
            let dealt = owners::IndirectAxis {
                lower: described.lower,
                extent: described.extent(),
                holders: &holders,
            };
            let dist = owners::gather_owners(&session, &stretch, &dealt, most)?;
            axes[axis].format = Format::Indirect(dist);
            template = mapping::Template::new(procs.arrangement().clone(), axes.clone())?;
        }
        *self.state() = TemplateState::Committed { procs, template: Arc::new(template), arrays: Vec::new() };
        Ok(())
    }

    /// Returns the processor arrangement.
    pub fn procs(&self) -> Arc<Procs> {
        match &*self.state() {
            TemplateState::Open { procs, .. } | TemplateState::Committed { procs, .. } => procs.clone(),
        }
    }

    /// Returns the current state; an error if the template is not committed.
    pub(crate) fn committed(&self) -> Result<Committed, Failure> {
        match &*self.state() {
            TemplateState::Open { .. } => Err(Failure::new(
                Code::State,
                "the template is not committed: call reblock_template_commit first",
            )),
            TemplateState::Committed { procs, template, .. } => {
                Ok(Committed { procs: procs.clone(), template: template.clone() })
            }
        }
    }

    /// Returns the current distribution format of axis `k`. The template must be committed.
    pub fn format(&self, k: usize) -> Result<AxisFormat, Failure> {
        let now = self.committed()?;
        let axes = now.template.axes().len();
        if k < axes {
            Ok(AxisFormat::new(&now.procs, &now.template, (k, 1, 0)))
        } else {
            Err(no_axis(k, axes))
        }
    }

    /// Returns the current bounds and formats, committed or not.
    pub fn described(&self) -> Result<mapping::Template, Failure> {
        match &*self.state() {
            TemplateState::Open { procs, axes, .. } => {
                Ok(mapping::Template::new(procs.arrangement().clone(), axes.clone())?)
            }
            TemplateState::Committed { template, .. } => Ok((**template).clone()),
        }
    }

    /// Returns [`Self::described`]; an error if other ranks have a part of it.
    pub(crate) fn described_here(&self) -> Result<mapping::Template, Failure> {
        let dealt = match &*self.state() {
            TemplateState::Open { stretches, .. } => stretches.first().map(|(axis, _)| *axis),
            TemplateState::Committed { .. } => None,
        };
        let why = |axis| {
            Failure::argument(format!(
                "axis {axis} of the template is INDIRECT with a range of owners from each rank, expected all owners from this rank"
            ))
        };
        dealt.map_or_else(|| self.described(), |axis| Err(why(axis)))
    }

    /// Returns the arrays that are aligned with the template, in the order of their alignment.
    pub(super) fn arrays(&self) -> Vec<Arc<dyn Aligned>> {
        match &mut *self.state() {
            TemplateState::Open { .. } => Vec::new(),
            TemplateState::Committed { arrays, .. } => {
                arrays.retain(|array| array.strong_count() > 0);
                arrays.iter().filter_map(Weak::upgrade).collect()
            }
        }
    }

    pub(super) fn add_array(&self, array: Weak<dyn Aligned>) {
        if let TemplateState::Committed { arrays, .. } = &mut *self.state() {
            arrays.push(array);
        }
    }

    pub(super) fn remove_array(&self, array: &dyn Aligned) {
        if let TemplateState::Committed { arrays, .. } = &mut *self.state() {
            arrays.retain(|known| !std::ptr::addr_eq(known.as_ptr(), array) && known.strong_count() > 0);
        }
    }

    pub(super) fn become_like(&self, now: Committed) {
        if let TemplateState::Committed { procs, template, .. } = &mut *self.state() {
            (*procs, *template) = (now.procs, now.template);
        }
    }
}

pub(super) fn committed() -> Failure {
    Failure::new(Code::State, "the template is committed already")
}

pub(super) fn no_axis(axis: usize, axes: usize) -> Failure {
    Failure::argument(format!("axis {axis} of the template, expected {}", valid_range_text(axes)))
}

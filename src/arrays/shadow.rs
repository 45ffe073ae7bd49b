//! Plans for the shadows of an array: they fill shadows with their owners' elements, or combine the owners' elements
//! with the shadows.
//!
//! Source and target are the same local array. Filling reads a process's own elements and writes its shadow; the plan
//! back does the reverse. So no element that is read is written.

use super::draft::Draft;
use super::end::{KnownEnd, Side};
use super::map::Map;
use super::options::Options;
use super::plan::{Plan, agreed};
use crate::collective::call::{CollectiveCall, able, session, settings, told_list};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::layout::distribution::Rank;
use crate::layout::mapping;
use crate::layout::mapping::Between;
use crate::mpi::Comm;
use crate::pack::Update;
use crate::plan::ReceivedBoxes;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::Arc;

/// Selection of the shadows that [`Plan::shadow`] fills.
#[derive(Clone, Copy, Default)]
pub struct Shadow<'a> {
    /// The array. A rank without a part of it need not pass it.
    pub map: Option<&'a Map>,
    /// Elements to fill below and above a process's own, one pair for each axis, at most the map's. An axis with (0,
    /// 0) is skipped. `None`: all shadows of the map.
    pub widths: Option<&'a [(u64, u64)]>,
    /// Axes on which the first index follows the last one. `None`: none. Along other axes, shadow elements outside
    /// the array stay unchanged.
    pub periodic: Option<&'a [bool]>,
    /// Whether to fill corners: elements outside the process's own along several axes.
    pub corners: bool,
}

/// Kind and extent of a plan of shadows; `None` on a rank that has not received them yet.
#[derive(Clone)]
pub struct ShadowWay(Option<Arc<mapping::Shadow>>);

impl Plan {
    /// Plans to fill the shadows of an array with the elements that they show, of `element` bytes each. Source and
    /// target are the same local array: see [`Plan::fill`]. A shadow may reach beyond the neighbour. It is not filled
    /// on processes without elements of their own. Collective over `comm`.
    ///
    /// The plan back, [`Plan::reverse`], is executed by [`Plan::fill_update`] with a `beta` of 1. It combines each
    /// element with its copies in all shadows, always in the same order. That of the owner, rank r,
    /// comes first, then those of ranks r - 1, r - 2, … of `comm`, continued after rank 0 by the last one.
    pub fn shadow(
        comm: &Comm,
        shadow: Shadow<'_>,
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        shadow_plan(comm, Ok((shadow, element, options)))
    }
}

/// Plans as [`Plan::shadow`] does; `Err` makes all ranks fail.
pub(crate) fn shadow_plan(
    comm: &Comm,
    given: Result<(Shadow<'_>, usize, &Options), Failure>,
) -> Result<Arc<Plan>, Failure> {
    shadow_within(&session(comm)?, given)
}

/// Plans shadows on a communicator that has a session. Collective.
pub(super) fn shadow_within(
    session: &Arc<Session>,
    given: Result<(Shadow<'_>, usize, &Options), Failure>,
) -> Result<Arc<Plan>, Failure> {
    let _intact = session.intact();
    let mut call = CollectiveCall::begin(session);
    let draft = able(given).and_then(|given| draft_shadows(session, given));
    let started = draft.as_ref().ok().and_then(|draft| draft.started(session));
    let values = draft.as_ref().map_or([None; 6], Draft::values);
    let known = agreed(&mut call, Operation::Shadow, &values, &draft, started.as_ref())?;
    let number = call.number();
    drop(call);
    Plan::finished(session, draft?, started, &known, number)
}

fn draft_shadows<'a>(
    session: &Arc<Session>,
    (shadow, element, options): (Shadow<'_>, usize, &'a Options),
) -> Result<Draft<'a>, Failure> {
    let none = [
        ("relabel", options.relabel),
        ("axes", options.axes.is_some()),
        ("copies", options.copies),
        ("spread", !options.spread.is_empty()),
        ("overlap", options.overlap),
    ];
    if let Some((name, _)) = none.into_iter().find(|(_, given)| *given) {
        let text = format!("the option {name} is not supported by a plan for shadows");
        return Err(Failure::argument(text));
    }
    options.without_lists()?;
    let settings = Arc::new(options.over(settings().0)?);
    let from = Side { map: shadow.map, section: None }.resolve(session, "array")?;
    let Shadow { widths, periodic, corners, .. } = shadow;
    let of = |map: &Map| mapping::Shadow::new(map.map(), map.layout(), widths, periodic, corners);
    let known = shadow.map.map(of).transpose()?.map(Arc::new);
    Ok(Draft { to: from.clone(), from, element, options, settings, shadow: Some(ShadowWay(known)) })
}

impl ShadowWay {
    /// Returns the plan back: shadows are combined with the owners' elements.
    pub fn reversed(&self) -> Self {
        Self(self.0.as_ref().map(|shadow| Arc::new(shadow.reversed())))
    }

    /// Returns a digest, if the shadows are known.
    pub fn digest(&self) -> Option<i64> {
        self.0.as_ref().map(|shadow| digest(&shadow.numbers()))
    }

    /// Receives the shadows from rank `root`. Collective. The inner result is this rank's own failure; the outer one
    /// is MPI's.
    pub fn receive(&mut self, session: &Session, root: u32) -> Result<Result<(), Failure>, Failure> {
        let numbers = self.0.as_ref().map(|shadow| shadow.numbers());
        let told = told_list(session, root, numbers.as_deref())?;
        if self.0.is_none() {
            self.0 = mapping::Shadow::from_numbers(&told).map(Arc::new);
        }
        let garbled =
            || Failure::new(Code::Internal, "internal error: cannot decode a shadow from another rank");
        Ok(self.0.as_ref().map(|_| ()).ok_or_else(garbled))
    }

    /// Returns the redistribution `between`, from the array of `end` to itself, as one of boxes, with the boxes that
    /// the calling process shares with others.
    pub fn with_boxes(
        &self,
        session: &Session,
        mut between: Between,
        end: &KnownEnd,
    ) -> Result<(Between, ReceivedBoxes), Failure> {
        end.able(session.rank)?;
        let shadow = self.0.as_ref().expect("what is planned is known");
        let shares = shadow.shares(&end.end(), &between, Rank(session.rank));
        between.problem.boxes = [true; 2];
        Ok((between, ReceivedBoxes::in_one_array(shares, shadow.is_back())))
    }

    /// Checks that elements can be moved with this update, whose name is `name`. The plan back needs one that keeps
    /// the target.
    pub fn check_update(&self, update: Option<&Update>, name: impl Fn() -> String) -> Result<(), Failure> {
        let back = self.0.as_ref().is_some_and(|shadow| shadow.is_back());
        let text = match update {
            Some(update) if back && !update.keeps_target() => {
                format!("beta of {} must be 1, because the plan combines elements with their shadows", name())
            }
            None if back => {
                format!("{} is missing, but the plan combines elements with their shadows", name())
            }
            _ => return Ok(()),
        };
        Err(Failure::argument(text))
    }
}

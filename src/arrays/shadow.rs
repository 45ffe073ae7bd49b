//! Plans for the shadows of an array: how do they get the elements that they show, and how are these combined with what is there?
//!
//! Source and target are the same local array. A process's own elements are read and its shadow is written, on the way back the
//! other way round. So nothing is read that is written.

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
use crate::plan::ToldBoxes;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use std::sync::Arc;

/// Which shadows of an array [`Plan::shadow`] fills.
#[derive(Clone, Copy, Default)]
pub struct Shadow<'a> {
    /// The array. A rank without a part of it need not know it.
    pub map: Option<&'a Map>,
    /// Elements that are filled before and behind a process's own, a pair an axis, no more than the map has; an axis of which
    /// both are 0 is left alone. `None`: all that the map has.
    pub widths: Option<&'a [(u64, u64)]>,
    /// Axes whose last index comes before the first one. `None`: none, and elements outside the array stay as they are.
    pub periodic: Option<&'a [bool]>,
    /// Whether elements are filled that are outside a process's own along several axes.
    pub corners: bool,
}

/// Which shadows a plan fills, or combines elements with, once that is known.
#[derive(Clone)]
pub struct ShadowWay(Option<Arc<mapping::Shadow>>);

impl Plan {
    /// Collective over `comm`: a plan that fills the shadows of an array with the elements that they show, of `element` bytes each.
    /// Its source and its target are the same local array: see [`Plan::fill`]. A shadow may reach past the neighbour, and is not
    /// filled on processes without elements of their own.
    ///
    /// The plan of the way back, [`Plan::reverse`], is carried out by [`Plan::fill_update`] with a `beta` of 1: an element is
    /// combined with what all shadows have in its place. These come in the same order every time: first that of its own
    /// process, r, then those of ranks r - 1, r - 2, … of `comm`, and behind rank 0 the last one.
    pub fn shadow(
        comm: &Comm,
        shadow: Shadow<'_>,
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        shadow_plan(comm, Ok((shadow, element, options)))
    }
}

/// The same, where the caller may have found already that it cannot go on.
pub(crate) fn shadow_plan(
    comm: &Comm,
    given: Result<(Shadow<'_>, usize, &Options), Failure>,
) -> Result<Arc<Plan>, Failure> {
    shadow_within(&session(comm)?, given)
}

/// The same on a communicator whose ranks know each other.
pub(super) fn shadow_within(
    session: &Arc<Session>,
    given: Result<(Shadow<'_>, usize, &Options), Failure>,
) -> Result<Arc<Plan>, Failure> {
    let _intact = session.intact();
    let mut call = CollectiveCall::begin(session);
    let draft = able(given).and_then(|given| drafted(session, given));
    let started = draft.as_ref().ok().and_then(|draft| draft.started(session));
    let values = draft.as_ref().map_or([None; 6], Draft::values);
    let known = agreed(&mut call, Operation::Shadow, &values, &draft, started.as_ref())?;
    let number = call.number();
    drop(call);
    Plan::finished(session, draft?, started, &known, number)
}

fn drafted<'a>(
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
        let text = format!("the option {name} is given, but a plan for shadows has one array");
        return Err(Failure::argument(text));
    }
    options.without_lists()?;
    let settings = Arc::new(options.over(settings().0)?);
    let from = Side { map: shadow.map, section: None }.known(session, "array")?;
    let Shadow { widths, periodic, corners, .. } = shadow;
    let of = |map: &Map| mapping::Shadow::new(map.map(), map.layout(), widths, periodic, corners);
    let known = shadow.map.map(of).transpose()?.map(Arc::new);
    Ok(Draft { to: from.clone(), from, element, options, settings, shadow: Some(ShadowWay(known)) })
}

impl ShadowWay {
    /// The way back.
    pub fn reversed(&self) -> Self {
        Self(self.0.as_ref().map(|shadow| Arc::new(shadow.reversed())))
    }

    /// A number that tells it from others.
    pub fn digest(&self) -> Option<i64> {
        self.0.as_ref().map(|shadow| digest(&shadow.numbers()))
    }

    /// Collective: gets to know what rank `root` knows. What is wrong with it is told apart from what MPI says.
    pub fn learn(&mut self, session: &Session, root: u32) -> Result<Result<(), Failure>, Failure> {
        let numbers = self.0.as_ref().map(|shadow| shadow.numbers());
        let told = told_list(session, root, numbers.as_deref())?;
        if self.0.is_none() {
            self.0 = mapping::Shadow::from_numbers(&told).map(Arc::new);
        }
        let garbled = || Failure::new(Code::Internal, "a shadow that was told is none");
        Ok(self.0.as_ref().map(|_| ()).ok_or_else(garbled))
    }

    /// What `made`, from the array of `end` to itself, becomes, and what the calling process shares with others.
    pub fn told(
        &self,
        session: &Session,
        mut made: Between,
        end: &KnownEnd,
    ) -> Result<(Between, ToldBoxes), Failure> {
        end.able(session.rank)?;
        let shadow = self.0.as_ref().expect("what is planned is known");
        let shares = shadow.shares(&end.end(), &made, Rank(session.rank));
        made.problem.boxes = [true; 2];
        Ok((made, ToldBoxes::in_one_array(shares, shadow.is_back())))
    }

    /// Whether elements may be moved so with that update, called what `name` says.
    pub fn checked(&self, update: Option<&Update>, name: impl Fn() -> String) -> Result<(), Failure> {
        let back = self.0.as_ref().is_some_and(|shadow| shadow.is_back());
        let text = match update {
            Some(update) if back && !update.keeps_target() => {
                format!(
                    "{} has a beta that is not 1, but the plan combines elements with their shadows",
                    name()
                )
            }
            None if back => {
                format!("{} is missing, but the plan combines elements with their shadows", name())
            }
            _ => return Ok(()),
        };
        Err(Failure::argument(text))
    }
}

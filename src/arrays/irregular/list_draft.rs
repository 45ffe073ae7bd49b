//! Checked arguments of a plan that gathers or scatters by lists: the list of indices and the array.

use super::dims::ListedDims;
use crate::arrays::Map;
use crate::arrays::end::{ResolvedEnd, Side};
use crate::arrays::kinds::ShiftByLine;
use crate::arrays::last_call::WorkspaceCache;
use crate::arrays::options::Options;
use crate::arrays::plan::{Plan, PlanKind};
use crate::collective::call::settings;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping;
use crate::layout::mapping::ArrayAxes;
use crate::layout::strides::MAX_DIMS;
use crate::plan::rank_plan::RankPlan;
use crate::runtime::session::Session;
use crate::system::settings::Settings;
use std::borrow::Cow;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ListDirection {
    /// From the distributed array to local arrays.
    Gather,
    /// From local arrays to the distributed array.
    Scatter,
}

impl ListDirection {
    pub fn operation(self) -> Operation {
        match self {
            Self::Gather => Operation::Gather,
            Self::Scatter => Operation::Scatter,
        }
    }
}

pub(crate) struct ListArguments<'a> {
    pub map: Option<&'a Map>,
    /// The axis whose indices are listed; `None` if entries name elements by an index of each axis.
    pub axis: Option<usize>,
    /// Number of entries of the list: of elements, or of indices along the axis.
    pub count: usize,
    pub indices: &'a [i64],
    pub element: usize,
    pub options: &'a Options,
}

impl<'a> ListArguments<'a> {
    /// Derives the number of entries from the number of indices. The list of a scalar has one entry without an index.
    pub fn new(
        map: Option<&'a Map>,
        axis: Option<usize>,
        indices: &'a [i64],
        element: usize,
        options: &'a Options,
    ) -> Result<Self, Failure> {
        let axes = map.map_or(1, |map| map.map().axes().len());
        let each = if axis.is_some() { 1 } else { axes };
        let count = indices.len().checked_div(each).unwrap_or(1);
        if each > 0 && indices.len() % each != 0 {
            return Err(Failure::argument(format!(
                "{} indices for elements of {}, expected one for each axis of each element",
                indices.len(),
                mapping::axes(axes)
            )));
        }
        Ok(Self { map, axis, count, indices, element, options })
    }
}

/// A list whose indices are all within bounds. An entry has one index for the listed axis, or one for each axis.
pub(super) struct IndexList<'a> {
    /// Number of entries that are not skipped.
    pub count: usize,
    /// Places of these entries in the program's list; `None` if no entry is skipped.
    pub kept: Option<Vec<u64>>,
    pub indices: Cow<'a, [i64]>,
    /// Lower bound of the axis of each column: column `c` has the `c`-th index of each entry.
    pub lower: Vec<i64>,
}

impl IndexList<'_> {
    pub fn column(&self, c: usize) -> impl Iterator<Item = u64> + '_ {
        let lower = self.lower[c];
        self.indices.iter().skip(c).step_by(self.lower.len()).map(move |&i| i.abs_diff(lower))
    }

    #[inline]
    pub fn at(&self, e: usize, c: usize) -> u64 {
        self.indices[e * self.lower.len() + c].abs_diff(self.lower[c])
    }
}

/// Checked arguments of a rank, before the agreement.
pub(super) struct ListDraft<'a> {
    pub direction: ListDirection,
    pub arguments: ListArguments<'a>,
    pub settings: Arc<Settings>,
    pub known: Option<ResolvedEnd>,
    pub dims: ListedDims,
    pub list: Option<IndexList<'a>>,
    /// The mapped target, for a shift of lines; `None` for a local array without gaps.
    pub target: Option<Target>,
}

/// A mapped array as the target of a gather or the source of a scatter.
pub(super) struct Target {
    pub known: ResolvedEnd,
    /// For each entry of the list, its place in the storage of this array.
    pub places: Vec<u64>,
    /// Places that receive a boundary value in a gather, each with the number of the value in `constants`.
    pub free: Vec<(u64, u64)>,
    pub constants: Vec<u8>,
    pub shift: Arc<ShiftByLine>,
}

impl<'a> ListDraft<'a> {
    /// Checks the arguments as far as no messages are needed.
    pub fn new(
        session: &Arc<Session>,
        direction: ListDirection,
        arguments: ListArguments<'a>,
    ) -> Result<Self, Failure> {
        let options = arguments.options;
        for (set, name) in [
            (options.relabel, "relabel"),
            (options.axes.is_some(), "axes"),
            (options.copies, "copies"),
            (!options.spread.is_empty(), "spread"),
            (options.overlap, "overlap"),
        ] {
            if set {
                let why = "is not supported by a plan with a list of indices";
                return Err(Failure::argument(format!("the option {name} {why}")));
            }
        }
        if arguments.element == 0 {
            return Err(Failure::argument("the element size is 0 bytes, expected at least 1"));
        }
        let settings = Arc::new(options.applied_to(settings().0)?);
        let side = Side { map: arguments.map, section: None };
        let known = side.resolve(session, "array")?;
        if known.is_none() && arguments.axis.is_none() && arguments.count > 0 {
            return Err(Failure::argument(
                "the map is NULL, but this process names elements by all their indices: pass the map",
            ));
        }
        let dims = ListedDims::new(&[], arguments.axis, arguments.element);
        let mut draft = Self { direction, arguments, settings, known: None, dims, list: None, target: None };
        if let Some(known) = known {
            draft.set_array(known, session.rank)?;
        }
        Ok(draft)
    }

    /// Sets the array, and checks the list against it.
    pub fn set_array(&mut self, known: ResolvedEnd, rank: u32) -> Result<(), Failure> {
        let map = &known.map;
        if map.boxes().is_some() {
            return Err(Failure::argument("the array lies in boxes, in which elements cannot be listed"));
        }
        known.check_own_parts(rank)?;
        let axes = map.axes().len();
        if let Some(axis) = self.arguments.axis.filter(|&axis| axis >= axes) {
            return Err(Failure::argument(format!(
                "axis is {axis}, but the array has {}: expected {}",
                mapping::axes(axes),
                mapping::valid_range_text(axes)
            )));
        }
        self.dims = ListedDims::new(map.order(), self.arguments.axis, self.arguments.element);
        if self.dims.all().len() > MAX_DIMS {
            return Err(Failure::argument(format!(
                "an array of {axes} axes with this element size is not supported: use a size of 1, 2, 4, 8 or 16 bytes, or fewer axes"
            )));
        }
        self.list = Some(self.check_list(&known)?);
        self.known = Some(known);
        Ok(())
    }

    fn check_list(&self, known: &ResolvedEnd) -> Result<IndexList<'a>, Failure> {
        let ListArguments { axis, count, indices, .. } = self.arguments;
        let axes: Vec<usize> = axis.map_or_else(|| (0..known.map.axes().len()).collect(), |axis| vec![axis]);
        let lower: Vec<i64> = axes.iter().map(|&k| known.map.axes()[k].lower).collect();
        let found = if self.arguments.options.skip { kept_entries(indices, &lower) } else { None };
        let (kept, count, indices) = match found {
            None => (None, count, Cow::Borrowed(indices)),
            Some((places, indices)) => (Some(places), indices.len() / lower.len(), Cow::Owned(indices)),
        };
        for (c, &k) in axes.iter().enumerate() {
            let axis = &known.map.axes()[k];
            let outside = |&&i: &&i64| i < axis.lower || i > axis.upper;
            let column = || indices.iter().skip(c).step_by(axes.len());
            if let Some((e, i)) = column().enumerate().find(|(_, i)| outside(i)) {
                let e = kept.as_ref().map_or(e as u64, |places| places[e]);
                let hint = if *i < axis.lower { "; the option skip leaves such entries out" } else { "" };
                return Err(Failure::argument(format!(
                    "entry {e} of the list has index {i} of axis {k} of the array, expected {} to {}{hint}",
                    axis.lower, axis.upper
                )));
            }
        }
        Ok(IndexList { count, kept, indices, lower })
    }

    /// Builds the plan in call `number` from this rank's plan `planned`.
    pub fn plan(&self, session: &Arc<Session>, number: i64, planned: RankPlan) -> Result<Arc<Plan>, Failure> {
        let known = self.known.clone().expect("the array is known");
        let local = known.local(session.rank)?;
        let has_part = |known: &ResolvedEnd| known.layout().part(session.rank).is_some();
        let array = if has_part(&known) { Some(self.dims.seat(&local)?) } else { None };
        let own = match &self.target {
            None => Some(self.dims.local_seat(&known, self.arguments.count as u64)?),
            Some(target) if has_part(&target.known) => {
                Some(self.dims.storage_seat(&target.known.local(session.rank)?)?)
            }
            Some(_) => None,
        };
        let other = self.target.as_ref().map_or_else(|| known.clone(), |target| target.known.clone());
        let (mut seats, mut ends) = ([array, own], [known.clone(), other]);
        if self.direction == ListDirection::Scatter {
            seats.reverse();
            ends.reverse();
        }
        let [from, to] = seats;
        let axes = ArrayAxes::of(known.map.order(), self.arguments.element as u64);
        Ok(Arc::new(Plan {
            session: Arc::downgrade(session),
            number,
            settings: self.settings.clone(),
            planned: Arc::new(planned),
            from,
            to,
            element: self.arguments.element,
            axes: [axes.clone(), axes],
            ends,
            overlap: self.arguments.options.overlap,
            kind: match &self.target {
                Some(target) => PlanKind::ShiftLines(target.shift.clone()),
                None => PlanKind::Listed,
            },
            last_call: WorkspaceCache::default(),
        }))
    }
}

/// Returns the places and the indices of the entries that are not skipped; `None` if no entry is skipped. An entry is
/// skipped if one of its indices is below the bound of its column in `lower`.
fn kept_entries(indices: &[i64], lower: &[i64]) -> Option<(Vec<u64>, Vec<i64>)> {
    let is_kept = |entry: &[i64]| entry.iter().zip(lower).all(|(i, lower)| i >= lower);
    let each = || indices.chunks_exact(lower.len().max(1));
    if each().all(is_kept) {
        return None;
    }
    let kept = || (0..).zip(each()).filter(|(_, entry)| is_kept(entry));
    Some((kept().map(|(place, _)| place).collect(), kept().flat_map(|(_, entry)| entry).copied().collect()))
}

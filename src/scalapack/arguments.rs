//! Checks this rank's arguments and chooses the session. The checks need no other rank; the first call on a context
//! creates its session, which is collective.

use super::call_arguments::GRID;
use super::prepared::is_small;
use super::{Call, CallArguments, Family, Matrix, Prepared, Section, ValidatedCall, check};
use crate::layout::distribution::{Grid, RankMap};
use crate::mpi::blacs::{Blacs, GridInfo, Int, wide};
use crate::mpi::{Comm, Group, check_library};
use crate::runtime::session;
use crate::runtime::session::Session;
use crate::system::settings::Settings;
use crate::transport::error::{ArgumentError, Error};
use std::sync::Arc;

impl Prepared {
    /// Checks the arguments of this rank, or finds them among those of earlier calls. `None` if the call does nothing,
    /// so that no rank waits for another one.
    pub fn of(arguments: &CallArguments) -> Result<Option<Self>, Error> {
        match arguments.routine.family.is_between_contexts() {
            true => Self::between_contexts(arguments).map(Some),
            false => Self::within_context(arguments),
        }
    }

    fn between_contexts(arguments: &CallArguments) -> Result<Self, Error> {
        check_library().map_err(Error::Host)?;
        let blacs = Blacs::of_host().map_err(Error::Host)?;
        let enclosing = arguments
            .enclosing
            .map(|context| Ok::<_, Error>((context, grid(blacs, || "ICTXT".into(), context)?)));
        let enclosing = enclosing.transpose()?;
        let comm = enclosing.as_ref().map_or_else(Comm::world, |(_, (_, comm))| *comm);
        let settings = Settings::of_process().map_err(Error::Host)?;
        let session = Session::of_context(&comm)?;
        // If ICTXT is the context of a matrix, the answer of BLACS is reused.
        let place = |name: &'static str, context: Int| {
            let known = enclosing.as_ref().filter(|(enclosing, _)| *enclosing == context);
            GridPlace::of((name, context), (&comm, session.number), |entry| {
                known.map_or_else(|| grid(blacs, entry, context), |(_, grid)| Ok(*grid))
            })
        };
        let [a, b] = &arguments.matrices;
        let (at_a, at_b) = (place("A", a.context)?, place("B", b.context)?);
        let numbers = |place: &Option<GridPlace>| place.as_ref().map_or([0; GRID], GridPlace::numbers);
        // A process alone copies a small section faster than it finds a cached call.
        let is_kept = session.ranks > 1 || !is_small(arguments.extent, arguments.routine.element);
        let key = is_kept.then(|| arguments.key([numbers(&at_a), numbers(&at_b)]));
        if let Some(validated) = key.and_then(|key| ValidatedCall::find(&session, &key)) {
            return Ok(Self::new(validated, session, settings));
        }
        let mut call = arguments.call()?;
        let member = |k: usize, place: GridPlace| {
            let at = place.info.at;
            arguments.matrix(k, place.into_grid(), at)
        };
        call.a = at_a.map(|place| member(0, place)).transpose()?;
        call.b = at_b.map(|place| member(1, place)).transpose()?;
        call.check()?;
        let validated = match key {
            Some(key) => ValidatedCall::store(call, &session, &key),
            None => Arc::new(ValidatedCall::new(call)),
        };
        Ok(Self::new(validated, session, settings))
    }

    /// Checks a call that all processes of A's context make.
    fn within_context(arguments: &CallArguments) -> Result<Option<Self>, Error> {
        let Some((place, comm)) = context_of(arguments)? else { return Ok(None) };
        let key = arguments.key([GridPlace { info: place, grid: None }.numbers(); 2]);
        // If M or N is 0, this rank makes no MPI call.
        if !arguments.extent.contains(&0) {
            check_library().map_err(Error::Host)?;
            let session = Session::of_known_context(&comm)?;
            let known = session.and_then(|session| ValidatedCall::find(&session, &key).zip(Some(session)));
            if let Some((validated, session)) = known {
                let settings = Settings::of_process().map_err(Error::Host)?;
                return Ok(Some(Self::new(validated, session, settings)));
            }
        }
        let Some(call) = Call::within_context(arguments, place)? else { return Ok(None) };
        let settings = Settings::of_process().map_err(Error::Host)?;
        let session = Session::of_context(&comm)?;
        // A new context may share a session with an earlier call with these arguments.
        let known = ValidatedCall::find(&session, &key);
        let validated = known.unwrap_or_else(|| ValidatedCall::store(call, &session, &key));
        Ok(Some(Self::new(validated, session, settings)))
    }
}

impl Call {
    /// Returns the checked call, on a process at `place`; `None` if the call does nothing.
    fn within_context(arguments: &CallArguments, place: GridInfo) -> Result<Option<Self>, ArgumentError> {
        let call = Self::with_matrices(arguments, place)?;
        let nothing = call.extent.contains(&0) || call.update.is_some_and(|update| update.changes_nothing());
        Ok((!nothing).then_some(call))
    }

    /// Returns the checked call with its matrices, on a process at `place` in their grid.
    fn with_matrices(arguments: &CallArguments, place: GridInfo) -> Result<Self, ArgumentError> {
        let mut call = arguments.call()?;
        let grid = Grid::row_major(&[place.rows, place.cols]);
        call.a = Some(arguments.matrix(0, grid.clone(), place.at)?);
        call.b = Some(arguments.matrix(1, grid, place.at)?);
        call.check()?;
        Ok(call)
    }

    /// Returns the checked call, with the grid that BLACS has for A's context. `None` if the call does nothing, or if
    /// [`context_of`] returns `None`.
    pub(super) fn from_arguments(arguments: &CallArguments) -> Result<Option<Self>, Error> {
        let Some((place, _)) = context_of(arguments)? else { return Ok(None) };
        Ok(Self::within_context(arguments, place)?)
    }

    /// Returns the checked matrices of a call within a context; `None` if [`context_of`] returns `None`.
    pub(super) fn matrices_from_arguments(arguments: &CallArguments) -> Result<Option<[Matrix; 2]>, Error> {
        let Some((place, _)) = context_of(arguments)? else { return Ok(None) };
        let Self { a, b, .. } = Self::with_matrices(arguments, place)?;
        Ok(a.zip(b).map(|(a, b)| [a, b]))
    }

    fn check(&self) -> Result<(), ArgumentError> {
        let (extent, counts, family) = (self.extent, ["M", "N"], self.routine.family);
        let mut of_a = Section { of: "A", extent, counts };
        if self.transposed {
            of_a.extent.reverse();
            of_a.counts.reverse();
        }
        let of_b = Section { of: family.target(), extent, counts };
        let sections = [(&self.a, of_a), (&self.b, of_b)];
        sections.iter().try_for_each(|(matrix, section)| match matrix {
            Some(matrix) => check(matrix, section, family.rules()),
            None => Ok(()),
        })
    }
}

struct GridPlace {
    info: GridInfo,
    /// The grid, in ranks of the enclosing communicator; `None` if it has all these ranks in row-major order.
    grid: Option<Grid>,
}

impl GridPlace {
    /// Returns the place in the grid of matrix `name`; `None` if `context` is negative, as on ranks outside the grid.
    /// `grid` asks BLACS for the grid; its argument names the context in errors. `session` is the number of the session
    /// of `enclosing`.
    fn of(
        (name, context): (&'static str, Int),
        (enclosing, session): (&Comm, u64),
        grid: impl FnOnce(&dyn Fn() -> String) -> Result<(GridInfo, Comm<'static>), Error>,
    ) -> Result<Option<Self>, Error> {
        if context < 0 {
            return Ok(None);
        }
        let entry = || format!("CTXT_ of DESC{name}");
        let (info, comm) = grid(&entry)?;
        if comm == *enclosing {
            return Ok(Some(Self { info, grid: None }));
        }
        let grid = session::grid_of(&comm, &[info.rows, info.cols], enclosing, session)?;
        let refused = || ArgumentError {
            name: entry(),
            value: wide(context),
            expected: "the context of a process grid whose processes are all in the context ICTXT".into(),
            place: Some(info.at[0] * info.cols + info.at[1]),
        };
        Ok(Some(Self { info, grid: Some(grid.ok_or_else(refused)?) }))
    }

    /// Returns numbers that identify the grid while it is kept: a grid with listed ranks is identified by its address.
    fn numbers(&self) -> [i64; GRID] {
        let [rows, cols] = [self.info.rows, self.info.cols].map(i64::from);
        match self.grid.as_ref().map(|grid| (grid.map(), grid)) {
            None => [rows, cols, 0, 0, 0, 0],
            Some((RankMap::Affine { base, strides }, _)) => [rows, cols, 1, *base, strides[0], strides[1]],
            Some((RankMap::Listed(_), grid)) => {
                [rows, cols, 2, i64::try_from(grid.identity()).unwrap_or(i64::MAX), 0, 0]
            }
        }
    }

    fn into_grid(self) -> Grid {
        let GridInfo { rows, cols, .. } = self.info;
        self.grid.unwrap_or_else(|| Grid::row_major(&[rows, cols]))
    }
}

/// Returns this process's place in the grid of A's context, and its communicator. Fails if the matrix that is written
/// has another context. `None` outside A's grid in p?lacpy, which copies nothing there.
fn context_of(arguments: &CallArguments) -> Result<Option<(GridInfo, Comm<'static>)>, Error> {
    let [a, c] = arguments.matrices.each_ref().map(|matrix| matrix.context);
    let family = arguments.routine.family;
    if family == Family::Lacpy && a < 0 {
        return Ok(None);
    }
    let blacs = Blacs::of_host().map_err(Error::Host)?;
    let of_a = grid(blacs, || "CTXT_ of DESCA".into(), a)?;
    if c == a || (family == Family::Lacpy && is_same_grid(blacs, &of_a, c)?) {
        return Ok(Some(of_a));
    }
    let also = if family == Family::Lacpy { ", or one of the same processes in the same places" } else { "" };
    Err(invalid(format!("CTXT_ of DESC{}", family.target()), c, format!("{a}, the context of A{also}"))
        .into())
}

/// Returns whether `context` has the processes of A's grid in the same places: ScaLAPACK's p?lacpy accepts any context
/// of B, so programs may pass another context with that grid.
fn is_same_grid(
    blacs: &Blacs,
    (place, comm): &(GridInfo, Comm<'static>),
    context: Int,
) -> Result<bool, Error> {
    let other = blacs.grid_info(context).map_err(Error::Host)?.filter(|other| other == place);
    let Some(other) = other.and_then(|_| blacs.communicator(context)) else { return Ok(false) };
    Ok(Group::of(comm)?.has_same_ranks(&Group::of(&other)?)?)
}

/// Returns this process's place in the grid of a context, and its communicator. Fails outside the grid; `entry` names
/// the context in errors.
fn grid(
    blacs: &Blacs,
    entry: impl FnOnce() -> String,
    context: Int,
) -> Result<(GridInfo, Comm<'static>), Error> {
    let place = blacs.grid_info(context).map_err(Error::Host)?;
    let grid = place.and_then(|place| Some((place, blacs.communicator(context)?)));
    let expected = || "the context of a process grid that contains this process".into();
    Ok(grid.ok_or_else(|| invalid(entry(), context, expected()))?)
}

fn invalid(name: String, value: Int, expected: String) -> ArgumentError {
    ArgumentError { name, value: wide(value), expected, place: None }
}

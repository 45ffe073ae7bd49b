//! ARE this rank's arguments those of a valid call, and on which session is it? It asks BLACS for the contexts' grids; it never asks
//! another rank.

use super::{Call, Descriptor, Family, Manners, Matrix, Prepared, Section, check};
use crate::blacs::{Blacs, GridInfo, Int, wide};
use crate::error::{ArgumentError, Error};
use crate::layout::Grid;
use crate::mpi::{Comm, check_library};
use crate::session::{self, Session};
use crate::settings::Settings;

/// The arguments of one matrix as they came in.
pub struct MatrixArguments {
    /// "A", "B" or "C".
    pub name: &'static str,
    /// CTXT_ of its descriptor; between contexts negative on a rank outside its grid, where nothing else is looked at.
    pub context: Int,
    /// The rest of its descriptor.
    pub descriptor: Descriptor,
    /// IA, JA or IB, JB.
    pub start: [i64; 2],
}

impl Prepared {
    /// Checks the arguments of this rank, for a call whose matrices are still missing. `enclosing` is ICTXT, or `None`: all
    /// processes of the program call.
    pub fn between_contexts(
        mut call: Call,
        [a, b]: [&MatrixArguments; 2],
        enclosing: Option<Int>,
    ) -> Result<Self, Error> {
        check_library().map_err(Error::Host)?;
        let blacs = Blacs::of_host().map_err(Error::Host)?;
        let around =
            enclosing.map(|context| Ok::<_, Error>((context, grid(blacs, || "ICTXT".into(), context)?)));
        let around = around.transpose()?;
        let comm = around.as_ref().map_or_else(Comm::world, |(_, (_, comm))| *comm);
        let settings = Settings::of_process().map_err(Error::Host)?;
        let session = Session::of_context(&comm)?;
        // Often ICTXT is the context of a matrix: it is asked for once.
        let member = |m: &MatrixArguments| {
            let known = around.as_ref().filter(|(context, _)| *context == m.context);
            matrix(m, (&comm, session.number), |entry| {
                known.map_or_else(|| grid(blacs, entry, m.context), |(_, grid)| Ok(*grid))
            })
        };
        (call.a, call.b) = (member(a)?, member(b)?);
        call.check([a, b], Manners::Redistribution)?;
        Ok(Self::new(call, session, settings))
    }

    /// The same for a call within the context of A, whose processes all call; `None` if there is nothing to do. MPI is not asked for
    /// anything before that is known.
    pub fn within_context(mut call: Call, arguments: [&MatrixArguments; 2]) -> Result<Option<Self>, Error> {
        let Some(comm) = call.placed_within_context(arguments)? else { return Ok(None) };
        check_library().map_err(Error::Host)?;
        let settings = Settings::of_process().map_err(Error::Host)?;
        Ok(Some(Self::new(call, Session::of_context(&comm)?, settings)))
    }
}

impl Call {
    /// Gives the call its matrices, in the context of A, and checks them; the context's communicator, or `None` if there is nothing
    /// to do.
    pub(super) fn placed_within_context(
        &mut self,
        [a, b]: [&MatrixArguments; 2],
    ) -> Result<Option<Comm<'static>>, Error> {
        let copies = self.routine.family == Family::Lacpy;
        // A process outside the context has nothing to copy, and p?lacpy does not ask where B lies.
        if copies && a.context < 0 {
            return Ok(None);
        }
        let blacs = Blacs::of_host().map_err(Error::Host)?;
        let entry = |of: &MatrixArguments| format!("CTXT_ of DESC{}", of.name);
        let (place, comm) = grid(blacs, || entry(a), a.context)?;
        if b.context != a.context && !copies {
            let expected = format!("{}, the context of A", a.context);
            return Err(invalid(entry(b), b.context, expected).into());
        }
        let grid = Grid::row_major(&[place.rows, place.cols]);
        let member = |m: &MatrixArguments| {
            Some(Matrix { grid: grid.clone(), at: place.at, descriptor: m.descriptor, start: m.start })
        };
        (self.a, self.b) = (member(a), member(b));
        self.check([a, b], if copies { Manners::Lacpy } else { Manners::Pblas })?;
        let nothing = self.extent.contains(&0) || self.update.is_some_and(|update| update.changes_nothing());
        Ok((!nothing).then_some(comm))
    }

    /// Checks the sections of the matrices that this rank is in the grid of.
    fn check(&self, [a, b]: [&MatrixArguments; 2], manners: Manners) -> Result<(), ArgumentError> {
        let (extent, counts) = (self.extent, ["M", "N"]);
        let mut of_a = Section { of: a.name, extent, counts };
        if self.transposed {
            of_a.extent.reverse();
            of_a.counts.reverse();
        }
        let of_b = Section { of: b.name, extent, counts };
        let sections = [(&self.a, of_a), (&self.b, of_b)];
        sections.iter().try_for_each(|(matrix, section)| match matrix {
            Some(matrix) => check(matrix, section, manners),
            None => Ok(()),
        })
    }
}

/// The matrix, if this rank is in its grid, which `grid` says; within the communicator of session number `session`.
fn matrix(
    m: &MatrixArguments,
    (enclosing, session): (&Comm, u64),
    grid: impl FnOnce(&dyn Fn() -> String) -> Result<(GridInfo, Comm<'static>), Error>,
) -> Result<Option<Matrix>, Error> {
    let MatrixArguments { name, context, descriptor, start } = m;
    if *context < 0 {
        return Ok(None);
    }
    let entry = || format!("CTXT_ of DESC{name}");
    let (place, comm) = grid(&entry)?;
    let grid = session::grid_of(&comm, &[place.rows, place.cols], enclosing, session)?;
    let grid = grid.ok_or_else(|| ArgumentError {
        name: entry(),
        value: wide(*context),
        expected: "the context of a process grid, all of whose processes are in the context ICTXT".into(),
        place: Some(place.at[0] * place.cols + place.at[1]),
    })?;
    Ok(Some(Matrix { grid, at: place.at, descriptor: *descriptor, start: *start }))
}

/// The grid of a context, which this process is in, and its communicator; `entry` is what the context is called.
fn grid(
    blacs: &Blacs,
    entry: impl FnOnce() -> String,
    context: Int,
) -> Result<(GridInfo, Comm<'static>), Error> {
    let place = blacs.grid_info(context).map_err(Error::Host)?;
    let grid = place.and_then(|place| Some((place, blacs.communicator(context)?)));
    let expected = || "the context of a process grid that this process is in".into();
    Ok(grid.ok_or_else(|| invalid(entry(), context, expected()))?)
}

fn invalid(name: String, value: Int, expected: String) -> ArgumentError {
    ArgumentError { name, value: wide(value), expected, place: None }
}

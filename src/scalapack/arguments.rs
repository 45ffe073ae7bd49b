//! ARE this rank's arguments those of a valid call, and on which session is it? It asks BLACS for the contexts' grids; it never asks
//! another rank.

use super::{Call, Checked, Descriptor, Family, Manners, Matrix, Prepared, Section, check};
use crate::blacs::{Blacs, GridInfo, Int, wide};
use crate::error::{ArgumentError, Error};
use crate::layout::{Grid, RankMap};
use crate::mpi::{Comm, check_library};
use crate::session::{self, Session};
use crate::settings::Settings;
use std::sync::Arc;

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

/// What a call between contexts is about, as its arguments say it, but for addresses.
pub struct Asked {
    /// The contexts of A and B; negative on a rank outside the grid.
    pub contexts: [Int; 2],
    /// ICTXT, or `None`: all processes of the program call.
    pub enclosing: Option<Int>,
    /// The routine, the options, M and N.
    pub numbers: [i64; 5],
    /// Of each matrix the first row and column and the entries of the descriptor behind the context; 0 on a rank outside the grid.
    pub matrices: [[i64; 9]; 2],
}

impl Asked {
    /// By what a session finds a call that was checked.
    fn key(&self, places: &[Option<Place>; 2]) -> [i64; 5 + 2 * (9 + 6)] {
        let mut key = [0; 5 + 2 * (9 + 6)];
        let (call, both) = key.split_at_mut(5);
        call.copy_from_slice(&self.numbers);
        for ((part, matrix), place) in both.chunks_exact_mut(9 + 6).zip(&self.matrices).zip(places) {
            part[..9].copy_from_slice(matrix);
            part[9..].copy_from_slice(&place.as_ref().map_or([0; 6], Place::numbers));
        }
        key
    }
}

impl Prepared {
    /// Checks the arguments of this rank, or finds that they were checked before. `call` gives the call, whose matrices are still
    /// missing, and those.
    pub fn between_contexts(
        asked: &Asked,
        call: impl FnOnce() -> Result<(Call, [MatrixArguments; 2]), ArgumentError>,
    ) -> Result<Self, Error> {
        let Asked { contexts, enclosing, .. } = asked;
        check_library().map_err(Error::Host)?;
        let blacs = Blacs::of_host().map_err(Error::Host)?;
        let around =
            enclosing.map(|context| Ok::<_, Error>((context, grid(blacs, || "ICTXT".into(), context)?)));
        let around = around.transpose()?;
        let comm = around.as_ref().map_or_else(Comm::world, |(_, (_, comm))| *comm);
        let settings = Settings::of_process().map_err(Error::Host)?;
        let session = Session::of_context(&comm)?;
        // Often ICTXT is the context of a matrix: it is asked for once.
        let place = |name: &'static str, context: Int| {
            let known = around.as_ref().filter(|(around, _)| *around == context);
            Place::of((name, context), (&comm, session.number), |entry| {
                known.map_or_else(|| grid(blacs, entry, context), |(_, grid)| Ok(*grid))
            })
        };
        let places = [place("A", contexts[0])?, place("B", contexts[1])?];
        let key = asked.key(&places);
        let known = session.state().known.find(&key);
        if let Some(what) = known.and_then(|known| known.downcast::<Checked>().ok()) {
            return Ok(Self::new(what, session, settings));
        }
        let (mut call, [a, b]) = call()?;
        let [at_a, at_b] = places;
        let member = |m: &MatrixArguments, place: Place| Matrix {
            at: place.info.at,
            grid: place.into_grid(),
            descriptor: m.descriptor,
            start: m.start,
        };
        (call.a, call.b) = (at_a.map(|place| member(&a, place)), at_b.map(|place| member(&b, place)));
        call.check([&a, &b], Manners::Redistribution)?;
        let what = Arc::new(Checked::new(call, &session, settings));
        session.state().known.keep(&key, what.clone());
        Ok(Self::new(what, session, settings))
    }

    /// The same for a call within the context of A, whose processes all call; `None` if there is nothing to do. MPI is not asked for
    /// anything before that is known.
    pub fn within_context(mut call: Call, arguments: [&MatrixArguments; 2]) -> Result<Option<Self>, Error> {
        let Some(comm) = call.placed_within_context(arguments)? else { return Ok(None) };
        check_library().map_err(Error::Host)?;
        let settings = Settings::of_process().map_err(Error::Host)?;
        let session = Session::of_context(&comm)?;
        Ok(Some(Self::new(Arc::new(Checked::new(call, &session, settings)), session, settings)))
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

/// This rank's place in the grid of a matrix.
struct Place {
    info: GridInfo,
    /// The grid, in ranks of the enclosing communicator, unless it has all of these in row-major order.
    grid: Option<Grid>,
}

impl Place {
    /// That of the matrix of that name and context, if this rank is in its grid, which `grid` says; within the communicator of session
    /// number `session`.
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
            expected: "the context of a process grid, all of whose processes are in the context ICTXT".into(),
            place: Some(info.at[0] * info.cols + info.at[1]),
        };
        Ok(Some(Self { info, grid: Some(grid.ok_or_else(refused)?) }))
    }

    /// Numbers that no other grid has, for as long as this one is kept.
    fn numbers(&self) -> [i64; 6] {
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

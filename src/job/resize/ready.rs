//! WHAT does a rank hold that is to work from now on, before all ranks have said that nothing can fail any more?

use super::super::carry::Arrived;
use super::super::grid::{exit_grid, make_grid};
use super::super::registry::JobGrid;
use crate::hpf::{Failure, Map, Procs};
use crate::mapping::Arrangement;
use crate::mpi::Duplicate;
use crate::session::Session;
use std::sync::Arc;

/// All that a rank has when it is to work among others from now on.
pub(super) struct Ready<M> {
    pub(super) now: Duplicate,
    pub(super) grid: Option<JobGrid>,
    pub(super) arrived: Vec<Arrived<M>>,
}

impl<M> Ready<M> {
    /// Collective over `now`, whose session is `session`: with a process grid of that shape.
    pub(super) fn of(
        now: Duplicate,
        session: &Arc<Session>,
        shape: Option<[u32; 2]>,
        arrived: Vec<Arrived<M>>,
    ) -> Result<Self, Failure> {
        let there = |Arrived { map, memory }: Arrived<M>| {
            // Those that stay have other numbers now.
            let arrangement = Arrangement::new(map.procs().shape(), None, session.ranks)?;
            let procs = Procs::of_session(session, arrangement.clone())?;
            Ok(Arrived { map: Map::of(procs, None, map.map().onto(arrangement)), memory })
        };
        let arrived = arrived.into_iter().map(there).collect::<Result<_, Failure>>()?;
        let grid = shape.map(|shape| make_grid(now.comm(), shape)).transpose()?;
        Ok(Self { now, grid, arrived })
    }
}

/// What is given up where other ranks cannot go on.
pub(super) trait Undo {
    fn undo(self);
}

impl<M> Undo for Ready<M> {
    fn undo(self) {
        self.grid.into_iter().for_each(exit_grid);
    }
}

impl<M> Undo for Option<Ready<M>> {
    fn undo(self) {
        self.into_iter().for_each(Undo::undo);
    }
}

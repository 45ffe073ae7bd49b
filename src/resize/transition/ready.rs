//! Resources of the new configuration, held until every rank confirms the resize.

use super::super::Job;
use super::super::grid::{exit_grid, make_grid};
use super::super::registry::{JobGrid, Registered};
use super::super::relocation::MovedArray;
use super::super::variables::Allocation;
use crate::arrays::{Map, Procs};
use crate::collective::failure::Failure;
use crate::layout::mapping::Arrangement;
use crate::mpi::Duplicate;
use crate::runtime::session::Session;
use std::sync::Arc;
use std::time::Instant;

pub(super) struct Ready<M> {
    pub(super) now: Duplicate,
    pub(super) grid: Option<JobGrid>,
    pub(super) arrived: Vec<MovedArray<M>>,
}

impl<M> Ready<M> {
    /// Makes the resources, with a process grid of the shape `shape`, if any. Collective over `now`, whose session is
    /// `session`.
    pub(super) fn new(
        now: Duplicate,
        session: &Arc<Session>,
        shape: Option<[u32; 2]>,
        arrived: Vec<MovedArray<M>>,
    ) -> Result<Self, Failure> {
        let there = |MovedArray { map, memory }: MovedArray<M>| {
            // Ranks that stay have new numbers.
            let arrangement = Arrangement::new(map.procs().shape(), None, session.ranks)?;
            let procs = Procs::in_session(session, arrangement.clone())?;
            Ok(MovedArray { map: Map::from_mapping(procs, None, map.map().onto(arrangement)), memory })
        };
        let arrived = arrived.into_iter().map(there).collect::<Result<_, Failure>>()?;
        let grid = shape.map(|shape| make_grid(now.comm(), shape)).transpose()?;
        Ok(Self { now, grid, arrived })
    }
}

impl<M: Allocation> Job<M> {
    /// Installs the new configuration. Cannot fail.
    pub(super) fn install(&mut self, ready: Ready<M>, ranks: u32) {
        let begin = Instant::now();
        self.leave_grid();
        let Ready { now, grid, arrived } = ready;
        self.world.adopt(now, ranks);
        self.placement.set_hosts(self.world.hosts().to_vec());
        self.grid = grid;
        self.times.grid += begin.elapsed();
        let (begin, mut arrived) = (Instant::now(), arrived.into_iter());
        for item in &mut self.items {
            let Registered::Array(array) = item else { continue };
            let Some(MovedArray { map, memory }) = arrived.next() else { continue };
            array.become_moved(map.clone());
            let descriptor = array.new_descriptor(&map, grid);
            match &mut array.variables {
                Some(variables) => variables.replace(memory, descriptor),
                None => array.memory = memory,
            }
        }
        self.times.transfer += begin.elapsed();
    }

    /// Releases the arrays of a rank that is no longer active.
    pub(super) fn release_arrays(&mut self) {
        for item in &mut self.items {
            if let Registered::Array(array) = item {
                array.map = None;
                array.variables.iter_mut().for_each(|variables| variables.replace(None, None));
            }
        }
    }
}

/// Resources that are released if another rank has failed.
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

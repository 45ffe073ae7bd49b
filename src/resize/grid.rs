//! Process grid of a job's matrices, before and after a resize: its shape, and the calls of BLACS.

use super::Job;
use super::registry::{JobGrid, arrays_of};
use super::variables::Allocation;
use crate::collective::call::{agree_on, with_valid_settings};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::layout::distribution::nearly_square;
use crate::mpi::Comm;
use crate::mpi::blacs::{Grids, Int};
use crate::plan::topology::{Matrix, cheapest_grid};
use crate::system::digest::digest;
use crate::system::machine::Machine;
use crate::system::settings::{Medium, Settings};

impl<M: Allocation> Job<M> {
    /// Returns the BLACS context of the job's process grid. The first call, collective over the active ranks, makes the
    /// grid, of the given shape or as nearly square as possible.
    pub fn blacs(&mut self, shape: Option<[u32; 2]>) -> Result<Int, Failure> {
        if let Some(grid) = self.grid {
            return Ok(grid.context);
        }
        let ranks = self.ranks();
        let shape = shape.unwrap_or_else(|| nearly_square(ranks));
        let fits = match shape[0].checked_mul(shape[1]) == Some(ranks) {
            true => Ok(()),
            false => Err(Failure::argument(format!(
                "the grid has {} x {} processes, expected all {ranks} ranks of the job",
                shape[0], shape[1]
            ))),
        };
        let session = self.session()?;
        let allowed = with_valid_settings(fits).and_then(|()| make_room(ranks));
        agree_on(&session, Operation::Grid, &[Some(digest(&shape))], allowed)?;
        let grid = make_grid(self.comm()?, shape)?;
        self.grid = Some(grid);
        Ok(grid.context)
    }

    /// Frees the process grid. Collective over its processes.
    pub(super) fn leave_grid(&mut self) {
        self.grid.take().into_iter().for_each(exit_grid);
    }

    /// Returns the shape of the process grid after a resize to `ranks` ranks: as nearly square as possible or, if the
    /// program has a grid and allows skew, the shape with the cheapest move of the matrices.
    pub(super) fn next_shape(&self, ranks: u32) -> Result<[u32; 2], Failure> {
        let Some(grid) = self.grid.filter(|_| self.options.skew > 0) else { return Ok(nearly_square(ranks)) };
        let positive = |n: i64| u64::try_from(n).unwrap_or(0).max(1);
        let matrices: Vec<Matrix> = arrays_of(&self.items)
            .iter()
            .filter_map(|array| {
                let descriptor = array.matrix?;
                let (extent, block) = (descriptor.extent.map(positive), descriptor.block.map(positive));
                Some(Matrix { extent, block, element: array.element as u64 })
            })
            .collect();
        Ok(cheapest_grid(ranks, &matrices, grid.shape, self.options.skew, &self.machine()?.0).grid)
    }

    /// Returns the machine model of the active ranks, and the settings. A single rank is assumed to share memory with
    /// ranks that join, unless all messages go by MPI.
    pub(super) fn machine(&self) -> Result<(Machine, &'static Settings), Failure> {
        let settings = Settings::of_process().map_err(|why| Failure::new(Code::Settings, why))?;
        let one_node =
            settings.medium != Medium::Mpi && self.session()?.node_info().unwrap_or_default().one_node;
        Ok((if one_node { settings.node } else { settings.network }, settings))
    }
}

/// Makes a process grid; BLACS must have room for it. Collective over `comm`.
pub(super) fn make_grid(comm: Comm, shape: [u32; 2]) -> Result<JobGrid, Failure> {
    let grids = Grids::of_host().map_err(|why| Failure::new(Code::State, why))?;
    let context = grids.make(comm, shape).map_err(|why| Failure::new(Code::Internal, why))?;
    Ok(JobGrid { shape, context })
}

/// Frees a process grid. Collective over its processes.
pub(super) fn exit_grid(grid: JobGrid) {
    if let Ok(grids) = Grids::of_host() {
        grids.exit(grid.context);
    }
}

/// Makes room in BLACS for a process grid of `ranks` ranks; an error if that is impossible.
pub(super) fn make_room(ranks: u32) -> Result<(), Failure> {
    Grids::of_host().and_then(|grids| grids.make_room(ranks)).map_err(|why| Failure::new(Code::State, why))
}

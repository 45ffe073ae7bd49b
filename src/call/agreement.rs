//! Do all ranks mean the same call, and what do those outside a grid have to learn?
//!
//! Every rank announces its terms to the next rank and hears those of the rank before it. If two ranks differ anywhere,
//! two neighbours differ, so some rank finds out and can end the job; the others would wait for ever for messages that
//! never come. The announcement travels beside the data and holds nothing up. Only where some rank may be outside a
//! grid, which all ranks know, do all ranks merge their terms before the data.

use super::terms::Unlisted;
use super::{Call, Matrix, Terms};
use crate::error::Error;
use crate::layout::Grid;
use crate::mpi::{Broadcast, Comm, MinReduction, MpiError, Slots};
use crate::waiting::Waiting;
use std::time::{Duration, Instant};

/// Tag of announcements on reblock's own communicator.
const TAG: i32 = 2;
/// How long a rank that failed waits for a better explanation.
const PATIENCE: Duration = Duration::from_secs(2);
const OUT: usize = 0;
const IN: usize = 1;

/// Room for one announcement in each direction, kept from call to call.
pub fn room() -> Slots {
    Slots::new(2, Terms::BYTES)
}

/// This rank's announcement to the next rank, and the one it hears.
pub struct Announcement<'a> {
    slots: &'a mut Slots,
    comm: Comm,
    me: u32,
    ranks: u32,
    terms: &'a Terms,
    started: bool,
    /// Messages of the two that are not complete yet.
    pending: usize,
}

impl<'a> Announcement<'a> {
    /// The announcement of rank `me` of the `ranks` ranks of `comm`, not made yet.
    pub fn new(comm: Comm, (me, ranks): (u32, u32), terms: &'a Terms, slots: &'a mut Slots) -> Self {
        Self { slots, comm, me, ranks, terms, started: false, pending: 0 }
    }

    /// Makes it, once. A rank alone has nobody to tell.
    pub fn start(&mut self) -> Result<(), MpiError> {
        if !self.started && self.ranks > 1 {
            self.slots.receive(IN, self.comm, self.before(), TAG, Terms::BYTES)?;
            self.slots.buffer(OUT)[..Terms::BYTES].copy_from_slice(&self.terms.to_bytes());
            self.slots.send(OUT, self.comm, (self.me + 1) % self.ranks, TAG, Terms::BYTES)?;
            self.pending = 2;
        }
        self.started = true;
        Ok(())
    }

    fn before(&self) -> u32 {
        (self.me + self.ranks - 1) % self.ranks
    }

    /// Whether both messages are complete and agree. Does not wait.
    pub fn poll(&mut self) -> Result<bool, Error> {
        while self.pending > 0 {
            let Some((slot, _)) = self.slots.completed()? else { return Ok(false) };
            self.pending -= 1;
            if slot == IN {
                self.terms.agree(&Terms::from_bytes(self.slots.filled(IN)), self.before())?;
            }
        }
        Ok(true)
    }

    /// Waits until both messages are complete.
    pub fn finish(mut self) -> Result<(), Error> {
        let mut waiting = Waiting::default();
        while !self.poll()? {
            waiting.pause();
        }
        Ok(())
    }

    /// Why the exchange failed with `error`: where ranks disagree, they say it better, if they do so soon; and the one
    /// that finds it ends the job.
    pub fn reason(&mut self, error: Error) -> Error {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            match self.poll() {
                Err(reason) => return reason,
                Ok(_) => std::thread::yield_now(),
            }
        }
        error
    }

    /// Merges the terms of all ranks; returns what all agree on, with both grids. `call` is what `terms` were made of.
    pub fn merge(&mut self, call: &Call) -> Result<(Terms, Grid, Grid), Error> {
        let mut reduction = MinReduction::start(self.comm, self.terms.to_reduce())?;
        let merged = Terms::from_reduced(&self.wait(|| reduction.test())?)?;
        let a = merged.grid_a().or_else(|unlisted| self.told(&unlisted, call.a.as_ref()))?;
        let b = merged.grid_b().or_else(|unlisted| self.told(&unlisted, call.b.as_ref()))?;
        Ok((merged, a, b))
    }

    /// A grid whose ranks follow no rule, told by one of its members.
    fn told(&mut self, grid: &Unlisted, mine: Option<&Matrix>) -> Result<Grid, Error> {
        let Unlisted { rows, cols, root } = *grid;
        let ranks: Vec<u32> = match mine {
            Some(matrix) => matrix.grid.places().map(|at| matrix.grid.rank(&at).0).collect(),
            None => vec![0; rows as usize * cols as usize],
        };
        let mut broadcast = Broadcast::start(self.comm, root, ranks)?;
        let ranks = self.wait(|| broadcast.test())?;
        Ok(Grid::from_ranks(&[rows, cols], &ranks).expect("a grid has a rank for every place"))
    }

    /// Waits for `done`, while differences between neighbours are found.
    fn wait<T>(&mut self, mut done: impl FnMut() -> Result<Option<T>, MpiError>) -> Result<T, Error> {
        let mut waiting = Waiting::default();
        loop {
            if let Some(result) = done()? {
                return Ok(result);
            }
            self.poll()?;
            waiting.pause();
        }
    }
}

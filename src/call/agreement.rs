//! Do all ranks mean the same call, and what do those outside a grid have to learn?
//!
//! Every rank tells its terms to the next rank and hears those of the rank before it. If two ranks differ anywhere, two
//! neighbours differ, so some rank finds out and can end the job; the others would wait for ever for messages that never
//! come. This travels beside the data and delays none of it; a rank only does not leave before its neighbour has come.
//!
//! Where some rank may be outside a grid, which all ranks know, all ranks merge their terms before the data: that first
//! message is round 0, and in round k each rank tells all it knows to the rank 2^k places on (dissemination; terms are
//! sets of facts, so hearing one twice does no harm).

use super::terms::Unlisted;
use super::{Call, Matrix, Terms};
use crate::error::{ArgumentError, Error};
use crate::layout::{Coord, Grid, Rank};
use crate::mpi::{Broadcast, Comm, MpiError, Slots};
use crate::waiting::until;
use std::time::{Duration, Instant};

/// Tag of these messages on reblock's own communicator.
const TAG: i32 = 2;
/// How long a rank that failed waits for a better explanation.
const PATIENCE: Duration = Duration::from_secs(2);

/// Rounds until all of `ranks` ranks know what each knows.
fn rounds(ranks: u32) -> usize {
    ranks.next_power_of_two().trailing_zeros() as usize
}

/// The slot of the message sent in a round; the one received is the next slot.
fn out(round: usize) -> usize {
    2 * round
}

/// Room for the messages of all rounds, kept from call to call.
pub fn room(ranks: u32) -> Slots {
    Slots::new(2 * rounds(ranks), Terms::BYTES)
}

/// One call's agreement, on one rank.
pub struct Agreement<'a> {
    slots: &'a mut Slots,
    comm: Comm,
    me: u32,
    ranks: u32,
    terms: &'a Terms,
    /// Whether round k's message has come.
    heard: Vec<bool>,
    /// Messages under way.
    pending: usize,
}

impl<'a> Agreement<'a> {
    /// The agreement of rank `me` of the `ranks` ranks of `comm`; nothing is sent yet.
    pub fn new(comm: Comm, (me, ranks): (u32, u32), terms: &'a Terms, slots: &'a mut Slots) -> Self {
        Self { slots, comm, me, ranks, terms, heard: Vec::new(), pending: 0 }
    }

    /// Tells the next rank, once. A rank alone has nobody to tell.
    pub fn start(&mut self) -> Result<(), MpiError> {
        if self.heard.is_empty() && self.ranks > 1 {
            self.exchange(&self.terms.to_bytes())?;
        }
        Ok(())
    }

    /// Starts the next round with what this rank knows.
    fn exchange(&mut self, known: &[u8]) -> Result<(), MpiError> {
        let round = self.heard.len();
        let (slot, to) = (out(round), (self.me + (1 << round)) % self.ranks);
        self.slots.receive(slot + 1, self.comm, self.before(round), TAG, Terms::BYTES)?;
        self.slots.buffer(slot)[..Terms::BYTES].copy_from_slice(known);
        self.slots.send(slot, self.comm, to, TAG, Terms::BYTES)?;
        self.heard.push(false);
        self.pending += 2;
        Ok(())
    }

    fn before(&self, round: usize) -> u32 {
        (self.me + self.ranks - (1 << round)) % self.ranks
    }

    /// Whether all messages under way are complete; round 0's must agree. Does not wait.
    pub fn poll(&mut self) -> Result<bool, Error> {
        while self.pending > 0 {
            let Some((slot, _)) = self.slots.completed()? else { return Ok(false) };
            self.pending -= 1;
            if slot % 2 == 1 {
                self.heard[slot / 2] = true;
            }
            if slot == 1 {
                self.terms.agree(&Terms::from_bytes(self.slots.filled(1)), Some(self.before(0)))?;
            }
        }
        Ok(true)
    }

    /// Waits until all messages are complete.
    pub fn finish(mut self) -> Result<(), Error> {
        until(|| Ok(self.poll()?.then_some(())))
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
        let mut known = self.terms.clone();
        for round in 0..rounds(self.ranks) {
            self.exchange(&known.to_bytes())?;
            until(|| self.poll().map(|_| self.heard[round].then_some(())))?;
            // What comes in later rounds was passed on.
            let teller = (round == 0).then(|| self.before(0));
            known.absorb(&Terms::from_bytes(self.slots.filled(out(round) + 1)), teller)?;
        }
        known.complete()?;
        let a = known.grid_a().or_else(|unlisted| self.told(&unlisted, call.a.as_ref()))?;
        let b = known.grid_b().or_else(|unlisted| self.told(&unlisted, call.b.as_ref()))?;
        self.in_place("A", &a, call.a.as_ref())?;
        self.in_place("B", &b, call.b.as_ref())?;
        Ok((known, a, b))
    }

    /// A grid whose ranks follow no rule, told by one of its members.
    fn told(&mut self, grid: &Unlisted, mine: Option<&Matrix>) -> Result<Grid, Error> {
        let Unlisted { rows, cols, root } = *grid;
        let ranks: Vec<u32> = match mine {
            Some(matrix) => matrix.grid.places().map(|at| matrix.grid.rank(&at).0).collect(),
            None => vec![0; rows as usize * cols as usize],
        };
        let mut broadcast = Broadcast::start(self.comm, root, ranks)?;
        let ranks = until(|| match broadcast.test()? {
            None => self.poll().map(|_| None),
            told => Ok(told),
        })?;
        Ok(Grid::from_ranks(&[rows, cols], &ranks).expect("a grid has a rank for every place"))
    }

    /// Whether this rank gave a context exactly if it is in the grid that all agree on.
    fn in_place(&self, name: &str, grid: &Grid, mine: Option<&Matrix>) -> Result<(), Error> {
        let place = grid.find(Rank(self.me)).map(|at| Coord { row: at[0], col: at[1] });
        match (place, mine.map(|matrix| matrix.at)) {
            (place, at) if place == at => Ok(()),
            (Some(Coord { row, col }), _) => Err(Error::Argument(ArgumentError {
                name: format!("CTXT_ of DESC{name}"),
                value: -1,
                expected: format!("the context of {name}'s grid, as this process is ({row},{col}) of it"),
                place: None,
            })),
            (None, _) => Err(Error::Host(format!("the ranks of {name}'s grid disagree on who is in it"))),
        }
    }
}

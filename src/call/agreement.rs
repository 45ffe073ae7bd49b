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
use crate::layout::{Grid, Rank};
use crate::mpi::{Broadcast, Comm};
use crate::transport::{Slot, Transport};
use crate::waiting::until;
use std::time::{Duration, Instant};

/// How long a rank that failed waits for a better explanation.
const PATIENCE: Duration = Duration::from_secs(2);

/// Rounds until all of `ranks` ranks know what each knows.
pub fn rounds(ranks: u32) -> usize {
    ranks.next_power_of_two().trailing_zeros() as usize
}

/// One call's agreement, on one rank.
pub struct Agreement<'a, T> {
    wires: T,
    comm: Comm,
    me: u32,
    ranks: u32,
    terms: &'a Terms,
    /// Rounds whose message was sent.
    told: usize,
    /// What came, by round.
    heard: Vec<Option<Terms>>,
    /// The rounds of messages under way, with the slots that they will be in.
    expected: Vec<(Slot, usize)>,
}

impl<'a, T: Transport<Error = Error>> Agreement<'a, T> {
    /// The agreement of rank `me` of the `ranks` ranks of `comm`; nothing is sent yet. `wires` carry nothing else, and
    /// at least [`Terms::BYTES`] bytes at once.
    pub fn new(comm: Comm, (me, ranks): (u32, u32), terms: &'a Terms, wires: T) -> Self {
        Self { wires, comm, me, ranks, terms, told: 0, heard: Vec::new(), expected: Vec::new() }
    }

    /// Tells the next rank, once, as soon as there is a slot for it. A rank alone has nobody to tell.
    pub fn start(&mut self) -> Result<(), Error> {
        if self.ranks > 1 && self.told == 0 {
            self.exchange(0, self.terms)?;
        }
        Ok(())
    }

    /// Starts a round with what this rank knows; `None` if there is no slot yet.
    fn exchange(&mut self, round: usize, known: &Terms) -> Result<Option<()>, Error> {
        let to = Rank((self.me + (1 << round)) % self.ranks);
        if self.heard.len() == round {
            let Some(slot) = self.wires.expect(self.before(round), Terms::BYTES)? else { return Ok(None) };
            self.expected.push((slot, round));
            self.heard.push(None);
        }
        let Some(slot) = self.wires.free_slot(to)? else { return Ok(None) };
        known.write(self.wires.fill(slot));
        self.wires.send(slot, to, Terms::BYTES)?;
        self.told += 1;
        Ok(Some(()))
    }

    fn before(&self, round: usize) -> Rank {
        Rank((self.me + self.ranks - (1 << round)) % self.ranks)
    }

    /// Takes in what has come; round 0's must agree. Does not wait. Whether this rank may leave.
    pub fn poll(&mut self) -> Result<bool, Error> {
        while !self.expected.is_empty() {
            let Some(slot) = self.wires.arrived()? else { return Ok(false) };
            let at = self.expected.iter().position(|(expected, _)| *expected == slot);
            let (_, round) = self.expected.swap_remove(at.expect("only what is expected arrives"));
            let terms = Terms::from_bytes(self.wires.received(slot));
            self.wires.release(slot);
            if round == 0 {
                self.terms.agree(&terms, Some(self.before(0).0))?;
            }
            self.heard[round] = Some(terms);
        }
        self.wires.all_sent()
    }

    /// Lets MPI go on, if it is its turn.
    fn host_turn(&self, turn: bool) -> Result<(), Error> {
        if turn { Ok(self.comm.progress()?) } else { Ok(()) }
    }

    /// Tells the next rank if that was not done yet, and waits until all messages are complete.
    pub fn finish(&mut self) -> Result<(), Error> {
        until(|turn| {
            self.host_turn(turn)?;
            self.start()?;
            Ok((self.poll()? && (self.told > 0 || self.ranks == 1)).then_some(()))
        })
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
            until(|turn| {
                self.host_turn(turn)?;
                self.poll()?;
                self.exchange(round, &known)
            })?;
            let heard = until(|turn| {
                self.host_turn(turn)?;
                self.poll().map(|_| self.heard[round].take())
            })?;
            // What comes in later rounds was passed on.
            let teller = (round == 0).then(|| self.before(0).0);
            known.absorb(&heard, teller)?;
        }
        known.complete()?;
        let a = known.grid_a().or_else(|unlisted| self.told_grid(&unlisted, call.a.as_ref()))?;
        let b = known.grid_b().or_else(|unlisted| self.told_grid(&unlisted, call.b.as_ref()))?;
        self.in_place("A", &a, call.a.as_ref())?;
        self.in_place("B", &b, call.b.as_ref())?;
        Ok((known, a, b))
    }

    /// A grid whose ranks follow no rule, told by one of its members.
    fn told_grid(&mut self, grid: &Unlisted, mine: Option<&Matrix>) -> Result<Grid, Error> {
        let Unlisted { rows, cols, root } = *grid;
        let ranks: Vec<u32> = match mine {
            Some(matrix) => matrix.grid.places().map(|at| matrix.grid.rank(&at).0).collect(),
            None => vec![0; rows as usize * cols as usize],
        };
        let mut broadcast = Broadcast::start(self.comm, root, ranks)?;
        let ranks = until(|_| match broadcast.test()? {
            None => self.poll().map(|_| None),
            told => Ok(told),
        })?;
        Ok(Grid::from_ranks(&[rows, cols], &ranks).expect("a grid has a rank for every place"))
    }

    /// Whether this rank gave a context exactly if it is in the grid that all agree on.
    fn in_place(&self, name: &str, grid: &Grid, mine: Option<&Matrix>) -> Result<(), Error> {
        let place = grid.find(Rank(self.me));
        match (place.as_deref(), mine.map(|matrix| matrix.at)) {
            (place, at) if place == at.as_ref().map(|at| &at[..]) => Ok(()),
            (Some(at), _) => Err(Error::Argument(ArgumentError {
                name: format!("CTXT_ of DESC{name}"),
                value: -1,
                expected: format!(
                    "the context of {name}'s grid, as this process is ({},{}) of it",
                    at[0], at[1]
                ),
                place: None,
            })),
            (None, _) => Err(Error::Host(format!("the ranks of {name}'s grid disagree on who is in it"))),
        }
    }
}

//! Carries redistributions through, leg after leg of their routes, several arrays together. It knows routes and arrays; it
//! never waits, and never knows who asked.

use crate::crew::Crew;
use crate::error::Error;
use crate::exec::{Exchange, Item, State};
use crate::pack::{Destination, Owned, Source};
use crate::planned::Planned;
use crate::transport::Transport;
use std::sync::Arc;

/// One array's redistribution, on one rank.
pub struct Load<'a> {
    /// What is to be done.
    pub plan: Arc<Planned>,
    /// The local array that is read, unless this rank is outside its grid.
    pub source: Option<Source<'a>>,
    /// The local array that is written, unless this rank is outside its grid.
    pub destination: Option<Destination<'a>>,
}

/// Redistributions that travel together.
pub struct Journey<'a> {
    loads: Vec<Load<'a>>,
    crew: Crew,
    /// Legs that are begun.
    begun: usize,
    exchange: Option<Exchange<'a>>,
    /// What the leg under way writes, of each load, if that is an intermediate array.
    between: Vec<Option<Owned>>,
}

impl<'a> Journey<'a> {
    /// Nothing is under way yet. All loads are for the same communicator.
    pub fn new(loads: Vec<Load<'a>>, crew: Crew) -> Self {
        Self { loads, crew, begun: 0, exchange: None, between: Vec::new() }
    }

    /// Does what can be done now.
    pub fn advance<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<State, Error> {
        loop {
            if let Some(exchange) = &mut self.exchange {
                let state = exchange.advance(transport)?;
                if state != State::Done {
                    return Ok(state);
                }
            }
            if self.begun == self.loads.iter().map(|load| load.plan.route.legs.len()).max().unwrap_or(0) {
                return Ok(State::Done);
            }
            self.exchange = None;
            self.next_leg()?;
        }
    }

    fn next_leg(&mut self) -> Result<(), Error> {
        let mut items = Vec::with_capacity(self.loads.len());
        self.between.resize_with(self.loads.len(), || None);
        for (load, between) in self.loads.iter_mut().zip(&mut self.between) {
            let Some(leg) = load.plan.route.legs.get(self.begun) else { continue };
            let source =
                if self.begun == 0 { load.source.take() } else { between.as_ref().map(Owned::source) };
            let destination = if self.begun + 1 == load.plan.route.legs.len() {
                load.destination.take()
            } else {
                let missing = || Error::Host("no memory for an intermediate array".into());
                let made = leg
                    .shape(&load.plan.me, load.plan.element)
                    .map(|shape| Owned::new(shape).ok_or_else(missing));
                *between = made.transpose()?;
                between.as_mut().map(Owned::destination)
            };
            items.push(Item { leg: leg.clone(), element: load.plan.element, source, destination });
        }
        self.exchange = Some(Exchange::new(items, self.loads[0].plan.turns, self.crew));
        self.begun += 1;
        Ok(())
    }
}

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
    /// The intermediate arrays of each load that are still to be written, the first one last.
    between: Vec<Vec<Option<Owned>>>,
    /// What the leg under way writes, of each load, if that is an intermediate array.
    writing: Vec<Option<Owned>>,
}

impl<'a> Journey<'a> {
    /// Nothing is under way yet, but all memory is there. All loads are for the same communicator.
    pub fn new(loads: Vec<Load<'a>>, crew: Crew) -> Result<Self, Error> {
        let between = loads.iter().map(|load| intermediate(&load.plan)).collect::<Result<_, Error>>()?;
        let writing = loads.iter().map(|_| None).collect();
        Ok(Self { loads, crew, begun: 0, exchange: None, between, writing })
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
            self.next_leg();
        }
    }

    fn next_leg(&mut self) {
        let mut items = Vec::with_capacity(self.loads.len());
        for (k, load) in self.loads.iter_mut().enumerate() {
            let Some(leg) = load.plan.route.legs.get(self.begun) else { continue };
            let source = if self.begun == 0 {
                load.source.take()
            } else {
                self.writing[k].as_ref().map(Owned::source)
            };
            let destination = if self.begun + 1 == load.plan.route.legs.len() {
                load.destination.take()
            } else {
                self.writing[k] = self.between[k].pop().flatten();
                self.writing[k].as_mut().map(Owned::destination)
            };
            items.push(Item { leg: leg.clone(), element: load.plan.element, source, destination });
        }
        self.exchange = Some(Exchange::new(items, self.loads[0].plan.turns, self.crew));
        self.begun += 1;
    }
}

/// Memory for the intermediate arrays of a plan, the first one last.
fn intermediate(plan: &Planned) -> Result<Vec<Option<Owned>>, Error> {
    let missing = || Error::Host("no memory for an intermediate array".into());
    let legs = plan.route.legs.iter().rev().skip(1);
    let made = legs.map(|leg| leg.shape(&plan.me, plan.element));
    made.map(|shape| shape.map(|shape| Owned::new(shape).ok_or_else(missing)).transpose()).collect()
}

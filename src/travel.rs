//! Carries redistributions out, one leg of their routes after the other, several arrays together. It knows routes and
//! arrays; it never blocks, and never knows which interface was called.

use crate::crew::Crew;
use crate::error::Error;
use crate::exec::{Exchange, Progress};
use crate::pack::OwnedArray;
use crate::planned::PieceOrder;
use crate::transport::Transport;

pub use crate::exec::Load;

/// Redistributions that travel together.
pub struct Journey<'a> {
    loads: Vec<Load<'a>>,
    order: PieceOrder,
    crew: Crew,
    /// Legs of the longest route.
    legs: usize,
    /// Legs that are begun.
    begun: usize,
    exchange: Option<Exchange<'a>>,
    /// The intermediate arrays of each load that are still to be written, the first one last.
    between: Vec<Vec<Option<OwnedArray>>>,
    /// What the leg under way writes, of each load, if that is an intermediate array.
    writing: Vec<Option<OwnedArray>>,
}

impl<'a> Journey<'a> {
    /// Nothing is under way yet, but all memory is there. All loads are for the same communicator; there may be none.
    pub fn new(mut loads: Vec<Load<'a>>, crew: Crew) -> Result<Self, Error> {
        for load in &mut loads {
            if let Some(update) = load.update {
                load.destination = load.destination.take().map(|to| to.updated_by(update));
            }
        }
        let order = loads.first().map_or(PieceOrder::ByMessage, |load| load.planned.order);
        let legs = loads.iter().map(|load| load.planned.route.legs.len()).max().unwrap_or(0);
        let mut journey = Self {
            loads,
            order,
            crew,
            legs,
            begun: 0,
            exchange: None,
            between: Vec::new(),
            writing: Vec::new(),
        };
        if legs > 1 {
            journey.between = journey.loads.iter().map(intermediate).collect::<Result<_, Error>>()?;
            journey.writing = journey.loads.iter().map(|_| None).collect();
        }
        Ok(journey)
    }

    /// Does what can be done now.
    pub fn advance<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<Progress, Error> {
        loop {
            if let Some(exchange) = &mut self.exchange {
                let progress = exchange.advance(transport)?;
                if progress != Progress::Done {
                    return Ok(progress);
                }
            }
            if self.begun == self.legs {
                return Ok(Progress::Done);
            }
            self.exchange = None;
            self.next_leg();
        }
    }

    fn next_leg(&mut self) {
        let (leg, order) = (self.begun, self.order);
        if leg == 0 {
            self.loads.iter_mut().filter(|load| load.reads_no_source()).for_each(Load::update_alone);
        }
        // The usual journey has one leg: the loads are what is exchanged, without any intermediate array.
        let mut loads = if self.legs > 1 { self.loads_of(leg) } else { std::mem::take(&mut self.loads) };
        loads.retain(|load| !load.reads_no_source());
        self.exchange = Some(Exchange::new(loads, leg, order, self.crew));
        self.begun += 1;
    }

    /// What is exchanged in one of several legs.
    fn loads_of(&mut self, leg: usize) -> Vec<Load<'a>> {
        let mut all = Vec::with_capacity(self.loads.len());
        for (k, load) in self.loads.iter_mut().enumerate() {
            let planned = load.planned.clone();
            let legs = planned.route.legs.len();
            if leg >= legs || load.reads_no_source() {
                continue;
            }
            let source = match leg {
                0 => load.source.take(),
                _ => self.writing[k].as_mut().map(OwnedArray::source),
            };
            let destination = if leg + 1 == legs {
                load.destination.take()
            } else {
                self.writing[k] = self.between[k].pop().flatten();
                self.writing[k].as_mut().map(OwnedArray::destination)
            };
            all.push(Load { planned, source, destination, update: None });
        }
        all
    }
}

/// Memory for the intermediate arrays of a load, the first one last.
fn intermediate(load: &Load<'_>) -> Result<Vec<Option<OwnedArray>>, Error> {
    let plan = &load.planned;
    let missing = || Error::Memory("no memory for an intermediate array".into());
    let legs = plan.route.legs.iter().rev().skip(1);
    let made = legs.map(|leg| leg.shape(&plan.me, plan.element));
    made.map(|shape| shape.map(|shape| OwnedArray::new(shape).ok_or_else(missing)).transpose()).collect()
}

//! Carries the legs of a route through, one after the other, and waits where nothing can be done.

use crate::call::agreement::Agreement;
use crate::crew::Crew;
use crate::error::Error;
use crate::exec::{Exchange, Item, State, Turns};
use crate::pack::{Destination, Owned, Source};
use crate::plan::{Place, Route};
use crate::transport::joined::Joined;
use crate::waiting::Waiting;

/// What is to be carried, on one rank.
pub struct Load<'a> {
    /// The way.
    pub route: &'a Route,
    /// The rank's place.
    pub me: &'a Place,
    /// Bytes an element.
    pub element: usize,
    /// In which order pieces go.
    pub turns: Turns,
    /// Who packs and unpacks.
    pub crew: Crew,
}

/// All legs, through intermediate arrays. The agreement goes on meanwhile; data goes first.
pub fn travel(
    load: &Load,
    (mut source, mut destination): (Option<Source>, Option<Destination>),
    transport: &mut Joined,
    agreement: &mut Agreement<Joined>,
) -> Result<(), Error> {
    let mut between: Option<Owned> = None;
    for (k, leg) in load.route.legs.iter().enumerate() {
        let last = k + 1 == load.route.legs.len();
        let mut next = None;
        if let Some(shape) = leg.shape(load.me, load.element).filter(|_| !last) {
            let missing = || Error::Host("no memory for an intermediate array".into());
            next = Some(Owned::new(shape).ok_or_else(missing)?);
        }
        let from = if k == 0 { source.take() } else { between.as_ref().map(Owned::source) };
        let to = if last { destination.take() } else { next.as_mut().map(Owned::destination) };
        let item = Item { leg: leg.clone(), element: load.element, source: from, destination: to };
        drive(Exchange::new(vec![item], load.turns, load.crew), transport, agreement)?;
        between = next;
    }
    Ok(())
}

/// One exchange.
fn drive(
    mut exchange: Exchange,
    transport: &mut Joined,
    agreement: &mut Agreement<Joined>,
) -> Result<(), Error> {
    let mut waiting = Waiting::default();
    loop {
        let state = exchange.advance(transport);
        agreement.start()?;
        match state {
            Ok(State::Done) => return Ok(()),
            Ok(State::Busy) => waiting.reset(),
            Ok(State::Waiting) => {
                agreement.poll()?;
                if waiting.pause() {
                    transport.progress()?;
                }
            }
            Err(e) => return Err(agreement.reason(e)),
        }
    }
}

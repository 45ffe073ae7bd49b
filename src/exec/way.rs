//! HOW is a leg carried out: cut into pieces, or by stored lists of runs? Each rank decides for itself.

use super::brief::Brief;
use super::{Exchange, Load, Progress};
use crate::crew::Crew;
use crate::planned::Turns;
use crate::transport::Transport;

/// Redistributions under way together, on one rank.
#[allow(clippy::large_enum_variant, reason = "there is one in a call, and to ask for memory takes longer")]
pub enum Way<'a> {
    /// In pieces.
    Cut(Exchange<'a>),
    /// Written out.
    Brief(Brief<'a>),
}

impl<'a> Way<'a> {
    /// The exchange of leg number `leg` of all `items`, which have it. `crew` packs, unpacks and copies.
    pub fn new<T: Transport>(
        items: Vec<Load<'a>>,
        leg: usize,
        turns: Turns,
        crew: Crew,
        transport: &T,
    ) -> Self {
        match Brief::new(items, crew, transport) {
            Ok(brief) => Self::Brief(brief),
            Err(items) => Self::Cut(Exchange::new(items, leg, turns, crew)),
        }
    }

    /// Does what can be done now.
    pub fn advance<T: Transport>(&mut self, transport: &mut T) -> Result<Progress, T::Error> {
        match self {
            Self::Cut(exchange) => exchange.advance(transport),
            Self::Brief(brief) => brief.advance(transport),
        }
    }
}

//! Carries out small redistributions whose runs are stored as lists: no message is cut, and no run has to be found. Messages
//! are those of [`Exchange`](super::Exchange), in the same order, so other ranks need not use the same way.

use super::cursor::Direction;
use super::lent::Lent;
use super::share::Tools;
use super::stream::{Bundle, bundles};
use super::{Load, Progress, ends, source};
use crate::crew::Crew;
use crate::pack::copy_flat;
use crate::plan::{Flats, Letter, Piece};
use crate::planned::Manner;
use crate::transport::{Slot, Transport};
use std::sync::Arc;

/// Small redistributions under way together, on one rank.
pub struct Brief<'a> {
    items: Vec<Load<'a>>,
    flats: Vec<Arc<Flats>>,
    sends: Vec<Sealed>,
    receives: Vec<Sealed>,
    /// How many of them were sent.
    sent: usize,
    /// How many of them are expected, or came.
    asked: usize,
    /// How many of them came.
    came: usize,
    /// Which of them each slot of the transport will hold when it arrives.
    expected: Vec<usize>,
    /// Whether what the rank keeps is copied.
    copied: bool,
    lent: Lent,
    tools: Tools,
    piece: Piece,
}

/// What travels between two ranks.
struct Sealed {
    bundle: Bundle,
    bytes: usize,
}

impl<'a> Brief<'a> {
    /// The exchange of `items`, all of which have one leg; gives them back where the runs of one are not written out, or
    /// where what goes to one peer does not fit in one buffer.
    pub fn new<T: Transport>(items: Vec<Load<'a>>, crew: Crew, transport: &T) -> Result<Self, Vec<Load<'a>>> {
        let shapes = |item: &Load<'a>| {
            let (from, to) = (item.source.as_ref(), item.destination.as_ref());
            item.plan.flats([from.map(|array| array.shape()), to.map(|array| array.shape())])
        };
        let Some(flats) = items.iter().map(shapes).collect::<Option<Vec<_>>>() else {
            return Err(items);
        };
        let sealed = |direction: Direction| {
            let letter = |(k, m): (usize, usize)| match direction {
                Direction::Send => &flats[k].sends[m],
                Direction::Receive => &flats[k].receives[m],
            };
            let mut all = Vec::new();
            for bundle in bundles(direction, &items, 0) {
                let fits = |bytes: usize| bytes <= transport.capacity(bundle.peer);
                let bytes = bundle.parts().map(|part| letter(part).flat.bytes()).sum();
                if !fits(bytes) || !bundle.parts().all(|part| fits(letter(part).room)) {
                    return None;
                }
                // What has no element is not sent.
                if bytes > 0 {
                    all.push(Sealed { bundle, bytes });
                }
            }
            Some(all)
        };
        let (Some(sends), Some(receives)) = (sealed(Direction::Send), sealed(Direction::Receive)) else {
            return Err(items);
        };
        for item in &items {
            item.plan.manner.set(Manner::WrittenOut);
        }
        let (lent, tools, piece) = (Lent::default(), Tools::new(crew), Piece::default());
        let (sent, asked, came, expected) = (0, 0, 0, Vec::new());
        let copied = flats.iter().all(|flats| flats.kept.is_none());
        Ok(Self { items, flats, sends, receives, sent, asked, came, expected, copied, lent, tools, piece })
    }

    /// Does what can be done now.
    pub fn advance<T: Transport>(&mut self, transport: &mut T) -> Result<Progress, T::Error> {
        let before = (self.asked, self.sent, self.came);
        self.expect(transport)?;
        self.send(transport)?;
        if !self.copied {
            self.copy();
        }
        while let Some(slot) = if self.came < self.asked { transport.arrived()? } else { None } {
            self.unpack(transport, slot);
        }
        let all = self.sent == self.sends.len() && self.came == self.receives.len();
        Ok(if all && transport.all_sent()? {
            Progress::Done
        } else if before == (self.asked, self.sent, self.came) {
            Progress::Waiting
        } else {
            Progress::Busy
        })
    }

    fn expect<T: Transport>(&mut self, transport: &mut T) -> Result<(), T::Error> {
        while let Some(Sealed { bundle, bytes }) = self.receives.get(self.asked) {
            let Some(Slot(slot)) = transport.expect(bundle.peer, *bytes)? else { break };
            if self.expected.len() <= slot {
                self.expected.resize(slot + 1, 0);
            }
            self.expected[slot] = self.asked;
            self.asked += 1;
        }
        Ok(())
    }

    fn send<T: Transport>(&mut self, transport: &mut T) -> Result<(), T::Error> {
        while let Some(Sealed { bundle, bytes }) = self.sends.get(self.sent) {
            let Some(slot) = transport.free_slot(bundle.peer, 0)? else { break };
            let mut buffer = transport.fill(slot);
            for (k, m) in bundle.parts() {
                let Letter { flat, .. } = &self.flats[k].sends[m];
                let (own, rest) = buffer.split_at_mut(flat.bytes());
                if flat.bytes() > 0 {
                    source(&self.items[k]).pack_flat(flat, own);
                }
                buffer = rest;
            }
            transport.send(slot, bundle.peer, *bytes)?;
            self.sent += 1;
        }
        Ok(())
    }

    fn copy(&mut self) {
        for (item, flats) in self.items.iter_mut().zip(&self.flats) {
            if let Some(flat) = &flats.kept {
                let (_, source, destination) = ends(item);
                copy_flat(source.expect("a rank that keeps something has a source"), destination, flat);
            }
        }
        self.copied = true;
    }

    fn unpack<T: Transport>(&mut self, transport: &mut T, slot: Slot) {
        let Sealed { bundle, .. } = &self.receives[self.expected[slot.0]];
        if let Some(array) = transport.lent(slot) {
            // Only what travels alone is lent.
            let part = bundle.parts().find(|&(k, m)| self.flats[k].receives[m].flat.bytes() > 0);
            let (k, m) = part.expect("what is sent has elements");
            let (plan, _, destination) = ends(&mut self.items[k]);
            let leg = &plan.route.legs[0];
            let side = &leg.plan.receives;
            side.positions(&side.messages[m], &mut self.piece);
            let product = self.lent.product(leg, (k, m));
            self.tools.copy(product, &self.piece, leg.problem.part, &array, destination);
        } else {
            let mut buffer = transport.received(slot);
            for (k, m) in bundle.parts() {
                let Letter { flat, .. } = &self.flats[k].receives[m];
                let (own, rest) = buffer.split_at(flat.bytes());
                if flat.bytes() > 0 {
                    ends(&mut self.items[k]).2.unpack_flat(flat, own);
                }
                buffer = rest;
            }
        }
        transport.release(slot);
        self.came += 1;
    }
}

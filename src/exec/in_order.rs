//! WHICH message is unpacked next, where elements may be written by several of them? The one that was expected first: so a sum is the
//! same every time, whichever message arrives first.
//!
//! What arrives before its turn stays in its slot. This cannot deadlock: messages are sent and expected in one order of all, so the
//! earliest that is not unpacked has nothing before it on either side.

use super::state::Items;
use crate::transport::{Slot, Transport};
use std::collections::VecDeque;

/// Slots that are expected, in order.
#[derive(Default)]
pub(super) struct InOrder {
    expected: VecDeque<Slot>,
    /// Those of them that have arrived before their turn.
    early: Vec<Slot>,
}

/// The slot that is unpacked next, if it has arrived: any, or that whose turn it is.
pub(super) fn next<T: Transport>(
    turns: &mut Option<InOrder>,
    transport: &mut T,
) -> Result<Option<Slot>, T::Error> {
    match turns {
        None => transport.arrived(),
        Some(turns) => turns.next(transport),
    }
}

impl InOrder {
    /// None if each element of `items` is written once.
    pub fn of(items: &Items<'_>) -> Option<Self> {
        items.loads.iter().any(|load| load.planned.in_order).then(Self::default)
    }

    /// What will be in `slot` comes behind all that is expected already.
    pub fn expect(&mut self, slot: Slot) {
        self.expected.push_back(slot);
    }

    /// The slot whose turn it is, once it has arrived.
    fn next<T: Transport>(&mut self, transport: &mut T) -> Result<Option<Slot>, T::Error> {
        let Some(&turn) = self.expected.front() else { return Ok(None) };
        if let Some(at) = self.early.iter().position(|&slot| slot == turn) {
            self.early.swap_remove(at);
            return Ok(self.expected.pop_front());
        }
        while let Some(slot) = transport.arrived()? {
            if slot == turn {
                return Ok(self.expected.pop_front());
            }
            self.early.push(slot);
        }
        Ok(None)
    }
}

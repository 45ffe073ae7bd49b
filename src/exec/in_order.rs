//! Order of unpacking, if several messages may write the same element: the order of expecting, so that sums are
//! reproducible.
//!
//! A message that arrives before its turn stays in its slot. This cannot deadlock: all ranks send and expect messages
//! in one global order, so the earliest message that is not unpacked is next at its sender and at its receiver.

use super::items::Items;
use crate::transport::{Slot, Transport};
use std::collections::VecDeque;

#[derive(Default)]
pub(super) struct InOrder {
    expected: VecDeque<Slot>,
    /// Slots that have arrived before their turn.
    arrived: Vec<Slot>,
}

/// Returns an arrived slot to unpack: any slot, or only the one whose turn it is if there are `turns`.
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
    /// Returns `None` if every element of `items` is written once.
    pub fn for_items(items: &Items<'_>) -> Option<Self> {
        items.loads.iter().any(|load| load.plan.in_order).then(Self::default)
    }

    pub fn expect(&mut self, slot: Slot) {
        self.expected.push_back(slot);
    }

    /// Returns the slot whose turn it is, once it has arrived.
    fn next<T: Transport>(&mut self, transport: &mut T) -> Result<Option<Slot>, T::Error> {
        let Some(&turn) = self.expected.front() else { return Ok(None) };
        if let Some(at) = self.arrived.iter().position(|&slot| slot == turn) {
            self.arrived.swap_remove(at);
            return Ok(self.expected.pop_front());
        }
        while let Some(slot) = transport.arrived()? {
            if slot == turn {
                return Ok(self.expected.pop_front());
            }
            self.arrived.push(slot);
        }
        Ok(None)
    }
}

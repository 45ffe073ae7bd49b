//! Memory of devices that ranks of a node open, so that a receiver's kernel copies from the sender's array: one copy
//! instead of two.
//!
//! A receiver may fail to open an allocation, so an array is exposed only once its receiver has opened the allocation.
//! Until then messages go through slots as usual. The sender adds a note to a message, and the receiver answers
//! before it hands the slot back:
//!
//! ```text
//! sender                                             receiver
//! packs, and notes allocation and handle ──────────▶ unpacks; opens the allocation
//! opened: exposes the array          ◀────────────── answer: opened
//! refused: packs from now on         ◀────────────── answer: refused
//! packs, and asks again              ◀────────────── answer: away (the target is not in that device's context now)
//! ```
//! The note and the answer are in the slot's header, and the same store hands them over. An exposed array has a note,
//! too. If the receiver's target is elsewhere by then, the receiver reads the array through a buffer, and answers
//! "away".
//!
//! The sender has [`MAX_OFFERED`] places for allocations that it offers, and the receiver keeps one opened allocation
//! for each of them. The driver numbers allocations, so memory that the program frees and allocates again is noticed.
//! Each note says which allocations the receiver keeps open; it closes those that the program has freed. Opening takes
//! 0.1 to 0.45 ms, closing 0.03 to 0.3 ms (docs/research/gpu.md).

use super::turn::{Header, NOTE_WORDS};
use crate::layout::strides::Shape;
use crate::pack::place::{DeviceArray, ImportedMemory, SharableAllocation};
use crate::pack::{Destination, Source};
use crate::system::cuda::IpcHandle;

/// Maximum number of allocations that a rank offers at a time, so that each other rank opens at most as many of them.
const MAX_OFFERED: usize = 16;

/// A receiver's answer to a note: it has opened the allocation. Without an answer, the word is 0: "away".
const OPENED: u64 = 1;
/// The receiver cannot open the allocation.
const REFUSED: u64 = 2;

/// What a sender writes to the receiver of a message about one of its allocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    /// The allocation's place among those that the sender offers.
    place: usize,
    /// A bit for each place whose allocation the receiver keeps open; not used beside an exposed array.
    open: u32,
    allocation: u64,
    bytes: u64,
    handle: IpcHandle,
}

impl Note {
    fn words(&self) -> [u64; NOTE_WORDS] {
        let first = self.place as u64 | u64::from(self.open) << 32;
        let [a, b, c, d, e, f, g, h] = self.handle.words();
        [first, self.allocation, self.bytes, a, b, c, d, e, f, g, h]
    }

    fn of_words([first, allocation, bytes, handle @ ..]: [u64; NOTE_WORDS]) -> Self {
        let place = usize::try_from(first & u64::from(u32::MAX)).expect("a few");
        let open = u32::try_from(first >> 32).expect("the upper half");
        Self { place, open, allocation, bytes, handle: IpcHandle::of_words(handle) }
    }
}

/// What a sender knows about one of its allocations and one receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Knowledge {
    /// The receiver has not opened the allocation, and may be asked to.
    Unknown,
    /// A note is on its way.
    Asked,
    Opened,
    Refused,
}

/// An allocation of this rank that it offers.
struct Offered {
    allocation: SharableAllocation,
    /// `None` if the driver gives no handle.
    handle: Option<IpcHandle>,
    /// For each rank of the node.
    receivers: Vec<Knowledge>,
}

/// A slot with a note that is on its way: the slot, its receiver, and the place of the allocation.
#[derive(Clone, Copy)]
struct UnderWay {
    slot: usize,
    to: usize,
    place: usize,
}

/// The allocations that this rank offers to the others of its node.
pub struct Offers {
    ranks: usize,
    places: Vec<Offered>,
    /// The place that was filled last.
    last: usize,
    under_way: Vec<UnderWay>,
    /// Slots that the sender is about to fill, and for each the place of the allocation to note in it.
    next: Vec<(usize, usize)>,
}

/// How a piece of an array in a device's memory is sent.
pub enum DeviceSend {
    /// The caller packs the piece into a slot.
    Packed,
    /// The receiver reads the array, whose first element is this number of bytes behind the start of the allocation.
    Exposed(u64),
}

impl Offers {
    /// Creates an empty list on a node with this number of ranks.
    pub fn new(ranks: usize) -> Self {
        Self { ranks, places: Vec::new(), last: 0, under_way: Vec::new(), next: Vec::new() }
    }

    /// Forgets slots that a failed call has not filled.
    pub fn begin_call(&mut self) {
        self.next.clear();
    }

    /// Reads the answers in the slots that have come back. Must be called before a slot is filled again.
    pub fn settle(&mut self, headers: &[Header]) {
        let places = &mut self.places;
        self.under_way.retain(|sent| {
            let header = &headers[sent.slot];
            if !header.is_senders() {
                return true;
            }
            places[sent.place].receivers[sent.to] = match header.answer() {
                OPENED => Knowledge::Opened,
                REFUSED => Knowledge::Refused,
                _ => Knowledge::Unknown,
            };
            false
        });
    }

    /// Decides how a piece of `source`, which `device` has, goes to rank number `to` in `slot`. If it is packed,
    /// [`Self::note`] follows; if it is exposed, the caller writes the description.
    pub fn decide(
        &mut self,
        headers: &[Header],
        (slot, to): (usize, usize),
        source: &Source<'_>,
        device: &DeviceArray,
    ) -> DeviceSend {
        self.next.retain(|next| next.0 != slot);
        let Some(allocation) = device.sharable() else { return DeviceSend::Packed };
        self.settle(headers);
        let Some(place) = self.place_of(allocation, device) else { return DeviceSend::Packed };
        let offered = &self.places[place];
        match offered.receivers[to] {
            Knowledge::Opened if device.await_program() => {
                let first = source.footprint().address as u64 - allocation.base;
                self.write(&headers[slot], UnderWay { slot, to, place }, 0);
                DeviceSend::Exposed(first)
            }
            Knowledge::Unknown if offered.handle.is_some() => {
                self.next.push((slot, place));
                DeviceSend::Packed
            }
            _ => DeviceSend::Packed,
        }
    }

    /// Writes a note to the header of `slot`, which goes to rank number `to`, if [`Self::decide`] wants one there.
    /// Returns whether it did.
    pub fn note(&mut self, headers: &[Header], slot: usize, to: usize) -> bool {
        let Some(at) = self.next.iter().position(|next| next.0 == slot) else { return false };
        let (_, place) = self.next.swap_remove(at);
        if self.places[place].handle.is_none() {
            return false;
        }
        let open = self.kept_by(to) | 1 << place;
        self.write(&headers[slot], UnderWay { slot, to, place }, open);
        self.places[place].receivers[to] = Knowledge::Asked;
        true
    }

    /// Writes a note to `header`, whose slot is about to be handed over. `open` is [`Note::open`].
    fn write(&mut self, header: &Header, sent: UnderWay, open: u32) {
        let Offered { allocation, handle, .. } = &self.places[sent.place];
        let note = Note {
            place: sent.place,
            open,
            allocation: allocation.number,
            bytes: allocation.bytes,
            handle: handle.expect("an allocation without a handle is not offered"),
        };
        header.write_note(note.words());
        self.under_way.push(sent);
    }

    /// Returns the places whose allocations rank number `to` keeps open, as bits. Forgets that it has opened the
    /// others.
    fn kept_by(&mut self, to: usize) -> u32 {
        let mut open = 0;
        for (place, offered) in self.places.iter_mut().enumerate() {
            let in_use = self.under_way.iter().any(|sent| (sent.to, sent.place) == (to, place));
            let known = &mut offered.receivers[to];
            if in_use || *known == Knowledge::Opened && offered.allocation.exists() {
                open |= 1 << place;
            } else if *known == Knowledge::Opened {
                *known = Knowledge::Unknown;
            }
        }
        open
    }

    /// Returns the place of an allocation; offers it if it has none. `None` if messages about the allocations of all
    /// places are on their way, or about to be sent.
    fn place_of(&mut self, allocation: SharableAllocation, device: &DeviceArray) -> Option<usize> {
        let Self { places, under_way, next, .. } = self;
        if let Some(place) = places.iter().position(|offered| offered.allocation == allocation) {
            return Some(place);
        }
        let is_idle = |place: &usize| {
            under_way.iter().all(|sent| sent.place != *place) && next.iter().all(|next| next.1 != *place)
        };
        let count = places.len();
        let place = match (0..count).filter(is_idle).find(|&place| !places[place].allocation.exists()) {
            Some(gone) => gone,
            None if count < MAX_OFFERED => count,
            None => (1..=count).map(|k| (self.last + k) % count).find(is_idle)?,
        };
        let receivers = vec![Knowledge::Unknown; self.ranks];
        let offered = Offered { allocation, handle: device.handle(), receivers };
        if place == count {
            places.push(offered);
        } else {
            places[place] = offered;
        }
        self.last = place;
        Some(place)
    }
}

/// The allocations of other ranks that this rank has opened.
#[derive(Default)]
pub struct Imports {
    all: Vec<Import>,
}

struct Import {
    /// The number of the rank that has allocated the memory, its place and its number for the allocation.
    key: (usize, usize, u64),
    memory: ImportedMemory,
}

impl Imports {
    /// Answers the note in `header` from rank number `from`, and opens the allocation for copies to `destination`.
    /// Unless the note is beside an exposed array, closes the allocations of that rank that the note does not name as
    /// open.
    pub fn answer(&mut self, header: &Header, (from, exposed): (usize, bool), destination: &Destination<'_>) {
        let note = Note::of_words(header.note());
        let key = (from, note.place, note.allocation);
        let keeps = |place: usize| note.open >> place & 1 == 1;
        self.all.retain(|import| {
            let (owner, place, _) = import.key;
            exposed || owner != from || keeps(place) && (place != note.place || import.key == key)
        });
        let known = self.all.iter().position(|import| import.key == key);
        if known.is_some_and(|known| self.all[known].memory.serves(destination)) {
            return header.write_answer(OPENED);
        }
        let opened = if destination.device().is_some() {
            // The allocation is not open, or in another context than the destination's.
            let opened = ImportedMemory::open(&note.handle, (note.allocation, note.bytes), destination);
            header.write_answer(if opened.is_some() { OPENED } else { REFUSED });
            opened
        } else {
            // The program may have reset the device.
            let gone =
                known.map(|known| &self.all[known].memory).filter(|memory| exposed && !memory.exists());
            gone.and_then(|memory| memory.opened_again(&note.handle, note.allocation))
        };
        let Some(memory) = opened else { return };
        known.into_iter().for_each(|known| drop(self.all.swap_remove(known)));
        self.all.push(Import { key, memory });
    }

    /// Returns the array of this `shape` that rank number `from` exposes, `offset` bytes behind the start of its
    /// allocation.
    ///
    /// # Safety
    /// As long as the result is used, the slot of `header` has not been returned to its owner.
    pub unsafe fn source(&self, header: &Header, from: usize, (offset, shape): (u64, Shape)) -> Source<'_> {
        // SAFETY: the owner does not write an exposed array before the slot is returned.
        unsafe { self.of(header, from).source(offset, shape) }
    }

    fn of(&self, header: &Header, from: usize) -> &ImportedMemory {
        let note = Note::of_words(header.note());
        let key = (from, note.place, note.allocation);
        let import = self.all.iter().find(|import| import.key == key);
        &import.expect("a sender exposes what its receiver has opened").memory
    }
}

#[cfg(test)]
mod tests;

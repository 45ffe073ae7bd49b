//! Transport between ranks of one process and one thread, for tests. A send stays in flight until its receiver takes
//! it. MPI promises no more, so an order of messages that could deadlock under MPI deadlocks here.

use super::{Slot, Transport};
use crate::layout::distribution::Rank;
use crate::pack::BufferReader;
use crate::pack::place::DeviceArray;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::rc::Rc;

#[derive(Default)]
struct Mailboxes {
    parcels: HashMap<(Rank, Rank), VecDeque<Parcel>>,
    /// (sender, its slot) of messages that were taken.
    taken: Vec<(Rank, Slot)>,
    /// Early messages by sender and receiver.
    early: HashMap<(Rank, Rank), Vec<u8>>,
}

struct Parcel {
    slot: Slot,
    bytes: Vec<u8>,
}

/// The transport of one rank.
pub struct Loopback {
    me: Rank,
    medium: Rc<RefCell<Mailboxes>>,
    capacity: usize,
    sends: Vec<SendSlot>,
    /// Expected messages, in the order of the calls of `expect`.
    expected: VecDeque<(Slot, Rank, usize)>,
    early_limit: usize,
    /// Early messages that this rank has packed, and those that it expects: sender, bytes, and contents once arrived.
    packed: Vec<(Rank, Vec<u8>)>,
    early: Vec<(Rank, usize, Option<Vec<u8>>)>,
    incoming: Vec<ReceiveSlot>,
}

struct SendSlot {
    buffer: Vec<u8>,
    in_flight: bool,
    to: Rank,
}

/// State of a slot for a message to this rank.
enum ReceiveSlot {
    Free,
    Expected,
    Arrived(Vec<u8>),
}

/// Creates the transports of `ranks` ranks, each with `window` slots of `capacity` bytes per direction.
pub fn connect(ranks: u32, window: usize, capacity: usize) -> Vec<Loopback> {
    let medium = Rc::new(RefCell::new(Mailboxes::default()));
    let end = |me| Loopback {
        me: Rank(me),
        medium: medium.clone(),
        capacity,
        sends: (0..window)
            .map(|_| SendSlot { buffer: vec![0; capacity], in_flight: false, to: Rank(me) })
            .collect(),
        expected: VecDeque::new(),
        early_limit: 0,
        packed: Vec::new(),
        early: Vec::new(),
        incoming: (0..window).map(|_| ReceiveSlot::Free).collect(),
    };
    (0..ranks).map(end).collect()
}

impl Loopback {
    /// Makes messages of at most `limit` bytes travel early. All ranks must do so.
    pub fn with_early(self, limit: usize) -> Self {
        Self { early_limit: limit, ..self }
    }

    fn send_early(&mut self) {
        let me = self.me;
        let mut medium = self.medium.borrow_mut();
        for (to, bytes) in self.packed.drain(..) {
            assert!(
                medium.early.insert((me, to), bytes).is_none(),
                "two early messages from {me:?} to {to:?}"
            );
        }
    }

    fn early(&self, slot: Slot) -> Option<usize> {
        slot.0.checked_sub(self.incoming.len())
    }

    fn retire_sends(&mut self) {
        let (me, sends) = (self.me, &mut self.sends);
        self.medium.borrow_mut().taken.retain(|&(rank, slot)| {
            if rank == me {
                sends[slot.0].in_flight = false;
            }
            rank != me
        });
    }
}

impl Transport for Loopback {
    type Error = Infallible;

    fn capacity(&self, _: Rank) -> usize {
        self.capacity
    }

    fn early_limit(&self) -> usize {
        self.early_limit
    }

    fn fill_early(&mut self, to: Rank, bytes: usize) -> Result<Option<&mut [u8]>, Infallible> {
        assert!(bytes <= self.early_limit);
        self.packed.push((to, vec![0; bytes]));
        Ok(self.packed.last_mut().map(|(_, bytes)| &mut bytes[..]))
    }

    fn expect_early(&mut self, from: Rank, bytes: usize) -> Slot {
        self.early.push((from, bytes, None));
        Slot(self.incoming.len() + self.early.len() - 1)
    }

    fn room(&self) -> usize {
        self.sends.len()
    }

    fn under_way(&mut self, to: Rank) -> usize {
        self.retire_sends();
        self.sends.iter().filter(|s| s.in_flight && s.to == to).count()
    }

    fn free_slot(&mut self, _: Rank, spare: usize) -> Result<Option<Slot>, Infallible> {
        self.retire_sends();
        let mut free = self.sends.iter().enumerate().filter(|(_, s)| !s.in_flight).map(|(k, _)| Slot(k));
        let first = free.next();
        Ok(first.filter(|_| free.count() >= spare))
    }

    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        &mut self.sends[slot.0].buffer
    }

    fn reader(&self, _: Slot) -> BufferReader {
        BufferReader::NearCore
    }

    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Infallible> {
        let out = &mut self.sends[slot.0];
        assert!(!out.in_flight, "a slot in flight is not sent again");
        (out.in_flight, out.to) = (true, to);
        let parcel = Parcel { slot, bytes: out.buffer[..bytes].to_vec() };
        self.medium.borrow_mut().parcels.entry((self.me, to)).or_default().push_back(parcel);
        Ok(())
    }

    fn expect(
        &mut self,
        from: Rank,
        bytes: usize,
        _array: Option<&DeviceArray>,
    ) -> Result<Option<Slot>, Infallible> {
        let free = self.incoming.iter().position(|s| matches!(s, ReceiveSlot::Free)).map(Slot);
        if let Some(slot) = free {
            self.incoming[slot.0] = ReceiveSlot::Expected;
            self.expected.push_back((slot, from, bytes));
        }
        Ok(free)
    }

    fn arrived(&mut self) -> Result<Option<Slot>, Infallible> {
        self.send_early();
        let first = self.incoming.len();
        for (k, (from, bytes, here)) in
            self.early.iter_mut().enumerate().filter(|(_, early)| early.2.is_none())
        {
            let Some(came) = self.medium.borrow_mut().early.remove(&(*from, self.me)) else { continue };
            assert_eq!(came.len(), *bytes, "{from:?} sent early what {:?} did not expect", self.me);
            *here = Some(came);
            return Ok(Some(Slot(first + k)));
        }
        let mut medium = self.medium.borrow_mut();
        for (at, &(slot, from, bytes)) in self.expected.iter().enumerate() {
            let Some(parcel) = medium.parcels.get_mut(&(from, self.me)).and_then(VecDeque::pop_front) else {
                continue;
            };
            assert_eq!(parcel.bytes.len(), bytes, "{from:?} sent what {:?} did not expect", self.me);
            medium.taken.push((from, parcel.slot));
            self.incoming[slot.0] = ReceiveSlot::Arrived(parcel.bytes);
            self.expected.remove(at);
            return Ok(Some(slot));
        }
        Ok(None)
    }

    fn received(&self, slot: Slot) -> &[u8] {
        if let Some(k) = self.early(slot) {
            return self.early[k].2.as_ref().expect("an early message that has arrived");
        }
        match &self.incoming[slot.0] {
            ReceiveSlot::Arrived(bytes) => bytes,
            _ => panic!("{slot:?} has not arrived"),
        }
    }

    fn release(&mut self, slot: Slot) {
        if self.early(slot).is_some() {
            return;
        }
        self.incoming[slot.0] = ReceiveSlot::Free;
    }

    fn all_sent(&mut self) -> Result<bool, Infallible> {
        self.send_early();
        self.retire_sends();
        Ok(self.sends.iter().all(|s| !s.in_flight))
    }
}

//! Agreement of all ranks on a call: checks that all ranks make the same call, and sends missing arguments to the ranks
//! that lack them. The contents implement [`Knowledge`]. No function here blocks.
//!
//! Check only ([`Agreement::finish`]): each rank sends its knowledge to the next rank, and compares that of the rank
//! before it. If any two ranks differ, two neighbours do, so some rank detects it. Unchecked, ranks would wait for ever
//! for messages that never come. The message does not delay the data, but a rank leaves the call only after the rank
//! before it has entered it.
//!
//! Merge ([`Agreement::merge`]): all ranks merge their knowledge before data moves, in one of two patterns.
//!
//! - Dissemination, in ⌈log₂ P⌉ rounds. Round 0 is the message of the check. In round k each rank sends everything that
//!   it knows by then to the rank 2^k places further on. Knowledge is a set of facts, so a fact may arrive twice.
//! - Direct: each rank sends its own knowledge to all others, so no message depends on another. For few ranks and
//!   cheap messages.
//!
//! On several nodes, a merge may use an exchange between nodes instead ([`Agreement::settle_by_nodes`]): the ranks of a
//! node merge their knowledge in shared memory, and each node sends one message to each other node.

use crate::layout::distribution::Rank;
use crate::transport::error::Error;
use crate::transport::shm::exchange::ExchangeCall;
use crate::transport::{Slot, Transport};

/// A rank's knowledge of a call, with messages of constant length.
pub trait Knowledge {
    const BYTES: usize;

    /// Writes the message to the front of `out`.
    fn write(&self, out: &mut [u8]);

    /// Returns the bytes that [`Knowledge::write`] writes.
    fn length(&self) -> usize {
        Self::BYTES
    }

    /// Reads a message. Bytes of other contents may follow it.
    fn read(bytes: &[u8]) -> Self;

    /// Returns whether the first bytes show that the sender has exactly this knowledge. Then the rest is not read, and
    /// stays in the sender's cache.
    fn is_echo(&self, _message: &[u8]) -> bool {
        false
    }

    /// Fails if another rank's knowledge contradicts this one. `rank` is the sender; `None` if the message may include
    /// knowledge of other ranks.
    fn agree(&self, other: &Self, rank: Option<u32>) -> Result<(), Error>;

    /// Adds another rank's knowledge to this one; `rank` as for [`Knowledge::agree`]. Fails if they contradict.
    fn absorb(&mut self, other: &Self, rank: Option<u32>) -> Result<(), Error>;
}

/// Returns the number of rounds of a dissemination among `ranks` ranks, ⌈log₂ `ranks`⌉.
pub fn rounds(ranks: u32) -> usize {
    ranks.next_power_of_two().trailing_zeros() as usize
}

/// The pattern of the messages in a merge; equal on all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessagePattern {
    /// Dissemination: each rank sends ⌈log₂ `ranks`⌉ messages; each but the first depends on those received before.
    Dissemination,
    /// Direct: each rank sends `ranks` - 1 messages, independent of each other.
    Direct,
}

impl MessagePattern {
    /// Returns the number of rounds; a rank sends one message in each.
    fn rounds(self, ranks: u32) -> usize {
        match self {
            Self::Dissemination => rounds(ranks),
            Self::Direct => ranks as usize - 1,
        }
    }

    /// Returns the distance from the sender to the receiver of round `round`; 1 in round 0.
    fn distance(self, round: usize) -> u32 {
        match self {
            Self::Dissemination => 1 << round,
            Self::Direct => u32::try_from(round).expect("less than there are ranks") + 1,
        }
    }

    /// Returns how many rounds' messages a rank sends before it absorbs that of round `round`.
    fn rounds_ahead(self, round: usize, ranks: u32) -> usize {
        match self {
            Self::Dissemination => round + 1,
            Self::Direct => self.rounds(ranks),
        }
    }
}

pub struct Agreement<K> {
    me: u32,
    ranks: u32,
    pattern: MessagePattern,
    /// This rank's own knowledge, and everything received by now.
    known: K,
    sent: usize,
    /// Number of rounds whose message this rank has absorbed.
    absorbed: usize,
    /// By round: `None` until the message arrives, then its knowledge; `Some(None)` if it adds nothing.
    received: Vec<Option<Option<Box<K>>>>,
    /// Receives under way: slot and round.
    expected: Vec<(Slot, usize)>,
}

impl<K: Knowledge> Agreement<K> {
    /// Creates the agreement of rank `me` of `ranks` with the knowledge `own`. Sends nothing.
    pub fn new((me, ranks): (u32, u32), own: K) -> Self {
        let (received, expected) = (Vec::new(), Vec::new());
        Self {
            me,
            ranks,
            pattern: MessagePattern::Dissemination,
            known: own,
            sent: 0,
            absorbed: 0,
            received,
            expected,
        }
    }

    pub fn pattern(self, pattern: MessagePattern) -> Self {
        Self { pattern, ..self }
    }

    /// Creates another agreement of the same pattern between the same ranks.
    pub fn next(&self, own: K) -> Self {
        Self::new((self.me, self.ranks), own).pattern(self.pattern)
    }

    /// Resets this agreement for another one between the same ranks.
    pub fn renew(&mut self, own: &K, pattern: MessagePattern)
    where
        K: Clone,
    {
        self.known.clone_from(own);
        (self.pattern, self.sent, self.absorbed) = (pattern, 0, 0);
        self.received.clear();
        self.expected.clear();
    }

    pub fn known(&self) -> &K {
        &self.known
    }

    /// Sends the message of round 0, unless it is sent or there is one rank. If no slot is free, a later call sends it.
    /// `transport` must carry only this agreement.
    pub fn start<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<(), Error> {
        if self.ranks > 1 && self.sent == 0 {
            self.exchange(0, transport)?;
        }
        Ok(())
    }

    /// Sends this rank's message of a round, and expects the one to it. Returns false without a free slot.
    fn exchange<T: Transport<Error = Error>>(
        &mut self,
        round: usize,
        transport: &mut T,
    ) -> Result<bool, Error> {
        let to = Rank((self.me + self.pattern.distance(round)) % self.ranks);
        if self.received.len() == round {
            let Some(slot) = transport.expect(self.before(round), K::BYTES, None)? else { return Ok(false) };
            self.expected.push((slot, round));
            // Room for the rounds that begin now; most agreements have no others.
            self.received.reserve_exact(self.pattern.rounds_ahead(round, self.ranks) - round);
            self.received.push(None);
        }
        let Some(slot) = transport.free_slot(to, 0)? else { return Ok(false) };
        self.known.write(transport.fill(slot));
        transport.send(slot, to, K::BYTES)?;
        self.sent += 1;
        Ok(true)
    }

    fn before(&self, round: usize) -> Rank {
        Rank((self.me + self.ranks - self.pattern.distance(round)) % self.ranks)
    }

    /// Reads messages that have arrived. Fails if that of round 0 contradicts this rank's knowledge. Returns whether
    /// all sends and receives so far are complete.
    pub fn poll<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        while !self.expected.is_empty() {
            let Some(slot) = transport.arrived()? else { return Ok(false) };
            let at = self.expected.iter().position(|(expected, _)| *expected == slot);
            let (_, round) = self.expected.swap_remove(at.expect("an expected message"));
            let message = transport.received(slot);
            let received = (!self.known.is_echo(message)).then(|| Box::new(K::read(message)));
            transport.release(slot);
            if let (0, Some(received)) = (round, &received) {
                self.known.agree(received, Some(self.before(0).0))?;
            }
            self.received[round] = Some(received);
        }
        transport.all_sent()
    }

    /// Advances a check. Returns whether this rank may leave the call.
    pub fn finish<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        self.start(transport)?;
        Ok(self.poll(transport)? && (self.sent > 0 || self.ranks == 1))
    }

    /// Advances the merge. Returns whether this rank has all facts.
    pub fn merge<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        while self.absorbed < self.pattern.rounds(self.ranks) {
            let round = self.absorbed;
            // The direct pattern sends all messages before it absorbs any, so they have this rank's own knowledge only.
            while self.sent < self.pattern.rounds_ahead(round, self.ranks) {
                if !self.exchange(self.sent, transport)? {
                    self.poll(transport)?;
                    return Ok(false);
                }
            }
            self.poll(transport)?;
            let Some(received) = &self.received[round] else { return Ok(false) };
            // Later messages of a dissemination have knowledge of other ranks.
            let sender = (round == 0 || self.pattern == MessagePattern::Direct).then(|| self.before(round).0);
            if let Some(received) = received {
                self.known.absorb(received, sender)?;
            }
            self.absorbed += 1;
        }
        Ok(true)
    }

    /// Advances a merge by `exchange`. Returns whether it is done and all sends and receives are complete.
    pub fn settle_by_nodes(&mut self, exchange: &mut ExchangeCall<'_>) -> Result<bool, Error> {
        let known = &self.known;
        let merge = |records: &mut dyn Iterator<Item = &[u8]>, out: &mut [u8]| {
            let mut merged: Option<K> = None;
            for record in records.map(K::read) {
                match &mut merged {
                    None => merged = Some(record),
                    Some(merged) => merged.absorb(&record, None)?,
                }
            }
            let merged = merged.expect("a node has a rank");
            merged.write(out);
            Ok(merged.length())
        };
        if !exchange.post(|room| known.write(room), merge)? || !exchange.poll()? {
            return Ok(false);
        }
        if self.absorbed == 0 {
            for record in exchange.records() {
                self.known.absorb(&K::read(record), None)?;
            }
            self.absorbed = 1;
        }
        Ok(true)
    }

    /// Advances the merge. Returns whether it is done and all sends and receives are complete.
    pub fn settle<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        Ok(self.merge(transport)? && self.poll(transport)?)
    }
}

#[cfg(test)]
mod tests;

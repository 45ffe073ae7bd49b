//! DO all ranks make the same call, and what do ranks have to learn that do not know all arguments?
//!
//! Each rank sends what it knows to the next rank, and compares what it gets from the rank before it. If any two ranks
//! differ, two neighbours differ, so some rank detects it; otherwise ranks would wait for ever for messages that never come.
//! This message can go beside the data without delaying it, but a rank does not leave the call before its neighbour has
//! entered it.
//!
//! Or all ranks merge what they know before the data: that first message is round 0, and in round k each rank sends all it
//! knows to the rank 2^k places further on (dissemination; what is known is a set of facts, so a fact may arrive twice).
//! Where messages cost next to nothing and few ranks are to hear, each rank tells all others what it knows itself: then
//! nobody waits for a rank that waits for another one. This module knows ranks and messages; it never knows what the facts
//! are about. No function here blocks.

use crate::layout::distribution::Rank;
use crate::transport::error::Error;
use crate::transport::{Slot, Transport};

/// What one rank knows of a call, as a message of constant length.
pub trait Knowledge {
    /// Bytes of the message.
    const BYTES: usize;

    /// Writes the message to the front of `out`.
    fn write(&self, out: &mut [u8]);

    /// Reads the first [`Knowledge::BYTES`] of a message.
    fn read(bytes: &[u8]) -> Self;

    /// Whether a message says that its sender knows the same and has nothing to add, as far as little of it tells: what is not read
    /// stays where the sender has it.
    fn is_echoed(&self, _message: &[u8]) -> bool {
        false
    }

    /// Compares with what another rank knows; `rank` gave it, or merely passed it on if `None`.
    fn agree(&self, other: &Self, rank: Option<u32>) -> Result<(), Error>;

    /// Takes in what another rank knows; `rank` gave it, or merely passed it on if `None`.
    fn absorb(&mut self, other: &Self, rank: Option<u32>) -> Result<(), Error>;
}

/// Rounds of dissemination until all of `ranks` ranks know what each knows.
pub fn rounds(ranks: u32) -> usize {
    ranks.next_power_of_two().trailing_zeros() as usize
}

/// How do ranks that merge what they know hear of each other? The same on all ranks of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessagePattern {
    /// By dissemination: few messages.
    Passed,
    /// Each tells all others: as many messages as there are other ranks, but none of them waits for another one.
    Told,
}

impl MessagePattern {
    /// Messages of a rank, each of which is a round's.
    fn rounds(self, ranks: u32) -> usize {
        match self {
            Self::Passed => rounds(ranks),
            Self::Told => ranks as usize - 1,
        }
    }

    /// How many places further on the rank is that is told in a round. Round 0 is that of the next rank.
    fn distance(self, round: usize) -> u32 {
        match self {
            Self::Passed => 1 << round,
            Self::Told => u32::try_from(round).expect("less than there are ranks") + 1,
        }
    }

    /// Rounds that a rank starts before it has taken in what comes in round `round`.
    fn ahead(self, round: usize, ranks: u32) -> usize {
        match self {
            Self::Passed => round + 1,
            Self::Told => self.rounds(ranks),
        }
    }
}

/// One call's agreement, on one rank.
pub struct Agreement<K> {
    me: u32,
    ranks: u32,
    pattern: MessagePattern,
    /// What this rank knows by now.
    known: K,
    /// Rounds whose message was sent.
    told: usize,
    /// Rounds whose message was taken in.
    absorbed: usize,
    /// What came, by round, and what it adds to what this rank knows.
    heard: Vec<Option<Option<Box<K>>>>,
    /// The rounds of messages under way, with the slots that they will be in.
    expected: Vec<(Slot, usize)>,
}

impl<K: Knowledge> Agreement<K> {
    /// The agreement of rank `me` of `ranks` ranks, which knows `own`; nothing is sent yet.
    pub fn new((me, ranks): (u32, u32), own: K) -> Self {
        let (heard, expected) = (Vec::new(), Vec::new());
        Self { me, ranks, pattern: MessagePattern::Passed, known: own, told: 0, absorbed: 0, heard, expected }
    }

    /// The same agreement, where ranks that merge what they know do it so.
    pub fn pattern(self, pattern: MessagePattern) -> Self {
        Self { pattern, ..self }
    }

    /// Another one between the same ranks, which begins where a new one would.
    pub fn renew(&mut self, own: &K, pattern: MessagePattern)
    where
        K: Clone,
    {
        self.known.clone_from(own);
        (self.pattern, self.told, self.absorbed) = (pattern, 0, 0);
        self.heard.clear();
        self.expected.clear();
    }

    /// What this rank knows by now.
    pub fn known(&self) -> &K {
        &self.known
    }

    /// Tells the next rank, once, as soon as there is a slot for it. A rank alone has nobody to tell. `transport` carry
    /// nothing but this agreement.
    pub fn start<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<(), Error> {
        if self.ranks > 1 && self.told == 0 {
            self.exchange(0, transport)?;
        }
        Ok(())
    }

    /// Starts a round with what this rank knows; whether there was a slot.
    fn exchange<T: Transport<Error = Error>>(
        &mut self,
        round: usize,
        transport: &mut T,
    ) -> Result<bool, Error> {
        let to = Rank((self.me + self.pattern.distance(round)) % self.ranks);
        if self.heard.len() == round {
            let Some(slot) = transport.expect(self.before(round), K::BYTES)? else { return Ok(false) };
            self.expected.push((slot, round));
            // Mostly these are all.
            self.heard.reserve_exact(self.pattern.ahead(round, self.ranks) - round);
            self.heard.push(None);
        }
        let Some(slot) = transport.free_slot(to, 0)? else { return Ok(false) };
        self.known.write(transport.fill(slot));
        transport.send(slot, to, K::BYTES)?;
        self.told += 1;
        Ok(true)
    }

    fn before(&self, round: usize) -> Rank {
        Rank((self.me + self.ranks - self.pattern.distance(round)) % self.ranks)
    }

    /// Takes in what has come; round 0's must agree. Whether all that was sent and expected is complete.
    pub fn poll<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        while !self.expected.is_empty() {
            let Some(slot) = transport.arrived()? else { return Ok(false) };
            let at = self.expected.iter().position(|(expected, _)| *expected == slot);
            let (_, round) = self.expected.swap_remove(at.expect("only what is expected arrives"));
            let message = transport.received(slot);
            let heard = (!self.known.is_echoed(message)).then(|| Box::new(K::read(message)));
            transport.release(slot);
            if let (0, Some(heard)) = (round, &heard) {
                self.known.agree(heard, Some(self.before(0).0))?;
            }
            self.heard[round] = Some(heard);
        }
        transport.all_sent()
    }

    /// Goes on with telling the next rank and hearing the one before; whether this rank may leave.
    pub fn finish<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        self.start(transport)?;
        Ok(self.poll(transport)? && (self.told > 0 || self.ranks == 1))
    }

    /// Goes on with merging what all ranks know; whether all of it is known.
    pub fn merge<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        while self.absorbed < self.pattern.rounds(self.ranks) {
            let round = self.absorbed;
            // Those that are told directly are told before anything is taken in: what this rank knows itself.
            while self.told < self.pattern.ahead(round, self.ranks) {
                if !self.exchange(self.told, transport)? {
                    self.poll(transport)?;
                    return Ok(false);
                }
            }
            self.poll(transport)?;
            let Some(heard) = &self.heard[round] else { return Ok(false) };
            // What comes in later rounds of a dissemination was passed on.
            let teller = (round == 0 || self.pattern == MessagePattern::Told).then(|| self.before(round).0);
            if let Some(heard) = heard {
                self.known.absorb(heard, teller)?;
            }
            self.absorbed += 1;
        }
        Ok(true)
    }

    /// Goes on with merging; whether all is known, and everything that was sent and expected is complete.
    pub fn settle<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        Ok(self.merge(transport)? && self.poll(transport)?)
    }
}

#[cfg(test)]
mod tests;

use super::*;
use crate::pack::BufferReader;
use crate::pack::place::DeviceArray;
use crate::transport::loopback::{self, Loopback};

/// A set of ranks, as bits.
#[derive(Clone, PartialEq, Debug)]
struct Seen(u64);

impl Knowledge for Seen {
    const BYTES: usize = 8;

    fn write(&self, out: &mut [u8]) {
        out[..8].copy_from_slice(&self.0.to_ne_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        Self(u64::from_ne_bytes(bytes[..8].try_into().unwrap()))
    }

    fn agree(&self, _: &Self, _: Option<u32>) -> Result<(), Error> {
        Ok(())
    }

    fn absorb(&mut self, other: &Self, _: Option<u32>) -> Result<(), Error> {
        self.0 |= other.0;
        Ok(())
    }
}

/// The loopback transport, which cannot fail, with the error type of the other transports.
struct Fallible(Loopback);

impl Transport for Fallible {
    type Error = Error;

    fn capacity(&self, peer: Rank) -> usize {
        self.0.capacity(peer)
    }

    fn free_slot(&mut self, to: Rank, _: usize) -> Result<Option<Slot>, Error> {
        Ok(self.0.free_slot(to, 0).unwrap())
    }

    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        self.0.fill(slot)
    }

    fn reader(&self, slot: Slot) -> BufferReader {
        self.0.reader(slot)
    }

    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Error> {
        self.0.send(slot, to, bytes).unwrap();
        Ok(())
    }

    fn expect(
        &mut self,
        from: Rank,
        bytes: usize,
        array: Option<&DeviceArray>,
    ) -> Result<Option<Slot>, Error> {
        Ok(self.0.expect(from, bytes, array).unwrap())
    }

    fn arrived(&mut self) -> Result<Option<Slot>, Error> {
        Ok(self.0.arrived().unwrap())
    }

    fn received(&self, slot: Slot) -> &[u8] {
        self.0.received(slot)
    }

    fn release(&mut self, slot: Slot) {
        self.0.release(slot);
    }

    fn all_sent(&mut self) -> Result<bool, Error> {
        Ok(self.0.all_sent().unwrap())
    }
}

#[test]
fn all_ranks_receive_the_numbers_of_each() {
    let mut rng = fastrand::Rng::with_seed(1);
    for (ranks, pattern) in
        (1..=20).flat_map(|ranks| [(ranks, MessagePattern::Dissemination), (ranks, MessagePattern::Direct)])
    {
        let mut transport: Vec<Fallible> =
            loopback::connect(ranks, 6, 16).into_iter().map(Fallible).collect();
        let new = |me| Agreement::new((me, ranks), Seen(1 << me)).pattern(pattern);
        let mut all: Vec<_> = (0..ranks).map(new).collect();
        let mut done = vec![false; ranks as usize];
        while done.contains(&false) {
            let k = rng.usize(0..ranks as usize);
            done[k] = all[k].merge(&mut transport[k]).unwrap();
        }
        assert!(
            all.iter().all(|agreement| *agreement.known() == Seen((1 << ranks) - 1)),
            "{ranks} ranks, {pattern:?}"
        );
    }
}

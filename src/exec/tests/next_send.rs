//! A receiver returns a slot while the sender counts its free slots.

use super::case::Case;
use super::ranks::{planned, source};
use super::*;
use crate::pack::BufferReader;
use crate::pack::place::DeviceArray;
use crate::transport::Slot;

/// Transport with two slots, each under way to another receiver. When the sender asks for a free slot, receiver `hasty`
/// returns its slot.
struct Hasty {
    under_way: HashMap<Rank, usize>,
    hasty: Rank,
}

impl Transport for Hasty {
    type Error = ();

    fn capacity(&self, _: Rank) -> usize {
        64
    }

    fn room(&self) -> usize {
        2
    }

    fn under_way(&mut self, to: Rank) -> usize {
        self.under_way[&to]
    }

    fn free_slot(&mut self, _: Rank, spare: usize) -> Result<Option<Slot>, ()> {
        self.under_way.insert(self.hasty, 0);
        let free = 2 - self.under_way.values().sum::<usize>();
        Ok((free > spare).then_some(Slot(0)))
    }

    fn fill(&mut self, _: Slot) -> &mut [u8] {
        unreachable!("nothing is sent")
    }

    fn reader(&self, _: Slot) -> BufferReader {
        unreachable!("nothing is sent")
    }

    fn send(&mut self, _: Slot, _: Rank, _: usize) -> Result<(), ()> {
        unreachable!("nothing is sent")
    }

    fn expect(&mut self, _: Rank, _: usize, _: Option<&DeviceArray>) -> Result<Option<Slot>, ()> {
        unreachable!("nothing is received")
    }

    fn arrived(&mut self) -> Result<Option<Slot>, ()> {
        unreachable!("nothing is received")
    }

    fn received(&self, _: Slot) -> &[u8] {
        unreachable!("nothing is received")
    }

    fn release(&mut self, _: Slot) {
        unreachable!("nothing is received")
    }

    fn all_sent(&mut self) -> Result<bool, ()> {
        unreachable!("nothing is sent")
    }
}

#[test]
fn a_returned_slot_is_used_for_the_same_receiver() {
    let mut rng = fastrand::Rng::with_seed(1);
    let case = Case::columns_to_rows(3, [12, 30], [4, 5]);
    let all_phases = case.all_phases(&Machine::NODE, None).unwrap();
    let [a, ..] = case.arrays(&mut rng);
    let load = || Load {
        plan: planned(&case, &all_phases[0], &case.place(0), true),
        source: Some(source(&a[0], case.from.shape(&[0, 0], case.element))),
        destination: None,
        update: None,
    };
    for hasty in [Rank(1), Rank(2)] {
        let mut execution = PhaseExecution::new(vec![load()], 0, PieceOrder::ByRegion, Workers::new(1));
        execution.state.independent = Some(true);
        let under_way = HashMap::from([(Rank(1), 1), (Rank(2), 1)]);
        let mut transport = Hasty { under_way, hasty };
        let next = execution.next_send(&mut transport).unwrap();
        assert_eq!(next.map(|(packet, _)| packet.peer), Some(hasty));
    }
}

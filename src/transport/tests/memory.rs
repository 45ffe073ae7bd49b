//! Shared memory of a node: opening it, exclusive writing, and the lifetime of exposed arrays.

use super::{all_to_all, ends, is_refused, lone, third, thirds};
use crate::layout::strides::Shape;
use crate::pack::Source;
use crate::transport::Transport;
use crate::transport::shm::{
    self, Endpoint, Location, Name, NodeSlots, Segment, SlotArea, UnnamedObject, Unreserved, lay_out,
};
use std::sync::Arc;

/// Exchanges messages between two ranks, each with its own mapping of the shared object.
fn two_talk(mapped: [Unreserved; 2], (area, part): (SlotArea, usize)) {
    let ranks: Arc<[u32]> = thirds(2).into();
    let mut me = 0..2;
    let ends = mapped.map(|mapped| {
        let me = me.next().expect("two ranks");
        let segment = Arc::new(mapped.reserve(me * part..(me + 1) * part).unwrap());
        lone(Endpoint::new(segment, (area, part), (me, ranks.clone()), None), 1 << 40)
    });
    all_to_all(ends.into(), third, 20);
}

#[test]
fn named_memory_is_shared_and_its_name_goes() {
    let name = std::ffi::CString::new(format!("/reblock-test-{}", std::process::id())).unwrap();
    let ([area], part) = lay_out([(2, 100)]);
    let len = 2 * part;
    let object = Name::create(name.clone(), len).unwrap();
    assert!(Name::create(name.clone(), len).is_err(), "there is one already");
    assert!(Unreserved::named(&name, len).is_ok(), "the one that there was is still there");
    let mapped = [(); 2].map(|()| Unreserved::named(&name, len).unwrap());
    drop(object);
    assert!(Unreserved::named(&name, len).is_err(), "nothing stays behind");
    two_talk(mapped, (area, part));
}

#[test]
fn memory_without_a_name_is_shared_and_no_other_file_is_taken_for_it() {
    let ([area], part) = lay_out([(2, 100)]);
    let len = 2 * part;
    let [object, other] = [(); 2].map(|()| UnnamedObject::create(len).unwrap());
    let place = object.place().unwrap();
    let [process, descriptor, device, inode] = place.numbers();
    let [_, another, ..] = other.place().unwrap().numbers();
    assert_eq!(Location::of(place.numbers()), place);
    for wrong in [
        [process, another, device, inode],
        [process, descriptor, device, inode + 1],
        [process, descriptor, device + 1, inode],
        [process, 1 << 20, device, inode],
        [1 << 40, descriptor, device, inode],
    ] {
        assert!(Unreserved::at(&Location::of(wrong), len).is_err(), "{wrong:?} of {place:?}");
    }
    let mapped = [(); 2].map(|()| Unreserved::at(&place, len).unwrap());
    drop(object);
    assert!(Unreserved::at(&place, len).is_err(), "it lasts as long as its maker lets it");
    two_talk(mapped, (area, part));
}

#[test]
fn ends_that_would_share_slots_are_refused() {
    let ([area, other], part) = lay_out([(2, 100), (1, 10)]);
    let ranks: Arc<[u32]> = thirds(2).into();
    let segment = Arc::new(Segment::private(2 * part + 4096).unwrap());
    let end = |area, part, me| Endpoint::new(segment.clone(), (area, part), (me, ranks.clone()), None);
    assert!(is_refused(|| end(area, part + 1, 0)), "a part that is no page's multiple");
    assert!(is_refused(|| end(other, part / 2, 0)), "a area of a larger part");
    assert!(is_refused(|| end(area, usize::MAX / 2 + 1, 0)), "parts beyond all memory");
    assert!(is_refused(|| end(area, 2 * part, 0)), "parts beyond the segment");
    let twice: Arc<[u32]> = [1, 1].into();
    assert!(
        is_refused(|| Endpoint::new(segment.clone(), (area, part), (0, twice.clone()), None)),
        "a rank twice"
    );
    let ends = [(area, 0), (other, 0), (area, 1), (other, 1)].map(|(area, me)| end(area, part, me));
    assert!(
        [(area, 0), (other, 1)].iter().all(|&(area, me)| is_refused(|| end(area, part, me))),
        "a second end"
    );
    drop(ends);
}

#[test]
fn storage_has_one_writer_or_several_readers() {
    let alone = std::iter::once(0..4096).collect();
    let arrays = shm::Arrays::new(1, Segment::private(4096).unwrap(), alone, 0);
    let mut storage = shm::OwnArray::new(arrays.clone(), 64);
    assert!(is_refused(|| shm::OwnArray::new(arrays.clone(), 64)), "a second storage");
    let shape = Shape::dense(1, &[64]);
    let readers = [storage.source(0, &shape), storage.source(0, &shape)];
    assert!(readers.iter().all(Option::is_some) && storage.bytes() == [0; 64]);
    assert!(storage.destination(0, &shape).is_none() && is_refused(|| storage.bytes_mut().fill(1)));
    drop(readers);
    let writer = storage.destination(0, &shape);
    assert!(
        writer.is_some() && storage.destination(0, &shape).is_none() && storage.source(0, &shape).is_none()
    );
    assert!(is_refused(|| storage.bytes().len()) && is_refused(|| storage.bytes_mut().fill(1)));
    drop(writer);
    storage.bytes_mut().fill(1);
    assert!(storage.bytes() == [1; 64] && storage.destination(1, &shape).is_none());
}

#[test]
fn an_array_is_lent_until_the_slot_comes_back() {
    let parts = vec![0..4096, 4096..8192];
    let segment = || Segment::private(8192).unwrap();
    // Two mappings of different memory stand for the arrays of two ranks. Only the sender's array can be exposed.
    let [own, theirs] = [0, 1].map(|me| shm::Arrays::new(7, segment(), parts.clone(), me));
    let mut ends = ends(&thirds(2), 1, 1024);
    ends.iter_mut().for_each(|end| end.know(own.clone()));
    let mut ends: Vec<NodeSlots> = ends.into_iter().map(|end| lone(end, 0)).collect();
    let shape = Shape::matrix(4, 4, 3, 5);
    #[allow(unsafe_code)]
    // SAFETY: `inside` ends 2 + 4 * 14 bytes behind the start of its part, which has 4096. `outside` is never read.
    let (inside, outside) = unsafe {
        (
            Source::new(own.own().wrapping_add(2), shape.clone()),
            Source::new(theirs.own().wrapping_add(4096 - 50), shape.clone()),
        )
    };
    let slot = ends[0].free_slot(third(1), 0).unwrap().unwrap();
    assert!(!ends[0].expose(slot, third(1), 48, &outside).unwrap(), "not within an array of this rank's");
    assert!(ends[0].expose(slot, third(1), 48, &inside).unwrap());
    assert!(!ends[0].all_sent().unwrap(), "the array is still exposed");
    let expected = ends[1].expect(third(0), 48, None).unwrap().unwrap();
    assert_eq!(ends[1].arrived().unwrap(), Some(expected));
    let exposed = ends[1].exposed(expected).expect("an array in place of bytes");
    assert_eq!(exposed.footprint(), inside.footprint());
    ends[1].release(expected);
    assert!(ends[0].all_sent().unwrap(), "the array is free again");
}

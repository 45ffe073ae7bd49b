//! What every transport promises, asked of each that works within one process.

use super::*;
use crate::layout::Rank;
use crate::pack::{Shape, Source};
use crate::transport::shm::{
    Endpoint, Lane, Location, Name, NodeSlots, Segment, Unnamed, Unreserved, lay_out,
};
use std::fmt::Debug;
use std::sync::Arc;

/// The slots of `end` as the only call uses them; they stay until the tests are over.
fn lone(mut end: Endpoint, call: u64) -> NodeSlots<'static> {
    let lane = open(&mut end, call);
    NodeSlots::new(Box::leak(Box::new(end)), Box::leak(Box::new(lane)))
}

fn open(end: &mut Endpoint, call: u64) -> Lane {
    let mut lane = Lane::new(end);
    lane.open(end, call);
    lane
}

/// Ends of `ranks`, ascending, through memory that they share. Every second one writes past the caches.
fn ends(ranks: &[u32], slots: usize, capacity: usize) -> Vec<Endpoint> {
    let ([area], part) = lay_out([(slots, capacity)]);
    let segment = Arc::new(Segment::private(part * ranks.len()).unwrap());
    let all: Arc<[u32]> = ranks.into();
    let end = |me| Endpoint::new(segment.clone(), (area, part), (me, all.clone()), Some(me % 2 == 1));
    (0..ranks.len()).map(end).collect()
}

/// The same, each with the lane of one call.
pub fn shared(ranks: &[u32], slots: usize, capacity: usize) -> Vec<NodeSlots<'static>> {
    ends(ranks, slots, capacity).into_iter().map(|end| lone(end, 7)).collect()
}

/// Ranks of a node need not be consecutive.
fn third(rank: usize) -> Rank {
    Rank(3 * rank as u32 + 1)
}

fn thirds(ranks: usize) -> Vec<u32> {
    (0..ranks).map(|rank| third(rank).0).collect()
}

fn byte(from: usize, to: usize, count: usize, at: usize) -> u8 {
    (from * 31 + to * 17 + count * 7 + at) as u8
}

/// One rank's traffic with all: `count` messages to and from each other rank, of growing length.
struct Talk {
    me: usize,
    sends: Vec<(usize, usize)>,
    receives: Vec<(usize, usize)>,
    under_way: Vec<(Slot, usize, usize)>,
}

impl Talk {
    fn new(me: usize, ranks: usize, count: usize) -> Self {
        let all = || (0..count).flat_map(move |k| (1..ranks).map(move |d| (d, k))).rev();
        let sends = all().map(|(d, k)| ((me + d) % ranks, k)).collect();
        let receives = all().map(|(d, k)| ((me + ranks - d) % ranks, k)).collect();
        Self { me, sends, receives, under_way: Vec::new() }
    }

    /// Whether there is more to do.
    fn turn<T: Transport<Error: Debug>>(&mut self, end: &mut T, number: impl Fn(usize) -> Rank) -> bool {
        let length = |k: usize, capacity: usize| (k * 37) % (capacity + 1);
        if let Some(&(from, k)) = self.receives.last() {
            let bytes = length(k, end.capacity(number(from)));
            if let Some(slot) = end.expect(number(from), bytes).unwrap() {
                self.under_way.push((slot, from, k));
                self.receives.pop();
            }
        }
        if let Some(&(to, k)) = self.sends.last() {
            if let Some(slot) = end.free_slot(number(to), 0).unwrap() {
                let bytes = length(k, end.capacity(number(to)));
                for (at, place) in end.fill(slot)[..bytes].iter_mut().enumerate() {
                    *place = byte(self.me, to, k, at);
                }
                end.send(slot, number(to), bytes).unwrap();
                self.sends.pop();
            }
        }
        if let Some(slot) = end.arrived().unwrap() {
            let at = self.under_way.iter().position(|(s, ..)| *s == slot).expect("only what is expected");
            let (_, from, k) = self.under_way.swap_remove(at);
            let bytes = length(k, end.capacity(number(from)));
            for (at, &came) in end.received(slot)[..bytes].iter().enumerate() {
                assert_eq!(came, byte(from, self.me, k, at));
            }
            end.release(slot);
        }
        !(self.sends.is_empty() && self.receives.is_empty() && self.under_way.is_empty())
    }
}

/// Messages between all ranks, by turns, come once, whole and in order.
fn all_to_all<T: Transport<Error: Debug>>(mut ends: Vec<T>, number: fn(usize) -> Rank, count: usize) {
    let ranks = ends.len();
    let mut talks: Vec<Talk> = (0..ranks).map(|me| Talk::new(me, ranks, count)).collect();
    for turns in 0.. {
        let mut more = false;
        for (talk, end) in talks.iter_mut().zip(&mut ends) {
            more |= talk.turn(end, number);
        }
        if !more {
            break;
        }
        assert!(turns < 100_000, "no message is lost");
    }
    assert!(ends.iter_mut().all(|end| end.all_sent().unwrap()));
    assert!(ends.iter_mut().all(|end| end.arrived().unwrap().is_none()));
}

#[test]
fn messages_come_once_whole_and_in_order() {
    for (ranks, window, capacity) in [(2, 1, 16), (2, 4, 1000), (5, 1, 100), (5, 3, 64), (9, 8, 4096)] {
        let plain = |rank| Rank(rank as u32);
        all_to_all(loopback::connect(ranks as u32, window, capacity), plain, 20);
        all_to_all(shared(&thirds(ranks), window, capacity), third, 20);
    }
}

#[test]
fn shared_memory_works_between_threads() {
    std::thread::scope(|scope| {
        for (me, mut end) in shared(&thirds(4), 2, 256).into_iter().enumerate() {
            scope.spawn(move || {
                let mut talk = Talk::new(me, 4, 2000);
                while talk.turn(&mut end, third) {
                    std::thread::yield_now();
                }
            });
        }
    });
}

#[test]
fn a_message_of_another_length_is_told() {
    let mut ends = shared(&thirds(2), 1, 64);
    let slot = ends[0].free_slot(Rank(4), 0).unwrap().unwrap();
    ends[0].send(slot, Rank(4), 3).unwrap();
    assert!(ends[0].free_slot(Rank(4), 0).unwrap().is_none(), "the only slot is full");
    ends[1].expect(Rank(1), 5).unwrap().unwrap();
    assert_eq!(ends[1].arrived(), Err(Length { came: 3, expected: 5 }));
}

#[test]
fn named_memory_is_shared_and_its_name_goes() {
    let name = std::ffi::CString::new(format!("/reblock-test-{}", std::process::id())).unwrap();
    let ([area], part) = lay_out([(2, 100)]);
    let len = 2 * part;
    let object = Name::create(name.clone(), len).unwrap();
    assert!(Name::create(name.clone(), len).is_err(), "there is one already");
    assert!(Unreserved::named(&name, len).is_ok(), "the one that there was is still there");
    let ranks: Arc<[u32]> = thirds(2).into();
    let ends = [0, 1].map(|me| {
        let mapped = Unreserved::named(&name, len).unwrap();
        (me, mapped)
    });
    drop(object);
    assert!(Unreserved::named(&name, len).is_err(), "nothing stays behind");
    let ends = ends.map(|(me, mapped)| {
        let segment = Arc::new(mapped.reserve(me * part..(me + 1) * part).unwrap());
        lone(Endpoint::new(segment, (area, part), (me, ranks.clone()), None), 1 << 40)
    });
    all_to_all(ends.into(), third, 20);
}

#[test]
fn memory_without_a_name_is_shared_and_no_other_file_is_taken_for_it() {
    let ([area], part) = lay_out([(2, 100)]);
    let len = 2 * part;
    let [object, other] = [(); 2].map(|()| Unnamed::create(len).unwrap());
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
    let ranks: Arc<[u32]> = thirds(2).into();
    let ends = [0, 1].map(|me| (me, Unreserved::at(&place, len).unwrap()));
    drop(object);
    assert!(Unreserved::at(&place, len).is_err(), "it lasts as long as its maker lets it");
    let ends = ends.map(|(me, mapped)| {
        let segment = Arc::new(mapped.reserve(me * part..(me + 1) * part).unwrap());
        lone(Endpoint::new(segment, (area, part), (me, ranks.clone()), None), 1 << 40)
    });
    all_to_all(ends.into(), third, 20);
}

#[test]
fn what_is_mapped_anew_has_the_same_bytes_at_the_same_place_and_no_page_tables() {
    let (len, anew) = (1 << 20, 70_000..900_000);
    let object = Unnamed::create(len).unwrap();
    let place = object.place().unwrap();
    let theirs = Unreserved::at(&place, len).unwrap().reserve(0..len).unwrap();
    let mine = Segment::to_read(&place, len).unwrap();
    #[allow(unsafe_code)]
    // SAFETY: both mappings have `len` bytes, and nobody else knows them.
    let (theirs, read) = unsafe {
        let theirs = std::slice::from_raw_parts_mut(theirs.at(0..len), len);
        (theirs, || std::slice::from_raw_parts(mine.at(0..len), len))
    };
    (0u32..).zip(theirs.iter_mut()).for_each(|(k, byte)| *byte = (k % 251) as u8);
    assert!(theirs == read());
    let before = resident(mine.at(0..len).addr());
    mine.map_anew(anew);
    let after = resident(mine.at(0..len).addr());
    assert_eq!((before, after), (1024, 320), "KiB");
    theirs[500_000] = 255;
    assert!(theirs == read());
}

/// KiB for which this process has page tables, in mappings from `start` to 1 MiB behind.
fn resident(start: usize) -> u64 {
    let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut within = false;
    let mut sum = 0;
    for line in smaps.lines() {
        let from = line.split_once('-').and_then(|(from, _)| usize::from_str_radix(from, 16).ok());
        if let Some(from) = from {
            within = (start..start + (1 << 20)).contains(&from);
        } else if let Some(kib) = line.strip_prefix("Rss:").filter(|_| within) {
            sum += kib.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
        }
    }
    sum
}

/// Whether `make` panics.
fn is_refused<T>(make: impl FnOnce() -> T) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(make()))).is_err()
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
    // Two mappings of different memory stand for two ranks; only the lender's is read.
    let [own, theirs] = [0, 1].map(|me| shm::Arrays::new(7, segment(), parts.clone(), me));
    let mut ends = ends(&thirds(2), 1, 1024);
    ends.iter_mut().for_each(|end| end.know(own.clone()));
    let mut ends: Vec<NodeSlots> = ends.into_iter().map(|end| lone(end, 0)).collect();
    let shape = Shape::matrix(4, 4, 3, 5);
    #[allow(unsafe_code)]
    // SAFETY: 2 + 4 * 14 bytes lie within the part of 4096.
    let (inside, outside) = unsafe {
        (
            Source::new(own.own().wrapping_add(2), shape.clone()),
            Source::new(theirs.own().wrapping_add(4096 - 50), shape.clone()),
        )
    };
    let slot = ends[0].free_slot(third(1), 0).unwrap().unwrap();
    assert!(!ends[0].lend(slot, third(1), 48, &outside).unwrap(), "not within an array of this rank's");
    assert!(ends[0].lend(slot, third(1), 48, &inside).unwrap());
    assert!(!ends[0].all_sent().unwrap(), "the array is still lent");
    let expected = ends[1].expect(third(0), 48).unwrap().unwrap();
    assert_eq!(ends[1].arrived().unwrap(), Some(expected));
    let lent = ends[1].lent(expected).expect("an array in place of bytes");
    assert_eq!((lent.address(), lent.shape()), (inside.address(), &shape));
    ends[1].release(expected);
    assert!(ends[0].all_sent().unwrap(), "the array is free again");
}

#[test]
#[should_panic(expected = "a lane on slots of another end")]
fn a_lane_stays_on_the_slots_that_it_was_made_for() {
    let [mut one, mut other] = ends(&thirds(2), 3, 64).try_into().ok().expect("two ends");
    let mut lane = open(&mut one, 1);
    NodeSlots::new(&mut other, &mut lane);
}

#[test]
fn what_comes_in_a_call_that_comes_to_nothing_is_given_back() {
    let mut ends = ends(&thirds(3), 4, 64);
    let mut lanes: Vec<[Lane; 2]> = ends.iter_mut().map(|end| [1, 2].map(|call| open(end, call))).collect();
    for (call, to) in [(1, 1), (0, 1), (0, 1), (0, 2)] {
        let mut slots = NodeSlots::new(&mut ends[0], &mut lanes[0][call]);
        let slot = slots.free_slot(third(to), 0).unwrap().unwrap();
        slots.send(slot, third(to), 1).unwrap();
    }
    lanes[1][0].discard(&ends[1]);
    let mut sender = NodeSlots::new(&mut ends[0], &mut lanes[0][0]);
    assert_eq!([1, 2].map(|to| sender.under_way(third(to))), [0, 1], "what came to others stays");
    let mut receiver = NodeSlots::new(&mut ends[1], &mut lanes[1][1]);
    let slot = receiver.expect(third(0), 1).unwrap();
    assert_eq!(receiver.arrived().unwrap(), slot, "another call's stays");
}

#[test]
fn calls_under_way_at_a_time_do_not_get_into_each_others_way() {
    // Rank 0 sends in call 2 as much as it can before it sends in call 1; rank 1 comes to call 2 only after call 1.
    let mut ends = ends(&thirds(2), 3, 64);
    let mut lanes: Vec<[Lane; 2]> = ends.iter_mut().map(|end| [1, 2].map(|call| open(end, call))).collect();
    let send = |ends: &mut Vec<Endpoint>, lanes: &mut Vec<[Lane; 2]>, call: usize, byte: u8| {
        let mut slots = NodeSlots::new(&mut ends[0], &mut lanes[0][call]);
        let Some(slot) = slots.free_slot(third(1), 0).unwrap() else { return false };
        slots.fill(slot)[0] = byte;
        slots.send(slot, third(1), 1).unwrap();
        true
    };
    let receive = |ends: &mut Vec<Endpoint>, lanes: &mut Vec<[Lane; 2]>, call: usize| {
        let mut slots = NodeSlots::new(&mut ends[1], &mut lanes[1][call]);
        let slot = slots.expect(third(0), 1).unwrap().unwrap();
        assert_eq!(slots.arrived().unwrap(), Some(slot));
        let byte = slots.received(slot)[0];
        slots.release(slot);
        byte
    };
    assert!(send(&mut ends, &mut lanes, 1, 21) && send(&mut ends, &mut lanes, 1, 22));
    assert!(!send(&mut ends, &mut lanes, 1, 23), "the last slot is for the earlier call");
    for byte in 11..14 {
        assert!(send(&mut ends, &mut lanes, 0, byte), "the earlier call gets on");
        assert_eq!(receive(&mut ends, &mut lanes, 0), byte);
    }
    lanes[0][0].close(&mut ends[0]);
    lanes[0][0].open(&mut ends[0], 3);
    assert!(send(&mut ends, &mut lanes, 1, 23), "now this call is the earliest");
    assert_eq!([21, 22, 23].map(|_| receive(&mut ends, &mut lanes, 1)), [21, 22, 23]);
}

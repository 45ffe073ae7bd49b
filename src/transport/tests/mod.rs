//! Guarantees of every transport, tested within one process.

mod memory;

use super::*;
use crate::layout::distribution::Rank;
use crate::transport::shm::{CallSlots, Endpoint, NodeSlots, Segment, lay_out};
use std::fmt::Debug;
use std::sync::Arc;

/// Opens a set of call slots for the only call on `end`; both are leaked.
fn lone(mut end: Endpoint, call: u64) -> NodeSlots<'static> {
    let call_slots = open(&mut end, call);
    NodeSlots::new(Box::leak(Box::new(end)), Box::leak(Box::new(call_slots)))
}

fn open(end: &mut Endpoint, call: u64) -> CallSlots {
    let mut call_slots = CallSlots::new(end);
    call_slots.open(end, call);
    call_slots
}

/// Creates the ends of `ranks`, in ascending order, on shared memory. Every second end uses streaming stores.
fn ends(ranks: &[u32], slots: usize, capacity: usize) -> Vec<Endpoint> {
    let ([area], part) = lay_out([(slots, capacity)]);
    let segment = Arc::new(Segment::private(part * ranks.len()).unwrap());
    let all: Arc<[u32]> = ranks.into();
    let end = |me| Endpoint::new(segment.clone(), (area, part), (me, all.clone()), Some(me % 2 == 1));
    (0..ranks.len()).map(end).collect()
}

/// Creates the ends of `ranks` as [`ends`] does, each with the slots of one call.
pub fn shared(ranks: &[u32], slots: usize, capacity: usize) -> Vec<NodeSlots<'static>> {
    ends(ranks, slots, capacity).into_iter().map(|end| lone(end, 7)).collect()
}

fn is_refused<T>(make: impl FnOnce() -> T) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(make()))).is_err()
}

/// Converts an index among the ranks of the node to a rank: 1, 4, 7 and so on. Ranks of a node need not be consecutive.
fn third(rank: usize) -> Rank {
    Rank(3 * rank as u32 + 1)
}

fn thirds(ranks: usize) -> Vec<u32> {
    (0..ranks).map(|rank| third(rank).0).collect()
}

fn byte(from: usize, to: usize, count: usize, at: usize) -> u8 {
    (from * 31 + to * 17 + count * 7 + at) as u8
}

/// Traffic of one rank with all others: `count` messages to and from each, of various lengths.
struct TestTraffic {
    me: usize,
    sends: Vec<(usize, usize)>,
    receives: Vec<(usize, usize)>,
    under_way: Vec<(Slot, usize, usize)>,
}

impl TestTraffic {
    fn new(me: usize, ranks: usize, count: usize) -> Self {
        let all = || (0..count).flat_map(move |k| (1..ranks).map(move |d| (d, k))).rev();
        let sends = all().map(|(d, k)| ((me + d) % ranks, k)).collect();
        let receives = all().map(|(d, k)| ((me + ranks - d) % ranks, k)).collect();
        Self { me, sends, receives, under_way: Vec::new() }
    }

    /// Expects, sends and receives at most one message each; returns whether anything is left to do.
    fn turn<T: Transport<Error: Debug>>(&mut self, end: &mut T, number: impl Fn(usize) -> Rank) -> bool {
        let length = |k: usize, capacity: usize| (k * 37) % (capacity + 1);
        if let Some(&(from, k)) = self.receives.last() {
            let bytes = length(k, end.capacity(number(from)));
            if let Some(slot) = end.expect(number(from), bytes, None).unwrap() {
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
            let at = self.under_way.iter().position(|(s, ..)| *s == slot).expect("an expected message");
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

/// Checks that messages between all ranks arrive once, whole and in order.
fn all_to_all<T: Transport<Error: Debug>>(mut ends: Vec<T>, number: fn(usize) -> Rank, count: usize) {
    let ranks = ends.len();
    let mut traffics: Vec<TestTraffic> = (0..ranks).map(|me| TestTraffic::new(me, ranks, count)).collect();
    for turns in 0.. {
        let mut more = false;
        for (traffic, end) in traffics.iter_mut().zip(&mut ends) {
            more |= traffic.turn(end, number);
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
                let mut traffic = TestTraffic::new(me, 4, 2000);
                while traffic.turn(&mut end, third) {
                    std::thread::yield_now();
                }
            });
        }
    });
}

#[test]
fn a_message_of_another_length_is_reported() {
    let mut ends = shared(&thirds(2), 1, 64);
    let slot = ends[0].free_slot(Rank(4), 0).unwrap().unwrap();
    ends[0].send(slot, Rank(4), 3).unwrap();
    assert!(ends[0].free_slot(Rank(4), 0).unwrap().is_none(), "the only slot is full");
    ends[1].expect(Rank(1), 5, None).unwrap().unwrap();
    assert_eq!(ends[1].arrived(), Err(Length { came: 3, expected: 5 }));
}

#[test]
#[should_panic(expected = "slots of another end")]
fn a_lane_stays_on_the_slots_that_it_was_made_for() {
    let [mut one, mut other] = ends(&thirds(2), 3, 64).try_into().ok().expect("two ends");
    let mut call_slots = open(&mut one, 1);
    NodeSlots::new(&mut other, &mut call_slots);
}

#[test]
fn messages_of_a_failed_call_are_handed_back() {
    let mut ends = ends(&thirds(3), 4, 64);
    let mut lanes: Vec<[CallSlots; 2]> =
        ends.iter_mut().map(|end| [1, 2].map(|call| open(end, call))).collect();
    for (call, to) in [(1, 1), (0, 1), (0, 1), (0, 2)] {
        let mut slots = NodeSlots::new(&mut ends[0], &mut lanes[0][call]);
        let slot = slots.free_slot(third(to), 0).unwrap().unwrap();
        slots.send(slot, third(to), 1).unwrap();
    }
    lanes[1][0].discard(&ends[1]);
    let mut sender = NodeSlots::new(&mut ends[0], &mut lanes[0][0]);
    assert_eq!([1, 2].map(|to| sender.under_way(third(to))), [0, 1], "what came to others stays");
    let mut receiver = NodeSlots::new(&mut ends[1], &mut lanes[1][1]);
    let slot = receiver.expect(third(0), 1, None).unwrap();
    assert_eq!(receiver.arrived().unwrap(), slot, "another call's stays");
}

#[test]
fn calls_under_way_at_a_time_do_not_get_into_each_others_way() {
    // Rank 0 sends in call 2 as much as it can before call 1; rank 1 receives call 2 only after call 1.
    let mut ends = ends(&thirds(2), 3, 64);
    let mut lanes: Vec<[CallSlots; 2]> =
        ends.iter_mut().map(|end| [1, 2].map(|call| open(end, call))).collect();
    let send = |ends: &mut Vec<Endpoint>, lanes: &mut Vec<[CallSlots; 2]>, call: usize, byte: u8| {
        let mut slots = NodeSlots::new(&mut ends[0], &mut lanes[0][call]);
        let Some(slot) = slots.free_slot(third(1), 0).unwrap() else { return false };
        slots.fill(slot)[0] = byte;
        slots.send(slot, third(1), 1).unwrap();
        true
    };
    let receive = |ends: &mut Vec<Endpoint>, lanes: &mut Vec<[CallSlots; 2]>, call: usize| {
        let mut slots = NodeSlots::new(&mut ends[1], &mut lanes[1][call]);
        let slot = slots.expect(third(0), 1, None).unwrap().unwrap();
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

#[test]
fn held_slots_are_not_given_out() {
    let mut ends = ends(&thirds(3), 5, 64);
    let mut call_slots = open(&mut ends[0], 1);
    let mut slots = NodeSlots::new(&mut ends[0], &mut call_slots);
    let mut held = Vec::new();
    for (count, to) in [1, 2, 1].into_iter().enumerate() {
        let slot = slots.free_slot(third(to), 0).unwrap().unwrap();
        assert!(!held.contains(&slot) && slots.hold(slot, third(to)));
        held.push(slot);
        let free = 5 - (count + 1);
        for spare in 0..6 {
            assert_eq!(slots.free_slot(third(1), spare).unwrap().is_some(), spare < free, "{count}, {spare}");
        }
    }
    assert_eq!([1, 2].map(|to| slots.under_way(third(to))), [2, 1], "held messages count");
    for (buffer, byte) in slots.fill_held(&held).into_iter().zip(21..) {
        assert!(buffer.len() >= 64);
        buffer[0] = byte;
    }
    // A sent slot is no longer held: it is free once the receiver has released it.
    slots.send(held[1], third(2), 1).unwrap();
    assert!(is_refused(|| slots.fill_held(&held[1..2]).len()), "a slot that is not held");
    assert_eq!([1, 2].map(|to| slots.under_way(third(to))), [2, 1], "one is sent, two are held");
    let mut others = open(&mut ends[2], 1);
    let mut receiver = NodeSlots::new(&mut ends[2], &mut others);
    let arrived = receiver.expect(third(0), 1, None).unwrap();
    assert_eq!(receiver.arrived().unwrap(), arrived);
    assert_eq!(receiver.received(arrived.unwrap()), [22]);
    receiver.release(arrived.unwrap());
    let mut slots = NodeSlots::new(&mut ends[0], &mut call_slots);
    assert_eq!([1, 2].map(|to| slots.under_way(third(to))), [2, 0]);
    assert_eq!([2, 3].map(|spare| slots.free_slot(third(1), spare).unwrap().is_some()), [true, false]);

    // The next call begins with all slots, also if this one has failed.
    call_slots.close(&mut ends[0]);
    call_slots.open(&mut ends[0], 2);
    let mut slots = NodeSlots::new(&mut ends[0], &mut call_slots);
    assert_eq!(slots.under_way(third(1)), 0);
    assert!(slots.free_slot(third(1), 4).unwrap().is_some());
}

//! The loom model: a sender with one or two slots has messages for two receivers, each on its own thread. A thread
//! checks a condition a few times and then gives up, because loom cannot model a wait without limit. Afterwards the
//! model delivers the remaining messages and checks that none is lost.

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

const MESSAGES: u64 = 2;
/// Number of checks before a thread gives up.
const LOOKS: usize = 2;

struct Node {
    headers: Vec<Header>,
    bytes: Vec<UnsafeCell<u64>>,
}

// SAFETY: loom checks exactly this: it reports any access to `bytes` that the headers do not order.
#[allow(unsafe_code)]
unsafe impl Sync for Node {}

fn content(receiver: usize, count: u64) -> u64 {
    receiver as u64 * 100 + count
}

fn look<T>(mut question: impl FnMut() -> Option<T>) -> Option<T> {
    (0..LOOKS).find_map(|_| {
        question().or_else(|| {
            thread::yield_now();
            None
        })
    })
}

struct Sender {
    outbox: Outbox,
    left: Vec<(usize, u64)>,
}

impl Sender {
    fn send(&mut self, node: &Node) {
        while let Some(&(receiver, count)) = self.left.last() {
            let Some(slot) = look(|| Outbox::free(&node.headers, |_| false, 0)) else { return };
            #[allow(unsafe_code)]
            // SAFETY: loom checks that nobody else uses the cell.
            node.bytes[slot].with_mut(|bytes| unsafe { *bytes = content(receiver, count) });
            node.headers[slot].hand_over(self.outbox.next(receiver), 8);
            self.left.pop();
        }
    }
}

struct Receiver {
    me: usize,
    inbox: Inbox,
    next: Option<Stamp>,
    count: u64,
}

impl Receiver {
    fn receive(&mut self, node: &Node) {
        while self.count < MESSAGES {
            let stamp = *self.next.get_or_insert_with(|| self.inbox.expect(0));
            let Some(slot) = look(|| Inbox::find(&node.headers, stamp)) else { return };
            assert_eq!(node.headers[slot].bytes(), 8);
            #[allow(unsafe_code)]
            // SAFETY: loom checks that nobody writes the cell.
            node.bytes[slot].with(|bytes| assert_eq!(unsafe { *bytes }, content(self.me, self.count)));
            node.headers[slot].hand_back();
            (self.next, self.count) = (None, self.count + 1);
        }
    }
}

fn model(slots: usize, preemptions: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || {
        let node = Arc::new(Node {
            headers: (0..slots).map(|_| Header::new()).collect(),
            bytes: (0..slots).map(|_| UnsafeCell::new(0)).collect(),
        });
        let left = (0..MESSAGES).flat_map(|count| [(1, count), (2, count)]).rev().collect();
        let mut sender = Sender { outbox: Outbox::new(5, 3), left };
        let receivers = [1, 2].map(|me| {
            let mut receiver = Receiver { me, inbox: Inbox::new(me, 5, 3), next: None, count: 0 };
            let node = node.clone();
            thread::spawn(move || {
                receiver.receive(&node);
                receiver
            })
        });
        sender.send(&node);
        let mut receivers = receivers.map(|receiver| receiver.join().unwrap());
        for _ in 0..=2 * MESSAGES {
            sender.send(&node);
            receivers.iter_mut().for_each(|receiver| receiver.receive(&node));
        }
        assert!(sender.left.is_empty() && receivers.iter().all(|r| r.count == MESSAGES), "nothing is lost");
        assert_eq!(Outbox::free(&node.headers, |_| false, 0), Some(0), "all slots are the sender's again");
    });
}

#[test]
fn one_slot_for_two_receivers() {
    model(1, 3);
}

#[test]
fn two_slots_for_two_receivers() {
    model(2, 2);
}

/// A failed call: the sender reports the failure after its messages, and the receiver hands these back.
#[test]
fn unexpected_messages_are_handed_back() {
    loom::model(|| {
        let [data, reports] =
            [2, 1].map(|count| Arc::new((0..count).map(|_| Header::new()).collect::<Vec<_>>()));
        let receiver = {
            let (data, reports) = (data.clone(), reports.clone());
            move || {
                let mut inbox = Inbox::new(1, 5, 3);
                let stamp = inbox.expect(0);
                if look(|| Inbox::find(&*reports, stamp)).is_some() {
                    inbox.hand_all_back(&*data);
                    reports[0].hand_back();
                }
            }
        };
        let there = thread::spawn(receiver.clone());
        let [mut outbox, mut report_outbox] = [0, 1].map(|_| Outbox::new(5, 3));
        data[0].hand_over(outbox.next(1), 8);
        data[1].hand_over(outbox.next(2), 8);
        reports[0].hand_over(report_outbox.next(1), 8);
        there.join().unwrap();
        receiver();
        assert!(data[0].is_senders() && reports[0].is_senders(), "all of the receiver's");
        assert!(!data[1].is_senders(), "and nobody else's");
    });
}

//! Compares simulated times with known results on small graphs, and with bounds on random ones.

use super::super::certificate::Certificate;
use super::super::chooser::run_scheduler;
use super::super::colouring;
use super::super::course::Course;
use super::super::graph::Edge;
use super::super::graph::tests::{graph, random};
use super::super::table::find_by_name;
use super::super::traffic::Traffic;
use super::*;
use crate::layout::distribution::{Axis, Cyclic, Grid};
use crate::layout::intersect::Overlap;

/// A machine with a second for each byte and start-ups that take no time.
const BYTES: Machine = Machine { start_up: 0.0, byte: 1.0, ..Machine::NETWORK };

#[test]
fn ports_do_not_wait_for_steps_of_others() {
    // In the second order both steps cost 10. But ports do not wait for each other, and none moves more than 11 bytes.
    let g = graph(2, 3, &[(0, 0, 10), (0, 1, 1), (1, 1, 1), (1, 2, 10)]);
    assert_eq!(seconds(&g, &[0, 1, 1, 0], &BYTES), 12.0);
    assert_eq!(seconds(&g, &[0, 1, 0, 1], &BYTES), 11.0);
}

#[test]
fn two_senders_share_a_receiver_that_awaits_both() {
    let g = graph(2, 2, &[(0, 1, 2), (1, 1, 5), (0, 0, 3)]);
    // Receiver 1 gets 2 bytes of each message, then the rest of the longer one. Meanwhile sender 0 sends its second
    // message.
    assert_eq!(seconds(&g, &[0, 1, 2], &BYTES), 7.0);
    assert_eq!(seconds(&g, &[0, 1, 2], &Machine { window: 1, ..BYTES }), 7.0);
    // The window is one piece. If the longer message comes first and MPI asks before it sends, the shorter message
    // waits for the longer one.
    let one = Machine { window: 1, ..BYTES };
    let of = |unit: u64| graph(2, 2, &[(0, 1, 2 * unit), (1, 1, 5 * unit), (1, 0, 4 * unit)]);
    let mib = 1 << 20;
    assert_eq!(seconds(&of(mib), &[1, 2, 0], &one), real(9 * mib));
    assert_eq!(seconds(&of(mib), &[2, 1, 0], &one), real(11 * mib));
    // If MPI does not ask, the shorter message has already passed the port.
    assert_eq!(seconds(&of(1), &[2, 1, 0], &one), 9.0);
}

#[test]
fn long_messages_are_awaited_one_by_one() {
    // Pieces have 64 KiB, and four of them are awaited. So sender 1's message is received when three pieces of sender
    // 0's message are left.
    let (machine, kib) = (Machine { room: 512 << 10, ..BYTES }, 1 << 10);
    let g = graph(2, 2, &[(0, 0, 640 * kib), (1, 0, 64 * kib), (1, 1, 1000 * kib)]);
    // At first both messages arrive together and share the port.
    let received = 64 + 7 * 64;
    assert_eq!(seconds(&g, &[0, 1, 2], &machine), real((received + 1000) * kib));
    // Short messages need no acknowledgement, nor do those that take less time than a start-up.
    let short = graph(2, 2, &[(0, 0, 640 * kib), (1, 0, 16 * kib), (1, 1, 1000 * kib)]);
    assert_eq!(seconds(&short, &[0, 1, 2], &machine), real((16 + 1000) * kib));
}

#[test]
fn messages_that_nobody_awaits_use_the_port() {
    // Receiver 0 awaits the message of sender 0, which is late. Meanwhile it gets the messages of senders 1 and 2.
    let (machine, kib) = (Machine { room: 128 << 10, window: 1, ..BYTES }, 1 << 10);
    let late = [(0, 1, 100 * kib), (0, 0, 50 * kib), (1, 0, 60 * kib), (2, 0, 60 * kib)];
    assert_eq!(seconds(&graph(3, 2, &late), &[0, 1, 2, 3], &machine), real(170 * kib));
}

#[test]
fn start_ups_of_short_messages_overlap() {
    let machine = Machine { start_up: 8.0, byte: 1e-9, ..Machine::NETWORK };
    let g = graph(1, 2, &[(0, 0, 1), (0, 1, 1)]);
    assert_eq!(seconds(&g, &[0, 1], &machine).round(), 4.0);
    let g = graph(1, 2, &[(0, 0, MAX_IN_FLIGHT_BYTES + 1), (0, 1, MAX_IN_FLIGHT_BYTES + 1)]);
    assert_eq!(seconds(&g, &[0, 1], &machine).round(), 16.0);
}

/// Lengthens each message by up to `percent` percent, at random.
fn disturbed(g: &Graph, percent: u64) -> Graph {
    let mut rng = fastrand::Rng::with_seed(43);
    let edge = |e: &Edge| Edge { bytes: e.bytes + e.bytes * rng.u64(0..=percent) / 100, ..*e };
    Graph::new(g.senders(), g.receivers(), g.edges().iter().map(edge).collect())
}

#[test]
fn delays_of_some_messages_do_not_add_up() {
    // From 2 x 4 to 5 x 10 processes with equal messages, all orders take equally long. A longer message holds up few
    // others, because ports get other messages meanwhile.
    let axis = |procs| Axis::new(Cyclic::new(40, procs, 0).unwrap(), 0);
    let dim = |from, to| Overlap { from: axis(from), to: axis(to), len: 1600 };
    let grids = (Grid::row_major(&[2, 4]), Grid::row_major(&[5, 10]));
    let t = Traffic::new(vec![dim(2, 5), dim(4, 10)], 8, grids.0, grids.1);
    let graph = &t.listed().unwrap().graph;
    let machine = Machine { room: 256 << 10, ..BYTES };
    let [even, uneven] = [0, 10].map(|percent| {
        ["checkerboard", "edge-colouring"].map(|name| {
            let Course::Direct(order) =
                run_scheduler(find_by_name(name).unwrap(), &t, &machine).unwrap().course
            else {
                panic!("one phase")
            };
            let steps = Certificate::steps(&t, order.as_ref()).unwrap();
            seconds(&disturbed(graph, percent), &steps, &machine)
        })
    });
    println!("{even:?} {uneven:?}");
    assert_eq!(even[0], even[1]);
    assert!(uneven.iter().all(|&seconds| seconds < 1.1 * even[0]));
}

#[test]
fn no_schedule_takes_less_than_the_busiest_port_or_more_than_all_messages() {
    let mut rng = fastrand::Rng::with_seed(41);
    for _ in 0..300 {
        let g = random(&mut rng, 12, 50);
        let window = rng.u32(1..6);
        let machine = Machine { window, ..BYTES };
        let mut steps = colouring::colour(&g);
        let in_order = seconds(&g, &steps, &machine);
        // The simulation accepts any order, even one with a port twice in a step.
        rng.shuffle(&mut steps);
        for took in [in_order, seconds(&g, &steps, &machine)] {
            let all: u64 = g.edges().iter().map(|e| e.bytes).sum();
            #[allow(clippy::cast_precision_loss)]
            let (load, all) = (g.bounds((1, 1)).load as f64, all as f64);
            assert!(took >= load - 1e-6 && took <= all + 1e-6, "{load} {took} {all}");
        }
    }
}

#[test]
fn ranks_of_a_node_share_its_ports() {
    let g = graph(2, 2, &[(0, 0, 5), (1, 1, 3)]);
    let took = |senders: [u32; 2], receivers: [u32; 2]| {
        let nodes = NodePorts::new(&g, senders.to_vec(), receivers.to_vec());
        let seconds = seconds_in_order((g.edges(), Some(&nodes)), &[0, 1], &BYTES, false);
        (seconds, nodes.load())
    };
    assert_eq!(seconds(&g, &[0, 0], &BYTES), 5.0);
    assert_eq!(took([0, 1], [2, 3]), (5.0, 5), "each rank has a port");
    assert_eq!(took([0, 0], [1, 1]), (8.0, 8), "both messages from one node to another");
    assert_eq!(took([0, 0], [1, 2]), (8.0, 8), "one port sends both");
    assert_eq!(took([0, 1], [2, 2]), (8.0, 8), "one port receives both");
    assert_eq!(took([0, 1], [0, 2]), (3.0, 3), "the first message stays within its node");
    assert_eq!(took([0, 0], [0, 0]), (0.0, 0));
}

#[test]
fn one_rank_on_each_node_has_a_port_of_its_own() {
    let mut rng = fastrand::Rng::with_seed(73);
    for _ in 0..100 {
        let g = random(&mut rng, 8, 1 << 20);
        let steps = colouring::colour(&g);
        // Senders and receivers are on different nodes, so that no message stays within a node.
        let nodes =
            NodePorts::new(&g, (0..g.senders()).collect(), (0..g.receivers()).map(|k| k + 100).collect());
        let order = in_order(&steps);
        let took = seconds_in_order((g.edges(), Some(&nodes)), &order, &Machine::NETWORK, false);
        assert_eq!(took, seconds(&g, &steps, &Machine::NETWORK));
        assert_eq!(nodes.load(), g.bounds((1, 1)).load);
    }
}

#[test]
fn ports_without_messages_cost_nothing() {
    let mut rng = fastrand::Rng::with_seed(71);
    for _ in 0..100 {
        let g = random(&mut rng, 8, 1 << 20);
        let steps = colouring::colour(&g);
        let far = |e: &Edge| Edge { sender: 50_000 * e.sender + 7, receiver: 90_000 * e.receiver, ..*e };
        let sparse = Graph::new(400_008, 720_001, g.edges().iter().map(far).collect());
        assert_eq!(seconds(&sparse, &steps, &Machine::NETWORK), seconds(&g, &steps, &Machine::NETWORK));
        let (ends, edges) = renumber_ports(sparse.edges());
        assert!(ends.iter().all(|ends| ends.len() <= 8) && edges.len() == g.edges().len());
    }
}

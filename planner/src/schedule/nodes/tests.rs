//! Compares the messages by node of random redistributions with those of a program that deals elements one by one.

use super::super::cost_model::{Work, linear, serial_start_ups};
use super::super::dimension::Dimension;
use super::super::traffic::Traffic;
use super::lengths::Lengths;
use super::*;
use crate::layout::distribution::{Axis, Cyclic, Dist, GenBlock, Grid, Indirect, Rank, places};
use crate::layout::intersect::Overlap;
use crate::machine::{Machine, real};
use std::collections::{BTreeMap, BTreeSet};

/// Returns a random side of a dimension of `len` elements on `procs` processes.
fn axis(rng: &mut fastrand::Rng, len: u64, procs: u32) -> Axis {
    let start = rng.u64(0..5);
    let extent = start + len;
    let dist: Dist = match rng.u8(0..7) {
        0 => GenBlock::random(rng, procs, extent).into(),
        1 => Indirect::new(procs, (0..extent).map(|_| (rng.u32(0..procs), 1))).unwrap().into(),
        2 | 3 => Cyclic::new(extent.div_ceil(procs.into()) + rng.u64(0..3), procs, 0).unwrap().into(),
        _ => Cyclic::new(rng.u64(1..9), procs, rng.u32(0..procs)).unwrap().into(),
    };
    Axis::new(dist, start)
}

/// Returns a grid whose ranks begin at `first`: in row-major order, in column-major order, or reversed.
fn grid(rng: &mut fastrand::Rng, extents: &[u32], first: u32) -> Grid {
    let ranks: u32 = extents.iter().product();
    let row_major: Vec<u32> = (first..first + ranks).collect();
    let ranks: Vec<u32> = match rng.u8(0..4) {
        0 => row_major.into_iter().rev().collect(),
        1 => {
            let mut shuffled = row_major;
            rng.shuffle(&mut shuffled);
            shuffled
        }
        _ => row_major,
    };
    Grid::from_ranks(extents, &ranks).unwrap()
}

fn random(rng: &mut fastrand::Rng) -> (Traffic, Placement) {
    let dims = rng.usize(1..4);
    let mut overlaps = Vec::new();
    let mut extents = [Vec::new(), Vec::new()];
    for _ in 0..dims {
        let len = rng.u64(1..if dims == 3 { 12 } else { 40 });
        let most = [0, 12, 5, 4][dims];
        let procs = [rng.u32(1..most), rng.u32(1..most)];
        overlaps.push(Overlap { from: axis(rng, len, procs[0]), to: axis(rng, len, procs[1]), len });
        extents.iter_mut().zip(procs).for_each(|(extents, procs)| extents.push(procs));
    }
    let size = |extents: &[u32]| extents.iter().product::<u32>();
    let first = [rng.u32(0..4), rng.u32(0..8)];
    let ranks = (first[0] + size(&extents[0])).max(first[1] + size(&extents[1]));
    let (from, to) = (grid(rng, &extents[0], first[0]), grid(rng, &extents[1], first[1]));
    let order = if rng.bool() { PlacementOrder::BySlot } else { PlacementOrder::ByNode };
    let placement = Placement::new(ranks, rng.u32(1..8), order);
    (Traffic::new(overlaps, rng.u64(1..4), from, to), placement)
}

/// Returns the bytes between each two ranks, dealt element by element.
fn dealt(traffic: &Traffic) -> BTreeMap<(Rank, Rank), u64> {
    let mut bytes = BTreeMap::new();
    let lens: Vec<u32> = traffic.dims.iter().map(|dim| dim.overlap.len as u32).collect();
    for index in places(&lens) {
        let owner = |grid: &Grid, of: fn(&Overlap) -> &Axis| {
            let pairs = traffic.dims.iter().zip(&index);
            let place: Vec<u32> = pairs.map(|(dim, &i)| of(&dim.overlap).owner(i.into())).collect();
            grid.rank(&place)
        };
        let ends = (owner(&traffic.from, |dim| &dim.from), owner(&traffic.to, |dim| &dim.to));
        *bytes.entry(ends).or_insert(0) += traffic.element;
    }
    bytes
}

fn naive(traffic: &Traffic, placement: Placement, early: u64) -> Vec<NodeTally> {
    let mut nodes = vec![NodeTally::default(); placement.nodes() as usize];
    let mut ranks: BTreeMap<(bool, Rank), [Volume; 3]> = BTreeMap::new();
    let (mut partners, mut early_partners) = (BTreeSet::new(), BTreeSet::new());
    for ((from, to), bytes) in dealt(traffic) {
        let ends = [placement.node(from), placement.node(to)];
        let volume = Volume { messages: 1, bytes };
        if from == to {
            nodes[ends[0] as usize].kept += bytes;
            continue;
        }
        if ends[0] == ends[1] {
            nodes[ends[0] as usize].within += volume;
        } else {
            partners.insert(ends);
            if bytes <= early {
                early_partners.insert(ends);
            }
        }
        for (sending, node, rank) in [(true, ends[0], from), (false, ends[1], to)] {
            let node = &mut nodes[node as usize];
            let flow = if sending { &mut node.sent } else { &mut node.received };
            let kinds =
                [(&mut flow.all, true), (&mut flow.early, bytes <= early), (&mut flow.long, bytes > early)];
            for (k, (part, _)) in kinds.into_iter().enumerate().filter(|(_, (_, of_kind))| *of_kind) {
                part.with_own += volume;
                if ends[0] != ends[1] {
                    part.between += volume;
                }
                let rank = &mut ranks.entry((sending, rank)).or_default()[k];
                *rank += volume;
                part.busiest.messages = part.busiest.messages.max(rank.messages);
                part.busiest.bytes = part.busiest.bytes.max(rank.bytes);
            }
        }
    }
    for [from, to] in partners {
        nodes[from as usize].sent.nodes += 1;
        nodes[to as usize].received.nodes += 1;
    }
    for [from, to] in early_partners {
        nodes[from as usize].sent.early_nodes += 1;
        nodes[to as usize].received.early_nodes += 1;
    }
    nodes
}

#[test]
fn nodes_have_the_messages_of_dealt_elements() {
    let mut rng = fastrand::Rng::with_seed(43);
    for case in 0..3000 {
        let (traffic, placement) = random(&mut rng);
        let early = rng.u64(0..40);
        let tally = Tally::new(&traffic, placement, early).unwrap();
        let context = || format!("case {case}: {placement:?} {early} {traffic:?}");
        assert_eq!(tally.nodes, naive(&traffic, placement, early), "{}", context());
        let total = tally.total();
        assert_eq!(total.sent.all.between, total.received.all.between, "{}", context());
        assert_eq!(total.sent.nodes, total.received.nodes);
        let elements: u64 = traffic.dims.iter().map(|dim| dim.overlap.len).product();
        assert_eq!(total.sent.all.with_own.bytes + total.kept, elements * traffic.element);
    }
}

#[test]
fn blocks_have_the_lengths_of_listed_messages() {
    let mut rng = fastrand::Rng::with_seed(44);
    let mut compared = 0;
    for _ in 0..3000 {
        let len = rng.u64(1..200);
        let procs = [rng.u32(1..14), rng.u32(1..14)];
        let [from, to] = procs.map(|procs| axis(&mut rng, len, procs));
        let dim = Dimension::new(Overlap { from, to, len });
        for sending in [true, false] {
            let Some(walked) = Lengths::along_blocks(&dim, sending) else { continue };
            assert_eq!(walked, Lengths::listed(&dim, sending).unwrap(), "{:?}", dim.overlap);
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn many_ranks_are_counted_without_a_list() {
    // 131,072 ranks on 1,024 nodes; each rank sends to each.
    let ranks = 1 << 17;
    let placement = Placement::new(ranks, 128, PlacementOrder::BySlot);
    let len = 4 * u64::from(ranks) * u64::from(ranks);
    let axis = |block| Axis::new(Cyclic::new(block, ranks, 0).unwrap(), 0);
    let traffic = |from, to| {
        let dims = vec![Overlap { from: axis(from), to: axis(to), len }];
        Traffic::new(dims, 8, Grid::row_major(&[ranks]), Grid::row_major(&[ranks]))
    };
    for traffic in [traffic(len / u64::from(ranks), 1), traffic(1, len / u64::from(ranks))] {
        let tally = Tally::new(&traffic, placement, 32).unwrap();
        for node in &tally.nodes {
            let away = 128 * (u64::from(ranks) - 128);
            for flow in [node.sent, node.received] {
                assert_eq!(flow.all.between, Volume { messages: away, bytes: 32 * away });
                assert_eq!((flow.early, flow.nodes, flow.early_nodes), (flow.all, 1023, 1023));
            }
            assert_eq!((node.within.messages, node.kept), (128 * 127, 128 * 32));
        }
    }
}

#[test]
fn one_rank_a_node_has_the_price_of_a_schedule_that_never_waits() {
    // Each of 8 ranks sends 100 messages' worth of equal bytes to each other one.
    let ranks = 8;
    let axis = |block| Axis::new(Cyclic::new(block, ranks, 0).unwrap(), 0);
    let dims = vec![Overlap { from: axis(80), to: axis(1), len: 640 }];
    let traffic = Traffic::new(dims, 8, Grid::row_major(&[ranks]), Grid::row_major(&[ranks]));
    let m = Machine::NETWORK;
    let alone = |per_node| {
        let tally =
            Tally::new(&traffic, Placement::new(ranks, per_node, PlacementOrder::BySlot), 80).unwrap();
        prices(&tally, &m, &NodePort { start_up: 1e-6 })
    };
    let work = |messages: u64, port: u64| Work {
        waves: serial_start_ups(&m, messages, 80 * messages),
        port_start_ups: real(port) * 1e-6,
        bytes: real(80 * port),
        packed: real(80 * messages),
    };
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    let [one, four] = [alone(1), alone(4)];
    assert_eq!((one.alone.busiest, one.alone.messages), (7, 56));
    assert!(close(one.alone.seconds, linear(&m, &work(7, 7))));
    // Two nodes: each of 4 ranks sends 4 messages to the other node; together, one rank sends one.
    assert_eq!((four.alone.busiest, four.alone.messages), (16, 32));
    assert!(close(four.alone.seconds, linear(&m, &work(4, 16))));
    assert_eq!((four.together.busiest, four.together.messages), (1, 2));
    let region = Work { waves: 1, port_start_ups: 1e-6, bytes: real(16 * (80 + 8) + 4 * 4), packed: 320.0 };
    assert!(close(four.together.seconds, linear(&m, &region)));
}

//! WHAT can no schedule of a product do without? The bounds of the graph of all messages, from those of each dimension: a port of
//! the product has the products of what a port of each dimension has.
//!
//! Ports count by their messages alone, longest first. One whose k-th longest message is for no k longer than another one's
//! adds nothing, and few are left. Where many are, those with the most elements are taken: then what is told is no more than the
//! truth. No port is left out before it is compared: one that has many messages may have few elements.

use super::super::dimension::Line;
use super::super::graph::Graph;
use super::super::levels;
use super::super::traffic::Traffic;
use super::short;
use std::collections::BTreeMap;

/// Ports of a side that are combined with those of the next dimension, at the most.
const KEPT: usize = 32;
/// Products of lengths, at the most.
const PRODUCTS: usize = 1 << 17;

/// The messages of a port: (length, how many), longest first.
pub type Port = Vec<(u64, u64)>;
/// The ports of one dimension, or of several together, that matter: senders, receivers.
pub type Sides = [Vec<Port>; 2];

/// No schedule of `traffic` costs less, in elements and with what ranks keep; `None` where dimensions cannot be listed quickly.
pub fn cost(traffic: &Traffic) -> Option<u64> {
    let sides: Vec<Sides> = traffic.lines.iter().map(sides).collect::<Option<_>>()?;
    let one = || vec![vec![(1, 1)]];
    let all = sides.into_iter().fold([one(), one()], |[send, receive], [senders, receivers]| {
        [combined(&that_matter(send), &senders), combined(&that_matter(receive), &receivers)]
    });
    Some(bound(&all, (1, 1)))
}

/// Senders and receivers of a dimension.
fn sides(line: &Line) -> Option<Sides> {
    if let Some(classes) = line.classes().filter(|classes| classes.periods().1) {
        return Some(sides_of(classes.small(), classes.blow_up()));
    }
    short(line).map(|graph| sides_of(graph, (1, 1)))
}

/// The ports of `graph` that matter, blown up.
pub fn sides_of(graph: &Graph, (b, a): (u64, u64)) -> Sides {
    let none = |count: u32| vec![Vec::new(); count as usize];
    let (mut send, mut receive) = (none(graph.senders()), none(graph.receivers()));
    for e in graph.edges() {
        send[e.sender as usize].push(e.bytes);
        receive[e.receiver as usize].push(e.bytes);
    }
    let port = |copies: u64| {
        move |mut lengths: Vec<u64>| -> Port {
            lengths.sort_unstable_by(|x, y| y.cmp(x));
            let same = lengths.chunk_by(|x, y| x == y);
            same.map(|some| (some[0], some.len() as u64 * copies)).collect()
        }
    };
    let matter = |ports: Vec<Vec<u64>>, copies| that_matter(ports.into_iter().map(port(copies)).collect());
    [matter(send, a), matter(receive, b)]
}

/// Those to which no other is equal or superior, or the ones with the most elements.
fn that_matter(mut ports: Vec<Port>) -> Vec<Port> {
    let elements = |port: &Port| {
        port.iter().map(|&(length, count)| length.saturating_mul(count)).fold(0, u64::saturating_add)
    };
    ports.sort_unstable();
    ports.dedup();
    ports.sort_by_cached_key(|port| std::cmp::Reverse(elements(port)));
    let mut kept: Vec<Port> = Vec::new();
    for port in ports {
        if kept.len() < KEPT && !kept.iter().any(|other| is_superior(other, &port)) {
            kept.push(port);
        }
    }
    kept
}

/// Whether the k-th message of `a` is no shorter than that of `b`, for every k.
fn is_superior(a: &Port, b: &Port) -> bool {
    let (mut ahead, mut most) = (a.iter().copied(), 0);
    let mut length = u64::MAX;
    let mut reach = 0;
    for &(least, count) in b {
        most += count;
        while reach < most {
            let Some((next, more)) = ahead.next() else { return false };
            (length, reach) = (next, reach + more);
        }
        if length < least {
            return false;
        }
    }
    true
}

/// Each of `a` with each of `b`.
fn combined(a: &[Port], b: &[Port]) -> Vec<Port> {
    let mut left = PRODUCTS;
    let mut all = Vec::new();
    for (x, y) in a.iter().flat_map(|x| b.iter().map(move |y| (x, y))) {
        let Some(rest) = left.checked_sub(x.len() * y.len()) else { break };
        left = rest;
        let both = |&(v, m): &(u64, u64)| y.iter().map(move |&(w, n)| (v.saturating_mul(w), m * n));
        let mut port: Port = x.iter().flat_map(both).collect();
        port.sort_unstable_by(|one, other| other.cmp(one));
        port.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        all.push(port);
    }
    all
}

/// No schedule costs less if ports have so much `room` in a step: the sum over k of the longest message that is the first of the k-th
/// step of some port.
pub fn bound([senders, receivers]: &Sides, room: levels::Room) -> u64 {
    // The most steps of a port for messages that are so long or longer, by length.
    let mut most: BTreeMap<u64, u64> = BTreeMap::new();
    for (ports, room) in [(senders, room.0), (receivers, room.1)] {
        for port in ports {
            let mut count = 0;
            for &(length, more) in port {
                count += more;
                let known = most.entry(length).or_default();
                *known = count.div_ceil(room.into()).max(*known);
            }
        }
    }
    let (mut cost, mut before) = (0u64, 0);
    for (&length, &count) in most.iter().rev() {
        cost = cost.saturating_add(length.saturating_mul(count.saturating_sub(before)));
        before = before.max(count);
    }
    cost
}

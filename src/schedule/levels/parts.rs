//! CAN messages be divided into two parts in each of which no port has more than so many? Messages longer than a given length
//! are all in the one that is called dear; the others may be in either.
//!
//! All others are cheap at first. As long as a port has too many cheap ones, one of them becomes dear; if its other port has then
//! too many dear ones, one of those becomes cheap, and so on along a path that ends where there is room. If there is no such
//! path, there are no such parts, as in a flow that cannot be augmented. No more become dear than have to.

use super::super::graph::Graph;
use super::Room;
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// The messages and their ports.
pub struct Parts {
    /// The ports of each message: senders, then receivers.
    ports: Vec<[u32; 2]>,
    /// Of each port, the messages that may be in either part.
    either: Vec<Vec<u32>>,
    /// All that may be cheap are.
    first: Division,
    /// How many messages each port may have in a step.
    room: Vec<u32>,
}

/// What [`Parts::dear_at_least`] tells, without parts.
pub fn dear_at_least(graph: &Graph, room: Room, left: &[u32], length: u64) -> u32 {
    let mut dears = (vec![0u32; graph.senders() as usize], vec![0u32; graph.receivers() as usize]);
    let mut most = 0;
    for e in left.iter().map(|&edge| graph.edges()[edge as usize]).filter(|e| e.bytes > length) {
        let (sends, receives) = (&mut dears.0[e.sender as usize], &mut dears.1[e.receiver as usize]);
        (*sends, *receives) = (*sends + 1, *receives + 1);
        most = most.max(sends.div_ceil(room.0)).max(receives.div_ceil(room.1));
    }
    most
}

/// Which messages are in which part.
#[derive(Clone)]
struct Division {
    /// Of each message, whether it is in the cheap part.
    cheap: Vec<bool>,
    /// Of each port, its dear and its cheap messages.
    dears: Vec<u32>,
    cheaps: Vec<u32>,
}

impl Parts {
    /// The messages `left` of `graph`, those longer than `length` dear, where ports have so much `room` in a step.
    pub fn new(graph: &Graph, room: Room, left: &[u32], length: u64) -> Self {
        let count = (graph.senders() + graph.receivers()) as usize;
        let (mut ports, mut cheap) = (Vec::new(), Vec::new());
        let mut either = vec![Vec::new(); count];
        let (mut dears, mut cheaps) = (vec![0; count], vec![0; count]);
        for (k, &edge) in (0..).zip(left) {
            let e = graph.edges()[edge as usize];
            let ends = [e.sender, graph.senders() + e.receiver];
            let short = e.bytes <= length;
            for port in ends.map(|port| port as usize) {
                if short {
                    either[port].push(k);
                    cheaps[port] += 1;
                } else {
                    dears[port] += 1;
                }
            }
            ports.push(ends);
            cheap.push(short);
        }
        let mut rooms = vec![room.0; graph.senders() as usize];
        rooms.resize(count, room.1);
        Self { ports, either, first: Division { cheap, dears, cheaps }, room: rooms }
    }

    /// No division has fewer dear steps at some port.
    pub fn dear_at_least(&self) -> u32 {
        self.first.dears.iter().zip(&self.room).map(|(dear, &room)| dear.div_ceil(room)).max().unwrap_or(0)
    }

    /// Whether each message is cheap, where no port has more than `dear` and `cheap` steps of either part; `None` if that cannot
    /// be.
    pub fn fit(&self, dear: u32, cheap: u32) -> Option<Vec<bool>> {
        if self.dear_at_least() > dear {
            return None;
        }
        let (mut now, mut search) = (self.first.clone(), Search::new(self.either.len()));
        for port in 0..self.either.len() {
            let room = self.room[port];
            if now.dears[port] + now.cheaps[port] > (dear + cheap) * room {
                return None;
            }
            while now.cheaps[port] > cheap * room {
                self.turn(&mut now, &mut search, port, (dear, cheap))?;
            }
        }
        Some(now.cheap)
    }

    /// Makes one cheap message of `start` dear, and others along a path, so that no other port gets too many; `None` if there
    /// is no such path.
    fn turn(
        &self,
        now: &mut Division,
        search: &mut Search,
        start: usize,
        (dear, cheap): (u32, u32),
    ) -> Option<()> {
        search.begin(start);
        while let Some(port) = search.queue.pop_front() {
            // At ports of the side that the path began on a cheap message turns dear, at others a dear one cheap.
            let from_cheap = search.is_even[port];
            for &message in &self.either[port] {
                let [one, other] = self.ports[message as usize].map(|port| port as usize);
                let next = if one == port { other } else { one };
                if now.cheap[message as usize] != from_cheap || search.is_seen(next) {
                    continue;
                }
                search.reach(next, message, !from_cheap);
                let room = self.room[next];
                let free =
                    if from_cheap { now.dears[next] < dear * room } else { now.cheaps[next] < cheap * room };
                if free {
                    self.flip(now, search, next, start);
                    return Some(());
                }
                search.queue.push_back(next);
            }
        }
        None
    }

    /// Moves the messages of the path from `start` to `end` to the other part.
    fn flip(&self, now: &mut Division, search: &Search, end: usize, start: usize) {
        let mut at = end;
        while at != start {
            let message = search.from[at] as usize;
            let cheap = !now.cheap[message];
            now.cheap[message] = cheap;
            for port in self.ports[message].map(|port| port as usize) {
                if cheap {
                    now.dears[port] -= 1;
                    now.cheaps[port] += 1;
                } else {
                    now.cheaps[port] -= 1;
                    now.dears[port] += 1;
                }
            }
            let [one, other] = self.ports[message].map(|port| port as usize);
            at = if one == at { other } else { one };
        }
    }
}

/// Paths from one port.
struct Search {
    /// The message over which each port was reached, in the search of that number.
    from: Vec<u32>,
    seen: Vec<u32>,
    number: u32,
    /// Whether it is on the side where the search began.
    is_even: Vec<bool>,
    queue: VecDeque<usize>,
}

impl Search {
    fn new(ports: usize) -> Self {
        let (from, seen, is_even) = (vec![NONE; ports], vec![0; ports], vec![false; ports]);
        Self { from, seen, number: 0, is_even, queue: VecDeque::new() }
    }

    fn begin(&mut self, start: usize) {
        self.number += 1;
        self.queue.clear();
        self.queue.push_back(start);
        self.reach(start, NONE, true);
    }

    fn is_seen(&self, port: usize) -> bool {
        self.seen[port] == self.number
    }

    fn reach(&mut self, port: usize, message: u32, is_even: bool) {
        (self.seen[port], self.from[port], self.is_even[port]) = (self.number, message, is_even);
    }
}

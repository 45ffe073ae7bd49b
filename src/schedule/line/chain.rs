//! The chain of ports: may its messages be in steps of given costs, and in which?

use super::rule::{Rule, first_steps};
use crate::schedule::graph::Graph;
use std::ops::{Range, RangeInclusive};

/// The chain of ports.
pub struct Chain {
    /// The lengths of messages, ascending, each once.
    pub lengths: Vec<u64>,
    /// The length of each message, as its place among them.
    length: Vec<u32>,
    /// The messages of each port that has more than one, in order; the first may be the last of the one before.
    ports: Vec<RangeInclusive<usize>>,
}

impl Chain {
    /// The chain of `graph`, if its messages are on a line and in its order.
    pub fn new(graph: &Graph) -> Option<Self> {
        let edges = graph.edges();
        let mut ports = Vec::new();
        let mut run = |port: &dyn Fn(usize) -> u32, count: u32| {
            let mut seen = vec![false; count as usize];
            let mut first = 0;
            for e in 0..edges.len() {
                if e + 1 == edges.len() || port(e + 1) != port(e) {
                    if std::mem::replace(&mut seen[port(e) as usize], true) {
                        return false;
                    }
                    if e > first {
                        ports.push(first..=e);
                    }
                    first = e + 1;
                }
            }
            true
        };
        let on_line =
            run(&|e| edges[e].sender, graph.senders()) && run(&|e| edges[e].receiver, graph.receivers());
        ports.sort_unstable_by_key(|p| *p.start());
        let chained = ports.windows(2).all(|w| w[1].start() >= w[0].end());
        if !(on_line && chained) {
            return None;
        }
        let (mut lengths, mut length) = (Vec::new(), vec![0; edges.len()]);
        for e in graph.heaviest_first().into_iter().rev() {
            let bytes = edges[e as usize].bytes;
            if lengths.last() != Some(&bytes) {
                lengths.push(bytes);
            }
            length[e as usize] = u32::try_from(lengths.len() - 1).ok()?;
        }
        Some(Self { lengths, length, ports })
    }

    /// What the k-th dearest step costs at least.
    pub fn least(&self, steps: usize) -> Vec<u64> {
        let mut least = vec![0; steps];
        let mut sorted = Vec::new();
        for port in &self.ports {
            sorted.clear();
            sorted.extend_from_slice(&self.length[port.clone()]);
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            for (least, &length) in least.iter_mut().zip(&sorted) {
                *least = length.max(*least);
            }
        }
        let mut least: Vec<u64> = least.into_iter().map(|length| self.lengths[length as usize]).collect();
        least[0] = self.lengths.last().copied().unwrap_or(0);
        least
    }

    /// The number of ports that have more than one message.
    pub fn ports(&self) -> usize {
        self.ports.len()
    }

    /// The room of each length in steps of the given costs, dearest first: how many of them hold it.
    pub fn rooms(&self, costs: &[u64], rooms: &mut Vec<u8>) {
        rooms.clear();
        let mut room = costs.len();
        for &length in &self.lengths {
            while room > 0 && costs[room - 1] < length {
                room -= 1;
            }
            rooms.push(u8::try_from(room).expect("no more than 64 steps"));
        }
    }

    /// Walks past `ports`, where so many steps give each length a `room`. `before`: what the last message of the port
    /// before may be in, all of its room or less. Tells `reached` of each port in turn what its last message may be in,
    /// until there is nothing: then the port that cannot be passed is returned.
    pub fn walk(
        &self,
        ports: Range<usize>,
        before: Option<u64>,
        steps: usize,
        room: impl Fn(u32) -> u8,
        mut reached: impl FnMut(u64),
    ) -> Option<usize> {
        let room = |message: usize| room(self.length[message]);
        let joined = |k: usize| k > 0 && *self.ports[k - 1].end() == *self.ports[k].start();
        let mut shared = before.filter(|_| joined(ports.start));
        for k in ports {
            let (start, end) = (*self.ports[k].start(), *self.ports[k].end());
            let first = shared.filter(|_| joined(k)).unwrap_or_else(|| first_steps(room(start)));
            let last = Rule::new((start + 1..end).map(room), steps).last(first, first_steps(room(end)));
            if last == 0 {
                return Some(k);
            }
            reached(last);
            shared = Some(last);
        }
        None
    }

    /// A step for each message in steps of the given costs, dearest first; the first one holds the longest.
    pub fn steps(&self, costs: &[u64]) -> Option<Vec<u32>> {
        let (mut rooms, mut reached) = (Vec::new(), Vec::with_capacity(self.ports.len()));
        self.rooms(costs, &mut rooms);
        let of_length = |length: u32| rooms[length as usize];
        let stuck = self.walk(0..self.ports.len(), None, costs.len(), of_length, |last| reached.push(last));
        if stuck.is_some() {
            return None;
        }
        let room = |message: usize| rooms[self.length[message] as usize];
        // A message at no port of several goes in the first step.
        let mut step = vec![0; self.length.len()];
        let mut after = usize::MAX;
        for (k, port) in self.ports.iter().enumerate().rev() {
            let (first, last) = (*port.start(), *port.end());
            if last != after {
                step[last] = reached[k].trailing_zeros();
            }
            let before = k.checked_sub(1).filter(|&j| *self.ports[j].end() == first);
            let may = before.map_or_else(|| first_steps(room(first)), |j| reached[j]);
            let rule = Rule::new((first + 1..last).map(room), costs.len());
            step[first] = rule.others(step[last] as usize, may).trailing_zeros();
            let mut taken = 1u64 << step[first] | 1 << step[last];
            // The rest, least room first: what has least can be in, all can.
            let mut inner: Vec<usize> = (first + 1..last).collect();
            inner.sort_unstable_by_key(|&message| room(message));
            for message in inner {
                step[message] = (first_steps(room(message)) & !taken).trailing_zeros();
                taken |= 1 << step[message];
            }
            after = first;
        }
        Some(step)
    }
}

//! Dimensions of different kinds together: some in which senders have most messages, some in which receivers have. The
//! product of their schedules then leaves ports idle that need not be.
//!
//! The messages of a dimension are dealt into *forests of stars* rather than matchings: in one, a port of the busier side
//! has up to m messages, and one of the other side at most one. That takes max(busier / m, other) of them, as an edge
//! colouring of the graph in which each busier port is split into m. A product of stars is complete between as many
//! senders as the stars around receivers have together, and as many receivers as those around senders: sender i and
//! receiver j of it go in step i + j, modulo the larger number. So steps are the product of the numbers of forests times that
//! number. With m = 1 everywhere it is the product of the schedules.

use super::super::certificate::Certificate;
use super::super::colouring;
use super::super::graph::{Bounds, Edge, Graph};
use super::super::lookup::Lookup;
use super::super::traffic::Traffic;
use super::short;
use crate::layout::places;

/// The most messages of a port in a star.
const MOST: u32 = 8;
/// Ways to choose stars that are compared, at the most.
const WAYS: usize = 1 << 12;

/// The forests of all dimensions.
#[derive(Clone, Debug)]
pub struct Stars {
    dims: Vec<Forests>,
    /// Steps of a product of forests.
    turn: u64,
}

#[derive(Clone, Debug)]
struct Forests {
    star: Star,
    count: u64,
    /// Of a message: its forest, times the size of a star, and its place in its star.
    found: Lookup,
}

/// The stars of a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Star {
    /// Whether there are several senders around a receiver.
    gathers: bool,
    size: u32,
}

impl Star {
    /// No larger star takes fewer forests, where a port of either side has so many messages at the most.
    fn largest((send, receive): (u64, u64)) -> u32 {
        let (busier, other) = (send.max(receive), send.min(receive).max(1));
        u32::try_from(busier.div_ceil(other)).unwrap_or(MOST).clamp(1, MOST)
    }

    /// How many forests the messages of `line` take, where a port of either side has so many at the most.
    fn forests(self, (send, receive): (u64, u64)) -> u64 {
        let (busier, other) = if self.gathers { (receive, send) } else { (send, receive) };
        busier.div_ceil(self.size.into()).max(other)
    }
}

impl Stars {
    /// The fewest steps that this takes, with figures in elements, if they are fewer than `steps` and all messages of each
    /// dimension by itself can be listed quickly.
    pub fn new(traffic: &Traffic, steps: u64) -> Option<(Self, Certificate)> {
        let graphs: Vec<&Graph> = traffic.lines.iter().map(short).collect::<Option<_>>()?;
        let most = |degrees: Vec<u32>| u64::from(degrees.into_iter().max().unwrap_or(0));
        let degree = |graph: &&Graph| {
            let (send, receive) = graph.degrees();
            (most(send), most(receive))
        };
        let (chosen, least) = choose(&graphs.iter().map(degree).collect::<Vec<_>>())?;
        if least >= steps {
            return None;
        }
        let (dims, costs): (Vec<Forests>, Vec<u64>) =
            graphs.iter().zip(&chosen).map(|(graph, &star)| Forests::new(graph, star)).unzip();
        let turn = turn(&chosen);
        let all = Self { dims, turn };
        let cost = costs.into_iter().fold(turn, u64::saturating_mul);
        let certificate = Certificate {
            steps: all.steps(),
            cost,
            bounds: Bounds { steps: 0, cost: 0, load: 0 },
            messages: 0,
            exact: false,
        };
        Some((all, certificate))
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.dims.iter().fold(self.turn, |n, dim| n.saturating_mul(dim.count))
    }

    /// The step of the message between the processes at `from` and `to`; `None` if there is none.
    pub fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let (mut forest, mut sender, mut receiver) = (0, 0, 0);
        for ((dim, &p), &q) in self.dims.iter().zip(from).zip(to) {
            let (found, size) = (u64::from(dim.found.get(p, q)?), u64::from(dim.star.size));
            forest = forest * dim.count + found / size;
            let own = if dim.star.gathers { &mut sender } else { &mut receiver };
            *own = *own * size + found % size;
        }
        Some(forest * self.turn + (sender + receiver) % self.turn)
    }
}

/// The larger number of senders and of receivers in a product of these stars.
fn turn(stars: &[Star]) -> u64 {
    let product = |gathers: bool| {
        let sizes = stars.iter().filter(|star| star.gathers == gathers).map(|star| u64::from(star.size));
        sizes.product::<u64>()
    };
    product(true).max(product(false))
}

/// The stars that take the fewest steps, and how many those are.
fn choose(degrees: &[(u64, u64)]) -> Option<(Vec<Star>, u64)> {
    let most: Vec<u32> = degrees.iter().map(|&degree| Star::largest(degree)).collect();
    let steps = |stars: &[Star]| {
        let forests = stars.iter().zip(degrees).map(|(star, &degree)| star.forests(degree));
        forests.fold(turn(stars), u64::saturating_mul)
    };
    let way = |sizes: Vec<u32>| {
        let star =
            |(size, &(send, receive)): (u32, &(u64, u64))| Star { gathers: receive > send, size: size + 1 };
        sizes.into_iter().zip(degrees).map(star).collect::<Vec<Star>>()
    };
    let all = places(&most).take(WAYS).map(way);
    all.map(|stars| (steps(&stars), stars))
        .min_by_key(|(steps, _)| *steps)
        .map(|(steps, stars)| (stars, steps))
}

impl Forests {
    /// The forests of `graph`, and the sum of their longest messages.
    fn new(graph: &Graph, star: Star) -> (Self, u64) {
        let mut dealt = vec![0u32; graph.senders().max(graph.receivers()) as usize];
        let mut place = vec![0; graph.edges().len()];
        // Heaviest first, so that messages of one length can share a forest.
        for e in graph.heaviest_first() {
            let edge = graph.edges()[e as usize];
            let turn = &mut dealt[if star.gathers { edge.receiver } else { edge.sender } as usize];
            place[e as usize] = *turn % star.size;
            *turn += 1;
        }
        let split = graph.edges().iter().zip(&place).map(|(e, &place)| match star.gathers {
            true => Edge { receiver: e.receiver * star.size + place, ..*e },
            false => Edge { sender: e.sender * star.size + place, ..*e },
        });
        let (s, r) = if star.gathers { (1, star.size) } else { (star.size, 1) };
        let split = Graph::new(graph.senders() * s, graph.receivers() * r, split.collect());
        let steps = colouring::colour(&split);
        let c = Certificate::count(&split, &steps);
        let numbers = steps.iter().zip(&place).map(|(&step, &place)| step * star.size + place);
        (Self { star, count: c.steps, found: Lookup::new(graph, numbers) }, c.cost)
    }
}

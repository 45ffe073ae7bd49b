//! Forests of stars, for several dimensions, if the busiest port is a sender in some dimensions and a receiver in
//! others. A product of the dimensions' schedules would leave ports idle.
//!
//! The messages of a dimension are divided into *forests of stars* rather than matchings. In a forest, a port of the
//! busier side has up to m messages, and a port of the other side at most one. If a port has at most B messages on the
//! busier side and at most C on the other, that takes max(⌈B/m⌉, C) forests.
//!
//! A product of stars is a complete bipartite graph. It has as many senders as the product of the sizes of stars around
//! receivers, and as many receivers as the product of the sizes of stars around senders. Its message from sender i to
//! receiver j goes in step i + j, modulo the larger of these two numbers. So the number of steps is the product of the
//! numbers of forests, times that larger number. With m = 1 in all dimensions this is the product of the dimensions'
//! schedules.

use super::colouring;
use super::course::ClosedForm;
use super::dimension::Dimension;
use super::graph::{Edge, Graph};
use super::limits::{MAX_RAYS, MAX_SCANNED};
use super::lookup::Lookup;
use super::order::Order;
use crate::layout::distribution::places;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Star {
    /// True if a star is several senders around a receiver.
    gathers: bool,
    /// m, the maximum number of messages of a star.
    size: u32,
}

/// Messages of a dimension, and the maximum number of messages of a sender and of a receiver.
struct ListedDim<'a> {
    graph: &'a Graph,
    most: (u64, u64),
}

#[derive(Debug)]
struct Stars {
    dims: Vec<Forests>,
    /// Number of steps of a product of one forest of each dimension.
    turn: u64,
}

#[derive(Debug)]
struct Forests {
    star: Star,
    count: u64,
    /// Per message: number of its forest, times the size of stars, plus its place in its star.
    found: Lookup,
}

/// Returns the schedule with the stars that take the fewest steps. Returns an error if there are too many messages, or
/// if no stars save steps.
pub fn order(dims: &[&Dimension]) -> Result<ClosedForm, String> {
    let too_many = || "there are too many messages in a dimension".to_string();
    let graphs: Option<Vec<_>> = dims.iter().map(|dim| dim.small_graph().map(ListedDim::new)).collect();
    let graphs = graphs.ok_or_else(too_many)?;
    let chosen = choose(&graphs).ok_or_else(too_many)?;
    if chosen.iter().all(|star| star.size == 1) {
        return Err("no stars take fewer steps than single messages".into());
    }
    let forests = graphs.iter().zip(&chosen).map(|(of, &star)| Forests::new(of.graph, star));
    let (dims, costs): (Vec<Forests>, Vec<u64>) = forests.unzip();
    let turn = ports_in_turn(&chosen);
    let cost = costs.into_iter().fold(turn, u64::saturating_mul);
    let stars = Stars { dims, turn };
    Ok(ClosedForm { steps: stars.steps(), cost, exact: false, order: Arc::new(stars) })
}

impl Order for Stars {
    fn steps(&self) -> u64 {
        self.dims.iter().fold(self.turn, |n, dim| n.saturating_mul(dim.count))
    }

    fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
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

/// Returns the number of senders in a product of these stars, or of receivers if these are more.
fn ports_in_turn(stars: &[Star]) -> u64 {
    let product = |gathers: bool| {
        let sizes = stars.iter().filter(|star| star.gathers == gathers).map(|star| u64::from(star.size));
        sizes.product::<u64>()
    };
    product(true).max(product(false))
}

/// Returns the stars that take the fewest steps, of at most [`MAX_SCANNED`] choices.
fn choose(dims: &[ListedDim]) -> Option<Vec<Star>> {
    let most: Vec<u32> = dims.iter().map(|dim| Star::largest(dim.most)).collect();
    let stars = |sizes: Vec<u32>| {
        let star = |(size, dim): (u32, &ListedDim)| Star::around(dim.most, size + 1);
        sizes.into_iter().zip(dims).map(star).collect::<Vec<Star>>()
    };
    let steps = |stars: &Vec<Star>| {
        let forests = dims.iter().zip(stars).map(|(dim, star)| star.forests(dim.most));
        forests.fold(ports_in_turn(stars), u64::saturating_mul)
    };
    let ways = usize::try_from(MAX_SCANNED).expect("a limit");
    places(&most).take(ways).map(stars).min_by_key(steps)
}

impl Forests {
    /// Divides `graph` into forests, and returns the sum of their longest messages. The centre of a star is split into
    /// as many ports as the star has rays, and its messages are dealt to these ports in turn. By König's theorem, a
    /// colouring of the split graph has the fewest forests.
    fn new(graph: &Graph, star: Star) -> (Self, u64) {
        let (s, r) = star.room();
        let middle = |e: &Edge| if star.gathers { e.receiver } else { e.sender } as usize;
        let mut dealt = vec![0; graph.senders().max(graph.receivers()) as usize];
        let mut places = vec![0; graph.edges().len()];
        // Deals the heaviest messages first: equally long messages then get different places and can share a forest.
        for edge in graph.heaviest_first() {
            let turn = &mut dealt[middle(&graph.edges()[edge as usize])];
            places[edge as usize] = *turn % star.size;
            *turn += 1;
        }
        let split = |(e, place): (&Edge, &u32)| Edge {
            sender: e.sender * s + place % s,
            receiver: e.receiver * r + place % r,
            ..*e
        };
        let edges = graph.edges().iter().zip(&places).map(split).collect();
        let steps = colouring::colour(&Graph::new(graph.senders() * s, graph.receivers() * r, edges));
        let count = steps.iter().max().map_or(0, |&step| u64::from(step) + 1);
        let numbers = steps.iter().zip(&places).map(|(&step, place)| step * star.size + place);
        let cost = graph.longest_by_group(&steps).into_iter().sum();
        (Self { star, count, found: Lookup::new(graph, numbers) }, cost)
    }
}

impl<'a> ListedDim<'a> {
    fn new(graph: &'a Graph) -> Self {
        let (send, receive) = graph.max_degrees();
        Self { graph, most: (send.into(), receive.into()) }
    }
}

impl Star {
    /// Creates stars around the ports of the busier side; a sender has at most `send` messages, a receiver at most
    /// `receive`.
    fn around((send, receive): (u64, u64), size: u32) -> Self {
        Self { gathers: receive > send, size }
    }

    /// Returns the maximum number of messages of a sender and of a receiver in a forest.
    fn room(self) -> (u32, u32) {
        if self.gathers { (1, self.size) } else { (self.size, 1) }
    }

    /// Returns the largest star size to try, at most [`MAX_RAYS`]: larger stars take no fewer forests.
    fn largest((send, receive): (u64, u64)) -> u32 {
        let (busier, other) = (send.max(receive), send.min(receive).max(1));
        u32::try_from(busier.div_ceil(other)).unwrap_or(MAX_RAYS).clamp(1, MAX_RAYS)
    }

    /// Returns the number of forests for at most `send` messages of a sender and `receive` of a receiver.
    fn forests(self, (send, receive): (u64, u64)) -> u64 {
        let room = self.room();
        send.div_ceil(room.0.into()).max(receive.div_ceil(room.1.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::certificate::Certificate;
    use super::super::graph::tests::random;
    use super::*;

    #[test]
    fn forests_are_the_fewest_and_ports_have_no_more_messages_than_room() {
        let mut rng = fastrand::Rng::with_seed(32);
        for _ in 0..1000 {
            let g = random(&mut rng, 12, 9);
            // One message from port to port, as in a dimension.
            let mut edges = g.edges().to_vec();
            edges.dedup_by_key(|e| (e.sender, e.receiver));
            let g = Graph::new(g.senders(), g.receivers(), edges);
            if g.edges().is_empty() {
                continue;
            }
            let dim = ListedDim::new(&g);
            let star = Star::around(dim.most, rng.u32(1..5));
            let (forests, cost) = Forests::new(&g, star);
            let (s, r) = star.room();
            // Each of a port's parts occurs at most once in a forest.
            let (mut steps, mut edges) = (Vec::new(), Vec::new());
            for e in g.edges() {
                let number = forests.found.get(e.sender, e.receiver).unwrap();
                let place = number % star.size;
                steps.push(number / star.size);
                edges.push(Edge {
                    sender: e.sender * s + place % s,
                    receiver: e.receiver * r + place % r,
                    ..*e
                });
            }
            let counted = Certificate::count(&Graph::new(g.senders() * s, g.receivers() * r, edges), &steps);
            assert_eq!((counted.steps, counted.cost), (forests.count, cost), "{g:?}");
            assert_eq!(forests.count, star.forests(dim.most), "{g:?}");
        }
    }
}

//! Dimensions of different kinds together: some in which senders have most messages, some in which receivers have. The
//! product of their schedules then leaves ports idle that need not be.
//!
//! The messages of a dimension are dealt into *forests of stars* rather than matchings: in one, a port of the busier side
//! has up to m messages, and one of the other side at most one. That takes max(busier / m, other) of them
//! ([`wide`](levels::wide)). A product of stars is complete between as many
//! senders as the stars around receivers have together, and as many receivers as those around senders: sender i and
//! receiver j of it go in step i + j, modulo the larger number. So steps are the product of the numbers of forests times that
//! number. With m = 1 everywhere it is the product of the schedules.

use super::super::certificate::Certificate;
use super::super::graph::{Bounds, Graph};
use super::super::levels;
use super::super::lookup::Lookup;
use super::super::traffic::Traffic;
use super::super::without;
use super::star::{Dim, Star};
use crate::layout::places;

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

impl Stars {
    /// The fewest steps that this takes, with figures in elements, if they are fewer than `steps` and all messages of each
    /// dimension by itself can be listed quickly.
    pub fn new(traffic: &Traffic, steps: u64) -> Option<(Self, Certificate)> {
        if without::is_out("stars") {
            return None;
        }
        let dims = Dim::all(traffic)?;
        let (chosen, least) = choose(&dims)?;
        if least >= steps {
            return None;
        }
        let forests = dims.iter().zip(&chosen).map(|(dim, &star)| Forests::new(dim.graph, star));
        let (dims, costs): (Vec<Forests>, Vec<u64>) = forests.unzip();
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
fn choose(dims: &[Dim]) -> Option<(Vec<Star>, u64)> {
    let most: Vec<u32> = dims.iter().map(|dim| Star::largest(dim.most)).collect();
    let way = |sizes: Vec<u32>| {
        let star = |(size, dim): (u32, &Dim)| Star::around(dim.most, size + 1);
        let stars: Vec<Star> = sizes.into_iter().zip(dims).map(star).collect();
        let forests = dims.iter().zip(&stars).map(|(dim, &star)| star.forests(dim.most));
        let steps = forests.fold(turn(&stars), u64::saturating_mul);
        (stars, steps)
    };
    places(&most).take(WAYS).map(way).min_by_key(|&(_, steps)| steps)
}

impl Forests {
    /// The forests of `graph`, and the sum of their longest messages.
    fn new(graph: &Graph, star: Star) -> (Self, u64) {
        let (wide, cost) = levels::wide(graph, star.room());
        let count = wide.steps.iter().max().map_or(0, |&step| u64::from(step) + 1);
        let place = |&(s, r): &(u32, u32)| if star.gathers { r } else { s };
        let numbers = wide.steps.iter().zip(&wide.places).map(|(&step, at)| step * star.size + place(at));
        (Self { star, count, found: Lookup::new(graph, numbers) }, cost)
    }
}

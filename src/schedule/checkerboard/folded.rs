//! One dimension folded onto a few messages ([`Fold`]), each of which goes with every message of the other dimensions: what is left
//! is listed and scheduled as it is. Steps of several forests may then hold messages of the same cost, which the product of
//! forests ([`Stars`](super::Stars)) cannot have.

mod fold;

use super::super::certificate::Certificate;
use super::super::effort::Effort;
use super::super::graph::{Bounds, Edge, Graph};
use super::super::levels;
use super::super::lookup::Lookup;
use super::super::traffic::Traffic;
use super::super::without;
use super::star::{Dim, Star};
use super::tensor;
use fold::{Fold, Part};

/// A port has one message in a step.
const ONE: levels::Room = (1, 1);
/// Messages that are left, at the most, for each one that may be listed: they are coloured once, some at a time.
const LEFT: u64 = 4;
/// Ports of a side of what is left, at the most.
const PORTS: u64 = 1 << 17;

/// The schedule.
#[derive(Clone, Debug)]
pub struct Folded {
    /// The dimension that is folded, and what its messages become.
    dim: usize,
    labels: Lookup,
    /// The numbers of the messages of the other dimensions, and how many there are.
    others: Vec<(Lookup, usize)>,
    /// By message of all others, and label.
    steps: Vec<u32>,
    kinds: usize,
    count: u64,
}

/// A dimension to fold, the stars, and the steps that they take.
struct Way {
    dim: usize,
    star: Star,
    steps: u64,
}

impl Folded {
    /// The fewest steps that this takes, with figures in elements, if they are no more than `steps` and what is left can be looked
    /// at one by one while a program waits.
    pub fn new(traffic: &Traffic, steps: u64) -> Option<(Self, Certificate)> {
        if without::is_out("folding") {
            return None;
        }
        let dims = Dim::all(traffic).filter(|dims| dims.len() > 1)?;
        let most = (LEFT * traffic.effort().list).min(Effort::MOST.list);
        let ways = ways(&dims, most);
        let least = ways.iter().map(|way| way.steps).min().filter(|&least| least <= steps)?;
        let folded = |way: &Way| {
            let fold = Fold::new(dims[way.dim].graph, way.star);
            let others = together(&dims, way.dim);
            let parts = fold.groups.iter().map(|group| fold.times(group, &others)).collect();
            (way.dim, fold, parts)
        };
        let bound = |(_, _, parts): &(usize, Fold, Vec<Part>)| {
            parts.iter().map(|(_, graph)| graph.bounds((1, 1)).cost).fold(0, u64::saturating_add)
        };
        let fewest = ways.iter().filter(|way| way.steps == least).map(folded);
        let (dim, fold, parts) = fewest.min_by_key(bound)?;
        Some(Self::of(&dims, dim, &fold, &parts))
    }

    /// The schedule of that fold, whose groups become these parts, and its figures.
    fn of(dims: &[Dim], dim: usize, fold: &Fold, parts: &[Part]) -> (Self, Certificate) {
        let kinds = fold.longest.len();
        let lookup = |other: &Dim| (Lookup::new(other.graph, 0..), other.graph.edges().len());
        let others: Vec<(Lookup, usize)> = others(dims, dim).map(lookup).collect();
        let messages = others.iter().map(|(_, count)| count).product::<usize>();
        let (mut steps, mut count, mut cost) = (vec![0; messages * kinds], 0, 0u64);
        for (labels, graph) in parts {
            let (found, longest) = levels::wide(graph, ONE);
            for (messages, own) in steps.chunks_exact_mut(kinds).zip(found.steps.chunks_exact(labels.len())) {
                for (&label, &step) in labels.iter().zip(own) {
                    messages[label as usize] = count + step;
                }
            }
            count += found.steps.iter().max().map_or(0, |&last| last + 1);
            cost = cost.saturating_add(longest);
        }
        let labels = Lookup::new(dims[dim].graph, fold.labels.iter().copied());
        let all = Self { dim, labels, others, steps, kinds, count: count.into() };
        let bounds = Bounds { steps: 0, cost: 0, load: 0 };
        let certificate = Certificate { steps: all.count, cost, bounds, messages: 0, exact: false };
        (all, certificate)
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.count
    }

    /// The step of the message between the processes at `from` and `to`; `None` if there is none.
    pub fn step(&self, from: &[u32], to: &[u32]) -> Option<u64> {
        let mut others = self.others.iter();
        let (mut label, mut message) = (0, 0);
        // Grids may have further dimensions, of one process each.
        for (dim, (&p, &q)) in from.iter().zip(to).enumerate().take(1 + self.others.len()) {
            if dim == self.dim {
                label = self.labels.get(p, q)? as usize;
            } else {
                let (found, count) = others.next()?;
                message = message * count + found.get(p, q)? as usize;
            }
        }
        self.steps.get(message * self.kinds + label).map(|&step| step.into())
    }
}

/// The ways to fold a dimension that leave no more than so many messages, and few ports.
fn ways(dims: &[Dim], most: u64) -> Vec<Way> {
    let mut all = Vec::new();
    for (dim, own) in dims.iter().enumerate() {
        let product = |of: fn(&Dim) -> u64| others(dims, dim).map(of).fold(1, u64::saturating_mul);
        let messages = product(|other| other.graph.edges().len() as u64);
        let (send, receive) = (product(|other| other.most.0), product(|other| other.most.1));
        let ports = product(|other| other.graph.senders().max(other.graph.receivers()).into());
        for size in 1..=Star::largest(own.most) {
            let star = Star::around(own.most, size);
            let (forests, (s, r)) = (star.forests(own.most), star.room());
            let left = messages.saturating_mul(forests).saturating_mul(size.into());
            if (1..=most).contains(&left) && ports.saturating_mul(size.into()) <= PORTS {
                // In each forest, a sender has as many messages as it has room for, and so has a receiver.
                let turn = send.saturating_mul(s.into()).max(receive.saturating_mul(r.into()));
                all.push(Way { dim, star, steps: forests.saturating_mul(turn) });
            }
        }
    }
    all
}

/// All dimensions but one.
fn others<'a, 'b>(dims: &'b [Dim<'a>], dim: usize) -> impl Iterator<Item = &'b Dim<'a>> {
    dims.iter().enumerate().filter(move |&(other, _)| other != dim).map(|(_, other)| other)
}

/// Their messages together, in row-major order.
fn together(dims: &[Dim], dim: usize) -> Graph {
    let one = Graph::new(1, 1, vec![Edge { sender: 0, receiver: 0, bytes: 1 }]);
    others(dims, dim).fold(one, |all, other| tensor(&all, other.graph))
}

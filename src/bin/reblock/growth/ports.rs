//! Enumerates messages port by port, without a list of all messages: the destinations of each sender, or the sources
//! of each receiver. The partners of a port are the product of its partners in each dimension.

use crate::redistribution::period;
use reblock_plan::layout::distribution::{Grid, place};
use reblock_plan::schedule::classes::Classes;
use reblock_plan::schedule::dimension::Dimension;
use reblock_plan::schedule::traffic::Traffic;
use std::collections::HashMap;
use std::rc::Rc;

/// In one dimension: a process coordinate of the other side, and the number of indices shared with it.
type Partner = (u32, u64);

pub struct Ports<'a> {
    traffic: &'a Traffic,
    sending: bool,
    /// The partners, by dimension (from the second on) and process coordinate.
    inner: Vec<Vec<Vec<Partner>>>,
    /// The first dimension; its partners are found on demand.
    first: View<'a>,
}

pub struct Port<'a> {
    /// Place of the port in its grid.
    pub mine: &'a [u32],
    /// Places of the partners in the other grid, concatenated.
    others: &'a [u32],
    elements: &'a [u64],
}

impl<'a> Port<'a> {
    /// Returns each partner's place and number of elements.
    pub fn messages(&self) -> impl Iterator<Item = (&'a [u32], u64)> {
        self.others.chunks_exact(self.mine.len()).zip(self.elements.iter().copied())
    }
}

impl<'a> Ports<'a> {
    /// Returns the senders of `traffic` if `sending`, otherwise its receivers.
    pub fn new(traffic: &'a Traffic, sending: bool) -> Self {
        let view = |dim: &'a Rc<Dimension>| View::new(dim, sending);
        let all = |dim: &'a Rc<Dimension>| {
            let (view, procs) = (view(dim), if sending { dim.senders() } else { dim.receivers() });
            (0..procs).map(|coord| view.partners(coord)).collect()
        };
        let inner = traffic.dims.iter().skip(1).map(all).collect();
        Self { traffic, sending, inner, first: view(&traffic.dims[0]) }
    }

    /// Calls `look` for each port, with its messages. Data that stays on a rank is no message.
    pub fn each(&self, mut look: impl FnMut(&Port<'_>)) {
        let grid: &Grid = if self.sending { &self.traffic.from } else { &self.traffic.to };
        let mut first = (u32::MAX, Vec::new());
        for mine in grid.places() {
            if mine[0] != first.0 {
                first = (mine[0], self.first.partners(mine[0]));
            }
            let (mut others, mut elements) = (vec![], vec![1]);
            let inner = self.inner.iter().zip(&mine[1..]).map(|(lists, &coord)| &lists[coord as usize]);
            for (d, partners) in std::iter::once(&first.1).chain(inner).enumerate() {
                (others, elements) = product(d, &others, &elements, partners);
            }
            self.remove_self_copy(&mine, &mut others, &mut elements);
            look(&Port { mine: &mine, others: &others, elements: &elements });
        }
    }

    /// Removes the message between `mine` and the port of the other side on the same rank. Both grids number their
    /// ranks in row-major order, so the ranks follow from the first rank of each.
    fn remove_self_copy(&self, mine: &[u32], others: &mut Vec<u32>, elements: &mut Vec<u64>) {
        let (from, to) = (&self.traffic.from, &self.traffic.to);
        let (near, far) = if self.sending { (from, to) } else { (to, from) };
        let first = |grid: &Grid| u64::from(grid.rank(&vec![0; mine.len()]).0);
        let number = (first(near) + Traffic::port(near, mine)).checked_sub(first(far));
        let Some(number) = number.filter(|&number| number < far.size()) else { return };
        let home = place(far.extents(), number);
        if let Some(k) = others.chunks_exact(mine.len()).position(|other| other == home) {
            others.drain(k * mine.len()..(k + 1) * mine.len());
            elements.remove(k);
        }
    }
}

/// Extends each place in `others` (`d` coordinates each) by each of the `partners` in the next dimension, and
/// multiplies the numbers of `elements`.
fn product(d: usize, others: &[u32], elements: &[u64], partners: &[Partner]) -> (Vec<u32>, Vec<u64>) {
    let count = elements.len() * partners.len();
    let (mut places, mut shared) = (Vec::with_capacity(count * (d + 1)), Vec::with_capacity(count));
    for (k, &n) in elements.iter().enumerate() {
        for &(coord, more) in partners {
            places.extend_from_slice(&others[k * d..(k + 1) * d]);
            places.push(coord);
            shared.push(n * more);
        }
    }
    (places, shared)
}

pub struct View<'a> {
    dim: &'a Dimension,
    sending: bool,
    /// Classes of messages, if the section consists of whole periods; only then are their lengths exact.
    classes: Option<&'a Classes>,
    /// Partners of each process, if every process of both sides has at most one block.
    single_blocks: Option<HashMap<u32, Vec<Partner>>>,
}

impl<'a> View<'a> {
    /// Creates the view of the senders in `dim` if `sending`, otherwise of the receivers.
    pub fn new(dim: &'a Dimension, sending: bool) -> Self {
        let whole = period(&dim.overlap).is_some_and(|period| u128::from(dim.overlap.len) % period == 0);
        let single_blocks = dim.overlap.single_block_messages().map(|messages| {
            let mut partners: HashMap<u32, Vec<Partner>> = HashMap::new();
            for (p, q, elements) in messages {
                let (mine, other) = if sending { (p, q) } else { (q, p) };
                partners.entry(mine).or_default().push((other, elements));
            }
            partners
        });
        Self { dim, sending, classes: dim.classes().filter(|_| whole), single_blocks }
    }

    pub fn partners(&self, coord: u32) -> Vec<Partner> {
        if let Some(partners) = &self.single_blocks {
            return partners.get(&coord).cloned().unwrap_or_default();
        }
        let dim = &self.dim.overlap;
        let list = if self.sending { dim.destinations(coord) } else { dim.sources(coord) };
        let elements = |other: u32| {
            let (p, q) = if self.sending { (coord, other) } else { (other, coord) };
            let member = self.classes.and_then(|classes| Some((classes, classes.member(p, q)?)));
            match member {
                Some((classes, member)) => classes.small().edges()[member.edge].bytes,
                None => dim.shared(p, q).total(),
            }
        };
        list.into_iter().map(|other| (other, elements(other))).collect()
    }
}

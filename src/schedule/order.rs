//! The step of a message, asked one by one: so a rank can have its own row or column of a schedule in time and memory
//! proportional to its own messages.

use super::checkerboard::{Stars, Together};
use super::dimension::LineOrder;
use super::lookup::Lookup;
use super::split::Part;
use super::traffic::Traffic;
use crate::layout::{Grid, number};
use std::collections::HashMap;

/// The steps of all messages of a traffic.
#[derive(Clone, Debug)]
pub enum Order {
    /// The steps of the dimensions, each combined with each.
    Product(Vec<LineOrder>),
    /// All dimensions scheduled as one.
    Together(Together),
    /// Dimensions dealt into forests of stars.
    Stars(Stars),
    /// Those of an order for one copy of the destination, once for each of so many copies of either side: each copy of the
    /// destination reads another one of the source in each of them.
    Copies(Box<Order>, u64),
    /// One by one: by (sender's port, receiver's port).
    Listed(Lookup, u64),
    /// Port p to port q in step (q - p) mod n, or (p + q) mod n: the two pairings of the caterpillar.
    Caterpillar {
        /// The larger number of ports of the two sides.
        ports: u64,
        /// Whether ports are added, as in ScaLAPACK.
        sum: bool,
    },
    /// All at once.
    AtOnce,
    /// Messages in parts: by (sender's port, receiver's port).
    Split(HashMap<(u32, u32), Vec<Part>>, u64),
}

impl Order {
    /// The number of steps that there may be; some may carry no message.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Product(lines) => lines.iter().map(LineOrder::steps).product(),
            Self::Together(together) => together.steps(),
            Self::Stars(stars) => stars.steps(),
            Self::Copies(one, copies) => one.steps() * copies,
            Self::Listed(_, steps) | Self::Split(_, steps) => *steps,
            Self::Caterpillar { ports, .. } => *ports,
            Self::AtOnce => 1,
        }
    }

    /// The step in which the message from the process at `from` to the one at `to` begins; `None` if there is none.
    pub fn step(&self, traffic: &Traffic, from: &[u32], to: &[u32]) -> Option<u64> {
        let ports = || (Traffic::port(&traffic.from, from), Traffic::port(&traffic.to, to));
        let small = |(s, r): (u64, u64)| Some((u32::try_from(s).ok()?, u32::try_from(r).ok()?));
        match self {
            Self::Product(lines) => {
                let mut step = 0;
                for ((line, &p), &q) in lines.iter().zip(from).zip(to) {
                    step = step * line.steps() + line.step(p, q)?;
                }
                Some(step)
            }
            Self::Copies(one, copies) => {
                let dims = traffic.lines.len();
                let copy = |grid: &Grid, at: &[u32]| number(&grid.extents()[dims..], &at[dims..]);
                let (s, t) = (copy(&traffic.from, from), copy(&traffic.to, to));
                Some(one.step(traffic, from, to)? * copies + (t + copies - s % copies) % copies)
            }
            Self::Together(together) => together.step(traffic, from, to),
            Self::Stars(stars) => stars.step(from, to),
            Self::Listed(steps, _) => {
                let (p, q) = small(ports())?;
                steps.get(p, q).map(u64::from)
            }
            Self::Caterpillar { ports: n, sum } => {
                let (p, q) = ports();
                Some(if *sum { (p + q) % n } else { (q + n - p % n) % n })
            }
            Self::AtOnce => Some(0),
            Self::Split(..) => self.parts(traffic, from, to).first().map(|part| part.step.into()),
        }
    }

    /// The parts of a message that is cut; none if this order cuts no messages.
    pub fn parts(&self, traffic: &Traffic, from: &[u32], to: &[u32]) -> &[Part] {
        let Self::Split(parts, _) = self else { return &[] };
        let port = |grid, at| u32::try_from(Traffic::port(grid, at)).unwrap_or(u32::MAX);
        parts.get(&(port(&traffic.from, from), port(&traffic.to, to))).map_or(&[], Vec::as_slice)
    }
}

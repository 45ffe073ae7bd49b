//! Grids of two and more dimensions (Sudarsan and Ribbens 2007): the schedules of the dimensions combined.
//!
//! If message p1 -> q1 goes in step s1 of the rows' schedule and p2 -> q2 in step s2 of the columns', let (p1, p2) -> (q1, q2)
//! go in step s1 n2 + s2: a port that is once in each step of either is once in each step of both, growing and
//! shrinking. The cost is the product of the costs. The steps are fewest if the same side, senders or receivers, is
//! busiest in all dimensions; else (growing rows while shrinking columns, say) all dimensions are scheduled as one
//! ([`Together`]), or dealt into stars ([`Stars`]).

mod stars;
mod together;

pub use stars::Stars;
pub use together::Together;

use super::certificate::Certificate;
use super::dimension::{Line, LineOrder};
use super::effort::Effort;
use super::figures::Figures;
use super::graph::{Bounds, Graph};
use super::order::Order;
use super::traffic::Traffic;

/// How many times as many messages of a dimension as of one by itself are listed where that pays.
const PRODUCT: u64 = 4;

/// Fewest steps, then least cost, of what combines; `None` where a rank reads the nearest of several copies.
pub fn order(traffic: &Traffic) -> Option<(Order, Certificate)> {
    let (apart, certificate) = apart_only(traffic)?;
    if certificate.fewest_steps() || traffic.copies() != (1, 1) {
        return Some((apart, certificate));
    }
    let mut best = (apart, certificate.clone());
    let take = |best: &mut (Order, Certificate), order: Order, told: &Certificate| {
        let figures =
            counted(traffic, &order).unwrap_or_else(|| bounded(traffic, &order, told, &certificate));
        if (figures.steps, figures.cost) < (best.1.steps, best.1.cost) {
            *best = (order, figures);
        }
    };
    if let Some((together, told)) = Together::by_classes(traffic, best.1.steps) {
        take(&mut best, Order::Together(together), &told);
    }
    if !best.1.fewest_steps() {
        if let Some((stars, told)) = Stars::new(traffic, best.1.steps) {
            take(&mut best, Order::Stars(stars), &told);
        }
    }
    if !best.1.fewest_steps() {
        if let Some((together, told)) = Together::listed(traffic, best.1.steps) {
            take(&mut best, Order::Together(together), &told);
        }
    }
    Some(best)
}

/// The product of the dimensions' own schedules. Copies of the destination are one more dimension, in which one process
/// sends to all; of several copies of the source each rank reads the nearest, which is no product.
pub fn apart_only(traffic: &Traffic) -> Option<(Order, Certificate)> {
    product(traffic, traffic.lines.iter().map(|line| line.order().clone()).collect())
}

/// The figures of [`apart_only`] where messages are not counted one by one.
pub fn estimated(traffic: &Traffic) -> Option<Certificate> {
    let (1, copies) = traffic.copies() else { return None };
    let of = |line: &Line| Figures::of(line, line.order());
    let mut all: Vec<Figures> = traffic.lines.iter().map(of).collect();
    all.push(Figures::copies(copies));
    Some(apart(traffic, &all))
}

/// The product of these schedules of the dimensions.
pub fn product(traffic: &Traffic, lines: Vec<LineOrder>) -> Option<(Order, Certificate)> {
    let (1, copies) = traffic.copies() else { return None };
    let mut all: Vec<Figures> =
        traffic.lines.iter().zip(&lines).map(|(line, order)| Figures::of(line, order)).collect();
    all.push(Figures::copies(copies));
    let one = Order::Product(lines);
    let order = if copies > 1 { Order::Copies(Box::new(one), copies) } else { one };
    let certificate = counted(traffic, &order).unwrap_or_else(|| apart(traffic, &all));
    Some((order, certificate))
}

/// The figures of the messages as they are, where there are few.
fn counted(traffic: &Traffic, order: &Order) -> Option<Certificate> {
    (traffic.messages() <= traffic.effort().search).then(|| Certificate::of(traffic, order))?
}

/// The figures of the product: products of the figures, with what ranks keep for themselves.
fn apart(traffic: &Traffic, all: &[Figures]) -> Certificate {
    let product = |of: fn(&Figures) -> u64| all.iter().map(of).fold(1, u64::saturating_mul);
    let load = product(|f| f.send.elements).max(product(|f| f.receive.elements));
    // A dimension that stays on one process changes nothing but lengths.
    let alone = all.iter().filter(|f| f.steps > 1).count() <= 1;
    let bytes = |elements: u64| traffic.element.saturating_mul(elements);
    let bounds = Bounds {
        steps: product(|f| f.send.messages).max(product(|f| f.receive.messages)),
        cost: bytes(if alone { product(|f| f.cost_bound) } else { load }),
        load: bytes(load),
    };
    Certificate {
        steps: product(|f| f.steps),
        cost: bytes(product(|f| f.cost)),
        bounds: if traffic.is_whole() { bounds } else { of_a_part(traffic) },
        messages: traffic.messages(),
        exact: traffic.is_whole() && all.iter().all(|f| f.exact),
        kept: traffic.keeps(),
    }
}

/// What no schedule can do without where a part of the section moves, and messages are too many to count.
fn of_a_part(traffic: &Traffic) -> Bounds {
    let load = traffic.share();
    Bounds { steps: 1, cost: load, load }
}

/// The figures of `order` from what it has `told`, in elements; `apart` has the bounds.
fn bounded(traffic: &Traffic, order: &Order, told: &Certificate, apart: &Certificate) -> Certificate {
    let bytes = |elements: u64| traffic.element.saturating_mul(elements);
    let Bounds { steps, cost, load } = told.bounds;
    let bounds = Bounds { steps, cost: bytes(cost), load: bytes(load) };
    let exact = traffic.is_whole() && matches!(order, Order::Together(together) if together.is_exact());
    Certificate {
        steps: told.steps,
        cost: bytes(told.cost),
        bounds: if exact { bounds } else { apart.bounds },
        messages: traffic.messages(),
        exact,
        kept: traffic.keeps(),
    }
}

/// The messages of a dimension, if they are few enough to be ordered while a program waits; more of them where redistributions last so
/// long that even the product of all dimensions pays.
fn short(line: &Line) -> Option<&Graph> {
    let list = line.effort().list;
    let most = if list == Effort::MOST.list { PRODUCT * list } else { list };
    let graph = line.quick().or_else(|| (line.about() <= most).then(|| line.graph())?);
    graph.filter(|graph| graph.edges().len() as u64 <= most)
}

#[cfg(test)]
pub mod table_2;
#[cfg(test)]
pub(super) mod tests;

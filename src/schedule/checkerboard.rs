//! Grids of two and more dimensions (Sudarsan and Ribbens 2007): the schedules of the dimensions combined.
//!
//! If message p1 -> q1 goes in step s1 of the rows' schedule and p2 -> q2 in step s2 of the columns', let (p1, p2) -> (q1, q2)
//! go in step s1 n2 + s2: a port that is once in each step of either is once in each step of both, growing and
//! shrinking. The cost is the product of the costs. The steps are fewest if the same side, senders or receivers, is
//! busiest in all dimensions; else (growing rows while shrinking columns, say) the classes of all dimensions are
//! scheduled together: a product of class structures is one again. Where a section has no whole period, dimensions are dealt
//! into stars ([`Stars`]), or one is blown up by the others ([`Blown`]).

mod blown;
mod stars;

pub use blown::Blown;
pub use stars::Stars;

use super::certificate::Certificate;
use super::classes::{ClassOrder, Classes};
use super::dimension::{Line, LineOrder};
use super::effort::Effort;
use super::figures::Figures;
use super::graph::{Bounds, Edge, Graph};
use super::order::Order;
use super::traffic::Traffic;
use super::without;

/// Edges of the product of the small graphs, at the most.
const TOGETHER: usize = 1 << 12;
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
    if let Some((classes, order)) = together(traffic) {
        let told = order.certificate.clone();
        take(&mut best, Order::Together(classes, order), &told);
    }
    if !best.1.fewest_steps() {
        if let Some((stars, told)) = Stars::new(traffic, best.1.steps) {
            take(&mut best, Order::Stars(stars), &told);
        }
    }
    if !best.1.fewest_steps() {
        if let Some((blown, told)) = Blown::new(traffic, best.1.steps) {
            take(&mut best, Order::Blown(blown), &told);
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
    }
}

/// What no schedule can do without where a part of the section moves, and messages are too many to count.
fn of_a_part(traffic: &Traffic) -> Bounds {
    let load = traffic.share();
    Bounds { steps: 1, cost: load, load }
}

/// The figures of `order` from what it has `told`, in elements; `apart` has the bounds.
fn bounded(traffic: &Traffic, order: &Order, told: &Certificate, apart: &Certificate) -> Certificate {
    let whole = || traffic.lines.iter().all(|line| line.classes().is_some_and(|classes| classes.periods().1));
    let bytes = |elements: u64| traffic.element.saturating_mul(elements);
    let Bounds { steps, cost, load } = told.bounds;
    let bounds = Bounds { steps, cost: bytes(cost), load: bytes(load) };
    let exact = matches!(order, Order::Together(..)) && traffic.is_whole() && whole();
    Certificate {
        steps: told.steps,
        cost: bytes(told.cost),
        bounds: if exact { bounds } else { apart.bounds },
        messages: traffic.messages(),
        exact,
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

/// Schedules of all dimensions' classes together, of which none has both no more steps and a lower cost; none where a dimension
/// has no whole periods, and where that takes long.
pub fn front(traffic: &Traffic) -> Vec<(Order, Certificate)> {
    let whole = |line: &Line| line.classes().is_some_and(|classes| classes.periods().1);
    if traffic.copies() != (1, 1) || !traffic.is_whole() || !traffic.lines.iter().all(whole) {
        return Vec::new();
    }
    let Some((classes, small, copies)) = product_of_classes(traffic) else { return Vec::new() };
    let order = |order: ClassOrder| {
        let told = order.certificate.clone();
        let order = Order::Together(classes.clone(), order);
        let certificate = counted(traffic, &order).unwrap_or_else(|| bounded(traffic, &order, &told, &told));
        (order, certificate)
    };
    ClassOrder::front(&small, copies).into_iter().map(order).collect()
}

/// The product of all dimensions' class structures, scheduled as one.
fn together(traffic: &Traffic) -> Option<(Vec<Classes>, ClassOrder)> {
    if without::is_out("classes together") {
        return None;
    }
    let (classes, small, copies) = product_of_classes(traffic)?;
    let order = ClassOrder::new(&small, copies)?;
    Some((classes, order))
}

/// The class structures of all dimensions, their product, and what its edges stand for.
fn product_of_classes(traffic: &Traffic) -> Option<(Vec<Classes>, Graph, (u64, u64))> {
    let classes: Option<Vec<Classes>> = traffic.lines.iter().map(|line| line.classes().cloned()).collect();
    let classes = classes?;
    let (small, copies) = product_of(&classes)?;
    Some((classes, small, copies))
}

/// The product of class structures, and what its edges stand for, if it is small.
fn product_of(classes: &[Classes]) -> Option<(Graph, (u64, u64))> {
    let edges = classes.iter().try_fold(1usize, |n, c| n.checked_mul(c.small().edges().len()))?;
    if edges > TOGETHER {
        return None;
    }
    let mut small = Graph::new(1, 1, vec![Edge { sender: 0, receiver: 0, bytes: 1 }]);
    let mut copies = (1, 1);
    for c in classes {
        small = tensor(&small, c.small());
        copies = (copies.0 * c.blow_up().0, copies.1 * c.blow_up().1);
    }
    Some((small, copies))
}

/// Every edge of `a` with every edge of `b`, in row-major order.
fn tensor(a: &Graph, b: &Graph) -> Graph {
    let pair = |x: &Edge, y: &Edge| Edge {
        sender: x.sender * b.senders() + y.sender,
        receiver: x.receiver * b.receivers() + y.receiver,
        bytes: x.bytes * y.bytes,
    };
    let edges = a.edges().iter().flat_map(|x| b.edges().iter().map(move |y| pair(x, y))).collect();
    Graph::new(a.senders() * b.senders(), a.receivers() * b.receivers(), edges)
}

#[cfg(test)]
pub mod table_2;
#[cfg(test)]
pub(super) mod tests;

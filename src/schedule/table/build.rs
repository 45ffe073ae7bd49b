//! HOW does a rival come to its schedule, or why does it not?

use super::super::certificate::Certificate;
use super::super::dimension::{LISTED, Line, LineOrder};
use super::super::graph::{Bounds, Edge, Graph};
use super::super::machine::Machine;
use super::super::matching::{self, Strategy};
use super::super::order::Order;
use super::super::traffic::{Listed, Traffic};
use super::super::{caterpillar, checkerboard, circulant, clock, delays, multiphase, split};
use super::{Course, Schedule};
use crate::layout::{Axis, Dist};
use std::borrow::Cow;

/// Ports up to which heaviest matchings are found.
const MATCHED: u64 = 256;

/// How much longer a schedule of cut messages must be taken to last than the model says: parts fit no buffers, and a
/// window of steps already lets ports go on that would wait. So it wins where traffic is very uneven only.
const CUTTING: f64 = 1.25;

type Built = Result<Schedule, String>;

/// A schedule in one phase. `steps` has those of all messages of the list, where they are known.
fn direct(
    t: &Traffic,
    m: &Machine,
    name: &'static str,
    (order, certificate): (Order, Certificate),
    steps: Option<&[u32]>,
) -> Schedule {
    let (price, simulated) = price(t, m, (&order, &certificate), steps);
    Schedule { name, course: Course::Direct(order), certificate: Some(certificate), price, simulated }
}

/// What `order` takes: by the time at which the last port is done, where messages contend for ports and can be listed quickly;
/// else by its figures. And whether it is the former.
fn price(
    t: &Traffic,
    m: &Machine,
    (order, certificate): (&Order, &Certificate),
    steps: Option<&[u32]>,
) -> (f64, bool) {
    let done = || {
        let graph = &t.listed()?.graph;
        let steps = match steps {
            Some(steps) => Cow::Borrowed(steps),
            None => Cow::Owned(Certificate::steps(t, order)?),
        };
        Some(delays::expected(graph, &steps, m, None))
    };
    let done = clock::suits(t.messages(), t.effort(), m).then(done).flatten();
    let linear = || (m.scheduled(certificate), false);
    done.map_or_else(linear, |seconds| (m.overlapped(certificate, seconds), true))
}

/// What `schedule` takes, whatever it was priced by.
#[cfg(feature = "bench")]
pub fn repriced(t: &Traffic, m: &Machine, schedule: &Schedule) -> f64 {
    match &schedule.course {
        Course::Direct(Order::Split(..)) => preemptive(t, m).map_or(f64::INFINITY, |split| split.price),
        Course::Direct(order) => {
            let certificate = schedule.certificate.as_ref();
            certificate.map_or(f64::INFINITY, |c| price(t, m, (order, c), None).0)
        }
        Course::Chain(phases) => phases
            .iter()
            .map(|phase| price(&phase.traffic, m, (&phase.order, &phase.certificate), None).0)
            .sum(),
    }
}

/// The one dimension of several steps in the order `of` it, the others in their own.
fn alone(
    t: &Traffic,
    m: &Machine,
    name: &'static str,
    of: impl Fn(&Line) -> Result<LineOrder, String>,
) -> Built {
    let stays = |line: &Line| {
        // More messages than ports on either side are soon seen; an order takes long to find.
        let ports = line.senders().max(line.receivers()) as usize;
        let more = line.quick().is_some_and(|graph| graph.edges().len() > ports);
        !more && line.order().steps() <= 1
    };
    let moving = t.lines.iter().filter(|line| !stays(line)).count();
    if moving > 1 {
        return Err(format!("for one dimension, {moving} change"));
    }
    let order = |line: &Line| if stays(line) { Ok(line.order().clone()) } else { of(line) };
    let orders = t.lines.iter().map(order).collect::<Result<_, _>>()?;
    let product = checkerboard::product(t, orders).ok_or_else(several_copies)?;
    Ok(direct(t, m, name, product, None))
}

fn several_copies() -> String {
    "for arrays of which there are no copies before".into()
}

/// What keeps a dimension from the closed forms of blocks that go round; and their sizes if nothing does.
fn blocks(line: &Line) -> Result<(u64, u64), String> {
    let block = |axis: &Axis| match (axis.round_robin(), &axis.dist) {
        (Some(dealt), _) => Ok(dealt.block),
        (None, Dist::Cyclic(_)) => Err("for dimensions whose elements do not lie in strides".to_string()),
        (None, Dist::GenBlock(_)) => Err("for block-cyclic dimensions, this is GEN_BLOCK".to_string()),
        (None, Dist::Indirect(_)) => Err("for block-cyclic dimensions, this is INDIRECT".to_string()),
    };
    let (r, s) = (block(&line.dim.from)?, block(&line.dim.to)?);
    Ok(circulant::sides(&line.dim).map_or((r, s), |(from, to)| (from.block, to.block)))
}

pub fn circulant(t: &Traffic, m: &Machine) -> Built {
    alone(t, m, "circulant", |line| {
        let (r, s) = blocks(line)?;
        line.circulant().ok_or_else(|| match r.max(s) % r.min(s) {
            0 => "blocks are not aligned".into(),
            _ => format!("neither of {r} and {s} divides the other"),
        })
    })
}

pub fn classes(t: &Traffic, m: &Machine) -> Built {
    alone(t, m, "classes", |line| {
        blocks(line)?;
        line.by_classes().cloned().ok_or_else(|| "there are too many classes of messages".into())
    })
}

pub fn combined(t: &Traffic, m: &Machine) -> Built {
    let product = checkerboard::order(t).ok_or_else(several_copies)?;
    Ok(direct(t, m, "checkerboard", product, None))
}

fn too_many() -> String {
    format!("lists messages, of which there may be more than {LISTED}")
}

/// The messages one by one, or why not.
fn list(t: &Traffic) -> Result<&Listed, String> {
    t.listed().ok_or_else(|| {
        let unknown = |line: &Line| line.graph().is_none();
        if t.messages() > LISTED {
            too_many()
        } else if t.lines.iter().any(|line| unknown(line) && !line.dim.is_partial()) {
            "it takes long to count what pairs of processes share".into()
        } else if t.lines.iter().any(unknown) {
            "no process knows the owners of all indices, and thereby all messages".into()
        } else {
            "it takes long to count what a trapezoid moves".into()
        }
    })
}

pub fn listed(t: &Traffic, m: &Machine, name: &'static str, colour: impl Fn(&Graph) -> Vec<u32>) -> Built {
    let list = list(t)?;
    let steps = colour(&list.graph);
    let found = (by_message(list, &steps), Certificate::count(&list.graph, &steps));
    Ok(direct(t, m, name, found, Some(&steps)))
}

pub fn matched(t: &Traffic, m: &Machine, name: &'static str, strategy: Strategy) -> Built {
    if t.ports() > MATCHED {
        return Err(format!("looks at {MATCHED} ports at most"));
    }
    listed(t, m, name, |graph| matching::colour(graph, strategy))
}

fn by_message(list: &Listed, steps: &[u32]) -> Order {
    let count = steps.iter().max().map_or(0, |&step| u64::from(step) + 1);
    Order::Listed(list.lookup(steps.iter().copied()), count)
}

pub fn preemptive(t: &Traffic, m: &Machine) -> Built {
    let list = list(t)?;
    let (parts, costs) = split::parts(&list.graph);
    let mut by_edge: Vec<Vec<split::Part>> = vec![Vec::new(); list.graph.edges().len()];
    for part in &parts {
        by_edge[part.edge as usize].push(*part);
    }
    let bounds = list.graph.bounds((1, 1));
    let certificate = Certificate {
        steps: costs.len() as u64,
        cost: costs.iter().sum(),
        // Where messages are cut, only bytes count.
        bounds: Bounds { cost: bounds.load, ..bounds },
        messages: parts.len() as u64,
        exact: true,
        kept: false,
    };
    let ends = list.graph.edges().iter().map(|e| (e.sender, e.receiver));
    let order = Order::Split(ends.zip(by_edge).collect(), certificate.steps);
    let simulated = clock::suits(parts.len() as u64, t.effort(), m);
    let price = if simulated {
        let edge = |part: &split::Part| Edge { bytes: part.bytes, ..list.graph.edges()[part.edge as usize] };
        let cut = Graph::new(list.graph.senders(), list.graph.receivers(), parts.iter().map(edge).collect());
        let steps: Vec<u32> = parts.iter().map(|part| part.step).collect();
        m.overlapped(&certificate, delays::expected(&cut, &steps, m, Some(list.messages())))
    } else {
        CUTTING * m.scheduled(&certificate)
    };
    let course = Course::Direct(order);
    Ok(Schedule { name: "split", course, certificate: Some(certificate), price, simulated })
}

pub fn chained(t: &Traffic, m: &Machine) -> Built {
    let phases = multiphase::chain(t, m)?;
    let certificate = multiphase::certificate(&phases);
    let of = |phase: &multiphase::Phase| price(&phase.traffic, m, (&phase.order, &phase.certificate), None);
    let prices: Vec<(f64, bool)> = phases.iter().map(of).collect();
    let (price, simulated) = (prices.iter().map(|of| of.0).sum(), prices.iter().all(|of| of.1));
    let course = Course::Chain(phases);
    Ok(Schedule { name: "multiphase", course, certificate: Some(certificate), price, simulated })
}

pub fn at_once(t: &Traffic, m: &Machine) -> Built {
    let graph = &list(t)?.graph;
    let bounds = graph.bounds((1, 1));
    let certificate = Certificate {
        steps: u64::from(!graph.edges().is_empty()),
        cost: bounds.load,
        bounds: Bounds { cost: bounds.load, ..bounds },
        messages: graph.edges().len() as u64,
        exact: true,
        kept: false,
    };
    let price = m.at_once(&certificate);
    let course = Course::Direct(Order::AtOnce);
    Ok(Schedule { name: "unscheduled", course, certificate: Some(certificate), price, simulated: false })
}

pub fn walk(t: &Traffic, m: &Machine, name: &'static str, sum: bool) -> Schedule {
    let order = caterpillar::order(t, sum);
    match t.listed() {
        Some(list) => {
            let steps = caterpillar::steps(list, t.ports(), sum);
            direct(t, m, name, (order, Certificate::count(&list.graph, &steps)), Some(&steps))
        }
        None => {
            let (course, price) = (Course::Direct(order), f64::INFINITY);
            Schedule { name, course, certificate: None, price, simulated: false }
        }
    }
}

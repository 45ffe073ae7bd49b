//! Messages between the nodes of a hypothetical job: their numbers, the prices of the ways to send them, and the way
//! that the library takes.

mod counts;
mod text;
mod ways;

pub use text::text;

use crate::arguments::{Explain, PlacementRule};
use crate::columns::{count, grouped};
use crate::redistribution::Redistribution;
use counts::{NodeCounts, busiest};
use reblock::system::settings::{Medium, Settings};
use reblock_plan::budget::{Budget, DEFAULT_EARLY_BYTES, MAX_LED, MAX_NODES, is_exchange_worthwhile};
use reblock_plan::layout::distribution::{Nodes, Rank};
use reblock_plan::machine::{Machine, Proximity};
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::cost_model::How;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::limits::MAX_LISTED;
use reblock_plan::schedule::nodes::{NodePort, Placement, PlacementOrder, Prices, Tally, prices};
use reblock_plan::schedule::traffic::Traffic;
use serde::Serialize;
use ways::{WayFigures, Ways};

#[derive(Clone, Debug)]
pub struct NodesAsked {
    placement: Placement,
    rule: PlacementRule,
    port: NodePort,
    exchange: Exchange,
    /// Maximum bytes of a message that counts as early.
    early: u64,
    medium: Medium,
}

/// Whether the library has an exchange between these nodes.
#[derive(Clone, Debug)]
enum Exchange {
    Yes,
    No(String),
}

/// Messages between nodes, and the ways to send them.
#[derive(Serialize, Debug)]
pub struct NodeFigures {
    pub nodes: u32,
    pub ranks_per_node: u32,
    /// `slot` or `node`.
    pub placement: &'static str,
    /// Maximum bytes of a message that counts as early.
    pub early_limit_bytes: u64,
    /// Time that a node's port takes for a message in addition to the time for its bytes.
    pub port_start_up_us: f64,
    /// For each figure, the largest of a node; null if there are too many messages to count.
    pub busiest: Option<NodeCounts>,
    /// For each figure, the sum over all nodes.
    pub all: Option<NodeCounts>,
    pub ways: Option<Ways>,
    /// The library's way: `alone`, `together`, `both` by size, `phases`, or `memory` if no data leaves its node. Null
    /// if messages cannot be counted, or if the settings exclude all ways.
    pub taken: Option<&'static str>,
    /// The reason, as a sentence.
    pub why: String,
}

impl NodesAsked {
    /// Returns the nodes that `arguments` describe, with up to `per_node` ranks each.
    pub fn new(arguments: &Explain, per_node: u32, subject: &Redistribution, settings: &Settings) -> Self {
        let end = |layout: &crate::layout::Layout| u64::from(layout.at()) + layout.ranks();
        let ranks = u32::try_from(end(&subject.from).max(end(&subject.to))).unwrap_or(u32::MAX);
        let rule = arguments.placement;
        let order = match rule {
            PlacementRule::Slot => PlacementOrder::BySlot,
            PlacementRule::Node => PlacementOrder::ByNode,
        };
        let placement = Placement::new(ranks.max(1), per_node, order);
        let (exchange, early) = exchange(&placement, settings);
        let port = NodePort { start_up: arguments.port_start_up.0 * 1e-6 };
        Self { placement, rule, port, exchange, early, medium: settings.medium }
    }

    /// Returns the placement that the library assumes: one node, or several nodes with this limit of early messages.
    pub fn proximity(&self) -> Proximity {
        match &self.exchange {
            _ if self.is_one_node() => Proximity::OneNode,
            Exchange::Yes => Proximity::Nodes { early: self.early },
            Exchange::No(_) => Proximity::Nodes { early: 0 },
        }
    }

    /// Returns the node of each rank. Above [`MAX_LISTED`] ranks, for which messages are not listed either, returns
    /// unknown nodes.
    pub fn of_ranks(&self) -> Nodes {
        let ranks = 0..self.placement.ranks();
        if u64::from(ranks.end) > MAX_LISTED {
            return Nodes::default();
        }
        Nodes::new(&ranks.map(|rank| self.placement.node(Rank(rank))).collect::<Vec<_>>())
    }

    fn is_one_node(&self) -> bool {
        self.placement.nodes() == 1 && self.medium != Medium::Mpi
    }

    /// Returns the figures of `traffic`, for which the chooser takes `schedule`.
    pub fn figures(&self, traffic: &Traffic, schedule: &Schedule, machine: &Machine) -> NodeFigures {
        let tally = Tally::new(traffic, self.placement, self.early);
        let (taken, why) = self.taken((traffic, tally.as_ref()), schedule, machine);
        let ways = tally.as_ref().filter(|_| self.placement.nodes() > 1);
        NodeFigures {
            nodes: self.placement.nodes(),
            ranks_per_node: self.placement.most(),
            placement: match self.rule {
                PlacementRule::Slot => "slot",
                PlacementRule::Node => "node",
            },
            early_limit_bytes: self.early,
            port_start_up_us: self.port.start_up * 1e6,
            busiest: tally.as_ref().map(busiest),
            all: tally.as_ref().map(|tally| NodeCounts::from(&tally.total())),
            ways: ways.map(|tally| self.ways(tally, schedule, machine)),
            taken,
            why,
        }
    }

    fn ways(&self, tally: &Tally, schedule: &Schedule, machine: &Machine) -> Ways {
        let Prices { alone, together } = prices(tally, machine, &self.port);
        let phases = match &schedule.course {
            Course::Direct(_) => None,
            Course::Chain(phases) => phases.iter().try_fold(WayFigures::default(), |sum, phase| {
                let tally = Tally::new(&phase.traffic, self.placement, self.early)?;
                Some(sum.then(&prices(&tally, machine, &self.port).alone.into()))
            }),
        };
        Ways { alone: alone.into(), together: together.into(), phases }
    }

    fn taken(
        &self,
        (traffic, tally): (&Traffic, Option<&Tally>),
        schedule: &Schedule,
        machine: &Machine,
    ) -> (Option<&'static str>, String) {
        if self.is_one_node() {
            return (Some("memory"), "all ranks are on one node and share its memory".into());
        }
        if self.medium == Medium::Shm {
            return (None, "REBLOCK_TRANSPORT is shm, an error on several nodes".into());
        }
        let limit = grouped(self.early);
        let name = schedule.scheduler.name;
        match (&self.exchange, schedule.scheduler.how) {
            (Exchange::No(why), How::Phases) => {
                return (
                    Some("phases"),
                    format!("{name} takes several phases, with each message alone: {why}"),
                );
            }
            (Exchange::Yes, How::Phases) => {
                let why = format!(
                    "{name} takes several phases; in the first one, messages of arrays of at most {limit} bytes travel together"
                );
                return (Some("phases"), why);
            }
            (Exchange::No(why), _) => return (Some("alone"), why.clone()),
            (Exchange::Yes, How::Cut) => {
                return (Some("alone"), format!("{name} cuts messages, and their parts are not early"));
            }
            (Exchange::Yes, How::Whole | How::AtOnce) => (),
        }
        // Calls of the array interface decide for each message whether it is early; a ScaLAPACK routine decides once
        // for all its messages.
        let rest = match traffic.is_early(machine) {
            true => "",
            false => "; in ScaLAPACK's routines each message travels alone",
        };
        let Some(total) = tally.map(Tally::total) else {
            return (
                None,
                format!("messages of at most {limit} bytes travel together, the others alone{rest}"),
            );
        };
        let sent = &total.sent;
        match (sent.early.between.messages, sent.long.between.messages) {
            (0, 0) => (Some("memory"), "no data moves between nodes".into()),
            (_, 0) => {
                (Some("together"), format!("no message between nodes has more than {limit} bytes{rest}"))
            }
            (0, _) => (Some("alone"), format!("all messages between nodes have more than {limit} bytes")),
            (early, long) => {
                let why = format!(
                    "{} of at most {limit} bytes travel together, {} alone{rest}",
                    count(early, "message"),
                    grouped(long)
                );
                (Some("both"), why)
            }
        }
    }
}

/// Returns whether the library has an exchange between the nodes, and the maximum bytes of an early message: the
/// library's limit or, without an exchange, the limit if memory sufficed for the exchange.
fn exchange(placement: &Placement, settings: &Settings) -> (Exchange, u64) {
    let (ranks, nodes) = (u64::from(placement.ranks()), u64::from(placement.nodes()));
    let wanted = settings.early.filter(|&early| early > 0).unwrap_or(DEFAULT_EARLY_BYTES);
    let no = |why: String| (Exchange::No(why), wanted);
    if settings.medium != Medium::Best {
        return no("REBLOCK_TRANSPORT is mpi".into());
    }
    if settings.early == Some(0) {
        return no("REBLOCK_EARLY is 0".into());
    }
    if nodes > MAX_NODES {
        return no(format!("messages travel together on up to {MAX_NODES} nodes only"));
    }
    if nodes > 1 && !is_exchange_worthwhile(nodes, placement.fewest().into()) {
        return no(format!("a rank would send more than {MAX_LED} messages for its node"));
    }
    let limit = Budget::early_limits(settings.buffer, settings.early, ranks).next().unwrap_or(0);
    let pairs = u64::from(placement.most()).pow(2);
    match Budget::early_in_region(limit as u64, pairs) {
        0 => no(format!("buffers have no room for early messages of {} to each other", count(ranks, "rank"))),
        limit => (Exchange::Yes, limit),
    }
}

//! Messages between the nodes of a hypothetical job: their numbers, the prices of two ways to send them, and the way
//! that the library takes.

use super::MachineFigures;
use super::text::rounded;
use crate::arguments::{Explain, PlacementRule};
use crate::columns::Side::{Left, Right};
use crate::columns::{bytes, count, grouped, microseconds, table};
use crate::redistribution::Redistribution;
use reblock::system::settings::{Medium, Settings};
use reblock_plan::budget::{Budget, MAX_LED, MAX_NODES, is_exchange_worthwhile};
use reblock_plan::layout::distribution::{Nodes, Rank};
use reblock_plan::machine::{Machine, Proximity};
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::cost_model::How;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::limits::MAX_LISTED;
use reblock_plan::schedule::nodes::{
    Flow, NodePort, NodeTally, Placement, PlacementOrder, Price, Prices, Tally, prices,
};
use reblock_plan::schedule::traffic::Traffic;
use serde::Serialize;

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

/// Messages between nodes, and the two ways to send them.
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

#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct NodeCounts {
    /// Messages that ranks send to other nodes.
    pub leave: FlowCounts,
    /// Messages that ranks receive from other nodes.
    pub enter: FlowCounts,
    /// Messages between ranks of a node.
    pub within: u64,
    pub within_bytes: u64,
    pub kept_bytes: u64,
}

#[derive(Serialize, PartialEq, Eq, Default, Debug)]
pub struct FlowCounts {
    pub messages: u64,
    pub bytes: u64,
    pub early: u64,
    pub early_bytes: u64,
    /// Number of other nodes at the other end of a message.
    pub nodes: u64,
    /// Number of other nodes at the other end of an early message.
    pub early_nodes: u64,
}

#[derive(Serialize, Debug)]
pub struct Ways {
    /// Each message travels alone, in one phase.
    pub alone: WayFigures,
    /// One message for each pair of nodes with early messages; the others travel alone.
    pub together: WayFigures,
    /// Each message of each phase travels alone, if the chosen schedule has several phases; null otherwise.
    pub phases: Option<WayFigures>,
}

#[derive(Serialize, Default, Debug)]
pub struct WayFigures {
    pub busiest: u64,
    pub messages: u64,
    pub price_us: f64,
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
    let wanted = settings.early.filter(|&early| early > 0);
    let wanted = wanted.unwrap_or_else(|| Budget::preferred_early((ranks, nodes)));
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
    let limit = Budget::early_limits(settings.buffer, settings.early, (ranks, nodes)).next().unwrap_or(0);
    let pairs = u64::from(placement.most()).pow(2);
    match Budget::early_in_region(limit as u64, pairs) {
        0 => no(format!("buffers have no room for early messages of {} to each other", count(ranks, "rank"))),
        limit => (Exchange::Yes, limit),
    }
}

/// Returns, for each figure, its maximum over the nodes.
fn busiest(tally: &Tally) -> NodeCounts {
    let most = |of: &dyn Fn(&NodeCounts) -> u64| {
        tally.nodes.iter().map(|node| of(&NodeCounts::from(node))).max().unwrap_or(0)
    };
    let flow = |of: &dyn Fn(&NodeCounts) -> &FlowCounts| FlowCounts {
        messages: most(&|node| of(node).messages),
        bytes: most(&|node| of(node).bytes),
        early: most(&|node| of(node).early),
        early_bytes: most(&|node| of(node).early_bytes),
        nodes: most(&|node| of(node).nodes),
        early_nodes: most(&|node| of(node).early_nodes),
    };
    NodeCounts {
        leave: flow(&|node| &node.leave),
        enter: flow(&|node| &node.enter),
        within: most(&|node| node.within),
        within_bytes: most(&|node| node.within_bytes),
        kept_bytes: most(&|node| node.kept_bytes),
    }
}

impl From<&NodeTally> for NodeCounts {
    fn from(node: &NodeTally) -> Self {
        Self {
            leave: FlowCounts::from(&node.sent),
            enter: FlowCounts::from(&node.received),
            within: node.within.messages,
            within_bytes: node.within.bytes,
            kept_bytes: node.kept,
        }
    }
}

impl From<&Flow> for FlowCounts {
    fn from(flow: &Flow) -> Self {
        let (all, early) = (flow.all.between, flow.early.between);
        Self {
            messages: all.messages,
            bytes: all.bytes,
            early: early.messages,
            early_bytes: early.bytes,
            nodes: flow.nodes,
            early_nodes: flow.early_nodes,
        }
    }
}

impl WayFigures {
    /// Returns the figures of two redistributions that follow each other.
    fn then(&self, next: &Self) -> Self {
        Self {
            busiest: self.busiest + next.busiest,
            messages: self.messages + next.messages,
            price_us: self.price_us + next.price_us,
        }
    }
}

impl From<Price> for WayFigures {
    fn from(price: Price) -> Self {
        Self { busiest: price.busiest, messages: price.messages, price_us: price.seconds * 1e6 }
    }
}

/// Returns the figures as text, with tables for a terminal.
pub fn text(figures: &NodeFigures, machine: &MachineFigures) -> String {
    let placed = match figures.placement {
        "slot" => "consecutive ranks on one node",
        _ => "consecutive ranks on consecutive nodes",
    };
    let mut text = format!(
        "\n{} of up to {}, {placed}\n",
        count(figures.nodes.into(), "node"),
        count(figures.ranks_per_node.into(), "rank")
    );
    match (&figures.busiest, &figures.all) {
        (Some(busiest), Some(all)) => text += &counts(figures, busiest, all),
        _ => text += "  not counted: there are too many messages or nodes, or an array has copies\n",
    }
    if let Some(ways) = &figures.ways {
        text += &format!(
            "\nWays between nodes ({} µs per start-up, {} µs of a port; {} GB/s a port, packing {} GB/s)\n",
            rounded(machine.start_up_us),
            figures.port_start_up_us,
            rounded(machine.bandwidth_gb_per_s),
            rounded(machine.copy_gb_per_s)
        );
        let row = |name: &str, way: &WayFigures, what: &str| {
            vec![
                name.into(),
                grouped(way.busiest),
                grouped(way.messages),
                microseconds(way.price_us),
                what.into(),
            ]
        };
        let head = ["", "of a node", "of all nodes", "µs", ""].map(String::from).to_vec();
        let rows = [
            head,
            row("alone", &ways.alone, "each message by itself"),
            row(
                "together",
                &ways.together,
                "early messages in one for each pair of nodes, the others by themselves",
            ),
        ];
        let phases =
            ways.phases.as_ref().map(|way| row("phases", way, "each message of the chosen phases by itself"));
        let rows: Vec<_> = rows.into_iter().chain(phases).collect();
        text += &table(&[Left, Right, Right, Right, Left], &rows);
    }
    let taken = figures.taken.unwrap_or("by size");
    text + &format!("\nThe library's way today: {taken}\n  {}\n", figures.why)
}

fn counts(figures: &NodeFigures, busiest: &NodeCounts, all: &NodeCounts) -> String {
    let head = ["", "leave", "enter", "of all nodes", ""].map(String::from).to_vec();
    let row = |name: &str, of: &dyn Fn(&FlowCounts) -> u64, what: String| {
        vec![
            name.into(),
            grouped(of(&busiest.leave)),
            grouped(of(&busiest.enter)),
            grouped(of(&all.leave)),
            what,
        ]
    };
    let early = format!("at most {}", bytes(figures.early_limit_bytes));
    let own = |name: &str, most: u64, all: u64, what: &str| {
        vec![name.into(), grouped(most), String::new(), grouped(all), what.into()]
    };
    let rows = [
        head,
        row("messages", &|flow| flow.messages, "most of a node, to or from other nodes".into()),
        row("  early", &|flow| flow.early, early),
        row("bytes", &|flow| flow.bytes, String::new()),
        row("  early", &|flow| flow.early_bytes, String::new()),
        row("other nodes", &|flow| flow.nodes, "with messages; of all nodes: pairs".into()),
        row("  early", &|flow| flow.early_nodes, "with early messages".into()),
        own("within", busiest.within, all.within, "messages between ranks of a node"),
        own("  bytes", busiest.within_bytes, all.within_bytes, ""),
        own("kept", busiest.kept_bytes, all.kept_bytes, "bytes that ranks keep"),
    ];
    table(&[Left, Right, Right, Right, Left], &rows)
}

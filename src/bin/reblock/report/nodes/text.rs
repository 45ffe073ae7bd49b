//! The figures of nodes as text, with tables for a terminal.

use super::super::MachineFigures;
use super::super::text::rounded;
use super::counts::{FlowCounts, NodeCounts};
use super::{NodeFigures, WayFigures};
use crate::columns::Side::{Left, Right};
use crate::columns::{bytes, count, grouped, microseconds, table};

/// Returns the figures as text.
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

//! The report as text, with tables for a terminal.

use super::{BoundFigures, Messages, Point, Report, SchedulerFigures};
use crate::columns::Side::{Left, Right};
use crate::columns::{bytes, count, grouped, microseconds, table};
use reblock_plan::schedule::cost_model::How;
use std::fmt::Write;

pub fn text(report: &Report) -> String {
    let shape: Vec<String> = report.shape.iter().map(|&n| grouped(n)).collect();
    let mut text = format!(
        "{} elements of {}, {}\n",
        shape.join(" x "),
        count(report.element_bytes, "byte"),
        bytes(report.array_bytes)
    );
    let side = |name: &str, side: &super::LayoutSide| {
        let last = u64::from(side.first_rank) + side.ranks - 1;
        let copies =
            if side.copies > 1 { format!(", {} copies", grouped(side.copies)) } else { String::new() };
        vec![name.into(), side.layout.clone(), format!("ranks {} to {last}{copies}", side.first_rank)]
    };
    text += &table(&[Left, Left, Left], &[side("from", &report.from), side("to", &report.to)]);
    text += "\nMessages\n";
    text += &messages(&report.messages);
    text += &report.bounds.as_ref().map_or(String::new(), bounds);
    let m = &report.machine;
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "\nSchedulers, cheapest first ({} µs per start-up, {} GB/s, packing {} GB/s, {} in flight)",
        rounded(m.start_up_us),
        rounded(m.bandwidth_gb_per_s),
        rounded(m.copy_gb_per_s),
        count(m.window.into(), "step")
    );
    text += &schedulers(report);
    text += &front_table(report);
    let c = &report.choice;
    let price = c.price_us.map_or(String::new(), |price| format!(", {} µs", microseconds(price)));
    let _ = writeln!(text, "\nTaken: {}{price}\n  {}", c.scheduler, c.why);
    text += &report.nodes.as_ref().map_or(String::new(), |nodes| super::nodes::text(nodes, m));
    text
}

pub fn rounded(n: f64) -> String {
    let text = format!("{n:.2}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

fn bounds(bounds: &BoundFigures) -> String {
    let row = |name: &str, value, what: &str| vec![name.into(), grouped(value), what.into()];
    let rows = [
        row("steps", bounds.steps, "messages of the busiest port"),
        row("cost", bounds.cost_bytes, "bytes; the cost of a step is its longest message"),
        row("cost if cut", bounds.load_bytes, "bytes of the busiest port"),
    ];
    String::from("\nNo schedule has less\n") + &table(&[Left, Right, Left], &rows)
}

fn messages(m: &Messages) -> String {
    let row = |name: &str, value: String, more: String| vec![name.to_string(), value, more];
    let mut rows = vec![row("ranks", grouped(m.ranks), String::new())];
    if let (Some(senders), Some(receivers)) = (m.senders, m.receivers) {
        rows[0][2] = format!("{} send, {} receive", grouped(senders), grouped(receivers));
    }
    let what = match m.local_copies {
        Some(copies) => format!("besides {}", local(copies)),
        None => "counted in closed form, with what ranks keep".into(),
    };
    rows.push(row("messages", grouped(m.messages), what));
    for (name, range) in [("of a sender", m.sends), ("of a receiver", m.receives)] {
        if let Some((least, most)) = range {
            let least = if least == most { "each".into() } else { format!("at most, {least} at least") };
            rows.push(row(name, most.to_string(), least));
        }
    }
    for (name, value) in [
        ("bytes moved", m.bytes_moved),
        ("bytes kept", m.bytes_kept),
        ("longest message", m.longest_bytes),
        ("shortest message", m.shortest_bytes),
    ] {
        if let Some(value) = value {
            rows.push(row(name, grouped(value), if value < 1024 { String::new() } else { bytes(value) }));
        }
    }
    table(&[Left, Right, Left], &rows)
}

fn local(copies: u64) -> String {
    if copies == 1 { "1 local copy".into() } else { format!("{} local copies", grouped(copies)) }
}

fn schedulers(report: &Report) -> String {
    let head = ["", "", "steps", "at least", "cost, bytes", "at least", "µs", ""];
    let mut rows = vec![head.map(String::from).to_vec()];
    let mut order: Vec<&SchedulerFigures> =
        report.schedulers.iter().filter(|scheduler| scheduler.figures.is_some()).collect();
    let price = |scheduler: &SchedulerFigures| {
        scheduler.figures.as_ref().and_then(|f| f.price_us).unwrap_or(f64::INFINITY)
    };
    order.sort_by(|a, b| price(a).total_cmp(&price(b)));
    for scheduler in order {
        let Some(f) = &scheduler.figures else { continue };
        let taken = scheduler.name == report.choice.scheduler;
        rows.push(vec![
            if taken { "*" } else { "" }.into(),
            scheduler.name.into(),
            grouped(f.steps),
            f.steps_at_least.map_or("-".into(), grouped),
            grouped(f.cost_bytes),
            f.cost_at_least_bytes.map_or("-".into(), grouped),
            f.price_us.map_or("-".into(), microseconds),
            verdict(report, scheduler),
        ]);
    }
    let mut text = table(&[Left, Left, Right, Right, Right, Right, Right, Left], &rows);
    let misfits: Vec<Vec<String>> = report
        .schedulers
        .iter()
        .filter_map(|scheduler| Some(vec![scheduler.name.into(), scheduler.why_not.clone()?]))
        .collect();
    if !misfits.is_empty() {
        text += "\nWithout figures\n";
        text += &table(&[Left, Left], &misfits);
    }
    text
}

/// Returns the table of the front; an empty text if more steps save nothing.
fn front_table(report: &Report) -> String {
    if report.front.len() < 2 {
        return String::new();
    }
    let mut rows = vec![["steps", "cost, bytes", "µs", ""].map(String::from).to_vec()];
    rows.extend(report.front.iter().map(|point| {
        let Point { scheduler, steps, cost_bytes, price_us } = point;
        vec![grouped(*steps), grouped(*cost_bytes), microseconds(*price_us), (*scheduler).into()]
    }));
    String::from("\nSteps against cost\n") + &table(&[Right, Right, Right, Left], &rows)
}

/// Returns the proven properties of a scheduler's schedule, and remarks on its figures.
fn verdict(report: &Report, scheduler: &SchedulerFigures) -> String {
    let Some(f) = &scheduler.figures else { return String::new() };
    let mut remarks = vec![
        match (f.fewest_steps, f.least_cost) {
            (true, true) => "optimal: fewest steps, least cost",
            (true, false) => "fewest steps",
            (false, true) => "least cost",
            (false, false) if !scheduler.matchings && f.through.is_empty() => "ports contend",
            (false, false) => "",
        }
        .to_string(),
    ];
    if scheduler.how == How::Cut {
        remarks = vec![format!("cut into {}", count(f.messages, "part"))];
    }
    if !f.through.is_empty() {
        remarks = vec![format!("through {}", f.through[..f.through.len() - 1].join(", "))];
    } else if !f.exact {
        remarks.push("steps and cost at most; local copies count".into());
    }
    if !scheduler.asked_by_chooser && scheduler.name != report.choice.scheduler {
        remarks.push("by name only".into());
    }
    remarks.retain(|remark| !remark.is_empty());
    remarks.join("; ")
}

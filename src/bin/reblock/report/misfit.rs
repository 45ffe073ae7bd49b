//! WHY does a rival not apply? The conditions of `reblock::schedule::table`, in the order in which it asks them, as
//! sentences. It never decides anything: only a rival that has refused is asked about.

use crate::columns::{bytes, grouped};
use crate::redistribution::period;
use reblock::layout::Dist;
use reblock::schedule::dimension::{LISTED, Line, LineOrder};
use reblock::schedule::machine::Machine;
use reblock::schedule::multiphase;
use reblock::schedule::traffic::Traffic;

/// Why the rival called `name` does not apply to `traffic`.
pub fn misfit(name: &str, traffic: &Traffic, machine: &Machine) -> String {
    match name {
        "circulant" | "classes" => one_dimension(name, traffic),
        "gen_block" => along_the_line(traffic),
        "checkerboard" => no_structure(),
        "multiphase" => chain(traffic, machine),
        "stepwise" | "greedy" if traffic.listed().is_some() => "looks at 256 ports at the most".into(),
        _ => not_listed(traffic),
    }
}

fn not_listed(traffic: &Traffic) -> String {
    let most = grouped(LISTED);
    if traffic.messages() > LISTED {
        format!("lists messages, which are more than {most}")
    } else {
        format!("lists messages; a dimension has more than {most} pairs of processes to look at")
    }
}

fn no_structure() -> String {
    format!("a dimension has no structure and more than {} pairs of processes", grouped(LISTED))
}

fn one_dimension(name: &str, traffic: &Traffic) -> String {
    if traffic.lines.iter().any(|line| line.order().is_none()) {
        return no_structure();
    }
    let moving = || traffic.lines.iter().filter(|line| line.order().is_some_and(|order| order.steps() > 1));
    match (moving().count(), moving().next()) {
        (1, Some(line)) if name == "circulant" => not_circulant(line),
        (1, Some(line)) => not_classes(line),
        (n, _) => format!("for one dimension, {n} change"),
    }
}

/// What keeps a dimension from closed forms of block-cyclic distributions; and their block sizes if nothing does.
fn not_periodic(line: &Line) -> Result<(u64, u64), String> {
    let (Dist::Cyclic(from), Dist::Cyclic(to)) = (&line.dim.from.dist, &line.dim.to.dist) else {
        return Err("for block-cyclic dimensions, this is GEN_BLOCK".into());
    };
    match period(&line.dim) {
        Some(period) if period > u128::from(line.dim.len) => {
            Err(format!("the section is shorter than a period, {period} elements"))
        }
        _ => Ok((from.block(), to.block())),
    }
}

fn not_circulant(line: &Line) -> String {
    match not_periodic(line) {
        Err(why) => why,
        Ok((r, s)) if r.max(s) % r.min(s) != 0 => format!("neither of {r} and {s} divides the other"),
        Ok(_) => "blocks are not aligned, or the section is shorter than a period".into(),
    }
}

fn not_classes(line: &Line) -> String {
    match (line.order(), not_periodic(line)) {
        (Some(LineOrder::Circulant(_)), _) => "circulant does this".into(),
        (_, Err(why)) => why,
        _ => "there are too many classes of messages".into(),
    }
}

fn along_the_line(traffic: &Traffic) -> String {
    let moving = || traffic.lines.iter().filter(|line| line.senders() > 1 || line.receivers() > 1);
    if moving().count() > 1 {
        format!("for one dimension, {} are dealt out", moving().count())
    } else if moving().any(|line| line.dim.along_the_line().is_none()) {
        "a process has more than one block".into()
    } else {
        not_listed(traffic)
    }
}

fn chain(traffic: &Traffic, machine: &Machine) -> String {
    let room = multiphase::room(traffic);
    let cyclic =
        |line: &Line| matches!((&line.dim.from.dist, &line.dim.to.dist), (Dist::Cyclic(_), Dist::Cyclic(_)));
    if traffic.from != traffic.to {
        "the arrays lie on different arrangements".into()
    } else if room > machine.room {
        format!("intermediate arrays of {} a rank, more than {}", bytes(room), bytes(machine.room))
    } else if !traffic.lines.iter().all(|line| line.dim.from == line.dim.to || cyclic(line)) {
        "for block-cyclic dimensions, this is GEN_BLOCK".into()
    } else if stays_whole(traffic) {
        "no other block size is between those of the one dimension that changes".into()
    } else {
        "a single phase is best".into()
    }
}

/// Whether one dimension changes at the most, and its block sizes are no multiples of each other.
fn stays_whole(traffic: &Traffic) -> bool {
    let changing = || traffic.lines.iter().filter(|line| line.dim.from != line.dim.to);
    let multiples = |line: &Line| match (&line.dim.from.dist, &line.dim.to.dist) {
        (Dist::Cyclic(from), Dist::Cyclic(to)) => {
            let (r, s) = (from.block(), to.block());
            r.max(s) % r.min(s) == 0
        }
        _ => false,
    };
    changing().count() <= 1 && !changing().any(multiples)
}

//! The command `reblock`: explains the schedule of a redistribution, runs programs under trial, shows the reports of
//! runs, and checks a machine. Works without MPI.
//!
//! | file | contents |
//! |---|---|
//! | `arguments` | command line, help |
//! | `notation` | layouts as text |
//! | `layout` | one side of a redistribution |
//! | `redistribution` | an array and two layouts, and the traffic between them |
//! | `report` | `reblock explain`: the schedulers on a redistribution, and the choice among them |
//! | `listing` | a schedule message by message |
//! | `growth` | steps, cost and contention by number of ranks |
//! | `drawing` | drawings of redistributions, schedules, growth and times |
//! | `trace` | `reblock report`: reports of runs, as text, JSON or a page |
//! | `launch` | `reblock run`: a program run under trial, and the verdict at its end |
//! | `doctor` | `reblock doctor`: checks of this machine |
//! | `forward` | `reblock forward`: a library for programs that look up ScaLAPACK by a handle |
//! | `generate` | manual pages and completions |
//! | `columns` | numbers and tables as text |
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod arguments;
mod columns;
mod doctor;
mod drawing;
mod forward;
mod generate;
mod growth;
mod launch;
mod layout;
mod listing;
mod notation;
mod redistribution;
mod report;
mod trace;

use arguments::{Arguments, Command, Explain, Read};
use clap::Parser;
use reblock::system::one_line::one_line;
use reblock::system::settings::Settings;
use reblock_plan::machine::{Machine, Proximity};
use redistribution::{Redistribution, target_shape};
use report::NodesAsked;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| {
        // All ranks of a job find the same mistake, so one rank of each node reports it.
        if error.use_stderr() && !launch::is_first_of_node() {
            std::process::exit(error.exit_code());
        }
        error.exit()
    });
    let ended = match arguments.command {
        Command::Explain(arguments) => explain(&arguments),
        Command::Report(arguments) => report(&arguments),
        Command::Doctor(arguments) => doctor::doctor(&arguments).and_then(|text| write(&text)),
        Command::Forward(arguments) => forward::forward(&arguments),
        Command::Run(arguments) => run(&arguments),
        Command::Ended(arguments) => launch::show_report(&arguments),
        Command::Generate(arguments) => generate::generate(&arguments.prefix).map(|()| ExitCode::SUCCESS),
    };
    ended.unwrap_or_else(|message| {
        print_error(&message);
        ExitCode::FAILURE
    })
}

fn print_error(message: &str) {
    let lines: Vec<_> = message.lines().map(one_line).collect();
    eprintln!("reblock: {}", lines.join("\n"));
}

/// Exit status if the command line has a mistake.
const MISTAKE: u8 = 2;
/// Exit status if the results of a run differ.
const DIFFERENT: u8 = 3;

/// Replaces this process by the program. If that fails, one rank of each node prints the reason.
fn run(arguments: &arguments::Run) -> Result<ExitCode, String> {
    if let Some(why) = launch::misplaced_launcher_error(&arguments.command) {
        print_error(&why);
        return Ok(MISTAKE.into());
    }
    let Err(why) = launch::run(arguments);
    if launch::is_first_of_node() {
        print_error(&why);
    }
    Ok(ExitCode::FAILURE)
}

fn explain(arguments: &Explain) -> Result<ExitCode, String> {
    match subject(arguments) {
        Ok(subject) => write(&explained(arguments, &subject)?),
        Err(message) => {
            eprintln!("reblock: {message}");
            Ok(MISTAKE.into())
        }
    }
}

/// Returns the redistribution that the command line describes; an error names the mistake in the command line.
fn subject(arguments: &Explain) -> Result<Redistribution, String> {
    let (shape, element) = (arguments.shape.0.clone(), arguments.element);
    let axes: Vec<usize> = match &arguments.axes {
        None => (0..shape.len()).collect(),
        Some(axes) => {
            let mut sorted = axes.clone();
            sorted.sort_unstable();
            if !sorted.into_iter().eq(1..=shape.len()) {
                return Err(format!("--axes is {axes:?}, expected each of 1 to {} once", shape.len()));
            }
            axes.iter().map(|axis| axis - 1).collect()
        }
    };
    let from = notation::read(&arguments.from, "--from", &shape)?;
    let to = notation::read(&arguments.to, "--to", &target_shape(&shape, &axes))?;
    Ok(Redistribution { shape, element, from, to, axes })
}

/// Returns the explanation as text or JSON, and writes the drawings that were asked for.
fn explained(arguments: &Explain, subject: &Redistribution) -> Result<String, String> {
    let settings = Settings::read(|name| std::env::var(name).ok())?;
    let ranks = subject.from.ranks().max(subject.to.ranks()).max(1);
    let nodes =
        arguments.ranks_per_node.map(|per_node| NodesAsked::new(arguments, per_node, subject, &settings));
    let proximity = match &nodes {
        Some(nodes) => nodes.proximity(),
        None if arguments.node => Proximity::OneNode,
        None => Proximity::Nodes { early: 0 },
    };
    let (machine, _) =
        reblock::plan::rank_plan::machine_and_budget(&settings, subject.bytes() / ranks, proximity);
    if arguments.simulate {
        return simulate(arguments, subject, &machine);
    }
    let wish = match (&arguments.scheduler, &settings.scheduler) {
        (Some(name), _) => Some(report::RequestedScheduler { name, by: "--scheduler" }),
        (None, Some(name)) => Some(report::RequestedScheduler { name, by: "REBLOCK_SCHEDULER" }),
        (None, None) => None,
    };
    let mut traffic = subject.traffic()?.with_budget_for(&machine);
    if let Some(nodes) = &nodes {
        traffic = traffic.on_nodes(nodes.of_ranks());
    }
    let (mut report, schedule) = report::report(subject, &traffic, &machine, wish.as_ref())?;
    report.nodes = nodes.map(|nodes| nodes.figures(&traffic, &schedule, &machine));
    if arguments.schedule {
        let listing = listing::listing(&traffic, &schedule);
        report.schedule = Some(listing.ok_or("--schedule cannot list the messages: there are too many")?);
    }
    if let Some(file) = &arguments.draw {
        drawing::movement(file, &traffic, [&subject.from, &subject.to], &subject.axes, arguments.rank)?;
    }
    if let Some(file) = &arguments.svg {
        drawing::schedule(file, &traffic, &schedule)?;
    }
    if arguments.json { json(&report) } else { Ok(report::text(&report)) }
}

fn simulate(arguments: &Explain, subject: &Redistribution, machine: &Machine) -> Result<String, String> {
    // Show progress, because later stages take seconds.
    let shows = std::io::stderr().is_terminal();
    let begins = |ranks| {
        if shows {
            let (ranks, most) = (columns::grouped(ranks), columns::grouped(arguments.ranks));
            eprint!("\r\x1b[Kreblock: counting {ranks} of at most {most} ranks");
        }
    };
    let growth = growth::growth(subject, machine, arguments.ranks, begins);
    if shows {
        eprint!("\r\x1b[K");
    }
    let growth = growth?;
    if let Some(file) = &arguments.svg {
        drawing::growth(file, &growth)?;
    }
    if arguments.json { json(&growth) } else { Ok(growth::text(&growth)) }
}

fn json(value: &impl serde::Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|error| error.to_string())
}

/// Shows reports. Returns the exit status: [`DIFFERENT`] if results differ.
fn report(arguments: &Read) -> Result<ExitCode, String> {
    let (text, different) = trace::report(arguments)?;
    let written = write(&text)?;
    Ok(if different { DIFFERENT.into() } else { written })
}

/// Writes to standard output. It is no error if the reader has closed the pipe.
fn write(text: &str) -> Result<ExitCode, String> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

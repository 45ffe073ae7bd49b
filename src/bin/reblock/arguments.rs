//! WHAT does the command line ask for? It never knows what layouts mean.

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use reblock::schedule::table::TABLE;
use std::path::PathBuf;

/// Moves distributed arrays from one layout to another: what the library would do, and what it did.
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Explains the messages of a redistribution, what each scheduler makes of them, and which one is taken
    Explain(Explain),
    /// Says what a run with REBLOCK_TRACE or REBLOCK_TRIAL found: as text, as JSON, or as a page for a browser
    Report(Read),
    /// Runs a program under trial: finds the reblock that fits it, preloads it on all ranks, and says what it found
    Run(Run),
    /// Says what a job on this machine would get, and what would slow it down
    Doctor(Examine),
}

/// The arguments of `run`.
#[derive(Args, Debug)]
#[command(after_help = RUN)]
pub struct Run {
    /// The page; its data goes beside it, as .json
    #[arg(short, long, value_name = "FILE.html", default_value = "reblock-report.html")]
    pub output: PathBuf,
    /// What REBLOCK_TRIAL is to be: 1 gives the program ScaLAPACK's results, use gives it reblock's, strict ends it at a
    /// difference, same compares ScaLAPACK with itself, 0 only counts reblock's calls
    #[arg(long, value_name = "MODE", default_value = "1", value_parser = ["0", "1", "use", "strict", "same"])]
    pub trial: String,
    /// The libreblock to preload, instead of the one that fits
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
    /// The word of COMMAND that is the program, where it is not the first one behind the launcher's options; for each program of
    /// several
    #[arg(long, value_name = "WORD")]
    pub program: Vec<String>,
    /// Does not look at what the program links, as where it is on other machines only
    #[arg(long, requires = "library")]
    pub no_inspect: bool,
    /// The command that runs the program, as without reblock
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<String>,
}

/// The arguments of `doctor`.
#[derive(Args, Debug)]
pub struct Examine {
    /// A program, to see what it links
    #[arg(value_name = "PROGRAM")]
    pub program: Option<PathBuf>,
    /// The launcher
    #[arg(long, value_name = "COMMAND", default_value = "mpirun")]
    pub mpirun: String,
    /// Ranks of a node [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub ranks: Option<u64>,
    /// Does not measure what messages and copies cost, which takes some seconds and two cores
    #[arg(long)]
    pub no_calibration: bool,
    /// Writes what was found as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `report`.
#[derive(Args, Debug)]
pub struct Read {
    /// What REBLOCK_TRACE=FILE wrote
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Writes a page that needs no network, besides
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Writes the verdict and the figures of each shape of calls as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of `explain`.
#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub struct Explain {
    /// Elements in each dimension of the array
    #[arg(long, value_name = "N,...", value_delimiter = ',', required = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub shape: Vec<u64>,
    /// Where the array lies
    #[arg(long, value_name = "LAYOUT")]
    pub from: String,
    /// Where it goes
    #[arg(long, value_name = "LAYOUT")]
    pub to: String,
    /// Bytes an element
    #[arg(long, value_name = "BYTES", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..))]
    pub element: u64,
    /// The scheduler to take, instead of the cheapest
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(TABLE.iter().map(|rival| rival.name)))]
    pub scheduler: Option<String>,
    /// The machine is that of ranks within one node, not of ranks on different nodes
    #[arg(long)]
    pub node: bool,
    /// Writes the report as JSON
    #[arg(long)]
    pub json: bool,
    /// Adds the schedule to the JSON, message by message
    #[arg(long, requires = "json", conflicts_with = "simulate")]
    pub schedule: bool,
    /// Draws the schedule, or with --simulate the growth, to a file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Doubles both grids time after time, and counts steps, cost and contention of each scheduler
    #[arg(long, conflicts_with = "scheduler")]
    pub simulate: bool,
    /// Ranks up to which --simulate goes on
    #[arg(long, value_name = "N", default_value_t = 1 << 20, requires = "simulate", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub ranks: u64,
}

const RUN: &str = "\
  reblock run -- mpirun -n 64 ./program arguments

Each call of p?gemr2d and p?trmr2d is made by the program's ScaLAPACK, too; results are compared and times are taken. The status is
that of the command; without a report 0 becomes 1. A program that has ScaLAPACK linked statically cannot be run like this.";

const AFTER: &str = "\
A LAYOUT is written as in HPF, ranks being numbered row by row from the one after AT (0):
  \"(CYCLIC(128), *, GEN_BLOCK(5,0,7)) ONTO P(4,3) AT 16\"
with BLOCK, BLOCK(m), CYCLIC, CYCLIC(k), GEN_BLOCK(a,b,...) and * for dimensions that stay whole; or as ScaLAPACK's numbers:
  \"MB=128 NB=64 NPROW=4 NPCOL=2 RSRC=0 CSRC=0 IA=1 JA=1\"

The machine is described by REBLOCK_NETWORK, REBLOCK_NODE, REBLOCK_COPY and REBLOCK_WINDOW, as for the library.";

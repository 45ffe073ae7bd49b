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

const AFTER: &str = "\
A LAYOUT is written as in HPF, ranks being numbered row by row from the one after AT (0):
  \"(CYCLIC(128), *, GEN_BLOCK(5,0,7)) ONTO P(4,3) AT 16\"
with BLOCK, BLOCK(m), CYCLIC, CYCLIC(k), GEN_BLOCK(a,b,...) and * for dimensions that stay whole; or as ScaLAPACK's numbers:
  \"MB=128 NB=64 NPROW=4 NPCOL=2 RSRC=0 CSRC=0 IA=1 JA=1\"

The machine is described by REBLOCK_NETWORK, REBLOCK_NODE, REBLOCK_COPY and REBLOCK_WINDOW, as for the library.";

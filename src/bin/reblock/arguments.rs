//! The command line: subcommands, options and help. A layout stays a text here; `notation` parses it.

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use reblock_plan::schedule::nodes::NodePort;
use reblock_plan::schedule::table::TABLE;
use std::path::PathBuf;

/// Tries reblock on MPI programs. reblock is a library that moves distributed arrays between layouts in place of
/// ScaLAPACK's routines.
#[derive(Parser, Debug)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Runs an MPI program with the matching libreblock preloaded, compares reblock with the program's ScaLAPACK, and
    /// shows the report
    Run(Run),
    /// Shows the report of `run`. The library starts this subcommand when the program ends
    #[command(hide = true)]
    Ended(Ended),
    /// Shows the report of a run with REBLOCK_TRACE or REBLOCK_TRIAL: as text, as JSON, or as a page for a browser
    Report(Read),
    /// Checks this machine: the MPI and the libraries that a job would load, and problems that would slow the job down
    Doctor(Examine),
    /// Makes a forwarding library, for programs that look up ScaLAPACK's routines by a handle (dlsym, ctypes)
    Forward(Forward),
    /// Explains a redistribution: its messages, the schedule of each scheduler, and the choice among them
    Explain(Explain),
    /// Writes the manual pages and the completions for shells into a prefix, as `make install` does
    #[command(hide = true)]
    Generate(Generate),
}

#[derive(Args, Debug)]
pub struct Generate {
    /// Installation prefix: the files go to DIRECTORY/share
    #[arg(value_name = "DIRECTORY")]
    pub prefix: PathBuf,
}

#[derive(Args, Debug)]
pub struct Ended {
    /// Exit status of the program in rank 0's process
    #[arg(long)]
    pub status: i32,
    /// Identifier of the launch, as in the report
    #[arg(long)]
    pub launch: String,
    /// Set if the program initialized MPI but did not finalize it
    #[arg(long)]
    pub unfinished: bool,
    /// The report that rank 0 wrote
    #[arg(long, value_name = "FILE")]
    pub written: Option<PathBuf>,
    /// The ScaLAPACK that the program has loaded
    #[arg(long, value_name = "FILE")]
    pub scalapack: Option<String>,
}

#[derive(Args, Debug)]
#[command(after_help = RUN)]
pub struct Run {
    /// The page to write. The data of the page goes to a file of the same name that ends in .json. If one of the two
    /// files exists, both names get a number: FILE-1.html
    #[arg(short, long, value_name = "FILE.html", default_value = "reblock-report.html")]
    pub output: PathBuf,
    /// The value of REBLOCK_TRIAL. 1: the program gets ScaLAPACK's results; use: the program gets reblock's results;
    /// strict: the first difference ends the program; same: ScaLAPACK is compared with itself; 0: reblock makes all
    /// calls, and counts them without a comparison
    #[arg(long, value_name = "MODE", default_value = "1", value_parser = ["0", "1", "use", "strict", "same"])]
    pub trial: String,
    /// Library libreblock to preload [default: the one that matches the program's MPI]
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
    /// Skips the check of the program's libraries, for example if its file cannot be read
    #[arg(long, requires = "library")]
    pub no_inspect: bool,
    /// The program and its arguments, as without reblock
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<String>,
}

#[derive(Args, Debug)]
#[command(after_help = DOCTOR)]
pub struct Examine {
    /// Program whose MPI, ScaLAPACK and BLACS are checked [default: the installed ones]
    #[arg(value_name = "PROGRAM")]
    pub program: Option<PathBuf>,
    /// The MPI launcher, with its options
    #[arg(long, value_name = "COMMAND", default_value = "mpirun")]
    pub mpirun: String,
    /// Ranks per node [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub ranks: Option<u64>,
    /// Skips the measurement of message and copy costs, which takes some seconds and two cores
    #[arg(long)]
    pub no_calibration: bool,
    /// Writes the findings as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = FORWARD)]
pub struct Forward {
    /// The program's ScaLAPACK: the paths of its libraries, or names that the loader finds
    #[arg(value_name = "SCALAPACK", required = true)]
    pub scalapack: Vec<String>,
    /// The library to make
    #[arg(short, long, value_name = "FILE.so", default_value = "libreblock_scalapack.so")]
    pub output: PathBuf,
    /// Library libreblock to forward to [default: the one that matches ScaLAPACK's MPI]
    #[arg(long, value_name = "FILE")]
    pub library: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = REPORT)]
pub struct Read {
    /// Files that REBLOCK_TRACE=FILE wrote. Numbered files beside FILE, such as FILE.1, are read, too
    #[arg(value_name = "TRACE", required = true)]
    pub traces: Vec<PathBuf>,
    /// Also writes the report as one HTML file that needs no network
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Writes the verdict and the figures of each shape of calls as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub struct Explain {
    /// Elements in each dimension of the array: 1000,1000 or 1000x1000
    #[arg(long, value_name = "N,...")]
    pub shape: Extents,
    /// The array's present layout
    #[arg(long, value_name = "LAYOUT")]
    pub from: String,
    /// The array's new layout
    #[arg(long, value_name = "LAYOUT")]
    pub to: String,
    /// For each dimension of the source, its dimension in the target: 2,1 transposes a matrix [default: 1,2,...]
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    pub axes: Option<Vec<usize>>,
    /// Bytes per element
    #[arg(long, value_name = "BYTES", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..))]
    pub element: u64,
    /// Scheduler to use [default: the cheapest by the machine's model]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(TABLE.iter().map(|scheduler| scheduler.name)))]
    pub scheduler: Option<String>,
    /// Uses the costs of messages within a node (REBLOCK_NODE) instead of between nodes (REBLOCK_NETWORK)
    #[arg(long)]
    pub node: bool,
    /// Adds the messages between nodes of up to R ranks, with the prices of two ways to send them: each message alone,
    /// or one message for each pair of nodes. The schedule is then the one of a job on these nodes
    #[arg(long, value_name = "R", conflicts_with_all = ["node", "simulate"], value_parser = clap::value_parser!(u32).range(1..))]
    pub ranks_per_node: Option<u32>,
    /// Placement of the ranks: consecutive ranks on one node (slot), or on consecutive nodes, round robin (node)
    #[arg(long, value_name = "RULE", default_value = "slot", requires = "ranks_per_node")]
    pub placement: PlacementRule,
    /// Time that a node's network port takes for a message in addition to the time for its bytes, in µs
    #[arg(long, value_name = "MICROSECONDS", default_value_t = Microseconds(NodePort::TYPICAL.start_up * 1e6), requires = "ranks_per_node")]
    pub port_start_up: Microseconds,
    /// Writes the report as JSON
    #[arg(long)]
    pub json: bool,
    /// Adds the schedule to the JSON, message by message
    #[arg(long, requires = "json", conflicts_with = "simulate")]
    pub schedule: bool,
    /// Writes an SVG drawing of each rank's part of the array before and after, and of the bytes between ranks
    #[arg(long, value_name = "FILE", conflicts_with = "simulate")]
    pub draw: Option<PathBuf>,
    /// The rank that --draw emphasises [default: the rank that sends and receives the most bytes]
    #[arg(long, value_name = "R", requires = "draw")]
    pub rank: Option<u32>,
    /// Writes an SVG drawing of the schedule or, with --simulate, of the growth
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Doubles both grids repeatedly, and counts steps, cost and contention of each scheduler
    #[arg(long, conflicts_with = "scheduler")]
    pub simulate: bool,
    /// Maximum number of ranks for --simulate
    #[arg(long, value_name = "N", default_value_t = 1 << 20, requires = "simulate", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub ranks: u64,
}

/// Order in which a launcher places ranks on nodes.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlacementRule {
    /// Consecutive ranks on one node
    Slot,
    /// Consecutive ranks on consecutive nodes, round robin
    Node,
}

/// A time of at least 0, in microseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Microseconds(pub f64);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Microseconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim().parse().ok().filter(|&n: &f64| (0.0..=1e9).contains(&n));
        number.map(Self).ok_or_else(|| format!("{text:?} is not a number from 0 to 1000000000"))
    }
}

/// Number of elements in each dimension of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extents(pub Vec<u64>);

impl std::str::FromStr for Extents {
    type Err = String;

    /// Reads numbers of at least 1, separated by commas or by the letter x.
    fn from_str(text: &str) -> Result<Self, String> {
        let extent = |part: &str| {
            let number = part.trim().parse().ok().filter(|&n: &u64| n > 0);
            number.ok_or_else(|| {
                format!(
                    "{part:?} is not a number of at least 1, expected for instance 1000,1000 or 1000x1000"
                )
            })
        };
        text.split([',', 'x']).map(extent).collect::<Result<_, _>>().map(Self)
    }
}

/// Each paragraph is one line, because clap wraps lines to the width of the terminal.
const EXAMPLES: &str = "\
Examples:
  mpirun -n 64 reblock run ./program              try it, and see what it would gain
  reblock report reblock-report.json              see the report again
  reblock doctor ./program                        check this machine
  reblock explain --shape 1000,1000 --from \"(BLOCK,*) ONTO P(4)\" --to \"(*,BLOCK) ONTO P(4)\"";

const RUN: &str = "\
Examples:
  mpirun -n 64 reblock run ./program arguments
  srun -n 64 reblock run -o first.html ./program
  mpirun -n 64 reblock run --trial use python3 solve.py

Each call of a routine that reblock has (p?gemr2d, p?trmr2d, p?tran, p?geadd, p?tradd, p?lacpy) is made by reblock and by the \
program's ScaLAPACK; their results and times are compared. When the program exits, rank 0 prints the verdict. Each process has \
the exit status of the program; on rank 0, 0 becomes 1 if no report is written, and 3 if results differ. A program that is \
linked with a static ScaLAPACK cannot be tried.";

const FORWARD: &str = "\
Examples:
  reblock forward libscalapack-openmpi.so.2.2
  reblock forward -o $HOME/lib/libscalapack.so.2 /opt/scalapack/lib/libscalapack.so.2
  reblock forward --library /opt/reblock/lib/libreblock.so $MKLROOT/lib/libmkl_scalapack_lp64.so \\
      $MKLROOT/lib/libmkl_intel_lp64.so $MKLROOT/lib/libmkl_sequential.so \\
      $MKLROOT/lib/libmkl_core.so $MKLROOT/lib/libmkl_blacs_intelmpi_lp64.so

A program that opens ScaLAPACK by dlopen and asks the handle for routines opens the library FILE.so instead. It gets the routines \
that reblock has from reblock, and all others from SCALAPACK. FILE.so has no code; it depends on libreblock first, then on SCALAPACK. A C \
compiler links FILE.so: cc, or the compiler that the variable CC names. If the program opens a fixed name, give FILE.so this name, and put its \
folder in LD_LIBRARY_PATH.";

const REPORT: &str = "\
Examples:
  reblock report reblock-report.json
  reblock report trace.json -o page.html

The exit status is 3 if results differ, 1 if a file is not a report, otherwise 0.";

const DOCTOR: &str = "\
Examples:
  reblock doctor ./program
  reblock doctor --mpirun \"mpirun --allow-run-as-root\" --ranks 64
  reblock doctor --mpirun srun ./program";

const AFTER: &str = "\
Example:
  reblock explain --shape 1000,1000 --from \"(BLOCK,*) ONTO P(4)\" --to \"(*,BLOCK) ONTO P(4)\"

A LAYOUT is written as in HPF. Ranks are numbered row by row, from the number after AT (default 0):
  \"(CYCLIC(128), *, GEN_BLOCK(5,0,7)) ONTO P(4,3) AT 16\"
Formats are BLOCK, BLOCK(m), CYCLIC, CYCLIC(k), GEN_BLOCK(a,b,...), INDIRECT(o1,o2,...), and * for a dimension that is not \
distributed. If the arrangement has more dimensions than are distributed, all processes along the others have copies of the array. \
An array that is aligned with a template is described by HPF's directives, with semicolons between them:
  \"TEMPLATE T(100,50); ALIGN A(i) WITH T(2*i+1,*); DISTRIBUTE T(BLOCK,CYCLIC) ONTO P(2,3) AT 16\"
Or give ScaLAPACK's numbers:
  \"MB=128 NB=64 NPROW=4 NPCOL=2 RSRC=0 CSRC=0 IA=1 JA=1\"

REBLOCK_NETWORK, REBLOCK_NODE, REBLOCK_COPY and REBLOCK_WINDOW describe the machine, as for the library. With --ranks-per-node, \
REBLOCK_EARLY, REBLOCK_BUFFER and REBLOCK_TRANSPORT count, too:
  reblock explain --shape 385,385 --from \"CYCLIC(8),CYCLIC(8) ONTO P(8,8)\" \\
      --to \"CYCLIC(16),CYCLIC(16) ONTO Q(4,16)\" --ranks-per-node 16";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_have_commas_or_crosses() {
        for text in ["100,200", "100x200", "100 x 200", "100, 200"] {
            assert_eq!(text.parse(), Ok(Extents(vec![100, 200])));
        }
        for text in ["", "100,", "0x5", "ten", "1,-1"] {
            assert!(text.parse::<Extents>().unwrap_err().contains("at least 1"), "{text}");
        }
    }
}

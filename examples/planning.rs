//! What does a plan cost? Prints the time to plan one rank's part of a redistribution for matrices from 10^3 to 10^9
//! rows and columns, in blocks of 1 x 1 and 64 x 64. No MPI is needed: planning is pure.
//!
//!     cargo run --release --example planning

use reblock::layout::{Axis, Cyclic, Grid, Rank};
use reblock::overlap::Overlap;
use reblock::plan::{Place, Route};
use reblock::problem::Problem;
use reblock::schedule::machine::Machine;
use std::hint::black_box;
use std::time::Instant;

fn problem(n: u64, block: u64, from: (u32, u32), to: (u32, u32)) -> Problem {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).expect("a valid distribution"), 0);
    let dim = |p, q| Overlap { from: axis(block, p), to: axis(block * 3 / 2 + 1, q), len: n };
    let dims = vec![dim(from.0, to.0), dim(from.1, to.1)];
    Problem::whole(dims, Grid::row_major(&[from.0, from.1]), Grid::row_major(&[to.0, to.1]))
}

fn route(problem: &Problem, me: &Place) -> Route {
    Route::new(problem, me, 8, &Machine::NETWORK, None).expect("there is always a way")
}

fn main() {
    println!(
        "{:>12} {:>6} {:>7} {:>7} {:>9} {:>9}  scheduler",
        "rows", "block", "from", "to", "messages", "plan, us"
    );
    let at = Some(vec![0, 0]);
    for (from, to) in [((2, 3), (3, 2)), ((32, 32), (16, 64))] {
        let me = Place { rank: Rank(0), from: at.clone(), to: at.clone(), ranks: from.0 * from.1 };
        for block in [1, 64] {
            for n in [1_000, 1_000_000, 1_000_000_000] {
                let problem = problem(n, block, from, to);
                let mut times: Vec<f64> = (0..101)
                    .map(|_| {
                        let start = Instant::now();
                        black_box(route(black_box(&problem), &me));
                        start.elapsed().as_secs_f64() * 1e6
                    })
                    .collect();
                times.sort_by(f64::total_cmp);
                let route = route(&problem, &me);
                let messages = route.legs[0].plan.sends.messages.len();
                let grid = |(rows, cols)| format!("{rows}x{cols}");
                println!(
                    "{n:>12} {block:>6} {:>7} {:>7} {messages:>9} {:>9.1}  {}",
                    grid(from),
                    grid(to),
                    times[50],
                    route.scheduler
                );
            }
        }
    }
}

//! Measures the value of each scheduler, and of parts of schedulers: compares the results with and without it. The
//! first table has the rise of the chooser's price without the scheduler or part, on random redistributions of a few
//! processes. The second has the additional steps and the planning time without the scheduler or part, on a thousand to
//! a million processes.
//!
//!     cargo bench --no-default-features --features bench --bench schedule -- regret [SEED]

mod cases;

use cases::random;
use reblock_plan::machine::Machine;
use reblock_plan::schedule::chooser::{Schedule, choose, is_considered, repriced};
use reblock_plan::schedule::table::TABLE;
use reblock_plan::schedule::traffic::Traffic;
use reblock_plan::schedule::without::run_without;
use std::time::Instant;

/// Number of redistributions of a few processes, and of many.
const FEW: u64 = 600;
const MANY: u64 = 600;
/// Networks: start-up in µs, bandwidth in GB/s.
const NETWORKS: [(f64, f64); 3] = [(2.0, 10.0), (50.0, 0.1), (500.0, 0.0012)];
/// A schedule has too many steps if they exceed the minimum by more than this factor.
const STEPS: f64 = 1.25;

/// Parts of schedulers that can be left out.
const PARTS: [&str; 6] =
    ["classes together", "laps of GEN_BLOCK", "laps", "other orders", "delays", "simulation"];
/// Groups of schedulers and parts that are left out together.
const TOGETHER: [&[&str]; 3] =
    [&["circulant", "classes"], &["stars", "complete"], &["split", "other orders"]];
/// Groups of schedulers for rows that leave out all others.
const ONLY: [&[&str]; 2] =
    [&["edge-colouring", "caterpillar", "checkerboard", "ring", "split"], &["caterpillar"]];
/// Schedulers that are used only if a setting names them.
const BY_NAME: [&str; 3] = ["unscheduled", "greedy", "caterpillar-sum"];

/// A row of the tables, with the schedulers or parts that it leaves out.
struct Row {
    name: String,
    out: Vec<&'static str>,
}

fn rows() -> Vec<Row> {
    let asked = || TABLE.iter().map(|scheduler| scheduler.name).filter(|name| !BY_NAME.contains(name));
    let without = |out: &[&'static str]| Row { name: out.join(", "), out: out.to_vec() };
    let only = |names: &[&'static str]| Row {
        name: format!("all but {}", names.join(", ")),
        out: asked().filter(|name| !names.contains(name)).collect(),
    };
    let one = |name: &'static str| Row { name: format!("`{name}`"), out: vec![name] };
    let parts = PARTS.chunks(1).chain(TOGETHER).map(without);
    asked().map(one).chain(parts).chain(ONLY.into_iter().map(only)).collect()
}

/// The results of a row on one network.
#[derive(Clone, Copy, Default)]
struct Dearer {
    /// Sum of all rises of the price, in percent.
    sum: f64,
    /// Number of rises above 1 %.
    dearer: u64,
    /// Largest rise in percent.
    largest: f64,
}

/// Prints the table of prices. Each row has, for each network, the mean rise of the price, the share of rises above 1
/// %, and the largest rise, in percent.
fn prices(seed: u64, rows: &[Row]) {
    let networks = NETWORKS.map(|(start_up, rate)| Machine {
        start_up: start_up * 1e-6,
        byte: 1e-9 / rate,
        ..Machine::NETWORK
    });
    let one = |case: u64| {
        let (problem, element) = random(&mut fastrand::Rng::with_seed(seed << 32 | case), true);
        let mut all = Vec::new();
        for machine in &networks {
            let traffic = || Traffic::of(&problem, element).with_budget_for(machine);
            let full = traffic();
            if !TABLE.iter().any(|scheduler| is_considered(scheduler, &full, machine)) || full.messages() == 0
            {
                all.extend(rows.iter().map(|_| None));
                continue;
            }
            let price = |schedule: Schedule| repriced(&full, machine, schedule);
            let best = price(choose(&full, machine, None).expect("there is always a way"));
            let rise = |row: &Row| {
                let traffic = traffic();
                let schedule = run_without(&row.out, || choose(&traffic, machine, None));
                let price = price(schedule.expect("there is always a way"));
                (best > 0.0 && price.is_finite()).then(|| 100.0 * (price / best - 1.0))
            };
            all.extend(rows.iter().map(rise));
        }
        all
    };
    let mut all = vec![Dearer::default(); rows.len() * networks.len()];
    for (k, rise) in in_threads(FEW, &one).into_iter().flat_map(|of| of.into_iter().enumerate()) {
        let (rise, of) = (rise.unwrap_or(0.0), &mut all[k]);
        *of = Dearer {
            sum: of.sum + rise,
            dearer: of.dearer + u64::from(rise > 1.0),
            largest: of.largest.max(rise),
        };
    }
    println!("| without |{}", NETWORKS.map(|(start_up, rate)| format!(" `{start_up},{rate}` |")).concat());
    println!("|---|{}", "---|".repeat(NETWORKS.len()));
    for (r, row) in rows.iter().enumerate() {
        print!("| {} |", row.name);
        for network in 0..networks.len() {
            let of = all[network * rows.len() + r];
            #[allow(clippy::cast_precision_loss)]
            let (mean, share) = (of.sum / FEW as f64, 100.0 * of.dearer as f64 / FEW as f64);
            print!(" {mean:.2}, {share:.1}, {:.1} |", of.largest);
        }
        println!();
    }
}

/// Figures of a schedule for many processes.
struct Many {
    /// Seconds to find the schedule.
    seconds: f64,
    /// Number of steps; `None` if the only schedule found has as many steps as there are processes.
    steps: Option<u64>,
    /// Lower bound of the steps.
    least: u64,
    /// Ratio of the cost to its lower bound.
    cost: f64,
}

/// Prints the table of many processes: the shares of redistributions with too many steps or a high cost, and the times.
fn plans(seed: u64, rows: &[Row]) {
    let machine = Machine::NETWORK;
    let one = |case: u64| {
        let (problem, element) = random(&mut fastrand::Rng::with_seed(seed << 32 | 1 << 31 | case), false);
        let of = |out: &[&'static str]| {
            let start = Instant::now();
            let traffic = Traffic::of(&problem, element).with_budget_for(&machine);
            let schedule =
                run_without(out, || choose(&traffic, &machine, None)).expect("there is always a way");
            let seconds = start.elapsed().as_secs_f64();
            let c = schedule.certificate;
            let least = c.as_ref().map_or(0, |c| c.bounds.steps);
            #[allow(clippy::cast_precision_loss)]
            let cost = c.as_ref().map_or(f64::NAN, |c| c.cost as f64 / c.bounds.cost.max(1) as f64);
            Many { seconds, steps: c.map(|c| c.steps), least, cost }
        };
        std::iter::once(of(&[])).chain(rows.iter().map(|row| of(&row.out))).collect::<Vec<Many>>()
    };
    let all = in_threads(MANY, &one);
    println!(
        "\n| without | steps over {STEPS} of the fewest known | of the bound | more than with it | most | no closed form | cost over 2 of the bound | mean ms | longest ms |"
    );
    println!("|---|{}", "---|".repeat(8));
    let names = std::iter::once("nothing").chain(rows.iter().map(|row| row.name.as_str()));
    for (r, name) in names.enumerate() {
        let share = |of: &dyn Fn(&Vec<Many>, &Many) -> bool| {
            let count = all.iter().filter(|case| of(case, &case[r])).count();
            #[allow(clippy::cast_precision_loss)]
            let share = 100.0 * count as f64 / all.len() as f64;
            share
        };
        #[allow(clippy::cast_precision_loss)]
        let over =
            |steps: Option<u64>, least: u64| steps.map_or(f64::INFINITY, |s| s as f64 / least.max(1) as f64);
        let fewest = |case: &Vec<Many>| case.iter().filter_map(|of| of.steps).min().unwrap_or(1);
        let too_many = share(&|case, of| over(of.steps, fewest(case)) > STEPS);
        let of_bound = share(&|_, of| over(of.steps, of.least) > STEPS);
        let more = share(&|case, of| over(of.steps, case[0].steps.unwrap_or(u64::MAX)) > STEPS);
        let most = all.iter().map(|case| over(case[r].steps, fewest(case))).fold(0.0, f64::max);
        let none = share(&|_, of| of.steps.is_none());
        let dear = share(&|_, of| of.cost > 2.0);
        #[allow(clippy::cast_precision_loss)]
        let mean = all.iter().map(|case| case[r].seconds).sum::<f64>() * 1e3 / all.len() as f64;
        let longest = all.iter().map(|case| case[r].seconds).fold(0.0, f64::max) * 1e3;
        println!(
            "| {name} | {too_many:.1} | {of_bound:.1} | {more:.1} | {most:.1} | {none:.1} | {dear:.1} | {mean:.2} | {longest:.0} |"
        );
    }
}

/// Returns the results of `of` for all numbers below `count`, in order, computed by one thread for each core.
fn in_threads<T: Send>(count: u64, of: &(impl Fn(u64) -> T + Sync)) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let part =
            |first: u64| scope.spawn(move || (first..count).step_by(threads).map(of).collect::<Vec<T>>());
        let parts: Vec<_> = (0..count).take(threads).map(part).collect();
        let mut parts: Vec<_> =
            parts.into_iter().map(|part| part.join().expect("a plan").into_iter()).collect();
        let mut all = Vec::new();
        while let Some(one) = parts[all.len() % threads].next() {
            all.push(one);
        }
        all
    })
}

pub fn regret(seed: &str) {
    let seed: u64 = if seed.is_empty() { 24 } else { seed.parse().expect("a number") };
    let rows = rows();
    println!(
        "seed {seed}, {FEW} redistributions of 3 to 48 processes; mean rise of the price, share above 1 %, largest rise, in %\n"
    );
    prices(seed, &rows);
    println!("\n{MANY} redistributions of a thousand to a million processes; shares in %");
    plans(seed, &rows);
}

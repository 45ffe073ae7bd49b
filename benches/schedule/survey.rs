//! Counts the choices of schedulers, and measures the quality of schedules, for random redistributions of every kind
//! on machines of every kind. The figures of each schedule are compared with a recount that deals the elements one by
//! one.
//!
//!     cargo bench --no-default-features --features bench --bench schedule -- survey [SEED]

use super::random::{FAMILIES, random};
use reblock_plan::layout::distribution::place;
use reblock_plan::layout::problem::{Part, Problem};
use reblock_plan::machine::Machine;
use reblock_plan::schedule::certificate::Certificate;
use reblock_plan::schedule::chooser::{Schedule, choose, is_better, is_considered, run_scheduler};
use reblock_plan::schedule::cost_model::How;
use reblock_plan::schedule::course::Course;
use reblock_plan::schedule::graph::Bounds;
use reblock_plan::schedule::order::{Order, port as port_of};
use reblock_plan::schedule::table::TABLE;
use reblock_plan::schedule::traffic::Traffic;
use std::collections::{BTreeMap, HashSet};

/// Number of redistributions of each family: 10,008 in all.
const EACH: u64 = 1112;

/// Upper ends of the ranges in which costs are counted, in percent of the bound.
const RANGES: [u64; 6] = [100, 102, 105, 110, 125, 150];

/// Minimum speed-up that is counted, if the chooser reorders a scheduler's steps.
const SOONER: f64 = 1.02;

/// The results of a number of redistributions.
#[derive(Default)]
struct Tally {
    /// By machine and scheduler: the number of times it was chosen.
    chosen: BTreeMap<(usize, &'static str), u64>,
    /// By machine: the number of times that another order of the chosen scheduler's steps is faster by more than
    /// [`SOONER`].
    sooner: BTreeMap<usize, u64>,
    /// Number of redistributions with nothing to choose.
    plain: u64,
    /// Number of redistributions with a choice.
    scheduled: u64,
    /// Number of redistributions whose cheapest schedule has the minimum of steps.
    fewest: u64,
    /// Number of redistributions for which at least one schedule has the minimum of steps.
    reached: u64,
    /// Number of redistributions by range of the cheapest schedule's cost. The last entry is beyond all ranges.
    cost: [u64; RANGES.len() + 1],
    /// The highest cost, in percent of the bound.
    highest: u64,
}

/// Returns machine models between nodes and within a node, each with a name: start-up in µs, bandwidth in GB/s, window
/// in steps.
fn machines() -> Vec<(String, Machine)> {
    let network = |start_up: f64, rate: f64, window| Machine {
        start_up: start_up * 1e-6,
        byte: 1e-9 / rate,
        window,
        ..Machine::NETWORK
    };
    let mut all = Vec::new();
    for (start_up, rate) in [(2.0, 10.0), (50.0, 0.1), (0.5, 50.0)] {
        for window in [1, 4, 8] {
            all.push((format!("{start_up},{rate} {window}"), network(start_up, rate, window)));
        }
    }
    all.extend([1, 4, 8].map(|window| (format!("node {window}"), Machine { window, ..Machine::NODE })));
    all
}

/// Returns the messages of a redistribution: the number of elements by sender and receiver. Looks up the owners of each
/// element.
fn dealt(problem: &Problem) -> BTreeMap<(u32, u32), u64> {
    let extents: Vec<u32> =
        problem.dims.iter().map(|dim| u32::try_from(dim.len).expect("a small section")).collect();
    let mut messages = BTreeMap::new();
    let all = extents.iter().map(|&e| u64::from(e)).product();
    let (mut from, mut to) = (vec![0; extents.len()], vec![0; extents.len()]);
    for element in 0..all {
        let at = place(&extents, element);
        let moves = match (problem.part, at.as_slice()) {
            (Part::Upper { shift }, &[i, j]) => i64::from(i) < i64::from(j) + shift,
            (Part::Lower { shift }, &[i, j]) => i64::from(i) >= i64::from(j) + shift,
            _ => true,
        };
        for (d, dim) in problem.dims.iter().enumerate() {
            (from[d], to[d]) = (dim.from.owner(at[d].into()), dim.to.owner(at[d].into()));
        }
        if moves && problem.from.rank(&from) != problem.to.rank(&to) {
            let port = |grid, at: &[u32]| port_of(grid, at).expect("few ports");
            *messages.entry((port(&problem.from, &from), port(&problem.to, &to))).or_default() += 1;
        }
    }
    messages
}

/// Recounts the figures of `order`. Panics if a step uses a port twice.
fn recount(traffic: &Traffic, messages: &BTreeMap<(u32, u32), u64>, order: &dyn Order) -> Certificate {
    let (mut costs, mut busy) = (BTreeMap::new(), HashSet::new());
    let mut ports: BTreeMap<(bool, u32), Vec<u64>> = BTreeMap::new();
    for (&(p, q), &elements) in messages {
        let bytes = elements * traffic.element;
        let (from, to) = (place(traffic.from.extents(), p.into()), place(traffic.to.extents(), q.into()));
        let step = order.step(&from, &to).expect("every message has a step");
        assert!(busy.insert((step, false, p)) && busy.insert((step, true, q)), "a port twice in step {step}");
        let cost = costs.entry(step).or_insert(0);
        *cost = bytes.max(*cost);
        ports.entry((false, p)).or_default().push(bytes);
        ports.entry((true, q)).or_default().push(bytes);
    }
    let mut longest: Vec<u64> = Vec::new();
    for lengths in ports.values_mut() {
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        longest.resize(longest.len().max(lengths.len()), 0);
        longest.iter_mut().zip(lengths).for_each(|(most, length)| *most = (*length).max(*most));
    }
    let load = ports.values().map(|lengths| lengths.iter().sum()).max().unwrap_or(0);
    Certificate {
        steps: costs.len() as u64,
        cost: costs.values().sum(),
        bounds: Bounds { steps: longest.len() as u64, cost: longest.iter().sum(), load },
        messages: messages.len() as u64,
        exact: true,
        kept: false,
    }
}

/// Returns the cheapest schedule of whole messages that the chooser considers, and whether any of these schedules has
/// the minimum of steps.
fn scheduled(traffic: &Traffic, machine: &Machine) -> Option<(Schedule, bool)> {
    let asked = TABLE
        .iter()
        .filter(|scheduler| scheduler.how == How::Whole && is_considered(scheduler, traffic, machine));
    let mut fewest = false;
    let note = |built: &Schedule| fewest |= built.certificate.as_ref().is_some_and(Certificate::fewest_steps);
    let built = asked.filter_map(|scheduler| run_scheduler(scheduler, traffic, machine).ok()).inspect(note);
    let best = built.reduce(|best, next| if is_better(&next, &best) { next } else { best })?;
    Some((best, fewest))
}

impl Tally {
    fn add(&mut self, problem: &Problem, element: u64, machines: &[(String, Machine)]) {
        for (k, (_, machine)) in machines.iter().enumerate() {
            let traffic = Traffic::of(problem, element).with_budget_for(machine);
            let Schedule { scheduler, price, .. } =
                choose(&traffic, machine, None).expect("there is always a way");
            *self.chosen.entry((k, scheduler.name)).or_default() += 1;
            // If a scheduler is chosen by name, its steps keep their order.
            let own = choose(&traffic, machine, Some(scheduler.name)).expect("it was chosen").price;
            *self.sooner.entry(k).or_default() += u64::from(price.is_finite() && own > SOONER * price);
        }
        // Set the largest planning budget, so that schedules are found even for the shortest redistribution.
        let traffic = Traffic::of(problem, element);
        let Some((
            Schedule { scheduler, course: Course::Direct(order), certificate: Some(claimed), .. },
            reached,
        )) = scheduled(&traffic, &Machine::NETWORK)
        else {
            self.plain += 1;
            return;
        };
        let name = scheduler.name;
        let counted = recount(&traffic, &dealt(problem), order.as_ref());
        if claimed.exact && claimed.messages == counted.messages {
            let of = |c: &Certificate| (c.steps, c.cost, c.bounds.steps, c.bounds.load);
            assert_eq!(of(&claimed), of(&counted), "{name}: {problem:?}");
            // For a product of dimensions, the certificate's lower bound of the cost is the load, which may be lower.
            assert!(claimed.bounds.cost <= counted.bounds.cost, "{name}: {problem:?}");
        }
        assert!(counted.steps <= claimed.steps && counted.cost <= claimed.cost, "{name}: {problem:?}");
        if counted.messages == 0 {
            self.plain += 1;
            return;
        }
        self.scheduled += 1;
        self.fewest += u64::from(counted.fewest_steps());
        self.reached += u64::from(reached);
        let percent = (counted.cost * 100).div_ceil(counted.bounds.cost);
        self.cost[RANGES.partition_point(|&range| range < percent)] += 1;
        self.highest = self.highest.max(percent);
    }
}

/// Prints the choices and the quality of schedules.
pub fn survey(seed: &str) {
    let seed: u64 = if seed.is_empty() { 10 } else { seed.parse().expect("a number") };
    let machines = machines();
    println!("seed {seed}, {EACH} of each family\n");
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let of = |family: usize| {
            let machines = &machines;
            scope.spawn(move || {
                let mut tally = Tally::default();
                for case in 0..EACH {
                    let mut rng = fastrand::Rng::with_seed(seed << 32 | (family as u64) << 16 | case);
                    let (problem, element) = random(family, &mut rng);
                    tally.add(&problem, element, machines);
                }
                tally
            })
        };
        let all: Vec<_> = (0..FAMILIES.len()).map(of).collect();
        all.into_iter().map(|one| one.join().expect("every schedule is right")).collect()
    });
    // Prints a line with a percentage for each machine.
    let line = |name: &str, of: &dyn Fn(&Tally, usize) -> u64| {
        print!("| {name} |");
        for k in 0..machines.len() {
            let times: u64 = tallies.iter().map(|tally| of(tally, k)).sum();
            #[allow(clippy::cast_precision_loss)]
            let percent = 100.0 * times as f64 / (EACH * FAMILIES.len() as u64) as f64;
            if times == 0 { print!(" |") } else { print!(" {percent:.2} |") }
        }
        println!();
    };
    println!("Chosen, in percent; machine: start-up in µs, GB/s, window");
    print!("| |");
    machines.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n|---|{}", "---|".repeat(machines.len()));
    for scheduler in TABLE {
        let chosen = |tally: &Tally, k| tally.chosen.get(&(k, scheduler.name)).copied().unwrap_or(0);
        line(&format!("`{}`", scheduler.name), &chosen);
    }
    line("2 % sooner in another order", &|tally, k| tally.sooner.get(&k).copied().unwrap_or(0));
    println!("\nCost of the cheapest schedule of whole messages, at most, % of the bound");
    print!("| | schedules | fewest steps | of any |");
    RANGES.iter().for_each(|range| print!(" {range} |"));
    println!(" more | highest |\n|---|---|---|---|{}", "---|".repeat(RANGES.len() + 2));
    for (name, tally) in FAMILIES.iter().zip(&tallies) {
        print!("| {name} | {} | {} | {} |", tally.scheduled, tally.fewest, tally.reached);
        tally.cost.iter().for_each(|count| print!(" {count} |"));
        println!(" {} |", tally.highest);
    }
    let plain: u64 = tallies.iter().map(|tally| tally.plain).sum();
    println!("\n{plain} have nothing to choose: at most two ranks on each side, or no messages");
}

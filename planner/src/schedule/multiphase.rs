//! Chains of redistributions through intermediate distributions (Kaushik, Huang, Ramanujam and Sadayappan 1994). If
//! start-ups dominate, several redistributions with few messages each take less time than one, although they send and
//! copy the data several times.
//!
//! Both arrays must lie on the same processes. Each phase changes one dimension. If one block size of a dimension
//! divides the other (x and Kx), the dimension may go through intermediate block sizes x r1, x r1 r2, ... (a
//! factorisation of K). The prices of phases add up, so the best chain of a dimension is a shortest path over the
//! divisors of K. The price of a phase counts start-ups, bytes sent, and bytes packed and unpacked.

use super::certificate::Certificate;
use super::cost_model::scheduled;
use super::course::{Chooser, Course, FoundSchedule, Phase};
use super::dimension::Dimension;
use super::graph::Bounds;
use super::limits::{MAX_INTERMEDIATE_SIZES, MAX_SCANNED};
use super::planning_budget::Effort;
use super::traffic::Traffic;
use crate::layout::distribution::{Axis, Cyclic, Dist};
use crate::layout::intersect::Overlap;
use crate::machine::Machine;

/// Returns the cheapest chain of at least two phases, even if one phase would be cheaper; or an error that says why
/// there is no chain.
pub fn chain(traffic: &Traffic, machine: &Machine, choose: Chooser) -> Result<FoundSchedule, String> {
    let phases = phases(traffic, machine, choose)?;
    let certificate = Some(sum_certificates(&phases));
    Ok(FoundSchedule { course: Course::Chain(phases), certificate, steps: None })
}

fn phases(traffic: &Traffic, machine: &Machine, choose: Chooser) -> Result<Vec<Phase>, String> {
    check_chain(traffic, machine)?;
    let changing = || (0..traffic.dims.len()).filter(|&d| is_changing(&traffic.dims[d]));
    let alone = changing().count() == 1;
    let mut stops = Vec::new();
    for d in changing() {
        let path = path(traffic, d, (machine, choose), alone)?;
        stops.extend(path.into_iter().map(|axis| (d, axis)));
    }
    let mut here: Vec<Axis> = traffic.dims.iter().map(|dim| dim.overlap.from.clone()).collect();
    let mut phases = Vec::new();
    for (k, (d, axis)) in stops.iter().enumerate() {
        let last = k + 1 == stops.len();
        let next = |e: usize| {
            if last {
                return Some(traffic.dims[e].overlap.to.clone());
            }
            if e == *d { Some(axis.clone()) } else { moved_to_front(&here[e]) }
        };
        let next: Option<Vec<Axis>> = (0..here.len()).map(next).collect();
        let next = next.ok_or_else(not_cyclic)?;
        let traffic = traffic_between(traffic, &here, &next);
        let (order, certificate) = choose(&traffic).ok_or("a phase has no schedule")?;
        phases.push(Phase { traffic, order, certificate });
        here = next;
    }
    Ok(phases)
}

fn is_changing(dim: &Dimension) -> bool {
    dim.overlap.from != dim.overlap.to
}

fn not_cyclic() -> String {
    "a dimension is not block-cyclic, or its elements lie in strides".into()
}

/// Checks the conditions for a chain; the error names the condition that fails.
fn check_chain(traffic: &Traffic, machine: &Machine) -> Result<(), String> {
    let room = room(traffic);
    if traffic.dims.iter().any(|dim| dim.overlap.len == 0) {
        Err("nothing moves".into())
    } else if traffic.from != traffic.to {
        Err("the grids of both arrays differ in shape or ranks".into())
    } else if traffic.copies() != (1, 1) {
        Err("an array has copies".into())
    } else if room > machine.room {
        Err(format!("intermediate arrays take {room} bytes on a rank, at most {} are allowed", machine.room))
    } else if !traffic.dims.iter().any(|dim| is_changing(dim)) {
        Err("no dimension changes".into())
    } else {
        Ok(())
    }
}

/// Returns the bytes to reserve for the two intermediate arrays that a rank has at a time. In each dimension a rank has
/// at most an even share of the elements and a part of a block, and a block more if the section does not start with a
/// cycle. No intermediate block is longer than the longer of the source's and target's blocks.
fn room(traffic: &Traffic) -> u64 {
    let share = |dim: &Dimension| {
        let Overlap { from, to, len } = &dim.overlap;
        let margin = |axis: &Axis| match &axis.dist {
            Dist::Cyclic(dist) => dist.block().saturating_mul(1 + u64::from(axis.start > 0)),
            _ => 0,
        };
        len.div_ceil(u64::from(dim.senders())).saturating_add(margin(from).max(margin(to)))
    };
    traffic.dims.iter().fold(2 * traffic.element, |n, dim| n.saturating_mul(share(dim)))
}

/// Returns the distribution of an intermediate array. Its section starts as early as possible: within the first cycle.
/// `None` unless the axis is block-cyclic and plain.
fn moved_to_front(axis: &Axis) -> Option<Axis> {
    let Dist::Cyclic(dist) = &axis.dist else { return None };
    if !axis.is_plain() {
        return None;
    }
    let cycle = dist.block().checked_mul(dist.procs().into())?;
    Some(Axis::new(*dist, axis.start % cycle))
}

fn traffic_between(traffic: &Traffic, from: &[Axis], to: &[Axis]) -> Traffic {
    let dim =
        |d: usize| Overlap { from: from[d].clone(), to: to[d].clone(), len: traffic.dims[d].overlap.len };
    traffic.between((0..from.len()).map(dim).collect())
}

/// Returns the distributions that dimension `d` goes through, ending with its target: a shortest path, priced with the
/// other dimensions unchanged. If `alone`, the path has at least one intermediate stop.
fn path(
    traffic: &Traffic,
    d: usize,
    (machine, choose): (&Machine, Chooser),
    alone: bool,
) -> Result<Vec<Axis>, String> {
    let stops = intermediate_axes(&traffic.dims[d].overlap).ok_or_else(not_cyclic)?;
    if alone && stops.len() == 2 {
        return Err("no other block size is between those of the one dimension that changes".into());
    }
    let others: Vec<Axis> = traffic.dims.iter().map(|dim| dim.overlap.from.clone()).collect();
    let with = |axis: &Axis| {
        let mut all = others.clone();
        all[d] = axis.clone();
        all
    };
    let last = stops.len() - 1;
    // The cheapest path to each stop: (seconds, previous stop). The first stop is the source.
    let mut way: Vec<Option<(f64, usize)>> = vec![None; stops.len()];
    way[0] = Some((0.0, 0));
    for to in 1..stops.len() {
        for from in 0..to {
            let direct = alone && (from, to) == (0, last);
            let Some((before, _)) = way[from].filter(|_| !direct) else { continue };
            if !are_nested(&stops[from], &stops[to]) && (from, to) != (0, last) {
                continue;
            }
            // Prices are computed without a search among single messages.
            let effort = Effort { search: 0, ..traffic.effort() };
            let phase = traffic_between(traffic, &with(&stops[from]), &with(&stops[to])).with_effort(effort);
            let Some((_, figures)) = choose(&phase) else { continue };
            let seconds = before + scheduled(machine, &figures);
            if way[to].is_none_or(|(best, _)| seconds < best) {
                way[to] = Some((seconds, from));
            }
        }
    }
    let mut path = Vec::new();
    let mut at = last;
    while at > 0 {
        path.push(stops[at].clone());
        at = way[at].ok_or("a phase has no schedule")?.1;
    }
    path.reverse();
    Ok(path)
}

/// Returns true if one block size divides the other.
fn are_nested(from: &Axis, to: &Axis) -> bool {
    let block = |axis: &Axis| match &axis.dist {
        Dist::Cyclic(dist) => Some(dist.block()),
        _ => None,
    };
    block(from).zip(block(to)).is_some_and(|(r, s)| r.max(s) % r.min(s) == 0)
}

/// Returns the source, the distributions with intermediate block sizes in order, and the target.
fn intermediate_axes(dim: &Overlap) -> Option<Vec<Axis>> {
    let (Dist::Cyclic(from), Dist::Cyclic(to)) = (&dim.from.dist, &dim.to.dist) else { return None };
    if !dim.from.is_plain() || !dim.to.is_plain() {
        return None;
    }
    let mut stops = vec![dim.from.clone()];
    let (fine, coarse) = (from.block().min(to.block()), from.block().max(to.block()));
    if coarse % fine == 0 {
        let mut sizes: Vec<u64> = divisors(coarse / fine).into_iter().map(|f| fine * f).collect();
        sizes.retain(|&size| size != fine && size != coarse);
        if from.block() > to.block() {
            sizes.reverse();
        }
        let first = from.owner(crate::layout::distribution::Global(0));
        let every = sizes.len().div_ceil(MAX_INTERMEDIATE_SIZES).max(1);
        for size in sizes.into_iter().step_by(every) {
            let dist = Cyclic::new(size, from.procs(), first)?;
            stops.push(moved_to_front(&Axis::new(dist, dim.from.start))?);
        }
    }
    stops.push(moved_to_front(&dim.to)?);
    Some(stops)
}

fn divisors(n: u64) -> Vec<u64> {
    let small: Vec<u64> = (1..)
        .take_while(|d| d * d <= n)
        .take(usize::try_from(MAX_SCANNED).expect("a limit"))
        .filter(|d| n % d == 0)
        .collect();
    let large: Vec<u64> = small.iter().rev().map(|d| n / d).filter(|d| d * d > n).collect();
    [small, large].concat()
}

fn sum_certificates(phases: &[Phase]) -> Certificate {
    let sum = |of: fn(&Certificate) -> u64| phases.iter().map(|phase| of(&phase.certificate)).sum::<u64>();
    Certificate {
        steps: sum(|c| c.steps),
        cost: sum(|c| c.cost),
        bounds: Bounds {
            steps: sum(|c| c.bounds.steps),
            cost: sum(|c| c.bounds.cost),
            load: sum(|c| c.bounds.load),
        },
        messages: sum(|c| c.messages),
        exact: phases.iter().all(|phase| phase.certificate.exact),
        kept: phases.iter().any(|phase| phase.certificate.kept),
    }
}

/// Returns lower bounds for all phases together, without self copies.
pub fn sent_bounds(phases: &[Phase]) -> Bounds {
    let of = |phase: &Phase| phase.certificate.sent_bounds(&phase.traffic);
    phases.iter().map(of).fold(Bounds { steps: 0, cost: 0, load: 0 }, |all, one| Bounds {
        steps: all.steps + one.steps,
        cost: all.cost + one.cost,
        load: all.load + one.load,
    })
}

#[cfg(test)]
mod tests {
    use super::super::chooser::{choose, run_scheduler};
    use super::super::table::find_by_name;
    use super::*;
    use crate::layout::distribution::Grid;

    fn traffic(n: u64, from: u64, to: u64, procs: u32, element: u64) -> Traffic {
        let axis = |block| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
        let grid = Grid::row_major(&[procs]);
        Traffic::new(vec![Overlap { from: axis(from), to: axis(to), len: n }], element, grid.clone(), grid)
    }

    fn blocks(traffic: &Traffic, machine: &Machine) -> Option<Vec<String>> {
        let chained = run_scheduler(find_by_name("multiphase").unwrap(), traffic, machine).unwrap();
        let Course::Chain(phases) = chained.course else { panic!("no chain") };
        let one = scheduled(machine, &choose(traffic, &Machine::STEPS, None).unwrap().certificate.unwrap());
        let several: f64 = phases.iter().map(|phase| scheduled(machine, &phase.certificate)).sum();
        if one <= several {
            return None;
        }
        Some(phases.iter().map(|p| p.traffic.dims[0].overlap.to.dist.to_string()).collect())
    }

    /// Two machines: a start-up takes much more, or much less, time than a message's bytes.
    const SLOW_STARTS: Machine = Machine { start_up: 1e-3, window: 1, ..Machine::NETWORK };
    const QUICK_STARTS: Machine = Machine { start_up: 1e-12, window: 1, ..Machine::NETWORK };

    #[test]
    fn block_to_cyclic_3_on_8_processes_goes_through_cyclic_12() {
        // 192 elements. Process 0 sends 7 messages in one phase, and 1 + 3 in two (2 + 4 with self copies).
        let t = traffic(192, 24, 3, 8, 8);
        assert_eq!(blocks(&t, &SLOW_STARTS).unwrap(), ["CYCLIC(12)", "CYCLIC(3)"]);
        let messages = |from, to| traffic(192, from, to, 8, 8).listed().unwrap().graph.degrees().0[0];
        assert_eq!((messages(24, 3), messages(24, 12), messages(12, 3)), (7, 1, 3));
        assert_eq!(blocks(&t, &QUICK_STARTS), None);
    }

    #[test]
    fn an_empty_array_has_no_phases() {
        let t = traffic(0, 256, 16, 16, 4);
        for machine in [SLOW_STARTS, Machine::STEPS] {
            assert!(run_scheduler(find_by_name("multiphase").unwrap(), &t, &machine).is_err());
        }
        assert!(choose(&t, &SLOW_STARTS, None).is_ok());
    }

    #[test]
    fn intermediate_arrays_fit_in_the_reserved_bytes() {
        for (len, block, procs, start) in
            [(110, 100, 4, 0), (110, 100, 4, 399), (64, 12, 3, 5), (500, 60, 3, 179)]
        {
            let axis = |block| Axis::new(Cyclic::new(block, procs, 1).unwrap(), start);
            let overlap = Overlap { from: axis(block), to: axis(2), len };
            let stops = intermediate_axes(&overlap).unwrap();
            assert!(stops.len() > 2);
            let extents =
                |axis: &Axis| (0..procs).map(|p| axis.local_len(axis.start + len, p)).max().unwrap();
            let largest = stops[1..].iter().map(extents).max().unwrap();
            let grid = Grid::row_major(&[procs]);
            let reserved = room(&Traffic::new(vec![overlap], 8, grid.clone(), grid));
            assert!(2 * 8 * largest <= reserved, "{largest} elements in an array, {reserved} bytes for two");
        }
    }

    #[test]
    fn small_volumes_go_through_an_intermediate_distribution_and_large_ones_do_not() {
        // Kaushik et al., Table 1: cyclic(256) to cyclic(16) on 16 processes, and to cyclic(8) on 32.
        let machine = Machine { start_up: 1e-4, byte: 4e-7, copy: 1e-8, window: 1, ..Machine::NETWORK };
        for (to, procs) in [(16, 16), (8, 32)] {
            let chained = |n| blocks(&traffic(n, 256, to, procs, 4), &machine);
            let small = chained(256 * u64::from(procs)).unwrap();
            assert!(small.len() >= 2 && *small.last().unwrap() == format!("CYCLIC({to})"), "{small:?}");
            assert_eq!(chained(1 << 24), None);
        }
    }
}

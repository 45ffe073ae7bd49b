//! The schedule of the calls of a shape, computed again from the trace, with the machine that the library assumed in
//! its choice. A trace that is incomplete or has impossible values is an error.

use crate::layout::{Dim, Format, MAX_RANKS};
use crate::notation;
use crate::redistribution::check_size;
use crate::report::{Choice, RequestedScheduler, choose_schedule};
use reblock::trial::{CallLayout, CallShape, Entry};
use reblock_plan::layout::distribution::{Axis, Grid, Nodes, places};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::schedule::chooser::Schedule;
use reblock_plan::schedule::chooser::choose;
use reblock_plan::schedule::traffic::Traffic;

pub struct Course {
    /// Bytes between each pair of ranks.
    pub traffic: Traffic,
    pub schedule: Schedule,
    pub choice: Choice,
}

/// Returns the schedule of the calls of `entry`.
pub fn course(entry: &Entry) -> Result<Course, String> {
    let traced = entry.figures.schedule.as_ref().ok_or("no rank reported the schedule")?;
    let machine = &traced.machine;
    let figures = [machine.start_up, machine.byte, machine.copy];
    if machine.window == 0 || figures.iter().any(|figure| !figure.is_finite() || *figure < 0.0) {
        return Err("the trace describes an impossible machine".into());
    }
    let traffic = traffic(&entry.shape, traced.nodes.as_deref())?.with_budget_for(&traced.machine);
    let free = choose(&traffic, &traced.machine, None).map_err(|refusal| refusal.to_string())?;
    let asked = RequestedScheduler { name: &traced.scheduler, by: "REBLOCK_SCHEDULER" };
    let wish = (free.scheduler.name != traced.scheduler).then_some(&asked);
    let (choice, schedule) = choose_schedule(&traffic, &traced.machine, wish)?;
    Ok(Course { traffic, schedule, choice })
}

/// Returns the traffic of the calls of `shape`. `nodes` has the node of each rank. It is empty if there is one node,
/// and `None` if the nodes are not known.
fn traffic(shape: &CallShape, nodes: Option<&[u32]>) -> Result<Traffic, String> {
    if shape.element == 0 || shape.extents.contains(&0) {
        return Err("the trace describes an array of no bytes".into());
    }
    if shape.from.boxes || shape.to.boxes {
        return Err(
            "the array is in boxes, or lists name its elements: each rank has only its own boxes or list"
                .into(),
        );
    }
    if !shape.spread.is_empty() {
        return Err("the source is repeated along a dimension of the target".into());
    }
    if shape.all_copies {
        return Err("all copies of the source are read, one after the other".into());
    }
    let [from, to] = [grid(&shape.from)?, grid(&shape.to)?];
    let [sources, targets] = [axes(&shape.from, &shape.extents)?, axes(&shape.to, &shape.extents)?];
    let dims = sources.into_iter().zip(targets).zip(&shape.extents);
    let dims = dims.map(|((from, to), &len)| Overlap { from, to, len }).collect();
    let traffic = check_size(Traffic::new(dims, shape.element, from, to))?;
    match nodes {
        None if traffic.copies().0 > 1 => {
            Err("the source has copies, and the trace does not say which ranks share a node".into())
        }
        None | Some([]) => Ok(traffic),
        Some(nodes) => Ok(traffic.on_nodes(Nodes::new(nodes))),
    }
}

/// Returns the distribution of each dimension of the section.
fn axes(side: &CallLayout, extents: &[u64]) -> Result<Vec<Axis>, String> {
    if side.digest != 0 {
        return Err(
            "the trace lacks parts of a long list, or alignments, which earlier versions did not write"
                .into(),
        );
    }
    let plain = vec![[0, 1, 1]; extents.len()];
    let aligns = if side.aligns.is_empty() { &plain } else { &side.aligns };
    let lengths = [side.formats.len(), side.firsts.len(), side.starts.len(), aligns.len()];
    if lengths.iter().any(|&length| length != extents.len()) || side.grid.len() < extents.len() {
        return Err("the trace has different numbers of dimensions".into());
    }
    let axis = |d: usize| {
        let ([origin, stride, step], start, procs) = (aligns[d], side.starts[d], side.grid[d]);
        // One past the last template index of the section.
        let end = (extents[d] - 1).checked_mul(step).and_then(|last| last.checked_add(start));
        let end = end.and_then(|last| last.checked_mul(stride)?.checked_add(origin)?.checked_add(1));
        let end = end.filter(|&end| i64::try_from(end).is_ok()).ok_or("indices do not fit in 64 bits")?;
        if stride == 0 || step == 0 {
            return Err("the trace has an impossible alignment".into());
        }
        let format = notation::format(&side.formats[d])?;
        // INDIRECT may list more owners than the section has indices.
        let listed = match &format {
            Format::Indirect(runs) => runs.iter().try_fold(0u64, |n, &(_, run)| n.checked_add(run)),
            _ => Some(end),
        };
        let listed = listed.filter(|&listed| listed >= end).ok_or("the list of owners is too short")?;
        let dim = Dim { format, procs, first: side.firsts[d], start: 0 };
        let dist = dim.axis(listed).ok_or("the distribution does not fit the array")?.dist;
        Ok(Axis::aligned(dist, origin, stride).section(start, step))
    };
    (0..extents.len()).map(axis).collect()
}

/// Returns the rank of each place of a grid.
fn grid(side: &CallLayout) -> Result<Grid, String> {
    let size = side.grid.iter().fold(1u64, |n, &extent| n.saturating_mul(extent.into()));
    if size > MAX_RANKS {
        return Err(format!("more than {MAX_RANKS} ranks"));
    }
    let ranks: Option<Vec<u32>> = match (side.list.is_empty(), side.ranks.split_first()) {
        (false, _) => Some(side.list.clone()),
        (true, Some((base, strides))) if strides.len() == side.grid.len() => {
            let rank = |at: Vec<u32>| {
                let ahead = strides.iter().zip(at).map(|(stride, at)| stride.checked_mul(at.into()));
                let rank = ahead.into_iter().try_fold(*base, |rank, ahead| rank.checked_add(ahead?))?;
                u32::try_from(rank).ok()
            };
            places(&side.grid).map(rank).collect()
        }
        _ => return Err("the trace does not list that many ranks".into()),
    };
    ranks.and_then(|ranks| Grid::from_ranks(&side.grid, &ranks)).ok_or_else(|| "impossible ranks".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reblock_plan::layout::distribution::{Cyclic, Dist, GenBlock, Indirect, View};
    use reblock_plan::layout::problem::{Copies, Problem};

    /// Returns a grid of one to three copies of an array on `extents` processes.
    fn random_grid(rng: &mut fastrand::Rng, extents: &[u32; 2]) -> Grid {
        let extents = [&extents[..], &[rng.u32(1..4)][..rng.usize(0..2)]].concat();
        let mut ranks: Vec<u32> = (0..24).collect();
        rng.shuffle(&mut ranks);
        match rng.u8(0..3) {
            0 => Grid::row_major(&extents),
            1 => {
                let along = |dim| View::Along { dim, reversed: rng.bool() };
                let views: Vec<View> = (0..extents.len()).map(along).collect();
                Grid::row_major(&extents).view(&views, &vec![0; extents.len()])
            }
            _ => Grid::from_ranks(&extents, &ranks[..extents.iter().product::<u32>() as usize]).unwrap(),
        }
    }

    /// Returns a section of `len` elements of a random array on `procs` processes.
    fn random_axis(rng: &mut fastrand::Rng, procs: u32, len: u64) -> Axis {
        let (origin, stride) = (rng.u64(0..9), rng.u64(1..4));
        let (start, step) = (rng.u64(0..9), rng.u64(1..4));
        let extent = start + step * (len - 1) + 1 + rng.u64(0..5);
        let end = origin + stride * (extent - 1) + 1 + rng.u64(0..5);
        let dist: Dist = match rng.u8(0..5) {
            0 => GenBlock::new(&vec![end; procs as usize]).unwrap().into(),
            1 => {
                let runs = rng.u64(1..7);
                let owners = (0..runs).map(|_| (rng.u32(0..procs), end.div_ceil(runs)));
                Indirect::new(procs, owners.collect::<Vec<_>>()).unwrap().into()
            }
            _ => Cyclic::new(rng.u64(1..9), procs, rng.u32(0..procs)).unwrap().into(),
        };
        let whole = Axis::aligned(dist, origin, stride);
        let whole = if rng.bool() { whole.reversed(extent) } else { whole };
        whole.section(start, step)
    }

    fn random_problem(rng: &mut fastrand::Rng) -> Problem {
        let len = [rng.u64(1..60), rng.u64(1..60)];
        let sides = [0, 1].map(|_| [rng.u32(1..4), rng.u32(1..3)]);
        let mut axis = |side: usize, d: usize| match rng.u8(0..3) {
            0 => Axis::new(Cyclic::new(rng.u64(1..9), sides[side][d], 0).unwrap(), rng.u64(0..20)),
            _ => random_axis(rng, sides[side][d], len[d]),
        };
        let dims = (0..2).map(|d| Overlap { from: axis(0, d), to: axis(1, d), len: len[d] }).collect();
        let [from, to] = sides.map(|extents| random_grid(rng, &extents));
        let nodes = match rng.u8(0..3) {
            0 => Nodes::default(),
            _ => Nodes::new(&(0..24).map(|_| rng.u32(0..4)).collect::<Vec<_>>()),
        };
        Problem { nodes, ..Problem::whole(dims, from, to) }
    }

    #[test]
    fn traffic_equals_the_calls() {
        for seed in 0..600 {
            let problem = random_problem(&mut fastrand::Rng::with_seed(seed));
            let shape = CallShape::of("PDGEMR2D", &problem, 8, 24);
            let nodes = problem.nodes.numbers();
            let traced = traffic(&shape, Some(&nodes)).unwrap_or_else(|e| panic!("{seed}: {e}"));
            let messages = |traffic: &Traffic| {
                let list = traffic.listed().unwrap();
                (list.graph.edges().to_vec(), list.kept.clone(), traffic.nodes().is_some())
            };
            assert_eq!(messages(&traced), messages(&Traffic::of(&problem, 8)), "seed {seed}");
            let without = traffic(&shape, None);
            assert_eq!(without.is_err(), traced.copies().0 > 1, "seed {seed}: the nodes choose the copies");
        }
    }

    fn problem() -> Problem {
        let axis = || Axis::new(Cyclic::new(2, 2, 0).unwrap(), 0);
        let dims = vec![Overlap { from: axis().section(0, 2), to: axis(), len: 9 }];
        Problem::whole(dims, Grid::row_major(&[2]), Grid::row_major(&[2]))
    }

    #[test]
    fn incomplete_traces_are_refused() {
        let shape = CallShape::of("EXECUTE", &problem(), 8, 2);
        assert!(traffic(&shape, None).is_ok());
        for change in [
            |shape: &mut CallShape| shape.from.ranks = vec![i64::MAX, 1],
            |shape: &mut CallShape| shape.from.grid = vec![0],
            |shape: &mut CallShape| shape.from.grid = vec![],
            |shape: &mut CallShape| shape.to.firsts = vec![2],
            |shape: &mut CallShape| shape.to.starts = vec![u64::MAX],
            |shape: &mut CallShape| shape.to.formats = vec!["CYCLIC(0)".into()],
            |shape: &mut CallShape| shape.to.formats = vec!["CYCLIC(2),*".into()],
            |shape: &mut CallShape| shape.to.formats = vec!["INDIRECT(/0,1/)".into()],
            |shape: &mut CallShape| shape.to.formats = vec!["GEN_BLOCK(/4,4/)".into()],
            |shape: &mut CallShape| shape.to.list = vec![1, 2, 3],
            |shape: &mut CallShape| shape.to.digest = 1,
            |shape: &mut CallShape| shape.from.aligns = vec![[0, 0, 1]],
            |shape: &mut CallShape| shape.from.aligns = vec![[0, 1, 0]],
            |shape: &mut CallShape| shape.from.aligns = vec![[0, u64::MAX, u64::MAX]],
            |shape: &mut CallShape| shape.from.aligns = vec![[0, 1, 1]; 2],
        ] {
            let mut wrong = shape.clone();
            change(&mut wrong);
            assert!(traffic(&wrong, None).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn calls_that_are_no_product_of_dimensions_are_refused() {
        for (other, why) in [
            (Problem { boxes: [false, true], ..problem() }, "boxes"),
            (Problem { spread: vec![0], ..problem() }, "repeated"),
            (Problem { copies: Copies::All, ..problem() }, "all copies"),
        ] {
            let refused = traffic(&CallShape::of("EXECUTE", &other, 8, 2), None).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
    }
}

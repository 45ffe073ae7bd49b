//! The schedule of the calls of a shape, computed again from the trace with the machine of the choice. A trace that is
//! incomplete or has impossible values is an error.

use crate::layout::{Dealt, Dim, Format, MAX_RANKS};
use crate::notation;
use crate::redistribution::Redistribution;
use crate::report::{Choice, RequestedScheduler, taken};
use reblock::trial::{CallLayout, CallShape, Entry};
use reblock_plan::layout::distribution::{Grid, places};
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
    let traffic = traffic(&entry.shape)?.within(&traced.machine);
    let free = choose(&traffic, &traced.machine, None).map_err(|refusal| refusal.to_string())?;
    let asked = RequestedScheduler { name: &traced.scheduler, by: "REBLOCK_SCHEDULER" };
    let wish = (free.scheduler.name != traced.scheduler).then_some(&asked);
    let (choice, schedule) = taken(&traffic, &traced.machine, wish)?;
    Ok(Course { traffic, schedule, choice })
}

fn traffic(shape: &CallShape) -> Result<Traffic, String> {
    if shape.element == 0 || shape.extents.contains(&0) {
        return Err("the trace describes an array of no bytes".into());
    }
    let grids = [grid(&shape.from)?, grid(&shape.to)?];
    let [from, to] = [&shape.from, &shape.to].map(|side| layout(side, &shape.extents));
    let (from, to, axes) = (from?.into(), to?.into(), (0..shape.extents.len()).collect());
    let subject = Redistribution { shape: shape.extents.clone(), element: shape.element, from, to, axes };
    let dims = subject.traffic()?.dims.iter().map(|dim| dim.overlap.clone()).collect();
    let [from, to] = grids;
    Ok(Traffic::new(dims, shape.element, from, to))
}

fn layout(side: &CallLayout, extents: &[u64]) -> Result<Dealt, String> {
    if side.digest != 0 {
        return Err("the trace does not have all of its alignments, steps or long lists".into());
    }
    let lengths = [side.formats.len(), side.firsts.len(), side.starts.len(), side.grid.len()];
    if lengths.iter().any(|&length| length != extents.len()) {
        return Err("the array has copies".into());
    }
    let dim = |d: usize| {
        let (procs, start) = (side.grid[d], side.starts[d]);
        let end = start.checked_add(extents[d]).ok_or("extents do not fit in 64 bits")?;
        let format = match side.formats[d].as_str() {
            "*" => Format::Collapsed,
            text => {
                let mut layout = notation::dealt(&format!("({text}) ONTO P({procs})"), text, &[end])?;
                layout.dims.remove(0).format
            }
        };
        Ok(Dim { format, procs, first: side.firsts[d], start })
    };
    let dims = (0..extents.len()).map(dim).collect::<Result<Vec<_>, String>>()?;
    Ok(Dealt { dims, copies: Vec::new(), at: 0 })
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
    use reblock_plan::layout::distribution::{Axis, Cyclic, GenBlock};
    use reblock_plan::layout::intersect::Overlap;
    use reblock_plan::layout::problem::Problem;

    fn random_grid(rng: &mut fastrand::Rng, extents: &[u32; 2]) -> Grid {
        let mut ranks: Vec<u32> = (0..8).collect();
        rng.shuffle(&mut ranks);
        match rng.u8(0..3) {
            0 => Grid::row_major(extents),
            1 => Grid::affine(extents, 1, &[1, extents[0].into()]),
            _ => Grid::from_ranks(extents, &ranks[..(extents[0] * extents[1]) as usize]).unwrap(),
        }
    }

    #[test]
    fn traffic_equals_the_calls() {
        for seed in 0..300 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let len = [rng.u64(1..60), rng.u64(1..60)];
            let sides = [0, 1].map(|_| [rng.u32(1..4), rng.u32(1..3)]);
            let axis = |rng: &mut fastrand::Rng, procs: u32, len: u64| match rng.u8(0..4) {
                0 => Axis::new(GenBlock::new(&vec![len + 4; procs as usize]).unwrap(), rng.u64(0..4)),
                _ => {
                    let dist = Cyclic::new(rng.u64(1..9), procs, rng.u32(0..procs)).unwrap();
                    Axis::new(dist, rng.u64(0..20))
                }
            };
            let dims = (0..2).map(|d| Overlap {
                from: axis(&mut rng, sides[0][d], len[d]),
                to: axis(&mut rng, sides[1][d], len[d]),
                len: len[d],
            });
            let dims = dims.collect();
            let [from, to] = sides.map(|extents| random_grid(&mut rng, &extents));
            let problem = Problem::whole(dims, from, to);
            let traced =
                traffic(&CallShape::of("PDGEMR2D", &problem, 8, 8)).unwrap_or_else(|e| panic!("{seed}: {e}"));
            let messages = |traffic: &Traffic| {
                let list = traffic.listed().unwrap();
                (list.graph.edges().to_vec(), list.kept.clone())
            };
            assert_eq!(messages(&traced), messages(&Traffic::of(&problem, 8)), "seed {seed}");
        }
    }

    #[test]
    fn incomplete_traces_are_refused() {
        let axis = || Axis::new(Cyclic::new(2, 2, 0).unwrap(), 0);
        let dims = vec![Overlap { from: axis().section(0, 2), to: axis(), len: 9 }];
        let problem = Problem::whole(dims, Grid::row_major(&[2]), Grid::row_major(&[2]));
        let mut shape = CallShape::of("EXECUTE", &problem, 8, 2);
        assert!(traffic(&shape).unwrap_err().contains("alignments"));
        shape.from.digest = 0;
        assert!(traffic(&shape).is_ok());
        for change in [
            |shape: &mut CallShape| shape.from.ranks = vec![i64::MAX, 1],
            |shape: &mut CallShape| shape.from.grid = vec![0],
            |shape: &mut CallShape| shape.to.firsts = vec![2],
            |shape: &mut CallShape| shape.to.starts = vec![u64::MAX],
            |shape: &mut CallShape| shape.to.formats = vec!["CYCLIC(0)".into()],
            |shape: &mut CallShape| shape.to.list = vec![1, 2, 3],
        ] {
            let mut wrong = shape.clone();
            change(&mut wrong);
            assert!(traffic(&wrong).is_err(), "{wrong:?}");
        }
    }
}

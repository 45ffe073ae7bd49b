//! Formats the trace line of one call.

use crate::layout::distribution::Grid;
use crate::layout::intersect::Overlap;
use crate::plan::RankPhase;
use crate::plan::rank_plan::{RankPlan, WriteMode};
use crate::transport::shm::StoreKind;
use std::fmt::Display;

/// Returns the line of a call that took `ms` milliseconds on rank 0 of the enclosing communicator. `slots` is that
/// rank's kind of stores to slots in shared memory, `None` without slots; `exposes` is true if it exposed its array.
pub fn line(
    what: &dyn Display,
    planned: &RankPlan,
    (slots, exposes): (Option<StoreKind>, bool),
    ms: f64,
) -> String {
    let RankPlan { problem, phases, .. } = planned;
    let count = |of: fn(&RankPhase) -> u64| phases.list.iter().map(|phase| of(phase)).sum::<u64>();
    let figures = planned.certificate().map_or(String::new(), |c| {
        format!(", {} of {} steps, cost {} of {} bytes", c.steps, c.bounds.steps, c.cost, c.bounds.cost)
    });
    let grid = |g: &Grid| g.extents().iter().map(u32::to_string).collect::<Vec<_>>().join("x");
    let dims = |of: fn(&Overlap) -> String, between: &str| {
        problem.dims.iter().map(of).collect::<Vec<_>>().join(between)
    };
    format!(
        "{what} {}, {} on {} -> {} on {}: rank 0 sends {}, receives {}{}; {} ({}){figures}{}{}{}; {ms:.3} ms",
        dims(|dim| dim.len.to_string(), "x"),
        if problem.boxes[0] { "boxes".into() } else { dims(|dim| dim.from.dist.to_string(), ",") },
        grid(&problem.from),
        if problem.boxes[1] { "boxes".into() } else { dims(|dim| dim.to.dist.to_string(), ",") },
        grid(&problem.to),
        count(|phase| phase.counts()[0]),
        count(|phase| phase.counts()[1]),
        if count(|phase| u64::from(phase.has_both_arrays())) > 0 { ", keeps some" } else { "" },
        phases.scheduler,
        phases.why,
        match planned.write_mode.get() {
            WriteMode::ByMessage => "",
            WriteMode::Gathered => ", gathered",
            WriteMode::WrittenOut => ", written out",
        },
        match slots {
            None => "",
            Some(StoreKind::Cached) => "; slots in the caches",
            Some(StoreKind::Streamed) => "; slots past the caches",
        },
        if exposes { ", array exposed" } else { "" },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic, Rank};
    use crate::layout::problem::Problem;
    use crate::plan::Place;
    use crate::system::machine::Proximity;
    use crate::system::settings::Settings;

    #[test]
    fn the_line_says_what_was_done() {
        let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
        let rows = Overlap { from: axis(64, 2), to: axis(32, 1), len: 200 };
        let cols = Overlap { from: axis(50, 1), to: axis(16, 2), len: 100 };
        let problem = Problem::whole(vec![rows, cols], Grid::row_major(&[2, 1]), Grid::row_major(&[1, 2]));
        let me = Place::of(&problem, Rank(0), 2);
        let planned =
            RankPlan::new(problem, me, 8, Settings::defaults(), Proximity::Nodes { early: 0 }).unwrap();
        assert_eq!(
            line(&"PDGEMR2D", &planned, (Some(StoreKind::Streamed), true), 1.5),
            "PDGEMR2D 200x100, CYCLIC(64),* on 2x1 -> *,CYCLIC(16) on 1x2: \
             rank 0 sends 1, receives 1, keeps some; \
             caterpillar (at most two ranks on each side: nothing to choose), 1 of 1 steps, cost 49152 of 49152 bytes; slots past the caches, array exposed; 1.500 ms"
        );
    }
}

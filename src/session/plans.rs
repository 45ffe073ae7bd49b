//! Plans of recent redistributions, so that a program which repeats itself plans once.

use crate::plan::{Place, Plan};
use crate::problem::Problem;
use std::sync::Arc;

/// Plans kept: more than a program alternates between, few enough to compare one by one.
const KEPT: usize = 32;

/// Recent plans of one rank, the last used first.
#[derive(Default)]
pub struct Plans(Vec<(Problem, Place, Arc<Plan>)>);

impl Plans {
    /// The plan for `problem` of the rank at `me`.
    pub fn of(&mut self, problem: &Problem, me: &Place) -> Arc<Plan> {
        if let Some(at) = self.0.iter().position(|(known, place, _)| known == problem && place == me) {
            self.0[..=at].rotate_right(1);
        } else {
            let plan = Arc::new(Plan::new(problem, me));
            self.0.truncate(KEPT - 1);
            self.0.insert(0, (problem.clone(), *me, plan));
        }
        self.0[0].2.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Axis, Coord, Cyclic, Grid, Rank};
    use crate::overlap::Overlap;
    use crate::problem::Part;

    #[test]
    fn a_problem_seen_again_is_not_planned_again() {
        let axis = |block| Axis::new(Cyclic::new(block, 1, 0).unwrap(), 0);
        let problem = |len| {
            let dim = Overlap { from: axis(1), to: axis(2), len };
            let grid = Grid::row_major(&[1, 1]);
            Problem { rows: dim.clone(), cols: dim, from: grid.clone(), to: grid, part: Part::Whole }
        };
        let at = Some(Coord { row: 0, col: 0 });
        let me = Place { rank: Rank(0), from: at, to: at, ranks: 1 };
        let mut plans = Plans::default();
        let first = plans.of(&problem(1), &me);
        for len in 2..=KEPT as u64 {
            assert!(!Arc::ptr_eq(&first, &plans.of(&problem(len), &me)));
        }
        assert!(Arc::ptr_eq(&first, &plans.of(&problem(1), &me)), "still kept");
        plans.of(&problem(1000), &me);
        assert!(Arc::ptr_eq(&first, &plans.of(&problem(1), &me)), "used again, so kept");
        assert_eq!(plans.0.len(), KEPT);
    }
}

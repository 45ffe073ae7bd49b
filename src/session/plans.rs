//! Ways of recent redistributions, so that a program which repeats itself plans once.

use crate::plan::{Place, Route};
use crate::problem::Problem;
use crate::schedule::machine::Machine;
use crate::schedule::router::Refusal;
use std::sync::Arc;

/// Ways kept: more than a program alternates between, few enough to compare one by one.
const KEPT: usize = 32;

/// What a way follows from.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    problem: Problem,
    me: Place,
    element: usize,
}

/// Recent ways of one rank, the last used first.
#[derive(Default)]
pub struct Plans(Vec<(Key, Arc<Route>)>);

impl Plans {
    /// The way for `problem` of the rank at `me`, on a machine and with a scheduler that are the same at every call.
    pub fn of(
        &mut self,
        problem: &Problem,
        me: &Place,
        element: usize,
        machine: &Machine,
        scheduler: Option<&str>,
    ) -> Result<Arc<Route>, Refusal> {
        let same = |k: &Key| k.problem == *problem && k.me == *me && k.element == element;
        if let Some(at) = self.0.iter().position(|(key, _)| same(key)) {
            self.0[..=at].rotate_right(1);
        } else {
            let bytes = u64::try_from(element).expect("a few bytes");
            let route = Arc::new(Route::new(problem, me, bytes, machine, scheduler)?);
            self.0.truncate(KEPT - 1);
            self.0.insert(0, (Key { problem: problem.clone(), me: *me, element }, route));
        }
        Ok(self.0[0].1.clone())
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
        let mut of = |len, me| plans.of(&problem(len), me, 8, &Machine::NODE, None).unwrap();
        let first = of(1, &me);
        for len in 2..=KEPT as u64 {
            assert!(!Arc::ptr_eq(&first, &of(len, &me)));
        }
        assert!(Arc::ptr_eq(&first, &of(1, &me)), "still kept");
        of(1000, &me);
        assert!(Arc::ptr_eq(&first, &of(1, &me)), "used again, so kept");
        assert!(!Arc::ptr_eq(&first, &of(1, &Place { from: None, ..me })), "another place is another plan");
        assert_eq!(plans.0.len(), KEPT);
    }
}

//! Ways of recent redistributions, so that a program which repeats itself plans once.

use crate::plan::{Place, Route};
use crate::problem::Problem;
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
    /// The way for `problem` of the rank at `me`, with elements of so many bytes; `make` is asked for one that is not
    /// kept.
    pub fn of(
        &mut self,
        problem: &Problem,
        me: &Place,
        element: usize,
        make: impl FnOnce() -> Result<Route, Refusal>,
    ) -> Result<Arc<Route>, Refusal> {
        let same = |k: &Key| k.problem == *problem && k.me == *me && k.element == element;
        if let Some(at) = self.0.iter().position(|(key, _)| same(key)) {
            self.0[..=at].rotate_right(1);
        } else {
            let route = Arc::new(make()?);
            self.0.truncate(KEPT - 1);
            self.0.insert(0, (Key { problem: problem.clone(), me: me.clone(), element }, route));
        }
        Ok(self.0[0].1.clone())
    }

    /// Whether there was no call yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all: the next ones are made for another machine.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Axis, Cyclic, Grid, Rank};
    use crate::overlap::Overlap;
    use crate::schedule::machine::Machine;

    #[test]
    fn a_problem_seen_again_is_not_planned_again() {
        let axis = |block| Axis::new(Cyclic::new(block, 1, 0).unwrap(), 0);
        let problem = |len| {
            let dim = Overlap { from: axis(1), to: axis(2), len };
            let grid = Grid::row_major(&[1, 1]);
            Problem::whole(vec![dim.clone(), dim], grid.clone(), grid)
        };
        let at = Some(vec![0, 0]);
        let me = Place { rank: Rank(0), from: at.clone(), to: at, ranks: 1 };
        let mut plans = Plans::default();
        let mut of = |len, me: &Place| {
            let make = || Route::new(&problem(len), me, 8, &Machine::NODE, None);
            plans.of(&problem(len), me, 8, make).unwrap()
        };
        let first = of(1, &me);
        for len in 2..=KEPT as u64 {
            assert!(!Arc::ptr_eq(&first, &of(len, &me)));
        }
        assert!(Arc::ptr_eq(&first, &of(1, &me)), "still kept");
        of(1000, &me);
        assert!(Arc::ptr_eq(&first, &of(1, &me)), "used again, so kept");
        assert!(
            !Arc::ptr_eq(&first, &of(1, &Place { from: None, ..me.clone() })),
            "another place is another plan"
        );
        assert_eq!(plans.0.len(), KEPT);
    }
}

//! Cache of recent plans, so that a program that repeats calls plans once.

/// Maximum number of plans: more than a program alternates between, and few enough for a linear search.
const MAX_PLANS: usize = 32;

/// Recent plans of one rank, each with its key: the numbers that determine it. The most recently used comes first.
pub struct Recent<T>(Vec<(Box<[i64]>, T)>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Recent<T> {
    /// Returns whether the plan for `key` is cached; does not count as a use.
    pub fn has(&self, key: &[i64]) -> bool {
        self.at(key).is_some()
    }

    fn at(&self, key: &[i64]) -> Option<usize> {
        self.0.iter().position(|(known, _)| **known == *key)
    }

    /// Returns the plan for `key`, if it is cached, and marks it as used.
    pub fn find(&mut self, key: &[i64]) -> Option<T> {
        let at = self.at(key)?;
        if at > 0 {
            self.0[..=at].rotate_right(1);
        }
        Some(self.0[0].1.clone())
    }

    /// Adds a plan, and drops the least recently used one if the cache is full.
    pub fn keep(&mut self, key: &[i64], plan: T) {
        self.0.truncate(MAX_PLANS - 1);
        self.0.insert(0, (key.into(), plan));
    }

    /// Drops all plans. Needed when the machine model changes.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic, Grid, Rank};
    use crate::layout::intersect::Overlap;
    use crate::layout::problem::Problem;
    use crate::plan::Place;
    use crate::plan::rank_plan::RankPlan;
    use crate::system::machine::Proximity;
    use crate::system::settings::Settings;
    use std::sync::Arc;

    #[test]
    fn the_plans_used_last_are_kept() {
        let axis = Axis::new(Cyclic::ONE, 0);
        let grid = Grid::row_major(&[1]);
        let settings = Settings::read(|_| None).unwrap();
        let plan = || {
            let problem = Problem::whole(
                vec![Overlap { from: axis.clone(), to: axis.clone(), len: 3 }],
                grid.clone(),
                grid.clone(),
            );
            let me = Place::of(&problem, Rank(0), 1);
            Arc::new(RankPlan::new(problem, me, 8, &settings, Proximity::OneNode).unwrap())
        };
        let mut plans = Recent::default();
        let first = plan();
        plans.keep(&[0], first.clone());
        for k in 1..MAX_PLANS as i64 {
            assert!(plans.find(&[k]).is_none());
            plans.keep(&[k], plan());
        }
        assert!(Arc::ptr_eq(&first, &plans.find(&[0]).unwrap()), "still kept");
        plans.keep(&[1000], plan());
        assert!(Arc::ptr_eq(&first, &plans.find(&[0]).unwrap()), "used again, so kept");
        assert!(plans.find(&[1]).is_none(), "not used for longest");
        assert!(plans.has(&[2]) && !plans.has(&[1]));
        plans.keep(&[1001], plan());
        assert!(!plans.has(&[2]), "to be asked for is not to be used");
        assert_eq!(plans.0.len(), MAX_PLANS);
    }
}

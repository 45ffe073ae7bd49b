//! Creates redistributions to plan, and checks their plans.

use reblock::plan::rank_plan::RankPlan;
use reblock_plan::layout::distribution::{Axis, Cyclic, Dist, GenBlock, Grid, Local};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::layout::problem::Problem;
use reblock_plan::plan::{Message, Product, RankPhase};

/// Maximum number of messages of a plan, and of families of a message, that are checked one by one.
const SAMPLE: usize = 64;

pub fn cyclic(block: u64, procs: u32) -> Dist {
    Cyclic::new(block, procs, 0).expect("a valid distribution").into()
}

pub fn block(len: u64, procs: u32) -> Dist {
    cyclic(len.div_ceil(procs.into()), procs)
}

/// Returns a GEN_BLOCK distribution of `len` elements, with random blocks of up to twice the mean size.
pub fn uneven(rng: &mut fastrand::Rng, len: u64, procs: u32) -> Dist {
    let most = 2 * len / u64::from(procs);
    let mut cuts: Vec<u64> = (1..u64::from(procs))
        .map(|p| p * len / u64::from(procs) + rng.u64(0..most.max(1)) / 2)
        .chain([0, len])
        .collect();
    cuts.sort_unstable();
    let sizes: Vec<u64> = cuts.windows(2).map(|ends| ends[1].min(len) - ends[0].min(len)).collect();
    GenBlock::new(&sizes).expect("sizes").into()
}

/// Returns the redistribution of a whole array with `len` elements in each dimension.
pub fn problem(from: Vec<Dist>, to: Vec<Dist>, len: u64) -> Problem {
    let grid = |dists: &[Dist]| Grid::row_major(&dists.iter().map(Dist::procs).collect::<Vec<_>>());
    let grids = (grid(&from), grid(&to));
    let axis = |dist: Dist| Axis::new(dist, 0);
    let dims = from.into_iter().zip(to).map(|(p, q)| Overlap { from: axis(p), to: axis(q), len });
    Problem::whole(dims.collect(), grids.0, grids.1)
}

pub fn elements<const D: usize>(product: Product<'_, D>) -> u64 {
    product.whole().map(|range| range.end - range.start).product()
}

/// Returns whether the steps of `messages` ascend, so that none appears twice.
fn apart(messages: &[Message]) -> bool {
    messages.windows(2).all(|two| two[0].step < two[1].step)
}

/// Checks a plan: in a step, the rank sends at most one message and receives at most one; the received and kept
/// elements are those that the rank must have afterwards; and the elements of some messages belong to the two ranks of
/// the message.
pub fn check(planned: &RankPlan, name: &str) {
    for phase in &planned.phases.list {
        let plan: &RankPhase = phase;
        assert!(apart(&plan.sends.messages) && apart(&plan.receives.messages), "{name}: a step twice");
        for (side, me, forth) in
            [(&plan.sends, &planned.me.from, true), (&plan.receives, &planned.me.to, false)]
        {
            let Some(me) = me else { continue };
            for message in side.messages.iter().step_by(side.messages.len().div_ceil(SAMPLE).max(1)) {
                let there = if forth {
                    phase.problem.to.find(message.peer)
                } else {
                    phase.problem.from.find(message.peer)
                };
                let there = there.expect("a rank of the other side");
                let (from, to) = if forth { (me, &there) } else { (&there, me) };
                for (d, share) in side.product(message).dims().enumerate() {
                    let dim = &phase.problem.dims[d];
                    let axis = if forth { &dim.from } else { &dim.to };
                    for family in share.local.families().iter().take(SAMPLE) {
                        for local in [family.first(0), family.end(0) - 1] {
                            // Sections begin at index 0 and have a step of 1.
                            let i = axis.global(dim.len, me[d], Local(local));
                            let owners = (dim.from.owner(i), dim.to.owner(i));
                            assert_eq!(owners, (from[d], to[d]), "{name}: element {i} of dimension {d}");
                        }
                    }
                }
            }
        }
        let Some(to) = planned.me.to.as_ref() else { continue };
        let received: u64 = plan.receives.messages.iter().map(|m| elements(plan.receives.product(m))).sum();
        let kept = plan.copy.as_ref().map_or(0, |kept| elements(kept.product(0)));
        let has: u64 =
            phase.problem.dims.iter().zip(to).map(|(dim, &coord)| dim.destination_count(coord)).product();
        assert_eq!(received + kept, has, "{name}: every element once");
    }
}

//! Moves a matrix between the processor configurations of Sudarsan and Ribbens (2007), tables 1 and 2, in both
//! directions, and checks all elements.

use super::*;
use crate::schedule::checkerboard::table_2::{NEARLY_SQUARE, ONE_DIMENSIONAL, SKEWED};
use num_integer::Integer;

/// A matrix that moves between two grids: a superblock of blocks of 2 x 3 elements, and a part of the next one.
fn resized(from: [u32; 2], to: [u32; 2]) -> Case {
    let blocks = [2, 3];
    let extents = [0, 1].map(|d| u64::from(from[d].lcm(&to[d])) * blocks[d] + 1);
    Case::dealt([from, to], extents, blocks)
}

#[test]
fn all_elements_reach_the_papers_configurations_and_return() {
    let grids = NEARLY_SQUARE.into_iter().chain(SKEWED).map(|(from, to, ..)| {
        let changes = (0..2).filter(|&d| from[d] != to[d]).count();
        ([from, to], Some(if changes > 1 { "checkerboard" } else { "circulant" }))
    });
    let lines = ONE_DIMENSIONAL.into_iter();
    let lines = lines.flat_map(|(p, q, ..)| [[[1, p], [1, q]], [[p, 1], [q, 1]]].map(|ends| (ends, None)));
    let mut rng = fastrand::Rng::with_seed(seed());
    for ([from, to], scheduler) in grids.chain(lines) {
        for [from, to] in [[from, to], [to, from]] {
            let done = check(resized(from, to), &mut rng, &Machine::NETWORK, scheduler);
            assert!(done.is_some(), "{from:?} -> {to:?} by {scheduler:?}");
        }
    }
}

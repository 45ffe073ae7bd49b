//! Table 2 of Sudarsan and Ribbens (2007), with three kinds of topologies. The paper prints growing grids; the tests
//! exchange the two grids for shrinking ones.

/// Two grids; steps, local copies and messages of a superblock; the fewest steps without local copies.
pub type Row = ([u32; 2], [u32; 2], u64, u64, u64, u64);

/// The nearly square grids of Table 1.
pub const NEARLY_SQUARE: [Row; 16] = [
    ([1, 2], [2, 2], 2, 2, 2, 1),
    ([2, 2], [2, 3], 3, 3, 9, 3),
    ([2, 2], [2, 4], 2, 2, 6, 2),
    ([2, 3], [3, 3], 3, 6, 12, 2),
    ([2, 4], [4, 4], 2, 8, 8, 1),
    ([3, 3], [3, 4], 4, 6, 30, 4),
    ([3, 4], [4, 4], 4, 12, 36, 3),
    ([4, 4], [4, 5], 5, 10, 70, 5),
    ([4, 5], [5, 5], 5, 20, 80, 4),
    ([5, 5], [5, 6], 6, 15, 135, 6),
    ([5, 5], [5, 8], 8, 7, 193, 8),
    ([5, 6], [6, 6], 6, 30, 150, 5),
    ([6, 6], [6, 8], 4, 12, 132, 4),
    ([2, 2], [4, 5], 10, 2, 38, 10),
    ([2, 4], [5, 8], 10, 8, 72, 9),
    ([2, 4], [5, 10], 25, 8, 192, 24),
];

/// Numbers of processes of one-dimensional topologies, with the printed steps, local copies and messages.
pub const ONE_DIMENSIONAL: [(u32, u32, u64, u64, u64); 16] = [
    (2, 4, 2, 2, 2),
    (4, 6, 3, 4, 8),
    (4, 8, 2, 4, 4),
    (6, 9, 3, 6, 12),
    (8, 16, 2, 8, 8),
    (9, 12, 4, 9, 27),
    (12, 16, 4, 12, 36),
    (16, 20, 5, 16, 64),
    (20, 25, 5, 20, 80),
    (25, 30, 6, 25, 125),
    (25, 40, 8, 20, 180),
    (30, 36, 6, 30, 150),
    (36, 48, 4, 36, 108),
    (4, 20, 10, 4, 36),
    (8, 40, 10, 8, 72),
    (8, 50, 25, 8, 192),
];

/// The skewed grids. The paper does not say which grids of Table 1 it means; these match the figures of Table 2, except
/// from 30 to 36 processes. There the paper prints 6 steps, as for the other topologies, but this superblock has 540
/// blocks, 18 on each of the 30 processes.
pub const SKEWED: [Row; 16] = [
    ([1, 2], [2, 2], 2, 2, 2, 1),
    ([2, 2], [2, 3], 3, 3, 9, 3),
    ([2, 2], [2, 4], 2, 2, 6, 2),
    ([3, 2], [3, 3], 3, 3, 15, 3),
    ([2, 4], [2, 8], 2, 4, 12, 2),
    ([3, 3], [6, 2], 4, 3, 33, 4),
    ([6, 2], [8, 2], 4, 12, 36, 3),
    ([8, 2], [10, 2], 5, 16, 64, 4),
    ([10, 2], [5, 5], 5, 5, 95, 5),
    ([5, 5], [10, 3], 6, 4, 146, 6),
    ([5, 5], [2, 20], 8, 25, 175, 7),
    ([10, 3], [18, 2], 18, 15, 525, 18),
    ([18, 2], [24, 2], 4, 36, 108, 3),
    ([2, 2], [2, 10], 5, 2, 18, 5),
    ([2, 4], [2, 20], 5, 4, 36, 5),
    ([2, 4], [5, 10], 25, 8, 192, 24),
];

#[cfg(test)]
mod tests {
    use super::super::tests::{of, recount, superblock};
    use super::{NEARLY_SQUARE, ONE_DIMENSIONAL, SKEWED};
    use crate::schedule::certificate::Certificate;
    use crate::schedule::colouring;

    /// Returns the steps with local copies, the steps without, the local copies, and the messages. Checks that the
    /// steps of both schedules are matchings.
    fn figures(from: [u32; 2], to: [u32; 2]) -> [u64; 4] {
        let traffic = superblock(&from, &to);
        let names = ["circulant", "classes", "checkerboard"];
        let all = names.iter().filter_map(|name| of(&traffic, name).ok());
        let (made, certificate) = all.min_by_key(|(_, c)| (c.steps, c.cost)).unwrap();
        // The paper counts self copies; the certificate does not.
        let counted = recount(&traffic, made.as_ref(), true);
        assert_eq!(recount(&traffic, made.as_ref(), false), certificate, "{from:?} -> {to:?}");
        let listed = traffic.listed().unwrap();
        // `count` panics if a rank is twice in a step.
        let without = Certificate::count(&listed.graph, &colouring::colour(&listed.graph));
        assert!(counted.fewest_steps() && without.fewest_steps(), "{from:?} -> {to:?}");
        [counted.steps, without.steps, listed.kept.len() as u64, listed.graph.edges().len() as u64]
    }

    #[test]
    fn checkerboards_have_the_steps_and_messages_that_are_printed_both_ways() {
        for (from, to, steps, kept, messages, fewest) in NEARLY_SQUARE.into_iter().chain(SKEWED) {
            for (from, to) in [(from, to), (to, from)] {
                assert_eq!(figures(from, to), [steps, fewest, kept, messages], "{from:?} -> {to:?}");
            }
        }
    }

    #[test]
    fn rows_of_processes_have_no_more_steps_and_messages_than_are_printed() {
        for (p, q, steps, kept, messages) in ONE_DIMENSIONAL {
            let ours = figures([1, p], [1, q]);
            for (from, to) in [([1, q], [1, p]), ([p, 1], [q, 1]), ([q, 1], [p, 1])] {
                assert_eq!(figures(from, to), ours, "{from:?} -> {to:?}");
            }
            match (p, q) {
                // The smaller number divides the larger one, so this superblock has half of the blocks that the printed
                // figures count.
                (4, 20) | (8, 40) => assert_eq!(ours, [5, 4, p.into(), u64::from(q - p)]),
                // Each of the 25 processes keeps one of the 200 blocks; the paper prints 20 copies.
                (25, 40) => assert_eq!((ours[0], ours[2], ours[3]), (steps, 25, 175)),
                _ => assert_eq!([ours[0], ours[2], ours[3]], [steps, kept, messages], "{p} -> {q}"),
            }
            assert!(ours[0] <= steps && ours[1] <= steps && ours[3] <= messages, "{p} -> {q}");
        }
    }
}

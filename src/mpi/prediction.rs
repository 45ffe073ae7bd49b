//! Prediction of the next ranks in a list of ranks.
//!
//! Ranks of a process grid in another communicator usually have a regular order: consecutive ranks, columns of a
//! row-major grid, or tiles of a grid on nodes. The distances between successive ranks then repeat on several levels.
//! As in LZ77, a prediction copies the distances that followed an earlier occurrence of the last ones, or repeats one
//! distance. A list that repeats on a few levels takes a few corrections per level.

use std::collections::HashMap;

pub struct Prediction {
    last: Option<i64>,
    /// Distances between successive known ranks.
    distances: Vec<i64>,
    /// For each pair of different successive distances, the position after its latest occurrence.
    after_pair: HashMap<[i64; 2], usize>,
    /// For each predicted distance and the actual one, the position after the latest occurrence.
    after_correction: HashMap<[i64; 2], usize>,
    next: PredictedDistance,
    /// Whether the last known rank was a correction.
    is_corrected: bool,
}

#[derive(Clone, Copy)]
enum PredictedDistance {
    Repeated(i64),
    /// Copies of the known distances from this position on.
    Copied(usize),
}

impl Prediction {
    /// Creates a prediction of ranks 0, 1, 2, …
    pub fn new() -> Self {
        Self {
            last: None,
            distances: Vec::new(),
            after_pair: HashMap::new(),
            after_correction: HashMap::new(),
            next: PredictedDistance::Repeated(1),
            is_corrected: false,
        }
    }

    /// Returns the next `count` ranks, which may be out of range, or repeat.
    pub fn ranks(&self, count: usize) -> Vec<i64> {
        let (mut rank, known) = (self.last.unwrap_or(-1), self.distances.len());
        let mut distances: Vec<i64> = Vec::with_capacity(count);
        for k in 0..count {
            distances.push(match self.next {
                PredictedDistance::Repeated(distance) => distance,
                PredictedDistance::Copied(from) if from + k < known => self.distances[from + k],
                // A copy may overlap with itself: the distances copied first are copied again.
                PredictedDistance::Copied(from) => distances[from + k - known],
            });
        }
        distances
            .iter()
            .map(|distance| {
                rank += distance;
                rank
            })
            .collect()
    }

    /// Adds the first `count` predicted ranks to the known ranks.
    pub fn confirm(&mut self, count: usize) {
        for rank in self.ranks(count) {
            self.add(rank);
            self.is_corrected = false;
        }
        if let PredictedDistance::Copied(from) = &mut self.next {
            *from += count;
        }
    }

    /// Adds a known rank, which may differ from the prediction.
    pub fn correct(&mut self, rank: i64) {
        let before = self.distances.last().copied();
        let predicted = self.ranks(1)[0] - self.last.unwrap_or(-1);
        let Some((distance, like_pair)) = self.add(rank) else { return };
        let like_correction = self.after_correction.insert([predicted, distance], self.distances.len());
        self.next = match (before, like_correction.or(like_pair)) {
            (_, Some(earlier)) => PredictedDistance::Copied(earlier),
            // One new distance counts as a jump between two runs; a second one, as the distance of the next run.
            (Some(before), None) if !self.is_corrected => PredictedDistance::Repeated(before),
            _ => PredictedDistance::Repeated(distance),
        };
        self.is_corrected = true;
    }

    /// Adds a known rank. Returns the distance to it, unless it is the first, and the position after the latest earlier
    /// occurrence of this distance and the one before, if they differ.
    fn add(&mut self, rank: i64) -> Option<(i64, Option<usize>)> {
        let distance = rank - self.last.replace(rank)?;
        let before = self.distances.last().copied();
        self.distances.push(distance);
        let pair = before.filter(|&before| before != distance).map(|before| [before, distance]);
        Some((distance, pair.and_then(|pair| self.after_pair.insert(pair, self.distances.len()))))
    }
}

#[cfg(test)]
mod tests {
    use super::Prediction;

    /// Returns the number of corrections for a list of ranks, predicted in groups of `group`.
    fn corrections(ranks: &[i64], group: usize) -> usize {
        let (mut prediction, mut known, mut corrections) = (Prediction::new(), 0, 0);
        while known < ranks.len() {
            let predicted = prediction.ranks(group.min(ranks.len() - known));
            let right = predicted.iter().zip(&ranks[known..]).take_while(|(a, b)| a == b).count();
            prediction.confirm(right);
            known += right;
            if right < predicted.len() {
                prediction.correct(ranks[known]);
                known += 1;
                corrections += 1;
            }
        }
        corrections
    }

    /// Returns the ranks of a row-major grid whose processes are placed tile by tile, at each level: the shapes of the
    /// tiles, those of the whole grid first.
    fn tile_ranks(levels: &[[i64; 2]]) -> Vec<i64> {
        let [rows, cols] = levels.iter().fold([1, 1], |size, level| [size[0] * level[0], size[1] * level[1]]);
        let rank = |(row, col): (i64, i64)| {
            let (mut at, mut size, mut rank) = ([row, col], [rows, cols], 0);
            for level in levels {
                size = [size[0] / level[0], size[1] / level[1]];
                rank = (rank * level[0] + at[0] / size[0]) * level[1] + at[1] / size[1];
                at = [at[0] % size[0], at[1] % size[1]];
            }
            rank
        };
        (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))).map(rank).collect()
    }

    #[test]
    fn regular_orders_take_few_corrections() {
        for group in [1, 3, 8] {
            let check = |most: usize, ranks: &[i64]| {
                let found = corrections(ranks, group);
                assert!(found <= most, "{found} corrections in groups of {group}");
            };
            check(0, &(0..5000).collect::<Vec<_>>());
            check(1, &(7..5000).collect::<Vec<_>>());
            check(2, &(0..5000).rev().collect::<Vec<_>>());
            check(2, &(0..5000).map(|k| 3 + 4 * k).collect::<Vec<_>>());
            // Columns of a grid.
            check(4, &(0..64).flat_map(|col| (0..80).map(move |row| row * 64 + col)).collect::<Vec<_>>());
            // Tiles on nodes, sockets and cores.
            check(12, &tile_ranks(&[[50, 40], [8, 16]]));
            check(24, &tile_ranks(&[[10, 20], [2, 2], [4, 8]]));
            // Two runs, the second of other distances.
            check(4, &(0..900).chain((0..900).map(|k| 5000 - 3 * k)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn all_ranks_are_known_in_the_end() {
        // Every order of a few ranks: `corrections` compares each predicted rank.
        let mut ranks = [0, 1, 2, 3, 4, 5, 6];
        let mut counters = [0; 7];
        let mut at = 1;
        while at < ranks.len() {
            if counters[at] < at {
                ranks.swap(if at % 2 == 0 { 0 } else { counters[at] }, at);
                assert!(corrections(&ranks, 4) <= ranks.len());
                counters[at] += 1;
                at = 1;
            } else {
                counters[at] = 0;
                at += 1;
            }
        }
    }
}

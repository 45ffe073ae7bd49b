//! Steps of the messages at each port, and the free steps of a port.
//!
//! A port has a table of all steps, or a list of its messages if it has fewer than one for each 64 steps. So memory is
//! proportional to the number of messages.

const NONE: u32 = u32::MAX;

/// The senders or the receivers of a graph.
pub struct PortSteps {
    steps: usize,
    rows: Vec<PortRow>,
}

enum PortRow {
    /// The message in each step, or [`NONE`], and a bit set of the free steps.
    Table(Vec<u32>, Vec<u64>),
    /// Pairs (step, message), unsorted.
    List(Vec<(usize, u32)>),
}

impl PortSteps {
    /// Creates ports without messages. Port k can hold `degrees[k]` messages, in steps below `steps`.
    pub fn new(degrees: &[u32], steps: usize) -> Self {
        let row = |&degree: &u32| match degree as usize {
            degree if degree.saturating_mul(64) < steps => PortRow::List(Vec::with_capacity(degree)),
            _ => PortRow::Table(vec![NONE; steps], first_bits(steps).collect()),
        };
        Self { steps, rows: degrees.iter().map(row).collect() }
    }

    pub fn get(&self, port: u32, step: usize) -> Option<u32> {
        match &self.rows[port as usize] {
            PortRow::Table(edges, _) => Some(edges[step]).filter(|&edge| edge != NONE),
            PortRow::List(list) => list.iter().find(|&&(at, _)| at == step).map(|&(_, edge)| edge),
        }
    }

    /// Records message `edge` of `port` in `step`, which must be free.
    pub fn put(&mut self, port: u32, step: usize, edge: u32) {
        match &mut self.rows[port as usize] {
            PortRow::Table(edges, free) => {
                edges[step] = edge;
                free[step / 64] &= !(1 << (step % 64));
            }
            PortRow::List(list) => list.push((step, edge)),
        }
    }

    pub fn clear(&mut self, port: u32, step: usize) {
        match &mut self.rows[port as usize] {
            PortRow::Table(edges, free) => {
                edges[step] = NONE;
                free[step / 64] |= 1 << (step % 64);
            }
            PortRow::List(list) => list.retain(|&(at, _)| at != step),
        }
    }

    /// Writes the bit set of the free steps of `port` to `free`.
    pub fn free(&self, port: u32, free: &mut Vec<u64>) {
        free.clear();
        match &self.rows[port as usize] {
            PortRow::Table(_, bits) => free.extend_from_slice(bits),
            PortRow::List(list) => {
                free.extend(first_bits(self.steps));
                list.iter().for_each(|&(step, _)| free[step / 64] &= !(1 << (step % 64)));
            }
        }
    }
}

/// Yields the words of a bit set with the first `steps` bits set.
fn first_bits(steps: usize) -> impl Iterator<Item = u64> {
    (0..steps.div_ceil(64)).map(move |k| if steps - k * 64 < 64 { (1 << (steps % 64)) - 1 } else { u64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Returns the bit set of the steps that are not in the map.
    fn free_in(naive: &BTreeMap<usize, u32>, steps: usize) -> Vec<u64> {
        let mut bits = vec![0; steps.div_ceil(64)];
        (0..steps)
            .filter(|step| !naive.contains_key(step))
            .for_each(|step| bits[step / 64] |= 1 << (step % 64));
        bits
    }

    #[test]
    fn tables_and_lists_map_steps_to_messages() {
        let mut rng = fastrand::Rng::with_seed(11);
        // (Messages, steps) of a port. The first four cases are tables, the others lists.
        for (degree, steps) in [(4, 4), (3, 64), (5, 65), (2, 128), (1, 65), (2, 1000), (3, 6400)] {
            let mut ports = PortSteps::new(&[degree], steps);
            assert_eq!(matches!(ports.rows[0], PortRow::List(_)), degree as usize * 64 < steps);
            let (mut naive, mut free) = (BTreeMap::new(), Vec::new());
            for edge in 0..200 {
                let step = rng.usize(0..steps);
                if naive.remove(&step).is_some() {
                    ports.clear(0, step);
                } else if naive.len() < degree as usize {
                    naive.insert(step, edge);
                    ports.put(0, step, edge);
                } else if let Some((&step, _)) = naive.iter().nth(rng.usize(0..naive.len())) {
                    naive.remove(&step);
                    ports.clear(0, step);
                }
                ports.free(0, &mut free);
                assert_eq!(free, free_in(&naive, steps), "{steps} steps");
                assert!((0..steps).all(|step| ports.get(0, step) == naive.get(&step).copied()));
            }
        }
    }
}

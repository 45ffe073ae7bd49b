//! Division of messages into tiles. A block of threads copies one tile.

use super::{BLOCK, LANES, MAX_POSITIONS, MessageRow, Tables, narrow};

/// Number of rows, and of columns, of a transposed tile: TURNED of the kernels.
const TURNED: u64 = 32;
/// Maximum number of columns of a tile: MAX_COLUMNS of the kernels.
const MAX_COLUMNS: u64 = 128;
/// Units per tile: four for each thread of a block.
const TILE: u64 = 1024;

impl Tables {
    /// Chooses the tile, and numbers the tiles of each launch.
    pub(super) fn arranged(mut self) -> Self {
        let total = |level: u32| u64::from(self.levels[level as usize].total);
        let size = |m: &&MessageRow| total(m.first_level).saturating_mul(m.columns.into());
        let Some(largest) = self.messages.iter().max_by_key(size) else { return self };
        let (rows, columns) = (total(largest.first_level), u64::from(largest.columns));
        let lanes = LANES.max(TILE / columns.min(TILE)).min(rows).next_power_of_two().min(BLOCK.into());
        let across = (TILE / lanes).min(MAX_COLUMNS);
        let tiles: Vec<u64> = (self.messages.iter())
            .map(|m| match self.is_transposed {
                false => total(m.first_level).div_ceil(lanes) * u64::from(m.columns).div_ceil(across),
                true => {
                    let width = total(m.first_level + 1);
                    let outer = u64::from(m.columns) / width;
                    total(m.first_level).div_ceil(TURNED) * width.div_ceil(TURNED) * outer
                }
            })
            .collect();
        self.tile = if self.is_transposed { [narrow(TURNED); 2] } else { [narrow(lanes), narrow(across)] };
        let (mut begin, mut blocks) = (0, 0);
        self.launches.clear();
        for (k, tiles) in tiles.into_iter().enumerate() {
            if blocks + tiles > MAX_POSITIONS && k > begin {
                self.launches.push((begin..k, narrow(blocks)));
                (begin, blocks) = (k, 0);
            }
            self.messages[k].first_tile = narrow(blocks);
            blocks += tiles;
        }
        self.launches.push((begin..self.messages.len(), narrow(blocks)));
        self
    }
}

//! Builds the tables that describe a copy for the kernels (`kernels/kernels.h`), from a nest of loops or a list of
//! runs.
//!
//! A copy becomes one or several messages. The innermost loop of a message is over its rows, the others are over its
//! columns; a row is one unit, or one number of an update.
//!
//! 1. Offsets count from the first element, so that each message's addresses lie within the arrays.
//! 2. The unit of a copy is the largest power of two, at most 16 bytes, that divides all runs, distances and addresses.
//!    If elements are not contiguous and longer than the unit, the units of an element are the rows, and all loops are
//!    columns.
//! 3. A single long run is divided into rows and columns: a tile of one column would leave most threads idle.
//! 4. The kernels count positions in 32 bits. Longer loops are divided among several messages.
//!
//! Cost: proportional to the families of all loops.

mod loops;
mod tiles;

use crate::pack::block::CopyRun;
use crate::pack::nest::Nest;
use loops::{Loop, LoopRuns, signed};
use std::ops::Range;

/// Maximum size of a unit in bytes.
const MAX_UNIT: u64 = 16;
/// Threads per block: BLOCK of the kernels.
pub const BLOCK: u32 = 256;
/// Rows of a tile if there are enough columns: one for each thread of a warp.
const LANES: u64 = 32;
/// Number of columns of a message below which a single long run is divided into rows and columns.
const MIN_COLUMNS: u64 = 1024;
/// Maximum number of rows, and of columns, of a message, and of blocks of a launch.
const MAX_POSITIONS: u64 = 1 << 30;

/// `struct family` of the kernels.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct FamilyRow {
    start: [i64; 2],
    stride: [i64; 2],
    len: u32,
    count: u32,
    first: u32,
    unused: u32,
}

/// `struct level` of the kernels.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct LevelRow {
    step: [i64; 2],
    period: [i64; 2],
    families: u32,
    bodies: u32,
    tails: u32,
    reps: u32,
    per_period: u32,
    total: u32,
}

/// `struct message` of the kernels.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct MessageRow {
    at: [u64; 2],
    first_level: u32,
    levels: u32,
    columns: u32,
    first_tile: u32,
}

/// Tables of a copy for one kernel.
#[derive(Debug)]
pub struct Tables {
    pub messages: Vec<MessageRow>,
    pub levels: Vec<LevelRow>,
    pub families: Vec<FamilyRow>,
    /// Bytes of a row: the unit of a copy, or a number of an update.
    pub unit: u64,
    /// True if tiles are transposed.
    pub is_transposed: bool,
    /// True if all addresses of an update are multiples of a number's size.
    pub aligned: bool,
    /// Rows and columns of a tile.
    pub tile: [u32; 2],
    /// The messages and the number of blocks of each launch.
    pub launches: Vec<(Range<usize>, u32)>,
    /// Limit of the numbers of rows and columns: [`MAX_POSITIONS`], less in tests.
    max: u64,
}

/// Meaning of a row in the kernels.
#[derive(Clone, Copy, Debug)]
pub enum RowUnit {
    /// A unit of bytes; elements have this many bytes.
    Bytes(usize),
    /// A number of an update, of this many bytes.
    Number(usize),
}

/// Converts a distance in bytes, which may be negative modulo 2^64.
fn distance(bytes: usize) -> i64 {
    i64::from_ne_bytes((bytes as u64).to_ne_bytes())
}

/// Converts a number that [`Tables`] has limited to 32 bits.
fn narrow(n: u64) -> u32 {
    u32::try_from(n).expect("a limited number")
}

impl Tables {
    /// Returns the tables for the elements of `nest` between the arrays at `ends`; `None` if there are none.
    pub fn of_nest(nest: &Nest<'_>, ends: [u64; 2], row: RowUnit) -> Option<Self> {
        Self::of_nest_up_to(nest, ends, row, MAX_POSITIONS)
    }

    fn of_nest_up_to(nest: &Nest<'_>, ends: [u64; 2], row: RowUnit, max: u64) -> Option<Self> {
        if nest.is_empty() {
            return None;
        }
        let (RowUnit::Bytes(element) | RowUnit::Number(element)) = row;
        let mut loops = Vec::new();
        for level in nest.levels() {
            let mut one = Loop { step: level.stride().map(|stride| stride as i64), runs: Vec::new() };
            level.each(|f| one.push(f.into()));
            loops.push(one);
        }
        let at = std::array::from_fn(|d| ends[d].wrapping_add_signed(nest.offset[d] as i64));
        Some(Self::new(at, loops, row, nest.is_transposition(element), max))
    }

    /// Returns the tables for `runs` between the arrays at `ends`; `None` if there are none.
    pub fn of_runs(runs: &[CopyRun], ends: [u64; 2], row: RowUnit) -> Option<Self> {
        let first = runs.first()?;
        let origin = [first.src, first.dst];
        let at = std::array::from_fn(|d| ends[d].wrapping_add(origin[d] as u64));
        let start =
            |run: &CopyRun| std::array::from_fn(|d| distance([run.src, run.dst][d].wrapping_sub(origin[d])));
        let element = match row {
            RowUnit::Bytes(_) => 1,
            RowUnit::Number(bytes) => signed(bytes as u64),
        };
        let regular = runs.iter().all(|run| start(run).iter().all(|at| at % element == 0));
        if regular {
            let mut rows = Loop { step: [element; 2], runs: Vec::new() };
            for run in runs {
                rows.push(LoopRuns::one(start(run), run.len as u64).divided(element));
            }
            let row = if element == 1 { RowUnit::Bytes(1) } else { row };
            return Some(Self::new(at, vec![rows], row, false, MAX_POSITIONS));
        }
        // Some distance is no multiple of a number's size: each run becomes a message.
        let mut tables = Self::empty(element.unsigned_abs(), MAX_POSITIONS);
        for run in runs {
            let at: [u64; 2] = std::array::from_fn(|d| at[d].wrapping_add_signed(start(run)[d]));
            let rows = LoopRuns::one([0; 2], run.len as u64).divided(element);
            tables.add(at, vec![Loop { step: [element; 2], runs: vec![rows] }]);
        }
        tables.aligned = false;
        Some(tables)
    }

    /// Joins tables for the same kernel, so that one launch copies all of them. Copies at different alignments have
    /// different kernels.
    pub fn joined(all: Vec<Self>) -> Vec<Self> {
        let mut joined: Vec<Self> = Vec::new();
        for tables in all {
            let same = |known: &&mut Self| {
                (known.unit, known.is_transposed, known.aligned)
                    == (tables.unit, tables.is_transposed, tables.aligned)
            };
            match joined.iter_mut().find(same) {
                Some(known) => known.append(tables),
                None => joined.push(tables),
            }
        }
        joined.into_iter().map(Self::arranged).collect()
    }

    fn append(&mut self, other: Self) {
        let [levels, families] = [self.levels.len(), self.families.len()].map(|count| narrow(count as u64));
        self.messages.extend(
            other.messages.iter().map(|row| MessageRow { first_level: row.first_level + levels, ..*row }),
        );
        self.levels
            .extend(other.levels.iter().map(|row| LevelRow { families: row.families + families, ..*row }));
        self.families.extend(other.families);
    }

    fn empty(unit: u64, max: u64) -> Self {
        Self {
            messages: Vec::new(),
            levels: Vec::new(),
            families: Vec::new(),
            unit,
            is_transposed: false,
            aligned: true,
            tile: [0; 2],
            launches: Vec::new(),
            max,
        }
    }

    /// Builds the tables of `loops`, the innermost first, which start at the addresses `at`.
    fn new(mut at: [u64; 2], mut loops: Vec<Loop>, row: RowUnit, transposed: bool, max: u64) -> Self {
        for one in &mut loops {
            let first = one.normalize();
            at = std::array::from_fn(|d| at[d].wrapping_add_signed(first[d]));
        }
        let steps = |loops: &[Loop]| {
            loops.iter().flat_map(|one| one.step).fold(at[0] | at[1], |bits, step| bits | step.unsigned_abs())
        };
        let one =
            |len: u64, step: u64| Loop { step: [signed(step); 2], runs: vec![LoopRuns::one([0; 2], len)] };
        let mut tables = match row {
            RowUnit::Number(element) => {
                // A source at address 0 is not read.
                let aligned = steps(&loops) % element as u64 == 0;
                if loops.is_empty() {
                    loops.push(one(1, element as u64));
                }
                Self { aligned, is_transposed: transposed && aligned, ..Self::empty(element as u64, max) }
            }
            RowUnit::Bytes(element) => {
                let (element, contiguous) = (element as u64, [signed(element as u64); 2]);
                let unit = |bits: u64| (1 << bits.trailing_zeros().min(63)).min(MAX_UNIT);
                if loops.first().is_some_and(|rows| rows.step != contiguous) || loops.is_empty() {
                    let unit = unit(steps(&loops) | element);
                    if unit != element {
                        loops.insert(0, one(element / unit, unit));
                    }
                    Self { is_transposed: transposed && unit == element, ..Self::empty(unit, max) }
                } else {
                    let rows = &mut loops[0];
                    rows.runs.iter_mut().for_each(|runs| *runs = runs.scaled(contiguous[0]));
                    let bits = rows.runs.iter().fold(0, |bits, runs| bits | runs.bits());
                    let unit = unit(bits | steps(&loops[1..]));
                    let rows = &mut loops[0];
                    rows.runs.iter_mut().for_each(|runs| *runs = runs.divided(signed(unit)));
                    rows.step = [signed(unit); 2];
                    Self::empty(unit, max)
                }
            }
        };
        if loops.is_empty() {
            loops.push(one(1, tables.unit));
        }
        tables.divide(at, loops);
        tables
    }

    /// Adds the messages of `loops`; divides a single long run into rows and columns.
    fn divide(&mut self, at: [u64; 2], mut loops: Vec<Loop>) {
        let columns = loops[1..].iter().map(Loop::total).fold(1, u64::saturating_mul);
        if let [LoopRuns { start: [0, 0], len, count: 1, .. }] = loops[0].runs[..] {
            if !self.is_transposed && len > LANES && columns < MIN_COLUMNS {
                let (step, whole) = (loops[0].step, len / LANES);
                let by = step.map(|step| step * signed(LANES));
                if len % LANES > 0 {
                    let mut rest = loops.clone();
                    rest[0].runs[0].len = len % LANES;
                    let behind = |d: usize| at[d].wrapping_add_signed(by[d].wrapping_mul(signed(whole)));
                    self.add(std::array::from_fn(behind), rest);
                }
                loops[0].runs[0].len = LANES;
                loops.insert(1, Loop { step: by, runs: vec![LoopRuns::one([0; 2], whole)] });
            }
        }
        self.add(at, loops);
    }

    /// Adds one message, or several if a number of positions or of blocks exceeds the limit.
    fn add(&mut self, at: [u64; 2], loops: Vec<Loop>) {
        let totals: Vec<u64> = loops.iter().map(Loop::total).collect();
        let columns = totals[1..].iter().copied().fold(1, u64::saturating_mul);
        let long = match totals[0] > self.max {
            true => Some(0),
            false if columns > self.max => totals.iter().rposition(|&total| total > 1).filter(|&d| d > 0),
            false => None,
        };
        if let Some(d) = long {
            for half in loops[d].halves() {
                let mut loops = loops.clone();
                loops[d] = half;
                self.add(at, loops);
            }
            return;
        }
        let first_level = narrow(self.levels.len() as u64);
        for (one, &total) in loops.iter().zip(&totals) {
            let (families, tails) = (narrow(self.families.len() as u64), narrow(one.runs.len() as u64));
            let mut first = 0;
            for f in &one.runs {
                let (len, count) = (narrow(f.len), narrow(f.count));
                self.families.push(FamilyRow {
                    start: f.start,
                    stride: f.stride,
                    len,
                    count,
                    first,
                    unused: 0,
                });
                first += len * count;
            }
            let total = narrow(total);
            self.levels.push(LevelRow { step: one.step, families, tails, total, ..LevelRow::default() });
        }
        let (levels, columns) = (narrow(loops.len() as u64), narrow(columns));
        self.messages.push(MessageRow { at, first_level, levels, columns, first_tile: 0 });
    }
}

#[cfg(test)]
mod tests;

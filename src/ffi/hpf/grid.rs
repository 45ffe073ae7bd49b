//! Shapes of process grids, for a BLACS program that changes its number of processes.

use super::super::outcome::{list, optional, status_of, write_values};
use crate::collective::failure::{Code, Failure};
use crate::layout::distribution::nearly_square;
use crate::plan::topology::{Choice, Matrix, cheapest_grid, seconds};
use crate::system::settings::Settings;

/// Finds a process grid for `processes` processes; `grid` gets its rows and columns. If `skew` is 0 or `present` is
/// NULL, the grid is as nearly square as possible, with no more rows than columns. Otherwise, the candidates are all
/// grids whose longer side is at most `skew` times the shorter side; if there are none, the nearly square grid. Grids
/// that leave a process without a block are left out, unless all grids do. The function chooses the candidate with the
/// fastest move of a matrix from the grid `present`, by the model of the network (REBLOCK_NETWORK). The matrix has
/// `extents` rows and columns, in blocks of `block`, with elements of `element` bytes. Both grids take the processes
/// row by row, beginning with the first. `time` gets the predicted seconds of the move, 0 without `present`. Not
/// collective.
///
/// # Safety
/// `grid` has room for two numbers; `extents`, `block` and `present` have two entries; `time` is NULL or has room for
/// one number. If `present` is NULL, `extents` and `block` are not read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_grid_for(
    processes: i64,
    extents: *const i64,
    block: *const i64,
    element: i64,
    present: *const i64,
    skew: i64,
    grid: *mut i64,
    time: *mut f64,
) -> i32 {
    status_of(|| {
        let procs = positive::<u32>(processes, "processes")?;
        if grid.is_null() {
            return Err(Failure::argument("grid is NULL, expected room for two numbers"));
        }
        // SAFETY: `present` is NULL or has as many entries as are read.
        let present = unsafe { optional(present, 2, "present")? };
        let choice = match present {
            None => Choice { grid: nearly_square(procs), seconds: 0.0 },
            Some(present) => {
                // SAFETY: `extents` and `block` are NULL or have as many entries as are read.
                let (extents, block) = unsafe { (list(extents, 2, "extents")?, list(block, 2, "block")?) };
                let (extent, block) = (pair(extents, "extents")?, pair(block, "block")?);
                let matrix = Matrix { extent, block, element: positive(element, "element")? };
                choose(procs, &matrix, pair(present, "present")?, skew)?
            }
        };
        // SAFETY: `grid` and `time` are NULL or have room for the results.
        unsafe {
            write_values(grid, choice.grid.map(i64::from))?;
            write_values(time, [choice.seconds])?;
        }
        Ok(())
    })
}

fn choose(procs: u32, matrix: &Matrix, present: [u32; 2], skew: i64) -> Result<Choice, Failure> {
    let settings = Settings::of_process().map_err(|why| Failure::new(Code::Settings, why))?;
    if skew >= 1 {
        let skew = u32::try_from(skew).unwrap_or(u32::MAX);
        return Ok(cheapest_grid(procs, std::slice::from_ref(matrix), present, skew, &settings.network));
    }
    let grid = nearly_square(procs);
    Ok(Choice { grid, seconds: seconds(matrix, present, grid, &settings.network) })
}

fn pair<T: TryFrom<i64>>(numbers: &[i64], what: &str) -> Result<[T; 2], Failure> {
    Ok([positive(numbers[0], &format!("{what}[0]"))?, positive(numbers[1], &format!("{what}[1]"))?])
}

/// Converts a number that must be at least 1, and at most 2^31 - 1 (`u32`: processes) or 2^62 (`u64`: rows, bytes).
/// Both limits are above real sizes.
fn positive<T: TryFrom<i64>>(n: i64, what: &str) -> Result<T, Failure> {
    let most = if size_of::<T>() == size_of::<u32>() { i64::from(i32::MAX) } else { 1 << 62 };
    let why = || Failure::argument(format!("{what} is {n}, expected a number from 1 to {most}"));
    T::try_from(n).ok().filter(|_| (1..=most).contains(&n)).ok_or_else(why)
}

//! HOW long do libraries take, side by side? A bar up to the median, and a line from the least to the 99th percentile.

use super::svg;
use plotters::prelude::*;

/// Pixels across, and of each bar.
const SIZE: (u32, u32) = (240, 18);

/// The times of one library, in any unit.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Its colour.
    pub colour: RGBColor,
    /// The length of the bar.
    pub median: f64,
    /// The ends of the line.
    pub spread: (f64, f64),
}

impl Time {
    /// ScaLAPACK's colour.
    pub const SCALAPACK: RGBColor = RGBColor(194, 105, 28);
    /// reblock's colour.
    pub const REBLOCK: RGBColor = RGBColor(47, 127, 214);
}

/// Draws bars below each other, on one scale.
pub fn times(times: &[Time]) -> Result<String, String> {
    let longest = times.iter().map(|time| time.median.max(time.spread.1)).fold(0.0, f64::max);
    let scale = if longest > 0.0 { f64::from(SIZE.0 - 4) / longest } else { 0.0 };
    // At most the width of the drawing.
    #[allow(clippy::cast_possible_truncation)]
    let x = |time: f64| (time * scale).round() as i32;
    let (height, mut top) = (i32::try_from(SIZE.1).unwrap_or(0), 0);
    let rows = u32::try_from(times.len()).map_err(|error| error.to_string())?;
    let drawn = svg((SIZE.0, SIZE.1 * rows), |area| {
        for time in times {
            let bar = [(0, top + 3), (x(time.median).max(1), top + height - 3)];
            area.draw(&Rectangle::new(bar, time.colour.filled()))?;
            let (from, to, middle) = (x(time.spread.0), x(time.spread.1), top + height / 2);
            if to > from {
                for line in [
                    [(from, middle), (to, middle)],
                    [(from, middle - 4), (from, middle + 4)],
                    [(to, middle - 4), (to, middle + 4)],
                ] {
                    area.draw(&PathElement::new(line, BLACK.stroke_width(1)))?;
                }
            }
            top += height;
        }
        Ok(())
    });
    Ok(super::parts::inked(&drawn.map_err(|error| error.to_string())?))
}

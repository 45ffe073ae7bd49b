//! Drawing of the times of libraries. Each library has a bar up to the median, and a line from the minimum to the 99th
//! percentile. The scale is at most [`CUT`] times as long as the longest bar, so that a few slow calls do not shrink
//! the bars; a longer line ends in an arrow.

use super::svg;
use plotters::prelude::*;

/// Width of the drawing and height of each bar, in pixels.
const SIZE: (u32, u32) = (240, 18);
/// Maximum end of the scale, as a multiple of the longest bar.
const CUT: f64 = 3.0;

/// The times of one library, in any unit.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    pub colour: RGBColor,
    pub median: f64,
    /// Ends of the line: minimum and 99th percentile. If they are equal, no line is drawn.
    pub spread: (f64, f64),
}

impl Time {
    pub const SCALAPACK: RGBColor = RGBColor(194, 105, 28);
    pub const REBLOCK: RGBColor = RGBColor(47, 127, 214);
}

/// Draws bars below each other, on one scale.
pub fn times(times: &[Time]) -> Result<String, String> {
    let longest = times.iter().map(|time| time.median).fold(0.0, f64::max);
    let end = times.iter().map(|time| time.median.max(time.spread.1)).fold(0.0, f64::max).min(CUT * longest);
    let scale = if end > 0.0 { f64::from(SIZE.0 - 4) / end } else { 0.0 };
    // At most the width of the drawing.
    #[allow(clippy::cast_possible_truncation)]
    let x = |time: f64| (time.min(end) * scale).round() as i32;
    let (height, mut top) = (i32::try_from(SIZE.1).unwrap_or(0), 0);
    let rows = u32::try_from(times.len()).map_err(|error| error.to_string())?;
    let drawn = svg((SIZE.0, SIZE.1 * rows), |area| {
        for time in times {
            let bar = [(0, top + 3), (x(time.median).max(1), top + height - 3)];
            area.draw(&Rectangle::new(bar, time.colour.filled()))?;
            let (from, to, middle) = (x(time.spread.0), x(time.spread.1), top + height / 2);
            if to > from {
                // The end of the line, or an arrow.
                let back = if time.spread.1 > end { 4 } else { 0 };
                for line in [
                    vec![(from, middle), (to, middle)],
                    vec![(from, middle - 4), (from, middle + 4)],
                    vec![(to - back, middle - 4), (to, middle), (to - back, middle + 4)],
                ] {
                    area.draw(&PathElement::new(line, BLACK.stroke_width(1)))?;
                }
            }
            top += height;
        }
        Ok(())
    });
    Ok(super::use_text_colour(&drawn.map_err(|error| error.to_string())?))
}

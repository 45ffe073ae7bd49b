//! Shape of a call: routine, extents of the section, layouts and ranks, without addresses and times. Equal on all
//! ranks, so that their counts can be added.

use crate::layout::distribution::{Axis, Dist, Grid, RankMap};
use crate::layout::problem::{Copies, Part, Problem};
use crate::system::digest::digest;
use serde::{Deserialize, Serialize};

/// Maximum length of a format in bytes. A longer one is cut off, and the shape has a digest of the whole.
const MAX_FORMAT_BYTES: usize = 200;
const MAX_LISTED_RANKS: usize = 256;

/// Key of calls that are counted together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct CallShape {
    /// Name of the routine; `EXECUTE` for a plan.
    pub call: String,
    /// Size of the enclosing communicator.
    pub ranks: u32,
    /// Bytes of an element; 1 if an element is itself a dimension.
    pub element: u64,
    /// Extents of the section, in elements.
    pub extents: Vec<u64>,
    /// Part of the section that moves (`whole`, `upper` or `lower`), and the shift of its diagonal.
    pub part: (String, i64),
    /// Dimensions along which the source has a single index, which is copied to all indices of the target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<usize>,
    /// Whether all copies of the source are read, one after the other.
    #[serde(default, skip_serializing_if = "is_false")]
    pub all_copies: bool,
    /// Layout of the source section.
    pub from: CallLayout,
    /// Layout of the target section.
    pub to: CallLayout,
}

/// Layout of the source or the target.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct CallLayout {
    /// Distribution formats, in HPF's notation.
    pub formats: Vec<String>,
    /// For each dimension, the grid coordinate of the process with the first block; 0 if the format is not cyclic.
    pub firsts: Vec<u32>,
    /// For each dimension, the index of the section's first element, counted from 0.
    pub starts: Vec<u64>,
    /// For each dimension, the alignment and the step: template index of array index 0, and the distances of
    /// neighbouring array indices in the template and of section indices in the array. Empty if all are 0, 1 and 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aligns: Vec<[u64; 3]>,
    /// Whether the array is in boxes, or its elements are named by lists. The formats then say nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub boxes: bool,
    /// Number of processes in each dimension of the grid. Dimensions after those of the array number copies.
    pub grid: Vec<u32>,
    /// Ranks of the grid: the first rank and the stride of each dimension; or, if the ranks have no such strides, a
    /// digest of their list.
    pub ranks: Vec<i64>,
    /// Ranks of the grid in row-major order, if they have no strides and are at most `MAX_LISTED_RANKS`.
    pub list: Vec<u32>,
    /// Digest of the axes if a format leaves out a part of a long list, otherwise 0. In reports of earlier versions,
    /// also of alignments and steps.
    pub digest: i64,
}

impl CallShape {
    /// Describes a call of routine `call` on `ranks` ranks that moves `problem`.
    pub fn of(call: &str, problem: &Problem, element: usize, ranks: u32) -> Self {
        let part = match problem.part {
            Part::Whole => ("whole", 0),
            Part::Upper { shift } => ("upper", shift),
            Part::Lower { shift } => ("lower", shift),
        };
        let dims = &problem.dims;
        Self {
            call: call.into(),
            ranks,
            element: element as u64,
            extents: dims.iter().map(|dim| dim.len).collect(),
            part: (part.0.into(), part.1),
            spread: problem.spread.clone(),
            all_copies: problem.copies == Copies::All,
            from: CallLayout::of(dims.iter().map(|dim| &dim.from).collect(), &problem.from, problem.boxes[0]),
            to: CallLayout::of(dims.iter().map(|dim| &dim.to).collect(), &problem.to, problem.boxes[1]),
        }
    }

    /// Returns the bytes of the whole section, even if only a trapezoid moves.
    pub fn bytes(&self) -> u64 {
        self.extents.iter().fold(self.element, |bytes, &extent| bytes.saturating_mul(extent))
    }
}

impl CallLayout {
    fn of(axes: Vec<&Axis>, grid: &Grid, boxes: bool) -> Self {
        let format = |axis: &&Axis| {
            let mut text = axis.dist.to_string();
            if text.len() > MAX_FORMAT_BYTES {
                text.truncate(MAX_FORMAT_BYTES);
                text.push('…');
            }
            text
        };
        let (ranks, list) = match grid.map() {
            RankMap::Affine { base, strides } => ([&[*base][..], strides].concat(), Vec::new()),
            RankMap::Listed(ranks) if ranks.len() <= MAX_LISTED_RANKS => {
                (vec![digest(ranks)], ranks.to_vec())
            }
            RankMap::Listed(ranks) => (vec![digest(ranks)], Vec::new()),
        };
        let first = |axis: &&Axis| match &axis.dist {
            Dist::Cyclic(dist) => dist.first(),
            _ => 0,
        };
        let is_plain = axes.iter().all(|axis| axis.is_plain());
        let aligns = if is_plain { Vec::new() } else { axes.iter().map(|axis| axis.alignment()).collect() };
        Self {
            formats: axes.iter().map(format).collect(),
            firsts: axes.iter().map(first).collect(),
            starts: axes.iter().map(|axis| axis.start).collect(),
            aligns,
            boxes,
            grid: grid.extents().into(),
            ranks,
            list,
            digest: if axes.iter().all(|axis| is_written_out(&axis.dist)) { 0 } else { digest(&axes) },
        }
    }
}

/// Returns true if the format has all of a distribution's numbers.
fn is_written_out(dist: &Dist) -> bool {
    let format = dist.to_string();
    format.len() <= MAX_FORMAT_BYTES && format != "INDIRECT"
}

/// Returns true if `flag` is unset, and need not be written.
#[allow(clippy::trivially_copy_pass_by_ref)] // Serde passes a reference.
fn is_false(flag: &bool) -> bool {
    !flag
}

impl std::fmt::Display for CallLayout {
    /// Writes, for example, `CYCLIC(64),* on 2x1`, or `boxes on 4`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let grid: Vec<String> = self.grid.iter().map(u32::to_string).collect();
        let formats = if self.boxes { "boxes".into() } else { self.formats.join(",") };
        write!(f, "{formats} on {}", grid.join("x"))
    }
}

impl std::fmt::Display for CallShape {
    /// Writes, for example, `PDGEMR2D 200x100, CYCLIC(64),* on 2x1 -> *,CYCLIC(16) on 1x2`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let extents: Vec<String> = self.extents.iter().map(u64::to_string).collect();
        write!(f, "{} {}, {} -> {}", self.call, extents.join("x"), self.from, self.to)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::layout::distribution::{Axis, Cyclic};
    use crate::layout::intersect::Overlap;

    /// Builds a move of 200 x 100 elements from CYCLIC(64) rows, from `start` on, to CYCLIC(16) columns, on two ranks.
    pub fn problem(start: u64) -> Problem {
        let axis = |block, procs, start| Axis::new(Cyclic::new(block, procs, 0).unwrap(), start);
        let rows = Overlap { from: axis(64, 2, start), to: axis(32, 1, 0), len: 200 };
        let cols = Overlap { from: axis(50, 1, 0), to: axis(16, 2, 0), len: 100 };
        Problem::whole(vec![rows, cols], Grid::row_major(&[2, 1]), Grid::row_major(&[1, 2]))
    }

    #[test]
    fn equal_calls_are_alike_and_others_are_not() {
        let of = |start| CallShape::of("PDGEMR2D", &problem(start), 8, 2);
        assert_eq!(of(0), of(0));
        assert_ne!(of(0), of(64));
        assert_ne!(of(0), CallShape::of("PSGEMR2D", &problem(0), 4, 2));
        assert_ne!(of(0), CallShape::of("PDGEMR2D", &problem(0), 8, 3));
        let mut other = problem(0);
        other.dims[0].from = Axis::new(Cyclic::new(64, 2, 1).unwrap(), 0);
        assert_ne!(of(0), CallShape::of("PDGEMR2D", &other, 8, 2));
        let mut strided = problem(0);
        strided.dims[0].from = strided.dims[0].from.section(0, 2);
        assert_ne!(of(0), CallShape::of("PDGEMR2D", &strided, 8, 2));
        assert_eq!(of(0).bytes(), 200 * 100 * 8);
    }

    #[test]
    fn a_shape_is_written_as_a_reader_would_say_it() {
        let shape = CallShape::of("PDGEMR2D", &problem(0), 8, 2);
        assert_eq!(shape.to_string(), "PDGEMR2D 200x100, CYCLIC(64),* on 2x1 -> *,CYCLIC(16) on 1x2");
        let read: CallShape = serde_json::from_str(&serde_json::to_string(&shape).unwrap()).unwrap();
        assert_eq!(read, shape);
    }
}

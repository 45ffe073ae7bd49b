//! Drawing of a redistribution: the owners of the array before and after, and the bytes between ranks. One rank is
//! emphasised. Drawn in a narrow column, so that a small screen can show it.

mod notes;

use super::canvas::{Anchor, Frame, drawing, lines, rectangle, short, text, width};
use super::chart::real;
use super::flows::Flows;
use super::matrix::matrix;
use super::owners::{Held, Ranks, owners};
use super::ranks::RankGroups;
use super::tiles::{Chosen, Plane, Tiles, end_of_first};
use crate::columns::grouped;
use reblock_plan::layout::distribution::{Axis, Grid};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::schedule::traffic::Traffic;
use svg::node::Node;
use svg::node::element::Element;

/// Width of a drawing, and the gap between two parts, in units. On a screen of 390 pixels, a unit has nearly a pixel.
const WIDTH: f64 = 440.0;
const GAP: f64 = 16.0;
/// Maximum number of tiles along a dimension: of a matrix, of a vector, and of a magnified corner.
const MAX_TILES: usize = 40;
const MAX_VECTOR_TILES: usize = 96;
const MAX_CORNER_TILES: usize = 12;
/// Minimum and maximum height of the drawing of an array, as a multiple of its width.
const SHAPES: (f64, f64) = (0.4, 1.3);

pub struct Movement<'a> {
    traffic: &'a Traffic,
    /// Dimension of the target that each dimension of the source becomes.
    axes: &'a [usize],
    groups: RankGroups,
    flows: Result<Flows, String>,
    chosen: u32,
    sides: [Side<'a>; 2],
}

/// One side: the array before or after.
struct Side<'a> {
    name: &'static str,
    layout: &'a str,
    /// Distributions of the source's dimensions, on this side.
    axes: Vec<&'a Axis>,
    grid: &'a Grid,
    plane: Plane,
    /// Bytes of the ranks on this side.
    held: Held,
    /// Number of ranks that have each element.
    copies: u64,
}

/// Parts of a drawing that lie below each other.
#[derive(Default)]
struct Column {
    parts: Vec<Element>,
    height: f64,
}

impl Column {
    /// Adds lines of text.
    fn write(&mut self, content: &str, size: f64, class: &str) {
        for line in lines(content, WIDTH, size) {
            self.height += 1.35 * size;
            self.parts.push(text(line, (0.0, self.height), size, Anchor::Start, class));
        }
    }

    fn draw(&mut self, part: Element) {
        self.parts.push(part);
    }
}

impl<'a> Movement<'a> {
    /// Prepares the drawing of `traffic`. Dimension k of the source becomes dimension `axes[k]` of the target. `chosen`
    /// is the rank to emphasise: by default, the rank with the most bytes.
    pub fn new(
        traffic: &'a Traffic,
        layouts: [&'a str; 2],
        axes: &'a [usize],
        chosen: Option<u32>,
    ) -> Result<Self, String> {
        if traffic.dims.is_empty() {
            return Err("the array has no dimensions".into());
        }
        let groups = RankGroups::new(&traffic.from, &traffic.to);
        let flows = Flows::new(traffic, &groups);
        let lowest = groups.first(0);
        let chosen = match chosen {
            Some(rank) if !groups.contain(rank) => {
                return Err(format!("rank {rank} has no part of the array, before or after"));
            }
            Some(rank) => rank,
            None => flows.as_ref().map_or(lowest, |flows| flows.busiest),
        };
        let plane = Plane::of(traffic);
        let side = |source: bool| {
            let axis = |overlap: &'a Overlap| if source { &overlap.from } else { &overlap.to };
            Side {
                name: if source { "before" } else { "after" },
                layout: layouts[usize::from(!source)],
                axes: traffic.dims.iter().map(|dim| axis(&dim.overlap)).collect(),
                grid: if source { &traffic.from } else { &traffic.to },
                plane: if source { plane } else { plane.in_target(axes) },
                held: held(traffic, source, &groups, chosen),
                copies: if source { traffic.copies().0 } else { traffic.copies().1 },
            }
        };
        let sides = [side(true), side(false)];
        Ok(Self { traffic, axes, groups, flows, chosen, sides })
    }

    /// Sets the numbers of ranks of both arrangements. An arrangement has more ranks than the grid if the array is
    /// aligned with a single index of a template, and so lies on some processes only.
    pub fn of_arrangements(mut self, ranks: [u64; 2]) -> Self {
        for (side, ranks) in self.sides.iter_mut().zip(ranks) {
            side.held.idle += ranks.saturating_sub(side.held.ranks);
            side.held.ranks = ranks.max(side.held.ranks);
        }
        self
    }

    /// Returns the whole drawing as a file.
    pub fn file(&self) -> String {
        let mut column = Column::default();
        let [title, sentence] = self.summary();
        column.write(&title, 13.0, "bold");
        column.write(&sentence, 11.0, "");
        column.height += GAP / 2.0;
        self.owners(&mut column);
        column.height += GAP;
        self.matrix(&mut column);
        column.height += 4.0;
        self.key(&mut column);
        self.finish(column, &title, &sentence, true)
    }

    /// Returns the drawings of a page: the owners, and the matrix if the messages can be listed.
    pub fn parts(&self) -> [String; 2] {
        let [title, sentence] = self.summary();
        let (mut tiles, mut messages) = (Column::default(), Column::default());
        self.owners(&mut tiles);
        self.matrix(&mut messages);
        messages.height += 4.0;
        self.key(&mut messages);
        [tiles, messages].map(|column| self.finish(column, &title, &sentence, false))
    }

    fn finish(&self, column: Column, title: &str, about: &str, style: bool) -> String {
        let mut shifted = super::canvas::element("g", "", &[("transform", "translate(8 4)".into())]);
        column.parts.into_iter().for_each(|part| shifted.append(part));
        drawing((WIDTH + 16.0, column.height + 12.0), title, about, style, vec![shifted])
    }

    /// Draws the tiles of both sides and, if a tile has several blocks, also a magnified corner.
    fn owners(&self, column: &mut Column) {
        let is_exact = self.pair(column, |dim| self.traffic.dims[dim].overlap.len, true);
        for note in [self.dimensions(), self.copies(), self.idle_ranks_text()].into_iter().flatten() {
            column.write(&note, 10.0, "quiet");
        }
        if !is_exact {
            column.height += GAP / 2.0;
            let [rows, columns] = self.sides[0].plane.extents(|dim| self.corner(dim));
            let extents = match self.sides[0].plane.rows {
                Some(_) => format!("the first {} × {}", grouped(rows), grouped(columns)),
                None => format!("the first {}", grouped(columns)),
            };
            column.write(
                &format!("Striped: blocks of several ranks. Magnified: {extents} elements."),
                11.0,
                "",
            );
            self.pair(column, |dim| self.corner(dim), false);
        }
    }

    /// Returns the number of indices of a dimension in the magnified corner, which shows the first blocks of the side
    /// with the smaller blocks.
    fn corner(&self, dim: usize) -> u64 {
        let overlap = &self.traffic.dims[dim].overlap;
        let end = |axis| end_of_first(axis, overlap.len, MAX_CORNER_TILES);
        end(&overlap.from).min(end(&overlap.to))
    }

    /// Draws the tiles of both sides: side by side for a matrix, below each other for a vector. `extent` returns the
    /// number of drawn indices of a dimension. Returns whether all tiles are blocks.
    fn pair(&self, column: &mut Column, extent: impl Fn(usize) -> u64, is_whole: bool) -> bool {
        let ranks = Ranks { groups: &self.groups, chosen: self.chosen };
        let is_vector = self.sides[0].plane.rows.is_none();
        let (wide, most) = match is_vector {
            true => (WIDTH, MAX_VECTOR_TILES),
            false => ((WIDTH - GAP) / 2.0, if is_whole { MAX_TILES } else { MAX_CORNER_TILES + 2 }),
        };
        let (top, mut bottom, mut is_exact) = (column.height, column.height, true);
        let caption =
            |side: &Side<'_>| if is_whole { cut(lines(side.layout, wide, 10.0), 3) } else { Vec::new() };
        let captions = self.sides.each_ref().map(caption);
        let captioned = captions.iter().map(Vec::len).max().unwrap_or(0);
        for (k, side) in self.sides.iter().enumerate() {
            let extents = side.plane.extents(&extent);
            let tiles = Tiles::new(&side.axes, side.grid, side.plane, extents.map(|extent| 0..extent), most);
            is_exact &= tiles.is_exact;
            let x = if is_vector { 0.0 } else { real(k as u64) * (wide + GAP) };
            let mut y = 15.0 + if is_vector { bottom } else { top };
            let magnified = if is_whole { "" } else { ", magnified" };
            column.draw(text(format!("{}{magnified}", side.name), (x, y), 12.0, Anchor::Start, "bold"));
            for line in &captions[k] {
                y += 13.0;
                column.draw(text(line, (x, y), 10.0, Anchor::Start, "quiet"));
            }
            if !is_vector {
                y = top + 15.0 + 13.0 * real(captioned as u64);
            }
            let ratio = (real(extents[0]) / real(extents[1])).clamp(SHAPES.0, SHAPES.1);
            let height = if is_vector { 34.0 } else { ratio * wide };
            let frame = Frame { x, y: y + 5.0, width: wide, height };
            column.draw(owners(&tiles, frame, ranks, &Chosen::of(self.chosen, side.grid), &side.held));
            bottom = bottom.max(y + 5.0 + height);
        }
        column.height = bottom;
        is_exact
    }

    /// Returns the bytes of each group on a side.
    #[cfg(test)]
    pub fn held_by_groups(&self, source: bool) -> &[u64] {
        &self.sides[usize::from(!source)].held.groups
    }

    fn matrix(&self, column: &mut Column) {
        let Ok(flows) = &self.flows else { return };
        column.write("Who sends how much to whom", 12.0, "bold");
        let ranks = Ranks { groups: &self.groups, chosen: self.chosen };
        let (drawn, height) = matrix(flows, (0.0, column.height), WIDTH, ranks);
        column.draw(drawn);
        column.height += height;
    }

    /// Draws the key of the matrix.
    fn key(&self, column: &mut Column) {
        if self.flows.is_err() {
            return;
        }
        let (mut x, y) = (0.0, column.height + 10.0);
        for (class, opacity, name) in [
            ("flow", 0.25, "few bytes sent"),
            ("flow", 1.0, "many"),
            ("kept", 1.0, "kept"),
            ("chosen", 1.0, "emphasised rank"),
        ] {
            let mut swatch = rectangle(Frame { x, y: y - 9.0, width: 10.0, height: 10.0 }, class);
            swatch.assign("fill-opacity", short(opacity));
            column.draw(swatch);
            column.draw(text(name, (x + 14.0, y), 10.0, Anchor::Start, "quiet"));
            x += 14.0 + width(name, 10.0) + GAP;
        }
        column.height = y + 4.0;
    }
}

/// Returns the bytes of each group of ranks, and of the rank `chosen`, on one side.
fn held(traffic: &Traffic, source: bool, groups: &RankGroups, chosen: u32) -> Held {
    // Elements of each process along each dimension of the array.
    let along = |overlap: &Overlap| -> Vec<u64> {
        let axis = if source { &overlap.from } else { &overlap.to };
        let of = |coord| if source { overlap.source_count(coord) } else { overlap.destination_count(coord) };
        (0..axis.dist.procs()).map(of).collect()
    };
    let along: Vec<Vec<u64>> = traffic.dims.iter().map(|dim| along(&dim.overlap)).collect();
    let grid = if source { &traffic.from } else { &traffic.to };
    let (mut of_groups, mut of_chosen, mut idle) = (vec![0; groups.len()], None, 0);
    for at in grid.places() {
        let elements = along.iter().zip(&at).map(|(counts, &coord)| counts[coord as usize]).product::<u64>();
        let (bytes, rank) = (elements * traffic.element, grid.rank(&at).0);
        of_groups[groups.group_of(rank)] += bytes;
        idle += u64::from(elements == 0);
        if rank == chosen {
            of_chosen = Some(bytes);
        }
    }
    Held { groups: of_groups, chosen: of_chosen, element: traffic.element, ranks: grid.size(), idle }
}

/// Cuts a list of lines after `most` lines.
fn cut(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines
}

//! Drawing of a redistribution: who owns which part of the array before and after, and who sends how much to whom. One
//! rank is emphasised. Drawn in a narrow column, so that a small screen can show it.

use super::canvas::{Anchor, Frame, drawing, lines, rectangle, short, text, width};
use super::chart::real;
use super::flows::Flows;
use super::matrix::matrix;
use super::owners::{Held, Ranks, owners};
use super::ranks::RankGroups;
use super::tiles::{Chosen, Plane, Tiles, end_of_first};
use crate::columns::{bytes, count, grouped};
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
    layouts: [&'a str; 2],
    groups: RankGroups,
    flows: Result<Flows, String>,
    chosen: u32,
    /// Bytes of the ranks before and after.
    held: [Held; 2],
    plane: Plane,
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
    /// Prepares the drawing of `traffic`. `chosen` is the rank to emphasise: by default, the one with the most bytes.
    pub fn new(traffic: &'a Traffic, layouts: [&'a str; 2], chosen: Option<u32>) -> Result<Self, String> {
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
        let held = [true, false].map(|source| held(traffic, source, &groups, chosen));
        Ok(Self { traffic, layouts, groups, flows, chosen, held, plane: Plane::of(traffic) })
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

    /// Returns a title, and a sentence about the data that moves.
    fn summary(&self) -> [String; 2] {
        let element = self.traffic.element;
        let extents: Vec<String> = self.traffic.dims.iter().map(|dim| grouped(dim.overlap.len)).collect();
        let all = self.traffic.dims.iter().fold(element, |n, dim| n.saturating_mul(dim.overlap.len));
        let title = format!("{} elements of {}: {}", extents.join(" × "), count(element, "byte"), bytes(all));
        let sentence = match &self.flows {
            Ok(flows) => {
                let (group, total) = (self.groups.group_of(self.chosen), flows.total);
                let mut sentence = format!(
                    "{} move in {}, {} stay. ",
                    bytes(total.moved),
                    count(total.messages, "message"),
                    bytes(total.kept)
                );
                let sums = flows.sums[group];
                let with = if self.groups.are_single() {
                    " with".into()
                } else {
                    format!(" of {}, which have", self.groups.name(group))
                };
                sentence += &format!(
                    "Emphasised: rank {}{with} {} sent, {} received, {} kept.",
                    self.chosen,
                    bytes(sums.sent),
                    bytes(sums.received),
                    bytes(sums.kept)
                );
                sentence
            }
            Err(why) => format!("Emphasised: rank {}. The messages are not drawn: {why}.", self.chosen),
        };
        [title, sentence]
    }

    /// Draws the tiles of both sides and, if they are not blocks, those of a corner.
    fn owners(&self, column: &mut Column) {
        let len = |dim: usize| self.traffic.dims[dim].overlap.len;
        let whole = [self.plane.rows.map_or(1, len), len(self.plane.columns)];
        let is_exact = self.pair(column, whole, ["before", "after"], true);
        if self.traffic.dims.len() > 2 {
            let rows = self.plane.rows.map_or(0, |dim| dim + 1);
            let plane = format!(
                "Rows: dimension {rows}; columns: dimension {}. The others are at their first index.",
                self.plane.columns + 1
            );
            column.write(&plane, 10.0, "quiet");
        }
        if !is_exact {
            let corner = [self.plane.rows.map_or(1, |dim| self.corner(dim)), self.corner(self.plane.columns)];
            column.height += GAP / 2.0;
            let extents = match self.plane.rows {
                Some(_) => format!("the first {} × {}", grouped(corner[0]), grouped(corner[1])),
                None => format!("the first {}", grouped(corner[1])),
            };
            column.write(
                &format!("Striped: blocks of several ranks. Magnified: {extents} elements."),
                11.0,
                "",
            );
            self.pair(column, corner, ["before, magnified", "after, magnified"], false);
        }
    }

    /// Returns the number of indices of a dimension in the magnified corner: the first blocks of the side with the
    /// smaller ones.
    fn corner(&self, dim: usize) -> u64 {
        let overlap = &self.traffic.dims[dim].overlap;
        let end = |axis| end_of_first(axis, overlap.len, MAX_CORNER_TILES);
        end(&overlap.from).min(end(&overlap.to))
    }

    /// Draws the tiles of both sides: side by side, those of a vector below each other. Returns whether all tiles are
    /// blocks.
    fn pair(&self, column: &mut Column, extents: [u64; 2], names: [&str; 2], layouts: bool) -> bool {
        let ranks = Ranks { groups: &self.groups, chosen: self.chosen };
        let ratio = (real(extents[0]) / real(extents[1])).clamp(SHAPES.0, SHAPES.1);
        let (wide, high, most) = match self.plane.rows {
            Some(_) => (
                (WIDTH - GAP) / 2.0,
                ratio * (WIDTH - GAP) / 2.0,
                if layouts { MAX_TILES } else { MAX_CORNER_TILES + 2 },
            ),
            None => (WIDTH, 34.0, MAX_VECTOR_TILES),
        };
        let (top, mut bottom, mut is_exact) = (column.height, column.height, true);
        let captions: Vec<Vec<String>> = self
            .layouts
            .iter()
            .map(|layout| if layouts { cut(lines(layout, wide, 10.0), 3) } else { Vec::new() })
            .collect();
        let captioned = captions.iter().map(Vec::len).max().unwrap_or(0);
        for (side, name) in names.into_iter().enumerate() {
            let (axes, grid) = self.side(side == 0);
            let tiles = Tiles::new(&axes, grid, self.plane, extents.map(|extent| 0..extent), most);
            is_exact &= tiles.is_exact;
            let x = if self.plane.rows.is_some() { real(side as u64) * (wide + GAP) } else { 0.0 };
            let mut y = if self.plane.rows.is_some() { top } else { bottom };
            y += 15.0;
            column.draw(text(name, (x, y), 12.0, Anchor::Start, "bold"));
            for line in &captions[side] {
                y += 13.0;
                column.draw(text(line, (x, y), 10.0, Anchor::Start, "quiet"));
            }
            if self.plane.rows.is_some() {
                y = top + 15.0 + 13.0 * real(captioned as u64);
            }
            let frame = Frame { x, y: y + 5.0, width: wide, height: high };
            column.draw(owners(&tiles, frame, ranks, &Chosen::of(self.chosen, grid), &self.held[side]));
            bottom = bottom.max(y + 5.0 + high);
        }
        column.height = bottom;
        is_exact
    }

    /// Returns the axes and the grid of a side.
    fn side(&self, source: bool) -> (Vec<&Axis>, &Grid) {
        let axis = |overlap: &'a Overlap| if source { &overlap.from } else { &overlap.to };
        let axes = self.traffic.dims.iter().map(|dim| axis(&dim.overlap)).collect();
        (axes, if source { &self.traffic.from } else { &self.traffic.to })
    }

    /// Returns the bytes of each group on a side.
    #[cfg(test)]
    pub fn held_by_groups(&self, source: bool) -> &[u64] {
        &self.held[usize::from(!source)].groups
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
        let of = |coord| if source { overlap.sends(coord) } else { overlap.receives(coord) };
        (0..axis.dist.procs()).map(of).collect()
    };
    let along: Vec<Vec<u64>> = traffic.dims.iter().map(|dim| along(&dim.overlap)).collect();
    let grid = if source { &traffic.from } else { &traffic.to };
    let (mut of_groups, mut of_chosen) = (vec![0; groups.len()], None);
    for at in grid.places() {
        let elements = along.iter().zip(&at).map(|(counts, &coord)| counts[coord as usize]).product::<u64>();
        let (bytes, rank) = (elements * traffic.element, grid.rank(&at).0);
        of_groups[groups.group_of(rank)] += bytes;
        if rank == chosen {
            of_chosen = Some(bytes);
        }
    }
    Held { groups: of_groups, chosen: of_chosen, element: traffic.element }
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

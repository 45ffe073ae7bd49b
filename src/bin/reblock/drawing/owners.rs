//! Drawing of the owners of an array before or after: coloured tiles in true proportion. Tiles of one group of ranks
//! are one path, so that a browser can emphasise all of them at the pointer.

use super::canvas::{Anchor, Frame, element, rectangle, text, width, with_title};
use super::chart::real;
use super::ranks::RankGroups;
use super::tiles::{Band, Chosen, Owner, Tiles};
use crate::columns::{bytes, count};
use std::collections::BTreeMap;
use svg::node::Node;
use svg::node::element::Element;

/// Font sizes of the rank numbers on tiles, in units. The first size that fits is used.
const LABELS: [f64; 3] = [12.0, 10.0, 8.0];

/// The ranks of a drawing.
#[derive(Clone, Copy)]
pub struct Ranks<'a> {
    pub groups: &'a RankGroups,
    /// The rank that is emphasised.
    pub chosen: u32,
}

/// Draws the tiles of a side in `frame`. `held` has the bytes of each group and of the chosen rank on this side.
pub fn owners(tiles: &Tiles<'_>, frame: Frame, ranks: Ranks<'_>, chosen: &Chosen, held: &Held) -> Element {
    let scale = |bands: &[Band], size: f64| {
        let start = bands.first().map_or(0, |band| band.range.start);
        let length = bands.last().map_or(1, |band| band.range.end - start).max(1);
        move |index: u64| size * real(index - start) / real(length)
    };
    let (down, across) = (scale(&tiles.rows, frame.height), scale(&tiles.columns, frame.width));
    let mut paths: BTreeMap<Key, String> = BTreeMap::new();
    let (mut stripes, mut numbers) = (String::new(), Vec::new());
    let label_size = label_size(tiles, &down, &across);
    for row in &tiles.rows {
        for column in &tiles.columns {
            let (x, y) = (across(column.range.start), down(row.range.start));
            let tile = Frame {
                x: frame.x + x,
                y: frame.y + y,
                width: across(column.range.end) - x,
                height: down(row.range.end) - y,
            };
            let owner = tiles.owner(row, column, ranks.groups, chosen);
            let key = match owner {
                Owner::Chosen => Key::Chosen,
                Owner::Rank { group, .. } | Owner::Group(group) => Key::Group(group),
                Owner::Mixed { has_chosen } => {
                    let [x, y, right, bottom] =
                        [tile.x, tile.y, tile.x + tile.width, tile.y + tile.height].map(super::canvas::short);
                    stripes += &format!("M{x} {bottom}L{right} {y}");
                    Key::Mixed(has_chosen)
                }
            };
            *paths.entry(key).or_default() += &tile.path();
            let number = match owner {
                Owner::Chosen => Some(ranks.chosen),
                Owner::Rank { rank, .. } => Some(rank),
                Owner::Group(_) | Owner::Mixed { .. } => None,
            };
            if let Some((number, size)) = number.zip(label_size.filter(|size| tile.height >= size + 1.0)) {
                let place = (tile.x + tile.width / 2.0, tile.y + tile.height / 2.0 + 0.36 * size);
                let class = if owner == Owner::Chosen { "bold" } else { "" };
                let label = format!("{number}{}", if tiles.copies() > 1 { "+" } else { "" });
                if width(&label, size) < tile.width - 1.0 {
                    numbers.push(text(label, place, size, Anchor::Middle, class));
                }
            }
        }
    }
    let stroke = if tiles.rows.len().max(tiles.columns.len()) > 24 { "0.4" } else { "1" };
    let mut whole = element("g", "", &[("stroke-width", stroke.into())]);
    whole.append(rectangle(frame, "blank"));
    for (key, path) in &paths {
        let class = match key {
            Key::Chosen => "tile chosen".into(),
            Key::Group(group) => format!("tile {}", ranks.groups.colour(*group)),
            Key::Mixed(_) => "tile mixed".into(),
        };
        whole.append(with_title(
            element("path", &class, &[("d", path.clone())]),
            held.title(*key, ranks, tiles),
        ));
    }
    if !stripes.is_empty() {
        whole.append(element("path", "stripe label", &[("d", stripes), ("stroke-width", "0.6".into())]));
    }
    if !numbers.is_empty() {
        let mut labels = element("g", "label", &[]);
        numbers.into_iter().for_each(|number| labels.append(number));
        whole.append(labels);
    }
    whole
}

/// Owner of the tiles of one path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    Group(usize),
    Mixed(bool),
    Chosen,
}

/// Bytes that ranks own on one side.
#[derive(Debug)]
pub struct Held {
    /// Bytes of each group.
    pub groups: Vec<u64>,
    /// Bytes of the chosen rank, if it has a part of the array on this side.
    pub chosen: Option<u64>,
    pub element: u64,
    /// Number of ranks, and of ranks without an element.
    pub ranks: u64,
    pub idle: u64,
}

impl Held {
    fn title(&self, key: Key, Ranks { groups, chosen }: Ranks<'_>, tiles: &Tiles<'_>) -> String {
        let each = if tiles.copies() > 1 { " each" } else { "" };
        let with = |name: String, held: Option<u64>| match held {
            Some(held) => format!("{name}: {}, {}{each}", count(held / self.element, "element"), bytes(held)),
            None => name,
        };
        match key {
            Key::Chosen => with(tiles.name(chosen), self.chosen),
            Key::Group(group) if groups.are_single() => {
                with(tiles.name(groups.first(group)), self.groups.get(group).copied())
            }
            // With copies, a group has more bytes than the tiles in its colour.
            Key::Group(group) if tiles.copies() > 1 => format!("{}, and copies", groups.name(group)),
            Key::Group(group) => with(groups.name(group), self.groups.get(group).copied()),
            Key::Mixed(false) => "blocks of several ranks".into(),
            Key::Mixed(true) => format!("blocks of several ranks, among them rank {chosen}"),
        }
    }
}

/// Returns the largest font size of a label that fits into a tile of median height and width.
fn label_size(tiles: &Tiles<'_>, down: &dyn Fn(u64) -> f64, across: &dyn Fn(u64) -> f64) -> Option<f64> {
    let typical = |bands: &[Band], scale: &dyn Fn(u64) -> f64| {
        let mut sizes: Vec<f64> =
            bands.iter().map(|band| scale(band.range.end) - scale(band.range.start)).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
    };
    let (height, wide) = (typical(&tiles.rows, down), typical(&tiles.columns, across));
    LABELS.into_iter().find(|&size| height >= size + 1.0 && wide >= width("00", size))
}

//! Serializes mappings to numbers, which ranks compare, and send to ranks that lack a mapping. Equal mappings have
//! equal numbers.

use super::template::{Template, TemplateAxis};
use super::{Align, Arrangement, ArrayBoxes, Format, Map, Rest};
use crate::layout::distribution::{GenBlock, Grid, Indirect, PartialOwners, RankMap};
use std::sync::Arc;

impl Arrangement {
    /// Serializes the arrangement: its extents, then the formula or the list of its ranks.
    pub fn numbers(&self) -> Vec<i64> {
        let mut out = Vec::new();
        grid(self.grid(), &mut out);
        out
    }
}

impl Template {
    /// Serializes the template. The numbers of its arrangement come first.
    pub fn numbers(&self) -> Vec<i64> {
        let mut out = self.arrangement().numbers();
        out.push(to_i64(self.axes().len() as u64));
        for axis in self.axes() {
            out.extend([axis.lower, axis.upper, axis.onto.map_or(-1, |onto| to_i64(onto as u64))]);
            format(&axis.format, &mut out);
        }
        out
    }
}

impl Map {
    /// Serializes the map. The numbers of its template come first.
    pub fn numbers(&self) -> Vec<i64> {
        let mut out = self.template().numbers();
        out.push(to_i64(self.axes().len() as u64));
        for axis in self.axes() {
            let (with, stride, offset) = match axis.align {
                Align::Collapsed => (-1, 0, 0),
                Align::With { axis, stride, offset } => (to_i64(axis as u64), stride, offset),
            };
            out.extend([
                axis.lower,
                axis.upper,
                with,
                stride,
                offset,
                to_i64(axis.shadow.0),
                to_i64(axis.shadow.1),
            ]);
        }
        for (k, rest) in self.rest().iter().enumerate() {
            // The map ignores `rest` for a template axis that an array axis is aligned with.
            out.extend(match (self.aligned_with(k), rest) {
                (None, Rest::At(index)) => [1, *index],
                _ => [0, 0],
            });
        }
        out.extend(self.order().iter().map(|&k| to_i64(k as u64)));
        match self.boxes() {
            None => out.push(0),
            // No process has all boxes, so the numbers have a checksum of all boxes instead.
            Some(boxes) => {
                out.push(1);
                out.extend(boxes.identity().map(|word| i64::from_ne_bytes(word.to_ne_bytes())));
            }
        }
        out
    }

    /// Restores a map from the result of [`Map::numbers`]; `None` for other numbers. Of boxes and of partial lists of
    /// owners, only the checksums are restored.
    pub fn from_numbers(numbers: &[i64]) -> Option<Self> {
        let map = Reader(numbers).map()?;
        (map.numbers() == numbers).then_some(map)
    }
}

/// Converts `n`; values above `i64::MAX` become `i64::MAX`.
fn to_i64(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn grid(grid: &Grid, out: &mut Vec<i64>) {
    out.push(to_i64(grid.extents().len() as u64));
    out.extend(grid.extents().iter().map(|&e| i64::from(e)));
    match grid.map() {
        RankMap::Affine { base, strides } => {
            out.extend([0, *base]);
            out.extend(strides);
        }
        RankMap::Listed(ranks) => {
            out.push(1);
            out.extend(ranks.iter().map(|&rank| i64::from(rank)));
        }
    }
}

fn format(format: &Format, out: &mut Vec<i64>) {
    match format {
        Format::Collapsed => out.push(0),
        Format::Block(None) => out.push(1),
        Format::Block(Some(block)) => out.extend([2, to_i64(*block)]),
        Format::Cyclic { block, first } => out.extend([3, to_i64(*block), i64::from(*first)]),
        Format::GenBlock(dist) => {
            out.extend([4, i64::from(dist.procs())]);
            out.extend((0..dist.procs()).map(|c| to_i64(dist.span(c).end - dist.span(c).start)));
        }
        Format::Indirect(dist) => match dist.part() {
            // A process may have only its own indices, so the numbers have a checksum of all owners.
            Some(part) => {
                out.extend([6, i64::from(part.procs()), to_i64(part.total())]);
                out.extend(part.identity().map(|word| i64::from_ne_bytes(word.to_ne_bytes())));
            }
            None => {
                out.extend([5, i64::from(dist.procs()), to_i64(dist.runs().count() as u64)]);
                out.extend(
                    dist.runs().flat_map(|(owner, run)| [i64::from(owner), to_i64(run.end - run.start)]),
                );
            }
        },
    }
}

/// Reads a map from its numbers. The field holds the numbers that are still to be read.
struct Reader<'a>(&'a [i64]);

impl Reader<'_> {
    fn next(&mut self) -> Option<i64> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Reads a number that must fit into `T`.
    fn small<T: TryFrom<i64>>(&mut self) -> Option<T> {
        self.next()?.try_into().ok()
    }

    /// Reads a list. Its length is checked against the remaining numbers before memory is allocated.
    fn list<T>(&mut self, len: usize, mut entry: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        if len > self.0.len() {
            return None;
        }
        (0..len).map(|_| entry(self)).collect()
    }

    fn grid(&mut self) -> Option<Grid> {
        let axes = self.small()?;
        let extents: Vec<u32> = self.list(axes, Self::small)?;
        if self.next()? == 0 {
            let base = self.next()?;
            let strides = self.list(axes, Self::next)?;
            return Some(Grid::affine(&extents, base, &strides));
        }
        let places = extents.iter().try_fold(1usize, |n, &e| n.checked_mul(e as usize))?;
        let ranks: Vec<u32> = self.list(places, Self::small)?;
        Grid::from_ranks(&extents, &ranks)
    }

    fn format(&mut self) -> Option<Format> {
        Some(match self.next()? {
            0 => Format::Collapsed,
            1 => Format::Block(None),
            2 => Format::Block(Some(self.small()?)),
            3 => Format::Cyclic { block: self.small()?, first: self.small()? },
            4 => {
                let procs = self.small()?;
                Format::GenBlock(GenBlock::new(&self.list(procs, Self::small)?)?)
            }
            5 => {
                let (procs, runs) = (self.small()?, self.small()?);
                let runs = self.list(runs, |r| Some((r.small()?, r.small()?)))?;
                Format::Indirect(Indirect::new(procs, runs)?)
            }
            6 => {
                let procs = self.small().filter(|&procs| procs > 0)?;
                let total = self.small()?;
                let identity =
                    [self.next()?, self.next()?].map(|word| u64::from_ne_bytes(word.to_ne_bytes()));
                Format::Indirect(PartialOwners::new(procs, total, identity, None).into())
            }
            _ => return None,
        })
    }

    /// Reads the number of an axis; -1 stands for no axis.
    fn axis(&mut self) -> Option<Option<usize>> {
        match self.next()? {
            -1 => Some(None),
            axis => Some(Some(axis.try_into().ok()?)),
        }
    }

    fn map(&mut self) -> Option<Map> {
        let arrangement = Arrangement::from_grid(self.grid()?);
        let axes = self.small()?;
        let axes = self.list(axes, |r| {
            let (lower, upper, onto) = (r.next()?, r.next()?, r.axis()?);
            Some(TemplateAxis { lower, upper, format: r.format()?, onto })
        })?;
        let template = Arc::new(Template::new(arrangement, axes).ok()?);
        let count = self.small()?;
        let axes = self.list(count, |r| {
            let (lower, upper, with, stride, offset) =
                (r.next()?, r.next()?, r.axis()?, r.next()?, r.next()?);
            let align = with.map_or(Align::Collapsed, |axis| Align::With { axis, stride, offset });
            Some(((lower, upper, align), (r.small()?, r.small()?)))
        })?;
        let (axes, shadow): (Vec<_>, Vec<_>) = axes.into_iter().unzip();
        let rest = self.list(template.axes().len(), |r| match (r.next()?, r.next()?) {
            (0, 0) => Some(Rest::Replicated),
            (1, index) => Some(Rest::At(index)),
            _ => None,
        })?;
        let order: Vec<usize> = self.list(count, Self::small)?;
        let map = Map::new(template, &axes, Some(&rest)).ok()?;
        let map = map.with_shadow(&shadow).ok()?.with_order(&order).ok()?;
        match self.next()? {
            0 => Some(map),
            1 => {
                let identity =
                    [self.next()?, self.next()?].map(|word| u64::from_ne_bytes(word.to_ne_bytes()));
                Some(map.with_boxes(ArrayBoxes::new(identity, None)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_numbers_restores_a_map_and_refuses_other_numbers() {
        let arrangement = Arrangement::new(&[2, 2], Some(&[3, 0, 2, 1]), 4).unwrap();
        let sizes = GenBlock::new(&[0, 90]).unwrap();
        let owners = Indirect::new(2, [(1, 10), (0, 20), (1, 5)]).unwrap();
        let axis = |upper, format, onto| TemplateAxis { lower: -4, upper, format, onto };
        let formats =
            [Format::Block(None), Format::Block(Some(50)), Format::cyclic(7), Format::GenBlock(sizes)];
        let axes = [(1, 9, Align::With { axis: 0, stride: -2, offset: 20 }), (0, 3, Align::Collapsed)];
        let part = PartialOwners::new(2, 50, [7, u64::MAX], None);
        for format in formats.into_iter().chain([Format::Indirect(part.into())]) {
            let template = vec![
                axis(45, format, Some(1)),
                axis(30, Format::Indirect(owners.clone()), Some(0)),
                TemplateAxis::collapsed(0, 3),
            ];
            for arrangement in [arrangement.clone(), Arrangement::new(&[2, 2], None, 9).unwrap()] {
                let template = Arc::new(Template::new(arrangement, template.clone()).unwrap());
                let rest = [Rest::Replicated, Rest::At(7), Rest::Replicated];
                let map = Map::new(template, &axes, Some(&rest)).unwrap();
                let map = map.row_major().with_shadow(&[(1, 2), (0, 3)]).unwrap();
                let numbers = map.numbers();
                assert_eq!(Map::from_numbers(&numbers), Some(map.clone()));
                let boxes = map.with_boxes(ArrayBoxes::new([u64::MAX, 3], None));
                assert_eq!(Map::from_numbers(&boxes.numbers()), Some(boxes));
                for k in 0..numbers.len() {
                    assert_eq!(Map::from_numbers(&numbers[..k]), None, "cut after {k} numbers");
                    let mut other = numbers.clone();
                    other[k] = i64::MAX;
                    assert_ne!(Map::from_numbers(&other).map(|map| map.numbers()), Some(numbers.clone()));
                }
            }
        }
    }
}

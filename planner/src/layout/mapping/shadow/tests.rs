//! Tests of shadows: refused ones, their numbers, and the neighbours of a process.

use super::super::{Arrangement, ArrayBoxes, Format, Template, TemplateAxis};
use super::*;
use crate::layout::distribution::{Indirect, PartialOwners};
use std::sync::Arc;

fn map(format: Format, extent: i64, shadow: (u64, u64)) -> Map {
    let arrangement = Arrangement::new(&[4], None, 4).unwrap();
    let axis = TemplateAxis { lower: 0, upper: extent - 1, format, onto: Some(0) };
    let template = Arc::new(Template::new(arrangement, vec![axis]).unwrap());
    Map::whole(template).with_shadow(&[shadow]).unwrap()
}

fn shadow(map: &Map, widths: &[(u64, u64)], periodic: bool) -> Result<Shadow, Mistake> {
    Shadow::new(map, &Layout::of(map), Some(widths), Some(&[periodic]), true)
}

#[test]
fn mistakes_are_named() {
    let why =
        |map: &Map, widths: &[(u64, u64)], periodic| shadow(map, widths, periodic).unwrap_err().to_string();
    let block = map(Format::Block(None), 10, (1, 20));
    assert_eq!(
        why(&block, &[(2, 0)], false),
        "axis 0: the width is 2 before and 0 behind, expected at most 1 and 20, the map's widths"
    );
    assert_eq!(
        why(&block, &[(0, 11)], true),
        "axis 0: the width is 11, expected at most 10, the extent of the periodic axis"
    );
    assert!(shadow(&block, &[(1, 20)], false).is_ok());
    assert_eq!(
        why(&block, &[], false),
        "0 widths and 1 entries of periodic for 1 axes, expected one of each for each axis"
    );
    let cyclic = map(Format::cyclic(2), 10, (1, 1));
    assert_eq!(
        why(&cyclic, &[(1, 1)], false),
        "axis 0 is CYCLIC(2), expected one run of neighbouring indices on each process, as BLOCK and GEN_BLOCK have"
    );
    assert!(shadow(&cyclic, &[(0, 0)], false).is_ok(), "an axis that is left alone");
    assert!(shadow(&map(Format::cyclic(3), 10, (1, 1)), &[(1, 1)], false).is_ok(), "one block each");
    let owners = |runs: &[(u32, u64)]| Format::Indirect(Indirect::new(4, runs.iter().copied()).unwrap());
    assert!(shadow(&map(owners(&[(2, 3), (0, 7)]), 10, (1, 1)), &[(1, 1)], false).is_ok());
    assert!(
        why(&map(owners(&[(2, 3), (0, 6), (2, 1)]), 10, (1, 1)), &[(1, 1)], false)
            .starts_with("axis 0 is INDIRECT")
    );
    let part = Format::Indirect(PartialOwners::new(4, 10, [1, 2], None).into());
    assert!(
        why(&map(part, 10, (1, 1)), &[(1, 1)], false)
            .starts_with("axis 0 is INDIRECT, and each process has only its own indices, expected one run")
    );
    let boxes = Map::in_boxes(&[5], ArrayBoxes::new([0; 2], None), false, 4).unwrap();
    assert_eq!(why(&boxes, &[(0, 0)], false), "the array lies in boxes, which have no shadow");
}

#[test]
fn numbers_are_decoded_unchanged() {
    let of = shadow(&map(Format::Block(None), 10, (3, 2)), &[(3, 1)], true).unwrap();
    for of in [of.clone(), of.reversed()] {
        assert_eq!(Shadow::from_numbers(&of.numbers()), Some(of));
    }
    assert_eq!(Shadow::from_numbers(&[1]), None);
    assert_eq!(Shadow::from_numbers(&[0, 0, -1, 0, 0]), None);
}

/// Finds only the processes with common elements, whatever the number of processes.
#[test]
fn neighbours_are_found_without_examining_all_processes() {
    let procs = 1 << 30;
    let arrangement = Arrangement::new(&[procs], None, procs).unwrap();
    let axis = TemplateAxis { lower: 0, upper: (1 << 40) - 1, format: Format::Block(None), onto: Some(0) };
    let template = Arc::new(Template::new(arrangement, vec![axis]).unwrap());
    let map = Map::whole(template).with_shadow(&[(1, 1500)]).unwrap();
    let (layout, section) = (Layout::of(&map), super::super::Section::whole(&map));
    let of = shadow(&map, &[(1, 1500)], true).unwrap();
    let end = || MappedSection { map: &map, layout: &layout, section: &section };
    let made = ArrayRedistribution::new(&end(), &end(), crate::layout::mapping::Correspondence::default(), 8)
        .unwrap();
    let [read, written] = of.shares(&end(), &made, Rank(0));
    let peers = |side: &[ArrayShare]| side.iter().map(|share| share.peer.0).collect::<Vec<_>>();
    assert_eq!(peers(&written), [procs - 1, 1, 2], "1024 elements each");
    let mut readers = peers(&read);
    readers.sort_unstable();
    assert_eq!(readers, [1, procs - 2, procs - 1]);
}

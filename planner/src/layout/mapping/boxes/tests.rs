//! Checks the boxes of one process against a list of all their places in the storage.

use super::*;

fn boxes(extents: &[u64], list: &BoxList<'_>) -> Result<LocalBoxes, String> {
    LocalBoxes::new(extents, list).map_err(|why| why.to_string())
}

#[test]
fn boxes_lie_one_after_the_other() {
    let list = BoxList {
        count: 4,
        starts: &[0, 0, 4, 1, 9, 9, 2, 5],
        sizes: &[2, 3, 1, 4, 0, 1, 3, 2],
        ..BoxList::default()
    };
    let found = boxes(&[10, 10], &list).unwrap();
    let places = |found: &LocalBoxes| {
        found.boxes.iter().map(|b| (b.number, b.offset, b.strides.clone())).collect::<Vec<_>>()
    };
    assert_eq!(places(&found), [(0, 0, vec![1, 2]), (1, 6, vec![1, 1]), (3, 10, vec![1, 3])]);
    assert_eq!(found.elements(), 16);
    let rows = boxes(&[10, 10], &BoxList { row_major: true, ..list }).unwrap();
    assert_eq!(places(&rows), [(0, 0, vec![3, 1]), (1, 6, vec![4, 1]), (3, 10, vec![2, 1])]);
    assert_eq!(found.find(&[4, 6]).map(|local| local.number), Some(3));
    assert_eq!(found.find(&[9, 9]), None);
    assert_eq!(boxes(&[10, 10], &BoxList::default()).unwrap().elements(), 0);
}

/// In half of the cases all boxes have the same strides, like tiles of one array, and may interleave in the storage.
#[test]
fn places_are_checked_against_marking_each() {
    let seed = 31;
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut good, mut bad) = (0, 0);
    for case in 0..4000 {
        let axes = rng.usize(1..4);
        let count = rng.usize(1..5);
        let mut some = |most: i64| (0..count * axes).map(|_| rng.i64(0..most)).collect::<Vec<_>>();
        let (starts, sizes) = (some(3), some(4));
        let one: Vec<i64> =
            (0..axes).map(|k| [1, 5, 23][k] * if rng.u8(0..6) == 0 { -1 } else { 1 }).collect();
        let strides: Vec<i64> = match rng.bool() {
            true => one.repeat(count),
            false => (0..count * axes).map(|_| [1, 2, 5, 12][rng.usize(0..4)]).collect(),
        };
        let offsets: Vec<i64> = (0..count).map(|_| rng.i64(30..90)).collect();
        let list = BoxList {
            count,
            starts: &starts,
            sizes: &sizes,
            row_major: false,
            offsets: Some(&offsets),
            strides: Some(&strides),
        };
        let mut taken = std::collections::HashSet::new();
        let mut distinct = true;
        let mut below = false;
        for b in 0..count {
            let size = &sizes[b * axes..(b + 1) * axes];
            for mut number in 0..size.iter().product::<i64>() {
                let mut place = offsets[b];
                for (k, &size) in size.iter().enumerate() {
                    place += number % size * strides[b * axes + k];
                    number /= size;
                }
                below |= place < 0;
                distinct &= taken.insert(place);
            }
        }
        match boxes(&[9, 9, 9][..axes], &list) {
            Ok(_) => {
                assert!(distinct && !below, "seed {seed}, case {case}: {list:?}");
                good += 1;
            }
            // Strides that do not nest are refused, even if the places happen to be distinct.
            Err(why) if why.contains("put several") => {}
            Err(why) => {
                assert!(!distinct || below, "seed {seed}, case {case}: {why} {list:?}");
                bad += 1;
            }
        }
    }
    assert!(good > 300 && bad > 300, "{good} {bad}");
}

#[test]
fn mistakes_are_named() {
    let list = |starts: &'static [i64], sizes| BoxList {
        count: starts.len() / 2,
        starts,
        sizes,
        ..BoxList::default()
    };
    let why = |list: &BoxList<'_>| boxes(&[10, 5], list).unwrap_err();
    assert_eq!(
        why(&list(&[0, 0, 3, 3], &[1, 1, 8, 1])),
        "box 1: it has indices 3 to 10 of axis 0, expected indices from 0 to 9"
    );
    assert_eq!(
        why(&list(&[0, -1], &[1, 1])),
        "box 0: it has indices -1 to -1 of axis 1, expected indices from 0 to 4"
    );
    assert_eq!(why(&list(&[0, 0], &[1, -2])), "box 0: its size along axis 1 is -2, expected at least 0");
    assert_eq!(
        why(&list(&[i64::MAX, 0], &[i64::MAX, 1])),
        "box 0: it has indices 9223372036854775807 to 18446744073709551613 of axis 0, expected indices from 0 to 9"
    );
    assert_eq!(
        why(&list(&[0, 0, 0], &[1, 1])),
        "starts, sizes and strides must have 2 entries: one for each axis of each box"
    );
    let placed = |offsets, strides| BoxList {
        offsets: Some(offsets),
        strides: Some(strides),
        ..list(&[0, 0, 5, 0], &[2, 2, 2, 2])
    };
    assert_eq!(why(&placed(&[0, 3], &[1, 2, 1, 2])), "boxes 0 and 1 overlap in the storage");
    assert_eq!(
        why(&placed(&[0, 3], &[1, 1, 1, 2])),
        "box 0: its strides [1, 1] put several elements in one place"
    );
    assert_eq!(why(&placed(&[0, -3], &[1, 2, 1, 2])), "box 1: its offset is below 0");
    assert_eq!(
        why(&placed(&[0, 1], &[1, 2, -2, 9])),
        "box 1: its places in the storage reach below 0 or beyond 2^63"
    );
    assert!(boxes(&[10, 5], &placed(&[0, 2], &[1, 4, 1, 4])).is_ok(), "columns of one array, in turn");
}

//! Compares the owners in drawings, and the data that each rank keeps and receives, with a program that deals elements
//! one by one.

use super::{file, json, well_formed};
use std::collections::{BTreeMap, BTreeSet};

/// A random layout of an array: its text, and the ranks that have each element.
struct Drawn {
    text: String,
    ranks: Vec<BTreeSet<u32>>,
}

/// Returns all indices, from 1, of an array in row-major order.
fn indices(shape: &[u64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![Vec::new()], |all, &len| {
        let longer =
            |index: &Vec<i64>| (1..=len as i64).map(|i| [&index[..], &[i]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(longer).collect()
    })
}

/// One axis of a template: its alignment with the array, and its distribution.
struct TemplateAxis {
    /// Subscript of an element: (axis of the array, stride, offset); `Err`: a fixed index, or `None` for all indices.
    subscript: Result<(usize, i64, i64), Option<i64>>,
    extent: i64,
    format: String,
    /// Number of processes and block size, if the axis is distributed.
    dealt: Option<(i64, i64)>,
}

/// Deals the elements of an array one by one; returns the ranks that have each element. If no index selects a process
/// along an axis of the arrangement, all processes along the axis have copies.
fn deal(shape: &[u64], axes: &[TemplateAxis], further: &[i64], at: u32) -> Vec<BTreeSet<u32>> {
    let ranks = |index: &Vec<i64>| {
        let mut ranks = BTreeSet::from([0]);
        let coordinates = axes.iter().filter_map(|axis| {
            let (procs, block) = axis.dealt?;
            let owner = |x: i64| (x - 1) / block % procs;
            Some(match axis.subscript {
                Ok((k, stride, offset)) => (procs, vec![owner(stride * index[k] + offset)]),
                Err(Some(x)) => (procs, vec![owner(x)]),
                Err(None) => (procs, (0..procs).collect()),
            })
        });
        for (procs, coordinates) in coordinates.chain(further.iter().map(|&n| (n, (0..n).collect()))) {
            ranks = ranks.iter().flat_map(|rank| coordinates.iter().map(move |c| rank * procs + c)).collect();
        }
        ranks.into_iter().map(|rank: i64| rank as u32 + at).collect()
    };
    indices(shape).iter().map(ranks).collect()
}

/// Returns a random layout: a distribution of each axis, or an alignment with a template that has strides, offsets,
/// axes in another order, and an axis to which no axis of the array is aligned. Either may have copies.
fn any_layout(rng: &mut fastrand::Rng, shape: &[u64]) -> Drawn {
    let aligned = rng.bool();
    let mut subscripts: Vec<Result<(usize, i64, i64), Option<i64>>> = Vec::new();
    let mut sources = Vec::new();
    for (k, &len) in shape.iter().enumerate() {
        let name = ["I", "J", "K"][k];
        if aligned && rng.u8(0..5) == 0 {
            sources.push("*".to_string());
            continue;
        }
        sources.push(name.into());
        let stride = if aligned { *rng.choice(&[1, 1, 2, 3, -1, -2]).expect("a stride") } else { 1 };
        let first = if aligned { rng.i64(1..4) } else { 1 };
        let offset = if stride > 0 { first - stride } else { first - stride * len as i64 };
        subscripts.push(Ok((k, stride, offset)));
    }
    if aligned {
        if rng.bool() {
            subscripts.push(Err(rng.bool().then(|| rng.i64(1..9))));
        }
        rng.shuffle(&mut subscripts);
    }
    let mut axes = Vec::new();
    for subscript in subscripts {
        let needed = match subscript {
            Ok((k, stride, offset)) => (stride + offset).max(stride * shape[k] as i64 + offset),
            Err(_) => 9,
        };
        let extent = needed + if aligned { rng.i64(0..5) } else { 0 };
        let procs = rng.i64(1..4);
        let (format, dealt) = match rng.u8(0..4) {
            0 => ("*".to_string(), None),
            1 => ("BLOCK".into(), Some((procs, (extent + procs - 1) / procs))),
            _ => {
                let block = rng.i64(1..5);
                (format!("CYCLIC({block})"), Some((procs, block)))
            }
        };
        axes.push(TemplateAxis { subscript, extent, format, dealt });
    }
    let further: Vec<i64> = if rng.u8(0..3) == 0 { vec![rng.i64(2..4)] } else { Vec::new() };
    let list = |all: Vec<String>| all.join(",");
    let mut procs: Vec<i64> = axes.iter().filter_map(|axis| Some(axis.dealt?.0)).collect();
    procs.extend(&further);
    let further = if procs.is_empty() { vec![2] } else { further };
    let procs = if procs.is_empty() { vec![2] } else { procs };
    let formats = list(axes.iter().map(|axis| axis.format.clone()).collect());
    let (onto, at) = (list(procs.iter().map(i64::to_string).collect()), rng.u32(0..3));
    let text = if aligned && !axes.is_empty() {
        let subscript = |axis: &TemplateAxis| match axis.subscript {
            Ok((k, stride, offset)) => format!("{stride}*{}{offset:+}", ["I", "J", "K"][k]),
            Err(Some(index)) => index.to_string(),
            Err(None) => "*".into(),
        };
        format!(
            "TEMPLATE T({}); ALIGN A({}) WITH T({}); DISTRIBUTE T({formats}) ONTO P({onto}) AT {at}",
            list(axes.iter().map(|axis| axis.extent.to_string()).collect()),
            sources.join(","),
            list(axes.iter().map(subscript).collect())
        )
    } else if axes.len() == shape.len() {
        format!("({formats}) ONTO P({onto}) AT {at}")
    } else {
        return any_layout(rng, shape);
    };
    Drawn { text, ranks: deal(shape, &axes, &further, at) }
}

/// Returns the attribute of an element whose text begins with its name.
fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let (_, rest) = element.split_once(&format!(" {name}=\"")).expect("an attribute");
    rest.split_once('"').expect("its end").0
}

/// Returns the owners that a panel of a drawing shows, for each element of a plane with `rows` and `columns` indices:
/// the ranks in the title of the tile at the middle of the element, and the number of elements in that title.
fn shown(panel: &str, rows: u64, columns: u64) -> Vec<(BTreeSet<u32>, u64)> {
    let frame = panel.split("<rect").nth(1).expect("a frame");
    let [x, y, width, height] =
        ["x", "y", "width", "height"].map(|name| attribute(frame, name).parse::<f64>().expect("a number"));
    let mut shown = vec![None; (rows * columns) as usize];
    for path in panel.split("<path").skip(1) {
        let title = path.split_once("<title>").expect("a title").1.split_once("</title>").expect("its end").0;
        let (title, elements) = title.trim().rsplit_once(": ").expect("elements");
        let elements =
            elements.split(' ').next().expect("a number").replace(',', "").parse().expect("a number");
        let ranks = title.rsplit([':', 'k']).next().expect("ranks").split(',');
        let ranks = ranks.filter(|rank| *rank != " …");
        let ranks: BTreeSet<u32> = ranks.map(|rank| rank.trim().parse().expect("a rank")).collect();
        for tile in attribute(path, "d").split('z').filter(|tile| !tile.is_empty()) {
            let numbers: Vec<f64> = tile
                .split(['M', ' ', 'h', 'v'])
                .filter(|number| !number.is_empty())
                .map(|number| number.parse().expect("a number"))
                .collect();
            let inside = |at: f64, start: f64, length: f64| at > start && at < start + length;
            for i in 0..rows {
                for j in 0..columns {
                    let middle = |k: u64, count: u64, start: f64, length: f64| {
                        start + length * (k as f64 + 0.5) / count as f64
                    };
                    if inside(middle(j, columns, x, width), numbers[0], numbers[2])
                        && inside(middle(i, rows, y, height), numbers[1], numbers[3])
                    {
                        let place = &mut shown[(i * columns + j) as usize];
                        assert!(place.replace((ranks.clone(), elements)).is_none(), "two tiles in one place");
                    }
                }
            }
        }
    }
    shown.into_iter().map(|one| one.expect("a tile everywhere")).collect()
}

#[test]
fn drawings_of_copies_alignments_and_permutations_are_right() {
    let path = file("owners.svg");
    let name = path.to_str().expect("a name");
    for seed in 0..150 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let shape: Vec<u64> = (0..rng.usize(1..4)).map(|_| rng.u64(1..13)).collect();
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if rng.bool() {
            rng.shuffle(&mut order);
        }
        let mut target = vec![0; shape.len()];
        order.iter().zip(&shape).for_each(|(&k, &len)| target[k] = len);
        let sides = [any_layout(&mut rng, &shape), any_layout(&mut rng, &target)];
        let list = |numbers: Vec<String>| numbers.join(",");
        let [extents, axes] = [
            list(shape.iter().map(u64::to_string).collect()),
            list(order.iter().map(|k| (k + 1).to_string()).collect()),
        ];
        let arguments = ["--shape", &extents, "--from", &sides[0].text, "--to", &sides[1].text];
        let arguments = [&arguments[..], &["--axes", &axes, "--element", "1", "--draw", name]].concat();
        let report = json(&arguments);
        let what = format!("seed {seed}: {arguments:?}");
        let svg = std::fs::read_to_string(&path).expect("a drawing");
        well_formed(&svg, "rect");
        // The planes that are drawn, in dimensions of each side.
        let mut planes = match &order[..] {
            [_] => [[None, Some(0)]; 2],
            _ => [[Some(0), Some(1)]; 2],
        };
        let note = svg.split_once("dimensions ").map(|(_, note)| ("permuted", note));
        let note = note.or(svg.split_once("Rows: dimension ").map(|(_, note)| ("straight", note)));
        if let Some((kind, note)) = note {
            let words: Vec<&str> =
                note.split('<').next().expect("a text").split([' ', ',', ';', '(', '.']).collect();
            let numbers: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
            planes = match (kind, &numbers[..]) {
                ("straight", &[a, b, ..]) => [[Some(a - 1), Some(b - 1)]; 2],
                (_, &[a, b, c, c_before, d, d_before, ..]) => {
                    assert_eq!([order[c_before - 1] + 1, order[d_before - 1] + 1], [c, d], "{what}");
                    assert_eq!(BTreeSet::from([a, b]), BTreeSet::from([c_before, d_before]), "{what}");
                    [[Some(a - 1), Some(b - 1)], [Some(c - 1), Some(d - 1)]]
                }
                other => panic!("{other:?} {what}"),
            };
        } else {
            assert!(shape.len() < 3 && order.is_sorted(), "the drawing does not name its plane: {what}");
        }
        let panels: Vec<&str> = svg.split("<g stroke-width").skip(1).collect();
        assert_eq!(panels.len(), 2, "{what}");
        for (k, (extents, side)) in [&shape, &target].into_iter().zip(&sides).enumerate() {
            let [rows, columns] = planes[k];
            let lengths = [rows.map_or(1, |dim| extents[dim]), columns.map_or(1, |dim| extents[dim])];
            let panel =
                panels[k].split("<text").next().expect("tiles").split("stripe").next().expect("tiles");
            let all = indices(extents);
            let mut held: BTreeMap<u32, u64> = BTreeMap::new();
            side.ranks.iter().flatten().for_each(|&rank| *held.entry(rank).or_default() += 1);
            let in_plane = |index: &Vec<i64>| {
                (0..extents.len()).all(|dim| index[dim] == 1 || Some(dim) == rows || Some(dim) == columns)
            };
            let drawn = shown(panel, lengths[0], lengths[1]);
            for (index, ranks) in all.iter().zip(&side.ranks).filter(|(index, _)| in_plane(index)) {
                let at = |dim: Option<usize>| dim.map_or(0, |dim| index[dim] as u64 - 1);
                let (owners, elements) = &drawn[(at(rows) * lengths[1] + at(columns)) as usize];
                // A title lists at most 8 ranks.
                let is_right = owners.is_subset(ranks) && owners.len() == ranks.len().min(8);
                assert!(is_right, "side {k}, {index:?}: {owners:?}, expected {ranks:?}: {what}");
                let rank = ranks.first().expect("an owner");
                assert_eq!(*elements, held[rank], "elements of rank {rank} on side {k}: {what}");
            }
            let most = side.ranks[0].len();
            assert_eq!(
                svg.contains(&format!("is on {most} ranks")) || svg.contains(&format!("on {most} ranks ")),
                most > 1,
                "{what}"
            );
            assert_eq!(report[["from", "to"][k]]["copies"], most, "{what}");
            let (ranks, name) = (&report[["from", "to"][k]]["ranks"], ["before", "after"][k]);
            let idle = ranks.as_u64().expect("a number") - held.len() as u64;
            let ranks = format!("{ranks} rank{} {name}", if *ranks == 1 { "" } else { "s" });
            let note = svg
                .split_once("Without an element: ")
                .map_or("", |(_, note)| note.split('<').next().unwrap());
            let named = note.trim_end_matches(['.', '\n', ' ']).split(", ").find(|part| part.ends_with(name));
            assert_eq!(named.map(str::to_string), (idle > 0).then(|| format!("{idle} of {ranks}")), "{what}");
        }
        check_flows(&svg, &flows(&shape, &target, &order, &sides), &what);
    }
}

/// Returns, for each rank, the numbers of elements that it keeps and that it receives in a redistribution.
fn flows(shape: &[u64], target: &[u64], order: &[usize], sides: &[Drawn; 2]) -> BTreeMap<u32, (u64, u64)> {
    let places: BTreeMap<Vec<i64>, usize> = indices(target).into_iter().zip(0..).collect();
    let mut flows: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (index, before) in indices(shape).iter().zip(&sides[0].ranks) {
        let mut there = vec![0; index.len()];
        order.iter().zip(index).for_each(|(&k, &i)| there[k] = i);
        for &rank in &sides[1].ranks[places[&there]] {
            let (kept, received) = flows.entry(rank).or_default();
            *(if before.contains(&rank) { kept } else { received }) += 1;
        }
    }
    flows
}

/// Checks that the cells of the matrix show the elements that each rank keeps and receives.
fn check_flows(svg: &str, wanted: &BTreeMap<u32, (u64, u64)>, what: &str) {
    let mut drawn: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let number = |text: &str| text.trim().replace(',', "").parse::<u64>().expect("a number");
    for title in svg.split("<title>").skip(1).filter_map(|piece| Some(piece.split_once("</title>")?.0.trim()))
    {
        let (rank, kept, received) = if let Some((_, rest)) = title.split_once(" → rank ") {
            let (rank, bytes) = rest.split_once(": ").expect("bytes");
            (rank, 0, bytes.split(' ').next().expect("bytes"))
        } else if let Some((rank, bytes)) = title.split_once(" keeps ") {
            (rank.trim_start_matches("rank "), number(bytes.trim_end_matches(" bytes")), "0")
        } else {
            continue;
        };
        let entry = drawn.entry(u32::try_from(number(rank)).expect("a rank")).or_default();
        *entry = (entry.0 + kept, entry.1 + number(received));
    }
    assert_eq!(&drawn, wanted, "kept and received: {what}");
}

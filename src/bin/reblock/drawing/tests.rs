//! Drawings compared with the schedule: bars, tiles and sums of bytes; labels of axes, and errors of drawings.

use super::bars::bars;
use super::flows::{Cell, Flows, Sums};
use super::ranks::RankGroups;
use super::tiles::{Chosen, Owner, Plane, Tiles};
use super::*;
use crate::listing::{kept, messages};
use crate::notation::read;
use crate::redistribution::Redistribution;
use reblock_plan::machine::Machine;
use reblock_plan::schedule::chooser::choose;
use std::collections::{BTreeMap, BTreeSet};

fn traffic(shape: &[u64], from: &str, to: &str) -> Traffic {
    let side = |text| read(text, "", shape).unwrap();
    Redistribution {
        shape: shape.into(),
        element: 1,
        from: side(from),
        to: side(to),
        axes: (0..shape.len()).collect(),
    }
    .traffic()
    .unwrap()
}

#[test]
fn bars_of_a_port_do_not_overlap() {
    let t = traffic(&[240], "CYCLIC(3) ONTO P(16)", "CYCLIC(5) ONTO Q(16) AT 16");
    for (name, steps, end) in
        [("classes", 7, 15), ("caterpillar", 16, 48), ("unscheduled", 1, 15), ("split", 14, 15)]
    {
        let schedule = choose(&t, &Machine::NETWORK, Some(name)).unwrap();
        let Course::Direct(order) = &schedule.course else { panic!("{name}") };
        let drawn = bars(&[(&t, order.as_ref())]).unwrap();
        assert_eq!((drawn.steps, drawn.end), (steps, end), "{name}");
        assert_eq!(drawn.bars.iter().map(|bar| bar.bytes).sum::<u64>(), 240, "{name}");
        for port in 0..16 {
            for side in [|b: &bars::Bar| (b.sender, b.start.0), |b: &bars::Bar| (b.receiver, b.start.1)] {
                let mut busy: Vec<(u64, u64)> = drawn
                    .bars
                    .iter()
                    .filter(|bar| side(bar).0 == port)
                    .map(|bar| (side(bar).1, side(bar).1 + bar.bytes))
                    .collect();
                busy.sort_unstable();
                assert!(busy.windows(2).all(|w| w[0].1 <= w[1].0), "{name} port {port}: {busy:?}");
                assert!(busy.iter().all(|&(_, to)| to <= end), "{name} port {port}");
            }
        }
    }
}

#[test]
fn too_many_messages_are_not_drawn() {
    let t = traffic(&[1 << 16], "CYCLIC(1) ONTO P(256)", "BLOCK ONTO Q(256) AT 256");
    let chosen = choose(&t, &Machine::NETWORK, None).unwrap();
    let error = schedule(Path::new("/nowhere/at/all.svg"), &t, &chosen).unwrap_err();
    assert_eq!(error, "--svg draws at most 20,000 messages, but this redistribution has 65,536");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let t = traffic(&[24], "CYCLIC(1) ONTO P(2)", "BLOCK ONTO Q(3)");
    let chosen = choose(&t, &Machine::NETWORK, None).unwrap();
    let error = schedule(Path::new("/nowhere/at/all.svg"), &t, &chosen).unwrap_err();
    assert!(error.starts_with("--svg /nowhere/at/all.svg: "), "{error}");
}

#[test]
fn labels_of_an_axis_are_distinct() {
    for (shape, from, to) in [
        (24, "BLOCK ONTO P(2)", "BLOCK ONTO Q(2)"),
        (2, "CYCLIC ONTO P(2)", "CYCLIC ONTO Q(2) AT 2"),
        (7, "BLOCK ONTO P(2)", "BLOCK ONTO Q(3)"),
    ] {
        let t = traffic(&[shape], from, to);
        let drawn = chosen_bars(&t, &choose(&t, &Machine::NETWORK, None).unwrap()).unwrap();
        let text = svg((640, 500), |area| chart::ports(area, &drawn, drawn.end)).unwrap();
        let labels: Vec<&str> = text
            .split("<text ")
            .filter_map(|piece| piece.split_once(">")?.1.split_once("</text>"))
            .map(|(label, _)| label.trim())
            .filter(|label| label.parse::<u64>().is_ok())
            .collect();
        let mut once = labels.clone();
        once.dedup();
        assert!(!labels.is_empty() && labels == once, "{shape} {from}: {labels:?}");
    }
}

/// Returns a random redistribution of an array of up to 3 dimensions, with all formats of the notation.
fn any_traffic(rng: &mut fastrand::Rng) -> (Traffic, String) {
    let shape: Vec<u64> = (0..rng.usize(1..4)).map(|_| rng.u64(1..40)).collect();
    let mut side = || {
        let mut grid = Vec::new();
        let mut formats: Vec<String> = shape.iter().map(|&len| any_format(rng, len, &mut grid)).collect();
        if grid.is_empty() {
            formats[0] = "BLOCK".into();
            grid.push(1);
        }
        let grid: Vec<String> = grid.iter().map(u32::to_string).collect();
        format!("{} ONTO P({}) AT {}", formats.join(","), grid.join(","), rng.u32(0..5))
    };
    let (from, to) = (side(), side());
    (traffic(&shape, &from, &to), format!("{shape:?} {from} to {to}"))
}

/// Returns a format for `len` indices, and adds its number of processes to `grid` unless it is collapsed.
fn any_format(rng: &mut fastrand::Rng, len: u64, grid: &mut Vec<u32>) -> String {
    let procs = rng.u32(1..5);
    let kind = rng.u8(0..6);
    if kind > 0 {
        grid.push(procs);
    }
    let list = |numbers: Vec<u64>| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    match kind {
        0 => "*".into(),
        1 => "BLOCK".into(),
        2 => "CYCLIC".into(),
        3 => format!("CYCLIC({})", rng.u64(1..9)),
        4 => {
            let mut left = len;
            let mut sizes: Vec<u64> = (1..procs)
                .map(|_| {
                    let size = rng.u64(0..=left);
                    left -= size;
                    size
                })
                .collect();
            sizes.push(left);
            format!("GEN_BLOCK({})", list(sizes))
        }
        _ => format!("INDIRECT({})", list((0..len).map(|_| rng.u64(0..procs.into())).collect())),
    }
}

#[test]
fn sums_of_bytes_equal_the_listing() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (t, what) = any_traffic(&mut rng);
        let groups = RankGroups::new(&t.from, &t.to);
        assert!(groups.are_single());
        let flows = Flows::new(&t, &groups).unwrap();
        let mut cells: BTreeMap<(usize, usize), Cell> = BTreeMap::new();
        for message in messages(&t, caterpillar::order(&t, false).as_ref()).unwrap() {
            let ends = (groups.group_of(message.sender_rank), groups.group_of(message.receiver_rank));
            let cell = cells.entry(ends).or_default();
            (cell.moved, cell.messages) = (cell.moved + message.bytes, cell.messages + 1);
        }
        for one in kept(&t).unwrap() {
            let group = groups.group_of(one.rank);
            cells.entry((group, group)).or_default().kept += one.bytes;
        }
        assert_eq!(flows.cells, cells, "seed {seed}: {what}");
        let mut sums = vec![Sums::default(); groups.len()];
        for (&(sender, receiver), cell) in &cells {
            sums[sender].sent += cell.moved;
            sums[receiver].received += cell.moved;
            sums[sender].kept += cell.kept;
        }
        assert_eq!(flows.sums, sums, "seed {seed}: {what}");
        let bytes = t.dims.iter().fold(t.element, |n, dim| n * dim.overlap.len);
        assert_eq!(flows.total.moved + flows.total.kept, bytes, "seed {seed}: {what}");
        let drawn = Movement::new(&t, ["before", "after"], &[0, 1, 2], None).unwrap();
        for source in [true, false] {
            let of = |sums: &Sums| sums.kept + if source { sums.sent } else { sums.received };
            let want: Vec<u64> = flows.sums.iter().map(of).collect();
            assert_eq!(drawn.held_by_groups(source), want, "seed {seed}: {what}");
        }
    }
}

#[test]
fn tiles_have_the_owners_of_their_elements() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (t, what) = any_traffic(&mut rng);
        let (groups, plane, most) = (RankGroups::new(&t.from, &t.to), Plane::of(&t), rng.usize(1..12));
        let axes: Vec<_> = t.dims.iter().map(|dim| &dim.overlap.from).collect();
        let len = |dim: usize| t.dims[dim].overlap.len;
        let part = [plane.rows.map_or(1, len), len(plane.columns)];
        let tiles = Tiles::new(&axes, &t.from, plane, part.map(|extent| 0..extent), most);
        let chosen = groups.first(rng.usize(0..groups.len()));
        let (mut covered, mut is_exact) = (0, true);
        for row in &tiles.rows {
            for column in &tiles.columns {
                let mut ranks = BTreeSet::new();
                for i in row.range.clone() {
                    for j in column.range.clone() {
                        let mut at: Vec<u32> = axes.iter().map(|axis| axis.owner(0)).collect();
                        plane.rows.inspect(|&dim| at[dim] = axes[dim].owner(i));
                        at[plane.columns] = axes[plane.columns].owner(j);
                        ranks.insert(t.from.rank(&at).0);
                        covered += 1;
                    }
                }
                let has_chosen = ranks.contains(&chosen);
                let rank = *ranks.first().expect("a tile has elements");
                is_exact &= ranks.len() == 1;
                let want = match ranks.len() {
                    1 if has_chosen => Owner::Chosen,
                    1 => Owner::Rank { rank, group: groups.group_of(rank) },
                    _ => Owner::Mixed { has_chosen },
                };
                let got = tiles.owner(row, column, &groups, &Chosen::of(chosen, &t.from));
                assert_eq!(got, want, "seed {seed}: {what}: {row:?} {column:?}");
            }
        }
        assert_eq!(covered, part[0] * part[1], "seed {seed}: {what}");
        assert!(is_exact || !tiles.is_exact, "seed {seed}: {what}");
        assert!(tiles.rows.len() <= most && tiles.columns.len() <= most, "seed {seed}: {what}");
    }
}

#[test]
fn large_redistributions_have_small_drawings() {
    let square = [1_000_000, 1_000_000];
    for (shape, from, to) in [
        (&square[..], "BLOCK,BLOCK ONTO P(32,32)", "CYCLIC,CYCLIC(64) ONTO P(64,16)"),
        (&square[..], "CYCLIC(3),CYCLIC(5) ONTO P(100,100)", "BLOCK,* ONTO P(10000)"),
        (&[1 << 40], "BLOCK ONTO P(1024)", "CYCLIC(7) ONTO P(1024) AT 512"),
    ] {
        let drawn = Movement::new(&traffic(shape, from, to), [from, to], &[0, 1], Some(700)).unwrap().file();
        assert!(drawn.len() < 1_000_000, "{from} to {to}: {} bytes", drawn.len());
        assert!(drawn.contains("Magnified: the first "), "{from} to {to}");
    }
}

#[test]
fn a_rank_without_a_part_is_refused() {
    let t = traffic(&[24], "BLOCK ONTO P(2)", "BLOCK ONTO Q(3) AT 4");
    let refused = |rank| Movement::new(&t, ["", ""], &[0], Some(rank)).err();
    assert_eq!([0, 1, 4, 6].map(refused), [const { None }; 4]);
    assert_eq!(refused(2).unwrap(), "rank 2 has no part of the array, before or after");
}

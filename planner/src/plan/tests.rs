//! Tests of the size of plans and of the local indices of shares.

use super::*;
use crate::layout::distribution::{Axis, Cyclic, Dist, Grid, Indirect};
use crate::layout::intersect::{Family, Overlap, Runs};
use crate::machine::Machine;

/// Returns the number of families in the plan of each rank, for a 2x3 to 3x2 redistribution of an n x n matrix.
fn stored(n: u64, block: u64, to_block: u64) -> Vec<usize> {
    let axis = |block, procs, start| Axis::new(Cyclic::new(block, procs, 0).unwrap(), start);
    let dim = |p, q| Overlap { from: axis(block, p, 1), to: axis(to_block, q, 2), len: n };
    let (from, to) = (Grid::row_major(&[2, 3]), Grid::row_major(&[3, 2]));
    let problem = Problem::whole(vec![dim(2, 3), dim(3, 2)], from, to);
    let families = |side: &PhaseSide| -> usize {
        side.shares.iter().flatten().map(|s| s.indices().map_or(0, Runs::stored) + s.local.stored()).sum()
    };
    (0..6)
        .map(|rank| {
            let me = Place::of(&problem, Rank(rank), 6);
            let phases = Phases::new(&problem, &me, 8, &Machine::NETWORK, Some("checkerboard")).unwrap();
            let phase = &phases.list[0];
            families(&phase.sends) + families(&phase.receives)
        })
        .collect()
}

#[test]
fn a_plan_holds_one_period_however_large_the_matrix() {
    for (block, to_block) in [(1, 1), (1, 2), (2, 3), (7, 4)] {
        // The extents are multiples of every period, so the families at the ends of the section are cut alike.
        let small = stored(6 * 840, block, to_block);
        assert_eq!(small, stored(6 * 840 * 1000, block, to_block), "{block} -> {to_block}");
        assert_eq!(small, stored(6 * 840 * 100_000, block, to_block), "{block} -> {to_block}");
    }
}

#[test]
fn the_time_to_plan_a_self_copy_does_not_depend_on_the_extent() {
    // One side has a single run of the elements that stay, the other side has 2^59 runs.
    let len = 1 << 60;
    for (block, to_block) in [(1, len / 2), (len / 2, 1)] {
        let axis = |block| Axis::new(Cyclic::new(block, 2, 0).unwrap(), 0);
        let dim = Overlap { from: axis(block), to: axis(to_block), len };
        let problem = Problem::whole(vec![dim], Grid::row_major(&[2]), Grid::row_major(&[2]));
        let me = Place::of(&problem, Rank(0), 2);
        let phases = Phases::new(&problem, &me, 8, &Machine::NETWORK, None).unwrap();
        assert!(phases.list.iter().all(|phase| phase.sends.messages.len() <= 1));
    }
}

#[test]
fn a_sender_of_a_repeated_array_keeps_only_its_own_partners() {
    // 4 parts in 64 copies, and 256 readers, which all share elements with each part.
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    let unknown = crate::layout::distribution::Nodes::default();
    let nodes = crate::layout::distribution::Nodes::new(&(0..256).map(|rank| rank / 8).collect::<Vec<_>>());
    for (nodes, block) in [(&unknown, 1), (&unknown, 7), (&nodes, 1), (&nodes, 7)] {
        let len = 4 * block * 256 * 4;
        let dim = Overlap { from: axis(len / 4, 4), to: axis(block, 256), len };
        let whole = Problem::whole(vec![dim], Grid::row_major(&[4, 64]), Grid::row_major(&[256]));
        let problem = Problem { nodes: nodes.clone(), ..whole };
        let mut sent = 0;
        for rank in 0..256 {
            let me = Place::of(&problem, Rank(rank), 256);
            let phases = Phases::new(&problem, &me, 8, &Machine::NETWORK, Some("caterpillar")).unwrap();
            let phase = &phases.list[0];
            sent += phase.sends.messages.len();
            let partners = phase.sends.messages.len() + usize::from(phase.copy.is_some());
            assert_eq!(phase.sends.shares(0).len(), partners, "rank {rank}");
            assert!(phase.sends.messages.capacity() <= 2 * partners.max(4), "rank {rank}");
        }
        assert_eq!(sent, 256 * 3, "each rank has one of the four parts itself");
    }
}

/// Compares the local indices of a share of two random axes with the local indices of each section index.
#[test]
fn shares_are_where_their_indices_live() {
    let mut rng = fastrand::Rng::with_seed(14);
    let mut any = |len: u64| {
        let (origin, stride) = (rng.u64(0..20), rng.u64(1..5));
        let (start, step) = (rng.u64(0..9), rng.u64(1..4));
        let procs = rng.u32(1..5);
        let total = origin + stride * (start + step * len + 1);
        let dist: Dist = match rng.u8(0..2) {
            0 => Indirect::new(procs, (0..total).map(|_| (rng.u32(0..procs), 1))).unwrap().into(),
            _ => Cyclic::new(rng.u64(1..20), procs, rng.u32(0..procs)).unwrap().into(),
        };
        Axis::aligned(dist, origin, stride).section(start, step)
    };
    for len in (0..150).flat_map(|len| [len; 8]) {
        let (from, to) = (any(len), any(len));
        let dim = Overlap { from: from.clone(), to: to.clone(), len };
        for (p, q) in
            (0..from.dist.procs()).flat_map(|p| dim.destinations(p).into_iter().map(move |q| (p, q)))
        {
            let both = Share::new(dim.shared(p, q), [&from, &to]);
            let want: Vec<[u64; 2]> = (0..len)
                .filter(|&i| (from.owner(i), to.owner(i)) == (p, q))
                .map(|i| [from.local(i).0, to.local(i).0])
                .collect();
            let run = |f: Family<2>, k: u64| {
                (0..f.len).map(move |e| [0, 1].map(|d| f.start[d] + k * f.stride[d] + e))
            };
            let got: Vec<[u64; 2]> = both
                .local
                .families()
                .iter()
                .flat_map(|&f| (0..f.count).flat_map(move |k| run(f, k)))
                .collect();
            assert_eq!(got, want, "{dim:?}");
        }
    }
}

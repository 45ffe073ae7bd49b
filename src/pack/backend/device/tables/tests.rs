//! Divided loops have the same elements, and joined tables those of their parts.

use super::*;

/// Returns the places of all rows on both sides, as the kernels find them.
fn places(tables: &Tables) -> Vec<[u64; 2]> {
    let find = |level: &LevelRow, p: u32| -> [i64; 2] {
        let families = &tables.families[level.families as usize..][..level.tails as usize];
        let f = families[families.partition_point(|f| f.first <= p) - 1];
        let (run, within) = ((p - f.first) / f.len, (p - f.first) % f.len);
        let index = |d: usize| f.start[d] + i64::from(run) * f.stride[d] + i64::from(within);
        std::array::from_fn(|d| level.step[d] * index(d))
    };
    let mut all = Vec::new();
    for message in &tables.messages {
        let levels = &tables.levels[message.first_level as usize..][..message.levels as usize];
        assert_eq!(message.columns, levels[1..].iter().map(|level| level.total).product::<u32>());
        for (mut column, row) in (0..message.columns).flat_map(|c| (0..levels[0].total).map(move |r| (c, r)))
        {
            let mut at = message.at;
            let mut add = |by: [i64; 2]| at = std::array::from_fn(|d| at[d].wrapping_add_signed(by[d]));
            add(find(&levels[0], row));
            for level in &levels[1..] {
                add(find(level, column % level.total));
                column /= level.total;
            }
            all.push(at);
        }
    }
    all.sort_unstable();
    all
}

#[test]
fn divided_loops_have_the_same_elements() {
    let mut rng = fastrand::Rng::with_seed(3);
    let (mut parts, mut of_parts) = (Vec::new(), Vec::new());
    for case in 0..500 {
        let mut loops = Vec::new();
        for _ in 0..rng.usize(1..4) {
            let mut one = Loop { step: [rng.i64(-9..9), rng.i64(1..9)], runs: Vec::new() };
            let runs = rng.usize(1..4);
            for _ in 0..runs {
                let (len, count) = (rng.u64(1..if runs == 1 { 200 } else { 9 }), rng.u64(1..4));
                let start = [rng.i64(-50..50), rng.i64(0..50)];
                one.push(LoopRuns { start, stride: [rng.i64(0..9), rng.i64(-9..9)], len, count });
            }
            loops.push(one);
        }
        if loops.iter().map(Loop::total).product::<u64>() > 3000 {
            continue;
        }
        let max = [MAX_POSITIONS, 7, 40][case % 3];
        let ends = [1 << 20, 1 << 30];
        // As numbers of one byte, rows stay rows.
        let of = |max| Tables::new(ends, loops.clone(), RowUnit::Number(1), false, max);
        let mut want = vec![ends];
        for one in &loops {
            let mut next = Vec::new();
            for at in want {
                for f in &one.runs {
                    for (run, within) in (0..f.count).flat_map(|k| (0..f.len).map(move |i| (k, i))) {
                        next.push(std::array::from_fn(|d| {
                            let index = f.start[d] + signed(run) * f.stride[d] + signed(within);
                            at[d].wrapping_add_signed(one.step[d] * index)
                        }));
                    }
                }
            }
            want = next;
        }
        want.sort_unstable();
        let tables = of(max);
        assert!(places(&tables) == want, "case {case}: {loops:?}");
        assert!(tables.levels.iter().all(|level| u64::from(level.total) <= max.max(LANES)));
        assert!(tables.messages.iter().all(|message| u64::from(message.columns) <= max.max(MIN_COLUMNS)));
        parts.push(tables);
        of_parts.extend(want);
        if parts.len() == 5 {
            let joined = Tables::joined(std::mem::take(&mut parts));
            let mut want = std::mem::take(&mut of_parts);
            want.sort_unstable();
            assert!(joined.len() == 1 && places(&joined[0]) == want, "up to case {case}");
            let launched = joined[0].launches.iter().flat_map(|(range, _)| range.clone());
            assert!(launched.eq(0..joined[0].messages.len()));
        }
    }
}

//! Compares relabelling with all possible assignments if there are few places, and checks its properties if there are
//! many.

use super::matching::best_pairs;
use super::*;
use crate::layout::intersect::Overlap;
use case::{any_problem, cyclic, each_small, permuted, present, worth};
use fastrand::Rng;

mod case;

#[test]
#[cfg(feature = "relabel")]
fn no_assignment_keeps_more_or_moves_fewer_places() {
    each_small(21, |problem, others, best| {
        let answer = relabel(problem, 24, others);
        assert!(answer.optimal);
        assert_eq!(worth(problem, &answer, others), best, "{problem:?} {others:?} {answer:?}");
        assert_eq!(answer.after, best.0 * 24);
        let stay = Relabelling { ranks: present(problem), ..answer.clone() };
        assert_eq!(answer.before, worth(problem, &stay, others).0 * 24);
        if answer.before == answer.after {
            assert_eq!(answer, stay);
        }
    });
}

#[test]
fn without_the_exact_algorithm_half_is_kept_and_no_less_than_now() {
    let (mut known, mut less) = (0, 0);
    each_small(22, |problem, others, best| {
        let answer = relabel_within(problem, 8, others, 0);
        let (kept, _) = worth(problem, &answer, others);
        assert_eq!(answer.after, kept * 8);
        assert!(2 * kept >= best.0 && answer.after >= answer.before, "{problem:?} {others:?} {answer:?}");
        assert!(!answer.optimal || kept == best.0, "{problem:?} {others:?} {answer:?}");
        if answer.before == answer.after {
            assert_eq!(answer.ranks, present(problem));
        }
        known += u32::from(answer.optimal);
        less += u32::from(kept < best.0);
    });
    assert!(known > 700 && less > 0, "the bound is met {known} times, and the best is missed {less} times");
}

/// Returns random pairs that keep 0 to 8 bytes: each place with the holder of its own number, and with about one in
/// `rare` of the other holders.
#[cfg(feature = "relabel")]
fn any_pairs(rng: &mut Rng, places: u32, holders: u32, rare: u32) -> Vec<PlacePair> {
    let all = (0..places).flat_map(|place| (0..holders).map(move |holder| (place, holder)));
    let sparse: Vec<_> = all.filter(|&(place, holder)| place == holder || rng.u32(0..rare) == 0).collect();
    sparse.into_iter().map(|(place, holder)| PlacePair { place, holder, bytes: rng.u64(0..9) }).collect()
}

#[test]
#[cfg(feature = "relabel")]
fn components_and_bounds_change_nothing() {
    let mut rng = Rng::with_seed(23);
    let (mut parts, mut not_known) = (0, 0);
    for _ in 0..200 {
        let places = rng.u32(1..60);
        let (holders, rare) = (places + rng.u32(0..30), rng.u32(1..120));
        let mut pairs = any_pairs(&mut rng, places, holders, rare);
        let whole = exact::solve_exactly(&pairs, &mut u64::MAX.clone()).unwrap();
        let sum = |pairs: &[PlacePair]| greedy::Worth::sum(pairs);
        let (places, holders) = (places as usize, holders as usize);
        let (chosen, optimal) = best_pairs(pairs.clone(), places, holders, u64::MAX);
        assert!(optimal);
        assert_eq!(sum(&chosen), sum(&whole), "{pairs:?}");
        let (halves, optimal) = best_pairs(pairs.clone(), places, holders, 0);
        let bytes = |pairs: &[PlacePair]| pairs.iter().map(|pair| pair.bytes).sum::<u64>();
        assert!(2 * bytes(&halves) >= bytes(&whole), "{pairs:?}");
        assert!(!optimal || bytes(&halves) == bytes(&whole), "{pairs:?}");
        not_known += u32::from(!optimal);
        parts += u32::from(components::components(&mut pairs, places, holders).len() > 1);
    }
    assert!(parts > 50 && not_known > 50, "{parts} with several components, {not_known} not solved");
}

/// The pair that is taken displaces two pairs that are nearly as large.
#[test]
fn the_greedy_assignment_may_keep_little_more_than_half() {
    let pair = |(place, holder, bytes)| PlacePair { place, holder, bytes };
    let pairs = [(0, 1, 100), (0, 0, 99), (1, 1, 99)].map(pair).to_vec();
    let (taken, tight) = greedy::solve_greedily(&mut pairs.clone(), &mut greedy::EndStates::new(2, 2));
    assert_eq!((taken, tight), (vec![pairs[0]], false));
    let (chosen, optimal) = best_pairs(pairs.clone(), 2, 2, 0);
    assert_eq!((chosen, optimal), (pairs[1..].to_vec(), false), "the present assignment keeps more");
}

/// Builds sets of two places and two ranks. Only pairs of 0 bytes, of each place with its present rank, connect the
/// sets.
#[test]
#[cfg(feature = "relabel")]
fn large_problems_are_solved_in_parts_within_the_work_limit() {
    let (sets, places) = (30, 60);
    let of_set = |set: u32| {
        let (a, b) = ((2 * set + 2) % places, (2 * set + 3) % places);
        [(2 * set, a, 100), (2 * set, b, 99), (2 * set + 1, a, 99)]
    };
    let stay = (0..places).map(|place| (place, place, 0));
    let pairs = (0..sets).flat_map(of_set).chain(stay);
    let pairs: Vec<PlacePair> =
        pairs.map(|(place, holder, bytes)| PlacePair { place, holder, bytes }).collect();
    let solved = |work| {
        let (chosen, optimal) = best_pairs(pairs.clone(), places as usize, places as usize, work);
        (chosen.iter().map(|pair| pair.bytes).sum::<u64>(), optimal)
    };
    assert_eq!(solved(8 * 30), (198 * 30, true));
    assert_eq!(solved(8 * 29), (198 * 29 + 100, false));
    assert_eq!(solved(0), (100 * 30, false));
}

#[test]
fn with_equal_layouts_on_a_permuted_grid_everything_stays() {
    let mut rng = Rng::with_seed(24);
    for extents in [vec![6], vec![4, 3], vec![2, 3, 2], vec![64, 64]] {
        let (count, dims) = (extents.iter().product::<u32>(), extents.iter().zip([3, 2, 5]));
        let dims: Vec<Overlap> = dims
            .map(|(&procs, block)| Overlap {
                from: cyclic(block, procs),
                to: cyclic(block, procs),
                len: 1000,
            })
            .collect();
        let (from, to) = (Grid::row_major(&extents), permuted(&mut rng, &extents, count));
        let problem = Problem::whole(dims, from.clone(), to);
        let answer = relabel(&problem, 8, &[]);
        assert_eq!((answer.after, answer.optimal), (problem.bytes(8), true));
        assert!(answer.before < answer.after);
        assert_eq!(answer.grid(&problem.to), from, "{extents:?}");
    }
}

#[test]
fn places_stay_without_a_gain() {
    let grid = Grid::row_major(&[2, 2]);
    let dim = |from, to| Overlap { from: cyclic(from, 2), to: cyclic(to, 2), len: 24 };
    let case = |a, b| Problem::whole(vec![dim(a, b), dim(b, b)], grid.clone(), grid.clone());
    // Equal layouts; a layout that shares equally with every place; no elements.
    let mut none = case(3, 1);
    none.dims[0].len = 0;
    for problem in [case(3, 3), case(12, 1), none] {
        let answer = relabel(&problem, 8, &[Rank(7), Rank(4)]);
        assert_eq!(answer.ranks, present(&problem));
        assert_eq!((answer.before, answer.optimal), (answer.after, true));
    }
}

/// Each dimension by itself keeps 2 elements with either assignment.
#[test]
#[cfg(feature = "relabel")]
fn more_is_kept_than_by_the_best_of_each_dimension() {
    use crate::layout::distribution::{Axis, Indirect};
    let axis = |owners: [u32; 4]| Axis::new(Indirect::new(2, owners.map(|owner| (owner, 1))).unwrap(), 0);
    let dim = Overlap { from: axis([0, 0, 0, 1]), to: axis([0, 0, 1, 0]), len: 4 };
    let grid = |extents: &[u32]| Grid::row_major(extents);
    let line = relabel(&Problem::whole(vec![dim.clone()], grid(&[2]), grid(&[2])), 1, &[]);
    assert_eq!((line.before, line.after, line.optimal), (2, 2, true));
    let square = relabel(&Problem::whole(vec![dim.clone(), dim], grid(&[2, 2]), grid(&[2, 2])), 1, &[]);
    assert_eq!((square.before, square.after, square.optimal), (4, 6, true));
}

#[test]
fn copies_go_to_ranks_that_have_the_part() {
    // Before: part p on ranks 2p and 2p + 1. After: copy c of part p on rank p + 2c.
    let dim = Overlap { from: cyclic(5, 2), to: cyclic(5, 2), len: 30 };
    let to = Grid::from_ranks(&[2, 2], &[0, 2, 1, 3]).unwrap();
    let problem = Problem::whole(vec![dim], Grid::row_major(&[2, 2]), to);
    let answer = relabel(&problem, 1, &[]);
    assert_eq!(answer.ranks, [0, 1, 2, 3].map(Rank));
    assert_eq!((answer.before, answer.after, answer.optimal), (30, 60, true));
}

/// The target lies in one slice of its arrangement, with one axis reversed and the axes permuted. The ranks of that
/// slice change places, and the other ranks keep theirs.
#[test]
fn successors_make_the_arrangement_of_the_answer() {
    use crate::layout::mapping::{
        Align, Arrangement, ArrayRedistribution, Format, Layout, Map, MappedSection, Rest, Section,
    };
    use crate::layout::mapping::{Template, TemplateAxis};
    let arrangement = |shape: &[u32], ranks: &[u32]| Arrangement::new(shape, Some(ranks), 12).unwrap();
    let axis = |format, onto| TemplateAxis { lower: 1, upper: 12, format, onto: Some(onto) };
    let with = |axis, stride, offset| (1, 12, Align::With { axis, stride, offset });
    let map = |arrangement, template, axes: &[_], rest| {
        Map::new(Template::new(arrangement, template).unwrap().into(), axes, rest).unwrap()
    };
    let source = map(
        arrangement(&[2, 3], &[7, 1, 4, 3, 10, 9]),
        vec![axis(Format::Block(None), 0), axis(Format::cyclic(2), 1)],
        &[with(0, 1, 0), with(1, 1, 0)],
        None,
    );
    let target = map(
        arrangement(&[3, 2, 2], &[7, 0, 1, 2, 10, 3, 4, 5, 9, 6, 11, 8]),
        vec![axis(Format::cyclic(2), 0), axis(Format::Block(None), 1), axis(Format::Block(None), 2)],
        &[with(1, -1, 13), with(0, 1, 0)],
        Some(&[Rest::Replicated, Rest::Replicated, Rest::At(5)]),
    );
    let (from, to) = (Layout::of(&source), Layout::of(&target));
    let redistribution_to = |to: &Layout| {
        let whole = Section::whole(&source);
        let end = |map, layout| MappedSection { map, layout, section: &whole };
        ArrayRedistribution::new(
            &end(&source, &from),
            &end(&target, to),
            crate::layout::mapping::Correspondence::default(),
            8,
        )
        .unwrap()
        .problem
    };
    let problem = redistribution_to(&to);
    let answer = relabel(&problem, 8, &[]);
    assert!(answer.before < answer.after, "{answer:?}");
    let next = answer.successors(&problem.to);
    let moved = to.translated(|rank| Some(next.get(&Rank(rank)).map_or(rank, |next| next.0)));
    let again = redistribution_to(&moved.expect("all ranks are known"));
    assert_eq!(again, Problem { to: answer.grid(&problem.to), ..problem.clone() });
    let settled = relabel(&again, 8, &[]);
    assert_eq!((settled.before, settled.after), (answer.after, answer.after));
    assert_eq!(settled.ranks, answer.ranks);
    // The other slice is unchanged.
    let target = |at: &[u32]| target.template().arrangement().grid().rank(at);
    for rank in [[0, 0, 1], [1, 1, 1], [2, 0, 1]].map(|at| target(&at)) {
        assert!(!next.contains_key(&rank));
    }
}

/// The result does not depend on the order of `others`, nor on repeated ranks in it.
#[test]
fn the_same_problem_has_the_same_answer() {
    let mut rng = Rng::with_seed(25);
    for _ in 0..200 {
        let problem = any_problem(&mut rng, 40, 60);
        let mut others: Vec<Rank> = (0..rng.u32(0..20)).map(|_| Rank(rng.u32(0..60))).collect();
        let answer = relabel(&problem, 4, &others);
        worth(&problem, &answer, &others);
        rng.shuffle(&mut others);
        others.extend_from_within(..);
        assert_eq!(relabel(&problem.clone(), 4, &others), answer, "{problem:?}");
    }
}

#[test]
fn too_many_pairs_leave_all_places_unchanged() {
    let procs = 2100;
    let dim = |to| Overlap { from: cyclic(1, procs), to, len: u64::from(procs).pow(2) };
    let mut shifted: Vec<u32> = (0..procs).collect();
    shifted.rotate_left(1);
    let to = Grid::from_ranks(&[procs], &shifted).unwrap();
    let on = |to_axis, to| Problem::whole(vec![dim(to_axis)], Grid::row_major(&[procs]), to);
    let problem = on(cyclic(procs.into(), procs), to.clone());
    let answer = relabel(&problem, 8, &[]);
    let kept = u64::from(procs) * 8;
    let want = Relabelling { ranks: present(&problem), before: kept, after: kept, optimal: false };
    assert_eq!(answer, want);
    let answer = relabel(&on(cyclic(1, procs), to), 8, &[]);
    assert_eq!(
        (answer.before, answer.optimal),
        (0, true),
        "as many ranks that share data with one place each"
    );
    assert_eq!(answer.ranks, (0..procs).map(Rank).collect::<Vec<_>>());
}

#[test]
fn places_without_a_choice_stay_if_they_can() {
    let candidates = [10, 11, 12, 13, 14].map(Rank);
    let chosen = [PlacePair { place: 0, holder: 3, bytes: 1 }];
    assert_eq!(complete_assignment(&chosen, &candidates, 4), [13, 11, 12, 10].map(Rank));
    assert_eq!(complete_assignment(&[], &candidates, 4), candidates[..4]);
}

#[test]
#[should_panic(expected = "a rank is once in a grid")]
fn a_rank_that_is_twice_in_the_target_is_refused() {
    let dim = Overlap { from: cyclic(1, 2), to: cyclic(2, 2), len: 9 };
    let to = Grid::from_ranks(&[2], &[1, 1]).unwrap();
    relabel(&Problem::whole(vec![dim], Grid::row_major(&[2]), to), 1, &[]);
}

use super::*;

fn ranks_of(grid: &Grid) -> Vec<u32> {
    grid.places().map(|c| grid.rank(&c).0).collect()
}

#[test]
fn usual_grids_have_affine_ranks() {
    let cases: [(&[u32], Vec<u32>); 7] = [
        (&[2, 3], vec![0, 1, 2, 3, 4, 5]),
        (&[2, 3], vec![0, 2, 4, 1, 3, 5]),
        (&[1, 4], vec![9, 7, 5, 3]),
        (&[1, 1], vec![6]),
        (&[3, 1], vec![2, 5, 8]),
        (&[4], vec![1, 2, 3, 4]),
        (&[2, 2, 2], vec![0, 4, 2, 6, 1, 5, 3, 7]),
    ];
    for (extents, ranks) in cases {
        let grid = Grid::from_ranks(extents, &ranks).unwrap();
        assert!(matches!(grid.map(), RankMap::Affine { .. }), "{ranks:?}");
        assert_eq!(ranks_of(&grid), ranks);
    }
    assert_eq!(ranks_of(&Grid::row_major(&[2, 3, 2])), (0..12).collect::<Vec<_>>());
    assert_eq!(Grid::row_major(&[1, 4]), Grid::from_ranks(&[1, 4], &[0, 1, 2, 3]).unwrap());
}

#[test]
fn a_permuted_grid_is_listed() {
    let ranks = [3, 0, 2, 1];
    let grid = Grid::from_ranks(&[2, 2], &ranks).unwrap();
    assert!(matches!(grid.map(), RankMap::Listed(_)));
    assert_eq!(ranks_of(&grid), ranks);
    assert_eq!(grid.find(Rank(2)), Some(vec![1, 0]));
    assert_eq!(grid.find(Rank(9)), None);
}

#[test]
fn ranks_and_coordinates_are_inverse() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..500 {
        let extents: Vec<u32> = (0..rng.usize(1..4)).map(|_| rng.u32(1..5)).collect();
        let count = extents.iter().product::<u32>();
        let mut ranks: Vec<u32> = (0..count).map(|r| r * 2 + 3).collect();
        match rng.u8(0..3) {
            0 => rng.shuffle(&mut ranks),
            1 => ranks.reverse(),
            _ => (),
        }
        let grid = Grid::from_ranks(&extents, &ranks).unwrap();
        for rank in 0..2 * count + 6 {
            let want = grid.places().find(|at| grid.rank(at) == Rank(rank));
            assert_eq!(grid.find(Rank(rank)), want, "{grid:?} {rank}");
        }
    }
}

#[test]
fn views_equal_their_grids() {
    let along = |dim, reversed| View::Along { dim, reversed };
    for grid in [
        Grid::row_major(&[2, 3, 4]),
        Grid::from_ranks(&[2, 3, 4], &(0..24).map(|r| r * 7 % 24).collect::<Vec<_>>()).unwrap(),
    ] {
        let view = grid.view(&[along(2, true), View::One, along(0, false)], &[1, 2, 3]);
        assert_eq!(view.extents(), [4, 1, 2]);
        for at in view.places() {
            assert_eq!(view.rank(&at), grid.rank(&[at[2], 2, 3 - at[0]]));
        }
    }
}

#[test]
fn a_grid_needs_a_rank_for_every_place() {
    assert_eq!(Grid::from_ranks(&[2, 2], &[0, 1, 2]), None);
    assert_eq!(Grid::from_ranks(&[0, 2], &[]), None);
}

use super::*;

#[test]
fn owners_and_local_indices_equal_the_list() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..200 {
        let procs = rng.u32(1..6);
        let owners: Vec<u32> = (0..rng.usize(0..60)).map(|_| rng.u32(0..procs)).collect();
        let dist = Indirect::new(procs, owners.iter().map(|&owner| (owner, 1))).unwrap();
        assert_eq!((dist.procs(), dist.total()), (procs, owners.len() as u64));
        let mut held = vec![0; procs as usize];
        for (i, &owner) in (0..).zip(&owners) {
            assert_eq!((dist.owner(Global(i)), dist.local(Global(i)).0), (owner, held[owner as usize]));
            assert!(dist.run_at(i).0 == owner && dist.run_at(i).1.contains(&i));
            held[owner as usize] += 1;
            let lens: Vec<u64> = (0..procs).map(|c| dist.local_len(i + 1, c)).collect();
            assert_eq!(lens, held);
        }
        let mut run = 0;
        for i in (0..owners.len() as u64).filter(|_| rng.u8(0..3) > 0).collect::<Vec<_>>() {
            let (end, local) = dist.find_from_run(&mut run, Global(i));
            assert_eq!((end, local), (dist.run_at(i).1.end, dist.local(Global(i))), "{owners:?} at {i}");
        }
        for c in 0..procs {
            let of: Vec<u64> = dist.runs_of(c).flatten().collect();
            assert!(of.iter().all(|&i| owners[i as usize] == c) && of.len() as u64 == held[c as usize]);
        }
        let (origin, stride) = (rng.u64(0..5), rng.u64(1..4));
        let aligned: Vec<u32> =
            owners.iter().skip(origin as usize).step_by(stride as usize).copied().collect();
        assert_eq!(
            dist.aligned(origin, stride),
            Indirect::new(procs, aligned.into_iter().map(|o| (o, 1))).unwrap()
        );
        let back = owners.iter().rev().map(|owner| (procs - 1 - owner, 1));
        assert_eq!(dist.reversed(), Indirect::new(procs, back).unwrap());
    }
}

#[test]
fn short_lists_are_written_out() {
    let text = |runs: &[(u32, u64)]| Indirect::new(9, runs.iter().copied()).unwrap().to_string();
    assert_eq!(text(&[(0, 1), (1, 2), (1, 1), (8, 1)]), "INDIRECT(/0,3*1,8/)");
    assert_eq!(text(&[]), "INDIRECT(//)");
    let runs: Vec<(u32, u64)> = (0..17).map(|k| (k % 2, 5)).collect();
    assert!(text(&runs[..16]).ends_with(",5*1/)"));
    assert_eq!(text(&runs), "INDIRECT");
}

#[test]
fn owners_are_processes() {
    assert_eq!(Indirect::new(2, [(0, 3), (2, 1)]), None);
    assert_eq!(Indirect::new(0, []), None);
    assert_eq!(Indirect::new(1, [(0, u64::MAX), (0, 1)]), None);
    assert_eq!(Indirect::new(3, []).unwrap().total(), 0);
}

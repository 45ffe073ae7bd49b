//! Shifts, negative strides and spreads through the interface of Rust: `mpirun -n RANKS shifts`.

use reblock::hpf::{Failure, LineShifts, Map, Options, Plan, Side, Update};
use reblock::mapping::Range;
use reblock::mpi::Comm;
use std::ffi::{c_char, c_int};

const EXTENTS: [i64; 2] = [9, 7];

/// What the element at `index` is, in the array number `of`.
fn value(of: i64, index: [i64; 2]) -> i64 {
    1000 * of + 10 * index[0] + index[1]
}

/// The calling process's local array, with these values.
fn local(map: &Map, value: impl Fn([i64; 2]) -> i64) -> Result<Vec<i64>, Failure> {
    let extents: Vec<i64> = map.local().axes.iter().map(|axis| i64::try_from(axis.extent()).unwrap()).collect();
    let mut local = Vec::new();
    for j in 0..if map.has_part() { extents[1] } else { 0 } {
        for i in 0..extents[0] {
            let index = map.global_index(&[i, j])?.expect("there is no shadow");
            local.push(value([index[0], index[1]]));
        }
    }
    Ok(local)
}

/// The index that is shifted to `index`, if there is one.
fn shifted(index: [i64; 2], shifts: [i64; 2], circular: bool) -> Option<[i64; 2]> {
    let mut at = [0, 1].map(|k| index[k] + shifts[k]);
    if circular {
        at = [0, 1].map(|k| at[k].rem_euclid(EXTENTS[k]));
    }
    (0..2).all(|k| (0..EXTENTS[k]).contains(&at[k])).then_some(at)
}

fn shifts_are_exact(comm: &Comm, from: &Map, to: &Map, shifts: [i64; 2]) -> Result<(), Failure> {
    let sides = || (Side::whole(from), Side::whole(to));
    let options = Options::default();
    let (a, b) = sides();
    let around = Plan::cshift(comm, a, b, 8, &shifts, &options)?;
    let source = local(from, |index| value(1, index))?;
    let wanted = local(to, |index| value(1, shifted(index, shifts, true).unwrap()))?;
    let mut target = vec![0; wanted.len()];
    around.execute(&source, &mut target)?;
    assert_eq!(target, wanted, "cshift by {shifts:?}");
    let (source, target) = around.start(source, vec![0; wanted.len()])?.wait()?;
    assert_eq!(target, wanted, "cshift by {shifts:?}, started");
    let mut back = vec![0; source.len()];
    around.reverse()?.execute(&target, &mut back)?;
    assert_eq!(back, source, "the way back of a cshift by {shifts:?}");

    for boundary in [Some(-5i64), None] {
        let bytes = boundary.map(i64::to_ne_bytes);
        let (a, b) = sides();
        let off = Plan::eoshift(comm, a, b, 8, (&shifts, bytes.as_ref().map(|bytes| &bytes[..])), &options)?;
        let new = |index| shifted(index, shifts, false).map(|at| value(1, at)).or(boundary);
        let mut target = local(to, |index| value(2, index))?;
        off.execute(&source, &mut target)?;
        assert_eq!(target, local(to, |index| new(index).unwrap_or(value(2, index)))?, "eoshift by {shifts:?}");
        let mut target = local(to, |index| value(2, index))?;
        off.update(&source, &mut target, &Update::sum(3, -1))?;
        let sum = |index| new(index).map_or(value(2, index), |new| 3 * new - value(2, index));
        assert_eq!(target, local(to, sum)?, "eoshift by {shifts:?}, updated");
    }
    Ok(())
}

/// Each column, which whole columns of the target are, by a distance of its own.
fn lines_are_exact(comm: &Comm, from: &Map, to: &Map, circular: bool) -> Result<(), Failure> {
    let distance = |column: i64| 5 * column - 13;
    let columns = if to.local().axes[0].len > 0 { to.local().axes[1].len } else { 0 };
    let own = |j: u64| Ok(distance(to.global_index(&[0, i64::try_from(j).unwrap()])?.expect("its own")[1]));
    let distances: Vec<i64> = (0..columns).map(own).collect::<Result<_, Failure>>()?;
    let comes_in: Vec<u8> = distances.iter().flat_map(|distance| (-distance).to_ne_bytes()).collect();
    let new = |index: [i64; 2]| shifted(index, [distance(index[1]), 0], circular);
    let source = local(from, |index| value(1, index))?;
    for boundaries in [None, Some(&comes_in[..])].into_iter().take(if circular { 1 } else { 2 }) {
        let lines = LineShifts { axis: 0, circular, distances: &distances, boundaries };
        let plan = Plan::shift_lines(comm, Side::whole(from), Side::whole(to), 8, lines, &Options::default())?;
        let mut target = local(to, |index| value(2, index))?;
        plan.execute(&source, &mut target)?;
        let rest = |index: [i64; 2]| boundaries.map_or(value(2, index), |_| -distance(index[1]));
        let wanted = local(to, |index| new(index).map_or(rest(index), |at| value(1, at)))?;
        assert_eq!(target, wanted, "columns that are shifted");
        let mut back = local(from, |index| value(3, index))?;
        plan.reverse()?.execute(&target, &mut back)?;
        let goes = |[i, j]: [i64; 2]| circular || (0..EXTENTS[0]).contains(&(i - distance(j)));
        let wanted = local(from, |index| value(if goes(index) { 1 } else { 3 }, index))?;
        assert_eq!(back, wanted, "the way back of columns");
    }
    Ok(())
}

fn sections_are_exact(comm: &Comm, from: &Map, to: &Map) -> Result<(), Failure> {
    let range = |lower, upper, stride| Range { lower, upper, stride };
    let (down, up) = ([range(8, 0, -2), range(0, 6, 1)], [range(2, 6, 1), range(6, 0, -1)]);
    let plan = Plan::create(comm, Side::section(from, &down), Side::section(to, &up), 8, &Options::default())?;
    let source = local(from, |index| value(1, index))?;
    let mut target = local(to, |index| value(2, index))?;
    plan.execute(&source, &mut target)?;
    let wanted = |index: [i64; 2]| match index {
        [i @ 2..=6, j] => value(1, [8 - 2 * (i - 2), 6 - j]),
        _ => value(2, index),
    };
    assert_eq!(target, local(to, wanted)?, "sections that descend");

    let row = [range(3, 3, 1), range(0, 6, 1)];
    let options = Options { spread: vec![0], ..Options::default() };
    let plan = Plan::create(comm, Side::section(from, &row), Side::whole(to), 8, &options)?;
    plan.execute(&source, &mut target)?;
    assert_eq!(target, local(to, |[_, j]| value(1, [3, j]))?, "a row that is spread");
    assert!(plan.reverse().is_err(), "the way back of a spread");
    // On one process both have everything.
    let alike = comm.size().expect("MPI runs") == 1;
    assert!(from.is_same(from)? && from.is_same(to)? == alike && (from.key() == to.key()) == alike, "equal maps");
    Ok(())
}

fn run(comm: &Comm) -> Result<(), Failure> {
    let from = Map::from_text(comm, &EXTENTS, "(BLOCK, *)")?;
    let to = Map::from_text(comm, &EXTENTS, "(*, CYCLIC(2))")?;
    for shifts in [[0, 0], [1, 0], [0, -2], [3, 4], [-8, 9], [20, -20]] {
        shifts_are_exact(comm, &from, &to, shifts)?;
    }
    for circular in [true, false] {
        lines_are_exact(comm, &from, &to, circular)?;
    }
    sections_are_exact(comm, &from, &to)
}

unsafe extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int;
    fn MPI_Finalize() -> c_int;
}

fn main() {
    // SAFETY: MPI's first call, with no arguments.
    unsafe { MPI_Init(std::ptr::null_mut(), std::ptr::null_mut()) };
    if let Err(failure) = run(&Comm::world()) {
        eprintln!("shifts: {failure}");
        reblock::mpi::abort();
    }
    // SAFETY: MPI's last call; all objects are gone.
    unsafe { MPI_Finalize() };
}

//! Gathers and scatters from Rust: rows of a matrix by their numbers, and elements by all their indices, with sums whose order is fixed.
//!
//!     mpirun -n RANKS lists

use reblock::hpf::{Combine, Failure, Map, Options, Plan, Update};
use reblock::mpi::Comm;
use std::ffi::{c_char, c_int};

const ROWS: i64 = 23;
const COLUMNS: i64 = 4;

/// What is in an element.
fn value(i: i64, j: i64) -> i64 {
    1000 * i + j
}

/// The calling process's rows of the matrix, which are dealt out two by two.
fn filled(map: &Map) -> Result<Vec<i64>, Failure> {
    let own = i64::try_from(map.local().axes[0].len).expect("a small extent");
    let mut local = Vec::new();
    for j in 0..if own > 0 { COLUMNS } else { 0 } {
        for place in 0..own {
            let index = map.global_index(&[place, j])?.expect("there is no shadow");
            local.push(value(index[0], index[1]));
        }
    }
    Ok(local)
}

fn right(comm: &Comm, ranks: i64, me: i64) -> Result<bool, Failure> {
    let map = Map::block_cyclic(comm, &[ROWS, COLUMNS], &[ranks, 1], &[2, 0])?;
    let options = Options::default();
    let array = filled(&map)?;

    // Every rank names row `me`, and the last row twice.
    let rows = [me % ROWS, ROWS - 1, ROWS - 1];
    let plan = Plan::gather(comm, Some(&map), Some(0), &rows, size_of::<i64>(), &options)?;
    let mut local = vec![0; rows.len() * usize::try_from(COLUMNS).expect("a small number")];
    plan.execute(&array, &mut local)?;
    let want: Vec<i64> = (0..COLUMNS).flat_map(|j| rows.map(|i| value(i, j))).collect();
    let mut good = local == want;

    // Values for the rows, of which the last row gets two of each rank.
    let plan = Plan::scatter(comm, Some(&map), Some(0), &rows, size_of::<i64>(), &options)?;
    let mut sums = array.clone();
    plan.update(&vec![1; local.len()], &mut sums, &Update::combining(Combine::Add))?;
    let named = |i: i64| (0..ranks).filter(|rank| rank % ROWS == i).count() as i64;
    let added = |element: i64| element + named(element / 1000) + if element / 1000 == ROWS - 1 { 2 * ranks } else { 0 };
    good &= sums == array.iter().map(|&element| added(element)).collect::<Vec<_>>();

    // Elements by both their indices, started.
    let elements = [ROWS - 1, 1, 0, COLUMNS - 1];
    let plan = Plan::gather(comm, Some(&map), None, &elements, size_of::<i64>(), &options)?;
    let (_, local) = plan.start(array, vec![0; 2])?.wait()?;
    good &= local == [value(ROWS - 1, 1), value(0, COLUMNS - 1)];

    let beyond = Plan::gather(comm, Some(&map), Some(0), &[if me == 0 { ROWS } else { 0 }], 8, &options);
    good &= beyond.err().is_some_and(|why| why.text.contains("index 23 of axis 0"));
    good &= plan.reverse().is_err() && Plan::gather(comm, Some(&map), None, &[1], 8, &options).is_err();
    Ok(good)
}

#[allow(unsafe_code, reason = "MPI is C")]
unsafe extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int;
    fn MPI_Finalize() -> c_int;
}

#[allow(unsafe_code, reason = "MPI is C")]
fn main() {
    // SAFETY: MPI is initialized once, and finalized when nothing uses it any more.
    unsafe { MPI_Init(std::ptr::null_mut(), std::ptr::null_mut()) };
    let world = Comm::world();
    let (size, rank) = (world.size().expect("MPI runs"), world.rank().expect("MPI runs"));
    let good = match right(&world, i64::from(size), i64::from(rank)) {
        Ok(good) => good,
        Err(why) => {
            eprintln!("rank {rank}: {}", why.text);
            false
        }
    };
    if good && rank == 0 {
        println!("lists: right on {size} ranks");
    }
    // SAFETY: as for MPI_Init.
    unsafe { MPI_Finalize() };
    std::process::exit(i32::from(!good));
}

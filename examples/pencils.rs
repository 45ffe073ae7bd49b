//! Moves a three-dimensional array from pencils along one axis to pencils along another, as between the steps of a
//! parallel FFT: once blocking, and once while the program does something else. Then moves the array together with its
//! negative, moves it back, and moves it once more without a plan of the program's own. Each rank checks its elements.
//!
//!     cargo build --release --example pencils && mpirun -n 4 target/release/examples/pencils

use reblock::arrays::{Failure, Given, Map, Options, Plan, Side, move_section};
use reblock::mpi::Comm;
use std::ffi::{c_char, c_int};

const EXTENTS: [i64; 3] = [48, 36, 40];

/// Returns the expected value of the element at `index`.
fn value(index: &[i64]) -> f64 {
    index.iter().fold(0.0, |value, &i| value * 100.0 + f64::from(i32::try_from(i).expect("a small index")))
}

/// Returns the calling process's local array of `map`, with the right values.
fn filled(map: &Map) -> Result<Vec<f64>, Failure> {
    let extents: Vec<i64> =
        map.local().axes.iter().map(|axis| i64::try_from(axis.extent()).expect("a small extent")).collect();
    let mut local = Vec::new();
    for k in 0..if map.has_part() { extents[2] } else { 0 } {
        for j in 0..extents[1] {
            for i in 0..extents[0] {
                let index = map.global_index(&[i, j, k])?.expect("there is no shadow");
                local.push(value(&index));
            }
        }
    }
    Ok(local)
}

fn moved(comm: &Comm, [rows, cols]: [i64; 2]) -> Result<bool, Failure> {
    // Pencils along the first axis, and along the last one: the other two are BLOCK on a grid of processes.
    let from = Map::block_cyclic(comm, &EXTENTS, &[1, rows, cols], &[0; 3])?;
    let to = Map::from_text(comm, &EXTENTS, &format!("(BLOCK, BLOCK, *) ONTO P({rows},{cols})"))?;
    let plan =
        Plan::create(comm, Side::whole(&from), Side::whole(&to), size_of::<f64>(), &Options::default())?;
    let (source, expected) = (filled(&from)?, filled(&to)?);

    let mut target = vec![0.0; expected.len()];
    plan.execute(&source, &mut target)?;
    let waited = target == expected;

    let under_way = plan.start(source, vec![0.0; expected.len()])?;
    let computed: f64 = (0..1000).map(f64::from).map(f64::sqrt).sum();
    let (source, target) = under_way.wait()?;
    let started = target == expected && computed > 0.0;

    let negative = |array: &[f64]| -> Vec<f64> { array.iter().map(|x| -x).collect() };
    let mut back = vec![0.0; source.len()];
    plan.reverse()?.execute(&expected, &mut back)?;
    let returned = back == source;

    let mut again = vec![0.0; expected.len()];
    move_section(comm, Side::whole(&from), Side::whole(&to), size_of::<f64>(), &source, &mut again)?;
    let directly = again == expected;

    let given = |source: Vec<f64>| Given { plan: plan.clone(), source, target: vec![0.0; expected.len()] };
    let both = plan.start_many(vec![given(negative(&source)), given(source)])?.wait()?;
    let together = both[0].1 == negative(&expected) && both[1].1 == expected;
    Ok(waited && started && together && returned && directly)
}

// A program with an MPI crate calls that crate's functions instead.
#[allow(unsafe_code, reason = "MPI is C")]
unsafe extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int;
    fn MPI_Finalize() -> c_int;
}

#[allow(unsafe_code, reason = "MPI is C")]
fn main() {
    // SAFETY: MPI is initialized once, and finalized after its last use.
    unsafe { MPI_Init(std::ptr::null_mut(), std::ptr::null_mut()) };
    let world = Comm::world();
    let (size, rank) = (world.size().expect("MPI runs"), world.rank().expect("MPI runs"));
    let shape = if size >= 4 { [2, 2] } else { [1, i64::from(size)] };
    let good = match moved(&world, shape) {
        Ok(good) => good,
        Err(failure) => {
            eprintln!("pencils: rank {rank}: {failure}");
            false
        }
    };
    if !good {
        reblock::mpi::abort();
    }
    if rank == 0 {
        println!("pencils: every element is where it belongs");
    }
    // SAFETY: all objects that use MPI are gone.
    unsafe { MPI_Finalize() };
}

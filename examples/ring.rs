//! The heat equation on a ring in blocks. Each step reads the neighbours' points, which a plan copies into shadows:
//! once blocking, and once while inner points are computed. Then each rank writes to its shadow, and the reverse plan
//! adds these values to the owners' points. All results are compared with a serial program.
//!
//!     cargo build --release --example ring && mpirun -n 4 target/release/examples/ring

use reblock::arrays::{Failure, Map, Options, Plan, Shadow, Update};
use reblock::mpi::Comm;
use std::ffi::{c_char, c_int};

const POINTS: u32 = 1000;
const STEPS: usize = 50;

fn start(i: u32) -> f64 {
    f64::from(i * 37 % 101)
}

fn mean(left: f64, own: f64, right: f64) -> f64 {
    0.25 * left + 0.5 * own + 0.25 * right
}

/// Returns the points of a serial program after all steps.
fn serial() -> Vec<f64> {
    let mut points: Vec<f64> = (0..POINTS).map(start).collect();
    for _ in 0..STEPS {
        let n = points.len();
        points = (0..n).map(|i| mean(points[(i + n - 1) % n], points[i], points[(i + 1) % n])).collect();
    }
    points
}

/// Computes the points from `from` to `to` of the next step; both arrays are local ones with shadows.
fn step(points: &[f64], next: &mut [f64], from: usize, to: usize) {
    for i in from..to {
        next[i] = mean(points[i - 1], points[i], points[i + 1]);
    }
}

fn runs(comm: &Comm) -> Result<bool, Failure> {
    let whole = Map::block_cyclic(comm, &[POINTS.into()], &[i64::from(comm.size()?)], &[0])?;
    let map = whole.with_shadow(&[(1, 1)])?;
    let ring = Shadow { map: Some(&map), periodic: Some(&[true]), ..Shadow::default() };
    let plan = Plan::shadow(comm, ring, size_of::<f64>(), &Options::default())?;

    let axis = map.local().axes[0];
    let (own, first) = (usize::try_from(axis.len).expect("few"), axis.lower + 1);
    let expected = serial();
    let first = usize::try_from(first).expect("an index");
    let mut points = vec![0.0; own + 2];
    for (point, i) in points[1..=own].iter_mut().zip(first..) {
        *point = start(u32::try_from(i).expect("few"));
    }
    for n in 0..STEPS {
        let mut next = vec![0.0; own + 2];
        if n % 2 == 0 {
            plan.fill(&mut points)?;
        } else {
            // The plan owns the array until it is filled, so inner points are computed from a copy.
            let before = points.clone();
            let under_way = plan.start_fill(points)?;
            step(&before, &mut next, 2, own);
            points = under_way.wait()?;
        }
        step(&points, &mut next, 1, own + 1);
        points = next;
    }
    let same = points[1..=own] == expected[first..first + own];

    // Each point next to another block gets 1 from each shadow that shows it.
    (points[0], points[own + 1]) = (1.0, 1.0);
    let back = plan.reverse()?;
    back.fill_update(&mut points, &Update::sum(1.0, 1.0))?;
    let mut sum = expected[first..first + own].to_vec();
    sum[0] += 1.0;
    sum[own - 1] += 1.0;
    let added = points[1..=own] == sum;

    let mut copy = points.clone();
    let refused = back.fill(&mut copy).is_err() && copy == points;
    Ok(same && added && refused)
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
    let rank = world.rank().expect("MPI runs");
    let good = match runs(&world) {
        Ok(good) => good,
        Err(failure) => {
            eprintln!("ring: rank {rank}: {failure}");
            false
        }
    };
    if !good {
        reblock::mpi::abort();
    }
    if rank == 0 {
        println!("ring: all points are those of a serial program");
    }
    // SAFETY: all objects that use MPI are gone.
    unsafe { MPI_Finalize() };
}

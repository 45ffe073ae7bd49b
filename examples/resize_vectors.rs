//! A job in Rust that grows and shrinks: each iteration adds 1 to the elements of an array, and REBLOCK_RESIZE gives
//! the number of ranks after each resize point. New processes run this program from its start, and receive the array
//! and the iteration. The result is compared with that of a run without a resize.
//!
//!     cargo build --example resize_vectors && REBLOCK_RESIZE=3,1,2,1 mpirun -n 1 target/debug/examples/resize_vectors

use reblock::arrays::{Code, Failure, Map, Procs, Template};
use reblock::mpi::Comm;
use reblock::resize::{Array, Job, Options, Outcome, Storage, of_environment};
use std::ffi::{c_char, c_int};

const EXTENT: i64 = 10_000;
const ITERATIONS: u32 = 6;

/// Returns the map of the array, in blocks on all ranks of `comm`.
fn blocks(comm: &Comm) -> Result<Map, Failure> {
    let procs = Procs::create(comm, &[i64::from(comm.size()?)], None)?;
    let template = Template::create(&procs, &[1], &[EXTENT])?;
    template.block(0, 0, None)?;
    template.commit()?;
    Map::whole(&template)
}

/// Returns the expected local array after `iterations` iterations.
fn expected(map: &Map, iterations: u32) -> Result<Vec<f64>, Failure> {
    let count = if map.has_part() { i64::try_from(map.elements()?).unwrap_or(0) } else { 0 };
    let index = |at: i64| map.global_index(&[at]).map(|index| index.expect("there is no shadow")[0]);
    (0..count).map(|at| Ok(1e3 * index(at)? as f64 + f64::from(iterations))).collect()
}

fn is_right(job: &Job<Storage>, array: &Array<f64>, iterations: u32) -> Result<bool, Failure> {
    let map = job.map(array.number()).expect("an array has a map");
    let expected = expected(map, iterations)?;
    Ok(array.read(|local| *local == *expected))
}

/// A resize point. A refused resize changes nothing: the job continues at its old size.
fn resize_point(job: &mut Job<Storage>) -> Outcome {
    job.step().unwrap_or_else(|refusal| {
        eprintln!("resize_vectors: not resized: {refusal}");
        Outcome::Same
    })
}

/// Returns the numbers of ranks that the job has had; `None` in a process that has left the job.
fn run() -> Result<Option<Vec<u32>>, Failure> {
    let world = Comm::world();
    let mut job = Job::start(&world, Options { unit: 1, ..Options::default() }, of_environment()?)?;
    // A process that has joined needs no map: it receives the array.
    let map = if job.has_joined() { None } else { Some(blocks(&world)?) };
    let first = map.as_ref().map_or(Ok(Vec::new()), |map| expected(map, 0))?;
    let array = job.add_array(map.as_ref(), &first)?;
    // The weights are constant, so they move while the program continues.
    let weights = job.add_array(map.as_ref(), &first)?;
    job.set_constant(weights.number(), true)?;
    let done = job.add_value(0u32)?;
    let mut sizes = vec![job.ranks()];
    while done.get() < ITERATIONS {
        array.with(|local| local.iter_mut().for_each(|element| *element += 1.0));
        done.set(done.get() + 1);
        let mut outcome = resize_point(&mut job);
        while outcome == Outcome::Moving {
            // Meanwhile the program may read the weights, and write the other array.
            if !is_right(&job, &weights, 0)? {
                reblock::mpi::abort();
            }
            outcome = resize_point(&mut job);
        }
        match outcome {
            Outcome::Same | Outcome::Moving => (),
            Outcome::Resized => sizes.push(job.ranks()),
            Outcome::Leave => return Ok(None),
        }
        if !is_right(&job, &array, done.get())? || !is_right(&job, &weights, 0)? {
            eprintln!("resize_vectors: WRONG after {} iterations", done.get());
            reblock::mpi::abort();
        }
    }
    job.end()?;
    Ok(Some(sizes))
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
    let started = std::env::var_os("REBLOCK_JOINS").is_none();
    let first = Comm::world().rank().expect("MPI runs") == 0;
    match run() {
        Ok(Some(sizes)) if started && first => println!("resize_vectors: correct, ranks: {sizes:?}"),
        Ok(_) => (),
        // The resize for which this process was started has failed; the job continues without it.
        Err(failure) if failure.code == Code::Cancelled => (),
        Err(failure) => {
            eprintln!("resize_vectors: {failure}");
            reblock::mpi::abort();
        }
    }
    // SAFETY: all objects that use MPI are gone.
    unsafe { MPI_Finalize() };
}

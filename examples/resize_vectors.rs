//! A job that grows and shrinks, in Rust: an array whose elements all get one larger in each iteration, on as many ranks as
//! REBLOCK_RESIZE says at each resize point. Processes that come run this program from its start, and find the array and the
//! iteration as the others have them. The result is compared with what it is without any resize.
//!
//!     cargo build --example resize_vectors && REBLOCK_RESIZE=3,1,2,1 mpirun -n 1 target/debug/examples/resize_vectors

use reblock::arrays::{Code, Failure, Map, Procs, Template};
use reblock::mpi::Comm;
use reblock::resize::{Array, Job, Options, Outcome, Storage, of_environment};
use std::ffi::{c_char, c_int};

const EXTENT: i64 = 10_000;
const ITERATIONS: u32 = 6;

/// The array in blocks on all ranks of `comm`.
fn blocks(comm: &Comm) -> Result<Map, Failure> {
    let procs = Procs::create(comm, &[i64::from(comm.size()?)], None)?;
    let template = Template::create(&procs, &[1], &[EXTENT])?;
    template.block(0, 0, None)?;
    template.commit()?;
    Map::whole(&template)
}

/// What each element of the local array is to be after so many iterations.
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

/// A resize point. A resize that is refused changes nothing: the job continues at its old size.
fn resize_point(job: &mut Job<Storage>) -> Outcome {
    job.step().unwrap_or_else(|refusal| {
        eprintln!("resize_vectors: not resized: {refusal}");
        Outcome::Same
    })
}

/// The ranks that the job has had; `None` in a process that has left it.
fn run() -> Result<Option<Vec<u32>>, Failure> {
    let world = Comm::world();
    let mut job = Job::start(&world, Options { unit: 1, ..Options::default() }, of_environment()?)?;
    // A process that has joined is told what it registers.
    let map = if job.has_joined() { None } else { Some(blocks(&world)?) };
    let first = map.as_ref().map_or(Ok(Vec::new()), |map| expected(map, 0))?;
    let array = job.add_array(map.as_ref(), &first)?;
    // This one moves while the program goes on.
    let weights = job.add_array(map.as_ref(), &first)?;
    job.set_constant(weights.number(), true)?;
    let done = job.add_value(0u32)?;
    let mut sizes = vec![job.ranks()];
    while done.get() < ITERATIONS {
        array.with(|local| local.iter_mut().for_each(|element| *element += 1.0));
        done.set(done.get() + 1);
        let mut outcome = resize_point(&mut job);
        while outcome == Outcome::Moving {
            // It can be read meanwhile, and the other one written, too.
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

// What a program that has MPI from elsewhere calls in its own way.
#[allow(unsafe_code, reason = "MPI is C")]
unsafe extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int;
    fn MPI_Finalize() -> c_int;
}

#[allow(unsafe_code, reason = "MPI is C")]
fn main() {
    // SAFETY: MPI is initialized once, and finalized when nothing uses it any more.
    unsafe { MPI_Init(std::ptr::null_mut(), std::ptr::null_mut()) };
    let started = std::env::var_os("REBLOCK_JOINS").is_none();
    let first = Comm::world().rank().expect("MPI runs") == 0;
    match run() {
        Ok(Some(sizes)) if started && first => println!("resize_vectors: correct, ranks: {sizes:?}"),
        Ok(_) => (),
        // The resize that this process was started for has failed, and the job continues without it.
        Err(failure) if !started && failure.code == Code::State => (),
        Err(failure) => {
            eprintln!("resize_vectors: {failure}");
            reblock::mpi::abort();
        }
    }
    // SAFETY: as above.
    unsafe { MPI_Finalize() };
}

//! Compares the ranks that reblock finds in another communicator, which it mostly predicts, with those of
//! MPI_Group_translate_ranks. The communicators have some or all ranks of MPI_COMM_WORLD: in random order, or in orders
//! with a pattern.
//!
//!   mpirun -n RANKS ranks ROUNDS

use reblock::mpi::{Comm, Handle};
use std::ffi::c_int;

// Handles of groups have the size of those of communicators.
unsafe extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut u8) -> c_int;
    fn MPI_Finalize() -> c_int;
    fn MPI_Comm_split(comm: Handle, color: c_int, key: c_int, new: *mut Handle) -> c_int;
    fn MPI_Comm_free(comm: *mut Handle) -> c_int;
    fn MPI_Comm_group(comm: Handle, group: *mut Handle) -> c_int;
    fn MPI_Group_size(group: Handle, size: *mut c_int) -> c_int;
    fn MPI_Group_free(group: *mut Handle) -> c_int;
    fn MPI_Group_translate_ranks(
        from: Handle,
        n: c_int,
        ranks: *const c_int,
        to: Handle,
        found: *mut c_int,
    ) -> c_int;
    fn MPI_Comm_compare(one: Handle, other: Handle, result: *mut c_int) -> c_int;
}

/// Returns the rank in `to` of each process of `from`, by MPI_Group_translate_ranks.
fn translated(from: Handle, to: Handle) -> Vec<Option<u32>> {
    // SAFETY: the communicators are in use, and the lists have an entry for each process.
    unsafe {
        let (mut groups, mut size) = ([from, to], 0);
        MPI_Comm_group(from, &mut groups[0]);
        MPI_Comm_group(to, &mut groups[1]);
        MPI_Group_size(groups[0], &mut size);
        let ranks: Vec<c_int> = (0..size).collect();
        let mut found = vec![-1; ranks.len()];
        MPI_Group_translate_ranks(groups[0], size, ranks.as_ptr(), groups[1], found.as_mut_ptr());
        for group in &mut groups {
            MPI_Group_free(group);
        }
        found.into_iter().map(|rank| u32::try_from(rank).ok()).collect()
    }
}

/// Compares reblock's results for two communicators with MPI's.
fn compare(from: Handle, to: Handle) {
    // SAFETY: the communicators are in use.
    let [one, other] = [from, to].map(|handle| unsafe { Comm::from_handle(handle) });
    assert_eq!(one.ranks_in(&other).unwrap(), translated(from, to));
    let mut result = -1;
    // SAFETY: both communicators are in use.
    unsafe { MPI_Comm_compare(from, to, &mut result) };
    // 0 is MPI_IDENT, 1 is MPI_CONGRUENT, under all MPIs.
    assert_eq!(one.is_congruent(&other).unwrap(), result == 0 || result == 1);
}

fn main() {
    let rounds: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("a number of rounds");
    // SAFETY: the first call of MPI.
    unsafe { MPI_Init(std::ptr::null_mut(), std::ptr::null_mut()) };
    let world = Comm::world();
    let (me, ranks) = (world.rank().unwrap(), world.size().unwrap());
    // A linear congruential generator, equal on all ranks.
    let mut state = 1u64;
    let mut draw = |bound: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(bound)) as u32
    };
    let mut all = vec![world.handle()];
    for round in 0..rounds {
        // Each rank's part and place in the new communicators.
        let mut places: Vec<u32> = (0..ranks).collect();
        let (width, kind, parts) = (1 + draw(ranks), draw(4), 1 + draw(2));
        match kind {
            0 => (1..ranks).rev().for_each(|k| places.swap(k as usize, draw(k + 1) as usize)),
            1 => places.reverse(),
            2 => places.sort_by_key(|place| (place % width, place / width)),
            _ => (0..1 + ranks / 8).for_each(|_| places.swap(draw(ranks) as usize, draw(ranks) as usize)),
        }
        let part = (0..ranks).map(|_| draw(parts)).collect::<Vec<_>>()[me as usize];
        let mut new = world.handle();
        // SAFETY: collective over the world.
        unsafe { MPI_Comm_split(world.handle(), part as c_int, places[me as usize] as c_int, &mut new) };
        all.push(new);
        all.iter()
            .for_each(|&known| [(known, new), (new, known)].iter().for_each(|&(one, two)| compare(one, two)));
        if round % 8 == 7 || round + 1 == rounds {
            for mut comm in all.drain(1..) {
                // SAFETY: the communicator is no longer in use.
                unsafe { MPI_Comm_free(&mut comm) };
            }
        }
    }
    if me == 0 {
        println!("ranks: {rounds} rounds on {ranks} ranks");
    } // SAFETY: the last call of MPI.
    unsafe { MPI_Finalize() };
}

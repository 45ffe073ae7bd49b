//! Compares copies of arrays in a device's memory with the same copies of arrays in the host's memory, byte by byte.
//!
//! The device is the stand-in for NVIDIA's driver (`ctest/cuda/driver.c`), which runs the kernels' source on the CPU.
//! The host cannot access its device memory. It is preloaded, so the cases run in a process of their own.

#[macro_use]
mod stand_in;
mod array;
mod case;
mod draw;
mod failures;

pub use array::Array;
pub use stand_in::{let_fail, run_with_stand_in};

use case::Case;
use draw::random_update;
use stand_in::function;

#[test]
#[cfg(not(miri))]
fn copies_of_device_memory_equal_those_of_host_memory() {
    run_with_stand_in(module_path!(), "random_cases");
}

#[test]
#[cfg(not(miri))]
fn a_failure_of_the_driver_is_kept() {
    run_with_stand_in(module_path!(), "failures::failures");
}

#[test]
#[cfg(not(miri))]
fn a_reset_frees_events() {
    run_with_stand_in(module_path!(), "failures::resets");
}

#[test]
#[cfg(not(miri))]
fn a_panic_waits_for_the_device() {
    run_with_stand_in(module_path!(), "failures::panics");
}

#[test]
#[ignore = "run by copies_of_device_memory_equal_those_of_host_memory, with the stand-in"]
fn random_cases() {
    let seed = std::env::var("REBLOCK_TEST_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    for number in 0..3000u64 {
        println!("case {number} of seed {seed}");
        let mut rng = fastrand::Rng::with_seed(seed << 32 | number);
        let update = (rng.u8(0..3) == 0).then(|| random_update(&mut rng)).filter(|update| !update.is_copy());
        let plain = [1, 2, 4, 8, 16][rng.usize(0..5)];
        let element = update.map_or(plain, |update| update.number().bytes());
        let places: [Option<i32>; 3] = std::array::from_fn(|_| [None, Some(0), Some(1)][rng.usize(0..3)]);
        let (what, rank) = (rng.u8(0..5), rng.usize(0..5));
        let mut case = Case { rng: &mut rng, update, element };
        match what {
            0 | 1 => case.message(rank),
            2 | 3 => case.between(rank, [places[0], places[1]]),
            _ => case.rows(places),
        }
        assert_eq!(stand_in!(c"standin_pending",), 0, "work for which nobody has waited");
    }
}

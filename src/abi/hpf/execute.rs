//! Moving arrays.

use super::super::outcome::{answer, count, give, list, place};
use super::request::Shared;
use super::{object, reblock_plan, reblock_request};
use crate::hpf::{Cargo, Failure, Plan, Request, execute, refuse};
use crate::pack::{Destination, Source};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// Moves an array. `source` and `target` are the addresses of the calling process's storage: of the element at position 0 of
/// each axis, shadow included; NULL where it has no part. They must not overlap in memory, unless nothing moves or the
/// sections have no element in common. If the call fails, nothing is written; only REBLOCK_ERR_MPI may leave the target half
/// written. Collective over the plan's communicator.
///
/// # Safety
/// Source and target storage are as large as the maps say, and nothing else uses them until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_execute(
    plan: *mut reblock_plan,
    source: *const c_void,
    target: *mut c_void,
) -> i32 {
    // SAFETY: source and target storage are as large as the maps say, and nothing else uses them until the call returns, by
    // this fn's contract.
    answer(|| unsafe { execute_all(1, &raw const plan, &raw const source, &raw const target) })
}

/// Moves `arrays` arrays in one set of messages. Collective over the communicator of the plans, which is the same for all of
/// them. With 0 arrays, on all ranks alike, nothing is done and no rank is waited for.
///
/// # Safety
/// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_execute_many(
    arrays: i64,
    plans: *const *mut reblock_plan,
    sources: *const *const c_void,
    targets: *const *mut c_void,
) -> i32 {
    // SAFETY: `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute, by this fn's contract.
    answer(|| unsafe { execute_all(arrays, plans, sources, targets) })
}

/// # Safety
/// As reblock_plan_execute_many.
unsafe fn execute_all(
    arrays: i64,
    plans: *const *mut reblock_plan,
    sources: *const *const c_void,
    targets: *const *mut c_void,
) -> Result<(), Failure> {
    // SAFETY: `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute, by this fn's contract.
    let Some((first, cargo)) = (unsafe { loaded(arrays, plans, sources, targets) }) else { return Ok(()) };
    execute(&*first?.session()?, cargo)
}

/// A plan whose communicator the call is about, and what is to move.
type Batch = (Result<Arc<Plan>, Failure>, Result<Vec<Cargo<'static>>, Failure>);

/// The batch that a program gives; nothing if there is no array in it.
///
/// # Safety
/// As reblock_plan_execute_many.
unsafe fn loaded(
    arrays: i64,
    plans: *const *mut reblock_plan,
    sources: *const *const c_void,
    targets: *const *mut c_void,
) -> Option<Batch> {
    // SAFETY: `plans`, `sources` and `targets` are NULL or have as many entries as are read.
    let lists = || unsafe {
        let arrays: usize = count(arrays, "arrays")?;
        Ok::<_, Failure>((
            list(plans, arrays, "plans")?,
            list(sources, arrays, "sources"),
            list(targets, arrays, "targets"),
        ))
    };
    let (plans, sources, targets) = match lists() {
        Ok(lists) => lists,
        Err(failure) => return Some((Err(refuse(failure.clone())), Err(failure))),
    };
    if plans.is_empty() {
        return None;
    }
    let plans: Vec<Result<Arc<Plan>, Failure>> =
        plans.iter().map(|&plan| object(plan.cast_const())).collect();
    // Any good plan tells where the other ranks are waiting.
    let first = plans.iter().find_map(|plan| plan.as_ref().ok().cloned());
    let first =
        first.ok_or_else(|| refuse(plans[0].as_ref().err().cloned().expect("none of the plans is valid")));
    let cargo = || {
        let (sources, targets) = (sources?, targets?);
        let each = plans.into_iter().zip(sources.iter().zip(targets));
        // SAFETY: `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute, by this fn's contract.
        each.map(|(plan, (&source, &target))| Ok(unsafe { cargo(plan?, source, target) })).collect()
    };
    Some((first, cargo()))
}

/// # Safety
/// As reblock_plan_execute.
pub(super) unsafe fn cargo(plan: Arc<Plan>, source: *const c_void, target: *mut c_void) -> Cargo<'static> {
    let source = plan.source().filter(|_| !source.is_null()).map(|seat| {
        // SAFETY: the caller promises storage as the map says, which the seat repeats.
        unsafe { Source::new(seat.begin(source.cast_mut().cast()), seat.shape.clone()) }
    });
    let destination = plan.destination().filter(|_| !target.is_null()).map(|seat| {
        // SAFETY: the same.
        unsafe { Destination::new(seat.begin(target.cast()), seat.shape.clone()) }
    });
    Cargo { plan, source, destination, update: None }
}

/// Starts a non-blocking reblock_plan_execute. Data moves while the calling process is in any reblock call on the same
/// communicator. reblock_request_wait or reblock_request_test return the code. Collective over the plan's communicator.
///
/// # Safety
/// Source and target storage are as large as the maps say, and nothing else uses them until the request is over; `request` has
/// room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_start(
    plan: *mut reblock_plan,
    source: *const c_void,
    target: *mut c_void,
    request: *mut *mut reblock_request,
) -> i32 {
    // SAFETY: source and target storage are as large as the maps say, and nothing else uses them until the call returns; until
    // the request is over; `request` has room for a handle, by this fn's contract.
    answer(|| unsafe { start_all(1, &raw const plan, &raw const source, &raw const target, request) })
}

/// Starts a non-blocking reblock_plan_execute_many. Collective over the communicator of the plans, which is the same for all of
/// them.
///
/// # Safety
/// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_start; `request` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_start_many(
    arrays: i64,
    plans: *const *mut reblock_plan,
    sources: *const *const c_void,
    targets: *const *mut c_void,
    request: *mut *mut reblock_request,
) -> i32 {
    // SAFETY: `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute; until the request is over;
    // `request` has room for a handle, by this fn's contract.
    answer(|| unsafe { start_all(arrays, plans, sources, targets, request) })
}

/// # Safety
/// As reblock_plan_start_many.
unsafe fn start_all(
    arrays: i64,
    plans: *const *mut reblock_plan,
    sources: *const *const c_void,
    targets: *const *mut c_void,
    request: *mut *mut reblock_request,
) -> Result<(), Failure> {
    // SAFETY: `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_execute; until the request is over;
    // `request` has room for a handle, by this fn's contract.
    unsafe {
        let Some((first, mut cargo)) = loaded(arrays, plans, sources, targets) else {
            place(request, "request")?;
            return give::<Shared, _>(request, Arc::new(Mutex::new(Some(Request::over()))));
        };
        if let Err(failure) = place(request, "request") {
            // The others hear of it when they wait.
            cargo = Err(failure);
        }
        let lost = cargo.as_ref().err().filter(|_| request.is_null()).cloned();
        let started = Request::start(&first?.session()?, cargo)?;
        match lost {
            None => give::<Shared, _>(request, Arc::new(Mutex::new(Some(started)))),
            Some(_) => started.wait(),
        }
    }
}

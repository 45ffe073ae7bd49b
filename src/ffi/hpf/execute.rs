//! Executes plans, in blocking calls or as non-blocking requests.

use super::super::outcome::{clear_handle, collect, count, list, optional, status_of, write_handle};
use super::super::place::device;
use super::request::Shared;
use super::update::{self, reblock_update};
use super::{object, reblock_plan, reblock_request};
use crate::arrays::{MoveOperands, Plan, Request, execute};
use crate::collective::failure::Failure;
use crate::collective::refuse::refuse;
use crate::pack::{Destination, Source};
use std::ffi::c_void;
use std::ptr::null;
use std::slice::from_ref;
use std::sync::{Arc, Mutex};

/// Executes a plan. `source` and `target` are the addresses of the calling process's storage: of the element at
/// position 0 of each axis, shadow included; NULL if the process has no part. No element that is read may overlap in
/// memory with an element that is written, unless the plan has the option `overlap`, or every element stays at its
/// address. If the call fails, nothing is written; only REBLOCK_ERR_MPI and REBLOCK_ERR_DEVICE may leave the target
/// half written. Collective over the plan's communicator.
///
/// # Safety
/// Source and target storage are as large as the maps say, and nothing else uses them until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_execute(
    plan: *mut reblock_plan,
    source: *const c_void,
    target: *mut c_void,
) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe { execute_all(BatchArguments::one(&plan, &source, &target)) })
}

/// Executes `arrays` plans in one set of messages. All plans must have the same communicator. Collective over that
/// communicator. If all ranks pass 0 arrays, the call does nothing and waits for no rank.
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
    // SAFETY: this fn's contract.
    status_of(|| unsafe { execute_all(BatchArguments::listed(arrays, plans, sources, targets, null())) })
}

/// Arguments of a call that moves several arrays: lists of equal length, or the failure to read a list. Without
/// `updates`, all arrays are copied.
pub(super) struct BatchArguments<'a> {
    plans: Result<&'a [*mut reblock_plan], Failure>,
    sources: Result<&'a [*const c_void], Failure>,
    targets: Result<&'a [*mut c_void], Failure>,
    updates: Result<Option<&'a [*const reblock_update]>, Failure>,
}

impl<'a> BatchArguments<'a> {
    /// Returns the arguments to copy one array.
    pub fn one(plan: &'a *mut reblock_plan, source: &'a *const c_void, target: &'a *mut c_void) -> Self {
        let (plans, sources, targets) = (Ok(from_ref(plan)), Ok(from_ref(source)), Ok(from_ref(target)));
        Self { plans, sources, targets, updates: Ok(None) }
    }

    /// Adds `update` to the arguments of one array.
    pub fn updated(self, update: &'a *const reblock_update) -> Self {
        Self { updates: Ok(Some(from_ref(update))), ..self }
    }

    /// Returns the arguments of a batch: lists of `arrays` entries that the program passes.
    ///
    /// # Safety
    /// The lists are NULL or have `arrays` entries, which do not change while the result is used.
    pub unsafe fn listed(
        arrays: i64,
        plans: *const *mut reblock_plan,
        sources: *const *const c_void,
        targets: *const *mut c_void,
        updates: *const *const reblock_update,
    ) -> Self {
        let arrays = count::<usize>(arrays, "arrays");
        let entries = *arrays.as_ref().unwrap_or(&0);
        // SAFETY: this fn's contract.
        unsafe {
            Self {
                plans: arrays.and_then(|entries| list(plans, entries, "plans")),
                sources: list(sources, entries, "sources"),
                targets: list(targets, entries, "targets"),
                updates: optional(updates, entries, "updates"),
            }
        }
    }
}

/// Moves the arrays of a batch and waits for them. Collective.
///
/// # Safety
/// As reblock_plan_update_many.
pub(super) unsafe fn execute_all(given: BatchArguments<'_>) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    let Some((first, operands)) = (unsafe { read_batch(given) }) else { return Ok(()) };
    execute(&*first?.session()?, operands)
}

/// The plan whose communicator the call uses, and the operands of each array's move.
type Batch = (Result<Arc<Plan>, Failure>, Result<Vec<MoveOperands<'static>>, Failure>);

/// Reads the batch that a program passes; `None` if it has no arrays.
///
/// # Safety
/// As reblock_plan_update_many.
unsafe fn read_batch(given: BatchArguments<'_>) -> Option<Batch> {
    let BatchArguments { plans, sources, targets, updates } = given;
    let plans = match plans {
        Ok(plans) => plans,
        Err(failure) => return Some((Err(refuse(failure.clone())), Err(failure))),
    };
    if plans.is_empty() {
        return None;
    }
    let plans = match collect("plans", plans.iter().map(|&plan| Ok(object(plan.cast_const())))) {
        Ok(plans) => plans,
        Err(failure) => return Some((Err(refuse(failure.clone())), Err(failure))),
    };
    // All plans must have the same communicator, on which other ranks may be waiting: any valid plan gives it.
    let first = plans.iter().find_map(|plan| plan.as_ref().ok().cloned());
    let first = first.ok_or_else(|| {
        refuse(plans[0].as_ref().err().cloned().expect("a batch without a valid plan has an invalid plan"))
    });
    let operands = || {
        let (sources, targets, updates) = (sources?, targets?, updates?);
        let of = |(k, plan): (usize, Result<Arc<Plan>, Failure>)| {
            let update = updates.map_or(null(), |updates| updates[k]);
            // SAFETY: this fn's contract.
            unsafe { read_operands(plan?, sources[k], targets[k], update) }
        };
        collect("arrays", plans.into_iter().enumerate().map(of))
    };
    Some((first, operands()))
}

/// Converts a plan with its source, its target and its update.
///
/// # Safety
/// As reblock_plan_update.
pub(super) unsafe fn read_operands(
    plan: Arc<Plan>,
    source: *const c_void,
    target: *mut c_void,
    update: *const reblock_update,
) -> Result<MoveOperands<'static>, Failure> {
    // SAFETY: this fn's contract.
    let update = unsafe { update::read_update(update)? };
    let source = plan.source().filter(|_| !source.is_null()).map(|seat| {
        let base = seat.begin(source.cast_mut().cast());
        let device = device("the source", base, &seat.shape)?;
        // SAFETY: the caller promises storage as the map says, and the seat has the same layout.
        Ok::<_, Failure>(unsafe { Source::new(base, seat.shape.clone()) }.on(device))
    });
    let destination = plan.destination().filter(|_| !target.is_null()).map(|seat| {
        let base = seat.begin(target.cast());
        let device = device("the target", base, &seat.shape)?;
        // SAFETY: as for the source.
        Ok::<_, Failure>(unsafe { Destination::new(base, seat.shape.clone()) }.on(device))
    });
    let (source, destination) = (source.transpose()?, destination.transpose()?);
    Ok(MoveOperands { plan, source, destination, update })
}

/// Starts a non-blocking reblock_plan_execute. Data moves while the calling process is in any reblock call on the same
/// communicator. reblock_request_wait or reblock_request_test returns the code of the move. The plan and the
/// communicator may be freed before the request is complete. Collective over the plan's communicator.
///
/// # Safety
/// Source and target storage are as large as the maps say, and nothing else uses them until the request is complete;
/// `request` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_start(
    plan: *mut reblock_plan,
    source: *const c_void,
    target: *mut c_void,
    request: *mut *mut reblock_request,
) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe { start_all(BatchArguments::one(&plan, &source, &target), request) })
}

/// Starts a non-blocking reblock_plan_execute_many. All plans must have the same communicator. Collective over that
/// communicator.
///
/// # Safety
/// `plans`, `sources` and `targets` have `arrays` entries, each as for reblock_plan_start; `request` has room for a
/// handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_start_many(
    arrays: i64,
    plans: *const *mut reblock_plan,
    sources: *const *const c_void,
    targets: *const *mut c_void,
    request: *mut *mut reblock_request,
) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe {
        start_all(BatchArguments::listed(arrays, plans, sources, targets, null()), request)
    })
}

/// Starts the moves of a batch and makes their request. Collective.
///
/// # Safety
/// As reblock_plan_start_update_many.
pub(super) unsafe fn start_all(
    given: BatchArguments<'_>,
    request: *mut *mut reblock_request,
) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    unsafe {
        let Some((first, mut operands)) = read_batch(given) else {
            clear_handle(request, "request")?;
            return write_handle::<Shared, _>(request, Arc::new(Mutex::new(Some(Request::complete()))));
        };
        let cleared = clear_handle(request, "request");
        let has_address = cleared.is_ok();
        if let Err(failure) = cleared {
            // The other ranks receive the failure when they wait for their requests.
            operands = Err(failure);
        }
        let started = Request::start(&first?.session()?, operands)?;
        match has_address {
            true => write_handle::<Shared, _>(request, Arc::new(Mutex::new(Some(started)))),
            // Without an address for the handle, this rank waits for the move here.
            false => started.wait(),
        }
    }
}

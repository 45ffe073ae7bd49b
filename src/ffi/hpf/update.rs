//! Updates: moves that combine the source with the present target.

use super::super::outcome::{optional, status_of};
use super::super::versioned::{self, Versioned, head};
use super::execute::{BatchArguments, execute_all, start_all};
use super::{reblock_plan, reblock_request};
use crate::arrays::{Combine, update_of};
use crate::collective::failure::Failure;
use crate::pack::{Number, Scalar, Update};
use std::ffi::c_void;
use std::ptr::null;

/// An update of an element of the target: combine(alpha * op(source), beta * target); op is the conjugate or the
/// identity. Call reblock_update_init first, which fills in the sum with alpha 1 and beta 0; then set `type`. If a
/// factor is 0, its side is not read, and the target becomes the other side alone, or 0 if both factors are 0. A factor
/// of 1 causes no multiplication. All ranks must pass the same update; it may differ from call to call.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_update {
    /// Size of the structure in bytes, set by reblock_update_init.
    pub size: i64,
    /// Version of the structure, set by reblock_update_init.
    pub version: i64,
    /// The type of the elements, REBLOCK_INT32 to REBLOCK_DOUBLE_COMPLEX. Its size must be the plan's element size.
    pub r#type: i64,
    /// The combination, REBLOCK_ADD to REBLOCK_OR.
    pub combine: i64,
    /// Not 0: takes the conjugates of the source's elements; no effect on real numbers.
    pub conjugate: i64,
    /// Address of the factor alpha, a number of type `type`; NULL: 1.
    pub alpha: *const c_void,
    /// Address of the factor beta, a number of type `type`; NULL: 0.
    pub beta: *const c_void,
}

/// The version of reblock_update that this header describes.
pub const REBLOCK_UPDATE_VERSION: i64 = 1;

/// Value of reblock_update.type: int32_t.
pub const REBLOCK_INT32: i64 = 1;
/// Value of reblock_update.type: int64_t.
pub const REBLOCK_INT64: i64 = 2;
/// Value of reblock_update.type: float.
pub const REBLOCK_FLOAT: i64 = 3;
/// Value of reblock_update.type: double.
pub const REBLOCK_DOUBLE: i64 = 4;
/// Value of reblock_update.type: float complex (the real part, then the imaginary part).
pub const REBLOCK_COMPLEX: i64 = 5;
/// Value of reblock_update.type: double complex (the real part, then the imaginary part).
pub const REBLOCK_DOUBLE_COMPLEX: i64 = 6;

/// Value of reblock_update.combine: the sum; integers wrap around.
pub const REBLOCK_ADD: i64 = 0;
/// Value of reblock_update.combine: the lesser of both, or a NaN if one is a NaN; not for complex types.
pub const REBLOCK_MINIMUM: i64 = 1;
/// Value of reblock_update.combine: the greater of both, or a NaN if one is a NaN; not for complex types.
pub const REBLOCK_MAXIMUM: i64 = 2;
/// Value of reblock_update.combine: 1 if neither is 0, otherwise 0; for integers only.
pub const REBLOCK_AND: i64 = 3;
/// Value of reblock_update.combine: 0 if both are 0, otherwise 1; for integers only.
pub const REBLOCK_OR: i64 = 4;

// SAFETY: the structure begins with size and version; the rest are numbers and pointers.
unsafe impl Versioned for reblock_update {
    const NAME: &'static str = "reblock_update";
    const PLAIN: Self = {
        let (size, version) = head::<Self>(REBLOCK_UPDATE_VERSION);
        Self { size, version, r#type: 0, combine: REBLOCK_ADD, conjugate: 0, alpha: null(), beta: null() }
    };
}

/// Fills in the default update: the sum with alpha 1 and beta 0.
///
/// # Safety
/// `update` has room for a reblock_update.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_update_init(update: *mut reblock_update) -> i32 {
    // SAFETY: `update` is NULL or has room for a reblock_update.
    status_of(|| unsafe { versioned::init(update) })
}

/// Reads the update that a program passes; `None` (NULL) is a copy.
///
/// # Safety
/// `update` is NULL or points to an update, whose factors are NULL or point to numbers of its type.
pub(super) unsafe fn read_update(update: *const reblock_update) -> Result<Option<Update>, Failure> {
    // SAFETY: `update` is NULL or points to an update of the size that it names, by this fn's contract.
    let Some(given) = (unsafe { versioned::read(update)? }) else { return Ok(None) };
    let number = match given.r#type {
        REBLOCK_INT32 => Number::Int32,
        REBLOCK_INT64 => Number::Int64,
        REBLOCK_FLOAT => Number::Float,
        REBLOCK_DOUBLE => Number::Double,
        REBLOCK_COMPLEX => Number::Complex,
        REBLOCK_DOUBLE_COMPLEX => Number::DoubleComplex,
        other => {
            return Err(unknown(
                "type",
                other,
                "REBLOCK_INT32, _INT64, _FLOAT, _DOUBLE, _COMPLEX or _DOUBLE_COMPLEX",
            ));
        }
    };
    let combine = match given.combine {
        REBLOCK_ADD => Combine::Add,
        REBLOCK_MINIMUM => Combine::Minimum,
        REBLOCK_MAXIMUM => Combine::Maximum,
        REBLOCK_AND => Combine::And,
        REBLOCK_OR => Combine::Or,
        other => return Err(unknown("combine", other, "REBLOCK_ADD, _MINIMUM, _MAXIMUM, _AND or _OR")),
    };
    let factor = |name: &str, factor: *const c_void, plain: i8| {
        // SAFETY: `factor` is NULL or points to a number of the type, by this fn's contract.
        let bytes = unsafe { optional(factor.cast::<u8>(), number.bytes(), name)? };
        Ok::<_, Failure>(bytes.map_or_else(|| number.scalar(plain), Scalar::of))
    };
    let factors = [factor("alpha", given.alpha, 1)?, factor("beta", given.beta, 0)?];
    update_of(number, combine, given.conjugate != 0, factors).map(Some)
}

fn unknown(field: &str, value: i64, expected: &str) -> Failure {
    Failure::argument(format!("the update: {field} is {value}, expected {expected}"))
}

/// As reblock_plan_execute, but updates the target's elements with the source's elements. NULL for `update` is a copy.
/// If alpha is 0, `source` may be NULL. Source and target may be the same array if no element changes its place, on any
/// rank. Collective over the plan's communicator.
///
/// # Safety
/// As for reblock_plan_execute; `update` is NULL or points to an update, whose factors are NULL or point to numbers of
/// its type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_update(
    plan: *mut reblock_plan,
    source: *const c_void,
    target: *mut c_void,
    update: *const reblock_update,
) -> i32 {
    let given = BatchArguments::one(&plan, &source, &target).updated(&update);
    // SAFETY: this fn's contract.
    status_of(|| unsafe { execute_all(given) })
}

/// As reblock_plan_execute_many, but each array is updated with its entry of `updates`. If `updates` is NULL, all
/// arrays are copied.
///
/// # Safety
/// `plans`, `sources` and `targets` have `arrays` entries; `updates` is NULL or has as many. Entries are as for
/// reblock_plan_update.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_update_many(
    arrays: i64,
    plans: *const *mut reblock_plan,
    sources: *const *const c_void,
    targets: *const *mut c_void,
    updates: *const *const reblock_update,
) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe { execute_all(BatchArguments::listed(arrays, plans, sources, targets, updates)) })
}

/// Starts a non-blocking reblock_plan_update, as reblock_plan_start does for reblock_plan_execute. `update` and its
/// factors are not used after the call.
///
/// # Safety
/// As for reblock_plan_start; `update` as for reblock_plan_update.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_start_update(
    plan: *mut reblock_plan,
    source: *const c_void,
    target: *mut c_void,
    update: *const reblock_update,
    request: *mut *mut reblock_request,
) -> i32 {
    let given = BatchArguments::one(&plan, &source, &target).updated(&update);
    // SAFETY: this fn's contract.
    status_of(|| unsafe { start_all(given, request) })
}

/// Starts a non-blocking reblock_plan_update_many.
///
/// # Safety
/// `plans`, `sources` and `targets` have `arrays` entries; `updates` is NULL or has as many. Entries are as for
/// reblock_plan_start_update. `request` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_start_update_many(
    arrays: i64,
    plans: *const *mut reblock_plan,
    sources: *const *const c_void,
    targets: *const *mut c_void,
    updates: *const *const reblock_update,
    request: *mut *mut reblock_request,
) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe {
        start_all(BatchArguments::listed(arrays, plans, sources, targets, updates), request)
    })
}

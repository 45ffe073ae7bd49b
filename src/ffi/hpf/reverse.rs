//! Plans for the opposite direction.

use super::super::outcome::{clear_handle, status_of, write_handle};
use super::{collective, reblock_plan};
use crate::arrays::Plan;
use std::sync::Arc;

/// Makes the plan for the opposite direction: from the target's section of a plan to its source's, on the same
/// communicator, with the same element size and the same options scheduler, transport, buffer, window and overlap; the
/// option axes is inverted. After relabelling, it starts from the map that reblock_plan_target returns, and ends in the
/// source's own map. If the source is replicated, all copies are written; from a replicated target, each process reads
/// the nearest copy. A plan with the option spread and a plan of reblock_plan_gather or reblock_plan_scatter have no
/// reverse: REBLOCK_ERR_ARGUMENT. Collective over the plan's communicator.
///
/// # Safety
/// `reverse` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_reverse(
    plan: *const reblock_plan,
    reverse: *mut *mut reblock_plan,
) -> i32 {
    status_of(|| {
        // SAFETY: `reverse` is NULL or has room for a handle.
        let able = unsafe { clear_handle(reverse, "reverse") };
        let plan: Arc<Plan> = collective(plan)?;
        let made = plan.reverse_if(able)?;
        // SAFETY: `reverse` has room for a handle.
        unsafe { write_handle(reverse, made) }
    })
}

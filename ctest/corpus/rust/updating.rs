//! Arrays that are updated.

use crate::moving::{Lent, LentMany, Request};
use crate::slices::Local;
use crate::{count, functions, give, list};
use reblock::arrays::{Combine, Given, Load, Numeric, Plan, Update};
use std::sync::Arc;

/// Has the layout of `reblock_update`.
#[repr(C)]
pub struct Asked {
    size: i64,
    version: i64,
    number: i64,
    combine: i64,
    conjugate: i64,
    alpha: *const u8,
    beta: *const u8,
}

/// Converts an update, with factors of type `T`; NULL is a copy.
///
/// # Safety
/// `asked` is NULL or points to an update whose factors are NULL or point to numbers of type `T`.
pub unsafe fn update<T: Numeric + Default>(asked: *const Asked) -> Update<T> {
    let one = Update::<T>::combining(Combine::Add).alpha;
    // SAFETY: the caller's promise.
    let Some(asked) = (unsafe { asked.as_ref() }) else { return Update::sum(one, T::default()) };
    let factor = |at: *const u8, plain: T| match at.is_null() {
        true => plain,
        // SAFETY: the caller's promise.
        false => unsafe { at.cast::<T>().read_unaligned() },
    };
    let combine =
        [Combine::Add, Combine::Minimum, Combine::Maximum, Combine::And, Combine::Or][count(asked.combine)];
    let made = Update { combine, ..Update::sum(factor(asked.alpha, one), factor(asked.beta, T::default())) };
    if asked.conjugate != 0 { made.conjugated() } else { made }
}

/// Returns the number of the type of all updates, at least one of which is not NULL.
///
/// # Safety
/// Each address is NULL or points to an update.
pub unsafe fn number(updates: &[*const Asked]) -> i64 {
    // SAFETY: the caller's promise.
    let number = updates.iter().find_map(|&asked| unsafe { asked.as_ref() }.map(|asked| asked.number));
    number.expect("an update")
}

/// Evaluates `$body` with `$t` as the type of that number.
macro_rules! numeric {
    ($number:expr, $t:ident => $body:expr) => {
        match $number {
            1 => {
                type $t = i32;
                $body
            }
            2 => {
                type $t = i64;
                $body
            }
            3 => {
                type $t = f32;
                $body
            }
            4 => {
                type $t = f64;
                $body
            }
            5 => {
                type $t = [f32; 2];
                $body
            }
            _ => {
                type $t = [f64; 2];
                $body
            }
        }
    };
}
pub(crate) use numeric;

functions! {
    fn rust_plan_update(plan: *const Arc<Plan>, source: *const Local, target: *const Local, asked: *const Asked) {
        let (source, target) = (*source, *target);
        numeric!(number(&[asked]), T => {
            (*plan).update::<T>(source.slice(), target.slice_mut(), &update(asked))
        })
    }

    fn rust_plan_update_many(
        moves: i64, plans: *const *const Arc<Plan>, sources: *const Local, targets: *const Local,
        updates: *const *const Asked,
    ) {
        let moves = count(moves);
        let (plans, sources, targets) = (list(plans, moves), list(sources, moves), list(targets, moves));
        let updates = list(updates, moves);
        numeric!(number(updates), T => {
            let load = |k: usize| {
                let load = Load::<T> { plan: &*plans[k], source: sources[k].slice(), target: targets[k].slice_mut() };
                (load, update(updates[k]))
            };
            (*plans[0]).update_many(&mut (0..moves).map(load).collect::<Vec<_>>())
        })
    }

    fn rust_plan_start_update(
        plan: *const Arc<Plan>, source: *const Local, target: *const Local, asked: *const Asked,
        request: *mut *mut Request,
    ) {
        let (source, target) = (*source, *target);
        numeric!(number(&[asked]), T => {
            let vectors = (source.slice().to_vec(), target.slice_mut().to_vec());
            let moving = (*plan).start_update::<T>(vectors.0, vectors.1, &update(asked))?;
            give(request, Box::new(Lent { moving, source, target }) as Request)
        })
    }

    fn rust_plan_start_update_many(
        moves: i64, plans: *const *const Arc<Plan>, sources: *const Local, targets: *const Local,
        updates: *const *const Asked, request: *mut *mut Request,
    ) {
        let moves = count(moves);
        let (plans, sources, targets) = (list(plans, moves), list(sources, moves), list(targets, moves));
        let updates = list(updates, moves);
        numeric!(number(updates), T => {
            let given = |k: usize| {
                let given = Given::<T> {
                    plan: (*plans[k]).clone(), source: sources[k].slice().to_vec(), target: targets[k].slice_mut().to_vec(),
                };
                (given, update(updates[k]))
            };
            let moving = (*plans[0]).start_update_many((0..moves).map(given).collect())?;
            let arrays = sources.iter().copied().zip(targets.iter().copied()).collect();
            give(request, Box::new(LentMany { moving, arrays }) as Request)
        })
    }
}

//! Shadows of a lent or a borrowed array, and the reverse plans.

use crate::moving::{Asked as Chosen, Pending, Request, chosen};
use crate::slices::{Local, kind, typed};
use crate::updating::{Asked, number, numeric, update};
use crate::{count, functions, give, optional};
use reblock::arrays::{Element, Failure, Filling, Map, Plan, Shadow};
use reblock::mpi::Comm;
use std::sync::Arc;

struct LentOne<T> {
    filling: Filling<T>,
    array: Local,
}

impl<T: Element> Pending for LentOne<T> {
    fn is_over(&self) -> Result<bool, Failure> {
        self.filling.test()
    }

    fn arrive(self: Box<Self>) -> Result<(), Failure> {
        let array = self.filling.wait()?;
        // SAFETY: the array is valid until the request is complete, and nothing uses it before.
        unsafe { self.array.slice_mut().copy_from_slice(&array) };
        Ok(())
    }
}

functions! {
    fn rust_plan_shadow(
        comm: i32, map: *const Map, before: *const i64, after: *const i64, periodic: *const i32, corners: i32,
        element: i64, options: *const Chosen, plan: *mut *mut Arc<Plan>,
    ) {
        let map = map.as_ref();
        let axes = map.map_or(0, |map| map.map().axes().len());
        let width = |&n: &i64| u64::try_from(n).expect("a width");
        let both = optional(before, axes).zip(optional(after, axes));
        let widths = both.map(|(before, after)| -> Vec<_> {
            before.iter().map(width).zip(after.iter().map(width)).collect()
        });
        let periodic = optional(periodic, axes).map(|axes| axes.iter().map(|&axis| axis != 0).collect::<Vec<_>>());
        let shadow = Shadow { map, widths: widths.as_deref(), periodic: periodic.as_deref(), corners: corners != 0 };
        give(plan, Plan::shadow(&Comm::from_fortran(comm), shadow, count(element), &chosen(options))?)
    }

    fn rust_plan_reverse(plan: *const Arc<Plan>, reverse: *mut *mut Arc<Plan>) {
        give(reverse, (*plan).reverse()?)
    }

    fn rust_plan_fill(plan: *const Arc<Plan>, array: *const Local, asked: *const Asked) {
        let array = *array;
        if asked.is_null() {
            return typed!(kind(&[array]), T => (*plan).fill::<T>(array.slice_mut()));
        }
        numeric!(number(&[asked]), T => (*plan).fill_update::<T>(array.slice_mut(), &update(asked)))
    }

    fn rust_plan_start_fill(
        plan: *const Arc<Plan>, array: *const Local, asked: *const Asked, request: *mut *mut Request,
    ) {
        let array = *array;
        if asked.is_null() {
            return typed!(kind(&[array]), T => {
                let filling = (*plan).start_fill::<T>(array.slice_mut().to_vec())?;
                give(request, Box::new(LentOne { filling, array }) as Request)
            });
        }
        numeric!(number(&[asked]), T => {
            let filling = (*plan).start_fill_update::<T>(array.slice_mut().to_vec(), &update(asked))?;
            give(request, Box::new(LentOne { filling, array }) as Request)
        })
    }
}

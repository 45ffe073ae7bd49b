//! The program's functions that distribute arrays over a new number of ranks.

use super::super::handles;
use super::super::hpf::reblock_template;
use super::super::outcome::{REBLOCK_OK, count, status_of, wide};
use super::{reblock_job, with};
use crate::arrays::Template;
use crate::collective::failure::Failure;
use crate::resize::Formats;
use std::ffi::c_void;
use std::sync::Arc;

/// A function of the program that distributes an array over another number of ranks. `tmpl` has the bounds of the
/// array's template, on an arrangement of `axes` axes with `shape` processes along each. The function distributes the
/// axes of `tmpl` by the reblock_template_dist_... functions, and returns REBLOCK_OK; any other code makes the resize
/// fail. Axes without such a call are not distributed. The function must not communicate: it must not call
/// reblock_template_dist_indirect_local, reblock_template_commit or functions of the job.
#[allow(non_camel_case_types, reason = "names in C")]
pub type reblock_job_formats_function = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        axes: i64,
        shape: *const i64,
        tmpl: *mut reblock_template,
    ) -> i32,
>;

/// Sets the function `formats` that distributes a registered array after a resize. The function is needed for formats
/// that fit only one number of ranks: GEN_BLOCK, INDIRECT or BLOCK(m). `number` is the position among the registered
/// items, from 0, of an array with a map. Bounds and alignment stay unchanged. The library calls `formats` on the
/// active ranks, at each resize and in reblock_job_get_price, and it must produce the same formats on all of them. So
/// each process must call reblock_job_set_formats after it has registered the array, including processes that have
/// joined.
///
/// # Safety
/// `formats` may be called with `context` as long as the job exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_formats(
    job: *mut reblock_job,
    number: i64,
    formats: reblock_job_formats_function,
    context: *mut c_void,
) -> i32 {
    status_of(|| {
        let function = formats.ok_or_else(|| Failure::argument("formats is NULL, expected a function"))?;
        let number: usize = count(number, "number")?;
        with(job, |job| job.set_formats(number, Box::new(FormatsFunction { function, context })))
    })
}

struct FormatsFunction {
    function: unsafe extern "C" fn(*mut c_void, i64, *const i64, *mut reblock_template) -> i32,
    context: *mut c_void,
}

// SAFETY: the program promises that the thread that uses the job may call the function with its context.
unsafe impl Send for FormatsFunction {}

impl Formats for FormatsFunction {
    fn describe(&self, template: &Arc<Template>) -> Result<(), Failure> {
        let procs = template.procs();
        let shape: Vec<i64> = procs.shape().iter().map(|&extent| extent.into()).collect();
        let handle = handles::insert(template.clone())?;
        // SAFETY: the program's promise; the list and the handle are valid until the function returns.
        let code =
            unsafe { (self.function)(self.context, wide(shape.len() as u64), shape.as_ptr(), handle.cast()) };
        handles::remove::<Arc<Template>>(handle)?;
        match code {
            REBLOCK_OK => Ok(()),
            _ => Err(Failure::argument(format!(
                "the program's function for formats returned code {code} for an arrangement of {shape:?} processes"
            ))),
        }
    }
}

//! C function of HPF's REDISTRIBUTE: changes the distribution of a template, and moves its arrays.

use super::super::outcome::{collect, count, list, status_of};
use super::{Template, collective, object, reblock_array, reblock_template};
use crate::arrays;

/// HPF's REDISTRIBUTE: changes the distribution of `tmpl` to the distribution of `like`. `like` must have the same
/// bounds, and an arrangement of ranks of the same communicator. All arrays that are aligned with `tmpl` and whose
/// layout changes move to new storage, in one set of messages. The values of the `arrays` arrays in `dead` are not
/// moved. On failure nothing has changed. Collective over the communicator of the template's arrangement.
///
/// # Safety
/// `dead` has `arrays` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_redistribute(
    tmpl: *mut reblock_template,
    like: *const reblock_template,
    arrays: i64,
    dead: *const *mut reblock_array,
) -> i32 {
    status_of(|| {
        let template: Template = collective(tmpl)?;
        // SAFETY: `dead` is NULL or has as many entries as are read.
        let given = || unsafe {
            let like: Template = object(like)?;
            let dead = list(dead, count(arrays, "arrays")?, "dead")?;
            let dead = collect("dead arrays", dead.iter().map(|&array| object(array.cast_const())))?;
            Ok((like, dead))
        };
        match given() {
            Ok((like, dead)) => arrays::redistribute(&template, &like, &dead),
            Err(failure) => arrays::fail_redistribute(&template, failure),
        }
    })
}

//! Slots of the launcher: the number of processes that it may start. With Open MPI 4 they are checked before a spawn:
//! MPI_Finalize never returns after the launcher has refused one.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use super::library::is_intel_standard;
use mpi_sys::*;
use std::ffi::c_int;

/// Explains why `count` processes beside the `present` ones cannot be started; `None` if they may be.
pub(super) fn explain_refusal(present: u32, count: u32) -> Result<Option<String>, MpiError> {
    let settings = std::env::vars_os();
    let settings = settings.filter_map(|(name, value)| Some((name.to_str()?.into(), value.to_str()?.into())));
    let Some(text) = missing_slots(present, count)?.filter(|_| !oversubscribes(settings)) else {
        return Ok(None);
    };
    Ok(Some(format!(
        "{text}: to start more processes than slots, use the launcher's option --oversubscribe, or OMPI_MCA_rmaps_base_oversubscribe=1"
    )))
}

/// Returns a text with the number of slots, if there are too few for `count` processes beside the `present` ones.
pub(super) fn missing_slots(present: u32, count: u32) -> Result<Option<String>, MpiError> {
    let wanted = i64::from(present) + i64::from(count);
    let slots = slots()?.filter(|&slots| wanted > slots);
    Ok(slots.map(|slots| format!("{wanted} processes in {slots} slots")))
}

/// Returns the number of the launcher's slots, if it is known.
fn slots() -> Result<Option<i64>, MpiError> {
    let (mut value, mut found): (*mut c_int, c_int) = (std::ptr::null_mut(), 0);
    // Intel MPI 2021.18 numbers MPI_UNIVERSE_SIZE as a draft of the standard ABI did: 505. The final ABI's 507 is
    // another attribute there.
    let attribute = if is_intel_standard() { 505 } else { int(MPI_UNIVERSE_SIZE as usize) };
    // SAFETY: both outlive the call; the attribute is the address of an int.
    check("MPI_Comm_get_attr", unsafe {
        let place = (&raw mut value).cast();
        MPI_Comm_get_attr(Comm::world().0, attribute, place, &mut found)
    })?;
    // SAFETY: if the attribute is found, `value` points to an int that MPI keeps.
    Ok((found != 0 && !value.is_null()).then(|| i64::from(unsafe { *value })))
}

/// Returns whether options of Open MPI's launcher among the environment variables `settings` allow more processes than
/// slots.
fn oversubscribes(mut settings: impl Iterator<Item = (String, String)>) -> bool {
    settings.any(|(name, value)| {
        let value = value.to_ascii_lowercase();
        match name.strip_prefix("OMPI_MCA_rmaps_") {
            Some("base_oversubscribe") => !["0", "false", "no", "disabled"].contains(&value.as_str()),
            Some(_) => value.contains("oversubscribe") && !value.contains("nooversubscribe"),
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::oversubscribes;

    #[test]
    fn launcher_options_are_parsed_like_the_launcher_does() {
        let one = |name: &str, value: &str| oversubscribes([(name.into(), value.into())].into_iter());
        assert!(one("OMPI_MCA_rmaps_base_oversubscribe", "1"));
        assert!(one("OMPI_MCA_rmaps_base_oversubscribe", "true"));
        assert!(!one("OMPI_MCA_rmaps_base_oversubscribe", "0"));
        assert!(one("OMPI_MCA_rmaps_base_mapping_policy", "core:OVERSUBSCRIBE"));
        assert!(!one("OMPI_MCA_rmaps_base_mapping_policy", "core:NOOVERSUBSCRIBE"));
        assert!(!one("OMPI_MCA_rmaps_base_no_oversubscribe", "1"));
        assert!(!one("OMPI_MCA_mpi_oversubscribe", "1"));
    }
}

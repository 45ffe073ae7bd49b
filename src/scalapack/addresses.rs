//! DO the local arrays have addresses? Arrays with elements to move need one; the address of others is not read.

use crate::error::{ArgumentError, Error};
use crate::pack::{Destination, Source};
use crate::planned::Planned;

/// An array with elements to move needs an address.
pub(super) fn check_addresses(
    plan: &Planned,
    a: Option<&Source>,
    b: Option<&Destination>,
) -> Result<(), Error> {
    let (reads, writes) = plan.touches();
    let null = [
        (reads && a.is_some_and(Source::is_null), "A"),
        (writes && b.is_some_and(Destination::is_null), "B"),
    ];
    for (null, name) in null {
        if null {
            let expected = "the address of a local array, as this process holds part of the section".into();
            return Err(Error::Argument(ArgumentError {
                name: name.into(),
                value: 0,
                expected,
                place: None,
            }));
        }
    }
    Ok(())
}

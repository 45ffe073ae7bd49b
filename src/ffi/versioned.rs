//! Structures exchanged with programs, which can grow in later versions. Each begins with its size and its version,
//! which an init function fills in. The library reads and writes no more bytes than the structure's version has. An
//! unknown size or version is an error.
//!
//! A structure grows at its end. Then its version is raised, and an init function with a new name is added; in the
//! header, the old name becomes a macro for the new name (`build/header.rs`). A program that was compiled earlier calls
//! the old init function, has room for the old size, and gets the old fields. A program that was compiled later calls
//! an init function that an older library lacks, so a library receives a newer version than its own only by mistake.

use super::place::on_host;
use crate::collective::failure::Failure;

/// Size in bytes of the fields `size` and `version`.
const HEAD_BYTES: usize = 2 * size_of::<i64>();

/// A structure that begins with its size and its version.
///
/// # Safety
/// It is `repr(C)`, and its first fields are `size: i64` and `version: i64`. If the bytes of any version that the
/// program has initialised replace the first bytes of [`Versioned::PLAIN`], the result is a valid value.
pub unsafe trait Versioned: Copy {
    /// The structure's name in C.
    const NAME: &'static str;
    /// Default values, with the size and the newest version.
    const PLAIN: Self;
    /// Size of each version in bytes, version 1 first.
    const SIZES: &'static [usize] = &[size_of::<Self>()];
}

/// Returns the size of `T` and the version, for [`Versioned::PLAIN`].
pub const fn head<T>(version: i64) -> (i64, i64) {
    #[allow(clippy::cast_possible_wrap, reason = "a structure of some bytes")]
    (size_of::<T>() as i64, version)
}

/// Fills in a structure with the default values of the newest version.
///
/// # Safety
/// `out` is NULL or has room for the newest version.
pub unsafe fn init<T: Versioned>(out: *mut T) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    unsafe { init_version(out, T::SIZES.len()) }
}

/// Fills in the default values of version `version`, for programs that were compiled with that version.
///
/// # Safety
/// `out` is NULL or has room for that version.
pub unsafe fn init_version<T: Versioned>(out: *mut T, version: usize) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::argument(format!("{} is NULL, expected its address", T::NAME)));
    }
    on_host(T::NAME, out.cast(), 1)?;
    let size = T::SIZES[version - 1];
    let plain = T::PLAIN;
    let head = [size, version].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    // SAFETY: `out` has room for `size` bytes, by this fn's contract, and every version is at least as long as the head.
    unsafe {
        std::ptr::copy_nonoverlapping((&raw const plain).cast::<u8>(), out.cast::<u8>(), size);
        out.cast::<[i64; 2]>().write(head);
    }
    Ok(())
}

/// Reads a program's structure; fields that its version lacks have default values. `None` for NULL.
///
/// # Safety
/// `given` is NULL or points to a structure of the size that it names.
pub unsafe fn read<T: Versioned>(given: *const T) -> Result<Option<T>, Failure> {
    if given.is_null() {
        return Ok(None);
    }
    // SAFETY: `given` points to a structure of the size that it names, by this fn's contract.
    let size = unsafe { checked_size(given)? };
    let mut value = T::PLAIN;
    // SAFETY: both have at least `size` bytes, since no version is longer than the newest, and are different variables.
    unsafe { std::ptr::copy_nonoverlapping(given.cast::<u8>(), (&raw mut value).cast::<u8>(), size) };
    Ok(Some(value))
}

/// Writes as many bytes of `value` as the program's version has; nothing for NULL.
///
/// # Safety
/// `out` is NULL or points to a structure of the size that it names.
pub unsafe fn write<T: Versioned>(out: *mut T, value: &T) -> Result<(), Failure> {
    if out.is_null() {
        return Ok(());
    }
    // SAFETY: `out` points to a structure of the size that it names, by this fn's contract; both have at least `size`
    // bytes, since no version is longer than the newest, and are different variables.
    unsafe {
        let size = checked_size(out.cast_const())?;
        let (from, to) = ((&raw const *value).cast::<u8>(), out.cast::<u8>());
        std::ptr::copy_nonoverlapping(from.add(HEAD_BYTES), to.add(HEAD_BYTES), size - HEAD_BYTES);
    }
    Ok(())
}

/// Returns the size in bytes of a program's structure; an error unless its version exists and has this size.
///
/// # Safety
/// `given` points to a size and a version.
unsafe fn checked_size<T: Versioned>(given: *const T) -> Result<usize, Failure> {
    on_host(T::NAME, given.cast(), 1)?;
    // SAFETY: every version begins with two numbers, its size and its version.
    let [size, version] = unsafe { given.cast::<[i64; 2]>().read() };
    let known = usize::try_from(version).ok().and_then(|v| T::SIZES.get(v.checked_sub(1)?));
    let fits = known.filter(|&&known| usize::try_from(size) == Ok(known)).copied();
    fits.ok_or_else(|| {
        let (name, newest, last) = (T::NAME, size_of::<T>(), T::SIZES.len());
        Failure::argument(format!(
            "{name} has size {size} and version {version}, expected {newest} and {last}: call {name}_init"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::failure::Code;

    /// Version 2 has a third number.
    #[repr(C)]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Grown {
        size: i64,
        version: i64,
        first: i64,
        second: f64,
        third: i64,
    }

    // SAFETY: the structure begins with size and version, and has only numbers.
    unsafe impl Versioned for Grown {
        const NAME: &'static str = "grown";
        const PLAIN: Self = Self { size: 40, version: 2, first: 1, second: 0.5, third: 3 };
        const SIZES: &'static [usize] = &[32, 40];
    }

    const VALUE: Grown = Grown { first: 10, second: 20.0, third: 30, ..Grown::PLAIN };

    #[test]
    fn the_newest_version_is_read_and_written_whole() {
        let mut there = Grown { size: 0, version: 0, first: 0, second: 0.0, third: 0 };
        // SAFETY: `there` is a whole structure.
        let (filled, read) = unsafe { (init(&raw mut there), read(&raw const there)) };
        assert_eq!((filled, read), (Ok(()), Ok(Some(Grown::PLAIN))));
        // SAFETY: `there` is a whole structure.
        assert_eq!(unsafe { write(&raw mut there, &VALUE) }, Ok(()));
        assert_eq!(there, VALUE);
    }

    #[test]
    fn an_older_version_gets_defaults_and_nothing_behind_it_is_written() {
        let mut there = Grown { size: 32, version: 1, first: 7, second: 8.0, third: -1 };
        // SAFETY: `there` is longer than its field `size` says.
        let read = unsafe { read(&raw const there) };
        let known = read.unwrap().unwrap();
        assert_eq!((known.first, known.second, known.third), (7, 8.0, Grown::PLAIN.third));
        // SAFETY: `there` is longer than its field `size` says.
        assert_eq!(unsafe { write(&raw mut there, &VALUE) }, Ok(()));
        assert_eq!(there, Grown { size: 32, version: 1, first: 10, second: 20.0, third: -1 });
    }

    #[test]
    fn other_sizes_and_versions_are_refused_and_nothing_is_written() {
        let wrong =
            [(39, 2), (41, 2), (32, 2), (40, 1), (40, 3), (40, 0), (40, -1), (0, 0), (-40, 2), (i64::MIN, 1)];
        for (size, version) in wrong {
            let given = Grown { size, version, ..VALUE };
            let mut there = given;
            // SAFETY: `there` is a whole structure, whatever its fields say.
            let results = unsafe { [read(&raw const there).map(drop), write(&raw mut there, &Grown::PLAIN)] };
            for result in results {
                let failure = result.unwrap_err();
                assert_eq!(failure.code, Code::Argument);
                let text = format!(
                    "grown has size {size} and version {version}, expected 40 and 2: call grown_init"
                );
                assert_eq!(failure.text, text);
            }
            assert_eq!(there, given);
        }
    }

    #[test]
    fn an_older_version_is_filled_in_without_newer_fields() {
        let mut there = Grown { size: 0, version: 0, first: 0, second: 0.0, third: -1 };
        // SAFETY: `there` is a whole structure.
        let (filled, read) = unsafe { (init_version(&raw mut there, 1), read(&raw const there)) };
        let known = Grown { size: 32, version: 1, ..Grown::PLAIN };
        assert_eq!((filled, there.third, read), (Ok(()), -1, Ok(Some(known))));
        assert_eq!(there, Grown { size: 32, version: 1, third: -1, ..Grown::PLAIN });
    }

    #[test]
    fn null_is_read_as_none_and_never_written() {
        // SAFETY: NULL is never read or written.
        let (read, written, filled) = unsafe {
            (
                read::<Grown>(std::ptr::null()),
                write(std::ptr::null_mut(), &VALUE),
                init::<Grown>(std::ptr::null_mut()),
            )
        };
        assert_eq!((read, written), (Ok(None), Ok(())));
        assert_eq!(filled.unwrap_err().text, "grown is NULL, expected its address");
    }
}

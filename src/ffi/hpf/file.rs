//! Saves arrays to files and loads them.

use super::super::outcome::{count, status_of, text};
use super::super::place::device;
use super::{Map, collective, object, reblock_array, reblock_map};
use crate::arrays::{Array, Filed, Loaded, Plan, ProgressFunction, Saved, Seat, load, report_progress, save};
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use crate::pack::{Destination, Shape, Source};
use mpi_sys::MPI_Comm;
use std::ffi::{c_char, c_void};
use std::path::Path;
use std::sync::Arc;

/// Saves an array with elements of `element` bytes in the file `path`, in NumPy's format .npy. The file has the
/// extents, the elements in Fortran order without shadows, and a checksum. `data` is the address of the element at
/// position 0 of each axis in the calling process's storage. Positions are counted from the start of the lower shadow.
/// `data` is NULL if the process has no part. A rank that has no part of the array may pass NULL for its map. `dtype`
/// is the element type in NumPy's notation, "<f8" or "[('x', '<f4'), ('n', '<i4')]"; NULL stands for "|Vn", where n is
/// `element`. The library writes another file in the same directory, which replaces `path` when all data is on the
/// disk. On failure the old file, if any, is unchanged. Collective over `comm`, which must contain all ranks of the
/// map's arrangement.
///
/// # Safety
/// `path` is a C string; `dtype` is NULL or a C string. The storage is as large as the map says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_save(
    comm: MPI_Comm,
    path: *const c_char,
    map: *const reblock_map,
    data: *const c_void,
    element: i64,
    dtype: *const c_char,
) -> i32 {
    let given = FileArguments { path, map, data: data.cast_mut(), element, dtype };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { given.save(Comm::from_handle(comm)) })
}

/// Loads an array from a file of reblock_save or of NumPy, in Fortran or C order. Arguments are as for reblock_save.
/// The file must have the extents of the map, elements of `element` bytes, and the type `dtype` unless that is NULL.
/// The array may have been saved by other ranks and in another layout. If the file has a checksum, the whole file is
/// first read and checked. On failure nothing is written, unless the file changes or becomes unreadable during the
/// call. Collective over `comm`.
///
/// # Safety
/// `path` is a C string; `dtype` is NULL or a C string. The storage is as large as the map says, and nothing else uses
/// it until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_load(
    comm: MPI_Comm,
    path: *const c_char,
    map: *const reblock_map,
    data: *mut c_void,
    element: i64,
    dtype: *const c_char,
) -> i32 {
    let given = FileArguments { path, map, data, element, dtype };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { given.load(Comm::from_handle(comm)) })
}

/// Saves an array of the library like reblock_save. Collective over the communicator of the array's arrangement.
///
/// # Safety
/// `path` is a C string; `dtype` is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_array_save(
    array: *const reblock_array,
    path: *const c_char,
    dtype: *const c_char,
) -> i32 {
    status_of(|| {
        let array: Arc<Array> = collective(array)?;
        // SAFETY: this fn's contract.
        array.save(unsafe { path_and_type(path, dtype) })
    })
}

/// Loads an array of the library like reblock_load. Collective over the communicator of the array's arrangement.
///
/// # Safety
/// `path` is a C string; `dtype` is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_array_load(
    array: *mut reblock_array,
    path: *const c_char,
    dtype: *const c_char,
) -> i32 {
    status_of(|| {
        let array: Arc<Array> = collective(array)?;
        // SAFETY: this fn's contract.
        array.load(unsafe { path_and_type(path, dtype) })
    })
}

/// A function of the program that gets the progress of a save or load: `done` of `all` bytes are written or read, by
/// all ranks together. A file with a checksum is read twice, so `all` is then twice the size of the array.
#[allow(non_camel_case_types, reason = "names in C")]
pub type reblock_file_progress_function =
    Option<unsafe extern "C" fn(context: *mut c_void, done: i64, all: i64)>;

/// Sets a function that the calling thread's saves and loads call after each part of a file, at least once in a
/// successful call unless the array has no elements; NULL: none. The last call has `done` equal to `all`. The function
/// must return, and must not make collective calls of this library. Not collective: ranks may set it or not.
///
/// # Safety
/// `function` may be called with `context` until another function, or NULL, is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_file_progress(
    function: reblock_file_progress_function,
    context: *mut c_void,
) -> i32 {
    status_of(|| {
        let report = |function: unsafe extern "C" fn(*mut c_void, i64, i64)| -> ProgressFunction {
            let bytes = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
            // SAFETY: this fn's contract.
            Box::new(move |done, all| unsafe { function(context, bytes(done), bytes(all)) })
        };
        report_progress(function.map(report));
        Ok(())
    })
}

/// Converts the C strings `path` and `dtype`; `path` must not be NULL or empty.
///
/// # Safety
/// As reblock_array_save.
unsafe fn path_and_type<'a>(
    path: *const c_char,
    dtype: *const c_char,
) -> Result<(&'a Path, Option<&'a str>), Failure> {
    // SAFETY: `path` and `dtype` are NULL or C strings.
    let (path, dtype) = unsafe { (text(path, "path")?, text(dtype, "dtype")?) };
    let path = path.filter(|path| !path.is_empty());
    let path = path.ok_or_else(|| Failure::argument("path is NULL or empty, expected the name of a file"))?;
    Ok((Path::new(path), dtype))
}

struct FileArguments {
    path: *const c_char,
    map: *const reblock_map,
    data: *mut c_void,
    element: i64,
    dtype: *const c_char,
}

impl FileArguments {
    /// Saves the array to the file. Collective over `comm`.
    ///
    /// # Safety
    /// As reblock_save.
    unsafe fn save(&self, comm: Comm) -> Result<(), Failure> {
        let map = self.map();
        // SAFETY: this fn's contract.
        save(&comm, unsafe { self.prepare(&map) }, &FileData(self.data.cast()))
    }

    /// Loads the array from the file. Collective over `comm`.
    ///
    /// # Safety
    /// As reblock_load.
    unsafe fn load(&self, comm: Comm) -> Result<(), Failure> {
        let map = self.map();
        // SAFETY: this fn's contract.
        load(&comm, unsafe { self.prepare(&map) }, &mut FileData(self.data.cast()))
    }

    fn map(&self) -> Result<Option<Map>, Failure> {
        (!self.map.is_null()).then(|| object(self.map)).transpose()
    }

    /// Converts all arguments except `data`; `map` is the result of [`Self::map`].
    ///
    /// # Safety
    /// As reblock_save.
    unsafe fn prepare<'a>(&self, map: &'a Result<Option<Map>, Failure>) -> Result<Filed<'a>, Failure> {
        // SAFETY: this fn's contract.
        let (path, dtype) = unsafe { path_and_type(self.path, self.dtype)? };
        let map = map.as_ref().map_err(Failure::clone)?;
        // Refuses memory of a device before any part of the array moves.
        let bytes = map.as_ref().map(|map| map.elements()).transpose()?.unwrap_or(0);
        device("data", self.data.cast(), &Shape::dense(1, &[bytes.min(1)]))?;
        Ok(Filed { path, map: map.as_deref(), element: count(self.element, "element")?, dtype })
    }
}

/// Address of the storage that a program passes: as large as its map says, or NULL if the process has no part.
struct FileData(*mut u8);

impl Saved for FileData {
    fn source(&self, plan: &Plan) -> Result<Option<Source<'_>>, Failure> {
        let seat = plan.source().filter(|_| !self.0.is_null());
        let source = |seat: &Seat| {
            let base = seat.begin(self.0);
            let device = device("data", base, &seat.shape)?;
            // SAFETY: the caller of reblock_save promises storage as the map says. `seat` is the position of the map's
            // own elements in that storage.
            Ok(unsafe { Source::new(base, seat.shape.clone()) }.on(device))
        };
        seat.map(source).transpose()
    }
}

impl Loaded for FileData {
    fn destination(&mut self, plan: &Plan) -> Result<Option<Destination<'_>>, Failure> {
        let seat = plan.destination().filter(|_| !self.0.is_null());
        let destination = |seat: &Seat| {
            let base = seat.begin(self.0);
            let device = device("data", base, &seat.shape)?;
            // SAFETY: the caller of reblock_load promises storage as the map says. `seat` is the position of the map's
            // own elements in that storage.
            Ok(unsafe { Destination::new(base, seat.shape.clone()) }.on(device))
        };
        seat.map(destination).transpose()
    }
}

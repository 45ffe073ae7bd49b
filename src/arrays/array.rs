//! Arrays whose storage reblock owns. They move when their template is redistributed.

use super::Map;
use super::file::{Filed, Loaded, Saved};
use super::load::load_in_session;
use super::plan::Plan;
use super::save::save_in_session;
use super::template::{Aligned, Template};
use crate::collective::call::{CollectiveCall, agree_on, confirm_step, with_valid_settings};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::pack::{Destination, Source};
use crate::runtime::session::{KeptStorage, Session, allocate_within};
use crate::system::digest::digest;
use std::any::Any;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Minimum average bytes of an array per process for storage in shared memory of the node.
const SHARED_STORAGE_THRESHOLD: u64 = 64 << 10;

/// A distributed array with its storage.
pub struct Array {
    /// Equal on all ranks, and unique among the arrays of the communicator.
    number: i64,
    element: usize,
    state: Mutex<ArrayState>,
}

struct ArrayState {
    map: Map,
    /// `None` after [`Array::free`].
    storage: Option<KeptStorage>,
    /// Number of calls in progress that move, save or load the array.
    moving: usize,
    /// Options for filling the shadows after each move; `None`: moves do not fill shadows.
    filled: Option<FilledShadows>,
}

/// Options for filling all shadows of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct FilledShadows {
    pub periodic: Vec<bool>,
    pub corners: bool,
}

/// Lock that refuses the program access to an array's storage; dropping it unlocks the array.
pub(super) struct ArrayLock(Arc<Array>);

impl Drop for ArrayLock {
    fn drop(&mut self) {
        self.0.state().moving -= 1;
    }
}

pub(super) struct ArrayMove {
    pub array: Arc<Array>,
    pub map: Map,
    pub storage: Option<KeptStorage>,
    /// The plan that moves the values; `None` for a dead array, whose values are dropped.
    pub plan: Option<Arc<Plan>>,
    /// The plan that fills the shadows afterwards.
    pub fill: Option<Arc<Plan>>,
}

impl Array {
    /// Makes an array of zeros with elements of `element` bytes. Collective over the communicator of the map's
    /// arrangement.
    pub fn create(map: &Map, element: usize) -> Result<Arc<Self>, Failure> {
        Self::create_in_session(&map.procs().session()?, Ok((map, element)))
    }

    /// Makes an array as [`Self::create`] does; `Err` makes all ranks fail. `map` is any map of the communicator.
    pub fn of_map(map: &Map, given: Result<(&Map, usize), Failure>) -> Result<Arc<Self>, Failure> {
        Self::create_in_session(&map.procs().session()?, given)
    }

    pub(super) fn create_in_session(
        session: &Arc<Session>,
        given: Result<(&Map, usize), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let given = with_valid_settings(given)
            .and_then(|(map, element)| storage_bytes(map, element).map(|_| (map, element)));
        let value = |of: fn(&(&Map, usize)) -> i64| given.as_ref().ok().map(of);
        let values = [
            value(|(map, _)| digest(&map.map().numbers())),
            value(|(_, element)| i64::try_from(*element).unwrap_or(i64::MAX)),
        ];
        let mut call = CollectiveCall::begin(session);
        let failure = given.as_ref().err().cloned();
        call.agree(CallRecord::new(session.rank, Operation::Array, &values, failure))?;
        let number = call.number();
        drop(call);
        let (map, element) = given?;
        // If one rank has no memory for its storage, all ranks fail.
        let storage = confirm_step(session, allocate_storage(session, map, element))?;
        let state = ArrayState { map: map.clone(), storage: Some(storage), moving: 0, filled: None };
        let array = Arc::new(Self { number, element, state: Mutex::new(state) });
        if let Some(template) = map.template() {
            template.add_array(array.weak());
        }
        Ok(array)
    }

    fn state(&self) -> MutexGuard<'_, ArrayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn weak(self: &Arc<Self>) -> Weak<dyn Aligned> {
        Arc::<Self>::downgrade(self)
    }

    /// Returns the arrays that are aligned with `template`, the earliest aligned first.
    pub(super) fn aligned_with(template: &Template) -> Vec<Arc<Self>> {
        template.arrays().into_iter().filter_map(|array| array.into_any().downcast().ok()).collect()
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Returns the bytes of an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Returns whether the storage is freed.
    pub fn is_freed(&self) -> bool {
        self.state().storage.is_none()
    }

    /// Returns the current map of the array.
    pub fn map(&self) -> Map {
        self.state().map.clone()
    }

    /// Returns the address of the calling process's storage: of place 0 along each axis, counted from the start of the
    /// shadow. It is valid until the array moves or is freed. An error while a call moves, saves or loads the array,
    /// and after [`Self::free`].
    pub fn address(&self) -> Result<*mut u8, Failure> {
        self.state().usable_storage().map(|storage| storage.address())
    }

    /// Passes the calling process's storage to `read` and returns its result.
    pub fn read<R>(&self, read: impl FnOnce(&[u8]) -> R) -> Result<R, Failure> {
        let mut state = self.state();
        Ok(read(state.usable_storage()?.bytes()))
    }

    /// Passes the calling process's storage to `write`, which may change it, and returns its result.
    pub fn write<R>(&self, write: impl FnOnce(&mut [u8]) -> R) -> Result<R, Failure> {
        let mut state = self.state();
        Ok(write(state.usable_storage()?.bytes_mut()))
    }

    /// Refuses the program access to the storage until the result is dropped.
    pub(super) fn lock(self: &Arc<Self>) -> ArrayLock {
        self.state().moving += 1;
        ArrayLock(self.clone())
    }

    /// Frees the storage. Without this call, the memory of a dropped array may stay until the communicator is freed,
    /// because other ranks can read it. Collective over the communicator of the map's arrangement.
    pub fn free(&self) -> Result<(), Failure> {
        let session = self.map().procs().session()?;
        let mine = if self.is_freed() { Err(freed()) } else { Ok(()) };
        agree_on(&session, Operation::Free, &[Some(self.number)], mine)?;
        let mut state = self.state();
        let storage = state.storage.take();
        if let Some(template) = state.map.template() {
            template.remove_array(self);
        }
        drop((state, storage));
        Ok(())
    }

    /// Saves the array to a file, as [`super::save()`] does. `given` has the path and the element type; `Err` makes all
    /// ranks fail. Collective over the communicator of the map's arrangement.
    pub fn save(self: &Arc<Self>, given: Result<(&Path, Option<&str>), Failure>) -> Result<(), Failure> {
        let map = self.map();
        let filed = self.filed(&map, given);
        let _lock = self.lock();
        save_in_session(&map.procs().session()?, filed, &ArrayFile(self))
    }

    /// Loads the array from a file, as [`super::load()`] does. `given` has the path and the element type; `Err` makes
    /// all ranks fail. Collective over the communicator of the map's arrangement.
    pub fn load(self: &Arc<Self>, given: Result<(&Path, Option<&str>), Failure>) -> Result<(), Failure> {
        let map = self.map();
        let filed = self.filed(&map, given);
        let session = map.procs().session()?;
        let _lock = self.lock();
        load_in_session(&session, filed, &mut ArrayFile(self))
    }

    fn filed<'a>(
        &self,
        map: &'a Map,
        given: Result<(&'a Path, Option<&'a str>), Failure>,
    ) -> Result<Filed<'a>, Failure> {
        let (path, dtype) = given?;
        self.state().usable_storage()?;
        Ok(Filed { path, map: Some(map), element: self.element, dtype })
    }

    pub(super) fn filled(&self) -> Option<FilledShadows> {
        self.state().filled.clone()
    }

    /// Sets the options for filling shadows after each move. Errors as [`Self::address`].
    pub(super) fn set_filled(&self, filled: Option<FilledShadows>) -> Result<(), Failure> {
        let mut state = self.state();
        state.usable_storage()?;
        state.filled = filled;
        Ok(())
    }

    /// Passes the storage to `of`, unless it is freed.
    pub(super) fn with_storage<R>(&self, of: impl FnOnce(&mut KeptStorage) -> Option<R>) -> Option<R> {
        self.state().storage.as_mut().and_then(of)
    }

    pub(super) fn source(&self, plan: &Plan) -> Option<Source<'static>> {
        let seat = plan.source()?;
        self.with_storage(|storage| storage.source(seat.origin, &seat.shape))
    }

    /// Sets the map, and the new storage if there is one. Registers the array with the map's template if that has
    /// changed.
    pub(super) fn set_moved(self: &Arc<Self>, map: Map, storage: Option<KeptStorage>) {
        let mut state = self.state();
        let old = state.map.template().cloned();
        let new = map.template().cloned();
        let same = old.as_ref().map(Arc::as_ptr) == new.as_ref().map(Arc::as_ptr);
        if same && storage.is_none() {
            return;
        }
        state.map = map;
        if storage.is_some() {
            state.storage = storage;
        }
        drop(state);
        if !same {
            old.inspect(|template| template.remove_array(&**self));
            new.inspect(|template| template.add_array(self.weak()));
        }
    }
}

/// Returns the bytes of the calling process's storage. An error if they are at least 2^63, if `element` is 0, or if the
/// map has strides of the program.
pub(super) fn storage_bytes(map: &Map, element: usize) -> Result<usize, Failure> {
    if element == 0 {
        return Err(Failure::argument("the element size is 0 bytes, expected at least 1"));
    }
    if map.is_strided() {
        return Err(Failure::argument(
            "the map has strides of the program, but the library chooses the strides of its own arrays: pass a map without reblock_map_strides",
        ));
    }
    let bytes = usize::try_from(map.elements()?).ok().and_then(|elements| elements.checked_mul(element));
    let large = || {
        Failure::new(
            Code::Memory,
            format!(
                "the local array is too large: {} elements of {element} bytes",
                map.elements().unwrap_or(0)
            ),
        )
    };
    bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(large)
}

/// Allocates storage: in shared memory of the node if the average part has at least [`SHARED_STORAGE_THRESHOLD`] bytes,
/// otherwise in private memory. The average is equal on all ranks, so all make the same choice.
pub(super) fn allocate_storage(
    session: &Arc<Session>,
    map: &Map,
    element: usize,
) -> Result<KeptStorage, Failure> {
    let bytes = storage_bytes(map, element)?;
    let all = map.layout().extents().iter().fold(element as u64, |all, &extent| all.saturating_mul(extent));
    let parts = map.layout().whole_grid().size().max(1);
    let missing = || Failure::new(Code::Memory, format!("no memory for an array of {bytes} bytes"));
    allocate_within(session, bytes, all / parts >= SHARED_STORAGE_THRESHOLD)?.ok_or_else(missing)
}

impl ArrayState {
    fn usable_storage(&mut self) -> Result<&mut KeptStorage, Failure> {
        match &mut self.storage {
            Some(_) if self.moving > 0 => Err(Failure::new(
                Code::State,
                "the array is being moved: wait until that call or request is complete",
            )),
            Some(storage) => Ok(storage),
            None => Err(freed()),
        }
    }
}

impl Aligned for Array {
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(storage) = self.state().storage.take() {
            storage.keep_until_freed();
        }
    }
}

struct ArrayFile<'a>(&'a Array);

impl Saved for ArrayFile<'_> {
    fn source(&self, plan: &Plan) -> Result<Option<Source<'_>>, Failure> {
        Ok(self.0.source(plan))
    }
}

impl Loaded for ArrayFile<'_> {
    fn destination(&mut self, plan: &Plan) -> Result<Option<Destination<'_>>, Failure> {
        let (mut state, seat) = (self.0.state(), plan.destination());
        Ok(seat.and_then(|seat| state.storage.as_mut()?.destination(seat.origin, &seat.shape)))
    }
}

fn freed() -> Failure {
    Failure::new(Code::State, "the array has been freed")
}

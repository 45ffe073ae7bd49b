//! Arrays whose storage reblock owns: they move when their template is redistributed.

use super::Map;
use super::file::{Filed, Loaded, Saved};
use super::filled::FilledShadows;
use super::load::load_within;
use super::plan::Plan;
use super::save::save_within;
use crate::collective::call::{CollectiveCall, able, agreed, confirmed};
use crate::collective::facts::Facts;
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::pack::{Destination, Source};
use crate::runtime::session::{KeptStorage, Session, allocate_within};
use crate::system::digest::digest;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of an array on each of its processes from which on memory that the node shares is worth while.
const WORTH_SHARING: u64 = 64 << 10;

/// A distributed array with its storage.
pub struct Array {
    /// The same on all ranks, and no other array's of this communicator.
    number: i64,
    element: usize,
    state: Mutex<ArrayState>,
}

struct ArrayState {
    map: Map,
    /// Nothing once it is freed.
    storage: Option<KeptStorage>,
    /// How many calls it is on its way in: to another storage, or to or from a file.
    moving: usize,
    /// How its shadows are filled where it moves; nothing: they are not.
    filled: Option<FilledShadows>,
}

/// An array that is on its way, as long as this lives.
pub(super) struct Still(Arc<Array>);

impl Drop for Still {
    fn drop(&mut self) {
        self.0.state().moving -= 1;
    }
}

/// The storage that an array is about to have.
pub(super) struct ArrayMove {
    pub array: Arc<Array>,
    pub map: Map,
    /// Nothing if it stays where it is.
    pub storage: Option<KeptStorage>,
    /// How its values get there; nothing for a dead array.
    pub plan: Option<Arc<Plan>>,
    /// How its shadows are filled then.
    pub fill: Option<Arc<Plan>>,
}

impl Array {
    /// Collective over the communicator of the map's arrangement: an array of zeros, of elements of `element` bytes.
    pub fn create(map: &Map, element: usize) -> Result<Arc<Self>, Failure> {
        Self::within(&map.procs().session()?, Ok((map, element)))
    }

    /// The same with another map, or none, where the caller has found already that it cannot go on.
    pub fn of_map(map: &Map, given: Result<(&Map, usize), Failure>) -> Result<Arc<Self>, Failure> {
        Self::within(&map.procs().session()?, given)
    }

    pub(super) fn within(
        session: &Arc<Session>,
        given: Result<(&Map, usize), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let given = able(given).and_then(|(map, element)| fits(map, element).map(|_| (map, element)));
        let value = |of: fn(&(&Map, usize)) -> i64| given.as_ref().ok().map(of);
        let values = [
            value(|(map, _)| digest(&map.map().numbers())),
            value(|(_, element)| i64::try_from(*element).unwrap_or(i64::MAX)),
        ];
        let mut call = CollectiveCall::begin(session);
        let failure = given.as_ref().err().cloned();
        call.agree(Facts::new(session.rank, Operation::Array, &values, failure))?;
        let number = call.number();
        drop(call);
        let (map, element) = given?;
        // All ranks have their storage, or none.
        let storage = confirmed(session, stored(session, map, element))?;
        let state = ArrayState { map: map.clone(), storage: Some(storage), moving: 0, filled: None };
        let array = Arc::new(Self { number, element, state: Mutex::new(state) });
        if let Some(template) = map.template() {
            template.enlist(&array);
        }
        Ok(array)
    }

    fn state(&self) -> MutexGuard<'_, ArrayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Bytes of an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Whether its storage is freed.
    pub fn is_freed(&self) -> bool {
        self.state().storage.is_none()
    }

    /// Where its elements are.
    pub fn map(&self) -> Map {
        self.state().map.clone()
    }

    /// The address of the calling process's storage: of the element at place 0 of each axis, with the shadow. It is valid until
    /// the array moves or is freed; an error while it is being moved.
    pub fn address(&self) -> Result<*mut u8, Failure> {
        self.state().here().map(|storage| storage.address())
    }

    /// What `read` makes of the calling process's storage.
    pub fn read<R>(&self, read: impl FnOnce(&[u8]) -> R) -> Result<R, Failure> {
        let mut state = self.state();
        Ok(read(state.here()?.bytes()))
    }

    /// Lets `write` change the calling process's storage.
    pub fn write<R>(&self, write: impl FnOnce(&mut [u8]) -> R) -> Result<R, Failure> {
        let mut state = self.state();
        Ok(write(state.here()?.bytes_mut()))
    }

    /// From now on it cannot be read or written, until the result is dropped.
    pub(super) fn keep_still(self: &Arc<Self>) -> Still {
        self.state().moving += 1;
        Still(self.clone())
    }

    /// Collective over the communicator of its map's arrangement: frees the storage. An array that is dropped without having
    /// been freed leaves its storage to the communicator.
    pub fn free(&self) -> Result<(), Failure> {
        let session = self.map().procs().session()?;
        let mine = if self.is_freed() { Err(freed()) } else { Ok(()) };
        agreed(&session, Operation::Free, &[Some(self.number)], mine)?;
        let mut state = self.state();
        let storage = state.storage.take();
        if let Some(template) = state.map.template() {
            template.dismiss(self);
        }
        drop((state, storage));
        Ok(())
    }

    /// Collective over the communicator of its map's arrangement: writes it to a file, as [`super::save`] does.
    pub fn save(self: &Arc<Self>, given: Result<(&Path, Option<&str>), Failure>) -> Result<(), Failure> {
        let map = self.map();
        let filed = self.filed(&map, given);
        let _still = self.keep_still();
        save_within(&map.procs().session()?, filed, &Within(self))
    }

    /// Collective over the communicator of its map's arrangement: reads it from a file, as [`super::load`] does.
    pub fn load(self: &Arc<Self>, given: Result<(&Path, Option<&str>), Failure>) -> Result<(), Failure> {
        let map = self.map();
        let filed = self.filed(&map, given);
        let session = map.procs().session()?;
        let _still = self.keep_still();
        load_within(&session, filed, &mut Within(self))
    }

    fn filed<'a>(
        &self,
        map: &'a Map,
        given: Result<(&'a Path, Option<&'a str>), Failure>,
    ) -> Result<Filed<'a>, Failure> {
        let (path, dtype) = given?;
        self.state().here()?;
        Ok(Filed { path, map: Some(map), element: self.element, dtype })
    }

    /// How its shadows are filled where it moves.
    pub(super) fn filled(&self) -> Option<FilledShadows> {
        self.state().filled.clone()
    }

    /// From now on they are filled so.
    pub(super) fn set_filled(&self, filled: Option<FilledShadows>) -> Result<(), Failure> {
        let mut state = self.state();
        state.here()?;
        state.filled = filled;
        Ok(())
    }

    /// What `of` makes of the storage, if it is not freed.
    pub(super) fn with_storage<R>(&self, of: impl FnOnce(&mut KeptStorage) -> Option<R>) -> Option<R> {
        self.state().storage.as_mut().and_then(of)
    }

    /// This process's array to read by `plan`.
    pub(super) fn source(&self, plan: &Plan) -> Option<Source<'static>> {
        let seat = plan.source()?;
        self.with_storage(|storage| storage.source(seat.origin, &seat.shape))
    }

    /// From now on it has another map, and storage unless it stays where it is; then it may yet be aligned with another template.
    pub(super) fn become_moved(self: &Arc<Self>, map: Map, storage: Option<KeptStorage>) {
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
            old.inspect(|template| template.dismiss(self));
            new.inspect(|template| template.enlist(self));
        }
    }
}

/// Bytes of the calling process's storage, if it can have them.
pub(super) fn fits(map: &Map, element: usize) -> Result<usize, Failure> {
    if element == 0 {
        return Err(Failure::argument("elements of 0 bytes, expected at least 1"));
    }
    if map.is_strided() {
        return Err(Failure::argument("the map has strides of the caller's, but the storage is reblock's"));
    }
    let bytes = usize::try_from(map.elements()?).ok().and_then(|elements| elements.checked_mul(element));
    let large = || {
        Failure::new(
            Code::Memory,
            format!("a local array of {} elements of {element} bytes", map.elements().unwrap_or(0)),
        )
    };
    bytes.filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(large)
}

/// Storage for an array: in memory of the node where that is worth while, which the whole map tells and all ranks alike.
pub(super) fn stored(session: &Arc<Session>, map: &Map, element: usize) -> Result<KeptStorage, Failure> {
    let bytes = fits(map, element)?;
    let all = map.layout().extents().iter().fold(element as u64, |all, &extent| all.saturating_mul(extent));
    let parts = map.layout().whole_grid().size().max(1);
    let missing = || Failure::new(Code::Memory, format!("no memory for an array of {bytes} bytes"));
    allocate_within(session, bytes, all / parts >= WORTH_SHARING)?.ok_or_else(missing)
}

impl ArrayState {
    /// The storage, if the program may use it now.
    fn here(&mut self) -> Result<&mut KeptStorage, Failure> {
        match &mut self.storage {
            Some(_) if self.moving > 0 => Err(Failure::new(Code::State, "the array is being moved")),
            Some(storage) => Ok(storage),
            None => Err(freed()),
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(storage) = self.state().storage.take() {
            storage.leave();
        }
    }
}

/// An array that is saved or loaded.
struct Within<'a>(&'a Array);

impl Saved for Within<'_> {
    fn source(&self, plan: &Plan) -> Result<Option<Source<'_>>, Failure> {
        Ok(self.0.source(plan))
    }
}

impl Loaded for Within<'_> {
    fn destination(&mut self, plan: &Plan) -> Result<Option<Destination<'_>>, Failure> {
        let (mut state, seat) = (self.0.state(), plan.destination());
        Ok(seat.and_then(|seat| state.storage.as_mut()?.destination(seat.origin, &seat.shape)))
    }
}

fn freed() -> Failure {
    Failure::new(Code::State, "the array is freed")
}

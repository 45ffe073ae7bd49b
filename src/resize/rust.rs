//! Vectors of Rust programs in a job, which the job replaces at resize points.

use super::variables::{Allocation, ArrayVariables, ValueVariable};
use super::{Begin, Job, Options, Policy, Span, Spawn};
use crate::arrays::{Map, Seat};
use crate::collective::failure::{Code, Failure};
use crate::mpi::Comm;
use crate::mpi::blacs::Int;
use crate::pack::{Destination, Element, Loan, Source, bytes_of, elements_of, elements_to_read};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Storage of a rank's part of an array.
pub struct Storage {
    words: Loan<u128>,
    bytes: usize,
}

/// An array of elements `T` that moves with a job.
pub struct Array<T> {
    number: usize,
    shared: Arc<Mutex<SharedArray>>,
    elements: PhantomData<T>,
}

/// A value that is equal on all ranks of a job.
pub struct Copied<T>(Arc<Mutex<T>>);

/// State of an array that the program and the job share.
#[derive(Default)]
struct SharedArray {
    /// `None` if the rank has no part.
    storage: Option<Storage>,
    descriptor: Option<[Int; 9]>,
}

/// Locks; ignores poisoning, because a panic of the program leaves the elements valid.
fn lock<T>(shared: &Arc<Mutex<T>>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Storage {
    fn new(bytes: usize) -> Option<Self> {
        let mut words = Vec::new();
        words.try_reserve_exact(bytes.div_ceil(size_of::<u128>())).ok()?;
        words.resize(bytes.div_ceil(size_of::<u128>()), 0);
        Some(Self { words: Loan::new(words), bytes })
    }

    fn from_slice<T: Element>(values: &[T]) -> Option<Self> {
        let mut storage = Self::new(size_of_val(values))?;
        storage.elements()?.copy_from_slice(values);
        Some(storage)
    }

    fn elements<T: Element>(&mut self) -> Option<&mut [T]> {
        let count = self.bytes.checked_div(size_of::<T>()).unwrap_or(0);
        elements_of(self.words.elements()?).get_mut(..count)
    }

    fn readable_elements<T: Element>(&mut self) -> Option<&[T]> {
        let count = self.bytes.checked_div(size_of::<T>()).unwrap_or(0);
        elements_to_read(self.words.readable_elements()?).get(..count)
    }
}

impl Allocation for Storage {
    fn destination(&mut self, seat: &Seat) -> Option<Destination<'static>> {
        self.words.destination(seat.first(), &seat.shape)
    }

    fn clear(&mut self) {
        self.words.elements().into_iter().for_each(|words| words.fill(0));
    }
}

struct RustArray(Arc<Mutex<SharedArray>>);

impl ArrayVariables<Storage> for RustArray {
    fn descriptor(&self) -> Option<[Int; 9]> {
        lock(&self.0).descriptor
    }

    fn source(&self, seat: &Seat) -> Option<Source<'static>> {
        lock(&self.0).storage.as_mut()?.words.source(seat.first(), &seat.shape)
    }

    fn initialize(&mut self, memory: Option<Storage>, descriptor: Option<[Int; 9]>) {
        self.replace(memory, descriptor);
    }

    fn replace(&mut self, memory: Option<Storage>, descriptor: Option<[Int; 9]>) {
        let mut array = lock(&self.0);
        array.storage = memory;
        array.descriptor = descriptor.or(array.descriptor);
    }

    fn has_storage(&self) -> bool {
        lock(&self.0).storage.is_some()
    }

    fn room(&self) -> Option<u64> {
        lock(&self.0).storage.as_ref().map(|storage| storage.bytes as u64)
    }

    /// Returns no memory of the program: the storage belongs to the job.
    fn spans(&self, _: u64) -> Vec<Span> {
        Vec::new()
    }
}

impl<T: Element> Array<T> {
    /// Returns the number of the array among the registered items, for [`Job::map`].
    pub fn number(&self) -> usize {
        self.number
    }

    /// Passes the calling process's local array to `body`, and returns its result. The slice is the whole storage,
    /// empty if the process has no part. `body` must neither use this array nor call the job: both would deadlock.
    ///
    /// # Panics
    /// If the array is constant ([`Job::set_constant`]) and is moving: use [`Self::read`].
    pub fn with<R>(&self, body: impl FnOnce(&mut [T]) -> R) -> R {
        let mut array = lock(&self.shared);
        let elements =
            |storage| Storage::elements(storage).expect("a constant array is only read while it moves");
        body(array.storage.as_mut().map(elements).unwrap_or_default())
    }

    /// Passes the local array to `body` for reading, also while the array is moving; see [`Self::with`].
    pub fn read<R>(&self, body: impl FnOnce(&[T]) -> R) -> R {
        let mut array = lock(&self.shared);
        body(array.storage.as_mut().and_then(Storage::readable_elements).unwrap_or_default())
    }

    /// Returns the current descriptor, if the array is a matrix.
    pub fn descriptor(&self) -> Option<[Int; 9]> {
        lock(&self.shared).descriptor
    }
}

impl<T: Element> Copied<T> {
    /// Returns the current value on this rank.
    pub fn get(&self) -> T {
        *lock(&self.0)
    }

    /// Sets the value. All ranks must set the same value.
    pub fn set(&self, value: T) {
        *lock(&self.0) = value;
    }
}

struct RustValue<T>(Arc<Mutex<T>>);

impl<T: Element> ValueVariable for RustValue<T> {
    fn read(&self) -> Vec<u8> {
        bytes_of(&[*lock(&self.0)]).to_vec()
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut words = vec![0u128; bytes.len().div_ceil(size_of::<u128>())];
        elements_of(&mut words)[..bytes.len()].copy_from_slice(bytes);
        if let [value, ..] = elements_of::<T>(&mut words) {
            *lock(&self.0) = *value;
        }
    }

    fn span(&self) -> Option<Span> {
        None
    }
}

impl Job<Storage> {
    /// Makes a job of the ranks of `host`, in most programs [`Comm::world`], or joins the job that started this
    /// process: see [`Job::begin`], also for [`Code::Cancelled`](crate::arrays::Code::Cancelled). New processes run
    /// this program with its arguments. Collective over `host`.
    pub fn start(host: &Comm, options: Options, policy: Box<dyn Policy>) -> Result<Self, Failure> {
        let given = Spawn::new(None).map(|supply| Begin {
            options,
            supply: Box::new(supply),
            allocate: Box::new(Storage::new),
            policy,
        });
        Self::begin(host, given)
    }

    /// Registers an array with its map. `local` is the calling process's local array, empty if it has no part. In a
    /// process that has joined, arrays that the other ranks registered before already have their contents: `map` and
    /// `local` are ignored.
    pub fn add_array<T: Element>(&mut self, map: Option<&Map>, local: &[T]) -> Result<Array<T>, Failure> {
        if let Some(map) = map.filter(|_| !self.has_received_next()) {
            let wanted = if map.has_part() { map.elements()? } else { 0 };
            if wanted != local.len() as u64 {
                return Err(Failure::argument(format!(
                    "the local array has {} elements, expected {wanted}, as in the map",
                    local.len()
                )));
            }
        }
        let shared = self.shared_array(local, None)?;
        let number = self.register_array(map, size_of::<T>(), Box::new(RustArray(shared.clone())))?;
        Ok(Array { number, shared, elements: PhantomData })
    }

    /// Registers a ScaLAPACK matrix with its descriptor, whose context is [`Job::blacs`]. `local` has LLD_ x LOCc
    /// elements, or is empty for a matrix of zeros.
    pub fn add_matrix<T: Element>(&mut self, descriptor: [Int; 9], local: &[T]) -> Result<Array<T>, Failure> {
        let shared = self.shared_array(local, Some(descriptor))?;
        let number = self.register_matrix(size_of::<T>(), Box::new(RustArray(shared.clone())))?;
        Ok(Array { number, shared, elements: PhantomData })
    }

    /// Registers a value that is equal on all ranks. Ranks that join receive the value of rank 0.
    pub fn add_value<T: Element>(&mut self, value: T) -> Result<Copied<T>, Failure> {
        let shared = Arc::new(Mutex::new(value));
        self.register_value(size_of::<T>(), Box::new(RustValue(shared.clone())))?;
        Ok(Copied(shared))
    }

    fn shared_array<T: Element>(
        &self,
        local: &[T],
        descriptor: Option<[Int; 9]>,
    ) -> Result<Arc<Mutex<SharedArray>>, Failure> {
        if self.has_received_next() || local.is_empty() {
            return Ok(Arc::new(Mutex::new(SharedArray { storage: None, descriptor })));
        }
        let missing = || Failure::new(Code::Memory, "no memory for an array that moves with the job");
        let storage = Some(Storage::from_slice(local).ok_or_else(missing)?);
        Ok(Arc::new(Mutex::new(SharedArray { storage, descriptor })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::strides::Shape;

    #[test]
    fn vectors_that_do_not_fit_are_refused() {
        let seat = |count: u64| Seat { shape: Shape::dense(8, &[count]), origin: 0, reach: (0, 8 * count) };
        let mut storage = Storage::from_slice(&[1.0, 2.0, 3.0f64]).unwrap();
        assert!(storage.destination(&seat(3)).is_some() && storage.destination(&seat(5)).is_none());
        assert_eq!(storage.elements::<f64>(), Some(&mut [1.0, 2.0, 3.0][..]));
        let shared = Arc::new(Mutex::new(SharedArray { storage: Some(storage), descriptor: None }));
        let mut variables = RustArray(shared.clone());
        assert!(variables.source(&seat(3)).is_some() && variables.source(&seat(5)).is_none());
        variables.replace(None, None);
        let array = Array::<f64> { number: 0, shared, elements: PhantomData };
        assert_eq!(array.with(|local| local.len()), 0);
    }

    #[test]
    fn values_are_read_and_written() {
        let shared = Arc::new(Mutex::new([1i32, 2, 3]));
        let mut variable = RustValue(shared.clone());
        let bytes = variable.read();
        *lock(&shared) = [7, 8, 9];
        variable.write(&bytes);
        assert_eq!(Copied(shared).get(), [1, 2, 3]);
    }
}

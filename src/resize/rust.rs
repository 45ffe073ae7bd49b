//! HOW do vectors of Rust programs move with a job? The job and the program share them: at resize points the job replaces what is in
//! them, and between those the program reads and writes it. All of it is safe: lengths are checked.

use super::home::{Allocation, Home, ValueHome};
use super::{Begin, Job, Options, Policy, Span, Spawn};
use crate::arrays::{Map, Seat};
use crate::collective::failure::{Code, Failure};
use crate::mpi::Comm;
use crate::mpi::blacs::Int;
use crate::pack::{Destination, Element, Loan, Source, bytes_of, elements_of, elements_seen};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Storage of a rank's part of an array.
pub struct Storage {
    words: Loan<u128>,
    bytes: usize,
}

/// An array that moves with a job, of elements `T`.
pub struct Array<T> {
    number: usize,
    shared: Arc<Mutex<SharedArray>>,
    elements: PhantomData<T>,
}

/// A value that all ranks of a job have alike.
pub struct Copied<T>(Arc<Mutex<T>>);

/// What the program and the job share of an array.
#[derive(Default)]
struct SharedArray {
    /// None where the rank has no part.
    storage: Option<Storage>,
    /// Of a matrix.
    descriptor: Option<[Int; 9]>,
}

/// A panic of the program's while it has the lock leaves elements as they are.
fn lock<T>(shared: &Arc<Mutex<T>>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Storage {
    /// Zeros.
    fn new(bytes: usize) -> Option<Self> {
        let mut words = Vec::new();
        words.try_reserve_exact(bytes.div_ceil(size_of::<u128>())).ok()?;
        words.resize(bytes.div_ceil(size_of::<u128>()), 0);
        Some(Self { words: Loan::new(words), bytes })
    }

    fn of<T: Element>(values: &[T]) -> Option<Self> {
        let mut storage = Self::new(size_of_val(values))?;
        storage.elements()?.copy_from_slice(values);
        Some(storage)
    }

    fn elements<T: Element>(&mut self) -> Option<&mut [T]> {
        let count = self.bytes.checked_div(size_of::<T>()).unwrap_or(0);
        elements_of(self.words.elements()?).get_mut(..count)
    }

    fn seen<T: Element>(&mut self) -> Option<&[T]> {
        let count = self.bytes.checked_div(size_of::<T>()).unwrap_or(0);
        elements_seen(self.words.seen()?).get(..count)
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

/// What the job has of an array.
struct ArrayHome(Arc<Mutex<SharedArray>>);

impl Home<Storage> for ArrayHome {
    fn descriptor(&self) -> Option<[Int; 9]> {
        lock(&self.0).descriptor
    }

    fn source(&self, seat: &Seat) -> Option<Source<'static>> {
        lock(&self.0).storage.as_mut()?.words.source(seat.first(), &seat.shape)
    }

    fn settle(&mut self, memory: Option<Storage>, descriptor: Option<[Int; 9]>) {
        self.put(memory, descriptor);
    }

    fn put(&mut self, memory: Option<Storage>, descriptor: Option<[Int; 9]>) {
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

    /// It is the job's own, and no other's.
    fn spans(&self, _: u64) -> Vec<Span> {
        Vec::new()
    }
}

impl<T: Element> Array<T> {
    /// Its number among what is registered, as [`Job::map`] takes it.
    pub fn number(&self) -> usize {
        self.number
    }

    /// What `body` makes of the calling process's local array, from the first byte of its storage on; empty where it has no
    /// part. `body` must not use this array again nor call the job: it would wait for itself.
    ///
    /// # Panics
    /// If the array is constant ([`Job::set_constant`]) and on its way: then it can only be read.
    pub fn with<R>(&self, body: impl FnOnce(&mut [T]) -> R) -> R {
        let mut array = lock(&self.shared);
        let elements =
            |storage| Storage::elements(storage).expect("a constant array is only read while it moves");
        body(array.storage.as_mut().map(elements).unwrap_or_default())
    }

    /// The same of what `body` only reads, also while the array is on its way.
    pub fn read<R>(&self, body: impl FnOnce(&[T]) -> R) -> R {
        let mut array = lock(&self.shared);
        body(array.storage.as_mut().and_then(Storage::seen).unwrap_or_default())
    }

    /// The descriptor as it is now, if it is a matrix.
    pub fn descriptor(&self) -> Option<[Int; 9]> {
        lock(&self.shared).descriptor
    }
}

impl<T: Element> Copied<T> {
    /// The value.
    pub fn get(&self) -> T {
        *lock(&self.0)
    }

    /// Changes it; all ranks do the same.
    pub fn set(&self, value: T) {
        *lock(&self.0) = value;
    }
}

/// What the job has of a value.
struct CopiedHome<T>(Arc<Mutex<T>>);

impl<T: Element> ValueHome for CopiedHome<T> {
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
    /// Collective over `host`, in most programs [`Comm::world`]: a job of its ranks; in a process that a job has started, where it
    /// joins that: [`Job::begin`]. New processes run this program with its arguments.
    pub fn start(host: &Comm, options: Options, policy: Box<dyn Policy>) -> Result<Self, Failure> {
        let given = Spawn::new(None).map(|supply| Begin {
            options,
            supply: Box::new(supply),
            allocate: Box::new(Storage::new),
            policy,
        });
        Self::begin(host, given)
    }

    /// From now on an array moves with the job: its map, and the calling process's local array, empty where it has no part. In
    /// a process that has joined, what the others had registered by then is there already, and what is given is not looked at.
    pub fn add_array<T: Element>(&mut self, map: Option<&Map>, local: &[T]) -> Result<Array<T>, Failure> {
        if let Some(map) = map.filter(|_| !self.is_told()) {
            let wanted = if map.has_part() { map.elements()? } else { 0 };
            if wanted != local.len() as u64 {
                return Err(Failure::argument(format!(
                    "a local array of {} elements, expected the {wanted} of the map",
                    local.len()
                )));
            }
        }
        let shared = self.shared_array(local, None)?;
        let number = self.register_array(map, size_of::<T>(), Box::new(ArrayHome(shared.clone())))?;
        Ok(Array { number, shared, elements: PhantomData })
    }

    /// The same of a matrix of ScaLAPACK, with its descriptor, whose context is that of [`Job::blacs`]. The local array has
    /// LLD_ x LOCc elements, or none: then they are zeros.
    pub fn add_matrix<T: Element>(&mut self, descriptor: [Int; 9], local: &[T]) -> Result<Array<T>, Failure> {
        let shared = self.shared_array(local, Some(descriptor))?;
        let number = self.register_matrix(size_of::<T>(), Box::new(ArrayHome(shared.clone())))?;
        Ok(Array { number, shared, elements: PhantomData })
    }

    /// The same of a value that all ranks have alike; of ranks that come later, that of rank 0.
    pub fn add_value<T: Element>(&mut self, value: T) -> Result<Copied<T>, Failure> {
        let shared = Arc::new(Mutex::new(value));
        self.register_value(size_of::<T>(), Box::new(CopiedHome(shared.clone())))?;
        Ok(Copied(shared))
    }

    fn shared_array<T: Element>(
        &self,
        local: &[T],
        descriptor: Option<[Int; 9]>,
    ) -> Result<Arc<Mutex<SharedArray>>, Failure> {
        if self.is_told() || local.is_empty() {
            return Ok(Arc::new(Mutex::new(SharedArray { storage: None, descriptor })));
        }
        let missing = || Failure::new(Code::Memory, "no memory for an array that moves with the job");
        let storage = Some(Storage::of(local).ok_or_else(missing)?);
        Ok(Arc::new(Mutex::new(SharedArray { storage, descriptor })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::strides::Shape;

    #[test]
    fn what_does_not_fit_is_refused() {
        let seat = |count: u64| Seat { shape: Shape::dense(8, &[count]), origin: 0, reach: (0, 8 * count) };
        let mut storage = Storage::of(&[1.0, 2.0, 3.0f64]).unwrap();
        assert!(storage.destination(&seat(3)).is_some() && storage.destination(&seat(5)).is_none());
        assert_eq!(storage.elements::<f64>(), Some(&mut [1.0, 2.0, 3.0][..]));
        let shared = Arc::new(Mutex::new(SharedArray { storage: Some(storage), descriptor: None }));
        let mut home = ArrayHome(shared.clone());
        assert!(home.source(&seat(3)).is_some() && home.source(&seat(5)).is_none());
        home.put(None, None);
        let array = Array::<f64> { number: 0, shared, elements: PhantomData };
        assert_eq!(array.with(|local| local.len()), 0);
    }

    #[test]
    fn values_are_read_and_written() {
        let shared = Arc::new(Mutex::new([1i32, 2, 3]));
        let mut home = CopiedHome(shared.clone());
        let bytes = home.read();
        *lock(&shared) = [7, 8, 9];
        home.write(&bytes);
        assert_eq!(Copied(shared).get(), [1, 2, 3]);
    }
}

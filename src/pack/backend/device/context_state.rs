//! State that copies keep for a context of the driver: a stream, buffers and kernels. A kernel is loaded at its first
//! use: loading all of them takes 0.9 s (docs/research/gpu.md).

use super::program::ProgramWork;
use super::tables::{BLOCK, FamilyRow, LevelRow, MessageRow, Tables};
use crate::pack::backend::MessageMemory;
use crate::pack::update::{Combine, Number, Update};
use crate::system::cuda::{Context, DeviceBuffer, Driver, DriverError, Event, Module, Stream};
use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// PTX of all kernels, made by `build/ptx`.
const KERNELS: &str = include_str!("kernels.ptx");
/// Minimum bytes of a buffer in a device's memory.
const MIN_BUFFER: usize = 1 << 16;

pub struct ContextState {
    driver: &'static Driver,
    context: Context,
    stream: Stream<'static>,
    /// Unused events, for later calls.
    events: Vec<Event<'static>>,
    tables: DeviceBuffer<'static>,
    /// Tables of the last launch, which the stream copies to the device.
    image: Vec<u8>,
    staging: Option<DeviceBuffer<'static>>,
    /// Memory for messages; free if there is no second owner. At most as many as were in use at a time.
    messages: Vec<MessageMemory>,
    kernels: Vec<(&'static str, Module<'static>)>,
}

/// `struct job` of the kernels.
#[repr(C)]
struct Job {
    messages: u64,
    levels: u64,
    families: u64,
    count: u32,
    tiles: u32,
    lanes: u32,
    columns: u32,
    interleaved: u32,
    most_tiles: u32,
    first_block: u32,
    unused: u32,
    shift: [i64; 2],
}

/// `struct update` of the kernels.
#[repr(C)]
struct UpdateArgument {
    alpha: [u8; 16],
    beta: [u8; 16],
    combine: u32,
    conjugates: u32,
    reads: u32,
    keeps: u32,
    scales: u32,
    scales_old: u32,
    aligned: u32,
    unused: u32,
}

impl UpdateArgument {
    fn new(update: &Update, aligned: bool) -> Self {
        let number = update.number();
        Self {
            alpha: *update.alpha().bytes(),
            beta: *update.beta().bytes(),
            combine: match update.combine() {
                Combine::Add => 0,
                Combine::Minimum => 1,
                Combine::Maximum => 2,
                Combine::And => 3,
                Combine::Or => 4,
            },
            conjugates: update.conjugates().into(),
            reads: (!update.ignores_source()).into(),
            keeps: (!update.ignores_target()).into(),
            scales: (!update.alpha().is_one(number)).into(),
            scales_old: (!update.beta().is_one(number)).into(),
            aligned: aligned.into(),
            unused: 0,
        }
    }
}

fn states() -> MutexGuard<'static, Vec<(Context, Arc<Mutex<ContextState>>)>> {
    static STATES: Mutex<Vec<(Context, Arc<Mutex<ContextState>>)>> = Mutex::new(Vec::new());
    STATES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the state of `context`; creates it at the first use.
pub fn state_of(driver: &'static Driver, context: Context) -> Result<Arc<Mutex<ContextState>>, DriverError> {
    let kept = || states().iter().find(|(known, _)| *known == context).map(|(_, state)| state.clone());
    if let Some(state) = kept() {
        // The program may have reset the device since the last call.
        let exists = state.lock().unwrap_or_else(PoisonError::into_inner).tables.exists();
        if exists != Some(false) {
            return Ok(state);
        }
        discard(driver, context);
    }
    // A primary context that fails, for instance after a reset, is retained again next time.
    let state = ContextState::new(driver, context).inspect_err(|_| driver.forget(context))?;
    let state = Arc::new(Mutex::new(state));
    states().push((context, state.clone()));
    Ok(state)
}

/// Removes the state of a context that has failed, or that the program has destroyed.
fn discard(driver: &'static Driver, context: Context) {
    driver.forget(context);
    let mut all = states();
    let Some(at) = all.iter().position(|(known, _)| *known == context) else { return };
    let (_, state) = all.swap_remove(at);
    drop(all);
    let exists = state.lock().unwrap_or_else(PoisonError::into_inner).tables.exists();
    if exists != Some(true) {
        // The driver has already freed these objects, and may have reused their handles.
        std::mem::forget(state);
    }
}

/// Calls `body` with the state of `context`, which is this thread's current context meanwhile. The work that `body`
/// starts comes after the program's `work` on the arrays. Returns, or panics if `body` does, when the device has
/// completed all work. Drops the state if anything fails. Copies of several threads in one context run one after
/// another.
pub fn with_state(
    driver: &'static Driver,
    context: Context,
    work: &[&ProgramWork],
    body: impl FnOnce(&mut ContextState) -> Result<(), DriverError>,
) -> Result<(), DriverError> {
    let shared = state_of(driver, context)?;
    let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
    let done = driver.enter(context).and_then(|_entered| {
        let begun = work.iter().try_for_each(|work| work.precede(&state.stream));
        let done = catch_unwind(AssertUnwindSafe(|| begun.and_then(|()| body(&mut state))));
        // After a failure or a panic, too: started work may still use the caller's memory.
        let ended = state.stream.synchronize();
        done.unwrap_or_else(|panic| resume_unwind(panic)).and(ended)
    });
    if done.is_err() {
        drop(state);
        discard(driver, context);
    } else {
        let events = work.iter().filter_map(|work| work.take());
        state.events.extend(events.filter(|event| event.context() == context));
    }
    done
}

impl ContextState {
    fn new(driver: &'static Driver, context: Context) -> Result<Self, DriverError> {
        let (stream, events) = (driver.stream(context)?, Vec::new());
        let tables = driver.allocate(context, MIN_BUFFER)?;
        let (image, staging, messages, kernels) = (Vec::new(), None, Vec::new(), Vec::new());
        let mut state = Self { driver, context, stream, events, tables, image, staging, messages, kernels };
        // Fails if the device or the driver is too old for the kernels.
        state.load("copy_8")?;
        Ok(state)
    }

    /// Returns the index of a kernel in `kernels`; loads it at its first use.
    fn load(&mut self, name: &'static str) -> Result<usize, DriverError> {
        if let Some(at) = self.kernels.iter().position(|(known, _)| *known == name) {
            return Ok(at);
        }
        self.kernels.push((name, self.driver.module(self.context, &module_text(name))?));
        Ok(self.kernels.len() - 1)
    }

    /// Takes an unused event, if there is one and `context` is this one.
    pub fn take_unused_event(&mut self, context: Context) -> Option<Event<'static>> {
        if context == self.context { self.events.pop() } else { None }
    }

    /// Returns memory for a message of `bytes` bytes that nobody uses; `None` if the device has none.
    pub fn message_memory(&mut self, bytes: usize) -> Option<MessageMemory> {
        let mut idle = None;
        for (k, memory) in self.messages.iter_mut().enumerate() {
            if Arc::get_mut(memory).is_some() {
                if memory.bytes() >= bytes {
                    return Some(memory.clone());
                }
                idle = Some(k);
            }
        }
        // One that is too small makes room.
        idle.map(|small| self.messages.swap_remove(small));
        let memory = Arc::new(self.driver.allocate(self.context, buffer_size(bytes)).ok()?);
        self.messages.push(memory.clone());
        Some(memory)
    }

    /// Returns the address of a buffer of at least `bytes` bytes for a message in the device's memory.
    pub fn staging(&mut self, bytes: usize) -> Result<usize, DriverError> {
        grow(&mut self.staging, (self.driver, self.context), bytes).map(address)
    }

    /// Starts to copy `input` to the address `to` in the buffer of [`Self::staging`].
    ///
    /// # Safety
    /// The buffer has room. `input` stays until `with_state` returns or panics.
    pub unsafe fn stage(&self, to: usize, input: &[u8]) -> Result<(), DriverError> {
        // SAFETY: only the stream uses the buffer; the rest is this fn's contract.
        unsafe { self.driver.copy_to_device(to as u64, input.as_ptr(), input.len(), &self.stream) }
    }

    /// Starts to copy the bytes at the address `from` in the buffer of [`Self::staging`] to `out`.
    ///
    /// # Safety
    /// As for [`Self::stage`].
    pub unsafe fn unstage(&self, from: usize, out: &mut [u8]) -> Result<(), DriverError> {
        // SAFETY: as in `stage`.
        unsafe { self.driver.copy_to_host(out.as_mut_ptr(), from as u64, out.len(), &self.stream) }
    }

    /// Starts the kernels for the copies or updates that `all` describes. Called at most once in a call of
    /// `with_state`, which waits until they are done.
    ///
    /// # Safety
    /// All elements of `all` lie in memory that the context can access. Nobody uses the written elements until
    /// `with_state` returns.
    pub unsafe fn launch(&mut self, all: &[Tables], update: Option<&Update>) -> Result<(), DriverError> {
        self.image.clear();
        let mut places = Vec::new();
        for Tables { messages, levels, families, .. } in all {
            let parts = [bytes_of(messages), bytes_of(levels), bytes_of(families)];
            places.push(parts.map(|part| {
                let at = self.image.len() as u64;
                self.image.extend_from_slice(part);
                at
            }));
        }
        let image = &self.image;
        if self.tables.bytes() < image.len() {
            self.tables = self.driver.allocate(self.context, buffer_size(image.len()))?;
        }
        let to = self.tables.address();
        // SAFETY: the buffer has room, and only the stream uses it; the image lives until the stream has ended.
        unsafe { self.driver.copy_to_device(to, image.as_ptr(), image.len(), &self.stream)? };
        for (tables, places) in all.iter().zip(places) {
            self.start(tables, places.map(|at| to + at), update)?;
        }
        Ok(())
    }

    /// Starts the kernel for `tables`, whose messages, levels and families are at these addresses.
    fn start(
        &mut self,
        tables: &Tables,
        [messages, levels, families]: [u64; 3],
        update: Option<&Update>,
    ) -> Result<(), DriverError> {
        let name = kernel(tables, update);
        let c_name = CString::new(name).expect("a name without 0");
        let kernel = self.load(name)?;
        let function = self.kernels[kernel].1.function(&c_name)?;
        let [lanes, columns] = tables.tile;
        for (range, blocks) in &tables.launches {
            let mut job = Job {
                messages: messages + (range.start * size_of::<MessageRow>()) as u64,
                levels,
                families,
                count: u32::try_from(range.len()).expect("fewer messages than runs in memory"),
                tiles: *blocks,
                lanes,
                columns,
                interleaved: 0,
                most_tiles: 0,
                first_block: 0,
                unused: 0,
                shift: [0; 2],
            };
            let mut change = update.map(|update| UpdateArgument::new(update, tables.aligned));
            let job: *mut c_void = (&raw mut job).cast();
            let change = change.as_mut().map(|change| std::ptr::from_mut(change).cast::<c_void>());
            let mut arguments: Vec<*mut c_void> = std::iter::once(job).chain(change).collect();
            // SAFETY: the arguments have the types that the kernels declare. The stream copies the tables before it
            // starts the kernel. The rest is the contract of `launch`.
            unsafe { self.driver.launch(function, [*blocks, BLOCK, 0], &self.stream, &mut arguments)? };
        }
        Ok(())
    }
}

/// Returns the buffer, replaced by a larger one if it has fewer than `bytes` bytes. No work of the stream may use the
/// old one.
fn grow<'b>(
    buffer: &'b mut Option<DeviceBuffer<'static>>,
    (driver, context): (&'static Driver, Context),
    bytes: usize,
) -> Result<&'b DeviceBuffer<'static>, DriverError> {
    if buffer.as_ref().is_none_or(|buffer| buffer.bytes() < bytes) {
        // Frees the old one first: the device may lack memory for both.
        *buffer = None;
        *buffer = Some(driver.allocate(context, buffer_size(bytes))?);
    }
    Ok(buffer.as_ref().expect("just allocated"))
}

/// Returns the size of a buffer for `bytes` bytes.
fn buffer_size(bytes: usize) -> usize {
    bytes.max(MIN_BUFFER).next_power_of_two()
}

fn address(buffer: &DeviceBuffer<'_>) -> usize {
    usize::try_from(buffer.address()).expect("addresses have 64 bits")
}

/// A row of the tables: it has no padding, so all of its bytes are initialized.
trait TableRow: Copy {}
impl TableRow for MessageRow {}
impl TableRow for LevelRow {}
impl TableRow for FamilyRow {}

fn bytes_of<T: TableRow>(rows: &[T]) -> &[u8] {
    // SAFETY: the rows are borrowed, and have no padding.
    unsafe { std::slice::from_raw_parts(rows.as_ptr().cast(), size_of_val(rows)) }
}

/// Returns the module of one kernel, as PTX.
fn module_text(name: &str) -> CString {
    let head = format!("// kernel {name}\n");
    let from = KERNELS.find(&head).expect("the PTX has all kernels") + head.len();
    let text = KERNELS[from..].split("// kernel ").next().unwrap_or_default();
    CString::new(text).expect("PTX without 0")
}

/// Returns the name of the kernel for a copy.
fn kernel(tables: &Tables, update: Option<&Update>) -> &'static str {
    let names = match (update.map(Update::number), tables.unit) {
        (None, 1) => ["copy_1", "turn_1"],
        (None, 2) => ["copy_2", "turn_2"],
        (None, 4) => ["copy_4", "turn_4"],
        (None, 8) => ["copy_8", "turn_8"],
        (None, _) => ["copy_16", "turn_16"],
        (Some(Number::Int32), _) => ["add_i", "turn_add_i"],
        (Some(Number::Int64), _) => ["add_l", "turn_add_l"],
        (Some(Number::Float), _) => ["add_s", "turn_add_s"],
        (Some(Number::Double), _) => ["add_d", "turn_add_d"],
        (Some(Number::Complex), _) => ["add_c", "turn_add_c"],
        (Some(Number::DoubleComplex), _) => ["add_z", "turn_add_z"],
    };
    names[usize::from(tables.is_transposed)]
}

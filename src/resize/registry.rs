//! Registered data: ScaLAPACK matrices, mapped arrays, and values that are equal on all ranks.

use super::spans::{Purpose, Span};
use super::variables::{Allocate, Allocation, ArrayVariables, Formats, ValueVariable};
use crate::arrays::{Map, Procs, Template, matrix_template};
use crate::collective::failure::{Code, Failure};
use crate::layout::distribution::nearly_cubic;
use crate::layout::mapping;
use crate::layout::mapping::{Arrangement, Format, Mistake, TemplateAxis};
use crate::mpi::blacs::{Int, wide};
use crate::runtime::session::Session;
use crate::scalapack::Descriptor;
use crate::system::digest::digest;
use std::sync::Arc;

/// An item that a program has registered.
pub enum Registered<M> {
    /// An array, distributed over the ranks.
    Array(Box<DealtArray<M>>),
    /// A value that is equal on all ranks.
    Value(Value),
}

/// A distributed array as seen by one rank.
pub struct DealtArray<M> {
    /// Bytes of an element of the array.
    pub element: usize,
    /// Descriptor of a ScaLAPACK matrix, without type and context. Ranks may differ in the leading dimension.
    pub matrix: Option<Descriptor>,
    /// Map of the array; `None` in a process that has just joined, and on a parked rank.
    pub map: Option<Map>,
    /// Formats for another number of ranks; `None` keeps the current ones.
    pub formats: Option<Box<dyn Formats>>,
    /// True if the program only reads the array during a resize.
    pub constant: bool,
    /// The program's variables; `None` in a process that has joined, until it registers the array.
    pub variables: Option<Box<dyn ArrayVariables<M>>>,
    /// Storage received by a process that has joined, until it registers the array.
    pub memory: Option<M>,
}

/// A value that is equal on all ranks.
pub struct Value {
    /// Length of the value in bytes.
    pub bytes: usize,
    /// The program's variable; `None` in a process that has joined, until it registers the value.
    pub variable: Option<Box<dyn ValueVariable>>,
    /// Bytes received by a process that has joined, until it registers the value.
    pub received: Vec<u8>,
}

/// The current process grid of a job's matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobGrid {
    /// Number of process rows, and of process columns.
    pub shape: [u32; 2],
    /// BLACS context of the grid.
    pub context: Int,
}

/// Converts the entries of a descriptor, without type and context.
pub fn descriptor_of(entries: &[Int; 9]) -> Descriptor {
    let pair = |k: usize| [wide(entries[k]), wide(entries[k + 1])];
    Descriptor::new(pair(2), pair(4), pair(6), wide(entries[8]))
}

pub fn arrays_of<M>(items: &[Registered<M>]) -> Vec<&DealtArray<M>> {
    fn array<M>(item: &Registered<M>) -> Option<&DealtArray<M>> {
        match item {
            Registered::Array(array) => Some(array),
            Registered::Value(_) => None,
        }
    }
    items.iter().filter_map(array).collect()
}

impl<M> Registered<M> {
    /// Returns a digest of the properties that must be equal on all ranks.
    pub fn digest(&self) -> i64 {
        match self {
            Self::Array(array) => {
                let matrix = array.matrix.map(|d| [d.extent, d.block, d.first]);
                let map = array.map.as_ref().map(|map| map.map().numbers());
                digest(&(0, array.element, matrix, map, array.constant))
            }
            Self::Value(value) => digest(&(1, value.bytes)),
        }
    }

    /// Returns whether the program has registered its variables for the item.
    pub fn is_registered(&self) -> bool {
        match self {
            Self::Array(array) => array.variables.is_some(),
            Self::Value(value) => value.variable.is_some(),
        }
    }

    /// Returns the program's memory that the job uses for the item.
    pub fn spans(&self) -> Vec<Span> {
        match self {
            Self::Array(array) => array.spans(),
            Self::Value(value) => value.variable.iter().filter_map(|variable| variable.span()).collect(),
        }
    }
}

/// Returns the bytes of a process's storage, at least 1. If `leading` is given, the array is a matrix with this leading
/// dimension: LLD_ x LOCc elements, as in ScaLAPACK. Otherwise the map gives the number of elements.
pub fn storage_bytes(map: &Map, element: usize, leading: Option<u64>) -> Result<u64, Failure> {
    let elements = match (leading, &map.local().axes[..]) {
        (Some(leading), [_, columns]) => leading.max(1).checked_mul(columns.len),
        _ => Some(map.elements()?),
    };
    let bytes = elements.and_then(|elements| elements.checked_mul(element as u64));
    let large = || Failure::argument("the local array has more than 2^63 bytes");
    bytes.filter(|&bytes| i64::try_from(bytes).is_ok()).map(|bytes| bytes.max(1)).ok_or_else(large)
}

impl<M> DealtArray<M> {
    /// Returns the bytes of the process's storage; 0 if it has no part.
    fn bytes(&self) -> Result<u64, Failure> {
        let Some(map) = self.map.as_ref().filter(|map| map.has_part()) else { return Ok(0) };
        let leading = self.matrix.map(|descriptor| u64::try_from(descriptor.ld).unwrap_or(0));
        storage_bytes(map, self.element, leading)
    }

    /// Returns the program's memory that the job uses for the array.
    pub fn spans(&self) -> Vec<Span> {
        let bytes = self.bytes().unwrap_or(0);
        self.variables.as_ref().map(|variables| variables.spans(bytes)).unwrap_or_default()
    }

    /// Returns the program's memory for the elements, if the process has any.
    pub fn storage(&self) -> Option<Span> {
        self.spans().into_iter().find(|span| span.purpose == Purpose::Storage)
    }

    /// Checks the size of the program's storage. If it has passed none and the process has a part, allocates storage of
    /// zeros.
    pub fn check_or_allocate(&mut self, allocate: &Allocate<M>) -> Result<(), Failure>
    where
        M: Allocation,
    {
        let bytes = self.bytes()?;
        let Some(variables) = self.variables.as_mut().filter(|_| bytes > 0) else { return Ok(()) };
        if let Some(room) = variables.room().filter(|&room| room != bytes) {
            return Err(Failure::argument(format!(
                "the local array has {room} bytes, expected {bytes}, or no array for storage filled with zeros"
            )));
        }
        if variables.has_storage() {
            variables.check()?;
        } else {
            let mut memory = allocated(bytes, allocate)?;
            memory.clear();
            variables.initialize(Some(memory), None);
        }
        Ok(())
    }

    /// Reads a matrix's current descriptor, checks it against the job's grid, and updates the map.
    pub(crate) fn read_descriptor(
        &mut self,
        grid: Option<JobGrid>,
        session: &Arc<Session>,
    ) -> Result<(), Failure> {
        let Some(entries) = self.variables.as_ref().and_then(|variables| variables.descriptor()) else {
            return Ok(());
        };
        let grid = grid.ok_or_else(no_grid)?;
        if entries[0] != 1 {
            let text = format!("DTYPE_ of DESC is {}, expected 1: a dense matrix in blocks", entries[0]);
            return Err(Failure::argument(text));
        }
        if entries[1] != grid.context {
            return Err(Failure::argument(format!(
                "CTXT_ of DESC is {}, expected {}, the context of reblock_job_get_blacs",
                entries[1], grid.context
            )));
        }
        let descriptor = descriptor_of(&entries);
        let arrangement = Arrangement::new(&grid.shape, None, session.ranks)?;
        self.map = Some(Map::from_descriptor(Procs::in_session(session, arrangement)?, &descriptor)?);
        self.matrix = Some(descriptor);
        Ok(())
    }

    pub(crate) fn map_in(&self, session: &Arc<Session>) -> Result<mapping::Map, Failure> {
        let map = self.map.as_ref().ok_or_else(no_map)?;
        let missing = || {
            Failure::new(Code::Internal, "internal error: an array is on processes that are not in the job")
        };
        let arrangement = map.procs().arrangement_in(session)?.ok_or_else(missing)?;
        Ok(map.map().onto(arrangement))
    }

    /// Returns the map after a resize to `ranks` ranks, the first of their communicator. `grid` is the shape of the
    /// process grid of a matrix, `session` the session of the active ranks.
    pub(crate) fn goal_map(
        &self,
        ranks: u32,
        grid: [u32; 2],
        session: &Arc<Session>,
    ) -> Result<mapping::Map, Failure> {
        if let Some(descriptor) = self.matrix {
            let shape = grid;
            let first = [0, 1].map(|d| descriptor.first[d] % i64::from(shape[d]));
            let arrangement = Arrangement::new(&shape, None, ranks)?;
            return Ok(mapping::Map::whole(Arc::new(matrix_template(
                arrangement,
                &Descriptor { first, ..descriptor },
            )?)));
        }
        let map = self.map.as_ref().ok_or_else(no_map)?.map();
        let old = map.template();
        let shape = nearly_cubic(ranks, old.arrangement().shape().len());
        let arrangement = Arrangement::new(&shape, None, ranks)?;
        if let Some(formats) = &self.formats {
            let bounds = |of: fn(&TemplateAxis) -> i64| old.axes().iter().map(of).collect::<Vec<_>>();
            let procs = Procs::in_session(session, arrangement)?;
            let open = Template::create(&procs, &bounds(|axis| axis.lower), &bounds(|axis| axis.upper))?;
            formats.describe(&open)?;
            return Ok(map.realigned(Arc::new(open.described_here()?))?);
        }
        let mut axes = old.axes().to_vec();
        for axis in &mut axes {
            if let (Format::Cyclic { first, .. }, Some(onto)) = (&mut axis.format, axis.onto) {
                *first %= shape[onto];
            }
        }
        let template = mapping::Template::new(arrangement, axes).map_err(|Mistake(why)| {
            Failure::argument(format!(
                "{why}; give the array formats for {ranks} ranks by reblock_job_set_formats"
            ))
        })?;
        Ok(map.realigned(Arc::new(template))?)
    }

    /// Returns the new descriptor of a matrix that has moved to `to`; `None` for other arrays.
    pub fn new_descriptor(&self, to: &Map, grid: Option<JobGrid>) -> Option<[Int; 9]> {
        let (descriptor, grid) = (self.matrix?, grid?);
        let rows = leading(to);
        let int = |n: i64| Int::try_from(n).unwrap_or(Int::MAX);
        let Descriptor { extent, block, first, .. } = descriptor;
        let rest = [
            extent[0],
            extent[1],
            block[0],
            block[1],
            first[0],
            first[1],
            i64::try_from(rows).unwrap_or(i64::MAX),
        ];
        let mut entries = [1, grid.context, 0, 0, 0, 0, 0, 0, 0];
        entries[2..].iter_mut().zip(rest).for_each(|(entry, n)| *entry = int(n));
        Some(entries)
    }

    /// Updates the map and the descriptor after a move to `to`.
    pub fn become_moved(&mut self, to: Map) {
        if let Some(descriptor) = &mut self.matrix {
            for (d, &extent) in to.procs().shape().iter().enumerate() {
                descriptor.first[d] %= i64::from(extent);
            }
            descriptor.ld = i64::try_from(leading(&to)).unwrap_or(i64::MAX);
        }
        self.map = Some(to);
    }
}

/// Returns the leading dimension of a matrix on `to`: its local rows, at least 1.
pub fn leading(to: &Map) -> u64 {
    to.local().axes.first().map_or(0, |axis| axis.len).max(1)
}

/// Checks that `spans` conflict with no registered memory of `items` ([`Span::conflicts_with`]).
pub fn check_disjoint<M>(items: &[Registered<M>], spans: &[Span]) -> Result<(), Failure> {
    for (at, item) in items.iter().enumerate() {
        for known in item.spans() {
            if let Some(span) = spans.iter().find(|span| span.conflicts_with(&known)) {
                return Err(Failure::argument(format!(
                    "the {} overlaps the {} of registered item {at}, expected memory of its own",
                    span.purpose, known.purpose
                )));
            }
        }
    }
    Ok(())
}

pub fn allocated<M: Allocation>(bytes: u64, allocate: &Allocate<M>) -> Result<M, Failure> {
    let missing = || Failure::new(Code::Memory, format!("no memory for an array of {bytes} bytes"));
    let storage = usize::try_from(bytes).ok().and_then(allocate).ok_or_else(missing)?;
    storage.check()?;
    Ok(storage)
}

fn no_map() -> Failure {
    Failure::new(Code::Internal, "internal error: an array has no map")
}

fn no_grid() -> Failure {
    Failure::new(
        Code::State,
        "a matrix is registered, but there is no process grid: call reblock_job_get_blacs",
    )
}

//! Common part of saving and loading: agreement on the array, division of the file into parts, and plans between the
//! layouts of the file and of the program.

use super::Map;
use super::end::Side;
use super::plan::Plan;
use super::procs::Procs;
use crate::arrays::npy::{Cut, Dtype, FileWindow};
use crate::collective::call::{CollectiveCall, broadcast, settings, with_valid_settings};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::layout::mapping;
use crate::layout::mapping::{Arrangement, Format, Range, Template, TemplateAxis};
use crate::layout::strides::Shape;
use crate::pack::{Destination, OwnedArray, Source};
use crate::runtime::session::Session;
use crate::system::budget::Budget;
use crate::system::digest::digest;
use std::path::Path;
use std::sync::Arc;

/// An array and its file, as one rank passes them to [`super::save()`] and [`super::load()`].
#[derive(Clone, Copy)]
pub struct Filed<'a> {
    /// Path of the file on this rank.
    pub path: &'a Path,
    /// Map of the array; `None` if the rank has not received it.
    pub map: Option<&'a Map>,
    /// Bytes of an element, at least 1.
    pub element: usize,
    /// Element type in NumPy's notation; `None` stands for untyped elements of `element` bytes.
    pub dtype: Option<&'a str>,
}

/// A local array that can be saved.
pub trait Saved {
    /// Returns the calling process's array as the source of `plan`, if it has a part.
    fn source(&self, plan: &Plan) -> Result<Option<Source<'_>>, Failure>;
}

/// A local array that can be loaded.
pub trait Loaded {
    /// Returns the calling process's array as the target of `plan`, if it has a part.
    fn destination(&mut self, plan: &Plan) -> Result<Option<Destination<'_>>, Failure>;
}

pub(super) struct AgreedFile<'a> {
    pub session: &'a Arc<Session>,
    pub path: &'a Path,
    map: Option<&'a Map>,
    pub element: usize,
    pub dtype: Option<Dtype>,
    lower: Vec<i64>,
    pub extents: Vec<u64>,
}

impl<'a> AgreedFile<'a> {
    /// Agrees on the array and the file. Ranks without the map receive the array's bounds. Collective over the
    /// communicator of `session`.
    pub fn on(
        session: &'a Arc<Session>,
        operation: Operation,
        given: Result<Filed<'a>, Failure>,
    ) -> Result<Self, Failure> {
        let mut values = [None; 5];
        let mut bounds = None;
        let given = with_valid_settings(given).and_then(|given| {
            let known = Side { map: given.map, section: None }.resolve(session, "array")?;
            let dtype = check_dtype(given.element, given.dtype)?;
            check_path(given.path, operation)?;
            let element = i64::try_from(given.element).unwrap_or(i64::MAX);
            let text = dtype.as_ref().map_or("", Dtype::text);
            let map = known.map(|known| known.digests()[0]);
            let buffers = settings().0.digest();
            values = [Some(digest(given.path)), map, Some(element), Some(digest(text)), Some(buffers)];
            let axes = given.map.map(|map| map.map().axes());
            bounds =
                axes.map(|axes| axes.iter().flat_map(|axis| [axis.lower, axis.upper]).collect::<Vec<_>>());
            Ok((given, dtype))
        });
        let failure = given.as_ref().err().cloned();
        let known = CollectiveCall::begin(session).agree(CallRecord::new(
            session.rank,
            operation,
            &values,
            failure,
        ))?;
        let (given, dtype) = given?;
        if let Some(root) = known.lacking(1) {
            let count = bounds.as_ref().map(|bounds| [i64::try_from(bounds.len()).unwrap_or(0)]);
            let count = broadcast(session, root, count.as_ref().map(|count| &count[..]), 1)?[0];
            bounds = Some(broadcast(session, root, bounds.as_deref(), usize::try_from(count).unwrap_or(0))?);
        }
        let bounds = bounds.unwrap_or_default();
        let lower = bounds.iter().copied().step_by(2).collect();
        let axes = bounds.chunks_exact(2);
        let extents = axes.map(|axis| TemplateAxis::collapsed(axis[0], axis[1]).extent()).collect();
        let Filed { path, map, element, .. } = given;
        Ok(Self { session, path, map, element, dtype, lower, extents })
    }

    /// Returns the division of a file whose axes have this order, the fastest first.
    pub fn cut(&self, order: &[usize]) -> Result<Cut, Failure> {
        let large = || Failure::argument("the array has more than 2^63 bytes");
        let element = self.element as u64;
        let elements =
            self.extents.iter().try_fold(1u64, |n, &extent| n.checked_mul(extent)).ok_or_else(large)?;
        let settings = settings().0;
        let local = elements.saturating_mul(element) / u64::from(self.session.ranks);
        let room = Budget::new(settings.buffer, local, settings.network.window).room();
        Cut::new(&self.extents, order, element, self.session.ranks, room).ok_or_else(large)
    }

    /// Returns the arrangement of the ranks that read or write: one rank for each part of a window.
    pub fn procs(&self, cut: &Cut) -> Result<Arc<Procs>, Failure> {
        let shape: Vec<u32> = cut.distributed_axes().iter().map(|&(_, ranks, _)| ranks).collect();
        Procs::in_session(self.session, Arrangement::new(&shape, None, self.session.ranks)?)
    }

    /// Returns a window as a section of the array, and the map of the window's parts on the ranks, by `cut`.
    fn part(
        &self,
        procs: &Arc<Procs>,
        cut: &Cut,
        order: &[usize],
        window: &FileWindow,
    ) -> Result<(Vec<Range>, Map), Failure> {
        let range = |(lower, range): (&i64, &std::ops::Range<u64>)| Range {
            lower: lower.saturating_add_unsigned(range.start),
            upper: lower.saturating_add_unsigned(range.end - 1),
            stride: 1,
        };
        let section: Vec<Range> = self.lower.iter().zip(&window.0).map(range).collect();
        let mut axes: Vec<TemplateAxis> =
            section.iter().map(|range| TemplateAxis::collapsed(range.lower, range.upper)).collect();
        for (onto, (axis, _, block)) in cut.distributed_axes().into_iter().enumerate() {
            (axes[axis].format, axes[axis].onto) = (Format::Block(Some(block)), Some(onto));
        }
        let template = Arc::new(Template::new(procs.arrangement().clone(), axes)?);
        let map = mapping::Map::whole(template).with_order(order)?;
        Ok((section, Map::from_mapping(procs.clone(), None, map)))
    }

    /// Plans to move a window between the array and the file's layout: to the file if `outwards`, otherwise from it.
    /// `able` is this rank's earlier failure, if any. Collective.
    pub fn plan(
        &self,
        (procs, cut, order): (&Arc<Procs>, &Cut, &[usize]),
        window: &FileWindow,
        outwards: bool,
        able: Result<(), Failure>,
    ) -> Result<Arc<Plan>, Failure> {
        let part = able.and_then(|()| self.part(procs, cut, order, window));
        let options = super::Options::default();
        let sides = part.as_ref().map_err(Failure::clone).map(|(section, file)| {
            let array = Side { map: self.map, section: self.map.map(|_| &section[..]) };
            let (from, to) = if outwards { (array, Side::whole(file)) } else { (Side::whole(file), array) };
            (from, to, self.element, &options)
        });
        Plan::create_in_session(self.session, sides)
    }

    pub fn failure(&self, what: &str, why: &str) -> Failure {
        failure(self.path, what, why)
    }
}

fn failure(path: &Path, what: &str, why: &str) -> Failure {
    Failure::new(Code::File, format!("{what} {}: {why}", path.display()))
}

/// Checks that the file to read, or the folder of the file to write, exists on this rank. Otherwise the error for one
/// rank's wrong path would only say that paths differ.
fn check_path(path: &Path, operation: Operation) -> Result<(), Failure> {
    let (what, seen) = match operation {
        Operation::Load => ("cannot read", path),
        _ => (
            "cannot create",
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        ),
    };
    std::fs::metadata(seen).map(drop).map_err(|why| failure(path, what, &why.to_string()))
}

/// Parses the element type that a program passed, and checks that it has `element` bytes.
fn check_dtype(element: usize, text: Option<&str>) -> Result<Option<Dtype>, Failure> {
    if element == 0 {
        return Err(Failure::argument("the element size is 0 bytes, expected at least 1"));
    }
    let dtype = text.map(Dtype::new).transpose().map_err(Failure::argument)?;
    match &dtype {
        Some(dtype) if dtype.bytes() != element as u64 => Err(Failure::argument(format!(
            "the element type {} has {} bytes, but the array's elements have {element}",
            dtype.text(),
            dtype.bytes()
        ))),
        _ => Ok(dtype),
    }
}

pub(super) fn allocate_part(shape: Option<Shape>) -> Result<Option<OwnedArray>, Failure> {
    let missing = || Failure::new(Code::Memory, "no memory for a part of a file");
    shape.map(|shape| OwnedArray::new(shape).ok_or_else(missing)).transpose()
}

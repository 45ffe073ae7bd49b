//! Memory shared by all ranks of a node, a part for each, and private memory that all ranks allocate together. Taken
//! only if there is room on all ranks.

use super::Collectives;
use crate::system::room::{Room, Wanted};
use crate::transport::error::Error;
use crate::transport::shm::{Location, Name, Segment, UnnamedObject, Unreserved};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::time::SystemTime;

/// Alignment of the parts, in bytes: a page.
const PAGE: usize = 4096;

pub struct SharedParts {
    pub segment: Segment,
    /// The range of each rank, in bytes.
    pub parts: Vec<Range<usize>>,
}

/// Allocates shared memory, with `bytes` bytes for this rank. Collective over `node`; succeeds on all ranks or none.
pub fn allocate_shared(node: Collectives<'_>, bytes: usize) -> Result<Option<SharedParts>, Error> {
    let me = node.me;
    let NodeParts { parts, fits } = check_room(node, bytes, true)?;
    let len = parts.last().map_or(0, |part| part.end);
    let Some(mapped) = map_object(node, fits, len)? else { return Ok(None) };
    let reserved = mapped.reserve(parts[me].clone());
    let everywhere = node.all(reserved.is_ok())?;
    let common = reserved.ok().filter(|_| everywhere).map(|segment| SharedParts { segment, parts });
    if !everywhere {
        // A rank that asks for less afterwards must find all parts released.
        node.all(true)?;
    }
    Ok(common)
}

/// Maps an object of `len` bytes that the first rank creates, if it `fits` on all ranks. Takes no pages. Collective.
fn map_object(node: Collectives<'_>, fits: bool, len: usize) -> Result<Option<Unreserved>, Error> {
    let first = node.me == 0;
    let object = if first && fits { UnnamedObject::create(len).ok() } else { None };
    let place = object.as_ref().and_then(|object| object.place().ok());
    let known = u64::from(place.is_some());
    let [a, b, c, d] = place.map_or([0; 4], |place| place.numbers());
    let gathered = node.gather(&[u64::from(fits), known, a, b, c, d, fresh_name()])?;
    if gathered.chunks_exact(7).any(|rank| rank[0] == 0) {
        return Ok(None);
    }
    // Equal on all ranks: the numbers are the first rank's.
    if gathered[1] != 0 {
        let mapped = Unreserved::at(&Location::of([gathered[2], gathered[3], gathered[4], gathered[5]]), len);
        if node.all(mapped.is_ok())? {
            return Ok(mapped.ok());
        }
    }
    drop(object);
    map_by_name(node, (path(gathered[6]), len))
}

/// Maps an object with a name, if the system does not let all ranks open one without.
fn map_by_name(node: Collectives<'_>, (name, len): (CString, usize)) -> Result<Option<Unreserved>, Error> {
    let object = (node.me == 0).then(|| Name::create(name.clone(), len));
    if !node.all(object.as_ref().is_none_or(Result::is_ok))? {
        return Ok(None);
    }
    let mapped = Unreserved::named(&name, len);
    let everywhere = node.all(mapped.is_ok());
    // Once all ranks have mapped it, the name is not needed.
    drop(object);
    let mapped = mapped.ok().filter(|_| everywhere == Ok(true));
    everywhere?;
    // No rank takes pages while the name exists.
    node.all(true)?;
    Ok(mapped)
}

/// Allocates `bytes` bytes of private memory. With a `node` collective; then succeeds on all ranks or none.
pub fn allocate_private(node: Option<Collectives<'_>>, bytes: usize) -> Result<Option<Segment>, Error> {
    let bytes = bytes.max(1);
    let Some(node) = node else {
        let taken = bytes as u64;
        let wanted = Wanted { mapped: taken, taken, grouped: taken, object: false };
        return Ok(if Room::now().has_room_for(&wanted) { Segment::private(bytes).ok() } else { None });
    };
    let room = node.all(check_room(node, bytes, false)?.fits)?;
    let mapped = if room { Segment::private(bytes).ok() } else { None };
    let everywhere = node.all(mapped.is_some())?;
    Ok(mapped.filter(|_| everywhere))
}

struct NodeParts {
    parts: Vec<Range<usize>>,
    /// Whether there is room for all parts, as far as this rank can see.
    fits: bool,
}

/// Checks whether there is room for the `bytes` of all ranks of `node`, in one `object` or privately. Collective.
fn check_room(node: Collectives<'_>, bytes: usize, object: bool) -> Result<NodeParts, Error> {
    let room = Room::now();
    let group = room.group();
    let gathered = node.gather(&[bytes as u64, group])?;
    let mut grouped = 0u64;
    let mut end = Some(0usize);
    let mut parts = Vec::new();
    for part in gathered.chunks_exact(2) {
        let start = end.unwrap_or(0);
        let bytes = usize::try_from(part[0].max(1)).ok();
        end = bytes.and_then(|b| end?.checked_add(b)?.checked_next_multiple_of(PAGE));
        parts.push(start..end.unwrap_or(start));
        if part[1] == group {
            grouped = grouped.saturating_add(part[0]);
        }
    }
    let fits = end.is_some_and(|end| {
        let taken = end as u64;
        let mapped = if object { taken } else { bytes as u64 };
        room.has_room_for(&Wanted { mapped, taken, grouped, object })
    });
    Ok(NodeParts { parts, fits })
}

fn path(name: u64) -> CString {
    CString::new(format!("/reblock-{name:016x}")).expect("no zero byte")
}

/// Returns a name that is hardly taken; if it is, creating the object fails.
fn fresh_name() -> u64 {
    let mut hasher = DefaultHasher::new();
    (std::process::id(), SystemTime::now(), std::thread::current().id()).hash(&mut hasher);
    hasher.finish()
}

//! Memory that all ranks of a node map, each with a part of its own.

use crate::mpi::{Comm, MpiError, all, gather};
use crate::transport::shm::Segment;
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::time::SystemTime;

/// Parts begin at multiples of this: a page.
const PAGE: usize = 4096;

/// The memory, and the parts of it.
pub struct Common {
    /// All of it.
    pub segment: Segment,
    /// Of each rank.
    pub parts: Vec<Range<usize>>,
}

/// The memory, and where the part of each rank lies in it. Collective over `node`, whose ranks can share memory: each
/// asks for `bytes` bytes. All of them have it, or none.
pub fn share(node: Comm, bytes: usize) -> Result<Option<Common>, MpiError> {
    let me = node.rank()? as usize;
    let told = gather(node, &[bytes as u64, fresh_name()])?;
    let name = path(told[1]);
    let mut end = Some(0usize);
    let mut parts = Vec::new();
    for part in told.chunks_exact(2) {
        let start = end.unwrap_or(0);
        let bytes = usize::try_from(part[0].max(1)).ok();
        end = bytes.and_then(|b| end?.checked_add(b)?.checked_next_multiple_of(PAGE));
        parts.push(start..end.unwrap_or(start));
    }
    let len = end.unwrap_or(usize::MAX);
    let made = me != 0 || (end.is_some() && Segment::create(&name, len).is_ok());
    if !all(node, made)? {
        return Ok(None);
    }
    let mapped = Segment::open(&name, len, parts[me].clone());
    let everywhere = all(node, mapped.is_ok());
    if me == 0 {
        Segment::unlink(&name);
    }
    Ok(mapped.ok().filter(|_| everywhere == Ok(true)).map(|segment| Common { segment, parts }))
}

fn path(name: u64) -> CString {
    CString::new(format!("/reblock-{name:016x}")).expect("no zero byte")
}

/// A name that no other shared memory has; if one has it all the same, making it fails.
fn fresh_name() -> u64 {
    let mut hasher = DefaultHasher::new();
    (std::process::id(), SystemTime::now(), std::thread::current().id()).hash(&mut hasher);
    hasher.finish()
}

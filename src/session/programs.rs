//! Arrays of programs as they are: where each rank of a node has them, told to all others.

use super::Circle;
use crate::error::Error;
use crate::stderr;
use crate::transport::shm::programs::{mapped, obstacle, space};
use crate::transport::shm::{Arrays, Location};
use std::sync::{Arc, Once};

/// The memory in which programs have their arrays, mapped by all ranks of `node`: collective over it. `None`, on all of them, if one
/// has no such memory or may not read that of another.
pub fn programs_arrays(node: Circle<'_>) -> Result<Option<Arc<Arrays>>, Error> {
    static SAID: Once = Once::new();
    if let Some(why) = obstacle().filter(|_| node.me == 0) {
        SAID.call_once(|| stderr::line(format_args!("REBLOCK_ARRAYS has no effect: {why}")));
    }
    let own = space();
    let told = own.as_ref().map_or([0; 6], |own| {
        let [a, b, c, d] = own.place.numbers();
        [1, a, b, c, d, own.segment.len() as u64]
    });
    let told = node.gather(&told)?;
    let Some(own) = own.filter(|_| told.chunks_exact(6).all(|rank| rank[0] == 1)) else { return Ok(None) };
    let segments = told.chunks_exact(6).enumerate().map(|(rank, told)| {
        let place = Location::of([told[1], told[2], told[3], told[4]]);
        if rank == node.me { Ok(own.segment.clone()) } else { mapped(&place, told[5]) }
    });
    let segments: std::io::Result<Vec<_>> = segments.collect();
    let everywhere = node.all(segments.is_ok())?;
    let arrays = segments.ok().filter(|_| everywhere);
    Ok(arrays.map(|segments| Arrays::of_programs(segments, node.me, own.number)))
}

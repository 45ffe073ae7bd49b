//! Programs' own arrays that other ranks read in place (`REBLOCK_ARRAYS`): the ranks of a node exchange the locations
//! of the memory of such arrays, and map it.

use super::Collectives;
use crate::system::settings::NodeArrays;
use crate::system::stderr;
use crate::transport::error::Error;
use crate::transport::shm::Arrays;
use std::sync::{Arc, Once};

/// Numbers that a rank sends for each memory space: existence (1), location (4) and bytes (1).
const NUMBERS_PER_SPACE: usize = 6;

/// Maps the memory of the programs' arrays of all ranks of `node`; none on all ranks if one has no such memory or may
/// not read another's. Collective.
pub fn programs_arrays(node: Collectives<'_>, arrays: NodeArrays) -> Result<Vec<Arc<Arrays>>, Error> {
    static SAID: Once = Once::new();
    if let Some(why) = arrays.obstacle().filter(|_| node.me == 0) {
        SAID.call_once(|| stderr::line(format_args!("REBLOCK_ARRAYS has no effect: {why}")));
    }
    let own = arrays.own();
    let mut mine = vec![0; arrays.spaces() * NUMBERS_PER_SPACE];
    for (numbers, space) in mine.chunks_exact_mut(NUMBERS_PER_SPACE).zip(own.iter().flatten()) {
        let [a, b, c, d] = space.location;
        numbers.copy_from_slice(&[1, a, b, c, d, space.segment.len() as u64]);
    }
    let numbers = node.gather(&mine)?;
    let Some(own) = own.filter(|_| numbers.chunks_exact(NUMBERS_PER_SPACE).all(|space| space[0] == 1)) else {
        return Ok(Vec::new());
    };
    let ranks = numbers.chunks_exact(mine.len()).enumerate();
    let mapped = own.iter().enumerate().map(|(k, space)| {
        let of_rank = |(rank, numbers): (usize, &[u64])| {
            let numbers = &numbers[k * NUMBERS_PER_SPACE..][..NUMBERS_PER_SPACE];
            let place = [numbers[1], numbers[2], numbers[3], numbers[4]];
            if rank == node.me { Ok(space.segment.clone()) } else { arrays.mapped(place, numbers[5]) }
        };
        ranks.clone().map(of_rank).collect()
    });
    let mapped: std::io::Result<Vec<Vec<_>>> = mapped.collect();
    let everywhere = node.all(mapped.is_ok())?;
    let mapped = mapped.ok().filter(|_| everywhere).unwrap_or_default();
    let known = (0..).zip(mapped).zip(&own);
    Ok(known.map(|((k, segments), own)| Arrays::of_programs(k, segments, node.me, own.number)).collect())
}

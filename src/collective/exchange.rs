//! Exchange of lists of numbers between all pairs of ranks, in rounds: MPI's counts do not overflow, and only one
//! round's numbers are in memory twice.

use super::failure::Failure;
use crate::mpi::AllToAll;
use crate::runtime::session::{Answer, Session};

/// Maximum numbers that a rank sends in one round, an equal share to each rank.
const ROUND_NUMBERS: usize = 1 << 20;

/// Sends `lists[q]` to each rank q. Returns the lists received, by rank. Collective; the ranks of `session` must have
/// agreed on it.
pub fn exchange_lists(session: &Session, mut lists: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>, Failure> {
    let ranks = session.ranks as usize;
    assert_eq!(lists.len(), ranks, "a list for each rank");
    if ranks == 1 {
        return Ok(lists);
    }
    // The longest list of all ranks determines the number of rounds.
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0) as u64;
    let counts: Vec<[u64; 2]> = lists.iter().map(|list| [list.len() as u64, longest]).collect();
    let counts: Vec<&[u64]> = counts.iter().map(<[u64; 2]>::as_slice).collect();
    let counts = exchange_round(session, &counts, &vec![2; ranks])?;
    let size = |n: u64| usize::try_from(n).expect("a count in memory");
    let expected: Vec<usize> = counts.chunks_exact(2).map(|pair| size(pair[0])).collect();
    let longest = counts.chunks_exact(2).map(|pair| size(pair[1])).max().unwrap_or(0);
    let most = (ROUND_NUMBERS / ranks).max(1);
    let mut all: Vec<Vec<u64>> = expected.iter().map(|&count| Vec::with_capacity(count)).collect();
    for start in (0..longest).step_by(most) {
        let part = |count: usize| count.saturating_sub(start).min(most);
        let coming: Vec<usize> = expected.iter().map(|&count| part(count)).collect();
        let sent = lists.iter().map(|list| &list[start.min(list.len())..(start + most).min(list.len())]);
        let came = exchange_round(session, &sent.collect::<Vec<_>>(), &coming)?;
        let mut rest = &came[..];
        for (list, &count) in all.iter_mut().zip(&coming) {
            let (part, after) = rest.split_at(count);
            list.extend(part);
            rest = after;
        }
        lists.iter_mut().filter(|list| list.len() <= start + most).for_each(|list| *list = Vec::new());
    }
    Ok(all)
}

fn exchange_round(session: &Session, sent: &[&[u64]], expected: &[usize]) -> Result<Vec<u64>, Failure> {
    let exchange = AllToAll::start(session.comm(), session.rank as usize, sent, expected);
    let mut exchange = session.report_error(exchange)?;
    Ok(session.until(|_| Ok(exchange.test()?.map_or(Answer::NotYet, Answer::Ready)))?)
}

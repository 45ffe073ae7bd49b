//! Rank 0's decision at a resize point: the number of ranks, and the ranks that leave.

use super::goal::Decision;
use super::placement::Leaving;
use super::variables::Allocation;
use super::world::Roster;
use super::{Job, MAX_RANKS};
use crate::collective::call::{CollectiveCall, broadcast};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::mpi::Info;
use crate::runtime::session::Session;
use crate::runtime::slow_wait::SlowWait;

impl Decision {
    /// Sends `mine`, the decision of rank 0 (`None` on other ranks), to all ranks. If rank 0 refuses, all ranks return
    /// its failure. Collective over the active ranks. This is an agreement: after a broadcast that failed on one rank,
    /// the others would begin the resize without it.
    pub(super) fn share(session: &Session, mine: Option<Result<Self, Failure>>) -> Result<Self, Failure> {
        let (decision, refusal) =
            mine.transpose().map_or_else(|why| (None, Some(why)), |decision| (decision, None));
        let list: Option<Vec<i64>> =
            decision.as_ref().map(|decision| decision.leaving.iter().map(|&rank| rank.into()).collect());
        let ranks = decision.as_ref().map(|decision| decision.ranks.into());
        let named = list.as_ref().map(|list| i64::try_from(list.len()).unwrap_or(i64::MAX));
        let record = CallRecord::new(session.rank, Operation::Confirm, &[ranks, named], refusal);
        let mut slow_wait = SlowWait::new(session.rank);
        let known = CollectiveCall::begin(session).agree_while(record, || {
            slow_wait.report(&"the job to take part in a resize or in its end");
        })?;
        let invalid_message =
            || Failure::new(Code::Internal, "internal error: cannot decode the request of rank 0");
        let narrow = |number: i64| u32::try_from(number).map_err(|_| invalid_message());
        let [ranks, named] = [0, 1].map(|k| known.max(k).ok_or_else(invalid_message).and_then(narrow));
        let leaving = match named? as usize {
            0 => Vec::new(),
            named => broadcast(session, 0, list.as_deref(), named)?,
        };
        Ok(Self { ranks: ranks?, leaving: leaving.into_iter().map(narrow).collect::<Result<_, _>>()? })
    }

    /// Makes the decision from the program's requests: for `requested` ranks, and for ranks and hosts that leave.
    /// `active` ranks are active now.
    fn from_requests(
        requested: Option<u32>,
        leaving: &Leaving,
        roster: &Roster,
        active: u32,
    ) -> Result<Self, Failure> {
        let mut list = roster.ranks_on(active, &leaving.hosts)?;
        if list.contains(&0) {
            return Err(Failure::argument(format!(
                "the job cannot leave host {}: rank 0 is on it, and stays as long as the job lasts",
                roster.hosts()[0]
            )));
        }
        list.extend(&leaving.ranks);
        list.sort_unstable();
        list.dedup();
        let named = u32::try_from(list.len()).unwrap_or(MAX_RANKS);
        if let Some(rank) = list.iter().find(|&&rank| rank >= active) {
            let why = format!("rank {rank} is to leave, expected one of the {active} active ranks");
            return Err(Failure::argument(why));
        }
        let ranks = requested.unwrap_or(active - named);
        if named > 0 && ranks > active - named {
            return Err(Failure::argument(format!(
                "{named} of {active} ranks are to leave, but the new number of ranks is {ranks}, expected at most {}",
                active - named
            )));
        }
        Ok(Self { ranks, leaving: list })
    }
}

impl<M: Allocation> Job<M> {
    /// Makes the decision on rank 0 from `requested`, the size that the policy or the program requests, and from the
    /// program's requests for hosts. Those for hosts of new processes stay in effect; those for leaving hold for this
    /// resize point only.
    pub(super) fn decide(&mut self, requested: Option<u32>) -> Result<Decision, Failure> {
        if let Some(info) = self.placement.take_info() {
            self.world.set_info(info);
        }
        if let Some(start) = self.placement.take_start() {
            self.world.set_info(Info::on(&start.node, start.ranks)?);
        }
        Decision::from_requests(requested, &self.placement.take_leaving(), self.world.roster(), self.ranks())
    }

    pub(super) fn collect_freed_hosts(&mut self) -> Result<(), Failure> {
        let freed = self.world.freed()?;
        self.placement.add_freed(freed);
        Ok(())
    }

    /// Checks that the job can change to `ranks` ranks if the ranks `leaving` leave.
    pub(super) fn can_change_to(&self, ranks: u32, leaving: &[u32]) -> Result<(), Failure> {
        if leaving.is_empty() || self.options.park {
            return self.can_resize(ranks);
        }
        let working = Roster::staying(self.ranks(), ranks, leaving);
        let after = self.world.roster().after(&working);
        let Some(rank) = after.get(working.len()) else { return Ok(()) };
        let why = format!(
            "rank {rank} cannot leave: processes of one spawn call leave together, and those of the first world do not leave"
        );
        Err(Failure::new(Code::State, why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_a_program_are_sent_or_refused() {
        let hosts = ["a", "a", "b", "b", "c"].map(String::from).to_vec();
        let roster = Roster::new(vec![0, 0, 1, 1, 2], hosts);
        let leaving = |ranks: &[u32], hosts: &[&str]| Leaving {
            ranks: ranks.to_vec(),
            hosts: hosts.iter().map(|&host| host.into()).collect(),
        };
        let wanted = |asked, ranks: &[u32], hosts: &[&str]| {
            let Decision { ranks, leaving } =
                Decision::from_requests(asked, &leaving(ranks, hosts), &roster, 5).ok()?;
            Some((ranks, leaving))
        };
        assert_eq!(wanted(None, &[], &[]), Some((5, vec![])));
        assert_eq!(wanted(Some(9), &[], &[]), Some((9, vec![])));
        assert_eq!(wanted(None, &[3], &["b"]), Some((3, vec![2, 3])));
        assert_eq!(wanted(Some(2), &[], &["b"]), Some((2, vec![2, 3])));
        assert_eq!(wanted(None, &[4, 1, 4], &[]), Some((3, vec![1, 4])));
        for bad in [
            wanted(None, &[], &["d"]),
            wanted(None, &[], &["a"]),
            wanted(None, &[5], &[]),
            wanted(Some(4), &[], &["b"]),
            wanted(Some(6), &[1], &[]),
        ] {
            assert_eq!(bad, None);
        }
    }
}

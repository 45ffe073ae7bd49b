//! Executes the phases of plans: packs elements into slots of the transport, and unpacks received ones.
//!
//! The schedule is an order, not a barrier. Sender and receiver take the pieces of all messages in one common order
//! ([`PieceOrder`]), and keep as many in flight as the transport has slots. No rank waits for a step without messages
//! of its own. This cannot deadlock: the earliest unfinished piece of all ranks is the next piece of its sender and of
//! its receiver.
//!
//! Within a node, if a rank has a slot for each partner, it sends messages independently: each as soon as a slot is
//! free, in any order. ([`gather`] says why this cannot deadlock either.) Large arrays are then gathered: written in
//! the order of addresses, from the messages of all ranks.
//!
//! Several arrays can move together, in one set of messages. [`PhaseExecution::advance`] never blocks, so one thread
//! can drive all ranks of a test.
//!
//! | file | contents |
//! |---|---|
//! | this file | the loop of an execution, which never blocks |
//! | `send`, `receive` | packing into slots; unpacking from slots, and releasing them |
//! | `load`, `items`, `views` | arrays with their plans |
//! | `state`, `travel` | reusable state of an execution; execution of several phases |
//! | `stream`, `cursor`, `next_send` | order of packets, and their slots |
//! | `ahead` | messages sent before all ranks have agreed |
//! | `gather`, `walk`, `line`, `first_index` | arrays written in the order of addresses |
//! | `in_order`, `exposed` | unpacking in the order of steps; reading exposed arrays |
//! | `copies`, `alone` | self copies; updates that read no source |
//! | `copier` | packing, unpacking and copying by several threads |
//! | `together` | packets that a device packs or unpacks by one launch |

mod ahead;
mod alone;
mod copier;
mod copies;
mod cursor;
mod exposed;
mod first_index;
mod gather;
mod in_order;
mod items;
mod line;
mod load;
mod next_send;
mod receive;
mod send;
mod state;
mod stream;
mod together;
#[cfg(feature = "mpi")]
pub(crate) mod travel;
mod views;
mod walk;

use crate::pack::copy_runs;
use crate::pack::place::DeviceArray;
use crate::plan::RankPhase;
use crate::plan::rank_plan::{PieceOrder, WriteMode};
use crate::system::workers::Workers;
use crate::transport::Transport;
use copier::Copier;
use gather::Gather;
use items::Items;
use state::State;
use std::sync::Arc;

pub use load::Load;
pub use state::Workspace;
use views::on_views;

/// Result of one call of [`PhaseExecution::advance`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Done,
    /// Some work was done; more may be possible at once.
    Busy,
    /// No work is possible until a message arrives or a slot becomes free.
    Waiting,
}

/// Execution of one phase of one or several redistributions, on one rank.
pub struct PhaseExecution<'a> {
    items: Items<'a>,
    state: Box<State>,
    order: PieceOrder,
    copier: Copier,
    /// True if the execution goes on after a failed copy in a device's memory.
    tolerates_failures: bool,
    /// An exposed array in a device's memory that could not be read.
    failed: Option<Arc<DeviceArray>>,
}

impl<'a> PhaseExecution<'a> {
    /// Prepares phase `phase` of all `loads`, which must have that phase. `workers` packs, unpacks and copies.
    #[inline]
    pub fn new(loads: Vec<Load<'a>>, phase: usize, order: PieceOrder, workers: Workers) -> Self {
        let items = Items::new(loads, phase);
        let copier = Copier::new(workers);
        Self {
            state: Box::new(State::new(&items, order)),
            order,
            copier,
            items,
            tolerates_failures: false,
            failed: None,
        }
    }

    /// Prepares the repetition of an execution from its workspace, with the same phase, plans, shapes of arrays and
    /// distance from each source to its destination.
    #[inline]
    pub fn reuse(
        loads: Vec<Load<'a>>,
        phase: usize,
        order: PieceOrder,
        workers: Workers,
        workspace: Workspace,
    ) -> Self {
        let Workspace { state, runs_of_items, .. } = workspace;
        let items = Items::reuse(loads, phase, runs_of_items);
        Self { items, state, order, copier: Copier::new(workers), tolerates_failures: false, failed: None }
    }

    /// Makes the execution continue after a failed copy in a device's memory, so that no rank waits for this one. Its
    /// messages then have arbitrary contents; the caller reports the failure to all ranks.
    pub fn tolerate_device_failures(&mut self) {
        self.tolerates_failures = true;
    }

    /// Returns an exposed array in a device's memory that could not be read since the last call.
    pub fn take_failed(&mut self) -> Option<Arc<DeviceArray>> {
        self.failed.take().or_else(|| self.state.gather.as_mut()?.take_failed())
    }

    /// Does the work that is possible now: expects, sends and unpacks messages. Copies a piece of the self copies if
    /// there is no other work, and after each send in [`PieceOrder::ByRegion`]. If an element may be written several
    /// times, all self copies come first.
    pub fn advance<T: Transport>(&mut self, transport: &mut T) -> Result<Progress, T::Error> {
        self.choose_order(transport);
        while self.state.in_order.is_some() && self.copy() {}
        let expected = self.state.gather.is_none() && self.expect(transport)?;
        let sent = self.send(transport, together::MAX_BYTES)? > 0;
        let copied = sent && self.order == PieceOrder::ByRegion && self.copy();
        let unpacked = match &mut self.state.gather {
            Some(gather) => {
                let (items, copier, piece) = (&mut self.items, &self.copier, &mut self.state.piece);
                gather.advance(transport, &mut self.state.receiving, items, copier, piece)?
            }
            None => self.unpack(transport)?,
        };
        let busy = expected || sent || unpacked || copied || self.copy();
        Ok(match busy {
            _ if self.is_done() && transport.all_sent()? => Progress::Done,
            true => Progress::Busy,
            false => Progress::Waiting,
        })
    }

    /// Returns whether all elements have been received and copied, and all sends have begun.
    fn is_done(&self) -> bool {
        let received = match &self.state.gather {
            Some(gather) => gather.is_done(),
            None => self.state.receiving.is_done() && self.state.expected.is_empty(),
        };
        received && self.state.sending.is_done() && self.state.copies.is_done(&self.items)
    }

    /// Returns the arrays and the workspace of a finished execution.
    pub fn into_loads(mut self) -> (Vec<Load<'a>>, Workspace) {
        self.state.restart(&self.items);
        (self.items.loads, Workspace::new(self.state, self.items.runs_of_items))
    }

    /// Returns whether the arrays are gathered; false before the first call of `advance` or `send_ahead`.
    pub fn gathers(&self) -> bool {
        self.state.gather.is_some()
    }

    /// Chooses, in the first call only, whether messages are sent independently, and whether arrays are gathered. A
    /// choice that must be equal on all ranks uses only facts that are equal on all.
    fn choose_order<T: Transport>(&mut self, transport: &T) {
        if self.state.independent.is_some() {
            return;
        }
        let loads = &self.items.loads;
        let phases = || (0..loads.len()).map(|item| self.items.phase(item));
        let fits = || {
            // Upper bound of the number of a rank's partners, over all items.
            let partners = phases().map(|phase| phase.problem.from.size().max(phase.problem.to.size()));
            let others = loads.first().map_or(0, |item| u64::from(item.plan.me.ranks - 1));
            partners.sum::<u64>().min(others) <= transport.room() as u64
        };
        // With listed runs each peer gets a single piece, so the order does not matter.
        let listed = self.items.runs_of_items.iter().all(Option::is_some);
        let independent = !listed
            && transport.early_limit() == 0
            && self.state.in_order.is_none()
            && self.order == PieceOrder::ByRegion
            && phases().all(|phase| phase.whole)
            && fits();
        self.state.independent = Some(independent);
        if independent {
            self.state.gather =
                Gather::new(&self.items, &self.state.receiving, self.copier.is_oversubscribed());
        }
        for (load, phase_runs) in loads.iter().zip(&self.items.runs_of_items) {
            load.plan.write_mode.set(match phase_runs {
                _ if self.gathers() => WriteMode::Gathered,
                Some(_) => WriteMode::WrittenOut,
                None => WriteMode::ByMessage,
            });
        }
    }

    /// Copies the next piece of the self copies, and all self copies with listed runs before it. Returns whether it
    /// copied anything.
    fn copy(&mut self) -> bool {
        let gathers = self.gathers();
        // Gathering an array also writes its self copy.
        let is_gathered = |phase: &RankPhase| gathers && !phase.receives.messages.is_empty();
        let how = (self.order, self.copier.threads());
        let mut any = false;
        while let Some((item, piece)) =
            self.state.copies.next(&self.items, how, is_gathered, &mut self.state.piece)
        {
            any = true;
            let (plan, source, destination) = self.items.loads[item].ends();
            let source = source.expect("a rank that keeps something has a source");
            if let Some((k, pieces, number)) = piece {
                let phase = &plan.phases.list[self.items.phase];
                let kept = phase.copy.as_ref().expect("a self copy of the phase").product(k);
                self.state.piece.set(kept.whole());
                pieces.cut_out(number, &mut self.state.piece);
                on_views(phase.kept_views(k), source, destination, |from, to| {
                    self.copier.copy(kept, &self.state.piece, phase.problem.part, from, to);
                });
                break;
            }
            let runs =
                self.items.runs_of_items[item].as_ref().and_then(|phase_runs| phase_runs.self_copy.as_ref());
            copy_runs(source, destination, runs.expect("self copies are listed, too"));
        }
        any
    }
}

#[cfg(test)]
mod tests;

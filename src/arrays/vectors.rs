//! Moves of Rust vectors in the background. A move owns its vectors until it is done.

use super::operands::MoveOperands;
use super::plan::Plan;
use super::request::Request;
use super::slices::{first, short};
use super::update::{Numeric, Update};
use crate::collective::failure::{Code, Failure};
use crate::pack::{self, Element, Loan};
use std::sync::Arc;

/// An array of [`Plan::start_many`]: its plan, and its vectors as in [`Plan::execute`]. [`MovingMany::wait`] returns
/// the vectors.
pub struct Given<T> {
    /// The plan that moves the array.
    pub plan: Arc<Plan>,
    /// Storage of the source, from its first byte on.
    pub source: Vec<T>,
    /// Storage of the target, from its first byte on.
    pub target: Vec<T>,
}

/// Arrays in transfer, with their vectors.
pub struct MovingMany<T> {
    request: Request,
    loans: Vec<(Loan<T>, Loan<T>)>,
}

/// The vectors of an array: its source and its target.
pub type Vectors<T> = (Vec<T>, Vec<T>);

/// An array in transfer, with its vectors.
pub struct Moving<T>(MovingMany<T>);

impl Plan {
    /// Starts to move an array from `source` to `target`, which are as in [`Plan::execute`]; [`Moving::wait`] returns
    /// them. Collective over the plan's communicator.
    pub fn start<T: Element>(self: &Arc<Self>, source: Vec<T>, target: Vec<T>) -> Result<Moving<T>, Failure> {
        self.start_many(vec![Given { plan: self.clone(), source, target }]).map(Moving)
    }

    /// Starts to move several arrays in one set of messages. All plans must be of this plan's communicator.
    /// Collective over it.
    pub fn start_many<T: Element>(&self, arrays: Vec<Given<T>>) -> Result<MovingMany<T>, Failure> {
        self.start_operands(arrays.into_iter().map(|given| (given, Ok(None))))
    }

    /// Starts [`Plan::update`], with vectors as for [`Plan::start`]. Collective over the plan's communicator.
    pub fn start_update<T: Numeric>(
        self: &Arc<Self>,
        source: Vec<T>,
        target: Vec<T>,
        update: &Update<T>,
    ) -> Result<Moving<T>, Failure> {
        self.start_update_many(vec![(Given { plan: self.clone(), source, target }, *update)]).map(Moving)
    }

    /// Starts to update several arrays, each with its own update; see [`Plan::start_many`]. Collective over the
    /// plan's communicator.
    pub fn start_update_many<T: Numeric>(
        &self,
        arrays: Vec<(Given<T>, Update<T>)>,
    ) -> Result<MovingMany<T>, Failure> {
        self.start_operands(
            arrays.into_iter().map(|(given, update)| (given, update.kernel_update().map(Some))),
        )
    }

    fn start_operands<T: Element>(
        &self,
        arrays: impl ExactSizeIterator<Item = (Given<T>, Result<Option<pack::Update>, Failure>)>,
    ) -> Result<MovingMany<T>, Failure> {
        let (mut loans, mut operands) =
            (Vec::with_capacity(arrays.len()), Ok(Vec::with_capacity(arrays.len())));
        for (Given { plan, source, target }, update) in arrays {
            let bytes = (size_of_val(&source[..]), size_of_val(&target[..]));
            let (mut source, mut target) = (Loan::new(source), Loan::new(target));
            let one = update.and_then(|update| lend_vectors(plan, (&mut source, &mut target), bytes, update));
            operands = operands.and_then(|mut all: Vec<MoveOperands<'static>>| {
                all.push(one?);
                Ok(all)
            });
            loans.push((source, target));
        }
        let request = Request::start(&self.session()?, operands)?;
        Ok(MovingMany { request, loans })
    }
}

fn lend_vectors<T: Element>(
    plan: Arc<Plan>,
    (source, target): (&mut Loan<T>, &mut Loan<T>),
    bytes: (usize, usize),
    update: Option<pack::Update>,
) -> Result<MoveOperands<'static>, Failure> {
    let reads = !update.as_ref().is_some_and(pack::Update::ignores_source);
    let read = plan.source().filter(|_| reads).map(|seat| {
        let lent = source.source(first::<T>(&plan, seat)?, &seat.shape);
        lent.ok_or_else(|| short("source", bytes.0, seat))
    });
    let written = plan.destination().map(|seat| {
        let lent = target.destination(first::<T>(&plan, seat)?, &seat.shape);
        lent.ok_or_else(|| short("target", bytes.1, seat))
    });
    let (source, destination) = (read.transpose()?, written.transpose()?);
    Ok(MoveOperands { plan, source, destination, update })
}

impl<T: Element> MovingMany<T> {
    /// Advances the transfer; returns whether all arrays have arrived.
    pub fn test(&self) -> Result<bool, Failure> {
        self.request.test()
    }

    /// Waits for all arrays; returns the vectors of each, (source, target).
    pub fn wait(self) -> Result<Vec<Vectors<T>>, Failure> {
        self.request.wait()?;
        let used =
            || Failure::new(Code::Internal, "internal error: a vector is still in use after its transfer");
        let back = |(source, target): (Loan<T>, Loan<T>)| {
            Ok((source.take().ok_or_else(used)?, target.take().ok_or_else(used)?))
        };
        self.loans.into_iter().map(back).collect()
    }
}

impl<T: Element> Moving<T> {
    /// Advances the transfer; returns whether the array has arrived.
    pub fn test(&self) -> Result<bool, Failure> {
        self.0.test()
    }

    /// Waits for the array; returns its vectors, (source, target).
    pub fn wait(self) -> Result<Vectors<T>, Failure> {
        let all = self.0.wait()?;
        all.into_iter()
            .next()
            .ok_or_else(|| Failure::new(Code::Internal, "internal error: a request has no vectors"))
    }
}

//! Safe execution of plans whose source and target are one vector of a Rust program, such as plans of shadows. A plan
//! that overwrites its source is refused, unless it has the option `overlap`.

use super::operands::MoveOperands;
use super::plan::Plan;
use super::request::Request;
use super::slices::{first, short};
use super::transfer::execute;
use super::update::{Numeric, Update};
use crate::collective::failure::{Code, Failure};
use crate::pack::{self, Destination, Element, Loan, Source};
use std::sync::Arc;

/// An array that is both source and target of a plan in progress. Owns the vector until the plan is done.
pub struct Filling<T> {
    request: Request,
    loan: Loan<T>,
}

impl Plan {
    /// Fills the shadows of `array` by a plan of shadows ([`Plan::shadow`]). The slice is the calling process's
    /// storage, shadow included; it is empty if the process has no part. Collective over the plan's communicator.
    pub fn fill<T: Element>(self: &Arc<Self>, array: &mut [T]) -> Result<(), Failure> {
        self.fill_if(array, Ok(None))
    }

    /// Executes the plan as [`Plan::fill`] does, but combines each arriving element with the one in `array` by
    /// `update`. For example, the reverse of a plan of shadows combines shadows with their owners' elements. Collective
    /// over the plan's communicator.
    pub fn fill_update<T: Numeric>(
        self: &Arc<Self>,
        array: &mut [T],
        update: &Update<T>,
    ) -> Result<(), Failure> {
        self.fill_if(array, update.kernel_update().map(Some))
    }

    fn fill_if<T: Element>(
        self: &Arc<Self>,
        array: &mut [T],
        update: Result<Option<pack::Update>, Failure>,
    ) -> Result<(), Failure> {
        let bytes = size_of_val(array);
        let operands = update.and_then(|update| {
            self.operands_in_place::<T>(bytes, update, |at, shape| pack::in_place(array, at, shape))
        });
        execute(&*self.session()?, operands.map(|operands| vec![operands]))
    }

    /// Starts [`Plan::fill`]; [`Filling::wait`] returns the vector. Collective over the plan's communicator.
    pub fn start_fill<T: Element>(self: &Arc<Self>, array: Vec<T>) -> Result<Filling<T>, Failure> {
        self.start_fill_if(array, Ok(None))
    }

    /// Starts [`Plan::fill_update`]; [`Filling::wait`] returns the vector. Collective over the plan's communicator.
    pub fn start_fill_update<T: Numeric>(
        self: &Arc<Self>,
        array: Vec<T>,
        update: &Update<T>,
    ) -> Result<Filling<T>, Failure> {
        self.start_fill_if(array, update.kernel_update().map(Some))
    }

    fn start_fill_if<T: Element>(
        self: &Arc<Self>,
        array: Vec<T>,
        update: Result<Option<pack::Update>, Failure>,
    ) -> Result<Filling<T>, Failure> {
        let (bytes, mut loan) = (size_of_val(&array[..]), Loan::new(array));
        let operands = update.and_then(|update| {
            self.operands_in_place::<T>(bytes, update, |at, shape| loan.in_place(at, shape))
        });
        let request = Request::start(&self.session()?, operands.map(|operands| vec![operands]))?;
        Ok(Filling { request, loan })
    }

    /// Returns the operands of an array of `bytes` bytes that is both source and target. `ends` makes them from the
    /// first element's offset in bytes and the shape.
    fn operands_in_place<'a, T>(
        self: &Arc<Self>,
        bytes: usize,
        update: Option<pack::Update>,
        ends: impl FnOnce(u64, &pack::Shape) -> Option<(Source<'a>, Destination<'a>)>,
    ) -> Result<MoveOperands<'a>, Failure> {
        let plan = Arc::clone(self);
        if self.source() != self.destination() {
            return Err(Failure::argument(
                "the plan's source and target are different local arrays, but only one vector is passed",
            ));
        }
        let Some(seat) = self.source() else {
            return Ok(MoveOperands { plan, source: None, destination: None, update });
        };
        let ends = ends(first::<T>(self, seat)?, &seat.shape).ok_or_else(|| short("array", bytes, seat))?;
        Ok(MoveOperands { plan, source: Some(ends.0), destination: Some(ends.1), update })
    }
}

impl<T: Element> Filling<T> {
    /// Advances the plan; returns whether it is done.
    pub fn test(&self) -> Result<bool, Failure> {
        self.request.test()
    }

    /// Waits for the plan; returns the vector.
    pub fn wait(self) -> Result<Vec<T>, Failure> {
        self.request.wait()?;
        self.loan.take().ok_or_else(|| {
            Failure::new(Code::Internal, "internal error: a vector is still in use after its transfer")
        })
    }
}

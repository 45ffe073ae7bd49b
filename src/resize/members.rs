//! Start and end of a job, joining of a running job, and registration of arrays and values.

use super::grid::make_room;
use super::meeting::agree_on_call;
use super::registry::{DealtArray, JobGrid, Registered, Value, check_disjoint, descriptor_of};
use super::supply::Supply;
use super::variables::{Allocation, ArrayVariables, Formats, ValueVariable};
use super::world::{Role, World, own_host};
use super::{Allocate, Job, Options, Outcome, Placement, Policy, Times};
use crate::arrays::Map;
use crate::collective::call::{agree_on, check_comm_or_refuse, confirm_step, session, with_valid_settings};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::mpi::Comm;
use crate::system::digest::digest;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Arguments of [`Job::begin`] besides the communicator.
pub struct Begin<M> {
    /// Options, equal on all ranks.
    pub options: Options,
    /// Starts new processes when the job grows.
    pub supply: Box<dyn Supply>,
    /// Allocator for the storage of arrays.
    pub allocate: Box<Allocate<M>>,
    /// Decides on the number of ranks.
    pub policy: Box<dyn Policy>,
}

/// Set once this process has called [`Job::begin`] to join the job that started it. Later calls make jobs of its own.
static HAS_JOINED: AtomicBool = AtomicBool::new(false);

impl<M: Allocation> Job<M> {
    /// Makes a job of the ranks of `host`. In a process that a job has started, the first call joins that job
    /// instead, with MPI_COMM_WORLD as `host`, and returns when all registered data has arrived. It fails with
    /// [`Code::Cancelled`] if the resize for which the process was started has failed or was cancelled. The process
    /// must then call MPI_Finalize and end with status 0, without MPI_Abort. Collective over `host`.
    pub fn begin(host: &Comm, given: Result<Begin<M>, Failure>) -> Result<Self, Failure> {
        check_comm_or_refuse(host)?;
        let Begin { options, supply, allocate, policy } = match given {
            Ok(given) => given,
            // Shares the failure: the call fails on all ranks.
            Err(why) => return agree_on(&*session(host)?, Operation::Job, &[None], Err(why)),
        };
        let new = |world, joined| Self {
            world,
            options,
            grid: None,
            items: Vec::new(),
            joined,
            allocate,
            policy,
            placement: Placement::default(),
            logged: (0.0, 0),
            since: Instant::now(),
            times: Times::default(),
            unreachable: None,
            ongoing: None,
        };
        if HAS_JOINED.load(Ordering::Relaxed) || !supply.started_this_process() {
            let value = Some(digest(&options));
            agree_on(&*session(host)?, Operation::Job, &[value], with_valid_settings(own_host().map(drop)))?;
            let job = new(World::begin(*host, supply)?, false);
            job.placement.set_hosts(job.world.hosts().to_vec());
            return Ok(job);
        }
        HAS_JOINED.store(true, Ordering::Relaxed);
        // If the job has a process grid, BLACS makes room for it now, before the other ranks wait. A program without
        // BLACS has no grid, so an error is ignored.
        let _ = make_room(host.size()?);
        let (world, role) = World::join(*host, supply)?;
        let mut job = new(world, true);
        match job.wait(role)? {
            Outcome::Leave => {
                Err(Failure::new(Code::Cancelled, "the job that started this process does not need it"))
            }
            _ => Ok(job),
        }
    }

    /// Registers a matrix that each resize moves; returns its item number. In a process that has joined, `variables`
    /// receives the matrix. The next resize point compares the registrations of all ranks.
    pub fn register_matrix(
        &mut self,
        element: usize,
        variables: Box<dyn ArrayVariables<M>>,
    ) -> Result<usize, Failure> {
        self.check_no_resize()?;
        if let Some(at) = self.next_unregistered() {
            let array = self.received_array(at, element, true)?;
            return Ok(array.hand_over(at, variables));
        }
        let entries =
            variables.descriptor().ok_or_else(|| Failure::argument("the matrix has no descriptor"))?;
        let mut array = DealtArray {
            element,
            matrix: Some(descriptor_of(&entries)),
            map: None,
            formats: None,
            constant: false,
            variables: Some(variables),
            memory: None,
        };
        array.read_descriptor(self.grid, &self.session()?)?;
        self.append_array(array)
    }

    /// Registers an array with a map; see [`Self::register_matrix`]. Only a process that has joined may pass no map.
    /// The array's formats must suit any number of ranks.
    pub fn register_array(
        &mut self,
        map: Option<&Map>,
        element: usize,
        variables: Box<dyn ArrayVariables<M>>,
    ) -> Result<usize, Failure> {
        self.check_no_resize()?;
        if let Some(at) = self.next_unregistered() {
            let array = self.received_array(at, element, false)?;
            return Ok(array.hand_over(at, variables));
        }
        let map = map.ok_or_else(|| {
            Failure::argument("the array has no map, which only a process that has joined may leave out")
        })?;
        if map.boxes().is_some() {
            let why =
                "the array lies in boxes, expected a map that determines the layout on any number of ranks";
            return Err(Failure::argument(why));
        }
        let inside = map.procs().arrangement_in(&self.session()?)?.is_some();
        if !inside {
            return Err(Failure::argument("a process of the array's arrangement is not in the job"));
        }
        let map = Some(map.clone());
        self.append_array(DealtArray {
            element,
            matrix: None,
            map,
            formats: None,
            constant: false,
            variables: Some(variables),
            memory: None,
        })
    }

    /// Sets the formats of item `number`, an array with a map, for other numbers of ranks. All ranks must set the same
    /// formats.
    pub fn set_formats(&mut self, number: usize, formats: Box<dyn Formats>) -> Result<(), Failure> {
        self.check_no_resize()?;
        match self.items.get_mut(number) {
            Some(Registered::Array(array)) if array.matrix.is_none() => {
                array.formats = Some(formats);
                Ok(())
            }
            _ => Err(Failure::argument(format!("registered item {number} is not an array with a map"))),
        }
    }

    /// Sets whether item `number`, a matrix or an array, is constant: the program only reads it during a resize, and it
    /// moves while the program computes; see [`Outcome::Moving`]. All ranks must make the same call.
    pub fn set_constant(&mut self, number: usize, constant: bool) -> Result<(), Failure> {
        self.check_no_resize()?;
        match self.items.get_mut(number) {
            Some(Registered::Array(array)) => {
                array.constant = constant;
                Ok(())
            }
            _ => Err(Failure::argument(format!("registered item {number} is not a matrix or an array"))),
        }
    }

    /// Registers a value that is equal on all ranks. Ranks that join receive the value of rank 0.
    pub fn register_value(
        &mut self,
        bytes: usize,
        mut variable: Box<dyn ValueVariable>,
    ) -> Result<usize, Failure> {
        self.check_no_resize()?;
        let Some(at) = self.next_unregistered() else {
            check_disjoint(&self.items, variable.span().as_slice())?;
            return Ok(self.append(Registered::Value(Value {
                bytes,
                variable: Some(variable),
                received: Vec::new(),
            })));
        };
        match &mut self.items[at] {
            Registered::Value(value) if value.bytes == bytes => {
                variable.write(&std::mem::take(&mut value.received));
                value.variable = Some(variable);
                Ok(at)
            }
            _ => Err(wrong_item(at, format!("a value of {bytes} bytes"))),
        }
    }

    /// Returns the first item of the job that this process has not registered yet.
    fn next_unregistered(&self) -> Option<usize> {
        self.items.iter().position(|item| !item.is_registered())
    }

    fn received_array(
        &mut self,
        at: usize,
        element: usize,
        matrix: bool,
    ) -> Result<ReceivedArray<'_, M>, Failure> {
        let what = if matrix { "a matrix" } else { "an array" };
        let grid = self.grid;
        match &mut self.items[at] {
            Registered::Array(array) if array.element == element && array.matrix.is_some() == matrix => {
                Ok(ReceivedArray { array, grid })
            }
            _ => Err(wrong_item(at, format!("{what} with elements of {element} bytes"))),
        }
    }

    /// Returns whether this process has received the next item to register, when it joined.
    pub fn has_received_next(&self) -> bool {
        self.next_unregistered().is_some()
    }

    fn append_array(&mut self, mut array: DealtArray<M>) -> Result<usize, Failure> {
        check_disjoint(&self.items, &array.spans())?;
        array.check_or_allocate(&self.allocate)?;
        Ok(self.append(Registered::Array(Box::new(array))))
    }

    fn append(&mut self, item: Registered<M>) -> usize {
        self.items.push(item);
        self.items.len() - 1
    }

    /// Ends the job, also on parked ranks. Cancels a resize in progress. Collective over the active ranks.
    pub fn end(&mut self) -> Result<(), Failure> {
        let session = self.session()?;
        let failure = self.ongoing.is_none().then(|| self.check_no_open_requests(&session).err()).flatten();
        // If the communicator is broken, all active ranks continue: parked ranks must receive the end.
        match agree_on_call(&session, Operation::End, &[], failure) {
            Err(why) if why.code != Code::Broken => return Err(why),
            _ => (),
        }
        if let Some(ongoing) = self.ongoing.take() {
            self.cancel_resize(*ongoing);
            if !session.is_broken() {
                confirm_step(&session, self.check_no_open_requests(&session))?;
            }
        }
        drop(session);
        self.world.order_end()?;
        self.leave_grid();
        self.world.leave();
        Ok(())
    }

    /// Waits in a new or parked process, whose role is `role`, until it is active or has left the job.
    pub(super) fn wait(&mut self, mut role: Role) -> Result<Outcome, Failure> {
        loop {
            role = match role {
                Role::Left => return Ok(Outcome::Leave),
                Role::Parked => self.world.wait_parked()?,
                Role::Active(now) => match self.join(now) {
                    Ok(()) => return Ok(Outcome::Resized),
                    Err(role) => role,
                },
            };
        }
    }
}

/// An array that a process has received and not registered yet.
struct ReceivedArray<'a, M> {
    array: &'a mut DealtArray<M>,
    grid: Option<JobGrid>,
}

impl<M: Allocation> ReceivedArray<'_, M> {
    fn hand_over(self, at: usize, mut variables: Box<dyn ArrayVariables<M>>) -> usize {
        let Self { array, grid } = self;
        let descriptor = array.map.as_ref().and_then(|map| array.new_descriptor(map, grid));
        variables.initialize(array.memory.take(), descriptor);
        array.variables = Some(variables);
        at
    }
}

fn wrong_item(at: usize, what: String) -> Failure {
    Failure::argument(format!(
        "registered item {at} of the job is not {what}, expected the same registrations on all ranks"
    ))
}

//! Executes redistributions phase by phase, several arrays together, without blocking.

mod staged;
mod workspace_cache;

use crate::exec::{PhaseExecution, Progress};
use crate::layout::strides::Shape;
use crate::pack::place::DeviceArray;
use crate::pack::{Destination, OwnedArray, Update};
use crate::plan::rank_plan::PieceOrder;
use crate::system::workers::Workers;
use crate::transport::Transport;
use crate::transport::error::Error;
use staged::Staged;
use std::sync::Arc;

pub use crate::exec::{Load, Workspace};
pub use workspace_cache::{CallSignature, WorkspaceCache};

/// Fails if a copy in a device's memory has failed.
pub(crate) fn check_devices<'d>(
    devices: impl IntoIterator<Item = &'d Arc<DeviceArray>>,
) -> Result<(), Error> {
    let failure = devices.into_iter().find_map(|device| device.fault());
    failure.map_or(Ok(()), |why| Err(Error::Device(why.to_string())))
}

/// Execution of redistributions that move together.
pub struct Execution<'a> {
    loads: Vec<Load<'a>>,
    order: PieceOrder,
    workers: Workers,
    /// Maximum number of phases of a load.
    phases: usize,
    /// Number of phases that have begun.
    begun: usize,
    /// Execution of the current phase.
    current: Option<PhaseExecution<'a>>,
    /// Single phase only: the workspace of an earlier execution, or of this one when it is done.
    workspace: Option<Workspace>,
    /// Several phases only: numbers of the loads in the current phase.
    loads_in_phase: Vec<usize>,
    /// Several phases only: intermediate arrays of each load.
    between: Vec<Intermediate>,
    /// Loads with stages before the first phase or after the last one.
    staged: Vec<Staged<'a>>,
    /// Arrays of the program in devices' memory, and exposed arrays of other ranks that could not be read.
    devices: Vec<Arc<DeviceArray>>,
    /// True if all ranks confirm the end of the call, so that a failed copy does not end it.
    tolerates_failures: bool,
}

/// Intermediate arrays of a load: those that the current phase reads and writes, and unused ones.
#[derive(Default)]
struct Intermediate {
    read: Option<OwnedArray>,
    written: Option<OwnedArray>,
    free: Vec<OwnedArray>,
}

impl<'a> Execution<'a> {
    /// Allocates all memory, and starts nothing. All loads, if any, are for one communicator. `workspace` comes from an
    /// execution of the same plans, with arrays of equal shapes at an equal distance. Fails if memory is missing.
    pub fn new(
        mut loads: Vec<Load<'a>>,
        workers: Workers,
        workspace: Option<Workspace>,
    ) -> Result<Self, Error> {
        let mut staged = Vec::new();
        let devices = loads.iter().flat_map(Load::devices).cloned().collect();
        for (k, load) in loads.iter_mut().enumerate() {
            let bytes = load.plan.problem.bytes(load.plan.element as u64);
            load.destination.iter_mut().for_each(|to| to.announce_write(bytes));
            staged.extend(Staged::prepare(k, load)?);
            if let Some(update) = load.update {
                load.destination = load.destination.take().map(|to| to.updated_by(update));
            }
        }
        let in_order = loads.iter().any(|load| load.plan.in_order);
        let first = loads.first().filter(|_| !in_order);
        let order = first.map_or(PieceOrder::ByMessage, |load| load.plan.order);
        let phases = loads.iter().map(|load| load.plan.phases.list.len()).max().unwrap_or(0);
        let several = loads.iter().filter(|_| phases > 1);
        let between = several.map(Intermediate::allocate).collect::<Result<_, Error>>()?;
        Ok(Self {
            loads,
            order,
            workers,
            phases,
            begun: 0,
            current: None,
            workspace,
            loads_in_phase: Vec::new(),
            between,
            staged,
            devices,
            tolerates_failures: false,
        })
    }

    /// Makes the execution go on after a failed copy in a device's memory. At the end the caller reports
    /// [`Self::device_failure`] to all ranks.
    pub fn tolerating_device_failures(self) -> Self {
        Self { tolerates_failures: true, ..self }
    }

    /// Returns whether a device has one of the arrays.
    pub fn uses_devices(&self) -> bool {
        !self.devices.is_empty()
    }

    /// Returns the first failure of a copy in a device's memory.
    pub fn device_failure(&self) -> Option<Error> {
        check_devices(&self.devices).err()
    }

    /// Returns the workspace of a finished execution, if it is reusable.
    pub fn into_workspace(self) -> Option<Workspace> {
        self.workspace.filter(|_| self.current.is_none() && self.begun == self.phases)
    }

    /// Sends the first messages while slots are free ([`PhaseExecution::send_ahead`]). Returns whether all early
    /// messages have been sent.
    pub fn send_ahead<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<bool, Error> {
        // Beginning the first phase writes arrays whose update reads no source, which must wait for the agreement.
        if self.loads.iter().any(Load::reads_no_source) {
            return Ok(true);
        }
        if self.begun == 0 && self.phases > 0 {
            self.begin_phase();
            self.check_devices()?;
        }
        let sent = self.current.as_mut().map_or(Ok(true), |execution| execution.send_ahead(transport))?;
        self.check_devices()?;
        Ok(sent)
    }

    fn check_devices(&self) -> Result<(), Error> {
        if self.tolerates_failures { Ok(()) } else { check_devices(&self.devices) }
    }

    /// Returns whether early messages to this rank are not unpacked yet.
    pub fn awaits_early(&self) -> bool {
        self.current.as_ref().is_some_and(PhaseExecution::awaits_early)
    }

    /// Rewinds the messages sent ahead, which their receivers drop.
    pub fn rewind(&mut self) {
        self.current.iter_mut().for_each(PhaseExecution::rewind);
    }

    pub fn advance<T: Transport<Error = Error>>(&mut self, transport: &mut T) -> Result<Progress, Error> {
        loop {
            if let Some(execution) = &mut self.current {
                let progress = execution.advance(transport)?;
                self.devices.extend(execution.take_failed());
                self.check_devices()?;
                if progress != Progress::Done {
                    return Ok(progress);
                }
            }
            self.end_phase();
            if self.begun == self.phases {
                self.finish();
                self.check_devices()?;
                return Ok(Progress::Done);
            }
            self.begin_phase();
            self.check_devices()?;
        }
    }

    /// Takes the arrays back from the phase: a later one may write a destination again.
    fn end_phase(&mut self) {
        let Some(execution) = self.current.take() else { return };
        let (loads, mut workspace) = execution.into_loads();
        if self.phases == 1 {
            workspace.keep_room(loads);
            self.workspace = Some(workspace);
            return;
        }
        for (k, load) in self.loads_in_phase.drain(..).zip(loads) {
            if load.plan.phases.writes_destination(self.begun - 1) {
                let later = self.loads[k].update.map(Update::accumulating);
                self.loads[k].destination =
                    load.destination.map(|to| later.into_iter().fold(to, Destination::updated_by));
            }
        }
    }

    /// Writes the stages to the program's arrays.
    fn finish(&mut self) {
        self.loads.clear();
        self.staged.drain(..).for_each(Staged::finish);
    }

    fn begin_phase(&mut self) {
        let (phase, order) = (self.begun, self.order);
        if phase == 0 {
            self.staged.iter_mut().for_each(|staged| staged.begin(&mut self.loads));
        }
        if phase == 0 {
            self.loads.iter_mut().filter(|load| load.reads_no_source()).for_each(Load::update_alone);
        }
        // A single phase has no intermediate arrays.
        let mut loads =
            if self.phases > 1 { self.phase_loads(phase) } else { std::mem::take(&mut self.loads) };
        loads.retain(|load| !load.reads_no_source());
        let mut execution = match self.workspace.take() {
            Some(workspace) => PhaseExecution::reuse(loads, phase, order, self.workers, workspace),
            None => PhaseExecution::new(loads, phase, order, self.workers),
        };
        if self.tolerates_failures {
            execution.tolerate_device_failures();
        }
        self.current = Some(execution);
        self.begun += 1;
    }

    /// Returns the loads that take part in a phase; each reads and writes the program's arrays or intermediate ones.
    fn phase_loads(&mut self, phase: usize) -> Vec<Load<'a>> {
        let mut all = Vec::with_capacity(self.loads.len());
        for (k, (load, between)) in self.loads.iter_mut().zip(&mut self.between).enumerate() {
            let planned = load.plan.clone();
            let phases = &planned.phases;
            if phase >= phases.list.len() || load.reads_no_source() {
                continue;
            }
            between.begin_phase();
            let source = match phases.reads_source(phase) {
                true => load.source.clone(),
                false => {
                    let read = between.read.as_mut().map(OwnedArray::source);
                    read.map(|source| source.repeated(phases.list[phase].repeats()))
                }
            };
            let destination = match phases.writes_destination(phase) {
                true => load.destination.take(),
                false => between.write(phases.list[phase].shape(planned.element).as_ref()),
            };
            self.loads_in_phase.push(k);
            all.push(Load { plan: planned, source, destination, update: None });
        }
        all
    }
}

impl Intermediate {
    /// Allocates as many arrays as are in use at a time. Each phase that writes the destination frees all of them.
    fn allocate(load: &Load<'_>) -> Result<Self, Error> {
        let missing = || Error::Memory("no memory for an intermediate array".into());
        let (plan, mut all) = (&load.plan, Self::default());
        let mut taken = Vec::new();
        for (number, phase) in plan.phases.list.iter().enumerate() {
            if plan.phases.writes_destination(number) {
                all.free.append(&mut taken);
            } else if let Some(shape) = phase.shape(plan.element) {
                let known = all.take(&shape);
                taken.push(known.or_else(|| OwnedArray::new(shape)).ok_or_else(missing)?);
            }
        }
        Ok(all)
    }

    fn take(&mut self, shape: &Shape) -> Option<OwnedArray> {
        let at = self.free.iter().position(|array| array.shape() == shape)?;
        Some(self.free.swap_remove(at))
    }

    /// Makes the array that the last phase wrote the one to read.
    fn begin_phase(&mut self) {
        self.free.extend(self.read.take());
        self.read = self.written.take();
    }

    /// Returns the array to write; `None` outside the grid.
    fn write(&mut self, shape: Option<&Shape>) -> Option<Destination<'static>> {
        self.written =
            shape.map(|shape| self.take(shape).expect("there are as many as are needed at a time"));
        self.written.as_mut().map(OwnedArray::destination)
    }
}

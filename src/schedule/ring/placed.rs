//! WHICH message of a process goes in a step of a lap? Asked of a formula and of exceptions to it, without a list of messages.

use super::beat::Beat;
use super::lap::Lap;
use super::set::Set;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// No step yet.
const NONE: u32 = u32::MAX;

/// A message, by what makes it one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// An inner block and its head.
    Head(u64),
    /// The outer process that is a further one of an inner block.
    Other(u32),
}

/// A process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Port {
    Outer(u32),
    Inner(u32),
}

/// Steps that follow from no formula.
#[derive(Clone, Debug)]
pub struct Exceptions {
    /// By outer process: the step in which it meets the inner block that it is a further one of, if it is.
    further: Arc<Vec<u32>>,
    /// Inner blocks that meet their heads in another step than that of the formula.
    moved: Arc<BTreeMap<u64, u32>>,
}

/// Messages with their steps, some of which may have none yet.
pub struct Placed<'a> {
    pub lap: &'a Lap<'a>,
    pub beat: Beat,
    further: Vec<u32>,
    moved: BTreeMap<u64, u32>,
    /// Inner processes that have moved blocks.
    stirred: BTreeSet<u32>,
}

impl Exceptions {
    /// The step of inner block `block` and its head.
    pub fn of_head(&self, block: u64, beat: &Beat) -> u64 {
        self.moved.get(&block).map_or_else(|| beat.step(block), |&step| step.into())
    }

    /// The step of process `coord` and the block that it is a further one of.
    pub fn of_other(&self, coord: u32) -> u64 {
        self.further[coord as usize].into()
    }
}

impl<'a> Placed<'a> {
    /// Heads as the formula has them; others have no step.
    pub fn new(lap: &'a Lap<'a>, beat: Beat) -> Self {
        let further = vec![NONE; lap.procs() as usize];
        Self { lap, beat, further, moved: BTreeMap::new(), stirred: BTreeSet::new() }
    }

    /// The ends of a message.
    pub fn ends(&self, message: Message) -> (u32, u32) {
        match message {
            Message::Head(block) => (self.lap.head(block), self.lap.inner_process(block)),
            Message::Other(coord) => (coord, self.lap.begins_with(coord)),
        }
    }

    /// Puts a message in a step; in none, if that is `None`.
    pub fn put(&mut self, message: Message, step: Option<u64>) {
        let step = step.and_then(|step| u32::try_from(step).ok()).unwrap_or(NONE);
        match message {
            Message::Other(coord) => self.further[coord as usize] = step,
            Message::Head(block) if u64::from(step) == self.beat.step(block) => {
                self.moved.remove(&block);
            }
            Message::Head(block) => {
                self.moved.insert(block, step);
                self.stirred.insert(self.lap.inner_process(block));
            }
        }
    }

    /// The message of a process in a step.
    pub fn message(&self, port: Port, step: u64) -> Option<Message> {
        match port {
            Port::Outer(coord) => self.of_outer(coord, step),
            Port::Inner(process) => self.of_inner(process, step),
        }
    }

    fn of_outer(&self, coord: u32, step: u64) -> Option<Message> {
        if u64::from(self.further[coord as usize]) == step {
            return Some(Message::Other(coord));
        }
        let blocks = self.lap.headed(coord);
        let moved = || self.moved.range(blocks.clone()).find(|moved| u64::from(*moved.1) == step);
        let stays = |block: &u64| !self.moved.contains_key(block);
        let found = self.beat.find(blocks.clone(), step).find(stays);
        found.or_else(|| moved().map(|moved| *moved.0)).map(Message::Head)
    }

    fn of_inner(&self, process: u32, step: u64) -> Option<Message> {
        // Where they met before, this is no message.
        let is_first = |block: &u64| self.lap.headed(self.lap.head(*block)).contains(block);
        let mut blocks = self.blocks(process).filter(|&(_, at)| at == Some(step)).map(|(block, _)| block);
        let mut others = self.lap.others_of(process).iter().map(|other| other.1);
        let mut other = || others.find(|&coord| u64::from(self.further[coord as usize]) == step);
        blocks.find(is_first).map(Message::Head).or_else(|| other().map(Message::Other))
    }

    /// The blocks of an inner process, and their steps.
    fn blocks(&self, process: u32) -> impl Iterator<Item = (u64, Option<u64>)> {
        let stirred = self.stirred.contains(&process);
        self.beat.of_process(process.into(), self.lap.inner.count).map(move |(block, step)| {
            let moved = if stirred { self.moved.get(&block) } else { None };
            (block, moved.map_or(Some(step), |&step| (step != NONE).then_some(step.into())))
        })
    }

    /// The steps of a process; perhaps some in which it meets again whom it has met.
    pub fn taken(&self, port: Port) -> Set {
        let mut set = Set::default();
        let insert_other = |coord: u32, set: &mut Set| {
            let step = self.further[coord as usize];
            if step != NONE {
                set.insert(step.into());
            }
        };
        match port {
            Port::Outer(coord) => {
                let blocks = self.lap.headed(coord);
                let mut from = blocks.start;
                for (&block, &step) in self.moved.range(blocks.clone()) {
                    self.beat.add(from..block, &mut set);
                    if step != NONE {
                        set.insert(step.into());
                    }
                    from = block + 1;
                }
                self.beat.add(from..blocks.end, &mut set);
                insert_other(coord, &mut set);
            }
            Port::Inner(process) => {
                self.blocks(process).filter_map(|(_, step)| step).for_each(|step| set.insert(step));
                self.lap.others_of(process).iter().for_each(|other| insert_other(other.1, &mut set));
            }
        }
        set
    }

    /// What is to be asked for steps from now on.
    pub fn exceptions(self) -> Exceptions {
        Exceptions { further: Arc::new(self.further), moved: Arc::new(self.moved) }
    }
}

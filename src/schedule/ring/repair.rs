//! WHERE do messages go that the formula has no step for? In steps that are free at both ends, if need be after others have been
//! moved. It does not know where the formula comes from.
//!
//! These messages are the others of a lap, and a few heads whose formula clashes at the end of a round. There are as many steps
//! as messages of a process at the most, so each end has a free one: f at the outer end, g at the inner one. If these differ,
//! follow the messages in f, g, f, ... from the inner end. The path that they form never comes to the outer end, as that has none
//! in f (König). Swapping f and g along it makes f free at both ends. The same goes for g, from the outer end.
//!
//! Most others find a step that is free at both ends. Of the rest, most find a path of one message. Work is bounded: where many
//! paths are long, others go behind all heads, as if there were no repairs.

use super::super::without;
use super::beat::Beat;
use super::lap::Lap;
use super::placed::{Exceptions, Message, Placed, Port};
use super::set::{self, Set};

/// The longest paths that are looked for among all pairs of free steps, one after the other.
const SHORT: [usize; 3] = [1, 3, 8];
/// Free steps of an end that are looked at, at the most.
const FEW: usize = 8;
/// Messages that are followed in all, at the most: so many, and one for every [`SHARE`] processes of the outer side.
const FOLLOWED: usize = 1 << 14;
const SHARE: usize = 4;
/// At least as many are followed for each message that finds no free step, or else it is not worth the time to begin.
const EACH: usize = 2;

/// The steps of all messages of a lap.
pub struct Steps {
    pub beat: Beat,
    /// How many there are behind those of the formula.
    pub behind: u64,
    pub exceptions: Exceptions,
}

impl Steps {
    /// The fewest that are found; `None` if the formula has none.
    pub fn new(lap: &Lap) -> Option<Self> {
        Self::fewest(lap, FOLLOWED + lap.procs() as usize / SHARE).or_else(|| Self::unrepaired(lap))
    }

    /// As many as messages of a process, unless they are many, or more than `followed` messages would have to be followed.
    pub fn fewest(lap: &Lap, followed: usize) -> Option<Self> {
        if lap.most > set::MOST || without::is_out("repair") {
            return None;
        }
        let mut placed = Placed::new(lap, Beat::spread(lap.most, lap.rounds(), lap.inner.procs)?);
        let mut left = clashing(&placed);
        left.iter().for_each(|&message| placed.put(message, None));
        left.extend(place_others(&mut placed).into_iter().map(|(_, coord)| Message::Other(coord)));
        if left.len() > followed / EACH {
            return None;
        }
        let mut repair = Repair { placed, followed };
        left.into_iter().try_for_each(|message| repair.place(message))?;
        Some(Self { beat: repair.placed.beat, behind: 0, exceptions: repair.placed.exceptions() })
    }

    /// Heads as the formula has them, others that find none of their steps free behind them.
    pub fn unrepaired(lap: &Lap) -> Option<Self> {
        let beat = Beat::least(lap.heads.min(lap.inner.procs), lap.rounds(), lap.inner.procs)?;
        let mut placed = Placed::new(lap, beat);
        let left = place_others(&mut placed);
        let mut most = 0;
        for of_one in left.chunk_by(|a, b| a.0 == b.0) {
            for (behind, &(_, coord)) in (0..).zip(of_one) {
                placed.put(Message::Other(coord), Some(beat.steps + behind));
            }
            most = most.max(of_one.len() as u64);
        }
        Some(Self { beat, behind: most, exceptions: placed.exceptions() })
    }
}

/// Blocks whose heads meet another one in the same step: the second ones. They lie behind the end of a round.
fn clashing(placed: &Placed) -> Vec<Message> {
    let (lap, beat) = (placed.lap, placed.beat);
    let mut clashing = Vec::new();
    for end in (1..lap.rounds()).map(|round| round * lap.inner.procs) {
        let blocks = lap.headed(lap.head(end));
        if blocks.start < end {
            let mut before = Set::default();
            beat.add(blocks.start..end.min(blocks.end), &mut before);
            clashing
                .extend((end..blocks.end).filter(|&block| before.has(beat.step(block))).map(Message::Head));
        }
    }
    clashing
}

/// Puts others in the first steps that are free at both ends: returns those that find none, by inner process.
pub fn place_others(placed: &mut Placed) -> Vec<(u32, u32)> {
    let (lap, beat) = (placed.lap, placed.beat);
    let mut left = Vec::new();
    if beat.steps > set::MOST {
        left.extend(lap.others().flat_map(|(_, of_one)| of_one));
        return left;
    }
    for (process, of_one) in lap.others() {
        let mut taken = Set::default();
        beat.of_process(process.into(), lap.inner.count).for_each(|(_, step)| taken.insert(step));
        for &(_, coord) in of_one {
            let mut own = Set::default();
            beat.add(lap.headed(coord), &mut own);
            match taken.first_free(&own, beat.steps) {
                Some(step) => {
                    taken.insert(step);
                    placed.put(Message::Other(coord), Some(step));
                }
                None => left.push((process, coord)),
            }
        }
    }
    left
}

struct Repair<'a> {
    placed: Placed<'a>,
    /// How many messages may still be followed.
    followed: usize,
}

impl Repair<'_> {
    /// Finds a step for a message that has none; `None` if that takes too long.
    fn place(&mut self, message: Message) -> Option<()> {
        let (outer, inner) = self.placed.ends(message);
        let ports = [Port::Outer(outer), Port::Inner(inner)];
        let [at_outer, at_inner] = ports.map(|port| self.placed.taken(port));
        let steps = self.placed.beat.steps;
        if let Some(step) = at_outer.first_free(&at_inner, steps) {
            self.placed.put(message, Some(step));
            return Some(());
        }
        for longest in SHORT.into_iter().chain([usize::MAX]) {
            for f in at_outer.free(steps).take(FEW) {
                for g in at_inner.free(steps).take(FEW) {
                    // The outer end has none in f, the inner one none in g.
                    for (port, (first, second)) in [(ports[1], (f, g)), (ports[0], (g, f))] {
                        if let Some(path) = self.path(port, (first, second), longest) {
                            self.swap(&path, (first, second));
                            self.placed.put(message, Some(first));
                            return Some(());
                        }
                        if self.followed == 0 {
                            return None;
                        }
                    }
                }
            }
        }
        None
    }

    /// The messages from `port` on that are in one of two steps, the first of them in the first one; `None` if there are more
    /// than `longest`.
    fn path(&mut self, port: Port, (first, second): (u64, u64), longest: usize) -> Option<Vec<Message>> {
        let (mut path, mut port) = (Vec::new(), port);
        for step in [first, second].into_iter().cycle() {
            let Some(message) = self.placed.message(port, step) else { break };
            if path.len() == longest {
                return None;
            }
            self.followed = self.followed.checked_sub(1)?;
            path.push(message);
            let (outer, inner) = self.placed.ends(message);
            port = if matches!(port, Port::Outer(_)) { Port::Inner(inner) } else { Port::Outer(outer) };
        }
        Some(path)
    }

    fn swap(&mut self, path: &[Message], (first, second): (u64, u64)) {
        for (&message, step) in path.iter().zip([second, first].into_iter().cycle()) {
            self.placed.put(message, Some(step));
        }
    }
}

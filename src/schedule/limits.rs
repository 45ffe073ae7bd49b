//! HOW FAR does planning go? All of its limits and constants, each with its unit and where it comes from. Times are those of one core
//! of 2020.
//!
//! They decide what is worth a look; they never decide whether a schedule is right. Elsewhere are only the sizes of data structures, and
//! what a single rival's row of the [`table`](super::table) says (from how many messages on a report leaves it out).

/// Messages that are listed one by one, blocks that are walked along, groups of a blown-up graph: 2 s and 100 MB.
pub const LISTED: u64 = 1 << 21;
/// Messages that are coloured once while a program waits, columns of a trapezoid that are counted: 0.2 s.
pub const COLOURED: u64 = 1 << 18;
/// Runs that are looked at to count what pairs of processes share: 0.5 s.
pub const LOOKED_AT: u64 = 1 << 25;
/// Messages, or ports, of what takes more than linear time while a program waits: a few ms.
pub const SLOW: u64 = 1 << 9;
/// Edges of the small graph of classes of one dimension: beyond, blocks are so long that they are few.
pub const CLASSES: u64 = 1 << 14;
/// What is looked at one after the other where nothing is listed (edges of products of small graphs, ways to choose stars, processes
/// of a side, rounds of blocks): a few ms.
pub const SCANNED: u64 = 1 << 12;
/// Rays of a star: the most messages of a port in a forest. More saved no steps in 600 large redistributions.
pub const RAYS: u32 = 8;
/// Steps more than needed at least that are tried to find some that suit all rounds of blocks.
pub const TRIALS: u64 = 64;
/// Block sizes between two that chains of phases go through: of more, as many spread over them.
pub const STOPS: usize = 12;

/// Redistributions for which a plan has to pay. Programs repeat them.
pub const REPEATED: f64 = 100.0;
/// The part of a redistribution's time that the best schedule saves, at the most as a rule: against others that are found by
/// listing messages, and against closed forms of sections without a whole period.
pub const SAVED: (f64, f64) = (0.25, 1.0);
/// Seconds a message: to search, for all rivals together; to list it, and to colour it once.
pub const LOOK: (f64, f64) = (10e-6, 1e-6);
/// Seconds to simulate a long message once.
pub const SIMULATE: f64 = 2e-6;
/// Orders of steps that are simulated, and messages in all of them: 15 ms.
pub const TRIES: (u64, u64) = (64, 1 << 13);
/// Messages that may be looked at one by one, to search and to list: for redistributions that are over at once, a ms or two ...
pub const LEAST: (u64, u64) = (1 << 7, 1 << 10);
/// ... and however long they take: 0.1 s.
pub const MOST: (u64, u64) = (1 << 14, 1 << 14);

/// Schedules within this part of the lowest price are compared by steps and cost, too, and an order of steps is kept if another one saves
/// no more: the model is no more exact.
pub const WORTH: f64 = 0.01;
/// Prices that differ by no more than this part of them are alike: no machine is known so exactly.
pub const ALIKE: f64 = 1e-3;
/// How many times the fewest steps a schedule may take before messages are coloured that are too many to search.
pub const EXCESS: f64 = 1.25;
/// How much longer than the model says schedules of cut messages are taken to last where they are not simulated: parts fit no buffers,
/// and a window of steps already lets ports go on that would wait.
pub const CUTTING: f64 = 1.25;

/// Bytes of a piece that MPI sends before its receiver is known to await it: Open MPI's limit over TCP.
pub const EAGER: u64 = 64 << 10;
/// Pieces of a window that are simulated: more make no difference.
pub const WINDOW: u64 = 16;
/// How much longer or shorter a simulated message may be: one part in so many. Orders that need exact times are seen from here on.
pub const DELAY: u64 = 10;
/// Simulations of one schedule, of up to so many messages in all of them: of many messages, some are always late.
pub const SIMULATIONS: (u64, u64) = (5, 1 << 10);

//! Limits and constants of planning, each with its unit and origin. Times are those of one core of 2020.
//!
//! They bound the effort of planning. Whether a schedule is correct never depends on them. Two kinds of limits stand
//! elsewhere: the sizes of data structures, and a scheduler's own limits in its row of the [`table`](super::table) (up
//! to how many messages reports show it).

/// Messages listed one by one, blocks walked along, or groups of a blown-up graph: 2 s and 100 MB.
pub const LISTED: u64 = 1 << 21;
/// Messages coloured once while a program waits, or columns of a trapezoid that are counted: 0.2 s.
pub const COLOURED: u64 = 1 << 18;
/// Runs examined to count the elements that pairs of processes share: 0.5 s.
pub const LOOKED_AT: u64 = 1 << 25;
/// Messages or ports of a search that takes more than linear time, while a program waits: a few ms.
pub const SLOW: u64 = 1 << 9;
/// Edges of the small graph of classes of one dimension. With more classes, blocks are so long that there are few of
/// them.
pub const CLASSES: u64 = 1 << 14;
/// Items scanned one by one if no messages are listed: edges of products of small graphs, ways to choose stars,
/// processes of a side, rounds of blocks. A few ms.
pub const SCANNED: u64 = 1 << 12;
/// Rays of a star: the most messages of a port in a forest. More rays saved no steps in 600 large redistributions.
pub const RAYS: u32 = 8;
/// Numbers of steps tried above the minimum, until one suits all rounds of blocks.
pub const TRIALS: u64 = 64;
/// Most intermediate block sizes that a chain of phases considers, evenly spread over all possible ones.
pub const STOPS: usize = 12;

/// Redistributions over which planning has to pay off: programs repeat them.
pub const REPEATED: f64 = 100.0;
/// Fraction of a redistribution's time that the best schedule saves, as a rule at most: (over schedules found by
/// listing messages, over closed forms of sections without a whole period).
pub const SAVED: (f64, f64) = (0.25, 1.0);
/// Seconds a message: (to search, for all schedulers together; to list a message and colour it once).
pub const LOOK: (f64, f64) = (10e-6, 1e-6);
/// Seconds to simulate a long message once.
pub const SIMULATE: f64 = 2e-6;
/// (Orders of steps that are simulated; messages simulated in all orders together): 15 ms.
pub const TRIES: (u64, u64) = (64, 1 << 13);
/// Lower limits of the planning budget, in messages (to search, to list), for redistributions that end at once: a ms or
/// two.
pub const LEAST: (u64, u64) = (1 << 7, 1 << 10);
/// Upper limits of the planning budget, in messages (to search, to list), however long redistributions take: 0.1 s.
pub const MOST: (u64, u64) = (1 << 14, 1 << 14);

/// Accuracy of the price model, as a fraction. Schedules this close to the lowest price are also compared by steps and
/// cost. Another order of steps must save more than this.
pub const WORTH: f64 = 0.01;
/// Relative difference of prices that count as equal: no machine is described more exactly.
pub const ALIKE: f64 = 1e-3;
/// Steps of a schedule, as a multiple of the fewest, beyond which more messages are coloured than may be searched.
pub const EXCESS: f64 = 1.25;
/// Factor on the modelled time of schedules that cut messages, if they are not simulated. Parts do not fit message
/// buffers, and a window of steps already lets waiting ports go on.
pub const CUTTING: f64 = 1.25;

/// Bytes of a piece that MPI sends without asking its receiver: Open MPI's limit over TCP.
pub const EAGER: u64 = 64 << 10;
/// Pieces of a window that are simulated. More make no difference.
pub const WINDOW: u64 = 16;
/// A simulated message may be longer or shorter by 1/`DELAY` of its length. From there on, orders that need exact times
/// show.
pub const DELAY: u64 = 10;
/// (Simulations of one schedule; messages simulated in all of them together). Among many messages some are always late,
/// so few simulations suffice.
pub const SIMULATIONS: (u64, u64) = (5, 1 << 10);

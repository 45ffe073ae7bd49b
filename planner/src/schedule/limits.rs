//! Limits and constants of planning, each with its unit and origin. A time or memory at the end of a comment is the
//! cost at the limit, on one core of a processor of 2020.
//!
//! Most limits bound the effort of planning; the others are parameters of prices and simulations. Whether a schedule is
//! correct never depends on them. Two kinds of limits are elsewhere: sizes of data structures, and the largest problem
//! of each scheduler in reports, which is in its row of the [`table`](super::table).

/// Maximum number of messages listed one by one, of blocks on a walk along a dimension, or of groups of a blown-up
/// graph: 2 s and 100 MB.
pub const MAX_LISTED: u64 = 1 << 21;
/// Maximum number of messages coloured once while a program waits, or of a trapezoid's columns that are counted: 0.2 s.
pub const MAX_COLOURED: u64 = 1 << 18;
/// Maximum number of runs examined to count the elements that pairs of processes share: 0.5 s.
pub const MAX_EXAMINED_RUNS: u64 = 1 << 25;
/// Maximum number of messages or ports of a search that takes more than linear time, while a program waits: a few ms.
pub const MAX_SLOW_SEARCH: u64 = 1 << 9;
/// Maximum number of edges of the small graph of classes of one dimension. With more classes, blocks are so long that a
/// dimension has few blocks.
pub const MAX_CLASSES: u64 = 1 << 14;
/// Maximum number of items scanned one by one if no messages are listed: edges of products of small graphs, ways to
/// choose stars, processes of a side, rounds of blocks, candidates for a divisor. A few ms.
pub const MAX_SCANNED: u64 = 1 << 12;
/// Maximum number of rays of a star, which are the messages of one port in a forest. More rays saved no steps in 600
/// large redistributions.
pub const MAX_RAYS: u32 = 8;
/// Maximum number of step counts that are tried, from the minimum on, until one is valid for all rounds of blocks.
pub const MAX_STEP_TRIALS: u64 = 64;
/// Maximum number of intermediate block sizes that a chain of phases considers in a dimension, spread evenly over all
/// possible sizes.
pub const MAX_INTERMEDIATE_SIZES: usize = 12;

/// Number of redistributions within which planning has to pay off: programs repeat redistributions.
pub const REPETITIONS: f64 = 100.0;
/// Fraction of a redistribution's time that planning is assumed to save: (a search, compared with a schedule of
/// messages coloured once; listing and colouring messages once, compared with a closed form for a section without a
/// whole period).
pub const SAVED_FRACTIONS: (f64, f64) = (0.25, 1.0);
/// Planning time per message, in seconds: (searches of all schedulers together; listing a message and colouring it
/// once).
pub const SECONDS_PER_MESSAGE: (f64, f64) = (10e-6, 1e-6);
/// Time to simulate a long message once, in seconds.
pub const SECONDS_PER_SIMULATION: f64 = 2e-6;
/// Maximum numbers of (orders of steps that are simulated; messages simulated in all orders together): 15 ms.
pub const MAX_SIMULATED: (u64, u64) = (64, 1 << 13);
/// Lower limits of the planning budget, in messages (to search, to list), for the shortest redistributions. Planning
/// then takes 1 to 2 ms.
pub const MIN_PLANNING_BUDGET: (u64, u64) = (1 << 7, 1 << 10);
/// Upper limits of the planning budget, in messages (to search, to list), however long redistributions take: 0.1 s.
pub const MAX_PLANNING_BUDGET: (u64, u64) = (1 << 14, 1 << 14);

/// Accuracy of the price model, as a fraction. Schedules this close to the lowest price are also compared by steps and
/// cost. Another order of steps is taken only if it saves more than this.
pub const PRICE_ACCURACY: f64 = 0.01;
/// Maximum relative difference of prices that count as equal: no machine's parameters are known more exactly.
pub const EQUAL_PRICES: f64 = 1e-3;
/// If the best schedule has more steps than this multiple of the minimum, messages are coloured even beyond the
/// planning budget.
pub const MAX_STEP_EXCESS: f64 = 1.25;
/// Factor on the modelled time of schedules that cut messages, if they are not simulated. Parts do not fill message
/// buffers, and the window of steps lets ports go on even with whole messages.
pub const CUTTING_FACTOR: f64 = 1.25;

/// Maximum bytes of a piece that MPI sends before its receive is posted: Open MPI's limit over TCP.
pub const EAGER_BYTES: u64 = 64 << 10;
/// Maximum number of pieces of a window that are simulated. More pieces make no difference.
pub const MAX_SIMULATED_WINDOW: u64 = 16;
/// A simulated message is longer or shorter by up to 1/`DELAY_DIVISOR` of its length. This suffices to expose orders
/// that depend on exact times.
pub const DELAY_DIVISOR: u64 = 10;
/// Maximum numbers of (simulations of one schedule; messages simulated in all of them together). Among many messages
/// some are always late, so one or a few simulations suffice.
pub const MAX_SIMULATIONS: (u64, u64) = (5, 1 << 10);

//! Measures one call, and the time that this rank only waited. Without a trace or a trial no clock is read.

use super::line::line;
use super::timeline::RECORDED_CALLS;
use super::{Measured, RankCall, TraceOptions, Transports, Ways, ledger, print_progress, report_writer};
use crate::plan::rank_plan::{RankPlan, WriteMode};
use crate::runtime::backoff;
use crate::runtime::session::Session;
use crate::system::settings::{Medium, Settings};
use crate::system::stderr;
use crate::transport::shm::{StoreKind, programs};
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub struct Trace {
    lines: bool,
    /// Time that this rank took to prepare the call.
    before: Duration,
    start: Instant,
    /// Time that this thread had waited before the call.
    waited: Duration,
    /// Number of arrays that this rank had exposed before the call.
    exposed: u64,
}

impl Trace {
    /// Starts the measurement of a call on `session`; `before` is its preparation time. `None` if nothing is to be
    /// measured.
    pub fn start(session: &Session, before: Duration) -> Option<Self> {
        // The call itself has already reported unusable settings.
        let options = TraceOptions::of_process().ok()?;
        let lines = options.lines && session.rank == 0;
        if !lines && !options.counts_calls() {
            return None;
        }
        if options.counts_calls() {
            backoff::watch();
            backoff::forget_waits();
            report_writer::ensure_report(session);
        }
        Some(Self {
            lines,
            before,
            start: Instant::now(),
            waited: backoff::waited(),
            exposed: session.exposed(),
        })
    }

    /// Ends the measurement: writes the lines of the call `what`, and counts it. The call executed all `plans` at once;
    /// each is counted with an equal share of the call's time.
    pub fn finish(&self, what: &dyn Display, session: &Session, plans: &[Arc<RankPlan>]) {
        let seconds = self.before + self.start.elapsed();
        let waited = backoff::waited().saturating_sub(self.waited);
        let (slots, exposes) = (session.store_kind(), session.exposed() > self.exposed);
        if self.lines {
            plans.iter().for_each(|plan| {
                let said = line(what, plan, (slots, exposes), seconds.as_secs_f64() * 1e3);
                match programs::counts() {
                    Some([_, elsewhere]) if elsewhere > 0 => {
                        stderr::line(format_args!("{said}; {elsewhere} large arrays in usual memory so far"));
                    }
                    _ => stderr::line(format_args!("{said}")),
                }
            });
        }
        if !backoff::is_watched() {
            return;
        }
        let share = 1.0 / f64::from(u32::try_from(plans.len()).unwrap_or(u32::MAX).max(1));
        let transports = transports(session);
        let mut ledger = ledger();
        for planned in plans {
            let call = Measured {
                what,
                planned,
                rank: (session.rank, session.ranks),
                seconds: seconds.as_secs_f64() * share,
                waiting: waited.as_secs_f64() * share,
                transports,
                ways: count_ways(planned.write_mode.get(), slots, exposes),
            };
            let number = ledger.record(&call);
            if number <= RECORDED_CALLS && plans.len() == 1 {
                ledger.figures(&call).timeline = vec![self.rank_call(number, session.rank)];
            }
        }
        drop(ledger);
        print_progress();
    }
}

impl Trace {
    /// Describes the call, which has just ended, for the timeline of all ranks.
    fn rank_call(&self, number: u64, rank: u32) -> RankCall {
        let elapsed = self.start.elapsed();
        // A clock before 1970 is wrong, and counts as 1970.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let begin = now.saturating_sub(elapsed).as_nanos();
        let wait = |(start, length): &(Instant, Duration)| {
            [start.saturating_duration_since(self.start).as_secs_f64(), length.as_secs_f64()]
        };
        RankCall {
            number,
            rank,
            begin_ns: u64::try_from(begin).unwrap_or(u64::MAX),
            seconds: elapsed.as_secs_f64(),
            waits: backoff::waits().iter().map(wait).collect(),
        }
    }
}

/// Writes the line of a call that this process made without other processes, and counts it, if requested.
pub fn record_own(what: &dyn Display, planned: &Arc<RankPlan>, time: Duration) {
    let Ok(options) = TraceOptions::of_process() else { return };
    let (rank, seconds) = ((planned.me.rank.0, planned.me.ranks), time.as_secs_f64());
    if options.lines && rank.0 == 0 {
        stderr::line(format_args!("{}", line(what, planned, (None, false), seconds * 1e3)));
    }
    if options.counts_calls() {
        report_writer::ensure_own_report();
        let (transports, ways) = (Transports::default(), count_ways(WriteMode::ByMessage, None, false));
        ledger().record(&Measured { what, planned, rank, seconds, waiting: 0.0, transports, ways });
    }
}

/// Returns, as counts of one call, how a rank wrote its array and its slots, and whether it exposed its array.
fn count_ways(write_mode: WriteMode, slots: Option<StoreKind>, exposes: bool) -> Ways {
    let arrays = |way| u64::from(write_mode == way);
    let with = |way| u64::from(slots == Some(way));
    Ways {
        by_message: arrays(WriteMode::ByMessage),
        gathered: arrays(WriteMode::Gathered),
        written_out: arrays(WriteMode::WrittenOut),
        cached: with(StoreKind::Cached),
        streamed: with(StoreKind::Streamed),
        exposed: exposes.into(),
    }
}

/// Returns, as counts of one call, the transport that is available to messages on `session`.
pub fn transports(session: &Session) -> Transports {
    let by_mpi = Settings::of_process().is_ok_and(|settings| settings.medium == Medium::Mpi);
    let (memory, both) = match session.node_info() {
        Some(facts) if facts.one_node && !by_mpi => (1, 0),
        Some(_) if !by_mpi && session.shares_memory() => (0, 1),
        _ => (0, 0),
    };
    Transports { memory, both, mpi: 1 - memory - both }
}

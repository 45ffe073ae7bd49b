//! Summary of a run in a sentence: the seconds of each library in redistributions, their share of the run, the time
//! that reblock saves, and whether the results are equal. Unknown figures are `None`.

use super::chance::{MIN_CALLS, MIN_DIFFERENCE, Pairs};
use super::units::{count_text, ratio as factor};
use super::{Report, TracedJob, Versus, duration};
use serde::Serialize;

/// Summary of a run, in numbers and words.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// Calls that reblock made, alone or beside ScaLAPACK.
    pub calls: u64,
    /// Calls that both libraries made.
    pub compared: u64,
    /// Compared calls whose results differed on some rank.
    pub different: u64,
    /// Elements of all ranks that the libraries rounded differently.
    pub rounded: u64,
    /// Calls set aside ([`TracedJob::aside`]). If reblock made them, `calls` includes them.
    pub aside: u64,
    /// Seconds of ScaLAPACK in the compared calls; `None` if no call was compared.
    pub scalapack: Option<f64>,
    /// Seconds of reblock in the compared calls. If there are none: in all calls, first calls on the slowest rank,
    /// later calls as the mean of the ranks that made them.
    pub reblock: f64,
    /// Seconds of the run; after a comparison, an estimate of the run with ScaLAPACK alone.
    pub run: f64,
    /// Fraction of the run that ScaLAPACK spends in the compared calls; if there are none, that reblock spends in all
    /// calls.
    pub share: f64,
    /// ScaLAPACK's time divided by reblock's.
    pub ratio: Option<f64>,
    /// Seconds that reblock saves in the compared calls; negative if it takes longer.
    pub saved: Option<f64>,
    /// True if the times differ by more than chance explains; if false, `ratio` should not be quoted. `None` without
    /// comparison, and for reports of former versions.
    pub shown: Option<bool>,
    /// Ranks, cores and load, and the cause of varying times; empty if unknown.
    pub conditions: String,
    /// The summary in a sentence or two.
    pub sentence: String,
}

impl Verdict {
    /// Summarises the counts of `report`.
    pub fn of(report: &Report) -> Self {
        let figures = || report.shapes.iter().map(|entry| &entry.figures);
        let made = |versus: &&Versus| versus.compared > 0;
        let trials: Vec<&Versus> = figures().filter_map(|f| f.versus.as_ref()).filter(made).collect();
        let add = |of: fn(&Versus) -> f64| trials.iter().map(|&versus| of(versus)).sum::<f64>();
        let count = |of: fn(&Versus) -> u64| total(trials.iter().map(|&versus| of(versus)));
        let ours = add(|v| v.first[0] + v.ours.total());
        let theirs = add(|v| v.first[1] + v.theirs.total());
        let was_compared = !trials.is_empty();
        let pairs = trials.iter().try_fold(Pairs::default(), |all, versus| Some(all.and(versus.pairs()?)));
        let alone = figures().map(|f| f.first + f.time.total() / real(f.participants.max(1))).sum();
        let reblock = if was_compared { ours } else { alone };
        let scalapack = was_compared.then_some(theirs);
        let in_calls = scalapack.unwrap_or(reblock);
        let other = if was_compared { add(|v| v.spent) - theirs } else { 0.0 };
        let run = (report.job.seconds - other).max(in_calls);
        let mut verdict = Self {
            calls: total(figures().map(|f| f.calls)),
            compared: count(|v| v.compared),
            different: count(|v| v.different),
            rounded: count(|v| v.rounded),
            aside: total(report.job.aside.values().copied()),
            scalapack,
            reblock,
            run,
            share: if run > 0.0 { in_calls / run } else { 0.0 },
            ratio: scalapack.map(|theirs| theirs / ours.max(1e-9)),
            saved: scalapack.map(|theirs| theirs - ours),
            shown: pairs.filter(|_| was_compared).map(Pairs::differ),
            conditions: conditions(&report.job),
            sentence: String::new(),
        };
        verdict.sentence = verdict.in_words(&report.job, pairs.unwrap_or_default());
        verdict
    }

    fn in_words(&self, job: &TracedJob, pairs: Pairs) -> String {
        let calls = |n: u64| count_text(n, "redistribution");
        if self.calls == 0 && self.aside == 0 {
            return "The program made no redistributions that reblock knows of.".into();
        }
        let (Some(theirs), Some(ratio), Some(saved)) = (self.scalapack, self.ratio, self.saved) else {
            return self.without_comparison(job);
        };
        if job.trial.as_deref() == Some("same") {
            return format!(
                "ScaLAPACK was compared with itself in {}: the ratio of its times was {ratio:.2}. \
                 Ratios that are as near to 1 mean nothing on this machine.",
                calls(self.compared),
            );
        }
        let equal = match self.different {
            0 if self.rounded > 0 => {
                format!(
                    "All results are equal, but for {} rounded differently.",
                    count_text(self.rounded, "element")
                )
            }
            0 => "All results are equal bit for bit.".into(),
            n => format!("RESULTS DIFFER in {n} of {}: do not switch, and report it.", calls(self.compared)),
        };
        let gain = match saved {
            s if s >= 0.0 => format!("the run would be {} shorter ({})", duration(s), percent(s / self.run)),
            s => format!("the run would be {} longer ({})", duration(-s), percent(-s / self.run)),
        };
        let others = match self.aside {
            0 => String::new(),
            n => format!(" {n} more could not be compared: {}.", reasons(job)),
        };
        let arrays = match job.arrays {
            Some(arrays) if arrays.node > 0 => {
                " Both had the program's large arrays in memory that ranks of the node read (REBLOCK_ARRAYS)."
            }
            _ => "",
        };
        let difference = match self.shown {
            Some(false) => self.nothing_shown(pairs),
            _ => format!("{} times as fast; {gain}.{}", factor(ratio), warning(job)),
        };
        format!(
            "ScaLAPACK spent {} of about {} ({}) in {}, reblock {}: {difference} {equal}{others}{arrays}",
            duration(theirs),
            duration(self.run),
            percent(self.share),
            calls(self.compared),
            duration(self.reblock),
        )
    }

    /// Returns a sentence: chance may explain the difference, and why the run shows no more.
    fn nothing_shown(&self, pairs: Pairs) -> String {
        let why = match self.compared {
            few if few < MIN_CALLS => {
                format!("{}, and a verdict takes at least {MIN_CALLS}", count_text(few, "call"))
            }
            n if pairs.are_close() => {
                format!("{}, and less than {} apart", count_text(n, "call"), percent(MIN_DIFFERENCE))
            }
            n => format!("times of {} vary too much", count_text(n, "call")),
        };
        let conditions = match self.conditions.as_str() {
            "" => String::new(),
            known => format!("; {known}"),
        };
        format!("no difference that this run can show ({why}{conditions}).")
    }

    fn without_comparison(&self, job: &TracedJob) -> String {
        let reblock = match self.calls {
            0 => "ScaLAPACK made them alone.".into(),
            n => format!(
                "reblock spent {} of {} ({}) in {}.",
                duration(self.reblock),
                duration(self.run),
                percent(self.share),
                count_text(n, "redistribution"),
            ),
        };
        match job.trial {
            Some(_) => format!("No call could be compared: {}. {reblock}", reasons(job)),
            None => format!("{reblock} A run with REBLOCK_TRIAL=1 compares it with ScaLAPACK."),
        }
    }
}

/// Describes ranks, cores and load, and the cause of varying times.
fn conditions(job: &TracedJob) -> String {
    let crowded = job.origin.unreliable_reason().map_or(String::new(), |why| format!(": {why}"));
    job.origin.room() + &crowded
}

/// Returns a warning of varying times, if the job has a cause for them; otherwise an empty text.
fn warning(job: &TracedJob) -> String {
    match job.origin.unreliable_reason() {
        Some(_) => format!(" Times may be others in the next run ({}).", conditions(job)),
        None => String::new(),
    }
}

/// Lists the reasons why calls of a trial were not compared, with their numbers.
fn reasons(job: &TracedJob) -> String {
    if job.aside.is_empty() {
        return "ScaLAPACK has no routine for what the program called".into();
    }
    let reasons = job.aside.iter().map(|(why, &calls)| format!("{why} ({})", count_text(calls, "call")));
    reasons.collect::<Vec<_>>().join("; ")
}

/// Adds counts; saturates, since a forged trace may contain any number.
fn total(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// Formats a fraction in percent, below 10 % with one decimal place.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p < 0.1 => "less than 0.1 %".into(),
        p if p < 10.0 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

#[allow(clippy::cast_precision_loss, reason = "ranks are far below 2^53")]
fn real(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests;

//! WHAT does a run say, in a sentence? Seconds in redistribution by each library, their share of the run, what reblock saves,
//! and whether results were equal. It adds up what was counted; what it cannot know is none.

use super::table::{counted, ratio as factor};
use super::{Job, Report, Versus, duration};
use serde::Serialize;

/// What a run says.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Verdict {
    /// Calls that reblock made, alone or beside ScaLAPACK.
    pub calls: u64,
    /// Calls that both libraries made.
    pub compared: u64,
    /// Calls of which results differed on some rank.
    pub different: u64,
    /// Calls that a trial left to one library. Where that is reblock, they are among `calls`, too.
    pub aside: u64,
    /// Seconds in the calls that both made, by ScaLAPACK; `None` where no call was compared.
    pub scalapack: Option<f64>,
    /// The same by reblock; where no call was compared, seconds in all calls, on the mean of the ranks that made them.
    pub reblock: f64,
    /// Seconds of the run; where calls were compared, about as it would be with ScaLAPACK alone.
    pub run: f64,
    /// Its share in these calls: by ScaLAPACK where they were compared, else by reblock.
    pub share: f64,
    /// How many times as fast reblock is.
    pub ratio: Option<f64>,
    /// Seconds that reblock saves; negative if it takes more.
    pub saved: Option<f64>,
    /// All this, in a sentence or two.
    pub sentence: String,
}

impl Verdict {
    /// Of a run.
    pub fn of(report: &Report) -> Self {
        let figures = || report.shapes.iter().map(|entry| &entry.figures);
        let made = |versus: &&Versus| versus.compared > 0;
        let trials: Vec<&Versus> = figures().filter_map(|f| f.versus.as_ref()).filter(made).collect();
        let add = |of: fn(&Versus) -> f64| trials.iter().map(|&versus| of(versus)).sum::<f64>();
        let count = |of: fn(&Versus) -> u64| all(trials.iter().map(|&versus| of(versus)));
        let ours = add(|v| v.first[0] + v.ours.total());
        let theirs = add(|v| v.first[1] + v.theirs.total());
        let was_compared = !trials.is_empty();
        let alone = figures().map(|f| f.first + f.time.total() / real(f.participants.max(1))).sum();
        let reblock = if was_compared { ours } else { alone };
        let scalapack = was_compared.then_some(theirs);
        let in_calls = scalapack.unwrap_or(reblock);
        let other = if was_compared { add(|v| v.spent) - theirs } else { 0.0 };
        let run = (report.job.seconds - other).max(in_calls);
        let mut verdict = Self {
            calls: all(figures().map(|f| f.calls)),
            compared: count(|v| v.compared),
            different: count(|v| v.different),
            aside: all(report.job.aside.values().copied()),
            scalapack,
            reblock,
            run,
            share: if run > 0.0 { in_calls / run } else { 0.0 },
            ratio: scalapack.map(|theirs| theirs / ours.max(1e-9)),
            saved: scalapack.map(|theirs| theirs - ours),
            sentence: String::new(),
        };
        verdict.sentence = verdict.in_words(&report.job);
        verdict
    }

    fn in_words(&self, job: &Job) -> String {
        let calls = |n: u64| counted(n, "redistribution");
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
        format!(
            "ScaLAPACK spent {} of about {} ({}) in {}, reblock {}: {} times as fast; {gain}. {equal}{others}",
            duration(theirs),
            duration(self.run),
            percent(self.share),
            calls(self.compared),
            duration(self.reblock),
            factor(ratio),
        )
    }

    fn without_comparison(&self, job: &Job) -> String {
        let reblock = match self.calls {
            0 => "ScaLAPACK made them alone.".into(),
            n => format!(
                "reblock spent {} of {} ({}) in {}.",
                duration(self.reblock),
                duration(self.run),
                percent(self.share),
                counted(n, "redistribution"),
            ),
        };
        match job.trial {
            Some(_) => format!("No call could be compared: {}. {reblock}", reasons(job)),
            None => format!("{reblock} A run with REBLOCK_TRIAL=1 compares it with ScaLAPACK."),
        }
    }
}

/// Why calls of a trial were not compared, and how many.
fn reasons(job: &Job) -> String {
    if job.aside.is_empty() {
        return "ScaLAPACK has no routine for what the program called".into();
    }
    let reasons = job.aside.iter().map(|(why, &calls)| format!("{why} ({})", counted(calls, "call")));
    reasons.collect::<Vec<_>>().join("; ")
}

/// All of them together; what a forged trace counts may be more than there are numbers.
fn all(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// Percent, to two digits where there are few.
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
mod tests {
    use super::super::shape::tests::problem;
    use super::super::{Figures, Job, Shape};
    use super::*;

    fn report(seconds: f64, figures: Figures) -> Report {
        let shape = Shape::of("PDGEMR2D", &problem(0), 8, 2);
        let trial = figures.versus.as_ref().map(|_| "1".into());
        Report::of(Job { seconds, trial, ..Job::default() }, &[(shape, figures)])
    }

    fn trial(times: [f64; 2], different: bool) -> Report {
        let mut versus = Versus::default();
        versus.record(times, [0, 0], times[0] + times[1] + 1.0, different);
        versus.record(times, [0, 0], times[0] + times[1] + 1.0, false);
        report(30.0, Figures { calls: 2, participants: 2, versus: Some(versus), ..Figures::default() })
    }

    #[test]
    fn a_trial_says_what_is_gained() {
        // 30 s are 2 x (1 + 4 + 1) s of the trial and 18 s of the rest, to which ScaLAPACK adds 8 s.
        let verdict = Verdict::of(&trial([1.0, 4.0], false));
        assert_eq!((verdict.scalapack, verdict.reblock, verdict.run), (Some(8.0), 2.0, 26.0));
        assert_eq!((verdict.ratio, verdict.saved, verdict.different), (Some(4.0), Some(6.0), 0));
        assert_eq!(
            verdict.sentence,
            "ScaLAPACK spent 8.000 s of about 26.000 s (31 %) in 2 redistributions, reblock 2.000 s: 4.0 times as fast; \
             the run would be 6.000 s shorter (23 %). All results are equal bit for bit."
        );
    }

    #[test]
    fn it_says_what_is_lost_and_wrong() {
        let mut report = trial([4.0, 1.0], true);
        report.job.aside.insert("too large".into(), 3);
        let verdict = Verdict::of(&report);
        assert_eq!((verdict.different, verdict.aside), (1, 3));
        let aside = "3 more could not be compared: too large (3 calls).";
        for part in ["6.000 s longer", "RESULTS DIFFER in 1 of 2 redistributions", aside] {
            assert!(verdict.sentence.contains(part), "{part}: {}", verdict.sentence);
        }
    }

    #[test]
    fn a_trial_without_comparison_says_why() {
        let mut time = super::super::Spread::default();
        [1.0, 1.0].iter().for_each(|&t| time.record(t));
        let figures = Figures { calls: 2, participants: 2, first: 1.0, time, ..Figures::default() };
        let mut by_reblock = report(20.0, figures);
        by_reblock.job.trial = Some("1".into());
        by_reblock.job.aside.insert("there is no other".into(), 2);
        let verdict = Verdict::of(&by_reblock);
        assert_eq!((verdict.compared, verdict.aside, verdict.scalapack), (0, 2, None));
        assert_eq!(
            verdict.sentence,
            "No call could be compared: there is no other (2 calls). reblock spent 2.000 s of 20.000 s (10 %) in \
             2 redistributions."
        );
        let aside = [("no memory".to_string(), 1), ("too large".to_string(), 3)].into();
        let job = Job { trial: Some("1".into()), aside, ..Job::default() };
        assert_eq!(
            Verdict::of(&Report::of(job, &[])).sentence,
            "No call could be compared: no memory (1 call); too large (3 calls). ScaLAPACK made them alone."
        );
    }

    #[test]
    fn forged_counts_do_not_overflow() {
        let mut versus = Versus { compared: u64::MAX, different: u64::MAX, ..Versus::default() };
        versus.record([1.0, 1.0], [0, 0], 2.0, true);
        let figures = Figures { calls: u64::MAX, versus: Some(versus), ..Figures::default() };
        let mut forged = report(1.0, figures.clone());
        forged.shapes.push(forged.shapes[0].clone());
        forged.job.aside = [("a".to_string(), u64::MAX), ("b".to_string(), 1)].into();
        let verdict = Verdict::of(&forged);
        let all = [verdict.calls, verdict.compared, verdict.different, verdict.aside];
        assert_eq!(all, [u64::MAX; 4]);
    }

    #[test]
    fn other_runs_say_what_they_can() {
        let mut time = super::super::Spread::default();
        [1.0, 1.0].iter().for_each(|&t| time.record(t));
        let figures = Figures { calls: 2, participants: 2, first: 1.0, time, ..Figures::default() };
        let verdict = Verdict::of(&report(20.0, figures));
        assert_eq!((verdict.reblock, verdict.share, verdict.scalapack), (2.0, 0.1, None));
        assert!(verdict.sentence.starts_with("reblock spent 2.000 s of 20.000 s (10 %) in 2 redist"));
        let nothing = Verdict::of(&Report::of(Job::default(), &[]));
        assert_eq!(nothing.sentence, "The program made no redistributions that reblock knows of.");
        let mut same = trial([1.0, 1.0], false);
        same.job.trial = Some("same".into());
        assert!(Verdict::of(&same).sentence.contains("ratio of its times was 1.00"));
    }
}

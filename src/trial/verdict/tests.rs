use super::*;
use crate::trial::call_shape::tests::problem;
use crate::trial::{CallShape, Node, Origin, ProgramArrays, Statistics, TracedJob};

fn report(seconds: f64, figures: Statistics) -> Report {
    let shape = CallShape::of("PDGEMR2D", &problem(0), 8, 2);
    let trial = figures.versus.as_ref().map(|_| "1".into());
    Report::of(TracedJob { seconds, trial, ..TracedJob::default() }, &[(shape, figures)])
}

/// Builds a report of `calls` calls with these times of both libraries; the results of the first call may differ.
fn trial(calls: u64, times: [f64; 2], different: bool) -> Report {
    let mut versus = Versus::default();
    for call in 0..calls {
        versus.record(times, [0, 0], times[0] + times[1] + 1.0, different && call == 0);
    }
    report(90.0, Statistics { calls, participants: 2, versus: Some(versus), ..Statistics::default() })
}

/// Builds the origin of a report from one node, with two ranks on `cores` at this load.
fn on(cores: &str, load: f64) -> Origin {
    let node = Node { ranks: 2, cores: cores.to_string().into(), load };
    Origin { nodes: [("here".to_string(), node)].into(), ..Origin::default() }
}

#[test]
fn a_trial_says_what_is_gained() {
    // The 90 s are 10 x (1 + 4 + 1) s of the trial and 30 s outside it. A run with ScaLAPACK takes 30 s + 10 x 4 s.
    let verdict = Verdict::of(&trial(10, [1.0, 4.0], false));
    assert_eq!((verdict.scalapack, verdict.reblock, verdict.run), (Some(40.0), 10.0, 70.0));
    assert_eq!((verdict.ratio, verdict.saved, verdict.different), (Some(4.0), Some(30.0), 0));
    assert_eq!(verdict.shown, Some(true));
    assert_eq!(
        verdict.sentence,
        "ScaLAPACK spent 40.000 s of about 70.000 s (57 %) in 10 redistributions, reblock 10.000 s: 4.0 times as fast; \
         the run would be 30.000 s shorter (43 %). All results are equal bit for bit."
    );
}

#[test]
fn it_says_where_both_had_their_arrays() {
    let sentence = |arrays| {
        let mut report = trial(10, [1.0, 4.0], false);
        report.job.arrays = arrays;
        Verdict::of(&report).sentence
    };
    let [without, none] = [None, Some(ProgramArrays { usual: 3, ..Default::default() })].map(sentence);
    assert_eq!(without, none);
    let with = sentence(Some(ProgramArrays { node: 2, usual: 3, xpmem: false }));
    let said = " Both had the program's large arrays in memory that ranks of the node read (REBLOCK_ARRAYS).";
    assert_eq!(with, without + said);
}

#[test]
fn it_says_what_is_lost_and_wrong() {
    let mut report = trial(12, [4.0, 1.0], true);
    report.job.aside.insert("too large".into(), 3);
    let verdict = Verdict::of(&report);
    assert_eq!((verdict.different, verdict.aside), (1, 3));
    let aside = "3 more could not be compared: too large (3 calls).";
    for part in ["36.000 s longer", "RESULTS DIFFER in 1 of 12 redistributions", aside] {
        assert!(verdict.sentence.contains(part), "{part}: {}", verdict.sentence);
    }
}

#[test]
fn a_trial_without_comparison_says_why() {
    let mut time = super::super::Quantiles::default();
    [1.0, 1.0].iter().for_each(|&t| time.record(t));
    let figures = Statistics { calls: 2, participants: 2, first: 1.0, time, ..Statistics::default() };
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
    let job = TracedJob { trial: Some("1".into()), aside, ..TracedJob::default() };
    assert_eq!(
        Verdict::of(&Report::of(job, &[])).sentence,
        "No call could be compared: no memory (1 call); too large (3 calls). ScaLAPACK made them alone."
    );
}

#[test]
fn forged_counts_do_not_overflow() {
    let mut versus = Versus { compared: u64::MAX, different: u64::MAX, ..Versus::default() };
    versus.record([1.0, 1.0], [0, 0], 2.0, true);
    let figures = Statistics { calls: u64::MAX, versus: Some(versus), ..Statistics::default() };
    let mut forged = report(1.0, figures.clone());
    forged.shapes.push(forged.shapes[0].clone());
    forged.job.aside = [("a".to_string(), u64::MAX), ("b".to_string(), 1)].into();
    let verdict = Verdict::of(&forged);
    let all = [verdict.calls, verdict.compared, verdict.different, verdict.aside];
    assert_eq!(all, [u64::MAX; 4]);
}

#[test]
fn other_runs_say_what_they_can() {
    let mut time = super::super::Quantiles::default();
    [1.0, 1.0].iter().for_each(|&t| time.record(t));
    let figures = Statistics { calls: 2, participants: 2, first: 1.0, time, ..Statistics::default() };
    let verdict = Verdict::of(&report(20.0, figures));
    assert_eq!((verdict.reblock, verdict.share, verdict.scalapack), (2.0, 0.1, None));
    assert!(verdict.sentence.starts_with("reblock spent 2.000 s of 20.000 s (10 %) in 2 redist"));
    let nothing = Verdict::of(&Report::of(TracedJob::default(), &[]));
    assert_eq!(nothing.sentence, "The program made no redistributions that reblock knows of.");
    let mut same = trial(2, [1.0, 1.0], false);
    same.job.trial = Some("same".into());
    assert!(Verdict::of(&same).sentence.contains("ratio of its times was 1.00"));
}

#[test]
fn what_may_be_chance_is_no_difference() {
    let sentence = |report: &Report| {
        let verdict = Verdict::of(report);
        assert_eq!(verdict.shown, Some(false), "{}", verdict.sentence);
        assert!(!verdict.sentence.contains("times as fast"), "{}", verdict.sentence);
        verdict.sentence
    };
    let mut few = trial(2, [1.0, 2.5], false);
    few.job.origin = on("0-1", 24.3);
    assert_eq!(
        sentence(&few),
        "ScaLAPACK spent 5.000 s of about 86.000 s (5.8 %) in 2 redistributions, reblock 2.000 s: no difference that this run can \
         show (2 calls, and a verdict takes at least 10; 2 ranks on 2 cores, load 24.3: other programs ran on the same cores). All \
         results are equal bit for bit."
    );
    let close = sentence(&trial(20, [1.0, 1.04], false));
    assert!(close.contains("(20 calls, and less than 5.0 % apart)"), "{close}");
    let mut disturbed = trial(20, [1.0, 1.5], false);
    disturbed.shapes[0].figures.versus.as_mut().unwrap().record([1.0, 100.0], [0, 0], 102.0, false);
    let disturbed = sentence(&disturbed);
    assert!(disturbed.contains("(times of 21 calls vary too much)"), "{disturbed}");
}

#[test]
fn shapes_of_few_calls_each_add_up() {
    let mut report = trial(3, [1.0, 2.5], false);
    assert_eq!(Verdict::of(&report).shown, Some(false));
    for _ in 0..3 {
        report.shapes.push(report.shapes[0].clone());
    }
    assert_eq!(Verdict::of(&report).shown, Some(true));
}

#[test]
fn it_says_what_makes_times_vary() {
    let mut crowded = trial(10, [1.0, 4.0], false);
    crowded.job.origin = on("0", 1.0);
    let sentence = Verdict::of(&crowded).sentence;
    let warning = "Times may be others in the next run (2 ranks on 1 core, load 1.0: ranks shared cores).";
    assert!(sentence.contains(warning), "{sentence}");
}

#[test]
fn reports_of_former_versions_have_their_verdict() {
    let mut former = trial(2, [1.0, 4.0], false);
    former.shapes[0].figures.versus.as_mut().unwrap().squares = None;
    let verdict = Verdict::of(&former);
    assert_eq!(verdict.shown, None);
    assert!(verdict.sentence.contains("4.0 times as fast"), "{}", verdict.sentence);
}

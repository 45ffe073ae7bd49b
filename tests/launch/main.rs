//! Tests the commands `reblock run` and `reblock doctor` from outside, without MPI: programs are shell scripts,
//! which start `reblock ended` as the library does, and the preloaded library is an empty file. tests/trial tests them
//! with MPI.
//!
//!     cargo test --no-default-features --features cli --test run

mod doctor;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/report/sample.json");

/// Makes an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).expect("it can be made");
    folder
}

fn script(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("it can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    path.to_str().expect("UTF-8").into()
}

fn reblock(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("it can be run")
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reblock"));
    for name in ["TRACE", "TRIAL", "OFF", "TRANSPORT", "SCHEDULER"] {
        command.env_remove(format!("REBLOCK_{name}"));
    }
    command.current_dir(folder).args(arguments);
    command
}

/// Makes a library to preload: an empty file, which the loader ignores.
fn library(folder: &Path) -> String {
    let library = folder.join("libreblock.so");
    std::fs::write(&library, "").expect("it can be written");
    library.to_str().expect("UTF-8").into()
}

/// A launcher that skips two arguments, such as `-n 4`, and runs the rest as a command, on one rank.
const LAUNCHER: &str =
    "[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.1.4' && exit; shift 2; exec \"$@\"";
/// A program that prints its settings and arguments.
const PROGRAM: &str = "echo \"$REBLOCK_TRIAL $REBLOCK_OFF $LD_PRELOAD $*\"; exit 7";

/// Makes a program that writes reports by the commands `text`, and then runs `reblock ended` with `options`, as the
/// library does when rank 0's process exits.
fn reporting(folder: &Path, text: &str, options: &str) -> String {
    let reblock = env!("CARGO_BIN_EXE_reblock");
    script(
        folder,
        "solve",
        &format!("{text}\nexec env -u LD_PRELOAD {reblock} ended --launch here:1 {options}"),
    )
}

/// Options of a program that succeeds and whose rank 0 has made calls, and the command that writes its report.
const WRITTEN: &str = "--status 0 --written \"$REBLOCK_TRACE\"";
const COPY: &str = "cp rank-0 \"$REBLOCK_TRACE\"";

/// Writes the sample to the file `rank-N`, as the report of rank N of the launch `here:1`. The report covers `reported`
/// ranks.
fn write_rank(folder: &Path, rank: u32, reported: u32, change: impl FnOnce(&mut Value)) {
    let mut report: Value =
        serde_json::from_str(&std::fs::read_to_string(SAMPLE).expect("it is there")).expect("JSON");
    report["job"]["reported"] = reported.into();
    report["job"]["origin"] =
        serde_json::json!({"launch": "here:1", "rank": rank, "date": "2000-01-01T00:00:00Z"});
    change(&mut report);
    std::fs::write(folder.join(format!("rank-{rank}")), report.to_string()).expect("it can be written");
}

fn names(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).expect("it is there").flatten();
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_run_preloads_and_becomes_the_program() {
    let folder = folder("run-becomes");
    let program = script(&folder, "solve", PROGRAM);
    let library = library(&folder);
    let run =
        ["run", "--library", &library, "--trial", "use", "-o", "new/page.html", "--", &program, "-n", "9"];
    // The shell's REBLOCK_OFF=1, which would be an error in a trial, must not reach the program.
    let mut command = command(&folder, &run);
    let output = command.env("REBLOCK_OFF", "1").env("LD_PRELOAD", "").output().expect("it can be run");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(7), "{err}");
    assert_eq!(out, format!("use 0 {library} -n 9\n"));
    let expected_line = format!(
        "reblock: {library} is preloaded into {program}; the program's own ScaLAPACK makes each call, too"
    );
    assert!(err.lines().any(|line| line == expected_line), "{err}");
    // The report's folder exists.
    assert!(folder.join("new").is_dir());
    // The user's own preloaded libraries, and those of a wrapper, come after reblock's.
    let wrapped = ["run", "--library", &library, "env", "LD_PRELOAD=libc.so.6", "sh", &program];
    let output =
        self::command(&folder, &wrapped).env("LD_PRELOAD", "libm.so.6").output().expect("it can be run");
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        (out.as_ref(), output.status.code()),
        (&*format!("1 0 {library}:libm.so.6:libc.so.6 \n"), Some(7))
    );
}

#[test]
fn the_end_of_a_run_shows_the_report() {
    let folder = folder("run-report");
    let library = library(&folder);
    write_rank(&folder, 0, 4, |_| ());
    let program = reporting(&folder, COPY, WRITTEN);
    let output = reblock(&folder, &["run", "--library", &library, "-o", "page.html", &program]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    // The verdict comes first, then two lines, then the details.
    let lines: Vec<&str> = err.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
    let production = format!(
        "reblock: to use reblock without a trial, write env LD_PRELOAD={library} instead of reblock run and its options"
    );
    let page = format!("reblock: the page is {0}/page.html, its data {0}/page.json", folder.display());
    assert!(lines[0].starts_with("reblock: ScaLAPACK spent "), "{err}");
    assert_eq!(lines[1..4], [page.as_str(), production.as_str(), ""], "{err}");
    assert!(lines[5..].iter().any(|line| line.starts_with("  PDGEMR2D ")), "{err}");
    let page = std::fs::read_to_string(folder.join("page.html")).expect("a page");
    assert!(page.contains("All results are equal bit for bit"));
    assert_eq!(names(&folder), ["libreblock.so", "page.html", "page.json", "rank-0", "solve"]);
}

/// Message of a run without a report whose program has loaded a ScaLAPACK.
const FORWARD: &str = "the program made no redistribution, or its ranks write to a file system that this process does not see, or it asks /x/libscalapack.so.2 itself for \
    the addresses of routines (dlsym with a handle, ctypes): make a forwarding library, reblock forward /x/libscalapack.so.2, and let it \
    open that one instead";

#[test]
fn a_run_without_a_report_says_so() {
    let folder = folder("run-nothing");
    let library = library(&folder);
    // A report of an earlier run must not count as a report of this run.
    std::fs::copy(SAMPLE, folder.join("reblock-report.json")).expect("it can be copied");
    for (options, why) in [
        ("--status 0", "the program made no redistribution, or "),
        ("--status 0 --scalapack /x/libscalapack.so.2", FORWARD),
        ("--status 0 --unfinished", "the program ended without MPI_Finalize"),
        ("--status 9 --unfinished", "the program ended with status 9, before it called MPI_Finalize; "),
    ] {
        let program = reporting(&folder, "", options);
        let output = reblock(&folder, &["run", "--library", &library, "--", &program]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains(&format!("reblock: there is no report: {why}")), "{err}");
    }
    let kept = std::fs::read(folder.join("reblock-report.json")).expect("it is there");
    assert_eq!(kept, std::fs::read(SAMPLE).expect("it is there"));
}

#[test]
fn one_process_speaks_for_all() {
    let folder = folder("run-ranks");
    let library = library(&folder);
    let program = script(&folder, "solve", "echo \"$REBLOCK_RUN\"");
    let run = |variables: &[(&str, &str)], words: &[&str]| {
        let mut command = command(&folder, &[&["run", "--library", &library][..], words].concat());
        for name in [
            "OMPI_COMM_WORLD_RANK",
            "PMIX_RANK",
            "PMI_RANK",
            "SLURM_PROCID",
            "SLURM_LOCALID",
            "MPI_LOCALRANKID",
        ] {
            command.env_remove(name);
        }
        let output = command.envs(variables.iter().copied()).output().expect("it can be run");
        (String::from_utf8(output.stdout).expect("text"), String::from_utf8(output.stderr).expect("text"))
    };
    for (variables, speaks) in [
        (&[("PMI_RANK", "0"), ("SLURM_PROCID", "3")][..], true),
        (&[("PMI_RANK", "2"), ("SLURM_PROCID", "0")], false),
        (&[("OMPI_COMM_WORLD_RANK", "1")], false),
        (&[], true),
    ] {
        let (out, err) = run(variables, &[&program]);
        let findings: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(
            (&findings["speaks"], err.contains("is preloaded into")),
            (&speaks.into(), speaks),
            "{variables:?}: {err}"
        );
    }
    // An error may concern one node only, so the first rank of each node prints it.
    for (local, prints) in [("0", true), ("1", false)] {
        let variables = [("PMI_RANK", "5"), ("MPI_LOCALRANKID", local)];
        for words in [&["./nowhere"][..], &["--trial", "often", &program]] {
            assert_eq!(!run(&variables, words).1.is_empty(), prints, "{local}: {words:?}");
        }
    }
    // If no launcher numbers the ranks, the first of several processes that start at the same time prints.
    let text = format!(
        "for k in 1 2 3; do '{}' run --library {library} sh -c 'sleep 1' & done; wait",
        env!("CARGO_BIN_EXE_reblock")
    );
    let mut shell = Command::new("sh");
    for name in ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"] {
        shell.env_remove(name);
    }
    let output = shell.args(["-c", &text]).current_dir(&folder).output().expect("a shell");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(err.matches("is preloaded into").count(), 1, "{err}");
}

#[test]
fn no_report_takes_the_place_of_another_one() {
    let folder = folder("run-twice");
    let library = library(&folder);
    // If rank 0 has made no call, another rank writes the report, with its number in the name, as the library does.
    write_rank(&folder, 1, 3, |_| ());
    let program = reporting(&folder, "cp rank-1 \"$REBLOCK_TRACE.1\"", "--status 0");
    for name in ["six", "six-1", "six-2"] {
        let output = reblock(&folder, &["run", "--library", &library, "-o", "six.html", &program]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains(&format!("/{name}.html, its data ")), "{err}");
        assert!(folder.join(format!("{name}.json")).metadata().expect("data").len() > 0);
        // Other files must stay unchanged.
        std::fs::write(folder.join(format!("{name}.html")), name).expect("it can be written");
    }
    for name in ["six", "six-1", "six-2"] {
        assert_eq!(std::fs::read_to_string(folder.join(format!("{name}.html"))).expect("a page"), name);
    }
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let folder = folder("run-escape");
    let library = library(&folder);
    write_rank(&folder, 0, 4, |report| report["job"]["command"] = serde_json::json!(["\u{1b}[2Jforged"]));
    let solve = reporting(&folder, COPY, WRITTEN);
    let program = folder.join("so\u{1b}lve");
    std::fs::rename(solve, &program).expect("it can be renamed");
    let run = reblock(&folder, &["run", "--library", &library, "--", program.to_str().expect("UTF-8")]);
    let report = reblock(&folder, &["report", "rank-0"]);
    for output in [run, report] {
        let text = [output.stdout, output.stderr].concat();
        assert!(!text.contains(&0x1b), "{}", String::from_utf8_lossy(&text));
        assert!(String::from_utf8_lossy(&text).contains("forged"), "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn reports_of_ranks_that_never_met_rank_0_are_found() {
    let folder = folder("run-apart");
    let library = library(&folder);
    // Files of an earlier run and of another launch, and a file that is no report.
    for other in ["reblock-report.json", "reblock-report.json.2", "reblock-report.json.old"] {
        std::fs::write(folder.join(other), "{}").expect("it can be written");
    }
    std::fs::copy(SAMPLE, folder.join("reblock-report.json.7")).expect("it can be copied");
    for rank in [1, 3] {
        write_rank(&folder, rank, 1, |_| ());
    }
    let before = names(&folder);
    for (k, (parts, reported)) in [("1", 1), ("1 3", 2)].into_iter().enumerate() {
        let text = format!("for k in {parts}; do cp rank-$k \"$REBLOCK_TRACE.$k\"; done");
        let program = reporting(&folder, &text, "--status 0");
        let output = reblock(&folder, &["run", "--library", &library, "--trial", "0", &program]);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{err}");
        let page = format!("/reblock-report-{}.html, its data ", k + 1);
        assert!(err.contains("and ScaLAPACK makes none") && err.contains(&page), "{err}");
        assert_eq!(err.contains("separate reports, 2 in all; added up"), reported == 2, "{err}");
        let text = std::fs::read_to_string(folder.join(format!("reblock-report-{}.json", k + 1)))
            .expect("it is there");
        let report: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(report["job"]["reported"], reported, "{err}");
        for file in ["html", "json"] {
            assert!(folder.join(format!("reblock-report-{}.{file}", k + 1)).exists(), "{err}");
        }
    }
    let kept = names(&folder).into_iter().filter(|name| before.contains(name)).count();
    // The new files: two reports, each with its page, and the program.
    assert_eq!((kept, names(&folder).len()), (before.len(), before.len() + 5), "{:?}", names(&folder));
}

#[test]
fn results_that_differ_are_no_success() {
    let folder = folder("run-differs");
    let library = library(&folder);
    write_rank(&folder, 0, 4, |report| report["shapes"][0]["versus"]["different"] = 1.into());
    let program = reporting(&folder, COPY, WRITTEN);
    let output = reblock(&folder, &["run", "--library", &library, &program]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{err}");
    assert!(
        err.contains("RESULTS DIFFER in 1 of") && !err.contains("to use reblock without a trial"),
        "{err}"
    );
    assert_eq!(reblock(&folder, &["report", "reblock-report.json"]).status.code(), Some(3));
}

#[test]
fn a_script_does_not_show_a_report_again() {
    let folder = folder("run-script");
    let library = library(&folder);
    // A program that a script starts shows its report, which was written after the run began. Then the script exits.
    write_rank(&folder, 0, 4, |report| report["job"]["origin"]["date"] = "9999".into());
    let program = reporting(&folder, COPY, "--status 0");
    let output = reblock(&folder, &["run", "--library", &library, &program]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), err.matches("reblock: ").count()), (Some(0), 1), "{err}");
}

#[test]
fn a_launcher_goes_before_the_run() {
    let folder = folder("run-launcher");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    linked(&folder, "libmpi.so.40");
    for (line, corrected) in [
        (
            vec![&*launcher, "-n", "4", "./solve", "-n", "9"],
            format!("{launcher} -n 4 reblock run ./solve -n 9"),
        ),
        (vec!["srun", "-n4", "python3", "solve.py"], "srun ... reblock run ./program".into()),
        (vec!["mpiexec.hydra"], "mpiexec.hydra ... reblock run ./program".into()),
    ] {
        let output = reblock(&folder, &[&["run", "--"][..], &line].concat());
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert_eq!(
            err,
            format!("reblock: put reblock run after the launcher, before the program: {corrected}\n")
        );
    }
}

/// Compiles the program `solve`, and a library with this name, to which it is linked.
fn linked(folder: &Path, library: &str) {
    let build = format!(
        "echo 'int mpi;' >mpi.c; cc -shared -Wl,-soname,{library} -o {library} mpi.c
        echo 'int main(void) {{ extern int mpi; return mpi; }}' >main.c; cc -o solve main.c {library} -Wl,-rpath,'$ORIGIN'"
    );
    assert!(Command::new("sh").args(["-c", &build]).current_dir(folder).status().expect("a shell").success());
}

#[test]
fn what_cannot_be_run_is_an_error() {
    let folder = folder("run-mistakes");
    let program = script(&folder, "script", "exit 0");
    linked(&folder, "libmpich.so.12");
    let alone = "echo 'void _start(void) { for (;;) {} }' >alone.c; cc -static -nostdlib -ffreestanding -o alone alone.c";
    assert!(Command::new("sh").args(["-c", alone]).current_dir(&folder).status().expect("a shell").success());
    let library = library(&folder);
    for (command, why) in [
        (vec!["run", "--", "/nowhere/solve"], "no such program"),
        (vec!["run", "--", "./slove", "sh"], "./slove: no such program: is the name right?"),
        (vec!["run", "--", "slove"], "slove: no such program in PATH"),
        (vec!["run", "--", "."], ".: is a folder"),
        (vec!["run", "--", &program], "--library"),
        (vec!["run", "--library", &library, "--", "./alone"], "it is linked statically"),
        (vec!["run", "--library", "/nowhere.so", "--", &program], "/nowhere.so: "),
        (vec!["run", "--library", &library, "-o", "page.json", "--", &program], "overwrite its own data"),
        (vec!["run", "--trial", "often", "--", &program], "possible values"),
        (vec!["run", "--no-inspect", "--", &program], "--library <FILE>"),
        (vec!["run"], "PROGRAM"),
        (vec!["ended", "--status", "0", "--launch", "here:1"], "only reblock run sets it"),
        (vec!["doctor", "/nowhere/solve"], "/nowhere/solve: "),
    ] {
        let output = reblock(&folder, &command);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{command:?}: {err}");
        assert!(err.contains(why), "{command:?}: {err}");
    }
    // The launcher of another MPI, by the variables that it sets.
    let mut command = command(&folder, &["run", "env", "./solve"]);
    let output = command
        .env_remove("MPI_LOCALNRANKS")
        .env("OMPI_COMM_WORLD_SIZE", "1")
        .output()
        .expect("it can be run");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("links MPICH (libmpich.so.12), but the launcher is that of Open MPI"), "{err}");
}

#[test]
fn signals_are_the_programs_own() {
    let folder = folder("run-signals");
    let library = library(&folder);
    let text = "trap 'echo TERM >got; exit 3' TERM; echo >ready; while :; do sleep 0.02; done";
    let program = script(&folder, "solve", text);
    for (ignored, signal, status) in
        [("", Signal::TERM, Some(3)), ("", Signal::KILL, None), ("trap '' HUP;", Signal::HUP, Some(3))]
    {
        for file in ["ready", "got"] {
            let _ = std::fs::remove_file(folder.join(file));
        }
        let run = format!(
            "{ignored} exec {} run --library {library} {program} 2>/dev/null",
            env!("CARGO_BIN_EXE_reblock")
        );
        // If the tests run under a program such as nohup, signals are ignored, and a shell cannot trap an ignored
        // signal.
        let mut shell = Command::new("env");
        shell.args(["--default-signal=HUP,TERM", "sh", "-c", &run]).current_dir(&folder);
        let mut child = shell.spawn().expect("it can be run");
        while !folder.join("ready").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        // The program runs in the process that was started, because `reblock run` replaces itself by the program.
        kill_process(Pid::from_child(&child), signal).expect("it is there");
        if signal == Signal::HUP {
            kill_process(Pid::from_child(&child), Signal::TERM).expect("it is there");
        }
        assert_eq!(child.wait().expect("it ends").code(), status, "{signal:?}");
        assert_eq!(folder.join("got").exists(), status.is_some(), "{signal:?}");
    }
}

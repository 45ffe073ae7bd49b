//! The commands `reblock run` and `reblock doctor` from outside, without MPI: launchers and programs are shell scripts, and what
//! is preloaded is any shared library. tests/trial runs them with MPI.
//!
//!     cargo test --no-default-features --features cli --test run

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/report/sample.json");

/// A folder of its own for each test, empty.
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
    let mut command = Command::new(env!("CARGO_BIN_EXE_reblock"));
    for name in ["TRACE", "TRIAL", "OFF", "TRANSPORT", "SCHEDULER"] {
        command.env_remove(format!("REBLOCK_{name}"));
    }
    command.current_dir(folder).args(arguments).output().expect("it can be run")
}

/// A launcher that passes its options over and runs the rest, on one rank.
const LAUNCHER: &str =
    "[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.1.4' && exit; shift 2; exec \"$@\"";
/// A program that says what it was given, and reports as a run would.
const PROGRAM: &str = "echo \"$REBLOCK_TRIAL $LD_PRELOAD $*\"; cp \"$SAMPLE\" \"$REBLOCK_TRACE\"; exit 7";

#[test]
fn a_run_preloads_reports_and_returns_the_status() {
    let folder = folder("run-report");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    let program = script(&folder, "solve", &PROGRAM.replace("$SAMPLE", SAMPLE));
    let library = folder.join("libreblock.so");
    std::fs::write(&library, "").expect("it can be written");
    let library = library.to_str().expect("UTF-8");
    let run = ["run", "--library", library, "--trial", "use", "-o", "page.html", "--"];
    let output = reblock(&folder, &[&run[..], &[&launcher, "-n", "4", &program, "-n", "9"]].concat());
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(7), "{err}");
    assert!(out.starts_with(&format!("use {library}")) && out.contains(" -n 9\n"), "{out}");
    assert!(err.contains("reblock: ScaLAPACK spent ") && err.contains("the page is page.html"), "{err}");
    let page = std::fs::read_to_string(folder.join("page.html")).expect("a page");
    assert!(page.contains("All results are equal bit for bit"));
    assert!(folder.join("page.json").exists());
}

#[test]
fn a_run_without_a_report_says_so() {
    let folder = folder("run-nothing");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    let library = folder.join("libreblock.so");
    std::fs::write(&library, "").expect("it can be written");
    // A report of a former run is not taken for one of this run.
    std::fs::copy(SAMPLE, folder.join("reblock-report.json")).expect("it can be copied");
    for (text, status) in [("exit 0", 1), ("exit 9", 9)] {
        let program = script(&folder, "solve", text);
        let run =
            ["run", "--library", library.to_str().expect("UTF-8"), "--", &launcher, "-n", "4", &program];
        let output = reblock(&folder, &run);
        assert_eq!(output.status.code(), Some(status), "{text}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("there is no report"), "{text}");
    }
}

#[test]
fn what_cannot_be_run_is_an_error() {
    let folder = folder("run-mistakes");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    let program = script(&folder, "solve", "exit 0");
    let other = script(&folder, "srun", "echo slurm 23");
    for (command, why) in [
        (vec!["run", "--", &launcher, "-n", "4"], "no program is found"),
        (vec!["run", "--", "/nowhere/solve"], "no such program"),
        (vec!["run", "--", &other, "-n4", &program], "--library"),
        (vec!["run", "--library", "/nowhere.so", "--", &program], "/nowhere.so: "),
        (vec!["run", "--trial", "often", "--", &program], "possible values"),
        (vec!["run"], "COMMAND"),
        (vec!["doctor", "/nowhere/solve"], "/nowhere/solve: "),
    ] {
        let output = reblock(&folder, &command);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{command:?}: {err}");
        assert!(err.contains(why), "{command:?}: {err}");
    }
}

#[test]
fn the_doctor_looks_at_everything() {
    let folder = folder("doctor");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    let doctor = ["doctor", "--no-calibration", "--mpirun", &launcher, "--ranks", "1"];
    let output = reblock(&folder, &[&doctor[..], &["--json"]].concat());
    let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = all["findings"].as_array().expect("a list");
    for about in ["MPI", "reblock", "ScaLAPACK, BLACS", "shared memory", "huge pages", "cores", "other work"]
    {
        assert!(findings.iter().any(|finding| finding["about"] == about), "{about}: {all}");
    }
    for finding in findings {
        assert_eq!(finding["slow"].is_null(), finding["mend"].is_null(), "{finding}");
    }
    let mpi = findings.iter().find(|finding| finding["about"] == "MPI").expect("it is there");
    assert!(mpi["found"].as_str().expect("text").starts_with("Open MPI"), "{mpi}");
    let text = String::from_utf8(reblock(&folder, &doctor).stdout).expect("text");
    assert!(text.starts_with("A job with 1 rank on this machine\n") && text.contains("Open MPI"), "{text}");
    let many = ["doctor", "--no-calibration", "--ranks", "1000000000"];
    let text = String::from_utf8(reblock(&folder, &many).stdout).expect("text");
    assert!(text.contains("! cores") && text.contains("! shared memory"), "{text}");
}

//! The commands `reblock run` and `reblock doctor` from outside, without MPI: launchers and programs are shell scripts, and what
//! is preloaded is any shared library. tests/trial runs them with MPI.
//!
//!     cargo test --no-default-features --features cli --test run

use rustix::process::{Pid, Signal, kill_process};
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

/// A library that can be preloaded: an empty file, which the loader passes over.
fn library(folder: &Path) -> String {
    let library = folder.join("libreblock.so");
    std::fs::write(&library, "").expect("it can be written");
    library.to_str().expect("UTF-8").into()
}

/// A launcher that passes its options over and runs the rest, on one rank.
const LAUNCHER: &str =
    "[ \"$1\" = --version ] && echo 'mpirun (Open MPI) 4.1.4' && exit; shift 2; exec \"$@\"";
/// A program that says what it was given, and reports as a run would.
const PROGRAM: &str =
    "echo \"$REBLOCK_TRIAL $REBLOCK_OFF $LD_PRELOAD $*\"; cp \"$SAMPLE\" \"$REBLOCK_TRACE\"; exit 7";

#[test]
fn a_run_preloads_reports_and_returns_the_status() {
    let folder = folder("run-report");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    let program = script(&folder, "solve", &PROGRAM.replace("$SAMPLE", SAMPLE));
    let library = library(&folder);
    let run = ["run", "--library", &library, "--trial", "use", "-o", "page.html", "--"];
    let mut command = command(&folder, &[&run[..], &[&launcher, "-n", "4", &program, "-n", "9"]].concat());
    // What the shell has is not what the trial gets, which would be an error.
    let output = command.env("REBLOCK_OFF", "1").output().expect("it can be run");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(7), "{err}");
    assert!(out.starts_with(&format!("use 0 {library}")) && out.contains(" -n 9\n"), "{out}");
    let told = format!("is preloaded into {program}; the program's own ScaLAPACK makes each call, too");
    assert!(err.contains(&told), "{err}");
    // The verdict comes first, then three lines, then the details.
    let lines: Vec<&str> = err.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
    let production = format!(
        "reblock: to use reblock without a trial: {launcher} -n 4 env LD_PRELOAD={library} {program} -n 9"
    );
    assert!(lines[0].starts_with("reblock: ScaLAPACK spent "), "{err}");
    assert!(lines[1].starts_with("reblock: the page is page.html, its data "), "{err}");
    assert_eq!(lines[2..4], [production.as_str(), ""], "{err}");
    assert!(lines[5..].iter().any(|line| line.starts_with("  PDGEMR2D ")), "{err}");
    assert!(!err.contains("json.run-"), "a file that is gone is named: {err}");
    let page = std::fs::read_to_string(folder.join("page.html")).expect("a page");
    assert!(page.contains("All results are equal bit for bit"));
    assert!(folder.join("page.json").exists());
}

#[test]
fn a_run_without_a_report_says_so() {
    let folder = folder("run-nothing");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    let library = library(&folder);
    // A report of a former run is not taken for one of this run.
    std::fs::copy(SAMPLE, folder.join("reblock-report.json")).expect("it can be copied");
    for (text, status) in [("exit 0", 1), ("exit 9", 9)] {
        let program = script(&folder, "solve", text);
        let run = ["run", "--library", &library, "--", &launcher, "-n", "4", &program];
        let output = reblock(&folder, &run);
        assert_eq!(output.status.code(), Some(status), "{text}");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains("there is no report: "), "{text}");
        // A command that failed has said why.
        assert_eq!(err.contains("the command ended with status 9, before"), status == 9, "{err}");
        assert_eq!(err.contains("the program made no redistribution, or"), status == 1, "{err}");
    }
    let kept = std::fs::read(folder.join("reblock-report.json")).expect("it is there");
    assert_eq!(kept, std::fs::read(SAMPLE).expect("it is there"));
}

#[test]
fn no_report_takes_the_place_of_another_one() {
    let folder = folder("run-twice");
    let (launcher, library) = (script(&folder, "mpirun", LAUNCHER), library(&folder));
    let program = script(&folder, "solve", &PROGRAM.replace("$SAMPLE", SAMPLE));
    for (k, name) in ["six", "six-1", "six-2"].into_iter().enumerate() {
        let run = [
            "run",
            "--library",
            &library,
            "-o",
            "six.html",
            "--",
            &launcher,
            "-n",
            "4",
            &program,
            &k.to_string(),
        ];
        let output = reblock(&folder, &run);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(err.contains(&format!("the page is {name}.html, its data ")), "{err}");
        assert!(folder.join(format!("{name}.json")).metadata().expect("data").len() > 0);
        // What others have written stays.
        std::fs::write(folder.join(format!("{name}.html")), name).expect("it can be written");
    }
    for name in ["six", "six-1", "six-2"] {
        assert_eq!(std::fs::read_to_string(folder.join(format!("{name}.html"))).expect("a page"), name);
    }
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let folder = folder("run-escape");
    let (launcher, library) = (script(&folder, "mpirun", LAUNCHER), library(&folder));
    let forged = std::fs::read_to_string(SAMPLE).expect("it is there").replacen(
        "\"command\": [",
        "\"command\": [\"\\u001b[2Jforged\", ",
        1,
    );
    std::fs::write(folder.join("forged.json"), &forged).expect("it can be written");
    let program = script(&folder, "so\u{1b}lve", "cp forged.json \"$REBLOCK_TRACE\"");
    let run = reblock(&folder, &["run", "--library", &library, "--", &launcher, "-n", "4", &program]);
    let report = reblock(&folder, &["report", "forged.json"]);
    for output in [run, report] {
        let text = [output.stdout, output.stderr].concat();
        assert!(!text.contains(&0x1b), "{}", String::from_utf8_lossy(&text));
        assert!(String::from_utf8_lossy(&text).contains("forged"), "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn a_run_says_how_far_it_is() {
    let folder = folder("run-progress");
    let (launcher, library) = (script(&folder, "mpirun", LAUNCHER), library(&folder));
    // The library writes this file beside the report to come.
    let text = format!("echo '7 7 1' >\"$REBLOCK_TRACE.progress\"; sleep 11; cp {SAMPLE} \"$REBLOCK_TRACE\"");
    let program = script(&folder, "solve", &text);
    let output = reblock(&folder, &["run", "--library", &library, "--", &launcher, "-n", "4", &program]);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("s: 7 calls compared so far, RESULTS DIFFER in 1; the report comes"), "{err}");
    let left = std::fs::read_dir(&folder).expect("it is there").flatten();
    assert!(left.into_iter().all(|file| !file.file_name().to_string_lossy().contains("run-")), "{err}");
}

#[test]
fn reports_of_ranks_that_never_met_rank_0_are_found() {
    let folder = folder("run-apart");
    let (launcher, library) = (script(&folder, "mpirun", LAUNCHER), library(&folder));
    // Of a former run, and something else.
    for other in ["reblock-report.json", "reblock-report.json.2", "reblock-report.json.old"] {
        std::fs::write(folder.join(other), "{}").expect("it can be written");
    }
    for (k, (parts, reported)) in [("1", 1), ("1 3", 2)].into_iter().enumerate() {
        let text = format!(
            "for k in {parts}; do sed 's/\"reported\": 4/\"reported\": 1/' {SAMPLE} >\"$REBLOCK_TRACE.$k\"; done"
        );
        let program = script(&folder, "solve", &text);
        let run = ["run", "--library", &library, "--trial", "0", "--", &launcher, "-n", "4", &program];
        let output = reblock(&folder, &run);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{err}");
        assert!(
            err.contains("and ScaLAPACK makes none")
                && err.contains(&format!("the page is reblock-report-{}.html", k + 1)),
            "{err}"
        );
        assert_eq!(err.contains("separate reports, 2 in all; added up"), reported == 2, "{err}");
        let text = std::fs::read_to_string(folder.join(format!("reblock-report-{}.json", k + 1)))
            .expect("it is there");
        let report: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(report["job"]["reported"], reported, "{err}");
    }
    let left: Vec<_> =
        std::fs::read_dir(&folder).expect("it is there").flatten().map(|file| file.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("run-")), "{left:?}");
}

#[test]
fn no_launch_of_a_script_is_lost() {
    let folder = folder("run-script");
    let library = library(&folder);
    let differs = SAMPLE_DIFFERS.replace("$SAMPLE", SAMPLE);
    // As the library does: a name that is taken gets a number.
    let text = format!("cp {SAMPLE} \"$REBLOCK_TRACE\"; {differs} >\"$REBLOCK_TRACE.1\"");
    let program = script(&folder, "script.sh", &text);
    for (status, data) in [(3, "reblock-report.json"), (7, "reblock-report-1.json")] {
        let program = if status == 3 {
            program.clone()
        } else {
            script(&folder, "script.sh", &(text.clone() + "; exit 7"))
        };
        let output = reblock(&folder, &["run", "--library", &library, "--", &program]);
        let err = String::from_utf8_lossy(&output.stderr);
        // Different results are no success; a status of the command itself is kept.
        assert_eq!(output.status.code(), Some(status), "{err}");
        assert!(err.contains("All results are equal") && err.contains("RESULTS DIFFER in 1 of"), "{err}");
        assert!(!err.contains("to use reblock without a trial"), "{err}");
        let again = reblock(&folder, &["report", data]);
        assert_eq!(again.status.code(), Some(3));
        assert!(String::from_utf8_lossy(&again.stdout).contains("Launch 2 of 2: "));
    }
}

/// Prints the sample with a result that differs.
const SAMPLE_DIFFERS: &str = "sed '0,/\"different\": 0/s//\"different\": 1/' $SAMPLE";

#[test]
fn a_program_can_be_named_and_need_not_be_inspected() {
    let folder = folder("run-far");
    // A launcher nobody knows, whose own option is a program; the program is not on this machine but where it runs.
    let far = folder.join("far");
    std::fs::create_dir(&far).expect("it can be made");
    script(&far, "solve", &PROGRAM.replace("$SAMPLE", SAMPLE));
    let launcher = script(&folder, "launch", "cd far; shift 2; exec \"$@\"");
    let library = library(&folder);
    let (run, line) = (["run", "--program", "./solve"], ["--", &launcher, "-via", "sh", "./solve", "a"]);
    let named = |options: &[&str]| reblock(&folder, &[&run[..], options, &line].concat());
    let output = named(&["--library", &library, "--no-inspect"]);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(7), "{err}");
    assert!(out.starts_with(&format!("1 0 {library}")) && out.ends_with(" a\n"), "{out}");
    for (options, why) in
        [(&["--library", &library][..], "./solve: no such program"), (&["--no-inspect"], "--library <FILE>")]
    {
        let output = named(options);
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(1 | 2)) && err.contains(why), "{options:?}: {err}");
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
        (vec!["run", "--program", "./other", "--", &launcher, "-n", "4", &program], "name it with --program"),
        (vec!["run", "--", "/nowhere/solve"], "no such program"),
        (
            vec!["run", "--", &launcher, "-n", "4", "./slove", "sh"],
            "./slove: no such program: is the name right?",
        ),
        (vec!["run", "--", &launcher, "-n", "4", "slove"], "slove: no such program in PATH"),
        (vec!["run", "--", &launcher, "-n", "4", "."], ".: is a folder"),
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

/// A finding of the doctor, in its JSON.
fn finding(folder: &Path, about: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Value {
    let doctor = ["doctor", "--ranks", "1", "--json"];
    let mut command = command(folder, &[&doctor[..], arguments].concat());
    let output = command.envs(variables.iter().copied()).output().expect("it can be run");
    let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut findings = all["findings"].as_array().expect("a list").iter();
    findings.rfind(|finding| finding["about"] == about).unwrap_or_else(|| panic!("no {about}: {all}")).clone()
}

#[test]
fn the_doctor_takes_options_of_the_launcher() {
    let folder = folder("doctor-options");
    // A launcher that starts nothing for root unless it is told to, and a compiler of a program that needs no MPI.
    let refuses = "case $1 in --version) echo 'mpirun (Open MPI) 4.1.4'; exit;; --allow-run-as-root) shift 3; exec \"$@\";; esac
        echo 'mpirun has detected an attempt to run as root. ... add the --allow-run-as-root option' >&2; exit 1";
    let launcher = script(&folder, "mpirun", refuses);
    script(
        &folder,
        "mpicc",
        "printf '#!/bin/sh\\necho export REBLOCK_NODE=0.50,6.70\\n' >\"$3\"; chmod +x \"$3\"",
    );
    let text = |finding: &Value, part: &str| finding[part].as_str().expect("text").to_string();
    let refused = finding(&folder, "calibration", &["--mpirun", &launcher], &[]);
    assert_eq!(text(&refused, "found"), "not done");
    assert_eq!(text(&refused, "slow"), format!("{launcher} does not start programs for root"));
    assert!(text(&refused, "mend").contains("--allow-run-as-root\""), "{refused}");
    let allowed = format!("{launcher} --allow-run-as-root");
    let measured = finding(&folder, "calibration", &["--mpirun", &allowed], &[]);
    assert!(text(&measured, "found").contains("REBLOCK_NODE=0.50,6.70"), "{measured}");
    let mpi = finding(&folder, "MPI", &["--mpirun", &allowed, "--no-calibration"], &[]);
    assert_eq!(text(&mpi, "found"), format!("Open MPI ({launcher})"));
}

#[test]
fn the_doctor_asks_the_program_where_the_launcher_is_of_any_mpi() {
    let folder = folder("doctor-srun");
    let launcher = script(&folder, "srun", "echo slurm 23.02");
    let build = "echo 'int mpi;' >mpi.c; cc -shared -Wl,-soname,libmpi.so.40 -o libmpi.so.40 mpi.c
        echo 'int main(void) { extern int mpi; return mpi; }' >main.c; cc -o solve main.c libmpi.so.40 -Wl,-rpath,.";
    assert!(Command::new("sh").args(["-c", build]).current_dir(&folder).status().expect("a shell").success());
    let doctor = |program: &[&str], path: &str| {
        let arguments = [&["--no-calibration", "--mpirun", &launcher][..], program].concat();
        finding(&folder, "MPI", &arguments, &[("PATH", path)])
    };
    let path = std::env::var("PATH").expect("it is set");
    let known = doctor(&["./solve"], &path);
    assert_eq!(known["found"], format!("Open MPI (libmpi.so.40), started by {launcher}"));
    assert!(known["slow"].is_null());
    // Where nothing says it: no compiler is found.
    let unknown = doctor(&[], "/nowhere");
    assert!(
        unknown["mend"].as_str().expect("text").contains("name a program, whose MPI counts"),
        "{unknown}"
    );
}

#[test]
fn the_doctor_names_variables_that_are_not_known() {
    let folder = folder("doctor-variables");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    let arguments = ["--no-calibration", "--mpirun", &launcher];
    let variable = (concat!("REBLOCK", "_TRANSPORTS"), "mpi");
    let finding = finding(&folder, "environment", &arguments, &[variable]);
    let want = "REBLOCK_TRANSPORTS is set, but reblock has no such variable: is REBLOCK_TRANSPORT meant?";
    assert_eq!(finding["found"], want);
}

/// Starts a run of `program` and sends `signals` to it, one after the other, once the program is there: the status, what the program
/// has `got`, and what the run said.
fn signalled(
    folder: &Path,
    program: &str,
    prefix: &str,
    signals: &[Signal],
) -> (Option<i32>, String, String) {
    let (launcher, library) = (script(folder, "mpirun", LAUNCHER), library(folder));
    let program = script(folder, "solve", program);
    let run = format!(
        "{prefix} exec {} run --library {library} -- {launcher} -n 4 {program} >out 2>err",
        env!("CARGO_BIN_EXE_reblock")
    );
    for file in ["ready", "got", "reblock-report.json", "reblock-report.html"] {
        let _ = std::fs::remove_file(folder.join(file));
    }
    // Whatever started the tests may ignore signals, as nohup does; a shell could not trap them then.
    let mut shell = Command::new("env");
    shell.args(["--default-signal=HUP,INT,QUIT,TERM,USR1", "sh", "-c", &run]).current_dir(folder);
    let mut child = shell.spawn().expect("it can be run");
    let pid = Pid::from_child(&child);
    for (k, &signal) in signals.iter().enumerate() {
        let count =
            |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default().lines().count();
        // Each has been heard before the next one comes; but nobody hears SIGHUP that is ignored.
        while count("ready") == 0 || count("got") < k.min(1) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        kill_process(pid, signal).expect("it is there");
    }
    let status = child.wait().expect("it ends").code();
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    (status, text("got"), text("err"))
}

/// Waits for signals, one of which ends it with a status of its own and a report.
const WAITING: &str = "trap 'echo USR1 >>got' USR1
for s in HUP INT QUIT; do trap \"echo $s >>got; exit 5\" $s; done
trap 'echo TERM >>got; cp $SAMPLE \"$REBLOCK_TRACE\"; exit 3' TERM
echo >ready; while :; do sleep 0.02; done";

#[test]
fn signals_reach_the_command_and_the_run_ends_as_it_does() {
    let folder = folder("run-signals");
    let program = WAITING.replace("$SAMPLE", SAMPLE);
    for (signals, got, status) in [
        (&[Signal::TERM][..], "TERM\n", 3),
        (&[Signal::INT], "INT\n", 5),
        (&[Signal::HUP], "HUP\n", 5),
        (&[Signal::QUIT], "QUIT\n", 5),
        (&[Signal::USR1, Signal::TERM], "USR1\nTERM\n", 3),
    ] {
        let (ended, heard, err) = signalled(&folder, &program, "", signals);
        assert_eq!((heard.as_str(), ended), (got, Some(status)), "{signals:?}: {err}");
        // What there is is written.
        assert_eq!(folder.join("reblock-report.json").exists(), status == 3, "{signals:?}: {err}");
        let told = if status == 3 { "the page is reblock-report.html" } else { "there is no report: " };
        assert!(err.contains(told), "{signals:?}: {err}");
    }
    // A command that a signal ends.
    let (ended, _, err) =
        signalled(&folder, "echo >ready; while :; do sleep 0.02; done", "", &[Signal::TERM]);
    assert_eq!(ended, Some(128 + 15), "{err}");
    assert!(err.contains("SIGTERM came before"), "{err}");
    // As nohup starts it: SIGHUP is for nobody.
    let (ended, heard, err) =
        signalled(&folder, &program, "trap '' HUP;", &[Signal::USR1, Signal::HUP, Signal::TERM]);
    assert_eq!((heard.as_str(), ended), ("USR1\nTERM\n", Some(3)), "{err}");
}

#[test]
fn the_doctor_sees_a_compiler_of_another_mpi() {
    let folder = folder("doctor-mixed");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    // A compiler whose programs link what is called as MPICH's library, or Open MPI's.
    for (library, is_strange) in [("libmpich.so.12", true), ("libmpi.so.40", false)] {
        let text = format!(
            "cd {0}; echo 'int strange;' >mpi.c; cc -shared -Wl,-soname,{library} -o {library} mpi.c && echo 'int main(void) {{ extern int \
             strange; return strange; }}' >main.c && cc -o \"$3\" main.c {library}",
            folder.display()
        );
        script(&folder, "mpicc", &text);
        let doctor = ["doctor", "--no-calibration", "--mpirun", &launcher, "--ranks", "1"];
        let output = reblock(&folder, &doctor);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.contains("! compiler "), is_strange, "{library}: {text}");
        assert_eq!(text.contains("links MPICH (libmpich.so.12), and"), is_strange, "{text}");
    }
}

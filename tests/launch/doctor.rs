//! Tests of `reblock doctor`.

use super::*;

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

/// Returns the last finding of `reblock doctor` about a subject, in JSON.
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
    // A launcher that refuses to start programs for root without an option, and a compiler that writes a script, which
    // needs no MPI.
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
    // Without a program or a compiler, the MPI of the launcher's programs is unknown.
    let unknown = doctor(&[], "/nowhere");
    assert!(
        unknown["mend"].as_str().expect("text").contains("name a program, so that its MPI is checked"),
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

#[test]
fn the_doctor_sees_a_compiler_of_another_mpi() {
    let folder = folder("doctor-mixed");
    let launcher = script(&folder, "mpirun", LAUNCHER);
    // A compiler whose programs link a library with the name of MPICH's, or of Open MPI's.
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

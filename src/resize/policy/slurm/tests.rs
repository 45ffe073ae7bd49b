//! Tests of the policy with stand-ins for Slurm's commands, whose state is in files of a folder.

use super::super::List;
use super::*;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Stand-in for Slurm's commands. Job 7 has the nodes in `nodes`. A request gets the nodes in `granted`, once that file
/// exists.
const STAND_IN: &str = r#"#!/bin/sh
state=STATE
[ ! -e $state/gone ] || { echo "$(basename "$0"): error: Unable to contact slurm controller" >&2; exit 1; }
echo "$(basename "$0") $*" >>$state/log
case $(basename "$0") in
    squeue) case "$*" in
        *%B*) echo n1 ;;
        *%i*) echo "7.batch n1"; cat $state/steps 2>/dev/null ;;
        *) cat $state/nodes ;;
        esac ;;
    scontrol) case "$1 $2" in
        "show hostnames") echo "$3" | tr , '\n' ;;
        "update JobId=8") echo "$(cat $state/nodes),$(cat $state/granted)" >$state/nodes ;;
        "update JobId=7") [ -e $state/kept ] || echo "${3#NodeList=}" >$state/nodes ;;
        esac ;;
    salloc)
        [ ! -e $state/refused ] || { echo "salloc: error: Job submit/allocate failed: Requested operation is presently disabled" >&2; exit 1; }
        until [ -e $state/granted ]; do
            [ -d $state ] && [ ! -e $state/cancelled ] || { echo "salloc: Job allocation 8 has been revoked." >&2; exit 1; }
            sleep 0.02
        done
        echo "salloc: Granted job allocation 8" >&2 ;;
    scancel) touch $state/cancelled ;;
    sleep) exec /bin/sleep 0.2 ;;
esac
"#;

/// The policy with a simulated job.
struct Stage {
    folder: PathBuf,
    policy: Slurm,
    placement: Placement,
    hosts: Vec<String>,
}

impl Stage {
    fn new(name: &str, inner: Option<Box<dyn Policy>>) -> Self {
        let folder = std::env::temp_dir().join(format!("reblock-slurm-{}-{name}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        for command in ["squeue", "scontrol", "salloc", "scancel", "sleep"] {
            let path = folder.join(command);
            std::fs::write(&path, STAND_IN.replace("STATE", folder.to_str().unwrap())).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", folder.display());
        let setting =
            Setting { job: Some("7".into()), places: None, path: Some(path), period: Duration::ZERO };
        let policy = Slurm::with_setting(inner, setting);
        let stage = Self { folder, policy, placement: Placement::default(), hosts: hosts(&[("n1", 2)]) };
        stage.put("nodes", "n1");
        stage
    }

    fn put(&self, file: &str, text: &str) {
        std::fs::write(self.folder.join(file), text).unwrap();
    }

    fn ask(&mut self) -> Result<Option<u32>, String> {
        self.placement.set_hosts(self.hosts.clone());
        let ranks = u32::try_from(self.hosts.len()).unwrap();
        self.policy.ask_on_hosts(&Now { ranks, seconds: 1.0 }, &self.placement)
    }

    /// Runs resize points until the policy returns a decision or an error.
    fn next(&mut self) -> Result<u32, String> {
        for _ in 0..3000 {
            if let Some(answer) = self.ask().transpose() {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("nothing happens: {}", self.log());
    }

    /// Runs resize points without a decision until `file` contains `text`.
    fn until(&mut self, file: &str, text: &str) {
        for _ in 0..3000 {
            assert_eq!(self.ask(), Ok(None));
            if std::fs::read_to_string(self.folder.join(file)).is_ok_and(|there| there.contains(text)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{file} never has {text}: {}", self.log());
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn hosts(counts: &[(&str, usize)]) -> Vec<String> {
    counts.iter().flat_map(|&(host, count)| vec![host.to_string(); count]).collect()
}

fn list(sizes: &[u32]) -> Option<Box<dyn Policy>> {
    Some(Box::new(List::new(sizes.to_vec())))
}

fn start(stage: &Stage) -> Option<(String, u32)> {
    stage.placement.take_start().map(|start| (start.node, start.ranks))
}

#[test]
fn it_grows_node_by_node_and_gives_back_what_is_left() {
    let mut stage = Stage::new("cycle", list(&[6, 2]));
    stage.until("log", "salloc --no-shell -J reblock-7 --dependency=expand:7 -N 2 --ntasks-per-node=2 -x n1");
    for _ in 0..20 {
        assert_eq!((stage.ask(), start(&stage)), (Ok(None), None), "the request is pending");
    }
    stage.put("granted", "n2,n3");
    assert_eq!((stage.next(), start(&stage)), (Ok(4), Some(("n2".into(), 2))));
    stage.hosts = hosts(&[("n1", 2), ("n2.domain", 2)]);
    assert_eq!((stage.next(), start(&stage)), (Ok(6), Some(("n3".into(), 2))));
    stage.hosts = hosts(&[("n1", 2), ("n2.domain", 2), ("n3", 2)]);
    assert_eq!(stage.next(), Ok(2), "the list goes on once its size is there");
    // No host is given back while processes that leave are still on it, nor while a step of the job uses it.
    stage.hosts = hosts(&[("n1", 2)]);
    for _ in 0..20 {
        assert_eq!(stage.ask(), Ok(None));
    }
    assert!(!stage.log().contains("update JobId=7"), "{}", stage.log());
    stage.put("steps", "7.1 n1,n3");
    stage.placement.add_freed(vec!["n2.domain".into(), "n3".into()]);
    stage.until("log", "squeue -h -s -j 7");
    stage.put("steps", "7.0 n1");
    stage.until("nodes", "n1\n");
    assert!(stage.log().contains("scontrol update JobId=7 NodeList=n1\n"), "{}", stage.log());
}

#[test]
fn a_node_that_is_left_during_a_failed_return_is_given_back_next() {
    let mut stage = Stage::new("next", list(&[6, 2]));
    stage.until("log", "salloc");
    stage.put("granted", "n2,n3");
    assert_eq!(stage.next(), Ok(4));
    stage.hosts = hosts(&[("n1", 2), ("n2", 2)]);
    assert_eq!(stage.next(), Ok(6));
    stage.hosts = hosts(&[("n1", 2), ("n2", 2), ("n3", 2)]);
    assert_eq!(stage.next(), Ok(2));
    stage.hosts = hosts(&[("n1", 2)]);
    stage.put("kept", "");
    stage.placement.add_freed(vec!["n2".into()]);
    stage.until("log", "update JobId=7 NodeList=n1,n3\n");
    stage.placement.add_freed(vec!["n3".into()]);
    assert!(stage.next().unwrap_err().starts_with("Slurm: "));
    std::fs::remove_file(stage.folder.join("kept")).unwrap();
    stage.until("log", "update JobId=7 NodeList=n1,n2\n");
}

#[test]
fn a_refusal_is_reported_once_and_not_repeated() {
    let mut stage = Stage::new("refused", list(&[4]));
    stage.put("refused", "");
    let why = stage.next().unwrap_err();
    assert_eq!(
        why,
        "Slurm: salloc: error: Job submit/allocate failed: Requested operation is presently disabled"
    );
    for _ in 0..20 {
        assert_eq!(stage.ask(), Ok(None));
    }
    assert_eq!(stage.log().matches("salloc").count(), 1);
}

#[test]
fn a_missing_manager_is_reported_once_until_it_returns() {
    let mut stage = Stage::new("gone", list(&[4]));
    stage.put("gone", "");
    assert!(stage.next().unwrap_err().contains("Unable to contact slurm controller"));
    for _ in 0..20 {
        assert_eq!(stage.ask(), Ok(None));
    }
    std::fs::remove_file(stage.folder.join("gone")).unwrap();
    stage.put("granted", "n2");
    assert_eq!((stage.next(), start(&stage)), (Ok(4), Some(("n2".into(), 2))));
}

#[test]
fn a_node_on_which_nothing_starts_is_given_back_and_its_size_given_up() {
    let mut stage = Stage::new("lost", list(&[4]));
    stage.put("granted", "n2");
    assert_eq!(stage.next(), Ok(4));
    stage.until("log", "scontrol update JobId=7 NodeList=n1\n");
    for _ in 0..20 {
        assert_eq!(stage.ask(), Ok(None));
    }
    assert_eq!(stage.log().matches("salloc").count(), 1);
}

#[test]
fn a_request_that_is_not_wanted_any_more_is_withdrawn() {
    let path = std::env::temp_dir().join(format!("reblock-slurm-size-{}", std::process::id()));
    std::fs::write(&path, "4").unwrap();
    let mut stage = Stage::new("withdrawn", Some(Box::new(super::super::File::new(path.clone()))));
    stage.until("log", "salloc");
    std::fs::write(&path, "2").unwrap();
    stage.until("log", "scancel -n reblock-7");
    std::fs::remove_file(stage.folder.join("cancelled")).ok();
    std::fs::remove_file(path).unwrap();
    // The end of a job withdraws its request.
    let mut stage = Stage::new("ends", list(&[4]));
    stage.until("log", "salloc");
    stage.policy =
        Slurm::with_setting(None, Setting { job: None, places: None, path: None, period: Duration::ZERO });
    assert!(stage.log().contains("scancel -n reblock-7"));
}

#[test]
fn without_another_policy_it_fills_the_nodes_of_the_job() {
    let mut stage = Stage::new("alone", None);
    stage.until("log", "hostnames");
    stage.put("nodes", "n1,n2");
    assert_eq!((stage.next(), start(&stage)), (Ok(4), Some(("n2".into(), 2))));
    stage.hosts = hosts(&[("n1", 2), ("n2", 2)]);
    for _ in 0..20 {
        assert_eq!(stage.ask(), Ok(None));
    }
    assert!(!stage.log().contains("salloc") && !stage.log().contains("update"), "{}", stage.log());
}

#[test]
fn a_job_of_another_manager_stays_as_it_is() {
    let mut policy = Slurm::with_setting(
        list(&[4]),
        Setting { job: None, places: None, path: None, period: QUERY_PERIOD },
    );
    let (now, placement) = (Now { ranks: 2, seconds: 1.0 }, Placement::default());
    assert!(policy.ask_on_hosts(&now, &placement).unwrap_err().contains("SLURM_JOB_ID"));
    assert_eq!(policy.ask_on_hosts(&now, &placement), Ok(None));
}

//! Cores for a job on this machine, and other work on them.

use super::Finding;
use crate::columns::count;
use crate::launch::Mpi;

/// Name of the finding about other work.
pub const OTHER: &str = "other work";

/// Returns the number of cores that this process may run on.
pub fn usable() -> u64 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u64)
}

pub fn findings(ranks: u64, mpi: Option<&Mpi>) -> Vec<Finding> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let info = read("/proc/cpuinfo").unwrap_or_default();
    let mut findings = vec![cores(&info, ranks, mpi)];
    findings.extend(load(read("/proc/loadavg").as_deref(), present(&info)));
    findings.extend(governor(read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").as_deref()));
    findings
}

fn present(info: &str) -> u64 {
    let all = info.lines().filter(|line| line.starts_with("processor")).count() as u64;
    all.max(usable())
}

/// Returns advice for more ranks than cores, such as how to make waiting ranks of `mpi` yield their core.
fn advise_yielding(mpi: Option<&Mpi>) -> &'static str {
    match mpi {
        Some(mpi) if mpi.library == "libmpi.so.12" => {
            "start no more ranks than cores, or set I_MPI_THREAD_YIELD=3 (Intel MPI); with MPICH, link or preload a library that yields"
        }
        Some(mpi) if mpi.is_of_mpich() => {
            "start no more ranks than cores, or link or preload a library that yields: MPICH's waiting calls do not"
        }
        Some(mpi) if !mpi.is_standard() => {
            "start no more ranks than cores, or set OMPI_MCA_mpi_yield_when_idle=1, so that waiting ranks yield"
        }
        _ => {
            "start no more ranks than cores, or let waiting ranks yield: OMPI_MCA_mpi_yield_when_idle=1, I_MPI_THREAD_YIELD=3"
        }
    }
}

fn cores(info: &str, ranks: u64, mpi: Option<&Mpi>) -> Finding {
    const ABOUT: &str = "cores";
    let model = info.lines().find_map(|line| Some(line.strip_prefix("model name")?.split_once(": ")?.1));
    let (all, usable) = (present(info), usable());
    let found = format!("{usable} of {all} usable, {}", model.unwrap_or("processor not known"));
    if ranks > usable {
        return Finding::slow(
            ABOUT,
            found,
            format!("{} would take turns on them, and wait for ranks that do not run", count(ranks, "rank")),
            advise_yielding(mpi),
        );
    }
    match usable < all {
        true => Finding::slow(
            ABOUT,
            found,
            "this shell, its job or its container is bound to some of them",
            "ask for all cores of the node (taskset -p, --cpus, --cpu-bind)",
        ),
        false => Finding::good(ABOUT, found),
    }
}

/// Judges other work by the load average of the last minute, on all `all` cores of the machine.
fn load(average: Option<&str>, all: u64) -> Option<Finding> {
    let load: f64 = average?.split_whitespace().next()?.parse().ok()?;
    #[allow(clippy::cast_precision_loss, reason = "there are few cores")]
    let share = load / all as f64;
    let found = format!("a load of {load:.1} on {}", count(all, "core"));
    Some(match share > 0.25 {
        true => Finding::slow(
            OTHER,
            found,
            "ranks would wait for other ranks that lose their core",
            "run when the machine is free",
        ),
        false => Finding::good(OTHER, found),
    })
}

fn governor(name: Option<&str>) -> Option<Finding> {
    let name = name?.trim();
    Some(match name {
        "powersave" | "ondemand" | "conservative" => Finding::slow(
            "clock",
            format!("governor {name}"),
            "cores may speed up only after a call is over",
            "cpupower frequency-set -g performance (as root)",
        ),
        _ => Finding::good("clock", format!("governor {name}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_ranks_than_cores_are_slow() {
        let info = "processor : 0\nmodel name : Some Processor\n";
        assert!(cores(info, usable() + 1, None).slow.unwrap().contains("take turns"));
        assert!(cores(info, 1, None).found.contains("Some Processor"));
        let more = "processor : 0\n".repeat(usize::try_from(usable()).unwrap() + 1);
        assert!(cores(&more, 1, None).slow.unwrap().contains("bound"));
        for (library, way) in [
            ("libmpi.so.12", "I_MPI_THREAD_YIELD=3 (Intel MPI)"),
            ("libmpi.so.40", "OMPI_MCA_mpi_yield_when_idle=1"),
            ("libmpich.so.12", "preload a library that yields"),
        ] {
            let finding = cores(info, usable() + 1, Some(&Mpi::of_name(library)));
            assert!(finding.mend.unwrap().contains(way), "{library}");
        }
    }

    #[test]
    fn other_work_counts_by_the_core() {
        assert_eq!(load(Some("0.10 0.2 0.3 1/2 3"), 4).unwrap().slow, None);
        assert!(load(Some("3.10 0.2 0.3 1/2 3"), 4).unwrap().slow.is_some());
        assert_eq!(load(Some("?"), 4), None);
        let machine = "processor : 0\n".repeat(8 * usize::try_from(usable()).unwrap());
        assert_eq!(present(&machine), 8 * usable());
        assert_eq!(present(""), usable());
        let share = format!("{}.0 0 0 1/2 3", usable());
        assert_eq!(load(Some(&share), present(&machine)).unwrap().slow, None);
        assert!(load(Some(&share), usable()).unwrap().slow.is_some());
        assert!(governor(Some("powersave\n")).unwrap().slow.is_some());
        assert_eq!(governor(Some("performance\n")).unwrap().slow, None);
    }
}

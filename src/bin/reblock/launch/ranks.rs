//! Chooses the process that prints for all ranks. Each rank runs `reblock run`, but a line should appear once.

use rustix::io::{FdFlags, fcntl_setfd};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::OnceLock;

/// Environment variables that launchers set to the rank. Slurm's variable comes last, because within a Slurm job, ranks
/// that another launcher started inherit it.
const RANKS: [&str; 8] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "PALS_RANKID",
    "JSM_NAMESPACE_RANK",
    "FLUX_TASK_RANK",
    "SLURM_PROCID",
];
/// Environment variables that launchers set to the rank within the node.
const LOCAL_RANKS: [&str; 7] = [
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "MV2_COMM_WORLD_LOCAL_RANK",
    "PALS_LOCAL_RANKID",
    "JSM_NAMESPACE_LOCAL_RANK",
    "FLUX_TASK_LOCAL_ID",
    "SLURM_LOCALID",
];

/// Returns whether this process is rank 0. Without a variable, returns whether it is the first of its siblings to call
/// this.
pub fn is_first() -> bool {
    rank_in(&RANKS, |name| std::env::var(name).ok()).map_or_else(is_first_sibling, |rank| rank == 0)
}

/// Returns whether this process is the first rank of its node, found like the first rank of the job in [`is_first`].
/// Errors may differ between nodes, so one rank of each node reports them.
pub fn is_first_of_node() -> bool {
    rank_in(&LOCAL_RANKS, |name| std::env::var(name).ok()).map_or_else(is_first_sibling, |rank| rank == 0)
}

fn rank_in(names: &[&str], variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    names.iter().find_map(|name| variable(name)?.parse().ok())
}

/// Returns whether this process is the first with its parent, folder and arguments to call this function. The first one
/// binds a socket in the abstract namespace, which makes no file and disappears with the process. If binding fails for
/// any reason other than a used name, the process counts as first.
fn is_first_sibling() -> bool {
    static FIRST: OnceLock<bool> = OnceLock::new();
    *FIRST.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        (std::env::args_os().collect::<Vec<_>>(), std::env::current_dir().ok()).hash(&mut hasher);
        let name = format!("reblock run {} {:x}", std::os::unix::process::parent_id(), hasher.finish());
        let bound = SocketAddr::from_abstract_name(name).and_then(|name| UnixDatagram::bind_addr(&name));
        match bound {
            Ok(socket) => {
                // Keep the socket open in the program that replaces this process.
                let _ = fcntl_setfd(&socket, FdFlags::empty());
                std::mem::forget(socket);
                true
            }
            Err(error) => error.kind() != std::io::ErrorKind::AddrInUse,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_is_in_a_variable_of_the_launcher() {
        let slurm = |name: &str| (name == "SLURM_PROCID").then(|| "3".to_string());
        let both = |name: &str| slurm(name).or_else(|| (name == "PMI_RANK").then(|| "0".into()));
        assert_eq!(rank_in(&RANKS, slurm), Some(3));
        assert_eq!(rank_in(&RANKS, both), Some(0));
        assert_eq!(rank_in(&RANKS, |_| None), None);
        assert_eq!(rank_in(&RANKS, |_| Some("none".into())), None);
    }
}

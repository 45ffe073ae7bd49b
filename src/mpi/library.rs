//! Checks that this process has the MPI library that reblock was built for: another one has other handles and
//! constants, and would crash the program.

use super::comm::Comm;
use super::error::success;
use super::finalized::finalized;
use mpi_sys::*;
use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

static GOOD: OnceLock<()> = OnceLock::new();

/// Checks that MPI can be used: it is reblock's, initialized and not finalized. An error is one line.
pub fn check_library() -> Result<(), String> {
    match explain_unusable() {
        Some(why) => Err(why),
        None if finalized() => Err("MPI is finalized".into()),
        None => Ok(()),
    }
}

/// Explains why reblock cannot use the MPI library in this process: it is another one, or not initialized. `None` if it
/// can; later calls then do not ask MPI.
pub fn explain_unusable() -> Option<String> {
    if GOOD.get().is_some() {
        return None;
    }
    let built = built_for();
    // Retries once, because other ranks may wait for this one.
    let Some(found) = version_text().or_else(version_text) else {
        return Some("MPI_Get_library_version failed".into());
    };
    // SAFETY: the shim asks MPI for the version of its ABI, which is allowed at any time.
    let standard = unsafe { reblock_mpi_is_standard() } != 0;
    let fits = match built {
        STANDARD => standard,
        _ => !standard && (built == "Open MPI") == found.starts_with("Open MPI"),
    };
    if !fits {
        let abi = if standard { format!(", which has {STANDARD}") } else { String::new() };
        return Some(format!(
            "this reblock was built for {built}, but the program runs with {}{abi}",
            name()
        ));
    }
    let why = format!(
        "MPI is not initialized in this process, or the program uses another MPI than reblock's {built}"
    );
    if !initialized() {
        return Some(why);
    }
    GOOD.get_or_init(|| ());
    None
}

/// Returns whether a launcher of reblock's MPI set the rank variable. If this process uses another MPI, a rank of that
/// launcher's job has started it, and it has inherited the settings.
pub fn is_inherited() -> bool {
    let has_rank = |rank| std::env::var_os(rank).is_some();
    match built_for() {
        "Open MPI" => has_rank(RANKS[0]),
        // The standard ABI works with every launcher.
        STANDARD => RANKS.into_iter().any(has_rank),
        _ => has_rank(RANKS[1]),
    }
}

/// Environment variables for the rank, set by the launchers of Open MPI and of MPICH.
const RANKS: [&str; 2] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"];

/// The shim's name for the standard ABI of MPI 5.
const STANDARD: &str = "MPI's standard ABI";

/// Returns "Open MPI", "MPICH" (also for MPIs that share its ABI) or [`STANDARD`].
fn built_for() -> &'static str {
    // SAFETY: the shim returns a constant string.
    unsafe { CStr::from_ptr(reblock_mpi_family()) }.to_str().expect("the family is ASCII")
}

/// Returns the version text of the MPI library in this process.
fn version_text() -> Option<String> {
    let mut text = [0u8; 8192 + 1];
    let mut length: c_int = 0;
    // SAFETY: both families' version texts are at most MPI_MAX_LIBRARY_VERSION_STRING = 8192 (MPICH) or 256 (Open MPI)
    // characters long; the call is allowed before MPI_Init.
    let code = unsafe { MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &mut length) };
    let text = CStr::from_bytes_until_nul(&text).ok()?;
    (code == success()).then(|| text.to_string_lossy().into_owned())
}

/// Returns the name and version of the MPI library in this process, without further details; empty if unknown.
pub fn name() -> String {
    let text = version_text().unwrap_or_default();
    let first = text.split([',', '\n']).next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn is_intel_standard() -> bool {
    built_for() == STANDARD && version_text().is_some_and(|text| text.starts_with("Intel"))
}

/// Returns whether the MPI library in this process is an Open MPI older than version `major`.
pub(super) fn is_open_mpi_before(major: u32) -> bool {
    static VERSION: OnceLock<Option<u32>> = OnceLock::new();
    let version = VERSION.get_or_init(|| {
        let text = version_text()?;
        let version = text.strip_prefix("Open MPI v")?;
        version.split('.').next()?.parse().ok()
    });
    version.is_some_and(|version| version < major)
}

/// Returns whether MPI is initialized; true if MPI cannot answer, because other ranks may wait for this one.
pub fn initialized() -> bool {
    let mut yes = 1;
    // SAFETY: may be called at any time.
    unsafe { MPI_Initialized(&mut yes) };
    yes != 0
}

/// Returns this process's rank in MPI_COMM_WORLD: from MPI, or from the launcher's environment if MPI cannot be used.
pub fn world_rank() -> Option<u32> {
    if check_library().is_ok() {
        return Comm::world().rank().ok();
    }
    let launcher_rank = |name| std::env::var(name).ok().and_then(|rank| rank.parse().ok());
    RANKS.into_iter().find_map(launcher_rank)
}

/// Ends the whole job by MPI_Abort if MPI can be used; otherwise ends this process.
pub fn abort() -> ! {
    if check_library().is_ok() {
        // SAFETY: MPI is initialized and not finalized. In general the call does not return.
        unsafe { MPI_Abort(RSMPI_COMM_WORLD, 1) };
    }
    std::process::exit(1)
}

/// Ends this process at once, even while another of its threads is inside MPI; launchers then end the job.
pub fn end_process() -> ! {
    // SAFETY: does not return, and runs no exit handlers of the program.
    unsafe { libc::_exit(1) }
}

unsafe extern "C" {
    /// The MPI family that src/mpi/shim.c was compiled with.
    fn reblock_mpi_family() -> *const c_char;
    /// Whether the MPI in this process has the standard ABI.
    fn reblock_mpi_is_standard() -> c_int;
}

//! Which MPI library runs in this process, and is it the one that reblock was built for? Another MPI has other handles and
//! constants; without this check the program would crash.

use super::comm::Comm;
use super::error::success;
use super::over::finalized;
use mpi_sys::*;
use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

static GOOD: OnceLock<()> = OnceLock::new();

/// Says in one line why MPI cannot be used, if it cannot.
pub fn check_library() -> Result<(), String> {
    match foreign() {
        Some(why) => Err(why),
        None if finalized() => Err("MPI is finalized".into()),
        None => Ok(()),
    }
}

/// Why the MPI that runs in this process is not the one that reblock was built for, if it is not. The first good answer is kept.
pub fn foreign() -> Option<String> {
    if GOOD.get().is_some() {
        return None;
    }
    let built = built_for();
    // Others may wait for this process: it does not give up at the first failure.
    let Some(found) = running().or_else(running) else {
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
    let why = format!("MPI is not initialized in this process, or in another MPI than reblock's {built}");
    if !initialized() {
        return Some(why);
    }
    GOOD.get_or_init(|| ());
    None
}

/// Whether a job of the MPI that reblock was built for started the program that started this one: then its settings came here with
/// the environment.
pub fn is_inherited() -> bool {
    let told = |rank| std::env::var_os(rank).is_some();
    match built_for() {
        "Open MPI" => told(RANKS[0]),
        // Any launcher's.
        STANDARD => RANKS.into_iter().any(told),
        _ => told(RANKS[1]),
    }
}

/// What launchers of Open MPI and of MPICH tell each process: its rank.
const RANKS: [&str; 2] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"];

/// What the shim calls any MPI that programs call by the ABI of MPI 5.
const STANDARD: &str = "MPI's standard ABI";

/// "Open MPI", "MPICH" for that and all that share its ABI, or [`STANDARD`].
fn built_for() -> &'static str {
    // SAFETY: the shim returns a constant string.
    unsafe { CStr::from_ptr(reblock_mpi_family()) }.to_str().expect("the family is ASCII")
}

/// The version text of the library that runs.
fn running() -> Option<String> {
    let mut text = [0u8; 8192 + 1];
    let mut length: c_int = 0;
    // SAFETY: both families' version texts are at most MPI_MAX_LIBRARY_VERSION_STRING = 8192 (MPICH) or 256 (Open MPI)
    // characters long; the call is allowed before MPI_Init.
    let code = unsafe { MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &mut length) };
    let text = CStr::from_bytes_until_nul(&text).ok()?;
    (code == success()).then(|| text.to_string_lossy().into_owned())
}

/// What the library that runs calls itself, without what it says behind its version; empty where it does not tell.
pub fn name() -> String {
    let text = running().unwrap_or_default();
    let first = text.split([',', '\n']).next().unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether reblock was built for the standard ABI, and runs with Intel's MPI.
pub(super) fn is_intel_standard() -> bool {
    built_for() == STANDARD && running().is_some_and(|text| text.starts_with("Intel"))
}

/// Whether the library that runs is an Open MPI before version `major`.
pub(super) fn is_open_mpi_before(major: u32) -> bool {
    static VERSION: OnceLock<Option<u32>> = OnceLock::new();
    let version = VERSION.get_or_init(|| {
        let text = running()?;
        let version = text.strip_prefix("Open MPI v")?;
        version.split('.').next()?.parse().ok()
    });
    version.is_some_and(|version| version < major)
}

/// Where MPI cannot say so, it is: others may wait for this process.
fn initialized() -> bool {
    let mut yes = 1;
    // SAFETY: may be called at any time.
    unsafe { MPI_Initialized(&mut yes) };
    yes != 0
}

/// This process's rank among all of the program's: from MPI, or where that cannot be asked from the launcher.
pub fn world_rank() -> Option<u32> {
    if check_library().is_ok() {
        return Comm::world().rank().ok();
    }
    let told = |name| std::env::var(name).ok().and_then(|rank| rank.parse().ok());
    RANKS.into_iter().find_map(told)
}

/// Ends the whole job, by MPI if it runs and if it is reblock's own, else by ending this process.
pub fn abort() -> ! {
    if check_library().is_ok() {
        // SAFETY: MPI is initialized and not finalized. Does not return, as far as MPI can help it.
        unsafe { MPI_Abort(RSMPI_COMM_WORLD, 1) };
    }
    std::process::exit(1)
}

/// Ends this process at once, also while another of its threads is within MPI; launchers end the job then.
pub fn end_process() -> ! {
    // SAFETY: does not return, and runs nothing of the program's.
    unsafe { libc::_exit(1) }
}

unsafe extern "C" {
    /// The family that src/shim.c was compiled with.
    fn reblock_mpi_family() -> *const c_char;
    /// Whether the MPI that runs has the standard ABI.
    fn reblock_mpi_is_standard() -> c_int;
}

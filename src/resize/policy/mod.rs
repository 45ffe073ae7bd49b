//! Policies for a job's number of ranks, asked at resize points.

mod file;
mod list;
mod slurm;
mod sweet_spot;

use super::Placement;
use crate::collective::failure::{Code, Failure};
pub use file::File;
pub use list::List;
pub use slurm::Slurm;
pub use sweet_spot::SweetSpot;

/// Maximum number of ranks of a job: MPI counts them in an int.
pub const MAX_RANKS: u32 = i32::MAX.unsigned_abs();

/// State of the job at a resize point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Now {
    /// Number of active ranks of the job.
    pub ranks: u32,
    /// Seconds of an iteration on the slowest rank, on average since the last resize point.
    pub seconds: f64,
}

/// Decides how many ranks a job should have.
pub trait Policy: Send {
    /// Returns the number of ranks; `None` changes nothing. An error is printed, and the job goes on.
    fn ask(&mut self, now: &Now) -> Result<Option<u32>, String>;

    /// Returns the number of ranks, and may place requests for hosts in the placement.
    fn ask_on_hosts(&mut self, now: &Now, _placement: &Placement) -> Result<Option<u32>, String> {
        self.ask(now)
    }

    /// Returns whether the policy must not be asked before the job has reached the size that it returned last.
    fn waits(&self) -> bool {
        false
    }
}

/// A policy that never changes the job.
pub struct Stay;

impl Policy for Stay {
    fn ask(&mut self, _: &Now) -> Result<Option<u32>, String> {
        Ok(None)
    }
}

/// Parses the text of REBLOCK_RESIZE: `4,8,4`, `file:PATH`, or `sweet:1,2,4`, optionally with a minimum gain, as in
/// `sweet:1,2,4:0.1`. Each may follow `slurm:`, and `slurm` may stand alone. An empty text never changes the job.
pub fn of_text(text: &str) -> Result<Box<dyn Policy>, String> {
    match text.trim().strip_prefix("slurm") {
        Some("") => Ok(Box::new(Slurm::new(None))),
        Some(rest) if rest.trim_start_matches(':').trim().is_empty() || !rest.starts_with(':') => {
            Err(format!(
                "\"{text}\" is not a policy: expected slurm, or slurm: and another policy, as in slurm:4,8"
            ))
        }
        Some(rest) => Ok(Box::new(Slurm::new(Some(plain(&rest[1..])?)))),
        None => plain(text),
    }
}

/// Parses a policy without a resource manager.
fn plain(text: &str) -> Result<Box<dyn Policy>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Box::new(Stay));
    }
    let unusable = |what: &str| format!("\"{text}\" is not a policy: {what}");
    if let Some(path) = text.strip_prefix("file:") {
        if path.is_empty() {
            return Err(unusable("expected the path of a file, as in file:/some/where/size"));
        }
        return Ok(Box::new(File::new(path.into())));
    }
    if let Some(rest) = text.strip_prefix("sweet:") {
        let (sizes, gain) = rest.split_once(':').unwrap_or((rest, "0.05"));
        let gain = gain.trim().parse().ok().filter(|gain: &f64| (0.0..1.0).contains(gain));
        let gain = gain.ok_or_else(|| unusable("expected a minimum gain of at least 0 and below 1"))?;
        let sizes = sizes_of(sizes).filter(|sizes| sizes.is_sorted_by(|one, next| one < next));
        let expected = "expected numbers of ranks, each larger than the one before, as in sweet:1,2,4";
        let sizes = sizes.ok_or_else(|| unusable(expected))?;
        return Ok(Box::new(SweetSpot::new(sizes, gain)));
    }
    let expected = "expected numbers of ranks, as in 4,8,4, or file:PATH, sweet:1,2,4, slurm, or slurm: before one of these";
    sizes_of(text)
        .map(|sizes| Box::new(List::new(sizes)) as Box<dyn Policy>)
        .ok_or_else(|| unusable(expected))
}

/// Returns the policy of REBLOCK_RESIZE. Values that are not UTF-8 are reported by
/// [`Settings`](crate::system::settings::Settings).
pub fn of_environment() -> Result<Box<dyn Policy>, Failure> {
    let text = std::env::var("REBLOCK_RESIZE").unwrap_or_default();
    of_text(&text).map_err(|why| Failure::new(Code::Settings, format!("REBLOCK_RESIZE: {why}")))
}

fn sizes_of(text: &str) -> Option<Vec<u32>> {
    text.split(',').map(number_of).collect()
}

/// Parses a number of ranks that a job can have.
fn number_of(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|ranks| (1..=MAX_RANKS).contains(ranks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_policies_or_errors() {
        for good in
            ["", "4,8,4", " 2 , 3", "file:/tmp/size", "sweet:1,2", "sweet:1,2,4:0.2", "slurm", "slurm:4,8"]
        {
            assert!(of_text(good).is_ok(), "{good}");
        }
        for bad in [
            "4,,8",
            "0",
            "-1",
            "many",
            "4;8",
            "sweet:",
            "sweet:1,x",
            "sweet:1:2",
            "sweet:1:x",
            "99999999999",
            "2,4000000000",
            "sweet:1,2147483648",
            "sweet:2,1",
            "sweet:1,1",
            "file:",
            "slurm:",
            "slurm4",
            "slurm:many",
        ] {
            let why = of_text(bad).err().unwrap();
            assert!(why.contains(bad.trim_start_matches("slurm:")) && !why.contains('\n'), "{why}");
        }
        assert!(
            of_text("3,x").err().unwrap().contains("4,8,4, or file:PATH, sweet:1,2,4, slurm"),
            "all are named"
        );
    }
}

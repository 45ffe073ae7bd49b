//! WHO packs, unpacks and copies on a rank: one thread, or several where the rank has cores for them?
//!
//! It knows independent jobs; it never knows what they do. Threads are started when a rank with several cores first has a
//! job for them. They never call MPI.

use std::sync::OnceLock;

/// The threads that a rank may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crew {
    threads: usize,
    /// Whether other ranks run on this rank's core, too.
    crowded: bool,
}

/// Without the feature `threads` there is always one.
#[cfg(not(feature = "threads"))]
const MOST: usize = 1;
#[cfg(feature = "threads")]
const MOST: usize = usize::MAX;

impl Crew {
    /// So many, at least one.
    pub fn new(threads: usize) -> Self {
        Self { threads: threads.clamp(1, MOST), crowded: false }
    }

    /// On a core that other ranks need, too, if `crowded`.
    pub fn crowded(self, crowded: bool) -> Self {
        Self { crowded, ..self }
    }

    /// Whether other ranks run on this rank's core, too: to wait for one that does not run costs more than it does elsewhere.
    pub fn is_crowded(&self) -> bool {
        self.crowded
    }

    /// How many.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Does all jobs, the first one in the caller's thread, and waits for the others.
    #[cfg(feature = "threads")]
    pub fn each<J: Send>(&self, jobs: impl IntoIterator<Item = J>, work: impl Fn(J) + Sync) {
        let mut jobs = jobs.into_iter();
        let Some(first) = jobs.next() else { return };
        match (self.threads > 1).then(|| pool(self.threads)).flatten() {
            Some(pool) => pool.in_place_scope(|scope| {
                let work = &work;
                jobs.for_each(|job| scope.spawn(move |_| work(job)));
                work(first);
            }),
            None => std::iter::once(first).chain(jobs).for_each(work),
        }
    }

    /// Does all jobs.
    #[cfg(not(feature = "threads"))]
    pub fn each<J: Send>(&self, jobs: impl IntoIterator<Item = J>, work: impl Fn(J) + Sync) {
        jobs.into_iter().for_each(work);
    }
}

/// Cores that this process may run on, as its affinity mask had them at first.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The process's threads beside the callers', enough for the first crew; none if they cannot be started.
#[cfg(feature = "threads")]
fn pool(threads: usize) -> Option<&'static rayon::ThreadPool> {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    let start = || {
        let name = |k| format!("reblock {k}");
        rayon::ThreadPoolBuilder::new().num_threads(threads - 1).thread_name(name).build().ok()
    };
    POOL.get_or_init(start).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once() {
        for threads in [1, 2, 3, 8] {
            let mut done = [0; 20];
            Crew::new(threads).each(done.iter_mut().enumerate(), |(k, place)| *place += k + 1);
            assert!(done.iter().enumerate().all(|(k, &d)| d == k + 1), "{threads} threads");
        }
        Crew::new(4).each([0; 0], |_| panic!("there is no job"));
    }
}

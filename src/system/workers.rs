//! Worker threads of a rank, for packing, unpacking and copying. They start at their first work, and never call MPI.
//! Jobs must be independent.

use std::sync::OnceLock;

/// The number of threads that a rank may use, including the calling thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Workers {
    threads: usize,
    oversubscribed: bool,
}

/// Maximum number of threads; always 1 without the feature `threads`.
#[cfg(not(feature = "threads"))]
const MAX_THREADS: usize = 1;
#[cfg(feature = "threads")]
const MAX_THREADS: usize = usize::MAX;

impl Workers {
    /// Creates the value for `threads` threads (at least 1), including the calling thread.
    pub fn new(threads: usize) -> Self {
        Self { threads: threads.clamp(1, MAX_THREADS), oversubscribed: false }
    }

    /// Sets whether other ranks share this rank's core.
    pub fn oversubscribed(self, oversubscribed: bool) -> Self {
        Self { oversubscribed, ..self }
    }

    /// Returns whether other ranks share this rank's core, so that waiting should yield the core.
    pub fn is_oversubscribed(&self) -> bool {
        self.oversubscribed
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` on all jobs, the first one in the calling thread, and waits for all.
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

    #[cfg(not(feature = "threads"))]
    pub fn each<J: Send>(&self, jobs: impl IntoIterator<Item = J>, work: impl Fn(J) + Sync) {
        jobs.into_iter().for_each(work);
    }
}

/// Returns the number of cores in the process's affinity mask at the first call.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Returns the process's thread pool; `None` if it cannot be started. The first call determines its size.
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
    fn every_job_runs_once() {
        for threads in [1, 2, 3, 8] {
            let mut done = [0; 20];
            Workers::new(threads).each(done.iter_mut().enumerate(), |(k, place)| *place += k + 1);
            assert!(done.iter().enumerate().all(|(k, &d)| d == k + 1), "{threads} threads");
        }
        Workers::new(4).each([0; 0], |_| panic!("there is no job"));
    }
}

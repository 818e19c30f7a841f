//! Work on mutants shared out among jobs; what they find is taken in one place.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use super::Trial;
use crate::error::{Result, RunError};

/// A job at work for a trial.
pub(super) struct Job<'j, N> {
    /// From 0.
    pub(super) number: usize,
    stop: &'j AtomicBool,
    news: mpsc::Sender<Result<N>>,
}

impl<N> Job<'_, N> {
    /// Whether to end, for what asks it on the way.
    pub(super) fn stop(&self) -> impl Fn() -> bool + Sync + use<'_, N> {
        || self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn tell(&self, news: N) {
        // Somebody listens for as long as there are jobs.
        let _ = self.news.send(Ok(news));
    }
}

pub(super) type Work<'w, N> = dyn Fn(&Job<N>) -> Result<()> + Sync + 'w;
/// An item, and what it came to.
pub(super) type Shared<'i, I, T> = (&'i I, T);
pub(super) type Begin<'w, N, W> = dyn Fn(&Job<N>) -> Result<W> + Sync + 'w;
pub(super) type WorkOn<'w, 'i, I, W, T> =
    dyn Fn(&Job<Shared<'i, I, T>>, &mut W, &'i I) -> Result<T> + Sync + 'w;
pub(super) type Take<'w, 't, N> = dyn FnMut(&mut Trial<'t>, N) -> Result<()> + 'w;

impl<'t> Trial<'t> {
    /// Has so many jobs work at the same time, and takes what they tell, until all are done, the time
    /// is over, or somebody asks to stop.
    pub(super) fn in_jobs<N: Send>(
        &mut self,
        jobs: usize,
        work: &Work<N>,
        take: &mut Take<'_, 't, N>,
    ) -> Result<()> {
        let stop = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for number in 0..jobs {
                let (news, stop) = (sender.clone(), &stop);
                scope.spawn(move || {
                    let job = Job { number, stop, news };
                    if let Err(error) = work(&job) {
                        let _ = job.news.send(Err(error));
                    }
                });
            }
            drop(sender);
            let mut result = Ok(());
            loop {
                match receiver.recv_timeout(Duration::from_millis(50)) {
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                    Ok(_) if result.is_err() => {}
                    // It was under way when everything was stopped.
                    Ok(Err(RunError::Interrupted)) => {}
                    Ok(news) => result = news.and_then(|news| take(self, news)),
                }
                if result.is_ok() && self.watch.asked_to_stop() {
                    result = Err(RunError::Interrupted);
                }
                if result.is_err() || self.is_over() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            result
        })
    }

    /// Has items worked on by all jobs, each taking the next one when it is done. `begin` makes what a
    /// job works with.
    pub(super) fn share_out<'i, I: Sync, W, T: Send>(
        &mut self,
        items: &'i [I],
        begin: &Begin<Shared<'i, I, T>, W>,
        work: &WorkOn<'_, 'i, I, W, T>,
        take: &mut Take<'_, 't, Shared<'i, I, T>>,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let jobs = self.jobs().min(items.len());
        let work = |job: &Job<Shared<'i, I, T>>| {
            let (mut worker, stopped) = (begin(job)?, job.stop());
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                if stopped() {
                    break;
                }
                job.tell((item, work(job, &mut worker, item)?));
            }
            Ok(())
        };
        self.in_jobs(jobs, &work, take)
    }
}

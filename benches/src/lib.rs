//! Shared by the benchmark programs.

use std::time::Instant;

use fdc_core::{Metric, Selection, Spectrum};
use fdc_learn::{rlfdc, sharp};

/// The median of the seconds that `runs` calls take, and the last call's result.
pub fn median_seconds<T>(runs: usize, call: impl FnMut() -> T) -> (f64, T) {
    let clock = Instant::now();
    median_of(runs, || clock.elapsed().as_secs_f64(), call)
}

/// The same of processor time, see [`processor_seconds`].
pub fn median_processor_seconds(runs: usize, call: impl FnMut()) -> f64 {
    let now = || processor_seconds().unwrap_or(f64::NAN);
    median_of(runs, now, call).0
}

fn median_of<T>(runs: usize, now: impl Fn() -> f64, mut call: impl FnMut() -> T) -> (f64, T) {
    let mut seconds = Vec::with_capacity(runs);
    let mut last = None;
    for _ in 0..runs {
        let begun = now();
        last = Some(call());
        seconds.push(now() - begun);
    }
    seconds.sort_by(f64::total_cmp);
    (seconds[runs / 2], last.expect("at least one run"))
}

/// Seconds that the threads of this process were on a processor so far, where the system tells
/// (Linux): other work on the machine hardly changes them.
pub fn processor_seconds() -> Option<f64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let nanoseconds = threads.map(|thread| {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    Some(nanoseconds.sum::<Option<f64>>()? / 1e9)
}

/// Peak resident memory of this process in MiB, where the system tells (Linux).
pub fn peak_mebibytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024.0)
}

/// A metric by its specification, learned or not.
pub fn metric(name: &str) -> Metric {
    let learned = [&sharp::ENTRY, &rlfdc::ENTRY]
        .into_iter()
        .find(|entry| entry.name == name);
    let metric = match learned {
        Some(entry) => name
            .parse()
            .and_then(|specification| entry.build(&specification)),
        None => Metric::parse(name),
    };
    metric.unwrap_or_else(|error| panic!("{error}"))
}

/// The first failing test, and the tests picked after it; each joins with its outcome.
pub fn pick(spectrum: &Spectrum, metric: &Metric, picks: usize) -> Vec<u32> {
    let failing = spectrum.failing_tests().next().expect("a failing test");
    let mut selection = Selection::new(spectrum, failing);
    let mut chosen = vec![failing.0];
    for _ in 0..picks {
        let Some(pick) = selection.best(metric) else {
            break;
        };
        selection.add(pick.test, spectrum.test(pick.test).verdict());
        chosen.push(pick.test.0);
    }
    chosen
}

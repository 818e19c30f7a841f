//! Shared by the benchmark programs.

use std::time::Instant;

/// The median of the seconds that `runs` calls take, and the last call's result.
pub fn median_seconds<T>(runs: usize, mut call: impl FnMut() -> T) -> (f64, T) {
    let mut seconds = Vec::with_capacity(runs);
    let mut last = None;
    for _ in 0..runs {
        let begun = Instant::now();
        last = Some(call());
        seconds.push(begun.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    (seconds[runs / 2], last.expect("at least one run"))
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

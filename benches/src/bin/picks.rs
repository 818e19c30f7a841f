//! Seconds for the first picks with each metric, one thread, median of 11 runs; from a
//! loaded spectrum, the projection included. Prints one JSON object, as ../shared's
//! torch_metrics.py does: `{"metric": {"seconds": s, "picks": [[failing, pick, ...], ...]}}`.
//!
//!     picks [--picks 10] [--metrics cover,split] FILE...

use std::path::Path;

use fdc_bench::{median_seconds, metric, pick};
use fdc_core::Spectrum;

const RUNS: usize = 11;

fn main() {
    let mut picks = 10;
    let mut metrics = "cover,split,entbug,tfd,ddu,fdg".to_owned();
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            "--picks" => {
                picks = arguments
                    .next()
                    .and_then(|n| n.parse().ok())
                    .expect("a number")
            }
            "--metrics" => metrics = arguments.next().expect("a list of metrics"),
            _ => files.push(argument),
        }
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()
        .expect("first use of the pool");
    let spectra: Vec<Spectrum> = files
        .iter()
        .map(|file| fdc_formats::read(Path::new(file)).unwrap_or_else(|error| panic!("{error}")))
        .collect();
    let mut report = serde_json::Map::new();
    for name in metrics.split(',') {
        let metric = metric(name);
        let (seconds, chosen) = median_seconds(RUNS, || -> Vec<Vec<u32>> {
            spectra
                .iter()
                .map(|spectrum| pick(spectrum, &metric, picks))
                .collect()
        });
        report.insert(
            name.into(),
            serde_json::json!({ "seconds": seconds, "picks": chosen }),
        );
    }
    println!("{}", serde_json::Value::Object(report));
}

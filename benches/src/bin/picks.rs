//! Seconds for the first picks with each metric, one thread, median of 11 runs; from a
//! loaded spectrum, the projection included. Prints one JSON object, as ../shared's
//! torch_metrics.py does: `{"metric": {"seconds": s, "picks": [[failing, pick, ...], ...]}}`.
//!
//!     picks [--picks 10] [--metrics cover,split] FILE...

use std::path::Path;

use fdc_bench::median_seconds;
use fdc_core::{Metric, Selection, Spectrum};
use fdc_learn::{rlfdc, sharp};

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

fn metric(name: &str) -> Metric {
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

fn pick(spectrum: &Spectrum, metric: &Metric, picks: usize) -> Vec<u32> {
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

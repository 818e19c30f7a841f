//! Processor seconds and peak memory of one size of an input that is easily made to take more than its share;
//! a process for each size, since a process has one peak. Prints one JSON object.
//!
//!     growth depths METRIC TESTS       ten picks where every test runs one method to another depth
//!     growth records FILE RECORDS      an LCOV file, written first, of so many records of one test and file

use std::fmt::Write as _;
use std::path::Path;

use fdc_bench::{metric, peak_mebibytes, pick, processor_seconds};
use fdc_core::Spectrum;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Element, Method, MethodId, Outcome, Program, Test};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(|word| &**word).collect();
    let [kind, of, size] = words[..] else {
        panic!("expected depths METRIC TESTS or records FILE RECORDS");
    };
    let size: u32 = size.parse().expect("a number");
    let begun = match kind {
        "depths" => {
            let (spectrum, metric) = (depths(size), metric(of));
            let begun = processor_seconds();
            assert_eq!(pick(&spectrum, &metric, 10).len(), 11);
            begun
        }
        "records" => {
            write_records(Path::new(of), size);
            let begun = processor_seconds();
            let spectrum = fdc_formats::read(Path::new(of)).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(spectrum.coverage.element_count(), size as usize);
            begun
        }
        other => panic!("expected depths or records, found {other}"),
    };
    let seconds = processor_seconds()
        .zip(begun)
        .map(|(now, begun)| now - begun);
    let report = serde_json::json!({
        "size": size,
        "processor_s": seconds,
        "peak_mib": peak_mebibytes(),
    });
    println!("{report}");
}

/// The last test fails and runs all lines; the others come in an order that is none of depth.
fn depths(tests: u32) -> Spectrum {
    let mut rows = Rows::new(tests);
    let step = (tests as f64 * 0.618) as u32 | 1;
    for test in 0..tests - 1 {
        let depth = 1 + (u64::from(test) * u64::from(step) % u64::from(tests - 1)) as u32;
        rows.push(std::iter::once(0..depth)).expect("one run");
    }
    rows.push(std::iter::once(0..tests)).expect("one run");
    let program = Program {
        files: vec!["deep.c".into()],
        methods: vec![Method {
            name: "deep".into(),
            file: 0,
        }],
        elements: (0..tests)
            .map(|line| Element {
                method: MethodId(0),
                line: line + 1,
            })
            .collect(),
        labels: Vec::new(),
    };
    let outcome = |test| match test == tests - 1 {
        true => Outcome::Fail,
        false => Outcome::Pass,
    };
    let tests = (0..tests).map(|test| Test {
        name: format!("test{test}"),
        outcome: Some(outcome(test)),
        ..Test::default()
    });
    Spectrum::new(None, program, tests.collect(), rows, None).expect("consistent by construction")
}

/// Every other line, a record each, none beside the one before it.
fn write_records(path: &Path, records: u32) {
    let mut text = String::new();
    for record in 0..records {
        let line = 1 + 2 * (u64::from(record) * 7919 % u64::from(records));
        writeln!(text, "TN:t\nSF:deep.c\nDA:{line},1\nend_of_record").expect("a string grows");
    }
    std::fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

//! The same bytes for the same input, whatever the number of threads.

use std::path::Path;

use crate::program::{command, fdc_in, listed, testdata};
use crate::subjects::{folder, large_dataset, write_json};

#[track_caller]
fn same_for_any_thread_count(folder: &std::path::Path, arguments: &[&str]) {
    let run = |threads: &str| fdc_in(folder, &[arguments, &["--threads", threads]].concat()).done();
    let one = run("1");
    for threads in ["2", "4"] {
        assert!(run(threads) == one, "{arguments:?} with {threads} threads");
    }
    assert_eq!(
        fdc_in(folder, arguments).done(),
        one,
        "{arguments:?} with the default"
    );
}

#[test]
fn rankings_do_not_depend_on_threads() {
    for format in ["table", "json", "csv", "gzoltar"] {
        for level in ["method", "line", "file"] {
            let arguments = [
                "rank",
                "orders/orders.json",
                "--format",
                format,
                "--level",
                level,
            ];
            same_for_any_thread_count(&testdata(), &arguments);
        }
    }
}

/// Every format that can be written, into a file of any name.
const WRITTEN: &[(&[&str], &str)] = &[
    (&["rank", "CASE", "--format", "table"], "txt"),
    (&["rank", "CASE", "--format", "json"], "json"),
    (&["rank", "CASE", "--format", "csv"], "csv"),
    (&["rank", "CASE", "--format", "sarif"], "sarif"),
    (
        &["rank", "CASE", "--format", "html", "--source", "SOURCE"],
        "html",
    ),
    (&["select", "CASE", "--format", "json", "-n", "3"], "json"),
    (&["report", "CASE", "--source", "SOURCE"], "html"),
    (&["report", "CASE", "--source", "SOURCE"], "md"),
    (&["report", "CASE", "--source", "SOURCE"], "sarif"),
    (&["import", "CASE"], "fdc"),
    (&["import", "CASE"], "json"),
    (&["import", "CASE"], "json.zst"),
    (&["import", "CASE"], "tcm"),
    (&["train", "--recipe", "sharp", "CASE"], "safetensors"),
];

#[test]
fn outputs_do_not_depend_on_threads_folders_names_or_the_day() {
    let (here, there) = (folder(), folder());
    let orders = testdata().join("orders");
    let case = here.path().join("case.fdc");
    let case = case.to_str().unwrap();
    let input = orders.join("orders.json");
    fdc_in(
        here.path(),
        &["import", input.to_str().unwrap(), "-o", case],
    )
    .done();
    for (words, ending) in WRITTEN {
        let words = words.iter().map(|word| match *word {
            "CASE" => case,
            "SOURCE" => orders.to_str().unwrap(),
            other => other,
        });
        let words: Vec<&str> = words.collect();
        let made = |folder: &Path, name: &str, threads: &str, quiet: &str, day: &str| {
            let out = format!("{name}.{ending}");
            let more = ["-o", &out, "--threads", threads, quiet];
            let mut run = command(folder, &[&words[..], &more].concat());
            // Both are ways to change what some programs write.
            run.env("SOURCE_DATE_EPOCH", day)
                .env("RAYON_NUM_THREADS", threads);
            let output = run.output().unwrap();
            assert!(output.status.success(), "{words:?}: {output:?}");
            std::fs::read(folder.join(out)).unwrap()
        };
        let one = made(here.path(), "one", "1", "--quiet", "0");
        let other = made(there.path(), "other", "4", "-q", "1700000000");
        assert!(one == other, "{words:?} as {ending}");
    }
}

#[test]
fn selections_with_every_metric_do_not_depend_on_threads() {
    // More tests than one thread takes at a time.
    let folder = folder();
    write_json(folder.path(), "large.json", &large_dataset(1500, 2000));
    fdc_in(folder.path(), &["import", "large.json", "-o", "case.fdc"]).done();
    for metric in listed("metrics") {
        for mode in [&["--reveal"][..], &[]] {
            let start = [
                "select", "case.fdc", "-n", "4", "--format", "json", "--metric", &metric,
            ];
            same_for_any_thread_count(folder.path(), &[&start[..], mode].concat());
        }
    }
}

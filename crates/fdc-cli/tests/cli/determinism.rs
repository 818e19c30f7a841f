//! The same bytes for the same input, whatever the number of threads.

use crate::program::{fdc_in, listed, testdata};
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

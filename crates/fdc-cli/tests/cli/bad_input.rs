//! What was asked for cannot be done: one clear message, the documented exit code, nothing written.

use crate::program::fdc_in;
use crate::subjects::{ORDERS_FAILING, dataset, folder, orders, write_json};

/// Runs with `-o out` in the folder: an `error:` line and a hint, nothing else anywhere.
#[track_caller]
pub(crate) fn refused(folder: &std::path::Path, arguments: &[&str], code: i32, stderr: &str) {
    let before = std::fs::read_dir(folder).unwrap().count();
    let run = fdc_in(folder, &[arguments, &["-o", "out"]].concat());
    assert_eq!(run.stderr, stderr, "{arguments:?}");
    assert_eq!(run.code, Some(code), "{arguments:?}");
    assert_eq!(run.stdout, "", "{arguments:?}");
    let after = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(after, before, "{arguments:?} writes nothing");
}

#[test]
fn unknown_tests_suggest_the_nearest() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    let near = "error: no test is named \"tests/test_tax.py::test_goods_are_sumed_by_rate\"\n  \
                did you mean \"tests/test_tax.py::test_goods_are_summed_by_rate\"?\n";
    let name = "tests/test_tax.py::test_goods_are_sumed_by_rate";
    refused(
        folder.path(),
        &["rank", "orders.json", "--failing", name],
        2,
        near,
    );
    refused(
        folder.path(),
        &["rank", "orders.json", "--failed", name],
        2,
        near,
    );
    refused(
        folder.path(),
        &["select", "orders.json", "--failing", name],
        2,
        near,
    );
    refused(
        folder.path(),
        &["import", "orders.json", "--failed", name],
        2,
        near,
    );
    let part = format!("error: no test is named \"school\"\n  did you mean {ORDERS_FAILING:?}?\n");
    refused(
        folder.path(),
        &["rank", "orders.json", "--failing", "school"],
        2,
        &part,
    );
    let far = "error: no test is named \"nonsense\"\n  \
               test names are as the input spells them, class or file included\n";
    refused(
        folder.path(),
        &["rank", "orders.json", "--failing", "nonsense"],
        2,
        far,
    );
}

#[test]
fn a_failing_test_that_passes_is_refused() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    let name = "tests/test_tax.py::test_goods_are_summed_by_rate";
    let expected = format!(
        "error: test {name} passes: a failing test is needed\n  failing tests: {ORDERS_FAILING}\n"
    );
    for command in ["rank", "select"] {
        refused(
            folder.path(),
            &[command, "orders.json", "--failing", name],
            2,
            &expected,
        );
    }
}

#[test]
fn without_a_failing_test_there_is_nothing_to_rank() {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] = &[("a", Some("pass"), &[0]), ("b", None, &[0])];
    write_json(folder.path(), "none.json", &dataset(tests, 1));
    let expected = "error: no test fails among 2\n  \
                    name the failing one with --failing, or set outcomes with --failed\n";
    for command in ["rank", "select"] {
        refused(folder.path(), &[command, "none.json"], 3, expected);
    }
}

#[test]
fn a_matrix_without_tests_has_no_failing_one() {
    let folder = folder();
    write_json(folder.path(), "empty.json", &dataset(&[], 0));
    let expected = "error: no test fails among 0\n  \
                    name the failing one with --failing, or set outcomes with --failed\n";
    refused(folder.path(), &["rank", "empty.json"], 3, expected);
}

#[test]
fn failing_tests_without_coverage_are_refused() {
    let folder = folder();
    let tests: &[(&str, Option<&str>, &[u32])] =
        &[("a", Some("fail"), &[]), ("b", Some("pass"), &[0])];
    write_json(folder.path(), "one.json", &dataset(tests, 1));
    let expected = "error: failing test a covers no element: nothing can be suspected\n  \
                    measure coverage again, or start from another failing test\n";
    for command in ["rank", "select"] {
        refused(folder.path(), &[command, "one.json"], 3, expected);
    }
    let tests: &[(&str, Option<&str>, &[u32])] =
        &[("a", Some("fail"), &[]), ("b", Some("fail"), &[])];
    write_json(folder.path(), "two.json", &dataset(tests, 1));
    let expected = "error: none of the 2 failing tests covers an element: nothing can be suspected\n  \
                    measure coverage again\n";
    refused(folder.path(), &["rank", "two.json"], 3, expected);
}

#[test]
fn unknown_metrics_and_parameters_are_usage_errors() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    for (metric, message) in [
        (
            "wieght",
            "unknown metric \"wieght\"; did you mean \"weight\"?",
        ),
        ("zzzzzzzz", "unknown metric \"zzzzzzzz\""),
        (
            "weight:alpha=2",
            "metric weight: expected a number from 0 to 1 for alpha, found \"2\"",
        ),
        (
            "weight:alpha=NaN",
            "metric weight: expected a number from 0 to 1 for alpha, found \"NaN\"",
        ),
        (
            "weight:beta=1",
            "metric weight has no parameter \"beta\" (it has: alpha)",
        ),
        (
            "weight:alpha",
            "metric \"weight:alpha\": expected key=value, each key once, found \"alpha\"",
        ),
        (
            "total:alpha=1",
            "metric total has no parameter \"alpha\" (it has: none)",
        ),
    ] {
        let of_parameters = ["alpha=2", "alpha=NaN", "beta=1", "total:alpha=1"];
        let hint = if of_parameters.iter().any(|end| metric.ends_with(end)) {
            let name = metric.split(':').next().unwrap();
            format!("`fdc explain {name}` shows its parameters")
        } else {
            "`fdc list metrics` shows all metrics".to_owned()
        };
        let expected = format!("error: {message}\n  {hint}\n");
        refused(
            folder.path(),
            &["select", "orders.json", "--metric", metric],
            2,
            &expected,
        );
    }
}

#[test]
fn unknown_option_values_are_usage_errors_that_suggest_or_list() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    let help = "\n\nFor more information, try '--help'.\n";
    for (option, value, message) in [
        (
            "--formula",
            "ochai",
            "'--formula <FORMULA>': unknown formula; did you mean 'ochiai'?",
        ),
        (
            "--from",
            "gzolter",
            "'--from <FORMAT>': unknown format; did you mean 'gzoltar'?",
        ),
        (
            "--tie",
            "worst",
            "'--tie <TIE>'\n  [possible values: max, min, average, expected]",
        ),
        (
            "--level",
            "lines",
            "'--level <LEVEL>'\n  [possible values: method, line, file]\n\n  tip: a similar value exists: 'line'",
        ),
        ("--threads", "0", "'--threads <N>': 0 is not in 1..=65535"),
    ] {
        let expected = format!("error: invalid value '{value}' for {message}{help}");
        refused(
            folder.path(),
            &["rank", "orders.json", option, value],
            2,
            &expected,
        );
    }
    let list = fdc_in(
        folder.path(),
        &["rank", "orders.json", "--formula", "zzzzzzzz"],
    );
    assert_eq!(list.code, Some(2));
    assert!(
        list.stderr
            .contains("unknown formula; there are: sharp, ochiai, tarantula, "),
        "{}",
        list.stderr
    );
    let number = "error: invalid value 'x' for '--number <N>': expected a number or `all`";
    refused(
        folder.path(),
        &["select", "orders.json", "-n", "x"],
        2,
        &format!("{number}{help}"),
    );
}

#[test]
fn revealing_and_a_start_of_known_outcomes_exclude_each_other() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    let run = fdc_in(
        folder.path(),
        &["select", "orders.json", "--reveal", "--start", "known"],
    );
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("cannot be used with"), "{}", run.stderr);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = folder();
    write_json(folder.path(), "orders.json", &orders());
    for command in ["rank", "select"] {
        let run = fdc_in(
            folder.path(),
            &[command, "orders.json", "-o", "no/such/folder"],
        );
        let expected = "error: no/such/folder: cannot write it: No such file or directory (os error 2)\n  \
             check the path; relative ones start from the current folder\n";
        assert_eq!((run.code, &*run.stderr), (Some(3), expected));
        assert_eq!(run.stdout, "");
    }
    let run = fdc_in(
        folder.path(),
        &["import", "orders.json", "-o", "no/case.fdc"],
    );
    let expected = "error: no/case.fdc: cannot write it: No such file or directory (os error 2)\n  \
                    check the path; relative ones start from the current folder\n";
    assert_eq!((run.code, &*run.stderr), (Some(3), expected));
}

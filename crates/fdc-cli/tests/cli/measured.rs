//! Coverage that other tools measured: several files, outcomes, sources and class files.

use crate::program::{fdc, fdc_in};
use crate::subjects::folder;

const PYTHON: [&str; 2] = ["--source", "subjects/python"];

#[test]
fn coverage_and_a_report_of_outcomes_make_a_case() {
    let folder = folder();
    let case = folder.path().join("case.fdc");
    let case = case.to_str().unwrap();
    for given in [
        &[
            "coverage.py/lines.coverage",
            "--outcomes",
            "junit/pytest.xml",
        ][..],
        &["coverage.py/lines.coverage", "junit/pytest.xml"],
        &["junit/pytest.xml", "coverage.py/lines.coverage"],
    ] {
        let import = [&["import"], given, &PYTHON, &["-o", case]].concat();
        let run = fdc(&import);
        assert_eq!(
            run.stderr,
            format!("{case}: 4 tests (2 failing), 5 methods, 9 lines\n"),
            "{given:?}"
        );
        let failing = "tests/test_cart.py::TestCart::test_limit[4]";
        let rank = fdc(&[
            "rank",
            case,
            "--failing",
            failing,
            "--format",
            "csv",
            "-n",
            "1",
        ])
        .done();
        assert!(rank.contains("shop/cart.py::Cart.add"), "{rank}");
    }
}

#[test]
fn files_of_one_test_each_rank_without_a_case() {
    let given = [
        "rank",
        "go/TestAdd.out",
        "go/TestLimit.out",
        "--source",
        "subjects/go",
    ];
    let options = [
        "--failed",
        "TestLimit",
        "--format",
        "csv",
        "--level",
        "line",
        "--formula",
        "ochiai",
    ];
    let rank = fdc(&[&given[..], &options].concat()).done();
    assert!(
        rank.starts_with("rank,score,name\n1,1,\"cart.go:12\"\n"),
        "{rank}"
    );
}

#[test]
fn jacoco_needs_the_class_files() {
    let run = fdc(&[
        "rank",
        "jacoco/sessions.exec",
        "--failed",
        "org.shop.CartTest#limits",
    ]);
    assert_eq!(run.code, Some(3));
    assert_eq!(
        run.stderr,
        "error: jacoco/sessions.exec: expected the class files that were measured, found none\n  \
         give their folders and jars with --classes: the data has no lines\n"
    );
    let classes = ["--classes", "subjects/java/shop.jar"];
    let given = [
        "rank",
        "jacoco/sessions.exec",
        "--failed",
        "org.shop.CartTest#limits",
    ];
    let rank = fdc(&[&given[..], &classes, &["--format", "csv", "-n", "1"]].concat()).done();
    assert!(rank.contains("org.shop.Cart#add(int,int)"), "{rank}");
}

#[test]
fn notes_on_what_was_read_are_told_unless_quiet() {
    let folder = folder();
    let case = folder.path().join("case.fdc");
    let import = ["import", "lcov/test_add.info", "-o", case.to_str().unwrap()];
    let run = fdc(&[&import[..], &PYTHON].concat());
    assert!(
        run.stderr
            .starts_with("note: the coverage is of one test, \"test_add\""),
        "{}",
        run.stderr
    );
    let quiet = fdc(&[&import[..], &PYTHON, &["--quiet"]].concat());
    assert_eq!((quiet.code, &*quiet.stderr), (Some(0), ""));
}

#[test]
fn inputs_that_do_not_go_together_are_refused() {
    let refused = |arguments: &[&str], message: &str| {
        let run = fdc(arguments);
        assert_eq!(run.code, Some(3), "{run:?}");
        assert_eq!(run.stderr, message);
    };
    refused(
        &["rank", "tcm/lines.tcm", "go/TestAdd.out"],
        "error: tcm/lines.tcm: expected coverage that can be joined with other files, \
         found format tcm, which is a matrix of its own\n  \
         give this file alone, or with reports of outcomes\n",
    );
    refused(
        &["rank", "lcov/test_add.info", "cobertura/test_add.xml"],
        "error: cobertura/test_add.xml: expected one file for the test \"test_add\", \
         found lcov/test_add.info as well\n  \
         name the tests in a manifest: `fdc explain manifest`\n",
    );
    refused(
        &["rank", "go/TestAdd.out", "--source", "absent"],
        "error: absent: --source names no folder\n  \
         give the folder of the sources that were measured\n",
    );
    refused(
        &["rank", "junit/pytest.xml"],
        "error: junit/pytest.xml: expected coverage, found outcomes of tests alone\n  \
         give the coverage as well; `fdc list formats` shows what is read\n",
    );
    refused(
        &[
            "rank",
            "go/TestAdd.out",
            "--outcomes",
            "junit/pytest.xml",
            "--source",
            "subjects/go",
        ],
        "error: junit/pytest.xml: expected results of the measured tests, such as \"TestAdd\", \
         found 5 results, such as \"tests.test_cart.TestCart.test_add\", that fit none\n  \
         is the report of the same tests? a manifest can give outcomes too\n",
    );
}

#[test]
fn twenty_thousand_files_of_one_test_each_are_read() {
    let folder = folder();
    let tests = folder.path().join("cov");
    std::fs::create_dir(&tests).unwrap();
    for test in 0..20_000 {
        let lines: String = (1..40)
            .map(|line| format!("DA:{line},{}\n", u32::from((test + line) % 3 == 0)))
            .collect();
        let text = format!("SF:src/a.c\n{lines}end_of_record\n");
        std::fs::write(tests.join(format!("t{test}.info")), text).unwrap();
    }
    let run = fdc_in(
        folder.path(),
        &["import", "cov", "--failed", "t7", "-o", "case.fdc"],
    );
    assert!(
        run.stderr
            .ends_with("case.fdc: 20000 tests (1 failing), 1 methods, 39 lines\n"),
        "{run:?}"
    );
}

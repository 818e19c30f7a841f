//! `fdc generate`: what it refuses, before anything is written. Generations themselves are tested in
//! fdc-generate.

use serde_json::json;

use crate::program::{Run, fdc, fdc_in, testdata};
use crate::subjects::{dataset, folder, write_json};

/// Runs with a case of Java code in the current folder.
fn run(more: &[&str]) -> Run {
    let folder = folder();
    let tests: [(&str, Option<&str>, &[u32]); 2] = [
        ("a.BTest#c", Some("fail"), &[0, 1]),
        ("a.BTest#d", None, &[0]),
    ];
    let mut document = dataset(&tests, 2);
    document["methods"] = json!(["a.B#c()", "a.B#d()"]);
    write_json(folder.path(), "case.json", &document);
    fdc_in(folder.path(), &["import", "case.json", "-o", "case.fdc"]).done();
    let run = fdc_in(folder.path(), &[&["generate"], more].concat());
    assert!(!folder.path().join("more").exists(), "{run:?}");
    assert_eq!(run.stdout, "");
    run
}

const AIM: [&str; 6] = ["--case", "case.fdc", "--classpath", ".", "-o", "more"];

fn evosuite(more: &[&str]) -> Run {
    run(&[&["evosuite"], &AIM[..], more].concat())
}

#[test]
fn an_oracle_and_the_fixed_version_go_together() {
    let run = evosuite(&["--oracle", "regression"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.stderr,
        "error: --oracle regression needs the fixed version\n  \
         name its class path with --fixed-classpath\n"
    );
    let run = evosuite(&["--fixed-classpath", "."]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .starts_with("error: --fixed-classpath is for --oracle regression\n")
    );
}

#[test]
fn a_criterion_that_sees_outcomes_or_does_not_exist_is_refused() {
    let run = evosuite(&["--criterion", "prox"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("metric prox looks at outcomes, which new tests do not have")
    );
    let run = evosuite(&["--criterion", "rlfcd"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("rlfdc"), "{}", run.stderr);
}

#[test]
fn a_missing_tool_is_exit_code_4_with_what_to_do() {
    let run = evosuite(&["--evosuite", "/nowhere/evosuite.jar"]);
    assert_eq!(run.code, Some(4));
    assert_eq!(
        run.stderr,
        "error: --evosuite: /nowhere/evosuite.jar does not exist\n  \
         name EvoSuite's jar, or leave it out to take it from your Maven repository\n"
    );
    let case = testdata().join("README.md");
    let run = evosuite(&["--evosuite", &case.to_string_lossy(), "--java8", "/nowhere"]);
    assert_eq!(run.code, Some(4));
    assert_eq!(
        run.stderr,
        "error: --java8 /nowhere: expected the home of a Java 8 JDK, found no bin/java in it\n  \
         EvoSuite runs on Java 8 only: name its home folder\n"
    );
}

#[test]
fn a_case_that_is_missing_or_no_case_is_exit_code_3() {
    let aim = ["--classpath", ".", "-o", "more"];
    let run = run(&[&["import", ".", "--case", "nowhere.fdc"], &aim[..]].concat());
    assert_eq!(run.code, Some(3));
    assert!(run.stderr.starts_with("error: nowhere.fdc: cannot open it"));
    let run = self::run(&[&["import", ".", "--case", "case.json"], &aim[..]].concat());
    assert_eq!(run.code, Some(3));
    assert!(
        run.stderr.contains("expected a case file"),
        "{}",
        run.stderr
    );
}

#[test]
fn generators_are_listed_and_explained() {
    let table = fdc(&["list", "generators"]).done();
    for name in ["evosuite", "import"] {
        assert!(table.lines().any(|line| line.starts_with(name)), "{table}");
        let page = fdc(&["explain", name]).done();
        assert!(page.starts_with(&format!("{name} — ")), "{page}");
        let help = fdc(&["generate", name, "--help"]).done();
        assert!(
            help.contains("--classpath") && help.contains("--oracle"),
            "{help}"
        );
    }
}

#[test]
fn select_takes_only_tests_of_an_origin_that_there_is() {
    let folder = folder();
    let tests: [(&str, Option<&str>, &[u32]); 3] = [
        ("f", Some("fail"), &[0, 1, 2]),
        ("human", Some("pass"), &[0]),
        ("made", Some("pass"), &[0, 1]),
    ];
    let mut document = dataset(&tests, 3);
    document["tests"][2]["origin"] = json!("evosuite");
    write_json(folder.path(), "pool.json", &document);
    let select = |origin: &str| {
        let start = [
            "select",
            "pool.json",
            "--format",
            "json",
            "--origin",
            origin,
        ];
        fdc_in(folder.path(), &start)
    };
    let chosen = select("evosuite").json();
    assert_eq!(chosen["steps"].as_array().unwrap().len(), 2);
    assert_eq!(chosen["steps"][1]["added"], "made");
    let run = select("evosweet");
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.stderr,
        "error: no test is of origin \"evosweet\"\n  there are: evosuite\n"
    );
}

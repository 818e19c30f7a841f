//! `fdc generate import` with a real compiler and JUnit.

mod subject;

use std::collections::BTreeMap;
use std::path::Path;

use fdc_case as case;
use fdc_collect::settings::Settings;
use fdc_collect::{Cause, RunError};
use fdc_core::Outcome;
use fdc_generate::summary::RemovalReason as Reason;
use fdc_generate::{GENERATORS, GenerateOptions, Generator, Summary, generate};

use subject::{FAILING, Nobody, Subject, check_summary, ready, testdata};

fn import() -> &'static Generator {
    GENERATORS
        .iter()
        .find(|tool| tool.name == "import")
        .unwrap()
}

fn run(subject: &Subject, options: &GenerateOptions) -> Result<Summary, RunError> {
    generate(import(), options, &subject.target(), &Nobody)
}

/// Per new test of a pool its outcome and lines.
fn made(pool: &Path) -> BTreeMap<String, (Option<Outcome>, Vec<u32>)> {
    let spectrum = case::read(pool).unwrap();
    let tests = spectrum.coverage.tests().filter(|&id| {
        let origin = spectrum.test(id).origin.as_deref();
        origin == Some("import")
    });
    let of = |id| {
        let lines = spectrum.coverage.elements(id).into_iter();
        let lines = lines.map(|element| spectrum.program.elements[element as usize].line);
        (spectrum.test(id).outcome, lines.collect())
    };
    let short = |name: &str| name.replace("org.halves.", "");
    tests
        .map(|id| (short(&spectrum.test(id).name), of(id)))
        .collect()
}

#[test]
fn tests_that_cannot_be_relied_on_are_removed_and_the_rest_is_the_pool() {
    if !ready() {
        return;
    }
    let subject = Subject::new();
    let mut options = subject.options("more");
    let settings = options.settings.with("oracle", "regression");
    options.settings = settings.with("fixed-classpath", subject.at("fixed"));
    let summary = run(&subject, &options).unwrap();
    assert_eq!((summary.made, summary.kept), (12, 4));
    let expected = [
        (Reason::NotCompiling, 3),
        (Reason::Failing, 1),
        (Reason::Flaky, 1),
        (Reason::Hanging, 1),
        (Reason::Skipped, 1),
        (Reason::Empty, 1),
    ];
    assert_eq!(summary.removed, expected.into());
    let flaky = &summary.removed_tests["org.halves.MadeTest#flaky"];
    assert_eq!(*flaky, Reason::Flaky);
    assert_eq!(summary.failing, FAILING);
    assert_eq!((summary.outcomes.fail, summary.outcomes.pass), (1, 3));
    let units: Vec<_> = summary
        .units
        .iter()
        .map(|unit| (unit.made, unit.kept))
        .collect();
    assert_eq!(units, [(2, 0), (8, 3), (1, 1), (1, 0)]);

    let pool = made(&subject.at("more/pool.fdc"));
    let names: Vec<&str> = pool.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "MadeTest#counts",
            "MadeTest#large",
            "MadeTest#minusFour",
            "OldTest#testMedium",
        ]
    );
    assert_eq!(
        pool["MadeTest#minusFour"],
        (Some(Outcome::Fail), vec![7, 8, 14, 15])
    );
    assert_eq!(pool["MadeTest#large"], (Some(Outcome::Pass), vec![5, 6]));

    // The sources hold what is kept, and what that needs.
    let text = std::fs::read_to_string(subject.at("more/tests/org/halves/MadeTest.java")).unwrap();
    for (word, there) in [
        ("minusFour", true),
        ("Holds on to the bug", true),
        ("missing", false),
        ("Does not compile", false),
        ("flaky", false),
        ("Every other time", false),
        ("endless", false),
    ] {
        assert_eq!(text.contains(word), there, "{word}\n{text}");
    }
    let there = |path: &str| subject.at(path).exists();
    assert!(there("more/tests/org/halves/Numbers.java"));
    assert!(!there("more/tests/org/halves/BrokenTest.java"));
    assert!(there("more/classes/org/halves/OldTest.class"));
    assert!(!there("more/work"));

    check_summary(&options.out);
    // A folder that is complete is not made again; other options are refused.
    let before = std::fs::read(subject.at("more/pool.fdc")).unwrap();
    assert_eq!(run(&subject, &options).unwrap(), summary);
    assert_eq!(std::fs::read(subject.at("more/pool.fdc")).unwrap(), before);
    options.settings = subject.options("more").settings;
    let error = run(&subject, &options).unwrap_err();
    assert!(error.cause() == Some(Cause::Usage), "{error}");
    let expected = "made with other options";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn class_files_are_taken_in_and_outcomes_stay_unknown_without_an_oracle() {
    if !ready() {
        return;
    }
    let subject = Subject::new();
    let sources = subject.at("sources/org/halves");
    std::fs::create_dir_all(&sources).unwrap();
    let old = "org/halves/OldTest.java";
    std::fs::copy(
        testdata().join("made").join(old),
        sources.join("OldTest.java"),
    )
    .unwrap();
    // A name that the case has already is left out.
    let human = testdata().join("human/org/halves/HalfTest.java");
    std::fs::copy(human, sources.join("HalfTest.java")).unwrap();
    subject.javac(&subject.at("sources"), "compiled", "faulty");
    let mut options = subject.options("more");
    let compiled = subject.at("compiled");
    options.settings.set("tests", [compiled.into()]);
    let summary = run(&subject, &options).unwrap();
    assert_eq!((summary.kept, summary.outcomes.unknown), (1, 1));
    assert_eq!(summary.removed, [(Reason::Known, 3)].into());
    let pool = made(&subject.at("more/pool.fdc"));
    assert_eq!(pool["OldTest#testMedium"], (None, vec![5, 8, 9]));
    assert!(subject.at("more/classes/org/halves/OldTest.class").exists());
    // Everything of the case is there.
    let whole = case::read(&subject.at("more/pool.fdc")).unwrap();
    let human = whole.test_named(FAILING).unwrap();
    assert_eq!(whole.test(human).outcome, Some(Outcome::Fail));
}

#[test]
fn what_cannot_work_is_said_before_anything_is_written() {
    if !ready() {
        return;
    }
    let subject = Subject::new();
    let refused = |change: &dyn Fn(&mut Settings), message: &str| {
        let mut options = subject.options("more");
        change(&mut options.settings);
        let error = run(&subject, &options).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.advice().is_some(), "{error}");
        assert!(!options.out.exists());
    };
    let empty = subject.at("empty");
    std::fs::create_dir(&empty).unwrap();
    refused(
        &|settings| settings.set("tests", [empty.clone().into()]),
        "expected Java sources or class files, found none",
    );
    refused(
        &|settings| settings.set("tests", [subject.at("nowhere").into()]),
        "cannot open it",
    );
    refused(
        &|settings| settings.set("classpath", [empty.clone().into()]),
        "--classpath holds none of the case's 2 classes (such as org.halves.Half)",
    );
    refused(
        &|settings| settings.set("java", [subject.at("bin/java").into()]),
        "cannot run",
    );
}

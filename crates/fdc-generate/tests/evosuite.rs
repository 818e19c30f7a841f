//! `fdc generate evosuite` with the real EvoSuite, for seconds. Where the jars are and Java 8 or
//! EvoSuite is not, these tests fail: `make java` gets EvoSuite, `scripts/java8` a Java 8.

mod subject;

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use fdc_case as case;
use fdc_collect::{Cause, RunError, Watch};
use fdc_generate::{
    Budget, Criterion, GENERATORS, GenerateOptions, Generator, SearchLevel, SearchOptions, generate,
};

use subject::{Nobody, Subject, check_summary, ready};

fn evosuite() -> &'static Generator {
    GENERATORS
        .iter()
        .find(|tool| tool.name == "evosuite")
        .unwrap()
}

fn guided(subject: &Subject, out: &str) -> GenerateOptions {
    GenerateOptions {
        search: SearchOptions {
            criterion: Criterion::Metric("tfd".into()),
            level: SearchLevel::Test,
            budget: Budget::Generations(6),
            seed: 7,
            model: None,
        },
        ..subject.options(out)
    }
}

/// All sources below a folder.
fn sources(folder: &Path) -> String {
    let names = ["Half_ESTest.java", "Size_ESTest.java"];
    let paths = names.map(|name| folder.join("org/halves").join(name));
    let texts = paths.map(|path| std::fs::read_to_string(path).unwrap_or_default());
    texts.concat()
}

#[test]
fn tests_are_made_for_the_suspects_classes_and_split_groups_and_again_the_same() {
    if !ready() {
        return;
    }
    let subject = Subject::new();
    let options = guided(&subject, "more");
    let summary = generate(evosuite(), &options, &subject.target(), &Nobody).unwrap();
    // Two of the failing test's three methods are of Half.
    let units: Vec<_> = summary
        .units
        .iter()
        .map(|unit| unit.name.as_str())
        .collect();
    assert_eq!(units, ["org.halves.Half", "org.halves.Size"]);
    let searches: Vec<_> = summary
        .units
        .iter()
        .filter_map(|unit| unit.search.clone())
        .collect();
    let shares: Vec<_> = searches.iter().map(|search| search.generations).collect();
    assert_eq!(shares, [Some(4), Some(2)]);
    for search in &searches {
        assert_eq!(search.problem, None);
        assert!(search.rounds > 0 && search.evaluations > 0, "{search:?}");
    }
    assert!(summary.kept > 0, "{summary:?}");
    assert_eq!(summary.outcomes.unknown, summary.kept);
    let pool = case::read(&subject.at("more/pool.fdc")).unwrap();
    let made = pool
        .tests
        .iter()
        .filter(|test| test.origin.as_deref() == Some("evosuite"));
    assert_eq!(made.count() as u64, summary.kept);
    let first = sources(&subject.at("more/tests"));
    assert!(first.contains("@Test") && !first.contains("automatically generated"));
    check_summary(&options.out);
    // Every round is in the report, and what was kept beside it.
    let report = std::fs::read_to_string(subject.at("more/rounds.jsonl")).unwrap();
    assert_eq!(report.matches("\"event\":\"end\"").count(), 2, "{report}");
    assert!(subject.at("more/logs/org.halves.Half.log").exists());

    let options = guided(&subject, "again");
    generate(evosuite(), &options, &subject.target(), &Nobody).unwrap();
    assert_eq!(sources(&subject.at("again/tests")), first);
}

/// Asks to stop once the second class is under way.
#[derive(Default)]
struct Hasty {
    classes: AtomicU32,
}

impl Watch for Hasty {
    fn stage(&self, title: &str, _steps: u64) {
        let class = u32::from(title.starts_with("class "));
        self.classes.fetch_add(class, Ordering::Relaxed);
    }
    fn note(&self, _text: &str) {}
    fn asked_to_stop(&self) -> bool {
        self.classes.load(Ordering::Relaxed) == 2
    }
}

#[test]
fn a_stopped_run_goes_on_and_finished_classes_are_not_made_again() {
    if !ready() {
        return;
    }
    let subject = Subject::new();
    let mut options = guided(&subject, "more");
    options.search.criterion = Criterion::Line;
    options.search.level = SearchLevel::Suite;
    let stopped = generate(evosuite(), &options, &subject.target(), &Hasty::default());
    assert!(matches!(stopped, Err(RunError::Interrupted)));
    assert!(!subject.at("more/pool.fdc").exists());
    let log = subject.at("more/logs/org.halves.Half.log");
    let before = std::fs::metadata(&log).unwrap().modified().unwrap();
    let summary = generate(evosuite(), &options, &subject.target(), &Nobody).unwrap();
    assert_eq!(std::fs::metadata(&log).unwrap().modified().unwrap(), before);
    assert!(summary.kept > 0 && summary.units.len() == 2, "{summary:?}");
}

#[test]
fn lines_can_be_searched_one_by_one() {
    if !ready() {
        return;
    }
    let subject = Subject::new();
    let mut options = guided(&subject, "more");
    options.search.criterion = Criterion::Line;
    let summary = generate(evosuite(), &options, &subject.target(), &Nobody).unwrap();
    assert!(summary.kept > 0 && summary.units.len() == 2, "{summary:?}");
    let log = std::fs::read_to_string(subject.at("more/logs/org.halves.Half.log")).unwrap();
    assert!(log.contains("individual test generation"), "{log}");
}

#[test]
fn classes_that_evosuite_cannot_read_and_unknown_ones_are_refused() {
    if !ready() {
        return;
    }
    let subject = Subject::new();
    let mut options = guided(&subject, "more");
    options.settings.set("class", ["org.halves.Halb".into()]);
    let error = generate(evosuite(), &options, &subject.target(), &Nobody).unwrap_err();
    assert_eq!(
        error.to_string(),
        "--class org.halves.Halb: there is no such class on --classpath"
    );
    assert_eq!(error.advice(), Some("did you mean org.halves.Half?"));
    options.settings.set("class", []);
    // Byte 7 of a class file is its version: 52 is Java 8.
    let class = subject.at("faulty/org/halves/Half.class");
    let mut bytes = std::fs::read(&class).unwrap();
    assert_eq!(bytes[7], 52);
    bytes[7] = 61;
    std::fs::write(&class, bytes).unwrap();
    let error = generate(evosuite(), &options, &subject.target(), &Nobody).unwrap_err();
    assert!(error.cause() == Some(Cause::Input), "{error}");
    assert!(
        error.to_string().ends_with("found one for Java 17"),
        "{error}"
    );
    assert!(!options.out.exists());
}

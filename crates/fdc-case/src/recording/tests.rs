use std::path::PathBuf;

use fdc_core::Verdict;

use super::*;
use crate as case;

const PASS: Judgement = Judgement::Judged(Outcome::Pass);
const FAIL: Judgement = Judgement::Judged(Outcome::Fail);

type Line = (&'static str, u32);

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.fdc");
    (folder, path)
}

fn open(path: &Path) -> Recording {
    Recording::open(path, &[("collector", "pytest")]).unwrap()
}

fn record(recording: &mut Recording, name: &str, judgement: Judgement, lines: &[Line]) {
    let mut elements: Vec<u32> = lines
        .iter()
        .map(|(file, line)| {
            let method = format!("{file}::f{}", line / 10);
            recording.element(file, &method, *line)
        })
        .collect();
    let run = TestRun {
        name,
        judgement,
        seconds: Some(0.5),
        note: None,
        failure: None,
    };
    recording.record(&run, &mut elements).unwrap();
}

/// The case as text: per test its outcome and lines.
fn picture(path: &Path) -> Vec<String> {
    let spectrum = case::read(path).unwrap();
    let program = &spectrum.program;
    let line = |element: u32| {
        let element = program.elements[element as usize];
        let method = &program.methods[element.method.index()];
        let file = &program.files[method.file as usize];
        assert_eq!(method.name, format!("{file}::f{}", element.line / 10));
        format!("{file}:{}", element.line)
    };
    let tests = spectrum.coverage.tests().map(|id| {
        let test = spectrum.test(id);
        let lines = spectrum.coverage.elements(id).into_iter().map(line);
        let lines: Vec<String> = lines.collect();
        let outcome = test.outcome.map_or("?", Outcome::name);
        let flaky = if test.flaky { " flaky" } else { "" };
        format!("{} {outcome}{flaky} {}", test.name, lines.join(" "))
    });
    tests.collect()
}

fn filled(path: &Path, order: &[usize]) {
    let mut recording = open(path);
    let tests: [(&str, Judgement, &[Line]); 4] = [
        ("t1", PASS, &[("b.py", 3), ("a.py", 12)]),
        ("t2", FAIL, &[("a.py", 11), ("a.py", 2)]),
        ("t3", PASS, &[]),
        ("t4", Judgement::Skipped, &[]),
    ];
    for &test in order {
        let (name, judgement, lines) = tests[test];
        record(&mut recording, name, judgement, lines);
    }
    recording.finish(true).unwrap();
}

#[test]
fn the_case_does_not_depend_on_the_order_of_the_tests() {
    let (_folder, path) = folder();
    filled(&path, &[0, 1, 2, 3]);
    let first = case::read(&path).unwrap();
    assert_eq!(
        picture(&path),
        [
            "t1 pass a.py:12 b.py:3",
            "t2 fail a.py:2 a.py:11",
            "t3 pass "
        ]
    );
    let (_folder, other) = folder();
    filled(&other, &[3, 2, 1, 0]);
    let second = case::read(&other).unwrap();
    assert_eq!(first.program, second.program);
    assert_eq!(first.tests, second.tests);
    assert_eq!(picture(&path), picture(&other));
}

#[test]
fn a_recording_that_was_dropped_goes_on() {
    let (_folder, path) = folder();
    let mut recording = open(&path);
    record(&mut recording, "t1", FAIL, &[("a.py", 1)]);
    record(&mut recording, "t0", Judgement::Skipped, &[]);
    assert!(recording.is_done("t1").unwrap());
    drop(recording);
    let mut recording = open(&path);
    assert!(recording.is_done("t1").unwrap() && recording.is_done("t0").unwrap());
    assert!(!recording.is_done("t2").unwrap());
    // Already done: nothing changes.
    record(&mut recording, "t1", PASS, &[("z.py", 1)]);
    record(&mut recording, "t2", PASS, &[("a.py", 1)]);
    let progress = recording.finish(true).unwrap();
    assert_eq!(
        (progress.tests, progress.failing, progress.skipped),
        (2, 1, 1)
    );
    assert_eq!(picture(&path), ["t1 fail a.py:1", "t2 pass a.py:1"]);
}

#[test]
fn a_case_whose_last_pages_are_still_in_the_log_goes_on() {
    let (folder, path) = folder();
    let mut recording = open(&path);
    // Enough lines that the file has to grow.
    let lines: Vec<Line> = (1..5000).map(|line| ("a.py", line)).collect();
    record(&mut recording, "t1", FAIL, &lines);
    // As a collector leaves it that is killed while the log is written back: the first page tells of
    // pages that only the log has.
    let copy = folder.path().join("copy.fdc");
    std::fs::copy(&path, &copy).unwrap();
    std::fs::copy(
        folder.path().join("case.fdc-wal"),
        folder.path().join("copy.fdc-wal"),
    )
    .unwrap();
    let mut bytes = std::fs::read(&copy).unwrap();
    bytes[28..32].copy_from_slice(&9999u32.to_be_bytes());
    std::fs::write(&copy, bytes).unwrap();
    let mut again = open(&copy);
    assert!(again.is_done("t1").unwrap());
    record(&mut again, "t2", PASS, &[("a.py", 1)]);
    again.finish(true).unwrap();
    assert_eq!(picture(&copy)[1], "t2 pass a.py:1");
}

#[test]
fn it_can_be_read_while_it_grows() {
    let (_folder, path) = folder();
    let mut recording = open(&path);
    record(&mut recording, "t1", FAIL, &[("a.py", 1)]);
    assert_eq!(picture(&path), ["t1 fail a.py:1"]);
    record(&mut recording, "t0", PASS, &[("a.py", 2)]);
    assert_eq!(picture(&path), ["t1 fail a.py:1", "t0 pass a.py:2"]);
}

#[test]
fn a_second_collector_is_kept_out() {
    let (_folder, path) = folder();
    let first = open(&path);
    let error = Recording::open(&path, &[("collector", "pytest")]).unwrap_err();
    let message = error.to_string();
    let id = std::process::id();
    let found = format!("found another `fdc collect` at work on it (process {id})");
    assert!(message.ends_with(&found), "{message}");
    drop(first);
    open(&path);
}

#[test]
#[cfg(unix)]
fn a_second_collector_is_kept_out_whatever_link_it_comes_by() {
    let (folder, path) = folder();
    let link = folder.path().join("link.fdc");
    let other = folder.path().join("other");
    std::os::unix::fs::symlink("case.fdc", &link).unwrap();
    std::os::unix::fs::symlink(folder.path(), &other).unwrap();
    // There is no case yet that the link leads to.
    let recording = Recording::open(&link, &[]).unwrap();
    for way in [&path, &link, &other.join("link.fdc")] {
        let refused = Recording::open(way, &[]).unwrap_err().to_string();
        assert!(refused.contains("nobody else writes to"), "{refused}");
    }
    drop(recording);
    Recording::open(&path, &[]).unwrap();
}

#[test]
fn a_case_that_is_not_finished_says_so() {
    let (_folder, path) = folder();
    let mut recording = open(&path);
    let said = || Case::open(&path).unwrap().interruption().unwrap();
    recording.plan(3, 1).unwrap();
    record(&mut recording, "t1", FAIL, &[("a.py", 1)]);
    let place = path.display();
    assert_eq!(
        said().unwrap(),
        format!("{place}: the collection is still running, with 1 of 3 tests done so far")
    );
    drop(recording);
    let finish = "run the same fdc collect again to finish it";
    let interrupted = format!("{place}: the collection was interrupted");
    assert_eq!(
        said().unwrap(),
        format!("{interrupted} after 1 of 3 tests; {finish}")
    );
    open(&path).finish(true).unwrap();
    assert_eq!(said(), None);
    // Nothing that is new is lost by this one.
    drop(open(&path));
    assert_eq!(said(), None);
    let mut recording = open(&path);
    recording.plan(1, 2).unwrap();
    recording.record_again("t1", FAIL).unwrap();
    drop(recording);
    assert_eq!(
        said().unwrap(),
        format!("{interrupted} in another run of its tests, after 1 of 1 tests; {finish}")
    );
}

#[test]
fn people_can_look_and_answer_while_a_collector_is_at_work() {
    let (_folder, path) = folder();
    filled(&path, &[0, 1, 2]);
    let mut people = Case::open(&path).unwrap();
    people.take_answers().unwrap();
    people.measured().unwrap();
    let pass = Verdict {
        outcome: Outcome::Pass,
        trust: 1.0,
    };
    let answer = || people.add_label("t0", pass, "me", "2026-01-01T00:00:00Z");
    let mut recording = open(&path);
    answer().unwrap();
    // A class is told long before its first test ends; nobody waits for that.
    recording.element("c.py", "c.py::f0", 7);
    people.connection.busy_timeout(Duration::ZERO).unwrap();
    answer().unwrap();
    record(&mut recording, "t5", PASS, &[("c.py", 7)]);
    people.measured().unwrap();
    recording.finish(true).unwrap();
    answer().unwrap();
    let log = path.with_file_name("case.fdc-wal");
    assert!(log.exists(), "others have it open");
    drop(people);
    assert!(!log.exists(), "the last one ends the log");
    let header = std::fs::read(&path).unwrap();
    assert_eq!(header[18..20], [1, 1], "a file that needs no log");
}

#[test]
fn a_reader_sees_one_moment_however_fast_the_case_grows() {
    let (_folder, path) = folder();
    let mut recording = open(&path);
    std::thread::scope(|scope| {
        let collector = scope.spawn(move || {
            for test in 0..400 {
                let name = format!("t{test}");
                record(&mut recording, &name, PASS, &[("a.py", test)]);
            }
        });
        while !collector.is_finished() {
            case::read(&path).unwrap();
        }
    });
}

#[test]
#[cfg(target_os = "linux")]
fn whoever_holds_a_case_is_named() {
    let (_folder, path) = folder();
    filled(&path, &[0]);
    assert_eq!(crate::lock::holders(&path), None);
    let mut command = std::process::Command::new("sleep");
    let file = std::fs::File::open(&path).unwrap();
    let mut child = command.arg("600").stdin(file).spawn().unwrap();
    let expected = format!("process {} (sleep 600)", child.id());
    // Until the new program is in place it is a copy of this one.
    let named = || crate::lock::holders(&path).is_some_and(|named| named == expected);
    while !named() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    assert!(named());
    child.kill().unwrap();
    child.wait().unwrap();
    let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
    let error = sql_error(&path, &rusqlite::Error::SqliteFailure(busy, None)).to_string();
    assert!(
        error.ends_with("found another program at work on it"),
        "{error}"
    );
}

#[test]
fn a_case_of_another_collector_is_refused() {
    let (_folder, path) = folder();
    filled(&path, &[0]);
    let error = Recording::open(&path, &[("collector", "go")]).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("expected a case with collector \"go\", found \"pytest\"")
    );
    // Refused, and left as it was.
    assert_eq!(picture(&path).len(), 1);
}

#[test]
fn a_changed_outcome_makes_a_test_flaky() {
    let (_folder, path) = folder();
    let mut recording = open(&path);
    record(&mut recording, "t1", PASS, &[("a.py", 1)]);
    record(&mut recording, "t2", PASS, &[("a.py", 1)]);
    recording.record_again("t1", PASS).unwrap();
    recording.record_again("t2", FAIL).unwrap();
    let mut twice = Vec::new();
    recording
        .for_each_run_at_least(2, |name| twice.push(name.to_owned()))
        .unwrap();
    assert_eq!(twice, ["t1", "t2"]);
    recording.finish(true).unwrap();
    assert_eq!(picture(&path), ["t1 pass a.py:1", "t2 pass flaky a.py:1"]);
}

#[test]
fn only_tests_that_a_change_touches_are_measured_again() {
    let (_folder, path) = folder();
    let mut recording = open(&path);
    record(&mut recording, "old", PASS, &[("a.py", 4), ("b.py", 9)]);
    record(&mut recording, "other", FAIL, &[("b.py", 9), ("b.py", 11)]);
    record(&mut recording, "gone", PASS, &[("a.py", 4)]);
    record(&mut recording, "edited", PASS, &[("b.py", 9)]);
    recording.finish(true).unwrap();

    let mut recording = open(&path);
    let count = recording
        .forget(|file| file == "a.py", |test| test == "edited")
        .unwrap();
    assert_eq!(count, 3);
    assert!(recording.is_done("other").unwrap() && !recording.is_done("old").unwrap());
    assert_eq!(picture(&path)[3], "other fail b.py:9 b.py:11");
    record(&mut recording, "old", FAIL, &[("a.py", 7)]);
    record(&mut recording, "edited", PASS, &[("b.py", 11)]);
    recording.finish(true).unwrap();
    assert_eq!(
        picture(&path),
        [
            "edited pass b.py:11",
            "old fail a.py:7",
            "other fail b.py:9 b.py:11"
        ]
    );
}

#[test]
fn labels_stay_with_their_tests() {
    let (_folder, path) = folder();
    filled(&path, &[1, 0]);
    let case = Case::open(&path).unwrap();
    let verdict = fdc_core::Verdict::certain(Outcome::Fail);
    case.add_label("t1", verdict, "me", "now").unwrap();
    drop(case);
    let mut recording = open(&path);
    record(&mut recording, "a", PASS, &[]);
    recording.finish(true).unwrap();
    let tests = case::read(&path).unwrap().tests;
    let labelled: Vec<_> = tests.iter().filter(|test| test.label.is_some()).collect();
    assert_eq!(
        (tests[0].name.as_str(), labelled[0].name.as_str()),
        ("a", "t1")
    );
    assert_eq!(labelled.len(), 1);
}

#[test]
fn a_file_of_the_first_schema_is_brought_up_to_date() {
    let (_folder, path) = folder();
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(schema::MIGRATIONS[0]).unwrap();
    connection
        .pragma_update(None, "application_id", schema::APPLICATION_ID)
        .unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    connection
        .execute_batch(
            "INSERT INTO about VALUES ('collector', 'pytest');
             INSERT INTO file VALUES (0, 'a.py');
             INSERT INTO method VALUES (0, 0, 'a.py::f0', 0);
             INSERT INTO element VALUES (0, 0, 5, NULL, 0);
             INSERT INTO test VALUES (0, 't', 'fail', NULL, 0);
             INSERT INTO coverage VALUES (0, x'010001');",
        )
        .unwrap();
    drop(connection);
    assert_eq!(
        picture(&path),
        ["t fail a.py:5"],
        "an old file is read as it is"
    );
    let mut recording = open(&path);
    assert!(recording.is_done("t").unwrap());
    record(&mut recording, "u", PASS, &[("a.py", 5)]);
    recording.finish(true).unwrap();
    assert_eq!(picture(&path), ["t fail a.py:5", "u pass a.py:5"]);
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_a_link_empties_nothing() {
    let (folder, path) = folder();
    let other = folder.path().join("other");
    std::fs::write(&other, "of somebody").unwrap();
    std::os::unix::fs::symlink(&other, folder.path().join("case.fdc.lock")).unwrap();
    let error = Recording::open(&path, &[("collector", "test")]).unwrap_err();
    assert!(error.to_string().contains("found a link"), "{error}");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "of somebody");
}

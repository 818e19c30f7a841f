use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use fdc_core::Verdict;
use fdc_core::coverage::TestId;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Bug, Fault, MethodId, Outcome, ProgramBuilder, Test};
use rusqlite::Connection;

use super::*;

fn spectrum() -> Spectrum {
    let mut program = ProgramBuilder::default();
    for (method, line) in [("a.B#c()", 1), ("a.B#c()", 2), ("a.D#e()", 3)] {
        let id = program.method(method, || method[..3].to_owned());
        program.element(id, line, None);
    }
    let mut rows = Rows::new(3);
    rows.push_columns([0, 1, 2]).unwrap();
    rows.push_columns([0, 1]).unwrap();
    rows.push_columns([]).unwrap();
    let test = |name: &str, outcome| Test {
        name: name.into(),
        outcome,
        ..Test::default()
    };
    let tests = vec![
        test("fails", Some(Outcome::Fail)),
        test("passes", Some(Outcome::Pass)),
        test("unjudged", None),
    ];
    let fault = Fault {
        methods: vec![MethodId(1)],
        elements: vec![2],
    };
    let bug = Bug {
        subject: "a".into(),
        version: 7,
    };
    Spectrum::new(Some(bug), program.finish(), tests, rows, Some(fault)).unwrap()
}

fn stored() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.fdc");
    import(&spectrum(), &path, &[("source", "made for a test")]).unwrap();
    (folder, path)
}

#[test]
fn what_is_written_is_read() {
    let (_folder, path) = stored();
    let (written, found) = (spectrum(), read(&path).unwrap());
    assert_eq!(found.bug, written.bug);
    assert_eq!(found.program, written.program);
    assert_eq!(found.tests, written.tests);
    assert_eq!(found.fault, written.fault);
    for test in written.coverage.tests() {
        assert_eq!(
            found.coverage.elements(test),
            written.coverage.elements(test)
        );
    }
    let about = Case::open(&path).unwrap().about("source").unwrap();
    assert_eq!(about.as_deref(), Some("made for a test"));
    let left: Vec<_> = std::fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "no partial file is left");
}

#[test]
fn outcomes_and_labels_are_kept_and_labels_can_be_undone() {
    let (_folder, path) = stored();
    let case = Case::open(&path).unwrap();
    let passed = "UPDATE test SET outcome = 'pass' WHERE id = 2";
    case.sql(|c| c.execute(passed, [])).unwrap();
    let doubtful = Verdict {
        outcome: Outcome::Fail,
        trust: 0.9,
    };
    let first = case
        .add_label(TestId(1), doubtful, "ann", "2026-01-01T00:00:00Z")
        .unwrap();
    let certain = Verdict::certain(Outcome::Pass);
    let second = case
        .add_label(TestId(1), certain, "ann", "2026-01-01T00:01:00Z")
        .unwrap();
    drop(case);

    let case = Case::open(&path).unwrap();
    let tests = case.spectrum().unwrap().tests;
    assert_eq!(tests[2].outcome, Some(Outcome::Pass));
    assert_eq!(tests[1].label, Some(certain), "the last label counts");
    assert!(case.undo(second).unwrap());
    assert_eq!(case.spectrum().unwrap().tests[1].label, Some(doubtful));
    assert!(case.undo(first).unwrap());
    assert!(!case.undo(first).unwrap(), "undone only once");
    assert_eq!(case.spectrum().unwrap().tests[1].label, None);
}

#[test]
fn a_newer_schema_is_refused_with_advice() {
    let (_folder, path) = stored();
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let error = Case::open(&path).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected a case file of schema 5 or older, found schema 99")
    );
    assert!(error.advice().unwrap().contains("update fdc"));
}

#[test]
fn a_truncated_or_overwritten_case_is_an_error_and_never_a_panic() {
    let (_folder, path) = stored();
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(997) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(read(&path).is_err(), "cut to {length} bytes");
    }
    let mut damaged = 0;
    for place in (100..whole.len()).step_by(61) {
        let mut bytes = whole.clone();
        bytes[place] ^= 0xFF;
        std::fs::write(&path, &bytes).unwrap();
        damaged += usize::from(read(&path).is_err());
    }
    assert!(damaged > 0, "some damage must be seen");
}

#[test]
fn answers_of_every_kind_are_kept_in_order_and_can_be_undone() {
    let (_folder, path) = stored();
    let mut case = Case::open(&path).unwrap();
    case.take_answers().unwrap();
    let certain = Verdict::certain(Outcome::Pass);
    let label = case
        .add_label(TestId(2), certain, "ann", "2026-01-01T00:00:02Z")
        .unwrap();
    let fine = answers::VirtualTest {
        kind: "method",
        subject: "a.B#c() is fine",
        elements: &[0, 1],
        verdict: Verdict {
            outcome: Outcome::Pass,
            trust: 0.9,
        },
    };
    let fine = case
        .add_virtual_test(&fine, "bob", "2026-01-01T00:00:01Z")
        .unwrap();
    let skip = case
        .add_skip(TestId(1), "ann", "2026-01-01T00:00:03Z")
        .unwrap();
    let other = Case::open(&path).unwrap();
    let order: Vec<_> = case.answers().unwrap().iter().map(|a| a.id).collect();
    assert_eq!(order, [fine, label, skip]);

    let spectrum = other.spectrum().unwrap();
    assert_eq!(spectrum.tests.len(), 4);
    assert_eq!(spectrum.tests[3].name, "virtual 1: a.B#c() is fine");
    assert_eq!(spectrum.coverage.elements(TestId(3)), [0, 1]);
    assert_eq!(spectrum.tests[3].verdict().map(|v| v.trust), Some(0.9));

    let before = other.changes_elsewhere().unwrap();
    assert!(case.undo(fine).unwrap());
    assert!(!case.undo(fine).unwrap(), "undone only once");
    assert_ne!(other.changes_elsewhere().unwrap(), before);
    assert_eq!(other.spectrum().unwrap().tests.len(), 3);
    assert!(case.answers().unwrap()[0].undone, "it stays in the history");
}

#[test]
fn answers_do_not_make_the_coverage_younger() {
    let (_folder, path) = stored();
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(hour_ago).unwrap();
    let case = Case::open(&path).unwrap();
    assert_eq!(case.measured_at().unwrap(), Some(hour_ago));
    for (test, at) in [(TestId(0), "2026-01-01"), (TestId(1), "2026-01-02")] {
        case.add_skip(test, "ann", at).unwrap();
        let written = std::fs::metadata(&path).unwrap().modified().unwrap();
        assert!(written > hour_ago);
        assert_eq!(case.measured_at().unwrap(), Some(hour_ago));
    }
}

#[test]
fn a_case_of_schema_2_takes_answers() {
    let (_folder, path) = stored();
    let old = Connection::open(&path).unwrap();
    old.execute_batch(
        "DROP TABLE skip; DROP TABLE failure; DROP TABLE frame; DROP TABLE history;
         PRAGMA user_version = 2",
    )
    .unwrap();
    drop(old);
    assert_eq!(
        read(&path).unwrap().tests.len(),
        3,
        "reading needs no change"
    );
    let mut case = Case::open(&path).unwrap();
    case.take_answers().unwrap();
    case.add_skip(TestId(0), "ann", "2026-01-01T00:00:00Z")
        .unwrap();
    assert_eq!(case.answers().unwrap().len(), 1);
}

#[test]
fn an_extended_copy_keeps_labels_and_the_case_stays_as_it_is() {
    let (folder, path) = stored();
    let case = Case::open(&path).unwrap();
    let verdict = Verdict {
        outcome: Outcome::Fail,
        trust: 0.5,
    };
    case.add_label(TestId(2), verdict, "ann", "2026-01-01T00:00:00Z")
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    let new = NewTest {
        name: "made".into(),
        outcome: Some(Outcome::Pass),
        origin: "evosuite".into(),
        elements: vec![0, 2],
    };
    let pool = folder.path().join("pool.fdc");
    case.extend(&pool, std::slice::from_ref(&new), &[("generator", "x")])
        .unwrap();
    let found = read(&pool).unwrap();
    assert_eq!(found.program, spectrum().program);
    assert_eq!(found.fault, spectrum().fault);
    assert_eq!(found.tests[2].label, Some(verdict));
    assert_eq!(found.tests[3].origin.as_deref(), Some("evosuite"));
    assert_eq!(found.coverage.elements(TestId(3)), [0, 2]);
    let about = |key| Case::open(&pool).unwrap().about(key).unwrap();
    assert_eq!(about("source").as_deref(), Some("made for a test"));
    assert_eq!(about("generator").as_deref(), Some("x"));
    assert_eq!(std::fs::read(&path).unwrap(), before);

    // A name that is taken: nothing is written.
    let taken = NewTest {
        name: "fails".into(),
        ..new
    };
    let nowhere = folder.path().join("nowhere.fdc");
    assert!(case.extend(&nowhere, &[taken], &[]).is_err());
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn how_a_test_failed_is_kept_and_older_files_have_none() {
    use fdc_core::evidence::{FailureRecord, Frame};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.fdc");
    let mut spectrum = spectrum();
    let frame = |line| Frame {
        place: "a.B".into(),
        function: "c".into(),
        line,
    };
    spectrum.tests[0].failure = Some(FailureRecord {
        exception: Some("E".into()),
        message: Some("é".repeat(20_000)),
        frames: (0..600).map(frame).collect(),
    });
    import(&spectrum, &path, &[]).unwrap();
    let found = read(&path).unwrap();
    let kept = found.tests[0].failure.as_ref().unwrap();
    assert_eq!(kept.exception.as_deref(), Some("E"));
    assert_eq!(kept.message.as_ref().unwrap().chars().count(), 10_000);
    assert_eq!((kept.frames.len(), &kept.frames[499]), (500, &frame(499)));
    assert_eq!(found.tests[1].failure, None);
    // A file of the schema before.
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "DROP TABLE failure; DROP TABLE frame; DROP TABLE history; PRAGMA user_version = 3;",
        )
        .unwrap();
    drop(connection);
    let found = read(&path).unwrap();
    assert!(found.tests.iter().all(|test| test.failure.is_none()));
    assert_eq!(found.tests.len(), 3);
}

#[test]
fn the_history_of_files_is_kept_and_files_of_schema_4_get_room_for_it() {
    use fdc_core::evidence::FileHistory;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.fdc");
    let mut spectrum = spectrum();
    let known = FileHistory {
        commits: 7,
        commits_since_change: 0,
        days_since_change: 0.25,
    };
    spectrum.history = vec![None, Some(known)];
    import(&spectrum, &path, &[]).unwrap();
    assert_eq!(read(&path).unwrap().history, spectrum.history);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("DROP TABLE history; PRAGMA user_version = 4;")
        .unwrap();
    drop(connection);
    assert_eq!(read(&path).unwrap().history, []);
    let mut case = Case::open(&path).unwrap();
    case.take_answers().unwrap();
    assert_eq!(case.spectrum().unwrap().history, []);
    assert_eq!(case.sql(evidence::version).unwrap(), 5);
}

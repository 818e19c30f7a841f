use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use fdc_core::Verdict;
use fdc_core::coverage::TestId;
use fdc_core::rows::Rows;
use fdc_core::spectrum::{Bug, Fault, MethodId, Outcome, ProgramBuilder, Test};
use rusqlite::Connection;

use super::*;
use crate::checksum::Part;

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
        is_mutant: false,
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

/// What takes the schema of a file one version back.
const BACK_TO_8: &str = "DROP TABLE kill; DROP TABLE mutant; DROP TABLE mutant_test;
    DELETE FROM about WHERE key = 'checksum of mutants';";
const BACK_TO_6: &str = "DROP TABLE kill; DROP TABLE mutant; DROP TABLE mutant_test;
    DELETE FROM about WHERE key LIKE 'checksum%';
    ALTER TABLE failure DROP COLUMN file;
    ALTER TABLE failure DROP COLUMN first_line; ALTER TABLE failure DROP COLUMN last_line;";
const BACK_TO_5: &str = "ALTER TABLE label DROP COLUMN number;
    ALTER TABLE virtual_test DROP COLUMN number; ALTER TABLE virtual_test DROP COLUMN topic;
    ALTER TABLE skip DROP COLUMN number;";

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
    case.sql(|c| {
        c.execute(passed, [])?;
        Part::Measured.keep(c)
    })
    .unwrap();
    let doubtful = Verdict {
        outcome: Outcome::Fail,
        trust: 0.9,
    };
    let first = case
        .add_label("passes", doubtful, "ann", "2026-01-01T00:00:00Z")
        .unwrap()
        .unwrap();
    let certain = Verdict::certain(Outcome::Pass);
    let second = case
        .add_label("passes", certain, "ann", "2026-01-01T00:01:00Z")
        .unwrap()
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
            .contains("expected a case file of schema 9 or older, found schema 99")
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
        .add_label("unjudged", certain, "ann", "2026-01-01T00:00:02Z")
        .unwrap()
        .unwrap();
    let fine = answers::VirtualTest {
        kind: "method",
        subject: "a.B#c() is fine",
        topic: "a.B#c() is fine",
        elements: &[0, 1],
        verdict: Verdict {
            outcome: Outcome::Pass,
            trust: 0.9,
        },
    };
    // The clock was set back.
    let now = case.changes_elsewhere().unwrap();
    let fine = case
        .add_virtual_test(&fine, now, "bob", "2026-01-01T00:00:01Z")
        .unwrap()
        .unwrap();
    let skip = case
        .add_skip("passes", "ann", "2026-01-01T00:00:03Z")
        .unwrap()
        .unwrap();
    let other = Case::open(&path).unwrap();
    let order: Vec<_> = case.answers().unwrap().iter().map(|a| a.id).collect();
    assert_eq!(order, [label, fine, skip]);

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
    assert!(case.answers().unwrap()[1].undone, "it stays in the history");
}

#[test]
fn answers_do_not_make_the_coverage_younger() {
    let (_folder, path) = stored();
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(hour_ago).unwrap();
    let case = Case::open(&path).unwrap();
    assert_eq!(case.measured_at().unwrap(), Some(hour_ago));
    for (test, at) in [("fails", "2026-01-01"), ("passes", "2026-01-02")] {
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
    old.execute_batch(&format!(
        "{BACK_TO_6} {BACK_TO_5} DROP TABLE skip; DROP TABLE failure; DROP TABLE frame;
         DROP TABLE history; PRAGMA user_version = 2;"
    ))
    .unwrap();
    drop(old);
    assert_eq!(
        read(&path).unwrap().tests.len(),
        3,
        "reading needs no change"
    );
    let mut case = Case::open(&path).unwrap();
    case.take_answers().unwrap();
    case.add_skip("fails", "ann", "2026-01-01T00:00:00Z")
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
    case.add_label("unjudged", verdict, "ann", "2026-01-01T00:00:00Z")
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
fn nothing_in_a_case_file_is_run() {
    let endless = "WITH RECURSIVE n (id) AS (VALUES (0) UNION ALL SELECT id + 1 FROM n)
                   SELECT id, 'f' AS path FROM n";
    for change in [
        format!("DROP TABLE file; CREATE VIEW file AS {endless}"),
        "DROP TABLE file; CREATE TABLE file (id INTEGER, path AS (hex(zeroblob(9))))".into(),
        "CREATE VIRTUAL TABLE files USING fts5 (path)".into(),
    ] {
        let (_folder, path) = stored();
        let connection = Connection::open(&path).unwrap();
        let change = format!("PRAGMA foreign_keys = OFF; {change}");
        connection.execute_batch(&change).unwrap();
        drop(connection);
        let error = read(&path).unwrap_err().to_string();
        assert!(
            error.contains("expected a whole case file, found "),
            "{error}"
        );
    }
    let (_folder, path) = stored();
    let connection = Connection::open(&path).unwrap();
    let trigger = "CREATE TRIGGER t AFTER INSERT ON label BEGIN DELETE FROM test; END";
    connection.execute_batch(trigger).unwrap();
    drop(connection);
    let case = Case::open(&path).unwrap();
    let pass = Verdict::certain(Outcome::Pass);
    case.add_label("unjudged", pass, "me", "now").unwrap();
    assert_eq!(case.measured().unwrap().tests.len(), spectrum().tests.len());
}

/// A link of our own, so that a mistake cannot harm the machine.
#[cfg(unix)]
#[test]
fn a_device_is_no_place_for_a_case() {
    let folder = tempfile::tempdir().unwrap();
    let device = folder.path().join("case.fdc");
    std::os::unix::fs::symlink("/dev/null", &device).unwrap();
    let expected = format!(
        "{}: expected a plain file, found a device",
        device.display()
    );
    let (_stored, path) = stored();
    let case = Case::open(&path).unwrap();
    for refused in [
        import(&spectrum(), &device, &[]),
        case.extend(&device, &[], &[]),
        Case::open(&device).map(drop),
        recording::Recording::open(&device, &[("source", "test")]).map(drop),
    ] {
        assert_eq!(refused.unwrap_err().to_string(), expected);
    }
    // Not even a lock.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn how_a_test_failed_is_kept_and_older_files_have_none() {
    use fdc_core::evidence::{FailureRecord, Frame, TestPlace};
    let place = TestPlace {
        file: "t/test_b.py".into(),
        first: 3,
        last: 9,
    };
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
        source: Some(place.clone()),
    });
    import(&spectrum, &path, &[]).unwrap();
    let found = read(&path).unwrap();
    let kept = found.tests[0].failure.as_ref().unwrap();
    assert_eq!(kept.exception.as_deref(), Some("E"));
    assert_eq!(kept.message.as_ref().unwrap().chars().count(), 10_000);
    assert_eq!((kept.frames.len(), &kept.frames[499]), (500, &frame(499)));
    assert_eq!(kept.source, Some(place));
    assert_eq!(found.tests[1].failure, None);
    // A file of schema 6, then of schema 3.
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(&format!("{BACK_TO_6} PRAGMA user_version = 6;"))
        .unwrap();
    let found = read(&path).unwrap();
    let kept = found.tests[0].failure.as_ref().unwrap();
    assert_eq!((kept.frames.len(), &kept.source), (500, &None));
    connection
        .execute_batch(&format!(
            "{BACK_TO_5} DROP TABLE failure; DROP TABLE frame; DROP TABLE history;
                 PRAGMA user_version = 3;"
        ))
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
        .execute_batch(&format!(
            "{BACK_TO_6} {BACK_TO_5} DROP TABLE history; PRAGMA user_version = 4;"
        ))
        .unwrap();
    drop(connection);
    assert_eq!(read(&path).unwrap().history, []);
    let mut case = Case::open(&path).unwrap();
    case.take_answers().unwrap();
    assert_eq!(case.spectrum().unwrap().history, []);
    assert_eq!(case.sql(evidence::version).unwrap(), 9);
}

/// One of every kind of answer, given at these times.
fn answered(path: &Path, at: [&str; 3]) {
    let mut case = Case::open(path).unwrap();
    case.take_answers().unwrap();
    let passes = Verdict::certain(Outcome::Pass);
    let stored = case.add_label("unjudged", passes, "ann", at[0]).unwrap();
    assert!(stored.is_some());
    let fine = fine("a.B#c() is fine");
    let now = case.changes_elsewhere().unwrap();
    let stored = case.add_virtual_test(&fine, now, "bob", at[1]).unwrap();
    assert!(stored.is_some());
    assert!(case.add_skip("passes", "ann", at[2]).unwrap().is_some());
}

fn fine(words: &str) -> answers::VirtualTest<'_> {
    answers::VirtualTest {
        kind: "method",
        subject: words,
        topic: words,
        elements: &[0, 1],
        verdict: Verdict::certain(Outcome::Pass),
    }
}

#[test]
fn nothing_takes_the_place_of_a_case_with_answers() {
    let (_folder, path) = stored();
    import(&spectrum(), &path, &[]).unwrap();
    answered(&path, ["1", "2", "3"]);
    let before = std::fs::read(&path).unwrap();
    let of_spectrum = import(&spectrum(), &path, &[]);
    let of_text = write_whole(&path, |file| file.write_all(b"a ranking"));
    for refused in [of_spectrum, of_text] {
        let words = refused.unwrap_err().to_string();
        assert!(words.contains("a case with 3 answers"), "{words}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let case = Case::open(&path).unwrap();
    for answer in case.answers().unwrap() {
        case.undo(answer.id).unwrap();
    }
    drop(case);
    import(&spectrum(), &path, &[]).unwrap();
}

#[test]
fn a_log_left_beside_a_case_is_not_taken_for_the_new_ones() {
    let (folder, path) = stored();
    let log = folder.path().join("case.fdc-wal");
    let left = || {
        let killed = Connection::open(&path).unwrap();
        killed.pragma_update(None, "journal_mode", "WAL").unwrap();
        let change = "UPDATE test SET name = 'of another project ' || id";
        killed.execute(change, []).unwrap();
        let (file, log_of_it) = (std::fs::read(&path), std::fs::read(&log));
        drop(killed);
        // As a kill leaves them: the change is in the log alone.
        std::fs::write(&path, file.unwrap()).unwrap();
        std::fs::write(&log, log_of_it.unwrap()).unwrap();
    };
    for gone in [false, true] {
        left();
        if gone {
            std::fs::remove_file(&path).unwrap();
        }
        import(&spectrum(), &path, &[]).unwrap();
        assert!(!log.exists());
        assert_eq!(read(&path).unwrap().tests[0].name, "fails");
    }
    // What is no log of SQLite's stays.
    let notes = folder.path().join("notes-journal");
    std::fs::write(&notes, "somebody's notes").unwrap();
    let path = folder.path().join("notes");
    write_whole(&path, |file| file.write_all(b"a ranking")).unwrap();
    assert!(notes.exists());
}

#[test]
fn a_copy_keeps_the_answers_and_takes_new_outcomes() {
    let (folder, path) = stored();
    answered(&path, ["1", "2", "3"]);
    let case = Case::open(&path).unwrap();
    let mut known = case.spectrum().unwrap();
    known.tests[2].outcome = Some(Outcome::Fail);
    let copy = folder.path().join("copy.fdc");
    case.update(&copy, &known, &[], &[("source", "a copy")])
        .unwrap();
    let copied = Case::open(&copy).unwrap();
    assert_eq!(copied.answers().unwrap(), case.answers().unwrap());
    let found = copied.spectrum().unwrap();
    assert_eq!(found.tests, known.tests);
    assert_eq!(copied.about("source").unwrap().as_deref(), Some("a copy"));
}

#[test]
fn answers_find_their_test_by_name_and_statements_the_numbers_they_know() {
    let (_folder, path) = stored();
    let mut session = Case::open(&path).unwrap();
    session.take_answers().unwrap();
    let seen = session.changes_elsewhere().unwrap();
    // A collection ends meanwhile, and numbers everything anew.
    let collector = Connection::open(&path).unwrap();
    collector
        .execute_batch(
            "PRAGMA foreign_keys = OFF;
             UPDATE test SET id = -1 - id; UPDATE test SET id = 3 + id;
             UPDATE coverage SET test = -1 - test; UPDATE coverage SET test = 3 + test;",
        )
        .unwrap();
    Part::Measured.keep(&collector).unwrap();
    let fails = Verdict::certain(Outcome::Fail);
    session.add_label("unjudged", fails, "ann", "1").unwrap();
    let labelled = session.spectrum().unwrap();
    let labelled = labelled.tests.iter().find(|test| test.label.is_some());
    assert_eq!(labelled.unwrap().name, "unjudged");
    let statement = fine("a.B#c() is fine");
    let stale = session.add_virtual_test(&statement, seen, "ann", "2");
    assert_eq!(stale.unwrap(), None);
    collector
        .execute_batch("DELETE FROM test WHERE name = 'passes'")
        .unwrap();
    assert_eq!(session.add_skip("passes", "ann", "3").unwrap(), None);
    assert_eq!(session.answers().unwrap().len(), 1);
}

#[test]
fn a_case_that_was_replaced_takes_no_answers() {
    let (_folder, path) = stored();
    let mut session = Case::open(&path).unwrap();
    session.take_answers().unwrap();
    import(&spectrum(), &path, &[]).unwrap();
    let error = session.add_skip("passes", "ann", "1").unwrap_err();
    let words = error.to_string();
    assert!(words.contains("another file in its place"), "{words}");
}

#[test]
fn of_statements_about_the_same_the_last_counts() {
    let (_folder, path) = stored();
    let mut case = Case::open(&path).unwrap();
    case.take_answers().unwrap();
    let now = case.changes_elsewhere().unwrap();
    for (subject, outcome) in [
        ("a.B#c() behaved rightly in fails", Outcome::Pass),
        ("a.B#c() behaved wrongly in fails", Outcome::Fail),
    ] {
        let statement = answers::VirtualTest {
            kind: "call",
            topic: "a.B#c() in fails",
            verdict: Verdict::certain(outcome),
            ..fine(subject)
        };
        case.add_virtual_test(&statement, now, "ann", "1").unwrap();
    }
    let tests = case.spectrum().unwrap().tests;
    assert_eq!(tests.len(), 4);
    assert_eq!(tests[3].verdict(), Some(Verdict::certain(Outcome::Fail)));
}

#[test]
fn a_weight_that_is_none_is_damage() {
    let (_folder, path) = stored();
    answered(&path, ["1", "2", "3"]);
    for table in ["label", "virtual_test"] {
        for weight in ["-5", "1e300", "1.5"] {
            let connection = Connection::open(&path).unwrap();
            connection
                .execute_batch(&format!(
                    "PRAGMA ignore_check_constraints = ON; UPDATE {table} SET weight = {weight}"
                ))
                .unwrap();
            Part::Answered.forget(&connection).unwrap();
            let error = read(&path).unwrap_err().to_string();
            assert!(error.contains("must be from 0 to 1"), "{error}");
            let mend = format!("UPDATE {table} SET weight = 1");
            connection.execute_batch(&mend).unwrap();
        }
    }
}

#[test]
fn a_case_of_schema_8_has_no_mutants_and_takes_some() {
    let (_folder, path) = stored();
    let connection = Connection::open(&path).unwrap();
    let back = format!("{BACK_TO_8} PRAGMA user_version = 8;");
    connection.execute_batch(&back).unwrap();
    drop(connection);
    let case = Case::open(&path).unwrap();
    assert_eq!(case.mutants().unwrap(), []);
    assert_eq!(case.spectrum().unwrap().tests.len(), 3);
    drop(case);
    let recording = mutants::MutantRecording::open(&path).unwrap();
    assert_eq!(recording.done().unwrap().len(), 0);
    recording.finish().unwrap();
    let case = Case::open(&path).unwrap();
    assert_eq!(case.sql(evidence::version).unwrap(), 9);
    assert_eq!(case.spectrum().unwrap().tests.len(), 3);
}

#[test]
fn a_checksum_that_is_gone_is_damage() {
    let (_folder, path) = stored();
    answered(&path, ["1", "2", "3"]);
    for damage in [
        "DELETE FROM about WHERE key = 'checksum'",
        "DELETE FROM about WHERE key = 'checksum of answers'",
        "DELETE FROM about",
        "PRAGMA user_version = 6",
        "PRAGMA user_version = 8; UPDATE test SET name = 'other' WHERE id = 0",
        "PRAGMA user_version = 7; UPDATE test SET name = 'other' WHERE id = 0",
    ] {
        let damaged = path.with_extension("damaged.fdc");
        std::fs::copy(&path, &damaged).unwrap();
        Connection::open(&damaged)
            .unwrap()
            .execute_batch(damage)
            .unwrap();
        let error = read(&damaged).unwrap_err().to_string();
        assert!(
            error.contains("checksum") || error.contains("damaged"),
            "{damage}: {error}"
        );
    }
}

#[test]
fn schema_7_says_nothing_while_there_is_no_checksum() {
    let (_folder, path) = stored();
    let back = format!(
        "{BACK_TO_8} DELETE FROM about WHERE key LIKE 'checksum%'; PRAGMA user_version = 7"
    );
    Connection::open(&path)
        .unwrap()
        .execute_batch(&back)
        .unwrap();
    assert_eq!(read(&path).unwrap().tests.len(), 3);
    answered(&path, ["1", "2", "3"]);
    assert_eq!(read(&path).unwrap().tests.len(), 4);
}

#[test]
fn answers_of_an_older_file_are_numbered_by_their_times() {
    let (_folder, path) = stored();
    answered(&path, ["3", "1", "2"]);
    let old = Connection::open(&path).unwrap();
    old.execute_batch(&format!("{BACK_TO_6} {BACK_TO_5} PRAGMA user_version = 5;"))
        .unwrap();
    drop(old);
    assert_eq!(
        read(&path).unwrap().tests.len(),
        4,
        "reading needs no change"
    );
    let mut case = Case::open(&path).unwrap();
    case.take_answers().unwrap();
    let times = |case: &Case| -> Vec<String> {
        let answers = case.answers().unwrap();
        answers.into_iter().map(|answer| answer.at).collect()
    };
    assert_eq!(times(&case), ["1", "2", "3"]);
    case.add_skip("fails", "ann", "0").unwrap();
    assert_eq!(times(&case), ["1", "2", "3", "0"]);
}

#[test]
fn a_flipped_bit_is_noticed_or_changes_nothing() {
    let (folder, path) = stored();
    let mut case = Case::open(&path).unwrap();
    case.take_answers().unwrap();
    let (at, fail) = ("2026-01-01T00:00:00Z", Verdict::certain(Outcome::Fail));
    let taken_back = case.add_label("passes", fail, "ann", at).unwrap().unwrap();
    case.add_label("unjudged", fail, "ann", at).unwrap();
    case.add_skip("fails", "eve", at).unwrap();
    case.undo(taken_back).unwrap();
    let (spectrum, answers) = (case.spectrum().unwrap(), case.answers().unwrap());
    drop(case);
    let whole = std::fs::read(&path).unwrap();
    let damaged = folder.path().join("damaged.fdc");
    let mut refused = 0;
    for place in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        std::fs::write(&damaged, bytes).unwrap();
        let read = || {
            let case = Case::open(&damaged)?;
            Ok::<_, FileError>((case.spectrum()?, case.answers()?))
        };
        match read() {
            Ok((found, given)) => {
                assert_eq!(found.program, spectrum.program, "byte {place}");
                assert_eq!(found.tests, spectrum.tests, "byte {place}");
                assert_eq!(found.bug, spectrum.bug, "byte {place}");
                assert_eq!(found.fault, spectrum.fault, "byte {place}");
                for test in spectrum.coverage.tests() {
                    let (one, other) = (&found.coverage, &spectrum.coverage);
                    assert_eq!(one.elements(test), other.elements(test), "byte {place}");
                }
                assert_eq!(given, answers, "byte {place}");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 50, "{refused}");
}

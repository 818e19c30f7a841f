use std::path::{Path, PathBuf};

use fdc_case as case;
use fdc_case::recording::{Judgement, Recording, TestRun};
use fdc_core::coverage::TestId;
use fdc_core::rows::Rows;
use fdc_core::selection::Start;
use fdc_core::spectrum::{MethodId, ProgramBuilder, Test};
use fdc_core::{Formula, Metric, Outcome, Spectrum};

use fdc_learn::catalogue;

use crate::label::advice::{Advice, Stop};
use crate::label::picture::Picture;
use crate::label::session::{Session, SessionError, SessionOptions};
use crate::label::statement::Statement;
use crate::label::view::{View, parse_answer};
use crate::rank::Scoring;

/// Four methods of two lines each; the failing test runs the first three.
fn stored(unjudged: &[(&str, &[u32])]) -> (tempfile::TempDir, PathBuf) {
    let mut program = ProgramBuilder::default();
    for method in 0..4 {
        let file = format!("src/{}.py", method / 2);
        let id = program.method(&format!("m{method}"), || file);
        program.element(id, 10 * method + 1, None);
        program.element(id, 10 * method + 2, None);
    }
    let mut rows = Rows::new(8);
    rows.push_columns([0, 1, 2, 3, 4, 5]).unwrap();
    let mut tests = vec![Test {
        name: "fails".into(),
        outcome: Some(Outcome::Fail),
        ..Test::default()
    }];
    for (name, covers) in unjudged {
        rows.push_columns(covers.iter().copied()).unwrap();
        tests.push(Test {
            name: (*name).into(),
            ..Test::default()
        });
    }
    let spectrum = Spectrum::new(None, program.finish(), tests, rows, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.fdc");
    case::import(&spectrum, &path, &[]).unwrap();
    (folder, path)
}

const POOL: &[(&str, &[u32])] = &[
    ("runs m0", &[0, 1]),
    ("runs m0 and m1", &[0, 1, 2, 3]),
    ("runs m3", &[6, 7]),
];

fn open(path: &Path, trust: f64) -> Session {
    let metric = Metric::parse("split").unwrap();
    let ochiai = Scoring::by(Formula::default_formula());
    open_by(path, trust, metric, ochiai)
}

fn open_by(path: &Path, trust: f64, metric: Metric, scoring: Scoring) -> Session {
    let options = SessionOptions {
        start: Start::Known,
        origins: Vec::new(),
        trust,
        who: "ann".into(),
        scoring,
    };
    Session::open(path, None, metric, options).unwrap()
}

#[test]
fn the_learned_distribution_ranks_asks_and_says_when_to_stop() {
    let (_folder, path) = stored(POOL);
    let sharp = catalogue::parse("sharp", None).unwrap();
    let mut session = open_by(&path, 1.0, sharp, Scoring::default());
    let before = View::new(&session, 10);
    let probabilities = before.suspects.iter().map(|own| own.probability.unwrap());
    assert!(probabilities.is_sorted_by(|a, b| a >= b));
    assert!(before.within_first_five.unwrap() > 0.5);
    let next = before.next.unwrap();
    assert!(next.reason.fails.is_some());
    // Nothing is learned from a test that runs no suspect.
    assert_ne!(next.test, "runs m3");
    let advice = Advice::new(&session);
    let expected = advice.expected.unwrap();
    assert_eq!(Some(expected.bits), next.score);
    assert_eq!(
        advice.stop == Some(Stop::LittleToLearn),
        expected.bits < 0.05
    );

    session.judge(next.id, Outcome::Fail).unwrap();
    let again = open_by(
        &path,
        1.0,
        catalogue::parse("sharp", None).unwrap(),
        Scoring::default(),
    );
    assert_eq!(first(&again), first(&session), "another session sees it");
    let likely = |view: &View| {
        view.suspects
            .iter()
            .map(|own| (own.name.clone(), own.score))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let after = View::new(&session, 10);
    let (was, is) = (
        likely(&View {
            suspects: before.suspects,
            ..after.clone()
        }),
        likely(&after),
    );
    assert!(is["m0"] > was["m0"], "it runs in both: {was:?} {is:?}");
}

fn first(session: &Session) -> Vec<(String, f64)> {
    let view = View::new(session, 4);
    view.suspects
        .into_iter()
        .map(|suspect| (suspect.name, suspect.rank))
        .collect()
}

#[test]
fn an_answer_is_stored_sharpens_the_ranking_and_can_be_undone() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 1.0);
    let before = View::new(&session, 10);
    assert_eq!((before.tied, before.groups, before.left), (3, 1, 3));
    let next = before.next.clone().unwrap();
    assert_eq!(next.test, "runs m0");
    assert_eq!(next.covers[0].lines, [1, 2]);
    assert_eq!((next.if_passes.tied, next.if_fails.tied), (2, 1));
    let rises = &next.if_passes.moves[0];
    assert_eq!(rises.method, "m1");
    assert_eq!((rises.from, rises.to), (3.0, 2.0));

    session.judge(next.id, Outcome::Pass).unwrap();
    assert_eq!(View::new(&session, 10).tied, 2);
    let again = open(&path, 1.0);
    assert_eq!(first(&again), first(&session), "another session sees it");

    let undone = session.undo_last().unwrap().unwrap();
    assert_eq!(undone.subject, "runs m0");
    let after = View::new(&session, 10);
    assert_eq!((after.tied, after.left), (3, 3));
    assert_eq!(after.answers.len(), 1, "it stays in the history");
    assert!(after.answers[0].undone);
    assert_eq!(parse_answer(&after.answers[0].id), Some(undone.id));
    assert!(session.undo_last().unwrap().is_none());
}

#[test]
fn a_case_opens_again_after_a_test_was_said_to_fail() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 1.0);
    session.judge(TestId(1), Outcome::Fail).unwrap();
    session.state(Statement::Near(0)).unwrap();
    let again = open(&path, 1.0);
    assert_eq!(again.failing(), session.failing());
    assert_eq!(View::new(&again, 9), View::new(&session, 9));
}

#[test]
fn undoing_in_any_order_leaves_what_the_file_says() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 0.9);
    let mut given = Vec::new();
    for (test, outcome) in [(1, Outcome::Pass), (2, Outcome::Fail), (1, Outcome::Fail)] {
        given.push(session.judge(TestId(test), outcome).unwrap());
    }
    given.push(session.skip(TestId(3)).unwrap());
    given.push(session.state(Statement::Fine(MethodId(1))).unwrap());
    for turn in [2, 4, 0, 3, 1, 1] {
        session.undo(given[turn]).unwrap();
        assert_eq!(View::new(&session, 9), View::new(&open(&path, 0.9), 9));
    }
    assert_eq!(session.standing_answers().count(), 0);
}

#[test]
fn a_skipped_test_is_not_asked_for_again() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 1.0);
    session.skip(TestId(1)).unwrap();
    let view = View::new(&session, 10);
    assert_eq!(view.left, 2);
    assert_eq!(view.next.unwrap().test, "runs m0 and m1");
    assert_eq!(view.answers[0].verdict, "skip");
    session.undo_last().unwrap();
    assert_eq!(View::new(&session, 10).left, 3);
}

#[test]
fn statements_are_rows_that_count_and_can_be_undone() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 1.0);
    session.state(Statement::Fine(MethodId(0))).unwrap();
    assert_eq!(View::new(&session, 10).tied, 2);
    let wrong = Statement::Call {
        test: TestId(2),
        method: MethodId(1),
        right: false,
    };
    session.state(wrong).unwrap();
    assert_eq!(first(&session)[0], ("m1".to_owned(), 1.0));
    session.state(Statement::Near(1)).unwrap();
    let view = View::new(&session, 10);
    let said: Vec<&str> = view.answers.iter().map(|a| &*a.subject).collect();
    assert_eq!(
        said,
        [
            "m0 is fine",
            "m1 behaved wrongly in runs m0 and m1",
            "the fault is in src/1.py"
        ]
    );
    for _ in 0..3 {
        session.undo_last().unwrap().unwrap();
    }
    assert_eq!(View::new(&session, 10).tied, 3);
    let nothing = Statement::Call {
        test: TestId(3),
        method: MethodId(0),
        right: true,
    };
    assert!(matches!(
        session.state(nothing),
        Err(SessionError::Refused(_))
    ));
}

#[test]
fn two_sessions_see_each_others_answers() {
    let (_folder, path) = stored(POOL);
    let (mut ann, mut bob) = (open(&path, 1.0), open(&path, 1.0));
    assert!(!bob.refresh().unwrap());
    ann.judge(TestId(1), Outcome::Pass).unwrap();
    assert!(bob.refresh().unwrap());
    assert!(!bob.refresh().unwrap());
    assert_eq!(View::new(&ann, 9), View::new(&bob, 9));
    bob.state(Statement::Fine(MethodId(2))).unwrap();
    assert!(ann.refresh().unwrap());
    assert_eq!(View::new(&ann, 9), View::new(&bob, 9));
}

/// Records tests, each with the one line it runs and how it ended, and ends the collection.
fn collect(path: &Path, tests: &[(&str, u32, Outcome)]) {
    let mut recording = Recording::open(path, &[("collector", "made")]).unwrap();
    for (name, line, outcome) in tests {
        let run = TestRun {
            name,
            judgement: Judgement::Judged(*outcome),
            seconds: None,
            note: None,
            failure: None,
        };
        let file = format!("{line}.py");
        let mut elements = vec![recording.element(&file, &format!("m{line}"), *line)];
        elements.extend((*outcome == Outcome::Fail).then(|| recording.element("0.py", "m0", 1)));
        recording.record(&run, &mut elements).unwrap();
    }
    recording.finish(false).unwrap();
}

#[test]
fn answers_and_statements_fit_a_case_whose_tests_were_numbered_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.fdc");
    let (passes, fails) = (Outcome::Pass, Outcome::Fail);
    collect(
        &path,
        &[("m", 5, fails), ("n", 5, passes), ("o", 6, passes)],
    );
    let (mut ann, mut bob) = (open(&path, 1.0), open(&path, 1.0));
    let test = |session: &Session, name: &str| session.spectrum().test_named(name).unwrap();
    let of_ann = test(&ann, "o");
    // Other tests come first now, and other lines.
    collect(
        &path,
        &[("a", 1, passes), ("b", 2, passes), ("c", 3, passes)],
    );
    let stored = ann.judge(of_ann, fails).unwrap();
    let said = |session: &Session| {
        let tests = session.spectrum().tests.iter();
        let said = tests.filter_map(|test| Some((test.name.clone(), test.label?.outcome)));
        said.collect::<Vec<_>>()
    };
    assert_eq!(said(&ann), [("o".to_owned(), fails)]);
    let view = View::new(&ann, 9);
    assert_eq!(view.doubts.len(), 1, "{:?}", view.doubts);
    assert!(view.doubts[0].starts_with("o: ann said fail, it was measured to pass"));
    bob.refresh().unwrap();
    collect(&path, &[("d", 4, passes)]);
    let fine = || Statement::Fine(MethodId(0));
    assert!(bob.state(fine()).is_err(), "about another numbering");
    bob.refresh().unwrap();
    bob.state(fine()).unwrap();
    collect(&path, &[("e", 7, passes)]);
    ann.undo(stored).unwrap();
    bob.undo_last().unwrap();
    for session in [&mut ann, &mut bob] {
        session.refresh().unwrap();
        assert_eq!(said(session), []);
    }
    assert_eq!(View::new(&ann, 9), View::new(&bob, 9));
}

#[test]
fn doubtful_answers_weigh_less_and_contradictions_are_shown() {
    let (_folder, path) = stored(&[("a", &[0, 1]), ("twin of a", &[0, 1])]);
    let mut session = open(&path, 0.9);
    session.judge(TestId(1), Outcome::Pass).unwrap();
    let certain = first(&open(&path, 1.0));
    assert_eq!(certain[0].1, 2.0);
    session.judge(TestId(2), Outcome::Fail).unwrap();
    session.judge(TestId(1), Outcome::Fail).unwrap();
    session.judge(TestId(1), Outcome::Pass).unwrap();
    let doubts = View::new(&session, 9).doubts;
    assert_eq!(
        doubts,
        [
            "a: ann said pass, then ann said fail; the last counts",
            "a: ann said fail, then ann said pass; the last counts",
            "a and twin of a run the same lines, one is said to pass and the other to fail",
        ]
    );
    for method in 0..3 {
        session.state(Statement::Fine(MethodId(method))).unwrap();
    }
    let doubts = View::new(&session, 9).doubts;
    let last = doubts.last().unwrap();
    assert_eq!(
        last,
        "everything that fails runs was said to be fine, and it fails"
    );
}

#[test]
fn it_says_when_to_stop() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 1.0);
    let advice = Advice::new(&session);
    assert_eq!((advice.stop, advice.answers), (None, 0));
    let ahead = advice.ahead.unwrap();
    assert_eq!((ahead.tied, ahead.tied_then), (3, 1));
    session.judge(TestId(1), Outcome::Pass).unwrap();
    session.judge(TestId(2), Outcome::Pass).unwrap();
    session.judge(TestId(3), Outcome::Pass).unwrap();
    let advice = Advice::new(&session);
    assert_eq!(advice.stop, Some(Stop::NothingLeft));
    assert_eq!(
        advice.words(),
        "No test is left to ask about, after 3 answers."
    );
}

#[test]
fn the_picture_has_every_method_of_the_failing_test_and_the_groups_that_answers_left() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 1.0);
    let picture = Picture::new(&session);
    let names: Vec<&str> = picture.methods.iter().map(|m| &*m.method).collect();
    assert_eq!(
        names,
        ["m0", "m1", "m2"],
        "the failing test does not run m3"
    );
    assert!(
        picture
            .methods
            .iter()
            .all(|m| m.lines == 2 && m.groups == [1])
    );
    assert_eq!(picture.groups, 1, "nothing tells them apart");

    let test = session.spectrum().test_named("runs m0").unwrap();
    session.judge(test, Outcome::Pass).unwrap();
    let picture = Picture::new(&session);
    let found: Vec<(&str, f64, &[u32])> = picture
        .methods
        .iter()
        .map(|m| (&*m.method, m.rank, &*m.groups))
        .collect();
    assert_eq!(
        found,
        [("m1", 2.0, &[1][..]), ("m2", 2.0, &[1]), ("m0", 3.0, &[2])]
    );
    assert_eq!(picture.groups, View::new(&session, 9).groups);
    assert_eq!(picture.methods[0].file, "src/0.py");
}

#[test]
fn a_statement_counts_once_and_its_contrary_is_a_doubt() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 0.9);
    let behaved = |right| Statement::Call {
        test: TestId(1),
        method: MethodId(0),
        right,
    };
    session.state(behaved(true)).unwrap();
    let once = first(&session);
    let again = session.state(behaved(true)).unwrap_err();
    assert_eq!(
        again.to_string(),
        "ann has said so before, and it counts once: m0 behaved rightly in runs m0"
    );
    assert_eq!(first(&session), once);
    session.state(behaved(false)).unwrap();
    assert_eq!(
        View::new(&session, 9).doubts,
        ["m0 in runs m0: ann said pass, then ann said fail; the last counts"]
    );
    // The last alone counts, as if nothing had been said before.
    let wrongly = first(&session);
    session.undo_last().unwrap();
    assert_eq!(first(&session), once);
    session.undo_last().unwrap();
    session.state(behaved(false)).unwrap();
    assert_eq!(first(&session), wrongly);
}

#[test]
fn an_answer_without_a_test_is_to_the_one_that_was_shown() {
    use crate::label::protocol::{Request, Said, handle};
    let (_folder, path) = stored(POOL);
    let (mut ann, mut bob) = (open(&path, 1.0), open(&path, 1.0));
    let passes = || Request::Answer {
        verdict: Said::Pass,
        test: None,
    };
    let shown = View::new(&ann, 9).next.unwrap().test;
    assert_eq!(View::new(&bob, 9).next.unwrap().test, shown);
    handle(&mut bob, passes(), 9).unwrap();
    // Bob's answer made another test the one to ask about; ann still looks at the first.
    let stale = handle(&mut ann, passes(), 9).unwrap_err().to_string();
    assert!(
        stale.starts_with(&format!("{shown}: another session has answered")),
        "{stale}"
    );
    assert_eq!(ann.answers().len(), 1);
    let next = View::new(&ann, 9).next.unwrap().test;
    handle(&mut ann, passes(), 9).unwrap();
    assert_eq!(ann.answers()[1].subject, next);
}

#[test]
fn skipped_tests_are_no_answers() {
    let (_folder, path) = stored(POOL);
    let mut session = open(&path, 1.0);
    session.skip(TestId(1)).unwrap();
    session.skip(TestId(2)).unwrap();
    session.judge(TestId(3), Outcome::Pass).unwrap();
    assert_eq!(
        Advice::new(&session).words(),
        "No test is left to ask about, after 1 answer and 2 skipped tests."
    );
}

//! Keys in, screens out, on a real case file and without a terminal.

use std::path::{Path, PathBuf};

use fdc::label::{Session, SessionOptions};
use fdc::rank::Scoring;
use fdc_case as case;
use fdc_core::evidence::FailureRecord;
use fdc_core::rows::Rows;
use fdc_core::selection::Start;
use fdc_core::spectrum::{ProgramBuilder, Test};
use fdc_core::{Metric, Outcome, Spectrum};
use fdc_source::{Roots, Sources};
use insta::assert_snapshot;
use proptest::prelude::*;
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;

use crate::Ended;
use crate::draw;
use crate::keys::{Action, KEYS, SUSPECT_KEYS};
use crate::labelling::{Flow, Labelling};
use crate::screen::{Focus, Panel, Shown};

/// Four methods of two lines each, of which the failing test runs three, and a test file.
fn project() -> (tempfile::TempDir, PathBuf) {
    project_that_fails(None)
}

/// The same; it is known how the test failed.
fn project_that_fails(failure: Option<FailureRecord>) -> (tempfile::TempDir, PathBuf) {
    let mut program = ProgramBuilder::default();
    for method in 0..4 {
        let file = format!("src/shop_{}.py", method / 2);
        let id = program.method(&format!("{file}::m{method}"), || file.clone());
        program.element(id, 10 * method + 1, None);
        program.element(id, 10 * method + 2, None);
    }
    let mut rows = Rows::new(8);
    let mut tests = Vec::new();
    let pool: [(&str, &[u32]); 5] = [
        ("fails", &[0, 1, 2, 3, 4, 5]),
        ("runs_m0", &[0, 1]),
        ("runs_m0_and_m1", &[0, 1, 2, 3]),
        ("runs_half_of_m1", &[2]),
        ("runs_m3", &[6, 7]),
    ];
    let mut source = "import shop\n".to_owned();
    for (name, covers) in pool {
        rows.push_columns(covers.iter().copied()).unwrap();
        tests.push(Test {
            name: format!("tests/test_shop.py::{name}"),
            outcome: (name == "fails").then_some(Outcome::Fail),
            failure: failure.clone().filter(|_| name == "fails"),
            ..Test::default()
        });
        source +=
            &format!("\n\n# What {name} is for.\ndef {name}():\n    assert shop.{name}() == 1\n");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("tests")).unwrap();
    std::fs::write(folder.path().join("tests/test_shop.py"), source).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    let shop: String = (1..=12)
        .map(|line| format!("line_{line} = {line}\n"))
        .collect();
    std::fs::write(folder.path().join("src/shop_0.py"), shop).unwrap();
    let spectrum = Spectrum::new(None, program.finish(), tests, rows, None).unwrap();
    let path = folder.path().join("case.fdc");
    case::import(&spectrum, &path, &[]).unwrap();
    (folder, path)
}

fn session(case: &Path) -> Session {
    let options = SessionOptions {
        start: Start::Known,
        origins: Vec::new(),
        trust: 1.0,
        who: "ann".into(),
        scoring: Scoring::default(),
    };
    Session::open(case, None, Metric::parse("split").unwrap(), options).unwrap()
}

fn labelling(case: &Path) -> Labelling {
    let roots = Roots {
        project: Sources::below(case.parent().unwrap(), None).ok(),
        tests: None,
    };
    let mut labelling = Labelling::new(session(case), roots, 20, false);
    labelling.find_source();
    labelling
}

/// The screen as lines of text.
fn drawn(labelling: &mut Labelling, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width.max(1), height.max(1))).unwrap();
    let mut extent = Default::default();
    let done = terminal.draw(|frame| {
        let area = frame.area();
        extent = draw::draw(&labelling.screen, area, frame.buffer_mut());
    });
    done.unwrap();
    labelling.screen.settle(extent);
    terminal.backend().to_string()
}

fn press(labelling: &mut Labelling, commands: &[Action]) {
    for &command in commands {
        assert_eq!(labelling.act(command), Flow::On);
        labelling.find_source();
    }
}

fn message(labelling: &Labelling) -> &str {
    labelling
        .screen
        .message
        .as_ref()
        .map_or("", |message| &message.text)
}

/// Each of the words is on the screen.
fn shows(screen: &str, words: &[&str]) {
    for word in words {
        assert!(screen.contains(word), "{word:?} is missing:\n{screen}");
    }
}

#[test]
fn a_usual_terminal_shows_suspects_test_source_outlook_and_keys() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    labelling.advise();
    assert_snapshot!("usual_terminal", drawn(&mut labelling, 80, 24));
}

#[test]
fn a_large_terminal_shows_the_last_answers_too() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    press(&mut labelling, &[Action::Pass, Action::Skip]);
    assert_snapshot!("large_terminal", drawn(&mut labelling, 120, 40));
}

#[test]
fn a_small_terminal_shows_one_side_at_a_time() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    assert_snapshot!("small_terminal", drawn(&mut labelling, 40, 10));
    press(&mut labelling, &[Action::Switch]);
    assert_snapshot!("small_terminal_ranking", drawn(&mut labelling, 40, 10));
    // Nobody answers a test that is not to be seen.
    press(&mut labelling, &[Action::Pass]);
    assert_eq!(message(&labelling), "The test is hidden: Tab shows it.");
    assert!(labelling.screen.view.answers.is_empty());
    assert_snapshot!("narrow_terminal", drawn(&mut labelling, 60, 20));
}

#[test]
fn a_tiny_terminal_says_so_and_takes_no_answer() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    assert_snapshot!("tiny_terminal", drawn(&mut labelling, 24, 5));
    press(&mut labelling, &[Action::Pass, Action::Undo, Action::Fine]);
    assert!(labelling.screen.view.answers.is_empty());
    for (width, height) in [(1, 1), (0, 0), (2, 200), (300, 1)] {
        drawn(&mut labelling, width, height);
    }
    assert_eq!(labelling.act(Action::Quit), Flow::Ended(Ended::Quit));
}

#[test]
fn an_answer_is_in_the_file_when_the_screen_changes_and_can_be_undone() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    press(&mut labelling, &[Action::Pass]);
    assert_eq!(
        message(&labelling),
        "Stored. In the first five: still > 99 %. tests/test_shop.py::runs_m0 passes."
    );
    let answers = session(&case).answers().to_vec();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].who, "ann");
    assert!(
        drawn(&mut labelling, 80, 24).contains("def runs_"),
        "the next test's source"
    );
    press(&mut labelling, &[Action::Undo]);
    assert_eq!(
        message(&labelling),
        "Taken back: tests/test_shop.py::runs_m0 (pass)."
    );
    assert!(labelling.screen.view.answers[0].undone);
    press(&mut labelling, &[Action::Undo]);
    assert_eq!(message(&labelling), "Refused: there is nothing to undo");
}

#[test]
fn statements_are_about_the_chosen_suspect() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    drawn(&mut labelling, 80, 24);
    press(&mut labelling, &[Action::Fine]);
    assert!(message(&labelling).starts_with("Choose a suspect first"));
    press(
        &mut labelling,
        &[Action::Switch, Action::Lines(1), Action::Fine],
    );
    assert_eq!(message(&labelling), "Stored: src/shop_0.py::m1 is fine.");
    let chosen = labelling.screen.selected;
    let suspects = &labelling.screen.view.suspects;
    assert_eq!(
        suspects[chosen].name, "src/shop_0.py::m1",
        "it stays chosen"
    );
    press(&mut labelling, &[Action::Near]);
    assert_eq!(
        message(&labelling),
        "Stored: the fault is in src/shop_0.py."
    );
    let view = &labelling.screen.view;
    let run = &view.next.as_ref().unwrap().covers[0].method;
    let place = view.suspects.iter().position(|s| s.name == *run).unwrap();
    press(&mut labelling, &[Action::First]);
    press(&mut labelling, &vec![Action::Lines(1); place]);
    press(&mut labelling, &[Action::Wrongly]);
    assert!(message(&labelling).contains("behaved wrongly in tests/test_shop.py::"));
    press(&mut labelling, &[Action::Last, Action::Rightly]);
    let said = message(&labelling);
    assert!(said.contains("covers no line"), "{said}");
    let kinds: Vec<&str> = labelling
        .screen
        .view
        .answers
        .iter()
        .map(|a| a.verdict)
        .collect();
    assert_eq!(kinds, ["pass", "fail", "fail"]);
}

#[test]
fn panels_tell_why_advise_help_and_show_a_suspect() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    press(&mut labelling, &[Action::Why]);
    assert_snapshot!("why", drawn(&mut labelling, 80, 24));
    press(&mut labelling, &[Action::Close, Action::Advice]);
    labelling.advise();
    assert_snapshot!("advice", drawn(&mut labelling, 80, 24));
    press(&mut labelling, &[Action::Close]);
    press(&mut labelling, &[Action::Pass, Action::Advice]);
    shows(
        &drawn(&mut labelling, 80, 24),
        &["Working it out", "1 answer standing: 1 pass"],
    );
    press(&mut labelling, &[Action::Fail]);
    assert_eq!(
        labelling.screen.view.answers.len(),
        1,
        "not from under a panel"
    );
    assert!(labelling.advise() && !labelling.advise());
    shows(
        &drawn(&mut labelling, 80, 30),
        &["is expected to tell much", "Contradictions", "ann, 20"],
    );
    press(&mut labelling, &[Action::Help]);
    let help = drawn(&mut labelling, 80, 50);
    assert_snapshot!("help", help);
    for (_, action) in KEYS.iter().chain(SUSPECT_KEYS) {
        let mut all = KEYS.iter().chain(SUSPECT_KEYS);
        let first = all.find(|(_, other)| other == action).unwrap().0;
        if !action.words().1.is_empty() {
            shows(&help, &[&first.to_string(), action.words().1]);
        }
    }
    press(
        &mut labelling,
        &[Action::Quit, Action::Switch, Action::Open],
    );
    assert_snapshot!("suspect", drawn(&mut labelling, 80, 24));
    assert!(matches!(
        labelling.screen.panel,
        Some(Panel::Suspect { .. })
    ));
    press(&mut labelling, &[Action::Close]);
    assert_eq!(labelling.screen.panel, None);
}

#[test]
fn answers_of_others_appear_and_no_answer_goes_to_a_test_nobody_saw() {
    let (_folder, case) = project();
    let (mut ann, mut bob) = (labelling(&case), labelling(&case));
    assert!(!bob.refresh());
    press(&mut ann, &[Action::Pass]);
    press(&mut bob, &[Action::Fail]);
    assert!(
        message(&bob).contains("Look, then press again"),
        "{}",
        message(&bob)
    );
    assert_eq!(bob.screen.view.answers.len(), 1);
    press(&mut bob, &[Action::Fail]);
    assert!(ann.refresh());
    assert_eq!(message(&ann), "Another session has answered.");
    assert_eq!(ann.screen.view, bob.screen.view);
    // An undo of one's own is no reason to look again.
    press(&mut ann, &[Action::Undo, Action::Skip]);
    assert_eq!(ann.screen.view.answers.len(), 3);
}

#[test]
fn when_no_test_is_left_it_says_so() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    press(&mut labelling, &[Action::Pass; 5]);
    labelling.advise();
    assert_eq!(message(&labelling), "No test is left to ask about.");
    shows(
        &drawn(&mut labelling, 80, 24),
        &["No test is left to ask about, after 4 answers."],
    );
    press(
        &mut labelling,
        &[Action::Why, Action::Switch, Action::Rightly],
    );
    assert_eq!(
        message(&labelling),
        "There is no test that it could have behaved in."
    );
}

#[test]
fn what_failed_is_shown_above_all_and_in_a_panel() {
    let frame = ("src/shop_0.py".to_owned(), "m0".to_owned(), 2);
    let (_folder, case) = project_that_fails(Some(FailureRecord {
        exception: Some("shop.PriceError".into()),
        message: Some("3 is not 4\nat all".into()),
        frames: vec![frame.into()],
        source: None,
    }));
    let mut labelling = labelling(&case);
    let screen = drawn(&mut labelling, 80, 24);
    let second = screen.lines().nth(1).unwrap_or_default();
    assert!(second.contains(" PriceError: 3 is not 4"), "{screen}");
    assert!(!drawn(&mut labelling, 80, 19).contains("PriceError"));
    press(&mut labelling, &[Action::Message]);
    let words = ["shop.PriceError", "at all", "at m0 src/shop_0.py:2"];
    shows(&drawn(&mut labelling, 80, 24), &words);
    press(&mut labelling, &[Action::Message]);
    press(&mut labelling, &[Action::Pass; 4]);
    labelling.find_source();
    // Nothing is left to ask, so there is room for the failing test.
    let words = ["What failed", "PriceError: 3 is not 4", "def fails():"];
    shows(&drawn(&mut labelling, 80, 24), &words);
}

#[test]
fn a_wide_terminal_shows_the_source_of_a_suspect_beside_the_test() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    drawn(&mut labelling, 140, 30);
    press(&mut labelling, &[Action::Switch, Action::Lines(1)]);
    labelling.find_source();
    let words = ["def runs_m0", "line_11 = 11"];
    shows(&drawn(&mut labelling, 140, 30), &words);
    assert!(!drawn(&mut labelling, 119, 30).contains("line_11"));
}

#[test]
fn long_sources_scroll_to_their_end_and_no_further() {
    let (_folder, case) = project();
    let mut labelling = labelling(&case);
    let Shown::Found(source) = &mut labelling.screen.source else {
        panic!("no source")
    };
    source.lines = (1..=100).map(|n| format!("step_{n}")).collect();
    assert!(drawn(&mut labelling, 80, 24).contains("step_1 "));
    press(&mut labelling, &[Action::Pages(1)]);
    assert!(!drawn(&mut labelling, 80, 24).contains("step_1 "));
    press(
        &mut labelling,
        &[Action::Last, Action::Lines(1), Action::Pages(1)],
    );
    assert!(drawn(&mut labelling, 80, 24).contains("step_100"));
    let end = labelling.screen.scroll;
    drawn(&mut labelling, 80, 50);
    assert!(
        labelling.screen.scroll < end,
        "a larger screen leaves no hole"
    );
    press(&mut labelling, &[Action::First]);
    assert!(drawn(&mut labelling, 80, 24).contains("step_1 "));
    assert_eq!(labelling.screen.focus, Focus::Test);
}

fn any_command() -> impl Strategy<Value = Action> {
    let all: Vec<Action> = KEYS
        .iter()
        .chain(SUSPECT_KEYS)
        .map(|(_, action)| *action)
        .collect();
    proptest::sample::select(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn keys_in_any_order_do_no_harm(
        commands in proptest::collection::vec((any_command(), 0u16..130, 0u16..45), 1..40),
    ) {
        let (_folder, case) = project();
        let mut labelling = labelling(&case);
        for (command, width, height) in commands {
            labelling.act(command);
            drawn(&mut labelling, width, height);
            labelling.find_source();
            labelling.advise();
            labelling.refresh();
        }
        let stored = session(&case).answers().to_vec();
        prop_assert_eq!(stored.len(), labelling.screen.view.answers.len());
    }
}

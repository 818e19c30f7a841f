//! Whatever names and sources say, cells hold nothing but visible characters.

use fdc::label::advice::{Advice, Ahead, Stop};
use fdc::label::outlook::{Answered, Move};
use fdc::label::reason::Reason;
use fdc::label::view::{AnswerView, Covered, Question};
use fdc::label::{RunsView, View};
use fdc::{FailedCall, FailedTest, Suspect};
use fdc_core::coverage::TestId;
use fdc_source::{Source, TestSource};
use proptest::prelude::*;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use unicode_width::UnicodeWidthChar;

use crate::draw::draw;
use crate::screen::{Focus, Message, Panel, Screen, Shown};

/// A screen on which everything says `text`.
fn saying(text: &str, value: f64) -> Screen {
    let name = || text.to_owned();
    let moves = || Answered {
        tied: 3,
        moves: vec![
            Move {
                method: name(),
                from: value,
                to: 7.5,
            };
            2
        ],
    };
    let next = Question {
        test: name(),
        score: Some(value),
        reason: Reason {
            covers: 1,
            suspicious: 2,
            splits: 1,
            groups: 1,
            largest_split: Some([1, 1]),
            metric_says: Some(name()),
            fails: None,
        },
        covers: vec![Covered {
            method: name(),
            rank: value,
            lines: vec![1, 2, u32::MAX],
            of: 4,
        }],
        if_passes: moves(),
        if_fails: moves(),
        id: TestId(0),
    };
    let suspect = Suspect {
        name: name(),
        file: name(),
        rank: value,
        score: value,
        lines: vec![1],
        ..Suspect::default()
    };
    let answer = AnswerView {
        id: name(),
        subject: name(),
        verdict: "fail",
        trust: Some(0.9),
        who: name(),
        at: name(),
        undone: false,
    };
    let view = View {
        schema: 2,
        failing: name(),
        also_failing: vec![name()],
        failures: vec![FailedTest {
            test: name(),
            exception: Some(name()),
            message: Some(format!("{text}\n{text}")),
            calls: vec![FailedCall {
                place: name(),
                function: name(),
                line: Some(1),
                file: None,
                path: None,
            }],
        }],
        within_first_five: None,
        metric: name(),
        trust: 0.9,
        methods: 4,
        tied: 3,
        groups: 1,
        suspects: vec![suspect; 30],
        next: Some(next),
        left: 2,
        answers: vec![answer; 8],
        doubts: vec![name()],
        runs: Some(RunsView {
            running: Some(name()),
            ran: 1,
            words: name(),
        }),
    };
    let mut screen = Screen::new(view, true);
    screen.message = Some(Message {
        text: name(),
        refused: true,
    });
    screen.source = Shown::Found(TestSource {
        path: name(),
        first: 9,
        lines: vec![name(); 40],
        newer: true,
    });
    let source = Source {
        path: name(),
        lines: vec![name(); 5],
        newer: false,
        rivals: 0,
    };
    screen.suspect_source = Some((name(), Some(source)));
    screen.advice = Some(Advice {
        stop: Some(Stop::Settled),
        answers: 8,
        skipped: 0,
        agreement: Some(0.97),
        ahead: Some(Ahead {
            answers: 10,
            tied: 3,
            tied_then: 1,
            groups: 2,
            groups_then: 4,
        }),
        expected: None,
    });
    screen
}

fn panels(text: &str) -> Vec<Option<Panel>> {
    let source = Source {
        path: text.to_owned(),
        lines: vec![text.to_owned(); 5],
        newer: false,
        rivals: 0,
    };
    let suspect = |source| {
        Some(Panel::Suspect {
            method: text.to_owned(),
            file: text.to_owned(),
            source,
            lines: vec![2],
        })
    };
    vec![
        None,
        Some(Panel::Why),
        Some(Panel::Advice),
        Some(Panel::Message),
        Some(Panel::Help),
        suspect(Some(source)),
        suspect(None),
    ]
}

/// Every screen that can say `text`, at a size.
fn screens(text: &str, value: f64, width: u16, height: u16) -> Vec<Buffer> {
    let mut screen = saying(text, value);
    let mut buffers = Vec::new();
    let question = screen.view.next.clone();
    for (focus, asks) in [
        (Focus::Test, true),
        (Focus::Ranking, true),
        (Focus::Test, false),
    ] {
        screen.view.next = question.clone().filter(|_| asks);
        for panel in panels(text) {
            screen.focus = focus;
            screen.panel = panel;
            let area = Rect::new(0, 0, width, height);
            let mut buffer = Buffer::empty(area);
            draw(&screen, area, &mut buffer);
            buffers.push(buffer);
        }
    }
    buffers
}

/// Letters, and what may disturb a terminal: escapes, controls, marks of direction, joiners, wide
/// and combining characters.
fn hostile() -> impl Strategy<Value = String> {
    static PIECES: &[&str] = &[
        "\u{1b}[2J",
        "\u{1b}]0;x\u{7}",
        "\u{9b}31m",
        "\r",
        "\n",
        "\t",
        "\0",
        "\u{7f}",
        "\u{8}",
        "\u{202e}",
        "\u{2066}",
        "\u{200d}",
        "\u{200b}",
        "\u{feff}",
        "\u{fe0f}",
        "\u{301}",
        "\u{e0041}",
        "漢",
        "👩‍👩‍👧",
        "🏳️‍🌈",
        "é",
        "ﷺ",
        "#",
        "::",
        "/",
        ".",
        "(",
        "[",
        "a",
        "long_name",
        " ",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_name_and_no_source_reaches_the_terminal_as_a_command(
        text in hostile(),
        value in prop_oneof![Just(1.0), Just(0.0), any::<f64>()],
        width in 0u16..150,
        height in 0u16..50,
    ) {
        for buffer in screens(&text, value, width, height) {
            for cell in buffer.content() {
                let symbol = cell.symbol();
                let marks = symbol.chars().filter(|c| c.width() == Some(0)).count();
                prop_assert!(marks <= 2, "{symbol:?}");
                for c in symbol.chars() {
                    prop_assert!(!c.is_control(), "{symbol:?}");
                    let hidden = ['\u{200b}', '\u{200d}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{fe0f}', '\u{e0041}'];
                    prop_assert!(!hidden.contains(&c), "{symbol:?}");
                }
            }
        }
    }
}

#[test]
fn without_colours_no_cell_has_one() {
    let mut screen = saying("orders/cart.py::total", 0.5);
    let area = Rect::new(0, 0, 80, 24);
    for colours in [true, false] {
        screen.ink.colours = colours;
        let mut buffer = Buffer::empty(area);
        draw(&screen, area, &mut buffer);
        let coloured = buffer.content().iter().any(|cell| cell.fg != Color::Reset);
        assert_eq!(coloured, colours);
    }
}

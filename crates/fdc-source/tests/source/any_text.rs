//! Whatever the text, functions come out in order, nested, and uniquely named.

use std::collections::HashSet;

use fdc_source::{Function, Language, Outline, functions};
use proptest::prelude::*;

use crate::SAMPLES;

fn check(language: Language, text: &str) {
    let found = functions(language, text);
    let lines = text.split('\n').count() as u32;
    let mut names = HashSet::new();
    for function in &found {
        let Function {
            name,
            first,
            body,
            last,
            bytes,
        } = function;
        assert!(text.get(bytes.clone()).is_some_and(|own| !own.is_empty()));
        assert!(1 <= *first && first <= body && body <= last, "{function:?}");
        assert!(*last <= lines, "{function:?} of {lines} lines");
        assert!(!name.is_empty() && names.insert(name), "{function:?}");
        assert!(!name.contains('\n'), "{function:?}");
    }
    assert!(found.is_sorted_by_key(|function| function.first));
    for (at, one) in found.iter().enumerate() {
        for other in &found[at + 1..] {
            let nested = other.last <= one.last || (other.first == one.first);
            let apart = other.first >= one.last;
            assert!(nested || apart, "{one:?} and {other:?}");
        }
    }
    let outline = Outline::of(language, text);
    for line in 0..=lines + 1 {
        assert_eq!(
            outline.at(line),
            innermost(language, &found, line),
            "{line}"
        );
    }
}

/// The naive twin of `Outline::at`.
fn innermost(language: Language, functions: &[Function], line: u32) -> Option<&Function> {
    let start = |function: &Function| match language {
        Language::Python => function.body,
        _ => function.first,
    };
    functions
        .iter()
        .filter(|function| start(function) <= line && line <= function.last)
        .max_by_key(|function| start(function))
}

/// Part of a text, from any byte to any byte.
fn part(text: &str, from: usize, to: usize) -> String {
    let place = |at: usize| at % (text.len() + 1);
    let (from, to) = (place(from).min(place(to)), place(from).max(place(to)));
    String::from_utf8_lossy(&text.as_bytes()[from..to]).into_owned()
}

/// Pieces of source that open what they do not close.
const PIECES: &[&str] = &[
    "def ",
    "class ",
    "async ",
    "f",
    "(",
    ")",
    ":",
    "\n",
    "    ",
    "\t",
    "{",
    "}",
    "[",
    "]",
    "fn ",
    "impl ",
    "for ",
    "X",
    "<",
    ">",
    ",",
    "=",
    "=>",
    "->",
    "func ",
    "var ",
    "*",
    "function ",
    "const ",
    "@",
    "#",
    "new ",
    "record ",
    "enum ",
    "interface ",
    "\"",
    "'",
    "`",
    "//",
    "/*",
    "*/",
    "\\",
    "mod ",
    "macro_rules! ",
    "m! ",
    "where ",
    "lambda ",
    "return ",
    ";",
    ".",
    "\r\n",
    "\0",
    "é",
    "\u{feff}",
    "package a.b;",
    "if ",
    "else ",
    "export default ",
    "get ",
    "static ",
    "x: ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_text_has_functions_in_order(text in ".{0,400}") {
        for language in Language::ALL {
            check(language, &text);
        }
    }

    #[test]
    fn pieces_of_source_in_any_order_have_functions_in_order(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..120)
    ) {
        let text = pieces.concat();
        for language in Language::ALL {
            check(language, &text);
        }
    }

    #[test]
    fn cut_samples_have_functions_in_order(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<usize>(), any::<usize>()), 1..4)
    ) {
        let parts: Vec<(Language, String)> = cuts
            .iter()
            .map(|&(sample, from, to)| {
                let (language, text) = SAMPLES[sample.index(SAMPLES.len())];
                (language, part(text, from, to))
            })
            .collect();
        let text: String = parts.iter().map(|(_, part)| part.as_str()).collect();
        for (language, part) in &parts {
            check(*language, part);
            check(*language, &text);
        }
    }

    #[test]
    fn a_sample_without_a_piece_has_functions_in_order(from in any::<usize>(), length in 0usize..60) {
        for &(language, text) in SAMPLES {
            let from = from % (text.len() + 1);
            let to = (from + length).min(text.len());
            let bytes = [&text.as_bytes()[..from], &text.as_bytes()[to..]].concat();
            check(language, &String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn deep_nesting_is_walked_without_a_deep_stack() {
    let depth = 20_000;
    for language in Language::ALL {
        for piece in ["(", "[", "{", "f(", "()=>", "class A{", "if x:\n"] {
            functions(language, &piece.repeat(depth));
        }
    }
    let nested = format!("{}{}", "function a(){".repeat(2_000), "}".repeat(2_000));
    assert_eq!(functions(Language::JavaScript, &nested).len(), 2_000);
}

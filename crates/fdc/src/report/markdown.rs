//! The report as a comment on a pull request: short, and nothing in it but our own mark-up. Names
//! stand in code spans, where GitHub knows no mentions, references, links or HTML.

use std::fmt::Write as _;

use crate::label::outlook::Answered;
use crate::label::view::{AnswerView, Question};
use fdc_draw::escape::code_span;
use fdc_draw::text::{counted, quantity};

use super::State;

/// Suspects at most.
const SHOWN: usize = 10;
/// Answers, doubts and moves at most.
const DETAILS: usize = 20;
const MOVES: usize = 3;
/// Characters of a name. With these limits a comment cannot reach GitHub's 65,536 characters.
const LONGEST: usize = 250;

/// The comment.
pub(super) fn text(state: &State) -> String {
    let suspects = &state.suspects;
    let mut text = format!(
        "### Where the fault behind {} may be\n\n{} failing and {} passing tests counted, {} ranked by {}. {}\n\n",
        name(&state.view.failing),
        quantity(suspects.failed),
        quantity(suspects.passed),
        counted(suspects.ranked as u64, "method"),
        suspects.formula,
        state.advice.words(),
    );
    for (index, place) in suspects.places.iter().take(SHOWN).enumerate() {
        let _ = writeln!(
            text,
            "{}. {} at {}: place {}, score {}; tests that run it: {} failing, {} passing",
            index + 1,
            name(&place.name),
            name(&place.spot()),
            quantity(place.rank),
            place.score_text(),
            place.failing_count,
            place.passing_count,
        );
    }
    text.push('\n');
    match &state.view.next {
        Some(next) => next_test(&mut text, next),
        None => text.push_str("No test is left to look at.\n\n"),
    }
    answers(&mut text, &state.view.answers, &state.view.doubts);
    let _ = write!(
        text,
        "<details><summary>How this was made</summary>\n\n\
         Line scores are combined into methods by `{}`; equal scores take the place `{}` of their tie; tests are chosen by {}.\n\n\
         {}\n\n</details>\n",
        suspects.aggregate,
        suspects.tie,
        name(&state.view.metric),
        name(&state.request.command),
    );
    text
}

fn name(text: &str) -> String {
    code_span(text, LONGEST)
}

fn next_test(text: &mut String, next: &Question) {
    let _ = writeln!(
        text,
        "**Look at next:** {}, which {}.",
        name(&next.test),
        next.reason.words()
    );
    for (how, answered) in [("passes", &next.if_passes), ("fails", &next.if_fails)] {
        let _ = writeln!(text, "- If it {how}: {}", outlook(answered));
    }
    text.push('\n');
}

fn outlook(answered: &Answered) -> String {
    let mut words = if answered.tied == 1 {
        "1 method has the highest score".to_owned()
    } else {
        format!("{} methods share the highest score", answered.tied)
    };
    for moved in answered.moves.iter().take(MOVES) {
        let (from, to) = (moved.from, moved.to);
        let way = if to > from { "falls" } else { "rises" };
        let _ = write!(
            words,
            "; {} {way} from {} to {}",
            name(&moved.method),
            quantity(from),
            quantity(to)
        );
    }
    words
}

fn answers(text: &mut String, answers: &[AnswerView], doubts: &[String]) {
    if answers.is_empty() {
        return;
    }
    let undone = answers.iter().filter(|answer| answer.undone).count();
    let _ = write!(
        text,
        "<details><summary>{}, {undone} taken back; {}</summary>\n\n",
        counted(answers.len() as u64, "answer"),
        counted(doubts.len() as u64, "doubt"),
    );
    let hidden = answers.len().saturating_sub(DETAILS);
    for answer in &answers[hidden..] {
        let undone = if answer.undone { " (taken back)" } else { "" };
        let _ = writeln!(
            text,
            "- {}: {} by {}, {}{undone}",
            answer.verdict,
            name(&answer.subject),
            name(&answer.who),
            name(&answer.at)
        );
    }
    if hidden > 0 {
        let _ = writeln!(text, "- and {hidden} earlier ones");
    }
    for doubt in doubts.iter().take(DETAILS) {
        let _ = writeln!(text, "- Doubt: {}", name(doubt));
    }
    text.push_str("\n</details>\n\n");
}

//! The report as a comment on a pull request: short, and nothing in it but our own mark-up. Names
//! stand in code spans, where GitHub knows no mentions, references, links or HTML.

use crate::failed_test::FailedTest;
use crate::label::outlook::Answered;
use crate::label::view::{AnswerView, Question};
use fdc_draw::escape::{code_block, code_span};
use fdc_draw::text::{counted, quantity};

use crate::rank::{Ranked, Suspect};

use super::{State, snippet};

/// Suspects at most.
const SHOWN: usize = 10;
/// Suspects whose most suspicious lines are shown.
const SNIPPETS: usize = 3;
/// Answers, doubts and moves at most.
const DETAILS: usize = 20;
const MOVES: usize = 3;
/// Failing tests whose failure is told.
const SHOWN_TESTS: usize = 3;
/// Characters of a message with its calls.
const MESSAGE: usize = 3_000;
/// Characters of a name. With these limits a comment cannot reach GitHub's 65,536 characters.
const LONGEST: usize = 250;

pub(super) fn text(state: &State, ranked: &Ranked<'_>) -> String {
    let suspects = &state.suspects;
    let [failed, passed] = [suspects.failed, suspects.passed].map(quantity);
    let methods = counted(suspects.ranked as u64, "method");
    let (failing, formula) = (name(&state.view.failing), &suspects.formula);
    // Where every outcome is known and nobody has judged any, it is a ranking like others.
    let judged = state.view.next.is_some() || !state.view.answers.is_empty();
    let advice = match judged {
        true => state.advice.words(),
        false => suspects.in_first_five().unwrap_or_default(),
    };
    let mut text = format!(
        "### Where the fault behind {failing} may be\n\n{}\
         {failed} failing and {passed} passing tests counted, {methods} ranked by {formula}. {advice}\n\n",
        what_failed(&state.failures)
    );
    for (number, place) in (1..).zip(suspects.places.iter().take(SHOWN)) {
        let (method, spot) = (name(&place.name), spot(state, ranked, place));
        let (rank, score) = (quantity(place.rank), place.score_text());
        let (failing, passing) = (place.failing_count, place.passing_count);
        let score = match place.probability {
            Some(_) => score,
            None => format!("score {score}"),
        };
        text += &format!(
            "{number}. {method} at {spot}: place {rank}, {score}; \
             tests that run it: {failing} failing, {passing} passing\n"
        );
        if !place.reasons.is_empty() {
            text += &format!("   Why: {}.\n", place.reasons.join("; "));
        }
        if number <= SNIPPETS {
            text += &snippet::of(ranked, place);
        }
    }
    text += "\n";
    match &state.view.next {
        Some(next) => next_test(&mut text, next),
        None if judged => text += "No test is left to look at.\n\n",
        None => {}
    }
    answers(&mut text, &state.view.answers, &state.view.doubts);
    let (aggregate, tie) = (&suspects.aggregate, &suspects.tie);
    let [metric, command] = [&state.view.metric, &state.request.command].map(|text| name(text));
    text + &format!(
        "<details><summary>How this was made</summary>\n\n\
         Line scores are combined into methods by `{aggregate}`; equal scores take the place `{tie}` of their tie; \
         tests are chosen by {metric}.\n\n{command}\n\n</details>\n"
    )
}

fn name(text: &str) -> String {
    code_span(text, LONGEST)
}

/// Where to look, as a link if there is a place to link to.
fn spot(state: &State, ranked: &Ranked<'_>, place: &Suspect) -> String {
    let spot = name(&place.spot());
    let (Some(links), Some(path)) = (&state.request.permalinks, &place.path) else {
        return spot;
    };
    let path = ranked.path_in_repository(path);
    format!("[{spot}]({})", links.to(&path, place.hottest))
}

/// Exception, message and innermost call of the first failing tests; all of the first one's message.
fn what_failed(failures: &[FailedTest]) -> String {
    let mut text = String::new();
    for failed in failures.iter().take(SHOWN_TESTS) {
        let headline = failed.headline().map(|words| format!(": {}", name(&words)));
        let call = failed.calls.first();
        let spot = call.map(|call| format!(" at {}", name(&call.spot())));
        let test = name(&failed.test);
        let (headline, spot) = (headline.unwrap_or_default(), spot.unwrap_or_default());
        text += &format!("- {test}{headline}{spot}\n");
    }
    match failures.len().saturating_sub(SHOWN_TESTS) {
        0 => {}
        more => text += &format!("- and {}\n", counted(more as u64, "more failing test")),
    }
    let Some(first) = failures.first() else {
        return text;
    };
    let message = first.message.as_deref().unwrap_or_default().trim_end();
    let calls = first.calls.iter().take(DETAILS);
    let calls = calls.map(|call| format!("  at {} {}", call.function, call.spot()));
    let all = [message.to_owned()].into_iter().chain(calls);
    let all: Vec<String> = all.filter(|line| !line.is_empty()).collect();
    text += "\n";
    if all.len() > 1 || message.lines().count() > 1 {
        let block = code_block(&all.join("\n"), MESSAGE);
        text +=
            &format!("<details><summary>Message and calls</summary>\n\n{block}\n</details>\n\n");
    }
    text
}

fn next_test(text: &mut String, next: &Question) {
    let (test, reason) = (name(&next.test), next.reason.words());
    *text += &format!("**Look at next:** {test}, which {reason}.\n");
    for (how, answered) in [("passes", &next.if_passes), ("fails", &next.if_fails)] {
        *text += &format!("- If it {how}: {}\n", outlook(answered));
    }
    *text += "\n";
}

fn outlook(answered: &Answered) -> String {
    let mut words = match answered.tied {
        1 => "1 method has the highest score".to_owned(),
        tied => format!("{tied} methods share the highest score"),
    };
    for moved in answered.moves.iter().take(MOVES) {
        let falls = moved.to > moved.from;
        let way = if falls { "falls" } else { "rises" };
        let [from, to] = [moved.from, moved.to].map(quantity);
        words += &format!("; {} {way} from {from} to {to}", name(&moved.method));
    }
    words
}

fn answers(text: &mut String, answers: &[AnswerView], doubts: &[String]) {
    if answers.is_empty() {
        return;
    }
    let undone = answers.iter().filter(|answer| answer.undone).count();
    let given = counted(answers.len() as u64, "answer");
    let doubted = counted(doubts.len() as u64, "doubt");
    *text += &format!("<details><summary>{given}, {undone} taken back; {doubted}</summary>\n\n");
    let hidden = answers.len().saturating_sub(DETAILS);
    for answer in &answers[hidden..] {
        let undone = if answer.undone { " (taken back)" } else { "" };
        let [subject, who, at] = [&answer.subject, &answer.who, &answer.at].map(|text| name(text));
        *text += &format!("- {}: {subject} by {who}, {at}{undone}\n", answer.verdict);
    }
    if hidden > 0 {
        *text += &format!("- and {hidden} earlier ones\n");
    }
    for doubt in doubts.iter().take(DETAILS) {
        *text += &format!("- Doubt: {}\n", name(doubt));
    }
    *text += "\n</details>\n\n";
}

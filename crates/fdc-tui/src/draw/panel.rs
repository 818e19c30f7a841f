//! What covers both sides of the screen: why, advice, help, a suspect's source.

use crossterm::event::KeyCode;
use fdc::label::advice::TELLING;
use fdc::label::outlook::{Answered, TOP};
use fdc::label::view::Covered;
use fdc_draw::text::counted;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::ink::{Ink, Row, paragraph, piece, row};
use super::question::{move_words, source_rows};
use super::ranking::{answer_row, place};
use crate::keys::{Action, KEYS, SUSPECT_KEYS};
use crate::screen::{Panel, Screen};
use crate::text::{clean, wrap};

/// Its heading and all of its lines.
pub(crate) fn rows(screen: &Screen, panel: &Panel, columns: usize) -> (String, Vec<Row>) {
    let ink = screen.ink;
    match panel {
        Panel::Why => ("Why this test".to_owned(), why(screen, columns)),
        Panel::Advice => ("Whether to stop".to_owned(), advice(screen, columns)),
        Panel::Message => ("What failed".to_owned(), failures(screen, columns)),
        Panel::Help => ("Keys".to_owned(), help(ink, columns)),
        Panel::Suspect {
            method,
            file,
            source,
            lines,
        } => {
            let mut suspects = screen.view.suspects.iter();
            let chosen = suspects.find(|suspect| suspect.name == *method);
            let mut rows = Vec::new();
            if let Some(suspect) = chosen.filter(|suspect| !suspect.reasons.is_empty()) {
                let why = format!("Why: {}.", suspect.reasons.join("; "));
                rows.extend(text(&why, columns));
            }
            rows.extend(match source {
                Some(source) => source_rows(ink, &source.lines, 1, lines, columns),
                None => {
                    let words = format!(
                        "{file} was not found below the project's folder: --source FOLDER says where that is."
                    );
                    text(&words, columns)
                }
            });
            let path = source.as_ref().map_or(file, |source| &source.path);
            (format!("{}  {}", clean(method), clean(path)), rows)
        }
    }
}

fn why(screen: &Screen, columns: usize) -> Vec<Row> {
    let (view, ink) = (&screen.view, screen.ink);
    let Some(next) = &view.next else {
        return text("No test is left to ask about.", columns);
    };
    let mut rows = paragraph(&next.test, ink.strong(), columns);
    let value = next.score.map(|score| format!(", value {score:.4}"));
    let (metric, value) = (&view.metric, value.unwrap_or_default());
    rows.extend(text(&format!("Metric: {metric}{value}."), columns));
    rows.extend(text(&format!("It {}.", next.reason.words()), columns));
    if let Some(said) = &next.reason.metric_says {
        rows.extend(text(&format!("{metric}: {said}."), columns));
    }
    let (tied, passes, fails) = (view.tied, next.if_passes.tied, next.if_fails.tied);
    let tied =
        format!("Methods tied at the top: {tied}; {passes} if it passes, {fails} if it fails.");
    rows.extend(text(&tied, columns));

    rows.push(Row::default());
    let answers = [
        ("If it passes", ink.pass(), &next.if_passes),
        ("If it fails", ink.fail(), &next.if_fails),
    ];
    for (heading, style, answered) in answers {
        rows.push(row(heading, style));
        rows.extend(all_moves(answered, columns));
        rows.push(Row::default());
    }
    rows.push(row("What it runs of the suspects", ink.strong()));
    if next.covers.is_empty() {
        let words = format!("Nothing of the first {}.", view.suspects.len());
        rows.extend(text(&words, columns));
    }
    for covered in &next.covers {
        rows.extend(covered_rows(covered, columns));
    }
    rows
}

fn all_moves(answered: &Answered, columns: usize) -> Vec<Row> {
    if answered.moves.is_empty() {
        return text("None of the first five changes place.", columns);
    }
    let lines = answered.moves.iter().flat_map(|moved| {
        let words = format!("{} {}", clean(&moved.method), move_words(moved));
        wrap(&words, columns.saturating_sub(2))
    });
    let rows = lines.map(|line| row(&format!("  {line}"), Style::new()));
    rows.collect()
}

fn covered_rows(covered: &Covered, columns: usize) -> Vec<Row> {
    let (place, method) = (place(covered.rank), clean(&covered.method));
    let (lines, of, ranges) = (covered.lines.len(), covered.of, ranges(&covered.lines));
    let words = format!("{place:>4}  {lines} of {of} lines  {method}: {ranges}");
    text(&words, columns)
}

fn advice(screen: &Screen, columns: usize) -> Vec<Row> {
    let (view, ink) = (&screen.view, screen.ink);
    let mut rows = Vec::new();
    match &screen.advice {
        None => rows.push(row("Working it out ...", ink.dim())),
        Some(advice) => {
            let style = match advice.stop {
                Some(_) => ink.pass(),
                None => ink.strong(),
            };
            rows.extend(paragraph(&advice.words(), style, columns));
            let settled = match advice.agreement {
                _ if advice.expected.is_some() => format!(
                    "The ranking is a learned distribution: an outcome is worth asking for if it is expected to tell {TELLING} bits or more of where the fault is."
                ),
                Some(share) => format!(
                    "In samples drawn from the answers, the first {TOP} methods are the same in {:.0} % of cases; from 95 % on they count as settled.",
                    100.0 * share
                ),
                None => "Fewer than five answers say nothing about how settled the ranking is."
                    .to_owned(),
            };
            rows.extend(text(&settled, columns));
            if let Some(ahead) = &advice.ahead {
                let more = format!(
                    "{} more, if all pass: {} tied at the top (now {}), {} groups that no answer tells apart (now {}).",
                    ahead.answers, ahead.tied_then, ahead.tied, ahead.groups_then, ahead.groups
                );
                rows.extend(text(&more, columns));
            }
        }
    }
    section(&mut rows, "Effort so far", ink);
    let standing = |verdict: &str| {
        let stands = view.answers.iter().filter(|answer| !answer.undone);
        stands.filter(|answer| answer.verdict == verdict).count()
    };
    let answers = counted(standing_answers(screen) as u64, "answer");
    let [pass, fail, skip] = ["pass", "fail", "skip"].map(standing);
    let left = counted(view.left as u64, "test");
    let effort = format!(
        "{answers} standing: {pass} pass, {fail} fail, {skip} skipped. {left} may be asked about."
    );
    rows.extend(text(&effort, columns));
    if view.trust < 1.0 {
        let words = format!("An answer is believed by {}.", view.trust);
        rows.extend(text(&words, columns));
    }
    section(&mut rows, "Contradictions", ink);
    if view.doubts.is_empty() {
        rows.extend(text("None.", columns));
    }
    for doubt in &view.doubts {
        rows.extend(paragraph(doubt, ink.warning(), columns));
    }
    section(&mut rows, "Answers, the last first", ink);
    if view.answers.is_empty() {
        rows.extend(text("None yet.", columns));
    }
    for answer in view.answers.iter().rev() {
        rows.push(answer_row(ink, answer, columns));
        let at = answer.at.chars().take("2000-02-29T12:00:00".len());
        let at = at.collect::<String>().replace('T', " ");
        let by = format!("        {}, {at} UTC", answer.who);
        rows.push(row(&by, ink.dim()));
    }
    rows
}

fn failures(screen: &Screen, columns: usize) -> Vec<Row> {
    let (view, ink) = (&screen.view, screen.ink);
    let mut rows = Vec::new();
    for failed in &view.failures {
        rows.extend(paragraph(&failed.test, ink.strong(), columns));
        let exception = failed.exception.iter();
        rows.extend(exception.flat_map(|own| paragraph(own, ink.fail(), columns)));
        let message = failed.message.iter().flat_map(|message| message.lines());
        rows.extend(message.flat_map(|line| text(line, columns)));
        for call in &failed.calls {
            let words = format!("at {} {}", call.function, call.spot());
            rows.extend(paragraph(&words, ink.dim(), columns));
        }
        rows.push(Row::default());
    }
    let told = view.failures.len();
    let all = 1 + view.also_failing.len();
    if told == 0 {
        rows.extend(text(
            "The case does not say how a test failed; cases of fdc collect do.",
            columns,
        ));
    } else if told < all {
        let words = format!("Of {all} failing tests this is known of {told}.");
        rows.extend(text(&words, columns));
    }
    rows
}

pub(crate) fn standing_answers(screen: &Screen) -> usize {
    let answers = screen.view.answers.iter();
    answers.filter(|answer| !answer.undone).count()
}

fn help(ink: Ink, columns: usize) -> Vec<Row> {
    let mut rows = text(
        "Look at the test on the right: is what it does and expects right? Answer, and the ranking on the left gets sharper. Every answer is in the case file at once.",
        columns,
    );
    rows.push(Row::default());
    rows.extend(key_rows(ink, KEYS, columns));
    section(&mut rows, "Of the chosen suspect (Tab, then arrows)", ink);
    rows.extend(key_rows(ink, SUSPECT_KEYS, columns));
    rows.push(Row::default());
    rows.extend(text(
        "In the ranking: place, probability (a formula's score), heat, * if the test runs all lines of the method or + if some, its name. Equal scores share a place.",
        columns,
    ));
    rows
}

fn key_rows(ink: Ink, keys: &[(KeyCode, Action)], columns: usize) -> Vec<Row> {
    let mut told = Vec::new();
    let mut rows = Vec::new();
    for (code, action) in keys {
        let help = action.words().1;
        if help.is_empty() || told.contains(action) {
            continue;
        }
        told.push(*action);
        let mut name = code.to_string();
        for line in wrap(help, columns.saturating_sub(9)) {
            rows.push(Line::from(vec![
                Span::styled(format!("  {name:<7}"), ink.key()),
                piece(&line, Style::new()),
            ]));
            name.clear();
        }
    }
    rows
}

fn text(words: &str, columns: usize) -> Vec<Row> {
    paragraph(words, Style::new(), columns)
}

/// A heading below a blank line.
fn section(rows: &mut Vec<Row>, heading: &str, ink: Ink) {
    rows.extend([Row::default(), row(heading, ink.strong())]);
}

/// Line numbers, neighbours joined: `3-5, 9`.
fn ranges(lines: &[u32]) -> String {
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match joined.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(line) => *last = line,
            _ => joined.push((line, line)),
        }
    }
    let spell = |&(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    joined.iter().map(spell).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn neighbouring_lines_are_joined() {
        assert_eq!(super::ranges(&[3, 4, 5, 9, 11, 12]), "3-5, 9, 11-12");
        assert_eq!(super::ranges(&[]), "");
        assert_eq!(super::ranges(&[u32::MAX, 1]), "4294967295, 1");
    }
}

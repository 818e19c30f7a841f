//! The report as one offline page.

use std::collections::BTreeMap;

use crate::label::outlook::Answered;
use crate::label::picture::{MethodPart, Picture};
use crate::label::view::{AnswerView, Covered, Question};
use fdc_draw::source::SourceListing;
use fdc_draw::text::{counted, quantity, shortened};
use fdc_draw::treemap::Treemap;
use fdc_draw::{Cell, Column, Page, Table};
use fdc_source::TestSource;

use super::State;
use super::failed;
use super::ranking::source_words;
use super::suspects_map::suspects_map;
use crate::rank::Suspects;

/// Answers in the history, the last ones.
const SHOWN_ANSWERS: usize = 1_000;
/// Doubts, and suspects that a test runs.
const SHOWN_ITEMS: usize = 20;
/// Lines of a test's source, and characters of each.
const TEST_LINES: usize = 120;
const LINE_WIDTH: usize = 200;

pub(super) fn html(state: &State, listings: Vec<SourceListing>) -> String {
    let State { view, suspects, .. } = state;
    let page = Page::new(&state.request.title).lead(suspects.lead());
    // Those that everything starts from: tests that were judged to fail say nothing.
    let failing = [std::slice::from_ref(&view.failing), &view.also_failing].concat();
    let page = failed::section(
        page,
        &failing,
        &state.failures,
        state.failed_source.as_ref(),
        &listings,
    );
    let mut page = page
        .section("Suspects")
        .paragraph(format!("Failing test: {}.", view.failing))
        .paragraph(state.advice.words());
    let mut remarks: Vec<String> = view.doubts.iter().take(SHOWN_ITEMS).cloned().collect();
    if let Some(more) = view.doubts.len().checked_sub(SHOWN_ITEMS + 1) {
        remarks.push(format!("and {} more doubts", more + 1));
    }
    remarks.extend(state.doubts.iter().cloned());
    if !remarks.is_empty() {
        page = page.list(remarks);
    }
    let table = suspects.table(&listings);
    let map = map(state, &listings);
    let mut listings = listings.into_iter();
    page = page.table(table);
    if let Some(first) = listings.next() {
        page = source_words(page).listing(first);
    }
    let mut page = page.section("Map").figure(map.svg(), MAP_CAPTION);
    page = next_test(page.section("Next test"), state);
    page = history(page.section("Answers"), &view.answers);
    if listings.len() > 0 {
        page = listings.fold(page.section("More source"), Page::listing);
    }
    let page = suspects.making(page, &state.request.command);
    let options = format!(
        "Tests are chosen by {}; further answers would be believed to {}.",
        view.metric, view.trust
    );
    page.paragraph(options).html()
}

pub(super) const MAP_CAPTION: &str = "What the failing test runs, by package or folder, class or file, and method, in the order \
    of the ranking from the top left. The stronger the shade, the more suspicious; side by side, areas are in proportion to the \
    lines that the failing test runs. Methods that name the same group hold lines that no test so far tells apart; \
    pointing at one marks the others.";

fn map(state: &State, listings: &[SourceListing]) -> Treemap {
    let places = state.suspects.places.iter();
    let links: BTreeMap<u32, String> = places
        .filter_map(|place| Some((place.unit, Suspects::anchor(place, listings)?)))
        .collect();
    let picture = &state.picture;
    let link = |part: &MethodPart| links.get(&part.unit).cloned();
    suspects_map(map_title(picture), &picture.methods, link)
}

pub(super) fn map_title(picture: &Picture) -> String {
    let methods = counted(picture.methods.len() as u64, "method");
    let groups = counted(picture.groups as u64, "group");
    format!("{methods} under suspicion, {groups} that no test tells apart")
}

fn next_test(page: Page, state: &State) -> Page {
    let Some(next) = &state.view.next else {
        return page.paragraph("No test is left to ask about.");
    };
    let mut page = page.paragraph(format!("{}: {}.", next.test, next.reason.words()));
    if let Some(says) = &next.reason.metric_says {
        page = page.paragraph(format!("{}: {says}", state.view.metric));
    }
    let (fails, now) = (next.if_fails.tied, state.view.tied);
    let passes = counted(next.if_passes.tied as u64, "method");
    page = page.paragraph(format!(
        "If it passes, {passes} would share the highest score; if it fails, {fails}; now {now}."
    ));
    let outlook = outlook(next);
    page = match outlook.rows.is_empty() {
        true => page.paragraph("Neither answer would change the first places."),
        false => page.table(outlook),
    };
    let covers = next.covers.iter().take(SHOWN_ITEMS).map(|covered| {
        let Covered {
            method, lines, of, ..
        } = covered;
        let place = quantity(covered.rank);
        format!("{method}, place {place}: {} of {of} lines", lines.len())
    });
    let covers: Vec<String> = covers.collect();
    if !covers.is_empty() {
        page = page.paragraph("It runs of the suspects:").list(covers);
    }
    match &state.test_source {
        Some(source) => test_source(page, source),
        None => page,
    }
}

/// Methods that either answer would move, the most suspicious first.
pub(super) fn outlook(next: &Question) -> Table {
    let columns = vec![
        Column::text("method"),
        Column::number("place now"),
        Column::number("if it passes"),
        Column::number("if it fails"),
    ];
    let mut table = Table::new("Places that an answer would change", columns);
    let mut methods: Vec<(&str, f64)> = Vec::new();
    for moved in next.if_passes.moves.iter().chain(&next.if_fails.moves) {
        if !methods.iter().any(|(method, _)| *method == moved.method) {
            methods.push((&moved.method, moved.from));
        }
    }
    methods.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (method, from) in methods {
        let after = |answered: &Answered| {
            let mut moves = answered.moves.iter();
            let moved = moves.find(|moved| moved.method == method);
            let to = moved.map_or(from, |moved| moved.to);
            Cell::number(to, quantity(to))
        };
        table = table.row(vec![
            Cell::text(method),
            Cell::number(from, quantity(from)),
            after(&next.if_passes),
            after(&next.if_fails),
        ]);
    }
    table
}

fn test_source(page: Page, source: &TestSource) -> Page {
    let mut page = page.paragraph(format!("{}, from line {}:", source.path, source.first));
    if source.newer {
        page = page.paragraph("This file was changed after the case was written.");
    }
    let lines = source.lines.iter().take(TEST_LINES);
    let mut lines: Vec<String> = lines.map(|line| shortened(line, LINE_WIDTH)).collect();
    if source.lines.len() > TEST_LINES {
        lines.push(format!("… {} more lines", source.lines.len() - TEST_LINES));
    }
    page.code(lines.join("\n"))
}

fn history(page: Page, answers: &[AnswerView]) -> Page {
    if answers.is_empty() {
        return page.paragraph("Nobody has answered yet.");
    }
    let hidden = answers.len().saturating_sub(SHOWN_ANSWERS);
    let columns = vec![
        Column::number("number"),
        Column::text("test or statement"),
        Column::text("verdict"),
        Column::number("believed to"),
        Column::text("who"),
        Column::text("when"),
        Column::text("state"),
    ];
    let mut table = Table::new("Every answer, in the order they were given", columns);
    for (index, answer) in answers.iter().enumerate().skip(hidden) {
        let number = index + 1;
        let trust = answer.trust;
        let trust = trust.map(|trust| Cell::number(trust, trust.to_string()));
        let state = ["counts", "taken back"][usize::from(answer.undone)];
        table = table.row(vec![
            Cell::number(number as f64, number.to_string()),
            Cell::text(&answer.subject),
            Cell::text(answer.verdict),
            trust.unwrap_or_default(),
            Cell::text(&answer.who),
            Cell::text(&answer.at),
            Cell::text(state),
        ]);
    }
    if hidden == 0 {
        return page.table(table);
    }
    let all = answers.len();
    let last =
        format!("The last {SHOWN_ANSWERS} of {all} answers; the others are in the case file.");
    page.paragraph(last).table(table)
}

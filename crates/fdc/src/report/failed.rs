//! What failed, as the first section of a report.

use fdc_draw::Page;
use fdc_draw::highlight::highlight;
use fdc_draw::source::{SourceLine, SourceListing, Stretch};
use fdc_draw::text::{counted, shortened};
use fdc_source::TestSource;

use crate::failed_test::{FailedCall, FailedTest};

/// Failing tests that are told in full.
const SHOWN_TESTS: usize = 10;
/// Calls of each.
const SHOWN_CALLS: usize = 12;
/// Lines and characters of a message.
const MESSAGE_LINES: usize = 40;
const MESSAGE_LENGTH: usize = 4_000;
/// Lines of a test, most of them above the line where it failed.
const TEST_LINES: usize = 24;

/// Adds exception, message and calls of the first failing tests, and the source of the first;
/// nothing, if nothing is known. Calls lead to the listings of the page.
pub(super) fn section(
    page: Page,
    failing: &[String],
    failures: &[FailedTest],
    source: Option<&TestSource>,
    listings: &[SourceListing],
) -> Page {
    if failures.is_empty() && source.is_none() {
        return page;
    }
    let known = |test: &String| failures.iter().find(|failed| failed.test == *test);
    let first = failing.first().and_then(known);
    let test = source.map(|source| listing(source, first));
    let shown: Vec<&SourceListing> = test.iter().chain(listings).collect();
    let mut page = page.section("What failed");
    for test in failing.iter().take(SHOWN_TESTS) {
        page = page.heading(test);
        let Some(failed) = known(test) else {
            continue;
        };
        page = message(page, failed);
        let calls = failed.calls.iter().take(SHOWN_CALLS);
        let mut calls: Vec<_> = calls
            .map(|call| (words(call), anchor(call, &shown)))
            .collect();
        if let Some(more) = failed.calls.len().checked_sub(SHOWN_CALLS + 1) {
            calls.push((format!("and {} more", more + 1), None));
        }
        if !calls.is_empty() {
            page = page.paragraph("Calls, the innermost first:").links(calls);
        }
    }
    page = match failing.len().saturating_sub(SHOWN_TESTS) {
        0 => page,
        more => page.paragraph(format!("and {} more", counted(more as u64, "failing test"))),
    };
    match test {
        Some(test) => page.listing(test),
        None => page,
    }
}

fn words(call: &FailedCall) -> String {
    let words = format!("{} {}", call.function, call.spot());
    words.trim().to_owned()
}

/// Where the page shows the line of a call.
fn anchor(call: &FailedCall, listings: &[&SourceListing]) -> Option<String> {
    let (path, line) = (call.path.as_ref()?, call.line?);
    let mut here = listings.iter().filter(|listing| listing.path == *path);
    let listing = here.find(|listing| listing.shows(line))?;
    Some(listing.anchor(line))
}

fn message(page: Page, failed: &FailedTest) -> Page {
    let message = failed.message.as_deref().unwrap_or_default().trim_end();
    let all = message.lines().count();
    let mut shown: Vec<&str> = message.lines().take(MESSAGE_LINES).collect();
    let more = match all.saturating_sub(shown.len()) {
        0 => String::new(),
        more => format!("… {} more", counted(more as u64, "line")),
    };
    if !more.is_empty() {
        shown.push(&more);
    }
    // pytest has the exception in the message.
    let own = failed.short_exception();
    let within = own.is_some_and(|own| message.starts_with(own));
    let page = match failed.exception.as_ref().filter(|_| !within) {
        Some(exception) => page.paragraph(format!("{exception}:")),
        None => page,
    };
    match shown.is_empty() {
        true => page,
        false => page.code(shortened(&shown.join("\n"), MESSAGE_LENGTH)),
    }
}

/// The test's source; above the line where it failed stands that it did.
fn listing(source: &TestSource, failed: Option<&FailedTest>) -> SourceListing {
    let end = source.first + source.lines.len() as u32;
    let line = failed.and_then(|failed| failed.line_in(&source.path, source.first..end));
    // A long test is shown to the end of what ran.
    let last = line.map_or(TEST_LINES, |line| (line - source.first) as usize + 4);
    let from = last.saturating_sub(TEST_LINES);
    let syntax = highlight(&source.path, source.lines.iter().map(String::as_str));
    let numbered = (source.first..).zip(&source.lines).zip(syntax);
    let lines = numbered.skip(from).take(TEST_LINES);
    let shown = lines.map(|((number, text), syntax)| SourceLine {
        number,
        syntax,
        text: text.clone(),
        mark: None,
        headings: match line == Some(number) {
            true => vec!["It failed here:".to_owned()],
            false => Vec::new(),
        },
    });
    let newer = "This file was changed after the case was written.".to_owned();
    SourceListing {
        id: "failing-test".to_owned(),
        path: source.path.clone(),
        notes: Vec::from_iter(source.newer.then_some(newer)),
        stretches: vec![Stretch {
            lines: shown.collect(),
        }],
    }
}

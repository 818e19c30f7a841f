//! A ranking as a page, with the source of the first suspects.

use fdc_core::{Level, Named as _};
use fdc_draw::Page;
use fdc_draw::source::{self, SourceListing};
use fdc_draw::table::{Best, Cell, Column, Table};
use fdc_draw::text::quantity;
use fdc_source::TestSource;

use super::failed;
use crate::rank::{Suspect, Suspects};

/// Failing tests that the page names.
const SHOWN_TESTS: usize = 20;

impl Suspects {
    /// The page: what failed with the source of the first failing test, the ranking, the source of the first suspects, how it was made.
    pub fn page(
        &self,
        title: &str,
        notes: &[String],
        listings: Vec<SourceListing>,
        test_source: Option<&TestSource>,
        command: &str,
    ) -> Page {
        let page = Page::new(title).lead(self.lead());
        let page = failed::section(page, &self.failing, &self.failures, test_source, &listings);
        let mut page = page.section("Suspects");
        if !notes.is_empty() {
            page = page.list(notes);
        }
        for (number, own) in (1..).zip(&self.faults) {
            page = page.paragraph(own.of_fault(number, self.faults.len()));
            page = page.table(own.table(&listings));
        }
        if self.faults.is_empty() {
            page = page.table(self.table(&listings));
        }
        if !listings.is_empty() {
            page = source_words(page.section("Source"));
            page = listings.into_iter().fold(page, Page::listing);
        }
        self.making(page, command)
    }

    /// What was counted and ranked, in a line.
    pub(super) fn lead(&self) -> String {
        let [failed, passed] = [self.failed, self.passed].map(quantity);
        let (shown, ranked) = (self.places.len(), self.ranked);
        let (level, formula) = (self.level.name(), &self.formula);
        format!(
            "{failed} failing and {passed} passing tests; {shown} of {ranked} {level}s by {formula}.{}",
            self.in_first_five()
                .map_or_else(String::new, |words| format!(" {words}"))
        )
    }

    /// Adds the section that says how the ranking was made.
    pub(super) fn making(&self, page: Page, command: &str) -> Page {
        let shown = self.failing.iter().take(SHOWN_TESTS);
        let more = self.failing.len().saturating_sub(SHOWN_TESTS);
        let more = (more > 0).then(|| format!("and {more} more"));
        page.section("How it was made")
            .paragraph(format!(
                "Suspiciousness: {}. Line scores are combined into methods and files by {}. Equal scores take the place '{}' of \
                 their tie. Failing tests counted:",
                self.formula, self.aggregate, self.tie
            ))
            .list(shown.cloned().chain(more))
            .code(command)
    }

    /// Where the listings show the hottest line of a place, `#` left out.
    pub(super) fn anchor(place: &Suspect, listings: &[SourceListing]) -> Option<String> {
        let file = place.path.as_ref().unwrap_or(&place.file);
        let listing = listings.iter().find(|listing| listing.path == *file)?;
        let (line, _) = place.hottest?;
        listing.shows(line).then(|| listing.anchor(line))
    }

    /// The ranking, with links to the source that is shown.
    pub(super) fn table(&self, listings: &[SourceListing]) -> Table {
        let level = self.level.name();
        let learned = self.within_first_five.is_some() && self.level == Level::Method;
        let mut columns = vec![
            Column::number("place").best(Best::Lowest),
            Column::number(if learned { "probability" } else { "score" }),
            Column::text(level),
            Column::text("hottest line"),
            Column::number("failing"),
            Column::number("passing"),
        ];
        if learned {
            columns.push(Column::text("why"));
        }
        let mut table = Table::new(
            format!("Suspicious {level}s, and how many failing and passing tests run each"),
            columns,
        );
        for place in &self.places {
            let name = Cell::text(&place.name);
            let name = match Self::anchor(place, listings) {
                Some(anchor) => name.link(anchor),
                None => name,
            };
            let mut cells = vec![
                Cell::number(place.rank, quantity(place.rank)),
                Cell::number(place.score, place.score_text()),
                name,
                Cell::text(place.spot()),
                Cell::number(place.failing_count as f64, place.failing_count.to_string()),
                Cell::number(place.passing_count as f64, place.passing_count.to_string()),
            ];
            if learned {
                cells.push(Cell::text(place.reasons.join("; ")));
            }
            table = table.row(cells);
        }
        table
    }
}

/// Says how sources are to be read.
pub(super) fn source_words(page: Page) -> Page {
    let [none, least, .., most] = source::MARKS;
    page.paragraph(format!(
        "Shade and mark show how suspicious a line is, from {least} (a failing test runs it) to {most} (the highest \
         score); {none} is a measured line that no failing test runs. Lines in grey were not measured."
    ))
}

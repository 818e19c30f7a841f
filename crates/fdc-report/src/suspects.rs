//! A ranking with what is known of each suspect, as plain data, and as a page with the source.
//! [`crate::sarif`] makes a log for code scanning of the same data.

use fdc_core::Level;

use crate::source::{Listing, count};
use crate::table::{Best, Cell, Column, Table};
use crate::{Page, source};

/// The first places of a ranking, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspects {
    /// What was ranked: the case's name.
    pub title: String,
    /// Methods, lines or files.
    pub level: Level,
    /// Name of the suspiciousness formula.
    pub formula: String,
    /// Name of the tie policy.
    pub tie: String,
    /// Name of the way from lines up to methods and files.
    pub aggregate: String,
    /// The failing tests counted.
    pub failing: Vec<String>,
    /// How many failing tests were counted.
    pub failed: f64,
    /// How many passing tests were counted.
    pub passed: f64,
    /// How many methods, lines or files were ranked.
    pub ranked: usize,
    /// The most suspicious first.
    pub places: Vec<Suspect>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// One place of a ranking.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Suspect {
    /// What it is called at its level.
    pub name: String,
    /// Its place, from 1.
    pub rank: f64,
    /// Its suspiciousness.
    pub score: f64,
    /// The file, as the input names it.
    pub file: String,
    /// The method, at the levels of methods and lines.
    pub method: Option<String>,
    /// The file's path below the project's root with `/`, where one is known.
    pub path: Option<String>,
    /// Its first and last measured line, where line numbers are known.
    pub lines: Option<(u32, u32)>,
    /// The first run of lines of the highest score.
    pub hottest: Option<(u32, u32)>,
    /// Text of the first hottest line, where the source is at hand.
    pub text: Option<String>,
    /// The first few failing tests that run it.
    pub failing: Vec<String>,
    /// How many failing tests run it.
    pub failing_count: usize,
    /// How many passing tests run it.
    pub passing_count: usize,
}

impl Suspects {
    /// The page: the ranking, the source of the first suspects, how it was made.
    pub fn page(&self, listings: Vec<Listing>, command: &str) -> Page {
        let level = self.level.name();
        let lead = format!(
            "{} failing and {} passing tests; {} of {} {level}s by {}.",
            count(self.failed),
            count(self.passed),
            self.places.len(),
            self.ranked,
            self.formula
        );
        let mut page = Page::new(&self.title).lead(lead).section("Suspects");
        if !self.notes.is_empty() {
            page = page.list(&self.notes);
        }
        page = page.table(self.table(&listings));
        if !listings.is_empty() {
            page = page.section("Source").paragraph(format!(
                "Shade and sign tell how suspicious a line is, from {} (a failing test runs it) to {} (the highest \
                 score); {} is a measured line that no failing test runs. Lines in grey were not measured.",
                source::MARKS[1],
                source::MARKS[source::STEPS],
                source::MARKS[0]
            ));
            page = listings.into_iter().fold(page, Page::listing);
        }
        let shown = self.failing.iter().take(SHOWN_TESTS);
        let more = self.failing.len().saturating_sub(SHOWN_TESTS);
        let more = (more > 0).then(|| format!("and {more} more"));
        page.section("How it was made")
            .paragraph(format!(
                "Suspiciousness: {}. Lines go up to methods and files by {}. Equal scores take the place '{}' of \
                 their tie. Failing tests counted:",
                self.formula, self.aggregate, self.tie
            ))
            .list(shown.cloned().chain(more))
            .code(command)
    }

    fn table(&self, listings: &[Listing]) -> Table {
        let level = self.level.name();
        let columns = vec![
            Column::number("place").best(Best::Lowest),
            Column::number("score"),
            Column::text(level),
            Column::text("hottest line"),
            Column::number("failing"),
            Column::number("passing"),
        ];
        let mut table = Table::new(
            format!("Suspicious {level}s, and how many failing and passing tests run each"),
            columns,
        );
        for place in &self.places {
            let file = place.path.as_ref().unwrap_or(&place.file);
            let where_to = match place.hottest {
                Some((line, _)) => format!("{file}:{line}"),
                None => file.clone(),
            };
            let listing = listings.iter().find(|listing| listing.path == *file);
            let name = match (listing, place.hottest) {
                (Some(listing), Some((line, _))) if listing.shows(line) => {
                    Cell::text(&place.name).link(listing.anchor(line))
                }
                _ => Cell::text(&place.name),
            };
            table = table.row(vec![
                Cell::number(place.rank, count(place.rank)),
                Cell::decimals(place.score, 3),
                name,
                Cell::text(where_to),
                Cell::number(place.failing_count as f64, place.failing_count.to_string()),
                Cell::number(place.passing_count as f64, place.passing_count.to_string()),
            ]);
        }
        table
    }
}

/// Failing tests that the page names.
const SHOWN_TESTS: usize = 20;

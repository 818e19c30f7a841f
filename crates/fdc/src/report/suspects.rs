//! A ranking with what is known of each suspect, as plain data, and as a page with the source.
//! [`crate::report::sarif`] makes a log for code scanning of the same data.

use fdc_core::{Level, Named as _};

use fdc_draw::source::SourceListing;
use fdc_draw::table::{Best, Cell, Column, Table};
use fdc_draw::text::quantity;
use fdc_draw::{Page, source};

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
    pub fn page(&self, listings: Vec<SourceListing>, command: &str) -> Page {
        let mut page = Page::new(&self.title).lead(self.lead()).section("Suspects");
        if !self.notes.is_empty() {
            page = page.list(&self.notes);
        }
        page = page.table(self.table(&listings));
        if !listings.is_empty() {
            page = source_section(page, listings);
        }
        self.making(page, command)
    }

    /// What was counted and ranked, in a line.
    pub fn lead(&self) -> String {
        format!(
            "{} failing and {} passing tests; {} of {} {}s by {}.",
            quantity(self.failed),
            quantity(self.passed),
            self.places.len(),
            self.ranked,
            self.level.name(),
            self.formula
        )
    }

    /// Adds the section that says how the ranking was made.
    pub fn making(&self, page: Page, command: &str) -> Page {
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

    /// Where the listings show the hottest line of a place, `#` left out.
    pub fn anchor(place: &Suspect, listings: &[SourceListing]) -> Option<String> {
        let file = place.path.as_ref().unwrap_or(&place.file);
        let listing = listings.iter().find(|listing| listing.path == *file)?;
        let (line, _) = place.hottest?;
        listing.shows(line).then(|| listing.anchor(line))
    }

    /// The ranking, with links to the source that is shown.
    pub fn table(&self, listings: &[SourceListing]) -> Table {
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
            let name = Cell::text(&place.name);
            let name = match Self::anchor(place, listings) {
                Some(anchor) => name.link(anchor),
                None => name,
            };
            table = table.row(vec![
                Cell::number(place.rank, quantity(place.rank)),
                Cell::decimals(place.score, 3),
                name,
                Cell::text(place.spot()),
                Cell::number(place.failing_count as f64, place.failing_count.to_string()),
                Cell::number(place.passing_count as f64, place.passing_count.to_string()),
            ]);
        }
        table
    }
}

impl Suspect {
    /// Where to look: `file:line` of the hottest line, the file alone where lines are not known.
    pub fn spot(&self) -> String {
        let file = self.path.as_ref().unwrap_or(&self.file);
        match self.hottest {
            Some((line, _)) => format!("{file}:{line}"),
            None => file.clone(),
        }
    }
}

/// Adds the section of sources, and says how to read them.
pub fn source_section(page: Page, listings: Vec<SourceListing>) -> Page {
    let page = page.section("Source").paragraph(format!(
        "Shade and sign tell how suspicious a line is, from {} (a failing test runs it) to {} (the highest \
         score); {} is a measured line that no failing test runs. Lines in grey were not measured.",
        source::MARKS[1],
        source::MARKS[source::STEPS],
        source::MARKS[0]
    ));
    listings.into_iter().fold(page, Page::listing)
}

/// Failing tests that the page names.
const SHOWN_TESTS: usize = 20;

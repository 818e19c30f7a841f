//! A [`Ranked`] as plain data for pages and code scanning, with the source of the first suspects.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use fdc_core::Named as _;
use fdc_core::ranking::Place;
use fdc_source::{Source, Sources, relative_path};

use crate::heat::Heat;
use crate::ranked::Ranked;
use crate::report::suspects::{Suspect, Suspects};
use fdc_draw::source::{SourceLine, SourceListing, Stretch, hottest_stretch};
use fdc_draw::text::{printable_name, quantity};

/// Suspects whose source a page shows.
pub const SHOWN_SUSPECTS: usize = 20;
/// Lines of a suspect that a page shows, unless told.
pub const SHOWN_LINES: u32 = 60;
/// Failing tests that a suspect names.
const NAMED_TESTS: usize = 3;
/// Lines that a page shows in all.
const MOST_LINES: u32 = 3_000;
/// Lines above the first measured one that may be the head of a function.
const HEAD: u32 = 3;

/// A ranking beside the sources that were looked for, each once.
pub struct Findings<'r, 'a> {
    ranked: &'r Ranked<'a>,
    books: BTreeMap<u32, Option<Source>>,
}

impl<'r, 'a> Findings<'r, 'a> {
    /// Of a ranking.
    pub fn new(ranked: &'r Ranked<'a>) -> Self {
        Findings {
            ranked,
            books: BTreeMap::new(),
        }
    }

    /// The suspects as data.
    pub fn suspects(&mut self, title: impl Into<String>) -> Suspects {
        let ranked = self.ranked;
        let places = ranked.ranking.places.iter();
        let places = places.map(|place| self.suspect(place)).collect();
        let name = |&test| ranked.spectrum.test(test).name.clone();
        let counted = &ranked.counted;
        Suspects {
            title: title.into(),
            level: ranked.level,
            formula: ranked.options.formula.name.to_owned(),
            tie: ranked.options.tie.name().to_owned(),
            aggregate: ranked.options.aggregate.name().to_owned(),
            failing: counted.failing.iter().map(name).collect(),
            failed: counted.tally.failed(),
            passed: counted.tally.passed(),
            ranked: ranked.units,
            places,
            notes: Vec::new(),
        }
    }

    /// [`Self::suspects`] for code scanning: paths start at the top of the repository. Adds what a
    /// person should know.
    pub fn for_scanning(&mut self, title: impl Into<String>, notes: &mut Vec<String>) -> Suspects {
        let mut suspects = self.suspects(title);
        notes.extend(self.doubts());
        let sources = self.ranked.sources();
        let prefix = sources.map_or_else(String::new, Sources::prefix_in_repository);
        let mut lost = 0;
        for place in &mut suspects.places {
            // A file that is not at hand may still be named by its path; a class is no path.
            let named = || relative_path(&place.file).filter(|path| path.contains('/'));
            let path = place.path.take().or_else(named);
            place.path = path.map(|path| format!("{prefix}{path}"));
            lost += usize::from(place.path.is_none());
        }
        if lost > 0 {
            notes.push(format!(
                "{lost} of {} suspects have no known file, and code scanning shows none without; \
                 name the project's root with --source",
                suspects.places.len()
            ));
        }
        suspects
    }

    /// What a person should know of the sources looked at, before trusting their lines.
    pub fn doubts(&self) -> Vec<String> {
        let found = self.books.iter();
        let found = found.filter_map(|(&file, source)| Some((file, source.as_ref()?)));
        found
            .flat_map(|(file, source)| self.ranked.doubts(source, file))
            .collect()
    }

    /// That sources of the first suspects were not found, if any was looked for in vain.
    pub fn missing(&self, suspects: &Suspects) -> Option<String> {
        let first = suspects.places.iter().take(SHOWN_SUSPECTS);
        let without = first.filter(|place| place.path.is_none()).count();
        (without > 0 && self.ranked.sources().is_some()).then(|| {
            format!(
                "the source of {without} of the first {} suspects was not found; name the project's root with --source",
                suspects.places.len().min(SHOWN_SUSPECTS)
            )
        })
    }

    /// The files of the first suspects, in their order, with at most so many lines of each suspect.
    pub fn listings(&mut self, suspects: &Suspects, most: u32) -> Vec<SourceListing> {
        let ranked = self.ranked;
        // By file: the lines to show, and the suspects to name above their first line.
        let mut order: Vec<u32> = Vec::new();
        let mut shown: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut headings: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
        let mut room = MOST_LINES;
        let places = ranked.ranking.places.iter().zip(&suspects.places);
        for (place, suspect) in places.take(SHOWN_SUSPECTS) {
            let file = ranked.file(place);
            let (Some(source), Some(span)) = (self.source(file), suspect.lines) else {
                continue;
            };
            let heats = ranked.heat(file);
            let share = |line: u32| ranked.share(&heats, line);
            let whole = extent(span, source, &heats);
            if room == 0 {
                break;
            }
            let stretch = hottest_stretch(whole, most.min(room), share);
            if stretch.is_empty() {
                continue;
            }
            if !order.contains(&file) {
                order.push(file);
            }
            let title = format!(
                "Place {}: {}, score {:.3}",
                quantity(place.rank),
                printable_name(&suspect.name),
                place.score
            );
            headings
                .entry((file, *stretch.start()))
                .or_default()
                .push(title);
            room = room.saturating_sub(stretch.end() - stretch.start() + 1);
            shown.entry(file).or_default().extend(stretch);
        }
        let listing = |(number, file): (usize, &u32)| {
            let source = self.books[file].as_ref().expect("it is shown");
            let heats = ranked.heat(*file);
            let mut stretches: Vec<Stretch> = Vec::new();
            for &number in &shown[file] {
                let line = SourceLine {
                    number,
                    text: source.line(number).unwrap_or_default().to_owned(),
                    mark: heats.get(&number).map(Heat::mark),
                    headings: headings.remove(&(*file, number)).unwrap_or_default(),
                };
                match stretches.last_mut() {
                    Some(last) if last.lines.last().is_some_and(|l| l.number + 1 == number) => {
                        last.lines.push(line);
                    }
                    _ => stretches.push(Stretch { lines: vec![line] }),
                }
            }
            SourceListing {
                id: format!("file-{}", number + 1),
                path: source.path.clone(),
                notes: ranked.doubts(source, *file),
                stretches,
            }
        };
        order.iter().enumerate().map(listing).collect()
    }

    fn suspect(&mut self, place: &Place) -> Suspect {
        let ranked = self.ranked;
        let file = ranked.file(place);
        let (failing, passing_count) = ranked.tests_of(place.unit);
        let hottest = ranked.hottest(place.unit);
        let name = |&test| ranked.spectrum.test(test).name.clone();
        let source = self.source(file);
        Suspect {
            name: ranked.unit_name(place),
            rank: place.rank,
            score: place.score,
            file: ranked.file_name(file).to_owned(),
            method: ranked.method_name(place).map(str::to_owned),
            path: source.map(|source| source.path.clone()),
            lines: ranked.span(place.unit),
            hottest,
            text: source
                .zip(hottest)
                .map(|(source, (line, _))| source.line(line).unwrap_or_default().to_owned()),
            failing: failing.iter().take(NAMED_TESTS).map(name).collect(),
            failing_count: failing.len(),
            passing_count,
        }
    }

    fn source(&mut self, file: u32) -> Option<&Source> {
        let read = || self.ranked.source(file);
        self.books.entry(file).or_insert_with(read).as_ref()
    }
}

/// Lines to show of a unit: its measured lines with the head of the function and a closing bracket.
pub fn extent(
    span: (u32, u32),
    source: &Source,
    heats: &BTreeMap<u32, Heat>,
) -> RangeInclusive<u32> {
    let blank = |line: u32| source.line(line).is_none_or(|text| text.trim().is_empty());
    let (mut first, mut last) = span;
    while first > 1 && span.0 - first < HEAD {
        let above = first - 1;
        if blank(above) || heats.contains_key(&above) {
            break;
        }
        first = above;
    }
    let closes = |text: &str| {
        let text = text.trim();
        !text.is_empty() && text.chars().all(|c| "})];,".contains(c))
    };
    if !heats.contains_key(&(last + 1)) && source.line(last + 1).is_some_and(closes) {
        last += 1;
    }
    first..=last.min(source.lines.len() as u32)
}

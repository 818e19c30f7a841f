//! The ranking as plain data for pages and code scanning, with the source of the first suspects.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use fdc_core::ranking::Place;
use fdc_report::Page;
use fdc_report::source::{Heat, Line, Listing, Stretch, hottest_stretch};
use fdc_report::suspects::{Level, Suspect, Suspects};

use super::value_name;
use super::view::View;
use crate::args::LevelName;
use crate::output::{printable_name, rank_text};
use fdc_source::{Source, Sources, relative_path};

/// Failing tests that a suspect names.
const NAMED_TESTS: usize = 3;
/// Suspects whose source a page shows, lines of each unless told, and lines in all.
const SHOWN_SUSPECTS: usize = 20;
const SHOWN_LINES: u32 = 60;
const MOST_LINES: u32 = 3_000;
/// Lines above the first measured one that may be the head of a function.
const HEAD: u32 = 3;

/// For code scanning: paths start at the top of the repository.
pub fn for_scanning(view: &View, notes: &mut Vec<String>) -> Suspects {
    let mut shelf = Shelf::new(view);
    let mut suspects = shelf.suspects(notes);
    let sources = view.sources();
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

/// The page.
pub fn page(view: &View, command: &str, notes: &mut Vec<String>) -> Page {
    let mut shelf = Shelf::new(view);
    let mut suspects = shelf.suspects(notes);
    suspects.notes = notes.clone();
    let listings = shelf.listings(&suspects);
    let shown = |place: &&Suspect| place.path.is_none();
    let without = suspects
        .places
        .iter()
        .take(SHOWN_SUSPECTS)
        .filter(shown)
        .count();
    if without > 0 && view.sources().is_some() {
        notes.push(format!(
            "the source of {without} of the first {} suspects was not found; name the project's root with --source",
            suspects.places.len().min(SHOWN_SUSPECTS)
        ));
    }
    suspects.page(listings, command)
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

/// Sources that were looked for, each once.
struct Shelf<'v, 'a> {
    view: &'v View<'a>,
    books: BTreeMap<u32, Option<Source>>,
}

impl<'v, 'a> Shelf<'v, 'a> {
    fn new(view: &'v View<'a>) -> Self {
        Shelf {
            view,
            books: BTreeMap::new(),
        }
    }

    fn source(&mut self, file: u32) -> Option<&Source> {
        let read = || self.view.source(file);
        self.books.entry(file).or_insert_with(read).as_ref()
    }

    fn suspects(&mut self, notes: &mut Vec<String>) -> Suspects {
        let view = self.view;
        let (arguments, spectrum) = (view.arguments, view.spectrum);
        let places = view
            .ranking
            .places
            .iter()
            .map(|place| self.suspect(place))
            .collect();
        for (&file, source) in &self.books {
            notes.extend(source.iter().flat_map(|source| view.doubts(source, file)));
        }
        let input = arguments.input.inputs[0].file_name().unwrap_or_default();
        Suspects {
            title: format!("Suspects in {}", input.to_string_lossy()),
            level: match arguments.level {
                LevelName::Method => Level::Method,
                LevelName::Line => Level::Line,
                LevelName::File => Level::File,
            },
            formula: arguments.scoring.formula.name.to_owned(),
            tie: value_name(arguments.scoring.tie),
            aggregate: value_name(arguments.scoring.aggregate),
            failing: view
                .failing
                .iter()
                .map(|&test| spectrum.test(test).name.clone())
                .collect(),
            failed: view.tally.failed(),
            passed: view.tally.passed(),
            ranked: view.units,
            places,
            notes: Vec::new(),
        }
    }

    fn suspect(&mut self, place: &Place) -> Suspect {
        let view = self.view;
        let file = view.file(place);
        let (failing, passing_count) = view.tests_of(place.unit);
        let hottest = view.hottest(place.unit);
        let name = |&test| view.spectrum.test(test).name.clone();
        let source = self.source(file);
        Suspect {
            name: view.unit_name(place),
            rank: place.rank,
            score: place.score,
            file: view.file_name(file).to_owned(),
            method: view.method_name(place).map(str::to_owned),
            path: source.map(|source| source.path.clone()),
            lines: view.span(place.unit),
            hottest,
            text: source
                .zip(hottest)
                .map(|(source, (line, _))| source.line(line).unwrap_or_default().to_owned()),
            failing: failing.iter().take(NAMED_TESTS).map(name).collect(),
            failing_count: failing.len(),
            passing_count,
        }
    }

    /// The files of the first suspects, in their order, with the lines to show of each.
    fn listings(&mut self, suspects: &Suspects) -> Vec<Listing> {
        let view = self.view;
        let most = view.arguments.lines.unwrap_or(SHOWN_LINES);
        // By file: the lines to show, and the suspects to name above their first line.
        let mut order: Vec<u32> = Vec::new();
        let mut shown: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut headings: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
        let mut room = MOST_LINES;
        let places = view.ranking.places.iter().zip(&suspects.places);
        for (place, suspect) in places.take(SHOWN_SUSPECTS) {
            let file = view.file(place);
            let (Some(source), Some(span)) = (self.source(file), suspect.lines) else {
                continue;
            };
            let heats = view.heat(file);
            let share = |line: u32| heat_share(view, &heats, line);
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
                rank_text(place.rank),
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
            let heats = view.heat(*file);
            let mut stretches: Vec<Stretch> = Vec::new();
            for &number in &shown[file] {
                let line = Line {
                    number,
                    text: source.line(number).unwrap_or_default().to_owned(),
                    heat: heats.get(&number).copied(),
                    headings: headings.remove(&(*file, number)).unwrap_or_default(),
                };
                match stretches.last_mut() {
                    Some(last) if last.lines.last().is_some_and(|l| l.number + 1 == number) => {
                        last.lines.push(line);
                    }
                    _ => stretches.push(Stretch { lines: vec![line] }),
                }
            }
            Listing {
                id: format!("file-{}", number + 1),
                path: source.path.clone(),
                notes: view.doubts(source, *file),
                stretches,
            }
        };
        order.iter().enumerate().map(listing).collect()
    }
}

/// The heat of a line for choosing what to show: 0 to 1, 0 if it is no suspect.
pub fn heat_share(view: &View, heats: &BTreeMap<u32, Heat>, line: u32) -> f64 {
    match heats.get(&line) {
        Some(heat) if heat.step > 0 => view.scale.share(heat.score),
        _ => 0.0,
    }
}

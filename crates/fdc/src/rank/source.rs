//! The source of suspects, with the heat of its lines.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use fdc_draw::highlight::highlight;
use fdc_draw::source::{SourceLine, SourceListing, Stretch, hottest_stretch};
use fdc_draw::text::{printable_name, quantity, untabbed};
use fdc_source::{Source, Sources, relative_path};

use crate::heat::Heat;

use super::{RankNote, Ranked, Suspect, Suspects};

/// Suspects whose source a page shows.
const SHOWN_SUSPECTS: usize = 20;
/// Lines of a suspect that a page shows, by default.
pub const SHOWN_LINES: u32 = 60;
/// Failing tests that a suspect names.
const NAMED_TESTS: usize = 3;
/// Lines that a page shows in all.
const MOST_LINES: u32 = 3_000;
/// Lines above the first measured one that may be the head of a function.
const HEAD: u32 = 3;

/// The hottest lines of a suspect.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    /// The file's path below the project's root.
    pub path: String,
    /// What is shown, at least a line.
    pub lines: Vec<SourceLine>,
    /// Whether the suspect has lines above those.
    pub more_above: bool,
    /// Whether it has lines below those.
    pub more_below: bool,
}

impl Excerpt {
    /// The text of its lines, without tabs and without the margin that all of them have.
    pub fn texts(&self) -> Vec<String> {
        let texts = self.lines.iter();
        let texts: Vec<String> = texts.map(|line| untabbed(line.text.trim_end())).collect();
        let margin = common_margin(&texts);
        let cut = |text: String| text.get(margin..).unwrap_or_default().to_owned();
        texts.into_iter().map(cut).collect()
    }
}

/// Spaces that all lines begin with, blank lines aside.
fn common_margin(lines: &[String]) -> usize {
    let filled = lines.iter().filter(|line| !line.is_empty());
    let margins = filled.map(|line| line.len() - line.trim_start_matches(' ').len());
    margins.min().unwrap_or(0)
}

impl Ranked<'_> {
    /// Adds what pages and code scanning tell: the tests that run each suspect, and its source.
    pub fn look_up(&self, suspects: &mut Suspects) {
        for own in &mut suspects.faults {
            self.look_up(own);
        }
        for suspect in &mut suspects.places {
            let (failing, passing_count) = self.tests_of(suspect.unit);
            let name = |&test| self.spectrum.test(test).name.clone();
            suspect.failing = failing.iter().take(NAMED_TESTS).map(name).collect();
            suspect.failing_count = failing.len();
            suspect.passing_count = passing_count;
            let Some(source) = self.source(self.file(suspect.unit)) else {
                continue;
            };
            let text = |(line, _)| source.line(line).unwrap_or_default().to_owned();
            suspect.text = suspect.hottest.map(text);
            suspect.path = Some(source.path.clone());
        }
    }

    /// [`Self::look_up`] for code scanning: paths start at the top of the repository.
    pub fn look_up_for_scanning(&self, suspects: &mut Suspects) -> Vec<RankNote> {
        self.look_up(suspects);
        let mut notes: Vec<RankNote> = self.all_doubts().into_iter().map(RankNote::Words).collect();
        let of = suspects.places.len();
        let mut missing = 0;
        for place in &mut suspects.places {
            // A file that is not at hand may still be named by its path; a class is no path.
            let named = || relative_path(&place.file).filter(|path| path.contains('/'));
            let path = place.path.take().or_else(named);
            place.path = path.map(|path| self.path_in_repository(&path));
            missing += usize::from(place.path.is_none());
        }
        if missing > 0 {
            notes.push(RankNote::FilesMissing { missing, of });
        }
        notes
    }

    /// A path below the project's root, from the top of the repository.
    pub fn path_in_repository(&self, path: &str) -> String {
        let prefix = (self.sources()).map_or_else(String::new, Sources::prefix_in_repository);
        prefix + path
    }

    /// That sources of the first suspects were not found, if any was looked for in vain.
    pub fn missing(&self, suspects: &Suspects) -> Option<RankNote> {
        let first = suspects.places.iter().take(SHOWN_SUSPECTS);
        let missing = first.filter(|place| place.path.is_none()).count();
        let of = suspects.places.len().min(SHOWN_SUSPECTS);
        (missing > 0 && self.sources().is_some())
            .then_some(RankNote::SourcesMissing { missing, of })
    }

    /// The hottest lines of a suspect, if its source is found; `most` says how many of all its
    /// lines.
    pub fn excerpt(&self, suspect: &Suspect, most: impl FnOnce(u32) -> u32) -> Option<Excerpt> {
        let file = self.file(suspect.unit);
        let (source, span) = (self.source(file)?, suspect.span()?);
        let heats = self.heat(file);
        let whole = extent(span, &source, &heats);
        let most = most(whole.clone().count() as u32);
        let shown = hottest_stretch(whole.clone(), most, |line| self.share(&heats, line));
        let texts = source.lines.iter().map(String::as_str);
        let texts = texts.take(*shown.end() as usize);
        let mut syntax = highlight(&source.path, texts);
        let line = |number: u32| SourceLine {
            number,
            syntax: std::mem::take(&mut syntax[number as usize - 1]),
            text: source.line(number).unwrap_or_default().to_owned(),
            mark: heats.get(&number).map(Heat::mark),
            headings: Vec::new(),
        };
        (!shown.is_empty()).then(|| Excerpt {
            path: source.path.clone(),
            more_above: shown.start() > whole.start(),
            more_below: shown.end() < whole.end(),
            lines: shown.map(line).collect(),
        })
    }

    /// The files of the first suspects, in their order, with at most so many lines of each suspect.
    pub fn listings(&self, suspects: &Suspects, most: u32) -> Vec<SourceListing> {
        let mut order: Vec<u32> = Vec::new();
        // By file and line; where suspects share a line, all of them are named above it.
        let mut shown: BTreeMap<u32, BTreeMap<u32, SourceLine>> = BTreeMap::new();
        let mut room = MOST_LINES;
        for suspect in suspects.places.iter().take(SHOWN_SUSPECTS) {
            if room == 0 {
                break;
            }
            let Some(excerpt) = self.excerpt(suspect, |_| most.min(room)) else {
                continue;
            };
            let file = self.file(suspect.unit);
            if !order.contains(&file) {
                order.push(file);
            }
            room = room.saturating_sub(excerpt.lines.len() as u32);
            let first = excerpt.lines[0].number;
            let lines = shown.entry(file).or_default();
            for line in excerpt.lines {
                lines.entry(line.number).or_insert(line);
            }
            let (rank, name) = (quantity(suspect.rank), printable_name(&suspect.name));
            let title = format!("Place {rank}: {name}, score {:.3}", suspect.score);
            let first = lines.get_mut(&first).expect("it was just put in");
            first.headings.push(title);
        }
        let listing = |(number, file): (usize, &u32)| {
            let source = self.source(*file)?;
            let lines: Vec<SourceLine> = shown.remove(file)?.into_values().collect();
            let stretches = lines.chunk_by(|line, next| line.number + 1 == next.number);
            let stretch = |lines: &[SourceLine]| Stretch {
                lines: lines.to_vec(),
            };
            Some(SourceListing {
                id: format!("file-{}", number + 1),
                path: source.path.clone(),
                notes: self.doubts(&source, *file),
                stretches: stretches.map(stretch).collect(),
            })
        };
        order.iter().enumerate().filter_map(listing).collect()
    }

    /// The heat of a line for choosing what to show: 0 to 1, 0 if it is no suspect.
    fn share(&self, heats: &BTreeMap<u32, Heat>, line: u32) -> f64 {
        match heats.get(&line) {
            Some(heat) if heat.step > 0 => self.scale.share(heat.score),
            _ => 0.0,
        }
    }
}

/// Lines to show of a unit: its measured lines with the head of the function and a closing bracket.
fn extent(span: (u32, u32), source: &Source, heats: &BTreeMap<u32, Heat>) -> RangeInclusive<u32> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_have_no_say_in_the_margin() {
        let lines = ["    a", "", "      b"].map(str::to_owned);
        assert_eq!(common_margin(&lines), 4);
    }
}

//! The ranking for a person at a terminal: a table, then the hottest lines of the first suspects.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;

use anstyle::{Ansi256Color, AnsiColor, Color, RgbColor, Style};
use fdc::report::findings::extent;
use fdc::{Heat, Ranked};
use fdc_core::Named as _;
use fdc_core::ranking::Place;
use fdc_core::{Level, TiePolicy};
use fdc_draw::source::{MARKS, STEPS, hottest_stretch};
use fdc_draw::text::{cut, untabbed, width};
use fdc_source::Source;

use crate::output::{Columns, printable, printable_name, rank_text};

/// Suspects whose source is shown, and lines of each unless told.
const SHOWN_SUSPECTS: usize = 3;
const SHOWN_LINES: u32 = 12;
/// So many more are shown rather than cut off.
const SPARED: u32 = 2;
/// Columns where there is no terminal to ask.
const WIDTH: usize = 100;

/// What is asked for.
pub struct Wishes {
    /// Source lines of each suspect.
    pub lines: Option<u32>,
    /// Whether sources were asked for, so that missing ones are worth a note.
    pub sources: bool,
}

/// What to print; notes on the sources are added.
pub fn text(ranked: &Ranked, wishes: Wishes, notes: &mut Vec<String>) -> String {
    let mut paper = Paper {
        ranked,
        wishes,
        width: terminal_width(),
        shades: Shades::of_terminal(),
        sources: BTreeMap::new(),
    };
    let mut text = paper.heading();
    text.push_str(&paper.table());
    let shown = ranked.ranking.places.len();
    if shown < ranked.units {
        let level = ranked.level.name();
        let _ = writeln!(
            text,
            "\n{shown} of {} {level}s; more with -n.",
            ranked.units
        );
    }
    if ranked.level != Level::Line {
        for place in ranked.ranking.places.iter().take(SHOWN_SUSPECTS) {
            paper.excerpt(&mut text, place);
        }
    }
    paper.note_sources(notes);
    text
}

struct Paper<'r, 'a> {
    ranked: &'r Ranked<'a>,
    wishes: Wishes,
    width: usize,
    shades: Shades,
    /// Files that were looked for.
    sources: BTreeMap<u32, Option<Source>>,
}

impl Paper<'_, '_> {
    fn heading(&self) -> String {
        let Ranked {
            spectrum,
            options,
            counted,
            ..
        } = self.ranked;
        let present = spectrum.methods_with_elements();
        format!(
            "{}{} failing and {} passing tests; {} methods, {} lines. {}; ties take {}.\n\n",
            match &spectrum.bug {
                Some(bug) => format!("{} {}: ", printable_name(&bug.subject), bug.version),
                None => String::new(),
            },
            counted.tally.failed(),
            counted.tally.passed(),
            present.iter().filter(|&&present| present).count(),
            spectrum.program.elements.len(),
            options.formula.name,
            tie_words(options.tie),
        )
    }

    fn table(&mut self) -> String {
        let ranked = self.ranked;
        let level = ranked.level.name();
        let places = &ranked.ranking.places;
        let mut last: Vec<String> = match ranked.level {
            Level::Method => places.iter().map(|place| self.lines_of(place)).collect(),
            Level::Line => places.iter().map(|place| self.text_of(place)).collect(),
            Level::File => vec![String::new(); places.len()],
        };
        let heading = match ranked.level {
            Level::Method if ranked.has_lines() => "lines",
            Level::Line if last.iter().any(|text| !text.is_empty()) => "source",
            _ => "",
        };
        let name = |place: &Place| printable_name(&ranked.unit_name(place));
        if heading == "source" {
            let names = places.iter().map(|place| width(&name(place))).max();
            let room = self.width.saturating_sub(names.unwrap_or(0) + 15).max(20);
            last.iter_mut().for_each(|text| *text = cut(text, room));
        }
        let mut columns = Columns::new(&[">rank", ">score", level, heading]);
        for (place, last) in places.iter().zip(last) {
            columns.line([
                rank_text(place.rank),
                format!("{:.3}", place.score),
                name(place),
                last,
            ]);
        }
        let bold = Style::new().bold();
        let top = ranked.ranking.tied_at_top();
        let mut text = String::new();
        for (index, line) in columns.text().lines().enumerate() {
            let style = if (1..=top).contains(&index) {
                bold
            } else {
                Style::new()
            };
            let _ = writeln!(text, "{style}{line}{style:#}");
        }
        text
    }

    /// The measured lines of a method, as one span.
    fn lines_of(&self, place: &Place) -> String {
        match self.ranked.span(place.unit) {
            Some((first, last)) if first < last => format!("{first}-{last}"),
            Some((only, _)) => only.to_string(),
            None => String::new(),
        }
    }

    /// The source text of a line.
    fn text_of(&mut self, place: &Place) -> String {
        let Some((line, _)) = self.ranked.span(place.unit) else {
            return String::new();
        };
        let source = self.source(self.ranked.file(place));
        let text = source.and_then(|source| source.line(line));
        text.map_or_else(String::new, |text| {
            printable(&untabbed(text.trim())).into_owned()
        })
    }

    /// The hottest lines of a suspect, if its source is found.
    fn excerpt(&mut self, out: &mut String, place: &Place) {
        let ranked = self.ranked;
        let file = ranked.file(place);
        let (width, shades, asked) = (self.width, self.shades, self.wishes.lines);
        let (Some(source), Some(span)) = (self.source(file), ranked.span(place.unit)) else {
            return;
        };
        let heats = ranked.heat(file);
        let whole = extent(span, source, &heats);
        let most = asked.unwrap_or_else(|| {
            let all = whole.clone().count() as u32;
            if all <= SHOWN_LINES + SPARED {
                all
            } else {
                SHOWN_LINES
            }
        });
        let shown = hottest_stretch(whole.clone(), most, |line| ranked.share(&heats, line));
        if shown.is_empty() {
            return;
        }
        let bold = Style::new().bold();
        let dim = Style::new().dimmed();
        let name = printable_name(&ranked.unit_name(place));
        let path = printable_name(&source.path);
        let path = if name.contains(&path) {
            String::new()
        } else {
            format!("  {path}")
        };
        let _ = writeln!(out, "\n{bold}{name}{bold:#}{dim}{path}{dim:#}");
        let texts: Vec<String> = shown
            .clone()
            .map(|line| untabbed(source.line(line).unwrap_or_default().trim_end()))
            .collect();
        let margin = common_margin(&texts);
        let scores: Vec<String> = shown
            .clone()
            .map(|line| {
                heats
                    .get(&line)
                    .map_or(String::new(), |heat| format!("{:.3}", heat.score))
            })
            .collect();
        let numbers = shown.end().to_string().len().max(4);
        let score_width = scores.iter().map(String::len).max().unwrap_or(0);
        let room = width.saturating_sub(numbers + score_width + 7).max(20);
        let cut_off = |out: &mut String, is: bool| {
            if is {
                let _ = writeln!(out, "{dim}{:>numbers$}{dim:#}", "⋮");
            }
        };
        cut_off(out, shown.start() > whole.start());
        for ((line, text), score) in shown.clone().zip(&texts).zip(&scores) {
            let text = cut(&printable(text.get(margin..).unwrap_or("")), room);
            let heat = heats.get(&line);
            let (mark, hot) = shades.mark(heat);
            let plain = match heat {
                Some(heat) if heat.step == STEPS => bold,
                Some(_) => Style::new(),
                None => dim,
            };
            let row = format!(
                "{dim}{line:>numbers$}{dim:#}  {hot}{score:>score_width$} {mark}{hot:#} {dim}│{dim:#} {plain}{text}{plain:#}"
            );
            let _ = writeln!(out, "{}", row.trim_end());
        }
        cut_off(out, shown.end() < whole.end());
    }

    fn source(&mut self, file: u32) -> Option<&Source> {
        let read = || self.ranked.source(file);
        self.sources.entry(file).or_insert_with(read).as_ref()
    }

    fn note_sources(&self, notes: &mut Vec<String>) {
        for (&file, source) in &self.sources {
            notes.extend(
                source
                    .iter()
                    .flat_map(|source| self.ranked.doubts(source, file)),
            );
        }
        let Some(sources) = self.ranked.sources() else {
            return;
        };
        let missing = self
            .sources
            .values()
            .filter(|source| source.is_none())
            .count();
        // Nobody asked for sources where there is no terminal and no --source.
        let asked = self.wishes.sources || std::io::stdout().is_terminal();
        if missing > 0 && asked {
            notes.push(format!(
                "the source of {missing} of {} files was not found below {}; --source names the project's root",
                self.sources.len(),
                sources.root().display()
            ));
        }
    }
}

/// Colours of heat, as many as the terminal has.
#[derive(Clone, Copy)]
enum Shades {
    True,
    Indexed,
    Basic,
}

impl Shades {
    /// Whether there are colours at all is decided when the text is printed.
    fn of_terminal() -> Self {
        let variable = |name| std::env::var(name).unwrap_or_default();
        if ["truecolor", "24bit"].contains(&&*variable("COLORTERM")) {
            Shades::True
        } else if variable("TERM").contains("256") {
            Shades::Indexed
        } else {
            Shades::Basic
        }
    }

    /// The sign of a line's heat and its style.
    fn mark(self, heat: Option<&Heat>) -> (char, Style) {
        let Some(heat) = heat else {
            return (' ', Style::new());
        };
        let mark = MARKS[heat.step.min(STEPS)];
        let Some(shade) = heat.step.checked_sub(1) else {
            return (mark, Style::new().dimmed());
        };
        let shade = shade.min(STEPS - 1);
        let colour = match self {
            Shades::True => {
                let (r, g, b) = [
                    (0x9a, 0x9a, 0x70),
                    (0xb8, 0x96, 0x3c),
                    (0xcc, 0x86, 0x28),
                    (0xdb, 0x6c, 0x20),
                    (0xdf, 0x4e, 0x20),
                    (0xdc, 0x2a, 0x24),
                ][shade];
                Color::Rgb(RgbColor(r, g, b))
            }
            Shades::Indexed => Color::Ansi256(Ansi256Color([101, 136, 172, 166, 202, 160][shade])),
            Shades::Basic if shade < STEPS / 2 => Color::Ansi(AnsiColor::Yellow),
            Shades::Basic => Color::Ansi(AnsiColor::Red),
        };
        (mark, Style::new().fg_color(Some(colour)))
    }
}

fn terminal_width() -> usize {
    let terminal = std::io::stdout()
        .is_terminal()
        .then(terminal_size::terminal_size);
    terminal
        .flatten()
        .map_or(WIDTH, |(columns, _)| usize::from(columns.0))
}

/// Spaces that all lines begin with, blank lines aside.
fn common_margin(lines: &[String]) -> usize {
    let filled = lines.iter().filter(|line| !line.is_empty());
    let margins = filled.map(|line| line.len() - line.trim_start_matches(' ').len());
    margins.min().unwrap_or(0)
}

fn tie_words(tie: TiePolicy) -> &'static str {
    match tie {
        TiePolicy::Max => "their worst place",
        TiePolicy::Min => "their best place",
        TiePolicy::Average => "their mean place",
        TiePolicy::Expected => "the place where their first fault is expected",
    }
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

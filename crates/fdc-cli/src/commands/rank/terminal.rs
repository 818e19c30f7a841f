//! The ranking for a person at a terminal: a table, then the hottest lines of the first suspects.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use anstyle::{Ansi256Color, AnsiColor, Color, RgbColor, Style};
use fdc::Suspect;
use fdc::rank::{Excerpt, RankReply};
use fdc_core::{Level, Named as _, TiePolicy};
use fdc_draw::source::{LineMark, MARKS, STEPS, SourceLine};
use fdc_draw::text::{cut, untabbed, width};

use crate::output::{Columns, printable, printable_name, rank_text};

/// Suspects whose source is shown, and lines of each by default.
const SHOWN_SUSPECTS: usize = 3;
const SHOWN_LINES: u32 = 12;
/// So many more are shown rather than cut off.
const SPARED: u32 = 2;
/// Columns where there is no terminal to ask.
const WIDTH: usize = 100;

/// What to print, with so many source lines of each suspect.
pub fn text(reply: &RankReply, lines: Option<u32>) -> String {
    let columns = terminal_width();
    let suspects = &reply.suspects;
    let mut text = heading(reply);
    text.push_str(&table(reply, columns));
    let shown = suspects.places.len();
    if shown < suspects.ranked {
        let level = suspects.level.name();
        let _ = writeln!(
            text,
            "\n{shown} of {} {level}s; more with -n.",
            suspects.ranked
        );
    }
    if let Some(words) = suspects.in_first_five() {
        let _ = writeln!(
            text,
            "{}{words}",
            if shown < suspects.ranked { "" } else { "\n" }
        );
    }
    if suspects.level == Level::Line {
        return text;
    }
    let most = |all: u32| match lines {
        Some(lines) => lines,
        None if all <= SHOWN_LINES + SPARED => all,
        None => SHOWN_LINES,
    };
    for suspect in suspects.places.iter().take(SHOWN_SUSPECTS) {
        if let Some(shown) = reply.ranked.excerpt(suspect, most) {
            excerpt(&mut text, suspect, &shown, columns);
        }
    }
    text
}

/// What to know of the sources that were shown; that some are missing, if they were asked for.
pub fn source_notes(reply: &RankReply, asked: bool) -> Vec<String> {
    let mut notes = reply.ranked.all_doubts();
    let (files, missing) = reply.ranked.looked_for();
    // Nobody asked for sources where there is no terminal and no --source.
    let asked = asked || std::io::stdout().is_terminal();
    if let Some(sources) = reply.ranked.sources().filter(|_| missing > 0 && asked) {
        notes.push(format!(
            "the source of {missing} of {files} files was not found below {}; --source names the project's root",
            sources.root().display()
        ));
    }
    notes
}

fn heading(reply: &RankReply) -> String {
    let ranked = &reply.ranked;
    let (methods, lines) = ranked.program_size();
    format!(
        "{}{} failing and {} passing tests; {methods} methods, {lines} lines. {}; ties take {}.\n\n",
        match &ranked.spectrum.bug {
            Some(bug) => format!("{} {}: ", printable_name(&bug.subject), bug.version),
            None => String::new(),
        },
        reply.suspects.failed,
        reply.suspects.passed,
        reply.suspects.formula,
        tie_words(ranked.scoring.tie()),
    )
}

fn table(reply: &RankReply, room: usize) -> String {
    let suspects = &reply.suspects;
    let places = &suspects.places;
    let mut last: Vec<String> = match suspects.level {
        Level::Method => places.iter().map(lines_of).collect(),
        Level::Line => places.iter().map(|place| text_of(reply, place)).collect(),
        Level::File => vec![String::new(); places.len()],
    };
    let heading = match suspects.level {
        Level::Method if reply.ranked.has_lines() => "lines",
        Level::Line if last.iter().any(|text| !text.is_empty()) => "source",
        _ => "",
    };
    if heading == "source" {
        let names = places
            .iter()
            .map(|place| width(&printable_name(&place.name)));
        let room = room.saturating_sub(names.max().unwrap_or(0) + 15).max(20);
        last.iter_mut().for_each(|text| *text = cut(text, room));
    }
    let learned = places.iter().any(|place| place.probability.is_some());
    let score = if learned { ">share" } else { ">score" };
    let mut columns = Columns::new(&[">rank", score, suspects.level.name(), heading]);
    for (place, last) in places.iter().zip(last) {
        columns.line([
            rank_text(place.rank),
            place.score_text(),
            printable_name(&place.name),
            last,
        ]);
    }
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let top = reply.ranked.tied_at_top();
    let drawn = columns.text();
    // Reasons stand below the names.
    let margin = drawn.find(suspects.level.name()).unwrap_or(0);
    let mut text = String::new();
    for (index, line) in drawn.lines().enumerate() {
        let style = if (1..=top).contains(&index) {
            bold
        } else {
            Style::new()
        };
        let _ = writeln!(text, "{style}{line}{style:#}");
        let place = index.checked_sub(1).filter(|&place| place < SHOWN_SUSPECTS);
        if let Some(place) = place.and_then(|place| places.get(place)) {
            for reason in &place.reasons {
                let _ = writeln!(text, "{:margin$}{dim}{reason}{dim:#}", "");
            }
        }
    }
    text
}

/// The measured lines of a method, as one span.
fn lines_of(place: &Suspect) -> String {
    match place.span() {
        Some((first, last)) if first < last => format!("{first}-{last}"),
        Some((only, _)) => only.to_string(),
        None => String::new(),
    }
}

/// The source text of a line.
fn text_of(reply: &RankReply, place: &Suspect) -> String {
    let Some(&line) = place.lines.first() else {
        return String::new();
    };
    let source = reply.ranked.source(reply.ranked.file(place.unit));
    let text = source.as_ref().and_then(|source| source.line(line));
    text.map_or_else(String::new, |text| {
        printable(&untabbed(text.trim())).into_owned()
    })
}

/// The hottest lines of a suspect.
fn excerpt(out: &mut String, suspect: &Suspect, excerpt: &Excerpt, columns: usize) {
    let bold = Style::new().bold();
    let dim = Style::new().dimmed();
    let name = printable_name(&suspect.name);
    let path = printable_name(&excerpt.path);
    let path = if name.contains(&path) {
        String::new()
    } else {
        format!("  {path}")
    };
    let _ = writeln!(out, "\n{bold}{name}{bold:#}{dim}{path}{dim:#}");
    let text = |line: &SourceLine| untabbed(line.text.trim_end());
    let texts: Vec<String> = excerpt.lines.iter().map(text).collect();
    let margin = common_margin(&texts);
    let score = |line: &SourceLine| {
        let mark = line.mark.as_ref();
        mark.map_or(String::new(), |mark| format!("{:.3}", mark.score))
    };
    let scores: Vec<String> = excerpt.lines.iter().map(score).collect();
    let last = excerpt.lines.last().map_or(0, |line| line.number);
    let numbers = last.to_string().len().max(4);
    let score_width = scores.iter().map(String::len).max().unwrap_or(0);
    let room = columns.saturating_sub(numbers + score_width + 7).max(20);
    let shades = Shades::of_terminal();
    let cut_off = format!("{dim}{:>numbers$}{dim:#}\n", "⋮");
    if excerpt.more_above {
        out.push_str(&cut_off);
    }
    for ((line, text), score) in excerpt.lines.iter().zip(&texts).zip(&scores) {
        let text = cut(&printable(text.get(margin..).unwrap_or("")), room);
        let number = line.number;
        let (mark, hot) = shades.mark(line.mark.as_ref());
        let plain = match &line.mark {
            Some(mark) if mark.step == STEPS => bold,
            Some(_) => Style::new(),
            None => dim,
        };
        let row = format!(
            "{dim}{number:>numbers$}{dim:#}  {hot}{score:>score_width$} {mark}{hot:#} {dim}│{dim:#} {plain}{text}{plain:#}"
        );
        let _ = writeln!(out, "{}", row.trim_end());
    }
    if excerpt.more_below {
        out.push_str(&cut_off);
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
    fn mark(self, heat: Option<&LineMark>) -> (char, Style) {
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

//! The ranking for a person at a terminal: a table, then the hottest lines of the first suspects.

use std::io::IsTerminal as _;
use std::slice;

use anstyle::{Ansi256Color, AnsiColor, Color, RgbColor, Style};
use fdc::Suspect;
use fdc::failed_test::summary;
use fdc::rank::{Excerpt, RankReply, Ranked, Suspects};
use fdc_core::{Level, Named as _, TiePolicy};
use fdc_draw::source::{LineMark, MARKS, STEPS, SourceLine};
use fdc_draw::text::{cut, untabbed, width};

use crate::output::{Columns, printable, rank_text, shown_name};

/// Suspects whose source is shown, and lines of each by default.
const SHOWN_SUSPECTS: usize = 3;
/// Failing tests of which it is said how they failed.
const SHOWN_FAILURES: usize = 3;
const SHOWN_LINES: u32 = 12;
/// So many more are shown rather than cut off.
const SPARED: u32 = 2;
/// Columns where there is no terminal to ask.
const WIDTH: usize = 100;

/// What to print, with so many source lines of each suspect.
pub(crate) fn text(reply: &RankReply, lines: Option<u32>) -> String {
    let columns = terminal_width();
    let suspects = &reply.suspects;
    let mut text = heading(reply);
    text += &failures(reply, columns);
    // Of several faults each has its first suspects shown.
    let (tables, excerpts) = match suspects.faults.len() {
        0 => (slice::from_ref(suspects), SHOWN_SUSPECTS),
        _ => (&*suspects.faults, 1),
    };
    for (number, own) in (1..).zip(tables) {
        if tables.len() > 1 {
            let (bold, gap) = (Style::new().bold(), if number > 1 { "\n" } else { "" });
            let words = own.of_fault(number, tables.len());
            text += &format!("{gap}{bold}{words}{bold:#}\n\n");
        }
        text += &table(own, &reply.ranked, columns);
        let (shown, ranked) = (own.places.len(), own.ranked);
        if shown < ranked {
            let level = own.level.name();
            text += &format!("\n{shown} of {ranked} {level}s; more with -n.\n");
        }
        if let Some(words) = own.in_first_five() {
            let gap = if shown < ranked { "" } else { "\n" };
            text += &format!("{gap}{words}\n");
        }
    }
    if suspects.level == Level::Line {
        return text;
    }
    let most = |all: u32| match lines {
        Some(lines) => lines,
        None if all <= SHOWN_LINES + SPARED => all,
        None => SHOWN_LINES,
    };
    let first = tables
        .iter()
        .flat_map(|own| own.places.iter().take(excerpts));
    for suspect in first {
        if let Some(shown) = reply.ranked.excerpt(suspect, most) {
            excerpt(&mut text, suspect, &shown, columns);
        }
    }
    text
}

/// What to know of the sources that were shown; that some are missing, if they were asked for.
pub(crate) fn source_notes(reply: &RankReply, asked: bool) -> Vec<String> {
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
    let suspects = &reply.suspects;
    let (failed, passed, formula) = (suspects.failed, suspects.passed, &suspects.formula);
    let (methods, lines) = ranked.program_size();
    let place = tie_words(ranked.scoring.tie());
    let bug = ranked.spectrum.bug.as_ref();
    let bug = bug.map(|bug| format!("{} {}: ", shown_name(&bug.subject), bug.version));
    format!(
        "{}{failed} failing and {passed} passing tests; {methods} methods, {lines} lines. {formula}; ties take {place}.\n\n",
        bug.unwrap_or_default()
    )
}

/// How the first failing tests failed, a line each.
fn failures(reply: &RankReply, columns: usize) -> String {
    let failed = AnsiColor::Red.on_default();
    let lines = summary(&reply.suspects.failures, SHOWN_FAILURES);
    let lines: String = lines
        .iter()
        .map(|line| format!("{failed}{}{failed:#}\n", cut(line, columns)))
        .collect();
    match lines.is_empty() {
        true => lines,
        false => lines + "\n",
    }
}

fn table(suspects: &Suspects, ranked: &Ranked<'_>, room: usize) -> String {
    let places = &suspects.places;
    let mut last: Vec<String> = match suspects.level {
        Level::Method => places.iter().map(lines_of).collect(),
        Level::Line => places.iter().map(|place| text_of(ranked, place)).collect(),
        Level::File => vec![String::new(); places.len()],
    };
    let heading = match suspects.level {
        Level::Method if ranked.has_lines() => "lines",
        Level::Line if last.iter().any(|text| !text.is_empty()) => "source",
        _ => "",
    };
    if heading == "source" {
        let names = places.iter().map(|place| shown_name(&place.name));
        let names = names.map(|name| width(&name));
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
            shown_name(&place.name),
            last,
        ]);
    }
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let highest = places.first().map(|place| place.score);
    let top = places
        .iter()
        .take_while(|place| Some(place.score) == highest)
        .count();
    let drawn = columns.text();
    // Reasons stand below the names.
    let margin = drawn.find(suspects.level.name()).unwrap_or(0);
    let mut text = String::new();
    for (index, line) in drawn.lines().enumerate() {
        let first = (1..=top).contains(&index);
        let style = if first { bold } else { Style::new() };
        text += &format!("{style}{line}{style:#}\n");
        let explained = (1..=SHOWN_SUSPECTS).contains(&index);
        let place = explained.then(|| places.get(index - 1)).flatten();
        for reason in place.iter().flat_map(|place| &place.reasons) {
            text += &format!("{:margin$}{dim}{reason}{dim:#}\n", "");
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

fn text_of(ranked: &Ranked<'_>, place: &Suspect) -> String {
    let Some(&line) = place.lines.first() else {
        return String::new();
    };
    let source = ranked.source(ranked.file(place.unit));
    let text = source.as_ref().and_then(|source| source.line(line));
    printable(&untabbed(text.unwrap_or_default().trim())).into_owned()
}

/// The hottest lines of a suspect.
fn excerpt(out: &mut String, suspect: &Suspect, excerpt: &Excerpt, columns: usize) {
    let bold = Style::new().bold();
    let dim = Style::new().dimmed();
    let name = shown_name(&suspect.name);
    let path = shown_name(&excerpt.path);
    let path = match name.contains(&path) {
        true => String::new(),
        false => format!("  {path}"),
    };
    *out += &format!("\n{bold}{name}{bold:#}{dim}{path}{dim:#}\n");
    let texts = excerpt.texts();
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
        *out += &cut_off;
    }
    for ((line, text), score) in excerpt.lines.iter().zip(&texts).zip(&scores) {
        let text = cut(&printable(text), room);
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
        *out += &format!("{}\n", row.trim_end());
    }
    if excerpt.more_below {
        *out += &cut_off;
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
                let shades = [0x9a9a70, 0xb8963c, 0xcc8628, 0xdb6c20, 0xdf4e20, 0xdc2a24];
                let [_, red, green, blue] = u32::to_be_bytes(shades[shade]);
                Color::Rgb(RgbColor(red, green, blue))
            }
            Shades::Indexed => Color::Ansi256(Ansi256Color([101, 136, 172, 166, 202, 160][shade])),
            Shades::Basic if shade < STEPS / 2 => Color::Ansi(AnsiColor::Yellow),
            Shades::Basic => Color::Ansi(AnsiColor::Red),
        };
        (mark, Style::new().fg_color(Some(colour)))
    }
}

fn terminal_width() -> usize {
    let is_terminal = std::io::stdout().is_terminal();
    let size = terminal_size::terminal_size().filter(|_| is_terminal);
    size.map_or(WIDTH, |(columns, _)| usize::from(columns.0))
}

fn tie_words(tie: TiePolicy) -> &'static str {
    match tie {
        TiePolicy::Max => "their worst place",
        TiePolicy::Min => "their best place",
        TiePolicy::Average => "their mean place",
        TiePolicy::Expected => "the place where their first fault is expected",
    }
}

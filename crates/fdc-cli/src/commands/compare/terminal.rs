//! A comparison for people at a terminal.

use fdc_draw::{Best, Column, ColumnKind, Table};
use fdc_study::comparison::changes::{Change, Changes, Direction};
use fdc_study::comparison::report::{facts, left_out_sentence, terms};
use fdc_study::comparison::tables::{self, CurveMeasure};

use super::View;
use crate::output::{Columns, printable, shown_name};

/// Columns of running text.
const WIDTH: usize = 100;
/// Bugs shown from either end of a list of changes.
const CHANGES_SHOWN: usize = 15;

impl View<'_> {
    /// The whole output; `brief` leaves out what the words mean.
    pub(super) fn text(&self, brief: bool) -> String {
        let comparison = &self.reply.comparison;
        let mut text = wrapped(&facts(comparison));
        if let Some(sentence) = left_out_sentence(comparison) {
            text += &wrapped(&sentence);
        }
        if let Some(changes) = &self.reply.changes {
            return text + "\n" + &changes_text(changes);
        }
        text += &wrapped(&self.reply.significance.verdict(comparison));
        text = text + "\n" + &self.overview() + &self.statistics();
        if !brief {
            text.push('\n');
            text += &heading("What the words mean");
            for (term, meaning) in terms(comparison) {
                text += &hanging(term, meaning);
            }
            text += "\nEvery number: --format csv. Plots: --plots FOLDER. All on one page: \
                     --report FILE.html.\n";
        }
        text
    }

    fn overview(&self) -> String {
        let comparison = &self.reply.comparison;
        let mut text = table_text(&tables::summary(comparison, self.digits));
        if self.arguments.by_project {
            for (project, bugs) in comparison.projects() {
                let part = comparison.of_project(project);
                let mut table = tables::summary(&part, self.digits);
                let after = part.compared_after_text();
                table.caption = format!("{project}: after {after}, {bugs} bugs");
                text += &table_text(&table);
            }
            text += &table_text(&tables::projects(comparison));
        }
        // Twelve columns and more: narrow, so that they fit a usual terminal.
        let digits = self.digits.narrow();
        text + &table_text(&tables::curve(comparison, CurveMeasure::Map, digits))
    }

    fn statistics(&self) -> String {
        let significance = &self.reply.significance;
        let text = heading("Is the difference more than chance?");
        let Ok(advice) = &significance.advice else {
            return text + &wrapped(&significance.why_not().unwrap_or_default());
        };
        let measures = [significance.measure];
        let contrasts = tables::contrasts(&self.reply.comparison, significance, &measures);
        text + &wrapped(&advice.why)
            + "\n"
            + &table_text(&contrasts)
            + &heading("The paragraph for an article")
            + &wrapped(&advice.paragraph)
    }
}

fn changes_text(changes: &Changes) -> String {
    let mut text = wrapped(&changes.sentence());
    text.push('\n');
    let differs = |change: &&Change| change.direction() != Direction::Equal;
    let changed: Vec<&Change> = changes.bugs.iter().filter(differs).collect();
    let hidden = changed.len().saturating_sub(2 * CHANGES_SHOWN);
    let shown = |change: &Change| {
        let place = changed.iter().position(|&other| other.bug == change.bug);
        let hides = CHANGES_SHOWN..CHANGES_SHOWN + hidden;
        place.is_some_and(|place| !hides.contains(&place))
    };
    text += &table_text(&changes.table(shown));
    if hidden > 0 {
        text += &format!("{hidden} more in between; all bugs: --format csv.\n");
    }
    text
}

/// A table with its caption; the best values carry a star.
fn table_text(table: &Table) -> String {
    let heading_of = |column: &Column| {
        let name = shown_name(&column.name);
        // Room for the star, so that digits stand below each other.
        let room = if column.best.is_some() { " " } else { "" };
        match column.kind {
            ColumnKind::Number => format!(">{name}{room}"),
            ColumnKind::Text => name,
        }
    };
    let headings: Vec<String> = table.columns.iter().map(heading_of).collect();
    let mut columns = Columns::new(&headings);
    let mut starred = false;
    for (index, row) in table.rows.iter().enumerate() {
        let cells = row.iter().zip(&table.columns).enumerate();
        columns.line(cells.map(|(place, (cell, column))| {
            let text = shown_name(cell.shown());
            match column.best {
                None => text,
                Some(best) if is_best(table, index, place, best) => {
                    starred = true;
                    format!("{text}*")
                }
                Some(_) => format!("{text}\u{a0}"),
            }
        }));
    }
    let star = if starred { " (* best)" } else { "" };
    let body = columns.text().replace('\u{a0}', " ");
    let lines = body.lines();
    let body: String = lines.map(|line| format!("{}\n", line.trim_end())).collect();
    format!("{}{body}\n", heading(&format!("{}{star}", table.caption)))
}

/// Whether a value as shown is the best of its column; nothing is where all are the same.
fn is_best(table: &Table, row: usize, column: usize, best: Best) -> bool {
    let cell = &table.rows[row][column];
    let others = || table.rows.iter().map(|row| &row[column]);
    let Some(value) = cell.value() else {
        return false;
    };
    let beaten = |other: f64| match best {
        Best::Highest => other > value,
        Best::Lowest => other < value,
    };
    others().any(|other| other.shown() != cell.shown())
        && others().all(|other| other.shown() == cell.shown() || !other.value().is_some_and(beaten))
}

fn heading(text: &str) -> String {
    let bold = anstyle::Style::new().bold();
    format!("{bold}{}{bold:#}\n", printable(text))
}

/// A term and its meaning, the meaning indented.
fn hanging(term: &str, meaning: &str) -> String {
    let lines = lines(meaning, WIDTH - 16);
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let term = if index == 0 { term } else { "" };
        text += &format!("  {term:<13} {line}\n");
    }
    text
}

fn wrapped(text: &str) -> String {
    lines(&printable(text), WIDTH).join("\n") + "\n"
}

fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is one");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

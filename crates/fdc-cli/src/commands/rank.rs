//! `fdc rank`: the suspicious methods, lines or files.

use std::fmt::Write as _;

use fdc_core::coverage::TestId;
use fdc_core::ranking::{Place, Ranker, Ranking};
use fdc_core::{Outcome, Spectrum, Tally, Verdict};
use serde::Serialize;

use crate::args::{LevelName, RankArguments, RankFormat, TieName};
use crate::exit::{Exit, Problem};
use crate::input;
use crate::output::{
    Columns, note, printable_name, put, put_data, put_json, rank_json, rank_text, score_json,
};

/// Runs the command.
pub fn run(arguments: &RankArguments, quiet: bool) -> Result<Exit, Problem> {
    let spectrum = input::read(&arguments.input, quiet)?;
    let failing = input::failing_tests(&spectrum, &arguments.failing)?;
    let tally = tally(&spectrum, &failing);
    let ranker = Ranker::new(
        &spectrum,
        arguments.level.level(),
        arguments.scoring.options(),
    );
    let mut ranking = ranker.ranking(&tally, &spectrum.coverage);
    let units = ranking.places.len();
    // The failing tests cover something, so something is suspected.
    let finding = !ranking.places.is_empty();
    let default_top = (arguments.format == RankFormat::Table).then_some(10);
    if let Some(top) = arguments.top.or(default_top) {
        ranking.places.truncate(top);
    }
    let view = View {
        spectrum: &spectrum,
        arguments,
        failing: &failing,
        separate: separate_faults(&spectrum, &failing),
        ranking,
        units,
    };
    let out = arguments.out.as_deref();
    match arguments.format {
        RankFormat::Json => put_json(&view.document(), out)?,
        RankFormat::Csv => put_data(&view.csv(), out)?,
        RankFormat::Gzoltar => put_data(&view.gzoltar(), out)?,
        RankFormat::Table => put(&view.table(&tally), out)?,
    }
    if view.separate.len() > 1 {
        let sets = view.separate.len();
        note(
            quiet,
            &format!(
                "note: the failing tests fall into {sets} sets that share no line, possibly {sets} separate faults; \
             rank each with --failing: {}",
                view.separate
                    .iter()
                    .map(|set| view.test_name(set[0]))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        );
    }
    Ok(if arguments.exit_code && finding {
        Exit::Finding
    } else {
        Exit::Done
    })
}

/// Counts over the given failing tests and all passing ones.
pub fn tally(spectrum: &Spectrum, failing: &[TestId]) -> Tally {
    let fails = Verdict::certain(Outcome::Fail);
    let verdict = |test: TestId| spectrum.test(test).verdict().unwrap_or(fails);
    let judged = failing.iter().copied().chain(spectrum.passing_tests());
    let mut tally = Tally::new(&spectrum.coverage);
    tally.add_all(&spectrum.coverage, judged.map(|test| (test, verdict(test))));
    tally
}

/// Failing tests that cover anything, in sets such that tests of different sets share no element, in order of their
/// first tests.
fn separate_faults(spectrum: &Spectrum, failing: &[TestId]) -> Vec<Vec<TestId>> {
    let coverage = &spectrum.coverage;
    let mut set_of_column = vec![None; coverage.column_count()];
    let mut sets: Vec<Vec<TestId>> = Vec::new();
    let covers = |test: &&TestId| coverage.total(**test) > 0;
    for &test in failing.iter().filter(covers) {
        let mut touched = Vec::new();
        coverage
            .row(test)
            .for_each(|column| touched.extend(set_of_column[column as usize]));
        touched.sort_unstable();
        touched.dedup();
        let target = touched.first().copied().unwrap_or_else(|| {
            sets.push(Vec::new());
            sets.len() - 1
        });
        for &other in touched.iter().skip(1) {
            let moved = std::mem::take(&mut sets[other]);
            sets[target].extend(moved);
        }
        sets[target].push(test);
        for column in &mut set_of_column {
            if column.is_some_and(|set| touched.contains(&set)) {
                *column = Some(target);
            }
        }
        coverage
            .row(test)
            .for_each(|column| set_of_column[column as usize] = Some(target));
    }
    sets.retain(|set| !set.is_empty());
    for set in &mut sets {
        set.sort_unstable();
    }
    sets.sort_unstable();
    sets
}

struct View<'a> {
    spectrum: &'a Spectrum,
    arguments: &'a RankArguments,
    failing: &'a [TestId],
    separate: Vec<Vec<TestId>>,
    ranking: Ranking,
    units: usize,
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    formula: &'static str,
    tie: String,
    aggregate: String,
    failing: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    separate_faults: Vec<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    methods: Option<Vec<Entry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<Entry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<Entry>>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    score: serde_json::Value,
    rank: serde_json::Value,
}

impl View<'_> {
    fn document(&self) -> Document {
        let test_names = |set: &Vec<TestId>| set.iter().map(|&t| self.raw_test_name(t)).collect();
        let entries = |level| -> Option<Vec<Entry>> {
            let places = self.ranking.places.iter();
            (self.arguments.level == level).then(|| places.map(|place| self.entry(place)).collect())
        };
        Document {
            schema: 1,
            formula: self.arguments.scoring.formula.name,
            tie: value_name(self.arguments.scoring.tie),
            aggregate: value_name(self.arguments.scoring.aggregate),
            failing: self
                .failing
                .iter()
                .map(|&t| self.raw_test_name(t))
                .collect(),
            separate_faults: if self.separate.len() > 1 {
                self.separate.iter().map(test_names).collect()
            } else {
                Vec::new()
            },
            methods: entries(LevelName::Method),
            lines: entries(LevelName::Line),
            files: entries(LevelName::File),
        }
    }

    fn entry(&self, place: &Place) -> Entry {
        let program = &self.spectrum.program;
        let unit = place.unit as usize;
        let file_of = |method: usize| program.files[program.methods[method].file as usize].clone();
        let (file, line, method) = match self.arguments.level {
            LevelName::Method => (Some(file_of(unit)), None, None),
            LevelName::File => (None, None, None),
            LevelName::Line => {
                let element = program.elements[unit];
                let method = element.method.index();
                let name = program.methods[method].name.clone();
                (Some(file_of(method)), Some(element.line), Some(name))
            }
        };
        Entry {
            name: self.unit_name(place),
            file,
            line,
            method,
            score: score_json(place.score),
            rank: rank_json(place.rank),
        }
    }

    fn csv(&self) -> String {
        let mut text = String::from("rank,score,name\n");
        for place in &self.ranking.places {
            let name = self.unit_name(place).replace('"', "\"\"");
            let _ = writeln!(text, "{},{},\"{name}\"", place.rank, place.score);
        }
        text
    }

    fn gzoltar(&self) -> String {
        let mut text = String::from("name;suspiciousness_value\n");
        for place in &self.ranking.places {
            // A line a unit: there is no way to quote.
            let name = printable_name(&self.unit_name(place));
            let _ = writeln!(text, "{name};{}", place.score);
        }
        text
    }

    fn table(&self, tally: &Tally) -> String {
        let spectrum = self.spectrum;
        let bold = anstyle::Style::new().bold();
        let level = value_name(self.arguments.level);
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{}{} failing and {} passing tests; {} methods, {} lines. {}; ties take {}.\n",
            match &spectrum.bug {
                Some(bug) => format!("{} {}: ", printable_name(&bug.subject), bug.version),
                None => String::new(),
            },
            tally.failed(),
            tally.passed(),
            spectrum
                .methods_with_elements()
                .iter()
                .filter(|&&present| present)
                .count(),
            spectrum.program.elements.len(),
            self.arguments.scoring.formula.name,
            tie_words(self.arguments.scoring.tie),
        );
        let lines =
            if self.arguments.level == LevelName::Method && spectrum.program.labels.is_empty() {
                "lines"
            } else {
                ""
            };
        let mut columns = Columns::new(&[">rank", ">score", &level, lines]);
        for place in &self.ranking.places {
            columns.line([
                rank_text(place.rank),
                format!("{:.3}", place.score),
                printable_name(&self.unit_name(place)),
                self.lines_of(place),
            ]);
        }
        for (index, line) in columns.text().lines().enumerate() {
            let top = self.ranking.tied_at_top();
            if (1..=top).contains(&index) {
                let _ = writeln!(text, "{bold}{line}{bold:#}");
            } else {
                let _ = writeln!(text, "{line}");
            }
        }
        let shown = self.ranking.places.len();
        if shown < self.units {
            let _ = writeln!(text, "\n{shown} of {} {level}s; more with -n.", self.units);
        }
        text
    }

    /// The measured lines of a method, as one span.
    fn lines_of(&self, place: &Place) -> String {
        let elements = &self.spectrum.program.elements;
        if self.arguments.level != LevelName::Method || !self.spectrum.program.labels.is_empty() {
            return String::new();
        }
        let lines = elements
            .iter()
            .filter(|e| e.method.0 == place.unit)
            .map(|e| e.line);
        match (lines.clone().min(), lines.max()) {
            (Some(first), Some(last)) if first < last => format!("{first}-{last}"),
            (Some(only), _) => only.to_string(),
            _ => String::new(),
        }
    }

    fn unit_name(&self, place: &Place) -> String {
        let program = &self.spectrum.program;
        match self.arguments.level {
            LevelName::Method => program.methods[place.unit as usize].name.clone(),
            LevelName::File => program.files[place.unit as usize].clone(),
            LevelName::Line => match program.labels.get(place.unit as usize) {
                Some(label) => label.clone(),
                None => {
                    let element = program.elements[place.unit as usize];
                    let method = &program.methods[element.method.index()];
                    format!("{}:{}", program.files[method.file as usize], element.line)
                }
            },
        }
    }

    fn test_name(&self, test: TestId) -> String {
        printable_name(&self.spectrum.test(test).name)
    }

    fn raw_test_name(&self, test: TestId) -> String {
        self.spectrum.test(test).name.clone()
    }
}

fn tie_words(tie: TieName) -> &'static str {
    match tie {
        TieName::Max => "their worst place",
        TieName::Min => "their best place",
        TieName::Average => "their mean place",
        TieName::Expected => "the place where their first fault is expected",
    }
}

/// An option's value as it is typed.
pub fn value_name(value: impl clap::ValueEnum) -> String {
    let possible = value.to_possible_value().expect("no value is hidden");
    possible.get_name().to_owned()
}

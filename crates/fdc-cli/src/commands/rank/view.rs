//! What every way to print a ranking needs: names, lines and their heat, sources.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use fdc_core::coverage::TestId;
use fdc_core::ranking::{Place, Ranker, Ranking};
use fdc_core::{Level, Spectrum, Tally};
use fdc_report::source::{Heat, Scale};

use crate::args::{LevelName, RankArguments};
use crate::output::printable_name;
use fdc_source::{Source, Sources};

/// A ranking, and what it was made of.
pub struct View<'a> {
    pub spectrum: &'a Spectrum,
    pub arguments: &'a RankArguments,
    pub failing: Vec<TestId>,
    /// Sets of failing tests that share no line.
    pub separate: Vec<Vec<TestId>>,
    pub tally: Tally,
    /// The first places.
    pub ranking: Ranking,
    /// How many units were ranked.
    pub units: usize,
    pub scale: Scale,
    sources: Option<&'a Sources>,
    /// By element.
    scores: Vec<f64>,
    /// `(unit, line, element)`, ascending.
    elements: Vec<(u32, u32, u32)>,
    /// `(file, line, element)`, ascending; made when a source is shown.
    by_file: OnceCell<Vec<(u32, u32, u32)>>,
}

impl<'a> View<'a> {
    /// Ranks.
    pub fn new(
        spectrum: &'a Spectrum,
        arguments: &'a RankArguments,
        failing: Vec<TestId>,
        separate: Vec<Vec<TestId>>,
        sources: Option<&'a Sources>,
        top: Option<usize>,
    ) -> Self {
        let tally = Tally::of_failing(spectrum, &failing);
        let options = arguments.scoring.options();
        let coverage = &spectrum.coverage;
        let ranker = Ranker::new(spectrum, arguments.level.level(), options);
        let mut ranking = ranker.ranking(&tally, coverage);
        let units = ranking.places.len();
        ranking.places.truncate(top.unwrap_or(usize::MAX));
        // Every element is a unit at the level of lines, so its score stands at its number.
        let scores = Ranker::new(spectrum, Level::Line, options).scores(&tally, coverage);
        let suspected =
            |&element: &usize| tally.covered(coverage.column_of(element) as usize).0 > 0.0;
        let scale = Scale::of((0..scores.len()).filter(suspected).map(|e| scores[e]));
        let elements = sorted(spectrum, arguments.level);
        View {
            spectrum,
            arguments,
            failing,
            separate,
            tally,
            ranking,
            units,
            scale,
            sources,
            scores,
            elements,
            by_file: OnceCell::new(),
        }
    }

    /// Whether elements are source lines, not statements that the input names freely.
    pub fn has_lines(&self) -> bool {
        self.spectrum.program.labels.is_empty()
    }

    /// The lines of a unit with their elements, ascending; empty if there are no source lines.
    pub fn lines(&self, unit: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        let start = self
            .elements
            .partition_point(|&(u, line, _)| (u, line) < (unit, 1));
        let of_unit = self.elements[start..]
            .iter()
            .take_while(move |e| e.0 == unit);
        let lines = of_unit.map(|&(_, line, element)| (line, element as usize));
        lines.filter(|_| self.has_lines())
    }

    /// The first and the last measured line.
    pub fn span(&self, unit: u32) -> Option<(u32, u32)> {
        let first = self.lines(unit).next()?.0;
        Some((first, self.lines(unit).last()?.0))
    }

    /// The first run of lines with the unit's highest score.
    pub fn hottest(&self, unit: u32) -> Option<(u32, u32)> {
        let of = |element: usize| self.scores[element];
        let highest = self
            .lines(unit)
            .map(|(_, e)| of(e))
            .max_by(f64::total_cmp)?;
        let mut hot = self.lines(unit).filter(|&(_, e)| of(e) == highest);
        let first = hot.next()?.0;
        let last = hot.fold(
            first,
            |last, (line, _)| if line <= last + 1 { line } else { last },
        );
        Some((first, last))
    }

    /// The file a unit is in, by its number.
    pub fn file(&self, place: &Place) -> u32 {
        let program = &self.spectrum.program;
        let of_method = |method: usize| program.methods[method].file;
        match self.arguments.level {
            LevelName::Method => of_method(place.unit as usize),
            LevelName::File => place.unit,
            LevelName::Line => of_method(program.elements[place.unit as usize].method.index()),
        }
    }

    /// A file's name, as the input has it.
    pub fn file_name(&self, file: u32) -> &str {
        &self.spectrum.program.files[file as usize]
    }

    /// The name of the method that a unit is or is in.
    pub fn method_name(&self, place: &Place) -> Option<&str> {
        let program = &self.spectrum.program;
        let method = match self.arguments.level {
            LevelName::Method => place.unit as usize,
            LevelName::Line => program.elements[place.unit as usize].method.index(),
            LevelName::File => return None,
        };
        Some(&program.methods[method].name)
    }

    /// The heat of every measured line of a file; where methods share a line, the higher one.
    pub fn heat(&self, file: u32) -> BTreeMap<u32, Heat> {
        let by_file = self
            .by_file
            .get_or_init(|| sorted(self.spectrum, LevelName::File));
        let start = by_file.partition_point(|e| e.0 < file);
        let mut heats: BTreeMap<u32, Heat> = BTreeMap::new();
        for &(_, line, element) in by_file[start..].iter().take_while(|e| e.0 == file) {
            let heat = self.heat_of(element as usize);
            let hottest = heats.entry(line).or_insert(heat);
            if heat.score > hottest.score {
                *hottest = heat;
            }
        }
        heats
    }

    fn heat_of(&self, element: usize) -> Heat {
        let column = self.spectrum.coverage.column_of(element) as usize;
        let (failing, passing) = self.tally.covered(column);
        let score = self.scores[element];
        Heat {
            score,
            step: if failing > 0.0 {
                self.scale.step(score)
            } else {
                0
            },
            failing,
            passing,
        }
    }

    /// The failing and the passing tests that run any line of a unit.
    pub fn tests_of(&self, unit: u32) -> (Vec<TestId>, usize) {
        let coverage = &self.spectrum.coverage;
        let start = self.elements.partition_point(|e| e.0 < unit);
        let of_unit = self.elements[start..].iter().take_while(|e| e.0 == unit);
        let mut columns: Vec<u32> = of_unit.map(|e| coverage.column_of(e.2 as usize)).collect();
        columns.sort_unstable();
        columns.dedup();
        let runs = |&test: &TestId| {
            let row = coverage.row(test);
            columns.iter().any(|&column| row.contains(column))
        };
        let failing = self.failing.iter().copied().filter(runs).collect();
        (failing, self.spectrum.passing_tests().filter(runs).count())
    }

    /// Where sources are looked for.
    pub fn sources(&self) -> Option<&'a Sources> {
        self.sources.filter(|_| self.has_lines())
    }

    /// The source of a file, if it can be found.
    pub fn source(&self, file: u32) -> Option<Source> {
        self.sources()?.read(self.file_name(file))
    }

    /// What a person should know of a source before trusting its lines.
    pub fn doubts(&self, source: &Source, file: u32) -> Vec<String> {
        let mut doubts = Vec::new();
        let name = printable_name(&source.path);
        if source.newer {
            doubts.push(format!(
                "{name} was changed after the case was written: its lines may have moved, measure again"
            ));
        }
        let last = self
            .heat(file)
            .last_key_value()
            .map_or(0, |(&line, _)| line);
        if last as usize > source.lines.len() {
            doubts.push(format!(
                "{name} ends at line {}, but line {last} was measured: it is not the file that was measured",
                source.lines.len()
            ));
        }
        if source.rivals > 0 {
            doubts.push(format!(
                "{name} is shown for {}; other files of that name: {}",
                printable_name(self.file_name(file)),
                source.rivals
            ));
        }
        doubts
    }

    /// What to know beside the ranking, whatever the format.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let sets = self.separate.len();
        if sets > 1 {
            let first = self.separate.iter().map(|set| {
                let name = &self.spectrum.test(set[0]).name;
                printable_name(name)
            });
            notes.push(format!(
                "the failing tests fall into {sets} sets that share no line, possibly {sets} separate faults; \
                 rank each with --failing: {}",
                first.collect::<Vec<_>>().join(", ")
            ));
        }
        match self.flaky_left_out() {
            0 => {}
            1 => notes.push("1 flaky test is left out; --include-flaky counts it".to_owned()),
            n => notes.push(format!(
                "{n} flaky tests are left out; --include-flaky counts them"
            )),
        }
        notes
    }

    /// Judged tests that are not counted because they are flaky.
    pub fn flaky_left_out(&self) -> usize {
        let tests = self.spectrum.coverage.tests();
        let left_out = tests.filter(|id| {
            let test = self.spectrum.test(*id);
            test.flaky && test.verdict().is_some() && !self.failing.contains(id)
        });
        left_out.count()
    }

    /// `rank,score,name`.
    pub fn csv(&self) -> String {
        let mut text = String::from("rank,score,name\n");
        for place in &self.ranking.places {
            let name = self.unit_name(place).replace('"', "\"\"");
            let _ = writeln!(text, "{},{},\"{name}\"", place.rank, place.score);
        }
        text
    }

    /// `name;suspiciousness_value`.
    pub fn gzoltar(&self) -> String {
        let mut text = String::from("name;suspiciousness_value\n");
        for place in &self.ranking.places {
            // A line a unit: there is no way to quote.
            let name = printable_name(&self.unit_name(place));
            let _ = writeln!(text, "{name};{}", place.score);
        }
        text
    }

    /// What a unit is called.
    pub fn unit_name(&self, place: &Place) -> String {
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
}

/// `(unit, line, element)` of every element, ascending.
fn sorted(spectrum: &Spectrum, level: LevelName) -> Vec<(u32, u32, u32)> {
    let program = &spectrum.program;
    let elements = program.elements.iter().enumerate();
    let mut sorted: Vec<(u32, u32, u32)> = elements
        .map(|(index, element)| {
            let unit = match level {
                LevelName::Line => index as u32,
                LevelName::Method => element.method.0,
                LevelName::File => program.methods[element.method.index()].file,
            };
            (unit, element.line, index as u32)
        })
        .collect();
    sorted.sort_unstable();
    sorted
}

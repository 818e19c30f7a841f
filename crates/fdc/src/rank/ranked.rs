//! A ranking with what every way to show it needs: names, lines and their heat, sources.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use fdc_core::coverage::TestId;
use fdc_core::ranking::{Place, Ranker, Ranking};
use fdc_core::{Level, Named as _, Selection, Spectrum, Tally};
use fdc_draw::text::printable_name;
use fdc_source::{Source, Sources};

use super::{Scoring, Suspect, Suspects};
use crate::heat::Heat;
use fdc_draw::source::HeatScale;
use fdc_learn::sharp::Localisation;

/// The judged tests that a ranking counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// Those that fail, ascending.
    pub failing: Vec<TestId>,
    /// Those that pass, ascending.
    pub passing: Vec<TestId>,
    /// Their counts; a verdict may be believed in part.
    pub tally: Tally,
}

impl Counted {
    /// The given failing tests and all passing ones: what `fdc rank` counts.
    pub fn of_failing(spectrum: &Spectrum, failing: Vec<TestId>) -> Self {
        Counted {
            tally: Tally::of_failing(spectrum, &failing),
            passing: spectrum.passing_tests().collect(),
            failing,
        }
    }

    /// The tests of `T`, all of them judged: what a labelling session counts.
    pub fn of_session(selection: &Selection<'_>) -> Self {
        let mut failing = selection.judged().failing.to_vec();
        failing.sort_unstable();
        let mut passing = selection.suite().tests().to_vec();
        passing.sort_unstable();
        passing.retain(|test| failing.binary_search(test).is_err());
        Counted {
            failing,
            passing,
            tally: selection.tally().clone(),
        }
    }
}

/// A ranking, and what it was made of.
pub struct Ranked<'a> {
    /// The program and its tests.
    pub spectrum: &'a Spectrum,
    /// What is ranked.
    pub level: Level,
    /// By which scores.
    pub scoring: Scoring,
    /// From which tests.
    pub counted: Counted,
    /// What the learned distribution says, if it made the scores.
    located: Option<Localisation<'a>>,
    /// The first places.
    ranking: Ranking,
    /// So many places were asked for.
    top: Option<usize>,
    /// How many units were ranked.
    units: usize,
    /// From scores to heat.
    pub(super) scale: HeatScale,
    sources: Option<&'a Sources>,
    /// Files that were looked for, each once.
    read: RefCell<BTreeMap<u32, Option<Rc<Source>>>>,
    /// By element.
    scores: Vec<f64>,
    /// `(unit, line, element)`, ascending.
    elements: Vec<(u32, u32, u32)>,
    /// `(file, line, element)`, ascending; made when a source is shown.
    by_file: OnceCell<Vec<(u32, u32, u32)>>,
}

impl<'a> Ranked<'a> {
    /// Ranks; only the first `top` places are kept, if it is given.
    pub fn new(
        spectrum: &'a Spectrum,
        level: Level,
        scoring: Scoring,
        counted: Counted,
        sources: Option<&'a Sources>,
        top: Option<usize>,
    ) -> Self {
        let located = scoring.locate(spectrum, &counted.failing);
        Self::located(spectrum, level, scoring, counted, located, sources, top)
    }

    fn located(
        spectrum: &'a Spectrum,
        level: Level,
        scoring: Scoring,
        counted: Counted,
        located: Option<Localisation<'a>>,
        sources: Option<&'a Sources>,
        top: Option<usize>,
    ) -> Self {
        let coverage = &spectrum.coverage;
        let tally = &counted.tally;
        let options = scoring.options();
        let ranker = Ranker::new(spectrum, level, options);
        let mut ranking = match &located {
            Some(located) => ranker.by_score(&likely(spectrum, level, located, ranker.units())),
            None => ranker.ranking(tally, coverage),
        };
        let units = ranking.places.len();
        ranking.places.truncate(top.unwrap_or(usize::MAX));
        let scores = match &located {
            Some(located) => located.lines().to_vec(),
            // Every element is a unit at the level of lines, so its score stands at its number.
            None => Ranker::new(spectrum, Level::Line, options).scores(tally, coverage),
        };
        let suspected =
            |&element: &usize| tally.covered(coverage.column_of(element) as usize).0 > 0.0;
        let scale = HeatScale::of((0..scores.len()).filter(suspected).map(|e| scores[e]));
        let elements = sorted(spectrum, level);
        Ranked {
            spectrum,
            level,
            scoring,
            counted,
            located,
            ranking,
            top,
            units,
            scale,
            sources,
            read: RefCell::default(),
            scores,
            elements,
            by_file: OnceCell::new(),
        }
    }

    /// The suspects of each fault, if the failing tests show several.
    fn faults(&self) -> Vec<Suspects> {
        let apart = match &self.located {
            Some(located) => located.failing().to_vec(),
            None => self.scoring.apart(self.spectrum, &self.counted.failing),
        };
        if apart.len() < 2 {
            return Vec::new();
        }
        let passing = &self.counted.passing;
        let of_fault = |(number, failing): (usize, Vec<TestId>)| {
            let counted = Counted {
                tally: Tally::of_judged(self.spectrum, &failing, passing.iter().copied()),
                passing: passing.clone(),
                failing,
            };
            let (spectrum, level, scoring) =
                (self.spectrum, self.level, self.scoring.of_one_fault());
            let located = self.located.as_ref().map(|located| located.only(number));
            Ranked::located(spectrum, level, scoring, counted, located, None, self.top).suspects()
        };
        apart.into_iter().enumerate().map(of_fault).collect()
    }

    /// The first places as data.
    pub fn suspects(&self) -> Suspects {
        let counted = &self.counted;
        let name = |&test| self.spectrum.test(test).name.clone();
        let places = self.ranking.places.iter();
        Suspects {
            level: self.level,
            formula: self.scoring.source.name().to_owned(),
            tie: self.scoring.tie.name().to_owned(),
            aggregate: self.scoring.aggregate.name().to_owned(),
            failing: counted.failing.iter().map(name).collect(),
            failures: Vec::new(),
            failed: counted.tally.failed(),
            passed: counted.tally.passed(),
            ranked: self.units,
            places: places.map(|place| self.suspect(place)).collect(),
            within_first_five: self.located.as_ref().map(Localisation::within_first_five),
            faults: self.faults(),
            flaky_left_out: 0,
        }
    }

    fn suspect(&self, place: &Place) -> Suspect {
        let unit = place.unit;
        let hottest = self.hottest(unit);
        let mut lines: Vec<u32> = self.lines(unit).map(|(line, _)| line).collect();
        lines.dedup();
        let of_method = self
            .located
            .as_ref()
            .filter(|_| self.level == Level::Method);
        Suspect {
            unit,
            name: self.unit_name(unit),
            rank: place.rank,
            score: place.score,
            file: self.file_name(self.file(unit)).to_owned(),
            method: self.method_name(unit).map(str::to_owned),
            lines,
            line: match self.level {
                Level::Line => Some(self.spectrum.program.elements[unit as usize].line),
                Level::Method | Level::File => hottest.map(|(first, _)| first),
            },
            hottest,
            probability: of_method.map(|located| located.probability(place.score)),
            reasons: of_method.map_or_else(Vec::new, |located| located.reasons(unit)),
            fault: self.suspected_of(unit),
            ..Suspect::default()
        }
    }

    /// The number of the fault that it is suspected of, if there are several and it is known.
    fn suspected_of(&self, unit: u32) -> Option<usize> {
        let method = match self.level {
            Level::Method => unit,
            Level::Line => self.spectrum.program.elements[unit as usize].method.0,
            Level::File => return None,
        };
        self.located.as_ref()?.suspected_of(method)
    }

    /// How many methods have a measured line, and how many lines there are.
    pub fn program_size(&self) -> (usize, usize) {
        let present = self.spectrum.methods_with_elements();
        let methods = present.iter().filter(|&&present| present).count();
        (methods, self.spectrum.program.elements.len())
    }

    /// Whether elements are source lines, not statements that the input names freely.
    pub fn has_lines(&self) -> bool {
        self.spectrum.program.labels.is_empty()
    }

    /// The lines of a unit with their elements, ascending; empty if there are no source lines.
    fn lines(&self, unit: u32) -> impl Iterator<Item = (u32, usize)> + '_ {
        let before = |&(u, line, _): &(u32, u32, u32)| (u, line) < (unit, 1);
        let rest = &self.elements[self.elements.partition_point(before)..];
        let of_unit = rest.iter().take_while(move |e| e.0 == unit);
        let lines = of_unit.map(|&(_, line, element)| (line, element as usize));
        lines.filter(|_| self.has_lines())
    }

    /// The first run of lines with the unit's highest score.
    fn hottest(&self, unit: u32) -> Option<(u32, u32)> {
        let scores = self.lines(unit).map(|(_, element)| self.scores[element]);
        let highest = scores.max_by(f64::total_cmp)?;
        let lines = self.lines(unit);
        let mut hot = lines.filter(|&(_, element)| self.scores[element] == highest);
        let first = hot.next()?.0;
        let last = hot.fold(first, |last, (line, _)| match line <= last + 1 {
            true => line,
            false => last,
        });
        Some((first, last))
    }

    /// The file a unit is in, by its number.
    pub fn file(&self, unit: u32) -> u32 {
        let program = &self.spectrum.program;
        let of_method = |method: usize| program.methods[method].file;
        match self.level {
            Level::Method => of_method(unit as usize),
            Level::File => unit,
            Level::Line => of_method(program.elements[unit as usize].method.index()),
        }
    }

    /// A file's name, as the input has it.
    pub fn file_name(&self, file: u32) -> &str {
        &self.spectrum.program.files[file as usize]
    }

    /// The name of the method that a unit is or is in.
    fn method_name(&self, unit: u32) -> Option<&str> {
        let program = &self.spectrum.program;
        let method = match self.level {
            Level::Method => unit as usize,
            Level::Line => program.elements[unit as usize].method.index(),
            Level::File => return None,
        };
        Some(&program.methods[method].name)
    }

    /// The heat of every measured line of a file; where methods share a line, the higher one.
    pub fn heat(&self, file: u32) -> BTreeMap<u32, Heat> {
        let by_file = || sorted(self.spectrum, Level::File);
        let by_file = self.by_file.get_or_init(by_file);
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
        let (failing, passing) = self.counted.tally.covered(column);
        let score = self.scores[element];
        let suspected = (failing > 0.0).then_some(());
        Heat {
            score,
            step: suspected.map_or(0, |()| self.scale.step(score)),
            failing,
            passing,
        }
    }

    /// The failing and the passing tests that run any line of a unit.
    pub(super) fn tests_of(&self, unit: u32) -> (Vec<TestId>, usize) {
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
        let failing = self.counted.failing.iter().copied().filter(runs).collect();
        let passing = self.counted.passing.iter().copied().filter(runs).count();
        (failing, passing)
    }

    /// Where sources are looked for.
    pub fn sources(&self) -> Option<&'a Sources> {
        self.sources.filter(|_| self.has_lines())
    }

    /// The source of a file, if it can be found.
    pub fn source(&self, file: u32) -> Option<Rc<Source>> {
        let sources = self.sources()?;
        let read = || sources.read(self.file_name(file)).map(Rc::new);
        let mut known = self.read.borrow_mut();
        known.entry(file).or_insert_with(read).clone()
    }

    /// How many files were looked for, and how many of them were not found.
    pub fn looked_for(&self) -> (usize, usize) {
        let read = self.read.borrow();
        let missing = read.values().filter(|source| source.is_none());
        (read.len(), missing.count())
    }

    /// What a person should know of the sources looked at, before trusting their lines.
    pub fn all_doubts(&self) -> Vec<String> {
        let read = self.read.borrow();
        let found = read
            .iter()
            .filter_map(|(file, source)| Some((*file, source.as_ref()?)));
        found
            .flat_map(|(file, source)| self.doubts(source, file))
            .collect()
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
        let heat = self.heat(file);
        let last = heat.last_key_value().map_or(0, |(&line, _)| line);
        if last as usize > source.lines.len() {
            doubts.push(format!(
                "{name} ends at line {}, but line {last} was measured: it is not the file that was measured",
                source.lines.len()
            ));
        }
        if source.rivals > 0 {
            let (file, rivals) = (printable_name(self.file_name(file)), source.rivals);
            doubts.push(format!(
                "{name} is shown for {file}; other files of that name: {rivals}"
            ));
        }
        doubts
    }

    fn unit_name(&self, unit: u32) -> String {
        let program = &self.spectrum.program;
        match self.level {
            Level::Method => program.methods[unit as usize].name.clone(),
            Level::File => program.files[unit as usize].clone(),
            Level::Line => match program.labels.get(unit as usize) {
                Some(label) => label.clone(),
                None => {
                    let element = program.elements[unit as usize];
                    let method = &program.methods[element.method.index()];
                    format!("{}:{}", program.files[method.file as usize], element.line)
                }
            },
        }
    }
}

/// How likely each unit is faulty: a file is, if one of its methods is.
fn likely(
    spectrum: &Spectrum,
    level: Level,
    located: &Localisation<'_>,
    units: &[u32],
) -> Vec<f64> {
    let of_units = match level {
        Level::Method => located.likely(),
        Level::Line => located.lines(),
        Level::File => {
            let mut files = vec![0.0; spectrum.program.files.len()];
            for (method, likely) in spectrum.program.methods.iter().zip(located.likely()) {
                files[method.file as usize] += likely;
            }
            return units.iter().map(|&unit| files[unit as usize]).collect();
        }
    };
    units.iter().map(|&unit| of_units[unit as usize]).collect()
}

/// `(unit, line, element)` of every element, ascending.
fn sorted(spectrum: &Spectrum, level: Level) -> Vec<(u32, u32, u32)> {
    let program = &spectrum.program;
    let elements = program.elements.iter().enumerate();
    let mut sorted: Vec<(u32, u32, u32)> = elements
        .map(|(index, element)| {
            let unit = match level {
                Level::Line => index as u32,
                Level::Method => element.method.0,
                Level::File => program.methods[element.method.index()].file,
            };
            (unit, element.line, index as u32)
        })
        .collect();
    sorted.sort_unstable();
    sorted
}

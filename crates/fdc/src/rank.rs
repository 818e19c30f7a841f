//! `rank`: which methods, lines or files are suspicious, the most suspicious first.

mod methods;
mod ranked;
mod scoring;
mod source;
mod suspects;

use fdc_core::coverage::TestId;
use fdc_core::failing::failing_tests;
use fdc_core::{Level, Spectrum};
use fdc_source::Sources;

pub(crate) use methods::MethodRanking;
pub use ranked::{Counted, Ranked};
pub use scoring::{ScoreSource, Scoring};
pub use source::{Excerpt, SHOWN_LINES};
pub use suspects::{Suspect, Suspects, percent};

use crate::error::Failure;

/// What to rank, and by which tests.
#[derive(Clone, Debug)]
pub struct RankRequest {
    /// The failing tests to rank by; all of them, if none is named.
    pub failing: Vec<String>,
    /// What is ranked.
    pub level: Level,
    /// By which scores.
    pub scoring: Scoring,
    /// Whether flaky tests count too.
    pub include_flaky: bool,
    /// So many places at the most.
    pub top: Option<usize>,
}

/// The ranking.
pub struct RankReply<'a> {
    /// The suspects, and how they came about.
    pub suspects: Suspects,
    /// The heat of every line, and the sources, for whoever draws them.
    pub ranked: Ranked<'a>,
    /// What to know beside it, whoever draws it.
    pub notes: Vec<RankNote>,
}

/// What to know beside a ranking. All but the first are said in the words of a front door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankNote {
    /// The same everywhere.
    Words(String),
    /// Failing tests that share no line may be behind separate faults: the first test of each set.
    SeparateFaults(Vec<String>),
    /// So many tests of known outcome are not counted because they are flaky.
    FlakyLeftOut(usize),
    /// Of the first suspects so many have no source.
    SourcesMissing {
        /// Suspects without a source.
        missing: usize,
        /// Suspects whose source was looked for.
        of: usize,
    },
    /// So many suspects have no known file, and code scanning shows none without.
    FilesMissing {
        /// Suspects without a file.
        missing: usize,
        /// All of them.
        of: usize,
    },
}

/// Ranks; sources are looked for where they are given, once somebody asks for them.
pub fn rank<'a>(
    spectrum: &'a Spectrum,
    sources: Option<&'a Sources>,
    request: &RankRequest,
) -> Result<RankReply<'a>, Failure> {
    let mut steady = None;
    let judged = match request.include_flaky && spectrum.tests.iter().any(|test| test.flaky) {
        true => {
            let steady: &mut Spectrum = steady.insert(spectrum.clone());
            steady.tests.iter_mut().for_each(|test| test.flaky = false);
            &*steady
        }
        false => spectrum,
    };
    let failing = failing_tests(judged, &request.failing)?;
    let left_out = judged.tests.iter().enumerate().filter(|(number, test)| {
        test.flaky && test.verdict().is_some() && !failing.contains(&TestId(*number as u32))
    });
    let left_out = left_out.count();
    let separate = separate_faults(spectrum, &failing);
    let counted = Counted::of_failing(judged, failing);
    let (level, scoring) = (request.level, request.scoring);
    let ranked = Ranked::new(spectrum, level, scoring, counted, sources, request.top);
    let mut suspects = ranked.suspects();
    let mut notes = Vec::new();
    if separate.len() > 1 {
        let name = |&test: &TestId| spectrum.test(test).name.clone();
        let named = separate.iter().map(|set| set.iter().map(name).collect());
        suspects.separate_faults = named.collect();
        let first = separate.iter().map(|set| name(&set[0]));
        notes.push(RankNote::SeparateFaults(first.collect()));
    }
    if left_out > 0 {
        suspects.flaky_left_out = left_out;
        notes.push(RankNote::FlakyLeftOut(left_out));
    }
    if scoring.source == ScoreSource::Learned {
        notes.extend(unused_evidence(spectrum, &ranked.counted.failing).map(RankNote::Words));
    }
    Ok(RankReply {
        suspects,
        ranked,
        notes,
    })
}

/// What the learned distribution could not use.
fn unused_evidence(spectrum: &Spectrum, failing: &[TestId]) -> impl Iterator<Item = String> {
    let other = spectrum.traces_of_another_version(failing);
    let traces = match (other, failing.len()) {
        (0, _) => None,
        (_, 1) => Some("the stack trace of the failing test is".to_owned()),
        (1, of) => Some(format!("the stack trace of 1 of {of} failing tests is")),
        (_, of) => Some(format!(
            "the stack traces of {other} of {of} failing tests are"
        )),
    };
    let traces = traces.map(|traces| {
        format!("{traces} left out: no call is at a measured line of the program; another version?")
    });
    let methods = &spectrum.program.methods;
    let short = methods.iter().filter(|method| {
        let own = method.name.split('(').next().unwrap_or_default();
        own.rsplit(['#', ':', '.', '/'])
            .next()
            .is_some_and(|own| own.len() <= 1)
    });
    // A few of them may be an example.
    let minified = methods.len() >= 10 && 2 * short.count() > methods.len();
    let names = minified.then(|| {
        "most methods have names of one letter, as in minified code: names tell little".to_owned()
    });
    traces.into_iter().chain(names)
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
        let row = coverage.row(test);
        row.for_each(|column| touched.extend(set_of_column[column as usize]));
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
        row.for_each(|column| set_of_column[column as usize] = Some(target));
    }
    sets.retain(|set| !set.is_empty());
    for set in &mut sets {
        set.sort_unstable();
    }
    sets.sort_unstable();
    sets
}

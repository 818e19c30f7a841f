//! `rank`: which methods, lines or files are suspicious, the most suspicious first.

mod brief;
mod methods;
mod ranked;
mod scoring;
mod source;
mod suspects;

use fdc_core::coverage::TestId;
use fdc_core::failing::failing_tests;
use fdc_core::{Level, Spectrum};
use fdc_source::Sources;

pub use brief::{Brief, BriefSuspect};
pub(crate) use methods::MethodRanking;
pub use ranked::{Counted, Ranked};
pub use scoring::{ScoreSource, Scoring};
pub use source::{Excerpt, SHOWN_LINES};
pub use suspects::{Suspect, Suspects, percent};

use crate::error::Failure;
use crate::failed_test::FailedTest;

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
    /// The failing tests seem to show so many faults, whose suspects come apart.
    SeveralFaults(usize),
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
    let (level, scoring) = (request.level, request.scoring.clone());
    let counted = Counted::of_failing(judged, failing);
    let ranked = Ranked::new(spectrum, level, scoring, counted, sources, request.top);
    let mut suspects = ranked.suspects();
    suspects.failures = FailedTest::of(spectrum, &ranked.counted.failing);
    suspects.failures.retain(FailedTest::is_known);
    if let Some(sources) = sources {
        FailedTest::look_up(&mut suspects.failures, sources);
    }
    let mut notes = Vec::new();
    if !suspects.faults.is_empty() {
        notes.push(RankNote::SeveralFaults(suspects.faults.len()));
    }
    if left_out > 0 {
        suspects.flaky_left_out = left_out;
        notes.push(RankNote::FlakyLeftOut(left_out));
    }
    if ranked.scoring.source == ScoreSource::Learned {
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

//! generate: makes tests that tell the suspects apart, or takes in those of another tool.

use std::path::PathBuf;
use std::time::Duration;

use fdc_case::Case;
use fdc_collect::settings::{Settings, absolute};
use fdc_core::failing::failing_test;
use fdc_core::fitness::FitnessError;
use fdc_core::metric::Kind;
pub use fdc_generate::summary::Summary;
use fdc_generate::{
    Budget, Criterion, GenerateOptions, Generator, SearchLevel, SearchOptions, Target,
};
use fdc_learn::catalogue;

use crate::error::Result;
use crate::progress::{Watch, resumable};

/// What to make tests for, and how. Paths may be relative to the current folder.
#[derive(Debug)]
pub struct GenerateRequest {
    /// What makes them.
    pub generator: &'static Generator,
    /// The case file.
    pub case: PathBuf,
    /// The failing test to start from (default: the only one that fails).
    pub failing: Option<String>,
    /// Folder for what comes out; a generation that was stopped goes on there.
    pub out: PathBuf,
    /// How long a new test may take.
    pub timeout: Duration,
    /// How to search, if the generator does.
    pub search: Option<SearchRequest>,
    /// The generator's own options.
    pub settings: Settings,
}

/// How to search for tests.
#[derive(Debug)]
pub struct SearchRequest {
    /// `line`, or a metric that does not see outcomes.
    pub criterion: String,
    /// The model of a learned metric; the built-in one, if left out.
    pub model: Option<PathBuf>,
    /// What a candidate is; a test, or with the criterion `line` a suite, if left out.
    pub level: Option<SearchLevel>,
    /// How long, over all classes or modules.
    pub budget: Budget,
    /// Seed of everything random.
    pub seed: u64,
}

/// Makes the tests; what came out.
pub fn generate(request: GenerateRequest, watch: &dyn Watch) -> Result<Summary> {
    let options = GenerateOptions {
        out: absolute(&request.out)?,
        timeout: request.timeout,
        search: match request.search {
            Some(search) => checked(search)?,
            None => SearchOptions::default(),
        },
        settings: request.settings,
    };
    let case = Case::open(&request.case)?;
    case.interruption()?
        .iter()
        .for_each(|note| watch.note(note));
    let spectrum = case.spectrum()?;
    let root = case.about("root")?.map(PathBuf::from);
    let failing = failing_test(&spectrum, request.failing.as_deref())?;
    let mut target = Target::new(&request.case, spectrum, failing)?;
    target.project = root.filter(|root| root.is_dir());
    let made = fdc_generate::generate(request.generator, &options, &target, watch);
    made.map_err(|error| resumable(error, "made"))
}

/// A criterion that cannot guide a search is refused before anything is started.
fn checked(search: SearchRequest) -> Result<SearchOptions> {
    let model = search.model.as_deref();
    let criterion = if search.criterion == Criterion::Line.name() {
        Criterion::Line
    } else {
        let metric = catalogue::parse(&search.criterion, model)?;
        if matches!(metric.kind, Kind::Aware(_)) {
            return Err(FitnessError::SeesOutcomes(metric.label).into());
        }
        Criterion::Metric(search.criterion)
    };
    let by_default = match criterion {
        Criterion::Line => SearchLevel::Suite,
        Criterion::Metric(_) => SearchLevel::Test,
    };
    Ok(SearchOptions {
        criterion,
        model: model.map(absolute).transpose()?,
        level: search.level.unwrap_or(by_default),
        budget: search.budget,
        seed: search.seed,
    })
}

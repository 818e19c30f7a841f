use std::path::PathBuf;
use std::time::Duration;

use fdc_collect::settings::{Given, Setting, SettingKind, Settings};
use fdc_collect::{Result, RunError};
use fdc_core::Named;
use serde_json::{Value, json};

/// Everything a generation can be told.
#[derive(Clone, Debug, Default)]
pub struct GenerateOptions {
    /// The output folder; absolute.
    pub out: PathBuf,
    /// How long a new test may take when it is tried.
    pub timeout: Duration,
    /// How to search; of no meaning where tests are taken in.
    pub search: SearchOptions,
    /// The generator's own options.
    pub settings: Settings,
}

/// What every search for tests can be told.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// What it is guided by.
    pub criterion: Criterion,
    /// The model of a learned metric; none: the built-in one. Absolute.
    pub model: Option<PathBuf>,
    /// What a candidate is.
    pub level: SearchLevel,
    /// How long it goes on, over all classes or modules.
    pub budget: Budget,
    /// Seed of everything random.
    pub seed: u64,
}

/// What a search is guided by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// The tool's own line coverage.
    #[default]
    Line,
    /// A result-agnostic metric, as `fdc list metrics` names it.
    Metric(String),
}

impl Criterion {
    /// As it is typed and written.
    pub fn name(&self) -> &str {
        match self {
            Criterion::Line => "line",
            Criterion::Metric(name) => name,
        }
    }
}

/// What a candidate of a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchLevel {
    /// One test; the best is kept, and the next is searched beside it.
    #[default]
    Test,
    /// A whole suite.
    Suite,
}

impl Named for SearchLevel {
    const TABLE: &'static [(Self, &'static str, &'static str)] = &[
        (
            SearchLevel::Test,
            "test",
            "One test; the best is kept, and the next is searched beside it",
        ),
        (SearchLevel::Suite, "suite", "A whole suite"),
    ];
}

/// How long a search goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// So many seconds.
    Seconds(f64),
    /// So many generations: does not depend on the machine's speed.
    Generations(u64),
}

impl Default for Budget {
    fn default() -> Self {
        Budget::Seconds(120.0)
    }
}

const REGRESSION: &str = "regression";

/// How outcomes of the new tests become known; every generator has this option.
pub(crate) const ORACLE: Setting = {
    const NONE: &str = "Not at all: `fdc select` says which tests to judge yourself";
    const FIXED: &str = "Tests that fail on the fixed version are failing tests, the others pass";
    let oracles = SettingKind::Choice(&[("none", NONE), (REGRESSION, FIXED)]);
    let help = "How outcomes of the new tests become known";
    Setting::new(oracles, "oracle", "ORACLE").help(help)
};

impl GenerateOptions {
    /// Whether a fixed version tells the outcomes: what fails on it is a failing test.
    pub(crate) fn has_oracle(&self) -> bool {
        self.settings.one(ORACLE.name) == Some(REGRESSION.as_ref())
    }

    /// The oracle and the option that names the fixed version, a class path or folder, go together.
    pub(crate) fn check_oracle(&self, fixed: &str, what: &str) -> Result<()> {
        let (message, hint) = match (self.has_oracle(), self.settings.has(fixed)) {
            (true, false) => (
                "--oracle regression needs the fixed version".to_owned(),
                format!("name its {what} with --{fixed}"),
            ),
            (false, true) => (
                format!("--{fixed} is for --oracle regression"),
                format!("add --oracle regression, or leave --{fixed} out"),
            ),
            _ => return Ok(()),
        };
        Err(RunError::usage(message, hint))
    }

    /// What decides about the result, to know a folder again that was made with other options.
    pub(crate) fn record(&self, declared: &[Setting]) -> Value {
        let search = &self.search;
        let model = search.model.as_ref().map(|path| path.to_string_lossy());
        let mut record = json!({
            "criterion": search.criterion.name(),
            "model": model,
            "level": search.level.name(),
            "budget": match search.budget {
                Budget::Seconds(seconds) => json!({ "seconds": seconds }),
                Budget::Generations(generations) => json!({ "generations": generations }),
            },
            "seed": search.seed,
            "timeout": self.timeout.as_secs_f64(),
        });
        for setting in declared.iter().filter(|s| s.kind != SettingKind::Tool) {
            // What was the same for all generators before they declared options of their own.
            let key = match setting.name {
                "class" | "module" => "units",
                "fixed-classpath" | "fixed-project" => "fixed",
                name => name,
            };
            let values = self.settings.texts(setting.name);
            record[key] = match (setting.kind, setting.given) {
                (_, Given::Repeatedly) => json!(values),
                (SettingKind::Choice(choices), _) => {
                    json!(values.first().map_or(choices[0].0, |v| v))
                }
                _ => json!(values.first()),
            };
        }
        record
    }
}

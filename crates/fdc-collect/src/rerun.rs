//! A test of a case, run again by the collector that measured it: how it ends now. Nothing is measured,
//! and the case stays as it is.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fdc_case::Case;
use fdc_case::recording::Recording;
use fdc_core::Outcome;
use serde::{Deserialize, Serialize};

use crate::error::{Cause, Result, RunError};
use crate::filter::Filter;
use crate::process::TemporaryFolder;
use crate::settings::{SettingKind, Settings, absolute};
use crate::{CollectOptions, Ecosystem, Watch, collect, ecosystem_named, usual_limit};

/// Under which key a case says how its collector was told to run tests.
const OPTIONS: &str = "options";

/// How tests are run, as far as it decides how they end.
#[derive(Debug, Default, Deserialize, Serialize)]
struct HowTestsRun {
    arguments: Vec<String>,
    settings: BTreeMap<String, Vec<String>>,
}

/// Keeps in the case how its tests are run. What is no text cannot be kept.
pub(crate) fn note_options(
    ecosystem: &Ecosystem,
    options: &CollectOptions,
    recording: &mut Recording,
) -> Result<()> {
    let text = |value: &OsString| value.to_str().map(str::to_owned);
    let mut how = HowTestsRun {
        arguments: options.arguments.iter().filter_map(text).collect(),
        ..HowTestsRun::default()
    };
    for setting in ecosystem.settings {
        let values = options.settings.all(setting.name).iter().map(|value| {
            // A tool without a folder is looked for on the PATH, again.
            match setting.kind == SettingKind::Tool && Path::new(value).components().count() > 1 {
                true => Ok(absolute(Path::new(value))?.into_os_string()),
                false => Ok(value.clone()),
            }
        });
        let values: Vec<OsString> = values.collect::<Result<_>>()?;
        if !values.is_empty() {
            let values = values.iter().filter_map(text).collect();
            how.settings.insert(setting.name.to_owned(), values);
        }
    }
    let json = serde_json::to_string(&how).expect("texts are JSON");
    Ok(recording.keep_note(OPTIONS, &json)?)
}

/// Runs tests of a case again, one at a time.
#[derive(Debug)]
pub struct Rerun {
    ecosystem: &'static Ecosystem,
    options: CollectOptions,
    /// What tests took when they were measured, by name.
    took: BTreeMap<String, Duration>,
}

impl Rerun {
    /// As the case was collected, in the project's root, or another one if it is named. A case that no
    /// collector has made is refused.
    pub fn of(case: &Case, root: Option<&Path>) -> Result<Self> {
        let refused = |why: &str| {
            let message = format!("{} {why}", case.path().display());
            let hint = "tests can be run again where `fdc collect` has measured them";
            RunError::usage(message, hint)
        };
        let name = case.about("collector")?;
        let ecosystem = name.and_then(|name| ecosystem_named(&name).ok());
        let ecosystem = ecosystem.ok_or_else(|| refused("was imported, not collected"))?;
        let root = match root {
            Some(root) => absolute(root)?,
            None => case.about("root")?.unwrap_or_default().into(),
        };
        if !root.is_dir() {
            let gone = format!("was collected in {}, which is not there", root.display());
            return Err(refused(&gone));
        }
        let how = case.about(OPTIONS)?.unwrap_or_else(|| "{}".to_owned());
        let how: HowTestsRun = serde_json::from_str(&how).unwrap_or_default();
        let mut settings = Settings::default();
        for setting in ecosystem.settings {
            if let Some(values) = how.settings.get(setting.name) {
                settings.set(setting.name, values.iter().map(OsString::from));
            }
        }
        let names = case.measured()?.tests.into_iter().map(|test| test.name);
        let took = names.zip(case.seconds()?);
        Ok(Rerun {
            ecosystem,
            options: CollectOptions {
                root,
                jobs: Some(1),
                runs: 1,
                outcomes_only: true,
                arguments: how.arguments.into_iter().map(OsString::from).collect(),
                settings,
                ..CollectOptions::default()
            },
            took: took
                .filter_map(|(name, took)| Some((name, took?)))
                .collect(),
        })
    }

    /// How a test ends now; none if it was skipped, or is not there any more.
    pub fn run(&self, test: &str, watch: &dyn Watch) -> Result<Option<Outcome>> {
        let folder = TemporaryFolder::new("fdc-rerun")?;
        let case: PathBuf = folder.path().join("case.fdc");
        let options = CollectOptions {
            case: case.clone(),
            filter: Filter {
                only: vec![test.to_owned()],
                exclude: Vec::new(),
            },
            timeout: self.took.get(test).map(|&took| usual_limit(took)),
            ..self.options.clone()
        };
        match collect(self.ecosystem, &options, watch) {
            Err(error) if error.cause() == Some(Cause::NoTests) => return Ok(None),
            ended => ended?,
        };
        let tests = Case::open(&case)?.measured()?.tests;
        let own = tests.into_iter().find(|own| own.name == test);
        Ok(own.and_then(|own| own.outcome))
    }
}

//! collect: runs a project's own tests and measures what each of them covers, into a case file.

pub use fdc_case::recording::RecordingCounts;
use fdc_case::{FileError, resolved};
use fdc_collect::settings::absolute;
use fdc_collect::{CollectOptions, ECOSYSTEMS, Ecosystem, ecosystem_of};

use crate::error::{Failure, Result};
use crate::progress::{Watch, resumable};

/// What to measure, and how.
#[derive(Debug)]
pub struct CollectRequest {
    /// The kind of project; what its folder looks like, if left out.
    pub ecosystem: Option<&'static Ecosystem>,
    /// The rest; root and case may be relative to the current folder.
    pub options: CollectOptions,
}

/// Runs the tests; what the case holds now. One that was interrupted before goes on.
pub fn collect(request: CollectRequest, watch: &dyn Watch) -> Result<RecordingCounts> {
    let mut options = request.options;
    let root = options.root.canonicalize();
    options.root = root.map_err(FileError::io(&options.root, "open it"))?;
    // Through links, too: what is beside the case belongs to the case, not to the link.
    options.case = resolved(&absolute(&options.case)?);
    let ecosystem = match request.ecosystem {
        Some(ecosystem) => ecosystem,
        None => ecosystem_of(&options.root)?,
    };
    refuse_foreign(ecosystem, &options)?;
    let collected = fdc_collect::collect(ecosystem, &options, watch);
    collected.map_err(|error| resumable(error, "measured"))
}

/// Options of one ecosystem are refused in another: they would be ignored.
pub(crate) fn refuse_foreign(ecosystem: &Ecosystem, options: &CollectOptions) -> Result<()> {
    let own = ecosystem.name;
    for owner in ECOSYSTEMS.iter().filter(|other| other.name != own) {
        let mut settings = owner.settings.iter();
        if let Some(foreign) = settings.find(|setting| options.settings.has(setting.name)) {
            let (option, owner) = (foreign.name, owner.name);
            let message = format!("--{option} belongs to {owner}, not to {own}");
            return Err(Failure::usage(message)
                .hint("`fdc collect --help` shows which options go together"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use fdc_collect::settings::Settings;

    use super::*;

    struct Nobody;

    impl Watch for Nobody {
        fn note(&self, _: &str) {}

        fn asked_to_stop(&self) -> bool {
            false
        }
    }

    #[test]
    fn an_option_of_another_ecosystem_is_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let request = CollectRequest {
            ecosystem: fdc_collect::ecosystem_named("pytest").ok(),
            options: CollectOptions {
                root: folder.path().to_owned(),
                case: folder.path().join("case.fdc"),
                settings: Settings::default().with("java", "/usr"),
                ..CollectOptions::default()
            },
        };
        let failure = collect(request, &Nobody).unwrap_err();
        assert_eq!(failure.message, "--java belongs to junit, not to pytest");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

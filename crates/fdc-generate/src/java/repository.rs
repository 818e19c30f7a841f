//! Jars that come from Maven Central: found in the user's Maven repository, never downloaded.

use std::path::{Path, PathBuf};

use fdc_collect::process::path_in;
use fdc_collect::{Result, RunError};

/// A jar by its Maven coordinates: group, name, and the versions that will do, the best first.
pub(crate) struct Artifact(&'static str, &'static str, &'static [&'static str]);

const GROUP: &str = "org.evosuite";
pub(crate) const EVOSUITE: Artifact = Artifact(GROUP, "evosuite-master", &["1.0.6"]);
/// What EvoSuite's tests need to run.
pub(crate) const EVOSUITE_RUNTIME: Artifact =
    Artifact(GROUP, "evosuite-standalone-runtime", &["1.0.6"]);
/// JUnit 3 and 4.
pub(crate) const JUNIT: Artifact =
    Artifact("junit", "junit", &["4.13.2", "4.13.1", "4.13", "4.12"]);
/// What JUnit 4 needs.
pub(crate) const HAMCREST: Artifact = Artifact("org.hamcrest", "hamcrest-core", &["1.3"]);

impl Artifact {
    pub(crate) fn find(&self) -> Result<PathBuf> {
        let repository = path_in("HOME").map(|home| home.join(".m2/repository"));
        let folder = repository.as_deref();
        let found = folder.and_then(|folder| self.find_in(folder));
        found.ok_or_else(|| {
            let Artifact(group, name, versions) = self;
            let version = versions[0];
            let looked = repository.map(|folder| format!(" (looked in {})", folder.display()));
            let looked = looked.unwrap_or_default();
            let message = format!("{name}-{version}.jar was not found{looked}");
            let get = format!("mvn dependency:get -Dartifact={group}:{name}:{version}");
            RunError::tool(message, format!("get it with: {get}"))
        })
    }

    fn find_in(&self, repository: &Path) -> Option<PathBuf> {
        let Artifact(group, name, versions) = self;
        let folder = repository.join(group.replace('.', "/")).join(name);
        let file = |version| folder.join(version).join(format!("{name}-{version}.jar"));
        versions.iter().map(file).find(|file| file.is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_version_that_is_there_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(JUNIT.find_in(folder.path()), None);
        for version in ["4.12", "4.13.1", "3.8.1"] {
            let at = folder.path().join("junit/junit").join(version);
            std::fs::create_dir_all(&at).unwrap();
            std::fs::write(at.join(format!("junit-{version}.jar")), "").unwrap();
        }
        let found = JUNIT.find_in(folder.path()).unwrap();
        assert!(found.ends_with("4.13.1/junit-4.13.1.jar"), "{found:?}");
    }
}

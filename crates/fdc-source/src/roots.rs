//! Where the sources of a case are: of the project, and of tests that were made for it.

use crate::{Source, Sources, TestSource};

/// The folders that a case's sources are looked for in.
#[derive(Debug, Default)]
pub struct Roots {
    /// The project's root, if it is here.
    pub project: Option<Sources>,
    /// Tests that lie beside the case, as `fdc generate` leaves them.
    pub tests: Option<Sources>,
}

impl Roots {
    /// The source of a file of the program.
    pub fn read(&self, file: &str) -> Option<Source> {
        self.project.as_ref()?.read(file)
    }

    /// The source of a test, by its id.
    pub fn test(&self, name: &str) -> Option<TestSource> {
        let mut both = [&self.project, &self.tests].into_iter().flatten();
        both.find_map(|sources| sources.test(name))
    }
}

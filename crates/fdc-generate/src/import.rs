//! import — takes in JUnit tests that another tool made: Randoop, EvoSuite, a colleague.
//!
//! ```text
//! fdc generate import randoop-tests --case case.fdc --failing org.x.ATest#m --classpath app.jar -o more
//! fdc generate import build/generated.jar --case case.fdc --classpath app.jar -o more
//! fdc generate import tests --case case.fdc --classpath app.jar \
//!     --oracle regression --fixed-classpath fixed.jar -o more
//! ```
//! The first argument is a folder of Java sources (or one source), or a folder or jar of class
//! files. JUnit 3, 4 and 5 work; JUnit 4 is taken from your Maven repository where the class path
//! has no JUnit, EvoSuite's runtime too where tests ask for it. Other files beside the sources are
//! not taken in.
//!
//! Sources are compiled with the JDK of `--java`, `JAVA_HOME` or the path. Methods that the compiler
//! refuses are cut out until the rest compiles; a file with an error outside of methods is left out
//! whole. Then every test is run three times, each time in a new JVM, in an empty folder (`--root`
//! names another). Tests that fail on the version they were made on, whose outcome changes, or that
//! take longer than `--timeout` are removed. Coverage comes from the first run. Only lines that the
//! case knows count, by method and line; the others are counted and ignored.
//!
//! The folder written with `-o` holds `tests/`, the sources cut down to what is kept (not where class
//! files are taken in), `classes/`, what they were compiled to, `pool.fdc`, the case with the kept
//! tests (origin `import`), `logs/`, and `summary.json`, which names every removed test with the
//! reason.
//!
//! With `--oracle regression` the kept tests are run three times on the fixed version as well: those
//! that fail there are failing tests, since they hold on to what the fault does; those that pass
//! are passing tests. Tests that do not compile or are unstable there are removed. Without an
//! oracle outcomes stay unknown, and `fdc select` says which tests are worth a look.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::error::GenerateError;
use crate::folder::Folder;
use crate::java::sources::Sources;
use crate::java::{Ground, JavaSuite, files_ending};
use crate::options::Options;
use crate::target::Target;
use crate::{Generator, Made, Tool};
use fdc_collect::Watch;

pub(crate) const GENERATOR: Generator = Generator {
    name: "import",
    summary: "JUnit tests of any other tool: sources or class files",
    searches: false,
    open,
    source: include_str!("import.rs"),
};

struct Import {
    ground: Ground,
    tests: PathBuf,
    kind: Kind,
}

enum Kind {
    Sources,
    Classes,
}

fn open(options: &Options, target: &Target) -> Result<Box<dyn Tool>, GenerateError> {
    let tests = options.java.tests.clone();
    if !tests.exists() {
        let missing = std::io::ErrorKind::NotFound.into();
        return Err(GenerateError::io(&tests, "open it")(missing));
    }
    let jar = tests.is_file() && tests.extension().is_some_and(|end| end != "java");
    let kind = if jar {
        Kind::Classes
    } else if !Sources::read(&tests)?.is_empty() {
        Kind::Sources
    } else if !files_ending(&tests, ".class").is_empty() {
        Kind::Classes
    } else {
        let message = format!(
            "{}: expected Java sources or class files, found none",
            tests.display()
        );
        return Err(GenerateError::input(
            message,
            "name the folder that the tests are in",
        ));
    };
    Ok(Box::new(Import {
        ground: Ground::open(options, target)?,
        tests,
        kind,
    }))
}

impl Tool for Import {
    fn make(
        &self,
        _target: &Target,
        _folder: &Folder,
        _watch: &dyn Watch,
    ) -> Result<Made, GenerateError> {
        let ground = self.ground.clone();
        let suite = match self.kind {
            Kind::Sources => {
                JavaSuite::of_sources(ground, Sources::read(&self.tests)?, BTreeMap::new())?
            }
            Kind::Classes => JavaSuite::of_classes(ground, self.tests.clone())?,
        };
        Ok(Made {
            suite: Box::new(suite),
            units: Vec::new(),
            left_out: Vec::new(),
        })
    }
}

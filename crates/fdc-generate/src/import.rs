//! import — takes JUnit tests that another tool made: Randoop, EvoSuite, a colleague.
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

use fdc_collect::settings::{Given, Setting, SettingKind};
use fdc_collect::{Result, RunError};

use crate::java::sources::TestSources;
use crate::java::{
    CLASSPATH, FIXED_CLASSPATH, JAVA, JavaSetup, JavaSuite, JavaTests, files_ending,
};
use crate::options::{GenerateOptions, ORACLE};
use crate::target::Target;
use crate::{Generator, Made, Tool};

pub(crate) const GENERATOR: Generator = Generator {
    name: "import",
    summary: "JUnit tests of any other tool: sources or class files",
    searches: false,
    settings: &[
        Setting::new(SettingKind::Path, "tests", "TESTS")
            .help("Folder of Java sources or class files; one source; a jar")
            .given(Given::Plainly),
        CLASSPATH,
        ORACLE,
        FIXED_CLASSPATH,
        JAVA,
        Setting::new(SettingKind::Path, "root", "FOLDER")
            .help("Folder that the tests run in [default: an empty one]"),
    ],
    open,
    source: include_str!("import.rs"),
};

fn open(options: &GenerateOptions, target: &Target) -> Result<Tool> {
    options.check_oracle(FIXED_CLASSPATH.name, "class path")?;
    let path = options.settings.path("tests").unwrap_or("".as_ref());
    if !path.exists() {
        let missing = std::io::ErrorKind::NotFound.into();
        return Err(RunError::io(path, "open it")(missing));
    }
    let jar = path.is_file() && path.extension().is_some_and(|end| end != "java");
    let sources = match jar {
        true => TestSources::default(),
        false => TestSources::read(path)?,
    };
    let tests = if !sources.is_empty() {
        JavaTests::Sources(sources)
    } else if jar || !files_ending(path, ".class").is_empty() {
        JavaTests::Classes(path.to_owned())
    } else {
        let path = path.display();
        let message = format!("{path}: expected Java sources or class files, found none");
        let hint = "name the folder that the tests are in";
        return Err(RunError::input(message, hint));
    };
    let setup = JavaSetup::open(options, target)?;
    Ok(Box::new(move |_| {
        let suite = JavaSuite::new(setup, tests, BTreeMap::new())?;
        Ok(Made {
            suite: Box::new(suite),
            units: Vec::new(),
            left_out: Vec::new(),
        })
    }))
}

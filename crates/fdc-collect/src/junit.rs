//! junit — tests of Java projects: JUnit 3, 4 and 5, run by Maven, by Gradle, or from a class path.
//!
//! ```text
//! fdc collect junit                                  in a folder with pom.xml or build.gradle
//! fdc collect junit -- -pl core -Pfast               with arguments for Maven or Gradle
//! fdc collect junit --classpath app.jar:lib/* --classes app.jar --tests tests.jar
//! ```
//! An agent puts a probe on every line of the code under test: a line that throws counts as covered.
//! Nothing is added to a class that reflection could see. With Maven the project's own build runs,
//! with the agent in every JVM it starts (`JAVA_TOOL_OPTIONS`), so its own settings hold; all
//! modules are run, failing tests do not stop it. Code under test are the classes in the modules'
//! `target/classes` (`build/classes` with Gradle).
//!
//! Static initialisers run once, in the test that happens to be first. Their lines count for every
//! test that needs the class: one that runs a line of it, or a line with code that makes an object
//! of it, calls a static method or uses a static field; its superclasses and what their initialisers
//! need are included. What runs before a class's first test (`@BeforeAll`, `@BeforeClass`) counts for
//! every test of the class.
//!
//! What only puts a failure into words counts for no test: `toString` called by a failed assertion of
//! JUnit, opentest4j or Hamcrest, the messages of exceptions, and all that listeners do with a failure.
//! What a test does after it has failed (`@AfterEach`, `@After`, `finally`) counts, and so does what
//! other libraries' assertions call.
//!
//! Tests that run at the same time keep their coverage apart: lines count for the test of the
//! thread, and of the thread that started the thread. Lines run by a pool that outlives a test are
//! then left out, and their number is said.
//!
//! `--jobs N` runs N JVMs from a class path, each with a share of the test classes. Maven and Gradle
//! have options of their own for that.
//!
//! Test names are `package.Class#method`; tests with parameters have the run's number after it,
//! `package.Class#method(int)[2]`, in JUnit 4 what it calls them, `package.Class#method[0]`.
//!
//! Java 8 to 25. The agent is in `fdc-agent.jar` and `fdc-junit.jar`, made by `make java`. They are
//! looked for in the folder `FDC_JAVA`, else in `../share/fdc/java` as seen from the program, where
//! the Python wheel installs them, beside the program, in `java` there or one up. A program built
//! with the feature `bundled` has them inside.

mod agent;
mod java;
mod javac;
mod launch;
mod mutants;
mod sources;
mod trials;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::batch::Batch;
use crate::changes::TestsOf;
use crate::error::{Result, RunError};
use crate::options::CollectOptions;
use crate::plan::Plan;
use crate::process::{ToolLog, status_text};
use crate::settings::{Given, Setting, SettingKind, join_paths};
use crate::spool::Unit;
use crate::{Ecosystem, Tests};

pub use agent::beside_agent;
pub use java::Java;

use agent::Agent;
use sources::SourceTree;

pub(crate) const ECOSYSTEM: Ecosystem = Ecosystem {
    name: "junit",
    summary: "Java: JUnit 3, 4 and 5 with Maven, Gradle or a class path",
    detect: |root| Build::of(root).is_some(),
    settings: SETTINGS,
    open,
    tests_of,
    warm: None,
    served: Some(mutants::open),
    woven: None,
    source: include_str!("junit.rs"),
};

const SETTINGS: &[Setting] = &[
    Setting::new(SettingKind::Tool, "java", "PATH")
        .help("The Java to use: the program or its home folder [default: JAVA_HOME, else java]"),
    Setting::new(SettingKind::PathList, "classpath", "PATHS")
        .help("The tests' class path, for projects without Maven or Gradle"),
    Setting::new(SettingKind::Path, "classes", "PATH")
        .help(
            "Folder or jar of the code under test (repeatable) [default: the class path's folders \
             that are not --tests]",
        )
        .given(Given::Repeatedly),
    Setting::new(SettingKind::Path, "tests", "PATH")
        .help("Folder or jar of the tests (repeatable)")
        .given(Given::Repeatedly),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Build {
    Maven,
    Gradle,
}

impl Build {
    fn of(root: &Path) -> Option<Self> {
        let has = |name: &str| root.join(name).exists();
        let gradle = ["build", "settings"]
            .into_iter()
            .any(|name| has(&format!("{name}.gradle")) || has(&format!("{name}.gradle.kts")));
        match has("pom.xml") {
            true => Some(Build::Maven),
            false => gradle.then_some(Build::Gradle),
        }
    }

    /// The project's own wrapper if it has one.
    fn program(self, root: &Path) -> PathBuf {
        let (wrapper, plain) = match self {
            Build::Maven => ("mvnw", "mvn"),
            Build::Gradle => ("gradlew", "gradle"),
        };
        let wrapper = Some(root.join(wrapper)).filter(|wrapper| wrapper.exists());
        wrapper.unwrap_or_else(|| plain.into())
    }

    /// Where classes end up, in each module.
    fn class_folders(self) -> &'static [&'static str] {
        match self {
            Build::Maven => &["target/classes"],
            Build::Gradle => &[
                "build/classes/java/main",
                "build/classes/kotlin/main",
                "build/classes/groovy/main",
                "build/classes/scala/main",
            ],
        }
    }

    fn test_class_folders(self) -> &'static [&'static str] {
        match self {
            Build::Maven => &["target/test-classes"],
            Build::Gradle => &["build/classes/java/test", "build/classes/kotlin/test"],
        }
    }
}

struct JUnit {
    options: CollectOptions,
    how: How,
    agent: Agent,
    java: Java,
    sources: SourceTree,
    classes: Vec<PathBuf>,
}

enum How {
    Build(Build),
    ClassPath {
        class_path: OsString,
        tests: Vec<PathBuf>,
    },
}

fn open(options: &CollectOptions) -> Result<Tests> {
    let junit = JUnit::of(options)?;
    let is_copy = options.copied_from.is_some();
    if is_copy && matches!(junit.how, How::ClassPath { .. }) {
        let message = "from a class path nothing is built, so no mutant has a build of its own";
        let hint = "try mutants together, or in a project with Maven or Gradle";
        return Err(RunError::usage(message, hint));
    }
    Ok(Tests::Batch(Box::new(junit)))
}

impl JUnit {
    fn of(options: &CollectOptions) -> Result<Self> {
        let how = how(options)?;
        let java = Java::find(options.settings.path("java"))?;
        let sources = SourceTree::of(&options.root);
        let mut classes = options.settings.paths("classes");
        match &how {
            How::Build(build) => {
                if options.jobs.is_some_and(|jobs| jobs > 1) {
                    let instead = match build {
                        Build::Maven => "give Maven's own option: -- -DforkCount=2",
                        Build::Gradle => "set maxParallelForks in the build",
                    };
                    let hint = format!("leave --jobs out and {instead}");
                    let message =
                        "with Maven and Gradle the build says how many tests run at a time";
                    return Err(RunError::usage(message, hint));
                }
                let mut folders = build.class_folders().to_vec();
                if options.include_tests {
                    folders.extend(build.test_class_folders());
                }
                for module in &sources.modules {
                    classes.extend(folders.iter().map(|folder| module.join(folder)));
                }
            }
            How::ClassPath { class_path, tests } => {
                if classes.is_empty() {
                    let entries = std::env::split_paths(class_path).filter(|entry| entry.is_dir());
                    classes.extend(entries.filter(|entry| !tests.contains(entry)));
                }
                if options.include_tests {
                    classes.extend(tests.iter().cloned());
                }
                if classes.is_empty() {
                    let message = "the class path has no folder besides the tests: which of it is the code under test?";
                    let hint = "name its folders or jars with --classes";
                    return Err(RunError::usage(message, hint));
                }
                if let Some(missing) = classes.iter().chain(tests).find(|path| !path.exists()) {
                    let message = format!("{} does not exist", missing.display());
                    let hint = "compile the code and the tests first";
                    return Err(RunError::usage(message, hint));
                }
            }
        }
        Ok(JUnit {
            options: options.clone(),
            how,
            agent: Agent::find()?,
            java,
            sources,
            classes,
        })
    }
}

fn how(options: &CollectOptions) -> Result<How> {
    let tests = options.settings.paths("tests");
    match (options.settings.one("classpath"), Build::of(&options.root)) {
        (Some(_), _) if tests.is_empty() => {
            let message = "--classpath needs --tests: which of it are the tests?";
            let hint = "name the folders or jars of the tests";
            Err(RunError::usage(message, hint))
        }
        (Some(class_path), _) => Ok(How::ClassPath {
            class_path: class_path.to_owned(),
            tests,
        }),
        (None, Some(build)) => Ok(How::Build(build)),
        (None, None) => {
            let root = options.root.display();
            let message = format!("{root} has no pom.xml and no build.gradle");
            let hint =
                "name the project's folder with --root, or give --classpath, --classes and --tests";
            Err(RunError::usage(message, hint))
        }
    }
}

impl Batch for JUnit {
    fn command(&self, work: &Path) -> Result<Command> {
        let [agent, junit] = self.agent.jars(work)?;
        let CollectOptions {
            root, arguments, ..
        } = &self.options;
        let mut command = match &self.how {
            How::ClassPath { class_path, tests } => {
                let mut command = Command::new(&self.java.program);
                let paths = std::env::split_paths(class_path).chain([junit]);
                command.arg(agent::option(&agent));
                command.arg("-cp").arg(join_paths(paths)?);
                command.args(arguments).arg(agent::LAUNCHER);
                command.args(tests);
                command
            }
            How::Build(build) => {
                let mut command = Command::new(build.program(root));
                match build {
                    // Failing tests end neither the module nor the build.
                    Build::Maven => {
                        command.env("JAVA_TOOL_OPTIONS", agent::tool_options(&agent));
                        command.args([
                            "-B",
                            "--fail-at-end",
                            "-Dmaven.test.failure.ignore=true",
                            "-Dsurefire.failIfNoSpecifiedTests=false",
                        ])
                    }
                    Build::Gradle => {
                        let script = agent::init_script(work)?;
                        command.env("FDC_AGENT", &agent);
                        command.arg("--init-script").arg(script);
                        command.args(["--continue", "--no-build-cache", "--console=plain"])
                    }
                };
                command.arg("test").args(arguments);
                if let Some(home) = &self.java.home {
                    command.env("JAVA_HOME", home);
                }
                command
            }
        };
        command.current_dir(root);
        Ok(command)
    }

    fn plan(&self, plan: &mut Plan) {
        for path in &self.classes {
            plan.line("classes", &path.to_string_lossy());
        }
    }

    fn source(&self, unit: &Unit) -> Option<String> {
        let found = self.sources.find(&unit.file);
        Some(found.unwrap_or_else(|| match &unit.class {
            Some(class) => class.split('$').next().unwrap_or(class).to_owned(),
            None => unit.file.clone(),
        }))
    }

    fn may_be_silent(&self, status: ExitStatus) -> bool {
        status.success() || status.code() == Some(agent::NO_TESTS)
    }

    fn failure(&self, status: ExitStatus, log: &ToolLog) -> Option<RunError> {
        let How::Build(build) = self.how else {
            return agent::launcher_failure(status, log);
        };
        let text = log.tail();
        // Gradle fails a build whose tests fail; that is not what is meant here.
        let (name, tests_failed) = match build {
            Build::Maven => ("Maven", false),
            Build::Gradle => ("Gradle", text.contains("There were failing tests")),
        };
        if !text.contains("BUILD FAIL") || tests_failed {
            return None;
        }
        let status = status_text(status);
        let message = format!("the build failed: {name} ended with {status}");
        let errors = text.lines().filter(|line| line.contains("ERROR"));
        let told: Vec<&str> = errors.take(8).collect();
        if told.is_empty() {
            return Some(RunError::failed(message, log));
        }
        let hint = format!("{}\n(all of it: {})", told.join("\n"), log.0.display());
        let refused = ["COMPILATION ERROR", "Compilation error", "Compilation fail"];
        Some(match refused.iter().any(|words| text.contains(words)) {
            true => RunError::build(message, hint),
            false => RunError::tool(message, hint),
        })
    }
}

/// `src/test/java/org/x/FooTest.java` holds the tests that start with `org.x.FooTest`.
fn tests_of(file: &str) -> TestsOf {
    let tests = ["src/test/java/", "src/test/kotlin/", "src/test/groovy/"];
    let found = tests.iter().find_map(|root| {
        let at = file.find(root)?;
        let (class, _) = file[at + root.len()..].rsplit_once('.')?;
        Some(class.replace('/', "."))
    });
    found.map_or(TestsOf::All, TestsOf::Beginning)
}

//! JUnit tests as a suite that can be compiled, run and cut.

mod class_path;
mod compiler;
pub(crate) mod repository;
pub(crate) mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fdc_collect::process::{empty_folder, make_folder};
use fdc_collect::settings::{Given, Setting, SettingKind, Settings};
use fdc_collect::{CollectOptions, Ecosystem, Java, Result, RunError};
use fdc_core::naming::java_class;

pub(crate) use class_path::{ClassPath, files_ending};

use crate::folder::OutputFolder;
use crate::options::GenerateOptions;
use crate::suite::{GeneratedSuite, Version};
use crate::target::Target;
use repository::{EVOSUITE_RUNTIME, HAMCREST, JUNIT};
use sources::{SourcePlace, TestSources};

pub(crate) const CLASSPATH: Setting = Setting::new(SettingKind::PathList, "classpath", "PATHS")
    .help("Class path of the code under test and its libraries")
    .given(Given::Once);

pub(crate) const FIXED_CLASSPATH: Setting =
    Setting::new(SettingKind::PathList, "fixed-classpath", "PATHS")
        .help("Class path of the fixed version, for --oracle regression");

pub(crate) const JAVA: Setting = Setting::new(SettingKind::Tool, "java", "PATH").help(
    "The JDK that compiles and runs the tests: java or its home folder [default: JAVA_HOME, else \
     java]",
);

/// What compiles and runs JUnit tests; found before anything is written.
pub(crate) struct JavaSetup {
    java: Java,
    javac: PathBuf,
    faulty: JavaCode,
    fixed: Option<JavaCode>,
    root: Option<PathBuf>,
}

struct JavaCode {
    /// With its libraries.
    class_path: ClassPath,
    /// The entries that hold the case's classes: what is measured.
    measured: Vec<PathBuf>,
}

impl JavaSetup {
    /// Finds the tools and looks through the class paths.
    pub(crate) fn open(options: &GenerateOptions, target: &Target) -> Result<Self> {
        let settings = &options.settings;
        let java = Java::find(settings.path(JAVA.name))?;
        let javac = compiler::find(&java)?;
        let code = |option: &Setting| JavaCode::read(settings, option.name, target);
        let faulty = code(&CLASSPATH)?;
        let fixed = options.has_oracle().then(|| code(&FIXED_CLASSPATH));
        let root = settings.path("root").map(Path::to_owned);
        if let Some(root) = root.as_ref().filter(|root| !root.is_dir()) {
            let message = format!("{}: --root names no folder", root.display());
            let hint = "give the folder that tests run in";
            return Err(RunError::input(message, hint));
        }
        Ok(JavaSetup {
            java,
            javac,
            faulty,
            fixed: fixed.transpose()?,
            root,
        })
    }

    pub(crate) fn class_path(&self) -> &ClassPath {
        &self.faulty.class_path
    }

    fn code(&self, version: Version) -> &JavaCode {
        match (version, &self.fixed) {
            (Version::Fixed, Some(fixed)) => fixed,
            _ => &self.faulty,
        }
    }

    fn holds(&self, class: &str) -> bool {
        self.class_path().find(class).is_some()
    }

    /// JUnit 4 with what it needs, unless the class path has a JUnit.
    fn junit(&self, jupiter: bool) -> Result<Vec<PathBuf>> {
        if jupiter && !self.holds("org.junit.jupiter.api.Test") {
            let message = "the tests are for JUnit 5, which is not on the class path";
            let hint = "add junit-jupiter and junit-platform-launcher to --classpath";
            return Err(RunError::usage(message, hint));
        }
        if jupiter || self.holds("org.junit.Test") {
            return Ok(Vec::new());
        }
        Ok(vec![JUNIT.find()?, HAMCREST.find()?])
    }
}

impl JavaCode {
    fn read(settings: &Settings, name: &str, target: &Target) -> Result<Self> {
        let option = format!("--{name}");
        let text = settings.one(name).unwrap_or_default();
        let class_path = ClassPath::read(text, &option)?;
        let methods = target.spectrum.program.methods.iter();
        let classes: BTreeSet<&str> = methods.filter_map(|m| java_class(&m.name)).collect();
        let Some(example) = classes.first() else {
            let case = target.case.display();
            let expected = "a case of Java code, found methods of another language";
            let message = format!("{case}: expected {expected}");
            let hint = "make the case with `fdc collect junit`";
            return Err(RunError::input(message, hint));
        };
        let found = classes.iter().filter_map(|class| class_path.find(class));
        let found: BTreeSet<PathBuf> = found.map(Path::to_owned).collect();
        if found.is_empty() {
            let count = classes.len();
            let message =
                format!("{option} holds none of the case's {count} classes (such as {example})");
            let hint = "name the folder or jar of the code that the case was collected from";
            return Err(RunError::usage(message, hint));
        }
        Ok(JavaCode {
            class_path,
            measured: found.into_iter().collect(),
        })
    }
}

/// JUnit tests that can be run; those of sources can be cut, too.
pub(crate) struct JavaSuite {
    setup: JavaSetup,
    tests: JavaTests,
    /// JUnit and EvoSuite's runtime, where the class path does not have them.
    libraries: Vec<PathBuf>,
    /// Per test class, the unit of the summary.
    units: BTreeMap<String, String>,
}

pub(crate) enum JavaTests {
    Sources(TestSources),
    /// A folder or a jar of compiled tests.
    Classes(PathBuf),
}

impl JavaSuite {
    /// `units` has the class under test by test class, where a test is not its own unit.
    pub(crate) fn new(
        setup: JavaSetup,
        tests: JavaTests,
        units: BTreeMap<String, String>,
    ) -> Result<Self> {
        let (jupiter, runtime) = match &tests {
            JavaTests::Sources(sources) => {
                let runtime = sources.mention("org.evosuite.runtime");
                let runtime = runtime.then(|| EVOSUITE_RUNTIME.find());
                (sources.mention("org.junit.jupiter"), runtime)
            }
            // They may need it.
            JavaTests::Classes(_) => (false, EVOSUITE_RUNTIME.find().ok().map(Ok)),
        };
        let mut libraries = setup.junit(jupiter)?;
        if !setup.holds("org.evosuite.runtime.EvoRunner") {
            libraries.extend(runtime.transpose()?);
        }
        Ok(JavaSuite {
            setup,
            tests,
            libraries,
            units,
        })
    }

    /// Compiles the sources; where the compiler found something wrong.
    fn compile(
        &self,
        sources: &TestSources,
        folder: &OutputFolder,
        version: Version,
    ) -> Result<Vec<SourcePlace>> {
        let classes = folder.fresh(classes_name(version))?;
        let texts = folder.fresh("sources")?;
        let paths = sources.write(&texts)?;
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let class_path = &self.setup.code(version).class_path;
        let class_path = class_path.joined(None, &self.libraries)?;
        let (javac, log) = (&self.setup.javac, folder.log("javac"));
        compiler::compile(javac, &texts, &paths, &class_path, &classes, &log)
    }
}

impl GeneratedSuite for JavaSuite {
    fn ecosystem(&self) -> &'static Ecosystem {
        fdc_collect::ecosystem_named("junit").expect("junit is an ecosystem")
    }

    fn build(&mut self, folder: &OutputFolder, version: Version) -> Result<Vec<String>> {
        let mut refused = Vec::new();
        // Each time round, a method or a file goes.
        while let JavaTests::Sources(sources) = &self.tests {
            let places = self.compile(sources, folder, version)?;
            let JavaTests::Sources(sources) = &mut self.tests else {
                break;
            };
            if places.is_empty() {
                break;
            }
            let Some(gone) = sources.cut_at(&places) else {
                let message = "the compiler finds errors where nothing can be cut";
                return Err(RunError::tool(message, see_javac(folder)));
            };
            refused.extend(gone);
        }
        Ok(refused)
    }

    fn run(&self, folder: &OutputFolder, version: Version) -> Result<CollectOptions> {
        let root = match &self.setup.root {
            Some(root) => root.clone(),
            None => folder.fresh("run")?,
        };
        let root = root.canonicalize();
        let root = root.map_err(RunError::io(&folder.work("run"), "open it"))?;
        let tests = match &self.tests {
            JavaTests::Sources(_) => folder.work(classes_name(version)),
            JavaTests::Classes(path) => path.clone(),
        };
        let code = self.setup.code(version);
        let class_path = code.class_path.joined(Some(&tests), &self.libraries)?;
        let settings = Settings::default().with("classpath", class_path);
        let mut settings = settings.with("tests", tests);
        settings.set("classes", code.measured.iter().map(Into::into));
        let java = &self.setup.java.program;
        if java.is_absolute() {
            settings = settings.with("java", java);
        }
        Ok(CollectOptions {
            root,
            settings,
            ..CollectOptions::default()
        })
    }

    fn remove(&mut self, tests: &BTreeSet<String>, kept: &BTreeSet<String>) {
        if let JavaTests::Sources(sources) = &mut self.tests {
            sources.cut_tests(tests, kept);
        }
    }

    fn finish(&mut self, folder: &OutputFolder) -> Result<()> {
        let sources = match &self.tests {
            JavaTests::Classes(path) => return copy_classes(path, &folder.at("classes")),
            JavaTests::Sources(sources) => sources,
        };
        let fewer = sources.without_empty();
        // Kept tests may still use something of a class that has no tests any more.
        if !self.compile(&fewer, folder, Version::Faulty)?.is_empty()
            && !self.compile(sources, folder, Version::Faulty)?.is_empty()
        {
            let message = "what is left of the tests does not compile";
            return Err(RunError::tool(message, see_javac(folder)));
        }
        let classes = classes_name(Version::Faulty);
        for (from, to) in [("sources", "tests"), (classes, "classes")] {
            let to = folder.at(to);
            empty_folder(&to)?;
            let moved = std::fs::rename(folder.work(from), &to);
            moved.map_err(RunError::io(&to, "put it into place"))?;
        }
        Ok(())
    }

    fn unit(&self, test: &str) -> String {
        let class = test.split('#').next().unwrap_or(test);
        let outer = class.split('$').next().unwrap_or(class);
        self.units.get(outer).map_or(outer, |unit| unit).to_owned()
    }
}

fn see_javac(folder: &OutputFolder) -> String {
    format!("see {}", folder.log("javac").display())
}

fn classes_name(version: Version) -> &'static str {
    match version {
        Version::Faulty => "classes",
        Version::Fixed => "fixed-classes",
    }
}

fn copy_classes(from: &Path, to: &Path) -> Result<()> {
    empty_folder(to)?;
    let copy = |from: &Path, target: PathBuf| {
        make_folder(target.parent().unwrap_or(to))?;
        let copied = std::fs::copy(from, &target).map(drop);
        copied.map_err(RunError::io(&target, "write it"))
    };
    if from.is_file() {
        return copy(from, to.join(from.file_name().unwrap_or_default()));
    }
    let names = files_ending(from, "");
    let mut names = names.iter();
    names.try_for_each(|name| copy(&from.join(name), to.join(name)))
}

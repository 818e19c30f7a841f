//! JUnit tests as a suite that can be compiled, run and cut.

mod class_path;
mod compiler;
pub mod repository;
pub mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fdc_collect::{Ecosystem, Java};
use fdc_core::naming::java_class;

pub use class_path::{ClassPath, files_ending};
pub use compiler::Compiler;

use crate::error::GenerateError;
use crate::folder::{Folder, empty};
use crate::options::{Options, Oracle};
use crate::suite::{Suite, Version};
use crate::target::Target;
use compiler::Compiled;
use repository::{EVOSUITE_RUNTIME, HAMCREST, JUNIT};
use sources::Sources;

/// What compiles and runs JUnit tests; found before anything is written.
#[derive(Clone, Debug)]
pub struct Ground {
    java: Java,
    compiler: Compiler,
    /// The code under test and its libraries.
    faulty: ClassPath,
    fixed: Option<ClassPath>,
    /// The entries of both class paths that hold the case's classes.
    code: [Vec<PathBuf>; 2],
    root: Option<PathBuf>,
}

impl Ground {
    /// Finds the tools and looks through the class paths.
    pub fn open(options: &Options, target: &Target) -> Result<Self, GenerateError> {
        let java = Java::find(options.java.java.as_deref())?;
        let compiler = Compiler::of(&java)?;
        let faulty = ClassPath::read(&options.java.classpath, "--classpath")?;
        let fixed = match &options.oracle {
            Oracle::None => None,
            Oracle::Regression { fixed } => Some(ClassPath::read(fixed, "--fixed-classpath")?),
        };
        let code = [
            code(&faulty, target, "--classpath")?,
            match &fixed {
                Some(fixed) => code(fixed, target, "--fixed-classpath")?,
                None => Vec::new(),
            },
        ];
        if let Some(root) = options.java.root.as_ref().filter(|root| !root.is_dir()) {
            let message = format!("{}: --root names no folder", root.display());
            return Err(GenerateError::input(
                message,
                "give the folder that tests run in",
            ));
        }
        Ok(Ground {
            java,
            compiler,
            faulty,
            fixed,
            code,
            root: options.java.root.clone(),
        })
    }

    /// The class path of the code with the fault.
    pub fn class_path(&self) -> &ClassPath {
        &self.faulty
    }

    fn class_path_of(&self, version: Version) -> &ClassPath {
        match (version, &self.fixed) {
            (Version::Fixed, Some(fixed)) => fixed,
            _ => &self.faulty,
        }
    }
}

/// The entries that hold classes of the case: what is measured.
fn code(
    class_path: &ClassPath,
    target: &Target,
    option: &str,
) -> Result<Vec<PathBuf>, GenerateError> {
    let methods = target.spectrum().program.methods.iter();
    let classes: BTreeSet<&str> = methods.filter_map(|m| java_class(&m.name)).collect();
    let Some(example) = classes.first() else {
        let message = format!(
            "{}: expected a case of Java code, found methods of another language",
            target.case().display()
        );
        let hint = "make the case with `fdc collect junit`";
        return Err(GenerateError::input(message, hint));
    };
    let found = classes.iter().filter_map(|class| class_path.find(class));
    let found: BTreeSet<PathBuf> = found.map(Path::to_owned).collect();
    if found.is_empty() {
        let message = format!(
            "{option} holds none of the case's {} classes (such as {example})",
            classes.len()
        );
        let hint = "name the folder or jar of the code that the case was collected from";
        return Err(GenerateError::usage(message, hint));
    }
    Ok(found.into_iter().collect())
}

/// JUnit tests, as sources or as class files.
pub struct JavaSuite {
    ground: Ground,
    kind: Kind,
    /// JUnit and EvoSuite's runtime, where the class path does not have them.
    libraries: Vec<PathBuf>,
    /// Per test class, the unit of the summary.
    units: BTreeMap<String, String>,
}

enum Kind {
    Sources(Sources),
    /// A folder or a jar of compiled tests.
    Classes(PathBuf),
}

impl JavaSuite {
    /// Of sources. `units` has the class under test by test class, where a test is not its own unit.
    pub fn of_sources(
        ground: Ground,
        sources: Sources,
        units: BTreeMap<String, String>,
    ) -> Result<Self, GenerateError> {
        let mut libraries = junit(&ground, sources.mention("org.junit.jupiter"))?;
        let runtime = "org.evosuite.runtime";
        if sources.mention(runtime) && !holds(&ground, "org.evosuite.runtime.EvoRunner") {
            libraries.push(EVOSUITE_RUNTIME.find()?);
        }
        Ok(JavaSuite {
            ground,
            kind: Kind::Sources(sources),
            libraries,
            units,
        })
    }

    /// Of a folder or jar of class files.
    pub fn of_classes(ground: Ground, classes: PathBuf) -> Result<Self, GenerateError> {
        let mut libraries = junit(&ground, false)?;
        if let (false, Ok(runtime)) = (
            holds(&ground, "org.evosuite.runtime.EvoRunner"),
            EVOSUITE_RUNTIME.find(),
        ) {
            libraries.push(runtime);
        }
        Ok(JavaSuite {
            ground,
            kind: Kind::Classes(classes),
            libraries,
            units: BTreeMap::new(),
        })
    }

    fn compile(
        &self,
        sources: &Sources,
        folder: &Folder,
        version: Version,
    ) -> Result<Compiled, GenerateError> {
        let classes = folder.fresh(classes_name(version))?;
        let texts = folder.fresh("sources")?;
        let paths = sources.write(&texts)?;
        if paths.is_empty() {
            return Ok(Compiled::Whole);
        }
        let libraries = self.libraries.iter().map(PathBuf::as_path);
        let class_path = self.ground.class_path_of(version).joined([], libraries)?;
        let log = folder.log("javac");
        self.ground
            .compiler
            .compile(&texts, &paths, &class_path, &classes, &log)
    }
}

impl Suite for JavaSuite {
    fn ecosystem(&self) -> &'static Ecosystem {
        fdc_collect::ecosystem_named("junit").expect("junit is an ecosystem")
    }

    fn build(&mut self, folder: &Folder, version: Version) -> Result<Vec<String>, GenerateError> {
        let mut refused = Vec::new();
        // Each time round, a method or a file goes.
        loop {
            let Kind::Sources(sources) = &self.kind else {
                return Ok(refused);
            };
            let Compiled::Wrong(places) = self.compile(sources, folder, version)? else {
                return Ok(refused);
            };
            let Kind::Sources(sources) = &mut self.kind else {
                return Ok(refused);
            };
            let Some(gone) = sources.cut_at(&places) else {
                let message = "the compiler finds errors where nothing can be cut";
                let hint = format!("see {}", folder.log("javac").display());
                return Err(GenerateError::tool(message, hint));
            };
            refused.extend(gone);
        }
    }

    fn run(
        &self,
        folder: &Folder,
        version: Version,
    ) -> Result<fdc_collect::Options, GenerateError> {
        let root = match &self.ground.root {
            Some(root) => root.clone(),
            None => folder.fresh("run")?,
        };
        let root = root.canonicalize();
        let root = root.map_err(GenerateError::io(&folder.work("run"), "open it"))?;
        let tests = match &self.kind {
            Kind::Sources(_) => folder.work(classes_name(version)),
            Kind::Classes(path) => path.clone(),
        };
        let libraries = self.libraries.iter().map(PathBuf::as_path);
        let class_path = self.ground.class_path_of(version);
        let code = &self.ground.code[usize::from(version == Version::Fixed)];
        Ok(fdc_collect::Options {
            root,
            java: fdc_collect::JavaOptions {
                classpath: Some(class_path.joined([tests.as_path()], libraries)?),
                classes: code.clone(),
                tests: vec![tests],
                java: Some(self.ground.java.program.clone())
                    .filter(|program| program.is_absolute()),
            },
            ..fdc_collect::Options::default()
        })
    }

    fn remove(&mut self, tests: &BTreeSet<String>, kept: &BTreeSet<String>) -> usize {
        match &mut self.kind {
            Kind::Sources(sources) => sources.cut_tests(tests, kept),
            Kind::Classes(_) => tests.len(),
        }
    }

    fn finish(&mut self, folder: &Folder) -> Result<(), GenerateError> {
        let sources = match &self.kind {
            Kind::Classes(path) => return copy_classes(path, &folder.at("classes")),
            Kind::Sources(sources) => sources,
        };
        let fewer = sources.without_empty();
        // Kept tests may still use something of a class that has no tests any more.
        let whole = match self.compile(&fewer, folder, Version::Faulty)? {
            Compiled::Whole => true,
            Compiled::Wrong(_) => {
                self.compile(sources, folder, Version::Faulty)? == Compiled::Whole
            }
        };
        if !whole {
            let message = "what is left of the tests does not compile";
            let hint = format!("see {}", folder.log("javac").display());
            return Err(GenerateError::tool(message, hint));
        }
        for (from, to) in [
            ("sources", "tests"),
            (classes_name(Version::Faulty), "classes"),
        ] {
            let to = folder.at(to);
            empty(&to)?;
            let moved = std::fs::rename(folder.work(from), &to);
            moved.map_err(GenerateError::io(&to, "put it into place"))?;
        }
        Ok(())
    }

    fn unit(&self, test: &str) -> String {
        let class = test.split('#').next().unwrap_or(test);
        let outer = class.split('$').next().unwrap_or(class);
        self.units.get(outer).map_or(outer, |unit| unit).to_owned()
    }
}

fn classes_name(version: Version) -> &'static str {
    match version {
        Version::Faulty => "classes",
        Version::Fixed => "fixed-classes",
    }
}

fn holds(ground: &Ground, class: &str) -> bool {
    ground.faulty.find(class).is_some()
}

/// JUnit 4 with what it needs, unless the class path has a JUnit.
fn junit(ground: &Ground, jupiter: bool) -> Result<Vec<PathBuf>, GenerateError> {
    if jupiter && !holds(ground, "org.junit.jupiter.api.Test") {
        let message = "the tests are for JUnit 5, which is not on the class path";
        let hint = "add junit-jupiter and junit-platform-launcher to --classpath";
        return Err(GenerateError::usage(message, hint));
    }
    if jupiter || holds(ground, "org.junit.Test") {
        return Ok(Vec::new());
    }
    Ok(vec![JUNIT.find()?, HAMCREST.find()?])
}

fn copy_classes(from: &Path, to: &Path) -> Result<(), GenerateError> {
    empty(to)?;
    if from.is_file() {
        let target = to.join(from.file_name().unwrap_or_default());
        let copied = std::fs::copy(from, &target).map(drop);
        return copied.map_err(GenerateError::io(&target, "write it"));
    }
    for name in files_ending(from, "") {
        let target = to.join(&name);
        let parent = target.parent().unwrap_or(to);
        std::fs::create_dir_all(parent).map_err(GenerateError::io(parent, "make it"))?;
        let copied = std::fs::copy(from.join(&name), &target).map(drop);
        copied.map_err(GenerateError::io(&target, "write it"))?;
    }
    Ok(())
}

//! How a JVM for tests is started: as a build started one, which the agent has told, or from a plain
//! class path.

use std::path::{Path, PathBuf};

use super::{How, JUnit};
use crate::batch::Batch as _;
use crate::error::{Result, RunError};
use crate::filter::Filter;
use crate::plan::Plan;
use crate::process::{ProcessGroup, ToolLog, empty_folder, log_to, make_folder};
use crate::{CollectOptions, Watch};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Launch {
    /// The program.
    pub(super) java: PathBuf,
    /// Where it runs.
    pub(super) folder: PathBuf,
    pub(super) arguments: Vec<String>,
    /// The whole class path.
    pub(super) paths: Vec<PathBuf>,
    /// Of these, what is of the project: mutants may change it.
    pub(super) project: Vec<PathBuf>,
    pub(super) properties: Vec<String>,
    /// The whole environment; none: ours.
    pub(super) variables: Option<Vec<(String, String)>>,
}

/// No test has such a name.
const NO_TEST: &str = "fdc: no test";
/// Arguments that another launcher of tests has no use for, or that only modules have.
const LEFT_OUT: &[&str] = &[
    "-agentlib:jdwp",
    "-Djava.security.manager=worker.org.gradle",
    "-Djdk.module.",
    "--add-modules",
    "--add-reads",
    "--module-path",
    "--patch-module",
];

impl Launch {
    /// All JVMs that a project's tests run in: the build runs, without any test.
    pub(super) fn all(junit: &JUnit, work: &Path, watch: &dyn Watch) -> Result<Vec<Self>> {
        let How::ClassPath { class_path, tests } = &junit.how else {
            return Launch::told(junit, work, watch);
        };
        let options = &junit.options;
        let original = options.home();
        let moved = |path: &PathBuf| {
            let below = path.strip_prefix(original).ok();
            let moved = below.map(|below| options.root.join(below));
            moved
                .filter(|path| path.exists())
                .unwrap_or_else(|| path.clone())
        };
        let paths: Vec<PathBuf> = std::env::split_paths(class_path).collect();
        let own = |path: &&PathBuf| {
            tests.contains(*path) || junit.classes.contains(*path) || path.is_dir()
        };
        let own = |path: &&PathBuf| own(path) || knows_names(path, &paths);
        let arguments = options.arguments.iter();
        Ok(vec![Launch {
            java: junit.java.program.clone(),
            folder: options.root.clone(),
            arguments: arguments
                .map(|one| one.to_string_lossy().into_owned())
                .collect(),
            project: paths.iter().filter(own).map(moved).collect(),
            paths: paths.iter().map(moved).collect(),
            properties: Vec::new(),
            variables: None,
        }])
    }

    fn told(junit: &JUnit, work: &Path, watch: &dyn Watch) -> Result<Vec<Self>> {
        let (launches, spool) = (work.join("launches"), work.join("spool"));
        empty_folder(&launches)?;
        empty_folder(&spool)?;
        let options = CollectOptions {
            filter: Filter {
                only: vec![NO_TEST.to_owned()],
                exclude: Vec::new(),
            },
            ..junit.options.clone()
        };
        let mut plan = Plan::of(&options, false);
        plan.line("launches", &launches.to_string_lossy());
        junit.plan(&mut plan);
        let plan_file = work.join("plan");
        crate::process::write_file(&plan_file, plan.text)?;
        let mut command = junit.command(work)?;
        command.env("FDC_PLAN", &plan_file);
        command.env("FDC_SPOOL", &spool);
        let log = ToolLog(work.join("build.log"));
        log_to(&mut command, &log.0)?;
        let mut process = ProcessGroup::spawn(&mut command).map_err(|error| {
            let program = command.get_program().to_string_lossy();
            let message = format!("cannot run {program}: {error}");
            RunError::tool(message, "check that it is installed")
        })?;
        process.wait(None, &|| watch.asked_to_stop(), &mut || false)?;
        let files = std::fs::read_dir(&launches).map_err(RunError::io(&launches, "list it"))?;
        let mut files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
        files.sort();
        let mut found: Vec<Launch> = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(&file).map_err(RunError::io(&file, "read it"))?;
            let launch = Launch::of_text(&text, &options.root);
            let same = |one: &Launch| one.folder == launch.folder && one.project == launch.project;
            if !found.iter().any(same) {
                found.push(launch);
            }
        }
        make_folder(work)?;
        found.sort_by(|one, other| one.folder.cmp(&other.folder));
        Ok(found)
    }

    /// What an agent has written.
    fn of_text(text: &str, root: &Path) -> Self {
        let mut launch = Launch::default();
        let mut variables = Vec::new();
        for line in text.lines() {
            let Some((key, value)) = line.split_once(' ') else {
                continue;
            };
            let value = unescaped(value);
            match key {
                "home" => launch.java = Path::new(&value).join("bin").join("java"),
                "folder" => launch.folder = value.into(),
                "argument" => {
                    for key in ["--patch-module", "--module-path"] {
                        let paths = value
                            .strip_prefix(key)
                            .and_then(|rest| rest.strip_prefix('='));
                        let paths = paths.map(|paths| paths.rsplit('=').next().unwrap_or(paths));
                        launch
                            .paths
                            .extend(paths.into_iter().flat_map(std::env::split_paths));
                    }
                    let ours = value.starts_with("-javaagent:") && value.contains("fdc-agent.jar");
                    if !ours && !LEFT_OUT.iter().any(|start| value.starts_with(start)) {
                        launch.arguments.push(value);
                    }
                }
                "path" => launch.paths.push(value.into()),
                "property" => launch.properties.push(value),
                "variable" => {
                    let variable = value.split_once('=');
                    variables
                        .extend(variable.map(|(name, value)| (name.to_owned(), value.to_owned())));
                }
                _ => {}
            }
        }
        // The agent's own jars are given anew.
        let is_ours =
            |path: &PathBuf| path.ends_with("fdc-agent.jar") || path.ends_with("fdc-junit.jar");
        let mut known = std::collections::HashSet::new();
        launch
            .paths
            .retain(|path| !is_ours(path) && path.exists() && known.insert(path.clone()));
        // Jars of libraries may be below the root, too.
        let is_built = |path: &Path| {
            let below = path.strip_prefix(root).ok();
            let mut parts = below.into_iter().flat_map(Path::components);
            parts.any(|part| part.as_os_str() == "target" || part.as_os_str() == "build")
        };
        let own = launch.paths.iter();
        let own =
            own.filter(|path| path.is_dir() || is_built(path) || knows_names(path, &launch.paths));
        launch.project = own.cloned().collect();
        launch.variables = Some(variables);
        launch
    }

    /// The same in another copy of the project.
    pub(super) fn moved(&self, from: &Path, to: &Path) -> Self {
        let (from, to) = (from.to_string_lossy(), to.to_string_lossy());
        let text = |text: &String| text.replace(&*from, &to);
        let path = |path: &PathBuf| PathBuf::from(text(&path.to_string_lossy().into_owned()));
        let variable = |(name, value): &(String, String)| (name.clone(), text(value));
        let variables = self.variables.as_ref();
        Launch {
            java: self.java.clone(),
            folder: path(&self.folder),
            arguments: self.arguments.iter().map(text).collect(),
            paths: self.paths.iter().map(path).collect(),
            project: self.project.iter().map(path).collect(),
            properties: self.properties.iter().map(text).collect(),
            variables: variables.map(|all| all.iter().map(variable).collect()),
        }
    }

    /// The folder of the project that has the file of a class.
    pub(super) fn folder_of(&self, class: &str) -> Option<&Path> {
        let file = format!("{}.class", class.replace('.', "/"));
        let folders = self.project.iter().map(PathBuf::as_path);
        folders
            .into_iter()
            .find(|folder| folder.join(&file).is_file())
    }
}

/// Whether a library makes classes while it runs, and keeps them by their names: it must not stay when
/// the project's classes go. The newer Mockito gives each a name of its own.
fn knows_names(path: &Path, all: &[PathBuf]) -> bool {
    const LIBRARIES: &[&str] = &[
        "cglib",
        "easymock",
        "jmock",
        "mockito-all-1.",
        "mockito-core-1.",
        "objenesis",
    ];
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let is_newer = |path: &PathBuf| {
        let name = name(path);
        name.starts_with("mockito-core-") && !name.starts_with("mockito-core-1.")
    };
    let name = name(path);
    LIBRARIES.iter().any(|start| name.starts_with(start)) && !all.iter().any(is_newer)
}

/// The launch in whose own module a class is, else any that has it.
pub(super) fn home_of<'l>(
    launches: &'l [Launch],
    class: &str,
) -> Option<(usize, Option<&'l Path>)> {
    let having = launches.iter().enumerate().filter_map(|(at, launch)| {
        let folder = launch.folder_of(class)?;
        let near = match folder.starts_with(&launch.folder) {
            true => launch.folder.components().count(),
            false => 0,
        };
        Some((near, at, folder))
    });
    let best = having.max_by_key(|(near, at, _)| (*near, usize::MAX - at));
    match best {
        Some((_, at, folder)) => Some((at, Some(folder))),
        None if launches.len() == 1 => Some((0, None)),
        None => None,
    }
}

/// As the agent writes a plan's values.
fn unescaped(value: &str) -> String {
    let mut text = String::new();
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                other => text.extend(other),
            },
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_classes_by_their_names_goes_with_them() {
        let old = [
            "/m/mockito-core-1.9.5.jar",
            "/m/objenesis-1.0.jar",
            "/m/a.jar",
        ];
        let new = [
            "/m/mockito-core-5.2.0.jar",
            "/m/objenesis-3.3.jar",
            "/m/a.jar",
        ];
        for (paths, expected) in [(old, [true, true, false]), (new, [false; 3])] {
            let all = paths.map(PathBuf::from);
            let found = [0, 1, 2].map(|at| knows_names(&all[at], &all));
            assert_eq!(found, expected, "{all:?}");
        }
    }

    #[test]
    fn what_a_jvm_tells_of_its_start_is_what_another_one_needs() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        let classes = root.join("target/classes");
        std::fs::create_dir_all(&classes).unwrap();
        std::fs::write(folder.path().join("lib.jar"), "").unwrap();
        let (here, jar) = (classes.display(), folder.path().join("lib.jar"));
        let text = format!(
            "home /jdk\nfolder {root}\nargument -javaagent:/x/fdc-agent.jar\nargument -Xmx1g\n\
             argument --add-modules=a\nargument -Dhere={here}\npath {here}\npath {}\npath /gone.jar\n\
             property lines=a\\nb\\\\\nvariable HOME=/root\n",
            jar.display(),
            root = root.display(),
        );
        let launch = Launch::of_text(&text, &root);
        let expected = Launch {
            java: "/jdk/bin/java".into(),
            folder: root.clone(),
            arguments: vec!["-Xmx1g".into(), format!("-Dhere={here}")],
            paths: vec![classes.clone(), jar],
            project: vec![classes],
            properties: vec!["lines=a\nb\\".into()],
            variables: Some(vec![("HOME".into(), "/root".into())]),
        };
        assert_eq!(launch, expected);
        let moved = launch.moved(&root, Path::new("/copy"));
        assert_eq!(moved.arguments[1], "-Dhere=/copy/target/classes");
        assert_eq!(moved.project, [PathBuf::from("/copy/target/classes")]);
        assert_eq!(moved.paths[1], launch.paths[1]);
    }
}

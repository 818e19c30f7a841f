//! Finds the packages of a module or workspace and builds their test programs.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::arguments::Arguments;
use super::blocks::Packages;
use super::counters::{Counters, joined_file, names_joined_file};
use crate::error::{CollectError, Log};
use crate::process::{Group, log_to};
use crate::watch::Watch;

/// What `go list` says of a package.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Package {
    import_path: String,
    dir: PathBuf,
    name: String,
    module: Option<Module>,
    test_go_files: Vec<String>,
    #[serde(rename = "XTestGoFiles")]
    external_test_files: Vec<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Module {
    path: String,
    main: bool,
}

/// A test program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The package, as it starts the identities of its tests.
    pub package: String,
    /// The program.
    pub binary: PathBuf,
    /// Where it runs: the package's folder.
    pub folder: PathBuf,
    /// Where it keeps its counters, if that is known.
    pub counters: Option<Counters>,
}

/// All that was built.
#[derive(Debug, Default)]
pub struct Built {
    /// The test programs, by package.
    pub programs: Vec<Program>,
    /// All packages of the project.
    pub packages: Packages,
    /// The packages that could not be built, and the compiler's words.
    pub failures: Vec<(String, String)>,
}

/// Runs the go command for one project.
pub struct Toolchain<'t> {
    /// The project's root.
    pub root: &'t Path,
    /// A folder for what is built.
    pub work: &'t Path,
    /// What the user adds.
    pub arguments: &'t Arguments,
}

impl Toolchain<'_> {
    /// Builds the test programs of all packages that have tests.
    pub fn build(&self, watch: &dyn Watch) -> Result<Built, CollectError> {
        std::fs::create_dir_all(self.work).map_err(CollectError::io(self.work, "make it"))?;
        let modules = self.modules(watch)?;
        let patterns: Vec<String> = modules.iter().map(|path| format!("{path}/...")).collect();
        let all = self.list(&patterns, watch)?;
        let mut packages = Packages::new();
        for package in &all {
            if let Some(folder) = self.folder_of(package) {
                packages.insert(package.import_path.clone(), folder);
            }
        }
        let tested = match self.arguments.packages.as_slice() {
            [] => all,
            chosen => self.list(chosen, watch)?,
        };
        let mut tested: Vec<(String, Package)> = tested
            .into_iter()
            .filter(Package::has_tests)
            .filter_map(|package| Some((self.folder_of(&package)?, package)))
            .collect();
        tested.sort_by(|a, b| a.0.cmp(&b.0));
        let measured = self.arguments.measured.clone();
        let measured = measured.unwrap_or_else(|| patterns.join(","));
        let built = self.build_tests(&tested, &measured, watch)?;
        Ok(Built { packages, ..built })
    }

    /// The modules that the root belongs to or joins.
    fn modules(&self, watch: &dyn Watch) -> Result<Vec<String>, CollectError> {
        let text = self.ask(&["list", "-m", "-json"], &[], watch)?;
        let modules = stream::<Module>(&text)?.into_iter();
        let main = modules.filter(|module| module.main && !module.path.is_empty());
        Ok(main.map(|module| module.path).collect())
    }

    fn list(&self, patterns: &[String], watch: &dyn Watch) -> Result<Vec<Package>, CollectError> {
        const FIELDS: &str = "-json=ImportPath,Dir,Name,Module,TestGoFiles,XTestGoFiles";
        let mut arguments = vec!["list", "-e", FIELDS];
        arguments.extend(self.arguments.build.iter().map(String::as_str));
        arguments.push("--");
        let text = self.ask(&arguments, patterns, watch)?;
        stream(&text)
    }

    /// A package's folder relative to the root; none if it is not ours.
    fn folder_of(&self, package: &Package) -> Option<String> {
        let own = package.module.as_ref().is_some_and(|module| module.main);
        let folder = package.dir.strip_prefix(self.root).ok()?;
        own.then(|| folder.to_string_lossy().into_owned())
    }

    fn build_tests(
        &self,
        tested: &[(String, Package)],
        measured: &str,
        watch: &dyn Watch,
    ) -> Result<Built, CollectError> {
        let overlay = self.overlay(tested)?;
        let mut built = Built::default();
        // One go command names programs by the last element of the import path.
        let mut rounds: BTreeMap<usize, Vec<(usize, PathBuf)>> = BTreeMap::new();
        let mut taken: HashMap<String, usize> = HashMap::new();
        for (at, (_, package)) in tested.iter().enumerate() {
            let name = program_name(&package.import_path);
            let round = taken.entry(name.clone()).or_default();
            let binary = self.work.join(format!("round-{round}")).join(name);
            rounds.entry(*round).or_default().push((at, binary));
            *round += 1;
        }
        for (round, programs) in rounds {
            let folder = self.work.join(format!("round-{round}"));
            std::fs::create_dir_all(&folder).map_err(CollectError::io(&folder, "make it"))?;
            let paths: Vec<&str> = programs
                .iter()
                .map(|(at, _)| tested[*at].1.import_path.as_str())
                .collect();
            let out = format!("{}/", folder.display());
            let log = self.log(&format!("build-{round}.log"));
            self.compile(&out, &paths, measured, overlay.as_deref(), &log, watch)?;
            for (at, binary) in programs {
                let (folder, package) = &tested[at];
                if !binary.is_file()
                    && let Err(words) =
                        self.compile_alone(package, &binary, measured, overlay.as_deref(), watch)?
                {
                    built.failures.push((package.import_path.clone(), words));
                    continue;
                }
                built.programs.push(Program {
                    package: if folder.is_empty() { "." } else { folder }.to_owned(),
                    counters: overlay.as_ref().and_then(|_| Counters::of(&binary)),
                    binary,
                    folder: package.dir.clone(),
                });
            }
        }
        built.programs.sort_by(|a, b| a.package.cmp(&b.package));
        built.failures.sort();
        Ok(built)
    }

    /// One package by itself: it failed among others, and its own words are wanted.
    fn compile_alone(
        &self,
        package: &Package,
        binary: &Path,
        measured: &str,
        overlay: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<Result<(), String>, CollectError> {
        let out = binary.to_string_lossy();
        let paths = [package.import_path.as_str()];
        let mut words = String::new();
        for overlay in [overlay, None] {
            let log = self.log("build-alone.log");
            // Best effort: an older log only makes the words longer.
            let _ = std::fs::remove_file(&log.path);
            if self.compile(&out, &paths, measured, overlay, &log, watch)? && binary.is_file() {
                return Ok(Ok(()));
            }
            words = log.last_lines(15).join("\n    ");
            if overlay.is_none() || !names_joined_file(&words) {
                break;
            }
        }
        Ok(Err(words))
    }

    fn compile(
        &self,
        out: &str,
        packages: &[&str],
        measured: &str,
        overlay: Option<&Path>,
        log: &Log,
        watch: &dyn Watch,
    ) -> Result<bool, CollectError> {
        let mut command = self.command();
        command.args(["test", "-c"]);
        command
            .arg(format!("-coverpkg={measured}"))
            .args(["-o", out]);
        command.args(&self.arguments.build);
        if let Some(overlay) = overlay {
            command.arg(format!("-overlay={}", overlay.display()));
        }
        command.args(packages);
        log_to(&mut command, &log.path)?;
        wait(&mut command, watch)
    }

    /// Lets a file of ours join the test packages.
    fn overlay(&self, tested: &[(String, Package)]) -> Result<Option<PathBuf>, CollectError> {
        let flags = std::env::var("GOFLAGS").unwrap_or_default();
        if self.arguments.has_overlay() || flags.contains("-overlay") {
            return Ok(None);
        }
        let mut replace = BTreeMap::new();
        for (at, (_, package)) in tested.iter().enumerate() {
            // The outer test package is loaded last.
            let name = match package.external_test_files.is_empty() {
                true => package.name.clone(),
                false => format!("{}_test", package.name),
            };
            let (path, text) = joined_file(&package.dir, &name);
            let source = self.work.join(format!("joined-{at}.go"));
            write(&source, &text)?;
            replace.insert(path, source);
        }
        let overlay = self.work.join("overlay.json");
        write(
            &overlay,
            &serde_json::json!({ "Replace": replace }).to_string(),
        )?;
        Ok(Some(overlay))
    }

    fn ask(
        &self,
        arguments: &[&str],
        patterns: &[String],
        watch: &dyn Watch,
    ) -> Result<String, CollectError> {
        let answer = self.work.join("answer.json");
        let log = self.log("list.log");
        let mut command = self.command();
        command.args(arguments).args(patterns);
        log_to(&mut command, &log.path)?;
        let file = std::fs::File::create(&answer).map_err(CollectError::io(&answer, "write it"))?;
        command.stdout(file);
        if !wait(&mut command, watch)? {
            let message = format!("go {} failed", arguments[0]);
            return Err(CollectError::failed(message, &log));
        }
        std::fs::read_to_string(&answer).map_err(CollectError::io(&answer, "read it"))
    }

    /// The go command, in the root.
    pub fn command(&self) -> Command {
        let mut command = Command::new("go");
        command.current_dir(self.root).env("PWD", self.root);
        command
    }

    fn log(&self, name: &str) -> Log {
        let path = self.work.join(name);
        Log { path }
    }
}

impl Package {
    fn has_tests(&self) -> bool {
        !self.test_go_files.is_empty() || !self.external_test_files.is_empty()
    }
}

/// Runs a command to its end; whether it succeeded.
pub fn wait(command: &mut Command, watch: &dyn Watch) -> Result<bool, CollectError> {
    use crate::process::Ending;
    let program = PathBuf::from(command.get_program());
    let mut group = Group::spawn(command).map_err(CollectError::io(&program, "start it"))?;
    let ending = group.wait(None, &|| watch.asked_to_stop());
    match ending.map_err(CollectError::io(&program, "wait for it"))? {
        Ending::By(status) => Ok(status.success()),
        Ending::TimedOut | Ending::Stopped => Err(CollectError::Interrupted),
    }
}

fn stream<'t, T: Deserialize<'t>>(text: &'t str) -> Result<Vec<T>, CollectError> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values.collect::<Result<_, _>>().map_err(|error| {
        let message = format!("go list: expected JSON, found another thing: {error}");
        CollectError::tool(message, "is `go` on the PATH the go command?")
    })
}

fn write(path: &Path, text: &str) -> Result<(), CollectError> {
    std::fs::write(path, text).map_err(CollectError::io(path, "write it"))
}

/// What `go test -c` calls the test program of a package.
fn program_name(import_path: &str) -> String {
    let mut elements = import_path.rsplit('/');
    let last = elements.next().unwrap_or_default();
    let is_version = last.strip_prefix('v').is_some_and(|digits| {
        !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0')
            && digits != "1"
    });
    let name = match elements.next() {
        Some(before) if is_version => before,
        _ => last,
    };
    format!("{name}.test")
}

#[cfg(test)]
mod tests {
    use super::program_name;

    #[test]
    fn programs_are_named_as_go_does() {
        for (path, name) in [
            ("example.org/a", "a.test"),
            ("example.org/a/v2", "a.test"),
            ("example.org/a/v1", "v1.test"),
            ("example.org/a/v0", "v0.test"),
            ("example.org/yaml.v3", "yaml.v3.test"),
            ("v2", "v2.test"),
        ] {
            assert_eq!(program_name(path), name, "{path}");
        }
    }
}

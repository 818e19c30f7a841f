//! Mutants of a Java project: most are compiled in all at once, and the others one by one, by the
//! compiler alone; JVMs like those of the build try them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::javac::{Complaint, Javac};
use super::launch::{Launch, home_of};
use super::trials::Trials;
use super::{How, JUnit};
use crate::error::{Cause, Result, RunError};
use crate::mutate::{
    Attempted, Place, Program, Served, ServedGround, Server, WovenSources, copy_project, folder_of,
    relative_to,
};
use crate::process::{empty_folder, make_folder, write_file};
use crate::watch::Watch;

/// After so many tries whole files are left out, then we give up.
const BY_PLACE: usize = 10;
const ROUNDS: usize = 16;
/// More JVMs than these rest.
const AT_WORK: usize = 3;

struct ServedJUnit {
    ground: ServedGround,
    launches: Vec<Launch>,
    jars: [PathBuf; 2],
    woven: Vec<PathBuf>,
    javac: Mutex<Javac>,
    builds: bool,
}

pub(super) fn open(
    ground: ServedGround,
    sources: &mut WovenSources,
    watch: &dyn Watch,
) -> Result<Option<Box<dyn Served>>> {
    let junit = JUnit::of(&ground.options)?;
    let work = ground.work.join("served");
    make_folder(&work)?;
    let builds = matches!(junit.how, How::Build(_));
    let mut launches = Launch::all(&junit, &work, watch)?;
    let Some(java) = launches.first().map(|launch| launch.java.clone()) else {
        return Ok(None);
    };
    let jars = junit.agent.jars(&work)?;
    for launch in &mut launches {
        launch.paths.push(jars[1].clone());
    }
    let mut javac = Javac::start(&java, &jars, &work)?;
    let woven = match compiles(&ground, &launches, &mut javac, &work, watch) {
        Ok(true) => {
            sources.write_below(&work.join("sources"));
            weave(&launches, &mut javac, sources, &work, watch)
        }
        Ok(false) => Ok(None),
        Err(error) => Err(error),
    };
    let woven = match woven {
        Ok(Some(woven)) => woven,
        Ok(None) if builds => return Ok(None),
        Err(error) if builds || error.cause() != Some(Cause::Tool) => return Err(error),
        _ => {
            let message = "the project's sources cannot be compiled on this class path";
            let hint = "name a JDK with --java and all that the sources need with --classpath, \
                        or use a project with Maven or Gradle";
            return Err(RunError::usage(message, hint));
        }
    };
    Ok(Some(Box::new(ServedJUnit {
        ground,
        launches,
        jars,
        woven,
        javac: Mutex::new(javac),
        builds,
    })))
}

/// Files by the launch and the folder of classes that they belong to, with their classes; none if there
/// is one that belongs nowhere.
type Groups<'l> = BTreeMap<(usize, Option<&'l Path>), Vec<(String, PathBuf)>>;

fn grouped<'l>(
    launches: &'l [Launch],
    files: impl Iterator<Item = (String, PathBuf)>,
) -> Option<Groups<'l>> {
    let mut groups = Groups::new();
    for (class, file) in files {
        let home = home_of(launches, &class)?;
        groups.entry(home).or_default().push((class, file));
    }
    Some(groups)
}

/// Whether the compiler alone takes the files as they are: else its complaints tell nothing of mutants.
fn compiles(
    ground: &ServedGround,
    launches: &[Launch],
    javac: &mut Javac,
    work: &Path,
    watch: &dyn Watch,
) -> Result<bool> {
    let files = ground.files.iter().map(|path| {
        let file = ground.options.root.join(path);
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        (class_of(path, &text), file)
    });
    let Some(groups) = grouped(launches, files) else {
        return Ok(false);
    };
    for ((launch, _), files) in groups {
        let like = files[0].0.clone();
        let files: Vec<PathBuf> = files.into_iter().map(|(_, file)| file).collect();
        let (launch, out) = (&launches[launch], work.join("plain"));
        let found = javac.compile(launch, &like, &files, &out, &|| watch.asked_to_stop())?;
        if found.is_none_or(|errors| !errors.is_empty()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compiles the sources with all mutants, without those that the compiler refuses; the folders of
/// classes, none if that does not succeed.
fn weave(
    launches: &[Launch],
    javac: &mut Javac,
    sources: &mut WovenSources,
    work: &Path,
    watch: &dyn Watch,
) -> Result<Option<Vec<PathBuf>>> {
    let stop = || watch.asked_to_stop();
    for round in 0..ROUNDS {
        sources.write()?;
        let files = sources.paths().map(|path| {
            let text = sources.text_of(path).unwrap_or_default();
            (class_of(path, text), sources.root.join(path))
        });
        let Some(groups) = grouped(launches, files) else {
            return Ok(None);
        };
        let (mut folders, mut errors) = (Vec::new(), Vec::new());
        for (at, ((launch, _), files)) in groups.into_iter().enumerate() {
            let out = work.join(format!("woven-{at}"));
            let like = files[0].0.clone();
            let files: Vec<PathBuf> = files.into_iter().map(|(_, file)| file).collect();
            let Some(found) = javac.compile(&launches[launch], &like, &files, &out, &stop)? else {
                return Ok(None);
            };
            errors.extend(found.iter().filter_map(|one| place(one, sources)));
            if !found.is_empty() && errors.is_empty() {
                return Ok(None);
            }
            folders.push(out);
        }
        if errors.is_empty() {
            return Ok(Some(folders));
        }
        if !sources.leave_out_blamed(&errors, round < BY_PLACE) {
            return Ok(None);
        }
    }
    Ok(None)
}

/// The class that a file of Java is named after.
fn class_of(path: &str, text: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = name.strip_suffix(".java").unwrap_or(name);
    let package = text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("package ")?;
        Some(rest.split(';').next()?.trim().to_owned())
    });
    match package {
        Some(package) => format!("{package}.{name}"),
        None => name.to_owned(),
    }
}

/// In bytes, where Java counts in units of UTF-16.
fn place((file, place): &Complaint, sources: &WovenSources) -> Option<Vec<Place>> {
    let path = relative_to(&sources.root, &sources.root, &file.to_string_lossy())?;
    let text = sources.text_of(&path)?;
    let (mut units, mut bytes) = (0, 0);
    let mut at = |goal: usize| {
        while units < goal {
            let Some(letter) = text[bytes..].chars().next() else {
                break;
            };
            units += letter.len_utf16();
            bytes += letter.len_utf8();
        }
        bytes
    };
    let start = at(place.start);
    let end = at(place.end.max(place.start));
    Some(vec![(path, start..end)])
}

impl Served for ServedJUnit {
    fn server(&self, job: usize) -> Result<Box<dyn Server + '_>> {
        let root = &self.ground.options.root;
        let folder = folder_of(&self.ground.work, job);
        let own = folder.join("project");
        if job > 0 {
            copy_project(root, &own, &[])?;
        }
        let own = own.canonicalize().unwrap_or(own);
        let mut trials = Vec::new();
        for (at, launch) in self.launches.iter().enumerate() {
            let of_launch = |(test, _): &&(String, Duration)| {
                let class = test.split(['#', '[']).next().unwrap_or(test);
                home_of(&self.launches, class).is_some_and(|(home, _)| home == at)
            };
            let tests: Vec<_> = self
                .ground
                .tests
                .iter()
                .filter(of_launch)
                .cloned()
                .collect();
            trials.push(Trials::new(
                launch.moved(root, &own),
                self.jars.clone(),
                self.woven.clone(),
                &tests,
                folder.join(format!("jvm-{at}")),
            ));
        }
        Ok(Box::new(ServerJUnit {
            of: self,
            trials,
            folder,
        }))
    }

    fn builds(&self) -> bool {
        self.builds
    }
}

struct ServerJUnit<'s> {
    of: &'s ServedJUnit,
    trials: Vec<Trials>,
    folder: PathBuf,
}

impl ServerJUnit<'_> {
    fn own_classes(&self) -> PathBuf {
        self.folder.join("classes")
    }
}

impl Server for ServerJUnit<'_> {
    fn build(&mut self, path: &str, text: &str, stop: &(dyn Fn() -> bool + Sync)) -> Result<bool> {
        let folder = self.folder.join("source");
        empty_folder(&folder)?;
        let file = folder.join(path.rsplit('/').next().unwrap_or(path));
        write_file(&file, text)?;
        let class = class_of(path, text);
        let Some((home, _)) = home_of(&self.of.launches, &class) else {
            return Ok(false);
        };
        let mut javac = self.of.javac.lock().unwrap_or_else(PoisonError::into_inner);
        let (launch, out) = (&self.of.launches[home], self.own_classes());
        match javac.compile(launch, &class, &[file], &out, stop)? {
            Some(errors) => Ok(errors.is_empty()),
            None => {
                let message = "the compiler has ended";
                Err(RunError::tool(message, "run the same command again"))
            }
        }
    }

    fn attempt(
        &mut self,
        program: Program,
        tests: &[&str],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Attempted> {
        let own = self.own_classes();
        let (mutant, own) = match program {
            Program::Plain => (0, None),
            Program::Switched(mutant) => (mutant, None),
            Program::Built => (0, Some(&*own)),
        };
        let mut all = Attempted::default();
        for at in 0..self.trials.len() {
            let ended = self.trials[at].attempt(mutant, own, tests, stop)?;
            all.failed.extend(ended.failed);
            all.passed.extend(ended.passed);
            all.hung |= ended.hung;
            all.crashed |= ended.crashed;
            let at_work = self.trials.iter().filter(|trials| trials.runs()).count();
            if at_work > AT_WORK {
                self.trials[at].rest();
            }
            if all.hung || all.crashed {
                break;
            }
        }
        Ok(all)
    }
}

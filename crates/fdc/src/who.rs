//! who: the tests that ran a place of the program.

use std::path::{Path, PathBuf};

use fdc_case::Case;
use fdc_collect::affected::is_file;
use fdc_core::naming::nearest;
use fdc_core::{Outcome, Spectrum};
use fdc_source::Sources;
use serde::Serialize;

use crate::error::{Failure, FailureKind, Result};
use crate::input::roots;

/// Which place of which case.
#[derive(Debug)]
pub struct WhoRequest {
    /// The case file.
    pub case: PathBuf,
    /// `FILE:LINE`, `FILE:FIRST-LAST`, a file, or a method.
    pub place: String,
    /// The project's root; where the case was collected, if left out.
    pub source: Option<PathBuf>,
}

/// Who ran it.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct WhoReply {
    /// The place, as the case names it.
    pub place: String,
    /// Lines there that some test could run.
    pub lines: usize,
    /// Tests of the case.
    pub all: usize,
    /// Those that ran a line there: failing ones first, then by name.
    pub tests: Vec<RunningTest>,
    /// What a person should know.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// A test that ran the place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunningTest {
    /// Its id.
    pub name: String,
    /// How it ended, or how a person judged it; none if that is not known.
    pub outcome: Option<&'static str>,
    /// How many lines of the place it ran.
    pub lines: usize,
}

/// Who ran the place.
pub fn who(request: &WhoRequest) -> Result<WhoReply> {
    let case = Case::open(&request.case)?;
    let spectrum = case.spectrum()?;
    let sources = roots(&case, request.source.as_deref())?.project;
    let root = sources.as_ref().map(Sources::root);
    let place = Place::of(&spectrum, root, &request.place)?;
    let mut notes: Vec<String> = case.interruption()?.into_iter().collect();
    if let (Some(file), Some(sources)) = (&place.file, &sources)
        && sources.read(file).is_some_and(|source| source.newer)
    {
        notes.push(format!(
            "{file} has changed since the case was measured: lines are counted as they were then"
        ));
    }
    let coverage = &spectrum.coverage;
    let mut tests: Vec<(bool, RunningTest)> = Vec::new();
    for (id, test) in coverage.tests().zip(&spectrum.tests) {
        let row = coverage.row(id);
        let ran = |element: &&u32| row.contains(coverage.column_of(**element as usize));
        let lines = place.elements.iter().filter(ran).count();
        if lines > 0 {
            let outcome = test.verdict().map(|verdict| verdict.outcome);
            let runner = RunningTest {
                name: test.name.clone(),
                outcome: outcome.map(Outcome::name),
                lines,
            };
            tests.push((outcome != Some(Outcome::Fail), runner));
        }
    }
    tests.sort_by(|one, other| (one.0, &one.1.name).cmp(&(other.0, &other.1.name)));
    Ok(WhoReply {
        place: place.name,
        lines: place.elements.len(),
        all: spectrum.tests.len(),
        tests: tests.into_iter().map(|(_, runner)| runner).collect(),
        notes,
    })
}

/// A place that was found.
struct Place {
    name: String,
    file: Option<String>,
    elements: Vec<u32>,
}

impl Place {
    fn of(spectrum: &Spectrum, root: Option<&Path>, place: &str) -> Result<Self> {
        let program = &spectrum.program;
        let (name, lines) = match place.rsplit_once(':').map(|(f, l)| (f, range(l))) {
            Some((file, Some(lines))) => (file, Some(lines)),
            _ => (place, None),
        };
        let all = program.elements.iter().zip(0u32..);
        if let Some(file) = file_named(&program.files, root, name)? {
            let (first, last) = lines.unwrap_or((0, u32::MAX));
            let here = all.filter(|(element, _)| {
                let own = program.methods[element.method.index()].file as usize;
                own == file && (first..=last).contains(&element.line)
            });
            let path = &program.files[file];
            let whole = match lines {
                None => path.clone(),
                Some((first, last)) if first == last => format!("{path}:{first}"),
                Some((first, last)) => format!("{path}:{first}-{last}"),
            };
            return Ok(Place {
                name: whole,
                file: Some(path.clone()),
                elements: here.map(|(_, id)| id).collect(),
            });
        }
        if lines.is_some() {
            return Err(unknown(
                "file",
                name,
                program.files.iter().map(|file| &**file),
            ));
        }
        let methods = method_named(spectrum, place);
        let Some(&first) = methods.first() else {
            let files = program.files.iter().map(|file| &**file);
            let names = program.methods.iter().map(|method| &*method.name);
            return Err(unknown("file or method", place, files.chain(names)));
        };
        if methods.len() > 1 {
            let names = methods.iter().take(5).map(|&m| &*program.methods[m].name);
            let names: Vec<&str> = names.collect();
            let message = format!("{} methods are called {place:?}", methods.len());
            return Err(Failure::new(FailureKind::UnknownName, message)
                .hint(format!("name one in full: {}", names.join(", "))));
        }
        let own = all.filter(|(element, _)| element.method.index() == first);
        let method = &program.methods[first];
        Ok(Place {
            name: method.name.clone(),
            file: Some(program.files[method.file as usize].clone()),
            elements: own.map(|(_, id)| id).collect(),
        })
    }
}

fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once('-') {
        Some((first, last)) => {
            let (first, last) = (first.parse().ok()?, last.parse().ok()?);
            Some((first, last)).filter(|(first, last)| first <= last)
        }
        None => text.parse().ok().map(|line| (line, line)),
    }
}

/// By its path, the end of its path, or a path below the root that leads there.
fn file_named(files: &[String], root: Option<&Path>, name: &str) -> Result<Option<usize>> {
    let path = Path::new(name).canonicalize().ok();
    let below = path.as_deref().zip(root);
    let below = below.and_then(|(path, root)| path.strip_prefix(root).ok());
    let below = below.and_then(Path::to_str).map(str::to_owned);
    let exact = |wanted: &str| files.iter().position(|file| is_file(file, wanted));
    let by_path = below.as_deref().and_then(exact).or_else(|| exact(name));
    if by_path.is_some() {
        return Ok(by_path);
    }
    let end = format!("/{}", name.trim_start_matches("./"));
    let ending: Vec<usize> = (0..files.len())
        .filter(|&at| files[at].ends_with(&end))
        .collect();
    match ending.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(*one)),
        several => {
            let names = several.iter().take(5).map(|&at| &*files[at]);
            let names: Vec<&str> = names.collect();
            let message = format!("{} files end in {name:?}", several.len());
            Err(Failure::new(FailureKind::UnknownName, message)
                .hint(format!("name one in full: {}", names.join(", "))))
        }
    }
}

/// Methods of that name: in full, or from the beginning of a part of it on.
fn method_named(spectrum: &Spectrum, name: &str) -> Vec<usize> {
    let methods = &spectrum.program.methods;
    let places = 0..methods.len();
    let exact: Vec<usize> = places
        .clone()
        .filter(|&m| methods[m].name == name)
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_end = |full: &str| {
        let bare = full.split('(').next().unwrap_or_default();
        [full, bare].into_iter().any(|full| {
            let before = full.strip_suffix(name);
            before.is_some_and(|before| before.ends_with(['.', ':', '#', '$', '/']))
        })
    };
    places.filter(|&m| is_end(&methods[m].name)).collect()
}

fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Failure {
    let failure = Failure::new(
        FailureKind::UnknownName,
        format!("the case has no {what} {name:?}"),
    );
    match nearest(name, known) {
        Some(near) => failure.hint(format!("did you mean {near:?}?")),
        None => failure.hint("`fdc rank CASE --level file` lists files that were measured"),
    }
}

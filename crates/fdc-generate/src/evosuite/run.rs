//! EvoSuite's runs, one class after the other.

use std::ffi::OsStr;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fdc_case::write_whole;
use fdc_collect::process::{Group, end_orphan, log_to, status_text};
use serde::{Deserialize, Serialize};

use super::tools::Tools;
use crate::error::GenerateError;
use crate::folder::{Folder, empty};
use crate::java::files_ending;
use crate::options::{Budget, Criterion, Level, Options};
use crate::report::Event;
use crate::share::Share;
use crate::summary::{self, Unit};
use crate::target::Target;
use fdc_collect::Watch;

/// What all runs share.
pub struct Search<'a> {
    pub tools: &'a Tools,
    pub options: &'a Options,
    pub class_path: &'a OsStr,
    pub target: &'a Target,
    pub folder: &'a Folder,
}

/// How long EvoSuite may take around the search before it is ended.
const AROUND: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(100);
/// A round at test level, at the most.
const ROUND_SECONDS: f64 = 2.0;
/// And at the least: fewer are no search.
const ROUND_GENERATIONS: u64 = 5;
const ROUNDS: u64 = 10;
const GUIDE: &str = "guide.properties";
const PROCESS: &str = "process";
const REPORT: &str = "rounds.jsonl";
const KEPT: &str = "kept.rows";

/// Where a class's tests are written.
pub fn made(folder: &Folder, class: &str) -> PathBuf {
    folder.work("made").join(class)
}

/// A class that is done: what its search did, and how long the files were then.
#[derive(Serialize, Deserialize)]
struct Done {
    search: summary::Search,
    report: u64,
    kept: u64,
}

impl Search<'_> {
    /// Runs EvoSuite for every class that is not done yet.
    pub fn all(&self, shares: &[Share], watch: &dyn Watch) -> Result<Vec<Unit>, GenerateError> {
        self.end_orphan();
        let (mut report, mut kept) = (0, 0);
        let mut units = Vec::new();
        for (number, share) in shares.iter().enumerate() {
            let marker = self.marker(share);
            let done = std::fs::read(&marker).ok();
            let done = done.and_then(|text| serde_json::from_slice::<Done>(&text).ok());
            let done = match done {
                Some(done) => done,
                None => {
                    // What a run that was ended left behind belongs to no class.
                    cut(&self.folder.at(REPORT), report)?;
                    cut(&self.folder.at(KEPT), kept)?;
                    let place = format!("class {} of {}", number + 1, shares.len());
                    let done = self.one(share, &place, report, watch)?;
                    let text = serde_json::to_vec(&done).expect("plain data becomes JSON");
                    write_whole(&marker, |out| out.write_all(&text))?;
                    done
                }
            };
            (report, kept) = (done.report, done.kept);
            units.push(Unit {
                name: share.class.clone(),
                search: Some(done.search),
                ..Unit::default()
            });
        }
        let failed = |unit: &Unit| unit.search.as_ref().is_some_and(|s| s.problem.is_some());
        if let Some(first) = units.first().filter(|_| units.iter().all(failed)) {
            let problem = first.search.as_ref().and_then(|s| s.problem.clone());
            let message = format!("EvoSuite made no tests: {}", problem.unwrap_or_default());
            let hint = format!(
                "its words are in {}; the same command tries again",
                self.folder.at("logs").display()
            );
            for share in shares {
                // Best effort: without it the next try ends here at once.
                let _ = std::fs::remove_file(self.marker(share));
            }
            return Err(GenerateError::tool(message, hint));
        }
        Ok(units)
    }

    fn marker(&self, share: &Share) -> PathBuf {
        self.folder.work(&format!("{}.done", share.class))
    }

    fn one(
        &self,
        share: &Share,
        place: &str,
        report_from: u64,
        watch: &dyn Watch,
    ) -> Result<Done, GenerateError> {
        let out = made(self.folder, &share.class);
        empty(&out)?;
        let unit = match self.options.budget {
            Budget::Seconds(_) => "s",
            Budget::Generations(_) => "generations",
        };
        let budget = format!("{} {unit}", share.units);
        watch.note(&format!("{place}: {}, {budget}", share.class));
        let title = format!("{place}: {}", share.class);
        let steps = match self.options.budget {
            Budget::Seconds(_) => share.units,
            Budget::Generations(_) => 0,
        };
        watch.stage(&title, steps);
        let log = self.folder.log(&share.class);
        // The log of an earlier try would be taken for this one's.
        std::fs::write(&log, "").map_err(GenerateError::io(&log, "write it"))?;
        let mut command = self.command(share, &out)?;
        log_to(&mut command, &log)?;
        let mut process = Group::spawn(&mut command).map_err(|error| {
            let message = format!("cannot run {}: {error}", self.tools.java.display());
            GenerateError::tool(message, "check the Java 8 that was named")
        })?;
        // For the next fdc, should this one be killed.
        let number = self.folder.work(PROCESS);
        std::fs::write(&number, process.id().to_string())
            .map_err(GenerateError::io(&number, "write it"))?;
        let begun = Instant::now();
        let limit = match self.options.budget {
            Budget::Seconds(_) => Some(Duration::from_secs(share.units) + AROUND),
            Budget::Generations(_) => None,
        };
        let mut follower = Follower::new(self.folder.at(REPORT), report_from);
        let mut problem = None;
        loop {
            let ended = process.ended().map_err(GenerateError::io(&log, "wait"))?;
            follower.read();
            if let Some(status) = ended {
                if !status.success() {
                    problem = Some(format!("EvoSuite ended with {}", status_text(status)));
                }
                break;
            }
            if watch.asked_to_stop() {
                process.kill();
                return Err(GenerateError::Interrupted);
            }
            if limit.is_some_and(|limit| begun.elapsed() > limit) {
                process.kill();
                problem = Some("EvoSuite did not end in time".to_owned());
                break;
            }
            let seconds = begun.elapsed().as_secs();
            watch.at(seconds.min(share.units), &follower.words(seconds, steps));
            std::thread::sleep(PAUSE);
        }
        let written = files_ending(&out, ".java");
        if problem.is_none() && written.is_empty() {
            problem = Some("EvoSuite wrote no tests".to_owned());
        }
        if let Some(problem) = &mut problem {
            if let Some(reason) = reason(&log) {
                *problem = format!("{problem}: {reason}");
            }
            problem.push_str(&format!(" (logs/{}.log)", share.class));
        }
        let mut search = follower.search;
        search.methods = share.methods;
        search.problem = problem;
        match self.options.budget {
            Budget::Seconds(_) => search.seconds = Some(share.units as f64),
            Budget::Generations(_) => search.generations = Some(share.units),
        }
        Ok(Done {
            search,
            report: length(&self.folder.at(REPORT)),
            kept: length(&self.folder.at(KEPT)),
        })
    }

    fn command(&self, share: &Share, out: &Path) -> Result<Command, GenerateError> {
        let mut command = Command::new(&self.tools.java);
        command.arg("-cp").arg(&self.tools.class_path);
        command.args(["org.evosuite.EvoSuite", "-class", &share.class]);
        command.arg("-projectCP").arg(self.class_path);
        // Java has no unsigned numbers.
        let seed = (self.options.seed as i64).to_string();
        command.args(["-seed", &seed, "-mem", "1500"]);
        let property = |name: &str, path: &Path| {
            let mut text = std::ffi::OsString::from(format!("-D{name}="));
            text.push(path);
            text
        };
        command.arg(property("test_dir", out));
        command.arg(property("report_dir", &self.folder.work("report")));
        command.args(FLAGS.map(|flag| format!("-D{flag}")));
        match (&self.options.criterion, self.options.level) {
            (Criterion::Line, _) => command.args(["-generateSuite", "-criterion", "LINE"]),
            (Criterion::Metric(_), Level::Suite) => {
                command.args(["-generateSuite", "-criterion", "RHO"])
            }
            (Criterion::Metric(_), Level::Test) => {
                command.args(["-generateTests", "-criterion", "RHO", "-Dstrategy=ENTBUG"])
            }
        };
        if let Budget::Generations(_) = self.options.budget {
            command.arg("-Dstopping_condition=MaxGenerations");
            // Otherwise it ends after two minutes, however many generations there were.
            command.arg("-Dglobal_timeout=86400");
        }
        command.arg(format!("-Dsearch_budget={}", share.units));
        if let Criterion::Metric(metric) = &self.options.criterion {
            self.guide(metric, share)?;
        }
        command
            .env("FDC_GUIDE", self.folder.work(GUIDE))
            .env("JAVA_HOME", &self.tools.home)
            .env_remove("JAVA_TOOL_OPTIONS")
            .current_dir(self.folder.fresh("run-evosuite")?);
        Ok(command)
    }

    /// Writes what the search is told.
    fn guide(&self, metric: &str, share: &Share) -> Result<(), GenerateError> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut entries = vec![
            ("case", path(self.target.case())),
            ("failing", self.target.failing_name().to_owned()),
            ("metric", metric.to_owned()),
            ("kept", path(&self.folder.at(KEPT))),
            ("report", path(&self.folder.at(REPORT))),
        ];
        entries.extend(self.tools.library.as_deref().map(|p| ("library", path(p))));
        entries.extend(self.options.model.as_deref().map(|p| ("model", path(p))));
        entries.push(match self.options.budget {
            Budget::Seconds(_) => {
                let seconds = (share.units as f64 / ROUNDS as f64).min(ROUND_SECONDS);
                ("round_seconds", seconds.to_string())
            }
            Budget::Generations(_) => {
                let generations = (share.units / ROUNDS).max(ROUND_GENERATIONS);
                ("round_generations", generations.to_string())
            }
        });
        let file = self.folder.work(GUIDE);
        let text = entries
            .iter()
            .map(|(key, value)| format!("{key}={}\n", escaped(value)));
        let text: String = text.collect();
        std::fs::write(&file, text).map_err(GenerateError::io(&file, "write it"))
    }

    /// Ends the EvoSuite that an fdc which was killed has left at work in this folder.
    fn end_orphan(&self) {
        let id = std::fs::read_to_string(self.folder.work(PROCESS)).unwrap_or_default();
        if let Ok(id) = id.parse() {
            end_orphan(id, &self.folder.work(""));
        }
    }
}

/// What holds at all levels and for all criteria: tests that run on any JVM, as they were searched.
const FLAGS: [&str; 17] = [
    "show_progress=false",
    "sandbox=false",
    "instrument_context=true",
    "test_archive=false",
    "timeout=2000",
    "minimize=false",
    "assertion_strategy=ALL",
    "no_runtime_dependency=true",
    "test_scaffolding=false",
    "replace_calls=false",
    "virtual_fs=false",
    "virtual_net=false",
    "replace_system_in=false",
    "replace_gui=false",
    "p_functional_mocking=0",
    "p_reflection_on_private=0",
    "use_separate_classloader=false",
];

/// A value in a properties file.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for (at, letter) in value.chars().enumerate() {
        match letter {
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            ' ' | '\t' if at == 0 => {
                text.push('\\');
                text.push(letter);
            }
            _ => text.push(letter),
        }
    }
    text
}

/// Follows the report while it grows.
struct Follower {
    path: PathBuf,
    at: u64,
    kept: u64,
    search: summary::Search,
}

impl Follower {
    fn new(path: PathBuf, at: u64) -> Self {
        Follower {
            path,
            at,
            kept: 0,
            search: summary::Search::default(),
        }
    }

    /// Takes in the whole lines that are new.
    fn read(&mut self) {
        let Some(text) = self.news() else {
            return;
        };
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        self.at += whole as u64;
        for line in text[..whole].lines() {
            // A line that cannot be read says nothing; the search goes on without it.
            let Ok(event) = serde_json::from_str(line) else {
                continue;
            };
            self.kept += u64::from(matches!(event, Event::Round { kept: true, .. }));
            self.search.take_in(&event);
        }
    }

    fn news(&self) -> Option<String> {
        let mut file = std::fs::File::open(&self.path).ok()?;
        file.seek(SeekFrom::Start(self.at)).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        String::from_utf8(bytes)
            .ok()
            .filter(|text| !text.is_empty())
    }

    fn words(&self, seconds: u64, of: u64) -> String {
        let mut words = match of.saturating_sub(seconds) {
            0 if of > 0 => "finishing".to_owned(),
            left if of > 0 => format!("{left} s left"),
            _ => format!("{seconds} s"),
        };
        if let Some([_, groups]) = self.search.groups {
            words += &format!(", {} tests kept, {groups} groups", self.kept);
        }
        words
    }
}

/// Why EvoSuite made nothing, in its own words: the first line of its log that complains.
fn reason(log: &Path) -> Option<String> {
    let text = std::fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let complains = |line: &&str| {
        let marks = [
            "GuideException",
            "FitnessException",
            "Unknown class",
            "ERROR",
            "Error",
            "cannot",
        ];
        marks.iter().any(|mark| line.contains(mark))
    };
    let line = text.lines().find(complains)?;
    Some(line.trim().chars().take(200).collect())
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// Makes a file that long again; an empty one if there is none.
fn cut(path: &Path, length: u64) -> Result<(), GenerateError> {
    let file = std::fs::File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path);
    file.and_then(|file| file.set_len(length))
        .map_err(GenerateError::io(path, "write it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_followed_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(REPORT);
        let old = "{\"event\":\"end\",\"evaluations\":9,\"generations\":9,\"native_seconds\":9}\n";
        let first =
            "{\"event\":\"start\",\"class\":\"p.A\",\"elements\":3,\"known\":3,\"groups\":1}\n";
        std::fs::write(&path, format!("{old}{first}{{\"event\":\"round\",")).unwrap();
        let mut follower = Follower::new(path.clone(), old.len() as u64);
        follower.read();
        assert_eq!(follower.search.groups, Some([1, 1]));
        assert_eq!(
            (follower.search.rounds, follower.search.evaluations),
            (0, 0)
        );
        let rest = "\"kept\":true,\"groups\":4,\"groups_before\":1,\"value\":null}\n\
            {\"event\":\"end\",\"class\":\"p.A\",\"evaluations\":7,\"generations\":2,\"native_seconds\":0.5,\"tests\":1}\n";
        std::fs::write(&path, format!("{old}{first}{{\"event\":\"round\",{rest}")).unwrap();
        follower.read();
        let search = &follower.search;
        assert_eq!((search.rounds, search.groups), (1, Some([1, 4])));
        assert_eq!((search.evaluations, search.generations_done), (7, 2));
        assert_eq!(follower.words(3, 10), "7 s left, 1 tests kept, 4 groups");
    }

    #[test]
    fn values_of_a_guide_are_read_as_they_were_written() {
        assert_eq!(escaped(" a\\b c\n"), "\\ a\\\\b c\\n");
    }
}

//! EvoSuite's runs, one class after the other.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fdc_case::write_whole;
use fdc_collect::process::{
    ProcessGroup, empty_folder, end_orphan, log_to, note_down, read_from, status_text, write_file,
};
use fdc_collect::{Result, RunError};
use serde::{Deserialize, Serialize};

use super::tools::EvosuiteTools;
use crate::Generation;
use crate::java::files_ending;
use crate::options::{Budget, Criterion, SearchLevel, SearchOptions};
use crate::report::SearchEvent;
use crate::share::Share;
use crate::summary::{SearchSummary, UnitSummary};

pub(super) struct Runs<'a> {
    pub(super) tools: &'a EvosuiteTools,
    pub(super) class_path: &'a OsStr,
    pub(super) generation: &'a Generation<'a>,
}

/// How long EvoSuite may take around the search before it is ended.
const AROUND: Duration = Duration::from_secs(600);
/// Seconds or generations that no search takes.
const ENDLESS: u64 = 86_400;
const GUIDE: &str = "guide.properties";
const PROCESS: &str = "process";
const REPORT: &str = "rounds.jsonl";
const KEPT: &str = "kept.rows";

/// A class that is done: what its search did, and how long the files were then.
#[derive(Serialize, Deserialize)]
struct Done {
    search: SearchSummary,
    report: u64,
    kept: u64,
}

impl Runs<'_> {
    pub(super) fn all(&self, shares: &[Share]) -> Result<Vec<UnitSummary>> {
        let folder = self.generation.folder;
        end_orphan(&folder.work(PROCESS), &folder.work(""));
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
                    cut(&folder.at(REPORT), report)?;
                    cut(&folder.at(KEPT), kept)?;
                    let place = format!("class {} of {}", number + 1, shares.len());
                    let done = self.one(share, &place, report)?;
                    let text = serde_json::to_vec(&done).expect("plain data becomes JSON");
                    write_whole(&marker, |out| out.write_all(&text))?;
                    done
                }
            };
            (report, kept) = (done.report, done.kept);
            units.push(share.summary(self.search().budget, done.search));
        }
        if let Some(problem) = UnitSummary::common_problem(&units) {
            let message = format!("EvoSuite made no tests: {problem}");
            let logs = folder.at("logs");
            let logs = logs.display();
            let hint = format!("its output is in {logs}; the same command tries again");
            for share in shares {
                // Best effort: without it the next try ends here at once.
                let _ = std::fs::remove_file(self.marker(share));
            }
            return Err(RunError::tool(message, hint));
        }
        Ok(units)
    }

    pub(super) fn made(&self, share: &Share) -> PathBuf {
        self.generation.folder.work("made").join(&share.name)
    }

    fn search(&self) -> &SearchOptions {
        &self.generation.options.search
    }

    fn marker(&self, share: &Share) -> PathBuf {
        let folder = self.generation.folder;
        folder.work(&format!("{}.done", share.name))
    }

    fn one(&self, share: &Share, place: &str, report_from: u64) -> Result<Done> {
        let Generation { folder, watch, .. } = *self.generation;
        let out = self.made(share);
        empty_folder(&out)?;
        let (unit, steps, limit) = match self.search().budget {
            Budget::Seconds(_) => {
                let limit = Duration::from_secs(share.amount) + AROUND;
                ("s", share.amount, Some(limit))
            }
            Budget::Generations(_) => ("generations", 0, None),
        };
        let title = format!("{place}: {}", share.name);
        watch.note(&format!("{title}, {} {unit}", share.amount));
        watch.stage(&title, steps);
        let log = folder.log(&share.name);
        // The log of an earlier try would be taken for this one's.
        write_file(&log, "")?;
        let mut command = self.command(share, &out)?;
        log_to(&mut command, &log)?;
        let mut process = ProcessGroup::spawn(&mut command).map_err(|error| {
            let message = format!("cannot run {}: {error}", self.tools.java.display());
            RunError::tool(message, "check the Java 8 that was named")
        })?;
        note_down(&process, &folder.work(PROCESS))?;
        let begun = Instant::now();
        let mut follower = Follower::new(folder.at(REPORT), report_from);
        let status = process.wait(limit, &|| watch.asked_to_stop(), &mut || {
            follower.read();
            let seconds = begun.elapsed().as_secs();
            watch.at(seconds.min(share.amount), &follower.words(seconds, steps));
            false
        })?;
        follower.read();
        let problem = match status {
            Some(status) if !status.success() => {
                Some(format!("EvoSuite ended with {}", status_text(status)))
            }
            None => Some("EvoSuite did not end in time".to_owned()),
            _ if files_ending(&out, ".java").is_empty() => {
                Some("EvoSuite wrote no tests".to_owned())
            }
            _ => None,
        };
        let problem = problem.map(|problem| {
            let reason = reason(&log).map(|reason| format!(": {reason}"));
            let (reason, class) = (reason.unwrap_or_default(), &share.name);
            format!("{problem}{reason} (logs/{class}.log)")
        });
        Ok(Done {
            search: SearchSummary {
                problem,
                ..follower.search
            },
            report: length(&folder.at(REPORT)),
            kept: length(&folder.at(KEPT)),
        })
    }

    fn command(&self, share: &Share, out: &Path) -> Result<Command> {
        let Generation { folder, .. } = *self.generation;
        let search = self.search();
        let mut command = Command::new(&self.tools.java);
        command.arg("-cp").arg(&self.tools.class_path);
        command.args(["org.evosuite.EvoSuite", "-class", &share.name]);
        command.arg("-projectCP").arg(self.class_path);
        // Java has no unsigned numbers.
        let seed = (search.seed as i64).to_string();
        command.args(["-seed", &seed, "-mem", "1500"]);
        let property = |name: &str, path: &Path| {
            let mut text = OsString::from(format!("-D{name}="));
            text.push(path);
            text
        };
        command.arg(property("test_dir", out));
        command.arg(property("report_dir", &folder.work("report")));
        command.args(FLAGS.map(|flag| format!("-D{flag}")));
        let words: &[&str] = match (&search.criterion, search.level) {
            (Criterion::Line, SearchLevel::Suite) => &["-generateSuite", "-criterion", "LINE"],
            (Criterion::Line, SearchLevel::Test) => &["-generateTests", "-criterion", "LINE"],
            (_, SearchLevel::Suite) => &["-generateSuite", "-criterion", "RHO"],
            (_, SearchLevel::Test) => &["-generateTests", "-criterion", "RHO", "-Dstrategy=ENTBUG"],
        };
        command.args(words);
        let line_by_line = search.criterion == Criterion::Line && search.level == SearchLevel::Test;
        let budget = match search.budget {
            // By itself EvoSuite gives every line the whole budget anew. The time of all lines ends a
            // line's search only where generations are counted.
            Budget::Seconds(_) if line_by_line => {
                command.arg("-Dstopping_condition=MaxGenerations");
                command.arg(format!("-Dglobal_timeout={}", share.amount));
                ENDLESS
            }
            Budget::Seconds(_) => share.amount,
            Budget::Generations(_) => {
                command.arg("-Dstopping_condition=MaxGenerations");
                // Otherwise it ends after two minutes, however many generations there were.
                command.arg(format!("-Dglobal_timeout={ENDLESS}"));
                share.amount
            }
        };
        command.arg(format!("-Dsearch_budget={budget}"));
        if let Criterion::Metric(metric) = &search.criterion {
            self.guide(metric, share)?;
        }
        command.env("FDC_GUIDE", folder.work(GUIDE));
        command.env("JAVA_HOME", &self.tools.home);
        command.env_remove("JAVA_TOOL_OPTIONS");
        command.current_dir(folder.fresh("run-evosuite")?);
        Ok(command)
    }

    fn guide(&self, metric: &str, share: &Share) -> Result<()> {
        let Generation { folder, target, .. } = *self.generation;
        let search = self.search();
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut entries = vec![
            ("case", path(&target.case)),
            ("failing", target.failing_name().to_owned()),
            ("metric", metric.to_owned()),
            ("kept", path(&folder.at(KEPT))),
            ("report", path(&folder.at(REPORT))),
        ];
        entries.extend(self.tools.library.as_deref().map(|p| ("library", path(p))));
        entries.extend(search.model.as_deref().map(|p| ("model", path(p))));
        entries.push(match search.budget {
            Budget::Seconds(_) => ("round_seconds", share.round_seconds().to_string()),
            Budget::Generations(_) => ("round_generations", share.round_generations().to_string()),
        });
        let file = folder.work(GUIDE);
        let line = |(key, value): &(&str, String)| format!("{key}={}\n", escaped(value));
        write_file(&file, entries.iter().map(line).collect::<String>())
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
            ' ' | '\t' if at == 0 => text.extend(['\\', letter]),
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
    search: SearchSummary,
}

impl Follower {
    fn new(path: PathBuf, at: u64) -> Self {
        Follower {
            path,
            at,
            kept: 0,
            search: SearchSummary::default(),
        }
    }

    /// Takes in the whole lines that are new.
    fn read(&mut self) {
        let news = read_from(&self.path, self.at, u64::MAX).ok();
        let Some(text) = news.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return;
        };
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        self.at += whole as u64;
        // A line that cannot be read says nothing; the search goes on without it.
        let lines = text[..whole].lines();
        for event in lines.filter_map(|line| serde_json::from_str(line).ok()) {
            self.kept += u64::from(matches!(event, SearchEvent::Round { kept: true, .. }));
            self.search.take_in(&event);
        }
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
fn cut(path: &Path, length: u64) -> Result<()> {
    let mut options = std::fs::File::options();
    let file = options.create(true).truncate(false).write(true).open(path);
    let cut = file.and_then(|file| file.set_len(length));
    cut.map_err(RunError::io(path, "write it"))
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

//! What may stand after `--`: flags of `go test` and packages, sorted by who has to know them.

use std::ffi::OsString;

use crate::error::{Result, RunError};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// Flags of the build: `-tags`, `-race`, `-mod`, ...
    pub(crate) build: Vec<String>,
    /// Flags of the test program: `-short` is `-test.short` there.
    pub(crate) program: Vec<String>,
    /// What follows `-args`.
    pub(crate) own: Vec<String>,
    /// Packages whose tests are meant; empty: all.
    pub(crate) packages: Vec<String>,
    /// The packages to measure, if the user says so.
    pub(crate) measured: Option<String>,
}

/// Flags of the test program that do not choose tests or change the output; with a value or not.
const PROGRAM_FLAGS: [(&str, bool); 6] = [
    ("short", false),
    ("parallel", true),
    ("cpu", true),
    ("shuffle", true),
    ("failfast", false),
    ("fullpath", false),
];

/// Flags of the build that stand alone. All others take a value.
const SWITCHES: [&str; 10] = [
    "a",
    "asan",
    "msan",
    "race",
    "work",
    "x",
    "v",
    "trimpath",
    "modcacherw",
    "linkshared",
];

/// Flags that would break the measurement, and what to do instead.
const REFUSED: [(&[&str], &str); 11] = [
    (&["run", "skip"], "choose tests with --only and --exclude"),
    (&["timeout"], "use --timeout of fdc, which is for each test"),
    (&["count"], "use --rerun of fdc"),
    (&["bench"], "benchmarks are not measured"),
    (&["fuzz"], "fuzzing is not measured; its seeds run as tests"),
    (&["list"], "fdc lists the tests itself"),
    (&["json"], "fdc reads the results itself"),
    (&["c", "o", "i"], "fdc builds the test programs itself"),
    (&["exec"], "test programs run on this machine only"),
    (
        &["cover", "covermode", "coverprofile"],
        "fdc measures coverage by itself",
    ),
    (&["C"], "name the project's folder with --root"),
];

impl Arguments {
    pub(crate) fn of(given: &[OsString]) -> Result<Self> {
        let mut arguments = Arguments::default();
        let mut words = given.iter().map(|word| word.to_string_lossy().into_owned());
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix('-') else {
                arguments.packages.push(word);
                continue;
            };
            let flag = flag.strip_prefix('-').unwrap_or(flag);
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (flag, None),
            };
            let name = name.strip_prefix("test.").unwrap_or(name);
            if let Some((_, instead)) = REFUSED.iter().find(|(flags, _)| flags.contains(&name)) {
                let message = format!("-{name} of go test cannot be passed on");
                return Err(RunError::usage(message, *instead));
            }
            let mut value_of = |value: Option<String>| {
                value.or_else(|| words.next()).ok_or_else(|| {
                    let message = format!("-{name} after -- has no value");
                    RunError::usage(message, format!("write -{name}=VALUE"))
                })
            };
            let program = PROGRAM_FLAGS.iter().find(|(known, _)| *known == name);
            match (name, program) {
                ("args", _) => {
                    arguments.own.extend(words);
                    break;
                }
                ("coverpkg", _) => arguments.measured = Some(value_of(value)?),
                (_, Some((_, takes_value))) => {
                    let value = match takes_value {
                        true => value_of(value)?,
                        false => value.unwrap_or_else(|| "true".to_owned()),
                    };
                    arguments.program.push(format!("-test.{name}={value}"));
                }
                _ if SWITCHES.contains(&name) || name.starts_with("buildvcs") => {
                    arguments.build.push(word);
                }
                _ => {
                    let value = value_of(value)?;
                    arguments.build.push(format!("-{name}={value}"));
                }
            }
        }
        Ok(arguments)
    }

    /// Whether programs keep books on all their memory, which takes many times as much.
    pub(crate) fn has_sanitizer(&self) -> bool {
        let names = ["race", "msan", "asan"];
        let mut flags = self.build.iter().map(|flag| flag.trim_start_matches('-'));
        flags.any(|flag| names.contains(&flag))
    }

    /// Whether the user replaces source files as well, which leaves no room for our own.
    pub(crate) fn has_overlay(&self) -> bool {
        self.build.iter().any(|flag| flag.starts_with("-overlay="))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(words: &[&str]) -> Result<Arguments> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Arguments::of(&words)
    }

    #[test]
    fn flags_and_packages_go_where_they_belong() -> Result<()> {
        let found = sorted(&[
            "-tags",
            "a,b",
            "./sub/...",
            "-race",
            "-short",
            "--cpu=2",
            "-mod=vendor",
            "-coverpkg",
            "x/...",
            "-args",
            "-run",
            "y",
        ])?;
        assert_eq!(found.build, ["-tags=a,b", "-race", "-mod=vendor"]);
        assert_eq!(found.program, ["-test.short=true", "-test.cpu=2"]);
        assert_eq!(found.packages, ["./sub/..."]);
        assert_eq!(found.own, ["-run", "y"]);
        assert_eq!(found.measured.as_deref(), Some("x/..."));
        Ok(())
    }

    #[test]
    fn what_would_break_the_measurement_is_refused() {
        let message = |words: &[&str]| {
            let error = sorted(words).expect_err("refused");
            format!("{error}: {}", error.advice().unwrap_or_default())
        };
        assert_eq!(
            message(&["-run", "TestX"]),
            "-run of go test cannot be passed on: choose tests with --only and --exclude"
        );
        assert_eq!(
            message(&["-tags"]),
            "-tags after -- has no value: write -tags=VALUE"
        );
    }
}

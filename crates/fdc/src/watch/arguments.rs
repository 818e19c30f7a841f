//! What a test command tells a collector: the kind of project, and which parts of it are built.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// An option of a test command that a collector has to know as well.
struct Known {
    name: &'static str,
    has_value: bool,
}

const fn flag(name: &'static str) -> Known {
    let has_value = false;
    Known { name, has_value }
}

const fn valued(name: &'static str) -> Known {
    let has_value = true;
    Known { name, has_value }
}

const CARGO: &[Known] = &[
    flag("--workspace"),
    flag("--all"),
    flag("--all-features"),
    flag("--no-default-features"),
    flag("--all-targets"),
    flag("--lib"),
    flag("--bins"),
    flag("--tests"),
    flag("--release"),
    flag("-r"),
    flag("--locked"),
    flag("--offline"),
    flag("--frozen"),
    valued("-p"),
    valued("--package"),
    valued("--exclude"),
    valued("-F"),
    valued("--features"),
    valued("--test"),
    valued("--bin"),
    valued("--profile"),
];
const GO: &[Known] = &[valued("-tags"), valued("--tags"), flag("-short")];
const MAVEN: &[Known] = &[
    flag("-o"),
    flag("--offline"),
    flag("-am"),
    valued("-pl"),
    valued("--projects"),
    valued("-f"),
];

/// Programs that run tests, and their ecosystem.
const PROGRAMS: &[(&str, &str)] = &[
    ("cargo", "cargo"),
    ("cargo-nextest", "cargo"),
    ("go", "go"),
    ("gradle", "junit"),
    ("gradlew", "junit"),
    ("mvn", "junit"),
    ("mvnd", "junit"),
    ("mvnw", "junit"),
    ("py.test", "pytest"),
    ("pytest", "pytest"),
];

/// The name of the ecosystem whose tests a program runs, by a word of the command, if that is such a program.
pub(super) fn ecosystem_of_command(program: &OsStr) -> Option<&'static str> {
    let name = Path::new(program).file_name()?.to_str()?;
    let known = PROGRAMS.iter().find(|(own, _)| *own == name);
    known.map(|&(_, ecosystem)| ecosystem)
}

/// The arguments that say what is built, of all that a command was given. Which tests are run is told
/// otherwise, and so is how results are printed.
pub(super) fn of_collector(ecosystem: &str, arguments: &[OsString]) -> Vec<OsString> {
    let known = match ecosystem {
        "cargo" => CARGO,
        "go" => GO,
        "junit" => MAVEN,
        _ => &[],
    };
    let mut kept = Vec::new();
    let mut left = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = left.next() {
        let text = argument.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        if let Some(own) = known.iter().find(|own| own.name == name) {
            kept.push(argument.clone());
            if own.has_value && !text.contains('=') {
                kept.extend(left.next().cloned());
            }
        } else if is_of_build(ecosystem, &text) {
            kept.push(argument.clone());
        }
    }
    kept
}

/// Packages of Go, and properties and profiles of Maven and Gradle, but for the choice of tests.
fn is_of_build(ecosystem: &str, text: &str) -> bool {
    match ecosystem {
        "go" => text.starts_with('.') || text.contains('/') && !text.starts_with('-'),
        "junit" => {
            (text.starts_with("-D") || text.starts_with("-P"))
                && !["-Dtest=", "-Dit.test="]
                    .iter()
                    .any(|own| text.starts_with(own))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_told_what_is_built_and_not_which_tests_are_run() {
        for (ecosystem, command, expected) in [
            (
                "cargo",
                "test -p shop --features=a,b sums -- --nocapture -p x",
                "-p shop --features=a,b",
            ),
            (
                "cargo",
                "nextest run --workspace -E test(sums) --no-fail-fast",
                "--workspace",
            ),
            (
                "go",
                "test -json -run TestSum -tags net -count=1 ./... example.org/shop",
                "-tags net ./... example.org/shop",
            ),
            (
                "junit",
                "-q -pl core -Pfast -Dtest=CartTest#adds -Dx=1 test",
                "-pl core -Pfast -Dx=1",
            ),
            ("junit", "test --tests CartTest -Pfast", "-Pfast"),
        ] {
            let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
            assert_eq!(
                of_collector(ecosystem, &words(command)),
                words(expected),
                "{command}"
            );
        }
    }

    #[test]
    fn programs_tell_their_ecosystem_wherever_they_are() {
        let of = |program: &str| ecosystem_of_command(OsStr::new(program));
        assert_eq!(of("./mvnw"), Some("junit"));
        assert_eq!(of("/usr/bin/cargo"), Some("cargo"));
        assert_eq!(of("make"), None);
        for (_, ecosystem) in PROGRAMS {
            assert!(fdc_collect::ecosystem_named(ecosystem).is_ok());
        }
    }
}

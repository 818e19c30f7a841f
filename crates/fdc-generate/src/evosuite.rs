//! evosuite — JUnit tests made by EvoSuite 1.0.6, guided by a metric.
//!
//! ```text
//! fdc generate evosuite --case case.fdc --failing org.x.ATest#m --classpath app.jar:lib/* -o more
//! fdc generate evosuite --case case.fdc --classpath target/classes --criterion tfd --budget 300 -o more
//! fdc generate evosuite --case case.fdc --classpath faulty.jar --oracle regression \
//!     --fixed-classpath fixed.jar -o more
//! ```
//! The classes under test are those of the methods that the failing test covers, or those of
//! `--class`. The budget is shared by the number of such methods; a nested class counts for the class
//! around it. A class whose share is under one second (one generation) is left out, the smallest
//! first, and the others get its share. EvoSuite needs some ten seconds more per class around the
//! search.
//!
//! `--criterion` is any metric of `fdc list metrics` that sees no outcomes, or `line`, EvoSuite's own
//! line coverage. The failing test is the start of the suite: a new test is worth what the metric
//! says of it beside the failing test and the tests kept so far, those of earlier classes included.
//! At `--level test` (the default) tests are searched one by one, in rounds of two seconds or a tenth
//! of the class's budget, whichever is less (of five generations or a tenth of them, whichever is
//! more); at `--level suite` whole suites are searched, the default of `line`. `line` at `--level test` is
//! EvoSuite's own search for one line after the other, in random order, as the RLFDC paper used it
//! (`-generateTests`): a line that it cannot reach takes all of the class's budget that is left, and
//! every line starts with new tests, so that few come out.
//!
//! What comes out is tried as `fdc explain import` says: tests that do not compile, fail, are flaky
//! or hang are removed and counted, and the rest is the pool. `summary.json` has per class the rounds,
//! the calls of the metric and the groups of suspects before and after; `rounds.jsonl` has every round;
//! `logs/CLASS.log` has EvoSuite's own words.
//!
//! Ctrl-C stops; finished classes are kept, and the same command resumes with the others. With the
//! same seed and `--generations` instead of `--budget` the same tests come out, as far as the code
//! under test behaves the same and nothing runs into one of EvoSuite's own time limits. EvoSuite puts
//! the time of day into its sources and assertions into any order; here the time is taken out, and
//! the assertions after a statement are sorted.
//!
//! EvoSuite runs on Java 8 only, and reads code that was compiled for Java 8 or older. A Java 8 JDK is
//! looked for in `--java8`, `JAVA8_HOME`, `JAVA_HOME`, the usual places and `java8/home` beside
//! fdc's jars. EvoSuite's jar is taken from `--evosuite`, `EVOSUITE_JAR` or your Maven repository.
//! The tests themselves are compiled and run by the JDK of `--java`. They call the code under test
//! with made-up arguments: use a copy of the project if that may do harm.

mod run;
mod tools;

use std::collections::{BTreeMap, BTreeSet};

use fdc_collect::settings::{Given, Setting, SettingKind};
use fdc_collect::{Result, RunError};
use fdc_core::naming::{java_class, nearest};

use crate::java::sources::TestSources;
use crate::java::{CLASSPATH, FIXED_CLASSPATH, JAVA, JavaSetup, JavaSuite, JavaTests};
use crate::options::{GenerateOptions, ORACLE};
use crate::share::share_out;
use crate::summary::LeftOutUnit;
use crate::target::Target;
use crate::{Generator, Made, Tool};
use tools::{EVOSUITE, EvosuiteTools, JAVA8};

pub(crate) const GENERATOR: Generator = Generator {
    name: "evosuite",
    summary: "Java: EvoSuite 1.0.6, its search guided by a metric",
    searches: true,
    settings: &[
        Setting::new(SettingKind::Text, "class", "CLASS")
            .help("Class under test (repeatable) [default: those that the failing test covers]")
            .given(Given::Repeatedly),
        CLASSPATH,
        ORACLE,
        FIXED_CLASSPATH,
        JAVA,
        JAVA8,
        EVOSUITE,
    ],
    open,
    source: include_str!("evosuite.rs"),
};

/// The newest Java whose classes EvoSuite reads.
const NEWEST: u16 = 8;

fn open(options: &GenerateOptions, target: &Target) -> Result<Tool> {
    options.check_oracle(FIXED_CLASSPATH.name, "class path")?;
    let search = &options.search;
    let tools = EvosuiteTools::find(options)?;
    let setup = JavaSetup::open(options, target)?;
    let mut left_out = Vec::new();
    let mut classes = classes(options, target, &setup)?;
    classes.retain(|class, _| {
        let there = setup.class_path().find(class).is_some();
        if !there {
            let (name, why) = (class.clone(), "not on --classpath".to_owned());
            left_out.push(LeftOutUnit { name, why });
        }
        there
    });
    for class in classes.keys() {
        let java = setup.class_path().java_of(class);
        if let Some(java) = java.filter(|&java| java > NEWEST) {
            let expected = format!("a class for Java {NEWEST} or older, which EvoSuite reads");
            let message = format!("{class}: expected {expected}, found one for Java {java}");
            let hint = "compile the code with `javac --release 8`, and collect the case again";
            return Err(RunError::input(message, hint));
        }
    }
    let shares = share_out(search.budget, classes, &mut left_out);
    if shares.is_empty() {
        let message = "no class is left to make tests for";
        let hint = "name classes with --class, or the code's folders and jars with --classpath";
        return Err(RunError::usage(message, hint));
    }
    Ok(Box::new(move |generation| {
        let class_path = setup.class_path().joined(None, &[])?;
        let runs = run::Runs {
            tools: &tools,
            class_path: &class_path,
            generation,
        };
        let units = runs.all(&shares)?;
        let mut sources = TestSources::default();
        let mut of_test = BTreeMap::new();
        for share in &shares {
            let own = TestSources::read(&runs.made(share))?;
            for class in own.classes() {
                of_test.insert(class, share.name.clone());
            }
            sources.join(own);
        }
        sources.map_texts(settled);
        let tests = JavaTests::Sources(sources);
        Ok(Made {
            suite: Box::new(JavaSuite::new(setup, tests, of_test)?),
            units,
            left_out,
        })
    }))
}

/// The classes under test, each with the number of methods that the failing test covers.
fn classes(
    options: &GenerateOptions,
    target: &Target,
    setup: &JavaSetup,
) -> Result<BTreeMap<String, u64>> {
    let tests = target.spectrum.tests.iter();
    let tests: BTreeSet<&str> = tests.filter_map(|test| java_class(&test.name)).collect();
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    for class in target.suspects().into_iter().filter_map(java_class) {
        let outer = class.split('$').next().unwrap_or(class);
        if !tests.contains(class) && !tests.contains(outer) {
            *classes.entry(outer.to_owned()).or_default() += 1;
        }
    }
    let asked = options.settings.texts("class");
    if asked.is_empty() {
        return Ok(classes);
    }
    let mut named = BTreeMap::new();
    for class in &asked {
        if setup.class_path().find(class).is_none() {
            let message = format!("--class {class}: there is no such class on --classpath");
            let hint = match nearest(class, classes.keys().map(String::as_str)) {
                Some(near) => format!("did you mean {near}?"),
                None => "give its full name, with the package".to_owned(),
            };
            return Err(RunError::usage(message, hint));
        }
        let methods = classes.get(class).copied().unwrap_or(0);
        named.insert(class.clone(), methods.max(1));
    }
    Ok(named)
}

/// A source without what EvoSuite does not repeat: the time of day in the comment at the beginning,
/// and the order of the assertions after a statement, which comes from a hash table.
fn settled(text: &str) -> String {
    let comment = text.strip_prefix("/*");
    let comment = comment.and_then(|rest| rest.split_once("*/"));
    let (head, body) = match comment {
        Some((head, rest)) if head.contains("EvoSuite") => {
            ("/* This file was generated by EvoSuite. */", rest)
        }
        _ => ("", text),
    };
    let mut settled = head.to_owned();
    let mut assertions: Vec<&str> = Vec::new();
    for line in body.split_inclusive('\n') {
        if line.trim_start().starts_with("assert") && line.trim_end().ends_with(';') {
            assertions.push(line);
            continue;
        }
        assertions.sort_unstable();
        settled.extend(assertions.drain(..));
        settled.push_str(line);
    }
    assertions.sort_unstable();
    settled.extend(assertions);
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_evosuite_does_not_repeat_is_settled() {
        let text = "/*\n * This file was automatically generated by EvoSuite\n * Sun Nov 15\n */\n
package p;\n  f();\n  assertTrue(b);\n  assertEquals(1, a);\n\n  g();\n  assertFalse(c);\n";
        let expected = "/* This file was generated by EvoSuite. */\n
package p;\n  f();\n  assertEquals(1, a);\n  assertTrue(b);\n\n  g();\n  assertFalse(c);\n";
        assert_eq!(settled(text), expected);
        assert_eq!(settled("/* mine */ package p;"), "/* mine */ package p;");
    }
}

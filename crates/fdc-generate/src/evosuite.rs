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
//! more); at `--level suite` whole suites are searched. `line` has the suite level only.
//!
//! What comes out is tried as `fdc explain import` says: tests that do not compile, fail, are flaky
//! or hang are removed and counted, and the rest is the pool. `summary.json` has per class the rounds,
//! the calls of the metric and the groups of suspects before and after; `rounds.jsonl` has every round;
//! `logs/CLASS.log` has EvoSuite's own words.
//!
//! Ctrl-C stops; finished classes are kept, and the same command goes on with the others. With the
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

use fdc_core::naming::{java_class, nearest};

use crate::error::GenerateError;
use crate::folder::Folder;
use crate::java::sources::Sources;
use crate::java::{Ground, JavaSuite};
use crate::options::{Budget, Criterion, Level, Options};
use crate::share::{self, Share};
use crate::summary::LeftOut;
use crate::target::Target;
use crate::{Generator, Made, Tool};
use fdc_collect::Watch;
use tools::Tools;

pub(crate) const GENERATOR: Generator = Generator {
    name: "evosuite",
    summary: "Java: EvoSuite 1.0.6, its search guided by a metric",
    searches: true,
    open,
    source: include_str!("evosuite.rs"),
};

/// The newest Java whose classes EvoSuite reads.
const NEWEST: u16 = 8;

struct EvoSuite {
    ground: Ground,
    tools: Tools,
    options: Options,
    shares: Vec<Share>,
    left_out: Vec<LeftOut>,
}

fn open(options: &Options, target: &Target) -> Result<Box<dyn Tool>, GenerateError> {
    if options.criterion == Criterion::Line && options.level == Level::Test {
        let message =
            "--criterion line has no --level test: EvoSuite would spend it all on one line";
        return Err(GenerateError::usage(
            message,
            "leave --level out, or choose a metric",
        ));
    }
    let tools = Tools::find(options)?;
    let ground = Ground::open(options, target)?;
    let mut left_out = Vec::new();
    let mut classes = classes(options, target, &ground)?;
    classes.retain(|class, _| {
        let there = ground.class_path().find(class).is_some();
        if !there {
            left_out.push(LeftOut {
                name: class.clone(),
                why: "not on --classpath".to_owned(),
            });
        }
        there
    });
    for class in classes.keys() {
        let java = ground.class_path().java_of(class);
        if let Some(java) = java.filter(|&java| java > NEWEST) {
            let message = format!(
                "{class}: expected a class for Java {NEWEST} or older, which EvoSuite reads, found one \
                 for Java {java}"
            );
            let hint = "compile the code with `javac --release 8`, and collect the case again";
            return Err(GenerateError::input(message, hint));
        }
    }
    let total = match options.budget {
        // EvoSuite counts in whole seconds.
        Budget::Seconds(seconds) => (seconds.round() as u64).max(1),
        Budget::Generations(generations) => generations,
    };
    let (shares, without) = share::divide(total, classes);
    let unit = match options.budget {
        Budget::Seconds(_) => "second",
        Budget::Generations(_) => "generation",
    };
    left_out.extend(without.into_iter().map(|name| LeftOut {
        name,
        why: format!("its share of the budget is under one {unit}"),
    }));
    if shares.is_empty() {
        let message = "no class is left to make tests for";
        let hint = "name classes with --class, or the code's folders and jars with --classpath";
        return Err(GenerateError::usage(message, hint));
    }
    Ok(Box::new(EvoSuite {
        ground,
        tools,
        options: options.clone(),
        shares,
        left_out,
    }))
}

/// The classes under test, each with the number of methods that the failing test covers.
fn classes(
    options: &Options,
    target: &Target,
    ground: &Ground,
) -> Result<BTreeMap<String, u64>, GenerateError> {
    let tests = target.spectrum().tests.iter();
    let tests: BTreeSet<&str> = tests.filter_map(|test| java_class(&test.name)).collect();
    let mut classes: BTreeMap<String, u64> = BTreeMap::new();
    for class in target.suspects().into_iter().filter_map(java_class) {
        let outer = class.split('$').next().unwrap_or(class);
        if !tests.contains(class) && !tests.contains(outer) {
            *classes.entry(outer.to_owned()).or_default() += 1;
        }
    }
    if options.units.is_empty() {
        return Ok(classes);
    }
    let mut named = BTreeMap::new();
    for class in &options.units {
        if ground.class_path().find(class).is_none() {
            let message = format!("--class {class}: there is no such class on --classpath");
            let hint = match nearest(class, classes.keys().map(String::as_str)) {
                Some(near) => format!("did you mean {near}?"),
                None => "give its full name, with the package".to_owned(),
            };
            return Err(GenerateError::usage(message, hint));
        }
        let methods = classes.get(class).copied().unwrap_or(0);
        named.insert(class.clone(), methods.max(1));
    }
    Ok(named)
}

impl Tool for EvoSuite {
    fn make(
        &self,
        target: &Target,
        folder: &Folder,
        watch: &dyn Watch,
    ) -> Result<Made, GenerateError> {
        let class_path = self.ground.class_path().joined([], [])?;
        let search = run::Search {
            tools: &self.tools,
            options: &self.options,
            class_path: &class_path,
            target,
            folder,
        };
        let units = search.all(&self.shares, watch)?;
        let mut sources = Sources::default();
        let mut of_test = BTreeMap::new();
        for share in &self.shares {
            let own = Sources::read(&run::made(folder, &share.class))?;
            for class in own.classes() {
                of_test.insert(class, share.class.clone());
            }
            sources.join(own);
        }
        sources.map_texts(settled);
        Ok(Made {
            suite: Box::new(JavaSuite::of_sources(
                self.ground.clone(),
                sources,
                of_test,
            )?),
            units,
            left_out: self.left_out.clone(),
        })
    }
}

/// A source without what EvoSuite does not repeat: the time of day in the comment at the beginning,
/// and the order of the assertions after a statement, which comes from a hash table.
fn settled(text: &str) -> String {
    let comment = text
        .strip_prefix("/*")
        .and_then(|rest| rest.split_once("*/"));
    let mut settled = String::new();
    let body = match comment {
        Some((head, rest)) if head.contains("EvoSuite") => {
            settled.push_str("/* This file was generated by EvoSuite. */");
            rest
        }
        _ => text,
    };
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

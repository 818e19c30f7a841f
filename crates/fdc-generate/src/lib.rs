//! Drives test generators: the search is guided by how well new tests would tell suspects apart, and
//! what comes out becomes a pool of tests to choose from. One file per tool; its module comment is
//! its manual page (`fdc explain NAME`). To add one, write the file and a line in [`GENERATORS`].
#![forbid(unsafe_code)]

mod evosuite;
mod folder;
mod import;
mod java;
mod options;
mod pool;
mod pynguin;
mod python;
mod report;
mod share;
mod suite;
pub mod summary;
mod target;
mod trial;

use std::collections::BTreeMap;

use fdc_collect::process::check_system;
use fdc_collect::settings::Setting;
use fdc_collect::{Result, Watch};
use fdc_core::Outcome;
use fdc_core::metric::module_comment;

pub use options::{Budget, Criterion, GenerateOptions, SearchLevel, SearchOptions};
pub use summary::Summary;
pub use target::Target;

use folder::OutputFolder;
use pool::NewTests;
use suite::GeneratedSuite;
use summary::{LeftOutUnit, OutcomeCounts, UnitSummary};

type Opener = fn(&GenerateOptions, &Target) -> Result<Tool>;

/// A generator that has all it needs: makes tests. What was made before a stop is taken up again.
type Tool = Box<dyn FnOnce(&Generation) -> Result<Made>>;

/// A tool that makes tests, or takes them in.
#[derive(Debug)]
pub struct Generator {
    /// The name on the command line; also the origin of its tests.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Whether it searches, so that it has a criterion.
    pub searches: bool,
    /// The options that it has beside those of every generator.
    pub settings: &'static [Setting],
    /// Checks that everything it needs is there; writes nothing.
    open: Opener,
    source: &'static str,
}

impl Generator {
    /// The manual page: the module comment of the generator's source file.
    pub fn manual(&self) -> String {
        module_comment(self.source)
    }
}

/// All generators.
pub static GENERATORS: &[Generator] = &[evosuite::GENERATOR, pynguin::GENERATOR, import::GENERATOR];

struct Generation<'g> {
    generator: &'g Generator,
    options: &'g GenerateOptions,
    target: &'g Target,
    folder: &'g OutputFolder,
    watch: &'g dyn Watch,
}

struct Made {
    suite: Box<dyn GeneratedSuite>,
    /// The classes or modules it worked on, in order; without counts of tests.
    units: Vec<UnitSummary>,
    left_out: Vec<LeftOutUnit>,
}

/// Makes tests, tries them, and writes the folder with the pool. A generation that was stopped
/// resumes; one that is complete is not done again.
pub fn generate(
    generator: &Generator,
    options: &GenerateOptions,
    target: &Target,
    watch: &dyn Watch,
) -> Result<Summary> {
    check_system("generating tests")?;
    let settings = &options.settings;
    let options = &GenerateOptions {
        settings: settings.resolved(generator.settings, target.project.as_deref())?,
        ..options.clone()
    };
    let tool = (generator.open)(options, target)?;
    let folder = OutputFolder::open(generator, options, target)?;
    if let Some(summary) = folder.summary()? {
        let out = options.out.display();
        watch.note(&format!(
            "{out} is complete: nothing was made again (remove it to start over)"
        ));
        return Ok(summary);
    }
    let generation = Generation {
        generator,
        options,
        target,
        folder: &folder,
        watch,
    };
    let mut made = tool(&generation)?;
    let tests = NewTests::of(&mut *made.suite, &generation)?;
    made.suite.finish(&folder)?;
    let path = folder.at("pool.fdc");
    tests.write(target, &path, generator.name)?;
    let [groups_before, groups] = tests.groups(target, &path)?;
    let [suspicious, covered] = tests.covered(target);
    let mut removed = BTreeMap::new();
    for &reason in tests.removed.values() {
        *removed.entry(reason).or_default() += 1;
    }
    let mut outcomes = OutcomeCounts::default();
    for test in &tests.kept {
        *match test.outcome {
            Some(Outcome::Pass) => &mut outcomes.pass,
            Some(Outcome::Fail) => &mut outcomes.fail,
            None => &mut outcomes.unknown,
        } += 1;
    }
    let kept = tests.kept.len() as u64;
    let criterion = options.search.criterion.name();
    let summary = Summary {
        schema: summary::SCHEMA,
        tool: generator.name.to_owned(),
        failing: target.failing_name().to_owned(),
        criterion: generator.searches.then(|| criterion.to_owned()),
        units: counted(made.units, &*made.suite, &tests),
        left_out: made.left_out,
        made: kept + tests.removed.len() as u64,
        kept,
        removed,
        removed_tests: tests.removed,
        outcomes,
        suspicious,
        covered,
        outside: tests.outside,
        groups_before,
        groups,
    };
    folder.finish(&summary)?;
    Ok(summary)
}

/// The units with their tests counted; units that only tests tell of come last, by name.
fn counted(
    mut units: Vec<UnitSummary>,
    suite: &dyn GeneratedSuite,
    tests: &NewTests,
) -> Vec<UnitSummary> {
    let known = units.len();
    let mut count = |test: &str, kept: bool| {
        let name = suite.unit(test);
        let place = units.iter().position(|unit| unit.name == name);
        let place = place.unwrap_or_else(|| {
            let new = UnitSummary::default();
            units.push(UnitSummary { name, ..new });
            units.len() - 1
        });
        units[place].made += 1;
        units[place].kept += u64::from(kept);
    };
    tests.kept.iter().for_each(|test| count(&test.name, true));
    tests.removed.keys().for_each(|test| count(test, false));
    units[known..].sort_by(|a, b| a.name.cmp(&b.name));
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generator_has_a_name_of_its_own_and_a_manual_page() {
        for (at, generator) in GENERATORS.iter().enumerate() {
            let page = generator.manual();
            assert!(
                page.starts_with(&format!("{} — ", generator.name)),
                "{page}"
            );
            assert!(page.len() > 200, "{page}");
            let others = &GENERATORS[at + 1..];
            assert!(others.iter().all(|other| other.name != generator.name));
        }
    }
}

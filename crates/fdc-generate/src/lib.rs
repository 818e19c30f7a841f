//! Drives test generators: the search is guided by how well new tests would tell suspects apart, and
//! what comes out becomes a pool of tests to choose from. One file per tool; its module comment is
//! its manual page (`fdc explain NAME`). To add one, write the file and a line in [`GENERATORS`].
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod error;
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

use fdc_collect::Watch;
use fdc_core::metric::module_comment;

pub use error::GenerateError;
pub use folder::Folder;
pub use options::{Budget, Criterion, JavaOptions, Level, Options, Oracle, PythonOptions};
pub use suite::{Suite, Version};
pub use summary::Summary;
pub use target::Target;

use pool::Pool;
use summary::{LeftOut, Outcomes, Unit};

/// A tool that makes tests, or takes them in.
#[derive(Debug)]
pub struct Generator {
    /// The name on the command line; also the origin of its tests.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Whether it searches, so that it has a criterion.
    searches: bool,
    /// Checks that everything it needs is there; writes nothing.
    open: Open,
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

type Open = fn(&Options, &Target) -> Result<Box<dyn Tool>, GenerateError>;

/// A generator that has all it needs.
trait Tool {
    /// Makes tests. What was made before a stop is taken up again.
    fn make(
        &self,
        target: &Target,
        folder: &Folder,
        watch: &dyn Watch,
    ) -> Result<Made, GenerateError>;
}

/// What a tool made.
struct Made {
    suite: Box<dyn Suite>,
    /// The classes or modules it worked on, in order; without counts of tests.
    units: Vec<Unit>,
    left_out: Vec<LeftOut>,
}

/// Makes tests, tries them, and writes the folder with the pool. A generation that was stopped goes
/// on where it was; one that is complete is not done again.
pub fn generate(
    generator: &Generator,
    options: &Options,
    target: &Target,
    watch: &dyn Watch,
) -> Result<Summary, GenerateError> {
    let tool = (generator.open)(options, target)?;
    let folder = Folder::open(generator.name, options, target)?;
    if let Some(summary) = folder.summary()? {
        let out = options.out.display();
        watch.note(&format!(
            "{out} is complete: nothing was made again (remove it to start anew)"
        ));
        return Ok(summary);
    }
    let mut made = tool.make(target, &folder, watch)?;
    let suite = &mut *made.suite;
    let pool = Pool::of(suite, generator.name, options, target, &folder, watch)?;
    made.suite.finish(&folder)?;
    let path = folder.at("pool.fdc");
    pool.write(target, &path, generator.name)?;
    let [groups_before, groups] = pool.groups(target, &path)?;
    let [suspicious, covered] = pool.covered(target);
    let mut removed = BTreeMap::new();
    for &reason in pool.removed.values() {
        *removed.entry(reason).or_default() += 1;
    }
    let mut outcomes = Outcomes::default();
    pool.kept.iter().for_each(|test| outcomes.add(test.outcome));
    let kept = pool.kept.len() as u64;
    let summary = Summary {
        schema: summary::SCHEMA,
        tool: generator.name.to_owned(),
        failing: target.failing_name().to_owned(),
        criterion: generator
            .searches
            .then(|| options.criterion.name().to_owned()),
        units: counted(made.units, &*made.suite, &pool),
        left_out: made.left_out,
        made: kept + pool.removed.len() as u64,
        kept,
        removed,
        removed_tests: pool.removed,
        outcomes,
        suspicious,
        covered,
        outside: pool.outside,
        groups_before,
        groups,
    };
    folder.finish(&summary)?;
    Ok(summary)
}

/// The units with their tests counted; units that only tests tell of come last, by name.
fn counted(mut units: Vec<Unit>, suite: &dyn Suite, pool: &Pool) -> Vec<Unit> {
    let known = units.len();
    let mut count = |test: &str, kept: bool| {
        let name = suite.unit(test);
        let place = units.iter().position(|unit| unit.name == name);
        let place = place.unwrap_or_else(|| {
            units.push(Unit {
                name,
                ..Unit::default()
            });
            units.len() - 1
        });
        units[place].made += 1;
        units[place].kept += u64::from(kept);
    };
    pool.kept.iter().for_each(|test| count(&test.name, true));
    pool.removed.keys().for_each(|test| count(test, false));
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

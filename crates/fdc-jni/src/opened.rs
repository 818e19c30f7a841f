//! A fitness that is open, and which element a line of the case's program is.

use std::collections::BTreeMap;
use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::coverage::TestId;
use fdc_core::fitness::Fitness;
use fdc_core::naming::{java_class, nearest};
use fdc_core::spectrum::Outcome;
use fdc_learn::catalogue;

use crate::problem::{Problem, Result};

/// Elements of a fitness at the most; a limit, so that a slip cannot take all memory.
pub const MOST_ELEMENTS: usize = 1 << 26;

/// A fitness, and where its elements come from.
pub struct Opened {
    /// The fitness.
    pub fitness: Fitness,
    /// By a Java class's binary name: `a.b.C$D`.
    pub(crate) classes: Units,
    /// By a file's path, as the case spells it.
    pub(crate) files: Units,
}

/// Elements by line, per class or per file.
/// Of several on one line, which only inputs have that name statements, the first.
type Units = BTreeMap<String, BTreeMap<u32, u32>>;

impl Opened {
    /// Beside a failing test of a case (or of any other coverage that `fdc` reads).
    pub fn of_case(case: &Path, failing: &str, metric: &str, model: Option<&Path>) -> Result<Self> {
        let metric = catalogue::parse(metric, model)?;
        let spectrum = fdc_formats::read(case)?;
        let failing = failing_test(&spectrum, case, failing)?;
        let program = &spectrum.program;
        let mut opened = Opened {
            fitness: Fitness::of_spectrum(metric, &spectrum, failing)?,
            classes: Units::new(),
            files: Units::new(),
        };
        for (element, number) in program.elements.iter().zip(0..) {
            let method = &program.methods[element.method.index()];
            let file = &*program.files[method.file as usize];
            let class = java_class(&method.name).map(|class| (&mut opened.classes, class));
            for (units, unit) in [(&mut opened.files, file)].into_iter().chain(class) {
                let lines = units.entry(unit.to_owned()).or_default();
                lines.entry(element.line).or_insert(number);
            }
        }
        Ok(opened)
    }

    /// Beside a failing row over so many elements, each a method of its own.
    pub fn plain(elements: usize, row: &[u64], metric: &str, model: Option<&Path>) -> Result<Self> {
        if elements > MOST_ELEMENTS {
            return Err(Problem::Range {
                what: "a number of elements",
                most: MOST_ELEMENTS,
                found: elements as i64,
            });
        }
        let metric = catalogue::parse(metric, model)?;
        Ok(Opened {
            fitness: Fitness::new(metric, (0..elements as u32).collect(), row)?,
            classes: Units::new(),
            files: Units::new(),
        })
    }
}

fn failing_test(spectrum: &Spectrum, case: &Path, name: &str) -> Result<TestId> {
    let (case, owned) = (case.display().to_string(), name.to_owned());
    let Some(test) = spectrum.test_named(name) else {
        let names = spectrum.tests.iter().map(|test| &*test.name);
        return Err(Problem::NoSuchTest {
            case,
            name: owned,
            nearest: nearest(name, names).map(str::to_owned),
        });
    };
    let verdict = spectrum.test(test).verdict();
    let what = if verdict.is_some_and(|verdict| verdict.outcome == Outcome::Pass) {
        "passes"
    } else if spectrum.coverage.total(test) == 0 {
        "covers no element"
    } else {
        return Ok(test);
    };
    Err(Problem::NotFailing {
        case,
        name: owned,
        what,
    })
}

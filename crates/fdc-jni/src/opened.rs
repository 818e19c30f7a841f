//! A fitness that is open, and which element a line of the case's program is.

use std::collections::BTreeMap;
use std::path::Path;

use fdc_core::Spectrum;
use fdc_core::fitness::Fitness;
use fdc_core::naming::{java_class, nearest};
use fdc_core::spectrum::Outcome;
use fdc_learn::catalogue;

use crate::problem::Problem;

/// Elements of a fitness at the most; a limit, so that a slip cannot take all memory.
pub const MOST_ELEMENTS: usize = 1 << 26;

/// A fitness, and where its elements come from.
pub struct Opened {
    /// The fitness.
    pub fitness: Fitness,
    classes: Units,
    files: Units,
}

/// Elements by line, per class or per file.
type Units = BTreeMap<String, Lines>;
/// Elements by line. Of several on one line, which only inputs have that name statements, the first.
pub type Lines = BTreeMap<u32, u32>;

impl Opened {
    /// Beside a failing test of a case (or of any other coverage that `fdc` reads).
    pub fn of_case(
        case: &Path,
        failing: &str,
        metric: &str,
        model: Option<&Path>,
    ) -> Result<Self, Problem> {
        let metric = catalogue::parse(metric, model)?;
        let spectrum = fdc_formats::read(case)?;
        let row = failing_row(&spectrum, case, failing)?;
        let program = &spectrum.program;
        let mut opened = Opened {
            fitness: Fitness::new(metric, program.method_of().collect(), &row)?,
            classes: Units::new(),
            files: Units::new(),
        };
        for (element, number) in program.elements.iter().zip(0..) {
            let method = &program.methods[element.method.index()];
            put(
                &mut opened.files,
                &program.files[method.file as usize],
                element.line,
                number,
            );
            if let Some(class) = java_class(&method.name) {
                put(&mut opened.classes, class, element.line, number);
            }
        }
        Ok(opened)
    }

    /// Beside a failing row over so many elements, each a method of its own.
    pub fn plain(
        elements: usize,
        failing: &[u64],
        metric: &str,
        model: Option<&Path>,
    ) -> Result<Self, Problem> {
        if elements > MOST_ELEMENTS {
            return Err(Problem::Range {
                what: "a number of elements",
                most: MOST_ELEMENTS,
                found: elements as i64,
            });
        }
        let metric = catalogue::parse(metric, model)?;
        Ok(Opened {
            fitness: Fitness::new(metric, (0..elements as u32).collect(), failing)?,
            classes: Units::new(),
            files: Units::new(),
        })
    }

    /// The elements of a Java class, by its binary name: `a.b.C$D`.
    pub fn class(&self, name: &str) -> Option<&Lines> {
        self.classes.get(name)
    }

    /// The elements of a file, as the case spells it.
    pub fn file(&self, path: &str) -> Option<&Lines> {
        self.files.get(path)
    }
}

fn failing_row(spectrum: &Spectrum, case: &Path, name: &str) -> Result<Vec<u64>, Problem> {
    let case = case.display().to_string();
    let Some(test) = spectrum.test_named(name) else {
        let names = spectrum.tests.iter().map(|test| &*test.name);
        let nearest = nearest(name, names).map(str::to_owned);
        let name = name.to_owned();
        return Err(Problem::NoSuchTest {
            case,
            name,
            nearest,
        });
    };
    let not_failing = |what| Problem::NotFailing {
        case,
        name: name.to_owned(),
        what,
    };
    let verdict = spectrum.test(test).verdict();
    if verdict.is_some_and(|verdict| verdict.outcome == Outcome::Pass) {
        return Err(not_failing("passes"));
    }
    if spectrum.coverage.total(test) == 0 {
        return Err(not_failing("covers no element"));
    }
    Ok(spectrum.coverage.bits(test))
}

fn put(units: &mut Units, unit: &str, line: u32, element: u32) {
    let lines = units.entry(unit.to_owned()).or_default();
    lines.entry(line).or_insert(element);
}

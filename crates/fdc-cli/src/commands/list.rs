//! `fdc list`: what there is, a line each.

use fdc_collect::ECOSYSTEMS;
use fdc_core::formula::FORMULAS;
use fdc_formats::FORMATS;
use fdc_generate::GENERATORS;
use fdc_learn::{LEARNERS, catalogue};

use crate::args::Listable;
use crate::exit::{Exit, Problem};
use crate::output::{Columns, put};

/// Runs the command.
pub fn run(what: Listable) -> Result<Exit, Problem> {
    let table = match what {
        Listable::Metrics => {
            let mut columns = Columns::new(&["metric", "sees outcomes", "parameters", "value"]);
            for entry in catalogue::entries() {
                let parameters = entry.parameters.iter();
                let parameters = parameters.map(|p| format!("{}={}", p.name, p.default));
                columns.line([
                    entry.name.to_owned(),
                    if entry.aware { "of chosen tests" } else { "no" }.to_owned(),
                    parameters.collect::<Vec<_>>().join(","),
                    entry.summary.to_owned(),
                ]);
            }
            columns
        }
        Listable::Formulas => {
            let mut columns = Columns::new(&["formula", "value"]);
            for formula in FORMULAS {
                columns.line([formula.name.to_owned(), formula.text.to_owned()]);
            }
            columns
        }
        Listable::Formats => {
            let mut columns = Columns::new(&["format", "written", "what it is"]);
            for format in FORMATS {
                columns.line([
                    format.name.to_owned(),
                    if format.write.is_some() { "yes" } else { "no" }.to_owned(),
                    format.summary.to_owned(),
                ]);
            }
            columns
        }
        Listable::Ecosystems => {
            let mut columns = Columns::new(&["ecosystem", "whose tests are measured how"]);
            for ecosystem in ECOSYSTEMS {
                columns.line([ecosystem.name.to_owned(), ecosystem.summary.to_owned()]);
            }
            columns
        }
        Listable::Generators => {
            let mut columns = Columns::new(&["generator", "where tests come from"]);
            for generator in GENERATORS {
                columns.line([generator.name.to_owned(), generator.summary.to_owned()]);
            }
            columns
        }
        Listable::Models => {
            let mut columns = Columns::new(&["model", "metric", "trained on"]);
            for learner in LEARNERS {
                let metric = learner.name();
                let digest = &learner.built_in().origin().data_digest;
                columns.line([
                    "built-in".to_owned(),
                    metric.to_owned(),
                    format!("bugs of digest {digest:.12}; `fdc model show {metric}` shows more"),
                ]);
            }
            columns
        }
    };
    put(&table.text(), None)?;
    Ok(Exit::Done)
}

//! `fdc list`: what there is, a line each.

use fdc_collect::ECOSYSTEMS;
use fdc_core::formula::FORMULAS;
use fdc_formats::FORMATS;
use fdc_generate::GENERATORS;
use fdc_learn::{LEARNERS, catalogue};
use fdc_source::MUTATORS;

use crate::args::Listable;
use crate::exit::{Exit, Result};
use crate::output::{Columns, put};

pub(crate) fn run(what: Listable) -> Result<Exit> {
    let pair = |name: &str, text: &str| vec![name.to_owned(), text.to_owned()];
    let (headings, rows): (&[&str], Vec<Vec<String>>) = match what {
        Listable::Metrics => {
            let row = |entry: &fdc_core::metric::Entry| {
                let parameters = entry.parameters.iter();
                let parameters = parameters.map(|p| format!("{}={}", p.name, p.default));
                let sees = if entry.aware { "of chosen tests" } else { "no" };
                let parameters: Vec<String> = parameters.collect();
                let mut row = pair(entry.name, sees);
                row.extend([parameters.join(","), entry.summary.into()]);
                row
            };
            let headings = &["metric", "sees outcomes", "parameters", "value"];
            (headings, catalogue::entries().map(row).collect())
        }
        Listable::Formulas => {
            let rows = FORMULAS.iter().map(|own| pair(own.name, own.text));
            (&["formula", "value"], rows.collect())
        }
        Listable::Formats => {
            let rows = FORMATS.iter().map(|own| {
                let written = if own.write.is_some() { "yes" } else { "no" };
                let mut row = pair(own.name, written);
                row.push(own.summary.to_owned());
                row
            });
            (&["format", "written", "what it is"], rows.collect())
        }
        Listable::Ecosystems => {
            let rows = ECOSYSTEMS.iter().map(|own| pair(own.name, own.summary));
            let headings = &["ecosystem", "whose tests are measured how"];
            (headings, rows.collect())
        }
        Listable::Generators => {
            let rows = GENERATORS.iter().map(|own| pair(own.name, own.summary));
            (&["generator", "where tests come from"], rows.collect())
        }
        Listable::Mutators => {
            let rows = MUTATORS.iter().map(|own| pair(own.name, own.summary));
            (&["mutator", "what it changes"], rows.collect())
        }
        Listable::Models => {
            let rows = LEARNERS.iter().map(|learner| {
                let (metric, digest) = (learner.name(), &learner.built_in().origin().data_digest);
                let mut row = pair("built-in", metric);
                row.push(format!(
                    "bugs of digest {digest:.12}; `fdc model show {metric}` shows more"
                ));
                row
            });
            (&["model", "metric", "trained on"], rows.collect())
        }
    };
    let mut columns = Columns::new(headings);
    rows.into_iter().for_each(|row| columns.line(row));
    put(&columns.text(), None)?;
    Ok(Exit::Done)
}

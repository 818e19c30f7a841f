//! `fdc explain NAME`: the manual page of a metric, formula, format, ecosystem or generator.

use fdc_collect::ECOSYSTEMS;
use fdc_core::formula::{FORMULAS, Formula};
use fdc_core::metric::{Entry, Parameter};
use fdc_core::naming::nearest;
use fdc_formats::FORMATS;
use fdc_generate::GENERATORS;
use fdc_learn::catalogue;
use fdc_learn::learner::{self, Passage};

use crate::exit::{Exit, Failure, Result};
use crate::output::{Columns, put};

pub(crate) fn run(name: &str) -> Result<Exit> {
    let plain = name.split(':').next().unwrap_or(name);
    let all = pages();
    // A format and an ecosystem may share a name: both are shown.
    let named = all.iter().filter(|(own, _)| *own == plain);
    let pages: Vec<String> = named.map(|(_, page)| page()).collect();
    if pages.is_empty() {
        let failure = Failure::usage(format!("nothing is named {name:?}"));
        return Err(match nearest(plain, all.iter().map(|(own, _)| *own)) {
            Some(near) => failure.hint(format!("did you mean {near:?}?")),
            None => failure
                .hint("`fdc list metrics`, `formulas`, `formats`, `ecosystems` and `generators` show all names"),
        });
    }
    put(&pages.join("\n\n"), None)?;
    Ok(Exit::Done)
}

type Page = Box<dyn Fn() -> String>;

/// Everything that has a page, by its name.
fn pages() -> Vec<(&'static str, Page)> {
    let mut pages: Vec<(&str, Page)> = Vec::new();
    for entry in catalogue::entries() {
        pages.push((entry.name, Box::new(|| metric_page(entry))));
    }
    for formula in FORMULAS {
        pages.push((formula.name, Box::new(|| formula_page(formula))));
    }
    for format in FORMATS {
        pages.push((format.name, Box::new(|| format.manual())));
    }
    for ecosystem in ECOSYSTEMS {
        pages.push((ecosystem.name, Box::new(|| ecosystem.manual())));
    }
    for generator in GENERATORS {
        pages.push((generator.name, Box::new(|| generator.manual())));
    }
    pages
}

fn metric_page(entry: &Entry) -> String {
    let mut page = entry.manual();
    if !entry.parameters.is_empty() {
        page += "\nParameters:\n";
    }
    for Parameter {
        name,
        default,
        summary,
    } in entry.parameters
    {
        page += &format!("  {name} (default {default}): {summary}\n");
    }
    page += match entry.aware {
        true => "\nResult-aware: sees the outcomes of the tests already chosen.\n",
        false => "\nResult-agnostic: sees no outcome but that of the failing test.\n",
    };
    if let Some(learner) = learner::named(entry.name) {
        page += &passages(&learner.built_in().explain());
    }
    page
}

/// What is told of a model, as text.
pub(crate) fn passages(passages: &[Passage]) -> String {
    let text = passages.iter().map(|passage| match passage {
        Passage::Text(text) => text.clone(),
        Passage::Columns { headings, rows } => {
            let mut columns = Columns::new(headings);
            for row in rows {
                columns.line(row.iter().cloned());
            }
            columns.text()
        }
    });
    text.collect()
}

fn formula_page(formula: &Formula) -> String {
    let Formula {
        name,
        text,
        citation,
        ..
    } = formula;
    format!(
        "{name} — a suspiciousness formula.\n\n  {text}\n\nef, ep: failing and passing tests that cover the \
         element; nf, np: that do not; F = ef+nf, P = ep+np.\n{citation}.\n"
    )
}

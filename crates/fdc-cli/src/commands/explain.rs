//! `fdc explain NAME`: the manual page of a metric, formula, format, ecosystem or generator.

use std::fmt::Write as _;

use fdc_collect::ECOSYSTEMS;
use fdc_core::formula::FORMULAS;
use fdc_core::naming::nearest;
use fdc_formats::FORMATS;
use fdc_generate::GENERATORS;
use fdc_learn::catalogue;
use fdc_learn::learner::{self, Passage};

use crate::exit::{Exit, Problem};
use crate::output::{Columns, put};

/// Runs the command.
pub fn run(name: &str) -> Result<Exit, Problem> {
    let plain = name.split(':').next().unwrap_or(name);
    // A format and an ecosystem may share a name: both are shown.
    let kinds = [
        metric_page,
        formula_page,
        format_page,
        ecosystem_page,
        generator_page,
    ];
    let pages: Vec<String> = kinds.iter().filter_map(|page| page(plain)).collect();
    if pages.is_empty() {
        let names = catalogue::entries().map(|entry| entry.name);
        let names = names.chain(FORMULAS.iter().map(|formula| formula.name));
        let names = names.chain(FORMATS.iter().map(|format| format.name));
        let names = names.chain(ECOSYSTEMS.iter().map(|ecosystem| ecosystem.name));
        let names = names.chain(GENERATORS.iter().map(|generator| generator.name));
        let problem = Problem::usage(format!("nothing is named {name:?}"));
        return Err(match nearest(plain, names) {
            Some(near) => problem.hint(format!("did you mean {near:?}?")),
            None => problem
                .hint("`fdc list metrics`, `formulas`, `formats`, `ecosystems` and `generators` show all names"),
        });
    }
    let page = pages.join("\n\n");
    put(&page, None)?;
    Ok(Exit::Done)
}

fn metric_page(name: &str) -> Option<String> {
    let entry = catalogue::entries().find(|entry| entry.name == name)?;
    let mut page = entry.manual();
    if !entry.parameters.is_empty() {
        page.push_str("\nParameters:\n");
        for parameter in entry.parameters {
            let _ = writeln!(
                page,
                "  {} (default {}): {}",
                parameter.name, parameter.default, parameter.summary
            );
        }
    }
    page.push_str(if entry.aware {
        "\nResult-aware: sees the outcomes of the tests already chosen.\n"
    } else {
        "\nResult-agnostic: sees no outcome but that of the failing test.\n"
    });
    if let Some(learner) = learner::named(name) {
        page += &passages(&learner.built_in().explain());
    }
    Some(page)
}

/// What is told of a model, as text.
pub fn passages(passages: &[Passage]) -> String {
    let text = passages.iter().map(|passage| match passage {
        Passage::Text(text) => text.clone(),
        Passage::Columns { headings, rows } => {
            let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
            let mut columns = Columns::new(&headings);
            rows.iter()
                .for_each(|row| columns.line(row.iter().cloned()));
            columns.text()
        }
    });
    text.collect()
}

fn formula_page(name: &str) -> Option<String> {
    let formula = FORMULAS.iter().find(|formula| formula.name == name)?;
    Some(format!(
        "{name} — a suspiciousness formula.\n\n  {}\n\nef, ep: failing and passing tests that cover the \
         element; nf, np: that do not; F = ef+nf, P = ep+np.\n{}.\n",
        formula.text, formula.citation
    ))
}

fn format_page(name: &str) -> Option<String> {
    let format = FORMATS.iter().find(|format| format.name == name)?;
    Some(format.manual())
}

fn ecosystem_page(name: &str) -> Option<String> {
    let ecosystem = ECOSYSTEMS.iter().find(|ecosystem| ecosystem.name == name)?;
    Some(ecosystem.manual())
}

fn generator_page(name: &str) -> Option<String> {
    let generator = GENERATORS.iter().find(|generator| generator.name == name)?;
    Some(generator.manual())
}

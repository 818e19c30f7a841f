//! `fdc explain NAME`: the manual page of a metric, formula or format.

use std::fmt::Write as _;

use fdc_core::formula::FORMULAS;
use fdc_core::naming::nearest;
use fdc_formats::FORMATS;

use crate::exit::{Exit, Problem};
use crate::metrics;
use crate::output::put;

/// Runs the command.
pub fn run(name: &str) -> Result<Exit, Problem> {
    let plain = name.split(':').next().unwrap_or(name);
    let page = metric_page(plain)
        .or_else(|| formula_page(plain))
        .or_else(|| format_page(plain));
    let page = page.ok_or_else(|| {
        let names = metrics::entries().map(|entry| entry.name);
        let names = names.chain(FORMULAS.iter().map(|formula| formula.name));
        let names = names.chain(FORMATS.iter().map(|format| format.name));
        let problem = Problem::usage(format!("nothing is named {name:?}"));
        match nearest(plain, names) {
            Some(near) => problem.hint(format!("did you mean {near:?}?")),
            None => problem.hint("`fdc list metrics`, `formulas` and `formats` show all names"),
        }
    })?;
    put(&page, None)?;
    Ok(Exit::Done)
}

fn metric_page(name: &str) -> Option<String> {
    let entry = metrics::entries().find(|entry| entry.name == name)?;
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
        "\nResult-agnostic: sees coverage alone.\n"
    });
    Some(page)
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

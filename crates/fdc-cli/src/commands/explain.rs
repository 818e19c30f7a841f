//! `fdc explain NAME`: the manual page of a metric, formula, format, ecosystem or generator.

use std::fmt::Write as _;

use fdc_collect::ECOSYSTEMS;
use fdc_core::formula::FORMULAS;
use fdc_core::naming::nearest;
use fdc_formats::FORMATS;
use fdc_generate::GENERATORS;
use fdc_learn::landscape::Landscape;
use fdc_learn::network::Network;
use fdc_learn::rlfdc;
use fdc_learn::sharp;
use fdc_learn::sharp::features::FEATURES;
use fdc_learn::sharp::model::Prior;

use crate::exit::{Exit, Problem};
use crate::output::{Columns, put};
use fdc_learn::catalogue;

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
    if name == rlfdc::ENTRY.name {
        page.push_str(&what_was_learned(&rlfdc::built_in().network));
    }
    if name == sharp::ENTRY.name {
        page.push_str("\nWhat makes a suspicious method likely, in the built-in model (per standard deviation):\n\n");
        page.push_str(&prior_table(&sharp::built_in().prior));
    }
    Some(page)
}

/// The weight of each feature of a suspicious method.
pub fn prior_table(prior: &Prior) -> String {
    let mut columns = Columns::new(&[">weight", "feature", "which is"]);
    for (feature, weight) in FEATURES.iter().zip(prior.weight) {
        let cells = [
            format!("{weight:+.3}"),
            feature.name.into(),
            feature.formula.into(),
        ];
        columns.line(cells);
    }
    columns.text()
}

/// The network's values early and late in a selection, and how to read them.
fn what_was_learned(network: &Network) -> String {
    let mut text = String::from("\nWhat the built-in network learned: its value of a candidate\n");
    let [early, late] =
        [Landscape::EARLY, Landscape::LATE].map(|state| Landscape::of(network, state));
    for (when, landscape) in [("early", &early), ("late", &late)] {
        let state = landscape.state;
        let (tests, groups) = (counted(state.added, "test"), counted(state.groups, "group"));
        let _ = writeln!(text, "\n{when} ({tests} added, {groups} of suspects):");
        let covers = Landscape::COVERS.map(|cover| format!(">cover {cover}"));
        let headings: Vec<&str> = covers.iter().map(String::as_str).collect();
        let mut columns = Columns::new(&[&[">split"], &headings[..]].concat());
        for (split, values) in landscape.rows() {
            let values = values.iter().map(|value| format!("{value:.3}"));
            columns.line(std::iter::once(split.to_string()).chain(values));
        }
        text.push_str(&columns.text());
    }
    let [from, .., to] = Landscape::SPLITS;
    let more_or_less = if late.rise_with_cover() > early.rise_with_cover() {
        "more"
    } else {
        "less"
    };
    let _ = writeln!(
        text,
        "\nReading it: from no to full cover the value {} early and {} late, so that\n\
         cover counts for {more_or_less} as tests are added; from split {from} to {to} it {} early and {} late.",
        change(early.rise_with_cover()),
        change(late.rise_with_cover()),
        change(early.rise_with_split()),
        change(late.rise_with_split()),
    );
    text
}

fn counted(number: f32, what: &str) -> String {
    let plural = if number == 1.0 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

fn change(by: f32) -> String {
    let verb = if by < 0.0 { "falls" } else { "rises" };
    format!("{verb} by {:.3}", by.abs())
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

//! `fdc compare`: metrics side by side, from results or published ranks.

mod json;
mod terminal;

use std::path::Path;

use fdc_case::{FileError, write_whole};
use fdc_draw::{Table, escape};
use fdc_study::comparison::changes::Changes;
use fdc_study::comparison::charts::{self, Picture};
use fdc_study::comparison::input::{self, Input};
use fdc_study::comparison::report;
use fdc_study::comparison::significance::{self, Measure, Significance};
use fdc_study::comparison::tables::{self, Curve, Digits};
use fdc_study::comparison::{Comparison, Field};
use fdc_study::contender::specifications;

use crate::args::compare::{CompareArguments, CompareFormat};
use crate::exit::{Exit, Problem};
use crate::output::{note, own_command, put, put_data, put_json};

/// Size of the PNG files: twice the SVG's pixels suits screens and slides.
#[cfg(feature = "png")]
const PNG_SCALE: f64 = 2.0;

/// Everything that the outputs show.
struct Findings {
    /// As named on the command line.
    inputs: Vec<String>,
    title: String,
    comparison: Comparison,
    significance: Significance,
    /// Two metrics bug by bug: those of --bugs.
    changes: Option<Changes>,
    notes: Vec<String>,
    digits: Digits,
    by_project: bool,
}

/// Runs the command.
pub fn run(arguments: &CompareArguments, quiet: bool) -> Result<Exit, Problem> {
    let inputs = Input::read_all(&arguments.results)?;
    let findings = findings(arguments, &inputs)?;
    for sentence in &findings.notes {
        note(quiet, &format!("note: {sentence}"));
    }
    print(&findings, arguments, quiet)?;
    if arguments.report.is_some() || arguments.plots.is_some() {
        let to_against = arguments.against.is_some();
        let pictures = charts::all(&findings.comparison, &findings.significance, to_against);
        if let Some(folder) = &arguments.plots {
            write_plots(&pictures, folder, quiet)?;
        }
        if let Some(path) = &arguments.report {
            write_report(&findings, &pictures, path)?;
            note(quiet, &format!("{}: open it in a browser", path.display()));
        }
    }
    Ok(Exit::Done)
}

fn findings(arguments: &CompareArguments, inputs: &[Input]) -> Result<Findings, Problem> {
    let field = Field::new(inputs);
    let asked = arguments.metrics.as_deref().map_or(vec![], specifications);
    let comparison = field.compare(&asked)?;
    let against = match &arguments.against {
        None => comparison.best(),
        Some(name) => place_of(&field, &comparison, name)?,
    };
    let changes = match arguments.bugs.as_deref() {
        Some([from, to]) => {
            let pair = field.compare(&[from.clone(), to.clone()])?;
            if pair.metrics.len() != 2 {
                return Err(ambiguous(from, to));
            }
            Some(Changes::between(&pair, 0, 1))
        }
        _ => None,
    };
    let options = significance::Options {
        measure: arguments.measure,
        ties: arguments.ties,
        posthoc: arguments.posthoc,
        ..significance::Options::default()
    };
    let notes = field
        .notes
        .iter()
        .cloned()
        .chain(input::differences(inputs));
    let names: Vec<&str> = inputs.iter().map(|input| &*input.name).collect();
    Ok(Findings {
        inputs: arguments
            .results
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        title: format!("Comparison of {}", names.join(", ")),
        significance: Significance::of(&comparison, against, options)?,
        comparison,
        changes,
        notes: notes.collect(),
        digits: if arguments.exact {
            Digits::Exact
        } else {
            Digits::Rounded
        },
        by_project: arguments.by_project,
    })
}

/// The one compared metric of that name.
fn place_of(field: &Field, comparison: &Comparison, name: &str) -> Result<usize, Problem> {
    let named = field.named(name)?;
    let mut places = named.iter().filter_map(|metric| comparison.place(metric));
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (None, _) => Err(
            Problem::usage(format!("metric '{name}' is not among those compared"))
                .hint("list it in --metrics"),
        ),
        (Some(_), Some(_)) => Err(ambiguous(name, name)),
    }
}

fn ambiguous(a: &str, b: &str) -> Problem {
    let names = if a == b {
        format!("'{a}'")
    } else {
        format!("'{a}' or '{b}'")
    };
    Problem::usage(format!("several inputs have results of {names}"))
        .hint("name the input as well: METRIC@INPUT")
}

fn print(findings: &Findings, arguments: &CompareArguments, quiet: bool) -> Result<(), Problem> {
    let out = arguments.out.as_deref();
    match arguments.format {
        CompareFormat::Table => put(&terminal::text(findings, quiet), out),
        CompareFormat::Csv => put_data(&csv_table(findings).csv(), out),
        CompareFormat::Markdown => {
            let tables = article_tables(findings)
                .iter()
                .map(Table::markdown)
                .collect::<Vec<_>>();
            put_data(&article(findings, tables, escape::markdown), out)
        }
        CompareFormat::Latex => {
            let tables = article_tables(findings)
                .iter()
                .map(Table::latex)
                .collect::<Vec<_>>();
            put_data(&article(findings, tables, escape::latex), out)
        }
        CompareFormat::Json => put_json(&json::document(findings), out),
    }
}

fn csv_table(findings: &Findings) -> Table {
    match &findings.changes {
        Some(changes) => changes.table(|_| true),
        None if findings.by_project => {
            tables::accuracy_by_project(&findings.comparison, findings.digits)
        }
        None => tables::accuracy(&findings.comparison, findings.digits),
    }
}

fn article_tables(findings: &Findings) -> Vec<Table> {
    let Findings {
        comparison,
        significance,
        digits,
        ..
    } = findings;
    if let Some(changes) = &findings.changes {
        return vec![changes.table(|_| true)];
    }
    let mut all = vec![
        tables::summary(comparison, *digits),
        tables::intervals(comparison, significance),
    ];
    if comparison.metrics.len() > 1 {
        all.push(tables::contrasts(comparison, significance, &Measure::ALL));
    }
    all.push(tables::curve(comparison, Curve::Map, *digits));
    if findings.by_project {
        all.push(tables::projects(comparison));
    }
    all.push(csv_table(findings));
    all
}

/// The tables, and the paragraph behind them.
fn article(findings: &Findings, mut parts: Vec<String>, escape: impl Fn(&str) -> String) -> String {
    parts.push(match (&findings.changes, &findings.significance.advice) {
        (Some(changes), _) => escape(&changes.sentence()) + "\n",
        (None, Ok(advice)) => escape(&advice.paragraph) + "\n",
        (None, Err(_)) => escape(&findings.significance.why_not().unwrap_or_default()) + "\n",
    });
    parts.join("\n")
}

fn write_plots(pictures: &[Picture], folder: &Path, quiet: bool) -> Result<(), Problem> {
    std::fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
    for picture in pictures {
        let path = folder.join(format!("{}.svg", picture.name));
        write_whole(&path, |file| {
            file.write_all(picture.svg.document().as_bytes())
        })?;
    }
    let png = write_png(pictures, folder)?;
    let names: Vec<&str> = pictures.iter().map(|picture| &*picture.name).collect();
    let endings = if png {
        ".svg and .png"
    } else {
        ".svg (for .png as well, build fdc with --features png)"
    };
    note(
        quiet,
        &format!("{}: {} as {endings}", folder.display(), names.join(", ")),
    );
    Ok(())
}

/// Whether this build draws PNG. Without fonts it cannot; the SVG files stand anyway.
#[cfg(feature = "png")]
fn write_png(pictures: &[Picture], folder: &Path) -> Result<bool, Problem> {
    let no_png = |error: fdc_draw::Error| {
        Problem::input(format!("no PNG pictures: {error}"))
            .hint("the SVG files were written; any browser shows them")
    };
    let fonts = fdc_draw::Fonts::system().map_err(no_png)?;
    for picture in pictures {
        let bytes = fonts.png(&picture.svg, PNG_SCALE).map_err(no_png)?;
        let path = folder.join(format!("{}.png", picture.name));
        write_whole(&path, |file| file.write_all(&bytes))?;
    }
    Ok(true)
}

#[cfg(not(feature = "png"))]
fn write_png(_: &[Picture], _: &Path) -> Result<bool, Problem> {
    Ok(false)
}

fn write_report(findings: &Findings, pictures: &[Picture], path: &Path) -> Result<(), Problem> {
    let Findings {
        comparison,
        significance,
        ..
    } = findings;
    let closest = || {
        let order = comparison.by_area();
        let other = *order.iter().find(|&&place| place != significance.against)?;
        Some(Changes::between(comparison, other, significance.against))
    };
    let changes = findings.changes.clone().or_else(closest);
    let contents = report::Contents {
        title: &findings.title,
        pictures,
        changes: changes.as_ref(),
        digits: findings.digits,
        notes: &findings.notes,
        command: &own_command(),
    };
    let html = report::page(comparison, significance, &contents).html();
    Ok(write_whole(path, |file| file.write_all(html.as_bytes()))?)
}

//! `fdc compare`: metrics side by side, from results or published ranks.

mod json;
mod terminal;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fdc::compare::{CompareReply, CompareRequest, compare};
use fdc_case::FileError;
use fdc_draw::{Table, escape};
use fdc_study::comparison::charts::{self, Figure};
use fdc_study::comparison::report;
use fdc_study::comparison::significance::{Measure, SignificanceOptions};
use fdc_study::comparison::tables::{self, CurveMeasure, Digits};
use fdc_study::stats::friedman::Ties;
use fdc_study::stats::posthoc::Adjustment;

use crate::args::{choice, own_command};
use crate::exit::{Exit, Result};
use crate::output::{note, notes, put, put_data, put_json, write};

#[derive(Args, Debug)]
pub(crate) struct CompareArguments {
    /// Results folders of `fdc evaluate`, their .parquet files, or published ranks (CSV, plain or
    /// .zst); several are joined
    #[arg(value_name = "RESULTS", required = true)]
    pub results: Vec<PathBuf>,
    /// Metrics to compare, with commas between (default: all)
    #[arg(long, value_name = "A,B,...")]
    pub metrics: Option<String>,
    /// Metric to compare the others with (default: the best by area)
    #[arg(long, value_name = "METRIC")]
    pub against: Option<String>,
    /// Show every project separately as well
    #[arg(long)]
    pub by_project: bool,
    /// Show acc@n and mAP unrounded, to six decimals
    #[arg(long)]
    pub exact: bool,
    /// Show which bugs got better or worse from metric A to metric B
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    pub bugs: Option<Vec<String>>,
    /// Value of a bug that the significance tests compare
    #[arg(long, default_value = "ap", value_parser = choice::choice::<Measure>(), help_heading = "Statistics")]
    pub measure: Measure,
    /// Rule for equal values in Friedman's test
    #[arg(long, default_value = "ignored", value_parser = choice::choice::<Ties>(), help_heading = "Statistics")]
    pub ties: Ties,
    /// Adjustment for many pairs (default: bergmann-hommel up to 9 metrics, shaffer above)
    #[arg(long, value_parser = choice::choice_but(Adjustment::Unadjusted), help_heading = "Statistics")]
    pub posthoc: Option<Adjustment>,
    /// How to print
    #[arg(long, default_value = "table", help_heading = "Output")]
    pub format: CompareFormat,
    /// Write to this file instead of the terminal
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write everything as one page that opens offline (.html)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Write the plots to this folder, as SVG and PNG
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub plots: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// For people
    Table,
    /// `metric,tests,acc@1,acc@3,acc@5,acc@10,mAP`; with --bugs, a line per bug
    Csv,
    /// Tables for a pull request or notebook
    Markdown,
    /// Tables for an article (booktabs)
    Latex,
    /// For programs (schemas/compare.schema.json)
    Json,
}

/// Size of the PNG files: twice the SVG's pixels suits screens and slides.
#[cfg(feature = "png")]
const PNG_SCALE: f64 = 2.0;

struct View<'a> {
    reply: &'a CompareReply,
    arguments: &'a CompareArguments,
    digits: Digits,
}

pub(crate) fn run(arguments: &CompareArguments, quiet: bool) -> Result<Exit> {
    let bugs = arguments.bugs.as_deref();
    let reply = compare(&CompareRequest {
        results: &arguments.results,
        metrics: arguments.metrics.as_deref(),
        against: arguments.against.as_deref(),
        bugs: bugs.and_then(|pair| Some([&**pair.first()?, &**pair.get(1)?])),
        significance: SignificanceOptions {
            measure: arguments.measure,
            ties: arguments.ties,
            posthoc: arguments.posthoc,
        },
    })?;
    notes(quiet, &reply.notes);
    let view = View {
        reply: &reply,
        arguments,
        digits: match arguments.exact {
            true => Digits::Exact,
            false => Digits::Rounded,
        },
    };
    view.print(quiet)?;
    if arguments.report.is_some() || arguments.plots.is_some() {
        let to_against = arguments.against.is_some();
        let pictures = charts::all(&reply.comparison, &reply.significance, to_against);
        if let Some(folder) = &arguments.plots {
            write_plots(&pictures, folder, quiet)?;
        }
        if let Some(path) = &arguments.report {
            view.write_report(&pictures, path)?;
            note(quiet, &format!("{}: open it in a browser", path.display()));
        }
    }
    Ok(Exit::Done)
}

impl View<'_> {
    fn print(&self, quiet: bool) -> Result<()> {
        let out = self.arguments.out.as_deref();
        match self.arguments.format {
            CompareFormat::Table => put(&self.text(quiet), out),
            CompareFormat::Csv => put_data(&self.csv_table().csv(), out),
            CompareFormat::Markdown => {
                put_data(&self.article(Table::markdown, escape::markdown), out)
            }
            CompareFormat::Latex => put_data(&self.article(Table::latex, escape::latex), out),
            CompareFormat::Json => put_json(&self.document(), out),
        }
    }

    fn csv_table(&self) -> Table {
        let comparison = &self.reply.comparison;
        match &self.reply.changes {
            Some(changes) => changes.table(|_| true),
            None if self.arguments.by_project => {
                tables::accuracy_by_project(comparison, self.digits)
            }
            None => tables::accuracy(comparison, self.digits),
        }
    }

    fn article_tables(&self) -> Vec<Table> {
        let (comparison, significance) = (&self.reply.comparison, &self.reply.significance);
        if self.reply.changes.is_some() {
            return vec![self.csv_table()];
        }
        let mut all = vec![
            tables::summary(comparison, self.digits),
            tables::intervals(comparison, significance),
        ];
        if comparison.metrics.len() > 1 {
            all.push(tables::contrasts(comparison, significance, &Measure::ALL));
        }
        all.push(tables::curve(comparison, CurveMeasure::Map, self.digits));
        if self.arguments.by_project {
            all.push(tables::projects(comparison));
        }
        all.push(self.csv_table());
        all
    }

    /// The tables, and the paragraph behind them.
    fn article(&self, table: fn(&Table) -> String, escape: fn(&str) -> String) -> String {
        let mut parts: Vec<String> = self.article_tables().iter().map(table).collect();
        let significance = &self.reply.significance;
        let paragraph = match (&self.reply.changes, &significance.advice) {
            (Some(changes), _) => changes.sentence(),
            (None, Ok(advice)) => advice.paragraph.clone(),
            (None, Err(_)) => significance.why_not().unwrap_or_default(),
        };
        parts.push(escape(&paragraph) + "\n");
        parts.join("\n")
    }

    fn write_report(&self, pictures: &[Figure], path: &Path) -> Result<()> {
        let reply = self.reply;
        let changes = reply.changes_or_closest();
        let contents = report::Contents {
            title: &reply.title,
            pictures,
            changes: changes.as_ref(),
            digits: self.digits,
            notes: &reply.notes,
            command: &own_command::text(),
        };
        let html = report::page(&reply.comparison, &reply.significance, &contents).html();
        write(path, html)
    }
}

fn write_plots(pictures: &[Figure], folder: &Path, quiet: bool) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(FileError::io(folder, "make the folder"))?;
    for picture in pictures {
        let path = folder.join(format!("{}.svg", picture.name));
        write(&path, picture.svg.document())?;
    }
    let endings = match write_png(pictures, folder)? {
        true => ".svg and .png",
        false => ".svg (for .png as well, build fdc with --features png)",
    };
    let names: Vec<&str> = pictures.iter().map(|picture| &*picture.name).collect();
    let written = format!("{}: {} as {endings}", folder.display(), names.join(", "));
    note(quiet, &written);
    Ok(())
}

/// Whether this build draws PNG. Without fonts it cannot; the SVG files stand anyway.
#[cfg(feature = "png")]
fn write_png(pictures: &[Figure], folder: &Path) -> Result<bool> {
    let no_png = |error: fdc_draw::Error| {
        crate::exit::Failure::input(format!("no PNG pictures: {error}"))
            .hint("the SVG files were written; any browser shows them")
    };
    let fonts = fdc_draw::Fonts::system().map_err(no_png)?;
    for picture in pictures {
        let bytes = fonts.png(&picture.svg, PNG_SCALE).map_err(no_png)?;
        let path = folder.join(format!("{}.png", picture.name));
        write(&path, bytes)?;
    }
    Ok(true)
}

#[cfg(not(feature = "png"))]
fn write_png(_: &[Figure], _: &Path) -> Result<bool> {
    Ok(false)
}

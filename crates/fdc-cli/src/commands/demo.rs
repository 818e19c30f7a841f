//! `fdc demo`: no input at all. A real program with a seeded bug, and the RLFDC paper's example.

use std::path::Path;

use fdc::rank::Scoring;
use fdc::select::{SelectReply, SelectRequest, Step, select};
use fdc_core::{Formula, Spectrum};
use fdc_formats::{csv_matrix, dataset};

use crate::exit::{Exit, Result};
use crate::output::{put, rank_text};
use fdc_learn::catalogue;

const ORDERS: &[u8] = include_bytes!("../../../../testdata/orders/orders.json");
const ORDERS_BUG: &str = "if line.quantity > minimum:      (it should be >=)";
const PAPER: &[u8] = include_bytes!("../../../../testdata/paper-example/example.csv");
const PICKS: usize = 10;

pub(crate) fn run() -> Result<Exit> {
    let orders = dataset::parse(Path::new("the built-in program"), ORDERS)?;
    let paper = csv_matrix::parse(Path::new("the built-in example"), PAPER)?;
    let text = real_program(&orders)? + &paper_example(&paper)? + NEXT;
    put(&text, None)?;
    Ok(Exit::Done)
}

const NEXT: &str = "\
On your own project:
  fdc collect                          run its tests, measure each, into case.fdc
  fdc import COVERAGE -o case.fdc      or take coverage that you have (fdc list formats)
  fdc rank case.fdc                    the suspects
  fdc select case.fdc -n 10            the tests to look at next, and why
  fdc label case.fdc                   look at them one by one (fdc serve: on a page)
";

fn real_program(spectrum: &Spectrum) -> Result<String> {
    let bold = anstyle::Style::new().bold();
    let red = anstyle::AnsiColor::Red.on_default();
    let green = anstyle::AnsiColor::Green.on_default();
    let metric = catalogue::DEFAULT;
    let SelectReply {
        steps,
        failing,
        covered,
        ..
    } = reply(spectrum, metric)?;
    let suspects = steps[0].tied;
    let (methods, tests) = (spectrum.program.methods.len(), spectrum.tests.len());
    let mut text = format!(
        "{bold}A failing test says that something is wrong, not where.{bold:#}\n\n\
         A real program, {methods} methods, {tests} tests; one fails:\n  {red}{failing}{red:#}\n\
         It runs {covered} lines in {suspects} methods, and each of them may be wrong.\n\n\
         fdc chooses the next test to look at, one at a time ({metric}):\n\n \
         tests  looked at{:40}place of the faulty method\n",
        ""
    );
    for (number, step) in steps.iter().enumerate() {
        let (name, colour) = match &step.added {
            Some(name) => {
                let short = name.rsplit("::").next().unwrap_or(name);
                match step.outcome {
                    Some("fail") => (format!("fail {short}"), red),
                    _ => (format!("pass {short}"), green),
                }
            }
            None => ("fail the failing test alone".into(), red),
        };
        let place = faulty_place(step);
        let bar = "█".repeat(((place / suspects as f64) * 24.0).ceil() as usize);
        let place = rank_text(place);
        text += &format!("{number:>6}  {colour}{name:<48.48}{colour:#} {place:>3} {bar}\n");
    }
    let last = rank_text(faulty_place(&steps[steps.len() - 1]));
    let method = steps[0].faulty.iter().flatten().next();
    let method = method.map_or("", |place| &place.method);
    Ok(text
        + &format!(
            "\nAfter {PICKS} of {tests} tests the bug's method is at place {last} of {methods}:\n  \
         {bold}{method}{bold:#}\n    {ORDERS_BUG}\n\n"
        ))
}

fn paper_example(spectrum: &Spectrum) -> Result<String> {
    let mut text = String::from(
        "The worked example of the RLFDC paper (6 methods, 21 tests), place of the faulty m4 after 0..10 tests:\n",
    );
    for metric in [catalogue::DEFAULT, "tfd"] {
        let reply = reply(spectrum, metric)?;
        let places = reply.steps.iter().map(faulty_place).map(rank_text);
        let places: Vec<String> = places.collect();
        text += &format!("  {metric:<18}{}\n", places.join(" "));
    }
    Ok(text + "\n")
}

fn reply(spectrum: &Spectrum, metric: &str) -> Result<SelectReply> {
    let request = SelectRequest {
        number: Some(PICKS),
        reveal: true,
        scoring: Scoring::by(Formula::default_formula()),
        ..SelectRequest::by(catalogue::parse(metric, None)?)
    };
    select(spectrum, &request)
}

fn faulty_place(step: &Step) -> f64 {
    step.best_faulty().map_or(f64::INFINITY, |place| place.rank)
}

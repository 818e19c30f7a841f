//! `fdc demo`: no input at all. A real program with a seeded bug, and the RLFDC paper's example.

use std::fmt::Write as _;
use std::path::Path;

use fdc_core::failing::failing_test;
use fdc_core::ranking::{Level, Ranker, RankingOptions};
use fdc_core::{Outcome, Selection, Spectrum};
use fdc_formats::{csv_matrix, dataset};

use crate::args::select::Count;
use crate::commands::select::{Chooser, Limit, Step};
use crate::exit::{Exit, Problem};
use crate::output::{put, rank_text};
use fdc_learn::catalogue;

const ORDERS: &[u8] = include_bytes!("../../../../testdata/orders/orders.json");
const ORDERS_BUG: &str = "if line.quantity > minimum:      (it should be >=)";
const PAPER: &[u8] = include_bytes!("../../../../testdata/paper-example/example.csv");
const PICKS: usize = 10;

/// Runs the command.
pub fn run() -> Result<Exit, Problem> {
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

fn real_program(spectrum: &Spectrum) -> Result<String, Problem> {
    let bold = anstyle::Style::new().bold();
    let red = anstyle::AnsiColor::Red.on_default();
    let green = anstyle::AnsiColor::Green.on_default();
    let steps = steps(spectrum, catalogue::DEFAULT)?;
    let failing = failing_test(spectrum, None)?;
    let suspects = steps[0].tied;
    let mut text = format!(
        "{bold}A failing test says that something is wrong, not where.{bold:#}\n\n\
         A real program, {} methods, {} tests; one fails:\n  {red}{}{red:#}\n\
         It runs {} lines in {suspects} methods, and each of them may be wrong.\n\n\
         fdc chooses the next test to look at, one at a time ({}):\n\n",
        spectrum.program.methods.len(),
        spectrum.tests.len(),
        spectrum.test(failing).name,
        spectrum.coverage.total(failing),
        catalogue::DEFAULT,
    );
    let _ = writeln!(text, " tests  looked at{:40}place of the faulty method", "");
    for (number, step) in steps.iter().enumerate() {
        let (name, colour) = match (step.pick, step.outcome) {
            (Some(pick), outcome) => {
                let name = &spectrum.test(pick.test).name;
                let short = name.rsplit("::").next().unwrap_or(name);
                let fails = outcome == Some(Outcome::Fail);
                (
                    format!("{} {short}", if fails { "fail" } else { "pass" }),
                    if fails { red } else { green },
                )
            }
            (None, _) => ("fail the failing test alone".into(), red),
        };
        let place = faulty_place(step);
        let bar = "█".repeat(((place / suspects as f64) * 24.0).ceil() as usize);
        let _ = writeln!(
            text,
            "{number:>6}  {colour}{name:<48.48}{colour:#} {:>3} {bar}",
            rank_text(place)
        );
    }
    let last = faulty_place(&steps[steps.len() - 1]);
    let method = steps[0].faulty.as_ref().and_then(|places| places.first());
    let method = method.map_or("", |&(method, _)| spectrum.method_name(method));
    let _ = writeln!(
        text,
        "\nAfter {PICKS} of {} tests the bug's method is at place {} of {}:\n  {bold}{method}{bold:#}\n    {ORDERS_BUG}\n",
        spectrum.tests.len(),
        rank_text(last),
        spectrum.program.methods.len(),
    );
    Ok(text)
}

fn paper_example(spectrum: &Spectrum) -> Result<String, Problem> {
    let mut text = String::from(
        "The worked example of the RLFDC paper (6 methods, 21 tests), place of the faulty m4 after 0..10 tests:\n",
    );
    for metric in [catalogue::DEFAULT, "tfd"] {
        let places: Vec<String> = steps(spectrum, metric)?
            .iter()
            .map(|step| rank_text(faulty_place(step)))
            .collect();
        let _ = writeln!(text, "  {metric:<18}{}", places.join(" "));
    }
    text.push('\n');
    Ok(text)
}

fn steps(spectrum: &Spectrum, metric: &str) -> Result<Vec<Step>, Problem> {
    let ranker = Ranker::new(spectrum, Level::Method, RankingOptions::default());
    let chooser = Chooser {
        spectrum,
        ranker: &ranker,
        metric: &catalogue::parse(metric, None)?,
        reveal: true,
    };
    let limit = Limit {
        tests: Count::AtMost(PICKS),
        until_stable: false,
        time: None,
    };
    let mut selection = Selection::new(spectrum, failing_test(spectrum, None)?);
    Ok(chooser.choose(&mut selection, limit))
}

fn faulty_place(step: &Step) -> f64 {
    let places = step.faulty.iter().flatten().map(|&(_, place)| place);
    places.fold(f64::INFINITY, f64::min)
}

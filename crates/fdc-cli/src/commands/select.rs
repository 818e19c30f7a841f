//! `fdc select`: the tests to run, label or look at next, and why.

use std::fmt::Write as _;
use std::time::Duration;

use fdc::Input;
use fdc::select::{SelectReply, SelectRequest, select};
use fdc_draw::text::counted;
use fdc_learn::catalogue;

use crate::args::select::{SelectArguments, SelectFormat};
use crate::exit::{Exit, Problem};
use crate::output::{Columns, note, notes, printable_name, put, put_json, rank_text};

/// Runs the command.
pub fn run(arguments: &SelectArguments, quiet: bool) -> Result<Exit, Problem> {
    let choice = &arguments.choice;
    let request = SelectRequest {
        failing: choice.failing.clone(),
        metric: catalogue::asked_for(choice.metric.as_deref(), choice.model.as_deref())?,
        origins: choice.origin.clone(),
        start: arguments.start,
        reveal: arguments.reveal,
        number: arguments.number.0,
        until_stable: arguments.until_stable,
        time: arguments
            .max_seconds
            .map(|seconds| Duration::from_secs(seconds.into())),
        ranking: arguments.scoring.options(),
        explain: true,
    };
    let input = Input::read(arguments.input.request())?;
    notes(quiet, &input.notes);
    let reply = select(&input.spectrum, &request)?;
    if let Some(why) = reply.nothing {
        note(quiet, &format!("note: there is no test to choose: {why}"));
    }
    let out = arguments.out.as_deref();
    match arguments.format {
        SelectFormat::Json => put_json(&reply, out)?,
        SelectFormat::Table => put(&text(&reply), out)?,
    }
    Ok(Exit::Done)
}

fn text(reply: &SelectReply) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = format!(
        "Failing test: {bold}{}{bold:#}\nIt covers {}; {} tied at the top. Metric: {}.\n\n",
        printable_name(&reply.failing),
        counted(reply.covered, "line"),
        match reply.steps[0].tied {
            1 => "1 method is".to_owned(),
            tied => format!("{tied} methods are"),
        },
        reply.metric,
    );
    if reply.reveal {
        text.push_str(&revealed(reply));
    } else {
        explained(reply, &mut text);
    }
    if reply.left == 0 && reply.steps.len() > 1 {
        text.push_str("\nThat was every candidate.\n");
    }
    text
}

/// A paragraph for every test, with the reason.
fn explained(reply: &SelectReply, text: &mut String) {
    let bold = anstyle::Style::new().bold();
    let dim = anstyle::Style::new().dimmed();
    for (number, step) in reply.steps.iter().enumerate() {
        let (Some(test), Some(score), Some(why)) = (&step.added, step.score, &step.reason) else {
            continue;
        };
        let _ = writeln!(
            text,
            "{number:>4}. {bold}{}{bold:#}  {dim}value {score:.4}{dim:#}\n      {}",
            printable_name(test),
            why.reason.words(),
        );
        if let Some(words) = &why.reason.metric_says {
            let _ = writeln!(text, "      {words}");
        }
        let _ = writeln!(
            text,
            "      suspects tied at the top: {}; {} if it passes, {} if it fails",
            why.tied_before, why.tied_if_it_passes, why.tied_if_it_fails,
        );
    }
    if reply.steps.len() > 2 {
        text.push_str("\nEach outlook assumes that the tests listed above it pass.\n");
    }
}

/// A table with a row for every test, and what its outcome did to the ranking.
fn revealed(reply: &SelectReply) -> String {
    let heading = match reply.steps[0].faulty {
        Some(_) => "faulty method",
        None => "first place",
    };
    let mut columns = Columns::new(&[
        ">tests", "added", "outcome", ">score", ">tied", ">rank", heading,
    ]);
    for (number, step) in reply.steps.iter().enumerate() {
        let first = match &step.faulty {
            Some(_) => step.best_faulty(),
            None => step.top.first(),
        };
        let added = step.added.as_deref().map(printable_name);
        columns.line([
            number.to_string(),
            added.unwrap_or_else(|| "(the failing test alone)".into()),
            step.outcome.unwrap_or_default().to_owned(),
            step.score
                .map_or(String::new(), |score| format!("{score:.4}")),
            step.tied.to_string(),
            first.map_or("-".into(), |place| rank_text(place.rank)),
            first.map_or("-".into(), |place| printable_name(&place.method)),
        ]);
    }
    columns.text()
}

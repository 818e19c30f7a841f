//! `fdc generate`: new tests that tell suspects apart, made or taken in.

use std::fmt::Write as _;
use std::path::Path;

use fdc::generate::{GenerateRequest, SearchRequest, Summary, generate};
use fdc_generate::Budget;
use fdc_generate::summary::{SearchSummary, UnitSummary};

use crate::args::generate::{GenerateArguments, SearchArguments};
use crate::exit::{Exit, Problem};
use crate::interrupt;
use crate::output::{Columns, printable_name, put};
use crate::progress::Bar;

/// Runs the command.
pub fn run(arguments: GenerateArguments, quiet: bool) -> Result<Exit, Problem> {
    let target = arguments.target;
    let out = target.out.clone();
    interrupt::listen()?;
    let request = GenerateRequest {
        generator: arguments.generator,
        case: target.case,
        failing: target.failing,
        out: target.out,
        timeout: target.timeout,
        search: arguments.search.map(search),
        settings: arguments.settings,
    };
    let summary = generate(request, &Bar::new(quiet))?;
    put(&text(&summary, &out), None)?;
    Ok(Exit::Done)
}

fn search(arguments: SearchArguments) -> SearchRequest {
    SearchRequest {
        criterion: arguments.criterion,
        model: arguments.model,
        level: arguments.level,
        budget: match arguments.generations {
            Some(generations) => Budget::Generations(generations),
            None => Budget::Seconds(arguments.budget.as_secs_f64()),
        },
        seed: arguments.seed,
    }
}

/// What came out, for people.
fn text(summary: &Summary, out: &Path) -> String {
    let mut text = String::new();
    if !summary.units.is_empty() {
        text.push_str(&units(&summary.units));
        text.push('\n');
    }
    for left in &summary.left_out {
        let _ = writeln!(
            text,
            "Left out: {} ({})",
            printable_name(&left.name),
            left.why
        );
    }
    let _ = write!(text, "{} made, {} kept", tests(summary.made), summary.kept);
    let removed = summary.removed.iter();
    let removed = removed.map(|(reason, count)| format!("{count} {}", reason.words()));
    let removed: Vec<String> = removed.collect();
    if removed.is_empty() {
        text.push_str(".\n");
    } else {
        let _ = writeln!(text, "; removed: {}.", removed.join(", "));
    }
    let _ = writeln!(
        text,
        "The kept tests cover {} of the {} lines that the failing test covers; groups of suspects: \
         {} -> {}.",
        summary.covered, summary.suspicious, summary.groups_before, summary.groups
    );
    if summary.outside > 0 {
        let _ = writeln!(
            text,
            "{} lines they run are not in the case and were ignored.",
            summary.outside
        );
    }
    let outcomes = summary.outcomes;
    if outcomes.pass + outcomes.fail > 0 {
        let _ = writeln!(
            text,
            "Outcomes by the fixed version: {} fail, {} pass.",
            outcomes.fail, outcomes.pass
        );
    }
    let out = out.display();
    let _ = writeln!(
        text,
        "\n{out}/pool.fdc  the case with the kept tests\n{out}/tests     their sources"
    );
    if summary.kept > 0 {
        let _ = writeln!(
            text,
            "next: fdc select {out}/pool.fdc --failing '{}' --origin {}",
            printable_name(&summary.failing),
            summary.tool
        );
    }
    text
}

fn units(units: &[UnitSummary]) -> String {
    if units.iter().all(|unit| unit.search.is_none()) {
        let mut columns = Columns::new(&["class", ">tests", ">kept"]);
        for unit in units {
            let cells = [unit.made, unit.kept].map(|count| count.to_string());
            columns.line(std::iter::once(printable_name(&unit.name)).chain(cells));
        }
        return columns.text();
    }
    let mut columns = Columns::new(&[
        "class",
        ">budget",
        ">rounds",
        ">generations",
        ">native calls",
        ">groups",
        ">tests",
        ">kept",
    ]);
    for unit in units {
        let search = unit.search.clone().unwrap_or_default();
        columns.line([
            printable_name(&unit.name),
            budget(&search),
            search.rounds.to_string(),
            search.generations_done.to_string(),
            search.evaluations.to_string(),
            search
                .groups
                .map_or("-".into(), |[before, after]| format!("{before} -> {after}")),
            unit.made.to_string(),
            unit.kept.to_string(),
        ]);
    }
    let mut text = columns.text();
    for unit in units {
        let search = unit.search.as_ref();
        if let Some(problem) = search.and_then(|search| search.problem.as_ref()) {
            let _ = writeln!(text, "{}: {problem}", printable_name(&unit.name));
        }
    }
    text
}

fn budget(search: &SearchSummary) -> String {
    match (search.seconds, search.generations) {
        (Some(seconds), _) => format!("{seconds:.0} s"),
        (None, Some(generations)) => format!("{generations} gen."),
        (None, None) => "-".to_owned(),
    }
}

fn tests(count: u64) -> String {
    match count {
        1 => "1 test".to_owned(),
        count => format!("{count} tests"),
    }
}

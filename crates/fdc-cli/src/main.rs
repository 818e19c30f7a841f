//! `fdc`: ranks the code behind a failing test and chooses the test to look at next.

mod args;
mod commands;
mod exit;
mod interrupt;
mod output;
mod progress;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::args::{Arguments, Command};
use crate::exit::{Exit, Failure, Result};
use crate::output::say;

fn main() -> ExitCode {
    let mut command = Arguments::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let parsed = matches.and_then(|own| Ok((Arguments::from_arg_matches(&own)?, own)));
    let (arguments, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return refused(&error.format(&mut command)),
    };
    // A panic prints its own message; it must still end with the documented code.
    let outcome = match args::places::check(&command, &matches) {
        Ok(()) => std::panic::catch_unwind(|| run(arguments)),
        Err(refused) => Ok(Err(refused)),
    };
    let exit = match outcome {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            let own = matches.subcommand_name();
            let own = own.and_then(|name| command.find_subcommand(name));
            let mut options = own.into_iter().flat_map(clap::Command::get_arguments);
            report(&failure, |name| {
                options.any(|own| own.get_long() == Some(name))
            });
            failure.kind.into()
        }
        Err(_) => {
            say("fdc: this is a bug in fdc; please report it with the message above");
            Exit::Bug
        }
    };
    ExitCode::from(exit as u8)
}

/// A command line may hold anything, and the message quotes it.
fn refused(error: &clap::Error) -> ExitCode {
    let message = error.render().to_string();
    let safe = output::printable(&message);
    if !error.use_stderr() || safe == message {
        error.exit();
    }
    say(safe.trim_end());
    ExitCode::from(Exit::Usage as u8)
}

fn run(arguments: Arguments) -> Result<Exit> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(usize::from(threads))
            .build_global()
            .map_err(|error| Failure::usage(format!("cannot start {threads} threads: {error}")))?;
    }
    let quiet = arguments.quiet;
    match arguments.command {
        Command::Demo => commands::demo::run(),
        Command::Mutate(arguments) => commands::mutate::run(*arguments, quiet),
        Command::Collect(arguments) => commands::collect::run(*arguments, quiet),
        Command::Watch(arguments) => commands::watch::run(arguments, quiet),
        Command::Import(arguments) => commands::import::run(&arguments, quiet),
        Command::Export(arguments) => commands::export::run(&arguments, quiet),
        Command::Affected(arguments) => commands::affected::run(&arguments, quiet),
        Command::Who(arguments) => commands::who::run(&arguments, quiet),
        Command::Rank(arguments) => commands::rank::run(&arguments, quiet),
        Command::Select(arguments) => commands::select::run(&arguments, quiet),
        Command::Label(arguments) => commands::label::run(&arguments, quiet),
        Command::Report(arguments) => commands::report::run(&arguments, quiet),
        Command::Serve(arguments) => commands::serve::run(&arguments, quiet),
        Command::Lsp(arguments) => commands::lsp::run(&arguments),
        Command::Generate { tool } => commands::generate::run(*tool, quiet),
        Command::Train(arguments) => commands::train::run(&arguments, quiet),
        Command::Evaluate(arguments) => commands::evaluate::run(&arguments, quiet),
        Command::Merge(arguments) => commands::merge::run(&arguments, quiet),
        Command::Compare(arguments) => commands::compare::run(&arguments, quiet),
        Command::Study(arguments) => commands::study::run(&arguments, quiet),
        Command::Model { action } => commands::model::run(&action),
        Command::List { what } => commands::list::run(what),
        Command::Explain { name } => commands::explain::run(&name),
        Command::Completions { shell } => commands::manual::completions(shell),
        Command::Man { out } => commands::manual::man(out.as_deref()),
    }
}

fn report(failure: &Failure, has: impl FnMut(&str) -> bool) {
    let bold_red = anstyle::AnsiColor::Red.on_default().bold();
    let (message, advice) = exit::words(failure, has);
    let message = output::printable_name(&message);
    say(&format!("{bold_red}error:{bold_red:#} {message}"));
    if let Some(advice) = advice {
        say(&format!("  {}", output::printable(&advice)));
    }
}

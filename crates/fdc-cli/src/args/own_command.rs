//! The command that makes a page again, as the page says it. The same page has the same bytes
//! wherever it is written to and however many threads made it, so neither is in it.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory as _};

use super::Arguments;
use super::places::WRITTEN;

/// Of this process.
pub(crate) fn text() -> String {
    // What is common to all commands changes no page.
    let mut command = &Arguments::command();
    let matches = command.clone().get_matches();
    let (mut words, mut matches) = (vec!["fdc".to_owned()], &matches);
    while let Some((name, own)) = matches.subcommand() {
        let Some(inner) = command.find_subcommand(name) else {
            break;
        };
        (command, matches) = (inner, own);
        words.push(name.to_owned());
        let (places, options): (Vec<&Arg>, Vec<&Arg>) =
            command.get_arguments().partition(|arg| arg.is_positional());
        for argument in places.into_iter().chain(options) {
            words.extend(given(argument, matches));
        }
    }
    words.join(" ")
}

/// An argument as it can be typed; nothing if it was not given.
fn given(argument: &Arg, matches: &ArgMatches) -> Vec<String> {
    let id = argument.get_id().as_str();
    if matches.value_source(id) != Some(ValueSource::CommandLine) {
        return Vec::new();
    }
    let option = argument.get_long().map(|long| format!("--{long}"));
    let names = argument.get_value_names().unwrap_or_default();
    let values: Vec<String> = match matches.get_raw(id) {
        _ if !argument.get_action().takes_values() => return option.into_iter().collect(),
        _ if WRITTEN.contains(&id) => names.iter().map(ToString::to_string).collect(),
        Some(values) => values
            .map(|value| quoted(&value.to_string_lossy()))
            .collect(),
        None => Vec::new(),
    };
    let Some(option) = option else {
        return values;
    };
    match argument.get_value_delimiter() {
        Some(delimiter) => vec![option, values.join(&delimiter.to_string())],
        None => values
            .into_iter()
            .flat_map(|value| [option.clone(), value])
            .collect(),
    }
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:=,@%+".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted("weight:alpha=0.3"), "weight:alpha=0.3");
        assert_eq!(quoted("über/fälle.fdc"), "über/fälle.fdc");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}

//! Arguments for the options that ecosystems and generators declare.

use std::ffi::OsString;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, ValueHint, value_parser};
use fdc_collect::settings::{Given, Setting, SettingKind, Settings};

pub(crate) fn arguments(settings: &'static [Setting]) -> impl Iterator<Item = Arg> {
    settings.iter().map(|setting| {
        let argument = Arg::new(setting.name)
            .value_name(setting.value)
            .help(setting.help);
        let argument = match setting.given {
            Given::AtMostOnce => argument.long(setting.name),
            Given::Once => argument.long(setting.name).required(true),
            Given::Plainly => argument.required(true),
            Given::Repeatedly => argument.long(setting.name).action(ArgAction::Append),
        };
        match setting.kind {
            SettingKind::Text => argument
                .value_parser(StringValueParser::new().map(OsString::from))
                .value_hint(ValueHint::Other),
            SettingKind::Choice(choices) => {
                let value = |&(name, help)| PossibleValue::new(name).help(help);
                let values = PossibleValuesParser::new(choices.iter().map(value));
                argument
                    .value_parser(values.map(OsString::from))
                    .default_value(choices[0].0)
            }
            SettingKind::PathList => argument.value_parser(value_parser!(OsString)),
            SettingKind::Tool | SettingKind::Path | SettingKind::Project => argument
                .value_parser(value_parser!(OsString))
                .value_hint(ValueHint::AnyPath),
        }
    })
}

/// Adds the values that were given.
pub(crate) fn take(settings: &'static [Setting], matches: &ArgMatches, given: &mut Settings) {
    for setting in settings {
        if let Some(values) = matches.get_many::<OsString>(setting.name) {
            given.set(setting.name, values.cloned());
        }
    }
}

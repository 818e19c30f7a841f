//! Values that are chosen by name out of a table: help and completions list what is in it.

use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::Error;
use fdc::rank::ScoreSource;
use fdc_collect::{ECOSYSTEMS, Ecosystem};
use fdc_core::Named;
use fdc_core::formula::{FORMULAS, Formula};
use fdc_formats::{FORMATS, Format};
use fdc_learn::LEARNERS;
use fdc_learn::catalogue;
use fdc_learn::learner::{self, Learner};

pub(crate) fn choice<T: Named>() -> impl TypedValueParser<Value = T> {
    among(|_| true)
}

/// One of few values, of which one is not for this command.
pub(crate) fn choice_but<T: Named>(left_out: T) -> impl TypedValueParser<Value = T> {
    among(move |value| value != left_out)
}

/// A value as help and completions show it.
pub(crate) fn offered<T: Named>(value: T) -> PossibleValue {
    let mut table = T::TABLE.iter();
    let summary = table.find_map(|(own, _, summary)| (*own == value).then_some(*summary));
    PossibleValue::new(value.name()).help(summary.unwrap_or_default())
}

fn among<T: Named>(keep: impl Fn(T) -> bool) -> impl TypedValueParser<Value = T> {
    let kept = T::TABLE.iter().filter(|(value, ..)| keep(*value));
    PossibleValuesParser::new(kept.map(|(value, ..)| offered(*value)))
        .map(|name| T::named(&name).expect("the parser knows the names of the table alone"))
}

pub(crate) fn learner() -> impl TypedValueParser<Value = &'static dyn Learner> {
    let value = |own: &&'static dyn Learner| {
        let mut summary = own.entry().summary.to_owned();
        if own.options().is_empty() {
            summary += " (takes none of the hyper-parameters)";
        }
        PossibleValue::new(own.name()).help(summary)
    };
    PossibleValuesParser::new(LEARNERS.iter().map(value))
        .map(|name| learner::named(&name).expect("the parser knows the names of the table alone"))
}

/// An entry of a table; an unknown name is answered with the nearest one.
#[derive(Clone)]
pub(crate) struct Entry<T> {
    kind: &'static str,
    /// The entry of that name, or the nearest name.
    find: fn(&str) -> Result<T, Option<&'static str>>,
    /// Names with a line on each.
    known: fn() -> Vec<(&'static str, &'static str)>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Entry<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<T, Error> {
        let own = self.clone();
        let find = move |name: &str| (own.find)(name).map_err(|nearest| own.unknown(nearest));
        find.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let known = (self.known)().into_iter();
        Some(Box::new(known.map(|(name, summary)| {
            PossibleValue::new(name).help(summary)
        })))
    }
}

impl<T> Entry<T> {
    fn unknown(&self, nearest: Option<&str>) -> String {
        let kind = self.kind;
        let names = (self.known)().into_iter().map(|(name, _)| name);
        match nearest {
            Some(name) => format!("unknown {kind}; did you mean '{name}'?"),
            None => {
                let names: Vec<&str> = names.collect();
                format!("unknown {kind}; there are: {}", names.join(", "))
            }
        }
    }
}

pub(crate) fn formula() -> Entry<&'static Formula> {
    Entry {
        kind: "formula",
        find: Formula::named,
        known: || FORMULAS.iter().map(|f| (f.name, f.text)).collect(),
    }
}

/// The learned distribution, or a formula.
pub(crate) fn score_source() -> Entry<ScoreSource> {
    Entry {
        kind: "formula",
        find: ScoreSource::named,
        known: || {
            let all = ScoreSource::all();
            all.map(|(own, text)| (own.name(), text)).collect()
        },
    }
}

/// A metric with its parameters; which those are is checked where it is used.
pub(crate) fn metric() -> Entry<String> {
    Entry {
        kind: "metric",
        find: |specification| Ok(specification.to_owned()),
        known: || {
            let entries = catalogue::entries();
            entries.map(|entry| (entry.name, entry.summary)).collect()
        },
    }
}

pub(crate) fn format() -> Entry<&'static Format> {
    Entry {
        kind: "format",
        find: fdc_formats::format_named,
        known: || FORMATS.iter().map(|f| (f.name, f.summary)).collect(),
    }
}

pub(crate) fn ecosystem() -> Entry<&'static Ecosystem> {
    Entry {
        kind: "ecosystem",
        find: fdc_collect::ecosystem_named,
        known: || ECOSYSTEMS.iter().map(|e| (e.name, e.summary)).collect(),
    }
}

/// A time in seconds, above 0.
/// A time such as 90s, 10m or 2h; a number alone is seconds.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let units = [("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let ending = units.iter().find(|(unit, _)| text.ends_with(unit));
    let (number, unit) = ending.map_or((text, 1.0), |(unit, seconds)| {
        (text.trim_end_matches(unit), *seconds)
    });
    let time = number.parse().ok().map(|number: f64| number * unit);
    let time = time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "expected a time such as 90s, 10m or 2h".to_owned())
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse();
    let seconds = seconds.map_err(|_| "expected a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("expected a number of seconds above 0".to_owned()),
    }
}

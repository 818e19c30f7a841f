//! A ranking as plain data: the one shape of a suspect, whoever draws it.

use std::fmt::Write as _;

use fdc_core::Level;
use fdc_draw::text::{counted, printable_name};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::failed_test::FailedTest;
use crate::figure;

/// Failing tests of a fault that are named.
const NAMED: usize = 3;

/// The first places of a ranking, and how it came about; as a document, `schemas/rank.schema.json`.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspects {
    /// Methods, lines or files.
    pub level: Level,
    /// Name of the suspiciousness formula.
    pub formula: String,
    /// Name of the tie policy.
    pub tie: String,
    /// Name of the way from lines up to methods and files.
    pub aggregate: String,
    /// The failing tests counted.
    pub failing: Vec<String>,
    /// How they failed, as far as anything is known of it; not repeated for each of several faults.
    pub failures: Vec<FailedTest>,
    /// How many failing tests were counted.
    pub failed: f64,
    /// How many passing tests were counted.
    pub passed: f64,
    /// How many methods, lines or files were ranked.
    pub ranked: usize,
    /// The most suspicious first.
    pub places: Vec<Suspect>,
    /// The probability that a fault is in one of the first five methods, where it is known.
    pub within_first_five: Option<f64>,
    /// If the failing tests show several faults, the suspects of each, from its failing tests.
    pub faults: Vec<Suspects>,
    /// Tests of known outcome that are not counted because they are flaky.
    pub flaky_left_out: usize,
}

/// A method, line or file in a ranking.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Suspect {
    /// Its number at its level.
    pub unit: u32,
    /// What it is called at its level.
    pub name: String,
    /// Its place, from 1.
    pub rank: f64,
    /// Its suspiciousness.
    pub score: f64,
    /// The probability that it is faulty, where it is known.
    pub probability: Option<f64>,
    /// The facts that weighed most, in words.
    pub reasons: Vec<String>,
    /// If there are several faults, the number of the one that it is suspected most of, from 1.
    pub fault: Option<usize>,
    /// The file, as the input names it.
    pub file: String,
    /// The method, at the levels of methods and lines.
    pub method: Option<String>,
    /// Its measured lines, ascending, where line numbers are known; while labelling, those that the
    /// failing test runs.
    pub lines: Vec<u32>,
    /// The line to look at first; where the input names statements freely, the statement's number.
    pub line: Option<u32>,
    /// The first run of lines of the highest score.
    pub hottest: Option<(u32, u32)>,
    /// The file's path below the project's root with `/`, where it was looked for and found.
    pub path: Option<String>,
    /// Text of the first hottest line, where the source is at hand.
    pub text: Option<String>,
    /// The first few failing tests that run it, where they were asked for.
    pub failing: Vec<String>,
    /// How many failing tests run it.
    pub failing_count: usize,
    /// How many passing tests run it.
    pub passing_count: usize,
    /// Whether somebody said that it is fine, while labelling.
    pub fine: bool,
}

impl Suspects {
    /// How sure it is that the first five methods hold a fault, in a sentence, where it is known.
    pub fn in_first_five(&self) -> Option<String> {
        let probability = self.within_first_five?;
        (self.level == Level::Method && self.ranked > 5).then(|| {
            format!(
                "The fault is in the first five with {}.",
                percent(probability)
            )
        })
    }

    /// What these are the suspects of, if the failing tests show several faults: "Fault 1 of 2,
    /// 3 failing tests: a, b and 1 more".
    pub fn of_fault(&self, number: usize, faults: usize) -> String {
        let tests = counted(self.failing.len() as u64, "failing test");
        let first: Vec<String> = self
            .failing
            .iter()
            .take(NAMED)
            .map(|name| printable_name(name))
            .collect();
        let more = match self.failing.len() - first.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(
            "Fault {number} of {faults}, {tests}: {}{more}",
            first.join(", ")
        )
    }

    /// `rank,score,name`.
    pub fn csv(&self) -> String {
        let mut text = String::from("rank,score,name\n");
        for place in &self.places {
            let name = place.name.replace('"', "\"\"");
            let _ = writeln!(text, "{},{},\"{name}\"", place.rank, place.score);
        }
        text
    }

    /// `name;suspiciousness_value`.
    pub fn gzoltar(&self) -> String {
        let mut text = String::from("name;suspiciousness_value\n");
        for place in &self.places {
            // A line a unit: there is no way to quote.
            let _ = writeln!(text, "{};{}", printable_name(&place.name), place.score);
        }
        text
    }
}

impl Suspect {
    /// The first and the last of its lines.
    pub fn span(&self) -> Option<(u32, u32)> {
        Some((*self.lines.first()?, *self.lines.last()?))
    }

    /// Its score as people read it: the probability in percent, where it is known.
    pub fn score_text(&self) -> String {
        match self.probability {
            Some(probability) => percent(probability),
            None => format!("{:.3}", self.score),
        }
    }

    /// Where to look: `file:line` of the hottest line, the file alone where lines are not known.
    pub fn spot(&self) -> String {
        let file = self.path.as_ref().unwrap_or(&self.file);
        match self.hottest {
            Some((line, _)) => format!("{file}:{line}"),
            None => file.clone(),
        }
    }
}

impl Serialize for Suspects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("schema", &2)?;
        map.serialize_entry("formula", &self.formula)?;
        map.serialize_entry("tie", &self.tie)?;
        map.serialize_entry("aggregate", &self.aggregate)?;
        map.serialize_entry("failing", &self.failing)?;
        if !self.failures.is_empty() {
            map.serialize_entry("failures", &self.failures)?;
        }
        if let Some(probability) = self.within_first_five {
            map.serialize_entry("within_first_five", &probability)?;
        }
        if !self.faults.is_empty() {
            let sets: Vec<&[String]> = self.faults.iter().map(|own| &*own.failing).collect();
            map.serialize_entry("separate_faults", &sets)?;
            let faults: Vec<Fault<'_>> = self.faults.iter().map(Fault).collect();
            map.serialize_entry("faults", &faults)?;
        }
        if self.flaky_left_out > 0 {
            map.serialize_entry("flaky_left_out", &self.flaky_left_out)?;
        }
        self.serialize_places(&mut map)?;
        map.end()
    }
}

impl Suspects {
    fn serialize_places<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let key = match self.level {
            Level::Method => "methods",
            Level::Line => "lines",
            Level::File => "files",
        };
        let entry = |place| Entry::new(self.level, place);
        let entries: Vec<Entry<'_>> = self.places.iter().map(entry).collect();
        map.serialize_entry(key, &entries)
    }
}

/// The suspects of one fault as the document has them.
struct Fault<'a>(&'a Suspects);

impl Serialize for Fault<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("failing", &self.0.failing)?;
        if let Some(probability) = self.0.within_first_five {
            map.serialize_entry("within_first_five", &probability)?;
        }
        self.0.serialize_places(&mut map)?;
        map.end()
    }
}

/// A probability as people read it.
pub fn percent(probability: f64) -> String {
    match 100.0 * probability {
        percent if percent >= 99.5 => "> 99 %".to_owned(),
        percent if percent >= 0.95 => format!("{percent:.0} %"),
        percent if percent > 0.0 => "< 1 %".to_owned(),
        _ => "0 %".to_owned(),
    }
}

/// A suspect as the document has it.
#[derive(serde::Serialize)]
struct Entry<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(serialize_with = "figure::score")]
    score: f64,
    #[serde(serialize_with = "figure::rank")]
    rank: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    why: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<usize>,
}

impl<'a> Entry<'a> {
    fn new(level: Level, place: &'a Suspect) -> Self {
        let method = place.method.as_deref();
        Entry {
            name: &place.name,
            // A file's name says it all, and a method's own name does.
            file: (level != Level::File).then_some(&*place.file),
            line: place.line,
            method: method.filter(|_| level == Level::Line),
            score: place.score,
            rank: place.rank,
            probability: place.probability,
            why: &place.reasons,
            fault: place.fault,
        }
    }
}

//! The ranking as JSON: schemas/rank.schema.json.

use fdc::Ranked;
use fdc_core::coverage::TestId;
use fdc_core::ranking::Place;
use fdc_core::{Level, Named as _};
use serde::Serialize;

use super::notes::flaky_left_out;
use crate::output::{rank_json, score_json};

#[derive(Serialize)]
pub struct Document {
    schema: u32,
    formula: &'static str,
    tie: &'static str,
    aggregate: &'static str,
    failing: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    separate_faults: Vec<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flaky_left_out: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    methods: Option<Vec<Entry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<Entry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<Entry>>,
}

#[derive(Serialize)]
struct Entry {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    score: serde_json::Value,
    rank: serde_json::Value,
}

/// The whole document; `separate` are sets of failing tests that share no line.
pub fn document(ranked: &Ranked, separate: &[Vec<TestId>]) -> Document {
    let options = ranked.options;
    let names = |set: &[TestId]| -> Vec<String> {
        let name = |&test: &TestId| ranked.spectrum.test(test).name.clone();
        set.iter().map(name).collect()
    };
    let entries = |level| -> Option<Vec<Entry>> {
        let places = ranked.ranking.places.iter();
        (ranked.level == level).then(|| places.map(|place| entry(ranked, place)).collect())
    };
    Document {
        schema: 1,
        formula: options.formula.name,
        tie: options.tie.name(),
        aggregate: options.aggregate.name(),
        failing: names(&ranked.counted.failing),
        separate_faults: match separate {
            [] | [_] => Vec::new(),
            sets => sets.iter().map(|set| names(set)).collect(),
        },
        flaky_left_out: Some(flaky_left_out(ranked)).filter(|&left_out| left_out > 0),
        methods: entries(Level::Method),
        lines: entries(Level::Line),
        files: entries(Level::File),
    }
}

fn entry(ranked: &Ranked, place: &Place) -> Entry {
    let file = || ranked.file_name(ranked.file(place)).to_owned();
    let hottest = || Some(ranked.hottest(place.unit)?.0);
    let (file, line, method) = match ranked.level {
        Level::Method => (Some(file()), hottest(), None),
        Level::File => (None, hottest(), None),
        Level::Line => {
            let line = ranked.spectrum.program.elements[place.unit as usize].line;
            let method = ranked.method_name(place).map(str::to_owned);
            (Some(file()), Some(line), method)
        }
    };
    Entry {
        name: ranked.unit_name(place),
        file,
        line,
        method,
        score: score_json(place.score),
        rank: rank_json(place.rank),
    }
}

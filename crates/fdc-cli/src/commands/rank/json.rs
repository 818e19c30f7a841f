//! The ranking as JSON: schemas/rank.schema.json.

use fdc_core::coverage::TestId;
use fdc_core::ranking::Place;
use serde::Serialize;

use super::value_name;
use super::view::View;
use crate::args::LevelName;
use crate::output::{rank_json, score_json};

#[derive(Serialize)]
pub struct Document {
    schema: u32,
    formula: &'static str,
    tie: String,
    aggregate: String,
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

/// The whole document.
pub fn document(view: &View) -> Document {
    let arguments = view.arguments;
    let names = |set: &[TestId]| -> Vec<String> {
        let name = |&test: &TestId| view.spectrum.test(test).name.clone();
        set.iter().map(name).collect()
    };
    let entries = |level| -> Option<Vec<Entry>> {
        let places = view.ranking.places.iter();
        (arguments.level == level).then(|| places.map(|place| entry(view, place)).collect())
    };
    Document {
        schema: 1,
        formula: arguments.scoring.formula.name,
        tie: value_name(arguments.scoring.tie),
        aggregate: value_name(arguments.scoring.aggregate),
        failing: names(&view.failing),
        separate_faults: match view.separate.as_slice() {
            [] | [_] => Vec::new(),
            sets => sets.iter().map(|set| names(set)).collect(),
        },
        flaky_left_out: Some(view.flaky_left_out()).filter(|&left_out| left_out > 0),
        methods: entries(LevelName::Method),
        lines: entries(LevelName::Line),
        files: entries(LevelName::File),
    }
}

fn entry(view: &View, place: &Place) -> Entry {
    let file = || view.file_name(view.file(place)).to_owned();
    let hottest = || Some(view.hottest(place.unit)?.0);
    let (file, line, method) = match view.arguments.level {
        LevelName::Method => (Some(file()), hottest(), None),
        LevelName::File => (None, hottest(), None),
        LevelName::Line => {
            let line = view.spectrum.program.elements[place.unit as usize].line;
            let method = view.method_name(place).map(str::to_owned);
            (Some(file()), Some(line), method)
        }
    };
    Entry {
        name: view.unit_name(place),
        file,
        line,
        method,
        score: score_json(place.score),
        rank: rank_json(place.rank),
    }
}

//! A ranking in a few lines, for where there is room for no more: the end of a test run.

use std::path::Path;

use fdc_draw::text::{counted, cut, printable_name};

use super::{RankReply, Suspect};

/// Suspects that are told.
const FIRST: usize = 3;
/// Facts that are told of each.
const FACTS: usize = 2;
/// Columns that a name takes at the most.
const WIDEST: usize = 80;

/// The first suspects, a line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// The most suspicious first, at most three.
    pub suspects: Vec<BriefSuspect>,
    /// Why there is no suspect, or what to know beside them.
    pub note: Option<String>,
    /// The case, as it is called on a command line.
    pub case: String,
}

/// A suspect in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BriefSuspect {
    /// The file, seen from the current folder where it is known.
    pub file: String,
    /// The line to look at first, where lines are known.
    pub line: Option<u32>,
    /// The method.
    pub name: String,
    /// How suspicious it is, in words: the probability, if it is known.
    pub score: String,
    /// The facts that weighed most, in words.
    pub why: Vec<String>,
}

impl Brief {
    /// Of a ranking. Files are put below `prefix`, the way from the current folder to the root.
    pub fn of(reply: &mut RankReply<'_>, prefix: &Path, case: &Path) -> Self {
        let RankReply {
            suspects, ranked, ..
        } = reply;
        let failing = suspects.failing.len();
        suspects.places.truncate(FIRST);
        ranked.look_up(suspects);
        suspects.places.retain(|place| place.failing_count > 0);
        let several = suspects.faults.len();
        let note = match (suspects.places.is_empty(), several) {
            (true, _) => Some(nothing(failing)),
            (false, 0..2) => None,
            _ => Some(format!("the failing tests seem to show {several} faults")),
        };
        let places = suspects.places.iter();
        Brief {
            suspects: places.map(|own| BriefSuspect::of(own, prefix)).collect(),
            note,
            case: case.display().to_string(),
        }
    }

    /// Nothing can be said, because of `note`.
    pub fn without(note: String, case: &Path) -> Self {
        Brief {
            suspects: Vec::new(),
            note: Some(note),
            case: case.display().to_string(),
        }
    }

    /// The lines for the end of a test run.
    pub fn lines(&self) -> Vec<String> {
        let numbered = (1..).zip(&self.suspects);
        let mut lines: Vec<String> = numbered
            .map(|(number, own)| format!("fdc: {number}. {}", own.text()))
            .collect();
        lines.extend(self.note.iter().map(|note| format!("fdc: {note}")));
        if !self.suspects.is_empty() {
            let case = printable_name(&self.case);
            lines.push(format!(
                "fdc: more: fdc rank {case}, or in the browser: fdc serve {case}"
            ));
        }
        lines
    }
}

impl BriefSuspect {
    fn of(suspect: &Suspect, prefix: &Path) -> Self {
        let file = match &suspect.path {
            Some(path) => prefix.join(path).display().to_string(),
            None => suspect.file.clone(),
        };
        BriefSuspect {
            file,
            line: suspect.hottest.map(|(line, _)| line),
            name: suspect.name.clone(),
            score: suspect.score_text(),
            why: suspect.reasons.iter().take(FACTS).cloned().collect(),
        }
    }

    /// `src/cart.py:7 total (57 %): first frame of the trace`.
    fn text(&self) -> String {
        let line = self
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        let (file, name) = (printable_name(&self.file), printable_name(&self.name));
        // The file is told already.
        let own = name.strip_prefix(&*file);
        let own = own.and_then(|rest| rest.strip_prefix("::"));
        let own = cut(own.unwrap_or(&name), WIDEST);
        let score = &self.score;
        let why = match self.why.is_empty() {
            true => String::new(),
            false => format!(": {}", printable_name(&self.why.join("; "))),
        };
        format!("{file}{line} {own} ({score}){why}")
    }
}

fn nothing(failing: usize) -> String {
    let tests = match failing {
        1 => "the failing test runs".to_owned(),
        _ => format!("the {} run", counted(failing as u64, "failing test")),
    };
    format!("{tests} no measured line of the program: nothing is suspected")
}

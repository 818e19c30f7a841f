//! A ranking as a SARIF 2.1.0 log, for code scanning and editors.
//!
//! One run, one rule (`fdc/suspicious-method`, `-line` or `-file`), a result per suspect in the
//! order of the ranking. Places up to [`WARNED`] are warnings, later ones notes; equal scores
//! share the place that the tie policy gives them, so a wide tie at the top is notes only.
//! A result points at the first run of hottest lines; all measured lines are a related location.
//! Paths are relative to `%SRCROOT%`. A suspect whose file is not known has no physical location.
//! Fingerprints hold names and texts, no line numbers: they survive when code above moves.

use std::collections::BTreeMap;

use fdc_core::{Level, Named as _};
use fdc_draw::text::{quantity, visible};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::figure;
use crate::rank::{Suspect, Suspects};

/// Up to this place a suspect is a warning.
pub const WARNED: f64 = 5.0;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const HELP: &str = "Suspects are ranked from which tests run which lines, and which tests fail. A suspect is a place \
    to look at, not a proven fault: start with the first place, read its hottest line, and go on \
    to the next. Once the failing tests pass there are no suspects.";

/// The log of a ranking; `version` is that of fdc.
pub fn log(suspects: &Suspects, version: &str) -> Value {
    let level = suspects.level.name();
    let mut seen = BTreeMap::new();
    let results = suspects.places.iter();
    let results = results.map(|place| result(suspects, place, &mut seen));
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": { "name": "fdc", "version": version, "rules": [rule(suspects.level)] },
            },
            "automationDetails": { "id": format!("fdc/rank-{level}/") },
            "originalUriBaseIds": {
                "%SRCROOT%": { "description": { "text": "The root of the repository." } },
            },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<Value>>(),
            "properties": {
                "formula": suspects.formula,
                "tie": suspects.tie,
                "aggregate": suspects.aggregate,
                "ranked": suspects.ranked,
                "failing": suspects.failed,
                "passing": suspects.passed,
            },
        }],
    })
}

fn rule(level: Level) -> Value {
    let name = level.name();
    let proper = match level {
        Level::Method => "SuspiciousMethod",
        Level::Line => "SuspiciousLine",
        Level::File => "SuspiciousFile",
    };
    let whole = format!(
        "Failing tests run this {name} and passing tests run it seldom, compared with the rest of the program: \
         the fault behind the failing tests may be here."
    );
    let markdown = format!(
        "{HELP}\n\n`fdc rank` shows the ranking with the source, `fdc select` the test to look at next."
    );
    json!({
        "id": format!("fdc/suspicious-{name}"),
        "name": proper,
        "shortDescription": { "text": format!("Suspicious {name}") },
        "fullDescription": { "text": whole },
        "help": { "text": HELP, "markdown": markdown },
        "defaultConfiguration": { "level": "warning" },
        "properties": {
            "tags": ["fault-localization", "tests"],
            "precision": "medium",
            "problem.severity": "warning",
        },
    })
}

fn result(suspects: &Suspects, place: &Suspect, seen: &mut BTreeMap<String, u32>) -> Value {
    let physical = |lines: Option<(u32, u32)>| {
        let artifact = json!({ "uri": uri(place.path.as_ref()?), "uriBaseId": "%SRCROOT%" });
        let mut location = json!({ "artifactLocation": artifact });
        if let Some((first, last)) = lines.filter(|&(first, _)| first > 0) {
            location["region"] = json!({ "startLine": first, "endLine": last });
        }
        Some(location)
    };
    let (name, kind) = match &place.method {
        Some(method) => (method, "function"),
        None => (&place.file, "module"),
    };
    let logical = json!([{ "fullyQualifiedName": name, "kind": kind }]);
    let mut location = json!({ "logicalLocations": logical });
    if let Some(hottest) = physical(place.hottest) {
        location["physicalLocation"] = hottest;
    }
    let mut result = json!({
        "ruleId": format!("fdc/suspicious-{}", suspects.level.name()),
        "ruleIndex": 0,
        "level": if place.rank <= WARNED { "warning" } else { "note" },
        "message": { "text": message(suspects, place, literal) },
        "locations": [location],
        "partialFingerprints": { "fdcSuspect/v1": fingerprint(suspects.level, place, seen) },
        "rank": priority(place.rank, suspects.ranked),
        "properties": {
            "place": place.rank,
            "score": figure::score(&place.score, serde_json::value::Serializer).unwrap_or_default(),
            "failing": place.failing_count,
            "passing": place.passing_count,
        },
    });
    let whole = place.span().filter(|_| place.span() != place.hottest);
    if let Some(((first, last), location)) =
        whole.and_then(|lines| Some((lines, physical(Some(lines))?)))
    {
        result["relatedLocations"] = json!([{
            "id": 1,
            "message": { "text": format!("its measured lines, {first} to {last}") },
            "physicalLocation": location,
        }]);
    }
    result
}

/// What a person reads beside the code; `literal` writes names so that they are nothing else.
pub(super) fn message(suspects: &Suspects, place: &Suspect, literal: fn(&str) -> String) -> String {
    let (level, ranked) = (suspects.level.name(), suspects.ranked);
    let [name, formula] = [&place.name, &suspects.formula].map(|name| literal(name));
    let [rank, failed, passed] = [place.rank, suspects.failed, suspects.passed].map(quantity);
    let (failing, passing) = (place.failing_count, place.passing_count);
    let mut text = format!(
        "{name}: place {rank} of {ranked} {level}s by suspicion ({formula} {}). ",
        place.score_text()
    );
    if !place.reasons.is_empty() {
        let reasons: Vec<String> = place.reasons.iter().map(|reason| literal(reason)).collect();
        text += &format!("Why: {}. ", reasons.join("; "));
    }
    text +=
        &format!("{failing} of {failed} failing and {passing} of {passed} passing tests run it");
    if !place.failing.is_empty() {
        let named: Vec<String> = place.failing.iter().map(|name| literal(name)).collect();
        text += &format!("; failing: {}", named.join(", "));
        if failing > named.len() {
            text += &format!(" and {} more", failing - named.len());
        }
    }
    text + "."
}

/// A name in a message: nothing invisible, and no link, which SARIF writes as `[text](target)`.
fn literal(name: &str) -> String {
    let shown: String = name.chars().map(visible).collect();
    match shown.contains("](") {
        true => (shown.replace('\\', "\\\\").replace('[', "\\[")).replace(']', "\\]"),
        false => shown,
    }
}

/// SARIF's priority from 0 to 100: the share of units that are not ahead of the place.
fn priority(rank: f64, ranked: usize) -> f64 {
    let ahead = (rank - 1.0) / (ranked.max(1) as f64);
    if ahead.is_nan() {
        return 0.0;
    }
    (1000.0 * (1.0 - ahead)).clamp(0.0, 1000.0).round() / 10.0
}

/// The same for the same suspect after lines have moved; unlike for others of this log.
pub(super) fn fingerprint(
    level: Level,
    place: &Suspect,
    seen: &mut BTreeMap<String, u32>,
) -> String {
    let mut parts = vec![level.name(), &place.file];
    parts.extend(place.method.as_deref());
    if level == Level::Line {
        parts.push(place.text.as_deref().unwrap_or_default().trim());
    }
    // Each part with its length, so that no two lists of parts look the same.
    let joined = parts.iter().map(|part| format!("{}:{part}", part.len()));
    let joined: String = joined.collect();
    let number = seen.entry(joined.clone()).or_default();
    *number += 1;
    let digest = Sha256::digest(format!("{joined}#{number}").as_bytes());
    let bytes = digest[..16].iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// A relative path as a URI: everything but letters, digits, `-._~` and `/` is percent-encoded.
pub(super) fn uri(path: &str) -> String {
    let encoded = path.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}

#[cfg(test)]
pub(super) mod tests;

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
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::figure;
use crate::rank::{Suspect, Suspects};
use fdc_draw::text::{quantity, visible};

/// Up to this place a suspect is a warning.
pub const WARNED: f64 = 5.0;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const BASE: &str = "%SRCROOT%";
const FINGERPRINT: &str = "fdcSuspect/v1";

/// A whole log; serialises to JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SarifLog {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

impl SarifLog {
    /// The log of a ranking; `version` is that of fdc.
    pub fn new(suspects: &Suspects, version: &str) -> Self {
        let rule = Rule::of(suspects.level);
        let mut seen = BTreeMap::new();
        let places = suspects.places.iter();
        SarifLog {
            schema: SCHEMA,
            version: "2.1.0",
            runs: [Run {
                automation_details: Automation {
                    id: format!("fdc/rank-{}/", suspects.level.name()),
                },
                results: places
                    .map(|place| Finding::of(suspects, place, &rule.id, &mut seen))
                    .collect(),
                tool: Tool {
                    driver: Driver {
                        name: "fdc",
                        version: version.to_owned(),
                        rules: [rule],
                    },
                },
                original_uri_base_ids: BTreeMap::from([(
                    BASE,
                    Base {
                        description: Text::plain("The root of the repository."),
                    },
                )]),
                column_kind: "unicodeCodePoints",
                properties: RunProperties {
                    formula: suspects.formula.clone(),
                    tie: suspects.tie.clone(),
                    aggregate: suspects.aggregate.clone(),
                    ranked: suspects.ranked,
                    failing: suspects.failed,
                    passing: suspects.passed,
                },
            }],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    automation_details: Automation,
    original_uri_base_ids: BTreeMap<&'static str, Base>,
    column_kind: &'static str,
    results: Vec<Finding>,
    properties: RunProperties,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Driver {
    name: &'static str,
    version: String,
    rules: [Rule; 1],
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Automation {
    id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Base {
    description: Text,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct RunProperties {
    formula: String,
    tie: String,
    aggregate: String,
    ranked: usize,
    failing: f64,
    passing: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Text {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<String>,
}

impl Text {
    fn plain(text: impl Into<String>) -> Self {
        Text {
            text: text.into(),
            markdown: None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    name: String,
    short_description: Text,
    full_description: Text,
    help: Text,
    default_configuration: Configuration,
    properties: RuleProperties,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct RuleProperties {
    tags: [&'static str; 2],
    precision: &'static str,
    #[serde(rename = "problem.severity")]
    severity: &'static str,
}

impl Rule {
    fn of(level: Level) -> Self {
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
        let help = "Suspects are ranked from which tests run which lines, and which tests fail. A suspect is a place \
                    to look at, not a proven fault: start with the first place, read its hottest line, and go on \
                    to the next. Once the failing tests pass there are no suspects.";
        let markdown = format!(
            "{help}\n\n`fdc rank` shows the ranking with the source, `fdc select` the test to look at next."
        );
        Rule {
            id: format!("fdc/suspicious-{name}"),
            name: proper.to_owned(),
            short_description: Text::plain(format!("Suspicious {name}")),
            full_description: Text::plain(whole),
            help: Text {
                text: help.to_owned(),
                markdown: Some(markdown),
            },
            default_configuration: Configuration { level: "warning" },
            properties: RuleProperties {
                tags: ["fault-localization", "tests"],
                precision: "medium",
                severity: "warning",
            },
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    rank: f64,
    properties: FindingProperties,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct FindingProperties {
    place: f64,
    #[serde(serialize_with = "figure::score")]
    score: f64,
    failing: usize,
    passing: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<Physical>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<Logical>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    end_line: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical {
    fully_qualified_name: String,
    kind: &'static str,
}

impl Finding {
    fn of(
        suspects: &Suspects,
        place: &Suspect,
        rule: &str,
        seen: &mut BTreeMap<String, u32>,
    ) -> Self {
        let physical = |lines: Option<(u32, u32)>| {
            let path = place.path.as_ref()?;
            Some(Physical {
                artifact_location: Artifact {
                    uri: uri(path),
                    uri_base_id: BASE,
                },
                region: lines
                    .filter(|&(first, _)| first > 0)
                    .map(|(start_line, end_line)| Region {
                        start_line,
                        end_line,
                    }),
            })
        };
        let logical = |name: &String, kind| Logical {
            fully_qualified_name: name.clone(),
            kind,
        };
        let whole = place.span().filter(|_| place.span() != place.hottest);
        let related = whole.and_then(|lines| {
            Some(Location {
                id: Some(1),
                message: Some(Text::plain(format!(
                    "its measured lines, {} to {}",
                    lines.0, lines.1
                ))),
                physical_location: Some(physical(Some(lines))?),
                logical_locations: Vec::new(),
            })
        });
        Finding {
            rule_id: rule.to_owned(),
            rule_index: 0,
            level: if place.rank <= WARNED {
                "warning"
            } else {
                "note"
            },
            message: Text::plain(message(suspects, place)),
            locations: [Location {
                id: None,
                message: None,
                physical_location: physical(place.hottest),
                logical_locations: match &place.method {
                    Some(method) => vec![logical(method, "function")],
                    None => vec![logical(&place.file, "module")],
                },
            }],
            related_locations: related.into_iter().collect(),
            partial_fingerprints: BTreeMap::from([(
                FINGERPRINT,
                fingerprint(suspects.level, place, seen),
            )]),
            rank: priority(place.rank, suspects.ranked),
            properties: FindingProperties {
                place: place.rank,
                score: place.score,
                failing: place.failing_count,
                passing: place.passing_count,
            },
        }
    }
}

/// What a person reads beside the code.
fn message(suspects: &Suspects, place: &Suspect) -> String {
    let (level, formula) = (suspects.level.name(), literal(&suspects.formula));
    let mut text = format!(
        "{}: place {} of {} {level}s by suspicion ({formula} {}).",
        literal(&place.name),
        quantity(place.rank),
        suspects.ranked,
        place.score_text()
    );
    if !place.reasons.is_empty() {
        text.push_str(&format!(" Why: {}.", place.reasons.join("; ")));
    }
    text.push_str(&format!(
        " {} of {} failing and {} of {} passing tests run it",
        place.failing_count,
        quantity(suspects.failed),
        place.passing_count,
        quantity(suspects.passed),
    ));
    if !place.failing.is_empty() {
        let named: Vec<String> = place.failing.iter().map(|name| literal(name)).collect();
        let more = place.failing_count.saturating_sub(named.len());
        text.push_str(&format!("; failing: {}", named.join(", ")));
        if more > 0 {
            text.push_str(&format!(" and {more} more"));
        }
    }
    text.push('.');
    text
}

/// A name in a message: nothing invisible, and no link, which SARIF writes as `[text](target)`.
fn literal(name: &str) -> String {
    let shown: String = name.chars().map(visible).collect();
    if shown.contains("](") {
        shown
            .replace('\\', "\\\\")
            .replace('[', "\\[")
            .replace(']', "\\]")
    } else {
        shown
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
fn fingerprint(level: Level, place: &Suspect, seen: &mut BTreeMap<String, u32>) -> String {
    let mut parts = vec![level.name(), &place.file];
    parts.extend(place.method.as_deref());
    if level == Level::Line {
        parts.push(place.text.as_deref().unwrap_or_default().trim());
    }
    // Each part with its length, so that no two lists of parts look the same.
    let mut joined = String::new();
    for part in parts {
        joined.push_str(&format!("{}:{part}", part.len()));
    }
    let number = seen.entry(joined.clone()).or_default();
    *number += 1;
    let digest = Sha256::digest(format!("{joined}#{number}").as_bytes());
    digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// A relative path as a URI: everything but letters, digits, `-._~` and `/` is percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests;

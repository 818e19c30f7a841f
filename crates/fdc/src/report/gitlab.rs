//! A ranking as a code quality report of GitLab: an array with an object for each suspect, whose
//! properties are those that GitLab asks for (`schemas/gitlab.schema.json`). Places up to
//! [`WARNED`] are major, later ones info. Fingerprints are those of the SARIF log. GitLab takes no
//! finding without a file, so a suspect whose file is not known is left out; so is what no failing
//! test runs.

use std::collections::BTreeMap;

use fdc_core::Named as _;
use fdc_draw::text::visible;
use serde_json::{Value, json};

use super::sarif::{WARNED, fingerprint, message};
use crate::rank::{Suspect, Suspects};

/// The findings, the most suspicious first.
pub fn findings(suspects: &Suspects) -> Value {
    let mut seen = BTreeMap::new();
    let places = suspects.places.iter();
    let numbered = places.map(|place| (place, fingerprint(suspects.level, place, &mut seen)));
    let run = numbered.filter(|(place, _)| place.failing_count > 0);
    let finding = |(place, print)| finding(suspects, place, print);
    Value::Array(run.filter_map(finding).collect())
}

fn finding(suspects: &Suspects, place: &Suspect, fingerprint: String) -> Option<Value> {
    let shown = |name: &str| name.chars().map(visible).collect();
    Some(json!({
        "description": message(suspects, place, shown),
        "check_name": format!("fdc/suspicious-{}", suspects.level.name()),
        "fingerprint": fingerprint,
        "severity": if place.rank <= WARNED { "major" } else { "info" },
        "location": {
            "path": place.path.as_ref()?,
            // A file whose lines were not measured is pointed at by its first.
            "lines": { "begin": place.hottest.map_or(1, |(first, _)| first.max(1)) },
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::super::sarif;
    use super::super::sarif::tests::{method, suspects};
    use super::*;
    use fdc_core::Level;

    #[test]
    fn a_finding_has_what_gitlab_asks_for_and_the_fingerprint_of_the_log() {
        let suspects = suspects(
            Level::Method,
            vec![method("a::f", 1.0), method("a::g", 7.0)],
        );
        let found = findings(&suspects);
        let log = sarif::log(&suspects, "1.0.0");
        for (number, severity) in [(0, "major"), (1, "info")] {
            let result = &log["runs"][0]["results"][number];
            assert_eq!(
                found[number],
                json!({
                    "description": result["message"]["text"],
                    "check_name": "fdc/suspicious-method",
                    "fingerprint": result["partialFingerprints"]["fdcSuspect/v1"],
                    "severity": severity,
                    "location": { "path": "src/a.py", "lines": { "begin": 12 } },
                })
            );
        }
    }

    #[test]
    fn only_what_has_a_file_and_is_run_is_found_and_without_lines_at_the_first() {
        let unknown = Suspect {
            path: None,
            ..method("f", 1.0)
        };
        let whole = Suspect {
            hottest: None,
            ..method("g", 2.0)
        };
        let idle = Suspect {
            failing_count: 0,
            ..method("h", 3.0)
        };
        let places = vec![unknown, whole, idle];
        let found = findings(&suspects(Level::Method, places));
        assert_eq!(found.as_array().unwrap().len(), 1);
        assert_eq!(found[0]["location"]["lines"]["begin"], 1);
    }
}

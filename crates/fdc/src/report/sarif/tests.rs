use super::*;

pub(in crate::report) fn suspects(level: Level, places: Vec<Suspect>) -> Suspects {
    Suspects {
        level,
        formula: "ochiai".into(),
        tie: "max".into(),
        aggregate: "max".into(),
        failing: vec!["t".into()],
        failures: vec![],
        failed: 1.0,
        passed: 9.0,
        ranked: 20,
        within_first_five: None,
        places,
        faults: vec![],
        flaky_left_out: 0,
    }
}

pub(in crate::report) fn method(name: &str, rank: f64) -> Suspect {
    Suspect {
        name: name.into(),
        rank,
        score: 0.5,
        file: "src/a.py".into(),
        method: Some(name.into()),
        path: Some("src/a.py".into()),
        lines: (10..=20).collect(),
        hottest: Some((12, 13)),
        failing: vec!["t".into()],
        failing_count: 3,
        passing_count: 2,
        ..Suspect::default()
    }
}

fn results(suspects: &Suspects) -> Vec<serde_json::Value> {
    let log = log(suspects, "1.2.3");
    log["runs"][0]["results"].as_array().unwrap().clone()
}

#[test]
fn a_result_points_at_the_hottest_lines_and_tells_why() {
    let result = &results(&suspects(Level::Method, vec![method("a::f", 1.0)]))[0];
    assert_eq!(
        result["message"]["text"],
        "a::f: place 1 of 20 methods by suspicion (ochiai 0.500). 3 of 1 failing and 2 of 9 passing tests run it; failing: t and 2 more."
    );
    let physical = &result["locations"][0]["physicalLocation"];
    assert_eq!(physical["artifactLocation"]["uri"], "src/a.py");
    assert_eq!(
        physical["region"],
        serde_json::json!({"startLine": 12, "endLine": 13})
    );
    let related = &result["relatedLocations"][0]["physicalLocation"]["region"];
    assert_eq!(
        *related,
        serde_json::json!({"startLine": 10, "endLine": 20})
    );
    assert_eq!(result["rank"], 100.0);
}

#[test]
fn the_first_places_are_warnings_and_a_wide_tie_is_notes() {
    let of = |rank| results(&suspects(Level::Method, vec![method("f", rank)]))[0]["level"].clone();
    assert_eq!(of(1.0), "warning");
    assert_eq!(of(5.0), "warning");
    assert_eq!(of(5.5), "note");
    assert_eq!(of(20.0), "note");
}

#[test]
fn a_suspect_without_a_file_has_no_physical_location() {
    let unknown = Suspect {
        path: None,
        ..method("f", 1.0)
    };
    let result = &results(&suspects(Level::Method, vec![unknown]))[0];
    assert!(result["locations"][0].get("physicalLocation").is_none());
    assert!(result.get("relatedLocations").is_none());
    assert_eq!(
        result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"],
        "f"
    );
}

#[test]
fn fingerprints_survive_moved_lines_and_tell_suspects_apart() {
    let prints = |places: Vec<Suspect>, level| -> Vec<String> {
        let results = results(&suspects(level, places));
        let print = |r: &serde_json::Value| r["partialFingerprints"]["fdcSuspect/v1"].to_string();
        results.iter().map(print).collect()
    };
    let moved = Suspect {
        lines: (110..=120).collect(),
        hottest: Some((112, 113)),
        rank: 7.0,
        ..method("f", 1.0)
    };
    assert_eq!(
        prints(vec![method("f", 1.0)], Level::Method),
        prints(vec![moved], Level::Method)
    );
    let line = |text: &str| Suspect {
        text: Some(text.into()),
        ..method("f", 1.0)
    };
    let mut found = prints(vec![line("x = 1"), line("x = 1"), line("y")], Level::Line);
    found.extend(prints(
        vec![method("f", 1.0), method("g", 1.0)],
        Level::Method,
    ));
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 5);
}

#[test]
fn paths_become_valid_relative_uris() {
    assert_eq!(uri("src/a b/ü#1?.py"), "src/a%20b/%C3%BC%231%3F.py");
    assert_eq!(uri("a:b.c"), "a%3Ab.c", "no scheme");
}

#[test]
fn a_name_cannot_become_a_link_or_reorder_the_message() {
    assert_eq!(literal("t[1]"), "t[1]");
    assert_eq!(literal("t[x](http://evil)"), "t\\[x\\](http://evil)");
    assert_eq!(literal("a\u{202e}b\nc"), "a\u{fffd}b c");
}

#[test]
fn priorities_stay_between_0_and_100() {
    assert_eq!(priority(1.0, 0), 100.0);
    assert_eq!(priority(20.0, 20), 5.0);
    assert_eq!(priority(1.0, 1), 100.0);
}

#[test]
fn an_infinite_score_is_a_word() {
    let infinite = Suspect {
        score: f64::INFINITY,
        ..method("f", 1.0)
    };
    let result = &results(&suspects(Level::Method, vec![infinite]))[0];
    assert_eq!(result["properties"]["score"], "inf");
}

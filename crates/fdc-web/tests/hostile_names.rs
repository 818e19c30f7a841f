//! Names come from outside. Whatever they are: JSON says them as they are, and the picture is
//! well-formed and holds nothing but shapes, text and links within the page.

use fdc::label::protocol::Request;
use fdc::label::{Session, SessionOptions};
use fdc::rank::Scoring;
use fdc_case as case;
use fdc_core::rows::Rows;
use fdc_core::selection::Start;
use fdc_core::spectrum::{ProgramBuilder, Test};
use fdc_core::{Metric, Outcome, Spectrum};
use fdc_source::Roots;
use fdc_web::ServedSession;
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Value, json};

/// Names as an attacker or an unlucky project would choose them.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => "[a-zA-Z0-9_.#/:]{1,30}",
        2 => any::<String>(),
        1 => Just("</script><script>alert(1)</script>".to_owned()),
        1 => Just("</title></svg><img src=x onerror=alert(1)>".to_owned()),
        1 => Just("\" onload=\"alert(1)' onclick='alert(2)".to_owned()),
        1 => Just("]]>&lt;<!-- --><![CDATA[ &amp;#0;".to_owned()),
        1 => Just("javascript:alert(1)#%00%ff".to_owned()),
        1 => Just("two\nlines\r\n\u{1b}[2J\u{202e}\u{2028}\u{0}\u{fffe}".to_owned()),
    ]
}

/// A session over methods and tests of these names; the first test fails and runs every method.
fn served(methods: &[String], tests: &[String]) -> (tempfile::TempDir, ServedSession) {
    let mut program = ProgramBuilder::default();
    for (number, name) in (0..).zip(methods) {
        // Names must differ; what makes them differ is as hostile as the rest.
        let id = program.method(&format!("{name}{number}"), || name.clone());
        program.element(id, number + 1, None);
    }
    let mut rows = Rows::new(methods.len() as u32);
    let mut all = Vec::new();
    for (number, name) in tests.iter().enumerate() {
        let columns =
            (0..methods.len() as u32).filter(|column| number == 0 || (*column as usize) < number);
        rows.push_columns(columns).unwrap();
        all.push(Test {
            name: format!("{name}{number}"),
            outcome: (number == 0).then_some(Outcome::Fail),
            ..Test::default()
        });
    }
    let spectrum = Spectrum::new(None, program.finish(), all, rows, None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case.fdc");
    case::import(&spectrum, &path, &[]).unwrap();
    let options = SessionOptions {
        start: Start::Known,
        origins: Vec::new(),
        trust: 1.0,
        who: "<b>ann</b>".into(),
        scoring: Scoring::default(),
    };
    let session = Session::open(&path, None, Metric::parse("split").unwrap(), options).unwrap();
    let served = ServedSession::new(session, Roots::default(), &path, 100);
    (folder, served)
}

fn view(served: &mut ServedSession) -> Value {
    let text = serde_json::to_string(&served.handle(Request::Show).unwrap()).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn sorted(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut values: Vec<String> = values.collect();
    values.sort_unstable();
    values
}

/// Every element and attribute of a picture is one of ours.
fn check_picture(svg: &str, methods: usize) -> Result<(), TestCaseError> {
    let mut reader = Reader::from_str(svg);
    let mut depth = 0;
    loop {
        let event = reader.read_event();
        let event = event.map_err(|error| TestCaseError::fail(format!("{error} in {svg}")))?;
        let start = match &event {
            Event::Start(start) => {
                depth += 1;
                start
            }
            Event::Empty(start) => start,
            Event::End(_) => {
                depth -= 1;
                continue;
            }
            Event::Eof => break,
            Event::Text(_) | Event::GeneralRef(_) => continue,
            other => return Err(TestCaseError::fail(format!("{other:?} in {svg}"))),
        };
        let element = start.name().as_ref().to_owned();
        let known = [
            "svg", "title", "desc", "rect", "text", "a", "g", "line", "path",
        ];
        prop_assert!(known.contains(&&*element), "{element} in {svg}");
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| TestCaseError::fail(format!("{error}")))?;
            let name = attribute.key.as_ref().to_owned();
            prop_assert!(
                !name.starts_with("on") && name != "style" && name != "id",
                "{name} in {svg}"
            );
            if name.ends_with("href") {
                let target = attribute.value.into_owned();
                let plain = |c: char| c.is_ascii_alphanumeric() || c == '%';
                prop_assert!(
                    target
                        .strip_prefix('#')
                        .is_some_and(|to| to.chars().all(plain)),
                    "{target}"
                );
            }
        }
    }
    prop_assert_eq!(depth, 0);
    prop_assert!(methods == 0 || svg.contains("class=\"leaf\""));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn names_stay_names(
        methods in prop::collection::vec(name(), 1..8),
        tests in prop::collection::vec(name(), 2..6),
    ) {
        let (_folder, mut served) = served(&methods, &tests);
        let seen = view(&mut served);
        let expected = sorted((0..).zip(&methods).map(|(n, name): (usize, _)| format!("{name}{n}")));
        let suspects = seen["suspects"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        prop_assert_eq!(sorted(suspects.iter().map(|s| text(&s["method"]))), expected);
        check_picture(&served.picture(), methods.len())?;
        for suspect in suspects {
            let (method, file) = (text(&suspect["method"]), text(&suspect["file"]));
            prop_assert_eq!(json!(served.suspect(&method)), suspect.clone());
            let listing = json!(served.file(&file, 1));
            prop_assert_eq!(&listing["file"], &suspect["file"]);
            prop_assert_eq!(&listing["path"], &Value::Null);
        }
        // Every name is taken back as it was given.
        for (number, name) in tests.iter().enumerate().skip(1) {
            let test = format!("{name}{number}");
            prop_assert_eq!(&json!(served.test(&test))["name"], &json!(&test));
            let request = json!({"do": "answer", "verdict": "pass", "test": &test});
            let request: Request = serde_json::from_value(request).unwrap();
            prop_assert!(served.handle(request).is_ok());
            let seen = view(&mut served);
            prop_assert_eq!(&seen["answers"][number - 1]["subject"], &json!(&test));
            prop_assert_eq!(&seen["answers"][number - 1]["who"], &json!("<b>ann</b>"));
        }
        check_picture(&served.picture(), methods.len())?;
    }
}

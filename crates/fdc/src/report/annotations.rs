//! A ranking as workflow commands of GitHub Actions: printed in a job, each becomes an annotation
//! beside the lines it names. Places up to [`WARNED`] are warnings, later ones notices. What no
//! failing test runs is not annotated. A suspect whose file is not known is an annotation of the
//! run as a whole.

use fdc_draw::text::{is_plain, shortened, visible};

use super::sarif::{WARNED, message};
use crate::rank::{Suspect, Suspects};

/// Characters of a title; GitHub takes 255.
const LONGEST_TITLE: usize = 200;

/// A line for each suspect that a failing test runs.
pub fn text(suspects: &Suspects) -> String {
    let run = suspects
        .places
        .iter()
        .filter(|place| place.failing_count > 0);
    let lines = (1..).zip(run);
    lines
        .map(|(number, place)| line(suspects, number, place))
        .collect()
}

fn line(suspects: &Suspects, number: usize, place: &Suspect) -> String {
    let command = if place.rank <= WARNED {
        "warning"
    } else {
        "notice"
    };
    let mut properties = Vec::new();
    // What a terminal would act upon has no place in a job's log, not even within a path.
    let plain = |path: &&String| path.chars().all(is_plain);
    if let Some(path) = place.path.as_ref().filter(plain) {
        properties.push(format!("file={}", property(path)));
        if let Some((first, last)) = place.hottest {
            properties.push(format!("line={first},endLine={last}"));
        }
    }
    let title = shortened(
        &format!("Suspect {number}: {}", shown(&place.name)),
        LONGEST_TITLE,
    );
    properties.push(format!("title={}", property(&title)));
    let why = data(&message(suspects, place, shown));
    format!("::{command} {}::{why}\n", properties.join(","))
}

fn shown(name: &str) -> String {
    name.chars().map(visible).collect()
}

/// Text after the second `::`, as the runner reads it back.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D");
    text.replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::sarif::tests::{method, suspects};
    use super::*;
    use fdc_core::Level;

    #[test]
    fn a_suspect_is_a_command_that_names_its_hottest_lines() {
        let text = text(&suspects(Level::Method, vec![method("a::f", 1.0)]));
        assert_eq!(
            text,
            "::warning file=src/a.py,line=12,endLine=13,title=Suspect 1%3A a%3A%3Af::\
             a::f: place 1 of 20 methods by suspicion (ochiai 0.500). 3 of 1 failing and 2 of 9 \
             passing tests run it; failing: t and 2 more.\n"
        );
    }

    #[test]
    fn what_no_failing_test_runs_is_not_annotated() {
        let idle = Suspect {
            failing_count: 0,
            ..method("f", 2.0)
        };
        let text = text(&suspects(Level::Method, vec![idle, method("g", 3.0)]));
        assert_eq!(text.lines().count(), 1);
        assert!(text.contains("title=Suspect 1%3A g::"), "{text}");
    }

    #[test]
    fn later_places_are_notices_and_a_suspect_without_a_file_names_none() {
        let unknown = Suspect {
            path: None,
            ..method("f", 6.0)
        };
        let text = text(&suspects(Level::Method, vec![unknown]));
        assert!(text.starts_with("::notice title=Suspect 1%3A f::f: place 6 of "));
    }

    #[test]
    fn no_name_ends_the_command_or_starts_another() {
        let hostile = "x,line=9::\n::error::100%\r%0Aé";
        let named = Suspect {
            path: Some("x,line=9::100%%0Aé".into()),
            reasons: vec![hostile.into()],
            ..method(hostile, 1.0)
        };
        let text = text(&suspects(Level::Method, vec![named]));
        assert_eq!(text.lines().count(), 1);
        let (properties, message) = text["::warning ".len()..].split_once("::").unwrap();
        assert!(
            properties.starts_with("file=x%2Cline=9%3A%3A100%25%250Aé,line=12,"),
            "{properties}"
        );
        assert_eq!(properties.matches(",line=").count(), 1, "{properties}");
        assert!(message.contains("100%25 %250Aé"), "{message}");
    }
}

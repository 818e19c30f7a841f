//! Commands behind lenses and menus, and what an editor's own coverage view asks for.

use std::io::{self, Write};

use fdc::editor::{EditorCase, EditorTest, TestsOf};
use serde_json::{Value, json};

use crate::open::uri_of;
use crate::server::{Refusal, Server, bad_parameters, number};
use crate::words;

const SHOW_TESTS: &str = "fdc.showTests";
const NEXT_TEST: &str = "fdc.nextTest";
const SHOW_SUSPECTS: &str = "fdc.showSuspects";

/// All of them.
pub(crate) const COMMANDS: [&str; 3] = [SHOW_TESTS, NEXT_TEST, SHOW_SUSPECTS];

impl<W: Write> Server<W> {
    /// Runs a command; an editor that draws nothing itself gets a message as well.
    pub(crate) fn execute(&mut self, parameters: &Value) -> Result<io::Result<Value>, Refusal> {
        let argument = parameters["arguments"].get(0).unwrap_or(&Value::Null);
        match parameters["command"].as_str() {
            Some(SHOW_TESTS) => {
                let wanted = "{\"method\"}, {\"uri\", \"line\"} or {\"tests\"}";
                let what = self.wanted_tests(argument);
                let what = what.ok_or_else(|| bad_parameters(wanted))?;
                Ok(self.show_tests(what.as_ref()))
            }
            Some(NEXT_TEST) => Ok(self.next_test()),
            Some(SHOW_SUSPECTS) => Ok(self.show_suspects()),
            _ => Err(bad_parameters(&format!("one of {}", COMMANDS.join(", ")))),
        }
    }

    /// None if the argument is none of these; nothing if its line was not measured.
    fn wanted_tests(&self, argument: &Value) -> Option<Option<TestsOf>> {
        if let Some(method) = argument["method"].as_str() {
            return Some(Some(TestsOf::Method(method.to_owned())));
        }
        if let Some(tests) = argument["tests"].as_array() {
            let names = tests.iter().map(|name| name.as_str().map(str::to_owned));
            return Some(Some(TestsOf::Named(names.collect::<Option<_>>()?)));
        }
        let (uri, line) = (argument["uri"].as_str()?, number(&argument["line"])?);
        let here = self.with_document(uri, |_, document| {
            let measured = document.measured(line.checked_add(1)?)?;
            Some(TestsOf::Line(document.path().to_owned(), measured))
        });
        Some(here.flatten())
    }

    fn show_tests(&mut self, what: Option<&TestsOf>) -> io::Result<Value> {
        let list = self.case.as_ref().zip(what);
        let list = list.and_then(|(case, what)| case.tests_of(what));
        let Some(list) = list else {
            return Ok(Value::Null);
        };
        let tests: Vec<Value> = list.tests.iter().map(|test| self.shown(test)).collect();
        if !self.client.draws {
            self.show_message(3, &words::list(&list))?;
        }
        Ok(json!({"title": list.title, "tests": tests}))
    }

    fn next_test(&mut self) -> io::Result<Value> {
        let Some(next) = self.case.as_ref().and_then(|case| case.next()) else {
            if !self.client.draws {
                self.show_message(3, "there is no test to look at next")?;
            }
            return Ok(Value::Null);
        };
        let mut test = self.shown(&next.test);
        // Where it is in the text that is open, edited or not.
        let now = test["uri"].as_str().and_then(|uri| {
            self.with_document(uri, |case, document| {
                case.test_line(document, &next.test.name)
            })?
        });
        if let Some(line) = now {
            test["line"] = json!(line - 1);
        }
        if !self.client.draws {
            self.show_message(3, &words::next(&next))?;
            if self.client.shows_documents && !test["uri"].is_null() {
                let line = number(&test["line"]).unwrap_or(0);
                let place = json!({
                    "uri": test["uri"],
                    "takeFocus": true,
                    "selection": words::line_range(line),
                });
                self.ask("window/showDocument", &place)?;
            }
        }
        Ok(json!({"test": test, "why": next.why}))
    }

    fn show_suspects(&mut self) -> io::Result<Value> {
        let suspects = self.case.as_ref().map_or(&[][..], EditorCase::suspects);
        let shown = suspects.iter().map(|own| self.shown_suspect(own)).collect();
        let words = words::suspects(suspects);
        if !self.client.draws {
            self.show_message(3, &words)?;
        }
        Ok(Value::Array(shown))
    }

    fn shown_suspect(&self, suspect: &fdc::Suspect) -> Value {
        let uri = suspect.path.as_ref().and_then(|path| self.uri_of(path));
        let line = suspect.hottest.and_then(|(line, _)| {
            let uri = uri.as_ref()?;
            self.with_document(uri, |_, document| document.now(line))?
        });
        json!({
            "method": suspect.name,
            "rank": suspect.rank,
            "score": suspect.score_text(),
            "why": suspect.reasons,
            "uri": uri,
            "line": line.map(|line| line - 1),
        })
    }

    /// All tests of the case.
    pub(crate) fn tests(&self) -> Value {
        let tests = self
            .case
            .as_ref()
            .map_or_else(Vec::new, |case| case.tests());
        let next = self.case.as_ref().and_then(|case| case.next());
        let shown: Vec<Value> = tests.iter().map(|test| self.shown(test)).collect();
        json!({"tests": shown, "next": next.map(|next| next.test.name)})
    }

    fn shown(&self, test: &EditorTest) -> Value {
        let uri = test.path.as_ref().and_then(|path| self.uri_of(path));
        json!({
            "name": test.name,
            "outcome": test.outcome,
            "flaky": test.flaky,
            "message": test.message,
            "uri": uri,
            "line": test.first.map(|line| line.saturating_sub(1)),
        })
    }

    /// The files of the case.
    pub(crate) fn coverage(&self) -> Value {
        let files = self
            .case
            .as_ref()
            .map_or_else(Vec::new, |case| case.covered_files());
        let shown = files.iter().map(|file| {
            json!({
                "uri": self.uri_of(&file.path),
                "lines": file.lines,
                "covered": file.covered,
                "tests": file.tests,
            })
        });
        Value::Array(shown.collect())
    }

    /// The measured lines of a file where they are now, for all tests or one.
    pub(crate) fn lines(&self, parameters: &Value) -> Option<Value> {
        let test = parameters.get("test").and_then(Value::as_str);
        let lines = self.with_document(uri_of(parameters)?, |case, document| {
            case.covered_lines(document, test)
        });
        let shown = lines??;
        let shown = shown
            .iter()
            .map(|own| json!({"line": own.line - 1, "tests": own.tests}));
        Some(Value::Array(shown.collect()))
    }
}

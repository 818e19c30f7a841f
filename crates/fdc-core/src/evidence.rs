//! What a failing run left: exception, message, stack; and which methods a stack goes through.

use std::collections::HashMap;

use crate::coverage::TestId;
use crate::spectrum::{Method, Program, Spectrum};

/// How a test failed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureRecord {
    /// The exception or panic, as its language names it.
    pub exception: Option<String>,
    /// What it says.
    pub message: Option<String>,
    /// The stack, innermost first; empty if it is not known.
    pub frames: Vec<Frame>,
    /// Where the test itself stands.
    pub source: Option<TestPlace>,
}

/// Where a test's source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPlace {
    /// Its file, below the project's root.
    pub file: String,
    /// Its first line, from 1.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

/// One call of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The class or the path of the file.
    pub place: String,
    /// The function, without its parameters; empty if it is not known.
    pub function: String,
    /// The line; 0 if it is not known.
    pub line: u32,
}

/// As tools tell it: class or file, function, and a line that is negative in native code.
impl From<(String, String, i64)> for Frame {
    fn from((place, function, line): (String, String, i64)) -> Self {
        Frame {
            place,
            function,
            line: u32::try_from(line).unwrap_or(0),
        }
    }
}

/// What version control tells of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileHistory {
    /// Commits that changed it, of those that are known.
    pub commits: u32,
    /// Commits since the last one that changed it.
    pub commits_since_change: u32,
    /// Days since then.
    pub days_since_change: f64,
}

impl Frame {
    /// Whether a method of that name in that file is at the same place.
    fn is_at(&self, method: &str, file: &str) -> bool {
        let class = method.split_once('#').map(|(class, _)| class);
        class == Some(&*self.place) || same_path(&self.place, file)
    }

    fn is_function(&self, method: &str) -> bool {
        let plain = method.split('(').next().unwrap_or(method);
        let own = plain.rsplit(['#', ':', '.', '/']).next();
        !self.function.is_empty() && own == Some(&*self.function)
    }
}

/// Whether one path ends with the other, part by part: tools name files from different folders.
fn same_path(one: &str, other: &str) -> bool {
    let parts = |path: &'_ str| -> Vec<String> {
        let parts = path.split(['/', '\\']).filter(|part| *part != ".");
        parts.map(str::to_owned).collect()
    };
    let (one, other) = (parts(one), parts(other));
    !one.is_empty() && !other.is_empty() && (one.ends_with(&other) || other.ends_with(&one))
}

impl Program {
    /// The file that a call is in, by the path of the file or the class of one of its methods; none
    /// if it is in no file of the program.
    pub fn file_of(&self, frame: &Frame) -> Option<&str> {
        let here = |file: &&String| same_path(&frame.place, file);
        let by_path = self.files.iter().find(here);
        let in_class = || {
            let of_class = |method: &&Method| {
                let class = method.name.split_once('#').map(|(class, _)| class);
                class == Some(&*frame.place)
            };
            let method = self.methods.iter().find(of_class)?;
            self.files.get(method.file as usize)
        };
        by_path.or_else(in_class).map(String::as_str)
    }
}

impl Spectrum {
    /// The methods that a failing test's stack goes through, ascending; `None` if no stack is known or
    /// none of its calls is in the program, as when it is of another version. A call is that of a
    /// method if class or file agree, and a measured line of the method or, where lines are not known,
    /// the function's name.
    pub fn methods_in_trace(&self, test: TestId) -> Option<Vec<u32>> {
        let record = self.test(test).failure.as_ref()?;
        let methods = methods_of(&self.program, &record.frames);
        (!methods.is_empty()).then_some(methods)
    }

    /// How many of these tests have a stack that goes through files of the program and yet through no
    /// measured line: most likely it is of another version. One that stays in test code or libraries
    /// is not meant.
    pub fn traces_of_another_version(&self, tests: &[TestId]) -> usize {
        let frames = |test: TestId| {
            let failure = self.test(test).failure.iter();
            failure.flat_map(|failure| &failure.frames)
        };
        let missed = tests
            .iter()
            .filter(|&&test| self.methods_in_trace(test).is_none());
        let missed: Vec<TestId> = missed.copied().collect();
        let places = missed.iter().flat_map(|&test| frames(test));
        let mut places: HashMap<&str, bool> = places.map(|own| (&*own.place, false)).collect();
        let methods = self.program.methods.iter();
        let classes = methods.filter_map(|method| Some(method.name.split_once('#')?.0));
        for class in classes {
            if let Some(known) = places.get_mut(class) {
                *known = true;
            }
        }
        for (place, known) in &mut places {
            *known |= self.program.files.iter().any(|file| same_path(place, file));
        }
        let passes = |test: TestId| frames(test).any(|frame| places[&*frame.place]);
        missed.into_iter().filter(|&test| passes(test)).count()
    }
}

fn methods_of(program: &Program, frames: &[Frame]) -> Vec<u32> {
    let mut by_line: HashMap<u32, Vec<&Frame>> = HashMap::new();
    for frame in frames {
        by_line.entry(frame.line).or_default().push(frame);
    }
    let unknown_line = by_line.remove(&0).unwrap_or_default();
    let is_at = |method: u32, frame: &Frame| {
        let method = &program.methods[method as usize];
        frame.is_at(&method.name, &program.files[method.file as usize])
    };
    let mut found: Vec<u32> = Vec::new();
    for element in &program.elements {
        let method = element.method.0;
        let here = by_line.get(&element.line);
        if here.is_some_and(|frames| frames.iter().any(|frame| is_at(method, frame))) {
            found.push(method);
        }
    }
    for (number, method) in (0..).zip(&program.methods) {
        let named = |frame: &&&Frame| frame.is_function(&method.name) && is_at(number, frame);
        found.extend(unknown_line.iter().find(named).map(|_| number));
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::ProgramBuilder;

    fn frame(place: &str, function: &str, line: u32) -> Frame {
        Frame {
            place: place.into(),
            function: function.into(),
            line,
        }
    }

    #[test]
    fn calls_are_found_by_class_or_file_and_line_else_by_name() {
        let mut builder = ProgramBuilder::default();
        let java = builder.method("org.x.Cart#total(int)", || "src/org/x/Cart.java".into());
        let python = builder.method("shop/tax.py::rate", || "shop/tax.py".into());
        builder.element(java, 7, None);
        builder.element(python, 7, None);
        let program = builder.finish();
        let of = |frames: &[Frame]| methods_of(&program, frames);
        assert_eq!(of(&[frame("org.x.Cart", "total", 7)]), [0]);
        assert_eq!(of(&[frame("org.x.Cart", "total", 8)]), [0; 0]);
        assert_eq!(of(&[frame("org.x.Cart", "total", 0)]), [0]);
        assert_eq!(of(&[frame("org.x.Cart", "sum", 0)]), [0; 0]);
        assert_eq!(of(&[frame("/home/me/shop/tax.py", "rate", 7)]), [1]);
        assert_eq!(of(&[frame("tax.py", "", 7)]), [1]);
        assert_eq!(of(&[frame("syntax.py", "", 7), frame("", "", 7)]), [0; 0]);
    }

    #[test]
    fn a_trace_is_of_another_version_if_it_misses_every_line_of_the_files_it_goes_through() {
        let mut builder = ProgramBuilder::default();
        let tax = builder.method("shop/tax.py::rate", || "shop/tax.py".into());
        builder.element(tax, 7, None);
        let mut rows = crate::rows::Rows::new(1);
        let mut tests = Vec::new();
        for frames in [
            vec![frame("shop/tax.py", "", 7)],
            vec![
                frame("shop/tax.py", "", 99),
                frame("tests/test_tax.py", "", 3),
            ],
            vec![frame("tests/test_tax.py", "", 3)],
            vec![],
        ] {
            rows.push_columns([0]).unwrap();
            tests.push(crate::spectrum::Test {
                name: tests.len().to_string(),
                failure: Some(FailureRecord {
                    frames,
                    ..FailureRecord::default()
                }),
                ..Default::default()
            });
        }
        let spectrum = Spectrum::new(None, builder.finish(), tests, rows, None).unwrap();
        let all: Vec<TestId> = (0..4).map(TestId).collect();
        assert_eq!(spectrum.traces_of_another_version(&all), 1);
        assert_eq!(spectrum.traces_of_another_version(&all[2..]), 0);
    }
}

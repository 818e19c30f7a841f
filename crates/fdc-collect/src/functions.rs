//! Which function a line belongs to, from the project's sources.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use fdc_formats::test_code::{is_test_file, is_test_function};
use fdc_source::{Language, Outline, display_name};

/// The functions of a project's files; each file is read once.
#[derive(Debug)]
pub struct Functions {
    root: PathBuf,
    include_tests: bool,
    files: HashMap<String, Rc<FileFunctions>>,
}

#[derive(Debug)]
enum FileFunctions {
    Known(Language, Outline),
    /// In a language we cannot take apart, or a file we cannot read: one method.
    Whole,
}

impl Functions {
    /// Of the project with this root.
    pub fn new(root: &Path, include_tests: bool) -> Self {
        Functions {
            root: root.to_owned(),
            include_tests,
            files: HashMap::new(),
        }
    }

    /// The method that holds a line, with a name of its own in the project. None if the line is no
    /// element: it runs at load time only, or it is test code.
    pub fn method(&mut self, file: &str, line: u32) -> Option<String> {
        if !self.include_tests && is_test_file(file) {
            return None;
        }
        match &*self.functions(file) {
            FileFunctions::Whole => Some(file.to_owned()),
            FileFunctions::Known(language, outline) => {
                let function = outline.at(line)?;
                let test = is_test_function(file, &function.name);
                (self.include_tests || !test).then(|| display_name(*language, file, function))
            }
        }
    }

    fn functions(&mut self, file: &str) -> Rc<FileFunctions> {
        if let Some(known) = self.files.get(file) {
            return known.clone();
        }
        let read = || {
            let language = Language::of_path(file)?;
            let text = std::fs::read(self.root.join(file)).ok()?;
            let outline = Outline::of(language, &String::from_utf8_lossy(&text));
            Some(FileFunctions::Known(language, outline))
        };
        let functions = Rc::new(read().unwrap_or(FileFunctions::Whole));
        self.files.insert(file.to_owned(), functions.clone());
        functions
    }
}

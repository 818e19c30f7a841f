//! Which method a line of a project belongs to, for collectors, which meet lines one by one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::{Language, Outline, display_name, is_test_file, is_test_function};

/// The methods of a project's lines; each file is read once.
#[derive(Debug)]
pub struct ProjectMethods {
    root: PathBuf,
    include_tests: bool,
    /// None: in a language we cannot take apart, or a file we cannot read.
    files: HashMap<String, Option<(Language, Outline)>>,
}

impl ProjectMethods {
    /// Of the project with this root.
    pub fn new(root: &Path, include_tests: bool) -> Self {
        ProjectMethods {
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
        if !self.files.contains_key(file) {
            let outline = self.outline(file);
            self.files.insert(file.to_owned(), outline);
        }
        let Some((language, outline)) = &self.files[file] else {
            return Some(file.to_owned());
        };
        let function = outline.at(line)?;
        let test = is_test_function(file, &function.name);
        (self.include_tests || !test).then(|| display_name(*language, file, function))
    }

    fn outline(&self, file: &str) -> Option<(Language, Outline)> {
        let language = Language::of_path(file)?;
        let text = std::fs::read(self.root.join(file)).ok()?;
        let outline = Outline::of(language, &String::from_utf8_lossy(&text));
        Some((language, outline))
    }
}

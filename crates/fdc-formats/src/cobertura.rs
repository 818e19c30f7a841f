//! cobertura — Cobertura XML, as coverage.py, gcovr, Coverlet, JaCoCo converters and others write it.
//!
//! ```text
//! <coverage><sources><source>/home/me/shop</source></sources><packages><package name="shop"><classes>
//!   <class name="Cart" filename="shop/cart.py"><methods/><lines>
//!     <line number="4" hits="1"/>
//!   </lines></class>
//! </classes></package></packages></coverage>
//! ```
//! A line ran if it has hits. A report has no tests: make one per test, and give the files together,
//! in a folder or with a manifest. Files are looked for under each `source`, then under `--source`.
//! Functions come from the source where it is found, else from `methods`.
//!
//! Written is a folder: `tests/` with a report per test, `manifest.csv`, which names the tests and how
//! they ended, and `cobertura.xml`, where a line has as many hits as tests ran it. Give the folder to
//! read it again. To a file that ends in `.xml` that last report alone is written.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use crate::input::InputSample;
use crate::line_matrix::{FileIndex, LineMatrix};
use crate::reading::LinesInput;
use crate::test_lines::{FileLines, TestLines};
use crate::xml::{Document, Element, Node, root_name};
use crate::{Format, Reader};
use fdc_case::{FileError, Result, write_whole};
use fdc_core::Spectrum;
use fdc_source::FunctionLines;

pub(crate) const FORMAT: Format = Format {
    name: "cobertura",
    summary: "Cobertura XML, one per test",
    detect,
    reader: Reader::Lines(|input, matrix| parse(input, &input.bytes()?, matrix)),
    endings: &["cobertura", "xml"],
    write: Some(write),
    source: include_str!("cobertura.rs"),
};

fn detect(sample: &InputSample) -> bool {
    // Clover's root has the same name.
    root_name(sample).as_deref() == Some("coverage")
        && (sample.text().contains("line-rate") || sample.text().contains("<packages"))
}

/// Reads a report.
pub fn parse(input: &LinesInput, bytes: &[u8], matrix: &mut LineMatrix) -> Result<()> {
    let mut document = Document::new(input.path, bytes, &["coverage"])?;
    let mut sources: Vec<String> = Vec::new();
    let mut classes: Vec<Class> = Vec::new();
    let mut open: Option<Class> = None;
    while let Some(node) = document.next()? {
        match node {
            Node::Start(element) => match (&*element.name, &mut open) {
                ("class", None) => open = Some(Class::new(&document, &element)?),
                ("class", Some(_)) => return Err(document.nested(&element, "classes")),
                ("method", Some(class)) => class.open_method(&element),
                ("line", Some(class)) => class.add_line(&document, &element)?,
                _ => {}
            },
            Node::End(name) => match (&*name, &mut open) {
                ("source", None) => sources.push(document.text().to_owned()),
                ("method", Some(class)) => class.in_method = false,
                ("class", Some(_)) => classes.extend(open.take()),
                _ => {}
            },
        }
    }
    sources.retain(|folder| !folder.is_empty());
    let test = input.test_named(matrix, "");
    for class in classes {
        // Under one of the report's folders if it is there, else as it is spelled.
        let file = &class.file;
        let mut paths = sources.iter().map(|folder| format!("{folder}/{file}"));
        let path = paths.find(|path| matrix.project().find(path).is_some());
        let file = matrix.file(path.as_ref().unwrap_or(file));
        matrix.lines(test, file, &class.lines);
        class.add_functions(file, matrix);
    }
    Ok(())
}

#[derive(Default)]
struct Class {
    name: String,
    file: String,
    lines: BTreeMap<u32, bool>,
    methods: Vec<(String, Vec<u32>)>,
    in_method: bool,
}

impl Class {
    fn new(document: &Document, element: &Element) -> Result<Class> {
        Ok(Class {
            name: element.get("name").unwrap_or_default().to_owned(),
            file: document.required(element, "filename")?.to_owned(),
            ..Class::default()
        })
    }

    fn open_method(&mut self, element: &Element) {
        let name = element.get("name").unwrap_or_default();
        let signature = element.get("signature").unwrap_or_default();
        let name = match crate::jacoco::descriptor::parameters(signature) {
            Some(types) => format!("{name}({types})"),
            None => format!("{name}{signature}"),
        };
        self.methods.push((name, Vec::new()));
        self.in_method = true;
    }

    fn add_line(&mut self, document: &Document, element: &Element) -> Result<()> {
        let number = document.line_number(element, "number")?;
        let run = document.is_positive(element, "hits")?;
        *self.lines.entry(number).or_default() |= run;
        if let (true, Some((_, lines))) = (self.in_method, self.methods.last_mut()) {
            lines.push(number);
        }
        Ok(())
    }

    /// Some tools list all lines of a method, others only where it starts.
    fn add_functions(&self, file: FileIndex, matrix: &mut LineMatrix) {
        let listed: usize = self.methods.iter().map(|(_, lines)| lines.len()).sum();
        let starts_only =
            self.methods.iter().all(|(_, lines)| lines.len() <= 1) && listed < self.lines.len();
        for (name, lines) in &self.methods {
            if let Some(&first) = lines.iter().min() {
                let name = format!("{}.{name}", self.name);
                let lines = match starts_only {
                    true => FunctionLines::From(first),
                    false => FunctionLines::All(lines.iter().copied().collect()),
                };
                matrix.function(file, name, false, lines);
            }
        }
    }
}

const MERGED: &str = "cobertura.xml";
const TESTS: &str = "tests";

/// Writes a folder of reports, or the merged one alone.
pub fn write(spectrum: &Spectrum, path: &Path) -> Result<()> {
    let lines = TestLines::of(spectrum, path)?;
    let merged = |path: &Path| write_whole(path, |out| report(out, &lines.merged()));
    if path.extension().is_some_and(|ending| ending == "xml") {
        return merged(path);
    }
    let tests = path.join(TESTS);
    let fresh = !path.exists();
    std::fs::create_dir_all(&tests).map_err(FileError::io(&tests, "make the folder"))?;
    let width = spectrum.tests.len().to_string().len();
    let name = |number: usize| format!("{TESTS}/{number:0width$}.xml");
    let write_all = || {
        for id in spectrum.coverage.tests() {
            let files = lines.files_of(id);
            write_whole(&path.join(name(id.index())), |out| report(out, &files))?;
        }
        merged(&path.join(MERGED))?;
        let records = spectrum.tests.iter().enumerate().map(|(number, test)| {
            let outcome = test.verdict().map_or("", |verdict| verdict.outcome.name());
            [test.name.clone(), outcome.to_owned(), name(number)]
        });
        crate::listing::write_manifest(&path.join(crate::listing::MANIFEST_FILE), records)
    };
    write_all().inspect_err(|_| {
        if fresh {
            // Best effort: the error to report is the first one.
            let _ = std::fs::remove_dir_all(path);
        }
    })
}

fn report(out: &mut dyn Write, files: &[FileLines]) -> std::io::Result<()> {
    let all = files.iter().flat_map(|file| &file.lines);
    let (mut valid, mut covered) = (0u64, 0u64);
    for line in all {
        valid += 1;
        covered += u64::from(line.ran);
    }
    let rate = |covered: u64, valid: u64| match valid {
        0 => 0.0,
        _ => covered as f64 / valid as f64,
    };
    let whole = rate(covered, valid);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<coverage line-rate=\"{whole:.4}\" branch-rate=\"0\" lines-covered=\"{covered}\" \
         lines-valid=\"{valid}\" complexity=\"0\" version=\"fdc\" timestamp=\"0\">"
    )?;
    writeln!(
        out,
        "<packages><package name=\"\" line-rate=\"{whole:.4}\" branch-rate=\"0\" complexity=\"0\"><classes>"
    )?;
    for file in files {
        let ran = file.lines.iter().filter(|line| line.ran).count() as u64;
        let own = rate(ran, file.lines.len() as u64);
        let path = escaped(&file.path);
        let name = escaped(file.path.rsplit('/').next().unwrap_or_default());
        writeln!(
            out,
            "<class name=\"{name}\" filename=\"{path}\" line-rate=\"{own:.4}\" branch-rate=\"0\" complexity=\"0\">"
        )?;
        writeln!(out, "<methods>")?;
        for function in &file.functions {
            let name = escaped(&function.name);
            writeln!(
                out,
                "<method name=\"{name}\" signature=\"\" line-rate=\"0\" branch-rate=\"0\" complexity=\"0\"><lines>"
            )?;
            for line in file
                .lines
                .iter()
                .filter(|line| line.method == function.method)
            {
                write_line(out, line.number, line.hits)?;
            }
            writeln!(out, "</lines></method>")?;
        }
        writeln!(out, "</methods>\n<lines>")?;
        for line in &file.lines {
            write_line(out, line.number, line.hits)?;
        }
        writeln!(out, "</lines>\n</class>")?;
    }
    writeln!(out, "</classes></package></packages>\n</coverage>")
}

fn write_line(out: &mut dyn Write, number: u32, hits: u32) -> std::io::Result<()> {
    writeln!(out, "<line number=\"{number}\" hits=\"{hits}\"/>")
}

fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

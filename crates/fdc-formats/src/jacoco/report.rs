//! jacoco-xml — JaCoCo's XML report.
//!
//! ```text
//! <report name="shop"><package name="org/x">
//!   <class name="org/x/Cart" sourcefilename="Cart.java"><method name="add" desc="(I)V" line="11"/></class>
//!   <sourcefile name="Cart.java"><line nr="11" mi="0" ci="4" mb="0" cb="0"/></sourcefile>
//! </package></report>
//! ```
//! A line ran if one of its instructions did (`ci` above 0). A report has no tests: make one per test
//! (`jacococli report one.exec --classfiles target/classes --xml one.xml`) and give the files together,
//! in a folder or with a manifest. Methods are the report's, `org.x.Cart#add(int)`; which lines they
//! have comes from the source where it is found, else a method goes up to where the next one starts.

use std::collections::BTreeMap;

use crate::jacoco::descriptor;
use crate::line_matrix::LineMatrix;
use crate::reading::LinesInput;
use crate::xml::{Document, Node, root_name};
use crate::{Format, Reader};
use fdc_case::Result;
use fdc_source::FunctionLines;

pub(crate) const FORMAT: Format = Format {
    name: "jacoco-xml",
    summary: "JaCoCo XML report, one per test",
    detect: |sample| root_name(sample).as_deref() == Some("report"),
    reader: Reader::Lines(|input, matrix| parse(input, &input.bytes()?, matrix)),
    endings: &[],
    write: None,
    source: include_str!("report.rs"),
};

/// Reads a report.
pub fn parse(input: &LinesInput, bytes: &[u8], matrix: &mut LineMatrix) -> Result<()> {
    let mut document = Document::new(input.path, bytes, &["report"])?;
    let mut package = String::new();
    let mut class: Option<(String, Option<String>)> = None;
    let mut source: Option<(String, BTreeMap<u32, bool>)> = None;
    let test = input.test_named(matrix, "");
    let path_of = |package: &str, file: &str| match package {
        "" => file.to_owned(),
        package => format!("{package}/{file}"),
    };
    while let Some(node) = document.next()? {
        match node {
            Node::Start(element) => {
                match (&*element.name, &mut source) {
                    ("package", _) => package = document.required(&element, "name")?.to_owned(),
                    ("class", _) => {
                        let name = document.required(&element, "name")?.to_owned();
                        let file = element.get("sourcefilename");
                        class = Some((name, file.map(|file| path_of(&package, file))));
                    }
                    ("method", _) => {
                        let name = document.required(&element, "name")?;
                        let types = document.required(&element, "desc")?;
                        // Without debug information there is no line.
                        if let (Some((class, Some(path))), Some(_)) = (&class, element.get("line"))
                        {
                            let first = document.line_number(&element, "line")?;
                            let file = matrix.file(path);
                            let name = descriptor::method(class, name, types);
                            matrix.function(file, name, true, FunctionLines::From(first));
                        }
                    }
                    ("sourcefile", _) => {
                        let name = document.required(&element, "name")?;
                        source = Some((path_of(&package, name), BTreeMap::new()));
                    }
                    ("line", Some((_, lines))) => {
                        let number = document.line_number(&element, "nr")?;
                        let run = document.is_positive(&element, "ci")?;
                        *lines.entry(number).or_default() |= run;
                    }
                    _ => {}
                }
            }
            Node::End(name) if name == "class" => class = None,
            Node::End(name) if name == "sourcefile" => {
                if let Some((path, lines)) = source.take() {
                    let file = matrix.file(&path);
                    matrix.lines(test, file, &lines);
                }
            }
            Node::End(_) => {}
        }
    }
    Ok(())
}

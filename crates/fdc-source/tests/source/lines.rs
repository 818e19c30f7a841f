//! Which function a line belongs to.

use fdc_source::{Language, Outline, display_name, functions};

use crate::sample;

fn at(outline: &Outline, line: u32) -> Option<&str> {
    outline.at(line).map(|function| function.name.as_str())
}

#[test]
fn python_lines_that_run_at_import_belong_to_no_function() {
    let outline = Outline::of(Language::Python, sample(Language::Python));
    // The docstring, an import, a def, decorators, a default value, class bodies, a lambda.
    for line in [1, 2, 5, 9, 10, 11, 13, 25, 26, 28, 31, 32, 53, 60] {
        assert_eq!(at(&outline, line), None, "{line}");
    }
    assert_eq!(at(&outline, 6), Some("plain"));
    assert_eq!(at(&outline, 29), Some("Outer.Inner.method"));
    assert_eq!(at(&outline, 58), Some("choice@57"));
}

#[test]
fn a_nested_def_belongs_to_the_function_around_it() {
    let outline = Outline::of(Language::Python, sample(Language::Python));
    assert_eq!(at(&outline, 44), Some("Outer.dispatch"));
    assert_eq!(at(&outline, 45), Some("Outer.dispatch.nested"));
    assert_eq!(at(&outline, 46), Some("Outer.dispatch.nested"));
    assert_eq!(at(&outline, 47), Some("Outer.dispatch.nested.Local.deep"));
    assert_eq!(at(&outline, 48), Some("Outer.dispatch.nested"));
    assert_eq!(at(&outline, 50), Some("Outer.dispatch"));
}

#[test]
fn elsewhere_a_declaration_belongs_to_its_function() {
    let outline = Outline::of(Language::Rust, sample(Language::Rust));
    assert_eq!(at(&outline, 5), None);
    assert_eq!(at(&outline, 6), Some("plain"));
    assert_eq!(at(&outline, 8), Some("plain"));
    assert_eq!(at(&outline, 14), Some("long_signature"));
    assert_eq!(at(&outline, 20), Some("long_signature::inner"));
    assert_eq!(at(&outline, 21), Some("long_signature"));
    assert_eq!(at(&outline, 24), None);
}

#[test]
fn a_shared_line_belongs_to_the_function_that_starts_last() {
    let text = "function a() {\n} function b() {\n}";
    let outline = Outline::of(Language::JavaScript, text);
    assert_eq!(at(&outline, 1), Some("a"));
    assert_eq!(at(&outline, 2), Some("b"));
    assert_eq!(at(&outline, 3), Some("b"));
    assert_eq!(at(&outline, 4), None);
}

#[test]
fn lines_outside_the_file_belong_to_no_function() {
    let outline = Outline::of(Language::Go, "package a\nfunc F() {}");
    assert_eq!(at(&outline, 0), None);
    assert_eq!(at(&outline, 2), Some("F"));
    assert_eq!(at(&outline, u32::MAX), None);
    assert_eq!(Outline::of(Language::Go, "").at(1), None);
}

#[test]
fn names_over_a_project_start_with_the_path_or_the_package() {
    let name = |language, path, text| display_name(language, path, &functions(language, text)[0]);
    let python = name(
        Language::Python,
        "pkg/mod.py",
        "class A:\n def m(self): pass",
    );
    assert_eq!(python, "pkg/mod.py::A.m");
    let java = name(
        Language::Java,
        "src/x/A.java",
        "package x; class A { void m() {} }",
    );
    assert_eq!(java, "x.A#m()");
}

#[test]
fn the_bytes_of_a_function_hold_its_annotations_and_nothing_of_its_neighbours() {
    let text = "class A { int x; @Test(timeout = 4) public void m() { f(); } void n() {} }";
    let bytes = functions(Language::Java, text)[0].bytes.clone();
    assert_eq!(&text[bytes], "@Test(timeout = 4) public void m() { f(); }");
}

use fdc_core::spectrum::Outcome;
use fdc_formats::{FORMATS, detect, read};

use super::{files_below, rows, testdata};

/// A spectrum in few words, to compare with what is expected.
fn described(path: &str) -> Vec<String> {
    let spectrum = read(&testdata().join(path)).unwrap();
    let program = &spectrum.program;
    let mut lines = Vec::new();
    for (index, element) in program.elements.iter().enumerate() {
        let method = &program.methods[element.method.index()];
        let file = &program.files[method.file as usize];
        let fault = spectrum.fault.as_ref();
        let faulty = fault.is_some_and(|fault| fault.elements.contains(&(index as u32)));
        let label = program.labels.get(index).map(|label| format!(" ({label})"));
        lines.push(format!(
            "{file} | {}:{}{}{}",
            method.name,
            element.line,
            label.unwrap_or_default(),
            if faulty { " faulty" } else { "" },
        ));
    }
    for (test, row) in spectrum.tests.iter().zip(rows(&spectrum)) {
        let outcome = test.outcome.map_or("unknown", Outcome::name);
        lines.push(format!("{} {outcome} {row:?}", test.name));
    }
    lines
}

#[test]
fn a_gzoltar_report_gives_methods_classes_and_test_names_with_commas() {
    let expected = [
        "org.shop.Cart | org.shop.Cart#Cart():7",
        "org.shop.Cart | org.shop.Cart#add(int,java.lang.String):11",
        "org.shop.Cart | org.shop.Cart#add(int,java.lang.String):12",
        "org.shop.Cart | org.shop.Cart$Line#total():30",
        "Main | Main#main(java.lang.String[]):3",
        "org.shop.CartTest#addsTwice fail [0, 1, 2, 3]",
        "org.shop.CartTest#adds[1: 2, pen, PASS] pass [0, 1]",
        "org.shop.MainTest#prints pass [0, 1, 3, 4]",
    ];
    for path in ["", "/spectra.csv", "/matrix.txt", "/tests.csv"] {
        assert_eq!(
            described(&format!("gzoltar/shop{path}")),
            expected,
            "given {path:?}"
        );
    }
}

#[test]
fn a_gzoltar_report_without_test_names_numbers_the_tests() {
    let expected = [
        "a.b.C | a.b.C#f():1",
        "a.b.C | a.b.C#f():2",
        "a.b.C | a.b.C#g(int):9",
        "t0 pass [0, 1]",
        "t1 fail [2]",
        "t2 pass []",
    ];
    for path in [
        "",
        "/sfl/txt",
        "/sfl/txt/spectra.csv",
        "/sfl/txt/matrix.txt.zst",
    ] {
        assert_eq!(
            described(&format!("gzoltar/unnamed{path}")),
            expected,
            "given {path:?}"
        );
    }
}

#[test]
fn a_faulty_mark_after_a_gzoltar_line_is_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("spectra.csv"),
        "name\na$B#c():5:0\na$B#c():6\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("matrix.txt"), "1 1 -\n").unwrap();
    let spectrum = read(folder.path()).unwrap();
    assert_eq!(spectrum.fault.unwrap().elements, [0]);
    assert_eq!(spectrum.program.methods[0].name, "a.B#c()");
}

#[test]
fn a_tcm_with_lines_gives_methods_and_faults() {
    let expected = [
        "org.shop.Cart | org.shop.Cart#<init>():7",
        "org.shop.Cart | org.shop.Cart#add(int):11 faulty",
        "org.shop.Cart | org.shop.Cart#add(int):12 faulty",
        "org.shop.Cart | org.shop.Cart$Line#total():30",
        "org.shop.CartTest.addsTwice fail [0, 1, 2, 3]",
        "org.shop.CartTest.adds pass [0, 1]",
        "org.shop.MainTest.idle fail []",
    ];
    assert_eq!(described("tcm/lines.tcm"), expected);
}

#[test]
fn tcm_elements_without_a_line_are_methods_of_their_own() {
    let expected = [
        "(unknown) | l2:1 (l2)",
        "(unknown) | l3:2 (l3) faulty",
        "orders.total | orders.total:7 (orders.total:7)",
        "a pass [0]",
        "b fail [0, 1, 2]",
    ];
    assert_eq!(described("tcm/names.tcm"), expected);
}

#[test]
fn tcm_elements_with_paths_are_functions_of_that_file() {
    let expected = [
        "shop/cart.py | shop/cart.py::Cart.add:4",
        "shop/cart.py | shop/cart.py::Cart.add:5",
        "main.c | main.c:12",
        "test_add[1 2] pass [0, 1]",
        "test_sum fail [2]",
    ];
    assert_eq!(described("tcm/paths.tcm.zst"), expected);
}

#[test]
fn a_csv_matrix_gives_lines_faults_and_outcomes() {
    let expected = [
        "shop.Cart | shop.Cart#add(int):12",
        "shop.Cart | shop.Cart#add(int):13 faulty",
        "shop.Cart | shop.Cart#put(int,int):12",
        "t0 fail [0, 1]",
        "t1 pass [0]",
        "t2 unknown [2]",
    ];
    assert_eq!(described("csv/judged.csv"), expected);
}

#[test]
fn named_statements_of_a_csv_matrix_keep_their_names() {
    let expected = [
        "main.py | main.py::f:1 (s1)",
        "main.py | main.py::f:2 (s2)",
        "main.py | main.py::f:3 (end)",
        "(unknown) | g:4 (s1)",
        "first test unknown [0, 1]",
        "second test unknown [1, 2, 3]",
    ];
    assert_eq!(described("csv/named.csv"), expected);
}

#[test]
fn numbers_at_the_end_of_statement_names_are_their_lines() {
    let table = "method,statement,t\nm,s9,1\nm,s10,0\nn,s9,1\n";
    let path = std::path::Path::new("x.csv");
    let program = fdc_formats::csv_matrix::parse(path, table.as_bytes())
        .unwrap()
        .program;
    let lines: Vec<_> = program
        .elements
        .iter()
        .map(|element| element.line)
        .collect();
    assert_eq!(lines, [9, 10, 9]);
    assert_eq!(program.labels, ["s9", "s10", "s9"]);
}

#[test]
fn every_sample_is_recognised_as_its_format() {
    let mut seen = 0;
    for format in FORMATS {
        let folder = testdata().join(format.name);
        if !folder.is_dir() {
            continue;
        }
        for path in files_below(&folder) {
            // What a list names is of a format of its own.
            if path.starts_with(testdata().join("manifest/cov")) {
                continue;
            }
            assert_eq!(
                detect(&path).unwrap().name,
                format.name,
                "{}",
                path.display()
            );
            seen += 1;
        }
    }
    assert!(seen >= 10, "only {seen} samples");
    for folder in ["gzoltar/shop", "gzoltar/unnamed"] {
        assert_eq!(detect(&testdata().join(folder)).unwrap().name, "gzoltar");
    }
    assert_eq!(
        detect(&testdata().join("orders/orders.json")).unwrap().name,
        "dataset"
    );
}

#[test]
fn formats_have_names_of_their_own_and_a_manual_page() {
    for (index, format) in FORMATS.iter().enumerate() {
        assert!(
            FORMATS[..index]
                .iter()
                .all(|other| other.name != format.name)
        );
        let manual = format.manual();
        assert!(
            manual.starts_with(&format!("{} — ", format.name)),
            "{manual}"
        );
        assert!(manual.lines().count() > 3 && !format.summary.is_empty());
    }
}

#[test]
fn the_ending_tells_the_format_to_write() {
    let written = |name: &str| {
        let format = fdc_formats::format_to_write(std::path::Path::new(name));
        format.map(|format| format.name)
    };
    for (name, format) in [
        ("case.fdc", "case"),
        ("a/bug.json", "dataset"),
        ("bug.json.zst", "dataset"),
        ("bug.tcm", "tcm"),
        ("cov.info", "lcov"),
        ("folder", "gzoltar"),
    ] {
        assert_eq!(written(name), Ok(format), "{name}");
    }
    // Formats that can only be read, and endings that nobody has.
    for (name, ending) in [("out.csv", "csv"), ("x.tar.gz", "gz"), ("odd.", "")] {
        assert_eq!(written(name), Err(ending.to_owned()), "{name}");
    }
}

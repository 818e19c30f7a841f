//! Samples that real tools wrote of the tiny subjects in `testdata/subjects`, whose coverage can be
//! checked by hand.

use std::path::PathBuf;

use fdc_core::Spectrum;
use fdc_core::spectrum::Outcome;
use fdc_formats::{Project, Reading, read_inputs};

use super::{rows, testdata};

/// Reads samples of a subject; outcomes are those of a report.
fn reading(samples: &[&str], subject: &str, outcomes: &[&str]) -> Reading {
    let subject = testdata().join("subjects").join(subject);
    let project = Project::new(&subject).with_classes(vec![subject.join("shop.jar")]);
    let paths = |names: &[&str]| -> Vec<PathBuf> {
        names.iter().map(|name| testdata().join(name)).collect()
    };
    read_inputs(&paths(samples), None, &paths(outcomes), &project)
        .unwrap_or_else(|error| panic!("{samples:?}: {error}"))
}

/// Methods with their lines, then tests with the lines they run.
fn described(spectrum: &Spectrum) -> Vec<String> {
    let program = &spectrum.program;
    let mut text = Vec::new();
    for (index, method) in program.methods.iter().enumerate() {
        let elements = program.elements.iter();
        let own = elements.filter(|element| element.method.index() == index);
        let lines: Vec<String> = own.map(|element| element.line.to_string()).collect();
        text.push(format!("{} {}", method.name, lines.join(" ")));
    }
    for (test, row) in spectrum.tests.iter().zip(rows(spectrum)) {
        let lines = row
            .iter()
            .map(|&element| program.elements[element as usize].line);
        let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
        let outcome = test.outcome.map_or("unknown", Outcome::name);
        text.push(format!("{} {outcome}: {}", test.name, lines.join(" ")));
    }
    text
}

#[test]
fn contexts_of_coverage_py_are_tests_and_phases_are_one() {
    let expected = [
        "shop/cart.py::Cart.__init__ 6",
        "shop/cart.py::Cart.add 9 10 11",
        "shop/cart.py::Cart.total 15",
        "shop/cart.py::discounted 19 22 24",
        "shop/cart.py::discounted.rate 20",
        "tests/test_cart.py::TestCart::test_add pass: 6 9 11 15",
        "tests/test_cart.py::TestCart::test_limit[2] pass: 6 9 11",
        "tests/test_cart.py::TestCart::test_limit[4] fail: 6 9 10",
        "tests/test_cart.py::test_discount fail: 19 20 22 24",
    ];
    for sample in [
        "coverage.py/lines.coverage",
        "coverage.py/branches.coverage",
    ] {
        let reading = reading(&[sample], "python", &["junit/pytest.xml"]);
        assert_eq!(described(&reading.spectrum), expected, "{sample}");
        assert!(reading.notes.is_empty(), "{:?}", reading.notes);
    }
}

#[test]
fn test_functions_as_contexts_of_coverage_py_are_tests() {
    let sample = "coverage.py/functions.coverage";
    let reading = reading(&[sample, "junit/pytest.xml"], "python", &[]);
    // Fixtures run outside of the function, and its sets of parameters are one test.
    let expected = [
        "shop/cart.py::Cart.add 9 10 11",
        "shop/cart.py::Cart.total 15",
        "shop/cart.py::discounted 19 22 24",
        "shop/cart.py::discounted.rate 20",
        "test_cart.TestCart.test_add pass: 9 11 15",
        "test_cart.TestCart.test_limit fail: 9 10 11",
        "test_cart.test_discount fail: 19 20 22 24",
    ];
    assert_eq!(described(&reading.spectrum), expected);
    assert!(reading.notes.is_empty(), "{:?}", reading.notes);
}

#[test]
fn lcov_and_cobertura_of_coverage_py_give_the_same() {
    let expected = [
        "shop/cart.py::Cart.__init__ 6",
        "shop/cart.py::Cart.add 9 10 11",
        "shop/cart.py::Cart.total 15",
        "shop/cart.py::discounted 19 22 23 24",
        "shop/cart.py::discounted.rate 20",
        "test_add unknown: 6 9 11 15",
        "test_limit[4] unknown: 6 9 10",
    ];
    for format in ["lcov/test_", "cobertura/test_"] {
        let ending = if format.starts_with("lcov") {
            "info"
        } else {
            "xml"
        };
        let samples = ["limit[4]", "add"].map(|test| format!("{format}{test}.{ending}"));
        let reading = reading(&[&samples[0], &samples[1]], "python", &[]);
        assert_eq!(described(&reading.spectrum), expected, "{format}");
    }
}

#[test]
fn lines_of_llvm_cov_are_those_of_its_own_lcov_export() {
    let from = |format: &str, ending: &str| {
        let samples =
            ["adds", "discounts", "limits"].map(|test| format!("{format}{test}.{ending}"));
        let samples: Vec<&str> = samples.iter().map(|sample| &**sample).collect();
        described(&reading(&samples, "rust", &[]).spectrum)
    };
    let lcov: Vec<String> = from("lcov/rust-", "info")
        .iter()
        .map(|line| line.replace("rust-", ""))
        .collect();
    assert_eq!(from("llvm-cov/", "json"), lcov);
    let expected = [
        "src/lib.rs::Cart::new 8 9 10",
        "src/lib.rs::Cart::add 12 13 14 15 16 17 18 19 20",
        "src/lib.rs::Cart::total 22 23 24",
        "src/lib.rs::discounted 27 28 29 30 31 33",
        "adds unknown: 8 9 10 12 13 15 16 17 18 19 20 22 23 24",
        "discounts unknown: 27 28 29 30 31 33",
        "limits unknown: 8 9 10 12 13 14 20",
    ];
    assert_eq!(lcov, expected);
}

const GO_METHODS: [&str; 2] = [
    "cart.go::(*Cart).Add 11 12 14 15 17",
    "cart.go::Cart.Total 22 23 25",
];

#[test]
fn files_of_one_test_are_named_by_themselves_or_by_their_folder() {
    let runs = ["11 14 15 17 22 23 25", "11 12 22 25"];
    let expected = |names: [&str; 2]| {
        let tests = names.iter().zip(runs);
        let tests = tests.map(|(name, run)| format!("{name} unknown: {run}"));
        let methods = GO_METHODS.iter().map(|line| line.to_string());
        methods.chain(tests).collect::<Vec<_>>()
    };
    let files = reading(&["go/TestLimit.out", "go/TestAdd.out"], "go", &[]);
    assert_eq!(
        described(&files.spectrum),
        expected(["TestAdd", "TestLimit"])
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("shop/TestSome")).unwrap();
    for (from, to) in [
        ("TestAdd", "TestAdd.out"),
        ("TestLimit", "TestSome/part.2.out"),
    ] {
        let from = testdata().join(format!("go/{from}.out"));
        std::fs::copy(from, folder.path().join("shop").join(to)).unwrap();
    }
    let project = Project::new(&testdata().join("subjects/go"));
    let from_folder = read_inputs(&[folder.path().to_owned()], None, &[], &project).unwrap();
    assert_eq!(
        described(&from_folder.spectrum),
        expected(["shop/TestAdd", "shop/TestSome/part.2"])
    );
}

#[test]
fn a_manifest_names_tests_and_outcomes() {
    let expected = [
        GO_METHODS[0],
        GO_METHODS[1],
        "example.org/shop/TestAdd pass: 11 14 15 17 22 23 25",
        "example.org/shop/TestLimit fail: 11 12 22 25",
    ];
    let reading = reading(&["manifest/manifest.csv"], "go", &[]);
    assert_eq!(described(&reading.spectrum), expected);
}

#[test]
fn istanbul_gives_lines_where_statements_start() {
    let expected = [
        "cart.js::Cart.constructor 5",
        "cart.js::Cart.add 9 10 12",
        "cart.js::Cart.total 16",
        "nyc-add unknown: 5 9 12 16",
        "nyc-limit unknown: 5 9 10",
    ];
    let nyc = reading(
        &["istanbul/nyc-add.json", "istanbul/nyc-limit.json"],
        "js",
        &[],
    );
    assert_eq!(described(&nyc.spectrum), expected);
    // c8 has a statement for every line.
    let expected = [
        "cart.js::Cart.constructor 4 5 6",
        "cart.js::Cart.add 8 9 10 11 12 13",
        "cart.js::Cart.total 15 16 17",
        "c8-add unknown: 4 5 6 8 9 12 13 15 16 17",
        "c8-limit unknown: 4 5 6 8 9 10 11 13 15",
    ];
    let c8 = reading(
        &["istanbul/c8-add.json", "istanbul/c8-limit.json"],
        "js",
        &[],
    );
    assert_eq!(described(&c8.spectrum), expected);
}

const JAVA_METHODS: [&str; 8] = [
    "org.shop.Cart#Cart() 8 11",
    "org.shop.Cart#<clinit>() 9",
    "org.shop.Cart#add(int,int) 14 15 17 18",
    "org.shop.Cart#total() 21 22 23 24 25",
    "org.shop.Cart#label(org.shop.Cart$Kind) 29 31 33",
    "org.shop.Cart$Kind#<clinit>() 37 38 39",
    "org.shop.Cart$Line#Line(int,int) 46 47 48 49",
    "org.shop.Cart$Line#total() 52 53",
];

#[test]
fn sessions_of_jacoco_are_tests_with_the_lines_of_the_class_files() {
    let reading = reading(&["jacoco/sessions.exec"], "java", &[]);
    let tests = [
        "org.shop.CartTest#adds unknown: 8 9 11 14 17 18 46 47 48 49",
        "org.shop.CartTest#limits unknown: 8 11 14 15",
        "org.shop.CartTest#sums unknown: 8 11 14 17 18 21 22 23 24 25 46 47 48 49 52 53",
    ];
    let expected: Vec<&str> = JAVA_METHODS.into_iter().chain(tests).collect();
    assert_eq!(described(&reading.spectrum), expected);
    assert_eq!(reading.spectrum.program.files, ["org/shop/Cart.java"]);
}

#[test]
fn sessions_of_jacoco_together_run_what_its_report_says() {
    let lines = |sample: &str| {
        let spectrum = reading(&[sample], "java", &[]).spectrum;
        let program = &spectrum.program;
        let all: Vec<u32> = program
            .elements
            .iter()
            .map(|element| element.line)
            .collect();
        let rows = rows(&spectrum);
        let mut run: Vec<u32> = rows.iter().flatten().map(|&at| all[at as usize]).collect();
        run.sort_unstable();
        run.dedup();
        (all, run)
    };
    assert_eq!(lines("jacoco/sessions.exec"), lines("jacoco-xml/all.xml"));
}

#[test]
fn a_jacoco_report_names_methods_as_the_class_files_do() {
    let reading = reading(&["jacoco-xml/all.xml"], "java", &[]);
    let names = |text: &[String]| -> Vec<String> {
        let methods = text.iter().take(8);
        methods
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect()
    };
    let expected: Vec<String> = JAVA_METHODS.iter().map(|&line| line.to_owned()).collect();
    assert_eq!(names(&described(&reading.spectrum)), names(&expected));
    assert_eq!(
        reading.notes,
        [
            "the coverage is of one test, \"all\": give one file per test, \
          or a format that names its tests"
        ]
    );
}

#[test]
fn without_the_source_functions_come_from_the_format() {
    let nowhere = tempfile::tempdir().unwrap();
    let read = |sample: &str| {
        let project = Project::new(nowhere.path());
        let reading = read_inputs(&[testdata().join(sample)], None, &[], &project).unwrap();
        let names = reading.spectrum.program.methods.clone().into_iter();
        (
            names.map(|method| method.name).collect::<Vec<_>>(),
            reading.notes,
        )
    };
    let (names, _) = read("lcov/test_add.info");
    assert_eq!(
        names,
        [
            "shop/cart.py::Cart.__init__",
            "shop/cart.py::Cart.add",
            "shop/cart.py::Cart.total",
            "shop/cart.py::discounted",
            "shop/cart.py::discounted.rate"
        ]
    );
    let (names, notes) = read("cobertura/test_add.xml");
    assert_eq!(names, ["shop/cart.py"]);
    assert!(
        notes[1].contains("each file counts as one method"),
        "{notes:?}"
    );
    let (names, _) = read("llvm-cov/adds.json");
    assert!(
        names.contains(&"/build/shop/src/lib.rs::shop::discounted".to_owned()),
        "{names:?}"
    );
}

#[test]
fn test_code_is_an_element_on_request_only() {
    let subject = testdata().join("subjects/rust");
    let sample = [testdata().join("llvm-cov/adds.json")];
    let methods = |include: bool| {
        let project = Project::new(&subject).with_tests(include);
        let reading = read_inputs(&sample, None, &[], &project).unwrap();
        let methods = reading.spectrum.program.methods.clone().into_iter();
        methods.map(|method| method.name).collect::<Vec<_>>()
    };
    assert!(!methods(false).contains(&"src/lib.rs::tests::adds".to_owned()));
    assert!(methods(true).contains(&"src/lib.rs::tests::adds".to_owned()));
}

#[test]
fn lcov_sections_belong_to_the_test_they_name_and_newer_functions_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.info");
    std::fs::write(
        &path,
        "# two tests of one file\nTN:t[1,2]\nSF:a.c\nVER:1\nFNL:0,3,5\nFNL:1,9\nFNA:0,1,add\n\
         FNA:1,0,sum\nFNF:2\nDA:3,1\nDA:5,2,checksum\nDA:9,0\nend_of_record\n\
         TN:other,diff\nSF:./a.c\nDA:3,1\nDA:10,1\nDA:10,0\nend_of_record\n",
    )
    .unwrap();
    let project = Project::new(folder.path());
    let reading = read_inputs(&[path], None, &[], &project).unwrap();
    let expected = [
        "a.c::add 3 5",
        "a.c::sum 9 10",
        "other unknown: 3 10",
        "t[1,2] unknown: 3 5",
    ];
    assert_eq!(described(&reading.spectrum), expected);
}

#[test]
fn the_same_case_comes_of_inputs_in_any_order() {
    let samples = ["go/TestAdd.out", "go/TestLimit.out"];
    let turned = [samples[1], samples[0]];
    let [a, b] = [samples, turned].map(|samples| reading(&samples, "go", &[]).spectrum);
    assert_eq!(
        (a.program.clone(), described(&a)),
        (b.program.clone(), described(&b))
    );
}
